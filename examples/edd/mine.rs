//! `edd mine`: good turns of recorded sessions become golden records or cases.

use std::path::{Path, PathBuf};

use clawgauge_cases::Format;
use clawgauge_golden::{MineOptions, Mined, Miner, RecordFile, Source, add_to_suite};
use clawgauge_support::cases::workspace;
use clawgauge_support::exit;
use clawgauge_support::sessions::Sources;
use clawgauge_transcript::{RedactionLevel, RedactionPolicy, Redactor, Timestamp};

use crate::{Stop, data, read, show, tell};

/// The options that `mine` and `export` share.
#[derive(clap::Args)]
pub(crate) struct Select {
    /// Session files or folders; `-` reads one session [default: OpenClaw's state folder]
    #[arg(long, num_args = 1.., value_name = "PATH")]
    pub from: Vec<PathBuf>,
    /// Fewest tool calls of a turn
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub min_tools: usize,
    /// Lowest overall score of the session, 0 to 1
    #[arg(long, value_name = "X")]
    pub min_score: Option<f64>,
    /// Highest risk that the session failed, 0 to 100
    #[arg(long, value_name = "N")]
    pub max_risk: Option<f64>,
    /// A tool that must have been used; may be given several times
    #[arg(long, value_name = "NAME")]
    pub tool: Vec<String>,
    /// Only sessions of this agent
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// Only turns begun at or after this time
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only turns begun before this time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// The agent's workspace, for its skills
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// A redaction policy (JSON) that adds to the built-in one
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// One record for each session instead of one for each turn
    #[arg(long)]
    pub whole_sessions: bool,
}

/// The options.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    select: Select,
    /// The file to add to: records for `.jsonl`, cases for `.yaml` and `.json`; `-` writes to standard output
    #[arg(long, short, default_value = "golden.jsonl", value_name = "FILE")]
    output: PathBuf,
}

/// Mines.
pub(crate) fn run(args: &Args) -> Result<u8, Stop> {
    let redactor = redactor(args.select.policy.as_deref())?;
    let mined = mine(&args.select, &redactor)?;
    tell(&format!("{}\n", mined.report));
    if mined.records.is_empty() {
        tell("edd: no turn worth keeping was found\n");
        return Ok(exit::NOTHING);
    }
    if args.output.as_os_str() == "-" {
        data(&RecordFile::of(mined.records).to_jsonl());
        return Ok(exit::OK);
    }
    let there = args.output.exists();
    let before = if there { read(&args.output)? } else { String::new() };
    let name = args.output.to_string_lossy();
    let format = Format::of_name(&name);
    let (after, added, known) = if format == Format::Jsonl {
        let mut file = RecordFile::parse(&before);
        for problem in file.problems() {
            tell(&format!("edd: {name}: {problem}; the line stays as it is\n"));
        }
        let merged = file.merge(mined.records);
        (file.to_jsonl(), merged.added.len(), merged.known)
    } else {
        let merged = add_to_suite(&before, format, &mined.records)
            .map_err(|error| Stop::input(format!("{name} is left as it is: {error}")))?;
        (merged.text, merged.added.len(), merged.known)
    };
    if added > 0 {
        workspace::write_atomically(&args.output, &after).map_err(Stop::system)?;
    }
    show(&format!("✓ {name}: {added} added, {known} there already\n"));
    Ok(exit::OK)
}

/// The built-in policy of the second level, with what a user's policy adds.
pub(crate) fn redactor(policy: Option<&Path>) -> Result<Redactor, Stop> {
    let Some(path) = policy else { return Ok(Redactor::of_level(RedactionLevel::Personal)) };
    let mut policy: RedactionPolicy = serde_json::from_str(&read(path)?)
        .map_err(|error| Stop::input(format!("{}: {error}", path.display())))?;
    // What is mined is meant to leave: a policy can add to this level, not go below it.
    policy.level = RedactionLevel::Personal;
    policy.compile().map_err(|error| Stop::input(format!("{}: {error}", path.display())))
}

/// Mines the sessions of the options.
pub(crate) fn mine(select: &Select, redactor: &Redactor) -> Result<Mined, Stop> {
    let mut options = MineOptions::default();
    options.min_tools = select.min_tools;
    options.min_score = share(select.min_score, "--min-score", 1.0)?;
    options.max_risk = share(select.max_risk, "--max-risk", 100.0)?;
    options.tools = select.tool.clone();
    options.agent = select.agent.clone();
    options.since = time(select.since.as_deref())?;
    options.until = time(select.until.as_deref())?;
    options.whole_sessions = select.whole_sessions;
    options.skills = select.workspace.as_deref().map(skills).unwrap_or_default();
    let sources = Sources::of_paths(select.from.clone());
    let store = sources.open().map_err(Stop::input)?;
    if let Some(unusable) = sources.unusable(&store).into_iter().next() {
        return Err(Stop::input(unusable));
    }
    let mut miner = Miner::new(options, redactor);
    for info in store.sessions() {
        match store.read(info) {
            Ok(transcript) => {
                let key = info.key();
                let source = Source::new(&transcript)
                    .with_key(info.key_text())
                    .with_agent(info.agent().or_else(|| key.as_ref()?.agent_id()))
                    .with_session_id(Some(info.id()));
                miner.add(&source);
            }
            Err(error) => tell(&format!("edd: {}: {}\n", error.path().display(), error.reason())),
        }
    }
    Ok(miner.finish(Timestamp::from_millis(clawgauge_support::clock::now().timestamp_millis())))
}

/// A number from 0 to `most`. A percentage where a share belongs would leave every session out.
pub(crate) fn share(number: Option<f64>, option: &str, most: f64) -> Result<Option<f64>, Stop> {
    match number {
        Some(number) if !(0.0..=most).contains(&number) => {
            Err(Stop::input(format!("{option} is a number from 0 to {most}, not {number}")))
        }
        number => Ok(number),
    }
}

fn time(text: Option<&str>) -> Result<Option<Timestamp>, Stop> {
    let parse =
        |text: &str| Timestamp::parse(text).ok_or_else(|| Stop::input(format!("`{text}` is no time")));
    text.map(parse).transpose()
}

/// The skill files of a workspace, as paths from it on, in order.
fn skills(workspace: &Path) -> Vec<String> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(workspace.join("skills")).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            out.push(format!("skills/{name}"));
        } else if entry.path().join("SKILL.md").is_file() {
            out.push(format!("skills/{name}/SKILL.md"));
        }
    }
    out.sort();
    out
}

//! `edd sessions`: what is there.

use std::collections::BTreeMap;
use std::path::Path;

use clawgauge_support::sessions::Sources;
use clawgauge_transcript::{LogLine, SessionInfo, Store, Timestamp, one_line};
use serde::Serialize;

use crate::trace::{find, text};
use crate::{Format, Stop, data, show, tell};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    sources: Sources,
    /// Only this agent
    #[arg(long)]
    agent: Option<String>,
    /// At most so many, newest first
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
    /// What happened in this session
    #[arg(long, value_name = "ID")]
    show: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// One session of the list.
#[derive(Debug, Default, Serialize)]
struct Line {
    id: String,
    tools: u64,
    turns: u64,
    last: Option<String>,
    #[serde(skip)]
    at: Option<Timestamp>,
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<u64>,
    era: String,
}

pub(crate) fn run(args: &Args, log_dir: Option<&Path>) -> Result<u8, Stop> {
    let log_dir = crate::log_dir(log_dir, &args.sources);
    let store = args.sources.open().map_err(Stop::input)?;
    if let Some(id) = &args.show {
        let logged = || logged(&log_dir).into_iter().find(|line| line.id.starts_with(id.as_str()));
        return match find(&store, id) {
            Ok(info) => {
                let transcript = store.read(info).map_err(|error| Stop::system(error.to_string()))?;
                show(&text(info, &transcript, false));
                Ok(0)
            }
            Err(stop) => match logged() {
                Some(line) => {
                    show(&format!("{}\nonly the log knows it\n", row(&line)));
                    Ok(0)
                }
                None => Err(stop),
            },
        };
    }
    let mut infos: Vec<&SessionInfo> = store
        .sessions()
        .iter()
        .filter(|info| info.counts() && args.agent.as_deref().is_none_or(|agent| info.agent() == Some(agent)))
        .collect();
    infos.sort_by_key(|info| std::cmp::Reverse((info.updated_at(), info.started_at(), info.id())));
    // What is not shown is not read.
    let mut lines: Vec<Line> = infos.into_iter().take(args.limit).map(|info| stored(&store, info)).collect();
    for line in logged(&log_dir) {
        let wanted = args.agent.is_none() || line.agent == args.agent;
        if wanted && !store.sessions().iter().any(|info| info.id() == line.id) {
            lines.push(line);
        }
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.at));
    lines.truncate(args.limit);
    match args.format {
        Format::Json => data(&format!("{}\n", serde_json::to_string_pretty(&lines).unwrap_or_default())),
        Format::Text => show(&lines.iter().map(|line| row(line) + "\n").collect::<String>()),
    }
    if lines.is_empty() {
        tell(&format!("{}", store.coverage()));
    }
    crate::named_were_read(&args.sources, &store)
}

fn row(line: &Line) -> String {
    let id: String = line.id.chars().take(8).collect();
    let (last, agent) = (line.last.as_deref().unwrap_or_default(), line.agent.as_deref().unwrap_or_default());
    let mut text = format!("{id}  tools={}  turns={}  last={last}  agent={agent}", line.tools, line.turns);
    if let Some(key) = &line.key {
        text += &format!("  key={key}");
    }
    if line.era != "log" {
        text += &format!("  era={}", line.era);
    }
    one_line(&text).into_owned()
}

fn stored(store: &Store, info: &SessionInfo) -> Line {
    let mut line = Line {
        id: info.id().to_owned(),
        at: info.updated_at(),
        last: info.updated_at().map(|at| at.to_string()),
        agent: info.agent().map(str::to_owned),
        key: info.key_text().map(str::to_owned),
        era: info.era().name().to_owned(),
        ..Line::default()
    };
    match store.read(info) {
        Ok(transcript) => {
            let conversation = transcript.conversation();
            line.tools = conversation.calls().count() as u64;
            line.turns = conversation.turns.len() as u64;
            line.entries = Some(transcript.entries().len() as u64);
        }
        Err(error) => tell(&format!("{error}\n")),
    }
    line
}

/// The sessions that lines of the gateway's logs name.
fn logged(folder: &Path) -> Vec<Line> {
    let mut lines: BTreeMap<String, Line> = BTreeMap::new();
    for path in log_files(folder) {
        let Ok(bytes) = std::fs::read(&path) else {
            tell(&format!("{}: cannot be read\n", path.display()));
            continue;
        };
        for text in String::from_utf8_lossy(&bytes).lines() {
            let Some(log) = LogLine::parse(text) else {
                continue;
            };
            let Some(id) = log.session_id.as_deref() else {
                continue;
            };
            let line =
                lines.entry(id.to_owned()).or_insert_with(|| Line { id: id.to_owned(), ..Line::default() });
            "log".clone_into(&mut line.era);
            line.tools += u64::from(log.message == "tool_end");
            line.turns += u64::from(log.message == "turn end");
            if line.at <= log.time {
                line.at = log.time;
                // As written: a log in local time stays so.
                let written = log.fields.filter(|_| log.flat).and_then(|fields| fields.get("ts")?.text());
                line.last = written.map(Into::into).or_else(|| log.time.map(|time| time.to_string()));
            }
            line.agent = line.agent.take().or_else(|| log.agent_id.as_deref().map(str::to_owned));
        }
    }
    lines.into_values().collect()
}

/// The daily logs, oldest first.
pub(crate) fn log_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("openclaw-") && name.ends_with(".log")
        })
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}

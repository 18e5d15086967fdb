//! `sessions`: the runs of stored sessions, incrementally.

use crate::cli::Options;
use crate::events::Sink;
use crate::files::{session_files, session_keys};
use crate::print;
use crate::send::now_ms;
use crate::settings::Settings;
use clawgauge_support::exit;
use clawgauge_tracing_map::{Config, SessionFacts, SpanKind, from_transcript};
use clawgauge_transcript::{Timestamp, Transcript};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// A session that was written to this recently may still be growing.
const QUIET_MS: i64 = 10 * 60_000;

/// What was sent of each file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Cursor {
    files: BTreeMap<String, Seen>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    bytes: u64,
    modified_ms: i64,
    /// Traces that were sent.
    traces: BTreeSet<String>,
}

pub(crate) fn run(
    paths: &[PathBuf],
    since: Option<&str>,
    cursor_file: Option<&Path>,
    options: &Options,
    settings: &Settings,
) -> Result<u8, String> {
    let since =
        since.map(|text| Timestamp::parse(text).ok_or_else(|| format!("{text:?} is no time"))).transpose()?;
    let mut roots: Vec<PathBuf> = paths.to_vec();
    if roots.is_empty() {
        let state = options.state_dir.as_ref().ok_or("name session files or --state-dir")?;
        roots.push(state.join("agents"));
    }
    let mut cursor = cursor_file.map(read_cursor).transpose()?.unwrap_or_default();
    let mut sink = Sink::new(options, settings)?;
    let mut files = 0_u64;
    let mut runs = 0_u64;
    // Rows that several sessions share belong to the one that began first.
    let mut sessions = Vec::new();
    for root in roots {
        for path in session_files(&root)? {
            let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let began = Transcript::from_slice(&bytes).started_at().map_or(0, Timestamp::millis);
            sessions.push((began, path, bytes));
        }
    }
    sessions.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let mut origins: BTreeMap<String, String> = BTreeMap::new();
    for (_, path, bytes) in &sessions {
        files += 1;
        let transcript = Transcript::from_slice(bytes);
        let mut facts = SessionFacts::default();
        let session = transcript.session_id().map(std::borrow::Cow::into_owned).unwrap_or_default();
        facts.session_key = session_keys(path).get(&session).cloned();
        facts.agent_id = agent_of(path);
        let data = fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let modified = data.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let modified_ms = modified.and_then(|at| i64::try_from(at.as_millis()).ok()).unwrap_or(0);
        facts.in_progress = now_ms().saturating_sub(modified_ms) < QUIET_MS;
        facts.origins.clone_from(&origins);
        for entry in transcript.entries() {
            if let Some(id) = entry.id() {
                origins.entry(id.into_owned()).or_insert_with(|| session.clone());
            }
        }
        let seen = cursor.files.entry(path.display().to_string()).or_default();
        let spans = from_transcript(&transcript, &facts, &Config::default());
        let mut sent = BTreeSet::new();
        let too_old: BTreeSet<String> = spans
            .iter()
            .filter(|span| {
                span.kind == SpanKind::Run && since.is_some_and(|since| span.start_ms < since.millis())
            })
            .map(|span| span.trace_id.to_string())
            .collect();
        for span in spans {
            let trace = span.trace_id.to_string();
            if too_old.contains(&trace) || seen.traces.contains(&trace) {
                continue;
            }
            if span.kind == SpanKind::Run {
                runs += 1;
                sent.insert(trace);
            }
            sink.push(span)?;
        }
        seen.traces.append(&mut sent);
        seen.bytes = data.len();
        seen.modified_ms = modified_ms;
        for problem in transcript.report().to_string_lines() {
            print::complain(&format!("{}: {problem}", path.display()));
        }
    }
    print::complain(&format!("{files} session files, {runs} runs"));
    let code = sink.finish()?;
    // What failed is sent again the next time; with a spool it is on disk already.
    if let Some(path) =
        cursor_file.filter(|_| !options.dry_run && (code == exit::OK || options.spool.is_some()))
    {
        write_cursor(path, &cursor)?;
    }
    Ok(code)
}

/// `…/agents/<id>/sessions/<file>`.
fn agent_of(path: &Path) -> Option<String> {
    let sessions = path.parent()?;
    let agent = if sessions.file_name()? == "sessions" { sessions.parent()? } else { sessions };
    Some(agent.file_name()?.to_string_lossy().into_owned())
}

fn read_cursor(path: &Path) -> Result<Cursor, String> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map_err(|error| format!("{}: line {}", path.display(), error.line())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Cursor::default()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

fn write_cursor(path: &Path, cursor: &Cursor) -> Result<(), String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec_pretty(cursor)?)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|error| format!("{}: {error}", path.display()))
}

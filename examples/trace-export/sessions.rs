//! `sessions`: the runs of stored sessions, incrementally.

use crate::cli::Options;
use crate::events::Sink;
use crate::print;
use crate::send::now_ms;
use crate::setup::Setup;
use clawgauge_support::sessions::Sources;
use clawgauge_support::{Stop, exit};
use clawgauge_tracing_map::{Config, SessionFacts, SpanKind, from_transcript};
use clawgauge_transcript::{SessionInfo, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A session that was written to this recently may still be growing.
const QUIET_MS: i64 = 10 * 60_000;

/// What was sent: session id to its traces.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Cursor {
    sessions: BTreeMap<String, BTreeSet<String>>,
}

/// Which sessions, and what of them.
pub(crate) struct What<'a> {
    pub(crate) paths: &'a [PathBuf],
    pub(crate) since: Option<&'a str>,
    pub(crate) cursor: Option<&'a Path>,
    pub(crate) scores: bool,
}

pub(crate) fn run(what: &What<'_>, options: &Options, setup: &Setup) -> Result<u8, Stop> {
    let What { paths, since, cursor: cursor_file, scores } = *what;
    let since = since.map(time).transpose()?;
    let sources = match paths {
        [] => Sources::of_state(options.state_dir.clone()),
        paths => Sources::of_paths(paths.to_vec()),
    };
    let store = sources.open().map_err(Stop::input)?;
    if let Some(unusable) = sources.unusable(&store).into_iter().next() {
        return Err(Stop::input(unusable));
    }
    if !store.sessions().iter().any(SessionInfo::counts) {
        return Err(Stop::nothing(format!(
            "there is no session\n{}",
            store.coverage().to_string().trim_end()
        )));
    }
    let mut cursor = cursor_file.map(read_cursor).transpose()?.unwrap_or_default();
    let mut sink = Sink::new(options, setup)?;
    let (mut read, mut runs, mut unreadable) = (0_u64, 0_u64, 0_u64);
    // Rows that several sessions share belong to the one that began first.
    let mut sessions: Vec<_> = store.sessions().iter().filter(|session| session.counts()).collect();
    sessions.sort_by_key(|session| (session.started_at(), session.id()));
    let mut origins: BTreeMap<String, String> = BTreeMap::new();
    for session in sessions {
        let transcript = match store.read(session) {
            Ok(transcript) => transcript,
            Err(error) => {
                print::complain(&error.to_string());
                unreadable += 1;
                continue;
            }
        };
        read += 1;
        let mut facts = SessionFacts::default();
        facts.session_key = session.key_text().map(str::to_owned);
        facts.agent_id = session.agent().map(str::to_owned);
        let updated = session.updated_at().map_or(0, Timestamp::millis);
        facts.in_progress = now_ms().saturating_sub(updated) < QUIET_MS;
        facts.origins = std::mem::take(&mut origins);
        let mut spans = from_transcript(&transcript, &facts, &Config::default());
        origins = facts.origins;
        for entry in transcript.entries() {
            if let Some(id) = entry.id() {
                origins.entry(id.into_owned()).or_insert_with(|| session.id().to_owned());
            }
        }
        for problem in transcript.report().to_string_lines() {
            print::complain(&format!("session {}: {problem}", session.id()));
        }
        if scores && let Err(problem) = crate::scores::put(&mut spans, session, transcript) {
            print::complain(&format!("session {}: {problem}", session.id()));
        }
        let seen = cursor.sessions.entry(session.id().to_owned()).or_default();
        let too_old: BTreeSet<String> = spans
            .iter()
            .filter(|span| {
                span.kind == SpanKind::Run && since.is_some_and(|since| span.start_ms < since.millis())
            })
            .map(|span| span.trace_id.to_string())
            .collect();
        let mut sent = BTreeSet::new();
        for span in spans {
            let trace = span.trace_id.to_string();
            if too_old.contains(&trace) || seen.contains(&trace) {
                continue;
            }
            if span.kind == SpanKind::Run {
                runs += 1;
                sent.insert(trace);
            }
            sink.push(span)?;
        }
        seen.append(&mut sent);
    }
    print::complain(&format!("{read} sessions, {runs} runs"));
    let code = sink.finish()?;
    // What failed is sent again the next time; with a spool it is on disk already.
    if let Some(path) =
        cursor_file.filter(|_| !options.dry_run && (code == exit::OK || options.spool.is_some()))
    {
        write_cursor(path, &cursor)?;
    }
    Ok(if code == exit::OK && unreadable > 0 { exit::IO } else { code })
}

fn time(text: &str) -> Result<Timestamp, Stop> {
    let iso = || Timestamp::parse(text);
    let number = || text.parse().ok().filter(|ms| *ms >= 0).map(Timestamp::from_millis);
    iso().or_else(number).ok_or_else(|| Stop::input(format!("{text:?} is no time")))
}

fn read_cursor(path: &Path) -> Result<Cursor, Stop> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map_err(|error| Stop::input(format!("{} is no cursor (line {})", path.display(), error.line()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Cursor::default()),
        Err(error) => Err(Stop::input(format!("{}: {error}", path.display()))),
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

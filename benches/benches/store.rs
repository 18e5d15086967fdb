//! A store of many sessions: how long listing takes, how long one pass that scores them takes, how much memory.
//!
//! `cargo bench -p clawgauge-benches --bench store` makes 20,000 sessions of about 50 KB (1 GB), half of them files
//! and half of them rows of a database, in the folder for temporary files. `CLAWGAUGE_STORE_SESSIONS` sets another
//! number: ten times as many should take ten times the time and no more memory.

#![allow(
    clippy::expect_used,
    clippy::cast_precision_loss,
    reason = "a bench that cannot set itself up fails"
)]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use clawgauge_benches::Corpus;
use clawgauge_scoring::Scorer;
use clawgauge_transcript::Store;
use rusqlite::{Connection, params};

const BYTES: usize = 52 << 10;

fn main() {
    let measured = std::env::args().any(|arg| arg == "--bench");
    let set = std::env::var("CLAWGAUGE_STORE_SESSIONS").ok().and_then(|count| count.parse().ok());
    let count: usize = set.unwrap_or(if measured { 20_000 } else { 40 });
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let bytes = generate(folder.path(), count);

    let began = Instant::now();
    let store = Store::open(folder.path());
    let listed = began.elapsed();
    assert_eq!(store.sessions().len(), count, "{}", store.coverage());
    assert!(store.coverage().is_complete(), "{}", store.coverage());
    let after_listing = peak_kib();

    let began = Instant::now();
    let scorer = Scorer::standard();
    let (mut entries, mut scored) = (0, 0);
    for reading in store.readings() {
        let reading = reading.expect("a sound session");
        entries += reading.transcript.entries().len();
        let key = reading.session.key();
        scored += usize::from(scorer.score(&reading.transcript, key.as_ref()).scored().is_some());
    }
    let passed = began.elapsed();
    let _written = writeln!(
        std::io::stdout(),
        "{count} sessions, {} MiB: listed in {:.2} s; {entries} rows read, {scored} sessions scored in {:.1} s \
         ({:.0} MiB/s); peak memory {} MiB after listing, {} MiB at the end",
        bytes >> 20,
        listed.as_secs_f64(),
        passed.as_secs_f64(),
        (bytes >> 20) as f64 / passed.as_secs_f64(),
        after_listing >> 10,
        peak_kib() >> 10,
    );
}

/// Sessions of one corpus under other ids: odd ones as files, even ones as rows.
fn generate(root: &Path, count: usize) -> usize {
    let sessions = root.join("agents/main/sessions");
    let database = root.join("agents/main/agent");
    fs::create_dir_all(&sessions).expect("a folder");
    fs::create_dir_all(&database).expect("a folder");
    let mut connection = Connection::open(database.join("openclaw-agent.sqlite")).expect("a database");
    connection
        .execute_batch(
            "PRAGMA synchronous = OFF;
             CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, updated_at INTEGER);
             CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,
                created_at INTEGER NOT NULL, event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT,
                PRIMARY KEY (session_id, seq));
             PRAGMA user_version = 23;",
        )
        .expect("tables");
    let texts = pieces();
    let mut bytes = 0;
    let transaction = connection.transaction().expect("a transaction");
    for at in 0..count {
        let id = format!("{at:08x}-aaaa-4aaa-8aaa-000000000000");
        let Some(rows) = texts.get(at % texts.len()) else { continue };
        let mut text = format!(
            "{{\"type\":\"session\",\"version\":3,\"id\":\"{id}\",\"timestamp\":\"2026-05-04T09:00:00.000Z\",\"cwd\":\"/srv\"}}\n"
        );
        // Ids differ between sessions, as they do in life.
        text += &with_prefix(rows, &format!("{at:x}-"));
        bytes += text.len();
        if at % 2 == 1 {
            fs::write(sessions.join(format!("{id}.jsonl")), text).expect("a file");
            continue;
        }
        transaction
            .execute(
                "INSERT INTO session_windows VALUES (?1, ?2, 1777885209000)",
                params![id, format!("agent:main:{id}")],
            )
            .expect("a row");
        let mut insert = transaction
            .prepare_cached(
                "INSERT INTO transcript_events VALUES (?1, ?2, ?3, 1777885200000, NULL, NULL, NULL)",
            )
            .expect("a statement");
        for (seq, line) in (0_i64..).zip(text.lines()) {
            insert.execute(params![id, seq, line]).expect("a row");
        }
    }
    transaction.commit().expect("a commit");
    bytes
}

/// Some different sessions without their headers.
fn pieces() -> Vec<String> {
    let corpus = [Corpus::Chatty, Corpus::ToolHeavy].map(|corpus| corpus.sessions(BYTES * 20));
    let mut pieces = Vec::new();
    for sessions in corpus {
        let mut piece = String::new();
        for (at, session) in sessions.iter().enumerate() {
            for line in session.lines().skip(1) {
                piece += &with_prefix(line, &format!("{at:x}-"));
                piece.push('\n');
                if piece.len() > BYTES {
                    pieces.push(std::mem::take(&mut piece));
                }
            }
        }
    }
    pieces
}

fn with_prefix(rows: &str, prefix: &str) -> String {
    ["\"id\":\"", "\"parentId\":\"", "\"toolCallId\":\""]
        .into_iter()
        .fold(rows.to_owned(), |rows, key| rows.replace(key, &format!("{key}{prefix}")))
}

/// The most memory this process ever had, in KiB; 0 where the system does not say.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

//! Databases and folders made for a test.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clawgauge_transcript::Transcript;
use rusqlite::{Connection, params};

/// The tables that a transcript needs, as agent schema 23 has them (checks and foreign keys left out).
const SCHEMA: &str = "
    CREATE TABLE schema_meta (meta_key TEXT PRIMARY KEY, role TEXT, schema_version INTEGER, agent_id TEXT);
    CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT, status TEXT,
        fork_source_session_key TEXT, fork_source_session_id TEXT, fork_source_entry_id TEXT,
        parent_session_key TEXT, spawned_by TEXT);
    CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT, reason TEXT,
        created_at INTEGER, updated_at INTEGER, transcript_updated_at INTEGER, started_at INTEGER, status TEXT,
        parent_session_key TEXT, spawned_by TEXT);
    CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,
        created_at INTEGER NOT NULL, event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT,
        PRIMARY KEY (session_id, seq));
    CREATE TABLE session_transcript_cold_archives (session_id TEXT PRIMARY KEY, generation TEXT, archive_name TEXT,
        archive_sha256 TEXT, event_count INTEGER, raw_bytes INTEGER, archive_bytes INTEGER, last_seq INTEGER,
        archived_at INTEGER, storage TEXT, archive_blob BLOB);
    CREATE TABLE auth_profile_store (store_key TEXT PRIMARY KEY, store_json TEXT);
    PRAGMA user_version = 23;";

/// A state folder with one agent `main`.
pub(crate) struct State {
    pub(crate) folder: tempfile::TempDir,
}

impl State {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("agents/main/agent")).unwrap();
        fs::create_dir_all(folder.path().join("agents/main/sessions")).unwrap();
        Self { folder }
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn database_path(&self) -> PathBuf {
        self.root().join("agents/main/agent/openclaw-agent.sqlite")
    }

    pub(crate) fn database(&self) -> Connection {
        let connection = Connection::open(self.database_path()).unwrap();
        connection.execute_batch("PRAGMA synchronous = OFF").unwrap();
        connection.execute_batch(SCHEMA).unwrap();
        connection
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join("agents/main/sessions").join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

/// One message row.
pub(crate) fn message(id: &str, parent: Option<&str>, text: &str) -> String {
    let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-05-04T09:00:01.000Z","message":{{"role":"user","content":"{text}"}}}}"#
    )
}

pub(crate) fn header(id: &str) -> String {
    format!(
        r#"{{"type":"session","version":3,"id":"{id}","timestamp":"2026-05-04T09:00:00.000Z","cwd":"/srv"}}"#
    )
}

/// A session of `count` messages, as lines.
pub(crate) fn session(id: &str, count: usize) -> String {
    let mut text = header(id) + "\n";
    for at in 0..count {
        let parent = at.checked_sub(1).map(|at| format!("{id}-{at}"));
        text +=
            &message(&format!("{id}-{at}"), parent.as_deref(), &format!("message {at} {}", "x".repeat(200)));
        text.push('\n');
    }
    text
}

/// Puts a session's lines into the database as rows; those that `compress` picks as zstd frames.
pub(crate) fn insert(connection: &Connection, id: &str, lines: &str, compress: impl Fn(usize) -> bool) {
    let transaction = connection.is_autocommit().then(|| connection.unchecked_transaction().unwrap());
    connection
        .execute(
            "INSERT INTO session_windows (session_id, session_key, updated_at) VALUES (?1, ?2, 1777885201000)",
            params![id, format!("agent:main:{id}")],
        )
        .unwrap();
    for (seq, line) in lines.lines().enumerate() {
        insert_row(connection, id, seq, line, compress(seq));
    }
    if let Some(transaction) = transaction {
        transaction.commit().unwrap();
    }
}

pub(crate) fn insert_row(connection: &Connection, id: &str, seq: usize, line: &str, compress: bool) {
    let (json, frame) = if compress { (None, Some(zstd(line))) } else { (Some(line), None) };
    connection
        .execute(
            "INSERT INTO transcript_events (session_id, seq, event_json, created_at, event_zstd, event_utf8_bytes)
             VALUES (?1, ?2, ?3, 1777885200000, ?4, ?5)",
            params![id, i64::try_from(seq).unwrap(), json, frame, i64::try_from(line.len()).unwrap()],
        )
        .unwrap();
}

pub(crate) fn zstd(text: &str) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
}

/// Every file below a folder with a hash of its bytes and its time of change.
pub(crate) fn listing(root: &Path) -> BTreeMap<PathBuf, (u64, Option<SystemTime>)> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let changed = fs::metadata(&path).unwrap().modified().ok();
                let mut hasher = DefaultHasher::new();
                fs::read(&path).unwrap().hash(&mut hasher);
                files.insert(path, (hasher.finish(), changed));
            }
        }
    }
    files
}

pub(crate) fn ids(transcript: &Transcript<'_>) -> Vec<String> {
    transcript.entries().iter().filter_map(|entry| entry.id().map(std::borrow::Cow::into_owned)).collect()
}

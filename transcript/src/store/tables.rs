//! What is read from the tables of an agent's database.
//!
//! Columns and tables differ between schema versions, so each query is built from the columns that are there. Tables
//! with credentials (`auth_profile_…`) are in no query.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};

use crate::limits::Limits;
use crate::rows::{Row, RowDecoder};
use crate::time::Timestamp;
use crate::transcript::Transcript;

use super::coverage::Coverage;
use super::database::{Database, Mode};
use super::error::{StoreError, StoreErrorKind};
use super::files::{fingerprint, first_entry};
use super::info::{Era, Lineage, Place, SessionInfo, SessionKind};
use super::query::{bytes, columns, each, integer, number, select, select_with, text};

/// The newest agent schema whose tables were seen.
const NEWEST_SCHEMA: i64 = 23;

/// How many rows after a damaged one are tried one by one.
const MAX_SINGLE_ROWS: u64 = 20_000;

/// Lists an agent's database. What cannot be listed is in the coverage.
pub(crate) fn list(
    database: &Database,
    number: usize,
    agent: Option<&Arc<str>>,
    sessions: &mut Vec<SessionInfo>,
    coverage: &mut Coverage,
) {
    let mode = database.mode();
    match database.with(Listing::read) {
        Ok(listing) => {
            coverage.file(Era::Sqlite);
            if mode == Mode::Copy {
                coverage.remarks.push(format!("{}: read from a private copy", database.path().display()));
            }
            listing.into_sessions(database.path(), number, agent, sessions, coverage);
        }
        Err(error) => coverage.skip_error(&error),
    }
}

/// Everything that one read transaction told about a database.
#[derive(Default)]
struct Listing {
    schema: i64,
    agent: Option<String>,
    /// Whether transcripts are kept in this database at all.
    has_transcripts: bool,
    transcripts: BTreeMap<String, Rows>,
    windows: BTreeMap<String, Window>,
    nodes: BTreeMap<String, Node>,
    archives: Vec<Archive>,
    cold: Vec<Archive>,
    /// Sessions of which only the runtime's events are left.
    trajectories: Vec<String>,
    /// Tables that could not be read, with the reason.
    damaged: Vec<(&'static str, String)>,
}

#[derive(Default)]
struct Rows {
    count: Option<u64>,
    started: Option<i64>,
    updated: Option<i64>,
    first_entry: Option<u64>,
}

#[derive(Default)]
struct Window {
    key: Option<String>,
    previous: Option<String>,
    reason: Option<String>,
    started: Option<i64>,
    updated: Option<i64>,
    status: Option<String>,
    parent_key: Option<String>,
    spawned_by: Option<String>,
}

#[derive(Default)]
struct Node {
    current: Option<String>,
    status: Option<String>,
    fork_key: Option<String>,
    fork_id: Option<String>,
    fork_entry: Option<String>,
    parent_key: Option<String>,
    spawned_by: Option<String>,
}

struct Archive {
    id: String,
    generation: Option<String>,
    key: Option<String>,
    reason: Option<String>,
    name: Option<String>,
    bytes: Option<u64>,
    entries: Option<u64>,
    at: Option<i64>,
    first_entry: Option<u64>,
}

impl Listing {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let transaction = connection.unchecked_transaction()?;
        let mut listing = Self { schema: number(&transaction, "PRAGMA user_version")?, ..Self::default() };
        let has = |table: &str| columns(&transaction, table);
        let transcripts = has("transcript_events")?;
        listing.has_transcripts = !transcripts.is_empty();
        listing.agent = transaction
            .query_row("SELECT agent_id FROM schema_meta WHERE agent_id IS NOT NULL LIMIT 1", [], |row| {
                text(row, 0)
            })
            .optional()
            .ok()
            .flatten()
            .flatten();
        if listing.has_transcripts {
            listing.part("session_windows", |listing| listing.read_windows(&transaction));
            listing.part("session_nodes", |listing| listing.read_nodes(&transaction));
            listing.part("transcript_events", |listing| listing.read_transcripts(&transaction));
            listing.part("trajectory_runtime_events", |listing| listing.read_trajectories(&transaction));
            listing.part("session_transcript_archives", |listing| listing.read_archives(&transaction));
            listing.part("session_transcript_cold_archives", |listing| listing.read_cold(&transaction));
        }
        transaction.commit()?;
        Ok(listing)
    }

    /// One damaged table hides no other.
    fn part(&mut self, table: &'static str, read: impl FnOnce(&mut Self) -> rusqlite::Result<()>) {
        if let Err(error) = read(self) {
            self.damaged.push((table, error.to_string()));
        }
    }

    fn read_windows(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let query = select(
            connection,
            &["session_windows", "sessions"],
            &[
                "session_id",
                "session_key",
                "previous_session_id",
                "reason",
                "started_at",
                "transcript_updated_at",
                "updated_at",
                "status",
                "parent_session_key",
                "spawned_by",
            ],
        )?;
        each(connection, query, |row| {
            let Some(id) = text(row, 0)? else {
                return Ok(());
            };
            let window = Window {
                key: text(row, 1)?,
                previous: text(row, 2)?,
                reason: text(row, 3)?,
                started: integer(row, 4)?,
                updated: integer(row, 5)?.or(integer(row, 6)?),
                status: text(row, 7)?,
                parent_key: text(row, 8)?,
                spawned_by: text(row, 9)?,
            };
            self.windows.insert(id, window);
            Ok(())
        })
    }

    fn read_nodes(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let query = select(
            connection,
            &["session_nodes", "session_entries"],
            &[
                "session_key",
                "current_session_id",
                "status",
                "fork_source_session_key",
                "fork_source_session_id",
                "fork_source_entry_id",
                "parent_session_key",
                "spawned_by",
                "session_id",
            ],
        )?;
        each(connection, query, |row| {
            let Some(key) = text(row, 0)? else {
                return Ok(());
            };
            let node = Node {
                current: text(row, 1)?.or(text(row, 8)?),
                status: text(row, 2)?,
                fork_key: text(row, 3)?,
                fork_id: text(row, 4)?,
                fork_entry: text(row, 5)?,
                parent_key: text(row, 6)?,
                spawned_by: text(row, 7)?,
            };
            self.nodes.insert(key, node);
            Ok(())
        })
    }

    fn read_transcripts(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        // Answered from the primary key's index: no row of a transcript is touched.
        let counted = each(
            connection,
            Some("SELECT session_id, count(*) FROM transcript_events GROUP BY session_id".to_owned()),
            |row| {
                if let Some(id) = text(row, 0)? {
                    let count = integer(row, 1)?.and_then(|count| u64::try_from(count).ok());
                    self.transcripts.insert(id, Rows { count, ..Rows::default() });
                }
                Ok(())
            },
        );
        if counted.is_err() {
            // The index is damaged: the windows say which sessions there should be.
            for id in self.windows.keys() {
                self.transcripts.entry(id.clone()).or_default();
            }
        }
        let mut first = connection.prepare(
            "SELECT seq, event_json, created_at FROM transcript_events WHERE session_id = ?1 ORDER BY seq LIMIT 2",
        )?;
        let mut last = connection.prepare(
            "SELECT created_at FROM transcript_events WHERE session_id = ?1 ORDER BY seq DESC LIMIT 1",
        )?;
        for (id, rows) in &mut self.transcripts {
            let mut decoder = RowDecoder::new(Limits::default());
            let mut found = first.query([id])?;
            while let Ok(Some(row)) = found.next() {
                rows.started = rows.started.or(integer(row, 2)?);
                if let Some(json) = bytes(row, 1)? {
                    let entry = decoder.row(Row { seq: 0, json: Some(json), ..Row::default() });
                    let entry = entry.filter(|entry| entry.entry_type() != crate::entry::EntryType::Session);
                    rows.first_entry = rows.first_entry.or(entry.as_ref().and_then(fingerprint));
                }
            }
            let known = self.windows.get(id).and_then(|window| window.updated);
            rows.updated = match known {
                Some(known) => Some(known),
                None => last.query_row([id], |row| integer(row, 0)).optional().ok().flatten().flatten(),
            };
        }
        match counted {
            Err(error) => Err(error),
            Ok(()) => Ok(()),
        }
    }

    fn read_trajectories(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if columns(connection, "trajectory_runtime_events")?.is_empty() {
            return Ok(());
        }
        let query = "SELECT DISTINCT session_id FROM trajectory_runtime_events";
        each(connection, Some(query.to_owned()), |row| {
            let id = text(row, 0)?.filter(|id| !self.transcripts.contains_key(id));
            self.trajectories.extend(id);
            Ok(())
        })
    }

    fn read_archives(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let names = ["session_id", "generation", "session_key", "reason", "archive_name", "created_at"];
        let more = "length(archive_blob), substr(archive_blob, 1, 65536), encoding";
        let Some(query) = select_with(connection, "session_transcript_archives", &names, more)? else {
            return Ok(());
        };
        each(connection, Some(query), |row| {
            if let Some(id) = text(row, 0)? {
                self.archives.push(Archive {
                    id,
                    generation: text(row, 1)?,
                    key: text(row, 2)?,
                    reason: text(row, 3)?,
                    name: text(row, 4)?,
                    at: integer(row, 5)?,
                    bytes: integer(row, 6)?.and_then(|n| u64::try_from(n).ok()),
                    entries: None,
                    first_entry: match bytes(row, 7)? {
                        Some(head) => {
                            first_entry(head, text(row, 8)?.is_none_or(|encoding| encoding != "identity"))
                        }
                        None => None,
                    },
                });
            }
            Ok(())
        })
    }

    fn read_cold(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let query = select(
            connection,
            &["session_transcript_cold_archives"],
            &[
                "session_id",
                "generation",
                "storage",
                "archive_name",
                "archived_at",
                "archive_bytes",
                "event_count",
            ],
        )?;
        each(connection, query, |row| {
            if let Some(id) = text(row, 0)? {
                self.cold.push(Archive {
                    id,
                    generation: text(row, 1)?,
                    key: None,
                    reason: text(row, 2)?,
                    name: text(row, 3)?,
                    at: integer(row, 4)?,
                    bytes: integer(row, 5)?.and_then(|n| u64::try_from(n).ok()),
                    entries: integer(row, 6)?.and_then(|n| u64::try_from(n).ok()),
                    first_entry: None,
                });
            }
            Ok(())
        })
    }

    fn into_sessions(
        self,
        path: &Path,
        number: usize,
        agent: Option<&Arc<str>>,
        sessions: &mut Vec<SessionInfo>,
        coverage: &mut Coverage,
    ) {
        for (table, reason) in &self.damaged {
            coverage.skip(path, StoreErrorKind::Damaged, format!("table {table}: {reason}"));
        }
        if !self.has_transcripts {
            let reason = format!("no transcripts in it (schema {}): they are files", self.schema);
            coverage.remarks.push(format!("{}: {reason}", path.display()));
            return;
        }
        if self.schema > NEWEST_SCHEMA {
            let reason =
                format!("schema {} is newer than {NEWEST_SCHEMA}: what is known is read", self.schema);
            coverage.remarks.push(format!("{}: {reason}", path.display()));
        }
        let agent = agent.cloned().or_else(|| self.agent.as_deref().map(Arc::from));
        let folder: Arc<Path> = Arc::from(path.parent().unwrap_or(Path::new("")));
        let file = path.file_name().unwrap_or_default();
        let template = |id: &str, kind, place| SessionInfo {
            id: id.into(),
            key: None,
            agent: agent.clone(),
            era: Era::Sqlite,
            kind,
            place,
            folder: Arc::clone(&folder),
            file: file.into(),
            database: number,
            generation: None,
            started: None,
            updated: None,
            entries: None,
            bytes: None,
            status: None,
            lineage: None,
            first_entry: None,
            superseded_by: None,
            archive_name: None,
        };
        for (id, rows) in &self.transcripts {
            let mut session = template(id, SessionKind::Live, Place::Rows);
            self.describe(&mut session);
            session.entries = rows.count;
            session.started = millis(rows.started).or(session.started);
            session.updated = millis(rows.updated).or(session.updated);
            session.first_entry = rows.first_entry;
            sessions.push(session);
        }
        for cold in &self.cold {
            if self.transcripts.contains_key(&cold.id) {
                continue;
            }
            let mut session = template(&cold.id, SessionKind::Cold, Place::ColdRow);
            self.describe(&mut session);
            session.generation = cold.generation.as_deref().map(Into::into);
            session.archive_name = cold.name.as_deref().map(Into::into);
            session.entries = cold.entries;
            session.bytes = cold.bytes;
            session.updated = session.updated.or(millis(cold.at));
            sessions.push(session);
        }
        for id in &self.trajectories {
            let mut session = template(id, SessionKind::Trajectory, Place::TrajectoryRows);
            self.describe(&mut session);
            sessions.push(session);
        }
        for archive in &self.archives {
            let reset = archive.reason.as_deref() == Some("reset");
            let kind = if reset { SessionKind::Reset } else { SessionKind::Deleted };
            let mut session = template(&archive.id, kind, Place::ArchiveRow);
            self.describe(&mut session);
            session.key = archive.key.as_deref().map(Into::into).or(session.key);
            session.generation = archive.generation.as_deref().map(Into::into);
            session.bytes = archive.bytes;
            session.first_entry = archive.first_entry;
            session.updated = millis(archive.at);
            session.archive_name = archive.name.as_deref().map(Into::into);
            sessions.push(session);
        }
    }

    fn describe(&self, session: &mut SessionInfo) {
        let Some(window) = self.windows.get(&*session.id) else {
            return;
        };
        session.key = window.key.as_deref().map(Into::into);
        session.started = millis(window.started);
        session.updated = millis(window.updated);
        session.status = window.status.as_deref().map(Into::into);
        let node = window.key.as_ref().and_then(|key| self.nodes.get(key));
        let current = node.filter(|node| node.current.as_deref() == Some(&*session.id));
        if let Some(node) = current {
            session.status = session.status.take().or_else(|| node.status.as_deref().map(Into::into));
        }
        let of_node = |field: fn(&Node) -> &Option<String>| node.and_then(|node| field(node).clone());
        session.lineage = Lineage {
            previous_session_id: window.previous.clone(),
            reason: window.reason.clone(),
            parent_session_key: window.parent_key.clone().or_else(|| of_node(|node| &node.parent_key)),
            spawned_by: window.spawned_by.clone().or_else(|| of_node(|node| &node.spawned_by)),
            fork_source_key: of_node(|node| &node.fork_key),
            fork_source_id: of_node(|node| &node.fork_id),
            fork_source_entry: of_node(|node| &node.fork_entry),
        }
        .boxed();
    }
}

fn millis(value: Option<i64>) -> Option<Timestamp> {
    value.filter(|&value| value > 0).map(Timestamp::from_millis)
}

/// Reads one session's rows: one statement, so one read transaction.
pub(crate) fn read_rows(
    database: &Database,
    session: &SessionInfo,
    limits: Limits,
) -> Result<Transcript<'static>, StoreError> {
    database.with(|connection| {
        let names = ["seq", "event_json", "event_zstd", "event_utf8_bytes"];
        let Some(query) = select(connection, &["transcript_events"], &names)? else {
            return Ok(Transcript::from_slice(&[]));
        };
        let mut decoder = RowDecoder::new(limits);
        let mut entries = Vec::new();
        let mut statement =
            connection.prepare_cached(&format!("{query} WHERE session_id = ?1 ORDER BY seq"))?;
        let mut rows = statement.query([session.id()])?;
        let mut next = 0;
        let failed = loop {
            match rows.next() {
                Ok(Some(row)) => {
                    let seq = sequence(row)?;
                    next = seq.saturating_add(1);
                    entries.extend(take(&mut decoder, row, seq)?);
                }
                Ok(None) => break None,
                Err(error) if entries.is_empty() && is_not_damage(&error) => return Err(error),
                Err(error) => break Some(error),
            }
        };
        drop(rows);
        if let Some(error) = failed {
            decoder.lost(next, error.to_string());
            let last = session.entries().unwrap_or(0).min(next.saturating_add(MAX_SINGLE_ROWS));
            let mut single =
                connection.prepare_cached(&format!("{query} WHERE session_id = ?1 AND seq = ?2"))?;
            for seq in next.saturating_add(1)..last {
                let Ok(number) = i64::try_from(seq) else {
                    break;
                };
                let mut rows = single.query(params![session.id(), number])?;
                match rows.next() {
                    Ok(Some(row)) => entries.extend(take(&mut decoder, row, seq)?),
                    Ok(None) => {}
                    Err(error) => decoder.lost(seq, error.to_string()),
                }
            }
        }
        Ok(decoder.into_transcript(entries))
    })
}

/// Whether trying again, or another way of opening, may help: nothing is wrong with the pages.
fn is_not_damage(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() != Some(rusqlite::ErrorCode::DatabaseCorrupt)
}

fn sequence(row: &rusqlite::Row<'_>) -> rusqlite::Result<u64> {
    Ok(integer(row, 0)?.and_then(|seq| u64::try_from(seq).ok()).unwrap_or(0))
}

fn take(
    decoder: &mut RowDecoder,
    row: &rusqlite::Row<'_>,
    seq: u64,
) -> rusqlite::Result<Option<crate::entry::Entry<'static>>> {
    let utf8_bytes = integer(row, 3)?.and_then(|length| u64::try_from(length).ok());
    Ok(decoder.row(Row { seq, json: bytes(row, 1)?, zstd: bytes(row, 2)?, utf8_bytes }))
}

/// The runtime's events of a session, one a line.
pub(crate) fn trajectory_lines(database: &Database, session: &SessionInfo) -> Result<Vec<u8>, StoreError> {
    database.with(|connection| {
        let query = "SELECT event_json FROM trajectory_runtime_events WHERE session_id = ?1 ORDER BY seq";
        let mut statement = connection.prepare_cached(query)?;
        let mut rows = statement.query([session.id()])?;
        let mut lines = Vec::new();
        while let Some(row) = rows.next()? {
            lines.extend_from_slice(bytes(row, 0)?.unwrap_or_default());
            lines.push(b'\n');
        }
        Ok(lines)
    })
}

/// The bytes of an archive row, with whether they are compressed.
pub(crate) fn archive_bytes(
    database: &Database,
    session: &SessionInfo,
) -> Result<Option<(Vec<u8>, bool)>, StoreError> {
    let (table, encoding) = match session.place {
        Place::ColdRow => ("session_transcript_cold_archives", "'zstd'"),
        _ => ("session_transcript_archives", "encoding"),
    };
    database.with(|connection| {
        let query = format!(
            "SELECT archive_blob, {encoding} FROM {table} WHERE session_id = ?1 AND (?2 IS NULL OR generation = ?2)"
        );
        connection
            .query_row(&query, params![session.id(), session.generation.as_deref()], |row| {
                let compressed = text(row, 1)?.is_none_or(|encoding| encoding != "identity");
                Ok(bytes(row, 0)?.map(|bytes| (bytes.to_vec(), compressed)))
            })
            .optional()
            .map(Option::flatten)
    })
}

/// The leaf that the database's own index of a session names; `None` when it has none, or one that is not up to date.
pub(crate) fn stored_leaf(database: &Database, session: &SessionInfo) -> Result<Option<String>, StoreError> {
    database.with(|connection| {
        if columns(connection, "session_transcript_index_state")?.is_empty() {
            return Ok(None);
        }
        let query = "SELECT leaf_event_id FROM session_transcript_index_state AS state
            WHERE session_id = ?1 AND needs_rebuild = 0
            AND indexed_seq = (SELECT max(seq) FROM transcript_events WHERE session_id = ?1)";
        let leaf = connection.query_row(query, [session.id()], |row| text(row, 0)).optional()?;
        Ok(leaf.flatten())
    })
}

//! Rows as they are committed to a database.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::limits::Limits;
use crate::rows::{Row, RowDecoder};

use super::database::{Database, State};
use super::error::StoreError;
use super::query::{bytes, columns, each, integer, select, text};
use super::watch::{Fresh, Source};

/// Follows one database.
#[derive(Debug)]
pub(crate) struct Follow {
    database: Database,
    agent: Option<Arc<str>>,
    /// What is there at the first look is not told.
    skip: bool,
    looked: bool,
    state: Option<(State, i64)>,
    sessions: BTreeMap<String, Session>,
}

#[derive(Debug)]
struct Session {
    source: Source,
    /// The `seq` that comes next.
    next: i64,
}

/// The new rows of a session, in one transaction with the others.
struct News {
    id: String,
    key: Option<String>,
    last: i64,
    rows: Vec<OwnedRow>,
}

struct OwnedRow {
    seq: u64,
    json: Option<Vec<u8>>,
    zstd: Option<Vec<u8>>,
    utf8_bytes: Option<u64>,
}

impl Follow {
    pub(crate) fn new(path: &Path, agent: Option<Arc<str>>, skip: bool) -> Self {
        let mut follow = Self {
            database: Database::new(path),
            agent,
            skip,
            looked: false,
            state: None,
            sessions: BTreeMap::new(),
        };
        if skip {
            // Where it ends now is known before the caller goes on; a failure comes again with the first look.
            let _later = follow.poll(&mut HashSet::new(), &mut Vec::new(), false, Limits::default());
        }
        follow
    }

    pub(crate) fn poll(
        &mut self,
        seen: &mut HashSet<u64>,
        fresh: &mut Vec<Fresh>,
        new: bool,
        limits: Limits,
    ) -> Result<(), StoreError> {
        let version = self
            .database
            .with(|connection| connection.query_row("PRAGMA data_version", [], |row| row.get::<_, i64>(0)))?;
        let state = (State::of(self.database.path()), version);
        if self.state.as_ref() == Some(&state) {
            return Ok(());
        }
        let skip = self.skip && !self.looked;
        let known: BTreeMap<String, i64> =
            self.sessions.iter().map(|(id, session)| (id.clone(), session.next)).collect();
        let news = self.database.with(|connection| news(connection, &known, skip))?;
        for news in news {
            let source = || Source {
                id: Arc::from(&*news.id),
                key: news.key.as_deref().map(Arc::from),
                agent: self.agent.clone(),
                born: None,
            };
            let session =
                self.sessions.entry(news.id.clone()).or_insert_with(|| Session { source: source(), next: 0 });
            let mut decoder = RowDecoder::new(limits);
            for row in &news.rows {
                let (json, zstd) = (row.json.as_deref(), row.zstd.as_deref());
                if let Some(entry) = decoder.row(Row { seq: row.seq, json, zstd, utf8_bytes: row.utf8_bytes })
                {
                    fresh.extend(session.source.fresh(entry, seen, new && self.looked));
                }
            }
            session.next = news.last.saturating_add(1);
        }
        self.looked = true;
        self.state = Some(state);
        Ok(())
    }
}

fn news(connection: &Connection, known: &BTreeMap<String, i64>, skip: bool) -> rusqlite::Result<Vec<News>> {
    let transaction = connection.unchecked_transaction()?;
    let names = ["seq", "event_json", "event_zstd", "event_utf8_bytes"];
    let Some(query) = select(&transaction, &["transcript_events"], &names)? else {
        return Ok(Vec::new());
    };
    let mut changed: Vec<News> = Vec::new();
    let lasts = "SELECT session_id, max(seq) FROM transcript_events GROUP BY session_id";
    each(&transaction, Some(lasts.to_owned()), |row| {
        if let (Some(id), Some(last)) = (text(row, 0)?, integer(row, 1)?)
            && known.get(&id) != Some(&last.saturating_add(1))
        {
            changed.push(News { id, key: None, last, rows: Vec::new() });
        }
        Ok(())
    })?;
    if skip {
        return Ok(changed);
    }
    let windows = ["session_windows", "sessions"].into_iter().find_map(|table| {
        columns(&transaction, table).ok().filter(|columns| !columns.is_empty()).map(|_| table)
    });
    for news in &mut changed {
        if let Some(table) = windows {
            let query = format!("SELECT session_key FROM {table} WHERE session_id = ?1");
            news.key = transaction.query_row(&query, [&news.id], |row| text(row, 0)).optional()?.flatten();
        }
        // A session that became shorter was rewritten: all of it is looked at, and what was seen does not come again.
        let from = known.get(&news.id).copied().filter(|&next| next <= news.last).unwrap_or(0);
        let mut statement = transaction
            .prepare_cached(&format!("{query} WHERE session_id = ?1 AND seq >= ?2 ORDER BY seq"))?;
        let mut rows = statement.query(params![news.id, from])?;
        while let Some(row) = rows.next()? {
            let owned = |index| bytes(row, index).map(|bytes| bytes.map(<[u8]>::to_vec));
            news.rows.push(OwnedRow {
                seq: integer(row, 0)?.and_then(|seq| u64::try_from(seq).ok()).unwrap_or(0),
                json: owned(1)?,
                zstd: owned(2)?,
                utf8_bytes: integer(row, 3)?.and_then(|length| u64::try_from(length).ok()),
            });
        }
    }
    transaction.commit()?;
    Ok(changed)
}

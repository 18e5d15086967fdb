//! Every session on a disk, of all eras, once.

mod copies;
mod coverage;
#[cfg(feature = "sqlite")]
mod database;
mod discover;
mod error;
mod files;
#[cfg(feature = "sqlite")]
mod follow;
mod info;
#[cfg(feature = "sqlite")]
mod query;
mod reading;
#[cfg(feature = "sqlite")]
mod state;
#[cfg(feature = "sqlite")]
mod tables;
mod tail;
mod watch;

use std::collections::BTreeSet;
use std::path::Path;

use crate::limits::Limits;
use crate::transcript::Transcript;

pub use coverage::{Coverage, EraCoverage, Skipped};
pub use error::{StoreError, StoreErrorKind};
pub use info::{Era, Lineage, Place, SessionInfo, SessionKind};
pub use reading::{Reading, Readings};
pub use tail::{Tail, TailRead};
pub use watch::{Fresh, Watch};

#[cfg(feature = "sqlite")]
pub use state::{AuditEvent, SubagentRun};

use discover::{Found, Search};

/// The sessions of a state folder, or of files and folders given by hand.
///
/// Opening lists them and reads no transcript: of a file its first 8 KiB (of a long
/// first row up to 1 MiB), of a database its indexes and the first
/// two rows of each session. Nothing on the disk is created, changed or locked for others. One damaged file or database
/// hides no other; whatever was not read is in the [`coverage`](Store::coverage).
///
/// A session stands on a disk several times: before a compaction, a reset or an import, a copy is left. All are listed,
/// and [`SessionInfo::counts`] says which ones are sessions of their own. Rewinding copies a whole session under a new
/// id; [`readings`](Store::readings) says which entries were counted before.
///
/// ```no_run
/// use std::path::Path;
/// use clawgauge_transcript::Store;
///
/// let store = Store::open(Path::new("/home/user/.openclaw"));
/// for session in store.sessions().iter().filter(|session| session.counts()) {
///     let transcript = store.read(session)?;
///     assert!(transcript.entries().len() > 0);
/// }
/// # Ok::<(), clawgauge_transcript::StoreError>(())
/// ```
#[derive(Debug)]
pub struct Store {
    sessions: Vec<SessionInfo>,
    families: Vec<Vec<usize>>,
    coverage: Coverage,
    limits: Limits,
    #[cfg(feature = "sqlite")]
    databases: Vec<database::Database>,
    /// The global databases of state folders.
    #[cfg(feature = "sqlite")]
    globals: Vec<database::Database>,
}

impl Store {
    /// Opens a state folder (`~/.openclaw`): every agent below `agents/`, the folder's own `sessions/`, and the folders
    /// beside it that have earlier names of the product (`.clawdbot`, `.moltbot`, `.moldbot`). A home folder that holds
    /// such folders does as well. Never fails: a folder that is not there is a store without sessions, and the coverage
    /// says so.
    #[must_use]
    pub fn open(state_dir: &Path) -> Self {
        Self::open_with(state_dir, Limits::default())
    }

    /// The same with other limits.
    #[must_use]
    pub fn open_with(state_dir: &Path, limits: Limits) -> Self {
        let mut coverage = Coverage::default();
        let mut search = Search::default();
        search.state(state_dir, &mut coverage);
        Self::list(&search, coverage, limits)
    }

    /// Opens places given by hand: state folders, agents' folders, databases, session files, and any other folder with
    /// session files in it (searched four levels deep; links to folders are not followed there).
    #[must_use]
    pub fn from_paths<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>, limits: Limits) -> Self {
        let mut coverage = Coverage::default();
        let mut search = Search::default();
        for path in paths {
            search.path(path.as_ref(), &mut coverage);
        }
        Self::list(&search, coverage, limits)
    }

    fn list(search: &Search, mut coverage: Coverage, limits: Limits) -> Self {
        let mut sessions = Vec::new();
        #[cfg(feature = "sqlite")]
        let (databases, globals) = Self::list_databases(search, &mut sessions, &mut coverage);
        let mut by_hand = Vec::new();
        for found in &search.found {
            match found {
                Found::Folder { path, agent, holds } => {
                    let folder = files::Folder { path, agent: agent.as_ref(), holds: *holds };
                    folder.list(&mut sessions, &mut coverage);
                }
                Found::File(path) => by_hand.push(path),
                #[cfg(not(feature = "sqlite"))]
                Found::Database { path, .. } => {
                    let reason = "a database, and this build does not read them (feature `sqlite`)";
                    coverage.skip(path, StoreErrorKind::FeatureOff, reason);
                }
                #[cfg(feature = "sqlite")]
                Found::Database { .. } => {}
                Found::Global(_) => {}
            }
        }
        // One that a folder listed too is there once.
        let mut listed = BTreeSet::new();
        if !by_hand.is_empty() {
            listed.extend(sessions.iter().map(|session| discover::real_path(&session.path())));
        }
        for path in by_hand {
            if !listed.contains(&discover::real_path(path)) {
                files::list_file(path, &mut sessions, &mut coverage);
            }
        }
        sessions.sort_by(|a, b| {
            (&a.agent, a.started, &a.id, a.kind, &a.file).cmp(&(&b.agent, b.started, &b.id, b.kind, &b.file))
        });
        copies::drop_told_twice(&mut sessions);
        copies::mark(&mut sessions);
        for session in &sessions {
            coverage.count(session);
        }
        let families = copies::families(&sessions);
        Self {
            sessions,
            families,
            coverage,
            limits,
            #[cfg(feature = "sqlite")]
            databases,
            #[cfg(feature = "sqlite")]
            globals,
        }
    }

    /// Lists the agents' databases: those that were found, and those that a global database names elsewhere.
    #[cfg(feature = "sqlite")]
    fn list_databases(
        search: &Search,
        sessions: &mut Vec<SessionInfo>,
        coverage: &mut Coverage,
    ) -> (Vec<database::Database>, Vec<database::Database>) {
        let mut places: Vec<(std::path::PathBuf, Option<std::sync::Arc<str>>)> = Vec::new();
        let mut globals = Vec::new();
        for found in &search.found {
            match found {
                Found::Database { path, agent } => places.push((path.clone(), agent.clone())),
                Found::Global(path) => globals.push(database::Database::new(path)),
                _ => {}
            }
        }
        let mut known: BTreeSet<_> = places.iter().map(|(path, _)| discover::real_path(path)).collect();
        for global in &globals {
            let root = global.path().parent().and_then(Path::parent).unwrap_or(Path::new(""));
            match state::agent_databases(global, root) {
                Ok(named) => {
                    for (agent, path) in named {
                        if path.is_file() && known.insert(discover::real_path(&path)) {
                            places.push((path, agent.as_deref().map(Into::into)));
                        }
                    }
                }
                Err(error) => coverage.skip_error(&error),
            }
        }
        let mut databases = Vec::new();
        for (path, agent) in places {
            let database = database::Database::new(&path);
            tables::list(&database, databases.len(), agent.as_ref(), sessions, coverage);
            databases.push(database);
        }
        (databases, globals)
    }

    /// What the gateway recorded of runs and tool calls (`audit_events` of the global database), oldest first; empty
    /// where no such database is.
    ///
    /// # Errors
    /// When a global database cannot be read.
    #[cfg(feature = "sqlite")]
    pub fn audit_events(&self) -> Result<Vec<AuditEvent>, StoreError> {
        Ok(self.globals.iter().map(state::audit_events).collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Which sessions were started by which (`subagent_runs` of the global database), oldest first.
    ///
    /// # Errors
    /// When a global database cannot be read.
    #[cfg(feature = "sqlite")]
    pub fn subagent_runs(&self) -> Result<Vec<SubagentRun>, StoreError> {
        Ok(self.globals.iter().map(state::subagent_runs).collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// The id of the active leaf as the database's own index has it; `None` for files, and where the index is missing
    /// or behind. [`Tree::leaf`](crate::Tree::leaf) computes the same from the rows.
    ///
    /// # Errors
    /// When the database cannot be read.
    #[cfg(feature = "sqlite")]
    pub fn stored_leaf(&self, session: &SessionInfo) -> Result<Option<String>, StoreError> {
        match self.databases.get(session.database).filter(|_| session.place == Place::Rows) {
            Some(database) => tables::stored_leaf(database, session),
            None => Ok(None),
        }
    }

    /// Every stored session, copies included, in order of agent, beginning and id.
    #[must_use]
    pub fn sessions(&self) -> &[SessionInfo] {
        &self.sessions
    }

    /// The session that an id names: one that counts before a copy. `O(n)`.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&SessionInfo> {
        let named = || self.sessions.iter().filter(|session| session.id() == id);
        named().find(|session| session.counts()).or_else(|| named().next())
    }

    /// What was found, and what was not read and why.
    #[must_use]
    pub const fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Reads one session, by an item of [`sessions`](Store::sessions) of this store. What of it cannot be read is in
    /// the transcript's report.
    ///
    /// # Errors
    /// When nothing of it can be read: the file is gone or not readable, the database is locked or damaged.
    pub fn read(&self, session: &SessionInfo) -> Result<Transcript<'static>, StoreError> {
        match session.place {
            Place::Lines | Place::CompressedLines | Place::TrajectoryLines => {
                files::read(session, self.limits)
            }
            #[cfg(feature = "sqlite")]
            _ => self.read_database(session),
            #[cfg(not(feature = "sqlite"))]
            _ => Err(StoreError::new(&session.path(), StoreErrorKind::FeatureOff, "feature `sqlite`")),
        }
    }

    /// The same with a place for a file's bytes: the transcript then borrows from `buffer` instead of owning a copy of each row.
    /// What `buffer` held is lost; a loop over sessions uses one for all. Sessions of databases and archives, and files above
    /// 1 GiB, are read as by [`read`](Store::read).
    ///
    /// # Errors
    /// As [`read`](Store::read).
    pub fn read_in<'b>(
        &self,
        session: &SessionInfo,
        buffer: &'b mut Vec<u8>,
    ) -> Result<Transcript<'b>, StoreError> {
        match files::read_lines(session, self.limits, buffer)? {
            Some(transcript) => Ok(transcript),
            None => self.read(session),
        }
    }

    #[cfg(feature = "sqlite")]
    fn read_database(&self, session: &SessionInfo) -> Result<Transcript<'static>, StoreError> {
        let path = session.path();
        let Some(database) = self.databases.get(session.database) else {
            return Err(StoreError::new(&path, StoreErrorKind::NotFound, "a session of another store"));
        };
        match session.place {
            Place::Rows => return tables::read_rows(database, session, self.limits),
            Place::TrajectoryRows => {
                let lines = tables::trajectory_lines(database, session)?;
                return files::trajectory(&path, &lines, self.limits);
            }
            _ => {}
        }
        match tables::archive_bytes(database, session)? {
            Some((bytes, true)) => files::decode_archive(&path, &bytes, self.limits),
            Some((bytes, false)) => Ok(Transcript::from_slice_with(&bytes, self.limits).into_owned()),
            None => files::read_cold(session, self.limits),
        }
    }

    /// Reads every session that counts, one after the other: at any time one session is in memory (and the ids of its
    /// entries, where other sessions may share them). Sessions that share entries come together, oldest first.
    #[must_use]
    pub fn readings(&self) -> Readings<'_> {
        Readings::new(self, &self.families)
    }
}

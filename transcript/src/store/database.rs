//! Opening a database so that nothing of the operator's is created or changed.
//!
//! A live gateway keeps its newest rows in the `-wal` file, and an ordinary read-only connection still writes to (or
//! leaves behind) side files. Three ways of opening follow from that; [`Mode`] says which is right when.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempDir;

use super::error::{StoreError, StoreErrorKind};
use super::files::open_regular;

/// How long a reader waits for a writer that holds the database for itself alone.
const BUSY_TIMEOUT: Duration = Duration::from_millis(1500);

/// How often a read is begun again because the files changed under it.
const ATTEMPTS: usize = 4;

/// Idle connections kept for the next reader.
const MAX_IDLE: usize = 8;

/// One database of the operator's, never written to.
#[derive(Debug)]
pub(crate) struct Database {
    path: PathBuf,
    idle: Mutex<Vec<Open>>,
    /// The private copy, once one was needed.
    copy: Mutex<Option<Copy>>,
}

/// How a database is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// There is no `-wal`: the main file is everything. `immutable=1` takes no lock and leaves no side files; whether
    /// one appeared meanwhile is checked after each read.
    Immutable,
    /// There is a `-wal` and its `-shm`: a gateway lives (or died). `mode=ro` sees the newest rows; `readonly_shm=1`
    /// keeps even the lock file unwritten.
    Live,
    /// A `-wal` or a `-journal` that cannot be read in place: a private copy is.
    Copy,
}

#[derive(Debug)]
struct Open {
    connection: Connection,
    mode: Mode,
    state: State,
}

/// A private copy and the files it was made of.
#[derive(Debug)]
struct Copy {
    folder: TempDir,
    state: State,
}

/// The database's files as they are on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    main: Stamp,
    wal: Stamp,
    shm: bool,
    journal: Stamp,
}

type Stamp = Option<(u64, Option<SystemTime>)>;

impl State {
    pub(crate) fn of(path: &Path) -> Self {
        let stamp =
            |path: &Path| fs::metadata(path).ok().map(|metadata| (metadata.len(), metadata.modified().ok()));
        Self {
            main: stamp(path),
            wal: stamp(&beside(path, "-wal")),
            shm: beside(path, "-shm").exists(),
            journal: stamp(&beside(path, "-journal")),
        }
    }

    fn mode(&self) -> Mode {
        let holds = |stamp: &Stamp| stamp.is_some_and(|(length, _)| length > 0);
        match (self.wal.is_some(), self.shm) {
            (true, true) => Mode::Live,
            // An empty one without its lock file is what a clean end leaves: there is nothing in it.
            _ if holds(&self.wal) || holds(&self.journal) => Mode::Copy,
            _ => Mode::Immutable,
        }
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

impl Database {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::new(Vec::new()), copy: Mutex::new(None) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// How the database would be opened now.
    pub(crate) fn mode(&self) -> Mode {
        State::of(&self.path).mode()
    }

    /// Runs a read. It is begun again when the files turned out to have changed in a way that it could not see, so
    /// `read` must be able to run more than once.
    pub(crate) fn with<T>(
        &self,
        mut read: impl FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut force_copy = false;
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let state = State::of(&self.path);
            let mode = if force_copy { Mode::Copy } else { state.mode() };
            let open = match self.take(mode, &state) {
                Ok(open) => open,
                Err(error) if mode == Mode::Live && error.kind() != StoreErrorKind::Locked => {
                    // The lock file cannot be used (another user's, a read-only folder, a strange mount).
                    force_copy = true;
                    last = Some(error);
                    continue;
                }
                Err(error) => return Err(error),
            };
            match read(&open.connection) {
                Ok(value) => {
                    if mode == Mode::Immutable && State::of(&self.path) != state {
                        continue;
                    }
                    self.give_back(open);
                    return Ok(value);
                }
                Err(error) => {
                    let moved = State::of(&self.path) != state;
                    let error = self.error(&error);
                    let retry = match mode {
                        Mode::Immutable => moved,
                        Mode::Live => {
                            force_copy = !moved && error.kind() == StoreErrorKind::Io;
                            force_copy || moved
                        }
                        Mode::Copy => false,
                    };
                    if !retry {
                        return Err(error);
                    }
                    last = Some(error);
                }
            }
        }
        Err(last.unwrap_or_else(|| {
            StoreError::new(&self.path, StoreErrorKind::Locked, "the database changed during every attempt")
        }))
    }

    fn take(&self, mode: Mode, state: &State) -> Result<Open, StoreError> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(open) = idle.pop() {
            let usable = open.mode == mode
                && match mode {
                    Mode::Live => open.state.shm == state.shm,
                    Mode::Immutable | Mode::Copy => open.state == *state,
                };
            if usable {
                return Ok(open);
            }
        }
        drop(idle);
        open_regular(&self.path).map(drop)?;
        let connection = match mode {
            Mode::Immutable => open(&self.path, "mode=ro&immutable=1"),
            Mode::Live => open(&self.path, "mode=ro&readonly_shm=1"),
            Mode::Copy => {
                let copied = self.private_copy(state)?;
                // The copy is ours: its journal may be played back.
                open(&copied, "mode=rw")
            }
        };
        let connection = connection.map_err(|error| self.error(&error))?;
        Ok(Open { connection, mode, state: state.clone() })
    }

    fn give_back(&self, open: Open) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE {
            idle.push(open);
        }
    }

    /// The database and its side files, copied while they stood still.
    fn private_copy(&self, state: &State) -> Result<PathBuf, StoreError> {
        let mut copy = self.copy.lock().unwrap_or_else(PoisonError::into_inner);
        let name = "copy.sqlite";
        if let Some(copy) = copy.as_ref().filter(|copy| copy.state == *state) {
            return Ok(copy.folder.path().join(name));
        }
        for _ in 0..ATTEMPTS {
            let before = State::of(&self.path);
            let folder = tempfile::Builder::new()
                .prefix("clawgauge-")
                .tempdir()
                .map_err(|error| StoreError::io(&self.path, &error))?;
            let main = folder.path().join(name);
            for suffix in ["", "-wal", "-journal"] {
                let source = beside(&self.path, suffix);
                match fs::copy(&source, beside(&main, suffix)) {
                    Ok(_) => {}
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound && !suffix.is_empty() => {}
                    Err(error) => return Err(StoreError::io(&source, &error)),
                }
            }
            if State::of(&self.path) == before {
                *copy = Some(Copy { folder, state: before });
                return Ok(main);
            }
        }
        let reason = "the database changed during every attempt to copy it";
        Err(StoreError::new(&self.path, StoreErrorKind::Locked, reason))
    }

    /// What a failure of the database means to an operator. Messages of the library hold no content of rows.
    pub(crate) fn error(&self, error: &rusqlite::Error) -> StoreError {
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreErrorKind::Locked,
            Some(ErrorCode::DatabaseCorrupt) => StoreErrorKind::Damaged,
            Some(ErrorCode::NotADatabase) => StoreErrorKind::NotASession,
            Some(ErrorCode::PermissionDenied) => StoreErrorKind::PermissionDenied,
            _ => StoreErrorKind::Io,
        };
        let reason = match kind {
            StoreErrorKind::Locked => "another program holds the database for itself alone".to_owned(),
            StoreErrorKind::NotASession => "no SQLite database".to_owned(),
            _ => error.to_string(),
        };
        StoreError::new(&self.path, kind, reason)
    }
}

fn open(path: &Path, parameters: &str) -> rusqlite::Result<Connection> {
    let write = parameters.contains("mode=rw");
    let access = if write { OpenFlags::SQLITE_OPEN_READ_WRITE } else { OpenFlags::SQLITE_OPEN_READ_ONLY };
    let flags = access | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri(path, parameters), flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // A database is input: no triggers, views or functions of its schema are trusted.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    if !write {
        connection.pragma_update(None, "query_only", true)?;
    }
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(connection)
}

/// A path as a URI of SQLite; every byte that means something there is escaped.
fn uri(path: &Path, parameters: &str) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = String::from("file://");
    let bytes = absolute.as_os_str().as_encoded_bytes();
    if bytes.first() != Some(&b'/') {
        uri.push('/');
    }
    for &byte in bytes {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b':' => {
                uri.push(char::from(byte));
            }
            b'\\' if cfg!(windows) => uri.push('/'),
            _ => {
                let _written = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri.push('?');
    uri.push_str(parameters);
    uri
}

//! Where sessions are: state folders, agents, folders given by hand.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::file_name::{FileKind, FileName};

use super::coverage::Coverage;
use super::error::{StoreError, StoreErrorKind};
use super::files::Holds;

/// Names that a state folder has, or had under the product's earlier names.
pub(crate) const STATE_FOLDERS: [&str; 4] = [".openclaw", ".clawdbot", ".moltbot", ".moldbot"];

/// How deep a folder given by hand is searched.
const MAX_DEPTH: usize = 4;

/// Most folders that are searched below one given by hand.
const MAX_FOLDERS: usize = 20_000;

/// A place that holds sessions.
#[cfg_attr(not(feature = "sqlite"), expect(dead_code, reason = "databases are named, not read"))]
#[derive(Debug)]
pub(crate) enum Found {
    Folder {
        path: PathBuf,
        agent: Option<Arc<str>>,
        holds: Holds,
    },
    File(PathBuf),
    Database {
        path: PathBuf,
        agent: Option<Arc<str>>,
    },
    /// The global database of a state folder.
    Global(PathBuf),
}

/// Searches places; each real place is taken once, whatever links lead to it.
#[derive(Default)]
pub(crate) struct Search {
    pub(crate) found: Vec<Found>,
    seen: BTreeSet<PathBuf>,
    folders: usize,
}

impl Search {
    /// A state folder, its agents, and the folders of the same home under earlier names.
    pub(crate) fn state(&mut self, root: &Path, coverage: &mut Coverage) {
        let is_home = !holds_state(root) && STATE_FOLDERS.iter().any(|name| root.join(name).is_dir());
        if is_home {
            for name in STATE_FOLDERS {
                let path = root.join(name);
                if path.is_dir() {
                    self.root(&path, coverage);
                }
            }
            return;
        }
        self.root(root, coverage);
        let named = root.file_name().is_some_and(|name| STATE_FOLDERS.iter().any(|known| name == *known));
        if let Some(home) = root.parent().filter(|_| named) {
            for name in STATE_FOLDERS {
                let path = home.join(name);
                if path.is_dir() && path != root {
                    self.root(&path, coverage);
                }
            }
        }
    }

    fn root(&mut self, root: &Path, coverage: &mut Coverage) {
        if !self.first_time(root) {
            return;
        }
        match fs::metadata(root) {
            Ok(metadata) if metadata.is_dir() => coverage.roots.push((root.to_owned(), true)),
            Ok(_) => return coverage.skip(root, StoreErrorKind::WrongKindOfFile, "not a folder"),
            Err(error) => {
                coverage.roots.push((root.to_owned(), false));
                return coverage.skip_error(&StoreError::io(root, &error));
            }
        }
        self.folder(&root.join("sessions"), None, Holds::Sessions);
        let agents = root.join("agents");
        for name in folders(&agents, coverage) {
            let agent: Arc<str> = Arc::from(name.to_string_lossy().as_ref());
            self.agent(&agents.join(&name), &agent, coverage);
        }
        let global = root.join("state").join("openclaw.sqlite");
        if global.is_file() && self.first_time(&global) {
            self.found.push(Found::Global(global));
        }
    }

    fn agent(&mut self, path: &Path, agent: &Arc<str>, coverage: &mut Coverage) {
        if !coverage.agents.iter().any(|known| **known == **agent) {
            coverage.agents.push(agent.to_string());
        }
        let sessions = path.join("sessions");
        self.folder(&sessions, Some(agent), Holds::Sessions);
        self.folder(&sessions.join("cold"), Some(agent), Holds::Cold);
        self.folder(&path.join("session-sqlite-import-archive"), Some(agent), Holds::Imported);
        self.database(&path.join("agent").join("openclaw-agent.sqlite"), Some(agent));
    }

    fn folder(&mut self, path: &Path, agent: Option<&Arc<str>>, holds: Holds) {
        // One that is no folder is named by the listing; one that is missing is nothing.
        if fs::symlink_metadata(path).is_ok() && self.first_time(path) {
            self.found.push(Found::Folder { path: path.to_owned(), agent: agent.cloned(), holds });
        }
    }

    fn database(&mut self, path: &Path, agent: Option<&Arc<str>>) {
        if fs::symlink_metadata(path).is_ok() && self.first_time(path) {
            self.found.push(Found::Database { path: path.to_owned(), agent: agent.cloned() });
        }
    }

    /// A place that a person named: a state folder, an agent's folder, a database, a session's file, or any folder.
    pub(crate) fn path(&mut self, path: &Path, coverage: &mut Coverage) {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => {
                coverage.roots.push((path.to_owned(), error.kind() != io::ErrorKind::NotFound));
                return coverage.skip_error(&StoreError::io(path, &error));
            }
        };
        if metadata.is_dir() {
            if holds_state(path) {
                return self.root(path, coverage);
            }
            coverage.roots.push((path.to_owned(), true));
            return self.any_folder(path, 0, coverage);
        }
        coverage.roots.push((path.to_owned(), true));
        if !self.first_time(path) {
            return;
        }
        if path.extension().is_some_and(|extension| extension == "sqlite" || extension == "db") {
            self.found.push(Found::Database { path: path.to_owned(), agent: agent_of(path) });
        } else {
            self.found.push(Found::File(path.to_owned()));
        }
    }

    fn any_folder(&mut self, path: &Path, depth: usize, coverage: &mut Coverage) {
        self.folders += 1;
        if self.folders > MAX_FOLDERS {
            if self.folders == MAX_FOLDERS + 1 {
                coverage.skip(path, StoreErrorKind::TooLarge, format!("more than {MAX_FOLDERS} folders"));
            }
            return;
        }
        if depth > 0 && holds_state(path) {
            return self.root(path, coverage);
        }
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) => return coverage.skip_error(&StoreError::io(path, &error)),
        };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        let agent = agent_of(path);
        let mut has_files = false;
        for entry in &entries {
            let name = entry.file_name();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                // Links to folders are not followed: they can lead in circles.
                let is_session = FileName::parse(&name.to_string_lossy()).kind.is_transcript();
                if is_session {
                    has_files = true;
                } else if depth < MAX_DEPTH && !name.to_string_lossy().starts_with('.') {
                    self.any_folder(&entry.path(), depth + 1, coverage);
                }
            } else if name == "openclaw-agent.sqlite" {
                self.database(&entry.path(), agent.as_ref());
            } else {
                has_files |= holds_rows(&name);
            }
        }
        if has_files {
            let holds = match path.file_name().and_then(OsStr::to_str) {
                Some("session-sqlite-import-archive") => Holds::Imported,
                Some("cold") => Holds::Cold,
                _ => Holds::Sessions,
            };
            self.folder(path, agent.as_ref(), holds);
        }
    }

    fn first_time(&mut self, path: &Path) -> bool {
        self.seen.insert(real_path(path))
    }
}

fn holds_rows(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    FileName::parse(&name).kind != FileKind::Other || name.ends_with(".jsonl")
}

fn holds_state(path: &Path) -> bool {
    path.join("agents").is_dir()
}

/// The agent that a path below `agents/<id>/` belongs to.
fn agent_of(path: &Path) -> Option<Arc<str>> {
    let parts: Vec<&OsStr> = path.iter().collect();
    let at = parts.iter().rposition(|part| *part == "agents")?;
    parts.get(at + 1).map(|name| Arc::from(name.to_string_lossy().as_ref()))
}

/// What a path leads to; the path itself where nothing is.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The folders in a folder, by name; links to folders last, so that what they lead to goes by its own name.
fn folders(path: &Path, coverage: &mut Coverage) -> Vec<OsString> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => {
            coverage.skip_error(&StoreError::io(path, &error));
            return Vec::new();
        }
    };
    let is_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
    let mut names: Vec<(bool, OsString)> = entries
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| (is_link(&entry), entry.file_name()))
        .collect();
    names.sort();
    names.into_iter().map(|(_, name)| name).collect()
}

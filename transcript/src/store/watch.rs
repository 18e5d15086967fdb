//! Entries as they are written: files that grow, and commits to databases.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::decode::LineDecoder;
use crate::entry::{Entry, EntryType};
use crate::file_name::{FileKind, FileName};
use crate::limits::Limits;
use crate::time::Timestamp;

use super::coverage::Coverage;
use super::discover::{Found, Search};
use super::error::{StoreError, StoreErrorKind};
use super::files::fingerprint;
use super::tail::Tail;

/// An entry that was written since the last look.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fresh {
    /// The session it belongs to.
    pub session_id: Arc<str>,
    /// The session's key, where the database names it.
    pub session_key: Option<Arc<str>>,
    /// The agent, where the folder names one.
    pub agent: Option<Arc<str>>,
    /// The entry.
    pub entry: Entry<'static>,
}

/// Follows every session of a state folder, or of places given by hand.
///
/// Ask with [`poll`](Watch::poll) as often as you like; between two looks nothing runs. Sessions, agents and databases
/// that appear later are followed from their start. Each entry comes once: a file that was cut or replaced is read
/// again, and what was seen before does not come again; a session that a rewind or a branch switch makes brings only
/// what is new in it. Archives and copies (`.reset.…`, `.deleted.…`, `.bak`, compressed files) are not followed: nothing
/// is written to them. Memory grows by eight bytes an entry that came.
#[derive(Debug)]
pub struct Watch {
    places: Places,
    limits: Limits,
    files: BTreeMap<PathBuf, Follower>,
    #[cfg(feature = "sqlite")]
    databases: BTreeMap<PathBuf, super::follow::Follow>,
    seen: HashSet<u64>,
    /// The first look is over: what appears from now on is new from its start.
    started: bool,
    from_start: bool,
    problems: Vec<StoreError>,
}

#[derive(Debug)]
enum Places {
    State(PathBuf),
    Paths(Vec<PathBuf>),
}

#[derive(Debug)]
struct Follower {
    tail: Tail,
    decoder: LineDecoder,
    session: Source,
    /// The last entry that was there when we began in the middle: should the file be replaced, what comes up to it is
    /// not new.
    until: Option<u64>,
}

impl Follower {
    /// What came since the last look.
    fn look(&mut self, limits: Limits) -> Result<Vec<Entry<'static>>, StoreError> {
        let mut entries = Vec::new();
        let mut restarted = false;
        loop {
            let read = self.tail.read()?;
            if read.restarted {
                restarted = true;
                entries.clear();
                self.decoder = LineDecoder::new(limits);
            }
            self.decoder.push(&read.bytes);
            entries.extend(std::iter::from_fn(|| self.decoder.next_entry()));
            // What is new in a file that was replaced shows only once its old part is read.
            if !(read.more && restarted && self.until.is_some()) {
                break;
            }
        }
        if let Some(until) = self.until.filter(|_| restarted)
            && let Some(at) = entries.iter().position(|entry| fingerprint(entry) == Some(until))
        {
            entries.drain(..=at);
        }
        Ok(entries)
    }
}

/// The session that entries come from, and how to tell copies in it.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) id: Arc<str>,
    pub(crate) key: Option<Arc<str>>,
    pub(crate) agent: Option<Arc<str>>,
    /// When the session began, for one that appeared while we watched: older entries in it are copies.
    pub(crate) born: Option<Timestamp>,
}

impl Source {
    /// Takes an entry: a header names the session; an entry that was seen, or is older than its session, is a copy.
    pub(crate) fn fresh(
        &mut self,
        entry: Entry<'static>,
        seen: &mut HashSet<u64>,
        new: bool,
    ) -> Option<Fresh> {
        if entry.entry_type() == EntryType::Session {
            if let Some(id) = entry.id() {
                self.id = Arc::from(&*id);
            }
            self.born = entry.timestamp().filter(|_| new);
        } else if let Some(mark) = fingerprint(&entry) {
            let copied = entry.timestamp().zip(self.born).is_some_and(|(at, born)| at < born);
            if !seen.insert(mark) || copied {
                return None;
            }
        }
        Some(Fresh {
            session_id: Arc::clone(&self.id),
            session_key: self.key.clone(),
            agent: self.agent.clone(),
            entry,
        })
    }
}

impl Watch {
    /// Follows a state folder. Entries that are there now come with the first look when `from_start` is set, else only
    /// what is written from now on.
    #[must_use]
    pub fn open(state_dir: &Path, from_start: bool) -> Self {
        Self::new(Places::State(state_dir.to_owned()), from_start, Limits::default())
    }

    /// Follows places given by hand, as [`Store::from_paths`](crate::Store::from_paths) takes them.
    #[must_use]
    pub fn from_paths<P: AsRef<Path>>(
        paths: impl IntoIterator<Item = P>,
        from_start: bool,
        limits: Limits,
    ) -> Self {
        let paths = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        Self::new(Places::Paths(paths), from_start, limits)
    }

    fn new(places: Places, from_start: bool, limits: Limits) -> Self {
        let mut watch = Self {
            places,
            limits,
            files: BTreeMap::new(),
            #[cfg(feature = "sqlite")]
            databases: BTreeMap::new(),
            seen: HashSet::new(),
            started: false,
            from_start,
            problems: Vec::new(),
        };
        if !from_start {
            // Where everything ends now is known before the caller goes on.
            watch.discover();
            watch.started = true;
        }
        watch
    }

    /// Looks at everything once. Entries of one session come in their order.
    pub fn poll(&mut self) -> Vec<Fresh> {
        self.discover();
        let new = self.started;
        let mut fresh = Vec::new();
        for follower in self.files.values_mut() {
            match follower.look(self.limits) {
                Ok(entries) => {
                    let session = &mut follower.session;
                    let seen = &mut self.seen;
                    fresh.extend(entries.into_iter().filter_map(|entry| session.fresh(entry, seen, new)));
                }
                Err(error) => note(&mut self.problems, error),
            }
        }
        #[cfg(feature = "sqlite")]
        for follow in self.databases.values_mut() {
            if let Err(error) = follow.poll(&mut self.seen, &mut fresh, new, self.limits) {
                note(&mut self.problems, error);
            }
        }
        self.started = true;
        fresh
    }

    /// What could not be looked at since this was asked last: at most 1,000 problems. One that lasts comes again with each
    /// look. What is not there is no problem: it may still come.
    pub fn take_problems(&mut self) -> Vec<StoreError> {
        std::mem::take(&mut self.problems)
    }

    fn discover(&mut self) {
        let mut coverage = Coverage::default();
        let mut search = Search::default();
        match &self.places {
            Places::State(root) => search.state(root, &mut coverage),
            Places::Paths(paths) => paths.iter().for_each(|path| search.path(path, &mut coverage)),
        }
        for problem in coverage.into_problems() {
            note(&mut self.problems, problem);
        }
        for found in search.found {
            match found {
                Found::Folder { path, agent, .. } => match std::fs::read_dir(&path) {
                    Ok(names) => {
                        for name in names.flatten() {
                            let file = name.file_name();
                            let name = file.to_string_lossy();
                            let name = FileName::parse(&name);
                            if name.kind == FileKind::Session && !name.compressed {
                                self.follow(&path.join(&file), agent.as_ref());
                            }
                        }
                    }
                    Err(error) => note(&mut self.problems, StoreError::io(&path, &error)),
                },
                Found::File(path) => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    if FileName::parse(&name).compressed {
                        let reason = "compressed: nothing is written to it, and it is not followed";
                        let problem = StoreError::new(&path, StoreErrorKind::WrongKindOfFile, reason);
                        note(&mut self.problems, problem);
                    } else {
                        self.follow(&path, None);
                    }
                }
                #[cfg(feature = "sqlite")]
                Found::Database { path, agent } => {
                    if !self.databases.contains_key(&path) {
                        let skip = !self.from_start && !self.started;
                        let follow = super::follow::Follow::new(&path, agent, skip);
                        self.databases.insert(path, follow);
                    }
                }
                #[cfg(not(feature = "sqlite"))]
                Found::Database { .. } => {}
                Found::Global(_) => {}
            }
        }
    }

    fn follow(&mut self, path: &Path, agent: Option<&Arc<str>>) {
        if self.files.contains_key(path) {
            return;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let id = FileName::parse(&name).session_id.unwrap_or(&name);
        let session = Source { id: Arc::from(id), key: None, agent: agent.cloned(), born: None };
        let decoder = LineDecoder::new(self.limits);
        let (tail, until) = if self.from_start || self.started {
            (Tail::from_start(path), None)
        } else {
            match Tail::from_end(path) {
                Ok((tail, last)) => (tail, self.mark(&last)),
                Err(error) => return note(&mut self.problems, error),
            }
        };
        self.files.insert(path.to_owned(), Follower { tail, decoder, session, until });
    }

    /// The fingerprint of a line.
    fn mark(&self, line: &[u8]) -> Option<u64> {
        let mut decoder = LineDecoder::new(self.limits);
        decoder.push(line);
        decoder.push(b"\n");
        fingerprint(&decoder.next_entry()?)
    }
}

/// Most problems that are kept for a caller who does not ask for them.
const MAX_PROBLEMS: usize = 1_000;

fn note(problems: &mut Vec<StoreError>, problem: StoreError) {
    if problem.kind() != StoreErrorKind::NotFound && problems.len() < MAX_PROBLEMS {
        problems.push(problem);
    }
}

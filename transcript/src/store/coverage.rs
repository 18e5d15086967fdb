//! What a store found, and what it did not read and why.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::one_line::one_line;

use super::error::{StoreError, StoreErrorKind};
use super::info::{Era, SessionInfo, SessionKind};

/// Most skipped places described one by one; all are counted.
const MAX_SKIPPED: usize = 10_000;

/// A place that was found and not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Skipped {
    /// The file or folder.
    pub path: PathBuf,
    /// The class of the reason.
    pub kind: StoreErrorKind,
    /// The reason, in words.
    pub reason: String,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", one_line(&self.path.to_string_lossy()), self.kind, self.reason)
    }
}

/// What of one era was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EraCoverage {
    /// Session files or databases that were opened.
    pub files: u64,
    /// Sessions that count.
    pub sessions: u64,
    /// Stored copies of them, by kind: they are listed and do not count.
    pub copies: BTreeMap<SessionKind, u64>,
}

/// What a store found, by era, and everything that it skipped: so that "no sessions" is never a mystery.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Coverage {
    /// The folders and files that were asked for or found as state folders, each with whether it was there.
    pub roots: Vec<(PathBuf, bool)>,
    /// Agents, by name.
    pub agents: Vec<String>,
    /// What was found, by era.
    pub eras: BTreeMap<Era, EraCoverage>,
    /// Files beside sessions that are known and hold none (trajectories, indexes, locks), counted by what they are.
    pub sidecars: BTreeMap<String, u64>,
    /// What was skipped; at most 10,000 are described.
    pub skipped: Vec<Skipped>,
    /// How many places were skipped.
    pub skipped_total: u64,
    /// How a database had to be read when it was not read in place, and the like: nothing is missing.
    pub remarks: Vec<String>,
}

impl Coverage {
    /// Sessions that count, over all eras.
    #[must_use]
    pub fn sessions(&self) -> u64 {
        self.eras.values().map(|era| era.sessions).sum()
    }

    /// Whether everything that was found was read.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.skipped_total == 0
    }

    pub(crate) fn skip(&mut self, path: &Path, kind: StoreErrorKind, reason: impl Into<String>) {
        self.skipped_total += 1;
        if self.skipped.len() < MAX_SKIPPED {
            self.skipped.push(Skipped { path: path.to_owned(), kind, reason: reason.into() });
        }
    }

    pub(crate) fn skip_error(&mut self, error: &StoreError) {
        self.skip(error.path(), error.kind(), error.reason());
    }

    /// What was skipped, as errors.
    pub(crate) fn into_problems(self) -> impl Iterator<Item = StoreError> {
        self.skipped.into_iter().map(|skipped| StoreError::new(&skipped.path, skipped.kind, skipped.reason))
    }

    pub(crate) fn sidecar(&mut self, what: &str) {
        *self.sidecars.entry(what.to_owned()).or_insert(0) += 1;
    }

    pub(crate) fn file(&mut self, era: Era) {
        self.eras.entry(era).or_default().files += 1;
    }

    pub(crate) fn count(&mut self, session: &SessionInfo) {
        let era = self.eras.entry(session.era).or_default();
        if session.counts() {
            era.sessions += 1;
        } else {
            *era.copies.entry(session.kind).or_insert(0) += 1;
        }
    }
}

impl fmt::Display for Coverage {
    /// One line a fact; an empty store says where it looked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (root, there) in &self.roots {
            writeln!(f, "{}{}", one_line(&root.to_string_lossy()), if *there { "" } else { ": not there" })?;
        }
        for (era, found) in &self.eras {
            write!(f, "{era}: {} in {}", plural(found.sessions, "session"), plural(found.files, "file"))?;
            for (kind, count) in &found.copies {
                write!(f, ", {}", plural(*count, &format!("{kind} copy")))?;
            }
            writeln!(f)?;
        }
        for (what, count) in &self.sidecars {
            writeln!(f, "beside them: {}", plural(*count, what))?;
        }
        for remark in &self.remarks {
            writeln!(f, "{}", one_line(remark))?;
        }
        for skipped in &self.skipped {
            writeln!(f, "skipped {skipped}")?;
        }
        if self.skipped_total > self.skipped.len() as u64 {
            writeln!(f, "skipped {} more", self.skipped_total - self.skipped.len() as u64)?;
        }
        if self.sessions() == 0 {
            writeln!(f, "no sessions")?;
        }
        Ok(())
    }
}

fn plural(count: u64, what: &str) -> String {
    match (count, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) if what.ends_with("ory") || what.ends_with("opy") => format!("{count} {stem}ies"),
        _ => format!("{count} {what}s"),
    }
}

//! All sessions, one after the other, each entry counted once.

use std::collections::HashSet;

use crate::transcript::Transcript;

use super::Store;
use super::error::StoreError;
use super::files::fingerprint;
use super::info::SessionInfo;

/// One session that was read, with the entries that an earlier one already had.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Reading<'s> {
    /// What the listing says.
    pub session: &'s SessionInfo,
    /// The session, whole.
    pub transcript: Transcript<'static>,
    /// Positions in [`Transcript::entries`] of entries that an earlier reading had, ascending. Leave them out of usage,
    /// cost and whatever else is counted over the whole store.
    pub repeated: Vec<usize>,
}

impl Reading<'_> {
    /// Whether the entry at this position was in an earlier reading.
    #[must_use]
    pub fn is_repeated(&self, index: usize) -> bool {
        self.repeated.binary_search(&index).is_ok()
    }
}

/// The iterator of [`Store::readings`]. A session that cannot be read is an error in its place; the next one follows.
#[derive(Debug)]
pub struct Readings<'s> {
    store: &'s Store,
    families: std::slice::Iter<'s, Vec<usize>>,
    family: Vec<usize>,
    /// Fingerprints of entries of this family; empty when the family is one session.
    seen: HashSet<u64>,
    shares: bool,
}

impl<'s> Readings<'s> {
    pub(crate) fn new(store: &'s Store, families: &'s [Vec<usize>]) -> Self {
        Self { store, families: families.iter(), family: Vec::new(), seen: HashSet::new(), shares: false }
    }

    fn next_session(&mut self) -> Option<&'s SessionInfo> {
        loop {
            if let Some(index) = self.family.pop() {
                return self.store.sessions().get(index);
            }
            let counts = |&&index: &&usize| self.store.sessions().get(index).is_some_and(SessionInfo::counts);
            self.family = self.families.next()?.iter().filter(counts).rev().copied().collect();
            self.seen = HashSet::new();
            self.shares = self.family.len() > 1;
        }
    }
}

impl<'s> Iterator for Readings<'s> {
    type Item = Result<Reading<'s>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let session = self.next_session()?;
        Some(self.store.read(session).map(|transcript| {
            let mut repeated = Vec::new();
            if self.shares {
                let marks: Vec<_> = transcript.entries().iter().map(fingerprint).collect();
                // Rows that repeat inside one session are another matter: its tree knows them.
                let earlier = |mark: &Option<u64>| mark.is_some_and(|mark| self.seen.contains(&mark));
                repeated = (0..marks.len()).filter(|&at| marks.get(at).is_some_and(earlier)).collect();
                self.seen.extend(marks.into_iter().flatten());
            }
            Reading { session, transcript, repeated }
        }))
    }
}

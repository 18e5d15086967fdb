//! Which stored sessions are copies of others, and which may share entries.

use std::collections::{BTreeMap, BTreeSet};

use super::info::{Era, Place, SessionInfo, SessionKind};

/// Leaves out trajectories of sessions that are there themselves: those are files beside a session.
pub(crate) fn drop_told_twice(sessions: &mut Vec<SessionInfo>) {
    let is_trajectory = |session: &SessionInfo| session.kind == SessionKind::Trajectory;
    let there: BTreeSet<Box<str>> =
        sessions.iter().filter(|session| !is_trajectory(session)).map(|session| session.id.clone()).collect();
    sessions.retain(|session| !is_trajectory(session) || !there.contains(&session.id));
}

/// Marks copies. A session is a copy of another when their ids agree and their first entries do not differ (a chosen
/// id such as `local-1` can name two sessions); backups and checkpoints are copies wherever the session itself is.
pub(crate) fn mark(sessions: &mut [SessionInfo]) {
    mark_named_files(sessions);
    let mut by_id: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, session) in sessions.iter().enumerate() {
        by_id.entry(session.id.to_string()).or_default().push(index);
    }
    for group in by_id.into_values().filter(|group| group.len() > 1) {
        let mut group: Vec<usize> = group;
        group.retain(|&index| sessions.get(index).is_some_and(|session| session.superseded_by.is_none()));
        group.sort_by_key(|&index| sessions.get(index).map(|session| (rank(session), index)));
        let mut originals: Vec<usize> = Vec::new();
        for &index in &group {
            let Some(session) = sessions.get(index) else {
                continue;
            };
            let original =
                originals.iter().copied().find(|&at| sessions.get(at).is_some_and(|at| is_copy(session, at)));
            match original {
                Some(original) => {
                    if let Some(session) = sessions.get_mut(index) {
                        session.superseded_by = Some(original);
                    }
                }
                None => originals.push(index),
            }
        }
    }
}

/// A file that a database names as the place, or the published copy, of one of its rows is that row.
fn mark_named_files(sessions: &mut [SessionInfo]) {
    let mut names: BTreeMap<Box<str>, usize> = BTreeMap::new();
    for (index, session) in sessions.iter().enumerate() {
        if let Some(name) = &session.archive_name {
            names.insert(name.clone(), index);
        }
    }
    if names.is_empty() {
        return;
    }
    for session in sessions.iter_mut().filter(|session| session.era == Era::Jsonl) {
        let row = session.file.to_str().and_then(|name| names.get(name));
        session.superseded_by = session.superseded_by.or(row.copied());
    }
}

/// What stands for a session: rows of a database first, then its file, then its archives, then copies of it; of two
/// alike the one that was written to last.
fn rank(session: &SessionInfo) -> (u8, std::cmp::Reverse<Option<crate::time::Timestamp>>) {
    let rank = match (session.kind, session.era, session.place) {
        (SessionKind::Live | SessionKind::Cold, Era::Sqlite, _) => 0,
        (SessionKind::Live, ..) => 1,
        (SessionKind::Cold, ..) => 2,
        (SessionKind::Reset | SessionKind::Deleted, _, Place::ArchiveRow) => 3,
        (SessionKind::Reset | SessionKind::Deleted, ..) => 4,
        (SessionKind::Migrated, ..) => 5,
        (SessionKind::Checkpoint, ..) => 6,
        (SessionKind::Backup, ..) => 7,
        (SessionKind::Trajectory, ..) => 8,
    };
    (rank, std::cmp::Reverse(session.updated))
}

fn is_copy(session: &SessionInfo, original: &SessionInfo) -> bool {
    match (session.kind, original.kind) {
        // Each reset leaves another part of the session; the same part may be a row and a file.
        (SessionKind::Reset, SessionKind::Reset) => session.updated == original.updated,
        (SessionKind::Reset, _) | (_, SessionKind::Reset) => false,
        (ours, theirs) if !ours.can_count() => theirs.can_count(),
        _ => match (session.first_entry, original.first_entry) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => true,
        },
    }
}

/// Groups of sessions among which entries may be shared: the same id, the same first entry (a rewind or a branch switch
/// copies a whole session under a new id), or a known descent. Positions in each group are in order of their beginning.
pub(crate) fn families(sessions: &[SessionInfo]) -> Vec<Vec<usize>> {
    let mut sets = Sets { parents: (0..sessions.len()).collect() };
    let mut by_id: BTreeMap<&str, usize> = BTreeMap::new();
    let mut by_entry: BTreeMap<u64, usize> = BTreeMap::new();
    for (index, session) in sessions.iter().enumerate() {
        let first = *by_id.entry(session.id()).or_insert(index);
        sets.join(first, index);
        if let Some(entry) = session.first_entry {
            let first = *by_entry.entry(entry).or_insert(index);
            sets.join(first, index);
        }
    }
    for (index, session) in sessions.iter().enumerate() {
        let Some(lineage) = session.lineage() else {
            continue;
        };
        let fork = lineage.fork_source_id.as_deref().map(|source| {
            let name = source.rsplit(['/', '\\']).next().unwrap_or(source);
            name.strip_suffix(".jsonl").unwrap_or(name)
        });
        for source in [lineage.previous_session_id.as_deref(), fork].into_iter().flatten() {
            if let Some(&source) = by_id.get(source) {
                sets.join(source, index);
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for index in 0..sessions.len() {
        let root = sets.root(index);
        groups.entry(root).or_default().push(index);
    }
    let mut families: Vec<Vec<usize>> = groups.into_values().collect();
    for family in &mut families {
        family.sort_by_key(|&index| (sessions.get(index).and_then(SessionInfo::started_at), index));
    }
    families
}

/// Disjoint sets; the root of a set is its smallest member.
struct Sets {
    parents: Vec<usize>,
}

impl Sets {
    fn root(&mut self, mut index: usize) -> usize {
        while let Some(&parent) = self.parents.get(index).filter(|&&parent| parent != index) {
            let grand = self.parents.get(parent).copied().unwrap_or(parent);
            if let Some(slot) = self.parents.get_mut(index) {
                *slot = grand;
            }
            index = grand;
        }
        index
    }

    fn join(&mut self, left: usize, right: usize) {
        let (left, right) = (self.root(left), self.root(right));
        if let Some(slot) = self.parents.get_mut(left.max(right)) {
            *slot = left.min(right);
        }
    }
}

//! Which entries are the conversation: the tree of `parentId` and its active branch.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::entry::{Entry, EntryType, Parent};
use crate::raw::RawJson;

/// How the entries of a session hang together, by their positions in the list.
///
/// The rule is OpenClaw's own: walking in order, each row of the conversation becomes the leaf unless it was appended
/// beside it; a `leaf` row moves the leaf; after a `reset` whatever does not descend from it continues at the leaf, and
/// so does a row whose parent is unknown. Rows of unknown type keep their place in the chain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    parents: Vec<Option<usize>>,
    path: Vec<usize>,
    duplicates: Vec<usize>,
}

impl Tree {
    /// Builds the tree: one walk, `O(n)` with one hash look-up a row.
    pub(crate) fn build(entries: &[Entry<'_>]) -> Self {
        let places = Places::of(entries);
        let mut walk = Walk { epochs: vec![0; entries.len()], ..Walk::new(&places) };
        let mut parents = vec![None; entries.len()];
        for (place, &index) in places.order.iter().enumerate() {
            walk.place = place;
            if let Some(entry) = entries.get(index) {
                let parent = walk.step(index, entry);
                if let Some(slot) = parents.get_mut(index) {
                    *slot = parent;
                }
            }
        }
        let mut path = Vec::new();
        let mut at = walk.leaf;
        while let Some(index) = at {
            path.push(index);
            at = parents.get(index).copied().flatten();
        }
        path.reverse();
        Self { parents, path, duplicates: places.replaced }
    }

    /// The tree of a plain list: each entry follows the one before it.
    pub(crate) fn list(entries: &[Entry<'_>]) -> Self {
        let parents = (0..entries.len()).map(|index| index.checked_sub(1)).collect();
        Self { parents, path: (0..entries.len()).collect(), duplicates: Vec::new() }
    }

    /// The active branch from its root to the leaf, as positions in [`Transcript::entries`](crate::Transcript).
    #[must_use]
    pub fn path(&self) -> &[usize] {
        &self.path
    }

    /// The position of the active leaf.
    #[must_use]
    pub fn leaf(&self) -> Option<usize> {
        self.path.last().copied()
    }

    /// The position of the parent that the entry at `index` really has, after the rules above.
    #[must_use]
    pub fn parent(&self, index: usize) -> Option<usize> {
        self.parents.get(index).copied().flatten()
    }

    /// Positions of rows that a later row with the same id replaces.
    #[must_use]
    pub fn duplicates(&self) -> &[usize] {
        &self.duplicates
    }
}

/// The rows to walk, and where each id stands among them.
struct Places<'e> {
    /// Positions of rows: the last row of each id in the place of its first one.
    order: Vec<usize>,
    by_id: HashMap<Cow<'e, str>, usize>,
    /// Rows that a later one replaces.
    replaced: Vec<usize>,
}

impl<'e> Places<'e> {
    fn of(entries: &'e [Entry<'_>]) -> Self {
        let mut order: Vec<usize> = Vec::with_capacity(entries.len());
        let mut by_id = HashMap::with_capacity(entries.len());
        let mut replaced = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            if entry.entry_type() == EntryType::Session {
                continue;
            }
            if let Some(id) = entry.id() {
                let place = *by_id.entry(id).or_insert(order.len());
                if let Some(earlier) = order.get_mut(place) {
                    replaced.push(std::mem::replace(earlier, index));
                    continue;
                }
            }
            order.push(index);
        }
        Self { order, by_id, replaced }
    }
}

struct Walk<'p, 'e> {
    places: &'p Places<'e>,
    /// The place that is walked now; ids at later places are not known yet.
    place: usize,
    /// Leaf rows: what their id stands for as a parent.
    stands_for: HashMap<usize, Option<usize>>,
    leaf: Option<usize>,
    /// How many resets came before, and for each row under which one it hangs.
    epoch: usize,
    epochs: Vec<usize>,
}

impl<'p, 'e> Walk<'p, 'e> {
    fn new(places: &'p Places<'e>) -> Self {
        Self { places, place: 0, stands_for: HashMap::new(), leaf: None, epoch: 0, epochs: Vec::new() }
    }

    /// The row that an id means as a parent; `None` when no row before this one has it.
    fn known(&self, id: &str) -> Option<Option<usize>> {
        let place = *self.places.by_id.get(id)?;
        if place >= self.place {
            return None;
        }
        let index = self.places.order.get(place).copied();
        Some(index.and_then(|index| self.stands_for.get(&index).copied().unwrap_or(Some(index))))
    }

    /// Takes one row; returns its parent.
    fn step(&mut self, index: usize, entry: &Entry<'_>) -> Option<usize> {
        if entry.entry_type() == EntryType::Leaf {
            self.navigate(index, entry);
            return None;
        }
        let canonical = entry.entry_type().is_canonical();
        let mut parent = match entry.parent() {
            Parent::Absent => self.leaf,
            Parent::Root => None,
            Parent::Id(id) => self.known(&id).unwrap_or(self.leaf),
        };
        if canonical && !entry.is_side() && !self.descends_from_reset(parent) {
            parent = self.leaf;
        }
        let reset = entry.entry_type() == EntryType::Reset;
        self.epoch += usize::from(reset);
        let epoch = if reset { self.epoch } else { self.epoch_of(parent) };
        if let Some(place) = self.epochs.get_mut(index) {
            *place = epoch;
        }
        if canonical && !entry.is_side() {
            self.leaf = Some(index);
        }
        parent
    }

    /// A `leaf` row: it moves the leaf to its target, and its own id stands for the target as a parent. One that names
    /// rows that are not there moves nothing.
    fn navigate(&mut self, index: usize, entry: &Entry<'_>) {
        let known = |value: RawJson<'_>| match value.text() {
            None => value.is_null().then_some(None),
            Some(id) => self.known(&id),
        };
        let target = entry.get("targetId").and_then(known);
        let append = entry.get("appendParentId").map_or(Some(None), known);
        let stands_for = match (target, append) {
            (Some(target), Some(_)) => {
                let target = if self.descends_from_reset(target) { target } else { self.leaf };
                self.leaf = target;
                target
            }
            _ => match entry.parent() {
                Parent::Id(id) => self.known(&id).unwrap_or(self.leaf),
                Parent::Absent | Parent::Root => self.leaf,
            },
        };
        self.stands_for.insert(index, stands_for);
    }

    fn descends_from_reset(&self, index: Option<usize>) -> bool {
        self.epoch == 0 || self.epoch_of(index) == self.epoch
    }

    fn epoch_of(&self, index: Option<usize>) -> usize {
        index.and_then(|index| self.epochs.get(index)).copied().unwrap_or(0)
    }
}

//! Which entries are the conversation: the tree of `parentId` and its active branch.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};

use crate::entry::{Entry, EntryType, Parent};
use crate::message::Message;
use crate::raw::RawJson;

/// How the entries of a session hang together, by their positions in the list.
///
/// The rule is OpenClaw's own (2026.9.6, navigation of a session transcript). Walking in order of the file:
///
/// - each row of the conversation becomes the leaf, unless it was appended beside it (`appendMode: "side"`);
/// - a `leaf` row moves the leaf to its `targetId`, and its own id stands for that target as a parent; one that names
///   rows that are not there moves nothing;
/// - a row whose parent is unknown continues at the leaf; so does one that names the row after which the next was to be
///   appended (`appendParentId`, a row beside the conversation) when that is not the leaf;
/// - after a `reset` whatever does not descend from it continues at the leaf;
/// - rows of unknown type keep their place in the chain.
///
/// The active branch is the way from the last leaf to its root. Where OpenClaw would lose rows to damage this tree keeps
/// them: a row without an id follows the leaf; an unusable `parentId` counts as absent; the answers that some versions
/// inject without a parent continue at the leaf; a session in which no message names a parent is a list; of rows with
/// one id the last counts, in the place of the first (see [`duplicates`](Tree::duplicates)).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    parents: Vec<Option<usize>>,
    path: Vec<usize>,
    duplicates: Vec<usize>,
    shared_ids: Vec<usize>,
}

impl Tree {
    /// Builds the tree: one walk, `O(n)` with one hash look-up a row as long as parents precede their children.
    pub(crate) fn build(entries: &[Entry<'_>]) -> Self {
        if !is_linked(entries) {
            return Self::list(entries);
        }
        let order = Order::of(entries);
        let mut walk = Walk::new(entries, &order);
        for &index in &order.rows {
            walk.step(index);
        }
        let mut path = Vec::new();
        let mut at = walk.row(Link::from(walk.leaf));
        while let Some(index) = at {
            path.push(index);
            at = walk.parent(index);
        }
        path.reverse();
        let parents = (0..entries.len()).map(|index| walk.parent(index)).collect();
        let Order { duplicates, shared_ids, .. } = order;
        Self { parents, path, duplicates, shared_ids }
    }

    /// The tree of a plain list: each entry follows the one before it, headers left out. Ids identify nothing where
    /// nothing refers to them; only a row that is repeated letter by letter counts once.
    pub(crate) fn list(entries: &[Entry<'_>]) -> Self {
        let mut tree = Self { parents: vec![None; entries.len()], ..Self::default() };
        let mut seen = HashMap::new();
        for (index, entry) in entries.iter().enumerate() {
            if matches!(entry.entry_type(), EntryType::Session | EntryType::Leaf) {
                continue;
            }
            if let Some(id) = entry.id() {
                let earlier = seen.entry(id).or_insert_with(HashSet::new);
                if !earlier.insert(entry.raw()) {
                    tree.duplicates.push(index);
                    continue;
                }
                if earlier.len() > 1 {
                    tree.shared_ids.push(index);
                }
            }
            if let Some(parent) = tree.parents.get_mut(index) {
                *parent = tree.path.last().copied();
            }
            if !entry.is_side() {
                tree.path.push(index);
            }
        }
        tree
    }

    /// The active branch from its root to the leaf, as positions in
    /// [`Transcript::entries`](crate::Transcript::entries). Headers and `leaf` rows are never in it.
    #[must_use]
    pub fn path(&self) -> &[usize] {
        &self.path
    }

    /// The position of the active leaf.
    #[must_use]
    pub fn leaf(&self) -> Option<usize> {
        self.path.last().copied()
    }

    /// The position of the parent that the entry at `index` really has, after the rules above; of a `leaf` row, its
    /// target. `None` for a root and for an index that is too large.
    #[must_use]
    pub fn parent(&self, index: usize) -> Option<usize> {
        self.parents.get(index).copied().flatten()
    }

    /// Positions of rows that do not count, because another row with the same id, type and role does: the last such
    /// row stands in the place of the first. In a list without parents, positions of exact repetitions.
    #[must_use]
    pub fn duplicates(&self) -> &[usize] {
        &self.duplicates
    }

    /// Positions of rows with the id of an earlier row of another type or role. Both count.
    pub(crate) fn shared_ids(&self) -> &[usize] {
        &self.shared_ids
    }
}

/// Whether the rows are linked at all: some message names a parent, or a row navigates.
fn is_linked(entries: &[Entry<'_>]) -> bool {
    let mut messages = 0_usize;
    for entry in entries {
        match entry.entry_type() {
            EntryType::Leaf => return true,
            EntryType::Message if matches!(entry.parent(), Parent::Id(_)) => return true,
            EntryType::Message => messages += 1,
            _ => {}
        }
    }
    // Without messages there is no conversation to lose; the rule is the usual one.
    messages == 0
}

/// The rows to walk: of each id the last row in the place of the first one.
struct Order<'e> {
    /// Positions of entries.
    rows: Vec<usize>,
    /// Of each id, the place of its first row in `rows`.
    by_id: HashMap<Cow<'e, str>, usize>,
    /// Of each first place whose id comes again, the places of later rows of other kinds with the id. Kinds are few; `leaf`
    /// rows, of which each counts, are not listed.
    shared: HashMap<usize, Vec<usize>>,
    duplicates: Vec<usize>,
    shared_ids: Vec<usize>,
}

impl<'e> Order<'e> {
    fn of(entries: &'e [Entry<'_>]) -> Self {
        let mut order = Self {
            rows: Vec::with_capacity(entries.len()),
            by_id: HashMap::with_capacity(entries.len()),
            shared: HashMap::new(),
            duplicates: Vec::new(),
            shared_ids: Vec::new(),
        };
        for (index, entry) in entries.iter().enumerate() {
            if entry.entry_type() == EntryType::Session {
                continue;
            }
            let place = order.rows.len();
            if let Some(id) = usable_id(entry) {
                let first = *order.by_id.entry(id).or_insert(place);
                if first != place && order.repeats(first, index, entries) {
                    continue;
                }
            }
            order.rows.push(index);
        }
        order
    }

    /// Takes a row whose id was met before. Whether it stands in the place of an earlier one.
    fn repeats(&mut self, first: usize, index: usize, entries: &[Entry<'_>]) -> bool {
        let kind = |index: usize| entries.get(index).map(|entry| (entry.entry_type(), entry.role()));
        // Navigation acts where it stands, however often.
        if kind(index).is_some_and(|(kind, _)| kind != EntryType::Leaf) {
            let places = std::iter::once(&first).chain(self.shared.get(&first).into_iter().flatten());
            let same = places
                .copied()
                .find(|&place| self.rows.get(place).is_some_and(|&row| kind(row) == kind(index)));
            if let Some(row) = same.and_then(|place| self.rows.get_mut(place)) {
                self.duplicates.push(std::mem::replace(row, index));
                return true;
            }
            self.shared_ids.push(index);
            self.shared.entry(first).or_default().push(self.rows.len());
        } else {
            self.shared.entry(first).or_default();
        }
        false
    }
}

/// What a row hangs on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    /// Nothing: it is a root.
    Root,
    /// The entry at this position; it may be a `leaf` row, which stands for its target.
    To(usize),
    /// An id that no row has so far.
    Missing,
}

impl From<Option<usize>> for Link {
    fn from(index: Option<usize>) -> Self {
        index.map_or(Self::Root, Self::To)
    }
}

/// What is remembered of an entry that was walked.
#[derive(Clone, Copy)]
struct Node {
    link: Link,
    /// Under which reset it hangs.
    epoch: usize,
    /// The nearest row of a known type, from the row itself on upwards.
    anchor: Option<usize>,
    kind: NodeKind,
    /// Whether it was walked and a parent can be meant by its id.
    referable: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeKind {
    /// A row of the tree.
    Row,
    /// A `leaf` row that moved the leaf.
    Control,
    /// A `leaf` row that names what is not there.
    InvalidControl,
}

struct Walk<'e> {
    entries: &'e [Entry<'e>],
    order: &'e Order<'e>,
    nodes: Vec<Node>,
    /// The row walked last that a parent can mean, and its id: nearly always the next one's parent.
    last: Option<(Cow<'e, str>, usize)>,
    /// Of each first place whose id comes again, the row walked last that a parent can mean.
    latest: HashMap<usize, usize>,
    /// The leaf, and the entry after which the next one is to be appended.
    leaf: Option<usize>,
    append: Link,
    /// How many resets came before.
    epoch: usize,
}

impl<'e> Walk<'e> {
    fn new(entries: &'e [Entry<'e>], order: &'e Order<'e>) -> Self {
        let node = Node { link: Link::Root, epoch: 0, anchor: None, kind: NodeKind::Row, referable: false };
        Self {
            entries,
            order,
            nodes: vec![node; entries.len()],
            last: None,
            latest: HashMap::new(),
            leaf: None,
            append: Link::Root,
            epoch: 0,
        }
    }

    fn step(&mut self, index: usize) {
        let Some(entry) = self.entries.get(index) else { return };
        let kind = entry.entry_type();
        if kind == EntryType::Leaf {
            self.navigate(index, entry);
            return;
        }
        let stated = match entry.parent() {
            Parent::Absent => None,
            Parent::Root => Some(Link::Root),
            Parent::Id(id) => Some(self.find(&id)),
        };
        let mut link = stated.unwrap_or(Link::from(self.leaf));
        let becomes_leaf = kind.is_canonical() && !entry.is_side();
        if becomes_leaf && self.continues_at_leaf(stated, entry) {
            link = Link::from(self.leaf);
        }
        if kind.is_canonical() {
            link = self.through_controls(link);
        }
        let reset = kind == EntryType::Reset;
        self.epoch += usize::from(reset);
        let epoch = if reset { self.epoch } else { self.epoch_of(link) };
        let anchor = if kind == EntryType::Unknown { self.anchor_of(link) } else { Some(index) };
        // A row of unknown type without a parent is no part of the tree: nothing can refer to it.
        let referable = stated.is_some() || kind.is_canonical();
        self.put(index, Node { link, epoch, anchor, kind: NodeKind::Row, referable });
        if referable {
            self.append = Link::To(index);
        }
        if becomes_leaf {
            self.leaf = Some(index);
        }
    }

    /// Whether a row of the conversation continues at the leaf, whatever parent it states.
    fn continues_at_leaf(&self, stated: Option<Link>, entry: &Entry<'_>) -> bool {
        let Some(stated) = stated else { return true };
        if self.epoch > 0 && self.epoch_of(stated) != self.epoch {
            return true;
        }
        match stated {
            Link::Missing => self.leaf.is_some(),
            // Some versions inject answers as roots in the middle of a file: no branch begins there.
            Link::Root if entry.message().is_some_and(Message::is_injected) => self.leaf.is_some(),
            _ if stated != self.append || stated == Link::from(self.leaf) => false,
            // Rows of unknown type in between are no detour.
            _ => self.anchor_of(stated) != self.anchor_of(Link::from(self.leaf)),
        }
    }

    fn navigate(&mut self, index: usize, entry: &'e Entry<'_>) {
        let raw_parent = match entry.parent() {
            Parent::Absent => return,
            Parent::Root => Link::Root,
            Parent::Id(id) => self.find(&id),
        };
        let mode_is_known =
            entry.get("appendMode").is_none_or(|mode| mode.text().is_some_and(|m| m == "side"));
        let Some(mut target) = entry.get("targetId").and_then(|target| self.reference(target)) else {
            return;
        };
        let append = entry.get("appendParentId").map_or(Some(target), |append| self.reference(append));
        let Some(mut append) = append else { return };
        if usable_id(entry).is_none() || !mode_is_known {
            return;
        }
        if self.epoch > 0 && self.leaf.is_some() && self.epoch_of(target) != self.epoch {
            target = Link::from(self.leaf);
            append = target;
        }
        if !self.is_known(target) || !self.is_known(append) {
            let link = self.through_controls(raw_parent);
            let anchor = self.anchor_of(link);
            let kind = NodeKind::InvalidControl;
            self.put(index, Node { link, epoch: 0, anchor, kind, referable: true });
            return;
        }
        let (epoch, anchor) = (self.epoch_of(target), self.anchor_of(target));
        let link = self.through_controls(target);
        self.put(index, Node { link, epoch, anchor, kind: NodeKind::Control, referable: true });
        self.append = append;
        self.leaf = match target {
            Link::To(target) => Some(target),
            Link::Root | Link::Missing => None,
        };
    }

    /// A `targetId` or `appendParentId`: `null` is no entry, anything but a text is no reference at all.
    fn reference(&self, value: RawJson<'_>) -> Option<Link> {
        if value.is_null() {
            return Some(Link::Root);
        }
        value.text().filter(|id| !id.trim().is_empty()).map(|id| self.find(&id))
    }

    fn is_known(&self, link: Link) -> bool {
        match link {
            Link::Root => true,
            Link::To(index) => {
                self.nodes.get(index).is_some_and(|node| node.kind != NodeKind::InvalidControl)
            }
            Link::Missing => false,
        }
    }

    /// The row that an id means: of those that were walked, the latest.
    fn find(&self, id: &str) -> Link {
        if let Some((last, index)) = &self.last
            && last == id
        {
            return Link::To(*index);
        }
        let Some(first) = self.order.by_id.get(id) else { return Link::Missing };
        let row = if self.order.shared.contains_key(first) {
            self.latest.get(first).copied()
        } else {
            self.order
                .rows
                .get(*first)
                .copied()
                .filter(|&row| self.nodes.get(row).is_some_and(|node| node.referable))
        };
        row.map_or(Link::Missing, Link::To)
    }

    fn put(&mut self, index: usize, node: Node) {
        if let Some(place) = self.nodes.get_mut(index) {
            *place = node;
        }
        if node.referable
            && let Some(id) = self.entries.get(index).and_then(usable_id)
        {
            if !self.order.shared.is_empty()
                && let Some(first) = self.order.by_id.get(&id)
                && self.order.shared.contains_key(first)
            {
                self.latest.insert(*first, index);
            }
            self.last = Some((id, index));
        }
    }

    fn node(&self, link: Link) -> Option<&Node> {
        match link {
            Link::To(index) => self.nodes.get(index),
            Link::Root | Link::Missing => None,
        }
    }

    fn epoch_of(&self, link: Link) -> usize {
        self.node(link).map_or(0, |node| node.epoch)
    }

    fn anchor_of(&self, link: Link) -> Option<usize> {
        self.node(link)?.anchor
    }

    /// What a `leaf` row stands for, never again a `leaf` row; anything else stands for itself.
    fn through_controls(&self, link: Link) -> Link {
        self.node(link).filter(|node| node.kind != NodeKind::Row).map_or(link, |node| node.link)
    }

    fn row(&self, link: Link) -> Option<usize> {
        match self.through_controls(link) {
            Link::To(index) => Some(index),
            Link::Root | Link::Missing => None,
        }
    }

    fn parent(&self, index: usize) -> Option<usize> {
        self.row(self.nodes.get(index)?.link)
    }
}

/// An entry's id, unless it is blank.
fn usable_id<'e>(entry: &'e Entry<'_>) -> Option<Cow<'e, str>> {
    entry.id().filter(|id| !id.trim().is_empty())
}

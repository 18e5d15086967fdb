//! Frames that wait for a connection.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::frame::{AgentBody, AgentFrame};
use crate::id::TurnRef;

/// Bounds of an [`Outbox`].
///
/// Above the soft bound partials, heartbeats and steps go; what a turn cannot do without (`turn.started`, `choices`,
/// `reply`, `turn.done`, `turn.usage`) stays until the hard bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboxLimits {
    /// Frames, soft. Default 500.
    pub soft_frames: usize,
    /// Bytes of text plus 200 a frame, soft. Default 4 MiB.
    pub soft_bytes: usize,
    /// Frames, hard. Default 2,000.
    pub hard_frames: usize,
    /// Bytes, hard. Default 32 MiB.
    pub hard_bytes: usize,
}

impl Default for OutboxLimits {
    fn default() -> Self {
        Self { soft_frames: 500, soft_bytes: 4 << 20, hard_frames: 2_000, hard_bytes: 32 << 20 }
    }
}

/// What an [`Outbox`] did not keep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DropReport {
    /// Partials and heartbeats replaced by a newer one, or made pointless by the end of their turn.
    pub coalesced: u64,
    /// Frames dropped for want of room, by type.
    pub dropped: BTreeMap<String, u64>,
    /// The frames among them that a turn cannot do without, oldest first, at most 1,000.
    pub missing: VecDeque<(TurnRef, String)>,
}

impl DropReport {
    const MAX_MISSING: usize = 1_000;

    /// All that did not reach the wire: replaced and dropped.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.coalesced + self.dropped.values().sum::<u64>()
    }

    pub(crate) fn add_missing(&mut self, turn: TurnRef, kind: &str) {
        if self.missing.len() >= Self::MAX_MISSING {
            self.missing.pop_front();
        }
        self.missing.push_back((turn, kind.to_owned()));
    }
}

/// A bounded queue of frames to the platform that gives way in the right places.
///
/// Order is first in, first out. Of each turn at most one partial waits: partials are cumulative, so the newest says
/// it all. `hello`, `pong` and acknowledgements are never queued: they belong to one connection.
///
/// ```
/// use clawgauge_relay_proto::{AgentBody, Outbox, OutboxLimits, Reply, ReplyPartial, TurnRef};
/// let mut outbox = Outbox::new(OutboxLimits::default());
/// let turn = TurnRef::new("c1", "m1");
/// for text in ["Hel", "Hello"] {
///     let partial = ReplyPartial { turn: turn.clone(), text: Some(text.into()), ..ReplyPartial::default() };
///     outbox.push(AgentBody::ReplyPartial(partial).into());
/// }
/// assert_eq!((outbox.len(), outbox.report().coalesced), (1, 1));
/// ```
#[derive(Debug, Clone)]
pub struct Outbox {
    limits: OutboxLimits,
    entries: BTreeMap<i64, Entry>,
    by_class: BTreeSet<(Class, i64)>,
    newest_of: BTreeMap<(Class, TurnRef), i64>,
    /// Turns whose last partial was dropped for want of room, and whether it rewrote the text.
    gaps: BTreeMap<TurnRef, bool>,
    bytes: usize,
    report: DropReport,
}

#[derive(Debug, Clone)]
struct Entry {
    class: Class,
    weight: usize,
    frame: AgentFrame,
}

/// What goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Progress,
    Partial,
    Step,
    Unknown,
    Essential,
    Done,
}

impl Outbox {
    /// An empty outbox.
    #[must_use]
    pub fn new(limits: OutboxLimits) -> Self {
        Self {
            limits,
            entries: BTreeMap::new(),
            by_class: BTreeSet::new(),
            newest_of: BTreeMap::new(),
            gaps: BTreeMap::new(),
            bytes: 0,
            report: DropReport::default(),
        }
    }

    /// Frames waiting.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What was not kept so far.
    #[must_use]
    pub fn report(&self) -> &DropReport {
        &self.report
    }

    /// Queues a frame at the end. O(log n). Returns the frames that had to go because of the hard bound.
    pub fn push(&mut self, mut frame: AgentFrame) -> Vec<AgentFrame> {
        let Some(class) = class(&frame.body) else {
            return Vec::new();
        };
        if let Some(turn) = frame.body.turn().cloned() {
            match class {
                Class::Progress | Class::Partial => {
                    if class == Class::Partial
                        && let Some(rewrote) = self.gaps.remove(&turn)
                    {
                        after_gap(&mut frame, rewrote);
                    }
                    if let Some(older) =
                        self.newest_of.get(&(class, turn)).copied().and_then(|key| self.remove(key))
                    {
                        self.report.coalesced += 1;
                        continue_delta(&older, &mut frame);
                    }
                }
                Class::Done => {
                    self.gaps.remove(&turn);
                    for class in [Class::Progress, Class::Partial] {
                        if let Some(key) = self.newest_of.get(&(class, turn.clone())).copied() {
                            self.remove(key);
                            self.report.coalesced += 1;
                        }
                    }
                }
                Class::Step | Class::Unknown | Class::Essential => {}
            }
        }
        let key = self.entries.keys().next_back().map_or(0, |last| last + 1);
        self.insert(key, class, frame);
        self.make_room()
    }

    /// Takes the first frame.
    pub fn pop(&mut self) -> Option<AgentFrame> {
        let key = *self.entries.keys().next()?;
        self.remove(key)
    }

    /// Puts a frame back to the front: its send failed, and nothing may overtake it. A partial goes only if no newer
    /// one waits; else the newer one says what it said, too.
    pub fn put_back(&mut self, frame: AgentFrame) {
        let Some(class) = class(&frame.body) else { return };
        if let (Class::Progress | Class::Partial, Some(turn)) = (class, frame.body.turn())
            && let Some(newer) = self.newest_of.get(&(class, turn.clone())).copied()
        {
            self.report.coalesced += 1;
            if let Some(entry) = self.entries.get_mut(&newer) {
                continue_delta(&frame, &mut entry.frame);
                self.bytes = self.bytes.saturating_sub(entry.weight);
                entry.weight = weight(&entry.frame.body);
                self.bytes += entry.weight;
            }
            return;
        }
        let key = self.entries.keys().next().map_or(0, |first| first - 1);
        self.insert(key, class, frame);
    }

    fn insert(&mut self, key: i64, class: Class, frame: AgentFrame) {
        if let (Class::Progress | Class::Partial, Some(turn)) = (class, frame.body.turn()) {
            self.newest_of.insert((class, turn.clone()), key);
        }
        let weight = weight(&frame.body);
        self.bytes += weight;
        self.by_class.insert((class, key));
        self.entries.insert(key, Entry { class, weight, frame });
    }

    fn remove(&mut self, key: i64) -> Option<AgentFrame> {
        let Entry { class, weight, frame } = self.entries.remove(&key)?;
        self.bytes = self.bytes.saturating_sub(weight);
        self.by_class.remove(&(class, key));
        if let (Class::Progress | Class::Partial, Some(turn)) = (class, frame.body.turn()) {
            self.newest_of.remove(&(class, turn.clone()));
        }
        Some(frame)
    }

    fn make_room(&mut self) -> Vec<AgentFrame> {
        let mut lost = Vec::new();
        loop {
            let over_soft = self.len() > self.limits.soft_frames || self.bytes > self.limits.soft_bytes;
            let over_hard = self.len() > self.limits.hard_frames || self.bytes > self.limits.hard_bytes;
            // Lowest class first, oldest first within it.
            let Some((class, key)) = self.by_class.first().copied() else {
                break;
            };
            if !(over_hard || over_soft && class < Class::Essential) {
                break;
            }
            let Some(frame) = self.remove(key) else { break };
            let kind = frame.kind().unwrap_or("(no type)").to_owned();
            if let AgentBody::ReplyPartial(partial) = &frame.body {
                self.gaps.insert(partial.turn.clone(), partial.replace);
            }
            if class >= Class::Essential {
                self.report.add_missing(frame.body.turn().cloned().unwrap_or_default(), &kind);
                lost.push(frame);
            }
            *self.report.dropped.entry(kind).or_default() += 1;
        }
        lost
    }
}

fn class(body: &AgentBody) -> Option<Class> {
    Some(match body {
        AgentBody::Hello(_) | AgentBody::Pong | AgentBody::Ack(_) => return None,
        AgentBody::TurnProgress(_) => Class::Progress,
        AgentBody::ReplyPartial(_) => Class::Partial,
        AgentBody::ToolStart(_) => Class::Step,
        AgentBody::Unknown(_) => Class::Unknown,
        AgentBody::TurnStarted(_)
        | AgentBody::Choices(..)
        | AgentBody::Reply(_)
        | AgentBody::TurnUsage(_) => Class::Essential,
        AgentBody::TurnDone(_) => Class::Done,
    })
}

/// A delta continues the partial before it; when that one is not sent, the delta has to cover both.
fn continue_delta(older: &AgentFrame, newer: &mut AgentFrame) {
    if let (AgentBody::ReplyPartial(older), AgentBody::ReplyPartial(newer)) = (&older.body, &mut newer.body) {
        if newer.replace {
            return;
        }
        newer.delta = match (&older.delta, newer.delta.take()) {
            (Some(first), Some(second)) => Some(format!("{first}{second}")),
            _ => None,
        };
        newer.replace = older.replace;
    }
}

/// The partial before this one is not there to be continued: the whole text has to do.
fn after_gap(frame: &mut AgentFrame, rewrote: bool) {
    if let AgentBody::ReplyPartial(partial) = &mut frame.body {
        partial.delta = None;
        partial.replace |= rewrote;
    }
}

fn weight(body: &AgentBody) -> usize {
    let opt = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    200 + match body {
        AgentBody::ReplyPartial(frame) => opt(&frame.text) + opt(&frame.delta),
        AgentBody::Reply(frame) => frame.text.len() + frame.media_urls.iter().map(String::len).sum::<usize>(),
        AgentBody::ToolStart(frame) => frame.name.len() + opt(&frame.command),
        AgentBody::TurnDone(frame) => opt(&frame.error) + opt(&frame.reason),
        AgentBody::Choices(_, questions) => questions
            .iter()
            .map(|question| {
                question.question.len() + question.options.iter().map(|o| o.label.len() + 50).sum::<usize>()
            })
            .sum(),
        AgentBody::Unknown(raw) => raw.text().len(),
        _ => 0,
    }
}

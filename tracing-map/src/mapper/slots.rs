//! Starts and ends of calls, paired in whatever order they come.

use crate::span::Metadata;
use std::collections::HashMap;

/// Place of an event in time: its own time, then its number in the process.
pub(super) type Order = (i64, u64);

/// One half of a call.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) order: Order,
    /// The time to show; differs from the order where the event names a source time.
    pub(super) at_ms: i64,
    /// The event names the time at its source.
    pub(super) sourced: bool,
}

/// How a call ended.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    pub(super) mark: Mark,
    pub(super) duration_ms: Option<i64>,
    pub(super) kind: EndKind,
    /// When the mapper was told.
    pub(super) arrived_ms: i64,
}

/// The terminal kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndKind {
    Completed,
    Failed,
    Blocked,
    /// A person stopped it.
    Aborted,
}

/// One call of a tool or a model: what its start and its end said.
#[derive(Clone, Debug)]
pub(super) struct Slot<T> {
    /// Call id, or the name where there is none.
    pub(super) key: String,
    /// W3C span id of the call, lower case.
    pub(super) span: Option<String>,
    pub(super) start: Option<Mark>,
    pub(super) end: Option<Ending>,
    /// The last time anything was heard of the call.
    pub(super) last_ms: i64,
    pub(super) metadata: Metadata,
    pub(super) status: Option<String>,
    /// The class of the failure; stays when the span has left.
    pub(super) failure: Option<String>,
    pub(super) detail: T,
    /// Other calls had this name, too.
    pub(super) shares_name: bool,
    /// An end that may be another one told again.
    pub(super) doubtful: bool,
    /// The span has left.
    pub(super) left: bool,
}

impl<T> Slot<T> {
    /// The earliest order known of the call.
    pub(super) fn order(&self) -> Order {
        let start = self.start.as_ref().map(|mark| mark.order);
        let end = self.end.as_ref().map(|end| end.mark.order);
        start.into_iter().chain(end).min().unwrap_or((self.last_ms, 0))
    }

    fn finish(&mut self, ending: Ending, span: Option<&str>) {
        self.last_ms = self.last_ms.max(ending.mark.at_ms);
        self.end = Some(ending);
        self.span = self.span.take().or_else(|| span.map(str::to_owned));
    }

    /// Start and end to show, and whether the start is a guess that the run's own start may cut.
    ///
    /// Times that the source of the event took itself are the best; then the duration that the gateway measured decides
    /// the length, because the time of an event is when it was sent. An open call ends when it was last heard of.
    pub(super) fn interval(&self) -> Interval {
        match (&self.start, &self.end) {
            (Some(start), Some(end)) => {
                let both_sourced = start.sourced && end.mark.sourced;
                match end.duration_ms.filter(|_| !both_sourced) {
                    Some(duration) if start.sourced => {
                        let by_duration = start.at_ms.saturating_add(duration);
                        Interval::new(start.at_ms, by_duration.min(end.mark.at_ms), false)
                    }
                    Some(duration) => {
                        let by_duration = end.mark.at_ms.saturating_sub(duration);
                        let agrees = by_duration == start.at_ms;
                        if agrees {
                            Interval::new(start.at_ms, end.mark.at_ms, false)
                        } else {
                            Interval::new(by_duration, end.mark.at_ms, true)
                        }
                    }
                    None => Interval::new(start.at_ms, end.mark.at_ms, false),
                }
            }
            (Some(start), None) => Interval::new(start.at_ms, self.last_ms, false),
            (None, Some(end)) => {
                let duration = end.duration_ms.unwrap_or(0);
                Interval::new(end.mark.at_ms.saturating_sub(duration), end.mark.at_ms, true)
            }
            (None, None) => Interval::new(self.last_ms, self.last_ms, false),
        }
    }
}

/// When a call ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) start_ms: i64,
    pub(super) end_ms: i64,
    /// The start was computed, not reported.
    pub(super) guessed: bool,
}

impl Interval {
    fn new(start_ms: i64, end_ms: i64, guessed: bool) -> Self {
        let start_ms = start_ms.max(0);
        Self { start_ms, end_ms: end_ms.max(start_ms), guessed }
    }
}

/// What an event did to the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// A call began or ended; its index.
    Changed(usize),
    /// Nothing new.
    Duplicate,
    /// The call has left already.
    Late,
    /// No room.
    Full,
}

/// All calls of one kind in one run, left ones included.
#[derive(Clone, Debug)]
pub(super) struct Slots<T> {
    all: Vec<Slot<T>>,
    by_key: HashMap<String, Vec<usize>>,
    /// Indices that have not left, in no order.
    waiting: Vec<usize>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { all: Vec::new(), by_key: HashMap::new(), waiting: Vec::new() }
    }
}

impl<T: Default + Clone> Slots<T> {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<&Slot<T>> {
        self.all.get(index)
    }

    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut Slot<T>> {
        self.all.get_mut(index)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Slot<T>> {
        self.all.iter()
    }

    pub(super) fn waiting(&self) -> impl Iterator<Item = (usize, &Slot<T>)> {
        self.waiting.iter().filter_map(|index| Some((*index, self.all.get(*index)?)))
    }

    pub(super) fn any_open(&self) -> bool {
        self.waiting().any(|(_, slot)| slot.end.is_none())
    }

    /// Marks a call as left and lets go of what it held.
    pub(super) fn leave(&mut self, index: usize) {
        if let Some(slot) = self.all.get_mut(index) {
            slot.left = true;
            slot.metadata = Metadata::new();
            slot.status = None;
            slot.detail = T::default();
        }
        self.waiting.retain(|waiting| *waiting != index);
    }

    /// Takes the facts that were noted of a call that is about to leave.
    pub(super) fn take_notes(&mut self, index: usize) -> Metadata {
        self.all.get_mut(index).map(|slot| std::mem::take(&mut slot.metadata)).unwrap_or_default()
    }

    /// A call began.
    pub(super) fn start(&mut self, key: &str, span: Option<&str>, mark: Mark, max: usize) -> Effect {
        let same = self.find(key, |slot| both_equal(slot.span.as_deref(), span));
        // An end that overtook this start: the nearest one after it.
        let overtaken = || {
            let headless = self.slots(key).filter(|(_, slot)| {
                slot.start.is_none() && !slot.left && !both_differ(slot.span.as_deref(), span)
            });
            let after = headless.filter_map(|(index, slot)| {
                let end = slot.end.as_ref()?.mark.order;
                (mark.order <= end).then_some((end, index))
            });
            after.min().map(|(_, index)| index)
        };
        let Some(index) = same.or_else(overtaken) else { return self.push(key, span, Some(mark), None, max) };
        let Some(slot) = self.all.get_mut(index) else { return Effect::Full };
        if slot.left {
            return if slot.start.is_some() { Effect::Duplicate } else { Effect::Late };
        }
        if slot.start.as_ref().is_some_and(|start| start.order <= mark.order) {
            return Effect::Duplicate;
        }
        slot.last_ms = slot.last_ms.max(mark.at_ms);
        slot.start = Some(mark);
        slot.doubtful = false;
        slot.span = slot.span.take().or_else(|| span.map(str::to_owned));
        Effect::Changed(index)
    }

    /// A call ended.
    ///
    /// With span ids the call is certain. Without them a second end under one name is either the same end told again, or
    /// the end of another call whose start is still to come; it is held back as doubtful until that is known.
    pub(super) fn end(
        &mut self,
        key: &str,
        named: bool,
        span: Option<&str>,
        ending: Ending,
        max: usize,
    ) -> Effect {
        let order = ending.mark.order;
        if let Some(index) = self.find(key, |slot| both_equal(slot.span.as_deref(), span)) {
            let Some(slot) = self.all.get_mut(index) else { return Effect::Full };
            if slot.left {
                return if slot.end.is_some() { Effect::Duplicate } else { Effect::Late };
            }
            // The first end in the gateway's order wins, whichever arrives first.
            if slot.end.as_ref().is_some_and(|end| end.mark.order <= order) {
                return Effect::Duplicate;
            }
            slot.finish(ending, span);
            return Effect::Changed(index);
        }
        // The open call that began last before this end. A named call that began again without an end was given up, an
        // unnamed one may run beside it: there the first one ends first.
        let before = self.slots(key).filter_map(|(index, slot)| {
            let open = slot.end.is_none() && !both_differ(slot.span.as_deref(), span);
            let start = slot.start.as_ref().map(|start| start.order).filter(|start| *start <= order)?;
            open.then_some((start, index))
        });
        let open = if named { before.max() } else { before.min() };
        if let Some((_, index)) = open {
            let Some(slot) = self.all.get_mut(index) else { return Effect::Full };
            if slot.left {
                return Effect::Late;
            }
            slot.finish(ending, span);
            return Effect::Changed(index);
        }
        let rivals = |slot: &Slot<T>| slot.end.is_some() && !both_differ(slot.span.as_deref(), span);
        let doubtful = named && self.slots(key).any(|(_, slot)| rivals(slot));
        // It may have been given to the wrong one of two calls: this end is earlier and its call began before.
        let taken = self.slots(key).filter(|(_, slot)| !slot.left && rivals(slot)).find(|(_, slot)| {
            let starts_before = slot.start.as_ref().is_some_and(|start| start.order <= order);
            starts_before && slot.end.as_ref().is_some_and(|end| order < end.mark.order)
        });
        let taken = taken.map(|(index, _)| index);
        let effect = self.push(key, span, None, Some(ending), max);
        let Effect::Changed(new) = effect else { return effect };
        let Some(old) = taken else {
            if let Some(slot) = self.all.get_mut(new).filter(|_| doubtful) {
                slot.doubtful = true;
            }
            return effect;
        };
        self.swap_ends(old, new);
        Effect::Changed(old)
    }

    /// Gives the call at `old` the end of the one at `new`, and holds the other end back.
    fn swap_ends(&mut self, old: usize, new: usize) {
        let Some(mut displaced) = self.all.get(old).cloned() else { return };
        let Some(slot) = self.all.get_mut(new) else { return };
        let ending = slot.end.take();
        displaced.start = None;
        displaced.doubtful = true;
        *slot = displaced;
        if let Some(slot) = self.all.get_mut(old) {
            slot.end = ending;
        }
    }

    /// Decides what was left open: an end and a start of one name that only a clock tells apart belong together; an end
    /// that is still doubtful was told again. Returns how many of those there were.
    pub(super) fn settle(&mut self) -> u64 {
        let waiting: Vec<usize> = self.waiting.clone();
        let mut told_again = 0;
        for index in waiting {
            let Some(slot) = self.all.get(index).filter(|slot| slot.start.is_none() && !slot.left) else {
                continue;
            };
            let open = self.find(&slot.key, |other| {
                other.end.is_none()
                    && !other.left
                    && !both_differ(other.span.as_deref(), slot.span.as_deref())
            });
            if let Some(open) = open {
                let ending = self.all.get(index).and_then(|slot| slot.end.clone());
                let held = self.all.get(index).cloned();
                if let (Some(target), Some(held)) = (self.all.get_mut(open), held) {
                    target.end = ending;
                    target.metadata.extend(held.metadata);
                    target.status = held.status;
                    target.failure = held.failure;
                    target.detail = held.detail;
                    target.last_ms = target.last_ms.max(held.last_ms);
                }
                self.leave(index);
            } else if slot.doubtful {
                told_again += 1;
                self.leave(index);
            }
        }
        told_again
    }

    /// Something was heard of an open call.
    pub(super) fn heard(&mut self, key: &str, at_ms: i64) {
        let open = self.find(key, |slot| !slot.left && slot.end.is_none());
        if let Some(slot) = open.and_then(|index| self.all.get_mut(index)) {
            slot.last_ms = slot.last_ms.max(at_ms);
        }
    }

    fn slots(&self, key: &str) -> impl Iterator<Item = (usize, &Slot<T>)> {
        let indices = self.by_key.get(key).into_iter().flatten();
        indices.filter_map(|index| Some((*index, self.all.get(*index)?)))
    }

    fn find(&self, key: &str, wanted: impl Fn(&Slot<T>) -> bool) -> Option<usize> {
        let indices = self.by_key.get(key)?;
        indices.iter().copied().find(|index| self.all.get(*index).is_some_and(&wanted))
    }

    fn push(
        &mut self,
        key: &str,
        span: Option<&str>,
        start: Option<Mark>,
        end: Option<Ending>,
        max: usize,
    ) -> Effect {
        if self.all.len() >= max {
            return Effect::Full;
        }
        let last = start.as_ref().or(end.as_ref().map(|end| &end.mark)).map_or(0, |mark| mark.at_ms);
        let index = self.all.len();
        let same = self.by_key.entry(key.to_owned()).or_default();
        if let [first] = same.as_slice()
            && let Some(first) = self.all.get_mut(*first)
        {
            first.shares_name = true;
        }
        let shares_name = !same.is_empty();
        same.push(index);
        self.waiting.push(index);
        self.all.push(Slot {
            key: key.to_owned(),
            span: span.map(str::to_owned),
            start,
            end,
            last_ms: last,
            metadata: Metadata::new(),
            status: None,
            failure: None,
            detail: T::default(),
            shares_name,
            doubtful: false,
            left: false,
        });
        Effect::Changed(index)
    }
}

fn both_equal(a: Option<&str>, b: Option<&str>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a == b)
}

fn both_differ(a: Option<&str>, b: Option<&str>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a != b)
}

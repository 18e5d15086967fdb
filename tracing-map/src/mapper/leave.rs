//! When children leave before their run, and when a run is over.

use super::limits::{Config, Limits};
use super::run::{Run, ToolDetail};
use super::slots::{EndKind, Order, Slot};
use crate::span::Span;
use std::collections::BTreeMap;

impl Run {
    /// When the run is to be closed if nothing more comes.
    pub(super) fn close_at(&self, limits: &Limits) -> i64 {
        match self.complete_since.filter(|_| self.is_complete()) {
            Some(since) if !self.held => since.saturating_add(limits.linger_ms),
            Some(_) => self.heard_ms.saturating_add(limits.idle_ms).saturating_add(1),
            None if self.silent_since.is_some() => {
                self.silent_since.unwrap_or(i64::MIN).saturating_add(limits.content_wait_ms)
            }
            None => {
                let busy = self.tools.any_open() || self.calls.any_open();
                let silence = if busy { limits.busy_idle_ms } else { limits.idle_ms };
                self.heard_ms.saturating_add(silence).saturating_add(1)
            }
        }
    }

    /// Whether something that has ended waits for its texts.
    pub(super) fn wants_content(&self) -> bool {
        if self.is_complete() || self.silent_since.is_some() || !self.usages.is_empty() {
            return true;
        }
        let tool = self.tools.waiting().any(|(_, slot)| slot.end.is_some());
        tool || self.calls.waiting().any(|(_, slot)| slot.end.is_some())
    }

    /// The next time that a child may leave before its run does.
    pub(super) fn next_leave(&self, config: &Config) -> Option<i64> {
        let mut next = None;
        self.leaving(config, &mut |due, _| next = Some(next.map_or(due, |next: i64| next.min(due))));
        next
    }

    /// The children that may leave before their run, with the time from which on they may.
    fn leaving(&self, config: &Config, each: &mut impl FnMut(i64, Child)) {
        let limits = &config.limits;
        let due = |arrived: i64, there: bool| {
            let wait = if there { limits.settle_ms } else { limits.content_wait_ms.max(limits.settle_ms) };
            arrived.saturating_add(wait)
        };
        let contexts = self.contexts.iter().enumerate();
        if let Some((index, context)) = contexts.min_by_key(|(index, context)| (context.order, *index)) {
            each(due(context.arrived_ms, true), Child::Context(index));
        }
        let mut tool = |index: usize, slot: &Slot<ToolDetail>| {
            let Some(end) = &slot.end else { return };
            let there = !config.content || {
                let occurrence = self.gone.tools.get(&slot.key).copied().unwrap_or(0) + 1;
                self.tool_content(&slot.key, occurrence).is_some_and(|content| content.output.is_some())
            };
            each(due(end.arrived_ms, there), Child::Tool(index));
        };
        // Calls of one name leave in their order; most names have one call.
        let mut shared: BTreeMap<&str, (Order, usize)> = BTreeMap::new();
        for (index, slot) in self.tools.waiting().filter(|(_, slot)| slot.end.is_some() && !slot.doubtful) {
            if slot.shares_name {
                let first = shared.entry(&slot.key).or_insert((slot.order(), index));
                *first = (*first).min((slot.order(), index));
            } else {
                tool(index, slot);
            }
        }
        for (_, index) in shared.into_values() {
            if let Some(slot) = self.tools.get(index) {
                tool(index, slot);
            }
        }
        if let Some((arrived, there, index)) = self.leaving_call(config) {
            each(due(arrived, there), Child::Call(index));
        }
    }

    /// The earliest model call, when its ordinal is certain and nothing more can be said of it.
    fn leaving_call(&self, config: &Config) -> Option<(i64, bool, usize)> {
        let certain = self.calls.waiting().filter(|(_, slot)| !slot.doubtful);
        let first = certain.min_by_key(|(index, slot)| (slot.order(), *index));
        let (index, slot) = first?;
        let end = slot.end.as_ref()?;
        if end.kind == EndKind::Completed {
            let told = slot.detail.usage.is_some() && slot.detail.cost_usd.is_some();
            let ordinal = self.gone.answers as usize;
            let there = !config.content
                || self.content.as_ref().is_some_and(|content| {
                    content.generations.iter().filter(|one| !one.is_failed()).nth(ordinal).is_some()
                });
            return told.then_some((end.arrived_ms, there, index));
        }
        // A failure is the run's last word unless another call came after it.
        let later =
            self.calls.waiting().any(|(other, slot)| other != index && slot.end.is_some() && !slot.doubtful);
        later.then_some((end.arrived_ms, true, index))
    }

    pub(super) fn leave_ready(&mut self, config: &Config, at: i64, spans: &mut Vec<Span>) {
        loop {
            let mut first = None;
            self.leaving(config, &mut |due, child| {
                if due <= at && first.is_none_or(|first| (due, child) < first) {
                    first = Some((due, child));
                }
            });
            let Some((_, child)) = first else { return };
            let frame = self.frame(config);
            let span = match child {
                Child::Context(index) => self.leave_context(index, &frame),
                Child::Tool(index) => self.leave_tool(index, &frame, None),
                Child::Call(index) => self.leave_call(index, &frame, None, false),
            };
            match span {
                Some(span) => spans.push(span),
                None => return,
            }
        }
    }
}

/// A child that may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Child {
    Context(usize),
    Tool(usize),
    Call(usize),
}

//! What each type of event says about its run.

use super::fields::{CallFields, ToolFields, context_texts};
use super::notice::Notice;
use super::run::{Completion, ContextMark, UsageMark, link, normal_span};
use super::slots::{Effect, EndKind, Ending, Mark, Order, Slots};
use super::{Mapper, Run};
use crate::event::{ContextAssembled, DiagnosticEvent, EventData, ModelUsage, Num, ReportedUsage};
use crate::span::Metadata;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What an event may do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Role {
    /// It may open a run.
    pub(super) opens: bool,
    /// It begins a run.
    pub(super) begins: bool,
    /// How good its envelope is as a source for the run's identity; 0 is best.
    pub(super) rank: u8,
}

/// The role of an event; `None` when it says nothing about a run.
pub(super) fn role(event: &DiagnosticEvent) -> Option<Role> {
    let role = |opens, begins, rank| Some(Role { opens, begins, rank });
    match &event.data {
        EventData::RunStarted(_) => role(true, true, 0),
        EventData::HarnessRunStarted(_) | EventData::SessionTurnCreated(_) => role(false, true, 1),
        EventData::ContextAssembled(_) => role(true, false, 2),
        EventData::RunCompleted(_)
        | EventData::ModelCallStarted(_)
        | EventData::ModelCallCompleted(_)
        | EventData::ModelCallError(_)
        | EventData::ToolExecutionStarted(_)
        | EventData::ToolExecutionCompleted(_)
        | EventData::ToolExecutionError(_)
        | EventData::ToolExecutionBlocked(_) => role(true, false, 3),
        EventData::HarnessRunCompleted(_)
        | EventData::HarnessRunError(_)
        | EventData::RunAttempt(_)
        | EventData::RunProgress(_)
        | EventData::RunExecutionPhase(_)
        | EventData::SkillUsed(_)
        | EventData::MessageProcessed(_)
        | EventData::MessageDispatchCompleted(_)
        | EventData::SessionState(_)
        | EventData::SessionLongRunning(_)
        | EventData::SessionStalled(_)
        | EventData::SessionStuck(_) => role(false, false, 4),
        EventData::ModelUsage(_) => role(true, false, 5),
        _ => None,
    }
}

/// The halves of a call.
enum Half {
    Start,
    End(EndKind),
}

impl Mapper {
    pub(super) fn apply(
        &mut self,
        token: u64,
        event: &DiagnosticEvent,
        trace: Option<&str>,
        order: Order,
        role: Role,
        now: i64,
    ) {
        let max = self.config.limits.max_spans_per_run;
        let Some(run) = self.runs.get_mut(&token) else {
            return;
        };
        run.heard_ms = now;
        run.silent_since = None;
        if !run.knows_names(event, trace) {
            self.index.learn(token, event, trace);
        }
        run.is_called(event.run_id.as_deref());
        run.learn(event, trace, role.rank, order);
        if run.person.is_none()
            && let Some(person) = run.session_key.get().and_then(|key| self.persons.get(key))
        {
            run.belongs_to(person);
        }
        if role.opens && !run.is_new(event, max) {
            self.counters.duplicates += 1;
            let run_id = run.run_id.clone();
            self.notice(Notice::Duplicate { run_id, event_type: event.event_type.clone() });
            return;
        }
        if role.opens {
            run.asks = 0;
            run.ask_after_ms = run.ask_after_ms.min(now.saturating_add(self.config.limits.content_retry_ms));
        }
        let effect = run.take(event, order, now, max);
        if matches!(effect, Effect::Changed(_)) {
            return;
        }
        let run_id = run.run_id.clone();
        match effect {
            Effect::Changed(_) => {}
            Effect::Duplicate => {
                self.counters.duplicates += 1;
                self.notice(Notice::Duplicate { run_id, event_type: event.event_type.clone() });
            }
            Effect::Late => {
                self.counters.late += 1;
                self.notice(Notice::Late { run_id, event_type: event.event_type.clone() });
            }
            Effect::Full => {
                self.counters.dropped_spans += 1;
                self.notice(Notice::SpanDropped { run_id });
            }
        }
    }
}

impl Run {
    /// Whether the event was not delivered before. Redelivery is told by type, number and ids; events without a number
    /// by everything they say.
    fn is_new(&mut self, event: &DiagnosticEvent, max: usize) -> bool {
        let mut hasher = DefaultHasher::new();
        if event.seq.is_none() {
            event.hash(&mut hasher);
        } else {
            let span = event.trace.as_ref().and_then(|trace| trace.span_id.as_deref());
            (event.seq, event.at_ms(), &event.event_type, span).hash(&mut hasher);
        }
        if self.seen.len() >= max.saturating_mul(4) {
            return true;
        }
        self.seen.insert(hasher.finish())
    }

    fn take(&mut self, event: &DiagnosticEvent, order: Order, now: i64, max: usize) -> Effect {
        match &event.data {
            EventData::RunStarted(started) => {
                self.trigger.offer(0, order, started.trigger.clone());
                self.started(order);
                if let Some(trace) = &event.trace {
                    let ids =
                        trace.trace_id.clone().map(|id| (id, trace.span_id.clone().unwrap_or_default()));
                    self.root_link.offer(0, order, ids);
                }
                Effect::Changed(0)
            }
            EventData::RunCompleted(completed) => {
                self.trigger.offer(3, order, completed.trigger.clone());
                self.completed(Completion {
                    order,
                    at_ms: order.0,
                    duration_ms: completed.duration_ms.as_ref().map(Num::to_value),
                    outcome: completed.outcome.clone(),
                    error_category: completed.error_category.clone(),
                    blocked_by: completed.blocked_by.clone(),
                });
                Effect::Changed(0)
            }
            EventData::HarnessRunCompleted(completed) => {
                self.harness_ended(order, completed.outcome.as_deref());
                Effect::Changed(0)
            }
            EventData::ContextAssembled(context) => self.context(event, context, order, now, max),
            EventData::ModelUsage(usage) => self.usage(event, usage, order, max),
            EventData::MessageProcessed(message) => self.message_ended(message.reason.as_deref()),
            EventData::MessageDispatchCompleted(message) => self.message_ended(message.reason.as_deref()),
            EventData::RunExecutionPhase(phase) => {
                if let Some(call_id) = &phase.tool_call_id {
                    self.tools.heard(call_id, order.0);
                }
                Effect::Changed(0)
            }
            EventData::SessionLongRunning(state) => {
                self.heard_of_tool(state.active_tool_call_id.as_deref(), order)
            }
            EventData::SessionStalled(state) => {
                self.heard_of_tool(state.active_tool_call_id.as_deref(), order)
            }
            EventData::SessionStuck(state) => self.heard_of_tool(state.active_tool_call_id.as_deref(), order),
            EventData::ToolExecutionStarted(_) => self.tool(event, &Half::Start, order, now, max),
            EventData::ToolExecutionCompleted(_) => {
                self.tool(event, &Half::End(EndKind::Completed), order, now, max)
            }
            EventData::ToolExecutionBlocked(_) => {
                self.tool(event, &Half::End(EndKind::Blocked), order, now, max)
            }
            EventData::ToolExecutionError(error) => {
                let cancelled = error.terminal_reason.as_deref() == Some("cancelled");
                let kind = if cancelled { EndKind::Aborted } else { EndKind::Failed };
                self.tool(event, &Half::End(kind), order, now, max)
            }
            EventData::ModelCallStarted(_) => self.call(event, &Half::Start, order, now, max),
            EventData::ModelCallCompleted(_) => {
                self.call(event, &Half::End(EndKind::Completed), order, now, max)
            }
            EventData::ModelCallError(error) => {
                let aborted = error.failure_kind.as_deref() == Some("aborted");
                let kind = if aborted { EndKind::Aborted } else { EndKind::Failed };
                self.call(event, &Half::End(kind), order, now, max)
            }
            _ => Effect::Changed(0),
        }
    }

    /// Older gateways tell of an abort only here; the run itself says `error`.
    fn message_ended(&mut self, reason: Option<&str>) -> Effect {
        if reason == Some("reply_operation_aborted") {
            self.reply_aborted = true;
        }
        Effect::Changed(0)
    }

    fn heard_of_tool(&mut self, call_id: Option<&str>, order: Order) -> Effect {
        if let Some(call_id) = call_id {
            self.tools.heard(call_id, order.0);
        }
        Effect::Changed(0)
    }

    fn context(
        &mut self,
        event: &DiagnosticEvent,
        context: &ContextAssembled,
        order: Order,
        now: i64,
        max: usize,
    ) -> Effect {
        if self.contexts.len() >= max {
            return Effect::Full;
        }
        let (output, metadata) = context_texts(context, self.run_id.as_deref());
        self.trigger.offer(2, order, context.trigger.clone());
        self.contexts.push(ContextMark {
            order,
            at_ms: order.0,
            output,
            metadata,
            link: link(event),
            arrived_ms: now,
        });
        Effect::Changed(0)
    }

    fn usage(&mut self, event: &DiagnosticEvent, usage: &ModelUsage, order: Order, max: usize) -> Effect {
        if self.usages.len() >= max {
            return Effect::Full;
        }
        let mut metadata = Metadata::new();
        let mut note = |key: &'static str, value: Option<&Num>| {
            if let Some(value) = value {
                metadata.insert(key.into(), value.to_value());
            }
        };
        let window = usage.context.as_ref();
        note("contextLimit", window.and_then(|window| window.limit.as_ref()));
        note("contextUsed", window.and_then(|window| window.used.as_ref()));
        note("durationMs", usage.duration_ms.as_ref());
        note("promptTokens", usage.usage.as_ref().and_then(|usage| usage.prompt_tokens.as_ref()));
        self.usages.push(UsageMark {
            order,
            at_ms: order.0,
            duration_ms: usage.duration_ms.as_ref().and_then(Num::duration_ms),
            provider: event.provider.clone(),
            model: event.model.clone(),
            usage: usage.usage.as_ref().and_then(ReportedUsage::usage),
            cost_usd: usage.cost_usd.as_ref().map(Num::get).filter(|cost| cost.is_finite() && *cost >= 0.0),
            metadata,
        });
        Effect::Changed(0)
    }

    fn tool(&mut self, event: &DiagnosticEvent, half: &Half, order: Order, now: i64, max: usize) -> Effect {
        let fields = ToolFields::of(event);
        let told = Told {
            key: fields.call_id.or(fields.name).unwrap_or("tool"),
            named: fields.call_id.is_some(),
            span: span_of(event),
            mark: mark(order, fields.source_ms),
            duration_ms: fields.duration_ms,
            arrived_ms: now,
        };
        let effect = told.to(&mut self.tools, half, max);
        let Effect::Changed(index) = effect else {
            return effect;
        };
        if let Some(slot) = self.tools.get_mut(index) {
            if slot.detail.name.is_none() {
                slot.detail.name = fields.name.map(str::to_owned);
            }
            if slot.detail.call_id.as_deref() != fields.call_id {
                slot.detail.call_id = fields.call_id.map(str::to_owned);
            }
            if matches!(half, Half::End(_)) {
                let status = fields.error_category.or(fields.denied).or(fields.reason);
                slot.status = status.map(str::to_owned);
            }
            fields.notes.put(&mut slot.metadata, self.run_id.as_deref());
        }
        effect
    }

    fn call(&mut self, event: &DiagnosticEvent, half: &Half, order: Order, now: i64, max: usize) -> Effect {
        let fields = CallFields::of(event);
        let told = Told {
            key: fields.call_id.unwrap_or(""),
            named: fields.call_id.is_some(),
            span: span_of(event),
            mark: mark(order, None),
            duration_ms: fields.duration_ms,
            arrived_ms: now,
        };
        let effect = told.to(&mut self.calls, half, max);
        let Effect::Changed(index) = effect else {
            return effect;
        };
        if let Some(slot) = self.calls.get_mut(index) {
            let detail = &mut slot.detail;
            for (known, told) in [(&mut detail.provider, &event.provider), (&mut detail.model, &event.model)]
            {
                if told.is_some() {
                    known.clone_from(told);
                }
            }
            if let Half::End(kind) = half {
                detail.first_byte_ms = fields.first_byte_ms;
                detail.usage = fields
                    .usage
                    .and_then(ReportedUsage::usage)
                    .filter(clawgauge_transcript::Usage::is_reported);
                let cost = fields.usage.and_then(ReportedUsage::cost_usd);
                detail.cost_usd = cost.filter(|_| detail.usage.is_some());
                detail.failure_kind = fields.failure_kind.map(str::to_owned);
                if *kind != EndKind::Completed {
                    slot.status = fields.failure().map(str::to_owned);
                    slot.failure.clone_from(&slot.status);
                }
            }
            fields.notes.put(&mut slot.metadata, self.run_id.as_deref());
        }
        effect
    }
}

/// What an event tells of a half of a call.
struct Told<'a> {
    key: &'a str,
    named: bool,
    span: Option<Cow<'a, str>>,
    mark: Mark,
    duration_ms: Option<i64>,
    arrived_ms: i64,
}

impl Told<'_> {
    fn to<T: Default + Clone>(self, slots: &mut Slots<T>, half: &Half, max: usize) -> Effect {
        let Self { key, named, span, mark, duration_ms, arrived_ms } = self;
        match half {
            Half::Start => slots.start(key, span.as_deref(), mark, max),
            Half::End(kind) => {
                let ending = Ending { mark, duration_ms, kind: *kind, arrived_ms };
                slots.end(key, named, span.as_deref(), ending, max)
            }
        }
    }
}

fn mark(order: Order, source_ms: Option<i64>) -> Mark {
    Mark { order, at_ms: source_ms.unwrap_or(order.0), sourced: source_ms.is_some() }
}

fn span_of(event: &DiagnosticEvent) -> Option<Cow<'_, str>> {
    event.trace.as_ref().and_then(|trace| trace.span_id.as_deref()).and_then(normal_span)
}

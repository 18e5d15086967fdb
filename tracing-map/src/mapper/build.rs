//! From what is known of a run to its spans.

use super::limits::Config;
use super::run::{CallDetail, Run, UsageMark};
use super::slots::{EndKind, Interval};
use crate::classify::is_retrieval;
use crate::content::{GenerationContent, ToolContent};
use crate::span::{ChatMessage, Identity, Level, Metadata, ModelCall, Span, SpanKind, ToolUse};
use crate::usage::{minus, plus};
use std::sync::Arc;

/// Why a run is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Completed,
    Reaped,
    Evicted,
    Flushed,
}

impl Reason {
    fn says(self) -> &'static str {
        match self {
            Self::Completed => "no end was reported",
            Self::Reaped => "silent for too long",
            Self::Evicted => "too many open runs",
            Self::Flushed => "closed before its end",
        }
    }
}

/// What all spans of a run share while it is being built.
pub(super) struct Frame {
    pub(super) identity: Arc<Identity>,
    pub(super) replaced_session: Option<String>,
    /// Computed starts are cut here.
    pub(super) floor_ms: Option<i64>,
}

impl Run {
    pub(super) fn frame(&mut self, config: &Config) -> Frame {
        let (identity, replaced_session) = self.identity(config);
        Frame { identity, replaced_session, floor_ms: self.known_start() }
    }

    /// The start of the run: reported, else its end less its duration.
    fn known_start(&self) -> Option<i64> {
        self.started_ms.or_else(|| {
            let completion = self.completion.as_ref()?;
            let duration = completion.duration_ms.as_ref()?.as_f64().filter(|ms| (0.0..9e15).contains(ms))?;
            #[allow(clippy::cast_possible_truncation, reason = "the range is checked above")]
            let start = completion.at_ms.saturating_sub(duration.round() as i64);
            Some(start.max(0))
        })
    }

    /// Whether the texts of the next occurrence of a tool call are there.
    pub(super) fn tool_content(&self, key: &str, occurrence: u32) -> Option<&ToolContent> {
        let same = |tool: &&ToolContent| tool.call_id == key;
        self.content.as_ref()?.tools.iter().filter(same).nth(occurrence.saturating_sub(1) as usize)
    }

    fn answer_content(&self, ordinal: u32) -> Option<&GenerationContent> {
        let answers = self.content.as_ref()?.generations.iter().filter(|one| !one.is_failed());
        answers.into_iter().nth(ordinal.saturating_sub(1) as usize)
    }

    /// Lets a tool call leave.
    pub(super) fn leave_tool(
        &mut self,
        index: usize,
        frame: &Frame,
        close: Option<(Reason, i64)>,
    ) -> Option<Span> {
        let ids = self.ids();
        let notes = self.tools.take_notes(index);
        let slot = self.tools.get(index)?;
        let key = slot.key.clone();
        let occurrence = self.gone.tools.get(&key).copied().unwrap_or(0) + 1;
        let content = self.tool_content(&key, occurrence);
        let name = slot.detail.name.clone().or_else(|| content.and_then(|tool| tool.name.clone()));
        let name = name.unwrap_or_else(|| "tool".to_owned());
        let kind = if is_retrieval(&name) { SpanKind::Retriever } else { SpanKind::Tool };
        let span_id = ids.tool(&key, occurrence);
        let mut span = Span::new(ids.trace(), span_id, kind, &name, Arc::clone(&frame.identity));
        span.parent_id = Some(ids.root());
        span.metadata = notes;
        span.tool = Some(ToolUse { name, call_id: slot.detail.call_id.clone() });
        place(&mut span, slot.interval(), frame.floor_ms);
        if let Some(content) = content {
            span.input.clone_from(&content.input);
            span.output.clone_from(&content.output);
        }
        let says_error = content.and_then(|tool| tool.is_error) == Some(true);
        match slot.end.as_ref().map(|end| end.kind) {
            Some(EndKind::Completed) if says_error => {
                span.level = Level::Error;
                span.status_message = content.and_then(|tool| tool.status.clone());
                span.error_type = Some("tool_error".to_owned());
            }
            Some(EndKind::Completed) => {}
            Some(EndKind::Failed | EndKind::Blocked) => {
                span.level = Level::Error;
                // `Error` is what gateways call every failure; the session may know more.
                let stored = content.and_then(|tool| tool.status.clone());
                let said = slot.status.clone().filter(|status| status != "Error");
                span.status_message = said.or(stored).or_else(|| slot.status.clone());
                span.error_type = Some(slot.status.clone().unwrap_or_else(|| "_OTHER".to_owned()));
            }
            Some(EndKind::Aborted) => span.status_message.clone_from(&slot.status),
            None => {
                let (reason, end_ms) = close.unwrap_or((Reason::Completed, span.end_ms));
                // The session may know the end that no event told.
                let stored_end = content.filter(|tool| tool.output.is_some()).and_then(|tool| tool.ended_ms);
                if let Some(stored_end) = stored_end {
                    span.end_ms = stored_end.max(span.start_ms);
                    span.note("endSource", "session");
                } else if reason == Reason::Completed {
                    span.end_ms = span.end_ms.max(end_ms);
                }
                if says_error {
                    span.level = Level::Error;
                    span.status_message = content.and_then(|tool| tool.status.clone());
                    span.error_type = Some("tool_error".to_owned());
                }
                if stored_end.is_none() {
                    span.mark_incomplete(reason.says());
                }
            }
        }
        if let Some(link) = slot.span.as_deref().and_then(|id| self.link_to(id)) {
            span.links.push(link);
        }
        self.gone.cover(span.start_ms, span.end_ms);
        self.gone.tools.insert(key, occurrence);
        self.tools.leave(index);
        Some(span)
    }

    /// Lets a model call leave. `last` says that it is the last call of a closing run.
    pub(super) fn leave_call(
        &mut self,
        index: usize,
        frame: &Frame,
        close: Option<(Reason, i64)>,
        last: bool,
    ) -> Option<Span> {
        let ids = self.ids();
        let notes = self.calls.take_notes(index);
        let slot = self.calls.get(index)?;
        let failed =
            matches!(slot.end.as_ref().map(|end| end.kind), Some(EndKind::Failed | EndKind::Aborted));
        let (span_id, content) = if failed && last {
            let failed = self.content.as_ref().and_then(|content| content.generations.last());
            (ids.final_failure(), failed.filter(|one| one.is_failed()))
        } else if failed {
            (ids.failed_call(self.gone.failures + 1), None)
        } else {
            (ids.answer(self.gone.answers + 1), self.answer_content(self.gone.answers + 1))
        };
        let interval = slot.interval();
        let mut call = self.model_call(&slot.detail, content);
        call.first_byte_ms = slot.detail.first_byte_ms;
        let name = call.model.clone().unwrap_or_else(|| "model".to_owned());
        let identity = Arc::clone(&frame.identity);
        let mut span = Span::new(ids.trace(), span_id, SpanKind::Generation, &name, identity);
        span.parent_id = Some(ids.root());
        span.metadata = notes;
        place(&mut span, interval, frame.floor_ms);
        match slot.end.as_ref().map(|end| end.kind) {
            Some(EndKind::Completed) => {}
            Some(EndKind::Failed | EndKind::Blocked) => {
                span.level = Level::Error;
                let error = content.and_then(|content| content.error.clone());
                span.status_message = error.or_else(|| slot.status.clone());
                span.error_type = Some(slot.status.clone().unwrap_or_else(|| "_OTHER".to_owned()));
            }
            Some(EndKind::Aborted) => span.status_message = Some("aborted".to_owned()),
            None => {
                let (reason, end_ms) = close.unwrap_or((Reason::Completed, span.end_ms));
                if reason == Reason::Completed {
                    span.end_ms = span.end_ms.max(end_ms);
                }
                span.mark_incomplete(reason.says());
            }
        }
        if let Some(link) = slot.span.as_deref().and_then(|id| self.link_to(id)) {
            span.links.push(link);
        }
        finish_call(&mut span, call);
        self.count_call(&span, failed, failed && last);
        self.calls.leave(index);
        Some(span)
    }

    pub(super) fn count_call(&mut self, span: &Span, failed: bool, last: bool) {
        if !failed {
            self.gone.answers += 1;
        } else if !last {
            self.gone.failures += 1;
        }
        if let Some(usage) = span.usage() {
            self.gone.usage = plus(self.gone.usage, *usage);
        }
        self.gone.cost_usd += span.model_call.as_ref().and_then(|call| call.cost_usd).unwrap_or(0.0);
        self.gone.cover(span.start_ms, span.end_ms);
    }

    pub(super) fn model_call(&self, detail: &CallDetail, content: Option<&GenerationContent>) -> ModelCall {
        let model = detail.model.clone().or_else(|| content.and_then(|content| content.model.clone()));
        let provider =
            detail.provider.clone().or_else(|| content.and_then(|content| content.provider.clone()));
        let mut call = ModelCall {
            provider: provider.or_else(|| self.provider.get().cloned()),
            model: model.or_else(|| self.model.get().cloned()),
            usage: detail.usage,
            cost_usd: detail.cost_usd,
            ..ModelCall::default()
        };
        if let Some(content) = content {
            call.input.clone_from(&content.input);
            call.output.clone_from(&content.output);
            call.response_id.clone_from(&content.response_id);
            call.stop_reason.clone_from(&content.stop_reason);
            if call.usage.is_none() {
                call.usage = content.usage;
                call.cost_usd = call.cost_usd.or(content.cost_usd);
            }
        }
        call
    }

    /// Lets the context with this place in the list leave.
    pub(super) fn leave_context(&mut self, index: usize, frame: &Frame) -> Option<Span> {
        if index >= self.contexts.len() {
            return None;
        }
        let ids = self.ids();
        let context = self.contexts.remove(index);
        self.gone.contexts += 1;
        let span_id = ids.context(self.gone.contexts);
        let identity = Arc::clone(&frame.identity);
        let mut span = Span::new(ids.trace(), span_id, SpanKind::Context, "context.assembled", identity);
        span.parent_id = Some(ids.root());
        span.start_ms = context.at_ms;
        span.end_ms = context.at_ms;
        span.output = context.output;
        span.metadata = context.metadata;
        span.links.extend(context.link);
        self.gone.cover(span.start_ms, span.end_ms);
        Some(span)
    }

    /// Decides which ends belong to which starts, as nothing more will come. Returns how many ends were told again.
    pub(super) fn settle(&mut self) -> u64 {
        self.tools.settle() + self.calls.settle()
    }

    /// Puts everything that has not left yet into `spans`, which is empty; the root last.
    pub(super) fn close(&mut self, config: &Config, reason: Reason, spans: &mut Vec<Span>) {
        let frame = self.frame(config);
        let reason = if self.is_complete() { Reason::Completed } else { reason };
        let end_ms = match &self.completion {
            Some(completion) if reason == Reason::Completed => completion.at_ms,
            _ => self.last_report_ms(),
        };
        let close = Some((reason, end_ms));
        self.close_calls(&frame, close, spans);
        self.contexts.sort_by_key(|context| context.order);
        while !self.contexts.is_empty() {
            spans.extend(self.leave_context(0, &frame));
        }
        // Calls that ended are counted first: they are the ones that a session stores.
        let tools = self.tools.waiting().map(|(index, slot)| (slot.end.is_none(), slot.order(), index));
        let mut tools: Vec<_> = tools.collect();
        tools.sort_unstable();
        for (_, _, index) in tools {
            spans.extend(self.leave_tool(index, &frame, close));
        }
        self.stored_tools(&frame, end_ms, spans);
        spans.sort_by_key(|span| (span.start_ms, span.end_ms));
        spans.push(self.root(&frame, reason, end_ms));
    }

    /// Puts the model calls into `spans`, which holds nothing else yet.
    fn close_calls(&mut self, frame: &Frame, close: Option<(Reason, i64)>, spans: &mut Vec<Span>) {
        let mut calls: Vec<_> = self.calls.waiting().map(|(index, slot)| (slot.order(), index)).collect();
        calls.sort_unstable();
        self.usages.sort_by_key(|usage| usage.order);
        if self.calls.len() == 0 {
            self.generations_without_calls(frame, close, spans);
        }
        let last = calls.last().map(|(_, index)| *index);
        for (_, index) in calls {
            spans.extend(self.leave_call(index, frame, close, last == Some(index)));
        }
        if self.calls.len() > 0 {
            self.stored_answers(frame, spans);
            let only_turn = self.content.as_ref().is_some_and(|content| content.generations.is_empty());
            let answered = self.content.as_ref().is_some_and(|content| content.response.is_some());
            if only_turn && answered && self.gone.answers == 0 && !self.has_failed() {
                spans.extend(self.one_generation(frame, close));
            } else if only_turn {
                let mut answers = spans.iter_mut().filter(|span| span.level != Level::Error).peekable();
                let mut first = true;
                while let Some(span) = answers.next() {
                    self.turn_texts(span, first, answers.peek().is_none());
                    first = false;
                }
            }
            self.share_usage(frame, spans);
        }
    }

    /// No model.call.* event came: a usage event, or a stored answer, stands for a call.
    fn generations_without_calls(
        &mut self,
        frame: &Frame,
        close: Option<(Reason, i64)>,
        spans: &mut Vec<Span>,
    ) {
        let stored = self.content.as_ref().map_or(0, |content| content.generations.len());
        let stored_tell = self.content.as_ref().is_some_and(|content| {
            content.generations.iter().any(|one| one.usage.is_some() || one.ended_ms.is_some())
        });
        if self.usages.is_empty() || (stored_tell && stored != self.usages.len()) {
            if stored > 0 {
                self.stored_answers(frame, spans);
                self.share_usage(frame, spans);
            } else if !self.of_session {
                spans.extend(self.one_generation(frame, close));
            }
            return;
        }
        let usages = std::mem::take(&mut self.usages);
        let count = usages.len();
        for (index, usage) in usages.into_iter().enumerate() {
            let turn_texts = stored == 0;
            let mut span = self.usage_generation(frame, usage);
            if turn_texts {
                // Only the texts of the turn are known: the first call saw the prompt, the last one answered.
                self.turn_texts(&mut span, index == 0, index + 1 == count);
            }
            self.count_call(&span, false, false);
            spans.push(span);
        }
    }

    fn turn_texts(&self, span: &mut Span, first: bool, last: bool) {
        let (Some(content), Some(call)) = (&self.content, &mut span.model_call) else {
            return;
        };
        if let Some(prompt) = content.prompt.as_ref().filter(|_| first) {
            call.input = vec![ChatMessage::text("user", prompt.clone())];
        }
        if let Some(response) = content.response.as_ref().filter(|_| last) {
            call.output = vec![ChatMessage::text("assistant", response.clone())];
        }
    }

    fn usage_generation(&mut self, frame: &Frame, usage: UsageMark) -> Span {
        let ids = self.ids();
        let detail = CallDetail {
            provider: usage.provider,
            model: usage.model,
            usage: usage.usage,
            cost_usd: usage.cost_usd,
            ..CallDetail::default()
        };
        let content = self.answer_content(self.gone.answers + 1);
        let call = self.model_call(&detail, content);
        let name = call.model.clone().unwrap_or_else(|| "model".to_owned());
        let identity = Arc::clone(&frame.identity);
        let span_id = ids.answer(self.gone.answers + 1);
        let mut span = Span::new(ids.trace(), span_id, SpanKind::Generation, &name, identity);
        span.parent_id = Some(ids.root());
        span.metadata = usage.metadata;
        let start = usage.at_ms.saturating_sub(usage.duration_ms.unwrap_or(0)).max(0);
        let interval = Interval { start_ms: start, end_ms: usage.at_ms.max(start), guessed: true };
        place(&mut span, interval, frame.floor_ms);
        finish_call(&mut span, call);
        span
    }

    /// A turn of which only the texts are known.
    fn one_generation(&mut self, frame: &Frame, close: Option<(Reason, i64)>) -> Option<Span> {
        let content = self.content.as_ref()?;
        if content.prompt.is_none() && content.response.is_none() {
            return None;
        }
        let ids = self.ids();
        let call = self.model_call(&CallDetail::default(), None);
        let name = call.model.clone().unwrap_or_else(|| "model".to_owned());
        let identity = Arc::clone(&frame.identity);
        let mut span = Span::new(ids.trace(), ids.answer(1), SpanKind::Generation, &name, identity);
        span.parent_id = Some(ids.root());
        span.start_ms = frame.floor_ms.or(self.first_ms).unwrap_or(0);
        span.end_ms = close.map_or(span.start_ms, |(_, end_ms)| end_ms).max(span.start_ms);
        finish_call(&mut span, call);
        self.turn_texts(&mut span, true, true);
        self.count_call(&span, false, false);
        Some(span)
    }

    /// Gives what the run's usage events report beyond its calls to the calls that reported none.
    fn share_usage(&mut self, frame: &Frame, spans: &mut Vec<Span>) {
        let Some(latest) = self.usages.last() else { return };
        let (at_ms, order) = (latest.at_ms, latest.order);
        let total = self.usages.iter().filter_map(|mark| mark.usage).reduce(plus);
        let costs: Vec<f64> = self.usages.iter().filter_map(|mark| mark.cost_usd).collect();
        let rest = total.and_then(|total| minus(total, self.gone.usage));
        let rest_cost = costs.iter().sum::<f64>() - self.gone.cost_usd;
        let rest_cost = Some(rest_cost).filter(|cost| !costs.is_empty() && *cost > 1e-12);
        let answered = |span: &&mut Span| span.level != Level::Error;
        if let Some(rest) = rest {
            let blank = |span: &&mut Span| span.usage().is_none();
            if let Some(span) = spans.iter_mut().rev().filter(answered).find(blank) {
                if let Some(call) = &mut span.model_call {
                    call.usage = Some(rest);
                    call.cost_usd = call.cost_usd.or(rest_cost);
                }
                span.metadata.remove("usageReported");
                span.note("usageSource", "run");
                self.gone.usage = plus(self.gone.usage, rest);
            } else {
                let mark = UsageMark {
                    order,
                    at_ms,
                    duration_ms: None,
                    provider: None,
                    model: None,
                    usage: Some(rest),
                    cost_usd: rest_cost,
                    metadata: Metadata::new(),
                };
                let mut span = self.usage_generation(frame, mark);
                span.note("usageSource", "run");
                self.count_call(&span, false, false);
                spans.push(span);
            }
        } else if let Some(cost) = rest_cost {
            let priced =
                |span: &&mut Span| span.model_call.as_ref().is_some_and(|call| call.cost_usd.is_none());
            if let Some(span) = spans.iter_mut().rev().filter(answered).find(priced) {
                if let Some(call) = &mut span.model_call {
                    call.cost_usd = Some(cost);
                }
                span.note("costSource", "run");
                self.gone.cost_usd += cost;
            }
        }
    }

    fn link_to(&self, span: &str) -> Option<crate::span::Link> {
        let trace_id = crate::ids::TraceId::parse(self.w3c_trace.get()?)?;
        Some(crate::span::Link::new(trace_id, crate::ids::SpanId::parse(span)?))
    }

    fn root(&mut self, frame: &Frame, reason: Reason, end_ms: i64) -> Span {
        let ids = self.ids();
        let name = frame.identity.trace_name.clone();
        let identity = Arc::clone(&frame.identity);
        let mut span = Span::new(ids.trace(), ids.root(), SpanKind::Run, &name, identity);
        let start = self.known_start().or(self.first_ms).unwrap_or(end_ms);
        span.start_ms = start.min(self.gone.first_ms.unwrap_or(start));
        span.end_ms = end_ms.max(self.gone.last_ms.unwrap_or(end_ms)).max(span.start_ms);
        for (key, value) in [
            ("agentId", frame.identity.agent.clone()),
            ("runId", self.run_id.clone()),
            ("provider", self.provider.get().cloned()),
            ("model", self.model.get().cloned()),
            ("trigger", self.trigger.get().cloned()),
            ("channel", self.channel.get().cloned()),
            ("sessionKey", self.session_key.get().cloned()),
            ("sessionId", self.session_id.get().cloned()),
            ("rawSession", frame.replaced_session.clone()),
        ] {
            if let Some(value) = value {
                span.note(key, value);
            }
        }
        if let Some((trace_id, span_id)) = self.root_link.get() {
            span.note("w3cTraceId", trace_id.clone());
            span.note("w3cSpanId", span_id.clone());
            if let Some(link) = crate::ids::TraceId::parse(trace_id)
                .zip(crate::ids::SpanId::parse(span_id))
                .map(|(trace_id, span_id)| crate::span::Link::new(trace_id, span_id))
            {
                span.links.push(link);
            }
        }
        if self.attempts.len() > 1 {
            span.note("attempts", self.attempts.len());
        }
        if let Some(completion) = &self.completion {
            for (key, value) in [
                ("outcome", completion.outcome.clone()),
                ("errorCategory", completion.error_category.clone()),
                ("blockedBy", completion.blocked_by.clone()),
            ] {
                if let Some(value) = value {
                    span.note(key, value);
                }
            }
            if let Some(duration) = &completion.duration_ms {
                span.note("durationMs", duration.clone());
            }
        }
        for mark in &self.usages {
            let window = mark.metadata.iter().filter(|(key, _)| key.starts_with("context"));
            span.metadata.extend(window.map(|(key, value)| (key.clone(), value.clone())));
        }
        if let Some(content) = &self.content {
            span.input.clone_from(&content.prompt);
            span.output.clone_from(&content.response);
        }
        self.judge(&mut span);
        if self.events_dropped > 0 {
            span.note("events_dropped", self.events_dropped);
            span.mark_incomplete("the gateway dropped events");
        }
        if reason != Reason::Completed {
            span.mark_incomplete(reason.says());
        }
        span.evaluations = std::mem::take(&mut self.evaluations);
        span
    }
}

fn place(span: &mut Span, interval: Interval, floor_ms: Option<i64>) {
    let floor = if interval.guessed { floor_ms.unwrap_or(i64::MIN) } else { i64::MIN };
    span.start_ms = interval.start_ms.max(floor.min(interval.end_ms));
    span.end_ms = interval.end_ms.max(span.start_ms);
}

pub(super) fn finish_call(span: &mut Span, call: ModelCall) {
    if let Some(provider) = &call.provider {
        span.note("provider", provider.clone());
    }
    if call.usage.is_none() {
        span.note("usageReported", false);
    }
    span.model_call = Some(Box::new(call));
}

//! From a neutral span and the tables to attributes.

use super::messages::{gen_ai_json, one_text};
use super::stamp::Stamp;
use super::tables::{GEN_AI, GEN_AI_ALONE, GEN_AI_NEXT, GEN_AI_V1_41, LANGFUSE, OPENINFERENCE, Row, Say};
use super::words::{finish_reason, level, mime_type, observation_type, operation, span_kind_name};
use super::{Convention, GenAiVersion, gen_ai_provider};
use crate::cut::cut_text;
use crate::otlp::{AttributeValue, Attributes, Event, Key, WireSpan};
use crate::span::{ChatMessage, Level, Link, ModelCall, Part, Span, SpanKind};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The rows that apply to each kind of span, in order; a name that two tables share stands once.
#[derive(Debug)]
pub(crate) struct Names {
    convention: Convention,
    rows: [Vec<(Say, &'static str)>; SpanKind::ALL.len()],
}

impl Names {
    pub(crate) fn of(convention: Convention) -> Self {
        let rows = SpanKind::ALL.map(|kind| {
            let mut rows: Vec<(Say, &'static str)> = Vec::new();
            for Row(say, name, _) in tables(convention).flatten().filter(|row| row.2.has(kind)) {
                if !rows.iter().any(|(_, known)| known == name) {
                    rows.push((*say, name));
                }
            }
            rows
        });
        Self { convention, rows }
    }

    pub(crate) fn convention(&self) -> Convention {
        self.convention
    }

    fn rows(&self, kind: SpanKind) -> &[(Say, &'static str)] {
        self.rows.get(kind as usize).map_or(&[], Vec::as_slice)
    }
}

/// Texts of this length are not cut further for want of room, in bytes.
const SHORT: usize = 256;

/// Renders a span. No text is longer than `max_value_bytes`; when all of them together are longer than
/// `max_span_bytes`, the longest are cut further, and where even short ones are too many, those that find no room are
/// left out and counted. Texts that need no cut are borrowed.
pub(crate) fn render<'a>(
    span: &'a Span,
    names: &Names,
    stamp: &'a Stamp,
    max_value_bytes: usize,
    max_span_bytes: usize,
) -> WireSpan<'a> {
    let rows = names.rows(span.kind);
    let mut max = max_value_bytes;
    loop {
        let list = Vec::with_capacity(rows.len() + span.metadata.len() + 2);
        let mut sink = Sink { list, max, room: max_span_bytes, dropped: 0 };
        for (say, name) in rows {
            sink.row(*say, name, span, stamp);
            if sink.is_in_vain() {
                break;
            }
        }
        if !sink.is_in_vain() {
            return wire(span, names.convention, sink);
        }
        max = (max / 2).max(SHORT);
    }
}

fn tables(convention: Convention) -> impl Iterator<Item = &'static [Row]> {
    let version: Option<&'static [Row]> = convention.gen_ai().map(|version| match version {
        GenAiVersion::V1_41 => GEN_AI_V1_41,
        GenAiVersion::Next => GEN_AI_NEXT,
    });
    let shared = convention.gen_ai().map(|_| GEN_AI);
    let langfuse = convention.has_langfuse().then_some(LANGFUSE);
    let openinference = convention.has_openinference().then_some(OPENINFERENCE);
    let alone = convention.gen_ai().filter(|_| langfuse.is_none() && openinference.is_none());
    let alone = alone.map(|_| GEN_AI_ALONE);
    [langfuse, shared, version, alone, openinference].into_iter().flatten()
}

fn wire<'a>(span: &'a Span, convention: Convention, sink: Sink<'a>) -> WireSpan<'a> {
    let max = sink.max;
    let name = if convention.gen_ai().is_some() && !convention.has_langfuse() {
        gen_ai_name(span)
    } else {
        Cow::Borrowed(span.name.as_str())
    };
    let text = |text: &'a str| AttributeValue::Text(cut_text(text, max));
    let mut events = Vec::new();
    if convention.gen_ai().is_some() {
        for evaluation in span.evaluations.iter().filter(|one| one.is_applicable()) {
            let mut attributes = vec![attribute("gen_ai.evaluation.name", text(&evaluation.name))];
            if let Some(score) = evaluation.finite_score() {
                attributes.push(attribute("gen_ai.evaluation.score.value", AttributeValue::Float(score)));
            }
            if let Some(label) = &evaluation.label {
                attributes.push(attribute("gen_ai.evaluation.score.label", text(label)));
            }
            if let Some(why) = &evaluation.explanation {
                attributes.push(attribute("gen_ai.evaluation.explanation", text(why)));
            }
            events.push(Event { time_ns: nanos(span.end_ms), name: "gen_ai.evaluation.result", attributes });
        }
    }
    WireSpan {
        trace_id: span.trace_id,
        span_id: span.span_id,
        parent_id: span.parent_id,
        name: if name.is_empty() { Cow::Borrowed("span") } else { cut(name, 1_024) },
        // CLIENT for calls that leave the process, INTERNAL for the rest.
        kind: if span.kind == SpanKind::Generation { 3 } else { 1 },
        start_ns: nanos(span.start_ms),
        end_ns: nanos(span.end_ms),
        attributes: sink.list,
        events,
        links: &span.links,
        dropped_attributes: sink.dropped,
        status_code: if span.level == Level::Error { 2 } else { 0 },
        status_message: error_message(span).map(|text| cut_text(text, max)),
    }
}

/// Milliseconds to nanoseconds; times are in range by construction.
fn nanos(ms: i64) -> u64 {
    u64::try_from(ms).unwrap_or(0).saturating_mul(1_000_000)
}

fn gen_ai_name(span: &Span) -> Cow<'_, str> {
    let named = |operation: &str, what: Option<&str>| {
        what.map_or_else(|| operation.to_owned(), |what| format!("{operation} {what}")).into()
    };
    match span.kind {
        SpanKind::Run => named("invoke_agent", span.identity.agent.as_deref()),
        SpanKind::Generation => {
            named("chat", span.model_call.as_ref().and_then(|call| call.model.as_deref()))
        }
        SpanKind::Tool | SpanKind::Retriever => {
            named("execute_tool", span.tool.as_ref().map(|tool| tool.name.as_str()))
        }
        SpanKind::Context => Cow::Borrowed(span.name.as_str()),
    }
}

fn attribute<'a>(name: &'static str, value: AttributeValue<'a>) -> (Key<'a>, AttributeValue<'a>) {
    (Key::from(name), value)
}

/// [`cut_text`] of a text that may be a made one.
fn cut(text: Cow<'_, str>, max: usize) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => cut_text(text, max),
        Cow::Owned(text) if text.len() <= max => Cow::Owned(text),
        Cow::Owned(text) => Cow::Owned(cut_text(&text, max).into_owned()),
    }
}

/// Collects attributes.
struct Sink<'a> {
    list: Attributes<'a>,
    max: usize,
    /// Bytes that are left for the span.
    room: usize,
    dropped: u32,
}

impl<'a> Sink<'a> {
    /// Whether something was left out that shorter texts would leave room for.
    fn is_in_vain(&self) -> bool {
        self.dropped > 0 && self.max > SHORT
    }

    fn put(&mut self, key: impl Into<Key<'a>>, value: Option<AttributeValue<'a>>) {
        let Some(value) = value else { return };
        let key = key.into();
        match self.room.checked_sub(key.len().saturating_add(value.size())) {
            Some(room) => {
                self.room = room;
                self.list.push((key, value));
            }
            None => self.dropped = self.dropped.saturating_add(1),
        }
    }

    fn text(&mut self, key: impl Into<Key<'a>>, value: Option<&'a str>) {
        let max = self.max;
        self.put(key, value.map(|value| AttributeValue::Text(cut_text(value, max))));
    }

    /// A text that was made for this attribute, or is borrowed.
    fn made(&mut self, key: impl Into<Key<'a>>, value: Option<impl Into<Cow<'a, str>>>) {
        let max = self.max;
        self.put(key, value.map(|value| AttributeValue::Text(cut(value.into(), max))));
    }

    fn count(&mut self, key: &'static str, value: Option<u64>) {
        self.put(key, value.and_then(|count| i64::try_from(count).ok()).map(AttributeValue::Int));
    }

    fn row(&mut self, say: Say, key: &'static str, span: &'a Span, stamp: &'a Stamp) {
        let identity = &*span.identity;
        let call = span.model_call.as_deref();
        let usage = call.and_then(|call| call.usage);
        match say {
            Say::TraceName => self.text(key, Some(&identity.trace_name)),
            Say::Session => self.text(key, identity.session.as_deref()),
            Say::User => self.text(key, identity.user.as_deref()),
            Say::UserName => self.text(key, identity.user_name.as_deref()),
            Say::Agent => self.text(key, identity.agent.as_deref()),
            Say::Tags => {
                let tags: Vec<Cow<'a, str>> = identity.tags.iter().map(Cow::from).collect();
                self.put(key, (!tags.is_empty()).then_some(AttributeValue::Texts(tags)));
            }
            Say::Environment => self.text(key, stamp.environment.as_deref()),
            Say::Release => self.text(key, stamp.release.as_deref()),
            Say::ObservationType => self.text(key, Some(observation_type(span.kind))),
            Say::SpanKindName => self.text(key, Some(span_kind_name(span.kind))),
            Say::Operation => self.text(key, operation(span.kind)),
            Say::Level => self.text(key, level(span.level)),
            Say::StatusMessage => self.text(key, span.status_message.as_deref()),
            Say::ErrorMessage => self.text(key, error_message(span)),
            Say::Remark => self.text(key, remark(span)),
            Say::ErrorType => self.text(key, span.error_type.as_deref()),
            Say::Input | Say::InputMime => {
                self.payload(say == Say::InputMime, key, span.input.as_deref(), call, |call| &call.input);
            }
            Say::Output | Say::OutputMime => {
                self.payload(say == Say::OutputMime, key, span.output.as_deref(), call, |call| &call.output);
            }
            Say::Model => self.text(key, call.and_then(|call| call.model.as_deref())),
            Say::Provider => self.text(key, call.and_then(|call| call.provider.as_deref())),
            Say::GenAiProvider => {
                let of_run = span.metadata.get("provider").and_then(Value::as_str);
                let provider = call.and_then(|call| call.provider.as_deref()).or(of_run);
                self.text(key, provider.map(gen_ai_provider));
            }
            Say::ResponseId => self.text(key, call.and_then(|call| call.response_id.as_deref())),
            Say::FinishReasons => {
                let reason = call.and_then(|call| call.stop_reason.as_deref()).map(finish_reason);
                self.put(key, reason.map(|reason| AttributeValue::Texts(vec![reason.into()])));
            }
            Say::FirstByteTime => {
                let at = call.and_then(|call| call.first_byte_ms).map(|ms| span.start_ms.saturating_add(ms));
                let at = at
                    .map(|at| clawgauge_transcript::Timestamp::from_millis(at.min(span.end_ms)).to_string());
                self.made(key, at);
            }
            Say::LangfuseUsage => {
                let json = usage
                    .map(|usage| usage.to_langfuse())
                    .and_then(|usage| serde_json::to_string(&usage).ok());
                self.made(key, json.filter(|json| json != "{}"));
            }
            Say::LangfuseCost => {
                let json = call
                    .and_then(|call| call.cost_usd)
                    .map(|cost| format!("{{\"total\":{}}}", Value::from(cost)));
                self.made(key, json);
            }
            Say::CostTotal => self.put(key, call.and_then(|call| call.cost_usd).map(AttributeValue::Float)),
            Say::GenAiInputTokens => self.count(key, usage.and_then(|usage| usage.to_gen_ai().input_tokens)),
            Say::GenAiOutputTokens => {
                self.count(key, usage.and_then(|usage| usage.to_gen_ai().output_tokens));
            }
            Say::GenAiCacheRead => {
                self.count(key, usage.and_then(|usage| usage.to_gen_ai().cache_read_input_tokens));
            }
            Say::GenAiCacheWrite => {
                self.count(key, usage.and_then(|usage| usage.to_gen_ai().cache_creation_input_tokens));
            }
            Say::GenAiReasoning => {
                self.count(key, usage.and_then(|usage| usage.to_gen_ai().reasoning_output_tokens));
            }
            Say::PromptTokens => self.count(key, usage.and_then(|usage| usage.to_openinference().prompt)),
            Say::CompletionTokens => {
                self.count(key, usage.and_then(|usage| usage.to_openinference().completion));
            }
            Say::TotalTokens => self.count(key, usage.and_then(|usage| usage.to_openinference().total)),
            Say::PromptCacheRead => {
                self.count(key, usage.and_then(|usage| usage.to_openinference().prompt_cache_read));
            }
            Say::PromptCacheWrite => {
                self.count(key, usage.and_then(|usage| usage.to_openinference().prompt_cache_write));
            }
            Say::CompletionReasoning => {
                self.count(key, usage.and_then(|usage| usage.to_openinference().completion_reasoning));
            }
            Say::InputMessages => match call {
                Some(call) => self.made(key, gen_ai_json(&call.input, None, self.max)),
                None => self.message(key, "user", span.input.as_deref(), None),
            },
            Say::OutputMessages => {
                let reason = call.and_then(|call| call.stop_reason.as_deref()).map(finish_reason);
                match call {
                    Some(call) => self.made(key, gen_ai_json(&call.output, reason, self.max)),
                    None => {
                        let reason = if span.level == Level::Error { "error" } else { "stop" };
                        self.message(key, "assistant", span.output.as_deref(), Some(reason));
                    }
                }
            }
            Say::FlatInputMessages => self.flat(key, call.map(|call| call.input.as_slice())),
            Say::FlatOutputMessages => self.flat(key, call.map(|call| call.output.as_slice())),
            Say::ToolName => self.text(key, span.tool.as_ref().map(|tool| tool.name.as_str())),
            Say::ToolType => self.text(key, span.tool.as_ref().map(|_| "function")),
            Say::ToolCallId => self.text(key, span.tool.as_ref().and_then(|tool| tool.call_id.as_deref())),
            Say::ToolArguments => self.text(key, span.input.as_deref()),
            Say::ToolResult => self.text(key, span.output.as_deref()),
            Say::Metadata => self.metadata(key, span),
            Say::MetadataJson => self.metadata_json(key, span),
            Say::Evaluations => self.evaluations(key, span),
        }
    }

    /// The text of a run or a tool, or the messages of a call; or the kind of that text.
    fn payload(
        &mut self,
        mime: bool,
        key: &'static str,
        plain: Option<&'a str>,
        call: Option<&'a ModelCall>,
        of_call: impl Fn(&'a ModelCall) -> &'a Vec<ChatMessage>,
    ) {
        let value = plain.map(Cow::Borrowed).or_else(|| one_text(of_call(call?), self.max).map(Cow::Owned));
        if mime {
            self.text(key, value.map(|value| mime_type(&value)));
        } else {
            self.made(key, value);
        }
    }

    /// A text of a run as the one message that it is.
    fn message(&mut self, key: &'static str, role: &str, text: Option<&str>, finish_reason: Option<&str>) {
        let message = text.map(|text| [ChatMessage::text(role, text)]);
        self.made(key, message.and_then(|message| gen_ai_json(&message, finish_reason, self.max)));
    }

    /// OpenInference: one attribute a field. A call with very many messages keeps the first and the last hundred.
    fn flat(&mut self, prefix: &'static str, messages: Option<&'a [ChatMessage]>) {
        const EDGE: usize = 100;
        let messages = messages.unwrap_or_default();
        let skip = messages.len().saturating_sub(2 * EDGE);
        for (index, message) in messages.iter().enumerate() {
            if skip > 0 && index >= EDGE && index < EDGE + skip {
                continue;
            }
            if self.is_in_vain() {
                return;
            }
            let base = format!(".{index}.message");
            self.text(Key::new(prefix, format!("{base}.role")), Some(&message.role));
            let words = message.plain_text();
            let mut content: Option<Cow<'a, str>> = (!words.is_empty()).then_some(words.into());
            let (mut calls, mut answers) = (0, 0);
            for part in &message.parts {
                match part {
                    Part::ToolCall { .. } if self.is_in_vain() => return,
                    Part::ToolCall { id, name, arguments } => {
                        let call = format!("{base}.tool_calls.{calls}.tool_call");
                        self.text(Key::new(prefix, format!("{call}.id")), Some(id));
                        self.text(Key::new(prefix, format!("{call}.function.name")), Some(name));
                        let arguments = Some(arguments.to_string());
                        self.made(Key::new(prefix, format!("{call}.function.arguments")), arguments);
                        calls += 1;
                    }
                    Part::ToolResponse { id, response } => {
                        if answers == 0 {
                            self.text(Key::new(prefix, format!("{base}.tool_call_id")), Some(id));
                        }
                        content = Some(response.into());
                        answers += 1;
                    }
                    Part::Text(_) | Part::Reasoning(_) | Part::Other(_) => {}
                }
            }
            self.made(Key::new(prefix, format!("{base}.content")), content);
        }
    }

    fn metadata(&mut self, prefix: &'static str, span: &'a Span) {
        for (key, value) in &span.metadata {
            let value = match value {
                Value::String(text) => Cow::Borrowed(text.as_str()),
                // Quicker than `Display`; a value in memory can always be written.
                other => Cow::Owned(serde_json::to_string(other).unwrap_or_default()),
            };
            self.made(Key::new(prefix, key.as_ref()), Some(value));
        }
        for (key, value) in w3c(span) {
            if !span.metadata.contains_key(key) {
                self.made(Key::new(prefix, key), Some(value));
            }
        }
    }

    fn metadata_json(&mut self, key: &'static str, span: &Span) {
        let mut object: Map<String, Value> =
            span.metadata.iter().map(|(key, value)| (key.to_string(), value.clone())).collect();
        if let Some(name) = &span.identity.user_name {
            object.insert("user_name".to_owned(), name.clone().into());
        }
        let said = [
            ("level", level(span.level).filter(|_| span.level != Level::Error)),
            ("status_message", remark(span)),
        ];
        for (key, value) in said {
            if let Some(value) = value {
                object.entry(key).or_insert_with(|| value.into());
            }
        }
        for (key, value) in w3c(span) {
            object.entry(key).or_insert_with(|| value.into());
        }
        if object.is_empty() {
            return;
        }
        let max = self.max;
        // The object stays JSON: values are cut, then left out.
        let mut each = max;
        loop {
            let cut: Map<String, Value> = object
                .iter()
                .map(|(key, value)| (key.clone(), super::messages::cut_value(value, each)))
                .collect();
            let json = Value::Object(cut).to_string();
            if json.len() <= max {
                self.made(key, Some(json));
                return;
            }
            if each <= 64 {
                return;
            }
            each /= 2;
        }
    }

    fn evaluations(&mut self, prefix: &'static str, span: &'a Span) {
        for (index, one) in span.evaluations.iter().filter(|one| one.is_applicable()).enumerate() {
            let key = |field: &str| Key::new(prefix, format!(".{index}.evaluation.{field}"));
            self.text(key("name"), Some(&one.name));
            self.put(key("score"), one.finite_score().map(AttributeValue::Float));
            self.text(key("label"), one.label.as_deref());
            self.text(key("explanation"), one.explanation.as_deref());
            self.text(key("annotator_kind"), Some(one.annotator.name()));
        }
    }
}

/// Why a span failed.
fn error_message(span: &Span) -> Option<&str> {
    span.status_message.as_deref().filter(|_| span.level == Level::Error)
}

/// What is said of a span that did not fail: that a person stopped it, that no end was reported.
fn remark(span: &Span) -> Option<&str> {
    span.status_message.as_deref().filter(|_| span.level != Level::Error)
}

/// The gateway's own ids of a span.
fn w3c(span: &Span) -> impl Iterator<Item = (&'static str, String)> {
    let ids =
        |link: &Link| [("w3cTraceId", link.trace_id.to_string()), ("w3cSpanId", link.span_id.to_string())];
    span.links.first().map(ids).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_tables_share_says_one_thing() {
        let all = Convention::LANGFUSE | Convention::OPENINFERENCE;
        let (older, newer) = (Convention::GEN_AI_V1_41, Convention::GEN_AI_NEXT);
        for convention in [all | older, all | newer, older, newer] {
            for kind in SpanKind::ALL {
                let rows: Vec<&Row> = tables(convention).flatten().filter(|row| row.2.has(kind)).collect();
                for Row(say, name, _) in &rows {
                    let other = rows.iter().find(|row| row.1 == *name && row.0 != *say);
                    assert!(other.is_none(), "{name} says {say:?} and {:?}", other.map(|row| row.0));
                }
            }
        }
    }
}

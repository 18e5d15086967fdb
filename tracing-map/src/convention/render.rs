//! From a neutral span and the tables to attributes.

use super::messages::{gen_ai_json, one_text};
use super::tables::{GEN_AI, GEN_AI_NEXT, GEN_AI_V1_41, LANGFUSE, OPENINFERENCE, Row, Say};
use super::{Convention, GenAiVersion, gen_ai_provider};
use crate::cut::cut_text;
use crate::otlp::{AttributeValue, Event, WireSpan};
use crate::span::{ChatMessage, Level, ModelCall, Part, Span, SpanKind};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What the program says about itself and where it runs, on every span or on the resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stamp {
    /// `service.name`.
    pub service_name: String,
    /// `service.version`.
    pub service_version: Option<String>,
    /// The environment (`dev`, `production`); see [`environment_name`].
    pub environment: Option<String>,
    /// The release.
    pub release: Option<String>,
}

impl Stamp {
    /// A stamp with a service name.
    #[must_use]
    pub fn new(service_name: impl Into<String>) -> Self {
        Self { service_name: service_name.into(), ..Self::default() }
    }

    /// The same with an environment, in the form that Langfuse takes.
    #[must_use]
    pub fn with_environment(mut self, environment: Option<&str>) -> Self {
        self.environment = environment.and_then(environment_name);
        self
    }

    /// The same with a release.
    #[must_use]
    pub fn with_release(mut self, release: Option<&str>) -> Self {
        self.release = release.map(str::to_owned).filter(|release| !release.is_empty());
        self
    }
}

/// An environment name in the form that Langfuse takes: lower case, only `a-z0-9-_`, at most 40 characters, without a
/// leading `langfuse`. Other characters become `-`; `None` when nothing is left.
#[must_use]
pub fn environment_name(raw: &str) -> Option<String> {
    let mut name: String = raw
        .trim()
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' })
        .collect();
    while let Some(rest) = name.strip_prefix("langfuse") {
        name = rest.trim_start_matches(['-', '_']).to_owned();
    }
    let name = name.trim_matches('-');
    let name: String = name.chars().take(40).collect();
    (!name.is_empty()).then_some(name)
}

/// A span with its attributes, and how many bytes they take.
pub(crate) struct Rendered {
    pub(crate) span: WireSpan,
}

/// Renders a span. No text is longer than `max_value_bytes`; when all of them together are longer than
/// `max_span_bytes`, the longest are cut further.
pub(crate) fn render(
    span: &Span,
    convention: Convention,
    stamp: &Stamp,
    max_value_bytes: usize,
    max_span_bytes: usize,
) -> Rendered {
    let mut max = max_value_bytes;
    loop {
        let mut sink = Sink { list: Vec::new(), keys: BTreeSet::new(), max, bytes: 0 };
        for table in tables(convention) {
            for row in table.iter().filter(|row| row.2.has(span.kind)) {
                sink.row(row, span, stamp);
            }
        }
        if sink.bytes <= max_span_bytes || max <= 256 {
            return Rendered { span: wire(span, convention, sink) };
        }
        max /= 2;
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
    [langfuse, shared, version, openinference].into_iter().flatten()
}

fn wire(span: &Span, convention: Convention, sink: Sink) -> WireSpan {
    let max = sink.max;
    let name = if convention.gen_ai().is_some() && !convention.has_langfuse() {
        gen_ai_name(span)
    } else {
        Cow::Borrowed(span.name.as_str())
    };
    let mut events = Vec::new();
    if convention.gen_ai().is_some() {
        for evaluation in span.evaluations.iter().filter(|one| one.is_applicable()) {
            let mut attributes = vec![attribute("gen_ai.evaluation.name", text(&evaluation.name, max))];
            if let Some(score) = evaluation.score {
                attributes.push(attribute("gen_ai.evaluation.score.value", AttributeValue::Float(score)));
            }
            if let Some(label) = &evaluation.label {
                attributes.push(attribute("gen_ai.evaluation.score.label", text(label, max)));
            }
            if let Some(why) = &evaluation.explanation {
                attributes.push(attribute("gen_ai.evaluation.explanation", text(why, max)));
            }
            events.push(Event {
                time_ns: nanos(span.end_ms),
                name: "gen_ai.evaluation.result".into(),
                attributes,
            });
        }
    }
    let failed = span.level == Level::Error;
    WireSpan {
        trace_id: span.trace_id,
        span_id: span.span_id,
        parent_id: span.parent_id,
        name: cut_text(if name.is_empty() { "span" } else { &name }, 1_024).into_owned(),
        // CLIENT for calls that leave the process, INTERNAL for the rest.
        kind: if span.kind == SpanKind::Generation { 3 } else { 1 },
        start_ns: nanos(span.start_ms),
        end_ns: nanos(span.end_ms),
        attributes: sink.list,
        events,
        links: span.links.clone(),
        status_code: if failed { 2 } else { 0 },
        status_message: span
            .status_message
            .as_deref()
            .filter(|_| failed)
            .map(|text| cut_text(text, max).into_owned()),
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

fn attribute(
    key: impl Into<Cow<'static, str>>,
    value: AttributeValue,
) -> (Cow<'static, str>, AttributeValue) {
    (key.into(), value)
}

fn text(text: &str, max: usize) -> AttributeValue {
    AttributeValue::Text(cut_text(text, max).into_owned())
}

/// Collects attributes with unique keys.
struct Sink {
    list: Vec<(Cow<'static, str>, AttributeValue)>,
    keys: BTreeSet<Cow<'static, str>>,
    max: usize,
    bytes: usize,
}

impl Sink {
    fn put(&mut self, key: impl Into<Cow<'static, str>>, value: Option<AttributeValue>) {
        let Some(value) = value else { return };
        let key = key.into();
        if self.keys.insert(key.clone()) {
            self.bytes = self.bytes.saturating_add(key.len()).saturating_add(value.size());
            self.list.push((key, value));
        }
    }

    fn text(&mut self, key: impl Into<Cow<'static, str>>, value: Option<&str>) {
        let max = self.max;
        self.put(key, value.map(|value| text(value, max)));
    }

    fn count(&mut self, key: &'static str, value: Option<u64>) {
        self.put(key, value.and_then(|count| i64::try_from(count).ok()).map(AttributeValue::Int));
    }

    fn row(&mut self, row: &Row, span: &Span, stamp: &Stamp) {
        let Row(say, key, _) = *row;
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
                let tags = identity.tags.clone();
                self.put(key, (!tags.is_empty()).then_some(AttributeValue::Texts(tags)));
            }
            Say::Environment => self.text(key, stamp.environment.as_deref()),
            Say::Release => self.text(key, stamp.release.as_deref()),
            Say::ObservationType => self.text(key, Some(observation_type(span.kind))),
            Say::SpanKindName => self.text(key, Some(span_kind_name(span.kind))),
            Say::Operation => self.text(key, operation(span.kind)),
            Say::Level => self.text(key, level(span.level)),
            Say::StatusMessage => self.text(key, span.status_message.as_deref()),
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
                let reason = call.and_then(|call| call.stop_reason.clone());
                self.put(
                    key,
                    reason.map(|reason| AttributeValue::Texts(vec![finish_reason(&reason).to_owned()])),
                );
            }
            Say::FirstByteTime => {
                let at = call.and_then(|call| call.first_byte_ms).map(|ms| span.start_ms.saturating_add(ms));
                let at = at
                    .map(|at| clawgauge_transcript::Timestamp::from_millis(at.min(span.end_ms)).to_string());
                self.text(key, at.as_deref());
            }
            Say::LangfuseUsage => {
                let json = usage
                    .map(|usage| usage.to_langfuse())
                    .and_then(|usage| serde_json::to_string(&usage).ok());
                self.text(key, json.as_deref().filter(|json| *json != "{}"));
            }
            Say::LangfuseCost => {
                let json = call
                    .and_then(|call| call.cost_usd)
                    .map(|cost| format!("{{\"total\":{}}}", Value::from(cost)));
                self.text(key, json.as_deref());
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
            Say::InputMessages => self.messages(key, call.map(|call| call.input.as_slice())),
            Say::OutputMessages => self.messages(key, call.map(|call| call.output.as_slice())),
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
        plain: Option<&str>,
        call: Option<&ModelCall>,
        of_call: impl Fn(&ModelCall) -> &Vec<ChatMessage>,
    ) {
        let value = plain.map(Cow::Borrowed).or_else(|| one_text(of_call(call?), self.max).map(Cow::Owned));
        if mime {
            self.text(key, value.map(|value| mime_type(&value)));
        } else {
            self.text(key, value.as_deref());
        }
    }

    fn messages(&mut self, key: &'static str, messages: Option<&[ChatMessage]>) {
        let json = messages.and_then(|messages| gen_ai_json(messages, self.max));
        self.put(key, json.map(AttributeValue::Text));
    }

    /// OpenInference: one attribute a field. A call with very many messages keeps the first and the last hundred.
    fn flat(&mut self, prefix: &str, messages: Option<&[ChatMessage]>) {
        const EDGE: usize = 100;
        let messages = messages.unwrap_or_default();
        let skip = messages.len().saturating_sub(2 * EDGE);
        for (index, message) in messages.iter().enumerate() {
            if skip > 0 && index >= EDGE && index < EDGE + skip {
                continue;
            }
            let base = format!("{prefix}.{index}.message");
            self.text(format!("{base}.role"), Some(&message.role));
            let words = message.plain_text();
            let mut call_index = 0;
            let mut content = (!words.is_empty()).then_some(words);
            for part in &message.parts {
                match part {
                    Part::ToolCall { id, name, arguments } => {
                        let call = format!("{base}.tool_calls.{call_index}.tool_call");
                        self.text(format!("{call}.id"), Some(id));
                        self.text(format!("{call}.function.name"), Some(name));
                        self.text(format!("{call}.function.arguments"), Some(&arguments.to_string()));
                        call_index += 1;
                    }
                    Part::ToolResponse { id, response } => {
                        self.text(format!("{base}.tool_call_id"), Some(id));
                        content = Some(response.clone());
                    }
                    Part::Text(_) | Part::Reasoning(_) | Part::Other(_) => {}
                }
            }
            self.text(format!("{base}.content"), content.as_deref());
        }
    }

    fn metadata(&mut self, prefix: &str, span: &Span) {
        for (key, value) in &span.metadata {
            let value = match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            self.text(format!("{prefix}{key}"), Some(&value));
        }
        for (index, link) in span.links.iter().enumerate().take(1) {
            let _ = index;
            self.text(format!("{prefix}w3cTraceId"), Some(&link.trace_id.to_string()));
            self.text(format!("{prefix}w3cSpanId"), Some(&link.span_id.to_string()));
        }
    }

    fn metadata_json(&mut self, key: &'static str, span: &Span) {
        let mut object: Map<String, Value> =
            span.metadata.iter().map(|(key, value)| (key.to_string(), value.clone())).collect();
        if let Some(name) = &span.identity.user_name {
            object.insert("user_name".to_owned(), name.clone().into());
        }
        if let Some(link) = span.links.first() {
            object.entry("w3cTraceId").or_insert_with(|| link.trace_id.to_string().into());
            object.entry("w3cSpanId").or_insert_with(|| link.span_id.to_string().into());
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
                self.put(key, Some(AttributeValue::Text(json)));
                return;
            }
            if each <= 64 {
                return;
            }
            each /= 2;
        }
    }

    fn evaluations(&mut self, prefix: &str, span: &Span) {
        for (index, one) in span.evaluations.iter().filter(|one| one.is_applicable()).enumerate() {
            let base = format!("{prefix}.{index}.evaluation");
            self.text(format!("{base}.name"), Some(&one.name));
            self.put(format!("{base}.score"), one.score.map(AttributeValue::Float));
            self.text(format!("{base}.label"), one.label.as_deref());
            self.text(format!("{base}.explanation"), one.explanation.as_deref());
            self.text(format!("{base}.annotator_kind"), Some(one.annotator.name()));
        }
    }
}

fn observation_type(kind: SpanKind) -> &'static str {
    match kind {
        SpanKind::Run => "agent",
        SpanKind::Context => "span",
        SpanKind::Generation => "generation",
        SpanKind::Tool => "tool",
        SpanKind::Retriever => "retriever",
    }
}

fn span_kind_name(kind: SpanKind) -> &'static str {
    match kind {
        SpanKind::Run => "AGENT",
        SpanKind::Context => "CHAIN",
        SpanKind::Generation => "LLM",
        SpanKind::Tool => "TOOL",
        SpanKind::Retriever => "RETRIEVER",
    }
}

fn operation(kind: SpanKind) -> Option<&'static str> {
    match kind {
        SpanKind::Run => Some("invoke_agent"),
        SpanKind::Generation => Some("chat"),
        // A retriever is a tool call here: the agent executed it.
        SpanKind::Tool | SpanKind::Retriever => Some("execute_tool"),
        SpanKind::Context => None,
    }
}

fn level(level: Level) -> Option<&'static str> {
    match level {
        Level::Default => None,
        Level::Warning => Some("WARNING"),
        Level::Error => Some("ERROR"),
    }
}

/// OpenClaw's stop reasons in the words of the conventions.
fn finish_reason(reason: &str) -> &str {
    match reason {
        "toolUse" => "tool_call",
        "aborted" => "error",
        other => other,
    }
}

fn mime_type(value: &str) -> &'static str {
    let looks = value.trim_start().starts_with(['{', '[']);
    let json = looks && serde_json::from_str::<serde::de::IgnoredAny>(value).is_ok();
    if json { "application/json" } else { "text/plain" }
}

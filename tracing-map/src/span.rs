//! The neutral span: what happened, before any backend's names.

use crate::evaluation::Evaluation;
use crate::ids::{SpanId, TraceId};
use clawgauge_transcript::Usage;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a span stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SpanKind {
    /// One run of an agent: the root.
    Run,
    /// The context that was put together for a turn.
    Context,
    /// One call of a model, answered or not.
    Generation,
    /// One tool call.
    Tool,
    /// One tool call that retrieves.
    Retriever,
}

impl SpanKind {
    /// All kinds, in order.
    pub(crate) const ALL: [Self; 5] =
        [Self::Run, Self::Context, Self::Generation, Self::Tool, Self::Retriever];
}

/// How serious a span is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// As expected. A user's abort is this, too.
    #[default]
    Default,
    /// Something is missing: no end was reported, events were dropped.
    Warning,
    /// It failed or was blocked.
    Error,
}

/// One message of a model's prompt or answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChatMessage {
    /// `system`, `user`, `assistant` or `tool`.
    pub role: String,
    /// What the message holds, in order.
    pub parts: Vec<Part>,
}

impl ChatMessage {
    /// A message of one text.
    #[must_use]
    pub fn text(role: &str, text: impl Into<String>) -> Self {
        Self { role: role.to_owned(), parts: vec![Part::Text(text.into())] }
    }

    /// A message of the given parts.
    #[must_use]
    pub fn new(role: &str, parts: Vec<Part>) -> Self {
        Self { role: role.to_owned(), parts }
    }

    /// The texts of the message, one a line.
    #[must_use]
    pub fn plain_text(&self) -> String {
        let texts: Vec<&str> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        texts.join("\n")
    }
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text(String),
    /// Reasoning that the model showed.
    Reasoning(String),
    /// A tool call: id, tool name, arguments.
    ToolCall {
        /// The id that the result refers to.
        id: String,
        /// The name of the tool.
        name: String,
        /// The arguments, usually an object.
        arguments: Value,
    },
    /// A tool's answer: id of the call, text.
    ToolResponse {
        /// The id of the call.
        id: String,
        /// The text of the result.
        response: String,
    },
    /// Something that is no text, named by its kind (`image`).
    Other(String),
}

/// Who and what a trace belongs to; the same on every span of the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// Name of the trace: the channel, else `openclaw run`.
    pub trace_name: String,
    /// The session as backends show it: the chat conversation, else session id, session key, run id.
    pub session: Option<String>,
    /// The person behind the turn, else the agent.
    pub user: Option<String>,
    /// The person's name.
    pub user_name: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// `agent:<id>` and, for chat turns, `benchgen-chat`.
    pub tags: Vec<String>,
    /// The channel of the turn.
    pub channel: Option<String>,
    /// The run.
    pub run: Option<String>,
}

/// The model call of a generation.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelCall {
    /// The provider as OpenClaw names it.
    pub provider: Option<String>,
    /// The model that was asked.
    pub model: Option<String>,
    /// The id of the answer.
    pub response_id: Option<String>,
    /// Why the model stopped: `stop`, `length`, `toolUse`, `error`, `aborted`.
    pub stop_reason: Option<String>,
    /// Milliseconds from the request to the first byte of the answer.
    pub first_byte_ms: Option<i64>,
    /// Tokens; `None` when none were reported.
    pub usage: Option<Usage>,
    /// Cost in US dollars; `None` when unknown.
    pub cost_usd: Option<f64>,
    /// What the model was given.
    pub input: Vec<ChatMessage>,
    /// What the model gave back.
    pub output: Vec<ChatMessage>,
}

/// The tool call of a tool or retriever span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolUse {
    /// The name of the tool.
    pub name: String,
    /// The id of the call.
    pub call_id: Option<String>,
}

/// A W3C context that the gateway named; backends show it as a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Link {
    /// The trace.
    pub trace_id: TraceId,
    /// The span.
    pub span_id: SpanId,
}

impl Link {
    /// A link to a span.
    #[must_use]
    pub fn new(trace_id: TraceId, span_id: SpanId) -> Self {
        Self { trace_id, span_id }
    }
}

/// Facts by name; the names that this crate gives are borrowed.
pub type Metadata = BTreeMap<Cow<'static, str>, Value>;

/// One finished span. Times are milliseconds since 1970; `start_ms <= end_ms`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Span {
    /// The trace: one run.
    pub trace_id: TraceId,
    /// This span.
    pub span_id: SpanId,
    /// The root, for every other span.
    pub parent_id: Option<SpanId>,
    /// What the span stands for.
    pub kind: SpanKind,
    /// The name: channel, model, tool name or `context.assembled`.
    pub name: String,
    /// Start.
    pub start_ms: i64,
    /// End.
    pub end_ms: i64,
    /// How serious it is.
    pub level: Level,
    /// Why, for levels above the default and for aborts.
    pub status_message: Option<String>,
    /// The class of the error, for [`Level::Error`].
    pub error_type: Option<String>,
    /// Who and what the trace belongs to.
    pub identity: Arc<Identity>,
    /// Text that went in: the prompt of a run, the arguments of a tool.
    pub input: Option<String>,
    /// Text that came out: the response of a run, the result of a tool.
    pub output: Option<String>,
    /// For generations.
    pub model_call: Option<Box<ModelCall>>,
    /// For tools and retrievers.
    pub tool: Option<ToolUse>,
    /// Everything else worth keeping, by name.
    pub metadata: Metadata,
    /// The gateway's own W3C contexts.
    pub links: Vec<Link>,
    /// Scores that stand on this span.
    pub evaluations: Vec<Evaluation>,
}

impl Span {
    /// The length in milliseconds.
    #[must_use]
    pub fn duration_ms(&self) -> i64 {
        self.end_ms.saturating_sub(self.start_ms)
    }

    /// The tokens of a generation.
    #[must_use]
    pub fn usage(&self) -> Option<&Usage> {
        self.model_call.as_ref().and_then(|call| call.usage.as_ref())
    }

    /// Whether no end was reported and the span was closed without one.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.metadata.get("incomplete") == Some(&Value::Bool(true))
    }

    pub(crate) fn new(
        trace_id: TraceId,
        span_id: SpanId,
        kind: SpanKind,
        name: &str,
        identity: Arc<Identity>,
    ) -> Self {
        Self {
            trace_id,
            span_id,
            parent_id: None,
            kind,
            name: name.to_owned(),
            start_ms: 0,
            end_ms: 0,
            level: Level::Default,
            status_message: None,
            error_type: None,
            identity,
            input: None,
            output: None,
            model_call: None,
            tool: None,
            metadata: Metadata::new(),
            links: Vec::new(),
            evaluations: Vec::new(),
        }
    }

    pub(crate) fn note(&mut self, key: &'static str, value: impl Into<Value>) {
        self.metadata.insert(Cow::Borrowed(key), value.into());
    }

    pub(crate) fn mark_incomplete(&mut self, why: &str) {
        self.note("incomplete", true);
        if self.level == Level::Default {
            self.level = Level::Warning;
            self.status_message = Some(format!("incomplete: {why}"));
        }
    }
}

impl Span {
    /// Puts every text that people or programs wrote through `change`: prompts, answers, arguments, results, status
    /// messages, metadata and explanations. Ids, names of tools and models, and the session stay: they tie spans
    /// together. This is the place to redact.
    pub fn map_texts(&mut self, mut change: impl FnMut(&str) -> String) {
        let change: &mut dyn FnMut(&str) -> String = &mut change;
        for text in [&mut self.input, &mut self.output, &mut self.status_message].into_iter().flatten() {
            *text = change(text);
        }
        if let Some(call) = &mut self.model_call {
            for message in call.input.iter_mut().chain(&mut call.output) {
                for part in &mut message.parts {
                    match part {
                        Part::Text(text)
                        | Part::Reasoning(text)
                        | Part::ToolResponse { response: text, .. } => {
                            *text = change(text);
                        }
                        Part::ToolCall { arguments, .. } => map_value(arguments, change),
                        Part::Other(_) => {}
                    }
                }
            }
        }
        for value in self.metadata.values_mut() {
            map_value(value, change);
        }
        for evaluation in &mut self.evaluations {
            if let Some(text) = &mut evaluation.explanation {
                *text = change(text);
            }
        }
    }

    /// Takes every prompt, answer, argument and result away, and what scores say about them. Of a tool's failure its class
    /// stays: its words are a line of the result.
    pub fn remove_content(&mut self) {
        self.input = None;
        self.output = None;
        if self.tool.is_some() && self.level == Level::Error {
            self.status_message.clone_from(&self.error_type);
        }
        if let Some(call) = &mut self.model_call {
            call.input.clear();
            call.output.clear();
        }
        for evaluation in &mut self.evaluations {
            evaluation.explanation = None;
        }
    }
}

fn map_value(value: &mut Value, change: &mut dyn FnMut(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => {
            for item in items {
                map_value(item, change);
            }
        }
        Value::Object(fields) => {
            for (_, field) in fields.iter_mut() {
                map_value(field, change);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

//! The runtime's own events of a session: `<id>.trajectory.jsonl`, and `trajectory_runtime_events`.

use std::borrow::Cow;

use crate::raw::RawJson;
use crate::time::Timestamp;

/// What kind of runtime event a [`TrajectoryEvent`] is. Unknown ones are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TrajectoryKind {
    /// `session.started`: an attempt begins.
    SessionStarted,
    /// `trace.metadata`: harness, model, configuration.
    Metadata,
    /// `context.compiled`: what the model will be given.
    ContextCompiled,
    /// `prompt.submitted`: the person's or program's text.
    PromptSubmitted,
    /// `tool.call`.
    ToolCall,
    /// `tool.result`.
    ToolResult,
    /// `model.completed`: the end of an attempt, with the whole conversation as it then was.
    ModelCompleted,
    /// `model.fallback_step`: another model takes over.
    FallbackStep,
    /// `trace.artifacts`: how the attempt ended, in sum.
    Artifacts,
    /// `session.ended`.
    SessionEnded,
    /// Anything else. Its name is [`TrajectoryEvent::type_name`].
    Unknown,
}

/// One runtime event, as it stands in its file or row.
///
/// Events above 256 KiB lost fields when they were written, and deep or long values in any event were replaced;
/// [`truncated`](TrajectoryEvent::truncated) says so for the event as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrajectoryEvent<'a> {
    json: RawJson<'a>,
}

impl<'a> TrajectoryEvent<'a> {
    /// Takes one line or row; `None` when it is no JSON object.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        let json = RawJson::parse(text.trim_start_matches('\u{feff}')).filter(|json| json.is_object())?;
        Some(Self { json })
    }

    /// The event as JSON.
    #[must_use]
    pub const fn json(self) -> RawJson<'a> {
        self.json
    }

    fn text(self, key: &str) -> Option<Cow<'a, str>> {
        self.json.get(key)?.text()
    }

    /// The event's `type` as written; empty without one.
    #[must_use]
    pub fn type_name(self) -> Cow<'a, str> {
        self.text("type").unwrap_or_default()
    }

    /// What kind of event it is.
    #[must_use]
    pub fn kind(self) -> TrajectoryKind {
        match &*self.type_name() {
            "session.started" => TrajectoryKind::SessionStarted,
            "trace.metadata" => TrajectoryKind::Metadata,
            "context.compiled" => TrajectoryKind::ContextCompiled,
            "prompt.submitted" => TrajectoryKind::PromptSubmitted,
            "tool.call" => TrajectoryKind::ToolCall,
            "tool.result" => TrajectoryKind::ToolResult,
            "model.completed" => TrajectoryKind::ModelCompleted,
            "model.fallback_step" => TrajectoryKind::FallbackStep,
            "trace.artifacts" => TrajectoryKind::Artifacts,
            "session.ended" => TrajectoryKind::SessionEnded,
            _ => TrajectoryKind::Unknown,
        }
    }

    /// The session.
    #[must_use]
    pub fn session_id(self) -> Option<Cow<'a, str>> {
        self.text("sessionId").or_else(|| self.text("traceId"))
    }

    /// The session's key.
    #[must_use]
    pub fn session_key(self) -> Option<Cow<'a, str>> {
        self.text("sessionKey")
    }

    /// The run.
    #[must_use]
    pub fn run_id(self) -> Option<Cow<'a, str>> {
        self.text("runId")
    }

    /// The provider.
    #[must_use]
    pub fn provider(self) -> Option<Cow<'a, str>> {
        self.text("provider")
    }

    /// The model.
    #[must_use]
    pub fn model(self) -> Option<Cow<'a, str>> {
        self.text("modelId")
    }

    /// The folder the agent works in.
    #[must_use]
    pub fn workspace(self) -> Option<Cow<'a, str>> {
        self.text("workspaceDir")
    }

    /// When it happened.
    #[must_use]
    pub fn timestamp(self) -> Option<Timestamp> {
        self.json.get("ts").and_then(Timestamp::from_json)
    }

    /// What the event holds.
    #[must_use]
    pub fn data(self) -> Option<RawJson<'a>> {
        self.json.get("data")
    }

    /// A field of [`data`](TrajectoryEvent::data).
    #[must_use]
    pub fn get(self, key: &str) -> Option<RawJson<'a>> {
        self.data()?.get(key)
    }

    /// Whether the event lost fields because it was too large.
    #[must_use]
    pub fn truncated(self) -> bool {
        let flag = |json: RawJson<'_>| json.get("truncated").and_then(RawJson::as_bool) == Some(true);
        self.data().is_some_and(flag) || flag(self.json)
    }

    /// The whole conversation as it stood when the model had answered, messages without row ids; `None` for events
    /// without it, and where it was cut off.
    #[must_use]
    pub fn snapshot(self) -> Option<RawJson<'a>> {
        let messages = self.get("messagesSnapshot")?;
        messages.is_array().then_some(messages)
    }
}

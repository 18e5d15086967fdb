//! What an agent did between a request and its answer: the thing that cases are checked against.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::edd::Event;

/// How a tool call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Outcome {
    /// A result came and nothing says that it failed.
    Succeeded,
    /// A result came and it is an error.
    Failed,
    /// The host refused the call (policy, loop guard, approval outstanding). Nothing ran.
    Blocked,
    /// The call was made and no result was recorded.
    Unfinished,
}

impl Outcome {
    /// The word used in reports and suites.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
            Self::Unfinished => "unfinished",
        }
    }
}

/// One tool call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// The tool's name as recorded.
    pub tool: String,
    /// The arguments, usually an object.
    pub args: Value,
    /// How the call ended.
    pub outcome: Outcome,
    /// The text of the result, if one was recorded.
    pub result: Option<String>,
    /// The entry of the transcript that holds the call.
    pub entry: Option<String>,
    /// The id that ties call and result.
    pub call_id: Option<String>,
    /// Index into [`Trajectory::messages`] of the model message that made the call. Calls of one message ran in
    /// parallel and have no order among themselves.
    pub message: usize,
    /// Milliseconds between call and result, if recorded.
    pub duration_ms: Option<u64>,
    /// The exit code of a shell command, if recorded.
    pub exit_code: Option<i64>,
}

impl Step {
    /// A call that succeeded, of a message of its own number `message`.
    #[must_use]
    pub fn new(tool: impl Into<String>, args: Value, message: usize) -> Self {
        Self {
            tool: tool.into(),
            args,
            outcome: Outcome::Succeeded,
            result: None,
            entry: None,
            call_id: None,
            message,
            duration_ms: None,
            exit_code: None,
        }
    }
}

/// One message of the model.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelMessage {
    /// The entry of the transcript.
    pub entry: Option<String>,
    /// Visible text, all blocks joined.
    pub text: String,
    /// Thinking blocks, joined.
    pub thinking: String,
    /// Plan text, where the source keeps one apart.
    pub plan: String,
    /// Why the model stopped.
    pub stop_reason: Option<String>,
    /// When it was written, as recorded.
    pub timestamp: Option<String>,
    /// The model that wrote it.
    pub model: Option<String>,
}

/// Everything an agent did for one request: messages, calls in the order of the record, answer, and what it took.
///
/// Counts that were not recorded are `None`, never zero. Order is the order of the record; times are not used for it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Trajectory {
    /// The session it was taken from.
    pub session_id: Option<String>,
    /// The request.
    pub request: Option<String>,
    /// The model's messages.
    pub messages: Vec<ModelMessage>,
    /// Every call, also those that were blocked or have no result.
    pub steps: Vec<Step>,
    /// The text of the last model message that has text. `None`: the agent gave no answer.
    pub final_output: Option<String>,
    /// Why the last model message stopped.
    pub stop_reason: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// Its provider.
    pub provider: Option<String>,
    /// Tokens read.
    pub input_tokens: Option<u64>,
    /// Tokens written.
    pub output_tokens: Option<u64>,
    /// Tokens in all, where the source gives a total of its own.
    pub total_tokens: Option<u64>,
    /// Cost in the currency of the source (US dollars for OpenClaw).
    pub cost: Option<f64>,
    /// Seconds from the request to the last entry.
    pub duration_s: Option<f64>,
    /// When it began, as recorded.
    pub started: Option<String>,
    /// Scores by dimension, 0 to 1, for `min_score`. `None`: the dimension does not apply.
    pub scores: BTreeMap<String, Option<f64>>,
    pub(crate) recorded: Option<Vec<Event>>,
}

impl Trajectory {
    /// A trajectory of calls, one a message, and an answer.
    #[must_use]
    pub fn from_calls<T: Into<String>>(
        calls: impl IntoIterator<Item = (T, Value)>,
        final_output: impl Into<String>,
    ) -> Self {
        let mut out = Self::default();
        for (tool, args) in calls {
            out.steps.push(Step::new(tool, args, out.messages.len()));
            out.messages.push(ModelMessage::default());
        }
        out.final_output = Some(final_output.into());
        out
    }

    /// A trajectory from openclaw-edd's events, as its JSON report holds them. Calls that a model message lists and that
    /// have no end are kept as unfinished. O(events).
    #[must_use]
    pub fn from_events(events: Vec<Event>, final_output: Option<String>) -> Self {
        crate::edd::trajectory_of(events, final_output)
    }

    /// Tokens in all: the source's total, or input and output if both are known.
    #[must_use]
    pub fn tokens(&self) -> Option<u64> {
        self.total_tokens.or_else(|| Some(self.input_tokens?.saturating_add(self.output_tokens?)))
    }

    /// The names of the tools called, in order.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|s| s.tool.as_str())
    }

    /// Whether nothing at all was recorded of the agent: no call, no text, no answer.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.steps.is_empty()
            && self.final_output.as_deref().is_none_or(str::is_empty)
            && self.messages.iter().all(|m| m.text.is_empty() && m.thinking.is_empty() && m.plan.is_empty())
    }

    /// Plan, thinking and what was said before acting, in order, joined by blanks. The answer is not part of it.
    #[must_use]
    pub fn reasoning(&self) -> String {
        let last_text = self.messages.iter().rposition(|m| !m.text.is_empty());
        let last_call = self.steps.iter().map(|s| s.message).max();
        let mut parts: Vec<&str> = Vec::new();
        for (at, message) in self.messages.iter().enumerate() {
            parts.push(&message.plan);
            parts.push(&message.thinking);
            // Text said before a call is intent; the last text is the answer, unless calls follow it.
            if Some(at) != last_text || last_call.is_some_and(|call| call >= at) {
                parts.push(&message.text);
            }
        }
        parts.retain(|p| !p.is_empty());
        parts.join(" ")
    }

    /// The events that openclaw-edd would have built: one a model message, one a call that has a result.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        if let Some(recorded) = &self.recorded {
            return recorded.clone();
        }
        crate::edd::events_of(self)
    }
}

//! The texts of a run, which events do not carry: they come from the stored session.

use crate::span::ChatMessage;
use clawgauge_transcript::Usage;

/// What the mapper asks for when spans of a run wait for their texts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContentRequest {
    /// Names the run in [`Mapper::content`](crate::Mapper::content).
    pub token: u64,
    /// The run.
    pub run_id: Option<String>,
    /// The session.
    pub session_id: Option<String>,
    /// The key of the session.
    pub session_key: Option<String>,
    /// The agent.
    pub agent_id: Option<String>,
    /// When the run began, in milliseconds since 1970: where run ids are not stored, the turn is found by time.
    pub started_ms: i64,
    /// Whether the run has ended, so that its response is final.
    pub ended: bool,
}

/// Resolves the texts of a run, usually from the stored session. Called by the program, not by the mapper: the mapper
/// asks ([`poll_request`](crate::Mapper::poll_request)) and is told ([`content`](crate::Mapper::content)).
pub trait ContentSource {
    /// The texts as they stand now; `None` when the session or the run is not there (yet).
    fn resolve(&mut self, request: &ContentRequest) -> Option<RunContent>;
}

/// The texts of one run.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RunContent {
    /// What the person asked in this turn.
    pub prompt: Option<String>,
    /// What the person got in this turn (see [`response`]).
    pub response: Option<String>,
    /// The stop reason of the last answer.
    pub stop_reason: Option<String>,
    /// The error text of the last answer.
    pub error: Option<String>,
    /// The answers of the models, in order, failed ones included where the session stores them.
    pub generations: Vec<GenerationContent>,
    /// The tool calls, in order.
    pub tools: Vec<ToolContent>,
}

/// One answer of a model as the session stores it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GenerationContent {
    /// What the model was given in this call: the messages since its last answer.
    pub input: Vec<ChatMessage>,
    /// What it gave back.
    pub output: Vec<ChatMessage>,
    /// The provider.
    pub provider: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The id of the answer.
    pub response_id: Option<String>,
    /// The stop reason.
    pub stop_reason: Option<String>,
    /// The error text.
    pub error: Option<String>,
    /// Tokens, when reported.
    pub usage: Option<Usage>,
    /// Cost in US dollars, when known.
    pub cost_usd: Option<f64>,
    /// When the call began.
    pub started_ms: Option<i64>,
    /// When the answer was complete.
    pub ended_ms: Option<i64>,
    /// The session dropped the row of this answer and kept only the results of its calls (it does so for calls of unknown
    /// tools): the answer is counted, and nothing else is known of it.
    pub dropped: bool,
}

impl GenerationContent {
    /// Whether this is a failure or an abort, no answer.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        matches!(self.stop_reason.as_deref(), Some("error" | "aborted")) || self.error.is_some()
    }
}

/// One tool call as the session stores it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolContent {
    /// The id of the call; the same id again is the next occurrence.
    pub call_id: String,
    /// The tool.
    pub name: Option<String>,
    /// The arguments as JSON text.
    pub input: Option<String>,
    /// The text of the result.
    pub output: Option<String>,
    /// Whether the result is an error; `None` when there is no result or it does not say.
    pub is_error: Option<bool>,
    /// A short reason, when the session has one.
    pub status: Option<String>,
    /// When the call was made.
    pub started_ms: Option<i64>,
    /// When its result was there.
    pub ended_ms: Option<i64>,
}

/// What the person got in a turn: the texts that the agent posted with the message tool, then the final text, unless that
/// is `NO_REPLY` or repeats a posted text. Parts are joined with an empty line; `None` when nothing reached the person.
///
/// ```
/// use clawgauge_tracing_map::response;
///
/// assert_eq!(response(&["first post"], Some("final")).as_deref(), Some("first post\n\nfinal"));
/// assert_eq!(response(&["posted"], Some("posted")).as_deref(), Some("posted"));
/// assert_eq!(response(&["posted"], Some("NO_REPLY")).as_deref(), Some("posted"));
/// assert_eq!(response(&[], Some("NO_REPLY")), None);
/// ```
#[must_use]
pub fn response(posted: &[&str], final_text: Option<&str>) -> Option<String> {
    let mut parts: Vec<&str> = posted.iter().copied().filter(|text| !text.trim().is_empty()).collect();
    if let Some(text) = final_text {
        let trimmed = text.trim();
        let repeats = parts.iter().any(|posted| posted.trim() == trimmed);
        if !trimmed.is_empty() && trimmed != "NO_REPLY" && !repeats {
            parts.push(text);
        }
    }
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

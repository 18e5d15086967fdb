//! The events of openclaw-edd, read and written in its JSON form.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::json::Json;
use crate::trajectory::{ModelMessage, Outcome, Step, Trajectory};

/// The kind of an [`Event`]. Unknown kinds are kept.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum EventKind {
    /// A message of the model.
    LlmTurn,
    /// A tool call that began.
    ToolStart,
    /// A tool call with its result.
    #[default]
    ToolEnd,
    /// Anything else, by its name.
    Other(String),
}

impl EventKind {
    /// The name in the JSON form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::LlmTurn => "llm_turn",
            Self::ToolStart => "tool_start",
            Self::ToolEnd => "tool_end",
            Self::Other(name) => name,
        }
    }
}

impl Serialize for EventKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for EventKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(match name.as_str() {
            "llm_turn" => Self::LlmTurn,
            "tool_start" => Self::ToolStart,
            "tool_end" => Self::ToolEnd,
            _ => Self::Other(name),
        })
    }
}

fn null_is_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.unwrap_or_default())
}

fn empty_object() -> Json {
    Json::Object(Vec::new())
}

fn empty_list() -> Json {
    Json::Array(Vec::new())
}

/// One event in openclaw-edd's own JSON form. Missing fields take that tool's defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The tool of a tool event.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub tool: String,
    /// The arguments.
    #[serde(default = "empty_object")]
    pub input: Json,
    /// The text of the result.
    #[serde(default)]
    pub output: Json,
    /// Milliseconds the call took.
    #[serde(default)]
    pub duration_ms: Json,
    /// When, as recorded.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub ts: String,
    /// The session.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub session_id: String,
    /// The message the event was made from.
    #[serde(default = "empty_object")]
    pub raw: Json,
    /// Plan text.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub plan_text: String,
    /// Thinking.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub thinking: String,
    /// The model.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub model: String,
    /// Usage as recorded.
    #[serde(default = "empty_object")]
    pub usage: Json,
    /// The status of the result.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub status: String,
    /// The exit code of a command.
    #[serde(default)]
    pub exit_code: Json,
    /// The calls a model message made.
    #[serde(default = "empty_list")]
    pub tool_calls: Json,
    /// Why the model stopped.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub stop_reason: String,
    /// The visible text of a model message.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub text: String,
}

impl Event {
    /// An event of that kind with everything else at its default.
    #[must_use]
    pub fn new(kind: EventKind) -> Self {
        Self {
            kind,
            tool: String::new(),
            input: empty_object(),
            output: Json::from(""),
            duration_ms: Json::Null,
            ts: String::new(),
            session_id: String::new(),
            raw: empty_object(),
            plan_text: String::new(),
            thinking: String::new(),
            model: String::new(),
            usage: empty_object(),
            status: String::new(),
            exit_code: Json::Null,
            tool_calls: empty_list(),
            stop_reason: String::new(),
            text: String::new(),
        }
    }

    fn outcome(&self) -> Outcome {
        match self.status.as_str() {
            "blocked" | "approval-pending" | "denied" => return Outcome::Blocked,
            "error" | "failed" | "timeout" | "killed" => return Outcome::Failed,
            _ => {}
        }
        let raw_error = self.raw.get("isError").and_then(Json::as_bool) == Some(true);
        let bad_exit = self.exit_code.as_f64().is_some_and(|code| code != 0.0);
        if raw_error || bad_exit { Outcome::Failed } else { Outcome::Succeeded }
    }
}

/// What openclaw-edd would have seen of a trajectory: calls without a result make no event.
pub(crate) fn events_of(trajectory: &Trajectory) -> Vec<Event> {
    let session = trajectory.session_id.clone().unwrap_or_default();
    let mut events = Vec::with_capacity(trajectory.messages.len() + trajectory.steps.len());
    let mut steps = trajectory.steps.iter().peekable();
    for (at, message) in trajectory.messages.iter().enumerate() {
        let mut turn = Event::new(EventKind::LlmTurn);
        turn.ts = message.timestamp.clone().unwrap_or_default();
        turn.session_id.clone_from(&session);
        turn.text.clone_from(&message.text);
        turn.thinking.clone_from(&message.thinking);
        turn.plan_text.clone_from(&message.plan);
        turn.model = message.model.clone().or_else(|| trajectory.model.clone()).unwrap_or_default();
        turn.stop_reason = message.stop_reason.clone().unwrap_or_default();
        let mut calls = Vec::new();
        let mut ends = Vec::new();
        while let Some(step) = steps.next_if(|s| s.message <= at) {
            let args = Json::from(&step.args);
            calls.push(Json::object([
                ("type", "toolCall".into()),
                ("id", step.call_id.as_deref().map(Json::from).unwrap_or_default()),
                ("name", step.tool.as_str().into()),
                ("arguments", args.clone()),
            ]));
            if step.outcome != Outcome::Unfinished {
                let mut end = Event::new(EventKind::ToolEnd);
                end.tool.clone_from(&step.tool);
                end.input = args;
                end.output = step.result.as_deref().unwrap_or_default().into();
                end.duration_ms = step.duration_ms.into();
                end.exit_code = step.exit_code.map_or(Json::Null, |code| Json::Number(code.into()));
                end.status = match step.outcome {
                    Outcome::Failed => "failed",
                    Outcome::Blocked => "blocked",
                    Outcome::Succeeded | Outcome::Unfinished => "completed",
                }
                .to_owned();
                end.session_id.clone_from(&session);
                end.thinking.clone_from(&message.thinking);
                end.model.clone_from(&turn.model);
                ends.push(end);
            }
        }
        turn.tool_calls = Json::Array(calls);
        events.push(turn);
        events.append(&mut ends);
    }
    events
}

/// Builds a trajectory from events: calls that a model message lists and that never ended are kept as unfinished.
pub(crate) fn trajectory_of(events: Vec<Event>, final_output: Option<String>) -> Trajectory {
    let mut out = Trajectory { final_output, ..Trajectory::default() };
    // Steps of the current message that wait for their end.
    let mut open: Vec<usize> = Vec::new();
    let mut in_message = false;
    for event in &events {
        match &event.kind {
            EventKind::LlmTurn => {
                open.clear();
                in_message = true;
                out.messages.push(ModelMessage {
                    entry: None,
                    text: event.text.clone(),
                    thinking: event.thinking.clone(),
                    plan: event.plan_text.clone(),
                    stop_reason: Some(event.stop_reason.clone()).filter(|s| !s.is_empty()),
                    timestamp: Some(event.ts.clone()).filter(|s| !s.is_empty()),
                    model: Some(event.model.clone()).filter(|s| !s.is_empty()),
                });
                let message = out.messages.len() - 1;
                for call in event.tool_calls.as_array().unwrap_or_default() {
                    let Some(name) = call.get("name").and_then(Json::as_str) else { continue };
                    let args = call.get("arguments").or_else(|| call.get("input"));
                    let mut step = Step::new(name, args.map_or(Value::Null, Json::to_value), message);
                    step.outcome = Outcome::Unfinished;
                    step.call_id = call.get("id").and_then(Json::as_str).map(str::to_owned);
                    open.push(out.steps.len());
                    out.steps.push(step);
                }
            }
            EventKind::ToolStart => {
                let message = own_message(&mut out, in_message);
                let mut step = Step::new(event.tool.clone(), event.input.to_value(), message);
                step.outcome = Outcome::Unfinished;
                open.push(out.steps.len());
                out.steps.push(step);
            }
            EventKind::ToolEnd => {
                let input = event.input.to_value();
                let at = take_open(&out.steps, &mut open, &event.tool, &input).unwrap_or_else(|| {
                    let message = own_message(&mut out, in_message);
                    out.steps.push(Step::new(event.tool.clone(), input.clone(), message));
                    out.steps.len() - 1
                });
                let said = !event.plan_text.is_empty() || !event.thinking.is_empty();
                let message = out.steps.get_mut(at).map(|step| {
                    step.outcome = event.outcome();
                    step.args = input;
                    step.result = event.output.as_str().map(str::to_owned);
                    step.duration_ms = event.duration_ms.as_f64().filter(|ms| *ms >= 0.0).map(to_u64);
                    step.exit_code = match &event.exit_code {
                        Json::Number(n) => n.as_i64(),
                        _ => None,
                    };
                    step.message
                });
                // The tool event repeats what its message thought; it is kept where the message has none.
                if let Some(message) = message.filter(|_| said).and_then(|m| out.messages.get_mut(m)) {
                    if message.thinking.is_empty() {
                        message.thinking.clone_from(&event.thinking);
                    }
                    if message.plan.is_empty() {
                        message.plan.clone_from(&event.plan_text);
                    }
                }
            }
            EventKind::Other(_) => {}
        }
    }
    out.stop_reason = out.messages.last().and_then(|m| m.stop_reason.clone());
    out.model = out.messages.iter().rev().find_map(|m| m.model.clone());
    out.session_id = events.iter().map(|e| &e.session_id).find(|s| !s.is_empty()).cloned();
    out.recorded = Some(events);
    out
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be at least zero; saturates"
)]
fn to_u64(value: f64) -> u64 {
    value as u64
}

/// The message that a call without a listed call belongs to. Events without model messages are taken one by one.
fn own_message(out: &mut Trajectory, in_message: bool) -> usize {
    // Steps are added in the order of their messages, so the last one tells.
    let last = out.messages.len().checked_sub(1);
    let current_is_free = in_message && last.is_some() && out.steps.last().map(|step| step.message) != last;
    if !current_is_free {
        out.messages.push(ModelMessage::default());
    }
    out.messages.len().saturating_sub(1)
}

fn take_open(steps: &[Step], open: &mut Vec<usize>, tool: &str, input: &Value) -> Option<usize> {
    let named = |at: &usize| steps.get(*at).is_some_and(|s| s.tool == tool);
    let exact = open.iter().position(|at| named(at) && steps.get(*at).is_some_and(|s| &s.args == input));
    let place = exact.or_else(|| open.iter().position(named))?;
    Some(open.remove(place))
}

//! The conversation that the active branch holds: turns, steps, and calls with their results.

mod call;
mod outcome;
mod pairing;
mod turn;

pub use call::{CallRef, ToolCall, ToolResult};
pub use outcome::Outcome;
pub use turn::{Step, Turn, TurnEnd};

use hashbrown::HashSet;

use crate::entry::{Entry, EntryType};
use crate::message::{Message, Role, StopReason};
use crate::raw::RawJson;
use crate::report::{Problem, ProblemKind};
use crate::speaker::spoken_reply;
use crate::transcript::Transcript;
use pairing::Pairing;

/// What was said and done in a session: its turns, in order of the active branch.
///
/// File order is the truth, never time. Building is one walk over the branch, `O(n)` in rows and calls; texts stay in
/// the transcript.
///
/// - A user message begins a turn; the same row written again for a retry (equal `idempotencyKey`) does not.
/// - A model message without a user message before it begins one too, when it belongs to another run than the message
///   before it: by the run where rows name theirs (since 2026.9), else when the message before was a complete answer.
/// - A result answers the newest step of its run that has an open call with its id, and there the first such call; one
///   without an id answers the last step's first open call of its tool. What is left is an orphan.
/// - Calls through the wrapper `tool_call` are the calls they made.
///
/// ```
/// use clawgauge_transcript::{Outcome, Transcript};
///
/// let transcript = Transcript::from_str(concat!(
///     r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"any lamps?"}}"#, "\n",
///     r#"{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","stopReason":"toolUse","content":"#,
///     r#"[{"type":"toolCall","id":"c","name":"exec","arguments":{"command":"grep lamp list"}}]}}"#, "\n",
///     r#"{"type":"message","id":"d","parentId":"b","message":{"role":"toolResult","toolCallId":"c","isError":false,"#,
///     r#""content":[],"details":{"status":"completed","exitCode":1}}}"#, "\n",
///     r#"{"type":"message","id":"e","parentId":"d","message":{"role":"assistant","stopReason":"stop","content":"#,
///     r#"[{"type":"text","text":"None."}]}}"#, "\n",
/// ));
/// let conversation = transcript.conversation();
/// assert_eq!(conversation.turns.len(), 1);
/// assert_eq!(conversation.turns[0].final_output().as_deref(), Some("None."));
/// assert_eq!(conversation.calls().next().unwrap().outcome, Outcome::NonZeroExit(1));
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Conversation<'t> {
    /// The turns.
    pub turns: Vec<Turn<'t>>,
}

impl<'t> Conversation<'t> {
    /// The conversation of a transcript's active branch.
    #[must_use]
    pub fn of(transcript: &'t Transcript<'t>) -> Self {
        let mut builder = Builder::default();
        for entry in transcript.active() {
            builder.entry(entry);
        }
        Self { turns: builder.pairing.finish() }
    }

    /// All steps in order.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = &Step<'t>> {
        self.turns.iter().flat_map(|turn| &turn.steps)
    }

    /// All tool calls in order of the branch; parallel ones in order of their message.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall<'t>> {
        self.turns.iter().flat_map(Turn::calls)
    }

    /// The call at a place.
    #[must_use]
    pub fn call(&self, at: CallRef) -> Option<&ToolCall<'t>> {
        self.turns.get(at.turn)?.steps.get(at.step)?.calls.get(at.call)
    }

    /// What is wrong with the conversation, in order: a problem for each result without a call.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let orphans = self.turns.iter().flat_map(|turn| &turn.orphan_results);
        orphans
            .map(|result| Problem {
                kind: ProblemKind::OrphanResult,
                line: result.entry.line(),
                offset: result.entry.offset(),
                reason: "a tool result without a call".to_owned(),
            })
            .collect()
    }

    /// How many results have no call.
    #[must_use]
    pub fn orphan_results(&self) -> usize {
        self.turns.iter().map(|turn| turn.orphan_results.len()).sum()
    }
}

#[derive(Default)]
struct Builder<'t> {
    pairing: Pairing<'t>,
    user_keys: HashSet<String>,
}

impl<'t> Builder<'t> {
    fn entry(&mut self, entry: &'t Entry<'t>) {
        match (entry.entry_type(), entry.message()) {
            (EntryType::Message, Some(message)) => self.message(entry, message),
            (EntryType::Custom | EntryType::CustomMessage, _) => {
                let kind = entry.get("customType").and_then(RawJson::text).unwrap_or_default();
                if kind.starts_with("openclaw:") || kind == "run-failed-before-reply" {
                    self.pairing.in_turn(|turn| turn.notes.push(entry));
                }
            }
            _ => {}
        }
    }

    fn message(&mut self, entry: &'t Entry<'t>, message: Message<'t>) {
        match message.role() {
            Role::User => self.user(entry, message),
            Role::Assistant => self.assistant(entry, message),
            Role::ToolResult => self.pairing.result(entry, message),
            Role::Custom if message.custom_type().is_some_and(|kind| kind == "openclaw.nested-tool.v1") => {
                self.pairing.nested(entry, message);
            }
            _ => {}
        }
    }

    fn user(&mut self, entry: &'t Entry<'t>, message: Message<'t>) {
        // A retry writes the same user row again, under the same key: still one turn.
        if let Some(key) = message.idempotency_key()
            && !self.user_keys.insert(key.into_owned())
        {
            return;
        }
        self.pairing.begin_turn(Some(entry));
    }

    fn assistant(&mut self, entry: &'t Entry<'t>, message: Message<'t>) {
        if message.is_injected() {
            self.pairing.in_turn(|turn| turn.injected.push(entry));
            return;
        }
        let new_run = match self.pairing.last_step() {
            Some(last) => is_new_run(last, message),
            // A subagent's report is no answer to a user message that nothing answered.
            None => self.pairing.has_turn() && is_announcement(message),
        };
        if new_run {
            if self.pairing.last_step().is_some_and(|last| is_copy(last, message)) {
                self.pairing.in_turn(|turn| turn.injected.push(entry));
                return;
            }
            self.pairing.begin_turn(None);
        }
        self.pairing.step(entry, message);
    }
}

/// Whether a message is the copy of the answer before it that 2026.6.11 writes at the end of some runs, with the usage
/// of the whole run (`api: "cli"`). The answers of a program behind OpenClaw have the same mark, but no original.
fn is_copy(last: &Step<'_>, message: Message<'_>) -> bool {
    message.get("api").and_then(RawJson::text).is_some_and(|api| api == "cli")
        && last.message.get("api").and_then(RawJson::text).is_none_or(|api| api != "cli")
        && message.joined_text() == last.message.joined_text()
}

/// Whether a message belongs to the run that OpenClaw starts when a subagent has finished.
fn is_announcement(message: Message<'_>) -> bool {
    message.run_id().is_some_and(|run| run.starts_with("announce:"))
}

/// Whether an assistant message without a user message before it is another run's: where rows name their run, by that;
/// else when the message before was a complete answer. (A run that is tried again after an empty answer goes on.)
fn is_new_run(last: &Step<'_>, message: Message<'_>) -> bool {
    match (last.message.run_id(), message.run_id()) {
        (Some(before), Some(now)) => before != now,
        _ => {
            let text = last.text();
            let said = !text.trim().is_empty() && !spoken_reply(&text).is_silent();
            last.message.stop_reason() == Some(StopReason::Stop) && last.calls.is_empty() && said
        }
    }
}

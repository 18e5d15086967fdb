//! The conversation that the active branch holds: turns, steps, and calls with their results.

mod call;
mod outcome;
mod pairing;
mod turn;

pub use call::{CallRef, ToolCall, ToolResult};
pub use outcome::Outcome;
pub use turn::{Step, Turn, TurnEnd};

use std::collections::HashSet;

use crate::entry::{Entry, EntryType};
use crate::message::{Message, Role, StopReason};
use crate::raw::RawJson;
use crate::speaker::{AssistantInput, classify_assistant, spoken_reply};
use crate::transcript::Transcript;
use pairing::Pairing;

/// What was said and done in a session: its turns, in order of the active branch.
///
/// File order is the truth, never time. Building is one walk over the branch, `O(n)`; texts stay in the transcript.
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

    /// All tool calls in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall<'t>> {
        self.turns.iter().flat_map(Turn::calls)
    }

    /// The call at a place.
    #[must_use]
    pub fn call(&self, at: CallRef) -> Option<&ToolCall<'t>> {
        self.turns.get(at.turn)?.steps.get(at.step)?.calls.get(at.call)
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
        if is_injected(message) {
            self.pairing.in_turn(|turn| turn.injected.push(entry));
            return;
        }
        if self.pairing.last_step().is_some_and(|last| is_new_run(last, message)) {
            self.pairing.begin_turn(None);
        }
        self.pairing.step(entry, message);
    }
}

/// Whether no model wrote an assistant row.
fn is_injected(message: Message<'_>) -> bool {
    let (provider, model) = (message.provider(), message.model());
    // Only rows that lost their provider are told by the mark; asking every row would read it twice.
    let marked = |key| message.get(key).is_some();
    let row = AssistantInput {
        provider: provider.as_deref(),
        model: model.as_deref(),
        api: None,
        mirror_mark: provider.is_none()
            && (marked("openclawDeliveryMirror") || marked("openclawMessageToolMirror")),
    };
    !classify_assistant(&row).is_model()
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

//! A session with everything that more than one score reads, read once.

use std::borrow::Cow;

use clawgauge_transcript::{
    Block, Conversation, Effect, Entry, EntryType, Message, SessionKey, Step, ToolCall, ToolKind, ToolResult,
    Transcript, Turn, UserOrigin,
};
use serde_json::Value;

use super::call::{CallFacts, CallReader};
use super::error::Reading;
use super::measured::SessionKind;
use super::person::{self, Origin, PersonWords, Spoken};
use super::text::Words;
use crate::evidence::{Evidence, Place};
use crate::rules::{Matchers, Rules};

/// What is known of a result whose call was not stored.
#[derive(Debug)]
pub(crate) struct OrphanFacts<'t> {
    pub(crate) entry: &'t Entry<'t>,
    /// The tool; empty where the row does not name it.
    pub(crate) tool: Cow<'t, str>,
    pub(crate) reading: Reading,
    /// What the call did, where the tool alone tells: what a shell or an editor did is in the arguments that are lost.
    pub(crate) effect: Option<Effect>,
}

/// A session to be judged.
#[derive(Debug)]
pub(crate) struct Session<'t> {
    transcript: &'t Transcript<'t>,
    /// The lines of the entries that hold messages, in order.
    message_lines: Vec<u64>,
    pub(crate) conversation: Conversation<'t>,
    pub(crate) turns: Vec<TurnFacts<'t>>,
}

/// What is known of one turn.
#[derive(Debug)]
pub(crate) struct TurnFacts<'t> {
    pub(crate) origin: Origin,
    /// What the user row says of itself, where there is one.
    pub(crate) user: Option<UserOrigin>,
    pub(crate) person: Option<PersonWords<'t>>,
    /// The calls of each step, in the order of the turn's steps.
    pub(crate) steps: Vec<Vec<CallFacts>>,
    /// The results whose calls were not stored.
    pub(crate) orphans: Vec<OrphanFacts<'t>>,
}

/// A result as far as it is known whether it is an error, with its call or without.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer<'s, 't> {
    /// The tool; empty where nothing names it.
    pub(crate) tool: &'s str,
    pub(crate) reading: Reading,
    /// What the call did, where that is known.
    pub(crate) effect: Option<Effect>,
    /// The call, where it was stored.
    pub(crate) call: Option<&'s ToolCall<'t>>,
    /// The entry of the call, else of the result.
    pub(crate) entry: &'s Entry<'t>,
}

impl<'t> Session<'t> {
    /// Reads a session. `O(n)`.
    pub(crate) fn new(
        rules: &Rules,
        matchers: &Matchers,
        transcript: &'t Transcript<'t>,
        key: Option<&SessionKey>,
    ) -> Self {
        let conversation = transcript.conversation();
        let flags_are_set = sets_flags(&conversation);
        let mut reader = CallReader::new(rules, matchers, flags_are_set);
        let turns = conversation
            .turns
            .iter()
            .map(|turn| {
                let Spoken { origin, user, person } = person::read_turn(turn, key);
                let steps = turn.steps.iter();
                let steps =
                    steps.map(|step| step.calls.iter().map(|call| reader.read(call)).collect()).collect();
                let orphan = |result| OrphanFacts::new(rules, matchers, result, flags_are_set);
                let orphans = turn.orphan_results.iter().map(orphan).collect();
                TurnFacts { origin, user, person, steps, orphans }
            })
            .collect();
        drop(reader);
        let messages = transcript.entries().iter().filter(|entry| entry.message().is_some());
        let message_lines = messages.map(Entry::line).collect();
        Self { transcript, message_lines, conversation, turns }
    }

    /// The turns with what is known of them.
    pub(crate) fn turns(
        &self,
    ) -> impl DoubleEndedIterator<Item = (&Turn<'t>, &TurnFacts<'t>)> + ExactSizeIterator {
        self.conversation.turns.iter().zip(&self.turns)
    }

    /// All calls with what is known of them, in order.
    pub(crate) fn calls(&self) -> impl DoubleEndedIterator<Item = (&ToolCall<'t>, &CallFacts)> {
        self.turns().flat_map(|(turn, facts)| {
            let steps = turn.steps.iter().zip(&facts.steps);
            steps.flat_map(|(step, facts)| step.calls.iter().zip(facts))
        })
    }

    /// All calls and, where their calls were not stored, all results, in order. `O(n)`; a sort only where calls are missing.
    pub(crate) fn answers(&self) -> Vec<Answer<'_, 't>> {
        let mut all: Vec<Answer<'_, 't>> = self
            .calls()
            .map(|(call, facts)| Answer {
                tool: &call.name,
                reading: facts.reading,
                effect: Some(facts.effect),
                call: Some(call),
                entry: call.entry,
            })
            .collect();
        let stored = all.len();
        all.extend(self.turns.iter().flat_map(|turn| &turn.orphans).map(|orphan| Answer {
            tool: &orphan.tool,
            reading: orphan.reading,
            effect: orphan.effect,
            call: None,
            entry: orphan.entry,
        }));
        if all.len() > stored {
            all.sort_by_key(|answer| answer.entry.line());
        }
        all
    }

    /// Whether any model said or did anything.
    pub(crate) fn has_reply(&self) -> bool {
        self.conversation.steps().any(is_reply)
    }

    /// How many messages the active branch holds: of people, models and tools.
    pub(crate) fn message_count(&self) -> usize {
        let is_message = |entry: &&Entry<'_>| {
            entry.entry_type() == EntryType::Message
                && !matches!(entry.role(), None | Some(clawgauge_transcript::Role::Custom))
        };
        self.transcript.active().filter(is_message).count()
    }

    /// How many messages persons wrote.
    pub(crate) fn person_turns(&self) -> usize {
        self.turns.iter().filter(|turn| turn.person.as_ref().is_some_and(|person| person.is_one)).count()
    }

    /// A task is a session with few messages by the person.
    pub(crate) fn kind(&self, matchers: &Matchers) -> SessionKind {
        if self.person_turns() < matchers.limits.dialogue_messages {
            SessionKind::Task
        } else {
            SessionKind::Dialogue
        }
    }

    /// A finding about a whole entry.
    pub(crate) fn evidence(&self, rule: &str, entry: &Entry<'_>, reason: &str) -> Evidence {
        Evidence { rule: rule.into(), place: self.place(entry), bytes: None, reason: reason.into() }
    }

    /// A finding about a call.
    pub(crate) fn call_evidence(&self, rule: &str, call: &ToolCall<'_>, reason: &str) -> Evidence {
        Evidence { bytes: Some(call.range.clone()), ..self.evidence(rule, call.entry, reason) }
    }

    /// A finding about a call, or about its result where that is all there is.
    pub(crate) fn answer_evidence(&self, rule: &str, answer: &Answer<'_, '_>, reason: &str) -> Evidence {
        match answer.call {
            Some(call) => self.call_evidence(rule, call, reason),
            None => self.result_evidence(rule, answer.entry, reason),
        }
    }

    /// A finding about a result whose call is not stored.
    pub(crate) fn result_evidence(&self, rule: &str, entry: &Entry<'_>, reason: &str) -> Evidence {
        let bytes = entry.message().map(Message::range);
        Evidence { bytes, ..self.evidence(rule, entry, reason) }
    }

    /// A finding about words, as a range of their text.
    pub(crate) fn words_evidence(
        &self,
        rule: &str,
        words: &Words<'_>,
        range: std::ops::Range<usize>,
        reason: &str,
    ) -> Evidence {
        Evidence { bytes: Some(words.raw_range(range)), ..self.evidence(rule, words.entry, reason) }
    }

    fn place(&self, entry: &Entry<'_>) -> Place {
        match entry.id() {
            Some(id) => Place::Entry(id.into()),
            None => Place::Message(self.message_lines.partition_point(|&line| line < entry.line())),
        }
    }
}

impl<'t> OrphanFacts<'t> {
    fn new(rules: &Rules, matchers: &Matchers, result: &ToolResult<'t>, flags_are_set: bool) -> Self {
        let tool = result.entry.message().and_then(Message::tool_name).unwrap_or_default();
        let told_by_arguments =
            matches!(rules.tools.kind(&tool), ToolKind::Shell | ToolKind::Edit | ToolKind::Process);
        let effect =
            (!tool.is_empty() && !told_by_arguments).then(|| rules.tools.effect(&tool, &Value::Null));
        let reading = Reading::of_result(matchers, result, result.outcome(), flags_are_set);
        Self { entry: result.entry, tool, reading, effect }
    }
}

/// Whether a step says or does something.
pub(crate) fn is_reply(step: &Step<'_>) -> bool {
    !step.calls.is_empty()
        || step.message.blocks().any(|block| match block {
            Block::Text(text) => !text.text().trim().is_empty(),
            Block::ToolCall(_) | Block::Image(_) => true,
            _ => false,
        })
}

/// The words of a step's answer, without comments beside its calls.
pub(crate) fn answer<'t>(step: &Step<'t>) -> Words<'t> {
    let blocks = step.message.blocks().filter_map(|block| match block {
        Block::Text(text) if !text.is_commentary() => Some(text),
        _ => None,
    });
    Words::new(step.entry, blocks)
}

/// Whether any result of the session says by its flag that it is an error: where none does, the flag may never be set.
fn sets_flags(conversation: &Conversation<'_>) -> bool {
    let of_calls = conversation.calls().filter_map(|call| call.result.as_ref());
    let orphans = conversation.turns.iter().flat_map(|turn| &turn.orphan_results);
    of_calls.chain(orphans).any(|result| result.is_error == Some(true))
}

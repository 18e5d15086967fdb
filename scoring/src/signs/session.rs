//! A session with everything that more than one score reads, read once.

use clawgauge_transcript::{
    Block, Conversation, Entry, EntryType, SessionKey, Step, ToolCall, Transcript, Turn, UserOrigin,
};

use super::call::CallFacts;
use super::measured::SessionKind;
use super::person::{self, Origin, PersonWords, Spoken};
use super::text::Words;
use crate::evidence::{Evidence, Place};
use crate::rules::{Matchers, Rules};

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
        let turns = conversation
            .turns
            .iter()
            .map(|turn| {
                let Spoken { origin, user, person } = person::read_turn(turn, key);
                let facts = |call| CallFacts::new(rules, matchers, call, flags_are_set);
                let steps = turn.steps.iter().map(|step| step.calls.iter().map(facts).collect()).collect();
                TurnFacts { origin, user, person, steps }
            })
            .collect();
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
    conversation.calls().filter_map(|call| call.result.as_ref()).any(|result| result.is_error == Some(true))
}

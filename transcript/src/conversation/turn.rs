//! Turns and their steps.

use std::borrow::Cow;

use super::call::{ToolCall, ToolResult};
use crate::entry::Entry;
use crate::message::{self, Block, Message, StopReason};
use crate::raw::RawJson;
use crate::speaker::{UserInput, UserText, classify_user, spoken_reply};
use crate::time::Timestamp;

/// A user message and everything up to the next one.
///
/// A turn without a user message is what the agent did on its own account (a greeting, the report on a subagent).
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Turn<'t> {
    /// The entry of the user message.
    pub user: Option<&'t Entry<'t>>,
    /// The model's messages in order. Rows that no model wrote are not among them.
    pub steps: Vec<Step<'t>>,
    /// Assistant rows that no model wrote: delivery mirrors, copies, and what the gateway said in the model's place.
    /// Those before the first user message are with the first turn.
    pub injected: Vec<&'t Entry<'t>>,
    /// Results without a call.
    pub orphan_results: Vec<ToolResult<'t>>,
    /// Rows of the program that tell how the turn went (`openclaw:turn-aborted`, `openclaw:prompt-error`, ...).
    pub notes: Vec<&'t Entry<'t>>,
}

/// One message of the model, with the tool calls in it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Step<'t> {
    /// The entry.
    pub entry: &'t Entry<'t>,
    /// The message in it.
    pub message: Message<'t>,
    /// The calls in order; those of one step ran in parallel.
    pub calls: Vec<ToolCall<'t>>,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TurnEnd {
    /// The model stopped by itself.
    Stop,
    /// The model ran into the length limit.
    Length,
    /// The provider or the gateway failed.
    Error,
    /// Somebody stopped the run.
    Aborted,
    /// The last message called tools, and nothing followed: cut off, or still running.
    Unfinished,
    /// No model answered.
    NoReply,
    /// The last message does not say.
    Unknown,
}

impl TurnEnd {
    /// The stable name, for example `no_reply`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::Error => "error",
            Self::Aborted => "aborted",
            Self::Unfinished => "unfinished",
            Self::NoReply => "no_reply",
            Self::Unknown => "unknown",
        }
    }
}

impl<'t> Turn<'t> {
    /// The user message.
    #[must_use]
    pub fn user_message(&self) -> Option<Message<'t>> {
        self.user.and_then(Entry::message)
    }

    /// The text of the user message as stored, wrappers included; empty without one.
    #[must_use]
    pub fn stored_user_text(&self) -> Cow<'t, str> {
        self.user_message().map(Message::joined_text).unwrap_or_default()
    }

    /// The run that the turn belongs to, where rows name theirs: that of its steps, else of its user message.
    #[must_use]
    pub fn run_id(&self) -> Option<Cow<'t, str>> {
        let steps = self.steps.iter().find_map(|step| step.message.run_id());
        steps.or_else(|| self.user_message()?.run_id())
    }

    /// All tool calls of the turn, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall<'t>> {
        self.steps.iter().flat_map(|step| &step.calls)
    }

    /// How the turn ended: as its last message says, unless a row of the program behind it says more
    /// (`openclaw:turn-aborted`, `openclaw:prompt-error`, `run-failed-before-reply`).
    #[must_use]
    pub fn end(&self) -> TurnEnd {
        match self.note_end() {
            Some(end) => return end,
            None if self.steps.is_empty() => return TurnEnd::NoReply,
            None => {}
        }
        let Some(last) = self.steps.last() else {
            return TurnEnd::NoReply;
        };
        match last.message.stop_reason() {
            Some(StopReason::Stop) => TurnEnd::Stop,
            Some(StopReason::Length) => TurnEnd::Length,
            Some(StopReason::Error) => TurnEnd::Error,
            Some(StopReason::Aborted) => TurnEnd::Aborted,
            Some(StopReason::ToolUse) => TurnEnd::Unfinished,
            _ if !last.calls.is_empty() => TurnEnd::Unfinished,
            _ => TurnEnd::Unknown,
        }
    }

    /// What went wrong, where the turn ended in an error.
    #[must_use]
    pub fn error_message(&self) -> Option<Cow<'t, str>> {
        if self.end() != TurnEnd::Error {
            return None;
        }
        let last = self.steps.last().and_then(|step| step.message.error_message());
        // A note behind the last message knows more than the message: why it was aborted.
        if self.note_end().is_some() { self.note_error().or(last) } else { last }
    }

    fn note_error(&self) -> Option<Cow<'t, str>> {
        let note = self.notes.last()?;
        note.get("details").or_else(|| note.get("data"))?.get("error")?.text()
    }

    /// Who wrote the user message and what they said themselves, without the envelope; `None` without a user message.
    /// The session key makes the answer surer. Borrows from `stored`, the turn's
    /// [`stored_user_text`](Turn::stored_user_text).
    #[must_use]
    pub fn speaker<'s>(&self, stored: &'s str, session_key: Option<&str>) -> Option<UserText<'s>> {
        let message = self.user_message()?;
        let provenance = message.provenance().map(RawJson::as_str);
        let openclaw = message.openclaw().map(RawJson::as_str);
        let input = UserInput::new(stored).provenance(provenance).openclaw(openclaw).session_key(session_key);
        Some(classify_user(&input))
    }

    /// The final answer: the last text of the model in this turn that it did not mark as a comment, without the token
    /// that some models add to say nothing more. `None` when the turn ended in an error or was aborted, and when the
    /// model had nothing to say ([`is_silent`](Turn::is_silent)).
    #[must_use]
    pub fn final_output(&self) -> Option<Cow<'t, str>> {
        let answer = self.answer()?;
        let spoken = spoken_reply(&answer);
        match spoken.token {
            None => Some(answer),
            Some(_) => (!spoken.is_silent()).then(|| Cow::Owned(spoken.text.to_owned())),
        }
    }

    /// Whether the model chose not to reply (`NO_REPLY`, `HEARTBEAT_OK`).
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.answer().is_some_and(|text| spoken_reply(&text).is_silent())
    }

    /// The step that holds the final answer.
    #[must_use]
    pub fn final_step(&self) -> Option<&Step<'t>> {
        if matches!(self.end(), TurnEnd::Error | TurnEnd::Aborted) {
            return None;
        }
        self.steps.iter().rev().find(|step| !step.text().trim().is_empty())
    }

    fn answer(&self) -> Option<Cow<'t, str>> {
        self.final_step().map(Step::text)
    }

    /// When the turn began: the user message's time, else the first step's.
    #[must_use]
    pub fn started_at(&self) -> Option<Timestamp> {
        let first = self.user.or_else(|| self.steps.first().map(|step| step.entry))?;
        first.timestamp()
    }

    /// The latest time in the turn: of its steps, results, notes and injected rows, else the user message's.
    #[must_use]
    pub fn ended_at(&self) -> Option<Timestamp> {
        let results = self.calls().filter_map(|call| call.result.as_ref()?.timestamp());
        let steps = self.steps.iter().filter_map(|step| step.entry.timestamp());
        let notes = self.notes.iter().chain(&self.injected).filter_map(|entry| entry.timestamp());
        results.chain(steps).chain(notes).max().or_else(|| self.user?.timestamp())
    }

    /// Whether nothing but injected rows is in the turn: nobody has spoken yet.
    pub(crate) fn is_silent_start(&self) -> bool {
        self.user.is_none()
            && self.steps.is_empty()
            && self.notes.is_empty()
            && self.orphan_results.is_empty()
    }

    /// How the program's own rows say the turn ended, where nothing of the model followed them.
    fn note_end(&self) -> Option<TurnEnd> {
        let note = self.notes.last()?;
        if self
            .steps
            .last()
            .is_some_and(|step| (step.entry.line(), step.entry.offset()) > (note.line(), note.offset()))
        {
            return None;
        }
        let kind = note.get("customType").and_then(RawJson::text)?;
        match &*kind {
            "openclaw:turn-aborted" => Some(TurnEnd::Aborted),
            "run-failed-before-reply" => Some(TurnEnd::Error),
            "openclaw:prompt-error" => {
                let error = note.get("data")?.get("error")?.text()?;
                Some(if error.contains("aborted") { TurnEnd::Aborted } else { TurnEnd::Error })
            }
            _ => None,
        }
    }
}

impl<'t> Step<'t> {
    /// The words of the message without comments beside tool calls, joined by line feeds.
    #[must_use]
    pub fn text(&self) -> Cow<'t, str> {
        self.texts(false)
    }

    /// The words that the model marked as comments beside its tool calls.
    #[must_use]
    pub fn commentary(&self) -> Cow<'t, str> {
        self.texts(true)
    }

    /// The model's reasoning.
    #[must_use]
    pub fn thinking(&self) -> Cow<'t, str> {
        self.message.joined_thinking()
    }

    fn texts(&self, commentary: bool) -> Cow<'t, str> {
        message::join(self.message.blocks().filter_map(|block| match block {
            Block::Text(text) if text.is_commentary() == commentary => Some(text.text()),
            _ => None,
        }))
    }
}

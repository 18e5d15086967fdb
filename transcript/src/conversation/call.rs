//! A tool call and its result.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::outcome::{self, Outcome};
use crate::entry::Entry;
use crate::message::{self, Message};
use crate::raw::RawJson;
use crate::time::Timestamp;

/// The text that OpenClaw's own repair puts in place of a lost result begins like this.
const REPAIR_MARK: &str = "[openclaw] missing tool result";

/// A tool call, with the result that answers it.
///
/// Calls that went through the `tool_call` wrapper appear as the tools they really called; [`via`](ToolCall::via) says
/// so.
#[derive(Clone)]
#[non_exhaustive]
pub struct ToolCall<'t> {
    /// The entry that holds the call.
    pub entry: &'t Entry<'t>,
    /// Where the call's JSON stands in that entry's text, in bytes: the block, or the details of an inner call's row.
    pub range: Range<usize>,
    /// The id its result refers to. Ids come again.
    pub id: Option<Cow<'t, str>>,
    /// The tool's name.
    pub name: Cow<'t, str>,
    /// The arguments as written, normally an object.
    pub arguments: Option<RawJson<'t>>,
    /// The wrapper tool that the model called instead, when there was one.
    pub via: Option<Cow<'t, str>>,
    /// The wrapper's own result, where the inner calls were stored with theirs: on the first of them. It is what the
    /// model saw.
    pub via_result: Option<ToolResult<'t>>,
    /// The result, when there is one.
    pub result: Option<ToolResult<'t>>,
    /// What became of it. For a command that went to the background: what the later polls saw.
    pub outcome: Outcome,
    /// The calls that polled this one while it ran in the background, in order.
    pub polls: Vec<CallRef>,
    /// The call in the background that this one polls.
    pub polls_of: Option<CallRef>,
    pub(crate) stated_ms: Option<u64>,
    pub(crate) late_exit_code: Option<i64>,
    pub(crate) late_output: String,
}

impl<'t> ToolCall<'t> {
    pub(crate) fn new(entry: &'t Entry<'t>, range: Range<usize>, name: Cow<'t, str>) -> Self {
        Self {
            entry,
            range,
            id: None,
            name,
            arguments: None,
            via: None,
            via_result: None,
            result: None,
            outcome: Outcome::NoResult,
            polls: Vec::new(),
            polls_of: None,
            stated_ms: None,
            late_exit_code: None,
            late_output: String::new(),
        }
    }

    /// One argument.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<RawJson<'t>> {
        self.arguments?.get(name)
    }

    /// The exit code, where the result or the poll that saw the end names one. Not zero is not always a failure.
    #[must_use]
    pub fn exit_code(&self) -> Option<i64> {
        self.late_exit_code.or_else(|| self.result.as_ref()?.exit_code())
    }

    /// The output: the result's text, and for a command in the background what the polls printed after it, joined by
    /// line feeds. Decoded anew at each call.
    #[must_use]
    pub fn output(&self) -> Cow<'t, str> {
        let own = self.result.as_ref().map(ToolResult::text).unwrap_or_default();
        if self.late_output.is_empty() {
            return own;
        }
        message::join([own, Cow::Owned(self.late_output.clone())].into_iter())
    }

    /// Milliseconds the call took, where the tool or the row says so (`details.durationMs`; of an inner call, from its
    /// start to its end), else the time between the two rows, never negative. For a command that went to the
    /// background this ends when it did so.
    #[must_use]
    pub fn duration_ms(&self) -> Option<u64> {
        let result = self.result.as_ref()?;
        let stated = result.details.and_then(|details| details.get("durationMs")).and_then(RawJson::as_f64);
        if let Some(stated) = stated.filter(|ms| *ms >= 0.0) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "not negative, saturates"
            )]
            return Some(stated.round() as u64);
        }
        if self.stated_ms.is_some() {
            return self.stated_ms;
        }
        Some(result.timestamp()?.millis_since(self.entry.timestamp()?))
    }
}

impl fmt::Debug for ToolCall<'_> {
    /// Its place, names and outcome; never arguments or output.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCall")
            .field("line", &self.entry.line())
            .field("id", &self.id)
            .field("name", &self.name)
            .field("via", &self.via)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

/// Where a call stands in the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallRef {
    /// The turn, from 0.
    pub turn: usize,
    /// The step in the turn, from 0.
    pub step: usize,
    /// The call in the step, from 0.
    pub call: usize,
}

/// The answer to a tool call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolResult<'t> {
    /// The entry that holds it.
    pub entry: &'t Entry<'t>,
    /// The error flag, where there is one.
    pub is_error: Option<bool>,
    /// What the tool says about its own run.
    pub details: Option<RawJson<'t>>,
    /// What flag and details say together, and whether the details say anything of it.
    told: (Outcome, bool),
    content: Content<'t>,
}

#[derive(Debug, Clone)]
enum Content<'t> {
    Message(Message<'t>),
    /// The `content` list of an inner call's result.
    Nested(Option<RawJson<'t>>),
}

impl<'t> ToolResult<'t> {
    pub(crate) fn from_message(entry: &'t Entry<'t>, message: Message<'t>) -> Self {
        let (is_error, details) = (message.is_error(), message.details());
        let told = Outcome::of(is_error, details);
        Self { entry, is_error, details, told, content: Content::Message(message) }
    }

    /// The result inside a nested tool row, whose error flag stands beside it.
    pub(crate) fn nested(entry: &'t Entry<'t>, row: RawJson<'t>, result: RawJson<'t>) -> Self {
        let flag = |json: RawJson<'t>| json.get("isError").and_then(RawJson::as_bool);
        let (is_error, details) = (flag(row).or_else(|| flag(result)), result.get("details"));
        let told = Outcome::of(is_error, details);
        Self { entry, is_error, details, told, content: Content::Nested(result.get("content")) }
    }

    /// The text blocks joined by line feeds.
    #[must_use]
    pub fn text(&self) -> Cow<'t, str> {
        match &self.content {
            Content::Message(message) => message.joined_text(),
            Content::Nested(None) => Cow::Borrowed(""),
            Content::Nested(Some(content)) => match content.text() {
                Some(text) => text,
                None => {
                    message::join(content.items().into_iter().filter_map(|block| block.get("text")?.text()))
                }
            },
        }
    }

    /// The exit code that the details name.
    #[must_use]
    pub fn exit_code(&self) -> Option<i64> {
        outcome::exit_code(self.details)
    }

    /// When the result was written.
    #[must_use]
    pub fn timestamp(&self) -> Option<Timestamp> {
        self.entry.timestamp()
    }

    /// What became of the call, as this result tells it. Of a command that went to the background the call's own
    /// [`outcome`](ToolCall::outcome) knows more; of a result without a call this is all there is.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        if self.is_error == Some(true) && self.details.is_none() && self.text().starts_with(REPAIR_MARK) {
            return Outcome::Repaired;
        }
        self.told.0
    }

    /// Whether the details say how the call went: they have a status or an exit code, and it is not `null`.
    #[must_use]
    pub const fn details_tell(&self) -> bool {
        self.told.1
    }

    pub(crate) fn detail_text(&self, key: &str) -> Option<Cow<'t, str>> {
        self.details?.get(key)?.text()
    }
}

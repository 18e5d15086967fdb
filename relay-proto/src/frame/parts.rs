//! What several frames are made of.

use std::fmt;

use crate::json::{Extra, Field, Fields, ObjectWriter};

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TurnStatus {
    /// The agent answered (perhaps with nothing to say).
    Ok,
    /// It failed; `error` says why.
    Error,
    /// It was not run; `reason` says why.
    Dropped,
    /// The platform sent `abort` for it.
    Aborted,
    /// A word of a later protocol.
    Other(String),
}

impl TurnStatus {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Dropped => "dropped",
            Self::Aborted => "aborted",
            Self::Other(word) => word,
        }
    }

    pub(crate) fn read(word: String) -> Self {
        match word.as_str() {
            "ok" => Self::Ok,
            "error" => Self::Error,
            "dropped" => Self::Dropped,
            "aborted" => Self::Aborted,
            _ => Self::Other(word),
        }
    }
}

impl fmt::Display for TurnStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a delivered reply is.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReplyKind {
    /// A piece of the answer, sent before the end.
    Block,
    /// The answer.
    #[default]
    Final,
    /// Text that a tool produced.
    Tool,
    /// Any other word; it is sent but counted nowhere.
    Other(String),
}

impl ReplyKind {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Block => "block",
            Self::Final => "final",
            Self::Tool => "tool",
            Self::Other(word) => word,
        }
    }

    /// The kind with this word.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word {
            "block" => Self::Block,
            "final" => Self::Final,
            "tool" => Self::Tool,
            _ => Self::Other(word.to_owned()),
        }
    }
}

/// How many replies of each kind a turn delivered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplyCounts {
    /// Replies of kind `tool`.
    pub tool: u64,
    /// Replies of kind `block`.
    pub block: u64,
    /// Replies of kind `final`.
    pub final_: u64,
}

impl ReplyCounts {
    /// Counts one reply. Unknown kinds are in no count.
    pub fn add(&mut self, kind: &ReplyKind) {
        match kind {
            ReplyKind::Tool => self.tool += 1,
            ReplyKind::Block => self.block += 1,
            ReplyKind::Final => self.final_ += 1,
            ReplyKind::Other(_) => {}
        }
    }

    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        fields.read_field("replies", |field| {
            let mut fields = field.object()?;
            let counts = Self {
                tool: fields.unsigned("tool")?,
                block: fields.unsigned("block")?,
                final_: fields.unsigned("final")?,
            };
            fields.rest().is_empty().then_some(counts)
        })
    }

    pub(crate) fn write(self, out: &mut ObjectWriter) {
        out.object("replies", |out| {
            out.display("tool", self.tool);
            out.display("block", self.block);
            out.display("final", self.final_);
        });
    }
}

/// The person behind a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sender {
    /// The platform account.
    pub id: Option<String>,
    /// A name to show.
    pub name: Option<String>,
    /// Fields that this crate does not know.
    pub extra: Extra,
}

impl Sender {
    /// A person with id and name.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self { id: Some(id.into()), name: Some(name.into()), extra: Extra::new() }
    }

    pub(crate) fn read(mut fields: Fields<'_>) -> Self {
        Self { id: word(&mut fields, "id"), name: word(&mut fields, "name"), extra: fields.rest() }
    }

    pub(crate) fn write(&self, out: &mut ObjectWriter) {
        out.opt_text("id", self.id.as_deref());
        out.opt_text("name", self.name.as_deref());
        out.extra(&self.extra);
    }
}

/// A text, or a number read as its text: account ids are numbers on many platforms.
fn word(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    fields.read_field(name, |field| match field.number() {
        Some(_) => Some(field.raw.get().to_owned()),
        None => field.text(),
    })
}

/// One agent that the gateway offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentEntry {
    /// Agent id.
    pub id: String,
    /// Whether it answers when a message names none.
    pub default: bool,
    /// Fields that this crate does not know.
    pub extra: Extra,
}

impl AgentEntry {
    /// An agent.
    #[must_use]
    pub fn new(id: impl Into<String>, default: bool) -> Self {
        Self { id: id.into(), default, extra: Extra::new() }
    }
}

/// Name and version of the program at the agent's end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PluginInfo {
    /// Package name.
    pub name: Option<String>,
    /// Package version.
    pub version: Option<String>,
    /// Fields that this crate does not know.
    pub extra: Extra,
}

/// A question with options, drawn as buttons.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// Id of the question within its turn.
    pub id: String,
    /// A word or two above the question.
    pub header: String,
    /// The question.
    pub question: String,
    /// What may be chosen.
    pub options: Vec<Choice>,
    /// Whether several may be chosen.
    pub multi_select: bool,
    /// Fields that this crate does not know.
    pub extra: Extra,
}

/// One option of a [`Question`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// The button; a click sends this text as the next message.
    pub label: String,
    /// A line of explanation.
    pub description: Option<String>,
    /// Fields that this crate does not know.
    pub extra: Extra,
}

impl Question {
    pub(crate) fn read(mut fields: Fields<'_>) -> Self {
        Self {
            id: fields.text("id").unwrap_or_default(),
            header: fields.text("header").unwrap_or_default(),
            question: fields.text("question").unwrap_or_default(),
            options: fields.objects("options", Choice::read).unwrap_or_default(),
            multi_select: fields.bool("multiSelect").unwrap_or_default(),
            extra: fields.rest(),
        }
    }

    pub(crate) fn write(&self, out: &mut ObjectWriter) {
        out.text("id", &self.id);
        out.text("header", &self.header);
        out.text("question", &self.question);
        out.objects("options", &self.options, |option, out| {
            out.text("label", &option.label);
            out.opt_text("description", option.description.as_deref());
            out.extra(&option.extra);
        });
        out.display("multiSelect", self.multi_select);
        out.extra(&self.extra);
    }
}

impl Choice {
    fn read(mut fields: Fields<'_>) -> Self {
        Self {
            label: fields.text("label").unwrap_or_default(),
            description: fields.text("description"),
            extra: fields.rest(),
        }
    }
}

/// What a turn spent: the sums over its model calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UsageTotals {
    /// Model calls.
    pub calls: u64,
    /// Tokens sent to the model. Sums are exact up to 2^53.
    pub input_tokens: f64,
    /// Tokens that the model produced.
    pub output_tokens: f64,
    /// Total, as reported by the provider or else input plus output.
    pub total_tokens: f64,
    /// Tokens read from the provider's cache.
    pub cache_read_tokens: f64,
    /// Cost in US dollars; `None` when no call reported one.
    pub cost_usd: Option<f64>,
    /// The last model used.
    pub model: Option<String>,
    /// Fields that this crate does not know.
    pub extra: Extra,
}

impl UsageTotals {
    pub(crate) fn read(mut fields: Fields<'_>) -> Self {
        Self {
            calls: fields.unsigned("calls").unwrap_or_default(),
            input_tokens: fields.number("inputTokens").unwrap_or_default(),
            output_tokens: fields.number("outputTokens").unwrap_or_default(),
            total_tokens: fields.number("totalTokens").unwrap_or_default(),
            cache_read_tokens: fields.number("cacheReadTokens").unwrap_or_default(),
            cost_usd: null_or(&mut fields, "costUsd", Fields::number),
            model: null_or(&mut fields, "model", Fields::text),
            extra: fields.rest(),
        }
    }

    pub(crate) fn write(&self, out: &mut ObjectWriter) {
        out.display("calls", self.calls);
        out.number("inputTokens", self.input_tokens);
        out.number("outputTokens", self.output_tokens);
        out.number("totalTokens", self.total_tokens);
        out.number("cacheReadTokens", self.cache_read_tokens);
        // Not a number is written as null, which is what unknown looks like here.
        out.number("costUsd", self.cost_usd.unwrap_or(f64::NAN));
        match &self.model {
            Some(model) => out.text("model", model),
            None => out.raw("model", "null"),
        }
        out.extra(&self.extra);
    }
}

/// Reads a field whose `null` means unknown and is written back as `null` by its owner.
pub(crate) fn null_or<'a, T>(
    fields: &mut Fields<'a>,
    name: &str,
    read: impl FnOnce(&mut Fields<'a>, &str) -> Option<T>,
) -> Option<T> {
    if fields.read_field(name, |field| field.is_null().then_some(())).is_some() {
        return None;
    }
    read(fields, name)
}

/// The resumable extension's part of `hello` and `hello.ack`.
///
/// In `hello`: the session to go on with and the highest sequence number received from the platform. In
/// `hello.ack`: the session that is now in force and the highest number received from the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resume {
    /// Names the session. Whoever holds it can only resume together with the keys.
    pub token: String,
    /// Every frame up to this sequence number has arrived; 0 for none.
    pub received: u64,
}

impl Resume {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        fields.read_field("resume", |field| {
            let mut fields = field.object()?;
            let resume = Self { token: fields.text("token")?, received: fields.unsigned("received")? };
            fields.rest().is_empty().then_some(resume)
        })
    }

    pub(crate) fn write(&self, out: &mut ObjectWriter) {
        out.object("resume", |out| {
            out.text("token", &self.token);
            out.display("received", self.received);
        });
    }
}

/// The resumable extension's acknowledgement, in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ack {
    /// Every frame up to this sequence number has arrived.
    pub received: u64,
    /// A later frame arrived first: everything after `received` is asked for again.
    pub gap: bool,
}

impl Ack {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        Some(Self {
            received: fields.unsigned("received")?,
            gap: fields.read_field("gap", Field::is_true).is_some(),
        })
    }

    pub(crate) fn write(self, out: &mut ObjectWriter) {
        out.display("received", self.received);
        if self.gap {
            out.raw("gap", "true");
        }
    }
}

//! A message and its content blocks.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::parse::{BlockParts, MessageParts};
use crate::raw::RawJson;
use crate::scan::Span;
use crate::speaker::{AssistantInput, classify_assistant};
use crate::time::Timestamp;
use crate::usage::Usage;

/// Who a message is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[non_exhaustive]
pub enum Role {
    /// A person, or a program in a person's place.
    User,
    /// The model, or the gateway in its place.
    Assistant,
    /// The answer to a tool call.
    ToolResult,
    /// A note of the program; `customType` says which.
    Custom,
    /// A command that the person ran in the terminal interface.
    BashExecution,
    /// A summary that stands for compacted messages (hook payloads only).
    CompactionSummary,
    /// A summary that stands for a branch that was left (hook payloads only).
    BranchSummary,
    /// Instructions (other runtimes).
    System,
    /// Anything else, or no role. Its name is [`Message::role_name`].
    #[default]
    Unknown,
}

impl Role {
    pub(crate) fn from_name(name: &str) -> Self {
        match name {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "toolResult" => Self::ToolResult,
            "custom" | "hookMessage" => Self::Custom,
            "bashExecution" => Self::BashExecution,
            "compactionSummary" => Self::CompactionSummary,
            "branchSummary" => Self::BranchSummary,
            "system" | "developer" => Self::System,
            _ => Self::Unknown,
        }
    }
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum StopReason {
    /// It was done.
    Stop,
    /// It ran into the length limit.
    Length,
    /// It called tools.
    ToolUse,
    /// The provider or the gateway failed.
    Error,
    /// Somebody stopped the run.
    Aborted,
    /// Another word.
    Other,
}

impl StopReason {
    fn from_name(name: &str) -> Self {
        match name {
            "stop" | "end_turn" | "stop_sequence" => Self::Stop,
            "length" | "max_tokens" => Self::Length,
            "toolUse" | "tool_use" | "tool_calls" => Self::ToolUse,
            "error" => Self::Error,
            "aborted" => Self::Aborted,
            _ => Self::Other,
        }
    }
}

/// A message: a view into its [`Entry`](crate::Entry), free to copy.
///
/// Byte ranges are positions in the entry's [`raw`](crate::Entry::raw) text.
#[derive(Clone, Copy)]
pub struct Message<'e> {
    raw: &'e str,
    parts: &'e MessageParts,
}

impl<'e> Message<'e> {
    pub(crate) const fn new(raw: &'e str, parts: &'e MessageParts) -> Self {
        Self { raw, parts }
    }

    /// The whole message as JSON.
    #[must_use]
    pub fn json(self) -> RawJson<'e> {
        self.value(self.parts.whole)
    }

    /// Any field, known or not. `O(length of the message)`.
    #[must_use]
    pub fn get(self, key: &str) -> Option<RawJson<'e>> {
        self.json().get(key)
    }

    /// Who the message is from.
    #[must_use]
    pub fn role(self) -> Role {
        self.parts.who
    }

    /// The role as written; empty when there is none.
    #[must_use]
    pub fn role_name(self) -> Cow<'e, str> {
        self.text(self.parts.role).unwrap_or_default()
    }

    /// The content as it stands: a string, a list of blocks, or whatever is there.
    #[must_use]
    pub fn content(self) -> Option<RawJson<'e>> {
        self.parts.content.map(|span| self.value(span))
    }

    /// The content blocks in order. A plain string is one text block.
    pub fn blocks(self) -> impl Iterator<Item = Block<'e>> {
        let string = self.parts.content.filter(|span| span.of(self.raw).starts_with('"'));
        let string = string.map(|span| Block::Text(TextBlock { raw: self.raw, text: span, signature: None }));
        string.into_iter().chain(self.parts.blocks.iter().map(move |parts| Block::new(self.raw, parts)))
    }

    /// The text blocks joined by line feeds, empty ones left out. Thinking is not text. Decoded anew at each call;
    /// borrows when there is one block and nothing in it is escaped.
    #[must_use]
    pub fn joined_text(self) -> Cow<'e, str> {
        join(self.blocks().filter_map(|block| match block {
            Block::Text(text) => Some(text.text()),
            _ => None,
        }))
    }

    /// The thinking blocks joined by line feeds, empty ones left out. Costs as [`joined_text`](Message::joined_text).
    #[must_use]
    pub fn joined_thinking(self) -> Cow<'e, str> {
        join(self.blocks().filter_map(|block| match block {
            Block::Thinking(thinking) => Some(thinking.text()),
            _ => None,
        }))
    }

    /// When the message was made (its own clock; of an assistant, when the model call began).
    #[must_use]
    pub fn timestamp(self) -> Option<Timestamp> {
        self.parts.timestamp.and_then(|span| Timestamp::from_json(self.value(span)))
    }

    /// Why the model stopped, where that is stored.
    #[must_use]
    pub fn stop_reason(self) -> Option<StopReason> {
        self.stop_reason_name().map(|name| StopReason::from_name(&name))
    }

    /// The stop reason as written.
    #[must_use]
    pub fn stop_reason_name(self) -> Option<Cow<'e, str>> {
        self.text(self.parts.stop_reason)
    }

    /// What went wrong, on an assistant row that ended in an error.
    #[must_use]
    pub fn error_message(self) -> Option<Cow<'e, str>> {
        self.get("errorMessage")?.text()
    }

    /// The provider of the model that wrote this message.
    #[must_use]
    pub fn provider(self) -> Option<Cow<'e, str>> {
        self.text(self.parts.provider)
    }

    /// The model that wrote this message.
    #[must_use]
    pub fn model(self) -> Option<Cow<'e, str>> {
        self.text(self.parts.model)
    }

    /// The `usage` object as it stands.
    #[must_use]
    pub fn raw_usage(self) -> Option<RawJson<'e>> {
        self.parts.usage.map(|span| self.value(span))
    }

    /// What the reply used. `None` when the row has no usage or only zeros, which is how OpenClaw stores "not
    /// reported".
    #[must_use]
    pub fn usage(self) -> Option<Usage> {
        self.raw_usage().and_then(|usage| Usage::from_json(usage.as_str()).reported())
    }

    /// Which call a tool result answers. The id alone does not say it, ids come again: see
    /// [`Conversation`](crate::Conversation).
    #[must_use]
    pub fn tool_call_id(self) -> Option<Cow<'e, str>> {
        self.text(self.parts.tool_call_id)
    }

    /// The tool that a tool result comes from.
    #[must_use]
    pub fn tool_name(self) -> Option<Cow<'e, str>> {
        self.text(self.parts.tool_name)
    }

    /// The error flag of a tool result; `None` when it is absent or no truth value.
    #[must_use]
    pub fn is_error(self) -> Option<bool> {
        self.parts.is_error.and_then(|span| self.value(span).as_bool())
    }

    /// What the tool says about its own run: absent, an object or an array.
    #[must_use]
    pub fn details(self) -> Option<RawJson<'e>> {
        self.parts.details.map(|span| self.value(span))
    }

    /// The key under which the row was written once.
    #[must_use]
    pub fn idempotency_key(self) -> Option<Cow<'e, str>> {
        self.text(self.parts.idempotency_key)
    }

    /// The gateway's own notes on the row (`__openclaw`).
    #[must_use]
    pub fn openclaw(self) -> Option<RawJson<'e>> {
        self.parts.openclaw.map(|span| self.value(span))
    }

    /// What the row says of who wrote it (`provenance`).
    pub(crate) fn provenance(self) -> Option<RawJson<'e>> {
        self.parts.provenance.map(|span| self.value(span))
    }

    /// The kind of a custom message.
    #[must_use]
    pub fn custom_type(self) -> Option<Cow<'e, str>> {
        self.text(self.parts.custom_type)
    }

    /// The run that wrote this row, where it is stored: `__openclaw.runId` (since 2026.9), else what precedes `:user`
    /// in a user row's idempotency key. Runs are opaque names. `O(length of the notes)`.
    #[must_use]
    pub fn run_id(self) -> Option<Cow<'e, str>> {
        if let Some(id) = self.openclaw().and_then(|notes| notes.get("runId")).and_then(RawJson::text) {
            return Some(id);
        }
        if self.role() != Role::User {
            return None;
        }
        let key = self.idempotency_key()?;
        key.strip_suffix(":user").filter(|id| !id.is_empty()).map(|id| Cow::Owned(id.to_owned()))
    }

    /// Whether no model wrote an assistant row: a delivery mirror, or what the gateway said in the model's place (see
    /// [`classify_assistant`]).
    #[must_use]
    pub fn is_injected(self) -> bool {
        let (provider, model) = (self.provider(), self.model());
        // Only rows that lost their provider are told by the mark; asking every row would read it twice.
        let marked = |key| self.get(key).is_some();
        let row = AssistantInput {
            provider: provider.as_deref(),
            model: model.as_deref(),
            api: None,
            mirror_mark: provider.is_none()
                && (marked("openclawDeliveryMirror") || marked("openclawMessageToolMirror")),
        };
        self.role() == Role::Assistant && !classify_assistant(&row).is_model()
    }

    /// Whether the row is kept from the model (`excludeFromContext`).
    #[must_use]
    pub fn is_excluded_from_context(self) -> bool {
        self.get("excludeFromContext").and_then(RawJson::as_bool).unwrap_or(false)
    }

    /// Where the message's JSON stands in the entry's text, in bytes.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.parts.whole.range()
    }

    fn value(self, span: Span) -> RawJson<'e> {
        RawJson::scanned(span.of(self.raw))
    }

    fn text(self, span: Option<Span>) -> Option<Cow<'e, str>> {
        span.and_then(|span| self.value(span).text())
    }
}

/// A piece of a message's content.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Block<'e> {
    /// Words.
    Text(TextBlock<'e>),
    /// The model's reasoning.
    Thinking(ThinkingBlock<'e>),
    /// A call of a tool.
    ToolCall(ToolCallBlock<'e>),
    /// A picture.
    Image(ImageBlock<'e>),
    /// Anything else, whole.
    Unknown(RawJson<'e>),
}

impl<'e> Block<'e> {
    fn new(raw: &'e str, parts: &'e BlockParts) -> Self {
        match (parts.kind, parts.text, parts.thinking) {
            (BlockType::Text, Some(text), _) => {
                Self::Text(TextBlock { raw, text, signature: parts.signature })
            }
            (BlockType::Thinking, _, Some(text)) => Self::Thinking(ThinkingBlock { raw, text }),
            (BlockType::ToolCall, ..) => Self::ToolCall(ToolCallBlock { raw, parts }),
            (BlockType::Image, ..) => Self::Image(ImageBlock { raw, parts }),
            _ => Self::Unknown(RawJson::scanned(parts.whole.of(raw))),
        }
    }
}

/// What a block's `type` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum BlockType {
    Text,
    Thinking,
    ToolCall,
    Image,
    #[default]
    Other,
}

impl BlockType {
    pub(crate) fn from_name(name: &str) -> Self {
        match name {
            "text" => Self::Text,
            "thinking" => Self::Thinking,
            "toolCall" | "toolUse" | "tool_use" | "functionCall" | "function_call" => Self::ToolCall,
            "image" => Self::Image,
            _ => Self::Other,
        }
    }
}

/// Words in a message.
#[derive(Clone, Copy)]
pub struct TextBlock<'e> {
    raw: &'e str,
    text: Span,
    signature: Option<Span>,
}

impl<'e> TextBlock<'e> {
    /// The words; empty when `text` is no string.
    #[must_use]
    pub fn text(self) -> Cow<'e, str> {
        RawJson::scanned(self.text.of(self.raw)).text().unwrap_or_default()
    }

    /// Whether the model marked the text as a comment beside its tool calls, not as its answer.
    #[must_use]
    pub fn is_commentary(self) -> bool {
        let Some(signature) = self.signature else {
            return false;
        };
        let signature = RawJson::scanned(signature.of(self.raw));
        let inner = signature.text();
        let parsed = inner.as_deref().and_then(RawJson::parse);
        let phase = parsed.unwrap_or(signature).get("phase").and_then(RawJson::text);
        phase.is_some_and(|phase| phase == "commentary")
    }

    /// Where the text's JSON string stands in the entry's text, quotes included.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.text.range()
    }
}

/// The model's reasoning in a message.
#[derive(Clone, Copy)]
pub struct ThinkingBlock<'e> {
    raw: &'e str,
    text: Span,
}

impl<'e> ThinkingBlock<'e> {
    /// The reasoning; empty when it was redacted.
    #[must_use]
    pub fn text(self) -> Cow<'e, str> {
        RawJson::scanned(self.text.of(self.raw)).text().unwrap_or_default()
    }

    /// Where the JSON string stands in the entry's text, quotes included.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.text.range()
    }
}

/// A call of a tool, as the model wrote it.
#[derive(Clone, Copy)]
pub struct ToolCallBlock<'e> {
    raw: &'e str,
    parts: &'e BlockParts,
}

impl<'e> ToolCallBlock<'e> {
    /// The id that the result refers to. Ids come again in later steps and runs.
    #[must_use]
    pub fn id(self) -> Option<Cow<'e, str>> {
        self.text(self.parts.id)
    }

    /// The tool's name; empty when there is none.
    #[must_use]
    pub fn name(self) -> Cow<'e, str> {
        self.text(self.parts.name).unwrap_or_default()
    }

    /// The arguments as they stand, normally an object.
    #[must_use]
    pub fn arguments(self) -> Option<RawJson<'e>> {
        self.parts.arguments.or(self.parts.input).map(|span| RawJson::scanned(span.of(self.raw)))
    }

    /// The whole block as JSON.
    #[must_use]
    pub fn json(self) -> RawJson<'e> {
        RawJson::scanned(self.parts.whole.of(self.raw))
    }

    /// Where the block's JSON stands in the entry's text, in bytes.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.parts.whole.range()
    }

    fn text(self, span: Option<Span>) -> Option<Cow<'e, str>> {
        span.and_then(|span| RawJson::scanned(span.of(self.raw)).text())
    }
}

/// A picture in a message.
#[derive(Clone, Copy)]
pub struct ImageBlock<'e> {
    raw: &'e str,
    parts: &'e BlockParts,
}

impl<'e> ImageBlock<'e> {
    /// Its type, for example `image/png`.
    #[must_use]
    pub fn mime_type(self) -> Option<Cow<'e, str>> {
        self.parts.mime.and_then(|span| RawJson::scanned(span.of(self.raw)).text())
    }

    /// How many base64 characters it has; `None` when the data is not stored in the row.
    #[must_use]
    pub fn base64_len(self) -> Option<usize> {
        self.parts.data.map(|span| span.of(self.raw).trim_matches('"').len())
    }

    /// The whole block as JSON.
    #[must_use]
    pub fn json(self) -> RawJson<'e> {
        RawJson::scanned(self.parts.whole.of(self.raw))
    }
}

// What these print is never content: only what it is and where it stands.

impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Message");
        shown.field("role", &self.role()).field("range", &self.range()).finish_non_exhaustive()
    }
}

impl fmt::Debug for TextBlock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextBlock").field("range", &self.range()).finish_non_exhaustive()
    }
}

impl fmt::Debug for ThinkingBlock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThinkingBlock").field("range", &self.range()).finish_non_exhaustive()
    }
}

impl fmt::Debug for ToolCallBlock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ToolCallBlock");
        shown.field("name", &self.name()).field("range", &self.range()).finish_non_exhaustive()
    }
}

impl fmt::Debug for ImageBlock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ImageBlock");
        let shown = shown.field("mime_type", &self.mime_type()).field("base64_len", &self.base64_len());
        shown.finish_non_exhaustive()
    }
}

/// Joins texts by line feeds and leaves empty ones out; borrows when there is only one.
pub(crate) fn join<'e>(texts: impl Iterator<Item = Cow<'e, str>>) -> Cow<'e, str> {
    let mut joined: Option<Cow<'e, str>> = None;
    for text in texts.filter(|text| !text.is_empty()) {
        match &mut joined {
            None => joined = Some(text),
            Some(joined) => {
                let joined = joined.to_mut();
                joined.push('\n');
                joined.push_str(&text);
            }
        }
    }
    joined.unwrap_or_default()
}

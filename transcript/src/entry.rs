//! One row of a session.

use std::borrow::Cow;
use std::fmt;
use std::io;

use crate::message::{Message, Role};
use crate::parse::{MessageParts, RowParts};
use crate::raw::RawJson;
use crate::scan::Span;
use crate::time::Timestamp;

/// What kind of row an [`Entry`] is. Unknown ones are kept whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EntryType {
    /// The header: session id, format version, working directory.
    Session,
    /// A message of the conversation.
    Message,
    /// The model was changed.
    ModelChange,
    /// The thinking level was changed.
    ThinkingLevelChange,
    /// Older messages were replaced by a summary in the model's context.
    Compaction,
    /// The context was cleared; the session goes on.
    Reset,
    /// A note of the program, not sent to the model.
    Custom,
    /// A note of the program that is sent to the model.
    CustomMessage,
    /// A summary of a branch that was left.
    BranchSummary,
    /// A label on another entry.
    Label,
    /// The session's name.
    SessionInfo,
    /// Navigation: which entry is the leaf of the conversation from here on.
    Leaf,
    /// Anything else. Its name is [`Entry::type_name`].
    Unknown,
}

impl EntryType {
    pub(crate) fn from_name(name: &str) -> Self {
        match name {
            "session" => Self::Session,
            "message" => Self::Message,
            "model_change" => Self::ModelChange,
            "thinking_level_change" => Self::ThinkingLevelChange,
            "compaction" => Self::Compaction,
            "reset" => Self::Reset,
            "custom" => Self::Custom,
            "custom_message" => Self::CustomMessage,
            "branch_summary" => Self::BranchSummary,
            "label" => Self::Label,
            "session_info" => Self::SessionInfo,
            "leaf" => Self::Leaf,
            _ => Self::Unknown,
        }
    }

    /// Whether a row of this type becomes the leaf of the conversation when it is appended.
    #[must_use]
    pub const fn is_canonical(self) -> bool {
        !matches!(self, Self::Session | Self::Leaf | Self::Unknown)
    }
}

/// What an entry says about its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parent<'e> {
    /// No `parentId` at all (formats before ids), or nothing that can be one: the entry follows the one before it.
    Absent,
    /// `null`: the entry is a root.
    Root,
    /// The id of the parent.
    Id(Cow<'e, str>),
}

/// How a row ended in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnd {
    Lf,
    CrLf,
    None,
}

/// One row of a session: its text as it was read, and where the parts stand in it.
///
/// Borrows from the input where it can; [`into_owned`](Entry::into_owned) keeps it. Reading a field decodes only that
/// field. Byte ranges that messages and blocks report are positions in [`raw`](Entry::raw).
#[derive(Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    raw: Cow<'a, str>,
    /// The bytes as they stood, when `raw` had to be repaired to be read.
    original: Option<Box<[u8]>>,
    parts: RowParts,
    kind: EntryType,
    line: u64,
    offset: u64,
    end: LineEnd,
}

impl<'a> Entry<'a> {
    pub(crate) fn from_row(raw: Cow<'a, str>, parts: RowParts, line: u64, offset: u64, end: LineEnd) -> Self {
        let name = parts.kind.and_then(|span| RawJson::scanned(span.of(&raw)).text());
        let kind = name.map_or(EntryType::Unknown, |name| EntryType::from_name(&name));
        Self { raw, original: None, parts, kind, line, offset, end }
    }

    /// A message that stands alone (no row around it): `index` counts from 0.
    pub(crate) fn from_message(
        raw: Cow<'a, str>,
        message: Option<MessageParts>,
        index: u64,
        offset: u64,
    ) -> Self {
        let kind = if message.is_some() { EntryType::Message } else { EntryType::Unknown };
        let parts = RowParts { message: message.map(Box::new), ..RowParts::default() };
        Self { raw, original: None, parts, kind, line: index + 1, offset, end: LineEnd::None }
    }

    pub(crate) fn with_original(mut self, original: &[u8]) -> Self {
        self.original = Some(original.into());
        self
    }

    /// The bytes as they stood, where they had to be repaired.
    pub(crate) fn original(&self) -> Option<&[u8]> {
        self.original.as_deref()
    }

    /// Whether half a surrogate pair may be escaped somewhere in the row.
    pub(crate) const fn may_have_surrogates(&self) -> bool {
        self.parts.surrogates
    }

    /// The row as text. Where bytes had to be repaired (invalid UTF-8, raw control characters, half a surrogate pair)
    /// this is the repaired text, and a byte order mark is left out; [`bytes`](Entry::bytes) is always what was read.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The row's bytes as they were read, without the line end.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.original.as_deref().unwrap_or(self.raw.as_bytes())
    }

    /// Writes the row back byte for byte as it was read, line end included.
    ///
    /// # Errors
    /// Only those of the writer.
    pub fn write_to(&self, mut writer: impl io::Write) -> io::Result<()> {
        writer.write_all(self.bytes())?;
        writer.write_all(match self.end {
            LineEnd::Lf => b"\n",
            LineEnd::CrLf => b"\r\n",
            LineEnd::None => b"",
        })
    }

    /// Line number from 1; of a message in a list, its position from 1.
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.line
    }

    /// Byte offset of [`bytes`](Entry::bytes) in the input; of a message in a list, in the list's text.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// What kind of row this is.
    #[must_use]
    pub const fn entry_type(&self) -> EntryType {
        self.kind
    }

    /// The row's `type` as written; empty when it has none.
    #[must_use]
    pub fn type_name(&self) -> Cow<'_, str> {
        self.text(self.parts.kind).unwrap_or_default()
    }

    /// The entry's id, when it has one.
    #[must_use]
    pub fn id(&self) -> Option<Cow<'_, str>> {
        self.text(self.parts.id)
    }

    /// The entry's parent.
    #[must_use]
    pub fn parent(&self) -> Parent<'_> {
        match self.parts.parent {
            None => Parent::Absent,
            Some(span) if self.value(span).is_null() => Parent::Root,
            Some(span) => {
                self.text(Some(span)).filter(|id| !id.trim().is_empty()).map_or(Parent::Absent, Parent::Id)
            }
        }
    }

    /// When the row was written: its `timestamp`, else its message's.
    #[must_use]
    pub fn timestamp(&self) -> Option<Timestamp> {
        self.row_timestamp().or_else(|| self.message()?.timestamp())
    }

    /// Whether the row has a `timestamp` that is no time.
    pub(crate) fn has_bad_timestamp(&self) -> bool {
        self.parts.timestamp.is_some() && self.row_timestamp().is_none()
    }

    fn row_timestamp(&self) -> Option<Timestamp> {
        self.parts.timestamp.and_then(|span| Timestamp::from_json(self.value(span)))
    }

    /// Whether the row was appended beside the conversation (`appendMode: "side"`).
    #[must_use]
    pub fn is_side(&self) -> bool {
        self.text(self.parts.append_mode).is_some_and(|mode| mode == "side")
    }

    /// The message, when the row holds one.
    #[must_use]
    pub fn message(&self) -> Option<Message<'_>> {
        let parts = self.parts.message.as_deref()?;
        (self.kind == EntryType::Message).then_some(Message::new(self.raw(), parts))
    }

    /// The message's role, when the row holds a message.
    #[must_use]
    pub fn role(&self) -> Option<Role> {
        self.message().map(Message::role)
    }

    /// Any field of the row, known or not. `O(length of the row)`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<RawJson<'_>> {
        RawJson::scanned(self.raw.trim()).get(key)
    }

    /// The same entry, independent of the input.
    #[must_use]
    pub fn into_owned(self) -> Entry<'static> {
        Entry {
            raw: Cow::Owned(self.raw.into_owned()),
            original: self.original,
            parts: self.parts,
            kind: self.kind,
            line: self.line,
            offset: self.offset,
            end: self.end,
        }
    }

    fn value(&self, span: Span) -> RawJson<'_> {
        RawJson::scanned(span.of(&self.raw))
    }

    fn text(&self, span: Option<Span>) -> Option<Cow<'_, str>> {
        span.and_then(|span| self.value(span).text())
    }
}

impl fmt::Debug for Entry<'_> {
    /// Type, id and place; never content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("type", &self.kind)
            .field("id", &self.id())
            .field("line", &self.line)
            .field("bytes", &self.bytes().len())
            .finish()
    }
}

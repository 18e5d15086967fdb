//! Conversation and message ids.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::json::{Field, Fields, ObjectWriter, number_text};
use crate::limits::Limits;
use crate::text::{exceeds_units, non_blank};

/// An id of a conversation or a message.
///
/// A platform may use texts or numbers; a number is an id like any other (`5` and `"5"` name the same thing) and is
/// written back as the number it was, so that a peer which compares strictly finds its own id again.
#[derive(Debug, Clone)]
pub struct Id {
    text: String,
    number: bool,
}

impl Id {
    /// The id with this text. Blanks are part of it; [`Message`](crate::Message) ids are trimmed on reading.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), number: false }
    }

    /// The text, without quotes also when the id came as a number.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A trimmed, non-blank text or a finite number.
    pub(crate) fn read(field: &Field<'_>) -> Option<Self> {
        if let Some(number) = field.number() {
            // 5, 5.0 and 5e0 are one number; a whole number beyond 2^53 keeps its digits.
            let raw = field.raw.get();
            let digits = raw.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit());
            let text = if digits { raw.to_owned() } else { number_text(number) };
            return Some(Self { text, number: true });
        }
        let text = field.text()?;
        non_blank(&text).map(Self::new)
    }

    pub(crate) fn too_long(&self, limits: &Limits) -> bool {
        exceeds_units(&self.text, limits.id_units)
    }

    pub(crate) fn write(&self, name: &str, out: &mut ObjectWriter) {
        if self.number {
            out.raw(name, &self.text);
        } else {
            out.text(name, &self.text);
        }
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Id {}

impl PartialOrd for Id {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Id {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

/// The turn that a frame belongs to. Either id may be missing in what a peer sends.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnRef {
    /// Conversation.
    pub conversation_id: Option<Id>,
    /// Message that the turn answers.
    pub message_id: Option<Id>,
}

impl TurnRef {
    /// The turn of this message.
    #[must_use]
    pub fn new(conversation_id: impl Into<Id>, message_id: impl Into<Id>) -> Self {
        Self { conversation_id: Some(conversation_id.into()), message_id: Some(message_id.into()) }
    }

    pub(crate) fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            conversation_id: fields.read_field("conversationId", Id::read),
            message_id: fields.read_field("messageId", Id::read),
        }
    }

    pub(crate) fn write(&self, out: &mut ObjectWriter) {
        if let Some(id) = &self.conversation_id {
            id.write("conversationId", out);
        }
        if let Some(id) = &self.message_id {
            id.write("messageId", out);
        }
    }
}

impl fmt::Display for TurnRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |id: &Option<Id>| id.as_ref().map_or_else(|| String::from("?"), |id| id.text.clone());
        write!(f, "{}/{}", part(&self.conversation_id), part(&self.message_id))
    }
}

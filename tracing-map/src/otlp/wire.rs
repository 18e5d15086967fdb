//! A span as OTLP knows it.

use crate::ids::{SpanId, TraceId};
use crate::span::Link;
use std::borrow::Cow;

/// The name of an attribute: a name of a table, and what is below it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key<'a> {
    /// Needs no escapes in JSON.
    pub(super) name: &'static str,
    pub(super) rest: Cow<'a, str>,
}

impl<'a> Key<'a> {
    pub(crate) fn new(name: &'static str, rest: impl Into<Cow<'a, str>>) -> Self {
        Self { name, rest: rest.into() }
    }

    pub(crate) fn len(&self) -> usize {
        self.name.len() + self.rest.len()
    }
}

impl From<&'static str> for Key<'_> {
    fn from(name: &'static str) -> Self {
        Self { name, rest: Cow::Borrowed("") }
    }
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AttributeValue<'a> {
    Text(Cow<'a, str>),
    Int(i64),
    /// Never NaN or infinite.
    Float(f64),
    Texts(Vec<Cow<'a, str>>),
}

impl AttributeValue<'_> {
    /// About how many bytes the value takes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Int(_) | Self::Float(_) => 8,
            Self::Texts(texts) => texts.iter().map(|text| text.len()).sum(),
        }
    }
}

pub(crate) type Attributes<'a> = Vec<(Key<'a>, AttributeValue<'a>)>;

/// Something that happened on a span.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event<'a> {
    pub(crate) time_ns: u64,
    pub(crate) name: &'static str,
    pub(crate) attributes: Attributes<'a>,
}

/// A span with the names of a convention. Borrows from the neutral span what needs no change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WireSpan<'a> {
    pub(crate) trace_id: TraceId,
    pub(crate) span_id: SpanId,
    pub(crate) parent_id: Option<SpanId>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) kind: u8,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) attributes: Attributes<'a>,
    /// How many attributes found no room.
    pub(crate) dropped_attributes: u32,
    pub(crate) events: Vec<Event<'a>>,
    pub(crate) links: &'a [Link],
    pub(crate) status_code: u8,
    pub(crate) status_message: Option<Cow<'a, str>>,
}

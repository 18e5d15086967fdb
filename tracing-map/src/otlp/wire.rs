//! A span as OTLP knows it.

use crate::ids::{SpanId, TraceId};
use crate::span::Link;
use std::borrow::Cow;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AttributeValue {
    /// Text.
    Text(String),
    /// A whole number.
    Int(i64),
    /// A number; never NaN or infinite where it comes from this crate.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// A list of texts.
    Texts(Vec<String>),
}

impl AttributeValue {
    /// About how many bytes the value takes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Int(_) | Self::Float(_) => 8,
            Self::Bool(_) => 1,
            Self::Texts(texts) => texts.iter().map(String::len).sum(),
        }
    }
}

pub(crate) type Attributes = Vec<(Cow<'static, str>, AttributeValue)>;

/// Something that happened on a span.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) time_ns: u64,
    pub(crate) name: Cow<'static, str>,
    pub(crate) attributes: Attributes,
}

/// A span with the names of a convention.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WireSpan {
    pub(crate) trace_id: TraceId,
    pub(crate) span_id: SpanId,
    pub(crate) parent_id: Option<SpanId>,
    pub(crate) name: String,
    pub(crate) kind: u8,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) attributes: Attributes,
    pub(crate) events: Vec<Event>,
    pub(crate) links: Vec<Link>,
    pub(crate) status_code: u8,
    pub(crate) status_message: Option<String>,
}

//! What a transcript reader is measured against: the plain borrowed `serde_json` parse of the same bytes.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// A row as one would write it down for `serde_json` with borrowed texts and raw values.
#[derive(Debug, Deserialize)]
pub struct PlainLine<'a> {
    /// The row's type.
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    /// The row's id.
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    /// The row's time.
    #[serde(borrow)]
    pub timestamp: Cow<'a, str>,
    /// The message.
    #[serde(borrow)]
    pub message: Option<PlainMessage<'a>>,
}

/// A message with its content left raw.
#[derive(Debug, Deserialize)]
pub struct PlainMessage<'a> {
    /// Who it is from.
    #[serde(borrow)]
    pub role: Cow<'a, str>,
    /// The content.
    #[serde(borrow)]
    pub content: &'a RawValue,
    /// The usage.
    #[serde(borrow)]
    pub usage: Option<&'a RawValue>,
    /// The details of a tool result.
    #[serde(borrow)]
    pub details: Option<&'a RawValue>,
}

/// Parses every line of a file's bytes, checked for UTF-8 once as `fs::read_to_string` does it; the number of messages.
#[must_use]
pub fn plain_parse(bytes: &[u8]) -> usize {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.is_empty());
    lines
        .filter_map(|line| serde_json::from_str::<PlainLine<'_>>(line).ok())
        .filter(|row| row.message.is_some())
        .count()
}

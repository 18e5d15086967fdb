//! Complete rows on a line that is not one row.
//!
//! A writer that is cut off in the middle of a row and goes on later leaves a torn row and a complete one on a line;
//! two writers, or line ends that are no line feeds, leave several complete ones. Neither may cost a row.

use std::borrow::Cow;
use std::ops::Range;

use crate::entry::{Entry, EntryType, LineEnd, Parent};
use crate::parse;

/// How often the bytes of a line may be looked at in search of rows, so that no line takes more than linear time.
const PASSES: usize = 16;

/// Where complete rows stand in a text, in order. Between two of them and before the first there may be torn ones.
pub(crate) fn rows(text: &str, max_depth: u32) -> Vec<Range<usize>> {
    let mut budget = text.len().saturating_mul(PASSES);
    let mut rows: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(found) = text.as_bytes().get(at..).and_then(|rest| memchr::memchr(b'{', rest)) {
        let start = at + found;
        // What follows a row, or begins the line, is expected to be a row; anything else must prove it.
        let from = rows.last().map_or(0, |row| row.end);
        let expected = text.get(from..start).is_some_and(|between| between.chars().all(is_json_space));
        let suffix = text.get(start..).unwrap_or("");
        let (length, looked_at) = match parse::row_prefix(suffix, max_depth) {
            Ok((parts, length)) => {
                let row = suffix.get(..length).unwrap_or("");
                let entry = Entry::from_row(Cow::Borrowed(row), parts, 0, 0, LineEnd::None);
                let rest = suffix.get(length..).unwrap_or("").trim_start_matches(is_json_space);
                let alone = rest.is_empty() || rest.starts_with('{');
                (Some(length).filter(|_| alone && is_row(&entry, expected)), length)
            }
            Err(error) => (None, error.at),
        };
        match length {
            Some(length) => {
                at = start + length;
                rows.push(start..at);
            }
            None => at = start + 1,
        }
        let Some(left) = budget.checked_sub(looked_at + 1) else { break };
        budget = left;
    }
    rows
}

/// Whether an object is a row. Objects of all kinds stand inside of rows: where none is expected, only one of a known
/// type with an id or a header counts.
fn is_row(entry: &Entry<'_>, expected: bool) -> bool {
    match entry.entry_type() {
        EntryType::Unknown => expected && !entry.type_name().is_empty(),
        _ if expected => true,
        EntryType::Session => entry.get("version").is_some() || entry.get("cwd").is_some(),
        _ => entry.id().is_some() && (entry.parent() != Parent::Absent || entry.get("timestamp").is_some()),
    }
}

pub(crate) fn is_json_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// From places in a decoded text back to places in its bytes, also where bytes were replaced.
pub(crate) struct Positions {
    /// For each piece of valid text: where it begins in the text and in the bytes.
    pieces: Vec<(usize, usize)>,
}

impl Positions {
    /// For the text that `bytes` decode to from `skipped` on.
    pub(crate) fn new(bytes: &[u8], skipped: usize) -> Self {
        let (mut in_text, mut in_bytes) = (0, skipped);
        let mut pieces = Vec::new();
        for chunk in bytes.get(skipped..).unwrap_or(&[]).utf8_chunks() {
            pieces.push((in_text, in_bytes));
            in_text += chunk.valid().len();
            in_bytes += chunk.valid().len() + chunk.invalid().len();
            if !chunk.invalid().is_empty() {
                in_text += char::REPLACEMENT_CHARACTER.len_utf8();
            }
        }
        Self { pieces }
    }

    pub(crate) fn of(&self, at: usize) -> usize {
        let next = self.pieces.partition_point(|&(in_text, _)| in_text <= at);
        let piece = next.checked_sub(1).and_then(|piece| self.pieces.get(piece));
        piece.map_or(at, |&(in_text, in_bytes)| in_bytes + (at - in_text))
    }
}

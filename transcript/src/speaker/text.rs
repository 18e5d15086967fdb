//! Small cuts over text that can never fall outside it or between the bytes of a character.

use std::ops::Range;

/// The text of `range`, or nothing when the range does not fit.
pub(super) fn cut(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// What stands before `at`.
pub(super) fn before(text: &str, at: usize) -> &str {
    text.get(..at).unwrap_or_default()
}

/// What stands from `at` on.
pub(super) fn after(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// The first line without its ending, and the bytes to skip to reach the next line.
pub(super) fn first_line(text: &str) -> (&str, usize) {
    match text.find('\n') {
        Some(end) => (before(text, end).trim_end_matches('\r'), end + 1),
        None => (text, text.len()),
    }
}

/// The last line without its ending, and the offset where it begins.
pub(super) fn last_line(text: &str) -> (&str, usize) {
    let start = text.rfind('\n').map_or(0, |at| at + 1);
    (after(text, start).trim_end_matches('\r'), start)
}

/// The lines of `text` with the offset of each, endings removed.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut offset = 0;
    text.split_inclusive('\n').map(move |raw| {
        let at = offset;
        offset += raw.len();
        (at, raw.trim_end_matches('\n').trim_end_matches('\r'))
    })
}

/// The offset just behind the first paragraph: the start of the first blank line, or the end of the text.
pub(super) fn paragraph_end(text: &str) -> usize {
    lines(text).find(|(_, line)| line.trim().is_empty()).map_or(text.len(), |(at, _)| at)
}

/// The offset of the first line whose trimmed text is `wanted`.
pub(super) fn find_line(text: &str, wanted: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(found) = after(text, from).find(wanted) {
        let at = from + found;
        let start = before(text, at).rfind('\n').map_or(0, |newline| newline + 1);
        let (line, skip) = first_line(after(text, start));
        if line.trim() == wanted {
            return Some((start, start + skip));
        }
        from = start + skip;
    }
    None
}

/// A text worth keeping as metadata: trimmed, and not empty.
pub(super) fn filled(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

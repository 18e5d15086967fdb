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
    match memchr::memchr(b'\n', text.as_bytes()) {
        Some(end) => (before(text, end).trim_end_matches('\r'), end + 1),
        None => (text, text.len()),
    }
}

/// The last line without its ending, and the offset where it begins.
pub(super) fn last_line(text: &str) -> (&str, usize) {
    let start = memchr::memrchr(b'\n', text.as_bytes()).map_or(0, |at| at + 1);
    (after(text, start).trim_end_matches('\r'), start)
}

/// The lines of `text` with the offset of each, endings removed.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let start = at;
        let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        at += end + 1;
        Some((start, before(rest, end).trim_end_matches('\r')))
    })
}

/// The offset just behind the first paragraph: the start of the first blank line, or the end of the text.
pub(super) fn paragraph_end(text: &str) -> usize {
    lines(text).find(|(_, line)| line.trim().is_empty()).map_or(text.len(), |(at, _)| at)
}

/// Where the first line whose trimmed text is `wanted` begins and ends, its line end included.
pub(super) fn find_line(text: &str, wanted: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while from < text.len() {
        let (line, skip) = first_line(after(text, from));
        if line.trim() == wanted {
            return Some((from, from + skip));
        }
        from += skip;
    }
    None
}

/// A text worth keeping as metadata: trimmed, and not empty.
pub(super) fn filled(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

//! Case-insensitive matching, shortening and quoting of text.

use std::borrow::Cow;

use clawgauge_transcript::one_line;
use unicase::UniCase;

/// Full Unicode case folding: `STRASSE` equals `straße`, and a final sigma equals an inner one.
///
/// O(n); borrows when the text is ASCII without capitals.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            Cow::Borrowed(text)
        }
    } else {
        Cow::Owned(UniCase::unicode(text).to_folded_case())
    }
}

/// Whether `needle` occurs in `haystack`. Cheaper to begin than `str::contains`, which counts for short texts.
pub(crate) fn found(haystack: &str, needle: &str) -> bool {
    memchr::memmem::find(haystack.as_bytes(), needle.as_bytes()).is_some()
}

/// Whether `needle` occurs in `haystack`, both folded here.
pub(crate) fn contains_folded(haystack: &str, needle: &str) -> bool {
    found(&fold(haystack), &fold(needle))
}

/// At most `max` characters, with `…` where something was left out. Never cuts inside a character.
pub(crate) fn shorten(text: &str, max: usize) -> String {
    let mut out: String = text.chars().take(max).collect();
    if text.chars().nth(max).is_some() {
        out.push('…');
    }
    out
}

/// Longest word, in bytes, that can be a slip of the hand for another.
const LONGEST_SLIP: usize = 120;

/// The closest of `known` to `word`, if it is close enough to be a slip of the hand.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST_SLIP {
        return None;
    }
    let best = known
        .into_iter()
        .map(|k| (strsim::damerau_levenshtein(word, k), k))
        .min_by_key(|&(distance, k)| (distance, k.len(), k))?;
    let limit = (word.chars().count() / 3).clamp(1, 4);
    (best.0 <= limit).then_some(best.1)
}

/// A text that may be shown: secrets are masked and the length is bounded.
pub(crate) fn quote(text: &str, max: usize) -> String {
    shorten(&one_line(&crate::redact::redact(text)), max)
}

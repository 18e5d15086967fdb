//! Long texts, cut on a character boundary with a mark that says how much there was.

use std::borrow::Cow;

/// A text of at most `max_bytes` bytes: the text itself, or its beginning and a mark with the full length in characters.
/// Never cuts a character; O(n) only when it cuts.
///
/// ```
/// use clawgauge_tracing_map::cut_text;
///
/// assert_eq!(cut_text("short", 64), "short");
/// let long = "ж".repeat(100);
/// let cut = cut_text(&long, 64);
/// assert!(cut.len() <= 64 && cut.ends_with("[cut, 100 characters in all]"));
/// ```
#[must_use]
pub fn cut_text(text: &str, max_bytes: usize) -> Cow<'_, str> {
    if text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    let mark = format!("… [cut, {} characters in all]", text.chars().count());
    let keep = head(text, max_bytes.saturating_sub(mark.len()));
    if mark.len() > max_bytes {
        return Cow::Owned(head(text, max_bytes).to_owned());
    }
    Cow::Owned(format!("{keep}{mark}"))
}

/// The longest beginning of at most `max_bytes` bytes that ends between characters.
fn head(text: &str, max_bytes: usize) -> &str {
    let mut end = max_bytes.min(text.len());
    while end > 0 && !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or("")
}

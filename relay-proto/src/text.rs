//! Text as a JavaScript peer sees it: its blanks, its units.

use std::borrow::Cow;

/// The blanks that `String.prototype.trim` of JavaScript removes.
fn is_js_blank(c: char) -> bool {
    // U+0085 is white space for Unicode but not for JavaScript; U+FEFF is the other way round.
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

pub(crate) fn js_trim(text: &str) -> &str {
    text.trim_matches(is_js_blank)
}

/// The trimmed text, or nothing when only blanks are left.
pub(crate) fn non_blank(text: &str) -> Option<&str> {
    let trimmed = js_trim(text);
    (!trimmed.is_empty()).then_some(trimmed)
}

pub(crate) fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// Whether `text` is longer than `limit` UTF-16 units, without counting further than needed.
pub(crate) fn exceeds_units(text: &str, limit: usize) -> bool {
    // A UTF-8 text is never shorter in bytes than in UTF-16 units.
    text.len() > limit && utf16_len(text) > limit
}

/// The longest prefix of at most `limit` UTF-16 units that ends on a character border.
pub(crate) fn cut_units(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units > limit {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// Replaces escaped lone surrogates (`\ud83d` without its partner) by `\ufffd`.
///
/// JavaScript writes and reads them; a Rust string cannot hold them. Borrowed when there is none.
pub(crate) fn repair_surrogates(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut out: Vec<u8> = Vec::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(offset) = bytes.get(at..).and_then(|rest| rest.iter().position(|b| *b == b'\\')) {
        at += offset;
        if bytes.get(at + 1) != Some(&b'u') {
            at += 2;
            continue;
        }
        let step = match (escape(bytes, at), escape(bytes, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.extend_from_slice(bytes.get(copied..at).unwrap_or_default());
                out.extend_from_slice(b"\\ufffd");
                copied = at + 6;
                6
            }
            _ => 6,
        };
        at += step;
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.extend_from_slice(bytes.get(copied..).unwrap_or_default());
    match String::from_utf8(out) {
        Ok(text) => Cow::Owned(text),
        Err(_) => Cow::Borrowed(json),
    }
}

fn escape(bytes: &[u8], at: usize) -> Option<u16> {
    let quad = bytes.get(at..at + 6)?;
    let digits = quad.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

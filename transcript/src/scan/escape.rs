//! Escapes in JSON strings, decoded.

use std::borrow::Cow;

/// Decodes the inside of a JSON string (without its quotes). Half a surrogate pair becomes U+FFFD.
pub(crate) fn unescape(inside: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', inside.as_bytes()).is_none() {
        return Cow::Borrowed(inside);
    }
    let mut out = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(rest.get(..at).unwrap_or(""));
        let (decoded, used) = unescape_one(rest.get(at..).unwrap_or(""));
        out.push(decoded);
        rest = rest.get(at + used..).unwrap_or("");
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The character of the escape at the beginning of `text`, and how many bytes it takes.
fn unescape_one(text: &str) -> (char, usize) {
    let decoded = match text.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => {
            let first = hex4(text.get(2..6));
            let second = text.get(6..8).filter(|&next| next == "\\u").and_then(|_| hex4(text.get(8..12)));
            return match (first, second) {
                (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) => {
                    let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                    (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
                }
                (Some(code), _) => (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 6),
                (None, _) => (char::REPLACEMENT_CHARACTER, text.len().min(2)),
            };
        }
        Some(&b) if b.is_ascii() => char::from(b),
        // Cannot follow from scanned text; stay within it all the same.
        _ => return (char::REPLACEMENT_CHARACTER, 1),
    };
    (decoded, 2)
}

fn hex4(digits: Option<&str>) -> Option<u32> {
    digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit())).and_then(|d| u32::from_str_radix(d, 16).ok())
}

/// Whether half a surrogate pair is escaped somewhere in a JSON text.
pub(crate) fn has_lone_surrogate(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(at) = memchr::memchr(b'\\', bytes.get(from..).unwrap_or(&[])) {
        let at = from + at;
        let code = (bytes.get(at + 1) == Some(&b'u')).then(|| hex4(text.get(at + 2..at + 6))).flatten();
        match code {
            Some(0xD800..=0xDBFF) => {
                let low = text.get(at + 6..at + 8) == Some("\\u");
                match low.then(|| hex4(text.get(at + 8..at + 12))).flatten() {
                    Some(0xDC00..=0xDFFF) => from = at + 12,
                    _ => return true,
                }
            }
            Some(0xDC00..=0xDFFF) => return true,
            Some(_) => from = at + 6,
            None => from = at + 2,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn unescape_is_what_serde_json_decodes(text in any::<String>()) {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(unescape(json.get(1..json.len() - 1).unwrap()), text);
        }

        #[test]
        fn unescape_never_panics(text in r#"[\\u0-9a-fdDn"é]{0,30}"#) {
            drop(unescape(&text));
            has_lone_surrogate(&text);
        }
    }

    #[test]
    fn surrogates() {
        assert_eq!(unescape("a\\ud83d\\ude00b"), "a\u{1f600}b");
        assert_eq!(unescape("a\\ud83db"), "a\u{fffd}b");
        assert_eq!(unescape("\\ude00\\ud83d"), "\u{fffd}\u{fffd}");
        assert!(has_lone_surrogate("\"\\ud83d\""));
        assert!(!has_lone_surrogate("\"\\ud83d\\ude00\""));
        assert!(!has_lone_surrogate("\"\\\\ud83d\""));
    }
}

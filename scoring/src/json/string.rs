//! A JavaScript string: UTF-16 units, where a surrogate may stand alone.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};

/// A string in WTF-8: UTF-8, and a lone surrogate as its three bytes, so that nothing a file holds is lost or made equal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct JsStr(Box<[u8]>);

impl JsStr {
    /// The text, with U+FFFD for each lone surrogate (as JavaScript prints it). Borrows when there is none.
    pub(crate) fn to_str(&self) -> Cow<'_, str> {
        if let Ok(text) = std::str::from_utf8(&self.0) {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(self.0.len());
        for chunk in self.0.utf8_chunks() {
            out.push_str(chunk.valid());
            // A surrogate's three bytes come as three invalid pieces; the first stands for all.
            if chunk.invalid().first() == Some(&0xED) {
                out.push('\u{FFFD}');
            }
        }
        Cow::Owned(out)
    }

    /// The UTF-16 units.
    pub(crate) fn units(&self) -> Vec<u16> {
        if let Ok(text) = std::str::from_utf8(&self.0) {
            return text.encode_utf16().collect();
        }
        let mut out = Vec::with_capacity(self.0.len());
        let mut lead: Option<u16> = None;
        let mut pending: Option<u16> = None;
        for chunk in self.0.utf8_chunks() {
            out.extend(chunk.valid().encode_utf16());
            for byte in chunk.invalid().iter().copied() {
                match (byte, lead, pending) {
                    (0xED, _, _) => (lead, pending) = (Some(0xD000), None),
                    (byte, Some(high), None) => pending = Some(high | (u16::from(byte & 0x3F) << 6)),
                    (byte, _, Some(high)) => {
                        out.push(high | u16::from(byte & 0x3F));
                        (lead, pending) = (None, None);
                    }
                    (_, None, None) => {}
                }
            }
        }
        out
    }

    /// `slice(0, n)` of JavaScript, printed: a character cut in half shows as U+FFFD.
    pub(crate) fn prefix(&self, units: usize) -> String {
        let all = self.units();
        String::from_utf16_lossy(all.get(..units).unwrap_or(&all))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn is(&self, text: &str) -> bool {
        *self.0 == *text.as_bytes()
    }
}

impl From<&str> for JsStr {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().into())
    }
}

impl fmt::Debug for JsStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_str(), f)
    }
}

impl<'de> Deserialize<'de> for JsStr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = JsStr;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<JsStr, E> {
                Ok(JsStr(bytes.into()))
            }
        }
        // As bytes, not as `str`: that is how serde_json hands out lone surrogates instead of refusing the document.
        deserializer.deserialize_bytes(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> JsStr {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn lone_surrogates_are_kept_apart_and_print_as_one_replacement() {
        let (high, low) = (read(r#""a\ud83db""#), read(r#""a\udc4bb""#));
        assert_ne!(high, low);
        assert_eq!(high.to_str(), "a\u{FFFD}b");
        assert_eq!(high.units(), [0x61, 0xD83D, 0x62]);
        assert_eq!(read(r#""\ud83d\ud83d""#).units(), [0xD83D, 0xD83D]);
        assert_eq!(read(r#""\ud83d\udc4b""#).to_str(), "👋");
    }

    #[test]
    fn prefixes_count_units() {
        assert_eq!(read(r#""x👋👋""#).prefix(2), "x\u{FFFD}");
        assert_eq!(read(r#""x""#).prefix(8), "x");
    }
}

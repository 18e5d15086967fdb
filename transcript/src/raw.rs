//! A JSON value as it stands in the input.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde_json::Value;

use crate::scan::{self, Scanner};

/// A JSON value as it stands in the input, valid but not decoded.
///
/// A view: copying it costs nothing. Reading a field walks the value's text, so `get` on a large value is `O(n)`;
/// where keys repeat the last one wins, as in the JavaScript that wrote it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RawJson<'a> {
    text: &'a str,
}

impl<'a> RawJson<'a> {
    /// Checks that `text` is one JSON value (nested at most 120 deep), white space around it allowed.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        let mut scanner = Scanner::new(text, 120);
        let span = scanner.value().ok()?;
        scanner.end().ok()?;
        Some(Self { text: span.of(text) })
    }

    /// A part of a text that was scanned before.
    pub(crate) const fn scanned(text: &'a str) -> Self {
        Self { text }
    }

    /// The JSON text.
    #[must_use]
    pub const fn as_str(self) -> &'a str {
        self.text
    }

    /// The decoded text, when this is a string. Borrows when nothing is escaped; half a surrogate pair is U+FFFD.
    #[must_use]
    pub fn text(self) -> Option<Cow<'a, str>> {
        let inside = self.text.strip_prefix('"')?.strip_suffix('"')?;
        Some(scan::unescape(inside))
    }

    /// Whether this is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.text == "null"
    }

    /// Whether this is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        self.text.starts_with('{')
    }

    /// Whether this is an array.
    #[must_use]
    pub fn is_array(self) -> bool {
        self.text.starts_with('[')
    }

    /// The truth value, when this is one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The number, when this is a finite one.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        let first = *self.text.as_bytes().first()?;
        (first == b'-' || first.is_ascii_digit())
            .then(|| self.text.parse().ok())
            .flatten()
            .filter(|n: &f64| n.is_finite())
    }

    /// The number, when it is a whole one that fits; `3.0` and `3e0` are whole.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        if let Ok(whole) = self.text.parse() {
            return Some(whole);
        }
        let number = self.as_f64()?;
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
        (number.fract() == 0.0 && number.abs() < 9e18).then_some(number as i64)
    }

    /// The value of a field, when this is an object that has it.
    #[must_use]
    pub fn get(self, key: &str) -> Option<RawJson<'a>> {
        let mut found = None;
        self.for_each_field(|name, value| {
            if name == key {
                found = Some(value);
            }
        });
        found
    }

    /// The values of several fields, as [`get`](Self::get) finds each, in one walk.
    pub(crate) fn get_all<const N: usize>(self, keys: [&str; N]) -> [Option<RawJson<'a>>; N] {
        let mut found = [None; N];
        self.for_each_field(|name, value| {
            for (key, place) in keys.iter().zip(&mut found) {
                if name == *key {
                    *place = Some(value);
                }
            }
        });
        found
    }

    /// The fields in order, repeated keys included; empty when this is no object.
    #[must_use]
    pub fn fields(self) -> Vec<(String, RawJson<'a>)> {
        let mut fields = Vec::new();
        self.for_each_field(|name, value| fields.push((name.to_owned(), value)));
        fields
    }

    /// The items in order; empty when this is no array.
    #[must_use]
    pub fn items(self) -> Vec<RawJson<'a>> {
        let mut items = Vec::new();
        if self.is_array() {
            let text = self.text;
            let _scanned = Scanner::new(text, 120).array(|scanner| {
                items.push(Self { text: scanner.value()?.of(text) });
                Ok(())
            });
        }
        items
    }

    fn for_each_field(self, mut field: impl FnMut(&str, RawJson<'a>)) {
        if self.is_object() {
            let text = self.text;
            let _scanned = Scanner::new(text, 120).object(|scanner, key| {
                field(key, Self { text: scanner.value()?.of(text) });
                Ok(())
            });
        }
    }

    /// The decoded value: the last of repeated keys, half a surrogate pair as U+FFFD, numbers as `serde_json` reads
    /// them. `None` for numbers beyond its range.
    #[must_use]
    pub fn to_value(self) -> Option<Value> {
        if scan::has_lone_surrogate(self.text) {
            return self.to_value_by_hand();
        }
        serde_json::from_str(self.text).ok()
    }

    fn to_value_by_hand(self) -> Option<Value> {
        if self.is_object() {
            let fields = self.fields().into_iter();
            return fields
                .map(|(key, value)| Some((key, value.to_value()?)))
                .collect::<Option<_>>()
                .map(Value::Object);
        }
        if self.is_array() {
            return self.items().into_iter().map(RawJson::to_value).collect::<Option<_>>().map(Value::Array);
        }
        self.text().map(|text| Value::String(text.into_owned()))
    }

    /// The decoded value as [`to_value`](Self::to_value) has it, numbers beyond its range as texts.
    pub(crate) fn to_whole_value(self) -> Value {
        self.to_value().unwrap_or_else(|| {
            if self.is_object() {
                self.fields().into_iter().map(|(key, value)| (key, value.to_whole_value())).collect()
            } else if self.is_array() {
                self.items().into_iter().map(Self::to_whole_value).collect()
            } else {
                Value::String(self.text.to_owned())
            }
        })
    }

    /// Where this value stands inside `outer`, if it is a part of it.
    #[must_use]
    pub fn range_in(self, outer: &str) -> Option<Range<usize>> {
        let start = self.text.as_ptr().addr().checked_sub(outer.as_ptr().addr())?;
        let end = start.checked_add(self.text.len())?;
        (end <= outer.len()).then_some(start..end)
    }
}

impl fmt::Debug for RawJson<'_> {
    /// Numbers, truth values and `null` as they stand; of anything else only what it is and how long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.text.as_bytes().first() {
            Some(b'{') => "object",
            Some(b'[') => "array",
            Some(b'"') => "text",
            _ => return f.write_str(self.text),
        };
        write!(f, "{kind} of {} bytes", self.text.len())
    }
}

impl fmt::Display for RawJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

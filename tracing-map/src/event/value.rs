//! Lenient typed fields: a value of the declared type is taken, any other stays where it was.

use serde_json::{Map, Number, Value};
use std::fmt;

/// A JSON number as it was written: integer or not, negative or not.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Num(Number);

impl Num {
    /// The number as a float; integers beyond 2^53 lose their last digits.
    #[must_use]
    pub fn get(&self) -> f64 {
        self.0.as_f64().unwrap_or(f64::NAN)
    }

    /// The number as a count: `None` when it is negative, beyond 2^63 or has a fraction.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        self.0.as_u64().or_else(|| whole(self.0.as_f64()?))
    }

    /// The number as whole milliseconds since 1970 (fractions are cut); `None` outside of what nanoseconds in 64 bits
    /// can express (years 1970 to 2262).
    #[must_use]
    pub fn epoch_ms(&self) -> Option<i64> {
        const MAX_MS: f64 = 9_223_372_036_854.0;
        let ms = self.get();
        if !(0.0..=MAX_MS).contains(&ms) {
            return None;
        }
        // In range by the check above.
        #[allow(clippy::cast_possible_truncation, reason = "the range is checked above")]
        Some(ms as i64)
    }

    /// The number as a duration in whole milliseconds; `None` when negative, infinite or beyond 2^53.
    #[must_use]
    pub fn duration_ms(&self) -> Option<i64> {
        let ms = self.get();
        if !(0.0..=9_007_199_254_740_992.0).contains(&ms) {
            return None;
        }
        #[allow(clippy::cast_possible_truncation, reason = "the range is checked above")]
        Some(ms.round() as i64)
    }

    /// The number as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::Number(self.0.clone())
    }
}

fn whole(value: f64) -> Option<u64> {
    if value.fract() != 0.0 || !(0.0..=9_007_199_254_740_992.0).contains(&value) {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked above")]
    Some(value as u64)
}

impl fmt::Debug for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl From<u64> for Num {
    fn from(value: u64) -> Self {
        Self(value.into())
    }
}

/// A type that a field of an event can have.
pub(crate) trait Field: Sized {
    /// The typed value, or the value back when it has another type.
    fn from_json(value: Value) -> Result<Self, Value>;
    /// The value as JSON.
    fn to_json(&self) -> Value;
}

impl Field for Num {
    fn from_json(value: Value) -> Result<Self, Value> {
        match value {
            Value::Number(number) => Ok(Self(number)),
            other => Err(other),
        }
    }
    fn to_json(&self) -> Value {
        self.to_value()
    }
}

impl Field for String {
    fn from_json(value: Value) -> Result<Self, Value> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(other),
        }
    }
    fn to_json(&self) -> Value {
        Value::String(self.clone())
    }
}

impl Field for bool {
    fn from_json(value: Value) -> Result<Self, Value> {
        match value {
            Value::Bool(flag) => Ok(flag),
            other => Err(other),
        }
    }
    fn to_json(&self) -> Value {
        Value::Bool(*self)
    }
}

impl Field for Value {
    fn from_json(value: Value) -> Result<Self, Value> {
        if value.is_null() { Err(value) } else { Ok(value) }
    }
    fn to_json(&self) -> Value {
        self.clone()
    }
}

impl Field for Vec<String> {
    fn from_json(value: Value) -> Result<Self, Value> {
        let Value::Array(items) = &value else {
            return Err(value);
        };
        let texts: Option<Self> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
        texts.ok_or(value)
    }
    fn to_json(&self) -> Value {
        Value::from(self.clone())
    }
}

/// Takes a field out of the map when it has the declared type.
pub(crate) fn take<T: Field>(fields: &mut Map<String, Value>, key: &str) -> Option<T> {
    let (name, value) = fields.remove_entry(key)?;
    match T::from_json(value) {
        Ok(field) => Some(field),
        Err(value) => {
            fields.insert(name, value);
            None
        }
    }
}

/// Puts a field back.
pub(crate) fn put<T: Field>(fields: &mut Map<String, Value>, key: &str, field: Option<&T>) {
    if let Some(field) = field {
        fields.insert(key.to_owned(), field.to_json());
    }
}

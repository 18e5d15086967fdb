//! The value itself, and reading it.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::JsStr;

/// Deeper documents are refused: every level costs stack in reading and writing.
const MAX_DEPTH: usize = 128;

/// Why a text is no JSON value we hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JsonError {
    /// Not JSON; the parser's own words, with line and column.
    Syntax(String),
    /// Nested deeper than 128 levels.
    TooDeep,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(text) => f.write_str(text),
            Self::TooDeep => write!(f, "nested deeper than {MAX_DEPTH} levels"),
        }
    }
}

impl From<serde_json::Error> for JsonError {
    fn from(error: serde_json::Error) -> Self {
        Self::Syntax(error.to_string())
    }
}

/// A number: its value as a double, and the digits as they were written (an integer past 2^53 keeps them).
#[derive(Clone, PartialEq)]
pub(crate) struct Number {
    pub(crate) value: f64,
    pub(crate) text: Box<str>,
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self { value, text: super::js_number(value).into() }
    }
}

#[derive(Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    String(JsStr),
    Array(Vec<Self>),
    Object(Object),
}

impl Value {
    pub(crate) fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number.value),
            _ => None,
        }
    }

    /// A whole number from 0 on, however it was written (`12`, `12.0`, `1.2e1`); past 2^53 only as plain digits.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a whole number in range"
    )]
    pub(crate) fn as_u64(&self) -> Option<u64> {
        let Self::Number(number) = self else { return None };
        number.text.parse().ok().or_else(|| {
            let whole =
                number.value.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&number.value);
            whole.then_some(number.value as u64)
        })
    }

    pub(crate) fn as_js_str(&self) -> Option<&JsStr> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// JavaScript truthiness.
    pub(crate) fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(b) => *b,
            Self::Number(n) => n.value != 0.0 && !n.value.is_nan(),
            Self::String(s) => !s.is_empty(),
            Self::Array(_) | Self::Object(_) => true,
        }
    }

    /// `String(value)` of JavaScript.
    pub(crate) fn to_js_string(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(b) => b.to_string(),
            Self::Number(n) => super::js_number(n.value),
            Self::String(s) => s.to_str().into_owned(),
            Self::Array(items) => {
                let texts: Vec<String> = items
                    .iter()
                    .map(|item| if matches!(item, Self::Null) { String::new() } else { item.to_js_string() })
                    .collect();
                texts.join(",")
            }
            Self::Object(_) => "[object Object]".to_owned(),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Number(value.into())
    }
}

/// An object in written order. A key written twice keeps its first place and its last value, as in JavaScript.
#[derive(Clone, PartialEq, Default)]
pub(crate) struct Object(Vec<(JsStr, Value)>);

impl Object {
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(k, _)| k.is(key)).map(|(_, value)| value)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.0.iter_mut().find(|(k, _)| k.is(key)).map(|(_, value)| value)
    }

    pub(crate) fn set(&mut self, key: &str, value: Value) {
        match self.get_mut(key) {
            Some(slot) => *slot = value,
            None => self.0.push((key.into(), value)),
        }
    }

    pub(crate) fn remove(&mut self, key: &str) {
        self.0.retain(|(k, _)| !k.is(key));
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&JsStr, &Value)> {
        self.0.iter().map(|(key, value)| (key, value))
    }
}

/// Reads one document.
pub(crate) fn parse(text: &str) -> Result<Value, JsonError> {
    parse_raw(serde_json::from_str(text)?)
}

/// Reads a value that serde_json has already found well-formed.
pub(crate) fn parse_raw(raw: &RawValue) -> Result<Value, JsonError> {
    parse_at(raw, 0)
}

fn parse_at(raw: &RawValue, depth: usize) -> Result<Value, JsonError> {
    if depth > MAX_DEPTH {
        return Err(JsonError::TooDeep);
    }
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'n') => Ok(Value::Null),
        Some(b't') => Ok(Value::Bool(true)),
        Some(b'f') => Ok(Value::Bool(false)),
        Some(b'"') => Ok(Value::String(serde_json::from_str(text)?)),
        Some(b'[') => {
            let items = array_elements(raw)?;
            items
                .into_iter()
                .map(|item| parse_at(item, depth + 1))
                .collect::<Result<_, _>>()
                .map(Value::Array)
        }
        Some(b'{') => {
            let mut object = Object::default();
            for (key, value) in object_fields(raw)? {
                object.0.push((key, parse_at(value, depth + 1)?));
            }
            Ok(Value::Object(object))
        }
        // The grammar of JSON numbers is inside that of Rust, and a literal past the range is infinite in both languages.
        _ => Ok(Value::Number(Number { value: text.parse().unwrap_or(f64::NAN), text: text.into() })),
    }
}

/// The elements of an array, undecoded. An error when `raw` is no array.
pub(crate) fn array_elements(raw: &RawValue) -> Result<Vec<&RawValue>, JsonError> {
    Ok(serde_json::from_str(raw.get())?)
}

/// The fields of an object, values undecoded: written order, the last value of a doubled key in its first place.
pub(crate) fn object_fields(raw: &RawValue) -> Result<Vec<(JsStr, &RawValue)>, JsonError> {
    struct Fields;
    impl<'de> DeserializeSeed<'de> for Fields {
        type Value = Vec<(JsStr, &'de RawValue)>;
        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
            deserializer.deserialize_map(self)
        }
    }
    impl<'de> Visitor<'de> for Fields {
        type Value = Vec<(JsStr, &'de RawValue)>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut fields: Self::Value = Vec::new();
            let mut places = std::collections::BTreeMap::new();
            while let Some((key, value)) = map.next_entry::<JsStr, &'de RawValue>()? {
                let place = *places.entry(key.clone()).or_insert(fields.len());
                match fields.get_mut(place) {
                    Some(field) => field.1 = value,
                    None => fields.push((key, value)),
                }
            }
            Ok(fields)
        }
        fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
            Err(serde::de::Error::custom("an array where an object should be"))
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    Ok(Fields.deserialize(&mut deserializer)?)
}

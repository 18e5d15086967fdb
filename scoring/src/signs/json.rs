//! Arguments as one text, however they were written.

use std::fmt::Write as _;

use clawgauge_transcript::RawJson;
use serde_json::{Number, Value};

/// The canonical text of a call's arguments: keys sorted, no space, numbers by value (`10.0` is `10`). Arguments that are a
/// text holding an object count as that object. `O(n log n)`.
pub(super) fn canonical(arguments: Option<RawJson<'_>>, value: &Value) -> String {
    let mut text = String::new();
    match (value, arguments) {
        // A number that no double holds: the text as it stands is still a key.
        (Value::Null, Some(raw)) if !raw.is_null() => text.push_str(raw.as_str()),
        _ => write_value(&mut text, value),
    }
    text
}

/// The arguments decoded, a text that holds an object read as one.
pub(super) fn decode(arguments: Option<RawJson<'_>>) -> Value {
    let value = arguments.and_then(RawJson::to_value).unwrap_or_default();
    if let Value::String(text) = &value
        && text.trim_start().starts_with('{')
        && let Some(inner) = RawJson::parse(text).and_then(RawJson::to_value)
    {
        return inner;
    }
    value
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            out.push('{');
            for (at, key) in keys.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_text(out, key);
                out.push(':');
                write_value(out, map.get(key).unwrap_or(&Value::Null));
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_value(out, item);
            }
            out.push(']');
        }
        Value::String(text) => write_text(out, text),
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
    }
}

fn write_text(out: &mut String, text: &str) {
    // Lengths instead of escapes: as unambiguous, and no character needs one.
    let _infallible = write!(out, "{}\"{text}\"", text.len());
}

/// A number by its value: `10.0` is `10`.
pub(super) fn number_text(number: &Number) -> String {
    let whole = number.as_f64().filter(|value| value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0);
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
    whole.map_or_else(|| number.to_string(), |value| (value as i64).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_arguments_are_one_text() {
        let key = |text: &str| {
            let raw = RawJson::parse(text);
            canonical(raw, &decode(raw))
        };
        assert_eq!(key(r#"{"a":1,"b":[{"y":1,"x":2}]}"#), key(r#"{ "b": [{"x":2.0,"y":1e0}], "a": 1.0 }"#));
        assert_eq!(key(r#""{\"a\":1}""#), key(r#"{"a":1}"#));
        assert_eq!(key("-0.0"), key("0"));
        assert_ne!(key(r#"{"a":"1"}"#), key(r#"{"a":1}"#));
        assert_ne!(key(r#"{"a":9007199254740993}"#), key(r#"{"a":9007199254740992}"#));
        assert_ne!(key(r#"["a\",1\"b"]"#), key(r#"["a","b"]"#));
        assert_ne!(key("1e400"), key("2e400"));
    }
}

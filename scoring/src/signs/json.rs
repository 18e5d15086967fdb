//! Arguments as one text, however they were written.

use clawgauge_transcript::RawJson;
use serde_json::{Number, Value};

/// Writes the canonical text of a call's arguments: keys sorted, no space, numbers by value (`10.0` is `10`). Arguments that are a
/// text holding an object count as that object. `O(n log n)`.
pub(super) fn canonical(out: &mut String, arguments: Option<RawJson<'_>>, value: &Value) {
    match (value, arguments) {
        // A number that no double holds: the text as it stands is still a key.
        (Value::Null, Some(raw)) if !raw.is_null() => out.push_str(raw.as_str()),
        _ => write_value(out, value),
    }
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
            // In order unless a build of serde_json keeps the order of the text.
            let mut fields: Vec<(&String, &Value)> = Vec::new();
            if !map.keys().is_sorted() {
                fields.extend(map);
                fields.sort_unstable_by_key(|(key, _)| *key);
            }
            let in_order = map.iter().take(if fields.is_empty() { map.len() } else { 0 });
            out.push('{');
            for (at, (key, value)) in in_order.chain(fields).enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_text(out, key);
                out.push(':');
                write_value(out, value);
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
    // The length instead of escapes: as unambiguous, and no character needs one. Seven bits a character, the last one below 0x80:
    // to print it as a number would take longer than all the rest.
    out.push('"');
    let mut length = text.len();
    while length >= 0x80 {
        out.push(char::from((length & 0x7F) as u8 | 0x80));
        length >>= 7;
    }
    out.push(char::from(length as u8));
    out.push_str(text);
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
            let mut text = String::new();
            canonical(&mut text, raw, &decode(raw));
            text
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

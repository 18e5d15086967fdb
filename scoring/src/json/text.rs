//! Writing a value as text.

use super::{JsStr, Object, Value, js_number};

/// How numbers and key order come out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// As they were read.
    AsRead,
    /// As `JSON.stringify` of the parsed value gives them: shortest digits, integer-like keys first.
    JavaScript,
}

/// `JSON.stringify(value)`.
pub(crate) fn write_compact(out: &mut String, value: &Value, style: Style) {
    write(out, value, style, None);
}

/// `JSON.stringify(value, null, 2)`, with `level` steps of two blanks before each line but the first.
pub(crate) fn write_pretty(out: &mut String, value: &Value, style: Style, level: usize) {
    write(out, value, style, Some(level));
}

fn write(out: &mut String, value: &Value, style: Style, level: Option<usize>) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Number(number) => match style {
            Style::AsRead => out.push_str(&number.text),
            Style::JavaScript if number.value.is_finite() => out.push_str(&js_number(number.value)),
            Style::JavaScript => out.push_str("null"),
        },
        Value::String(text) => write_string(out, text),
        Value::Array(items) => sequence(out, level, ['[', ']'], items.iter(), |out, item, level| {
            write(out, item, style, level);
        }),
        Value::Object(object) => {
            let fields = in_order(object, style);
            sequence(out, level, ['{', '}'], fields.into_iter(), |out, (key, value), level| {
                write_string(out, key);
                out.push_str(if level.is_some() { ": " } else { ":" });
                write(out, value, style, level);
            });
        }
    }
}

fn sequence<T>(
    out: &mut String,
    level: Option<usize>,
    [open, close]: [char; 2],
    items: impl ExactSizeIterator<Item = T>,
    mut item: impl FnMut(&mut String, T, Option<usize>),
) {
    out.push(open);
    let empty = items.len() == 0;
    let inner = level.map(|level| level + 1);
    for (index, one) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        new_line(out, inner);
        item(out, one, inner);
    }
    if !empty {
        new_line(out, level);
    }
    out.push(close);
}

fn new_line(out: &mut String, level: Option<usize>) {
    if let Some(level) = level {
        out.push('\n');
        for _ in 0..level {
            out.push_str("  ");
        }
    }
}

fn in_order(object: &Object, style: Style) -> Vec<(&JsStr, &Value)> {
    let mut fields: Vec<(&JsStr, &Value)> = object.iter().collect();
    if style == Style::JavaScript {
        // Stable: other keys stay in written order, behind all array indices.
        fields.sort_by_key(|(key, _)| array_index(key).unwrap_or(u32::MAX));
    }
    fields
}

/// A key that JavaScript treats as an array index: the plain decimal of an integer below 2^32 - 1.
fn array_index(key: &JsStr) -> Option<u32> {
    let text = key.to_str();
    let index: u32 = text.parse().ok()?;
    (index != u32::MAX && index.to_string() == text).then_some(index)
}

fn write_string(out: &mut String, text: &JsStr) {
    out.push('"');
    match text.to_str() {
        std::borrow::Cow::Borrowed(text) => text.chars().for_each(|c| write_char(out, c)),
        std::borrow::Cow::Owned(_) => {
            for unit in char::decode_utf16(text.units()) {
                match unit {
                    Ok(c) => write_char(out, c),
                    Err(lone) => out.push_str(&format!("\\u{:04x}", lone.unpaired_surrogate())),
                }
            }
        }
    }
    out.push('"');
}

fn write_char(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        c => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn js(text: &str) -> String {
        let mut out = String::new();
        write_compact(&mut out, &parse(text).unwrap(), Style::JavaScript);
        out
    }

    #[test]
    fn text_is_that_of_json_stringify() {
        assert_eq!(js(r#"{"b":1.0,"10":2,"2":-0,"01":1e400,"b":3}"#), r#"{"2":0,"10":2,"b":3,"01":null}"#);
        assert_eq!(js(r#"["\u00e9\/\u0001\ud83d","\u2028"]"#), "[\"é/\\u0001\\ud83d\",\"\u{2028}\"]");
        assert_eq!(js("[ ]"), "[]");
    }

    #[test]
    fn as_read_keeps_digits_and_order() {
        let mut out = String::new();
        write_pretty(
            &mut out,
            &parse(r#"{"b":9007199254740993,"1":[],"x":{"y":1.0}}"#).unwrap(),
            Style::AsRead,
            0,
        );
        assert_eq!(out, "{\n  \"b\": 9007199254740993,\n  \"1\": [],\n  \"x\": {\n    \"y\": 1.0\n  }\n}");
    }

    #[test]
    fn a_deep_document_is_refused_not_a_stack_overflow() {
        let text = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(matches!(parse(&text), Err(super::super::JsonError::TooDeep)));
    }
}

//! How Python prints values: openclaw-edd's failure texts and argument comparison depend on it.

use std::borrow::Cow;

use serde_json::Number;

use crate::json::Json;

/// `repr(value)`.
pub(crate) fn repr(value: &Json) -> String {
    match value {
        Json::Null => "None".to_owned(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        Json::Number(n) => number(n),
        Json::String(s) => quote(s),
        Json::Array(items) => format!("[{}]", items.iter().map(repr).collect::<Vec<_>>().join(", ")),
        Json::Object(pairs) => {
            let body: Vec<String> = pairs.iter().map(|(k, v)| format!("{}: {}", quote(k), repr(v))).collect();
            format!("{{{}}}", body.join(", "))
        }
    }
}

/// `str(value)`: like [`repr`], but a text is itself.
pub(crate) fn text(value: &Json) -> Cow<'_, str> {
    match value {
        Json::String(s) => Cow::Borrowed(s),
        other => Cow::Owned(repr(other)),
    }
}

/// The list form of texts.
pub(crate) fn list<S: AsRef<str>>(items: &[S]) -> String {
    format!("[{}]", items.iter().map(|s| quote(s.as_ref())).collect::<Vec<_>>().join(", "))
}

fn number(n: &Number) -> String {
    if n.is_f64() { n.as_f64().map_or_else(|| n.to_string(), float) } else { n.to_string() }
}

/// `repr(float)`: shortest digits that read back, exponent form outside 1e-4 .. 1e16.
fn float(value: f64) -> String {
    if value == 0.0 {
        return if value.is_sign_negative() { "-0.0" } else { "0.0" }.to_owned();
    }
    let exponent_form = format!("{value:e}");
    let (digits, exponent) = exponent_form.split_once('e').unwrap_or((&exponent_form, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{value}");
        if plain.contains('.') { plain } else { format!("{plain}.0") }
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}e{sign}{:02}", exponent.abs())
    }
}

fn quote(text: &str) -> String {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(mark);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if c == mark => {
                out.push('\\');
                out.push(c);
            }
            _ if printable(c) => out.push(c),
            _ => {
                let code = u32::from(c);
                let escaped = match code {
                    0..=0xff => format!("\\x{code:02x}"),
                    0x100..=0xffff => format!("\\u{code:04x}"),
                    _ => format!("\\U{code:08x}"),
                };
                out.push_str(&escaped);
            }
        }
    }
    out.push(mark);
    out
}

/// What Python shows as it is: neither control, format, surrogate, private nor unassigned, and no separator but the blank.
fn printable(c: char) -> bool {
    if c == ' ' {
        return true;
    }
    !(c.is_control()
        || c.is_whitespace()
        || matches!(u32::from(c),
            0xad | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x180e | 0x200b..=0x200f | 0x202a..=0x202e
            | 0x2060..=0x206f | 0xe000..=0xf8ff | 0xfeff | 0xfff9..=0xfffb | 0xe0001 | 0xe0020..=0xe007f
            | 0xf0000..=0x0010_ffff))
}

//! JSON is redacted in place: only the literals that change are written anew.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::redaction::Redaction;
use super::value::{byte, run};

/// Deeper JSON than this is read as text.
const MAX_DEPTH: usize = 512;

/// Whether the whole text is one JSON value.
pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Whether a string could hold JSON, seen from its ends.
pub(super) fn looks_nested(text: &str) -> bool {
    let text = text.trim();
    matches!(
        (text.as_bytes().first(), text.as_bytes().last()),
        (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')) | (Some(b'"'), Some(b'"'))
    ) && text.len() >= 2
}

/// What is known at a place: inside of what, under which name.
#[derive(Default)]
struct Frame {
    object: bool,
    /// The key before the value; for a list the key that the whole list stands under.
    name: Option<String>,
    /// The flag before the list item, as in `["--password", "..."]`.
    flag: Option<String>,
    /// What the value is of: in `{"name": "API_KEY", "value": "..."}` what `name` says, before or behind it, in
    /// `{"password": {"value": "..."}}` the name of the object.
    about: Option<String>,
}

impl Frame {
    /// The name that a string here stands under.
    fn context(&self) -> Option<&str> {
        match (self.name.as_deref(), self.about.as_deref()) {
            (Some(name), Some(about)) if is_value(name) => Some(about),
            (name, _) => self.flag.as_deref().or(name),
        }
    }

    fn saw(&mut self, text: &str) {
        if self.object {
            if self.name.as_deref().is_some_and(is_naming) {
                self.about = Some(text.to_owned());
            }
        } else {
            self.flag = (text.starts_with('-') && text.len() > 2).then(|| text.to_owned());
        }
    }
}

/// Keys whose value a sibling names.
fn is_value(key: &str) -> bool {
    matches!(key, "value" | "val")
}

/// Keys under which a sibling's name stands.
fn is_naming(key: &str) -> bool {
    matches!(key, "name" | "key" | "header" | "variable" | "env")
}

/// Redacts JSON text; `None` when it is too deep. `outer` is the name of the field that holds it, when it is nested.
pub(super) fn rewrite<'t>(
    redaction: &mut Redaction<'_>,
    text: &'t str,
    outer: Option<&str>,
    depth: usize,
) -> Option<Cow<'t, str>> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut copied = 0;
    let mut siblings = siblings(redaction, text).into_iter();
    let mut frames = vec![Frame { name: outer.map(str::to_owned), object: true, ..Frame::default() }];
    let mut at = 0;
    while at < bytes.len() {
        let from = at;
        let replacement = match byte(bytes, at) {
            open @ (b'{' | b'[') => {
                at += 1;
                if frames.len() > MAX_DEPTH {
                    return None;
                }
                let outer = frames.last().and_then(Frame::context);
                let frame = if open == b'[' {
                    // A list stands under the name of its field: `"Authorization": ["Bearer ..."]`.
                    Frame { name: outer.map(str::to_owned), ..Frame::default() }
                } else {
                    let outer = outer.filter(|name| redaction.tells(name));
                    let about = siblings.next().flatten().or_else(|| outer.map(str::to_owned));
                    Frame { object: true, about, ..Frame::default() }
                };
                frames.push(frame);
                continue;
            }
            b'}' | b']' => {
                at += 1;
                if frames.len() > 1 {
                    frames.pop();
                }
                continue;
            }
            b'"' => {
                at = literal_end(bytes, at);
                let Some(frame) = frames.last_mut() else { break };
                literal(redaction, text, from..at, frame, depth)
            }
            b'-' | b'0'..=b'9' => {
                at = run(
                    bytes,
                    at,
                    |b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'),
                    usize::MAX,
                );
                let name = frames.last().and_then(Frame::context);
                text.get(from..at)
                    .and_then(|digits| redaction.number(name, digits))
                    .map(|number| format!("\"{number}\""))
            }
            _ => {
                at += 1;
                continue;
            }
        };
        if let Some(replacement) = replacement {
            out.push_str(text.get(copied..from).unwrap_or_default());
            out.push_str(&replacement);
            copied = at;
        }
    }
    if copied == 0 {
        return Some(Cow::Borrowed(text));
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Some(Cow::Owned(out))
}

/// For each object in order, what stands under a naming key of it, where that could say something. Objects do not
/// order their keys: `{"value": "...", "name": "API_KEY"}`. Empty for texts in which nothing is called a value. O(n).
fn siblings(redaction: &Redaction<'_>, text: &str) -> Vec<Option<String>> {
    let bytes = text.as_bytes();
    let called = |key: &[u8]| memchr::memmem::find(bytes, key).is_some();
    if !called(b"\"value\"") && !called(b"\"val\"") {
        return Vec::new();
    }
    let mut out: Vec<Option<String>> = Vec::new();
    // The objects and lists around a place; of objects also their index.
    let mut around: Vec<Option<usize>> = Vec::new();
    let mut naming = false;
    let mut at = 0;
    while let Some(found) = bytes.get(at..).unwrap_or_default().iter().position(|b| b"{}[]\"".contains(b)) {
        let from = at + found;
        at = from + 1;
        match byte(bytes, from) {
            b'{' => {
                around.push(Some(out.len()));
                out.push(None);
            }
            b'[' => around.push(None),
            b'"' => {
                at = literal_end(bytes, from);
                let literal = text.get(from..at).unwrap_or_default();
                let after = run(bytes, at, |b| b.is_ascii_whitespace(), usize::MAX);
                if byte(bytes, after) == b':' {
                    naming = is_naming(literal.trim_matches('"'));
                    continue;
                }
                let object = around.last().copied().flatten();
                let slot = object.filter(|_| naming).and_then(|index| out.get_mut(index));
                if let Some(slot @ None) = slot
                    && let Ok(name) = serde_json::from_str::<String>(literal)
                    && redaction.tells(&name)
                {
                    *slot = Some(name);
                }
            }
            _ => {
                around.pop();
            }
        }
        naming = false;
    }
    out
}

/// Where the string literal that begins at `at` ends, its closing quote included.
fn literal_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found;
        if byte(bytes, at) == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

/// The literal anew, when something in it was replaced.
fn literal(
    redaction: &mut Redaction<'_>,
    text: &str,
    range: std::ops::Range<usize>,
    frame: &mut Frame,
    depth: usize,
) -> Option<String> {
    let raw = text.get(range.clone())?;
    let inner = raw.get(1..raw.len().saturating_sub(1))?;
    let after = run(text.as_bytes(), range.end, |b| b.is_ascii_whitespace(), usize::MAX);
    let is_key = byte(text.as_bytes(), after) == b':';
    let decoded: Cow<'_, str> = if inner.contains('\\') {
        match serde_json::from_str::<String>(raw) {
            Ok(decoded) => Cow::Owned(decoded),
            // A lone surrogate: redact the text as it is written, escapes and all.
            Err(_) => {
                return match redaction.string(inner, frame.context(), redaction.nesting()) {
                    Cow::Borrowed(_) => None,
                    Cow::Owned(changed) => Some(format!("\"{changed}\"")),
                };
            }
        }
    } else {
        Cow::Borrowed(inner)
    };
    let changed = if is_key {
        redaction.string(&decoded, None, depth)
    } else {
        redaction.string(&decoded, frame.context(), depth)
    };
    // The name is taken as it will stand in the output, so that a second redaction sees the same.
    let (written, changed) = match changed {
        Cow::Borrowed(_) => (decoded, None),
        Cow::Owned(changed) => {
            let literal = serde_json::to_string(&changed).ok();
            (Cow::Owned(changed), literal)
        }
    };
    if is_key {
        // Names that say nothing are not kept: most of them.
        let keeps = redaction.tells(&written) || is_naming(&written) || is_value(&written);
        frame.name = keeps.then(|| written.into_owned());
    } else {
        frame.saw(&written);
    }
    changed
}

/// Redacts a parsed value in place.
pub(super) fn value(redaction: &mut Redaction<'_>, value: &mut Value, name: Option<&str>, depth: usize) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(changed) = redaction.string(text, name, depth) {
                *text = changed;
            }
        }
        Value::Number(number) => {
            if let Some(placeholder) = redaction.number(name, &number.to_string()) {
                *value = Value::String(placeholder);
            }
        }
        Value::Array(items) => list(redaction, items, name, depth),
        Value::Object(map) => object(redaction, map, name, depth),
        Value::Null | Value::Bool(_) => {}
    }
}

fn list(redaction: &mut Redaction<'_>, items: &mut [Value], name: Option<&str>, depth: usize) {
    let mut frame = Frame { object: false, name: name.map(str::to_owned), ..Frame::default() };
    for item in items {
        let text = item.as_str().map(str::to_owned);
        value(redaction, item, frame.context(), depth);
        if let Some(text) = text {
            frame.saw(&text);
        }
    }
}

fn object(redaction: &mut Redaction<'_>, map: &mut Map<String, Value>, name: Option<&str>, depth: usize) {
    let about = map
        .iter()
        .find_map(|(key, value)| is_naming(key).then(|| value.as_str().map(str::to_owned))?)
        .filter(|about| redaction.tells(about))
        .or_else(|| name.map(str::to_owned));
    let mut frame = Frame { object: true, name: None, about, flag: None };
    for (key, mut item) in std::mem::take(map) {
        let key = redaction.string(&key, None, depth).into_owned();
        frame.name = Some(key);
        value(redaction, &mut item, frame.context(), depth);
        map.insert(frame.name.take().unwrap_or_default(), item);
    }
}

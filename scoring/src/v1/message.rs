//! What the plugin sees of a message.

use clawgauge_transcript::RawJson;
use serde_json::value::RawValue;

use crate::json::{self, JsStr, JsonError, Style, Value, array_elements, object_fields};

/// The roles that count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
    /// Any other role, no role, or no object at all.
    Other,
}

/// A message, reduced to what the scores read.
pub(super) struct Message {
    pub(super) role: Role,
    /// All text blocks, joined with line breaks. Contents that are no array have no blocks, plain text included.
    pub(super) text: String,
    /// The calls, in order.
    pub(super) calls: Vec<Call>,
}

/// A tool call.
pub(super) struct Call {
    /// The name, when it is a text.
    pub(super) name: Option<JsStr>,
    /// Name and arguments as one text: equal texts are the same call.
    pub(super) key: String,
}

impl Message {
    /// A message that counts for nothing but its place.
    pub(super) const fn other() -> Self {
        Self { role: Role::Other, text: String::new(), calls: Vec::new() }
    }

    /// A user's message in plain text.
    pub(super) fn user(text: &str) -> Self {
        Self { role: Role::User, text: text.to_owned(), ..Self::other() }
    }

    pub(super) fn read(json: RawJson<'_>) -> Result<Self, JsonError> {
        let raw: &RawValue = serde_json::from_str(json.as_str())?;
        let mut message = Self::other();
        if !starts_with(raw, b'{') {
            return Ok(message);
        }
        let fields = object_fields(raw)?;
        message.role = match field(&fields, "role").map(json::parse_raw) {
            Some(Ok(Value::String(role))) if role.is("user") => Role::User,
            Some(Ok(Value::String(role))) if role.is("assistant") => Role::Assistant,
            _ => Role::Other,
        };
        let content = field(&fields, "content").filter(|content| starts_with(content, b'['));
        if let (Some(content), Role::User | Role::Assistant) = (content, message.role) {
            message.read_blocks(content)?;
        }
        Ok(message)
    }

    fn read_blocks(&mut self, content: &RawValue) -> Result<(), JsonError> {
        let mut texts = Vec::new();
        for block in array_elements(content)? {
            if !starts_with(block, b'{') {
                continue;
            }
            let fields = object_fields(block)?;
            let kind = field(&fields, "type")
                .filter(|kind| starts_with(kind, b'"'))
                .map(json::parse_raw)
                .transpose()?;
            match kind {
                Some(Value::String(kind)) if kind.is("text") => {
                    if let Some(text) = field(&fields, "text").filter(|text| starts_with(text, b'"')) {
                        texts.push(json::parse_raw(text)?);
                    }
                }
                Some(Value::String(kind)) if kind.is("toolCall") && self.role == Role::Assistant => {
                    self.calls.push(Call::read(field(&fields, "name"), field(&fields, "arguments"))?);
                }
                _ => {}
            }
        }
        let texts: Vec<_> = texts.iter().filter_map(Value::as_js_str).map(JsStr::to_str).collect();
        self.text = texts.join("\n");
        Ok(())
    }
}

impl Call {
    fn read(name: Option<&RawValue>, arguments: Option<&RawValue>) -> Result<Self, JsonError> {
        let name = name.map(json::parse_raw).transpose()?;
        let arguments = match arguments.map(json::parse_raw).transpose()? {
            None | Some(Value::Null) => Value::Object(json::Object::default()),
            Some(arguments) => arguments,
        };
        let mut key = name.as_ref().map_or_else(|| "undefined".to_owned(), Value::to_js_string);
        key.push(':');
        json::write_compact(&mut key, &arguments, Style::JavaScript);
        let name = match name {
            Some(Value::String(name)) => Some(name),
            _ => None,
        };
        Ok(Self { name, key })
    }
}

fn starts_with(raw: &RawValue, byte: u8) -> bool {
    raw.get().as_bytes().first() == Some(&byte)
}

fn field<'a>(fields: &[(JsStr, &'a RawValue)], name: &str) -> Option<&'a RawValue> {
    fields.iter().find(|(key, _)| key.is(name)).map(|(_, value)| *value)
}

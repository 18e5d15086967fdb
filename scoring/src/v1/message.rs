//! What the plugin sees of a message.

use std::borrow::Cow;

use clawgauge_transcript::{Block, Message as Stored, RawJson, Role as StoredRole};
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
pub(super) struct Message<'t> {
    pub(super) role: Role,
    /// The text blocks. Contents that are no array have no blocks, plain text included.
    texts: Vec<Cow<'t, str>>,
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

impl<'t> Message<'t> {
    /// A message that counts for nothing but its place.
    pub(super) const fn other() -> Self {
        Self { role: Role::Other, texts: Vec::new(), calls: Vec::new() }
    }

    /// A user's message in plain text.
    pub(super) fn user(text: Cow<'t, str>) -> Self {
        Self { role: Role::User, texts: vec![text], ..Self::other() }
    }

    /// Takes over the blocks of another message, as if they stood in this one.
    pub(super) fn append(&mut self, other: Self) {
        self.role = other.role;
        self.texts.extend(other.texts);
        self.calls.extend(other.calls);
    }

    /// All text blocks, joined with line breaks.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self.texts.as_slice() {
            [one] => Cow::Borrowed(one),
            texts => Cow::Owned(texts.join("\n")),
        }
    }

    /// Reads a stored message by the places that its transcript has already found: what no score reads (a tool's output, to begin
    /// with) is not looked at again. The same as [`Message::read`] of its JSON, but for empty texts among the blocks.
    pub(super) fn read_stored(stored: Stored<'t>) -> Result<Self, JsonError> {
        let mut message = Self::other();
        message.role = match stored.role() {
            StoredRole::User => Role::User,
            StoredRole::Assistant => Role::Assistant,
            _ => return Ok(message),
        };
        if !stored.content().is_some_and(RawJson::is_array) {
            return Ok(message);
        }
        for block in stored.blocks() {
            match block {
                Block::Text(text) => message.texts.push(text.text()),
                Block::ToolCall(call) if message.role == Role::Assistant => {
                    let fields = call.json().fields();
                    let field =
                        |name: &str| fields.iter().rfind(|(key, _)| key == name).map(|(_, value)| *value);
                    // Blocks under other names are calls to the transcript, but not to the plugin.
                    if field("type").and_then(RawJson::text).is_some_and(|kind| kind == "toolCall") {
                        let text = |name: &str| field(name).map(RawJson::as_str);
                        message.calls.push(Call::read(text("name"), text("arguments"))?);
                    }
                }
                _ => {}
            }
        }
        Ok(message)
    }

    /// Reads a message of any shape.
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
                        self.texts.extend(
                            json::parse_raw(text)?
                                .as_js_str()
                                .map(|text| Cow::Owned(text.to_str().into_owned())),
                        );
                    }
                }
                Some(Value::String(kind)) if kind.is("toolCall") && self.role == Role::Assistant => {
                    self.calls.push(Call::read(
                        field(&fields, "name").map(RawValue::get),
                        field(&fields, "arguments").map(RawValue::get),
                    )?);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Call {
    fn read(name: Option<&str>, arguments: Option<&str>) -> Result<Self, JsonError> {
        let name = name.map(json::parse).transpose()?;
        let arguments = match arguments.map(json::parse).transpose()? {
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

#[cfg(test)]
mod tests {
    use clawgauge_transcript::Transcript;
    use proptest::prelude::*;

    use super::*;

    /// Blocks and messages of right and odd shapes, the same key twice among them.
    fn message() -> impl Strategy<Value = String> {
        let text =
            prop::sample::select(vec!["\"done\"", "\"no, \\u00e9\\ud83d\"", "\"\"", "5", "null", "{}"]);
        let kind = prop::sample::select(vec!["text", "toolCall", "toolUse", "thinking", "Text"]);
        let name = prop::sample::select(vec!["\"exec\"", "\"read\"", "7", "null", "[1,[2]]", "{\"a\":1}"]);
        let arguments =
            prop::sample::select(vec!["{\"b\":1.0,\"2\":null,\"b\":2}", "null", "\"{}\"", "[ 1 ]", "false"]);
        let block = (kind, text, prop::option::of(name), prop::option::of(arguments)).prop_map(
            |(kind, text, name, arguments)| {
                let name = name.map_or_else(String::new, |name| format!(",\"name\":{name}"));
                let arguments = arguments.map_or_else(String::new, |arguments| {
                    format!(",\"input\":{{}},\"arguments\":{arguments}")
                });
                format!("{{\"type\":\"{kind}\",\"text\":{text}{name}{arguments}}}")
            },
        );
        let block = prop_oneof![8 => block, 1 => Just("null".to_owned()), 1 => Just("[]".to_owned()), 1 => Just("{}".to_owned())];
        let content = prop_oneof![
            6 => prop::collection::vec(block, 0..4).prop_map(|blocks| format!("[{}]", blocks.join(","))),
            1 => Just("\"done\"".to_owned()),
            1 => Just("{\"type\":\"text\",\"text\":\"done\"}".to_owned()),
        ];
        let role = prop::sample::select(vec![
            "\"user\"",
            "\"assistant\"",
            "\"toolResult\"",
            "\"Assistant\"",
            "null",
            "1",
        ]);
        (role, content.clone(), prop::option::of(content)).prop_map(|(role, content, again)| {
            let again = again.map_or_else(String::new, |again| format!(",\"content\":{again}"));
            format!("{{\"role\":{role},\"content\":{content}{again}}}")
        })
    }

    proptest! {
        #[test]
        fn reading_by_place_gives_what_reading_all_gives(text in message()) {
            let list = format!("[{text}]");
            let list = RawJson::parse(&list).unwrap();
            let transcript = Transcript::from_messages(list);
            let simple = Message::read(list.items()[0]).unwrap();
            let stored = Message::read_stored(transcript.entries()[0].message().unwrap()).unwrap();
            prop_assert!(simple.role == stored.role);
            let words = |message: &Message<'_>| message.texts.iter().filter(|text| !text.is_empty()).map(ToString::to_string).collect::<Vec<_>>();
            prop_assert_eq!(words(&simple), words(&stored));
            let calls = |message: &Message<'_>| {
                message.calls.iter().map(|call| (call.name.clone(), call.key.clone())).collect::<Vec<_>>()
            };
            prop_assert_eq!(calls(&simple), calls(&stored));
        }
    }
}

//! Chat messages of the OpenAI API, as people store them.

use serde_json::{Map, Value, json};

use crate::limits::Limits;
use crate::raw::RawJson;
use crate::report::{ProblemKind, ReadReport};
use crate::scan::{Scanner, Why};
use crate::transcript::Transcript;

use super::Importer;
use super::builder::{Builder, Source, first_objects, lines, message_row, object, text, text_of};

/// Reads chat messages: a JSON array of messages or of conversations, an object with `messages` (and `choices` and
/// `usage`, when a response was stored with its request), or JSONL (one conversation a line, or one message a line). Of an
/// array that was cut off, the items before the cut. Of several choices the first is the answer; the others, and what else
/// an object holds, stand in a note.
///
/// `tool_calls` and the older `function_call` become calls; their arguments are decoded when they are JSON and kept as
/// text when not. The API has no mark for failed tools: a result's outcome is what the model of outcomes reads from it.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenAiChat;

impl Importer for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai_chat"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let head_text = String::from_utf8_lossy(head);
        let start = head_text.trim_start_matches('\u{feff}').trim_start();
        if let Some(array) = start.strip_prefix('[') {
            // A whole array may be longer than the head: its first object tells.
            return array.trim_start().starts_with('{') && start.contains("\"role\"");
        }
        let is_chat = |object: &Map<String, Value>| object.contains_key("messages") || is_message(object);
        match first_objects(head, 1).first() {
            Some(object) => is_chat(object),
            None => {
                let key = start.strip_prefix('{').map(str::trim_start);
                key.is_some_and(|key| key.starts_with("\"messages\"") || start.contains("\"messages\""))
            }
        }
    }

    fn sessions(&self, bytes: &[u8], limits: Limits) -> Vec<Transcript<'static>> {
        let mut report = ReadReport::default();
        let sources = sources(bytes, &limits, &mut report);
        let mut sessions = Vec::new();
        let mut single: Option<Chat> = None;
        for source in &sources {
            if source.value.contains_key("messages") {
                let name = format!("chat-{}", sessions.len() + 1);
                let mut chat = Chat::new(text(&source.value, "id").unwrap_or(&name));
                chat.conversation(source);
                sessions.push(chat);
            } else if is_message(&source.value) {
                let chat = single.get_or_insert_with(|| Chat::new("chat"));
                chat.message(&source.value, None, source);
            } else {
                let limit = limits.max_problems;
                report.add(limit, ProblemKind::MissingType, source.line, source.offset, "no chat message");
                single.get_or_insert_with(|| Chat::new("chat")).note(source);
            }
        }
        if sessions.is_empty() && !report.is_clean() {
            // The report needs a session to stand in.
            single.get_or_insert_with(|| Chat::new("chat"));
        }
        let all = single.into_iter().chain(sessions);
        all.map(|chat| chat.builder.finish(&limits, std::mem::take(&mut report))).collect()
    }
}

/// The conversations, or messages, of an input.
fn sources(bytes: &[u8], limits: &Limits, report: &mut ReadReport) -> Vec<Source> {
    // Anything but one value for the whole input is lines.
    let mut whole = ReadReport::default();
    (whole.lines, whole.bytes) = (1, bytes.len() as u64);
    let text = text_of(bytes, 1, 0, limits, &mut whole);
    let sources = match RawJson::parse(&text).map(RawJson::to_whole_value) {
        Some(Value::Array(items)) => of_array(items),
        Some(value @ Value::Object(_)) => vec![conversation(value)],
        _ if text.trim_start().starts_with('[') => {
            let (items, why) = whole_items(&text, limits);
            whole.add(limits.max_problems, why, 1, 0, "a list that is not JSON: its first items are kept");
            of_array(items)
        }
        _ => return lines(bytes, limits, report),
    };
    *report = whole;
    sources
}

/// A list of messages is a conversation, unless it is a list of conversations.
fn of_array(items: Vec<Value>) -> Vec<Source> {
    if items.iter().any(|item| item.get("messages").is_some()) {
        items.into_iter().map(conversation).collect()
    } else {
        vec![conversation(json!({ "messages": items }))]
    }
}

/// The items of a list up to where it is no JSON any more, and what it is there.
fn whole_items(text: &str, limits: &Limits) -> (Vec<Value>, ProblemKind) {
    let mut items = Vec::new();
    let scanned = Scanner::new(text, limits.depth()).array(|scanner| {
        items.extend(RawJson::parse(scanner.value()?.of(text)).map(RawJson::to_whole_value));
        Ok(())
    });
    let kind = match scanned.map_err(|error| error.why) {
        Err(Why::TooDeep) => ProblemKind::TooDeep,
        Err(Why::End) => ProblemKind::TornTail,
        _ => ProblemKind::Malformed,
    };
    (items, kind)
}

fn conversation(value: Value) -> Source {
    Source { value: object(value), line: 1, offset: 0 }
}

fn is_message(object: &Map<String, Value>) -> bool {
    let known = ["system", "developer", "user", "assistant", "tool", "function"];
    text(object, "role").is_some_and(|role| known.contains(&role)) && !object.contains_key("type")
}

struct Chat {
    builder: Builder,
    count: usize,
    /// Calls of the older form have no ids: results follow their call.
    function: Option<String>,
}

impl Chat {
    fn new(id: &str) -> Self {
        Self { builder: Builder::new(id, None, None, None), count: 0, function: None }
    }

    fn id(&mut self) -> String {
        self.count += 1;
        format!("m{}", self.count)
    }

    fn note(&mut self, source: &Source) {
        let id = self.id();
        self.builder.note(&id, "openai-chat:unknown", source);
    }

    fn conversation(&mut self, source: &Source) {
        let model = text(&source.value, "model");
        for message in source.value.get("messages").and_then(Value::as_array).into_iter().flatten() {
            match message {
                Value::Object(message) => self.message(message, model, source),
                other => {
                    let other =
                        Source { value: object(other.clone()), line: source.line, offset: source.offset };
                    self.note(&other);
                }
            }
        }
        let choice = source.value.get("choices").and_then(|choices| choices.get(0));
        let answer = choice.and_then(|choice| choice.get("message")).and_then(Value::as_object);
        if let Some(answer) = answer {
            let mut answer = answer.clone();
            let reason = choice.and_then(|choice| choice.get("finish_reason"));
            for (key, value) in [("usage", source.value.get("usage")), ("finish_reason", reason)] {
                if let Some(value) = value {
                    answer.insert(key.to_owned(), value.clone());
                }
            }
            self.message(&answer, model, source);
        }
        self.rest(source, answer.is_some());
    }

    /// What of a stored request and its response is no message: tools, settings, further choices.
    fn rest(&mut self, source: &Source, is_answered: bool) {
        let is_told = |key: &str, value: &Value| match key {
            "messages" => value.is_array(),
            "id" | "model" => value.is_string(),
            "usage" => is_answered,
            "choices" => is_answered && value.as_array().is_some_and(|choices| choices.len() == 1),
            _ => false,
        };
        let rest = source.value.iter().filter(|(key, value)| !is_told(key, value));
        let value: Map<String, Value> = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
        if !value.is_empty() {
            let id = self.id();
            let rest = Source { value, line: source.line, offset: source.offset };
            self.builder.note(&id, "openai-chat:request", &rest);
        }
    }

    fn message(&mut self, message: &Map<String, Value>, model: Option<&str>, source: &Source) {
        let id = self.id();
        let mut row = Map::new();
        match text(message, "role") {
            Some("user") => {
                row.insert("role".to_owned(), json!("user"));
                row.insert("content".to_owned(), Value::Array(content(message.get("content"))));
            }
            Some("assistant") => self.assistant(&id, message, model, &mut row),
            Some("tool" | "function") => {
                row.insert("role".to_owned(), json!("toolResult"));
                let call = text(message, "tool_call_id").map(str::to_owned).or_else(|| self.function.take());
                row.insert("toolCallId".to_owned(), json!(call));
                if let Some(name) = message.get("name") {
                    row.insert("toolName".to_owned(), name.clone());
                }
                row.insert("content".to_owned(), Value::Array(content(message.get("content"))));
            }
            role => {
                // Instructions are no part of what was said.
                let kind = format!("openai-chat:{}", role.unwrap_or("unknown"));
                let note = json!({ "type": "custom", "customType": kind, "source": message });
                let parent = self.builder.last_id();
                self.builder.row(&id, parent.as_deref(), object(note), source);
                return;
            }
        }
        let parent = self.builder.last_id();
        self.builder.row(&id, parent.as_deref(), message_row(row, Some(message)), source);
    }

    fn assistant(
        &mut self,
        id: &str,
        message: &Map<String, Value>,
        model: Option<&str>,
        row: &mut Map<String, Value>,
    ) {
        let mut blocks = Vec::new();
        if let Some(thinking) = text(message, "reasoning_content").filter(|text| !text.is_empty()) {
            blocks.push(json!({ "type": "thinking", "thinking": thinking }));
        }
        blocks.extend(content(message.get("content")));
        if let Some(refusal) = text(message, "refusal") {
            blocks.push(json!({ "type": "text", "text": refusal }));
        }
        let calls = message.get("tool_calls").and_then(Value::as_array);
        for (at, call) in calls.into_iter().flatten().enumerate() {
            let function = call.get("function").or_else(|| call.get("custom")).unwrap_or(call);
            let call_id = call.get("id").cloned().unwrap_or_else(|| json!(format!("{id}-call-{at}")));
            blocks.push(tool_call(&call_id, function));
        }
        if let Some(function) = message.get("function_call").filter(|call| call.is_object()) {
            let call_id = format!("{id}-call");
            blocks.push(tool_call(&json!(call_id), function));
            self.function = Some(call_id);
        }
        let called = blocks.iter().any(|block| block.get("type").and_then(Value::as_str) == Some("toolCall"));
        row.insert("role".to_owned(), json!("assistant"));
        row.insert("content".to_owned(), Value::Array(blocks));
        row.insert("provider".to_owned(), json!("openai"));
        if let Some(model) = text(message, "model").or(model) {
            row.insert("model".to_owned(), json!(model));
        }
        if let Some(usage) = message.get("usage").filter(|usage| usage.is_object()) {
            row.insert("usage".to_owned(), usage.clone());
        }
        let stop = match text(message, "finish_reason") {
            Some("length") => Some("length"),
            Some("content_filter") => Some("error"),
            Some("tool_calls" | "function_call") => Some("toolUse"),
            _ if called => Some("toolUse"),
            Some(_) => Some("stop"),
            None => None,
        };
        if let Some(stop) = stop {
            row.insert("stopReason".to_owned(), json!(stop));
        }
    }
}

fn tool_call(id: &Value, function: &Value) -> Value {
    let arguments = match function.get("arguments").or_else(|| function.get("input")) {
        Some(Value::String(text)) => {
            RawJson::parse(text).map_or_else(|| json!(text), RawJson::to_whole_value)
        }
        Some(other) => other.clone(),
        None => json!({}),
    };
    json!({ "type": "toolCall", "id": id, "name": function.get("name"), "arguments": arguments })
}

fn content(content: Option<&Value>) -> Vec<Value> {
    match content {
        Some(Value::String(text)) => vec![json!({ "type": "text", "text": text })],
        Some(Value::Array(parts)) => parts.iter().map(part).collect(),
        Some(Value::Null) | None => Vec::new(),
        Some(other) => vec![other.clone()],
    }
}

fn part(part: &Value) -> Value {
    let kind = part.get("type").and_then(Value::as_str);
    match (kind, part.get("text").or_else(|| part.get("refusal"))) {
        (Some("text" | "input_text" | "output_text" | "refusal"), Some(text)) => {
            json!({ "type": "text", "text": text })
        }
        _ => part.clone(),
    }
}

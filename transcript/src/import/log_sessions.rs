//! What a gateway's log knows of sessions, where nothing else is left.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};

use crate::limits::Limits;
use crate::log::LogLine;
use crate::report::ReadReport;
use crate::transcript::Transcript;

use super::Importer;
use super::builder::{Builder, Source, first_objects, lines, message_row, object, text};

/// Reads a gateway's log: one session for each session id that its lines name.
///
/// Lines of the flat form become messages where they say so (`user_message`, `tool_start` and `tool_end`,
/// `response`); every other line is a note (`custom`) in its session. Lines that name no session belong to none and are
/// left out.
#[derive(Debug, Clone, Copy, Default)]
pub struct GatewayLog;

impl Importer for GatewayLog {
    fn name(&self) -> &'static str {
        "openclaw_log"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        first_objects(head, 4).iter().any(|object| {
            let positional = object.contains_key("_meta") && object.contains_key("0");
            let flat = object.contains_key("session_id") && object.contains_key("msg");
            positional || flat
        })
    }

    fn sessions(&self, bytes: &[u8], limits: Limits) -> Vec<Transcript<'static>> {
        let mut report = ReadReport::default();
        let sources = lines(bytes, &limits, &mut report);
        let mut sessions: Vec<Session> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for source in &sources {
            let raw = Value::Object(source.value.clone()).to_string();
            let Some(line) = LogLine::parse(&raw) else {
                continue;
            };
            let Some(id) = line.session_id.as_deref() else {
                continue;
            };
            let place = *places.entry(id.to_owned()).or_insert_with(|| {
                let time = line.time.map(|time| json!(time.to_string()));
                let builder = Builder::new(id, None, time.as_ref(), None);
                sessions.push(Session { builder, open: BTreeMap::new() });
                sessions.len() - 1
            });
            if let Some(session) = sessions.get_mut(place) {
                session.add(&line, source);
            }
        }
        sessions
            .into_iter()
            .map(|session| session.builder.finish(&limits, std::mem::take(&mut report)))
            .collect()
    }
}

struct Session {
    builder: Builder,
    /// Calls without a result, by tool: log lines name no calls, so the oldest one is answered first.
    open: BTreeMap<String, VecDeque<String>>,
}

impl Session {
    fn add(&mut self, line: &LogLine<'_>, source: &Source) {
        let id = format!("l{}", source.line);
        let value = &source.value;
        let mut row = match self.message(&id, line, source) {
            Some(message) => message_row(object(message), Some(value)),
            None => object(json!({ "type": "custom", "customType": "openclaw:log", "source": value })),
        };
        if let Some(time) = line.time {
            row.insert("timestamp".to_owned(), json!(time.to_string()));
        }
        let parent = self.builder.last_id();
        self.builder.row(&id, parent.as_deref(), row, source);
    }

    fn message(&mut self, id: &str, line: &LogLine<'_>, source: &Source) -> Option<Value> {
        if !line.flat {
            return None;
        }
        let value = &source.value;
        match (&*line.message, text(value, "tool")) {
            ("tool_start", Some(tool)) => {
                let call = format!("{id}-call");
                self.open.entry(tool.to_owned()).or_default().push_back(call.clone());
                let arguments = value.get("input").cloned().unwrap_or_else(|| json!({}));
                Some(json!({
                    "role": "assistant",
                    "content": [{ "type": "toolCall", "id": call, "name": tool, "arguments": arguments }],
                    "stopReason": "toolUse",
                }))
            }
            ("tool_end", Some(tool)) => Some(json!({
                "role": "toolResult",
                "toolCallId": self.open.get_mut(tool).and_then(VecDeque::pop_front),
                "toolName": tool,
                "content": [{ "type": "text", "text": value.get("output").map(as_text) }],
                "details": { "durationMs": value.get("duration") },
            })),
            _ => match (text(value, "user_message"), text(value, "response")) {
                (Some(words), _) => Some(json!({ "role": "user", "content": words })),
                (None, Some(words)) => Some(json!({
                    "role": "assistant", "content": [{ "type": "text", "text": words }], "stopReason": "stop",
                })),
                (None, None) => None,
            },
        }
    }
}

fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

//! Claude Code's session files: JSONL below `~/.claude/projects/`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::limits::Limits;
use crate::report::ReadReport;
use crate::transcript::Transcript;

use super::Importer;
use super::builder::{Builder, Source, first_objects, lines, message_row, object, text};

/// Reads Claude Code's session JSONL.
///
/// One answer of the model stands in several lines there, one a block, each with the answer's whole usage: they become
/// one row. Results are blocks of `user` lines: each becomes a row of its own. Lines marked `isSidechain` are a
/// subagent's: a session of its own for each chain, or for each `agentId`.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClaudeCode;

impl Importer for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude_code"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        first_objects(head, 8).iter().any(|object| {
            object.contains_key("sessionId")
                && (object.contains_key("parentUuid") || object.contains_key("uuid"))
                && object.contains_key("type")
        })
    }

    fn sessions(&self, bytes: &[u8], limits: Limits) -> Vec<Transcript<'static>> {
        let mut report = ReadReport::default();
        let sources = lines(bytes, &limits, &mut report);
        let Some(id) = sources.iter().find_map(|source| text(&source.value, "sessionId")) else {
            return Vec::new();
        };
        let mut chains = Chains::default();
        for source in &sources {
            chains.sort(source);
        }
        let mut sessions = Vec::new();
        for (name, sources) in chains.into_ordered() {
            let first = sources.iter().find(|source| source.value.contains_key("timestamp"));
            let time = first.and_then(|source| source.value.get("timestamp"));
            let cwd = sources.iter().find_map(|source| text(&source.value, "cwd"));
            let builder = match &name {
                None => Builder::new(id, cwd, time, None),
                Some(name) => Builder::new(&format!("{id}:{name}"), cwd, time, Some(id)),
            };
            let mut session = Session { builder, stands_for: BTreeMap::new(), answers: BTreeMap::new() };
            for source in sources {
                session.line(source);
            }
            sessions.push(session.builder.finish(&limits, std::mem::take(&mut report)));
        }
        sessions
    }
}

/// The lines of the conversation and of each subagent.
#[derive(Default)]
struct Chains<'s> {
    main: Vec<&'s Source>,
    agents: Vec<(String, Vec<&'s Source>)>,
    by_name: BTreeMap<String, usize>,
    /// Which agent a line belongs to, by the line's id.
    of_line: BTreeMap<&'s str, usize>,
}

impl<'s> Chains<'s> {
    fn sort(&mut self, source: &'s Source) {
        let value = &source.value;
        if value.get("isSidechain").and_then(Value::as_bool) != Some(true) {
            self.main.push(source);
            return;
        }
        let named = text(value, "agentId").map(|id| format!("agent-{id}"));
        let by_parent = || self.of_line.get(text(value, "parentUuid")?).copied();
        let place = match named {
            Some(name) => self.by_name.get(&name).copied().ok_or(name),
            None => by_parent().ok_or_else(|| format!("agent-{}", self.agents.len() + 1)),
        };
        let place = place.unwrap_or_else(|name| {
            self.by_name.insert(name.clone(), self.agents.len());
            self.agents.push((name, Vec::new()));
            self.agents.len() - 1
        });
        if let Some(id) = text(value, "uuid") {
            self.of_line.insert(id, place);
        }
        if let Some((_, lines)) = self.agents.get_mut(place) {
            lines.push(source);
        }
    }

    fn into_ordered(self) -> Vec<(Option<String>, Vec<&'s Source>)> {
        // A subagent's own file has no other lines.
        let main = (!self.main.is_empty()).then_some((None, self.main));
        let agents = self.agents.into_iter().map(|(name, lines)| (Some(name), lines));
        main.into_iter().chain(agents).collect()
    }
}

struct Session {
    builder: Builder,
    /// The row that a line's id stands for as a parent.
    stands_for: BTreeMap<String, Option<String>>,
    /// The row of an answer, by the provider's message id.
    answers: BTreeMap<String, usize>,
}

impl Session {
    fn line(&mut self, source: &Source) {
        let value = &source.value;
        let id = text(value, "uuid").map_or_else(|| format!("line-{}", source.line), str::to_owned);
        let parent = match value.get("parentUuid") {
            Some(Value::String(parent)) => {
                self.stands_for.get(parent).cloned().unwrap_or_else(|| self.builder.last_id())
            }
            Some(_) if !self.stands_for.is_empty() && text(value, "type") != Some("system") => None,
            _ => self.builder.last_id(),
        };
        let message = value.get("message").and_then(Value::as_object);
        let last = match (text(value, "type"), message) {
            (Some("assistant"), Some(message)) => self.answer(&id, parent, message, source),
            (Some("user"), Some(message)) => self.user(&id, parent, message, source),
            (kind, _) => {
                let name = format!("claude-code:{}", kind.unwrap_or("unknown"));
                let row = json!({ "type": "custom", "customType": name, "source": value });
                self.builder.row(&id, parent.as_deref(), object(row), source);
                Some(id.clone())
            }
        };
        self.stands_for.insert(id, last);
    }

    /// A block of an answer: a new row, or more of an earlier one. Returns what the line stands for as a parent.
    fn answer(
        &mut self,
        id: &str,
        parent: Option<String>,
        message: &Map<String, Value>,
        source: &Source,
    ) -> Option<String> {
        let blocks: Vec<Value> = blocks(message).into_iter().map(answer_block).collect();
        let earlier = text(message, "id").and_then(|id| self.answers.get(id).copied());
        if let Some(row) = earlier.and_then(|index| self.builder.rows_mut().get_mut(index)) {
            if let Some(Value::Object(merged)) = row.value.get_mut("message") {
                if let Some(Value::Array(content)) = merged.get_mut("content") {
                    content.extend(blocks);
                }
                // The last line has the final counts; while an answer streams they are lower.
                for (key, name) in [("usage", "usage"), ("stop_reason", "stopReason")] {
                    if let Some(value) = message.get(key).filter(|value| !value.is_null()) {
                        merged.insert(name.to_owned(), stop_reason(name, value));
                    }
                }
            }
            if let Some(Value::Array(sources)) = row.value.get_mut("source") {
                sources.push(Value::Object(source.value.clone()));
            }
            // Results may stand between two blocks of one answer: what follows continues after them.
            return parent;
        }
        let mut converted = Map::new();
        converted.insert("role".to_owned(), json!("assistant"));
        converted.insert("content".to_owned(), Value::Array(blocks));
        for (key, name) in
            [("model", "model"), ("usage", "usage"), ("stop_reason", "stopReason"), ("id", "responseId")]
        {
            if let Some(value) = message.get(key).filter(|value| !value.is_null()) {
                converted.insert(name.to_owned(), stop_reason(name, value));
            }
        }
        converted.insert("provider".to_owned(), json!("anthropic"));
        let mut row = message_row(converted, None);
        row.insert("source".to_owned(), json!([source.value]));
        self.builder.row(id, parent.as_deref(), row, source);
        if let Some(answer) = text(message, "id") {
            self.answers.insert(answer.to_owned(), self.builder.rows_mut().len() - 1);
        }
        Some(id.to_owned())
    }

    /// A `user` line: results of calls, each a row, and whatever else it holds as a user's message.
    fn user(
        &mut self,
        id: &str,
        mut parent: Option<String>,
        message: &Map<String, Value>,
        source: &Source,
    ) -> Option<String> {
        let (results, rest): (Vec<Value>, Vec<Value>) = blocks(message)
            .into_iter()
            .partition(|block| block.get("type").and_then(Value::as_str) == Some("tool_result"));
        let count = results.len();
        for (at, block) in results.iter().enumerate() {
            let mut result = Map::new();
            result.insert("role".to_owned(), json!("toolResult"));
            let field = |name: &str| block.get(name).filter(|value| !value.is_null()).cloned();
            result.insert("toolCallId".to_owned(), field("tool_use_id").unwrap_or(Value::Null));
            result.insert("content".to_owned(), Value::Array(content_blocks(field("content"))));
            if let Some(error) = field("is_error") {
                result.insert("isError".to_owned(), error);
            }
            if let (Some(details), 1) = (source.value.get("toolUseResult"), count) {
                result.insert("details".to_owned(), details.clone());
            }
            let row_id = if at == 0 { id.to_owned() } else { format!("{id}#{at}") };
            let original = (at == 0).then_some(&source.value);
            self.builder.row(&row_id, parent.as_deref(), message_row(result, original), source);
            parent = Some(row_id);
        }
        if count == 0 || !rest.is_empty() {
            let mut user = Map::new();
            user.insert("role".to_owned(), json!("user"));
            user.insert("content".to_owned(), Value::Array(rest));
            let flag = |name: &str| source.value.get(name).and_then(Value::as_bool) == Some(true);
            if flag("isMeta") || flag("isCompactSummary") {
                let provenance = json!({ "kind": "internal_system", "sourceTool": "claude-code" });
                user.insert("provenance".to_owned(), provenance);
            }
            let row_id = if count == 0 { id.to_owned() } else { format!("{id}#text") };
            let original = (count == 0).then_some(&source.value);
            self.builder.row(&row_id, parent.as_deref(), message_row(user, original), source);
            parent = Some(row_id);
        }
        parent
    }
}

fn blocks(message: &Map<String, Value>) -> Vec<Value> {
    content_blocks(message.get("content").cloned())
}

fn content_blocks(content: Option<Value>) -> Vec<Value> {
    match content {
        Some(Value::Array(blocks)) => blocks,
        Some(Value::String(text)) => vec![json!({ "type": "text", "text": text })],
        Some(Value::Null) | None => Vec::new(),
        Some(other) => vec![other],
    }
}

fn answer_block(block: Value) -> Value {
    if block.get("type").and_then(Value::as_str) != Some("tool_use") {
        return block;
    }
    let Value::Object(mut call) = block else {
        return block;
    };
    call.insert("type".to_owned(), json!("toolCall"));
    if let Some(input) = call.remove("input") {
        call.insert("arguments".to_owned(), input);
    }
    Value::Object(call)
}

fn stop_reason(name: &str, value: &Value) -> Value {
    match (name, value.as_str()) {
        ("stopReason", Some("end_turn" | "stop_sequence")) => json!("stop"),
        ("stopReason", Some("tool_use")) => json!("toolUse"),
        ("stopReason", Some("max_tokens")) => json!("length"),
        _ => value.clone(),
    }
}

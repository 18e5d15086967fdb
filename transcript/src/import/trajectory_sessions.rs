//! A session put together from the runtime's events, where its transcript is gone.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::limits::Limits;
use crate::report::{ProblemKind, ReadReport};
use crate::transcript::Transcript;

use super::Importer;
use super::builder::{Builder, Source, first_objects, lines, message_row, object, text};

/// Reads `<id>.trajectory.jsonl` (or exported `events.jsonl`) where no transcript is left.
///
/// The last snapshot of the conversation that was stored whole is taken; runs after it, and runs whose snapshot was cut
/// off for its size, come from their single events: prompt, calls, results, final texts. What was cut is in the report.
/// Rows have no ids of the transcript. Usage stands only where the snapshot kept it.
#[derive(Debug, Clone, Copy, Default)]
pub struct TrajectoryFile;

impl Importer for TrajectoryFile {
    fn name(&self) -> &'static str {
        "openclaw_trajectory"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        if first_objects(head, 4).iter().any(is_event) {
            return true;
        }
        // The first event may be longer than the head.
        let start = String::from_utf8_lossy(head);
        start.trim_start().starts_with("{\"traceSchema\":\"openclaw-trajectory\"")
    }

    fn sessions(&self, bytes: &[u8], limits: Limits) -> Vec<Transcript<'static>> {
        let mut report = ReadReport::default();
        let sources = lines(bytes, &limits, &mut report);
        let mut sessions: Vec<(&str, Vec<&Source>)> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for source in sources.iter().filter(|source| is_event(&source.value)) {
            let id = session_of(source);
            let place = *places.entry(id).or_insert_with(|| {
                sessions.push((id, Vec::new()));
                sessions.len() - 1
            });
            // An export mixes the runtime's events with the transcript's.
            let of_runtime = text(&source.value, "source") != Some("transcript");
            if let Some((_, events)) = sessions.get_mut(place).filter(|_| of_runtime) {
                events.push(source);
            }
        }
        let sessions = sessions.into_iter();
        sessions.map(|(id, events)| session(id, &events, &limits, std::mem::take(&mut report))).collect()
    }
}

fn is_event(object: &Map<String, Value>) -> bool {
    text(object, "traceSchema") == Some("openclaw-trajectory")
}

fn session_of(source: &Source) -> &str {
    text(&source.value, "sessionId").or_else(|| text(&source.value, "traceId")).unwrap_or_default()
}

/// A message in the making, and the event it came from.
type Piece<'s> = (Map<String, Value>, &'s Source);

fn session(id: &str, events: &[&Source], limits: &Limits, mut report: ReadReport) -> Transcript<'static> {
    let mut messages: Vec<Piece<'_>> = Vec::new();
    let mut run: Vec<Piece<'_>> = Vec::new();
    for &event in events {
        let data = event.value.get("data").and_then(Value::as_object);
        let field = |name: &str| data.and_then(|data| data.get(name));
        if data.is_some_and(|data| data.get("truncated").and_then(Value::as_bool) == Some(true)) {
            let reason = "the event was cut off when it was written";
            report.add(limits.max_problems, ProblemKind::Unreadable, event.line, event.offset, reason);
        }
        match text(&event.value, "type") {
            Some("prompt.submitted") => {
                // A retried attempt submits the same prompt again.
                let prompt = field("prompt").and_then(Value::as_str).unwrap_or_default();
                run = vec![(object(json!({ "role": "user", "content": prompt })), event)];
            }
            Some("tool.call") => run.push((call(event, data), event)),
            Some("tool.result") => run.push((result(data), event)),
            Some("model.completed") => {
                let snapshot = field("messagesSnapshot").and_then(Value::as_array);
                let whole = snapshot
                    .and_then(|messages| messages.iter().map(Value::as_object).collect::<Option<Vec<_>>>());
                match whole {
                    Some(snapshot) => {
                        messages = snapshot.into_iter().map(|message| (message.clone(), event)).collect();
                        run.clear();
                    }
                    None => {
                        run.extend(answer(event, data).map(|answer| (answer, event)));
                        messages.append(&mut run);
                    }
                }
            }
            _ => {}
        }
    }
    messages.append(&mut run);
    let first = events.first();
    let time = first.and_then(|event| event.value.get("ts"));
    let cwd = first.and_then(|event| text(&event.value, "workspaceDir"));
    let mut builder = Builder::new(id, cwd, time, None);
    for (at, (message, event)) in messages.into_iter().enumerate() {
        let time = message.get("timestamp").or_else(|| event.value.get("ts")).cloned();
        let mut row = message_row(message, None);
        if let Some(time) = time {
            row.insert("timestamp".to_owned(), time);
        }
        let parent = builder.last_id();
        builder.row(&format!("t{}", at + 1), parent.as_deref(), row, event);
    }
    builder.finish(limits, report)
}

fn call(event: &Source, data: Option<&Map<String, Value>>) -> Map<String, Value> {
    let field = |name: &str| data.and_then(|data| data.get(name)).cloned().unwrap_or(Value::Null);
    let arguments = data.and_then(|data| data.get("args")).cloned().unwrap_or_else(|| json!({}));
    object(json!({
        "role": "assistant",
        "content": [{ "type": "toolCall", "id": field("toolCallId"), "name": field("name"), "arguments": arguments }],
        "provider": event.value.get("provider"),
        "model": event.value.get("modelId"),
        "stopReason": "toolUse",
    }))
}

fn result(data: Option<&Map<String, Value>>) -> Map<String, Value> {
    let field = |name: &str| data.and_then(|data| data.get(name)).cloned();
    let result = field("result");
    let part = |name: &str| result.as_ref().and_then(|result| result.get(name)).cloned();
    let mut message = object(json!({
        "role": "toolResult",
        "toolCallId": field("toolCallId"),
        "toolName": field("name"),
        "content": part("content").unwrap_or_else(|| json!([])),
    }));
    if let Some(details) = part("details") {
        message.insert("details".to_owned(), details);
    }
    // `success` is true for commands that ended with an exit code: only a failure says something.
    if field("success") == Some(json!(false)) {
        message.insert("isError".to_owned(), json!(true));
    }
    message
}

fn answer(event: &Source, data: Option<&Map<String, Value>>) -> Option<Map<String, Value>> {
    let field = |name: &str| data.and_then(|data| data.get(name));
    let texts = field("assistantTexts").and_then(Value::as_array)?;
    let blocks: Vec<Value> = texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
    let stop = match field("aborted") {
        Some(Value::Bool(true)) => json!("aborted"),
        _ => field("stopReason").cloned().unwrap_or_else(|| json!("stop")),
    };
    Some(object(json!({
        "role": "assistant",
        "content": blocks,
        "provider": event.value.get("provider"),
        "model": event.value.get("modelId"),
        "stopReason": stop,
    })))
}

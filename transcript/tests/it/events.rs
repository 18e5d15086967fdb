//! Sixty-seven sessions and the events that openclaw-edd 0.4.3 made of them: whatever it reads is found here.
//!
//! It keeps the last text and thinking block of a message and the first text block of a result, pairs calls and results
//! by id over the whole file, and knows no tree: so the comparison is over all rows, not over the conversation. Where it
//! crashes, we read.

use clawgauge_transcript::{Block, Entry, EntryType, RawJson, ToolCallBlock, Transcript};
use serde_json::{Value, json};

use crate::support::{Check, fixture};

/// Vectors in which the two do not read the same, each with the reason.
const DIFFERENT: &[(&str, &str)] = &[
    ("events-010", "the reference loses the first line to a byte order mark (marked as its bug); we read it"),
    (
        "events-039",
        "the reference knows no block `tool_use`; OpenClaw's own readers take it for a call, and so do we",
    ),
];

#[test]
fn nothing_that_the_reference_reads_is_missing() {
    let mut check = Check::default();
    let (mut vectors, mut different) = (0, Vec::new());
    for line in fixture("events.jsonl").split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
        let vector: Value = serde_json::from_slice(line).unwrap();
        let id = vector["id"].as_str().unwrap().to_owned();
        vectors += 1;
        let bytes = session(&vector["input"]);
        let transcript = Transcript::from_slice(&bytes);
        let missing = missing(&transcript, &vector["expected"], &bytes);
        check.case(&id);
        if DIFFERENT.iter().any(|(listed, _)| *listed == id) {
            if !missing.is_empty() {
                different.push(id);
            }
            continue;
        }
        for what in missing {
            check.fail(what);
        }
    }
    check.done();
    assert_eq!(vectors, 67);
    let listed: Vec<&str> = DIFFERENT.iter().map(|(id, _)| *id).collect();
    assert_eq!(different, listed, "a listed vector does not differ any more");
}

fn session(input: &Value) -> Vec<u8> {
    match (&input["session_text"], &input["session_hex"]) {
        (Value::String(text), _) => text.clone().into_bytes(),
        (_, Value::String(hex)) => {
            let digit = |b: u8| char::from(b).to_digit(16).unwrap() as u8;
            hex.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
        }
        _ => Vec::new(),
    }
}

fn missing(transcript: &Transcript<'_>, expected: &Value, bytes: &[u8]) -> Vec<String> {
    let mut missing = Vec::new();
    let entries = transcript.entries();
    let lines = bytes.split(|&b| b == b'\n').map(String::from_utf8_lossy);
    let objects = lines.filter(|line| {
        serde_json::from_str::<Value>(line.trim_start_matches('\u{feff}')).is_ok_and(|line| line.is_object())
    });
    let objects = objects.count();
    if entries.len() < objects {
        missing.push(format!("{} entries of {objects} objects", entries.len()));
    }
    let events = expected["events"].as_array().map_or(&[][..], Vec::as_slice);
    let turns = events.iter().filter(|event| event["kind"] == "llm_turn");
    let assistants: Vec<&Entry<'_>> = with_role(entries, "assistant");
    let turn_count = turns.clone().count();
    if !expected["events"].is_null() && assistants.len() != turn_count {
        missing.push(format!("{} assistant messages of {turn_count}", assistants.len()));
    }
    for (want, entry) in turns.zip(&assistants) {
        let got = as_turn(entry);
        for (key, value) in got.as_object().unwrap() {
            if want[key] != *value {
                missing.push(format!("{key} of a turn: {value} for {}", want[key]));
            }
        }
    }
    for want in events.iter().filter(|event| event["kind"] == "tool_end") {
        if !tool_ends(entries)
            .iter()
            .any(|got| got.as_object().unwrap().iter().all(|(key, value)| want[key] == *value))
        {
            missing.push(format!("call {want}"));
        }
    }
    let metadata = expected["metadata"].as_object();
    for (key, want) in metadata.into_iter().flatten() {
        let got = metadata_field(transcript, key);
        if got.as_ref() != Some(want) {
            missing.push(format!("metadata {key}: {got:?} for {want}"));
        }
    }
    missing
}

fn with_role<'t, 'a>(entries: &'t [Entry<'a>], role: &str) -> Vec<&'t Entry<'a>> {
    entries
        .iter()
        .filter(|entry| entry.message().is_some_and(|message| message.role_name() == role))
        .collect()
}

/// An optional field as the reference has it: absent is the empty text.
fn or_empty(json: Option<RawJson<'_>>) -> Value {
    json.map_or_else(|| json!(""), |json| json.to_value().unwrap())
}

/// A timestamp as the reference has it: printed.
fn printed(entry: &Entry<'_>) -> Value {
    match entry.get("timestamp").map(|time| time.to_value().unwrap()) {
        None => json!(""),
        Some(Value::Null) => json!("None"),
        Some(Value::String(text)) => json!(text),
        Some(number) => json!(number.to_string()),
    }
}

fn as_turn(entry: &Entry<'_>) -> Value {
    let message = entry.message().unwrap();
    let (mut text, mut thinking, mut calls) = (json!(""), json!(""), Vec::new());
    for block in message.blocks() {
        match block {
            Block::Text(block) => text = literal(entry, block.range()),
            Block::Thinking(block) => thinking = literal(entry, block.range()),
            Block::ToolCall(call) => calls.push(call.json().to_value().unwrap()),
            _ => {}
        }
    }
    let usage = message.raw_usage().map_or_else(|| json!({}), |usage| usage.to_value().unwrap());
    json!({
        "text": text, "thinking": thinking, "tool_calls": calls, "usage": usage, "ts": printed(entry),
        "model": or_empty(message.get("model")), "stop_reason": or_empty(message.get("stopReason")),
    })
}

fn literal(entry: &Entry<'_>, range: std::ops::Range<usize>) -> Value {
    RawJson::parse(entry.raw().get(range).unwrap()).unwrap().to_value().unwrap()
}

/// Every call with every result that has its id.
fn tool_ends(entries: &[Entry<'_>]) -> Vec<Value> {
    let results = with_role(entries, "toolResult");
    let mut ends = Vec::new();
    for entry in with_role(entries, "assistant") {
        let calls = entry.message().unwrap().blocks().filter_map(|block| match block {
            Block::ToolCall(call) => Some(call),
            _ => None,
        });
        for call in calls {
            for result in
                results.iter().filter(|result| result.message().unwrap().tool_call_id() == call.id())
            {
                ends.push(as_tool_end(call, result));
            }
        }
    }
    ends
}

fn as_tool_end(call: ToolCallBlock<'_>, result: &Entry<'_>) -> Value {
    let message = result.message().unwrap();
    let output = message.blocks().find_map(|block| match block {
        Block::Text(text) => Some(literal(result, text.range())),
        _ => None,
    });
    let detail =
        |key: &str| message.details().and_then(|details| details.get(key)).map(|d| d.to_value().unwrap());
    json!({
        "tool": call.name(), "output": output.unwrap_or_else(|| json!("")), "ts": printed(result),
        "input": call.arguments().map_or_else(|| json!({}), |arguments| arguments.to_value().unwrap()),
        "duration_ms": detail("durationMs"), "exit_code": detail("exitCode"),
        "status": detail("status").unwrap_or_else(|| json!("")),
    })
}

fn metadata_field(transcript: &Transcript<'_>, key: &str) -> Option<Value> {
    let before_first_message =
        || transcript.entries().iter().take_while(|entry| entry.entry_type() != EntryType::Message);
    let last = |kind: EntryType, field: &str| {
        let rows = before_first_message().filter(|entry| entry.entry_type() == kind);
        rows.last().map(|entry| or_empty(entry.get(field)))
    };
    match key {
        "cwd" => Some(or_empty(transcript.header()?.get("cwd"))),
        "session_version" => Some(or_empty(transcript.header()?.get("version"))),
        "provider" => last(EntryType::ModelChange, "provider"),
        "model" => last(EntryType::ModelChange, "modelId"),
        "thinking_level" => last(EntryType::ThinkingLevelChange, "thinkingLevel"),
        _ => None,
    }
}

//! Texts from stored sessions, against the recorded behaviour of the replaced reader.

use clawgauge_tracing_map::{RunContent, TranscriptSource, content_from_trajectory};
use clawgauge_transcript::Transcript;
use serde_json::{Map, Value, json};

/// Vectors where we differ on purpose, each with the reason.
const DIFFERS: &[(u32, &str)] = &[
    (4, "an unanswered turn has no response, never the previous one's"),
    (7, "thinking is no answer, whatever its field is called"),
    (10, "an empty text is no prompt and no answer"),
    (11, "an empty answer does not take the place of an earlier one"),
    (22, "calls as other runtimes write them are calls"),
    (27, "a named run that no row names is not guessed"),
];

fn content(input: &Value) -> Option<RunContent> {
    let run_id = input["runId"].as_str();
    let events = input["events"].as_array().unwrap();
    let is_old =
        |event: &&Value| matches!(event["type"].as_str(), Some("prompt.submitted" | "model.completed"));
    if events.iter().any(|event| is_old(&event)) {
        return content_from_trajectory(events, run_id);
    }
    let rows: Vec<String> = events.iter().map(ToString::to_string).collect();
    let text = rows.join("\n");
    let transcript = Transcript::from_str(&text);
    TranscriptSource::new(&transcript).run(run_id, None)
}

fn turn(content: Option<&RunContent>) -> Value {
    let mut fields = Map::new();
    if let Some(content) = content {
        for (key, text) in [("input", &content.prompt), ("output", &content.response)] {
            if let Some(text) = text {
                fields.insert(key.to_owned(), text.clone().into());
            }
        }
    }
    if fields.is_empty() { Value::Null } else { Value::Object(fields) }
}

fn tools(content: Option<&RunContent>) -> Value {
    let mut all = Map::new();
    for tool in content.into_iter().flat_map(|content| &content.tools) {
        let mut fields = Map::new();
        for (key, value) in [("name", &tool.name), ("input", &tool.input), ("output", &tool.output)] {
            if let Some(value) = value {
                fields.insert(key.to_owned(), value.clone().into());
            }
        }
        if let Some(is_error) = tool.is_error {
            fields.insert("isError".to_owned(), is_error.into());
        }
        all.insert(tool.call_id.clone(), fields.into());
    }
    if all.is_empty() { Value::Null } else { Value::Object(all) }
}

#[test]
fn texts_agree_but_for_named_vectors() {
    let mut problems = Vec::new();
    let mut differing = Vec::new();
    for line in include_str!("../fixtures/vectors/transcript.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let id: u32 = row["id"].as_str().unwrap().trim_start_matches("transcript-").parse().unwrap();
        let found = content(&row["input"]);
        let mut say = |what: &str, theirs: &Value, ours: &Value| {
            differing.push(id);
            if !DIFFERS.iter().any(|(listed, _)| *listed == id) {
                problems.push(format!("{} {}: {what}: theirs {theirs}, ours {ours}", row["id"], row["note"]));
            }
        };
        if let Some(partial) = row.get("expected_partial") {
            // From the documentation: the parts, in order, one after the other.
            let parts: Vec<&str> = partial["output_parts"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|part| part.as_str().unwrap())
                .collect();
            let output = found.as_ref().and_then(|content| content.response.clone());
            let wanted = (!parts.is_empty()).then(|| parts.join("\n\n"));
            if output != wanted {
                say("response", partial, &json!(output));
            }
            if partial["input"].is_string() && partial["input"] != turn(found.as_ref())["input"] {
                say("prompt", partial, &turn(found.as_ref()));
            }
            continue;
        }
        let mut expected = row["expected"]["content"].clone();
        if let Some(fields) = expected.as_object_mut() {
            // The first prompt of the session is not a text of this turn.
            fields.remove("sessionInput");
        }
        if expected != turn(found.as_ref()) {
            say("content", &expected, &turn(found.as_ref()));
        }
        if row["expected"]["tool_io"] != tools(found.as_ref()) {
            say("tools", &row["expected"]["tool_io"], &tools(found.as_ref()));
        }
    }
    for (id, reason) in DIFFERS {
        if !differing.contains(id) {
            problems.push(format!("transcript-{id:02} is listed ({reason}) but does not differ"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

//! The texts of a run from trajectory events, the older place where gateways keep them.

use crate::content::{RunContent, ToolContent, response};
use clawgauge_transcript::{RawJson, Transcript};
use serde_json::Value;

/// The texts of a run from trajectory events (`prompt.submitted`, `model.completed`), in order. With a run id only its
/// events count; `None` when there is nothing.
#[must_use]
pub fn content_from_trajectory<'a, I: IntoIterator<Item = &'a Value>>(
    events: I,
    run_id: Option<&str>,
) -> Option<RunContent> {
    let mut content = RunContent::default();
    let mut found = false;
    for event in events {
        if run_id.is_some() && event.get("runId").and_then(Value::as_str) != run_id {
            continue;
        }
        let Some(data) = event.get("data") else { continue };
        let text = |key: &str| data.get(key).and_then(Value::as_str).map(str::to_owned);
        match event.get("type").and_then(Value::as_str) {
            Some("prompt.submitted") => {
                content.prompt = text("prompt").or(content.prompt);
                // A new prompt has no answer yet.
                content.response = None;
                found |= content.prompt.is_some();
            }
            Some("model.completed") => {
                content.prompt = text("finalPromptText").or(content.prompt);
                content.stop_reason = text("stopReason").or(content.stop_reason);
                let texts: Vec<&str> = data
                    .get("assistantTexts")
                    .and_then(Value::as_array)
                    .map(|texts| texts.iter().filter_map(Value::as_str).collect())
                    .unwrap_or_default();
                let answer =
                    texts.iter().filter(|text| !text.is_empty()).copied().collect::<Vec<_>>().join("\n");
                content.response = response(&[], Some(&answer)).or(content.response);
                if let Some(messages) = data.get("messagesSnapshot").filter(|list| list.is_array()) {
                    content.tools = tools(messages);
                }
                found = true;
            }
            _ => {}
        }
    }
    found.then_some(content)
}

/// The tool calls in a snapshot of messages.
fn tools(messages: &Value) -> Vec<ToolContent> {
    let text = messages.to_string();
    let Some(raw) = RawJson::parse(&text) else { return Vec::new() };
    let transcript = Transcript::from_messages(raw);
    crate::stored::tools_of(&transcript)
}

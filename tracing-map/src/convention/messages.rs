//! Messages as JSON, cut so that the JSON stays whole.

use crate::cut::cut_text;
use crate::span::{ChatMessage, Part};
use serde_json::{Value, json};

/// The JSON of a part and its comma have at least this many bytes: `{"type":""},`.
const LEAST_PART_BYTES: usize = 12;

/// The messages as OpenTelemetry GenAI writes them, in at most `max_bytes` bytes: long texts are cut first, then messages
/// in the middle are left out, in the end all of them with a note of how many there were. `None` when there are none. An
/// output message has to say why the model stopped, where that is known.
pub(super) fn gen_ai_json(
    messages: &[ChatMessage],
    finish_reason: Option<&str>,
    max_bytes: usize,
) -> Option<String> {
    if messages.is_empty() {
        return None;
    }
    let json = |message: &ChatMessage, part_bytes| to_json(message, finish_reason, part_bytes);
    let note = |left_out: usize| {
        let text = format!("… [{left_out} messages left out]");
        json!({"role": "system", "parts": [part_json(&Part::Text(text), 256)]})
    };
    let parts: usize = messages.iter().map(|message| message.parts.len()).sum();
    let mut part_bytes = max_bytes;
    // However short its parts are cut, a list of very many does not fit.
    while parts.saturating_mul(LEAST_PART_BYTES) <= max_bytes {
        let list: Vec<Value> = messages.iter().map(|message| json(message, part_bytes)).collect();
        let text = Value::Array(list).to_string();
        if text.len() <= max_bytes {
            return Some(text);
        }
        if part_bytes <= 256 {
            break;
        }
        part_bytes /= 2;
    }
    // Even short texts are too many: the beginning and the end say most.
    let mut keep = messages.len();
    while keep > 2 {
        keep /= 2;
        let head = keep.div_ceil(2);
        let tail = keep - head;
        let left_out = messages.len() - keep;
        let mut list: Vec<Value> = messages.iter().take(head).map(|message| json(message, 256)).collect();
        list.push(note(left_out));
        list.extend(messages.iter().skip(messages.len() - tail).map(|message| json(message, 256)));
        let text = Value::Array(list).to_string();
        if text.len() <= max_bytes {
            return Some(text);
        }
    }
    Some(Value::Array(vec![note(messages.len())]).to_string())
}

fn to_json(message: &ChatMessage, finish_reason: Option<&str>, part_bytes: usize) -> Value {
    let parts: Vec<Value> = message.parts.iter().map(|part| part_json(part, part_bytes)).collect();
    match finish_reason {
        Some(reason) => json!({"role": message.role, "parts": parts, "finish_reason": reason}),
        None => json!({"role": message.role, "parts": parts}),
    }
}

fn part_json(part: &Part, max: usize) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "content": cut_text(text, max)}),
        Part::Reasoning(text) => json!({"type": "reasoning", "content": cut_text(text, max)}),
        Part::ToolCall { id, name, arguments } => {
            json!({"type": "tool_call", "id": id, "name": name, "arguments": cut_value(arguments, max)})
        }
        Part::ToolResponse { id, response } => {
            json!({"type": "tool_call_response", "id": id, "response": cut_text(response, max)})
        }
        Part::Other(kind) => json!({"type": kind}),
    }
}

/// A value whose JSON is at most about `max` bytes: itself, or its JSON text, cut.
pub(super) fn cut_value(value: &Value, max: usize) -> Value {
    let text = value.to_string();
    if text.len() <= max { value.clone() } else { Value::String(cut_text(&text, max).into_owned()) }
}

/// The messages as one text: a single plain message as it is, anything else as JSON.
pub(super) fn one_text(messages: &[ChatMessage], max_bytes: usize) -> Option<String> {
    if let [message] = messages
        && message.parts.iter().all(|part| matches!(part, Part::Text(_)))
    {
        return Some(message.plain_text());
    }
    gen_ai_json(messages, None, max_bytes)
}

//! Chat fine-tuning lines in OpenAI's shape.

use clawgauge_cases::Json;

use crate::json;
use crate::record::Record;

/// The conversation of a record; `None` when a turn has no request or no answer, because half a conversation teaches
/// the wrong thing.
pub(super) fn line(record: &Record) -> Option<String> {
    let mut messages = Vec::new();
    let mut number = 0_usize;
    for turn in record.turns() {
        let user = turn.user().filter(|text| !text.trim().is_empty())?;
        let answer = turn.golden_output().filter(|text| !text.trim().is_empty())?;
        messages.push(json::object([("role", "user".into()), ("content", user.into())]));
        for group in turn.call_groups() {
            let mut calls = Vec::new();
            let mut results = Vec::new();
            for call in group {
                number += 1;
                let id = format!("call_{number}");
                // In the order in which the model wrote them: that is what is to be learnt.
                let arguments = call.args().filter(|args| args.as_object().is_some());
                let arguments = arguments.and_then(|args| serde_json::to_string(args).ok());
                let arguments = arguments.unwrap_or_else(|| "{}".to_owned());
                let function = json::object([("name", call.name().into()), ("arguments", arguments.into())]);
                calls.push(json::object([
                    ("id", id.as_str().into()),
                    ("type", "function".into()),
                    ("function", function),
                ]));
                results.push(json::object([
                    ("role", "tool".into()),
                    ("tool_call_id", id.into()),
                    ("content", call.output_summary().unwrap_or_default().into()),
                ]));
            }
            messages.push(json::object([
                ("role", "assistant".into()),
                ("content", Json::Null),
                ("tool_calls", Json::Array(calls)),
            ]));
            messages.append(&mut results);
        }
        messages.push(json::object([("role", "assistant".into()), ("content", answer.into())]));
    }
    (!messages.is_empty()).then(|| json::object([("messages", Json::Array(messages))]).compact())
}

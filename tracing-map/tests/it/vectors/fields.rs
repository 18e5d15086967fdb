//! Observations and spans as the same fields.

use clawgauge_tracing_map::{ChatMessage, Level, Span, SpanKind};
use serde_json::Value;
use std::collections::BTreeMap;

/// One observation, field by field.
pub(super) type Fields = BTreeMap<&'static str, Value>;

/// Metadata that both sides have, and the name of the field here.
const METADATA: [(&str, &str); 7] = [
    ("outcome", "meta.outcome"),
    ("trigger", "meta.trigger"),
    ("errorCategory", "meta.errorCategory"),
    ("deniedReason", "meta.deniedReason"),
    ("toolCallId", "meta.toolCallId"),
    ("toolOwner", "meta.toolOwner"),
    ("usageReported", "meta.usageReported"),
];

pub(super) fn kind(span: &Span) -> &'static str {
    match span.kind {
        SpanKind::Run => "agent",
        SpanKind::Context => "span",
        SpanKind::Generation => "generation",
        SpanKind::Tool => "tool",
        SpanKind::Retriever => "retriever",
        _ => "?",
    }
}

fn texts(messages: &[ChatMessage]) -> Option<String> {
    (!messages.is_empty())
        .then(|| messages.iter().map(ChatMessage::plain_text).collect::<Vec<_>>().join("\n"))
}

/// An observation as fields that can be compared one by one.
pub(super) fn ours(span: &Span, root_name: &str) -> Fields {
    let mut fields = BTreeMap::new();
    let mut put = |key, value: Value| {
        if !value.is_null() {
            fields.insert(key, value);
        }
    };
    put("type", kind(span).into());
    put("name", span.name.clone().into());
    put("parent", span.parent_id.map_or(Value::Null, |_| root_name.into()));
    put("start", span.start_ms.into());
    put("end", span.end_ms.into());
    put("level", if span.level == Level::Error { "ERROR".into() } else { Value::Null });
    put("statusMessage", span.status_message.clone().filter(|_| span.level == Level::Error).into());
    let identity = &span.identity;
    if span.kind == SpanKind::Run {
        put("trace.name", identity.trace_name.clone().into());
        put("trace.session", identity.session.clone().into());
        put("trace.user", identity.user.clone().into());
        put("trace.user_name", identity.user_name.clone().into());
        put("trace.tags", if identity.tags.is_empty() { Value::Null } else { identity.tags.clone().into() });
        put("trace.input", span.input.clone().into());
        put("trace.output", span.output.clone().into());
    } else {
        let call = span.model_call.as_ref();
        let input = span.input.clone().or_else(|| call.and_then(|call| texts(&call.input)));
        let output = span.output.clone().or_else(|| call.and_then(|call| texts(&call.output)));
        put("input", input.into());
        put("output", output.into());
        if let Some(call) = call {
            put("model", call.model.clone().into());
            put("cost", call.cost_usd.into());
            if let Some(usage) = call.usage {
                for (key, part) in [
                    ("usage.input", usage.input),
                    ("usage.output", usage.output),
                    ("usage.cache_read", usage.cache_read),
                    ("usage.cache_write", usage.cache_write),
                    ("usage.total", usage.total),
                ] {
                    put(key, part.into());
                }
            }
        }
    }
    for (key, name) in METADATA {
        if let Some(value) = span.metadata.get(key) {
            put(name, value.clone());
        }
    }
    fields
}

/// The recorded observation in the same fields.
pub(super) fn theirs(observation: &Value, names: &BTreeMap<String, String>) -> Fields {
    let mut fields = BTreeMap::new();
    let mut put = |key, value: &Value| {
        if !value.is_null() {
            fields.insert(key, value.clone());
        }
    };
    let attributes = &observation["attributes"];
    put("type", &observation["type"]);
    put("name", observation.get("renamed_to").unwrap_or(&observation["name"]));
    if let Some(parent) = observation["parent"].as_str() {
        put("parent", &Value::from(names[parent].clone()));
    }
    put("start", &observation["start"]);
    put("end", &observation["end"]);
    put("level", &attributes["level"]);
    put("statusMessage", &attributes["statusMessage"]);
    let trace = &observation["trace"];
    if observation["type"] == "agent" {
        put("trace.name", &trace["langfuse.trace.name"]);
        put("trace.session", &trace["session.id"]);
        put("trace.user", &trace["user.id"]);
        put("trace.user_name", &trace["langfuse.trace.metadata.user_name"]);
        put("trace.tags", &trace["langfuse.trace.tags"]);
        put("trace.input", &trace["input"]);
        put("trace.output", &trace["output"]);
    } else {
        put("input", &attributes["input"]);
        put("output", &attributes["output"]);
        put("model", &attributes["model"]);
        put("cost", &attributes["costDetails"]["totalCost"]);
        let usage = &attributes["usageDetails"];
        for (key, part) in [
            ("usage.input", "input"),
            ("usage.output", "output"),
            ("usage.cache_read", "cache_read"),
            ("usage.cache_write", "cache_write"),
            ("usage.total", "total"),
        ] {
            put(key, &usage[part]);
        }
    }
    let metadata = &attributes["metadata"];
    for (key, name) in METADATA {
        put(name, &metadata[key]);
    }
    fields
}

/// What pairs the observations of both sides.
pub(super) fn sort_key(fields: &Fields) -> (String, i64, String, String) {
    let text = |key: &str| fields.get(key).map(ToString::to_string).unwrap_or_default();
    let rank = match fields["type"].as_str() {
        Some("agent") => "0",
        Some("span") => "1",
        Some("tool" | "retriever") => "2",
        _ => "3",
    };
    let time = if rank == "3" { "end" } else { "start" };
    let start = fields.get(time).and_then(Value::as_i64).unwrap_or(0);
    (rank.to_owned() + &text("meta.toolCallId"), start, text("level"), text("trace.session"))
}

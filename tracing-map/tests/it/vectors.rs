//! The recorded behaviour of the replaced tracer. Where it is right, the observation tree is the same.

use clawgauge_tracing_map::{
    ChatMessage, Config, DiagnosticEvent, Level, Mapper, RunContent, Span, SpanKind, ToolContent,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn rows() -> Vec<Value> {
    let text = include_str!("../fixtures/vectors/trace.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The look-up tables of a vector as the content of a run.
fn content_for(input: &Value, run_id: Option<&str>, session_id: Option<&str>, session_key: Option<&str>) -> Option<RunContent> {
    let identity = json!({"runId": run_id, "sessionId": session_id, "sessionKey": session_key});
    let row = |table: &str| {
        let rows = input[table].as_array()?;
        let row = rows.iter().find(|row| {
            row["match"].as_object().is_none_or(|wanted| wanted.iter().all(|(key, value)| identity[key] == *value))
        })?;
        if row["fails"].as_bool() == Some(true) { None } else { Some(row["value"].clone()) }
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let turn = row("content");
    let tools = row("toolIO");
    if turn.is_none() && tools.is_none() {
        return None;
    }
    let mut content = RunContent::default();
    if let Some(turn) = turn {
        content.prompt = text(&turn["input"]);
        content.response = text(&turn["output"]);
    }
    for (call_id, io) in tools.as_ref().and_then(Value::as_object).into_iter().flatten() {
        let mut tool = ToolContent::default();
        tool.call_id = call_id.clone();
        tool.name = text(&io["name"]);
        tool.input = text(&io["input"]);
        tool.output = text(&io["output"]);
        tool.is_error = io["isError"].as_bool();
        content.tools.push(tool);
    }
    Some(content)
}

struct Driver<'a> {
    input: &'a Value,
    mapper: Mapper,
    clock: i64,
    slow: bool,
    waiting: Vec<clawgauge_tracing_map::ContentRequest>,
    spans: Vec<Span>,
    /// Tool ids that events named: the tables hold texts of tools that never ran.
    called: BTreeSet<String>,
}

impl Driver<'_> {
    fn event(&mut self, event: &Value) {
        if let Some(ts) = event["ts"].as_i64() {
            self.clock = self.clock.max(ts);
        }
        if let Some(id) = event["toolCallId"].as_str() {
            self.called.insert(id.to_owned());
        }
        let event = DiagnosticEvent::from_value(event.clone()).unwrap();
        self.mapper.handle(&event, self.clock);
    }

    fn answer(&mut self) {
        while let Some(request) = self.mapper.poll_request() {
            self.waiting.push(request);
        }
        if !self.slow {
            for request in std::mem::take(&mut self.waiting) {
                let content = content_for(
                    self.input,
                    request.run_id.as_deref(),
                    request.session_id.as_deref(),
                    request.session_key.as_deref(),
                );
                if let Some(mut content) = content {
                    content.tools.retain(|tool| self.called.contains(&tool.call_id));
                    self.mapper.content(request.token, content, self.clock);
                }
            }
        }
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(span) = self.mapper.poll() {
            self.spans.push(span);
        }
    }
}

fn run(input: &Value) -> Vec<Span> {
    let mut config = Config::default();
    if let Some(ttl) = input["options"]["ttlMs"].as_i64() {
        config.limits.idle_ms = ttl;
        config.limits.busy_idle_ms = ttl;
    }
    if let Some(max) = input["options"]["maxEntries"].as_u64() {
        config.limits.max_open_runs = usize::try_from(max).unwrap();
    }
    if input["content"].is_null() && input["toolIO"].is_null() {
        config.content = false;
    }
    let mut driver = Driver {
        input,
        mapper: Mapper::new(config),
        clock: input["options"]["start"].as_i64().unwrap_or(0),
        slow: input["options"]["slow"].as_bool() == Some(true),
        waiting: Vec::new(),
        spans: Vec::new(),
        called: BTreeSet::new(),
    };
    for (key, person) in input["senders"].as_object().into_iter().flatten() {
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let (id, name, conversation) = (text(&person["id"]), text(&person["name"]), text(&person["conversationId"]));
        driver.mapper.identify(key, id.as_deref(), name.as_deref(), conversation.as_deref());
    }
    for step in input["steps"].as_array().into_iter().flatten() {
        if step["event"].is_object() {
            driver.event(&step["event"]);
        }
        for event in step["burst"].as_array().into_iter().flatten() {
            driver.event(event);
        }
        if let Some(at) = step["sweep"].as_i64().or_else(|| step["at"].as_i64()) {
            driver.clock = driver.clock.max(at);
        }
        if step["release"].as_bool() == Some(true) {
            driver.slow = false;
        }
        driver.mapper.request_all();
        driver.answer();
        driver.mapper.handle_timeout(driver.clock);
        driver.answer();
    }
    driver.mapper.request_all();
    driver.answer();
    driver.mapper.finish(driver.clock);
    driver.drain();
    driver.spans
}

fn kind(span: &Span) -> &'static str {
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
    (!messages.is_empty()).then(|| messages.iter().map(ChatMessage::plain_text).collect::<Vec<_>>().join("\n"))
}

/// An observation as fields that can be compared one by one.
fn ours(span: &Span, root_name: &str) -> BTreeMap<&'static str, Value> {
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
    for (key, name) in [("outcome", "meta.outcome"), ("trigger", "meta.trigger"), ("errorCategory", "meta.errorCategory"),
        ("deniedReason", "meta.deniedReason"), ("toolCallId", "meta.toolCallId"), ("toolOwner", "meta.toolOwner"),
        ("usageReported", "meta.usageReported")] {
        if let Some(value) = span.metadata.get(key) {
            put(name, value.clone());
        }
    }
    fields
}

/// The recorded observation in the same fields.
fn theirs(observation: &Value, names: &BTreeMap<&str, &str>) -> BTreeMap<&'static str, Value> {
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
        put("parent", &Value::from(names[parent]));
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
    for (key, name) in [("outcome", "meta.outcome"), ("trigger", "meta.trigger"), ("errorCategory", "meta.errorCategory"),
        ("deniedReason", "meta.deniedReason"), ("toolCallId", "meta.toolCallId"), ("toolOwner", "meta.toolOwner"),
        ("usageReported", "meta.usageReported")] {
        put(name, &metadata[key]);
    }
    fields
}

fn sort_key(fields: &BTreeMap<&'static str, Value>) -> (String, i64, String, String) {
    let text = |key: &str| fields.get(key).map(ToString::to_string).unwrap_or_default();
    let rank = match fields["type"].as_str() {
        Some("agent") => "0",
        Some("span") => "1",
        Some("tool" | "retriever") => "2",
        _ => "3",
    };
    (rank.to_owned(), fields.get("start").and_then(Value::as_i64).unwrap_or(0), text("meta.toolCallId"), text("parent"))
}

/// Every field in which a vector and the mapper differ.
fn differences(row: &Value) -> Vec<String> {
    let spans = run(&row["input"]);
    let expected = row["expected"]["observations"].as_array().unwrap();
    let names: BTreeMap<&str, &str> = expected
        .iter()
        .map(|one| {
            let name = one.get("renamed_to").unwrap_or(&one["name"]);
            (one["id"].as_str().unwrap(), name.as_str().unwrap_or(""))
        })
        .collect();
    let roots: BTreeMap<_, _> = spans.iter().filter(|span| span.parent_id.is_none()).map(|span| (span.span_id, span)).collect();
    let mut left: Vec<_> = expected.iter().map(|one| theirs(one, &names)).collect();
    let mut right: Vec<_> = spans
        .iter()
        .map(|span| {
            let root = span.parent_id.map(|id| roots[&id].name.as_str()).unwrap_or_default();
            ours(span, root)
        })
        .collect();
    left.sort_by_key(sort_key);
    right.sort_by_key(sort_key);
    let mut found = Vec::new();
    if left.len() != right.len() {
        let list = |side: &[BTreeMap<&'static str, Value>]| {
            side.iter().map(|one| format!("{} {}", one["type"], one["name"])).collect::<Vec<_>>().join(", ")
        };
        found.push(format!("count: theirs [{}], ours [{}]", list(&left), list(&right)));
        return found;
    }
    for (theirs, ours) in left.iter().zip(&right) {
        let keys: BTreeSet<_> = theirs.keys().chain(ours.keys()).collect();
        for key in keys {
            let (a, b) = (theirs.get(key), ours.get(key));
            let open = *key == "end" && a == Some(&Value::from("open"));
            if a != b && !open {
                found.push(format!("{} {}: theirs {a:?}, ours {b:?}", ours["type"], key));
            }
        }
    }
    found
}

#[test]
fn print_differences() {
    for row in rows() {
        if row["expected"].is_null() {
            continue;
        }
        let found = differences(&row);
        if !found.is_empty() {
            println!("{} {}{}\n    {}", row["id"], row["note"], if row["reference_bug"].is_null() { "" } else { " (BUG)" }, found.join("\n    "));
        }
    }
}

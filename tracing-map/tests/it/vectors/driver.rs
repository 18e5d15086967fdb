//! Plays the steps of a vector through the mapper.

use clawgauge_tracing_map::{Config, ContentRequest, DiagnosticEvent, Mapper, RunContent, Span, ToolContent};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The look-up tables of a vector as the content of a run.
fn content_for(
    input: &Value,
    run_id: Option<&str>,
    session_id: Option<&str>,
    session_key: Option<&str>,
) -> Option<RunContent> {
    let identity = json!({"runId": run_id, "sessionId": session_id, "sessionKey": session_key});
    let row = |table: &str| {
        let rows = input[table].as_array()?;
        let row = rows.iter().find(|row| {
            row["match"]
                .as_object()
                .is_none_or(|wanted| wanted.iter().all(|(key, value)| identity[key] == *value))
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
    waiting: Vec<ContentRequest>,
    spans: Vec<Span>,
    /// Tool calls that events named, by run: the tables hold texts of tools that never ran.
    called: BTreeSet<(String, String)>,
}

impl Driver<'_> {
    fn event(&mut self, event: &Value) {
        if let Some(ts) = event["ts"].as_i64() {
            self.clock = self.clock.max(ts);
        }
        if let Some(id) = event["toolCallId"].as_str() {
            self.called.insert((event["runId"].as_str().unwrap_or("").to_owned(), id.to_owned()));
        }
        // An object without a type is no event.
        if let Ok(event) = DiagnosticEvent::from_value(event.clone()) {
            self.mapper.handle(&event, self.clock);
        }
    }

    fn answer(&mut self) {
        self.answer_at(self.clock);
    }

    fn answer_at(&mut self, at: i64) {
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
                    let run = request.run_id.clone().unwrap_or_default();
                    content.tools.retain(|tool| self.called.contains(&(run.clone(), tool.call_id.clone())));
                    self.mapper.content(request.token, content, at);
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

/// The spans that the mapper makes of a vector.
pub(super) fn run(input: &Value) -> Vec<Span> {
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
        let (id, name, conversation) =
            (text(&person["id"]), text(&person["name"]), text(&person["conversationId"]));
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
        while let Some(at) = driver.mapper.poll_timeout().filter(|at| *at <= driver.clock) {
            driver.mapper.handle_timeout(at);
            driver.answer_at(at);
        }
        if step["flush"].as_bool() == Some(true) || step["idle"].as_bool() == Some(true) {
            driver.mapper.request_all();
        }
        driver.answer();
        driver.mapper.handle_timeout(driver.clock);
    }
    // What a vector leaves open is closed without texts: the recording did not look for them.
    driver.mapper.finish(driver.clock);
    driver.drain();
    driver.spans
}

//! What the tests share.

use clawgauge_tracing_map::{Config, DiagnosticEvent, Mapper, Span};
use serde_json::Value;

/// A JSON list, a single object, or NDJSON.
pub(crate) fn events(text: &str) -> Vec<Value> {
    if let Ok(Value::Array(list)) = serde_json::from_str(text) {
        return list;
    }
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Maps events that arrive at their own times, then finishes.
pub(crate) fn map(events: &[Value]) -> Vec<Span> {
    map_with(events, Config::without_content()).0
}

pub(crate) fn map_with(events: &[Value], config: Config) -> (Vec<Span>, Mapper) {
    let mut mapper = Mapper::new(config);
    let mut clock = 0;
    for record in events {
        let event = DiagnosticEvent::from_value(record.clone()).unwrap();
        clock = record["at"].as_i64().or(event.at_ms()).unwrap_or(clock).max(clock);
        mapper.handle(&event, clock);
    }
    mapper.finish(clock);
    let mut spans = Vec::new();
    while let Some(span) = mapper.poll() {
        spans.push(span);
    }
    (spans, mapper)
}

/// The laws that hold for any spans of any events.
pub(crate) fn check_tree(spans: &[Span]) -> Result<(), String> {
    let mut ids = std::collections::BTreeSet::new();
    let mut roots = std::collections::BTreeMap::new();
    for span in spans {
        if !ids.insert((span.trace_id, span.span_id)) {
            return Err(format!("span id twice: {span:?}"));
        }
        if span.start_ms > span.end_ms {
            return Err(format!("ends before it starts: {span:?}"));
        }
        if span.parent_id.is_none() && roots.insert(span.trace_id, span).is_some() {
            return Err(format!("two roots in a trace: {span:?}"));
        }
    }
    for span in spans.iter().filter(|span| span.parent_id.is_some()) {
        let Some(root) = roots.get(&span.trace_id) else {
            return Err(format!("no root for {span:?}"));
        };
        if span.parent_id != Some(root.span_id) {
            return Err(format!("parent is not the root: {span:?}"));
        }
        if span.start_ms < root.start_ms || span.end_ms > root.end_ms {
            return Err(format!("outside of its root {}..{}: {span:?}", root.start_ms, root.end_ms));
        }
    }
    Ok(())
}

//! Whatever order the events of a recorded scenario arrive in, the trace is the same.

use crate::recorded::scenarios;
use clawgauge_tracing_map::{Config, DiagnosticEvent, Mapper, Span};
use serde_json::Value;

/// The spans of events that all arrive at one moment.
fn at_once(list: &[&Value]) -> Vec<Span> {
    let mut mapper = Mapper::new(Config::without_content());
    for record in list {
        mapper.handle(&DiagnosticEvent::from_value((*record).clone()).unwrap(), 1);
    }
    mapper.finish(1);
    let mut spans: Vec<Span> = std::iter::from_fn(|| mapper.poll()).collect();
    spans.sort_by_key(|span| (span.trace_id, span.span_id));
    spans
}

#[test]
fn the_order_of_arrival_changes_nothing() {
    let mut differ = Vec::new();
    for (version, name, list) in scenarios() {
        // Here a run is not started but compacted, and over when the session says so after its calls.
        if (version.as_str(), name.as_str()) == ("2026.6.11", "compact") {
            continue;
        }
        let mut order: Vec<&Value> = list.iter().collect();
        let expected = at_once(&order);
        for seed in 0..8_u64 {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
            for last in (1..order.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                order.swap(last, usize::try_from(state >> 33).unwrap() % (last + 1));
            }
            // What only mentions a run opens none, so the starts come first.
            order.sort_by_key(|record| !is_start(record));
            let found = at_once(&order);
            if found != expected {
                let changed = expected.iter().zip(&found).find(|(a, b)| a != b);
                differ.push(format!("{version} {name}, order {seed}: {changed:#?}"));
                break;
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

fn is_start(record: &Value) -> bool {
    record.get("event").unwrap_or(record)["type"] == "run.started"
}

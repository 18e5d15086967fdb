//! Events of real gateways.

use crate::support::{check_tree, events, map_with};
use clawgauge_tracing_map::{Config, DiagnosticEvent, EventData, Level, ReportedUsage, Span, SpanKind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// Every recorded scenario: version, name, events in arrival order.
pub(crate) fn scenarios() -> Vec<(String, String, Vec<Value>)> {
    let base = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/events");
    let mut found = Vec::new();
    for version in ["2026.6.11", "2026.9.6"] {
        let mut files: Vec<_> =
            fs::read_dir(base.join(version)).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            found.push((version.to_owned(), name, events(&fs::read_to_string(&file).unwrap())));
        }
    }
    found
}

fn no_content() -> Config {
    Config::without_content()
}

#[test]
fn every_type_is_typed_and_comes_back() {
    let mut types = BTreeSet::new();
    for value in events(include_str!("../fixtures/events/every-type.jsonl")) {
        let event = DiagnosticEvent::from_value(value.clone()).unwrap();
        assert!(event.data != EventData::Unknown, "{} is unknown", event.event_type);
        assert!(
            event.extra.is_empty() || event.event_type == "log.record",
            "{} has fields that are not typed: {:?}",
            event.event_type,
            event.extra
        );
        assert_eq!(event.to_value(), value, "{}", event.event_type);
        types.insert(event.event_type);
    }
    assert!(types.len() >= 35, "{types:?}");
    assert_eq!(EventData::TYPES.len(), 57);
}

#[test]
fn every_recorded_scenario_becomes_closed_trees() {
    for (version, name, list) in scenarios() {
        let (spans, mapper) = map_with(&list, no_content());
        check_tree(&spans).unwrap_or_else(|error| panic!("{version} {name}: {error}"));
        assert_eq!(mapper.open_runs(), 0, "{version} {name}");
        // A compaction calls a model under a run id of its own and never says that a run began.
        let begins = |one: &&Value| {
            matches!(one["event"]["type"].as_str(), Some("run.started" | "model.call.started"))
        };
        let runs: BTreeSet<_> =
            list.iter().filter(begins).map(|one| one["event"]["runId"].to_string()).collect();
        let roots = spans.iter().filter(|span| span.kind == SpanKind::Run).count();
        assert_eq!(roots, runs.len(), "{version} {name}: one trace a run");
        assert_eq!(mapper.counters().late, 0, "{version} {name}: {:?}", mapper.counters());
    }
}

#[test]
fn arrival_order_and_gateway_order_give_the_same_spans() {
    for (version, name, list) in scenarios() {
        let (arrived, _) = map_with(&list, no_content());
        let mut sorted = list.clone();
        // One process a file, except that restarts begin again at 1: those come with a later time.
        sorted
            .sort_by_key(|one| (one["event"]["ts"].as_i64().unwrap() / 60_000, one["event"]["seq"].as_u64()));
        let (ordered, _) = map_with(&sorted, no_content());
        let by_id =
            |spans: Vec<Span>| spans.into_iter().map(|span| (span.span_id, span)).collect::<BTreeMap<_, _>>();
        assert_eq!(by_id(arrived), by_id(ordered), "{version} {name}");
    }
}

#[test]
fn usage_of_real_runs_is_conserved() {
    for (version, name, list) in scenarios() {
        let (spans, _) = map_with(&list, no_content());
        let (mut by_run, mut by_call) = (0, 0);
        for one in &list {
            let event = DiagnosticEvent::from_value(one.clone()).unwrap();
            let total = |usage: &Option<ReportedUsage>| usage.as_ref()?.usage()?.computed_total();
            match &event.data {
                EventData::ModelUsage(usage) => by_run += total(&usage.usage).unwrap_or(0),
                EventData::ModelCallCompleted(call) => by_call += total(&call.usage).unwrap_or(0),
                _ => {}
            }
        }
        let mapped: u64 = spans.iter().filter_map(|span| span.usage()?.computed_total()).sum();
        assert_eq!(mapped, by_run.max(by_call), "{version} {name}");
    }
}

fn scenario(version: &str, name: &str) -> Vec<Span> {
    let (_, _, list) = scenarios().into_iter().find(|(v, n, _)| v == version && n == name).unwrap();
    map_with(&list, no_content()).0
}

#[test]
fn eight_attempts_are_one_trace_that_failed() {
    let spans = scenario("2026.9.6", "err500always");
    let root = spans.iter().find(|span| span.kind == SpanKind::Run).unwrap();
    assert_eq!(root.metadata["attempts"], 8);
    assert_eq!(root.level, Level::Error);
    assert_eq!(root.metadata["outcome"], "completed", "the gateway's own word is kept");
    let calls: Vec<_> = spans.iter().filter(|span| span.kind == SpanKind::Generation).collect();
    assert_eq!(calls.len(), 8);
    assert!(calls.iter().all(|span| span.level == Level::Error));
}

#[test]
fn an_abort_of_a_real_run_is_no_error() {
    for version in ["2026.6.11", "2026.9.6"] {
        let spans = scenario(version, "abort");
        let root = spans.iter().find(|span| span.kind == SpanKind::Run).unwrap();
        assert_eq!(
            (root.level, root.metadata.get("aborted")),
            (Level::Default, Some(&Value::Bool(true))),
            "{version}"
        );
    }
}

#[test]
fn subagent_runs_share_a_trace_context_and_get_a_trace_each() {
    let spans = scenario("2026.9.6", "subagent");
    let roots: Vec<_> = spans.iter().filter(|span| span.kind == SpanKind::Run).collect();
    assert_eq!(roots.len(), 3);
    let contexts: BTreeSet<_> = roots.iter().map(|root| root.links[0].trace_id).collect();
    assert_eq!(contexts.len(), 1);
    let traces: BTreeSet<_> = roots.iter().map(|root| root.trace_id).collect();
    assert_eq!(traces.len(), 3);
}

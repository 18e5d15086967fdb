//! Faults that people reported from the field; each test names the case.

use crate::support::{events, map, map_with};
use clawgauge_tracing_map::{
    Batcher, Config, Convention, Format, Level, Mapper, SessionFacts, Span, SpanId, SpanKind, Stamp, TraceId,
    Usage, from_transcript, portable_id,
};
use clawgauge_transcript::Transcript;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const T0: i64 = 1_777_885_200_000;

fn case(text: &str) -> Vec<Span> {
    map(&events(text))
}

fn relative(span: &Span) -> (i64, i64) {
    (span.start_ms - T0, span.end_ms - T0)
}

fn named<'a>(spans: &'a [Span], name: &str) -> &'a Span {
    let found: Vec<_> = spans.iter().filter(|span| span.name == name).collect();
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found[0]
}

fn root(spans: &[Span]) -> &Span {
    let roots: Vec<_> = spans.iter().filter(|span| span.parent_id.is_none()).collect();
    assert_eq!(roots.len(), 1);
    roots[0]
}

#[test]
fn case_67_blocked_and_missing_terminals() {
    let spans = case(include_str!("../fixtures/field-cases/67-blocked-and-missing-terminals.json"));
    assert_eq!(spans.len(), 3);
    let exec = named(&spans, "exec");
    assert_eq!((relative(exec), exec.level), ((1000, 1200), Level::Error));
    assert_eq!(exec.status_message.as_deref(), Some("policy"));
    assert_eq!(exec.metadata["reason"], "not allowed");
    let read = named(&spans, "read");
    assert_eq!((relative(read), read.level), ((1500, 5000), Level::Warning));
    assert!(read.is_incomplete());
    assert_eq!(relative(root(&spans)), (0, 5000));
}

#[test]
fn case_68_source_timestamp() {
    let spans = case(include_str!("../fixtures/field-cases/68-source-timestamp.json"));
    assert_eq!(relative(named(&spans, "exec")), (1000, 1300));
}

#[test]
fn case_68_kind_without_source_times_the_duration_decides() {
    let mut list = events(include_str!("../fixtures/field-cases/68-source-timestamp.json"));
    for event in &mut list {
        event.as_object_mut().unwrap().remove("sourceTimestampMs");
    }
    assert_eq!(relative(named(&map(&list), "exec")), (3900, 4200));
    // Only the end names its source time: the start is counted back from there.
    let mut list = events(include_str!("../fixtures/field-cases/68-source-timestamp.json"));
    list[1].as_object_mut().unwrap().remove("sourceTimestampMs");
    assert_eq!(relative(named(&map(&list), "exec")), (1000, 1300));
    // Only the start does: the duration gives the end.
    let mut list = events(include_str!("../fixtures/field-cases/68-source-timestamp.json"));
    list[2].as_object_mut().unwrap().remove("sourceTimestampMs");
    assert_eq!(relative(named(&map(&list), "exec")), (1000, 1300));
}

#[test]
fn case_70_ids_are_derived_and_the_given_ones_kept() {
    let spans = case(include_str!("../fixtures/field-cases/70-ids-adopted-or-valid.json"));
    assert_eq!(spans.len(), 4, "four runs, four traces");
    let traces: BTreeSet<_> = spans.iter().map(|span| span.trace_id).collect();
    assert_eq!(traces.len(), 4);
    for span in &spans {
        assert_eq!(span.parent_id, None, "no parent that was never exported");
        assert!(TraceId::parse(&span.trace_id.to_string()).is_some());
        assert!(SpanId::parse(&span.span_id.to_string()).is_some());
    }
    let run = |id: &str| spans.iter().find(|span| span.identity.run.as_deref() == Some(id)).unwrap();
    assert_eq!(run("run-1").links[0].trace_id.to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(run("run-1").links[0].span_id.to_string(), "b7ad6b7169203331");
    assert_eq!(run("run-2").metadata["w3cTraceId"], "1b4e28ba-2fa1-11d2-883f-0016d3cca427");
    assert!(run("run-2").links.is_empty() && run("run-3").links.is_empty() && run("run-4").links.is_empty());
}

#[test]
fn case_71_duplicate_events() {
    let spans = case(include_str!("../fixtures/field-cases/71-duplicate-events.json"));
    assert_eq!(spans.len(), 3, "{spans:#?}");
    let exec = named(&spans, "exec");
    assert_eq!((relative(exec), exec.level), ((1000, 1400), Level::Default));
    let generation = named(&spans, "m-alpha");
    let call = generation.model_call.as_ref().unwrap();
    assert_eq!((call.cost_usd, call.usage.unwrap().total_tokens()), (Some(0.01), Some(120)));
}

#[test]
fn case_73_session_id_fallback_and_limits() {
    let text = include_str!("../fixtures/field-cases/73-session-id-fallback-and-limits.json");
    let spans = case(text);
    let session = |run: &str| {
        let span = spans.iter().find(|span| span.identity.run.as_deref() == Some(run)).unwrap();
        (span.identity.session.clone().unwrap(), span.metadata.get("rawSession").cloned())
    };
    assert_eq!(session("run-a").0, "run-a");
    assert_eq!(session("run-b").0, "sess-b");
    let (hashed, raw) = session("run-c");
    assert!(hashed.is_ascii() && hashed.len() <= 200);
    assert!(raw.unwrap().as_str().unwrap().starts_with("agent:main:chat:ж"));
    assert_eq!(Some(hashed), portable_id(events(text)[2]["sessionKey"].as_str().unwrap()));
}

#[test]
fn case_74_cached_token_keys() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../fixtures/field-cases/74-cached-token-keys.json")).unwrap();
    let usage = |index: usize| {
        let event = json!({"type": "model.usage", "ts": T0, "runId": "r", "model": "m", "usage": cases[index]["usage"]});
        let spans = map(&[event]);
        *spans.iter().find(|span| span.kind == SpanKind::Generation).unwrap().usage().unwrap()
    };
    let parts = |usage: Usage| [usage.input, usage.cache_read, usage.cache_write, usage.output];
    assert_eq!(parts(usage(0)), [Some(5), Some(1000), Some(200), Some(10)]);
    assert_eq!(usage(0).computed_total(), Some(1215));
    assert_eq!(parts(usage(1)), [Some(5), Some(1000), Some(200), Some(10)]);
    assert_eq!(parts(usage(2)), [Some(50), None, None, Some(10)]);
    assert_eq!(parts(usage(3)), [Some(5), Some(1000), None, Some(10)]);
}

#[test]
fn case_76_last_call_usage_is_not_the_bill() {
    let spans = case(include_str!("../fixtures/field-cases/76-last-call-usage.json"));
    let generation = named(&spans, "m-alpha");
    let usage = generation.usage().unwrap();
    assert_eq!((usage.input, usage.output), (Some(90_000), Some(900)));
    assert_eq!(generation.metadata["contextUsed"], 31_300);
    assert_eq!(generation.metadata["contextLimit"], 200_000);
    assert!(!format!("{:?}", generation.metadata).contains("90900"));
}

#[test]
fn case_77_time_sanity() {
    let spans = case(include_str!("../fixtures/field-cases/77-time-sanity.json"));
    assert_eq!(relative(named(&spans, "exec")), (1000, 1000));
    assert_eq!(relative(named(&spans, "context.assembled")), (1100, 1100));
    assert_eq!(relative(named(&spans, "m-alpha")), (0, 5100));
    assert_eq!(relative(root(&spans)), (0, 5100));
    let body = String::from_utf8(bytes(std::slice::from_ref(root(&spans)))).unwrap();
    assert!(body.contains(r#""startTimeUnixNano":"1777885200000000000""#), "{body}");
}

#[test]
fn case_79_tool_id_collision_across_runs() {
    let spans = case(include_str!("../fixtures/field-cases/79-tool-id-collision-across-runs.json"));
    let exec = |run: &str| {
        let mut found =
            spans.iter().filter(|span| span.name == "exec" && span.identity.run.as_deref() == Some(run));
        let span = found.next().unwrap();
        assert!(found.next().is_none());
        span
    };
    assert_eq!((relative(exec("run-1")), exec("run-1").level), ((1000, 1300), Level::Default));
    assert_eq!((relative(exec("run-2")), exec("run-2").level), ((1100, 1900), Level::Error));
    assert_eq!(exec("run-2").status_message.as_deref(), Some("timeout"));
    assert_ne!(exec("run-1").span_id, exec("run-2").span_id);
}

#[test]
fn case_79_kind_one_id_reused_inside_a_run() {
    let tool = |kind: &str, ts: i64| {
        json!({"type": format!("tool.execution.{kind}"), "ts": T0 + ts, "runId": "r",
        "toolCallId": "call_0", "toolName": "exec"})
    };
    let list = [tool("started", 100), tool("completed", 200), tool("started", 300), tool("error", 400)];
    let spans = map(&list);
    let tools: Vec<_> = spans.iter().filter(|span| span.kind == SpanKind::Tool).collect();
    assert_eq!(tools.iter().map(|span| relative(span)).collect::<Vec<_>>(), [(100, 200), (300, 400)]);
    assert_eq!((tools[0].level, tools[1].level), (Level::Default, Level::Error));
    assert_ne!(tools[0].span_id, tools[1].span_id);
}

/// A session of two turns as a file; a fork repeats its rows under a header of its own and goes on.
fn forked(run_ids: bool) -> (String, String) {
    let run = |number: u32| if run_ids { format!(r#","runId":"run-{number}""#) } else { String::new() };
    let turn = |number: u32, parent: &str| {
        let at = |second: u32| format!("2026-05-04T09:{number:02}:{second:02}.000Z");
        let row = |id: &str, parent: &str, second: u32, message: &str| {
            let at = at(second);
            format!(
                r#"{{"type":"message","id":"{id}{number}","parentId":{parent},"timestamp":"{at}","message":{{{message}}}}}"#
            )
        };
        let quoted = |id: &str| format!("\"{id}{number}\"");
        let run = run(number);
        let call =
            r#""content":[{"type":"toolCall","id":"call_0","name":"exec","arguments":{"command":"ls"}}]"#;
        let said = r#""content":[{"type":"text","text":"done"}]"#;
        let usage = r#""model":"m","provider":"p","usage":{"input":10,"output":5,"totalTokens":15,"cost":{"total":0.01}}"#;
        [
            row("u", parent, 0, r#""role":"user","content":"go on""#),
            row("a", &quoted("u"), 1, &format!(r#""role":"assistant",{call},{usage},"stopReason":"toolUse"{run}"#)),
            row("t", &quoted("a"), 2, r#""role":"toolResult","toolCallId":"call_0","toolName":"exec","content":[{"type":"text","text":"a.txt"}],"isError":false"#),
            row("b", &quoted("t"), 3, &format!(r#""role":"assistant",{said},{usage},"stopReason":"stop"{run}"#)),
        ]
        .join("\n")
    };
    let header = |id: &str| {
        format!(
            r#"{{"type":"session","version":3,"id":"{id}","timestamp":"2026-05-04T09:00:00.000Z","cwd":"/"}}"#
        )
    };
    let shared = [turn(1, "null"), turn(2, "\"b1\"")].join("\n");
    let parent = [header("parent"), shared.clone()].join("\n");
    (parent, [header("fork"), shared, turn(3, "\"b2\"")].join("\n"))
}

#[test]
fn case_80_deterministic_replay() {
    // The case names what to do and where its sessions are; these are made here.
    assert!(include_str!("../fixtures/field-cases/80-deterministic-replay.json").contains("then its fork"));
    for run_ids in [true, false] {
        let (parent, fork) = forked(run_ids);
        let (parent, fork) = (Transcript::from_str(&parent), Transcript::from_str(&fork));
        let facts = SessionFacts::of_key("agent:main:main");
        let first = from_transcript(&parent, &facts, &Config::default());
        assert_eq!(first.len(), 2 * 4, "two runs: root, two answers, a tool each");
        assert_eq!(bytes(&first), bytes(&from_transcript(&parent, &facts, &Config::default())));

        // The fork is read after its parent, and told where the rows were written first.
        let mut facts = facts;
        for entry in parent.entries().iter().filter_map(clawgauge_transcript::Entry::id) {
            facts.origins.insert(entry.into_owned(), "parent".to_owned());
        }
        let second = from_transcript(&fork, &facts, &Config::default());
        assert_eq!(second.len(), 3 * 4);
        let (again, new) = second.split_at(first.len());
        let ids = |spans: &[Span]| spans.iter().map(|span| (span.trace_id, span.span_id)).collect::<Vec<_>>();
        assert_eq!(ids(again), ids(&first), "what the fork repeats is the same spans");
        assert!(ids(new).iter().all(|id| !ids(&first).contains(id)));
        // A backend that keeps the first write of an id counts every token once.
        let mut seen = BTreeSet::new();
        let all = first.iter().chain(&second).filter(|span| seen.insert(span.span_id));
        let tokens: u64 = all.filter_map(|span| span.usage()?.total_tokens()).sum();
        assert_eq!(tokens, 3 * 2 * 15);
    }
    let list = events(include_str!("../fixtures/field-cases/79-tool-id-collision-across-runs.json"));
    assert_eq!(bytes(&map(&list)), bytes(&map(&list)), "events, too");
}

fn bytes(spans: &[Span]) -> Vec<u8> {
    let mut batcher = Batcher::new(Convention::LANGFUSE, Format::Json, Stamp::new("t"));
    for span in spans {
        assert!(batcher.push(span).unwrap().is_none());
    }
    batcher.flush().unwrap().body
}

#[test]
fn case_83_dropped_events_notice() {
    let spans = case(include_str!("../fixtures/field-cases/83-dropped-events-notice.json"));
    let root = root(&spans);
    assert!(root.metadata["events_dropped"].as_u64().unwrap() >= 12);
    assert!(root.is_incomplete());
    let exec = named(&spans, "exec");
    assert_eq!(relative(exec), (1000, 5000));
    assert!(exec.is_incomplete());
}

#[test]
fn a_silent_run_with_a_running_tool_lives_for_thirty_minutes() {
    let list = [
        json!({"type": "run.started", "ts": T0, "runId": "r", "sessionId": "s"}),
        json!({"type": "tool.execution.started", "ts": T0 + 1_000, "runId": "r", "toolCallId": "c", "toolName": "exec"}),
    ];
    let mut mapper = Mapper::new(Config::without_content());
    for event in &list {
        let event = clawgauge_tracing_map::DiagnosticEvent::from_value(event.clone()).unwrap();
        mapper.handle(&event, T0 + 1_000);
    }
    mapper.handle_timeout(T0 + 1_000 + 30 * 60_000);
    assert_eq!((mapper.open_runs(), mapper.poll()), (1, None));
    mapper.handle_timeout(T0 + 1_001 + 30 * 60_000);
    assert_eq!(mapper.open_runs(), 0);
    let tool = mapper.poll().unwrap();
    assert_eq!(relative(&tool), (1_000, 1_000), "never later than it reported");
    assert!(tool.is_incomplete());
    assert_eq!(relative(&mapper.poll().unwrap()), (0, 1_000));
}

#[test]
fn nothing_opens_a_closed_run_again() {
    let run = |kind: &str, ts: i64| json!({"type": kind, "ts": T0 + ts, "runId": "r", "sessionKey": "agent:main:x"});
    let list = [
        run("run.started", 0),
        run("run.completed", 100),
        run("run.started", 60_000),
        run("context.assembled", 60_100),
    ];
    let (spans, mapper) = map_with(&list, Config::default());
    assert_eq!(spans.iter().filter(|span| span.parent_id.is_none()).count(), 1);
    assert_eq!(mapper.counters().late, 2);
    // Usage without a run id belongs to the run that has just left.
    let usage = json!({"type": "model.usage", "ts": T0 + 20_000, "sessionKey": "agent:main:x", "usage": {"input": 1}});
    let (spans, mapper) =
        map_with(&[run("run.started", 0), run("run.completed", 100), usage], Config::default());
    assert_eq!((spans.len(), mapper.counters().late), (1, 1));
}

#[test]
fn an_abort_is_no_error() {
    let list = [
        json!({"type": "run.started", "ts": T0, "runId": "r", "sessionId": "s"}),
        json!({"type": "model.call.started", "ts": T0 + 10, "runId": "r", "callId": "r:model:1", "model": "m"}),
        json!({"type": "model.call.error", "ts": T0 + 900, "runId": "r", "callId": "r:model:1", "durationMs": 890,
            "errorCategory": "Error", "failureKind": "aborted"}),
        json!({"type": "run.completed", "ts": T0 + 1_000, "runId": "r", "outcome": "error", "errorCategory": "Error"}),
    ];
    let spans = map(&list);
    assert!(spans.iter().all(|span| span.level == Level::Default), "{spans:#?}");
    assert_eq!(root(&spans).metadata["aborted"], true);
}

#[test]
fn a_refused_run_is_an_error_though_it_says_completed() {
    let list = [
        json!({"type": "run.started", "ts": T0, "runId": "r", "sessionId": "s"}),
        json!({"type": "model.call.error", "ts": T0 + 900, "runId": "r", "callId": "r:model:1", "durationMs": 890,
            "errorCategory": "Error", "failureKind": "timeout"}),
        json!({"type": "run.completed", "ts": T0 + 1_000, "runId": "r", "outcome": "completed"}),
    ];
    let spans = map(&list);
    let root = root(&spans);
    assert_eq!((root.level, root.error_type.as_deref()), (Level::Error, Some("timeout")));
}

#[test]
fn texts_that_do_not_come_are_asked_for_less_and_less_often() {
    let list = [
        json!({"type": "run.started", "ts": T0, "runId": "r", "sessionId": "s"}),
        json!({"type": "tool.execution.started", "ts": T0, "runId": "r", "toolCallId": "long", "toolName": "exec"}),
        json!({"type": "model.call.completed", "ts": T0 + 50, "runId": "r", "callId": "r:model:1", "durationMs": 50}),
    ];
    let mut mapper = Mapper::new(Config::default());
    for event in &list {
        mapper.handle(&clawgauge_tracing_map::DiagnosticEvent::from_value(event.clone()).unwrap(), T0 + 50);
    }
    let mut asked = 0;
    for second in 0..20 * 60 {
        mapper.handle_timeout(T0 + second * 1_000);
        while mapper.poll_request().is_some() {
            asked += 1;
        }
    }
    assert!((5..40).contains(&asked), "{asked} requests in twenty minutes");
}

//! Laws that hold for any events, in any order, any number of times. `PROPTEST_CASES` raises the number of cases.

use crate::support::check_tree;
use clawgauge_tracing_map::{
    Batcher, Config, Convention, DiagnosticEvent, Format, Mapper, Span, SpanKind, Stamp, cut_text,
    is_retrieval,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const T0: i64 = 1_796_037_300_000;

/// How one generated run goes.
#[derive(Clone, Debug)]
struct Plan {
    /// For each attempt: for each model call whether it fails, and how many tools follow.
    attempts: Vec<Vec<(bool, u8)>>,
    /// Calls report tokens themselves.
    calls_report: bool,
    /// The run reports its sum, without a run id.
    run_reports: bool,
    seq: bool,
    spans: bool,
}

fn plan() -> impl Strategy<Value = Plan> {
    let call = (any::<bool>(), 0_u8..4);
    let attempts = prop::collection::vec(prop::collection::vec(call, 1..4), 1..4);
    (attempts, any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(attempts, calls_report, run_reports, seq, spans)| Plan {
            attempts,
            calls_report,
            run_reports,
            seq,
            spans,
        },
    )
}

/// The events of runs that interleave: run `n` begins `n * 40` ms after the first.
fn events(plans: &[Plan]) -> Vec<Value> {
    let mut list: Vec<(i64, Value)> = Vec::new();
    for (number, plan) in plans.iter().enumerate() {
        let (run, key) = (format!("run-{number}"), format!("agent:main:s{number}"));
        let mut now = T0 + i64::try_from(number).unwrap() * 40;
        let mut span = 0_u64;
        let mut add = |kind: &str, at: i64, pair: u64, fields: Value| {
            let mut event = json!({"type": kind, "ts": at, "sessionKey": key, "sessionId": format!("sess-{number}"),
                // All runs share one trace context, as those of a gateway do.
                "trace": {"traceId": "4bf92f3577b34da6a3ce929d0e0e4736"}});
            if kind != "model.usage" {
                event["runId"] = run.clone().into();
            }
            if plan.spans {
                event["trace"]["spanId"] = format!("{:08x}{:08x}", number + 1, pair + 1).into();
            }
            for (field, value) in fields.as_object().unwrap() {
                event[field] = value.clone();
            }
            list.push((at, event));
        };
        let mut total = 0;
        for attempt in &plan.attempts {
            add("run.started", now, span, json!({"channel": "webchat", "trigger": "user"}));
            add("context.assembled", now + 5, span + 1, json!({"messageCount": 1}));
            let base = span;
            span += 10;
            now += 10;
            for (index, (fails, tools)) in attempt.iter().enumerate() {
                // Call ids repeat in each attempt.
                let call =
                    json!({"callId": format!("{run}:model:{}", index + 1), "model": "m", "provider": "p"});
                add("model.call.started", now, span, call.clone());
                now += 20;
                let mut end = call;
                end["durationMs"] = 20.into();
                if *fails {
                    end["errorCategory"] = "Error".into();
                    add("model.call.error", now, span, end);
                } else {
                    if plan.calls_report {
                        end["usage"] = json!({"input": 10, "output": 5, "total": 15, "cost": {"total": 0.5}});
                    }
                    total += 15;
                    add("model.call.completed", now, span, end);
                }
                span += 1;
                for tool in 0..*tools {
                    let call = json!({"toolCallId": format!("call_{index}_{tool}"), "toolName": "exec"});
                    add("tool.execution.started", now + i64::from(tool), span, call.clone());
                    let mut end = call;
                    end["durationMs"] = 30.into();
                    add("tool.execution.completed", now + i64::from(tool) + 30, span, end);
                    span += 1;
                }
                now += 40;
            }
            add("run.completed", now, base, json!({"outcome": "completed", "durationMs": 10}));
            now += 3;
        }
        if plan.run_reports {
            add(
                "model.usage",
                now + 50,
                span,
                json!({"model": "m", "usage": {"input": total / 15 * 10,
                "output": total / 15 * 5, "total": total}, "costUsd": 0.5, "durationMs": 60}),
            );
        }
    }
    list.sort_by_key(|(at, _)| *at);
    let with_seq = plans.first().is_some_and(|plan| plan.seq);
    list.into_iter()
        .enumerate()
        .map(|(seq, (_, mut event))| {
            if with_seq {
                event["seq"] = (seq + 1).into();
            }
            event
        })
        .collect()
}

fn run(list: &[Value]) -> (Vec<Span>, Mapper) {
    let mut mapper = Mapper::new(Config::without_content());
    for (index, event) in list.iter().enumerate() {
        // All arrive within the linger of each other.
        mapper
            .handle(&DiagnosticEvent::from_value(event.clone()).unwrap(), T0 + i64::try_from(index).unwrap());
    }
    mapper.finish(T0 + 60_000);
    let mut spans = Vec::new();
    while let Some(span) = mapper.poll() {
        spans.push(span);
    }
    (spans, mapper)
}

fn tokens(spans: &[Span]) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for span in spans {
        if let Some(total) = span.usage().and_then(clawgauge_tracing_map::Usage::computed_total) {
            *sums.entry(span.identity.run.clone().unwrap_or_default()).or_default() += total;
        }
    }
    sums
}

/// What the events report: the calls' sum or the run's, whichever is larger.
fn reported(list: &[Value]) -> BTreeMap<String, u64> {
    let mut calls: BTreeMap<String, u64> = BTreeMap::new();
    let mut runs: BTreeMap<String, u64> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for event in list {
        if !seen.insert(event.to_string()) {
            continue;
        }
        let Some(total) = event["usage"]["total"].as_u64() else { continue };
        let number = event["sessionKey"].as_str().unwrap().trim_start_matches("agent:main:s").to_owned();
        let sums = if event["type"] == "model.usage" { &mut runs } else { &mut calls };
        *sums.entry(format!("run-{number}")).or_default() += total;
    }
    let names: BTreeSet<String> = calls.keys().chain(runs.keys()).cloned().collect();
    names
        .into_iter()
        .map(|name| {
            let total = calls.get(&name).copied().unwrap_or(0).max(runs.get(&name).copied().unwrap_or(0));
            (name, total)
        })
        .filter(|(_, total)| *total > 0)
        .collect()
}

/// A permutation, drawn as sort keys.
fn shuffled(list: &[Value], keys: &[u32]) -> Vec<Value> {
    let mut order: Vec<(u32, usize)> = (0..list.len())
        .map(|index| (keys[index % keys.len()].rotate_left(index as u32 % 32), index))
        .collect();
    order.sort_unstable();
    order.into_iter().map(|(_, index)| list[index].clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(64)))]

    #[test]
    fn any_order_gives_closed_trees_and_conserves_usage(
        plans in prop::collection::vec(plan(), 1..4),
        keys in prop::collection::vec(any::<u32>(), 8..64),
    ) {
        let ordered = events(&plans);
        let list = shuffled(&ordered, &keys);
        let (spans, mapper) = run(&list);
        check_tree(&spans).map_err(TestCaseError::fail)?;
        prop_assert_eq!(mapper.open_runs(), 0);
        let roots: Vec<_> = spans.iter().filter(|span| span.kind == SpanKind::Run).map(|span| span.identity.run.clone()).collect();
        let runs: BTreeSet<_> = roots.iter().cloned().collect();
        prop_assert_eq!(roots.len(), plans.len(), "one trace a run");
        prop_assert_eq!(runs.len(), plans.len());
        prop_assert_eq!(tokens(&spans), reported(&ordered));
        // With the gateway's span ids, order changes nothing at all.
        if plans.iter().all(|plan| plan.spans && plan.seq) {
            let by_id = |spans: Vec<Span>| spans.into_iter().map(|span| (span.span_id, span)).collect::<BTreeMap<_, _>>();
            prop_assert_eq!(by_id(spans), by_id(run(&ordered).0));
        }
    }

    #[test]
    fn redelivery_changes_nothing(
        plans in prop::collection::vec(plan(), 1..3),
        twice in prop::collection::vec(any::<bool>(), 1..40),
    ) {
        let list = events(&plans);
        let mut doubled = Vec::new();
        for (index, event) in list.iter().enumerate() {
            doubled.push(event.clone());
            if twice[index % twice.len()] {
                doubled.push(event.clone());
            }
        }
        let strip = |spans: Vec<Span>| spans.into_iter().map(|span| (span.span_id, span)).collect::<BTreeMap<_, _>>();
        prop_assert_eq!(strip(run(&doubled).0), strip(run(&list).0));
    }

    #[test]
    fn loss_leaves_closed_trees(
        plans in prop::collection::vec(plan(), 1..4),
        lost in prop::collection::vec(any::<bool>(), 1..64),
        keys in prop::collection::vec(any::<u32>(), 8..64),
    ) {
        let all = events(&plans);
        let kept: Vec<Value> = all.iter().enumerate().filter(|(index, _)| !lost[index % lost.len()]).map(|(_, event)| event.clone()).collect();
        let list = shuffled(&kept, &keys);
        let (spans, mapper) = run(&list);
        check_tree(&spans).map_err(TestCaseError::fail)?;
        prop_assert_eq!(mapper.open_runs(), 0);
        let sum = |map: BTreeMap<String, u64>| map.values().sum::<u64>();
        let (mapped, told) = (sum(tokens(&spans)), sum(reported(&kept)));
        // Call ids come again in each attempt. Where starts are lost and no span id tells calls apart, an end of another
        // attempt looks like one that was told again.
        if plans.iter().all(|plan| plan.spans) {
            prop_assert_eq!(mapped, told);
        } else {
            prop_assert!(mapped <= told);
        }
        let named: BTreeSet<_> = list.iter().filter_map(|event| event["runId"].as_str()).collect();
        for run_id in named {
            let roots = spans.iter().filter(|span| span.kind == SpanKind::Run && span.identity.run.as_deref() == Some(run_id)).count();
            prop_assert_eq!(roots, 1, "{} has {} traces", run_id, roots);
        }
    }

    #[test]
    fn chunks_do_not_matter(
        plans in prop::collection::vec(plan(), 1..4),
        pauses in prop::collection::vec((0_i64..20_000, any::<bool>()), 1..30),
    ) {
        let list = events(&plans);
        let bytes = |poll_between: bool| {
            let mut mapper = Mapper::new(Config::without_content());
            let mut batcher = Batcher::new(Convention::LANGFUSE, Format::Json, Stamp::new("t"));
            let mut body = Vec::new();
            let mut now = T0;
            for (index, event) in list.iter().enumerate() {
                let (pause, poll) = pauses[index % pauses.len()];
                now += pause;
                mapper.handle(&DiagnosticEvent::from_value(event.clone()).unwrap(), now);
                if poll_between && poll {
                    // Whenever a program wakes up, before the next event.
                    let (next, _) = pauses[(index + 1) % pauses.len()];
                    mapper.handle_timeout(now + next / 2);
                    while let Some(span) = mapper.poll() {
                        batcher.push(&span).unwrap();
                    }
                }
            }
            mapper.finish(now + 1_000_000);
            while let Some(span) = mapper.poll() {
                batcher.push(&span).unwrap();
            }
            if let Some(request) = batcher.flush() {
                body = request.body;
            }
            body
        };
        prop_assert_eq!(bytes(true), bytes(false));
    }

    #[test]
    fn every_convention_conserves_the_tokens(input in any::<u32>(), output in any::<u32>(), read in any::<u32>(), write in any::<u32>(), reasoning in any::<u32>()) {
        let reasoning = u64::from(reasoning).min(u64::from(output));
        let usage = json!({"input": input, "output": output, "cacheRead": read, "cacheWrite": write, "reasoningTokens": reasoning});
        let list = [json!({"type": "model.call.completed", "ts": T0, "runId": "r", "callId": "c", "durationMs": 1, "usage": usage})];
        let whole = u64::from(input) + u64::from(output) + u64::from(read) + u64::from(write);
        prop_assume!(whole > 0);
        let (spans, _) = run(&list);
        let span = spans.iter().find(|span| span.kind == SpanKind::Generation).unwrap();
        let mut batcher = Batcher::new("langfuse+gen_ai_v1_41+openinference".parse().unwrap(), Format::Json, Stamp::new("t"));
        batcher.push(span).unwrap();
        let body: Value = serde_json::from_slice(&batcher.flush().unwrap().body).unwrap();
        let list = body["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"].as_array().unwrap().clone();
        let value = |key: &str| list.iter().find(|one| one["key"] == key).map(|one| one["value"].clone());
        let int = |key: &str| value(key).and_then(|value| value["intValue"].as_str()?.parse::<u64>().ok()).unwrap();
        prop_assert_eq!(int("gen_ai.usage.input_tokens") + int("gen_ai.usage.output_tokens"), whole);
        prop_assert_eq!(int("llm.token_count.prompt") + int("llm.token_count.completion"), whole);
        prop_assert_eq!(int("llm.token_count.total"), whole);
        let details = value("langfuse.observation.usage_details").unwrap();
        let details: BTreeMap<String, u64> = serde_json::from_str(details["stringValue"].as_str().unwrap()).unwrap();
        let buckets: u64 = details.iter().filter(|(key, _)| *key != "total").map(|(_, count)| count).sum();
        prop_assert_eq!((buckets, details["total"]), (whole, whole));
    }

    #[test]
    fn cut_texts_fit_and_stay_text(text in "\\PC{0,300}", max in 0_usize..200) {
        let cut = cut_text(&text, max);
        prop_assert!(cut.len() <= max.max(text.len().min(max)));
        prop_assert!(text.len() > max || cut == text);
    }

    #[test]
    fn nothing_panics(kind in prop::sample::select(clawgauge_tracing_map::EventData::TYPES), fields in odd_fields(), now in any::<i64>()) {
        let mut value = Value::Object(fields);
        value["type"] = kind.into();
        let event = DiagnosticEvent::from_value(value.clone()).unwrap();
        prop_assert_eq!(event.to_value(), value);
        for now in [now, i64::MIN, i64::MAX] {
            let mut mapper = Mapper::new(Config::default());
            mapper.handle(&event, now);
            mapper.handle(&event, now);
            mapper.handle_timeout(now);
            mapper.finish(i64::MAX);
            let mut spans = Vec::new();
            while let Some(span) = mapper.poll() {
                spans.push(span);
            }
            check_tree(&spans).map_err(TestCaseError::fail)?;
        }
        prop_assert!(!is_retrieval(""));
    }
}

/// Fields with the right names and any values.
fn odd_fields() -> impl Strategy<Value = serde_json::Map<String, Value>> {
    let key = prop::sample::select(vec![
        "ts",
        "seq",
        "trace",
        "runId",
        "sessionKey",
        "sessionId",
        "agentId",
        "channel",
        "model",
        "usage",
        "costUsd",
        "durationMs",
        "toolCallId",
        "toolName",
        "callId",
        "sourceTimestampMs",
        "outcome",
        "state",
        "reason",
        "context",
        "droppedEvents",
        "errorCategory",
        "failureKind",
        "paramsSummary",
        "promptStats",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (T0 - 1_000..T0 + 1_000).prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        Just(json!({"input": -1, "output": 1e300, "total": "7", "traceId": "ABC", "spanId": 5})),
        Just(json!([1, "x", null])),
    ];
    prop::collection::btree_map(key.prop_map(str::to_owned), leaf, 0..12)
        .prop_map(|map| map.into_iter().collect())
}

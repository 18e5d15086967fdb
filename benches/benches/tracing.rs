//! Events a second through mapping and encoding, and encoding against a plain `serde_json` write of the same bytes.
//!
//! `cargo bench -p clawgauge-benches --bench tracing`

use clawgauge_tracing_map::{Batcher, Config, Convention, DiagnosticEvent, Format, Mapper, Span, Stamp};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Events of runs that interleave, 25 events a run, `open` of them at once.
fn events(runs: usize, open: usize) -> Vec<Value> {
    let mut all = Vec::new();
    for wave in 0..runs.div_ceil(open) {
        let mut lanes: Vec<Vec<Value>> = Vec::new();
        for lane in 0..open {
            let (run, session) = (format!("run-{wave}-{lane}"), format!("agent:main:s{lane}"));
            let base = 1_796_037_300_000_i64 + i64::try_from(wave).unwrap_or(0) * 100_000;
            let event = |kind: &str, after: i64, fields: Value| {
                let mut event = json!({"type": kind, "ts": base + after, "runId": run, "sessionKey": session,
                    "sessionId": format!("sess-{lane}"), "trace": {"traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
                    "spanId": format!("{:016x}", after / 10 + 1), "traceFlags": "01"}});
                if let (Some(event), Value::Object(fields)) = (event.as_object_mut(), fields) {
                    event.extend(fields);
                }
                event
            };
            let mut list = vec![
                event(
                    "run.started",
                    0,
                    json!({"channel": "webchat", "trigger": "user", "provider": "demo", "model": "m"}),
                ),
                event(
                    "context.assembled",
                    10,
                    json!({"messageCount": 3, "promptChars": 100, "systemPromptChars": 25_000}),
                ),
            ];
            for turn in 0..5_i64 {
                let at = 100 + turn * 1_000;
                let call = json!({"callId": format!("{run}:model:{turn}"), "provider": "demo", "model": "m"});
                list.push(event("model.call.started", at, call.clone()));
                let mut end = call;
                if let Some(end) = end.as_object_mut() {
                    end.insert("durationMs".into(), 300.into());
                    end.insert(
                        "usage".into(),
                        json!({"input": 4_517, "output": 20, "cacheRead": 4_416, "cacheWrite": 0,
                        "total": 8_953, "cost": {"total": 0.0012}}),
                    );
                }
                list.push(event("model.call.completed", at + 300, end));
                let tool =
                    json!({"toolCallId": format!("call_{turn}"), "toolName": "exec", "toolSource": "core"});
                list.push(event("tool.execution.started", at + 400, tool.clone()));
                let mut end = tool;
                if let Some(end) = end.as_object_mut() {
                    end.insert("durationMs".into(), 200.into());
                }
                list.push(event("tool.execution.completed", at + 600, end));
            }
            list.push(event("run.completed", 6_000, json!({"outcome": "completed", "durationMs": 6_000})));
            lanes.push(list);
        }
        let longest = lanes.iter().map(Vec::len).max().unwrap_or(0);
        for index in 0..longest {
            all.extend(lanes.iter().filter_map(|lane| lane.get(index).cloned()));
        }
    }
    // Real gateways number their events.
    for (index, event) in all.iter_mut().enumerate() {
        event["seq"] = (index + 1).into();
    }
    all
}

/// Events that are read before they are mapped, as they arrive from a gateway: what was just read is in the processor's
/// caches. Many at once would come from memory instead, and that is what would be measured.
const ARRIVING: usize = 64;

/// Maps the lines and gives how long it took, without the time for reading them.
fn map(lines: &[String], mut take: impl FnMut(Span)) -> Duration {
    let mut mapper = Mapper::new(Config::without_content());
    let mut took = Duration::ZERO;
    for arriving in lines.chunks(ARRIVING) {
        let events: Vec<DiagnosticEvent> =
            arriving.iter().filter_map(|line| DiagnosticEvent::from_json(line).ok()).collect();
        let begun = Instant::now();
        for event in &events {
            mapper.handle(event, event.at_ms().unwrap_or(0));
            while let Some(span) = mapper.poll() {
                take(span);
            }
        }
        took += begun.elapsed();
    }
    let begun = Instant::now();
    mapper.finish(i64::MAX);
    while let Some(span) = mapper.poll() {
        take(span);
    }
    took + begun.elapsed()
}

fn bench(c: &mut Criterion) {
    let of = |open: usize| events(1_000, open).iter().map(Value::to_string).collect::<Vec<String>>();
    let (lines, few) = (of(200), of(4));
    let mut group = c.benchmark_group("events");
    group.sample_size(10).throughput(Throughput::Elements(lines.len() as u64));
    group.bench_function("read JSON", |b| {
        b.iter(|| lines.iter().filter_map(|line| DiagnosticEvent::from_json(line).ok()).count());
    });
    for (open, lines) in [(4, &few), (200, &lines)] {
        group.bench_function(format!("map, {open} runs open"), |b| {
            b.iter_custom(|times| (0..times).map(|_| map(lines, |span| drop(black_box(span)))).sum());
        });
        for format in [Format::Json, Format::Protobuf] {
            group.bench_function(format!("map and encode {format:?}, {open} runs open"), |b| {
                b.iter_custom(|times| {
                    let one = || {
                        let mut batcher = Batcher::new(Convention::LANGFUSE, format, Stamp::new("bench"));
                        map(lines, |span| {
                            black_box(batcher.push(&span).ok());
                        })
                    };
                    (0..times).map(|_| one()).sum()
                });
            });
        }
    }
    group.finish();

    let mut spans = Vec::new();
    map(&lines, |span| spans.push(span));
    for span in &mut spans {
        span.input = Some("a question of a few words, \"quoted\", and a line\nor two ".repeat(20));
    }
    let encode = |format| {
        let mut batcher = Batcher::new(Convention::LANGFUSE, format, Stamp::new("bench"));
        let mut bodies = Vec::new();
        for span in &spans {
            bodies.extend(batcher.push(span).ok().flatten());
        }
        bodies.extend(batcher.flush());
        bodies
    };
    let bytes: u64 = encode(Format::Json).iter().map(|request| request.body.len() as u64).sum();
    let trees: Vec<Value> = encode(Format::Json)
        .iter()
        .filter_map(|request| serde_json::from_slice(&request.body).ok())
        .collect();
    let mut group = c.benchmark_group("encode");
    group.sample_size(10).throughput(Throughput::Bytes(bytes));
    group.bench_function("OTLP/JSON", |b| b.iter(|| encode(Format::Json).len()));
    group.bench_function("OTLP protobuf (of the same spans)", |b| b.iter(|| encode(Format::Protobuf).len()));
    group.bench_function("limit: serde_json of the same bytes", |b| {
        b.iter_batched(
            Vec::new,
            |mut out: Vec<u8>| {
                for tree in &trees {
                    serde_json::to_writer(&mut out, tree).unwrap_or_default();
                }
                out.len()
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);

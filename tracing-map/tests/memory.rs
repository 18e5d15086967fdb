//! Memory is bounded by open runs, not by the events that went through. A process of its own, so that what is measured is
//! the mapper's. `CLAWGAUGE_MEMORY_RUNS` raises the number of runs (10,000 are a million events).

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests fail loudly")]

use clawgauge_tracing_map::{Batcher, Config, Convention, DiagnosticEvent, Format, Mapper, Stamp};
use serde_json::json;

/// Runs that are open at once, and events of each.
const OPEN: u64 = 200;
const EVENTS: u64 = 100;

/// Peak resident memory of this process in KiB; `None` where the system does not tell.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn a_million_events_fit_into_64_mib() {
    let runs: u64 =
        std::env::var("CLAWGAUGE_MEMORY_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000);
    let mut mapper = Mapper::new(Config::without_content());
    let mut batcher = Batcher::new(Convention::LANGFUSE, Format::Json, Stamp::new("t"));
    let (mut events, mut bytes, mut spans) = (0_u64, 0, 0_u64);
    for wave in 0..runs.div_ceil(OPEN) {
        for step in 0..EVENTS {
            for lane in 0..OPEN {
                let run = format!("run-{wave}-{lane}");
                let ts = 1_796_037_300_000 + wave * 100_000 + step * 100;
                let call = step / 2;
                let value = match step {
                    0 => json!({"type": "run.started", "channel": "webchat"}),
                    99 => json!({"type": "run.completed", "outcome": "completed"}),
                    _ if step % 2 == 1 => {
                        json!({"type": "tool.execution.started", "toolCallId": format!("c{call}"), "toolName": "exec"})
                    }
                    _ => {
                        json!({"type": "tool.execution.completed", "toolCallId": format!("c{}", call - 1), "toolName": "exec", "durationMs": 100})
                    }
                };
                let mut value = value;
                value["ts"] = ts.into();
                value["runId"] = run.into();
                value["sessionKey"] = format!("agent:main:s{lane}").into();
                value["sessionId"] = format!("sess-{lane}").into();
                let event = DiagnosticEvent::from_value(value).unwrap();
                mapper.handle(&event, i64::try_from(ts).unwrap());
                events += 1;
                while let Some(span) = mapper.poll() {
                    spans += 1;
                    if let Some(request) = batcher.push(&span).unwrap() {
                        bytes += request.body.len();
                    }
                }
            }
        }
    }
    mapper.finish(i64::MAX);
    while let Some(span) = mapper.poll() {
        spans += 1;
        if let Some(request) = batcher.push(&span).unwrap() {
            bytes += request.body.len();
        }
    }
    assert_eq!(mapper.counters().runs, runs.div_ceil(OPEN) * OPEN);
    assert_eq!(mapper.counters().late, 0);
    println!("{events} events, {spans} spans, {bytes} bytes of requests");
    if let Some(peak) = peak_kib() {
        println!("peak resident memory {} MiB", peak / 1024);
        assert!(peak <= 64 * 1024, "{peak} KiB");
    }
}

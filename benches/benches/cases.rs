//! How fast cases are checked.
//!
//! `cargo bench -p clawgauge-benches --bench cases`
//!
//! `thousand_cases` checks 1,000 cases with the assertions of openclaw-edd against one trajectory of 200 calls;
//! `ordered` matches 20 expected steps against 1,000, 10,000 and 100,000 calls, which must take time in proportion.

use std::hint::black_box;

use clawgauge_cases::{
    Assertion, Case, Checker, Format, LoadOptions, Semantics, StepPattern, Suite, Trajectory,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;

const TOOLS: [&str; 4] = ["exec", "read", "edit", "exec"];

fn trajectory(calls: usize) -> Trajectory {
    let steps = (0..calls).map(|i| {
        let tool = TOOLS.get(i % TOOLS.len()).copied().unwrap_or("exec");
        let args = match tool {
            "exec" => json!({"command": format!("cargo test --package part{i} && git add src/part{i}.rs")}),
            _ => json!({"path": format!("src/part{i}.rs"), "limit": i}),
        };
        (tool, args)
    });
    Trajectory::from_calls(steps, "All parts are tested; the slow query is in part 17.")
}

fn suite(cases: usize) -> Suite {
    let cases: Vec<_> = (0..cases)
        .map(|i| {
            json!({
                "id": format!("c{i}"),
                "message": "m",
                "expect_tools": ["exec", "read"],
                "expect_tools_ordered": ["exec", "edit"],
                "forbidden_tools": ["write"],
                "expect_commands": ["cargo test", format!("part{}", i % 200 / 4 * 4)],
                "forbidden_commands": ["rm -rf"],
                "expect_commands_ordered": ["cargo test", "git add"],
                "expect_output_contains": ["slow query"],
                "expect_tool_args": {"read": {"path": "part5.rs"}},
                "max_retries": 3,
            })
        })
        .collect();
    Suite::parse(&json!({ "cases": cases }).to_string(), Format::Json, &LoadOptions::default())
        .unwrap_or_default()
}

fn thousand_cases(c: &mut Criterion) {
    let done = trajectory(200);
    let suite = suite(1000);
    let mut group = c.benchmark_group("cases");
    group.sample_size(20).throughput(Throughput::Elements(suite.cases.len() as u64));
    group.bench_function("thousand_cases/200_calls", |b| {
        b.iter(|| {
            let checker = Checker::new(&done);
            suite.cases.iter().filter(|case| checker.check(case, Semantics::Clawgauge).passed()).count()
        });
    });
    group.bench_function("thousand_cases/200_calls/compared", |b| {
        b.iter(|| {
            let checker = Checker::new(&done).comparing(true);
            suite.cases.iter().filter(|case| checker.check(case, Semantics::Clawgauge).passed()).count()
        });
    });
    group.finish();
}

/// Twenty reads, spread over all calls, so that the match has to go to the end.
fn spread(calls: usize) -> Case {
    let step = |number: usize| {
        let call = number * (calls / 20) / TOOLS.len() * TOOLS.len() + 1;
        let args = json!({"path": format!("part{call}.rs")}).as_object().cloned().unwrap_or_default();
        StepPattern::tool("read").with_args(args)
    };
    let steps = (0..20).map(step).collect();
    Case::new("a", "m").with(Assertion::ToolsOrdered { steps, strict: false })
}

fn ordered(c: &mut Criterion) {
    let mut group = c.benchmark_group("ordered");
    group.sample_size(20);
    for calls in [1_000, 10_000, 100_000] {
        let done = trajectory(calls);
        let (checker, case) = (Checker::new(&done), spread(calls));
        group.throughput(Throughput::Elements(calls as u64));
        group.bench_with_input(BenchmarkId::from_parameter(calls), &checker, |b, checker| {
            b.iter(|| black_box(checker.check(&case, Semantics::Clawgauge).passed()));
        });
    }
    group.finish();
}

criterion_group!(benches, thousand_cases, ordered);
criterion_main!(benches);

//! Field cases 31, 32 and 74, the shapes of real data, and the conservation laws.

use clawgauge_transcript::{Usage, UsageTotals};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Sums the usage of the assistant rows of a transcript.
fn totals_of(transcript: &str) -> UsageTotals {
    let rows: Vec<Value> = transcript.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let replies: Vec<Option<Usage>> = rows
        .iter()
        .map(|row| &row["message"])
        .filter(|message| message["role"] == "assistant")
        .map(|message| message.get("usage").map(Usage::from_value))
        .collect();
    replies.iter().map(Option::as_ref).collect()
}

#[test]
fn field_case_31_unknown_is_not_zero() {
    let totals = totals_of(include_str!("../fixtures/field-cases/31-usage-unknown-vs-zero.jsonl"));
    assert_eq!((totals.calls, totals.reported_calls), (3, 1));
    assert_eq!((totals.input, totals.output), (Some(1000), Some(50)));
    assert_eq!(totals.cost_usd(), Some(0.02));
    assert!(totals.partial());
    assert!(totals.cost_partial());
}

#[test]
fn field_case_32_every_spelling_once() {
    let totals = totals_of(include_str!("../fixtures/field-cases/32-usage-shapes.jsonl"));
    assert_eq!(totals.input, Some(18));
    // Eleven, and four from a numeric string, which we accept.
    assert_eq!(totals.output, Some(15));
    assert_eq!((totals.cache_read, totals.cache_write), (Some(1000), Some(20)));
    assert_eq!(totals.total, Some(1049));
    assert_eq!(totals.cost_usd(), Some(0.51));
    assert!(totals.partial(), "the last reply's input is unknown");
}

#[test]
fn field_case_74_buckets_are_disjoint() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../fixtures/74-cached-token-keys.json")).unwrap();
    let buckets: Vec<Value> = cases
        .iter()
        .map(|case| serde_json::to_value(Usage::from_value(&case["usage"]).to_langfuse()).unwrap())
        .collect();
    assert_eq!(
        buckets,
        [
            json!({"input":5,"input_cached_tokens":1000,"input_cache_creation":200,"output":10,"total":1215}),
            json!({"input":5,"input_cached_tokens":1000,"input_cache_creation":200,"output":10,"total":1215}),
            json!({"input":50,"output":10,"total":60}),
            json!({"input":5,"input_cached_tokens":1000,"output":10,"total":1015}),
        ]
    );
}

/// Each row: the object, then input, output, cache read, cache write, reasoning, total tokens.
#[test]
fn shapes() {
    type Counts = [Option<u64>; 6];
    let rows: &[(&str, Counts)] = &[
        // A transcript row of 2026.9.6.
        (
            r#"{"input":4467,"output":8,"cacheRead":4352,"cacheWrite":0,"reasoningTokens":0,"totalTokens":8827}"#,
            [Some(4467), Some(8), Some(4352), Some(0), Some(0), Some(8827)],
        ),
        // A `model.usage` event.
        (
            r#"{"input":4517,"output":2,"cacheRead":4416,"cacheWrite":0,"promptTokens":8933,"total":8935}"#,
            [Some(4517), Some(2), Some(4416), Some(0), None, Some(8935)],
        ),
        // OpenAI chat completions, then responses.
        (
            r#"{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":7}}"#,
            [Some(36), Some(20), Some(64), None, Some(7), Some(120)],
        ),
        (
            r#"{"input_tokens":100,"output_tokens":20,"input_tokens_details":{"cached_tokens":64},"output_tokens_details":{"reasoning_tokens":0}}"#,
            [Some(36), Some(20), Some(64), None, Some(0), Some(120)],
        ),
        // Anthropic: the input excludes the cache.
        (
            r#"{"input_tokens":3,"output_tokens":20,"cache_read_input_tokens":64,"cache_creation_input_tokens":9}"#,
            [Some(3), Some(20), Some(64), Some(9), None, Some(96)],
        ),
        // The relay's usage.
        (
            r#"{"calls":2,"inputTokens":7,"outputTokens":3,"totalTokens":15,"cacheReadTokens":5,"costUsd":0.1,"model":"m"}"#,
            [Some(7), Some(3), Some(5), None, None, Some(15)],
        ),
        // DeepSeek: the hit is a part of the prompt.
        (
            r#"{"prompt_tokens":50,"completion_tokens":5,"prompt_cache_hit_tokens":40,"prompt_cache_miss_tokens":10}"#,
            [Some(10), Some(5), Some(40), None, None, Some(55)],
        ),
        // Floats, numeric strings, and what is neither.
        (
            r#"{"input":18.0,"output":"4","cacheRead":" 2 ","cacheWrite":"many","totalTokens":1e3}"#,
            [Some(18), Some(4), Some(2), None, None, Some(1000)],
        ),
        (r#"{"input":-5,"output":[1],"cacheRead":{"a":1},"total":true}"#, [None; 6]),
        (r#"{"input":1e300,"output":99999999999999999999999}"#, [None; 6]),
        // Both spellings: once. A first choice that says nothing gives way to the second.
        (
            r#"{"input":11,"inputTokens":12,"input_tokens":13,"output":1}"#,
            [Some(11), Some(1), None, None, None, Some(12)],
        ),
        (r#"{"input":null,"inputTokens":12}"#, [Some(12), None, None, None, None, None]),
        (r#"{"input":1,"input":2}"#, [Some(2), None, None, None, None, None]),
        // The event beside which reasoning is counted on its own: it moves into the output.
        (
            r#"{"input":10,"output":5,"reasoningTokens":30,"totalTokens":45}"#,
            [Some(10), Some(35), None, None, Some(30), Some(45)],
        ),
        ("null", [None; 6]),
        ("[1,2]", [None; 6]),
        ("7", [None; 6]),
        ("{broken", [None; 6]),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in rows {
        let usage = Usage::from_json(text);
        let got = [
            usage.input,
            usage.output,
            usage.cache_read,
            usage.cache_write,
            usage.reasoning,
            usage.total_tokens(),
        ];
        if got != *expected {
            wrong.push(format!("{text}\n  expected {expected:?}\n  got      {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn cost_shapes() {
    let rows = [
        (r#"{"cost":0.5}"#, Some(0.5)),
        (r#"{"cost":"0.5"}"#, Some(0.5)),
        (r#"{"cost":{"total":0.5,"input":0,"output":0}}"#, Some(0.5)),
        (r#"{"cost":{"input":0.25,"output":0.5,"cacheRead":null}}"#, Some(0.75)),
        (r#"{"cost":{}}"#, None),
        (r#"{"cost":null}"#, None),
        (r#"{"cost":-1}"#, None),
        (r#"{"cost":null,"costUsd":0.125}"#, Some(0.125)),
        (r#"{"cost":{"total":0.5},"costUsd":0.125}"#, Some(0.5)),
    ];
    for (text, expected) in rows {
        assert_eq!(Usage::from_json(text).cost_usd(), expected, "{text}");
    }
}

#[test]
fn a_total_that_does_not_add_up_is_seen() {
    assert_eq!(Usage::from_json(r#"{"input":1,"output":2,"totalTokens":3}"#).adds_up(), Some(true));
    assert_eq!(Usage::from_json(r#"{"input":1,"output":2,"totalTokens":9}"#).adds_up(), Some(false));
    assert_eq!(Usage::from_json(r#"{"input":1,"output":2}"#).adds_up(), None);
}

/// JSON readers may be off by the last bit of a double: compare nanodollars.
fn nano(usd: f64) -> f64 {
    (usd * 1e9).round()
}

fn without_cost(mut usage: Usage) -> Usage {
    usage.cost = None;
    usage
}

fn count() -> impl Strategy<Value = Option<u64>> {
    prop_oneof![1 => Just(None), 1 => Just(Some(0)), 4 => (0..1_000_000u64).prop_map(Some)]
}

prop_compose! {
    /// Any usage a row may hold: parts known or not, total absent, right or wrong.
    fn any_usage()(
        input in count(), output in count(), cache_read in count(), cache_write in count(),
        share in 0..=100u64, with_reasoning in any::<bool>(), total in count(), cost in proptest::option::of(0.0..100.0f64),
    ) -> Usage {
        let reasoning = output.filter(|_| with_reasoning).map(|output| output * share / 100);
        let mut usage = Usage::from_json(&json!({
            "input": input, "output": output, "cacheRead": cache_read, "cacheWrite": cache_write,
            "reasoningTokens": reasoning,
        }).to_string());
        usage.total = total;
        match cost {
            Some(usd) => usage.with_cost_usd(usd),
            None => usage,
        }
    }
}

proptest! {
    #[test]
    fn conversions_conserve(usage in any_usage()) {
        let openai = usage.to_openai();
        if let (Some(prompt), Some(completion)) = (openai.prompt_tokens, openai.completion_tokens) {
            prop_assert_eq!(Some(prompt + completion), openai.total_tokens);
            prop_assert!(openai.cached_tokens.unwrap_or(0) <= prompt);
            prop_assert!(openai.reasoning_tokens.unwrap_or(0) <= completion);
        }
        let inference = usage.to_openinference();
        if let (Some(prompt), Some(completion)) = (inference.prompt, inference.completion) {
            prop_assert_eq!(Some(prompt + completion), inference.total);
        }
        let langfuse = usage.to_langfuse();
        if let Some(total) = langfuse.total {
            prop_assert!(langfuse.sum() <= total);
            if usage.total.is_none() || usage.adds_up() == Some(true) {
                prop_assert_eq!(langfuse.sum(), total);
            }
        }
        prop_assert_eq!(usage.to_gen_ai().input_tokens, usage.prompt_tokens());
    }

    #[test]
    fn ways_back(usage in any_usage()) {
        let counts = |usage: &Usage| (usage.input, usage.output, usage.cache_read, usage.cache_write);
        let gen_ai = usage.to_gen_ai().to_usage();
        prop_assert_eq!(gen_ai.output, usage.output);
        if usage.input.is_some() {
            prop_assert_eq!(counts(&gen_ai), counts(&usage));
            prop_assert_eq!(gen_ai.reasoning, usage.reasoning);
        }
        prop_assert_eq!(counts(&usage.to_langfuse().to_usage()), counts(&usage));
    }

    #[test]
    fn what_is_written_reads_back(usage in any_usage()) {
        let read = Usage::from_json(&serde_json::to_string(&usage).unwrap());
        let again = Usage::from_json(&serde_json::to_string(&read).unwrap());
        prop_assert_eq!(without_cost(read), without_cost(again));
        prop_assert_eq!(read.cost_usd().map(nano), usage.cost_usd().map(nano));
        if usage.adds_up() != Some(false) {
            prop_assert_eq!(without_cost(read), without_cost(usage));
        }
    }

    #[test]
    fn totals_do_not_depend_on_order_or_grouping(usages in prop::collection::vec(proptest::option::of(any_usage()), 0..12), cut in 0..12usize) {
        let whole: UsageTotals = usages.iter().map(Option::as_ref).collect();
        let backwards: UsageTotals = usages.iter().rev().map(Option::as_ref).collect();
        prop_assert_eq!(whole, backwards);
        let (left, right) = usages.split_at(cut.min(usages.len()));
        let mut merged: UsageTotals = right.iter().map(Option::as_ref).collect();
        merged.merge(&left.iter().map(Option::as_ref).collect());
        prop_assert_eq!(whole, merged);
        let sum: u64 = usages.iter().flatten().filter(|usage| usage.is_reported()).filter_map(|usage| usage.input).sum();
        prop_assert_eq!(whole.input.unwrap_or(0), sum);
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = Usage::from_json(&text);
        let _ = Usage::from_json(&json!({"input": text, "cost": text, "total": {"a": text}}).to_string());
    }
}

/// One count that no float holds says nothing of the others.
#[test]
fn a_number_beyond_all_range_is_unknown_alone() {
    let usage =
        Usage::from_json(r#"{"input":5,"output":1e999,"cacheRead":-1e999,"cost":{"total":1e999,"input":2}}"#);
    assert_eq!((usage.input, usage.output, usage.cache_read), (Some(5), None, None));
    assert_eq!(usage.cost_usd(), Some(2.0));
}

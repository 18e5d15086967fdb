//! The published schema, the template and the quickstart suite against the loader.

use std::collections::BTreeSet;

use clawgauge_cases::{
    Format, Json, LoadOptions, QUICKSTART, SCHEMA, SUITE_KEYS, Schema, Suite, TEMPLATE, case_keys,
};
use serde_json::{Value, json};

fn schema() -> (Value, Schema) {
    let value: Value = serde_json::from_str(SCHEMA).unwrap();
    let schema = Schema::new(&value).unwrap();
    (value, schema)
}

/// A YAML suite as data: what the loader kept of each case.
fn as_data(text: &str) -> (Suite, Value) {
    let suite = Suite::parse(text, Format::Yaml, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let cases: Vec<Value> = suite.cases.iter().map(|c| c.as_written().to_value()).collect();
    let data = json!({ "cases": cases });
    (suite, data)
}

#[test]
fn the_template_loads_and_uses_every_key() {
    let (suite, data) = as_data(TEMPLATE);
    assert_eq!(suite.warnings, [], "nothing odd in the template");
    let used: BTreeSet<String> = data["cases"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|c| c.as_object().unwrap().keys().cloned())
        .collect();
    let known: BTreeSet<String> = case_keys().map(str::to_owned).collect();
    assert_eq!(used, known);
    for key in SUITE_KEYS {
        assert!(TEMPLATE.contains(&format!("\n{key}:")), "{key} is in the template");
    }
    assert_eq!(schema().1.first_fault(&data), None);
}

#[test]
fn the_quickstart_has_six_cases_that_assert_something() {
    let (suite, data) = as_data(QUICKSTART);
    assert_eq!(suite.cases.len(), 6);
    assert!(suite.cases.iter().all(|c| !c.is_unchecked() && !c.is_only_negative()));
    assert_eq!(schema().1.first_fault(&data), None);
}

#[test]
fn schema_and_loader_know_the_same_keys() {
    let (value, _) = schema();
    let keys = |pointer: &str| -> BTreeSet<String> {
        value.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(keys("/$defs/case/properties"), case_keys().map(str::to_owned).collect());
    assert_eq!(keys("/anyOf/1/properties"), SUITE_KEYS.iter().map(|k| (*k).to_owned()).collect());
}

/// One value for a key of a case, and whether the format allows it.
#[test]
fn schema_and_loader_agree_on_values() {
    let (_, schema) = schema();
    let rows = [
        ("expect_tools", json!(["a", {"tool": "b", "require": "succeeded"}]), true),
        ("expect_tools", json!("a"), true),
        ("expect_tools", json!([{"tol": "b"}]), false),
        ("expect_tools", json!([["a"]]), false),
        ("expect_tools", json!({"tool": "a", "require": "maybe"}), false),
        ("expect_tools_ordered_strict", json!(true), true),
        ("expect_tools_ordered", json!(null), true),
        ("expect_commands", json!(["a", 5]), true),
        ("expect_commands", json!([null]), false),
        ("expect_tool_args", json!({"t": {"x": 1}}), true),
        ("expect_tool_args", json!({"t": [{"x": 1}, {"x": 2}]}), true),
        ("expect_tool_args", json!(["t"]), false),
        ("max_retries", json!(2), true),
        ("max_retries", json!(-1), false),
        ("max_retries", json!([1]), false),
        ("pass_at_k", json!(0), false),
        ("trajectory", json!({"mode": "strict", "steps": ["a"]}), true),
        ("trajectory", json!({"mode": "strict"}), false),
        ("trajectory", json!([{"steps": ["a"]}, {"steps": ["b"]}]), true),
        ("expect_outcomes", json!([{"tool": "a", "outcome": "recovered"}]), true),
        ("expect_outcomes", json!({"a": "failed"}), true),
        ("expect_outcomes", json!([{"tool": "a"}]), false),
        ("rules", json!(["never a until b", {"step": "a", "within": 2, "of": "b"}]), true),
        ("rules", json!(["a then b"]), false),
        ("rules", json!([{"never": "a"}]), false),
        ("no_repeated_failures", json!(true), true),
        ("min_score", json!({"accuracy": 0.5}), true),
        ("min_score", json!({"accuracy": 5}), false),
        ("claims", json!(["tests_pass"]), true),
        ("claims", json!(["tests_fail"]), false),
        ("claims", json!([{"says": ["x"], "evidence": ["a"]}]), true),
        ("claims", json!([{"says": ["x"]}]), false),
        ("any_of", json!([{"expect_tools": ["a"]}]), true),
        ("any_of", json!([{"expect_tool": ["a"]}]), false),
        ("not", json!({"expect_tools": ["a"]}), true),
        ("command_match", json!("shell"), true),
        ("command_match", json!("bash"), false),
        ("reviewed", json!(true), true),
        ("metadata", json!({"session_id": "s"}), true),
        ("unknown", json!(1), false),
    ];
    let mut problems = Vec::new();
    for (key, value, good) in rows {
        let data = json!({"cases": [{"id": "a", "message": "m", key: value}]});
        let loaded = Suite::parse(&data.to_string(), Format::Json, &LoadOptions::default());
        let valid = schema.is_valid(&data);
        if loaded.is_ok() != good || valid != good {
            let why = loaded.err().map(|e| e.to_string());
            problems.push(format!("{key}: {value}: loader {why:?}, schema {:?}", schema.first_fault(&data)));
        }
    }
    super::support::report("schema", &problems);
}

#[test]
fn what_is_built_in_code_reads_as_it_is_written() {
    let (suite, _) = as_data(TEMPLATE);
    for case in &suite.cases {
        let mut built = clawgauge_cases::Case::new(case.id.clone(), case.message.clone());
        for assertion in &case.assertions {
            // Three keys make one kind of assertion, which is written as its first.
            let odd = matches!(assertion, clawgauge_cases::Assertion::ToolArgs(steps) if steps.iter().any(|s| s.args.is_empty()));
            if !odd {
                built = built.with(assertion.clone());
            }
        }
        let text = format!("{{\"cases\": [{}]}}", serde_json::to_string(built.as_written()).unwrap());
        let read = Suite::parse(&text, Format::Json, &LoadOptions::default())
            .unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut read = read.cases[0].assertions.clone();
        let mut wanted = built.assertions.clone();
        let key = |a: &clawgauge_cases::Assertion| a.key();
        read.sort_by_key(key);
        wanted.sort_by_key(key);
        assert_eq!(read, wanted, "{}", case.id);
        assert_ne!(*built.as_written(), Json::Null);
    }
}

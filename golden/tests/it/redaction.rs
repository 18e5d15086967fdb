//! What the shape of a record gives away. Secrets here are invented.

use clawgauge_golden::{Export, ExportOptions, MineOptions, Record, redact_record};
use serde_json::{Value, json};

use crate::support::{SessionText, mine, redactor};

const SECRET: &str = "tr0ub4dor&3";

fn redacted(args: &Value, answer: &str) -> String {
    let turn = json!({"turn": 1, "user": "u", "golden_output": answer, "golden_tool_sequence": [{"name": "x", "args": args}]});
    let record = Record::parse(&json!({"id": "r", "conversation": [turn]}).to_string()).unwrap();
    let (once, _) = redact_record(&record, &redactor()).unwrap();
    let (twice, report) = redact_record(&once, &redactor()).unwrap();
    assert_eq!((twice.to_line(), report.is_empty()), (once.to_line(), true), "redacting twice equals once");
    once.to_line()
}

#[test]
fn a_secret_is_found_under_its_name_in_every_shape() {
    let shapes = [
        json!({"password": 48_213_377}),
        json!({"api_key": -48_213_377_i64}),
        json!({"passwords": [SECRET, "x"]}),
        json!({"password": [[SECRET]]}),
        json!({"api_keys": [SECRET]}),
        json!({"password": {"value": SECRET}}),
        json!({"env": [{"value": SECRET, "name": "DB_PASSWORD"}]}),
        json!({"env": [{"name": "DB_PASSWORD", "value": 48_213_377}]}),
        json!({"phone": 4_155_552_671_u64}),
    ];
    let mut leaks = Vec::new();
    for shape in shapes {
        let line = redacted(&shape, "");
        if [SECRET, "48213377", "4155552671"].iter().any(|secret| line.contains(secret)) {
            leaks.push(line);
        }
    }
    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn counts_and_names_stay() {
    let line = |args: &Value| {
        json!({"id": "r", "conversation": [{"turn": 1, "user": "u", "golden_tool_sequence": [{"name": "x", "args": args}]}]}).to_string()
    };
    for args in [
        json!({"tokens": [15_496, 995, 318], "max_tokens": 4096, "total_tokens": 120_000, "token_count": 90_210}),
        json!({"pass": 1204, "tests_pass": 1204, "keys": ["a1b2c3", "title"], "key": 123_456, "primary_key": 123_456}),
        json!({"secret": {"name": "db-login", "namespace": "shop1"}, "passwords": 12_345, "password": null, "secrets": true}),
        json!({"items": [{"name": "lamp", "value": 48_213_377}, {"value": "x1y2z3"}], "value": 12_345_678}),
    ] {
        let record = Record::parse(&line(&args)).unwrap();
        let (same, report) = redact_record(&record, &redactor()).unwrap();
        assert!(report.is_empty(), "{report:?}: {}", same.to_line());
        assert_eq!(same.to_line(), line(&args));
    }
}

#[test]
fn a_secret_under_its_name_is_one_wherever_it_is_quoted() {
    let args = json!({"password": SECRET, "note": format!("log in with {SECRET}, then wait"), SECRET: 1});
    let line = redacted(&args, &format!("I used ({SECRET}) and x{SECRET}y."));
    assert_eq!(line.matches(SECRET).count(), 1, "{line}");
    assert!(line.contains("I used (<SECRET_1>)") && line.contains(&format!("x{SECRET}y")), "{line}");
    // One secret may be a piece of another.
    let args = json!({"password": SECRET, "old_password": format!("{SECRET}-{SECRET}")});
    let line = redacted(&args, &format!("first {SECRET}-{SECRET}, now {SECRET}"));
    assert!(line.contains("first <SECRET_1>, now <SECRET_2>"), "{line}");
    // A word of the language is no secret elsewhere.
    let line = redacted(&json!({"password": "lantern"}), "The lantern is lit.");
    assert!(line.contains("The lantern is lit."), "{line}");
}

#[test]
fn what_is_mined_holds_no_secret_that_a_call_names() {
    let mut session = SessionText::new("sess-named");
    session.user(&format!("Log in with {SECRET} and tell me the quota"));
    session.calls(&[(
        "login",
        json!({"user": "ada", "password": SECRET}),
        &format!("welcome, {SECRET} accepted, quota 7312"),
    )]);
    session.answer(&format!("With `{SECRET}` the quota is 7312."));
    let mined = mine(&session.finish(), MineOptions::default());
    assert_eq!(mined.records.len(), 1, "{}", mined.report);
    let line = mined.records[0].to_line();
    assert!(!line.contains(SECRET) && line.contains("7312"), "{line}");
    let export = Export::new(&mined.records, ExportOptions::default(), &redactor()).unwrap();
    for text in [export.jsonl(), export.csv().unwrap(), export.sft()] {
        assert!(!text.contains(SECRET), "{text}");
    }
}

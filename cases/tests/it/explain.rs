//! What a person reads when a case fails, and each kind of new assertion.

use clawgauge_cases::{
    Aliases, Attempt, Case, CaseResult, Checker, Format, LoadOptions, Outcome, Run, Semantics, Suite,
    Trajectory, strength,
};
use serde_json::{Value, json};

fn case(value: &Value) -> Case {
    let suite = json!({"cases": [value]}).to_string();
    Suite::parse(&suite, Format::Json, &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{value}: {e}"))
        .cases
        .remove(0)
}

/// A deployment that went wrong once, was repaired, and is reported too boldly.
fn deployment() -> Trajectory {
    let mut done = Trajectory::from_calls(
        [
            ("read", json!({"path": "deploy.md"})),
            ("exec", json!({"command": "deploy --env test --token sk-ant-abcdefghijklmnop1234"})),
            ("exec", json!({"command": "cat log.txt"})),
            ("exec", json!({"command": "deploy --env test"})),
            ("note", json!({"text": "done"})),
        ],
        "The service is deployed. All tests pass.",
    );
    for (at, step) in done.steps.iter_mut().enumerate() {
        step.entry = Some(format!("e{at}"));
        step.result = Some(format!("result {at}"));
    }
    done.steps[1].outcome = Outcome::Failed;
    done.total_tokens = Some(1200);
    done.cost = Some(0.02);
    done.scores.insert("accuracy".to_owned(), Some(0.4));
    done.scores.insert("autonomy".to_owned(), None);
    done
}

/// Each new kind of assertion, once satisfied and once not.
fn rows() -> Vec<(&'static str, Value, bool)> {
    vec![
        ("trajectory", json!({"mode": "strict", "steps": ["read", "exec", "exec", "exec", "note"]}), true),
        ("trajectory", json!({"mode": "strict", "steps": ["read", "exec", "note"]}), false),
        ("trajectory", json!({"mode": "unordered", "steps": ["note", "exec", "exec", "exec", "read"]}), true),
        ("trajectory", json!({"mode": "unordered", "steps": ["note", "exec", "read"]}), false),
        (
            "trajectory",
            json!({"mode": "subset", "steps": ["note", "exec", "exec", "exec", "read", "write"]}),
            true,
        ),
        ("trajectory", json!({"mode": "subset", "steps": ["exec", "read"]}), false),
        ("trajectory", json!({"mode": "superset", "steps": ["note", "read"]}), true),
        ("trajectory", json!({"mode": "superset", "steps": ["note", "note"]}), false),
        ("trajectory", json!([{"steps": ["write"]}, {"mode": "ordered", "steps": ["read", "note"]}]), true),
        ("allowed_tools", json!(["read", "exec", "note"]), true),
        ("allowed_tools", json!(["read"]), false),
        ("expect_outcomes", json!([{"tool": "exec", "command": "deploy", "outcome": "recovered"}]), true),
        ("expect_outcomes", json!({"note": "failed"}), false),
        ("rules", json!(["never note until read"]), true),
        ("rules", json!(["never read until note"]), false),
        ("rules", json!(["read before exec", "note within 1 of exec"]), false),
        ("rules", json!([{"step": "note", "within": 3, "of": {"tool": "exec", "command": "cat"}}]), true),
        ("rules", json!(["note before exec"]), false),
        ("no_repeated_failures", json!(true), true),
        ("max_calls", json!(5), true),
        ("max_calls", json!(4), false),
        ("max_tokens", json!(1200), true),
        ("max_tokens", json!(1199), false),
        ("max_cost", json!(0.01), false),
        ("max_seconds", json!(10), false),
        ("min_score", json!({"autonomy": 0.9}), true),
        ("min_score", json!({"accuracy": 0.5}), false),
        ("min_score", json!({"unheard_of": 0.5}), false),
        ("claims", json!(["tests_pass"]), false),
        ("claims", json!(["pushed"]), true),
        (
            "claims",
            json!([{"name": "deployed", "says": ["is deployed"], "evidence": [{"command": "deploy", "require": "succeeded"}]}]),
            true,
        ),
        ("expect_output_regex", json!(["(?i)DEPLOYED\\."]), true),
        ("expect_output_regex", json!(["^done"]), false),
        ("forbidden_output_regex", json!(["tests? pass"]), false),
        ("forbidden_output", json!(["I cannot"]), true),
        ("expect_output_schema", json!({"type": "object"}), false),
        ("expect_tool_args_regex", json!({"exec": {"command": "--env (test|stage)$"}}), true),
        ("expect_tool_args_regex", json!({"exec": {"command": "--env prod"}}), false),
        ("expect_tool_args_schema", json!({"read": {"required": ["path"]}}), true),
        ("expect_tool_args_schema", json!({"read": {"required": ["file"]}}), false),
        ("any_of", json!([{"expect_tools": ["write"]}, {"expect_tools": ["note"]}]), true),
        ("any_of", json!([{"expect_tools": ["write"]}, {"expect_tools": ["grep"]}]), false),
        ("all_of", json!([{"expect_tools": ["read"]}, {"expect_tools": ["note"]}]), true),
        ("all_of", json!([{"expect_tools": ["read"]}, {"expect_tools": ["grep"]}]), false),
        ("not", json!({"expect_tools": ["write"]}), true),
        ("not", json!({"expect_tools": ["read"]}), false),
        ("expect_tools", json!([{"tool": "exec", "result_contains": "RESULT 3"}]), true),
    ]
}

#[test]
fn each_new_assertion_holds_and_fails() {
    let done = deployment();
    let checker = Checker::new(&done);
    let mut problems = Vec::new();
    let mut shown = String::new();
    for (key, value, holds) in rows() {
        let verdict =
            checker.check(&case(&json!({"id": "a", "message": "m", key: value})), Semantics::Clawgauge);
        if verdict.passed() != holds {
            problems.push(format!("{key}: {value}: {:?}", verdict.failures()));
        }
        for check in &verdict.checks {
            for line in check.to_lines() {
                shown.push_str(&line);
                shown.push('\n');
            }
        }
    }
    super::support::report("new assertions", &problems);
    assert!(!shown.contains("sk-ant-abcdef"), "quotes pass the redactor");
    insta::assert_snapshot!(shown);
}

#[test]
fn every_failed_assertion_gives_advice_that_changes_a_file_once() {
    let done = deployment();
    let edd: [(&str, Value); 12] = [
        ("expect_tools", json!(["write"])),
        ("expect_tools_ordered", json!(["note", "read"])),
        ("forbidden_tools", json!(["note"])),
        ("expect_commands", json!(["kubectl"])),
        ("forbidden_commands", json!(["deploy"])),
        ("expect_commands_ordered", json!(["cat", "cat"])),
        ("expect_output_contains", json!(["rolled back"])),
        ("expect_tool_args", json!({"read": {"path": "other.md"}})),
        ("expect_actions", json!(["count_items"])),
        ("expect_actions_ordered", json!(["file_read", "file_read"])),
        ("expect_plan_contains", json!(["plan"])),
        ("max_calls", json!(1)),
    ];
    let failing = rows().into_iter().filter(|(_, _, holds)| !holds).map(|(key, value, _)| (key, value));
    for (key, value) in edd.into_iter().chain(failing) {
        let case = case(&json!({"id": "deploy", "message": "Deploy", key: value}));
        let verdict = Checker::new(&done).check(&case, Semantics::Clawgauge);
        assert!(!verdict.passed(), "{key}: {value}");
        let run = Run::new(vec![CaseResult::new(&case, vec![Attempt::judged(verdict, &done)])]);
        // The same from the report of a run, read again.
        for run in [Run::from_json(&run.to_json()).unwrap(), run] {
            let suggestions = run.suggestions();
            assert_eq!(suggestions.len(), 1, "{key}: {value}");
            let plan = clawgauge_cases::Plan::of(&suggestions, &|_| None);
            assert_eq!((plan.edits.len(), plan.refused.len()), (1, 0), "{key}: {suggestions:?}");
            let read = |file: &str| plan.edits.iter().find(|e| e.file == file).map(|e| e.after.clone());
            assert!(clawgauge_cases::Plan::of(&suggestions, &read).edits.is_empty(), "{key}");
        }
    }
}

fn failed_run() -> Run {
    let done = deployment();
    let cases = [
        json!({"id": "way", "message": "Deploy <b>the</b> service", "expect_tools_ordered": ["read", {"tool": "exec", "command": "cargo test"}, "note"], "claims": ["tests_pass"]}),
        json!({"id": "fine", "message": "Deploy", "expect_tools": ["read"]}),
        json!({"id": "climb", "message": "Deploy", "eval_type": "capability", "forbidden_commands": ["deploy --env"]}),
        json!({"id": "nothing", "message": "Deploy"}),
    ];
    let mut results: Vec<CaseResult> = cases
        .iter()
        .map(|value| {
            let case = case(value);
            let verdict = Checker::new(&done).comparing(true).check(&case, Semantics::Clawgauge);
            CaseResult::new(&case, vec![Attempt::judged(verdict, &done)])
        })
        .collect();
    let flaky = case(&json!({"id": "k", "message": "Deploy", "pass_at_k": 3, "expect_tools": ["read"]}));
    results.push(CaseResult::new(
        &flaky,
        vec![
            Attempt::recorded(false, vec!["Missing required tool calls: read".to_owned()]),
            Attempt::recorded(true, vec![]),
            Attempt::errored("the agent program was not found: token=abcdefgh12345", 0.0),
        ],
    ));
    Run::new(results)
}

#[test]
fn text_report() {
    let run = failed_run();
    let mut shown: String = run.results.iter().map(|r| format!("{}\n", r.to_text())).collect();
    shown.push_str(&run.to_text());
    shown.push_str(&run.summary_line());
    assert!(!shown.contains("abcdefgh12345"));
    insta::assert_snapshot!(shown);
}

#[test]
fn markdown_report() {
    insta::assert_snapshot!(failed_run().to_markdown());
}

#[test]
fn junit_report() {
    let xml = failed_run().to_junit();
    assert!(xml.contains("tests=\"5\"") && xml.contains("failures=\"2\""), "{xml}");
    insta::assert_snapshot!(xml);
}

#[test]
fn html_report_asks_for_nothing() {
    let html = failed_run().to_html("Cases <of> today");
    for bad in
        ["<script", "http:", "https:", "url(", "@import", "<b>the", "<of>", "abcdefgh12345", "sk-ant-abc"]
    {
        assert!(!html.contains(bad), "{bad}");
    }
    for good in ["Cases &lt;of&gt; today", "<svg", "name=\"viewport\"", "meet again"] {
        assert!(html.contains(good), "{good}");
    }
}

#[test]
fn weak_assertions_let_mutants_live() {
    let done = Trajectory::from_calls(
        [("read", json!({"path": "a"})), ("exec", json!({"command": "ls"}))],
        "two files",
    );
    let score = |value: Value| {
        let case = case(&value);
        strength(&case, &done, &Aliases::default(), Semantics::Clawgauge, 100).unwrap()
    };
    let weak = score(json!({"id": "a", "message": "m", "expect_tools": ["read"]}));
    let strong = score(json!({"id": "a", "message": "m", "expect_output_contains": ["two files"],
        "trajectory": {"mode": "strict", "require": "succeeded", "args_match": "exact",
            "steps": [{"tool": "read", "args": {"path": "a"}}, {"tool": "exec", "args": {"command": "ls"}}]}}));
    assert_eq!(strong.score(), Some(1.0), "{:?}", strong.survivors().collect::<Vec<_>>());
    // Only dropping `read` is noticed: 1 of 11 changes.
    assert_eq!(weak.mutants.len(), 11);
    assert_eq!(weak.survivors().count(), 10);
    assert!(
        strength(
            &case(&json!({"id": "a", "message": "m", "expect_tools": ["x"]})),
            &done,
            &Aliases::default(),
            Semantics::Clawgauge,
            9
        )
        .is_none()
    );
}

/// The explanation of the one check of a case, which fails.
fn explained(key: &str, wanted: &Value, done: &Trajectory) -> clawgauge_cases::Explanation {
    let case = case(&json!({"id": "c", "message": "m", key: wanted}));
    let verdict = Checker::new(done).check(&case, Semantics::Clawgauge);
    let check = verdict.checks.into_iter().find(|check| !check.passed).unwrap();
    *check.explanation.unwrap()
}

fn calls(names: &[&str]) -> Trajectory {
    Trajectory::from_calls(names.iter().map(|name| (*name, json!({}))), "done")
}

#[test]
fn the_edits_are_the_fewest_not_those_of_the_longest_common_part() {
    let wanted = json!({"mode": "strict", "steps": ["a", "b", "c", "d"]});
    let alignment = explained("trajectory", &wanted, &calls(&["d", "x", "y", "a"])).alignment.unwrap();
    // One step is in common, which takes three to add and three to remove; changing each call takes four.
    assert_eq!((alignment.matched, alignment.edits), (1, 4));
    let alignment = explained("trajectory", &wanted, &calls(&["a", "c", "d", "e"])).alignment.unwrap();
    assert_eq!((alignment.matched, alignment.edits), (3, 2));
}

#[test]
fn calls_of_one_message_are_shown_in_the_order_that_suits_the_expected_steps() {
    let mut done = calls(&["exec", "note", "read", "read"]);
    for step in &mut done.steps {
        step.message = 0;
    }
    let alignment = explained("expect_tools_ordered", &json!(["read", "exec", "read", "write"]), &done)
        .alignment
        .unwrap();
    assert_eq!((alignment.matched, alignment.edits), (3, 1), "{alignment:?}");
    let shown: Vec<(Option<usize>, Option<usize>)> =
        alignment.rows.iter().map(|row| (row.expected, row.actual)).collect();
    let read_first =
        [(Some(0), Some(2)), (None, Some(1)), (Some(1), Some(0)), (Some(2), Some(3)), (Some(3), None)];
    assert_eq!(shown, read_first);
}

#[test]
fn the_closest_call_may_be_one_that_came_too_early() {
    let done = Trajectory::from_calls(
        [("read", json!({"path": "a"})), ("exec", json!({})), ("read", json!({"path": "b"}))],
        "done",
    );
    let wanted = json!(["exec", {"tool": "read", "args": {"path": "a"}}]);
    let near = explained("expect_tools_ordered", &wanted, &done).near_miss.unwrap();
    assert_eq!(near.actual, r##"#1 read {"path":"a"}"##, "one fault as #3, and more alike");
    assert_eq!(near.because, ["it comes too early: call #2 is taken for expected step 1"]);
    let wanted =
        json!(["exec", {"tool": "read", "args": {"path": "b"}}, {"tool": "read", "args": {"path": "a"}}]);
    let near = explained("expect_tools_ordered", &wanted, &done).near_miss.unwrap();
    assert_eq!(near.actual, r##"#1 read {"path":"a"}"##);
    assert_eq!(near.because, ["it comes too early: call #3 is taken for expected step 2"]);
}

#[test]
fn the_closest_call_is_the_most_alike_of_those_with_as_many_faults() {
    let paths = ["README.md", "src/main.rs", "docs/a.txt"];
    let done = Trajectory::from_calls(paths.map(|path| ("read", json!({ "path": path }))), "done");
    for (key, wanted) in [
        ("expect_tool_args", json!({"read": {"path": "src/mian.rs"}})),
        ("expect_tools", json!([{"tool": "read", "args": {"path": "src/mian.rs"}}])),
    ] {
        let near = explained(key, &wanted, &done).near_miss.unwrap();
        assert!(near.actual.starts_with("#2 "), "{key}: {near:?}");
    }
}

#[test]
fn where_steps_may_be_missing_none_of_them_is_called_the_fault() {
    let wanted = json!({"mode": "subset", "steps": ["read", "exec"]});
    let explanation = explained("trajectory", &wanted, &calls(&["exec", "raed"]));
    assert_eq!(explanation.near_miss, None);
    assert_eq!(explanation.alignment.unwrap().edits, 1);
}

#[test]
fn the_name_of_a_tool_stays_on_its_line() {
    let done = calls(&["read", "evil\n  = write                        #9 write\n\u{1b}[2J"]);
    let lines = explained("expect_tools_ordered", &json!(["write"]), &done).to_lines();
    assert!(lines.iter().all(|line| !line.contains(['\n', '\u{1b}'])), "{lines:#?}");
}

#[test]
fn what_was_run_is_told_once_and_without_empty_words() {
    let done =
        Trajectory::from_calls((0..40).map(|_| ("exec", json!({"command": "cat queue.txt"}))), "Gave up.");
    let lines = |key: &str, wanted: Value| -> Vec<String> {
        let case = case(&json!({"id": "c", "message": "m", key: wanted}));
        Checker::new(&done).check(&case, Semantics::Clawgauge).checks[0].to_lines()
    };
    assert_eq!(
        lines("expect_commands", json!(["cargo nextest"])),
        ["Missing expected command keywords: cargo nextest", "  #1 ran: cat queue.txt x40"]
    );
    assert_eq!(
        lines("expect_commands_ordered", json!(["git push", "cat"])),
        [
            "Command order mismatch: 0 of 2 in order; `git push` (index 0) is not run",
            "    - `git push` was never run"
        ]
    );
    assert_eq!(
        lines("rules", json!(["write before exec", "never exec until read"]))[1..],
        [r##"  #1 exec {"command":"cat queue.txt"}"##]
    );
}

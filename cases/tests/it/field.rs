//! Small inputs after public bug reports of people who evaluate agents.

use std::borrow::Cow;

use clawgauge_cases::{
    Aliases, Assertion, Case, Checker, Flag, Format, LoadOptions, Semantics, Status, StepPattern, Suite,
    Trajectory, TrajectoryMode, Verdict,
};
use clawgauge_transcript::Transcript;
use serde_json::{Value, json};

use super::support::read;

fn suite(name: &str) -> Suite {
    Suite::parse(&read(&format!("field/{name}")), Format::of_name(name), &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn with_session<R>(name: &str, request: &str, use_it: impl FnOnce(&Trajectory) -> R) -> R {
    let text = read(&format!("field/{name}"));
    let transcript = Transcript::from_str(&text);
    let conversation = transcript.conversation();
    let (trajectory, _) = Trajectory::for_request(&conversation, request);
    use_it(&trajectory)
}

/// The verdicts of a suite's cases on a session, by id.
fn verdicts(cases: &str, session: &str) -> Vec<(String, Verdict)> {
    let suite = suite(cases);
    suite
        .cases
        .iter()
        .map(|case| {
            let verdict = with_session(session, &case.message, |t| {
                Checker::with_aliases(t, suite.aliases.clone()).check(case, suite.semantics)
            });
            (case.id.clone(), verdict)
        })
        .collect()
}

fn json_case(text: &Value) -> Case {
    let suite = json!({"cases": [text]}).to_string();
    Suite::parse(&suite, Format::Json, &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{text}: {e}"))
        .cases
        .remove(0)
}

fn calls(list: &Value) -> Trajectory {
    let pairs: Vec<(String, Value)> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|c| match c {
            Value::String(name) => (name.clone(), json!({})),
            c => (c["tool"].as_str().unwrap().to_owned(), c["args"].clone()),
        })
        .collect();
    Trajectory::from_calls(pairs, "done")
}

#[test]
fn f43_pairing_is_optimal_whatever_the_order_of_the_list() {
    let field: Value = serde_json::from_str(&read("field/43-optimal-pairing.json")).unwrap();
    let done = calls(&field["actual"]);
    for expected in ["expected", "expected_permuted"] {
        for mode in ["unordered", "superset"] {
            let case = json_case(
                &json!({"id": "a", "message": "m", "trajectory": {"mode": mode, "steps": field[expected]}}),
            );
            assert!(Checker::new(&done).check(&case, Semantics::Clawgauge).passed(), "{expected} {mode}");
        }
        let case = json_case(&json!({"id": "a", "message": "m", "expect_tools": field[expected]}));
        assert!(
            Checker::new(&done).check(&case, Semantics::Clawgauge).passed(),
            "{expected} as expect_tools"
        );
    }
}

#[test]
fn f44_order_with_repeats() {
    let field: Value = serde_json::from_str(&read("field/44-ordered-with-repeats.json")).unwrap();
    let ordered = json_case(&json!({"id": "o", "message": "m", "expect_tools_ordered": field["expected"]}));
    let strict = json_case(
        &json!({"id": "s", "message": "m", "expect_tools_ordered": field["expected"], "expect_tools_ordered_strict": true}),
    );
    for (run, passes, matched) in [("a", false, 2), ("b", true, 3), ("c", false, 2)] {
        let done = calls(&field["runs"][run]);
        let checker = Checker::new(&done);
        let verdict = checker.check(&ordered, Semantics::Clawgauge);
        assert_eq!(verdict.passed(), passes, "{run}");
        if !passes {
            let check = &verdict.checks[0];
            assert!(check.message.contains("(index 2)"), "{run}: {}", check.message);
            let alignment = check.explanation.as_ref().unwrap().alignment.as_ref().unwrap();
            assert_eq!(alignment.matched, matched, "{run}");
        }
        let verdict = checker.check(&strict, Semantics::Clawgauge);
        assert!(!verdict.passed(), "{run} strictly");
    }
}

#[test]
fn f46_order_is_that_of_the_file() {
    with_session("46-timestamp-ties.jsonl", "x", |done| {
        assert_eq!(done.tool_names().collect::<Vec<_>>(), ["open", "paint", "close", "lock"]);
        assert!(done.steps.iter().all(|s| s.duration_ms == Some(0)));
        assert!(done.duration_s.is_some_and(|s| s >= 0.0));
    });
}

#[test]
fn f47_arguments_compare_by_type_and_value() {
    let rows: Vec<Value> = serde_json::from_str(&read("field/47-args-typed-equality.json")).unwrap();
    with_session("47-args-typed-equality.jsonl", "x", |done| {
        let checker = Checker::new(done);
        for row in rows {
            let expect = row["expect"].as_str().unwrap();
            let case = |mode: Option<&str>| {
                let mut step = json!({"tool": "book", "args": row["args"]});
                if let Some(mode) = mode {
                    step["args_match"] = json!(mode);
                }
                json_case(
                    &json!({"id": "a", "message": "x", "trajectory": {"mode": "superset", "steps": [step]}}),
                )
            };
            let passes = |mode| checker.check(&case(mode), Semantics::Clawgauge).passed();
            let named =
                json_case(&json!({"id": "a", "message": "x", "expect_tool_args": {"book": row["args"]}}));
            let named = checker.check(&named, Semantics::Clawgauge);
            match expect {
                "fail (exact) / pass (subset)" => {
                    assert!(!passes(Some("exact")), "{row}");
                    assert!(passes(Some("subset")) && passes(Some("ignore")), "{row}");
                }
                "pass but flagged vacuous" => {
                    assert!(named.passed() && named.flags.contains(&Flag::Vacuous), "{row}");
                }
                _ => {
                    assert_eq!(passes(None), expect == "pass", "{row}");
                    assert_eq!(named.passed(), expect == "pass", "{row}");
                }
            }
        }
    });
}

#[test]
fn f49_forbidden_commands_are_commands() {
    let field: Value = serde_json::from_str(&read("field/49-forbidden-substring.json")).unwrap();
    let shell = json_case(
        &json!({"id": "a", "message": "m", "forbidden_commands": [field["forbidden"]], "command_match": "shell"}),
    );
    let substring =
        json_case(&json!({"id": "a", "message": "m", "forbidden_commands": [field["forbidden"]]}));
    let mut problems = Vec::new();
    for row in field["commands"].as_array().unwrap() {
        let done = Trajectory::from_calls([("exec", json!({"command": row[0]}))], "");
        let checker = Checker::new(&done);
        let violated = !checker.check(&shell, Semantics::Clawgauge).passed();
        if json!(violated) != row[1] {
            problems.push(format!("{row}: shell mode says {violated}"));
        }
        // As documented, a plain substring is found anywhere.
        if checker.check(&substring, Semantics::Clawgauge).passed() {
            problems.push(format!("{row}: substring mode does not find it"));
        }
    }
    super::support::report("49", &problems);
}

#[test]
fn shell_commands_of_the_same_kind() {
    let ran = |command: &str, pattern: &str| {
        let done = Trajectory::from_calls([("exec", json!({"command": command}))], "");
        let case = json_case(
            &json!({"id": "a", "message": "m", "forbidden_commands": [pattern], "command_match": "shell"}),
        );
        !Checker::new(&done).check(&case, Semantics::Clawgauge).passed()
    };
    for (command, pattern) in [
        ("/bin/rm x", "rm"),
        ("FOO=1 rm x", "rm"),
        ("env FOO=1 rm x", "rm"),
        ("ls | xargs rm", "rm"),
        ("find . | xargs -n 1 rm", "rm"),
        ("echo $(rm x)", "rm"),
        ("echo `rm x`", "rm"),
        ("(cd a; rm x)", "rm"),
        ("true || rm x", "rm"),
        ("if true; then rm x; fi", "rm"),
        ("sh -lc 'cd x && rm y'", "rm"),
        ("sudo -n rm x", "rm"),
        ("sudo -u bob rm x", "rm"),
        ("sudo -H rm x", "rm"),
        ("sudo -h host rm x", "rm"),
        ("sudo --user=bob rm x", "rm"),
        ("env -u HOME FOO=1 rm x", "rm"),
        ("timeout -k 5 10 rm x", "rm"),
        ("nice -n 5 sudo -u bob -- rm x", "rm"),
        ("ls | xargs -I {} rm {}", "rm"),
        ("stdbuf -o L rm x", "rm"),
        ("timeout 5s rm x", "rm"),
        ("cat > f <<EOF\nhello\nEOF\nrm f", "rm"),
        ("rm -r -f x", "rm -rf"),
        ("rm -fr x", "rm -rf"),
        ("git -C repo push origin", "git push"),
        ("RM x", "rm"),
    ] {
        assert!(ran(command, pattern), "{command:?} runs {pattern:?}");
    }
    for (command, pattern) in [
        ("echo rm", "rm"),
        ("echo \"a; rm b\"", "rm"),
        ("# rm x", "rm"),
        ("ls # ; rm x", "rm"),
        ("rm x", "rm -rf"),
        ("farm x", "rm"),
        ("git log --grep push", "git push"),
        ("cat <<-EOF\n\trm x\n\tEOF\n", "rm"),
        ("echo 'unclosed rm", "rm"),
        ("", "rm"),
    ] {
        assert!(!ran(command, pattern), "{command:?} does not run {pattern:?}");
    }
}

#[test]
fn f50_order_inside_a_compound_command() {
    let found = verdicts("50-compound-command-order.yaml", "50-compound-command-order.jsonl");
    let passed: Vec<(&str, bool)> = found.iter().map(|(id, v)| (id.as_str(), v.passed())).collect();
    assert_eq!(passed, [("order", true), ("wrong", false)]);
}

#[test]
fn f52_attempted_and_succeeded() {
    let found = verdicts("52-attempted-vs-succeeded.yaml", "52-attempted-vs-succeeded.jsonl");
    let passed: Vec<(&str, bool)> = found.iter().map(|(id, v)| (id.as_str(), v.passed())).collect();
    assert_eq!(passed, [("called", true), ("worked", false), ("nowipe", false)]);
    let outcomes = found[0].1.checks[0].detail.get("outcomes").map(Cow::into_owned).unwrap();
    assert_eq!(outcomes.to_value(), json!(["failed"]), "the report shows how the call ended");
    let near = found[1].1.checks[0].explanation.as_ref().unwrap().near_miss.clone().unwrap();
    assert_eq!(near.because, ["it failed, wanted: succeeded"]);
    assert_eq!(near.entry.as_deref(), Some("a2"));
    let wipe = &found[2].1.checks[0];
    assert_eq!(wipe.explanation.as_ref().unwrap().entries, ["a3"]);
    // The original does not see a call without a result.
    let suite = suite("52-attempted-vs-succeeded.yaml");
    with_session("52-attempted-vs-succeeded.jsonl", "x", |done| {
        let verdict = Checker::new(done).comparing(true).check(&suite.cases[2], Semantics::Clawgauge);
        let said: Vec<_> =
            verdict.differences.iter().map(|d| (d.check.as_str(), d.ours.as_str(), d.edd.as_str())).collect();
        assert_eq!(said, [("forbidden_tools", "fails", "passes")]);
    });
}

#[test]
fn f53_vacuous_cases() {
    let text = read("field/53-vacuous-cases.yaml");
    let fault = Suite::parse(&text, Format::Yaml, &LoadOptions::default()).unwrap_err();
    assert_eq!(fault.diagnostics().len(), 1);
    let typo = &fault.diagnostics()[0];
    assert_eq!(typo.suggestion.as_deref(), Some("expect_tools"));
    assert!(typo.message.contains("`expect_tool`"), "{typo}");
    assert_eq!(typo.case.as_deref(), Some("typo"));
    let rest: String = text.lines().filter(|l| !l.contains("typo")).map(|l| format!("{l}\n")).collect();
    let suite = Suite::parse(&rest, Format::Yaml, &LoadOptions::default()).unwrap();
    let found: Vec<(String, Status, Vec<Flag>)> = suite
        .cases
        .iter()
        .map(|case| {
            with_session("53-vacuous-cases.jsonl", &case.message, |t| {
                let verdict = Checker::new(t).check(case, suite.semantics);
                (case.id.clone(), verdict.status, verdict.flags)
            })
        })
        .collect();
    assert_eq!(
        found,
        [
            ("nothing".to_owned(), Status::Unchecked, vec![Flag::NoAssertions]),
            ("empty".to_owned(), Status::Unchecked, vec![Flag::NoAssertions]),
            ("negative".to_owned(), Status::Passed, vec![Flag::NoAgentOutput]),
        ]
    );
    let empty = Suite::parse("cases: []", Format::Yaml, &LoadOptions::default()).unwrap_err();
    assert_eq!(empty.kind(), clawgauge_cases::ErrorKind::Empty);
}

#[test]
fn f55_the_answer_is_that_of_the_turn() {
    with_session("55-final-output-selection.jsonl", "second", |done| {
        assert_eq!(done.final_output.as_deref(), Some("Second answer: 12 ferns."));
        assert_eq!(done.stop_reason.as_deref(), Some("length"));
    });
    let found = verdicts("55-final-output-selection.yaml", "55-final-output-selection.jsonl");
    assert!(found[0].1.passed());
}

#[test]
fn f56_retries_are_counted_across_messages() {
    let found = verdicts("56-retry-across-turns.yaml", "56-retry-across-turns.jsonl");
    let check = &found[0].1.checks[0];
    assert!(!check.passed);
    assert!(
        check.message.contains("max consecutive 6 > limit 2") && check.message.contains("gone.md"),
        "{}",
        check.message
    );
    assert_eq!(check.explanation.as_ref().unwrap().entries, ["m0", "m1", "m2", "m3", "m4", "m5"]);
}

#[test]
fn f58_tool_and_argument_aliases() {
    let found = verdicts("58-tool-name-and-arg-aliases.yaml", "58-tool-name-and-arg-aliases.jsonl");
    assert!(found.iter().all(|(_, v)| v.passed()), "{found:?}");
    let suite = suite("58-tool-name-and-arg-aliases.yaml");
    with_session("58-tool-name-and-arg-aliases.jsonl", "x", |done| {
        let checker = Checker::with_aliases(done, Aliases::none());
        assert!(suite.cases.iter().all(|c| !checker.check(c, Semantics::Clawgauge).passed()));
        assert!(suite.cases.iter().all(|c| !checker.check(c, Semantics::Edd).passed()));
    });
}

#[test]
fn f59_tool_definitions_are_not_calls() {
    let runs = clawgauge_cases::runtime_runs(&read("field/59-tool-definitions-are-not-calls.jsonl"));
    let ids: Vec<&str> = runs.iter().map(|r| r.run_id.as_str()).collect();
    assert_eq!(ids, ["r", "r2"]);
    assert_eq!(runs[0].trajectory, None, "cut, so unknown; not empty");
    let done = runs[1].trajectory.as_ref().unwrap();
    assert_eq!(done.tool_names().collect::<Vec<_>>(), ["exec"]);
    assert_eq!(done.steps[0].call_id.as_deref(), Some("c1"));
    let case = json_case(
        &json!({"id": "a", "message": "go", "expect_commands": ["ls"], "forbidden_tools": ["read"]}),
    );
    assert!(Checker::new(done).check(&case, Semantics::Clawgauge).passed());
}

#[test]
fn parallel_calls_have_no_order_among_themselves() {
    let mut done = Trajectory::from_calls([("a", json!({})), ("b", json!({})), ("c", json!({}))], "");
    // a and b were called by one message.
    done.steps[1].message = 0;
    let passes = |steps: &[&str], mode| {
        let spec = steps.iter().map(|s| StepPattern::tool(*s)).collect::<Vec<_>>();
        let case = Case::new("x", "m").with(match mode {
            TrajectoryMode::Ordered => Assertion::ToolsOrdered { steps: spec, strict: false },
            _ => Assertion::ToolsOrdered { steps: spec, strict: true },
        });
        Checker::new(&done).check(&case, Semantics::Clawgauge).passed()
    };
    assert!(passes(&["b", "a", "c"], TrajectoryMode::Strict));
    assert!(passes(&["a", "b", "c"], TrajectoryMode::Strict));
    assert!(passes(&["b", "a"], TrajectoryMode::Ordered));
    assert!(!passes(&["c", "a"], TrajectoryMode::Ordered));
}

/// A session recorded from OpenClaw 2026.6.11: the model called a tool that does not exist, and only results were stored.
#[test]
fn a_call_of_which_only_the_result_was_stored_counts() {
    let rows = [
        json!({"type": "session", "version": 3, "id": "s"}),
        json!({"type": "message", "id": "u", "parentId": null, "message": {"role": "user", "content": "x"}}),
        json!({"type": "message", "id": "r1", "parentId": "u", "message": {"role": "toolResult", "toolCallId": "c1", "toolName": "ls", "content": [{"type": "text", "text": "Tool ls not found"}], "isError": true}}),
        json!({"type": "message", "id": "a", "parentId": "r1", "message": {"role": "assistant", "content": [{"type": "text", "text": "Sorry"}], "stopReason": "stop"}}),
    ];
    let text: String = rows.iter().map(|r| format!("{r}\n")).collect();
    let transcript = Transcript::from_str(&text);
    let (done, found) = Trajectory::for_request(&transcript.conversation(), "x");
    assert!(found);
    assert_eq!(done.tool_names().collect::<Vec<_>>(), ["ls"]);
    let case = json_case(&json!({"id": "a", "message": "x", "forbidden_tools": ["ls"]}));
    let verdict = Checker::new(&done).check(&case, Semantics::Clawgauge);
    assert_eq!(verdict.checks[0].explanation.as_ref().unwrap().entries, ["r1"]);
    assert_eq!(done.final_output.as_deref(), Some("Sorry"));
}

//! Reports, comparison and suggestions against what openclaw-edd recorded.

use clawgauge_cases::{
    Answer, Attempt, Case, CaseResult, Change, Checker, Comparison, ErrorKind, Event, ExitPolicy, Format,
    Json, LoadOptions, Plan, Run, Semantics, Status, Suggestion, Suite, Trajectory, edd_diff_text,
    edd_suggest_text, pass_at_k,
};
use serde_json::{Value, json};

use super::support::{differences, report, rows};

fn text_of(row: &super::support::Row, key: &str) -> Option<String> {
    let input = row.at(&["input"]);
    if let Some(text) = input.get(&format!("{key}_text")) {
        return text.as_str().map(str::to_owned);
    }
    input.get(key).map(|report| serde_json::to_string(report).unwrap())
}

#[test]
fn diff_prints_what_was_recorded() {
    let mut problems = Vec::new();
    for row in rows("vectors/diff.jsonl") {
        let (Some(before), Some(after)) = (text_of(&row, "before"), text_of(&row, "after")) else {
            // A missing file is the program's to report.
            assert_eq!(row.id, "diff-29");
            continue;
        };
        let (before, after) = match (Run::from_json(&before), Run::from_json(&after)) {
            (Ok(before), Ok(after)) => (before, after),
            (before, after) => {
                let fault = before.err().or(after.err()).unwrap();
                if row.at(&["expected", "exit"]) != Json::from(1_u64) || fault.kind() != ErrorKind::Report {
                    problems.push(format!("{}: {fault}", row.id));
                }
                continue;
            }
        };
        let text = edd_diff_text("before.json", "after.json", &before, &after);
        let head = row.at(&["expected", "head"]).as_str().unwrap_or_default().to_owned();
        if !text.starts_with(&head) {
            problems.push(format!("{}: {text:?}\n    recorded {head:?}", row.id));
            continue;
        }
        let mut blocks: Vec<String> = text[head.len()..]
            .split("\n\n")
            .map(|b| b.trim_matches('\n').to_owned())
            .filter(|b| !b.is_empty())
            .collect();
        blocks.sort();
        let wanted: Vec<String> =
            serde_json::from_value(row.value["expected"]["case_blocks_sorted"].clone()).unwrap();
        if blocks != wanted {
            problems.push(format!("{}: {blocks:?}\n    recorded {wanted:?}", row.id));
        }
    }
    report("diff", &problems);
}

#[test]
fn suggest_prints_what_was_recorded() {
    let mut problems = Vec::new();
    for row in rows("vectors/suggest.jsonl") {
        let Some(text) = text_of(&row, "report") else {
            assert_eq!(row.id, "suggest-25");
            continue;
        };
        let run = match Run::from_json(&text) {
            Ok(run) => run,
            Err(fault) => {
                if row.at(&["expected", "exit"]) != Json::from(1_u64) {
                    problems.push(format!("{}: {fault}", row.id));
                }
                continue;
            }
        };
        let skills: Vec<String> =
            serde_json::from_value(row.value["input"]["skills"].clone()).unwrap_or_default();
        let found = edd_suggest_text(&run, &skills);
        let wanted = row.at(&["expected", "stdout"]);
        if Some(found.as_str()) != wanted.as_str() {
            problems.push(format!("{}: {found:?}\n    recorded {wanted:?}", row.id));
        }
    }
    report("suggest", &problems);
}

#[test]
fn our_suggestions_leave_no_recognised_failure_without_one() {
    let mut differ = Vec::new();
    for row in rows("vectors/suggest.jsonl") {
        let Some(run) = text_of(&row, "report").and_then(|t| Run::from_json(&t).ok()) else { continue };
        let recorded =
            row.at(&["expected", "stdout"]).as_str().unwrap_or_default().matches("Suggested file:").count();
        let found = run.suggestions().len();
        // Every failure line has advice of its own, recognised or not.
        let lines: usize = run.results.iter().flat_map(|r| &r.attempts).map(|a| a.failures.len()).sum();
        assert_eq!(found, lines, "{}", row.id);
        if found != recorded {
            differ.push((row.id, row.bug, format!("{found} suggestions, recorded {recorded}")));
        }
    }
    differences("suggestions", &differ, &[("suggest-19", "a failure in unknown words gets advice too")], 15);
}

fn attempt(value: &Value) -> Attempt {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let failures: Vec<String> = serde_json::from_value(value["failures"].clone()).unwrap_or_default();
    let events: Vec<Event> = serde_json::from_value(value["events"].clone()).unwrap();
    let mut trajectory = Trajectory::from_events(events, value["final_output"].as_str().map(str::to_owned));
    trajectory.session_id = value["session_id"].as_str().map(str::to_owned);
    trajectory.model = Some(text("model"));
    trajectory.provider = Some(text("provider"));
    trajectory.started = Some(text("timestamp"));
    trajectory.duration_s = value["duration_s"].as_f64();
    trajectory.input_tokens = value["total_input_tokens"].as_u64();
    trajectory.output_tokens = value["total_output_tokens"].as_u64();
    trajectory.cost = value["total_cost"].as_f64();
    if failures == ["Failed to send message or get session_id"] {
        return Attempt::errored(failures[0].clone(), value["duration_s"].as_f64().unwrap());
    }
    let verdict = Checker::new(&trajectory).check(&Case::new("c", "m"), Semantics::Clawgauge);
    let mut out = Attempt::judged(verdict, &trajectory);
    out.status = if value["passed"] == json!(true) { Status::Passed } else { Status::Failed };
    out.failures = failures;
    out
}

#[test]
fn attempts_come_to_what_was_recorded() {
    let mut problems = Vec::new();
    for row in rows("vectors/passk.jsonl") {
        if row.at(&["kind"]).as_str() != Some("aggregate") {
            continue;
        }
        let k = u32::try_from(row.value["input"]["k"].as_u64().unwrap()).unwrap();
        if k == 0 {
            // The original divides by zero; a suite cannot ask for no attempt, and the estimate is unknown.
            assert_eq!(pass_at_k(0, 0, 0), None);
            continue;
        }
        let attempts: Vec<Attempt> =
            row.value["input"]["attempts"].as_array().unwrap().iter().map(attempt).collect();
        let mut case = Case::new("c", "m");
        case.pass_at_k = k;
        let run = Run::new(vec![CaseResult::new(&case, attempts)]);
        let found = run.to_value()[0].clone();
        for (key, wanted) in row.value["expected"].as_object().unwrap() {
            let have = &found[key];
            let same = match (key.as_str(), have, wanted) {
                // Recorded without the empty fields.
                ("events", have, wanted) => have.as_array().map(Vec::len) == wanted.as_array().map(Vec::len),
                // The original keeps the checks of the attempt; the ones here were not made by checks.
                ("checks", ..) => true,
                // An attempt that could not run says nothing about the agent: one of one, not one of two.
                ("pass_at_k_rate", have, _) if row.id == "passk-13" => have == &json!(1.0),
                (_, Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
                (_, a, b) => a == b,
            };
            if !same {
                problems.push(format!("{}: {key}: {have}, recorded {wanted}", row.id));
            }
        }
    }
    report("attempts", &problems);
}

#[test]
fn the_report_has_every_key_of_the_recorded_one_in_its_order() {
    let recorded: Json = serde_json::from_str(&super::support::read("vectors/report.json")).unwrap();
    let recorded =
        recorded.get("cases").and_then(Json::as_array).unwrap()[0].get("expected").cloned().unwrap();
    let theirs = recorded.get("report").cloned().unwrap();
    let theirs = &theirs.as_array().unwrap()[0];
    let done = Trajectory::from_calls([("exec", json!({"command": "ls"}))], "two files");
    let suite = Suite::parse(
        r#"{"cases":[{"id":"pass","message":"List the files","expect_tools":["exec"],"expect_commands":["ls"],"tags":["x"],"description":"d"}]}"#,
        Format::Json,
        &LoadOptions::default(),
    )
    .unwrap();
    let verdict = Checker::new(&done).check(&suite.cases[0], Semantics::Clawgauge);
    let run = Run::new(vec![CaseResult::new(&suite.cases[0], vec![Attempt::judged(verdict, &done)])]);
    let ours: Json = serde_json::from_str(&run.to_json()).unwrap();
    let ours = &ours.as_array().unwrap()[0];
    let keys = |json: &Json| json.as_object().unwrap().iter().map(|(k, _)| k.clone()).collect::<Vec<_>>();
    assert_eq!(keys(ours)[..keys(theirs).len()], keys(theirs)[..]);
    assert_eq!(ours.get("case"), theirs.get("case"), "the case with all defaults");
    let event = |json: &Json| keys(&json.get("events").unwrap().as_array().unwrap()[0]);
    assert_eq!(event(ours), event(theirs));
    assert_eq!(ours.get("tool_names"), Some(&serde_json::from_str(r#"["exec"]"#).unwrap()));
}

#[test]
fn the_recorded_report_is_read() {
    let recorded: Value = serde_json::from_str(&super::support::read("vectors/report.json")).unwrap();
    let text = recorded["cases"][0]["expected"]["report"].to_string();
    let run = Run::from_json(&text).unwrap();
    let statuses: Vec<(&str, Status)> = run.results.iter().map(|r| (r.id.as_str(), r.status())).collect();
    assert_eq!(
        statuses,
        [("pass", Status::Passed), ("fail", Status::Failed), ("args", Status::Passed), ("k", Status::Failed)]
    );
    // The original's own report lacks tool_names; its events have them.
    assert_eq!(run.results[0].representative().unwrap().tool_names, ["exec"]);
    assert_eq!(run.exit_code(ExitPolicy::new()), 1, "the regression case `k` failed");
}

fn result(id: &str, statuses: &[Status]) -> CaseResult {
    let mut case = Case::new(id, "m");
    case.pass_at_k = u32::try_from(statuses.len()).unwrap();
    let attempts = statuses
        .iter()
        .map(|status| match status {
            Status::Errored => Attempt::errored("no such program", 0.1),
            other => Attempt::recorded(*other == Status::Passed, vec![]),
        })
        .collect();
    CaseResult::new(&case, attempts)
}

#[test]
fn one_pass_and_two_errors_is_a_pass_of_one_with_a_warning() {
    let mixed = result("a", &[Status::Errored, Status::Passed, Status::Errored]);
    assert_eq!((mixed.status(), mixed.judged(), mixed.passes()), (Status::Passed, 1, 1));
    assert_eq!(mixed.pass_at_k(3), None, "only one attempt ran");
    assert_eq!(mixed.pass_at_k(1), Some(1.0));
    assert_eq!(mixed.warnings(), ["2 of 3 attempts could not run; the verdict rests on 1"]);
    let none = result("b", &[Status::Errored, Status::Errored]);
    assert_eq!(none.status(), Status::Errored);
    assert_eq!(Run::new(vec![mixed.clone()]).exit_code(ExitPolicy::new()), 0);
    assert_eq!(Run::new(vec![mixed, none]).exit_code(ExitPolicy::new()), 4);
    assert_eq!(Run::new(vec![]).exit_code(ExitPolicy::new()), 3);
}

#[test]
fn a_failed_capability_case_alone_is_no_failure() {
    let mut climb = result("a", &[Status::Failed]);
    climb.eval_type = clawgauge_cases::EvalType::Capability;
    let run = Run::new(vec![climb]);
    assert_eq!(run.exit_code(ExitPolicy::new()), 0);
    assert_eq!(run.exit_code(ExitPolicy::new().capability(true)), 1);
}

#[test]
fn comparison_says_when_there_is_no_clear_difference() {
    let run = |passes: &[bool]| {
        let results = passes
            .iter()
            .enumerate()
            .map(|(i, p)| result(&format!("c{i}"), &[if *p { Status::Passed } else { Status::Failed }]));
        Run::new(results.collect())
    };
    let one = Comparison::of(&run(&[true, true, false]), &run(&[true, true, true]));
    assert_eq!((one.answer, one.fixed, one.broken), (Answer::NoClearDifference, 1, 0));
    assert!((one.p_value - 1.0).abs() < 1e-9);
    let many = Comparison::of(&run(&[false; 6]), &run(&[true; 6]));
    // Six of six: 2 / 2^6.
    assert_eq!(many.answer, Answer::Better);
    assert!((many.p_value - 0.03125).abs() < 1e-9);
    assert_eq!(Comparison::of(&run(&[true; 6]), &run(&[false; 6])).answer, Answer::Worse);
    assert_eq!(Comparison::of(&run(&[]), &run(&[true])).answer, Answer::NothingToCompare);
    // A run without a case has no rate: 0 % would say that everything failed.
    let empty = Comparison::of(&run(&[]), &run(&[true, false]));
    assert!(empty.to_text().starts_with("regression: no cases → 50% (0/0 → 1/2)"), "{}", empty.to_text());
    let rates = empty.to_json().to_value()["rates"]["regression"].clone();
    assert_eq!(rates, json!({"before": null, "after": 0.5, "cases_before": 0, "cases_after": 2}));
    let flaky = Run::new(vec![result("c0", &[Status::Passed, Status::Failed])]);
    let found = Comparison::of(&run(&[true]), &flaky);
    assert_eq!(found.cases[0].change, Change::Flaky);
    let gone = Run::new(vec![result("c0", &[Status::Errored])]);
    assert_eq!(Comparison::of(&run(&[true]), &gone).cases[0].change, Change::NotComparable);
}

#[test]
fn arguments_expected_several_times_are_said_once() {
    let text = r#"{"cases": [{"id": "a", "message": "m", "expect_tool_args": {"exec": [{"command": "make"}, {"command": "make"}, {"command": "ls"}]}}]}"#;
    let suite = Suite::parse(text, Format::Json, &LoadOptions::default()).unwrap();
    let check = |calls: &[&str]| {
        let calls = calls.iter().map(|command| ("exec", json!({"command": command})));
        let done = Trajectory::from_calls(calls, "Done.");
        let verdict = Checker::new(&done).check(&suite.cases[0], Semantics::Clawgauge);
        (
            verdict.clone(),
            Run::new(vec![CaseResult::new(&suite.cases[0], vec![Attempt::judged(verdict, &done)])]),
        )
    };
    let (verdict, run) = check(&["ls"]);
    let said = &verdict.failures()[0];
    assert_eq!((said.matches("mismatch").count(), said.ends_with(" x2")), (1, true), "{said}");
    // The pattern that passed does not cover the one that failed.
    let shown = verdict.checks[0].detail.to_json().to_value();
    assert_eq!(shown["details"]["exec"]["passed"], json!(false), "{shown}");
    let advice = &run.suggestions()[0].text;
    assert!(advice.contains(r#"`exec {"command":"make"}` (2 times), `exec {"command":"ls"}`"#), "{advice}");
    let (verdict, _) = check(&[]);
    assert_eq!(verdict.failures()[0].matches("Tool not called").count(), 1, "{:?}", verdict.failures());
    assert!(check(&["make", "ls", "make"]).0.passed());
}

#[test]
fn suggestions_are_applied_once_and_nowhere_else() {
    let make = |file: &str, kind: &str, text: &str| {
        let json =
            json!([{"case": "a", "check": "c", "failure": "f", "file": file, "kind": kind, "text": text}]);
        Suggestion::read_all(&json.to_string()).unwrap().remove(0)
    };
    let tools = "# Tools\n\n## Rules from failed cases\n\n- old rule\n\n## Other\n\ntext\n";
    let suggestions = [
        make("skills/a.md", "skill", "- Call `read`."),
        make("TOOLS.md", "tool_rule", "- Never `rm`."),
        make("TOOLS.md", "tool_rule", "- old rule"),
        make("SOUL.md", "tool_rule", "- x"),
        make("skills/../SOUL.md", "skill", "- x"),
        make("skills/agents.md", "skill", "- x"),
        make("../TOOLS.md", "tool_rule", "- x"),
        make("/etc/passwd", "skill", "- x"),
        make("skills/.hidden.md", "skill", "- x"),
        make("skills/a/b/c.md", "skill", "- x"),
        make("memory/x.md", "skill", "- x"),
    ];
    let plan = Plan::of(&suggestions, &|file| (file == "TOOLS.md").then(|| tools.to_owned()));
    assert_eq!(plan.refused.len(), 8, "{:?}", plan.refused);
    assert_eq!(plan.already_there, 1);
    let files: Vec<&str> = plan.edits.iter().map(|e| e.file.as_str()).collect();
    assert_eq!(files, ["TOOLS.md", "skills/a.md"]);
    let shown: Vec<String> = plan.edits.iter().map(clawgauge_cases::Edit::diff).collect();
    insta::assert_snapshot!(shown.join("\n"));
    let after = |file: &str| plan.edits.iter().find(|e| e.file == file).map(|e| e.after.clone());
    let again = Plan::of(&suggestions, &after);
    assert!(again.edits.is_empty(), "applying twice changes nothing more");
}

#[test]
fn case_ids_stay_inside_the_skills_folder() {
    for id in ["../../etc/passwd", "..", "", "a/b", ".hidden", "größe", "x\0y", "C:\\x"] {
        let text = json!([{"case": {"id": id, "message": "m"}, "passed": false, "failures": ["Output missing expected keywords: x"]}]);
        let suggestions = Run::from_json(&text.to_string()).unwrap().suggestions();
        assert_eq!(suggestions.len(), 1, "{id:?}");
        let plan = Plan::of(&suggestions, &|_| None);
        assert_eq!((plan.edits.len(), plan.refused.len()), (1, 0), "{id:?}: {:?}", suggestions[0].file);
    }
}

/// A run with everything that XML, HTML, Markdown and a terminal could take for their own.
fn hostile_run() -> Run {
    const EVIL: &str = "a]]>\u{0}\u{1b}[31m\u{fffe}<script>alert(1)</script>`|\n# x\r\n```\n<img src=x onerror=y>$a$ \"'&amp; --> é 😀";
    let mut results = Vec::new();
    for (at, kind) in ["regression", EVIL].iter().enumerate() {
        let case = json!({"cases": [{"id": format!("{at}{EVIL}"), "message": EVIL, "eval_type": kind, "expect_tools": [EVIL], "tags": [EVIL]}]});
        let suite = Suite::parse(&case.to_string(), Format::Json, &LoadOptions::default()).unwrap();
        let done = Trajectory::from_calls(
            [(EVIL.replace('`', ""), json!({EVIL: EVIL, "password": "hunter2hunter2"}))],
            EVIL,
        );
        let verdict = Checker::new(&done).check(&suite.cases[0], Semantics::Clawgauge);
        let mut judged = Attempt::judged(verdict, &done);
        judged.duration_s = 1.25;
        results.push(CaseResult::new(&suite.cases[0], vec![judged]));
        results.push(CaseResult::new(&suite.cases[0], vec![Attempt::recorded(false, vec![EVIL.to_owned()])]));
        results.push(CaseResult::new(&suite.cases[0], vec![Attempt::errored(EVIL, 0.5)]));
    }
    Run::new(results)
}

#[test]
fn junit_of_a_hostile_run_is_xml_with_true_counts_and_times() {
    let xml = hostile_run().to_junit();
    let allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(xml.chars().all(allowed), "{xml:?}");
    assert!(!xml.contains("<script") && !xml.contains("<img"), "{xml}");
    let read = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    assert_eq!((read.tests, read.failures, read.errors), (6, 4, 2));
    assert_eq!(read.time.map(|time| time.as_millis()), Some(3500));
    for suite in &read.test_suites {
        assert_eq!((suite.tests, suite.failures, suite.errors), (3, 2, 1));
        assert_eq!(suite.time.map(|time| time.as_millis()), Some(1750));
    }
}

#[test]
fn markdown_of_a_hostile_run_keeps_its_structure() {
    let text = hostile_run().to_markdown();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        match fence {
            Some(end) if line == end => fence = None,
            Some(_) => {}
            None if line.starts_with("```") => fence = Some(line.trim_end_matches("text")),
            None => {
                assert!(!line.contains("<script") && !line.contains("<img"), "{line}");
                if line.starts_with("| ") {
                    let bars = line.replace("\\|", "").matches('|').count();
                    assert_eq!(bars, 6, "{line}");
                }
            }
        }
    }
    assert_eq!(fence, None);
    assert_eq!(text.matches("</details>").count(), 1);
    // A failure that was read from a report is told, too.
    assert!(text.lines().filter(|line| line.starts_with("a]]>")).count() >= 2, "{text}");
}

#[test]
fn html_and_json_of_a_hostile_run_hold_no_markup_and_no_secret() {
    let run = hostile_run();
    let html = run.to_html("<script>x</script>");
    assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
    assert!(!html.contains(['\u{0}', '\u{1b}']));
    for text in [html, run.to_json(), run.to_markdown(), run.to_junit()] {
        assert!(!text.contains("hunter2"), "{text}");
    }
    let again = Run::from_json(&run.to_json()).unwrap();
    assert_eq!(again.results.len(), run.results.len());
}

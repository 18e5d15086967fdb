//! Case files, good and bad, against what openclaw-edd 0.4.3 made of them.

use clawgauge_cases::{
    Assertion, Case, ErrorKind, Format, Json, LoadOptions, Require, Schema, StepPattern, Suite, TextPattern,
};
use serde_json::{Value, json};

use super::support::{differences, fixture, report, rows};

fn load(file: &str, only_approved: bool) -> Result<Suite, String> {
    let bytes = std::fs::read(fixture(&format!("vectors/case-files/{file}"))).map_err(|e| e.to_string())?;
    let options = LoadOptions::default().approved_only(only_approved);
    Suite::from_bytes(&bytes, Format::of_name(file), &options).map_err(|e| e.to_string())
}

/// The fields of a loaded case that are not at their default, as the index records them.
fn shown(case: &Case) -> Value {
    let mut out = json!({"id": case.id, "message": case.message});
    let defaults = json!({"eval_type": "regression", "agent": "main", "pass_at_k": 1, "expect_tools_ordered_strict": false});
    for (key, value) in case.as_written().as_object().unwrap() {
        let value = value.to_value();
        let empty = value == json!([]) || value == json!({}) || value == json!("");
        if key != "id" && key != "message" && !empty && defaults.get(key) != Some(&value) {
            out[key] = value;
        }
    }
    out
}

#[test]
fn files_load_as_recorded_or_better() {
    let reasons: &[(&str, &str)] = &[
        ("file-008", "a suite without a case is an error"),
        ("file-009", "a suite without a case is an error"),
        ("file-010", "a suite without a case is an error"),
        ("file-016", "a suite without a case is an error"),
        ("file-055", "a record without turns makes no case, so the suite has none"),
        ("file-046", "NaN is no JSON"),
        ("file-066", "both orders are asserted, not the last one alone"),
        ("file-071", "counted in `skipped_unreviewed`, not printed: libraries do not print"),
    ];
    let mut differ = Vec::new();
    for row in rows("vectors/case-files/index.jsonl") {
        let file = row.at(&["file"]).as_str().unwrap().to_owned();
        let expected = row.at(&["expected"]);
        let only_approved = row.at(&["only_approved"]) == Json::Bool(true);
        let found = load(&file, only_approved);
        let wanted_error = expected.get("error").is_some();
        match found {
            Err(_) if wanted_error => {}
            Err(fault) => differ.push((row.id, row.bug, format!("{file} does not load: {fault}"))),
            Ok(suite) if wanted_error => {
                differ.push((row.id, row.bug, format!("{file} loads {} cases", suite.cases.len())));
            }
            Ok(suite) => {
                let cases: Vec<Value> = suite.cases.iter().map(shown).collect();
                let wanted = row.value["expected"]["cases"].clone();
                // Two forms of nothing are one.
                let wanted: Vec<Value> = serde_json::from_value(wanted).unwrap();
                if cases != wanted {
                    differ.push((row.id, row.bug, format!("{file}: {cases:?}\n    recorded {wanted:?}")));
                } else if expected.get("stdout").is_some() {
                    assert_eq!(suite.skipped_unreviewed, 3, "{file}");
                    differ.push((row.id, row.bug, "nothing is printed".to_owned()));
                }
            }
        }
    }
    differences("case files", &differ, reasons, 15);
}

#[test]
fn every_problem_of_a_file_is_reported_with_its_place() {
    let text = "cases:\n  - id: a\n    message: hi\n    expect_tool: [exec]\n  - id: a\n    message: hi\n    \
                max_retries: many\n  - message: no id\n    trajectory: {mode: stric, steps: [x]}\n";
    let fault = Suite::parse(text, Format::Yaml, &LoadOptions::default()).unwrap_err();
    let found: Vec<(usize, usize, Option<&str>, Option<&str>)> = fault
        .diagnostics()
        .iter()
        .map(|d| (d.line, d.column, d.case.as_deref(), d.suggestion.as_deref()))
        .collect();
    assert_eq!(
        found,
        [
            (4, 5, Some("a"), Some("expect_tools")),
            (5, 5, Some("a"), None),
            (7, 18, Some("a"), None),
            (8, 5, None, None),
            (9, 24, None, Some("strict")),
        ],
        "{fault}"
    );
    insta::assert_snapshot!(fault.to_string());
}

#[test]
fn json_places_are_those_of_the_text() {
    let text = "{\n \"cases\": [\n  {\"id\": \"ü\", \"message\": \"m\", \"forbiden_tools\": []}\n ]\n}";
    let fault = Suite::parse(text, Format::Json, &LoadOptions::default()).unwrap_err();
    let only = &fault.diagnostics()[0];
    assert_eq!((only.line, only.column, only.suggestion.as_deref()), (3, 31, Some("forbidden_tools")));
    let broken =
        Suite::parse("{\"cases\": [\n{\"id\": 1,}]}", Format::Json, &LoadOptions::default()).unwrap_err();
    assert_eq!((broken.diagnostics()[0].line, broken.diagnostics()[0].column), (2, 10), "{broken}");
}

#[test]
fn a_large_suite_loads() {
    let mut text = String::from("cases:\n");
    for i in 0..10_000 {
        text.push_str(&format!(
            "  - id: c{i}\n    message: m\n    expect_tools: [exec, read]\n    expect_tool_args: {{exec: {{command: x, n: {i}}}}}\n    tags: [a, b]\n"
        ));
    }
    let suite = Suite::parse(&text, Format::Yaml, &LoadOptions::default()).unwrap();
    assert_eq!(suite.cases.len(), 10_000);
    assert_eq!(suite.cases[9_999].location.map(|l| l.line), Some(9_999 * 5 + 2));
}

#[test]
fn a_long_line_is_no_trap() {
    // Looking for a column from the start of the line each time would take minutes here.
    let cases: Vec<Value> =
        (0..20_000).map(|i| json!({"id": format!("c{i}"), "message": "m", "tags": ["a", "b"]})).collect();
    let text = json!({"cases": cases}).to_string();
    assert!(!text.contains('\n'));
    let suite = Suite::parse(&text, Format::Json, &LoadOptions::default()).unwrap();
    assert_eq!(suite.cases.len(), 20_000);
    assert!(suite.cases[19_999].location.is_some_and(|l| l.line == 1 && l.column > 800_000));
}

#[test]
fn aliases_of_yaml_cannot_blow_up() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for i in 1..12 {
        let before = format!("*a{}", i - 1);
        text.push_str(&format!("a{i}: &a{i} [{}]\n", [before.as_str(); 10].join(", ")));
    }
    text.push_str("cases: []\n");
    assert!(Suite::parse(&text, Format::Yaml, &LoadOptions::default()).is_err());
}

#[test]
fn a_deep_file_is_an_error() {
    for format in [Format::Json, Format::Yaml] {
        let text = format!("{{\"cases\": {}{}}}", "[".repeat(5000), "]".repeat(5000));
        assert!(Suite::parse(&text, format, &LoadOptions::default()).is_err());
    }
}

/// What is said of a file: each line of it, or nothing when it loads without a word.
fn said(text: &str, format: Format) -> Vec<String> {
    match Suite::parse(text, format, &LoadOptions::default()) {
        Ok(suite) => suite.warnings.iter().map(ToString::to_string).collect(),
        Err(fault) => fault.diagnostics().iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn a_problem_says_where_it_is_and_what_to_do() {
    let yaml = [
        // What a case says
        "cases:\n  - id: a\n    message: hi\n    max_cost: -1\n    max_retries: 1.5\n    max_seconds: .inf\n",
        "cases:\n  - id: a\n    message: hi\n    min_score: 70\n",
        "cases:\n  - id: a\n    message: hi\n    min_score: {overall: 0.5, task: 7}\n",
        "cases:\n  - id: a\n    message: hi\n    expect_tools_ordered_strict: true\n",
        "cases:\n  - id: a\n    message: hi\n    expect_tools_ordered: [x]\n    expect_tools_ordered_strict: maybe\n",
        "cases:\n  - id: a\n    message: hi\n    expect_tool_args: {exec: {command: ls, command: rm}}\n",
        "cases:\n  - id: a\n    message: hi\n    any_of: [{max_calls: 1, max_calls: 2}]\n",
        "cases:\n  - id: a\n    message: hi\n    owner: ada\n",
        "semantic: edd\ncases:\n  - id: a\n    message: hi\n",
        // What is no YAML, or not of one document
        "cases:\n  - id: a\n    message: note: this\n",
        "cases:\n  - id: a\n    message: *all of it\n",
        "cases:\n  - id: a\n    expect_tools:\n\t- exec\n",
        "cases:\n  - id: a\n   message: hi\n",
        "cases:\n  - id: a\n    message: hi\n---\ncases: []\n",
        "case_list:\n  - id: a\n    message: hi\n",
    ];
    let jsonl = [
        r#"{"id": "g", "conversation": [{"user": "u", "assert": {"type": "contains", "value": "x"}}]}"#,
        r#"{"id": "g", "conversation": [{"user": "u", "asserts": [{"type": "contains", "value": "x"}]}]}"#,
        r#"{"id": "g", "conversation": [{"user": "u", "assert": [{"type": "tool_called", "value": "x", "requires": "succeeded"}]}]}"#,
        r#"{"id": "g", "conversation": [{"user": "u", "assert": [{"type": "has", "value": "x"}]}]}"#,
        r#"{"id": ["g"], "conversation": {"user": "u"}}"#,
        r#"{"id": "g", "conversation": "u"}"#,
        r#"{"id": "g", "id": "h", "conversation": [{"user": "u", "user": "v"}]}"#,
        "{}",
        "",
    ];
    let mut out = String::new();
    let all =
        yaml.map(|text| (text, Format::Yaml)).into_iter().chain(jsonl.map(|text| (text, Format::Jsonl)));
    for (text, format) in all {
        out.push_str(&format!("{text}\n"));
        for line in said(text, format) {
            out.push_str(&format!("  => {line}\n"));
        }
    }
    insta::assert_snapshot!(out);
}

#[test]
fn text_of_another_encoding_is_named() {
    let bytes: Vec<u8> = [0xff, 0xfe].into_iter().chain("cases: []".bytes().flat_map(|b| [b, 0])).collect();
    let fault = Suite::from_bytes(&bytes, Format::Yaml, &LoadOptions::default()).unwrap_err();
    assert_eq!(fault.to_string(), "1:1: error: the file is UTF-16; save it as UTF-8");
}

#[test]
fn a_limit_names_its_place_and_itself() {
    let deep = format!("{{\"cases\":\n {}{}}}", "[".repeat(70), "]".repeat(70));
    for format in [Format::Json, Format::Yaml] {
        let fault = Suite::parse(&deep, format, &LoadOptions::default()).unwrap_err();
        assert_eq!(fault.kind(), ErrorKind::Limit, "{format:?}: {fault}");
        assert_eq!(fault.diagnostics()[0].line, 2, "{format:?}: {fault}");
        assert!(fault.to_string().contains("nested more than 64 deep"), "{format:?}: {fault}");
        let mut options = LoadOptions::default();
        options.limits.nodes = 100;
        let many = format!("{{\"cases\":\n [{}1]}}", "1, ".repeat(200));
        let fault = Suite::parse(&many, format, &options).unwrap_err();
        assert_eq!(fault.kind(), ErrorKind::Limit, "{format:?}: {fault}");
        assert!(fault.to_string().contains("more than 100 values"), "{format:?}: {fault}");
    }
}

#[test]
fn everything_that_a_record_asserts_is_asserted() {
    let asserts = json!([
        {"type": "tool_order", "value": ["a", "b"]}, {"type": "tool_order", "value": ["c", "d"], "strict": true},
        {"type": "command_order", "value": ["e", "f"]}, {"type": "command_order", "value": ["g", "h"]},
        {"type": "max_calls", "value": 3}, {"type": "max_calls", "value": 5},
    ]);
    let line = json!({"id": "g", "conversation": [{"user": "u", "assert": asserts}]}).to_string();
    let suite = Suite::parse(&line, Format::Jsonl, &LoadOptions::default()).unwrap();
    assert_eq!(suite.warnings, []);
    let all = format!("{:?}", suite.cases[0].assertions);
    for word in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        assert!(all.contains(&format!("\"{word}\"")), "{word} is not in {all}");
    }
    assert!(
        all.contains("MaxCalls(3)") && all.contains("MaxCalls(5)") && all.contains("strict: true"),
        "{all}"
    );
}

#[test]
fn warnings_have_a_limit_of_their_own() {
    let odd: String =
        (0..300).map(|i| format!("  - {{id: c{i}, message: m, message: m, max_calls: 1}}\n")).collect();
    let suite = Suite::parse(&format!("cases:\n{odd}"), Format::Yaml, &LoadOptions::default()).unwrap();
    assert_eq!((suite.cases.len(), suite.warnings.len()), (300, 201));
    assert!(suite.warnings[200].to_string().contains("100 more warnings"), "{}", suite.warnings[200]);
    // Nor do they hide what is wrong behind them.
    let text = format!("cases:\n{odd}  - {{id: z, message: m, nope: 1}}\n");
    let fault = Suite::parse(&text, Format::Yaml, &LoadOptions::default()).unwrap_err();
    assert!(fault.to_string().contains("unknown key `nope`"), "{fault}");
    // Nor are they without end where each line is broken.
    let fault = Suite::parse(&"{broken\n".repeat(1000), Format::Jsonl, &LoadOptions::default()).unwrap_err();
    assert_eq!(fault.diagnostics().len(), 201);
}

#[test]
fn a_problem_quotes_little_and_no_secret() {
    // Comparing such a word with every known one would take a minute here.
    let long = "x".repeat(2_000_000);
    let token = "ghp_FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE0005";
    let case = json!({"id": long, "message": "m", (&*long): 1, "require": long, "rules": [long], "claims": [long],
        "expect_output_regex": format!("({long}"), "max_calls": 1, token: 2, "not": {"require": token}});
    let record = json!({"id": "r", "conversation": [{"user": "u", "assert": [{"type": long, "value": 1}]}]});
    let files = [(json!({"cases": [case]}).to_string(), Format::Json), (record.to_string(), Format::Jsonl)];
    for (text, format) in files {
        let lines = said(&text, format);
        assert!(!lines.is_empty());
        for line in lines {
            assert!(line.len() < 600 && !line.contains("FAKE0005"), "{} bytes: {:.700}", line.len(), line);
        }
    }
}

#[test]
fn what_is_built_in_code_loads_as_it_was_built() {
    let regex = || TextPattern::new("^x").unwrap();
    let args = |text: &str| json!({"command": text}).as_object().cloned().unwrap();
    let with = |set: &dyn Fn(&mut StepPattern)| {
        let mut step = StepPattern::tool("exec");
        set(&mut step);
        step
    };
    let by_args = StepPattern::tool("exec").with_args(args("ls"));
    let by_regex = with(&|step| drop(step.args_regex.insert("command".to_owned(), regex())));
    let by_schema = with(&|step| step.args_schema = Some(Schema::new(&json!({"required": ["a"]})).unwrap()));
    let order = |names: [&str; 2]| names.map(StepPattern::tool).to_vec();
    let built = [
        Assertion::Tools(vec![by_args.clone()]),
        Assertion::Tools(vec![StepPattern::tool("read")]),
        Assertion::ToolsOrdered { steps: order(["a", "b"]), strict: false },
        Assertion::ToolsOrdered { steps: order(["c", "d"]), strict: true },
        Assertion::ToolArgs(vec![by_args.clone(), StepPattern::tool("exec").with_args(args("pwd"))]),
        Assertion::ToolArgs(vec![by_regex]),
        Assertion::ToolArgs(vec![by_schema]),
        Assertion::MaxCalls(3),
        Assertion::MaxCalls(5),
        Assertion::OutputRegex(vec![regex()]),
        Assertion::AllOf(vec![vec![Assertion::MaxTokens(9)]]),
        Assertion::AnyOf(vec![vec![Assertion::MaxRetries(2), Assertion::MaxCalls(1)]]),
    ];
    let case = built.iter().cloned().fold(Case::new("a", "m"), Case::with);
    let text = json!({"cases": [case.as_written().to_value()]}).to_string();
    let suite =
        Suite::parse(&text, Format::Json, &LoadOptions::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    assert_eq!(suite.warnings, []);
    let loaded = format!("{:?}", suite.cases[0].assertions);
    for assertion in &built {
        let wanted = format!("{assertion:?}");
        // Groups that must hold are gathered in one list.
        let wanted =
            wanted.strip_prefix("AllOf([").and_then(|w| w.strip_suffix("])")).unwrap_or(&wanted).to_owned();
        assert!(loaded.contains(&wanted), "{wanted}\nis not in\n{loaded}");
    }
    // What no key takes by tool is still written.
    let failed = with(&|step| step.require = Require::Failed);
    let case = Case::new("a", "m").with(Assertion::ToolArgs(vec![failed, by_args]));
    assert_eq!(
        case.as_written().to_value(),
        json!({"id": "a", "message": "m", "expect_tool_args": {"exec": {"command": "ls"}},
            "expect_tools": [{"tool": "exec", "require": "failed"}]})
    );
}

#[test]
fn an_object_of_very_many_keys_is_no_trap() {
    // Looking through all keys for each one would take a minute here.
    let args: serde_json::Map<String, Value> = (0..60_000).map(|i| (format!("k{i}"), json!(i))).collect();
    let text =
        json!({"cases": [{"id": "a", "message": "m", "expect_tool_args": {"exec": args}}]}).to_string();
    let suite = Suite::parse(&text, Format::Json, &LoadOptions::default()).unwrap();
    let written = suite.cases[0].as_written().get("expect_tool_args").and_then(|a| a.get("exec")).unwrap();
    assert_eq!(written.as_object().unwrap().len(), 60_000);
}

#[test]
fn problems_have_a_limit() {
    let mut text = String::from("cases:\n");
    for i in 0..1000 {
        text.push_str(&format!("  - {{id: c{i}, message: m, nope: 1}}\n"));
    }
    let fault = Suite::parse(&text, Format::Yaml, &LoadOptions::default()).unwrap_err();
    assert_eq!(fault.diagnostics().len(), 201);
    report(
        "last line",
        &if fault.to_string().contains("800 more problems") { vec![] } else { vec![fault.to_string()] },
    );
}

//! Verdicts against what openclaw-edd 0.4.3 recorded.

use clawgauge_cases::{
    Aliases, Checker, Event, Format, Json, LoadOptions, Semantics, Status, Suite, Trajectory, Verdict,
    check_case,
};

use super::support::{Row, differences, report, rows};

fn events(row: &Row) -> Vec<Event> {
    serde_json::from_str(&serde_json::to_string(&row.at(&["input", "events"])).unwrap()).unwrap()
}

fn files(row: &Row) -> Vec<(String, String)> {
    row.at(&["input", "files"])
        .as_object()
        .unwrap_or_default()
        .iter()
        .map(|(name, text)| (name.clone(), text.as_str().unwrap().to_owned()))
        .collect()
}

fn needs_yaml(row: &Row) -> bool {
    !cfg!(feature = "yaml") && files(row).iter().any(|(name, _)| !name.ends_with(".json"))
}

/// Names that the original takes from a set are recorded sorted; ours are sorted too.
#[test]
fn edd_semantics_give_the_recorded_verdict() {
    let mut problems = Vec::new();
    for row in rows("vectors/cases.jsonl") {
        if needs_yaml(&row) {
            continue;
        }
        let files = files(&row);
        let output = row.at(&["input", "final_output"]);
        let found = check_case(&row.at(&["input", "case"]), &events(&row), output.as_str(), &|name| {
            files.iter().find(|(n, _)| n == name).map(|(_, text)| text.clone())
        });
        let expected = row.at(&["expected"]);
        match (found, expected.get("throws")) {
            (Err(fault), Some(class)) => {
                if Some(fault.class) != class.as_str() {
                    problems.push(format!("{}: throws {}, recorded {class:?}", row.id, fault.class));
                }
            }
            (Err(fault), None) => problems.push(format!("{}: throws {}", row.id, fault.class)),
            (Ok(_), Some(class)) => problems.push(format!("{}: does not throw, recorded {class:?}", row.id)),
            (Ok(found), None) => {
                let checks = found.checks_json();
                let found = [
                    ("passed", Json::Bool(found.passed)),
                    ("failures", Json::Array(found.failures.into_iter().map(Json::String).collect())),
                    ("checks", checks),
                ];
                for (key, value) in found {
                    let wanted = expected.get(key).cloned().unwrap_or_default();
                    if value != wanted {
                        problems.push(format!("{}: {key}: {value:?}\n    recorded {wanted:?}", row.id));
                    }
                }
            }
        }
    }
    report("cases, semantics edd", &problems);
}

fn one_case(row: &Row) -> Option<Suite> {
    let suite = format!("{{\"cases\":[{}]}}", serde_json::to_string(&row.at(&["input", "case"])).unwrap());
    Suite::parse(&suite, Format::Json, &LoadOptions::default()).ok()
}

/// Our verdict on a row; `None` when its case does not load.
fn ours(row: &Row) -> Option<Verdict> {
    let output = row.at(&["input", "final_output"]).as_str().map(str::to_owned);
    let trajectory = Trajectory::from_events(events(row), output);
    let suite = one_case(row)?;
    let mut checker = Checker::with_aliases(&trajectory, Aliases::default());
    for (name, text) in files(row) {
        checker = checker.with_file(name, text);
    }
    Some(checker.check(&suite.cases[0], Semantics::Clawgauge))
}

#[test]
fn a_case_that_asserts_nothing_is_unchecked_where_the_recorded_verdict_is_a_pass() {
    let reasons: &[(&str, &str)] = &[
        ("case-001", "no assertion at all"),
        ("case-002", "no assertion at all"),
        ("case-003", "empty lists assert nothing"),
        ("case-039", "`strict` without an order asserts nothing"),
        ("case-235", "a judge's criteria are judged by `judge`, not checked"),
        ("case-236", "a judge's model asserts nothing"),
        ("case-237", "a judge's criteria are judged by `judge`, not checked"),
        ("case-238", "a judge's criteria are judged by `judge`, not checked"),
    ];
    let mut differ = Vec::new();
    for row in rows("vectors/cases.jsonl").into_iter().filter(|row| !needs_yaml(row)) {
        let is_unchecked = ours(&row).is_some_and(|verdict| verdict.status == Status::Unchecked);
        if is_unchecked && row.at(&["expected", "passed"]) == Json::Bool(true) {
            differ.push((row.id, row.bug, "unchecked".to_owned()));
        }
    }
    differences("cases that assert nothing", &differ, reasons, 15);
}

#[test]
fn our_semantics_differ_where_the_recorded_verdict_is_wrong() {
    let reasons: &[(&str, &str)] = &[
        ("case-015", "a call that began is a call that was attempted"),
        ("case-050", "a forbidden call that began was attempted"),
        ("case-176", "a call that began and the same call's end are one call, made twice in a row"),
        ("case-041", "a scalar where a list belongs is one item"),
        ("case-063", "`cmd` holds a command too"),
        ("case-078", "case folding: ß equals ss"),
        ("case-081", "case folding: a final sigma equals an inner one"),
        ("case-113", "case folding: ß equals ss"),
        ("case-130", "a missing argument is not an empty text"),
        ("case-135", "a text never equals a number"),
        ("case-138", "a text never equals a number"),
        ("case-139", "a text never equals a number"),
        ("case-144", "a text never equals a boolean"),
        ("case-150", "a text never equals an object"),
        ("case-151", "a text never equals a list"),
    ];
    let mut differ = Vec::new();
    for row in rows("vectors/cases.jsonl").into_iter().filter(|row| !needs_yaml(row)) {
        // A crash of the original is no pass; a case that cannot be loaded is none either.
        let wanted = row.at(&["expected", "passed"]).as_bool().unwrap_or(false);
        let verdict = ours(&row);
        if verdict.as_ref().is_some_and(|verdict| verdict.status == Status::Unchecked) {
            continue;
        }
        if verdict.as_ref().is_some_and(Verdict::passed) != wanted {
            let failures = verdict.map(|verdict| verdict.failures().join("; "));
            differ.push((row.id, row.bug, format!("{failures:?}, recorded passed: {wanted}")));
        }
    }
    differences("cases, our semantics", &differ, reasons, 15);
}

#[test]
fn edd_semantics_of_a_suite_are_the_recorded_verdict_too() {
    let mut problems = Vec::new();
    for row in rows("vectors/cases.jsonl") {
        if needs_yaml(&row) {
            continue;
        }
        let suite = format!(
            "{{\"semantics\":\"edd\",\"cases\":[{}]}}",
            serde_json::to_string(&row.at(&["input", "case"])).unwrap()
        );
        let suite = match Suite::parse(&suite, Format::Json, &LoadOptions::default()) {
            Ok(suite) => suite,
            Err(fault) => {
                problems.push(format!("{}: does not load: {fault}", row.id));
                continue;
            }
        };
        // A suite's checker gives a missing answer as an empty one, so the crash of case-243 does not happen.
        if row.id == "case-243" {
            continue;
        }
        let output = row.at(&["input", "final_output"]).as_str().map(str::to_owned);
        let trajectory = Trajectory::from_events(events(&row), output);
        let mut checker = Checker::with_aliases(&trajectory, suite.aliases.clone());
        for (name, text) in files(&row) {
            checker = checker.with_file(name, text);
        }
        let verdict = checker.check(&suite.cases[0], Semantics::Edd);
        let wanted = row.at(&["expected", "passed"]).as_bool().unwrap_or(false);
        if verdict.passed() != wanted {
            problems.push(format!("{}: {:?}, recorded passed: {wanted}", row.id, verdict.status));
        }
        let lines: Vec<String> =
            serde_json::from_value(row.value["expected"]["failures"].clone()).unwrap_or_default();
        // A check that the original marks as failed for another check's words has no line of its own (case-242).
        let shown = verdict.failures().into_iter().filter(|f| !f.is_empty()).collect::<Vec<_>>().join("; ");
        if row.at(&["expected", "throws"]) == Json::Null && shown != lines.join("; ") {
            problems.push(format!("{}: {shown}\n    recorded {lines:?}", row.id));
        }
    }
    report("cases, a suite with semantics edd", &problems);
}

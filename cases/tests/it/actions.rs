//! The table of actions against what openclaw-edd recorded.

use std::borrow::Cow;

use clawgauge_cases::{Assertion, Case, Checker, Event, EventKind, Json, Semantics, Trajectory, check_case};
use serde_json::json;

use super::support::{differences, report, rows};

/// The actions that openclaw-edd's semantics give a command, in table order.
fn edd_actions(command: &str) -> Vec<String> {
    let mut event = Event::new(EventKind::ToolEnd);
    event.tool = "exec".to_owned();
    event.input = Json::from(&json!({"command": command}));
    let case: Json =
        serde_json::from_str(r#"{"id":"a","message":"m","expect_actions":["none of them"]}"#).unwrap();
    let verdict = check_case(&case, &[event], Some(""), &|_| None).unwrap();
    let details =
        verdict.checks_json().get("actions").and_then(|c| c.get("details")).cloned().unwrap_or_default();
    let Some(first) = details.as_array().and_then(<[Json]>::first) else { return vec!["unknown".to_owned()] };
    let actions = first.get("actions").cloned().unwrap_or_default();
    actions.as_array().unwrap().iter().map(|a| a.as_str().unwrap().to_owned()).collect()
}

fn our_actions(command: &str) -> Vec<String> {
    let done = Trajectory::from_calls([("exec", json!({"command": command}))], "");
    let case = Case::new("a", "m").with(Assertion::Actions(vec!["none of them".to_owned()]));
    let verdict = Checker::new(&done).check(&case, Semantics::Clawgauge);
    let observed = verdict.checks[0].detail.get("observed").map(Cow::into_owned).unwrap_or_default();
    observed.as_array().unwrap().iter().map(|a| a.as_str().unwrap().to_owned()).collect()
}

#[test]
fn edd_table_is_the_recorded_one() {
    let mut problems = Vec::new();
    for row in rows("vectors/actions.jsonl") {
        let command = row.at(&["command"]).as_str().unwrap().to_owned();
        let wanted: Vec<String> = serde_json::from_value(row.value["actions"].clone()).unwrap();
        let found = edd_actions(&command);
        if found != wanted {
            problems.push(format!("{}: {command:?}: {found:?}, recorded {wanted:?}", row.id));
        }
    }
    report("actions, semantics edd", &problems);
}

#[test]
fn our_table_differs_where_the_recorded_one_is_wrong() {
    let reasons: &[(&str, &str)] = &[(
        "action-031",
        "prose that mentions files is not counting; action-030 is recorded as a bug of the same kind",
    )];
    let mut differ = Vec::new();
    for row in rows("vectors/actions.jsonl") {
        let command = row.at(&["command"]).as_str().unwrap().to_owned();
        let mut wanted: Vec<String> = serde_json::from_value(row.value["actions"].clone()).unwrap();
        wanted.sort();
        let mut found = our_actions(&command);
        found.sort();
        // An empty command is no command at all.
        if found.is_empty() {
            found.push("unknown".to_owned());
        }
        if found != wanted {
            differ.push((row.id, row.bug, format!("{command:?}: {found:?}, recorded {wanted:?}")));
        }
    }
    differences("actions, our table", &differ, reasons, 15);
    assert!(differ.len() >= 15, "our table repairs the recorded mistakes: only {} differ", differ.len());
}

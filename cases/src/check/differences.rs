//! Where openclaw-edd would say something else, and verdicts by its semantics.

use super::{Checker, difference};
use crate::assertion::Assertion;
use crate::case::Case;
use crate::detail::Detail;
use crate::edd::{EddFault, EddVerdict, check_prepared};
use crate::json::Json;
use crate::load::EDD_ASSERTIONS;
use crate::verdict::{Check, Status, Verdict};

fn edd(checker: &Checker<'_>, case: &Case) -> Result<EddVerdict, EddFault> {
    check_prepared(&case.raw, checker.recording(), &|name| checker.file(name).map(str::to_owned))
}

fn word(passed: bool) -> &'static str {
    if passed { "passes" } else { "fails" }
}

/// Adds the differences to our own verdict.
pub(super) fn note(checker: &Checker<'_>, case: &Case, mut ours: Verdict) -> Verdict {
    match edd(checker, case) {
        Err(fault) => {
            ours.differences.push(difference("case", ours.status.as_str(), &fault.to_string()));
        }
        Ok(theirs) => {
            for check in &ours.checks {
                let same_key = ours.checks.iter().filter(|c| c.name == check.name).count() == 1;
                let passed =
                    theirs.checks.iter().find(|(name, _)| *name == check.name).map(|(_, c)| passes(c));
                match passed {
                    Some(passed) if same_key && passed != check.passed => {
                        ours.differences.push(difference(check.name, word(check.passed), word(passed)));
                    }
                    _ => {}
                }
            }
            if theirs.passed != ours.passed() && ours.differences.is_empty() {
                ours.differences.push(difference("case", ours.status.as_str(), word(theirs.passed)));
            }
        }
    }
    ours
}

/// openclaw-edd's verdict on its own assertions, ours on the new ones.
pub(super) fn as_edd(checker: &Checker<'_>, case: &Case, mut ours: Verdict) -> Verdict {
    let is_new = |assertion: &Assertion| !EDD_ASSERTIONS.contains(&assertion.key());
    let room = Vec::with_capacity(ours.checks.len());
    let explained: Vec<Check> = std::mem::replace(&mut ours.checks, room);
    let mut out = Verdict { differences: Vec::new(), ..ours };
    match edd(checker, case) {
        Err(fault) => {
            let mut check = Check::new("semantics", "openclaw-edd", false);
            check.message = fault.to_string();
            out.checks.push(check);
        }
        Ok(theirs) => {
            let mut failures = theirs.failures.into_iter();
            for (name, detail) in theirs.checks {
                // A judge that could not be asked changes nothing.
                if name == "judge" {
                    continue;
                }
                let passed = passes(&detail);
                let our_check = explained.iter().find(|c| c.name == name);
                let Some((key, static_name)) = static_names(name) else { continue };
                let mut check = Check::new(key, static_name, passed);
                if !passed {
                    // A failed argument check has one line for each argument; the others have one.
                    let lines = if name == "tool_args" { count_argument_lines(&detail) } else { 1 };
                    check.message = failures.by_ref().take(lines).collect::<Vec<_>>().join("; ");
                    check.explanation = our_check.and_then(|c| c.explanation.clone());
                }
                if let Some(our_check) = our_check.filter(|c| c.passed != passed) {
                    out.differences.push(difference(name, word(our_check.passed), word(passed)));
                }
                check.detail = detail;
                out.checks.push(check);
            }
        }
    }
    let new = case.assertions.iter().zip(explained).filter(|(a, _)| is_new(a)).map(|(_, c)| c);
    out.checks.extend(new);
    out.status = if out.checks.iter().all(|c| c.passed) { Status::Passed } else { Status::Failed };
    out
}

fn passes(detail: &Detail) -> bool {
    detail.get("passed").and_then(|passed| passed.as_bool()).unwrap_or(false)
}

fn count_argument_lines(detail: &Detail) -> usize {
    let details = detail.get("details").unwrap_or_default();
    details
        .as_object()
        .unwrap_or_default()
        .iter()
        .map(|(_, tool)| {
            if tool.get("missing_tool").is_some() {
                return 1;
            }
            let args = tool.get("args").and_then(Json::as_object).unwrap_or_default();
            args.iter().filter(|(_, arg)| arg.get("matched").and_then(Json::as_bool) == Some(false)).count()
        })
        .sum()
}

fn static_names(name: &str) -> Option<(&'static str, &'static str)> {
    const NAMES: [(&str, &str); 12] = [
        ("expect_tools", "tool_called"),
        ("expect_tools_ordered", "tool_ordered"),
        ("forbidden_tools", "forbidden_tools"),
        ("expect_commands", "commands"),
        ("forbidden_commands", "forbidden_commands"),
        ("expect_commands_ordered", "commands_ordered"),
        ("expect_output_contains", "output_contains"),
        ("expect_tool_args", "tool_args"),
        ("max_retries", "max_retries"),
        ("expect_actions", "actions"),
        ("expect_actions_ordered", "actions_ordered"),
        ("expect_plan_contains", "plan_contains"),
    ];
    NAMES.into_iter().find(|(_, n)| *n == name)
}

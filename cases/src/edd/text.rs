//! What openclaw-edd prints: `edd diff` and `edd suggest`, for those who read it by program.

use super::pyrepr::list;
use crate::case::EvalType;
use crate::json::Json;
use crate::runs::{CaseResult, Run};
use crate::stats::share;
use crate::verdict::Status;

const LINE: &str = "────────────────────────────────────────────────────────────";

fn passed(result: &CaseResult) -> bool {
    result.status() == Status::Passed
}

fn rate(results: &[&CaseResult]) -> f64 {
    share(results.iter().filter(|r| passed(r)).count(), results.len()) * 100.0
}

fn seconds(run: &Run) -> f64 {
    if run.results.is_empty() {
        return 0.0;
    }
    let sum: f64 = run.results.iter().flat_map(|r| &r.attempts).map(|a| a.duration_s).sum();
    sum / u32::try_from(run.results.len()).map_or(f64::MAX, f64::from)
}

fn of_type<'r>(run: &'r Run, wanted: &EvalType) -> Vec<&'r CaseResult> {
    run.results.iter().filter(|r| r.eval_type == *wanted).collect()
}

/// The text of `openclaw-edd edd diff`. The original lists the cases in no fixed order; here they keep the order of the
/// second report, removed ones at the end. O(n log n).
#[must_use]
pub fn edd_diff_text(before_name: &str, after_name: &str, before: &Run, after: &Run) -> String {
    let mut out = format!("📊 EDD Diff\nbaseline : {before_name}\nnew      : {after_name}\n{LINE}\n");
    for (wanted, name, decimals) in
        [(EvalType::Regression, "Regression", 0), (EvalType::Capability, "Capability", 1)]
    {
        let (old, new) = (of_type(before, &wanted), of_type(after, &wanted));
        if old.is_empty() && new.is_empty() {
            continue;
        }
        let (was, is) = (rate(&old), rate(&new));
        let mark = if is >= was { "✓" } else { "✗" };
        out.push_str(&format!("{name}: {was:.0}% → {is:.0}% {mark} ({:+.decimals$}%)\n", is - was));
    }
    let all = |run: &Run| rate(&run.results.iter().collect::<Vec<_>>());
    let (was, is) = (all(before), all(after));
    let (took, takes) = (seconds(before), seconds(after));
    out.push_str(&format!(
        "\nPass rate:  {was:.0}% → {is:.0}%  ({:+.0}%)\nDuration:       {took:.1}s → {takes:.1}s  ({:+.1}s)\n",
        is - was,
        takes - took
    ));
    for block in blocks(before, after) {
        out.push_str(&format!("\n{block}\n"));
    }
    out
}

fn blocks(before: &Run, after: &Run) -> Vec<String> {
    let find = |run: &Run, id: &str| run.results.iter().rev().find(|r| r.id == id).cloned();
    let mut ids: Vec<&str> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for result in after.results.iter().chain(&before.results) {
        if seen.insert(result.id.as_str()) {
            ids.push(&result.id);
        }
    }
    ids.into_iter()
        .map(|id| match (find(before, id), find(after, id)) {
            (None, _) => format!("{id}   NEW"),
            (_, None) => format!("{id}   REMOVED"),
            (Some(old), Some(new)) => block(id, &old, &new),
        })
        .collect()
}

fn block(id: &str, old: &CaseResult, new: &CaseResult) -> String {
    let word = |r: &CaseResult| if passed(r) { "PASS" } else { "FAIL" };
    let (was, is) = (word(old), word(new));
    if passed(old) == passed(new) {
        return format!("{id}   {was} → {is}  (unchanged)");
    }
    let mut out = format!("{id}   {was} → {is}  {}", if passed(new) { "✓" } else { "✗" });
    let names = |r: &CaseResult| r.representative().map(|a| a.tool_names.clone()).unwrap_or_default();
    let (before, after) = (names(old), names(new));
    if before != after {
        out.push_str(&format!("\n  : {} → {}", list(&before), list(&after)));
    }
    let failed = if passed(new) { old } else { new };
    if let Some(reason) = failed.representative().and_then(|a| a.failures.first()) {
        out.push_str(&format!("\n  Failure reason: {reason}"));
    }
    out
}

/// The text of `openclaw-edd edd suggest`. `skills` are the file names in the skills folder.
#[must_use]
pub fn edd_suggest_text(run: &Run, skills: &[String]) -> String {
    let failed: Vec<&CaseResult> = run.results.iter().filter(|r| !passed(r)).collect();
    if failed.is_empty() {
        return "✓ All cases passed; no suggestions needed\n".to_owned();
    }
    let mut out = format!("📋 Analyze {} \n\n", failed.len());
    for result in failed {
        let message = result.case.get("message").and_then(Json::as_str).unwrap_or_default();
        out.push_str(&format!("=== case: {} ===\nMessage: {message}\n", result.id));
        let failures = result.representative().map(|a| a.failures.clone()).unwrap_or_default();
        for failure in &failures {
            out.push_str(&format!("Failure reason: {failure}\n"));
        }
        for failure in &failures {
            if let Some((file, change)) = suggestion(&result.id, failure, skills) {
                out.push_str(&format!("Suggested file: {file}\nSuggested change: {change}\n"));
            }
        }
        out.push_str(&format!("{LINE}\n\n"));
    }
    out
}

fn suggestion(id: &str, failure: &str, skills: &[String]) -> Option<(String, String)> {
    let own = format!("skills/{id}.md");
    if let Some((_, rest)) = failure.split_once("Missing required tool calls: ") {
        // The first name only, cut where a list or a bracket begins.
        let tool = rest.split([',', '(']).next().unwrap_or_default().trim();
        let file = format!("{tool}.md");
        return Some(if skills.contains(&file) {
            (format!("skills/{file}"), format!("Add missing tool call steps: {tool}"))
        } else {
            (own, format!("Create a new skill that calls tool: {tool}"))
        });
    }
    if failure.contains("Tool order mismatch") {
        return Some((own, "Adjust tool call order".to_owned()));
    }
    if failure.contains("Forbidden tool was called") {
        return Some(("TOOLS.md".to_owned(), "Add rule".to_owned()));
    }
    failure
        .contains("Output missing expected keywords")
        .then(|| (own, "Specify output format requirements".to_owned()))
}

//! Reports of a run: JSON, JUnit XML, Markdown, HTML, text.

mod html;
mod json;
mod junit;
mod markdown;
mod text;

pub(crate) use json::edd_case;

use crate::case::EvalType;
use crate::runs::Attempt;
use crate::stats::{share, wilson};
use crate::text::quote;
use crate::verdict::Check;

/// Why an attempt failed, in lines: the checks with their explanations, or, for one that was read from a report and has none,
/// its failures.
pub(crate) fn why(attempt: &Attempt) -> Vec<String> {
    if attempt.checks.is_empty() {
        return attempt.failures.iter().map(|failure| quote(failure, 1000)).collect();
    }
    attempt.checks.iter().flat_map(Check::to_lines).collect()
}

/// `80%`, `37.5%`: one decimal only where it says something.
pub(crate) fn percent(part: usize, whole: usize) -> String {
    let value = share(part, whole) * 100.0;
    let one = format!("{value:.1}");
    format!("{}%", one.strip_suffix(".0").unwrap_or(&one))
}

/// `53% to 93%`, the 95 % interval; empty for nothing.
pub(crate) fn interval(part: usize, whole: usize) -> String {
    let counts = u32::try_from(part).ok().zip(u32::try_from(whole).ok());
    counts
        .and_then(|(part, whole)| wilson(part, whole))
        .map(|(low, high)| format!("{:.0}% to {:.0}%", low * 100.0, high * 100.0))
        .unwrap_or_default()
}

/// The heading of a group, as the documentation of openclaw-edd shows it.
pub(crate) fn heading(eval_type: &EvalType) -> String {
    match eval_type {
        EvalType::Regression => "📊 Regression Eval (Prevent Regression)".to_owned(),
        EvalType::Capability => "📈 Capability Eval (Capability Climb)".to_owned(),
        EvalType::Other(name) => format!("📋 {} Eval", quote(name, 60)),
    }
}

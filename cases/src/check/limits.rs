//! Checks about how much: retries, repeated failures, calls, tokens, cost, time, scores.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Checker;
use crate::json::Json;
use crate::text::quote;
use crate::trajectory::{Outcome, Step};
use crate::value::same;
use crate::verdict::{Check, Explanation};

/// Whether `next` repeats `before`: same tool, same arguments, and not a poll whose successful result changed.
fn repeats(before: &Step, next: &Step) -> bool {
    if before.tool != next.tool || !same(&before.args, &next.args) {
        return false;
    }
    let changed = matches!((&before.result, &next.result), (Some(a), Some(b)) if a != b);
    !(changed && before.outcome == Outcome::Succeeded)
}

/// An argument key that is the same for equal arguments: numbers by value, keys sorted.
fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Number(n) => match n.as_f64() {
            Some(f) if f.fract() == 0.0 && f.abs() < 9.0e15 => out.push_str(&format!("{f:.0}")),
            _ => out.push_str(&n.to_string()),
        },
        Value::Array(items) => {
            out.push('[');
            for item in items {
                canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(map) => {
            // The map type may keep written order; equal objects must give equal keys.
            let sorted: BTreeMap<&String, &Value> = map.iter().collect();
            out.push('{');
            for (key, value) in sorted {
                out.push_str(&format!("{key:?}:"));
                canonical(value, out);
                out.push(',');
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

/// The runs of one and the same call in a trajectory.
pub(crate) struct Repeated {
    /// Calls of the longest.
    longest: usize,
    /// Where it begins.
    first: usize,
    /// All of more than one call, as a report shows them.
    retries: Vec<Json>,
}

impl Repeated {
    /// O(calls).
    pub(crate) fn of(steps: &[Step]) -> Self {
        let mut longest = usize::from(!steps.is_empty());
        let mut where_longest = 0;
        let mut retries = Vec::new();
        let (mut start, mut length) = (0, usize::from(!steps.is_empty()));
        let mut close = |start: usize, length: usize| {
            if length > 1
                && let Some(step) = steps.get(start)
            {
                retries.push(Json::object([
                    ("tool", step.tool.as_str().into()),
                    (
                        "command",
                        step.args
                            .get("command")
                            .and_then(Value::as_str)
                            .map_or_else(String::new, |c| quote(c, 200))
                            .into(),
                    ),
                    ("count", length.into()),
                    ("first_call", start.into()),
                ]));
            }
        };
        for (at, pair) in steps.windows(2).enumerate() {
            if let [before, next] = pair
                && repeats(before, next)
            {
                length += 1;
            } else {
                close(start, length);
                (start, length) = (at + 1, 1);
            }
            if length > longest {
                (longest, where_longest) = (length, start);
            }
        }
        close(start, length);
        Self { longest, first: where_longest, retries }
    }
}

impl Checker<'_> {
    pub(super) fn max_retries(&self, limit: u64) -> Check {
        let Repeated { longest, first: where_longest, retries } = self.repeated();
        let (longest, where_longest) = (*longest, *where_longest);
        // 0 and 1 both say that no call may be made twice in a row.
        let passed = u64::try_from(longest).unwrap_or(u64::MAX) <= limit.max(1);
        let mut check = Check::new("max_retries", "max_retries", passed);
        check.detail.set("max_consecutive", longest.into());
        check.detail.set("limit", limit.into());
        check.detail.set("retries", Json::Array(retries.clone()));
        if passed {
            return check;
        }
        check.message = format!(
            "Too many retries: max consecutive {longest} > limit {limit}: {} (calls #{} to #{})",
            self.label(where_longest),
            where_longest + 1,
            where_longest + longest
        );
        let entries = self.entries(where_longest..where_longest + longest);
        check.explained(Explanation { entries, ..Explanation::default() })
    }

    pub(super) fn repeated_failures(&self, limit: u64) -> Check {
        let mut failures: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, step) in self.steps().iter().enumerate() {
            if step.outcome == Outcome::Failed {
                let mut key = format!("{:?}", step.tool);
                canonical(&step.args, &mut key);
                failures.entry(key).or_default().push(at);
            }
        }
        let worst = failures.into_values().max_by_key(Vec::len).unwrap_or_default();
        let count = u64::try_from(worst.len()).unwrap_or(u64::MAX);
        let mut check = Check::new("no_repeated_failures", "no_repeated_failures", count <= limit);
        check.detail.set("most", count.into());
        check.detail.set("limit", limit.into());
        if check.passed {
            return check;
        }
        let label = worst.first().map(|&at| self.label(at)).unwrap_or_default();
        check.message = format!("The same call failed {count} times (limit {limit}): {label}");
        let entries = self.entries(worst);
        check.explained(Explanation { entries, ..Explanation::default() })
    }

    pub(super) fn max_calls(&self, limit: u64) -> Check {
        let calls = u64::try_from(self.steps().len()).unwrap_or(u64::MAX);
        bounded("max_calls", "calls", Some(calls as f64), limit as f64)
    }

    pub(super) fn max_tokens(&self, limit: u64) -> Check {
        bounded("max_tokens", "tokens", self.trajectory().tokens().map(|t| t as f64), limit as f64)
    }

    pub(super) fn max_cost(&self, limit: f64) -> Check {
        bounded("max_cost", "cost", self.trajectory().cost, limit)
    }

    pub(super) fn max_seconds(&self, limit: f64) -> Check {
        bounded("max_seconds", "seconds", self.trajectory().duration_s, limit)
    }

    pub(super) fn min_score(&self, wanted: &BTreeMap<String, f64>) -> Check {
        let scores = &self.trajectory().scores;
        let mut faults = Vec::new();
        let mut applies = false;
        for (dimension, least) in wanted {
            match scores.get(dimension) {
                None => faults.push(format!("there is no score for `{}`", quote(dimension, 40))),
                // Nothing to judge is no fault of the agent.
                Some(None) => {}
                Some(Some(score)) => {
                    applies = true;
                    if score < least {
                        faults
                            .push(format!("{} is {score:.2}, wanted at least {least}", quote(dimension, 40)));
                    }
                }
            }
        }
        let mut check = Check::new("min_score", "min_score", faults.is_empty());
        check.vacuous = faults.is_empty() && !applies;
        check
            .detail
            .set("scores", Json::Object(scores.iter().map(|(k, v)| (k.clone(), Json::from(*v))).collect()));
        if !faults.is_empty() {
            check.message = format!("Score too low: {}", faults.join("; "));
        }
        check
    }
}

/// An unknown amount is not zero: it cannot be said to be within a limit.
fn bounded(key: &'static str, unit: &str, actual: Option<f64>, limit: f64) -> Check {
    let mut check = Check::new(key, key, actual.is_some_and(|a| a <= limit));
    check.detail.set("actual", actual.into());
    check.detail.set("limit", limit.into());
    if !check.passed {
        check.message = actual.map_or_else(
            || {
                format!(
                    "Limit cannot be checked: the record does not say how many {unit} it took (limit {limit})"
                )
            },
            |actual| format!("Limit exceeded: {actual} {unit}, at most {limit} allowed"),
        );
    }
    check
}

//! Did it get better? Two sets of sessions side by side.

use clawgauge_scoring::stats::{self, Comparison};
use clawgauge_scoring::v1::round;
use clawgauge_scoring::{Dimension, Filter, Profile, ScoreRecord};
use serde_json::{Map, Value, json};

use super::{Answer, Folder};
use crate::exit;

/// One of the two sets.
#[derive(Debug, Clone)]
pub struct Set<'a> {
    /// What the person called it.
    pub name: String,
    /// Where its records are.
    pub folder: &'a Folder,
    /// Which of them belong to it.
    pub filter: Filter,
}

/// Compares the scores of two sets: means, the difference with its 95 % interval, and a verdict for each score. `seed` decides
/// the random samples.
///
/// The exit code is [`exit::NOTHING`] when a set holds no scores of the profile; with `fail_if_worse` it is [`exit::NO`] when
/// the overall score is worse.
#[must_use]
pub fn compare(
    a: &Set<'_>,
    b: &Set<'_>,
    profile: Profile,
    seed: u64,
    fail_if_worse: bool,
    json: bool,
) -> Answer {
    let values = |set: &Set<'_>, value: &dyn Fn(&ScoreRecord) -> Option<f64>| -> Vec<f64> {
        set.folder.iter().filter(|record| set.filter.matches(record)).filter_map(value).collect()
    };
    let row = |value: &dyn Fn(&ScoreRecord) -> Option<f64>| {
        stats::compare(&values(a, value), &values(b, value), seed)
    };
    let overall = row(&|record| record.numbers(profile)?.overall);
    let mut rows = vec![Row { name: "overall".to_owned(), found: overall, full: 1.0 }];
    for dimension in Dimension::ALL {
        let one = row(&|record| *record.numbers(profile)?.dimensions.get(dimension));
        rows.push(Row { name: dimension.to_string(), found: one, full: 1.0 });
    }
    let mut risk = row(&|record| Some(record.risk_value(profile)? / 100.0));
    if risk.before > 0 || risk.after > 0 {
        // Of a risk less is better.
        risk.verdict = match risk.verdict {
            stats::Verdict::Better => stats::Verdict::Worse,
            stats::Verdict::Worse => stats::Verdict::Better,
            other => other,
        };
        rows.push(Row { name: "risk".to_owned(), found: risk, full: 100.0 });
    }
    let code = match overall.verdict {
        _ if overall.before == 0 || overall.after == 0 => exit::NOTHING,
        stats::Verdict::Worse if fail_if_worse => exit::NO,
        _ => exit::OK,
    };
    let mut answer =
        Answer::ok(if json { as_json(a, b, profile, &rows) } else { as_text(a, b, profile, &rows) })
            .with_exit(code);
    answer.stderr = a.folder.notes();
    if !std::ptr::eq(a.folder, b.folder) {
        answer.stderr.push_str(&b.folder.notes());
    }
    for (set, count) in [(a, overall.before), (b, overall.after)] {
        if count == 0 {
            answer.note(format_args!("scores: no session of {} has a score of profile {profile}", set.name));
        }
    }
    answer
}

/// One score of both sets.
struct Row {
    name: String,
    /// As shares.
    found: Comparison,
    /// What a share of 1 is shown as: a risk is told in hundredths, as everywhere.
    full: f64,
}

fn as_text(a: &Set<'_>, b: &Set<'_>, profile: Profile, rows: &[Row]) -> String {
    let mut text = format!("A: {}\nB: {}\n{}\n", a.name, b.name, "─".repeat(76));
    text.push_str("Score          n(A)  n(B)     A     B  Change  95 % interval     p       Verdict\n");
    for Row { name, found: row, full } in rows {
        let digits = if *full > 1.0 { 0 } else { 2 };
        let number =
            |x: Option<f64>| x.map_or_else(|| "n/a".to_owned(), |x| format!("{:.digits$}", round(x * full)));
        let signed = |x: f64| signed(x * full, digits);
        let change = row.difference.map_or_else(|| "n/a".to_owned(), signed);
        let interval = row
            .interval
            .map_or_else(|| "n/a".to_owned(), |i| format!("{} to {}", signed(i.low), signed(i.high)));
        let p = row.p.map_or_else(
            || "n/a".to_owned(),
            |p| {
                if p < 0.001 { "<.001".to_owned() } else { format!("{p:.3}") }
            },
        );
        let line = format!(
            "{name:<13} {:>5} {:>5}  {:>4}  {:>4}  {change:>6}  {interval:<17}  {p:<6}  {}",
            row.before,
            row.after,
            number(row.mean_before),
            number(row.mean_after),
            row.verdict
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if let Some(overall) = rows.first() {
        text.push_str(&format!("B against A, overall: {} (profile {profile})\n", overall.found.verdict));
    }
    text
}

fn signed(x: f64, digits: usize) -> String {
    let text = format!("{:+.digits$}", round(x));
    // A change that rounds to nothing has no sign.
    if text.trim_start_matches(['-', '0', '.']).is_empty() { text.replace('-', "+") } else { text }
}

fn as_json(a: &Set<'_>, b: &Set<'_>, profile: Profile, rows: &[Row]) -> String {
    let thousandths = |x: f64| (x * 1000.0).round() / 1000.0;
    let scores: Map<String, Value> = rows
        .iter()
        .map(|Row { name, found: row, full }| {
            let thousandths = |x: f64| thousandths(x * full);
            let value = json!({
                "a": { "sessions": row.before, "mean": row.mean_before.map(thousandths) },
                "b": { "sessions": row.after, "mean": row.mean_after.map(thousandths) },
                "difference": row.difference.map(thousandths),
                "interval": row.interval.map(|i| [thousandths(i.low), thousandths(i.high)]),
                "p": row.p.map(|p| (p * 1e6).round() / 1e6),
                "exact": row.exact,
                "verdict": row.verdict.as_str(),
            });
            (name.clone(), value)
        })
        .collect();
    format!("{:#}\n", json!({ "profile": profile.as_str(), "a": a.name, "b": b.name, "scores": scores }))
}

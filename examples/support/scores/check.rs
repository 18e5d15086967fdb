//! Are the scores good enough? For cron jobs and pipelines.

use clawgauge_scoring::v1::{number_text, round};
use clawgauge_scoring::{PerDimension, Summary};
use serde_json::{Value, json};

use super::{Answer, Folder, View};
use crate::exit;

/// The least that each mean must reach; `None` is not asked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Least {
    /// For the overall score.
    pub overall: Option<f64>,
    /// For the four scores.
    pub dimensions: PerDimension<Option<f64>>,
    /// The most that the mean risk may be, from 0 to 100.
    pub most_risk: Option<f64>,
    /// For the share of sessions that ended well.
    pub success_rate: Option<f64>,
    /// For the number of sessions.
    pub sessions: Option<u64>,
}

impl Least {
    /// Whether anything is asked at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Compares the means of a period with the least that is asked, unrounded.
///
/// The exit code is [`exit::OK`] when all is reached, [`exit::NO`] when something is below, and [`exit::NOTHING`] when there
/// is no session, or when a mean that is asked for applies to none of them (and nothing is below).
#[must_use]
pub fn check(folder: &Folder, view: &View, least: &Least) -> Answer {
    let summary = Summary::of(folder.iter(), view.profile, &view.narrowed());
    let mut rows: Vec<(String, f64, Option<f64>)> = Vec::new();
    let mut ask = |name: &str, least: Option<f64>, found: Option<f64>| {
        if let Some(least) = least {
            rows.push((name.to_owned(), least, found));
        }
    };
    ask("overall", least.overall, summary.overall());
    for (dimension, least) in least.dimensions.iter() {
        ask(dimension.as_str(), *least, summary.mean(dimension));
    }
    ask("success rate", least.success_rate, summary.success_rate());
    #[allow(clippy::cast_precision_loss, reason = "counts of files")]
    ask("sessions", least.sessions.map(|n| n as f64), Some(summary.sessions() as f64));

    let risk = least.most_risk.map(|most| (most, summary.risk()));
    let risk_state = risk.map(|(most, found)| match found {
        Some(found) if found <= most + 1e-9 => "ok",
        Some(_) => "above",
        None => "n/a",
    });
    let state = |least: f64, found: Option<f64>| match found {
        // A mean of means that are all at the limit is at the limit, but for the last bits of doubles.
        Some(found) if found >= least - 1e-9 => "ok",
        Some(_) => "below",
        None => "n/a",
    };
    let any = |wanted: &str| rows.iter().any(|(_, least, found)| state(*least, *found) == wanted);
    let nothing = summary.sessions() == 0 && least.sessions.is_none();
    let code = match (
        any("below") || risk_state == Some("above"),
        nothing || any("n/a") || risk_state == Some("n/a"),
    ) {
        (true, _) => exit::NO,
        (false, true) => exit::NOTHING,
        (false, false) => exit::OK,
    };
    let mut answer = Answer::ok(if view.json {
        let mut checks: Vec<Value> = rows
            .iter()
            .map(|(name, least, found)| {
                json!({ "name": name, "least": least, "found": found.map(round), "state": state(*least, *found) })
            })
            .collect();
        if let (Some((most, found)), Some(state)) = (risk, risk_state) {
            checks.push(json!({ "name": "risk", "most": most, "found": found.map(round), "state": state }));
        }
        format!(
            "{}\n",
            json!({ "profile": view.profile.as_str(), "period": view.period.name(), "sessions": summary.sessions(),
                    "ok": code == exit::OK, "checks": checks })
        )
    } else {
        let mut text = format!("Check ({}, {} sessions, profile {})\n", view.period.title(), summary.sessions(), view.profile);
        for (name, least, found) in &rows {
            let shown = found.map_or_else(|| "n/a".to_owned(), |found| number_text(round(found)));
            text.push_str(&format!("{name:<13}{shown:>5}  least {:<5}  {}\n", number_text(*least), state(*least, *found)));
        }
        if let (Some((most, found)), Some(state)) = (risk, risk_state) {
            let shown = found.map_or_else(|| "n/a".to_owned(), |found| number_text(round(found)));
            text.push_str(&format!("{:<13}{shown:>5}  most  {:<5}  {state}\n", "risk", number_text(most)));
        }
        text
    })
    .with_exit(code);
    answer.stderr = folder.notes();
    if summary.sessions() == 0 {
        answer.note(format_args!("scores: {}", view.period.nothing()));
    }
    view.note_without(folder, &mut answer);
    answer
}

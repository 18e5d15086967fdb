//! Means over a period.

use clawgauge_scoring::v1::round;
use clawgauge_scoring::{Dimension, PerDimension, Profile, Summary};
use serde::Serialize;

use super::{Row, View, pretty, short};
use crate::scores::{Answer, Folder, plugin};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Json<'a> {
    profile: &'a str,
    period: String,
    sessions: u64,
    averages: Row,
    judged: Judged,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk: Option<f64>,
    success_rate: Option<f64>,
    success_range: Option<[f64; 2]>,
    without_profile: u64,
}

/// In how many sessions each dimension applied.
#[derive(Serialize)]
struct Judged {
    accuracy: u64,
    completeness: u64,
    autonomy: u64,
    consistency: u64,
}

/// Means over the period of `view`. Profile `session_scorer_v1` gives the plugin's text.
#[must_use]
pub fn summary(folder: &Folder, view: &View) -> Answer {
    if view.profile == Profile::SessionScorerV1 {
        let mut answer = plugin::summary(&view.rows(folder), &view.period, view.now, view.json);
        answer.stderr.insert_str(0, &folder.notes());
        return answer;
    }
    let summary = Summary::of(folder.iter(), view.profile, &view.narrowed());
    if summary.sessions() == 0 {
        return view.nothing(folder);
    }
    let means = Row::new(summary.overall(), &PerDimension::from_fn(|dimension| summary.mean(dimension)));
    let range = summary.success_interval();
    let mut answer = Answer::ok(if view.json {
        let judged = |dimension| summary.judged(dimension);
        pretty(&Json {
            profile: view.profile.as_str(),
            period: view.period.name(),
            sessions: summary.sessions(),
            averages: means,
            judged: Judged {
                accuracy: judged(Dimension::Accuracy),
                completeness: judged(Dimension::Completeness),
                autonomy: judged(Dimension::Autonomy),
                consistency: judged(Dimension::Consistency),
            },
            risk: summary.risk().map(tenths),
            success_rate: summary.success_rate().map(round),
            success_range: range.map(|range| [round(range.low), round(range.high)]),
            without_profile: summary.without_profile(),
        })
    } else {
        let mut text = format!("Session Quality Summary ({})\n{}\n", view.period.title(), "─".repeat(40));
        text.push_str(&format!("Sessions scored: {}\n", summary.sessions()));
        let labels = ["Overall:", "  Accuracy:", "  Completeness:", "  Autonomy:", "  Consistency:"];
        for (label, mean) in labels.iter().zip(means.all()) {
            text.push_str(&format!("{label:<17}{}\n", short(mean)));
        }
        if let Some(risk) = summary.risk() {
            let judged = summary.risk_judged();
            text.push_str(&format!("Risk of failure: {} of 100 (in {judged})\n", tenths(risk)));
        }
        let rate = summary.success_rate().map_or_else(|| "unknown".to_owned(), percent);
        text.push_str(&format!("Success rate:    {rate}\n"));
        if let Some(range) = range {
            text.push_str(&format!("  95 % range:    {} to {}\n", percent(range.low), percent(range.high)));
        }
        let judged = Dimension::ALL.map(|dimension| format!("{dimension} {}", summary.judged(dimension)));
        text.push_str(&format!("Judged in:       {}\n", judged.join(", ")));
        text.push_str(&format!("Profile:         {}\n", view.profile));
        text
    });
    answer.stderr = folder.notes();
    view.note_without(folder, &mut answer);
    answer
}

fn tenths(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}

fn percent(share: f64) -> String {
    format!("{:.0}%", (share * 100.0 + 0.5).floor())
}

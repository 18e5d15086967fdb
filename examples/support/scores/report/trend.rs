//! Means by day.

use clawgauge_scoring::{PerDimension, Profile, Trend};
use serde::Serialize;

use super::{Row, View, pretty};
use crate::scores::{Answer, Folder, plugin};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Json<'a> {
    profile: &'a str,
    period: String,
    utc_offset: String,
    trend: Vec<Day>,
    without_profile: u64,
    without_time: u64,
}

#[derive(Serialize)]
struct Day {
    date: String,
    sessions: u64,
    #[serde(flatten)]
    means: Row,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk: Option<f64>,
}

/// Means by day over the period of `view`. Profile `session_scorer_v1` gives the plugin's text, with its notion of a day.
#[must_use]
pub fn trend(folder: &Folder, view: &View) -> Answer {
    if view.profile == Profile::SessionScorerV1 {
        let mut answer = plugin::trend(&view.rows(folder), &view.period, view.now, view.json);
        answer.stderr.insert_str(0, &folder.notes());
        return answer;
    }
    let trend = Trend::of(folder.iter(), view.profile, view.offset, &view.narrowed());
    let days: Vec<Day> = trend
        .days()
        .map(|(day, summary)| Day {
            date: day.to_string(),
            sessions: summary.sessions(),
            means: Row::new(summary.overall(), &PerDimension::from_fn(|dimension| summary.mean(dimension))),
            risk: summary.risk().map(|risk| (risk * 10.0).round() / 10.0),
        })
        .collect();
    if days.is_empty() {
        return view.nothing(folder);
    }
    let mut answer = Answer::ok(if view.json {
        pretty(&Json {
            profile: view.profile.as_str(),
            period: view.period.name(),
            utc_offset: view.offset.to_string(),
            trend: days,
            without_profile: trend.without_profile(),
            without_time: trend.without_time(),
        })
    } else {
        let mut text = format!("Score Trend ({})\n{}\n", view.period.title(), "─".repeat(60));
        // Records of before the risk was known have none.
        let has_risk = days.iter().any(|day| day.risk.is_some());
        let head = if has_risk { "  Risk" } else { "" };
        text.push_str(&format!("Date         Sessions  Overall  Acc   Comp  Auto  Cons{head}\n"));
        for day in days {
            let [overall, accuracy, completeness, autonomy, consistency] = day
                .means
                .all()
                .map(|mean| mean.map_or_else(|| " n/a".to_owned(), |mean| format!("{mean:.2}")));
            let risk = day.risk.map_or_else(|| "n/a".to_owned(), |risk| format!("{risk:.0}"));
            let risk = if has_risk { format!("  {risk:>4}") } else { String::new() };
            text.push_str(&format!(
                "{}  {:>5}      {overall}   {accuracy}  {completeness}  {autonomy}  {consistency}{risk}\n",
                day.date, day.sessions
            ));
        }
        text.push_str(&format!("Profile {}, days at UTC{}\n", view.profile, view.offset));
        text
    });
    answer.stderr = folder.notes();
    view.note_without(folder, &mut answer);
    if trend.without_time() > 0 {
        answer.note(format_args!("scores: {} without a time; on no day", trend.without_time()));
    }
    answer
}

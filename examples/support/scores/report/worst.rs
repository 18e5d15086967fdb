//! The sessions to look at first.

use clawgauge_scoring::v1::number_text;
use clawgauge_scoring::{Dimension, Profile, ScoreRecord, Worst};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{View, pretty, short, short_id};
use crate::scores::{Answer, Folder, plugin};

/// So many findings are shown below a session.
const FINDINGS: usize = 3;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Json<'a> {
    profile: &'a str,
    worst: Vec<Box<RawValue>>,
    without_score: u64,
}

/// The `n` sessions with the lowest overall score (or the highest risk), and the first findings behind each. Profile `session_scorer_v1` gives the
/// plugin's text.
#[must_use]
pub fn worst(folder: &Folder, view: &View, n: u32, by_risk: bool) -> Answer {
    if view.profile == Profile::SessionScorerV1 {
        let narrowed = view.narrowed();
        let mut rows = view.rows(folder);
        rows.retain(|record| narrowed.matches(record));
        let mut answer = plugin::worst(&rows, f64::from(n), view.json);
        answer.stderr.insert_str(0, &folder.notes());
        return answer;
    }
    let most = usize::try_from(n).unwrap_or(usize::MAX);
    let worst = if by_risk {
        Worst::by_risk(folder.iter(), view.profile, &view.narrowed(), most)
    } else {
        Worst::of(folder.iter(), view.profile, &view.narrowed(), most)
    };
    if worst.records.is_empty() {
        return view.nothing(folder);
    }
    let mut answer = Answer::ok(if view.json {
        let raw = |(_, record): &(f64, &ScoreRecord)| RawValue::from_string(record.to_line()).ok();
        pretty(&Json {
            profile: view.profile.as_str(),
            worst: worst.records.iter().filter_map(raw).collect(),
            without_score: worst.without_score,
        })
    } else {
        let mut text = format!("Worst {n} Sessions\n{}\n", "─".repeat(70));
        for (number, record) in &worst.records {
            text.push_str(&if by_risk {
                risk_lines(*number, record, view)
            } else {
                line(*number, record, view)
            });
        }
        text.push_str(&format!("Profile {}\n", view.profile));
        text
    });
    answer.stderr = folder.notes();
    view.note_without(folder, &mut answer);
    answer
}

fn minute(record: &ScoreRecord, view: &View) -> String {
    record.timestamp().map_or_else(
        || "unknown time".to_owned(),
        |time| time.with_timezone(&view.offset).format("%Y-%m-%d %H:%M").to_string(),
    )
}

/// A session with its first reasons.
fn risk_lines(value: f64, record: &ScoreRecord, view: &View) -> String {
    let mut text = format!("{}  risk={value:.0}  [{}]\n", minute(record, view), short_id(record));
    let reasons = record.risk(view.profile).map(|risk| risk.reasons).unwrap_or_default();
    for reason in reasons.iter().take(FINDINGS) {
        text.push_str(&format!("    +{:.0} {}\n", reason.points, reason.sign.describe()));
    }
    text
}

fn line(overall: f64, record: &ScoreRecord, view: &View) -> String {
    let numbers = record.numbers(view.profile).unwrap_or_default();
    let [accuracy, completeness, autonomy, consistency] =
        Dimension::ALL.map(|dimension| short(*numbers.dimensions.get(dimension)));
    let minute = minute(record, view);
    let mut text = format!(
        "{minute}  overall={}  acc={accuracy} comp={completeness} auto={autonomy} cons={consistency}  [{}]\n",
        number_text(clawgauge_scoring::v1::round(overall)),
        short_id(record)
    );
    let Some(card) = record.card(view.profile) else {
        return text;
    };
    let mut findings: Vec<(Dimension, &str)> = Vec::new();
    for (dimension, judged) in card.dimensions.iter() {
        for evidence in &judged.evidence {
            if judged.score.number().is_some_and(|score| score < 1.0)
                && !findings.contains(&(dimension, &evidence.reason))
            {
                findings.push((dimension, &evidence.reason));
            }
        }
    }
    for (dimension, reason) in findings.iter().take(FINDINGS) {
        text.push_str(&format!("    {dimension}: {reason}\n"));
    }
    if let Some(more) = findings.len().checked_sub(FINDINGS).filter(|more| *more > 0) {
        text.push_str(&format!("    and {more} more\n"));
    }
    text
}

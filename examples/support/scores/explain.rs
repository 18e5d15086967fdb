//! The whole evidence behind a session's scores.

use std::fmt::Write as _;

use clawgauge_scoring::{Dimension, Evidence, Judged, Place, Risk, Score, Scorecard};
use clawgauge_transcript::{Redactor, Transcript, one_line};

use super::session::{Scored, skip_text};

/// The longest quote, in characters.
const QUOTE: usize = 120;

/// The scores with every finding, quoted. Quotes pass the redactor.
#[must_use]
pub fn explain(scored: &Scored, transcript: &Transcript<'_>, redactor: &Redactor) -> String {
    let mut text = format!("session {}\n", one_line(&scored.id));
    match &scored.card {
        Judged::Skipped(reason) => line(&mut text, format_args!("{}", skip_text(*reason))),
        Judged::Scored(card) => {
            let overall = score_text(&card.overall);
            line(
                &mut text,
                format_args!("overall {overall}  (profile {}, rules {})", card.profile, card.rules_version),
            );
            text.push_str(&findings(card, transcript, redactor, usize::MAX));
        }
    }
    text
}

/// Each dimension with at most `most` findings, quoted.
#[must_use]
pub fn findings(card: &Scorecard, transcript: &Transcript<'_>, redactor: &Redactor, most: usize) -> String {
    let mut text = String::new();
    for dimension in Dimension::ALL {
        let judged = card.dimensions.get(dimension);
        line(&mut text, format_args!("  {dimension} {}", score_text(&judged.score)));
        for evidence in judged.evidence.iter().take(most) {
            line(&mut text, format_args!("    {}", finding(evidence, transcript, redactor)));
        }
        if let Some(more) = judged.evidence.len().checked_sub(most).filter(|more| *more > 0) {
            line(&mut text, format_args!("    and {more} more"));
        }
    }
    if let Some(risk) = &card.risk {
        line(&mut text, format_args!("  effort {}", effort_text(card)));
        text.push_str(&risk_text(risk, card.risk_with_effort, transcript, redactor, most));
    }
    text
}

/// Where the session stands among others, in words.
fn effort_text(card: &Scorecard) -> String {
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    card.effort.map_or_else(
        || score_text(&card.effort()),
        |effort| {
            let (chars, calls) = (percent(effort.chars), percent(effort.calls));
            let value = effort.value();
            format!(
                "{value:.2} (more text than {chars}, more calls than {calls} of {} sessions)",
                effort.sessions
            )
        },
    )
}

/// The risk with its reasons: at least the first three, each with at most `most` findings.
fn risk_text(
    risk: &Risk,
    with_effort: Option<f64>,
    transcript: &Transcript<'_>,
    redactor: &Redactor,
    most: usize,
) -> String {
    let mut text = String::new();
    let kind = risk.kind.as_str();
    let with_effort =
        with_effort.map_or_else(String::new, |risk| format!("; when effort counts too, {risk:.0}"));
    line(&mut text, format_args!("  risk of failure {:.0} of 100 ({kind}){with_effort}", risk.value));
    let ratio = |ratio: f64| format!("failed {ratio:.2} times as often");
    for reason in risk.reasons.iter().take(most.max(3)) {
        let measured =
            reason.risk_ratio.map_or_else(String::new, |found| format!(" (such runs {})", ratio(found)));
        line(&mut text, format_args!("    +{:.0} {}{measured}", reason.points, reason.sign.describe()));
        for evidence in reason.evidence.iter().take(most) {
            line(&mut text, format_args!("      {}", finding(evidence, transcript, redactor)));
        }
        if let Some(more) = reason.evidence.len().checked_sub(most).filter(|more| *more > 0) {
            line(&mut text, format_args!("      and {more} more"));
        }
    }
    for flag in &risk.flags {
        for evidence in flag.evidence.iter().take(1) {
            let found = finding(evidence, transcript, redactor);
            line(
                &mut text,
                format_args!("    no points: {found} (such runs {})", ratio(flag.name.risk_ratio())),
            );
        }
    }
    text
}

/// One finding: what, where, and the words it rests on.
fn finding(evidence: &Evidence, transcript: &Transcript<'_>, redactor: &Redactor) -> String {
    let place = match &evidence.place {
        Place::Entry(id) => format!("entry {}", one_line(id)),
        Place::Message(at) => format!("message {at}"),
    };
    let quote = evidence.quote(transcript, redactor, QUOTE).filter(|quote| !quote.is_empty());
    let quote = quote.map_or_else(String::new, |quote| format!("  \"{}\"", one_line(&quote)));
    format!("{} [{}, {place}]{quote}", evidence.reason, evidence.rule)
}

fn score_text(score: &Score) -> String {
    match score {
        Score::Value(value) => format!("{value:.2}"),
        Score::NotApplicable { reason } => format!("n/a ({reason})"),
    }
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    writeln!(text, "{content}").unwrap_or_default();
}

//! The scores of a session as evaluations of its last run.

use clawgauge_scoring::{Judged, Score, Scorecard, Scorer};
use clawgauge_support::sessions;
use clawgauge_tracing_map::{Evaluation, Span, SpanKind};
use clawgauge_transcript::{SessionInfo, Transcript};

/// Reasons that an explanation holds.
const REASONS: usize = 5;

/// Puts the session's four scores, the overall score and the risk on its last run. What is not applicable is left out.
pub(crate) fn put(
    spans: &mut [Span],
    info: &SessionInfo,
    transcript: Transcript<'static>,
) -> Result<(), String> {
    let Some(root) = spans.iter_mut().rev().find(|span| span.kind == SpanKind::Run) else { return Ok(()) };
    let scored = sessions::session(info, transcript).score(Scorer::standard())?;
    if let Judged::Scored(card) = &scored.card {
        root.evaluations.extend(evaluations(card));
    }
    Ok(())
}

fn evaluations(card: &Scorecard) -> Vec<Evaluation> {
    let one = |name: String, score: &Score, why: Vec<String>| {
        let evaluation = Evaluation::new(name, score.number()?);
        Some(if why.is_empty() { evaluation } else { evaluation.with_explanation(why.join("; ")) })
    };
    let mut all: Vec<Evaluation> = card
        .dimensions
        .iter()
        .filter_map(|(dimension, judged)| {
            let why = judged.evidence.iter().take(REASONS).map(|evidence| evidence.reason.to_string());
            one(dimension.to_string(), &judged.score, why.collect())
        })
        .collect();
    all.extend(one("overall".to_owned(), &card.overall, Vec::new()));
    if let Some(risk) = &card.risk {
        let why = risk.reasons.iter().take(REASONS);
        let why: Vec<String> =
            why.map(|reason| format!("{} +{}", reason.sign.describe(), reason.points)).collect();
        let evaluation = Evaluation::new("risk", risk.value);
        all.push(if why.is_empty() { evaluation } else { evaluation.with_explanation(why.join("; ")) });
    }
    all
}

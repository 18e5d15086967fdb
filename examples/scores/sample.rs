//! `scores` without arguments: the embedded sample.

use clawgauge_scoring::Scorer;
use clawgauge_support::Stop;
use clawgauge_support::scores::{Answer, findings, sample, table, worst_session};
use clawgauge_transcript::{RedactionLevel, Redactor};

use crate::read::utc;

pub(crate) fn run() -> Result<Answer, Stop> {
    let sessions = sample();
    let scored: Vec<_> =
        sessions.iter().map(|session| session.score(Scorer::standard())).collect::<Result<_, _>>()?;
    let mut text = String::from("Six made-up sessions, to show what comes out. Your own: scores score\n\n");
    text.push_str(&table(&scored, utc()?));
    if let Some((worst, card)) = worst_session(&scored)
        && let Some(session) = sessions.iter().find(|session| session.id == worst.id)
    {
        let redactor = Redactor::of_level(RedactionLevel::Secrets);
        text.push_str(&format!("\nWhy {} is the worst:\n", worst.id));
        text.push_str(&findings(card, &session.transcript, &redactor, 3));
    }
    Ok(Answer::ok(text))
}

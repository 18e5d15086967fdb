//! Did the agent finish?

use clawgauge_transcript::{Turn, TurnEnd};

use super::findings::Findings;
use crate::card::{Judgement, Score};
use crate::rules::Matchers;
use crate::signs::{
    ClaimKind, Origin, Session, TurnFacts, Words, answer, claims, last_substantive, sentences,
};

/// Whether the last request of a person came to its end, and what the last substantive text says about it.
///
/// The last request is the last turn of a person with what the agent did on its own account after it; requests of schedules
/// and heartbeats after it do not count. A request that ended in an error, was aborted, cut off, left unfinished or
/// unanswered is not complete, whatever was said before. An answer that is only "no reply" says nothing.
pub(super) fn judge(session: &Session<'_>, matchers: &Matchers) -> Judgement {
    let mut findings = Findings::new("completeness", matchers.limits.max_evidence);
    let weights = &matchers.weights;
    let Some(request) = last_request(session, matchers) else {
        return findings.judge(Score::not_applicable("no person asked for anything"));
    };
    // A person who says thanks and gets no answer asked for nothing; the last turn that did something tells.
    let last = request.iter().rev().find(|(turn, _)| !turn.steps.is_empty() || !turn.notes.is_empty());
    let (turn, end) = match last {
        Some((turn, _)) => (*turn, turn.end()),
        None => match request.first() {
            Some((turn, _)) if turn.injected.is_empty() => (*turn, TurnEnd::NoReply),
            _ => return findings.judge(Score::not_applicable("the gateway answered in the model's place")),
        },
    };
    if let Some((rule, reason)) = bad_end(end) {
        let entry =
            turn.steps.last().map(|step| step.entry).or_else(|| turn.notes.last().copied()).or(turn.user);
        if let Some(entry) = entry {
            findings.add(|| session.evidence(rule, entry, reason));
        }
        return findings.judge(Score::value(weights.ended_badly));
    }
    if request.iter().all(|(turn, _)| turn.final_output().is_none()) {
        return findings.judge(Score::not_applicable("the agent chose not to reply"));
    }
    let Some(words) = last_substantive(matchers, answers(session)) else {
        return findings.judge(Score::not_applicable("the agent said nothing"));
    };
    let score = judge_text(session, matchers, &words, &mut findings);
    findings.judge(Score::value(score))
}

/// What the text claims, as a number.
fn judge_text(session: &Session<'_>, matchers: &Matchers, words: &Words<'_>, findings: &mut Findings) -> f64 {
    let weights = &matchers.weights;
    let claims = claims(matchers, words.text());
    let last = |kinds: &[ClaimKind]| claims.iter().rposition(|claim| kinds.contains(&claim.kind));
    let complete = last(&[ClaimKind::Complete]);
    let failed = last(&[ClaimKind::Failed, ClaimKind::NotComplete]);
    let partial = last(&[ClaimKind::Partial]);
    for claim in &claims {
        let (what, reason) = match claim.kind {
            ClaimKind::Complete => ("claim", "says that it is done"),
            ClaimKind::Partial => ("partial", "says that a part is missing"),
            ClaimKind::Failed => ("failure", "says that something failed or could not be done"),
            ClaimKind::NotComplete => ("not-done", "says that it is not done"),
        };
        let rule = format!("completeness.{what}.{}", claim.id);
        findings.add(|| session.words_evidence(&rule, words, claim.range.clone(), reason));
    }
    match (complete, failed, partial) {
        (Some(_), None, None) => weights.complete,
        (None, None, None) => {
            let all = 0..words.text().len();
            findings.add(|| {
                session.words_evidence(
                    "completeness.unclear",
                    words,
                    all,
                    "says neither that it is done nor that it failed",
                )
            });
            weights.unclear
        }
        (None, Some(_), _) => weights.failed,
        // What failed first and is done at last counts as unclear, not as done: both are said.
        (Some(complete), Some(failed), _) if complete > failed => weights.unclear,
        _ => weights.partial,
    }
}

const fn bad_end(end: TurnEnd) -> Option<(&'static str, &'static str)> {
    match end {
        TurnEnd::Error => Some(("completeness.error", "the last request ended in an error")),
        TurnEnd::Aborted => Some(("completeness.aborted", "the last request was aborted")),
        TurnEnd::Unfinished => {
            Some(("completeness.unfinished", "the last message calls tools, and no answer follows"))
        }
        TurnEnd::Length => Some(("completeness.cut-off", "the last message ran into the length limit")),
        TurnEnd::NoReply => Some(("completeness.no-reply", "the last request was not answered")),
        _ => None,
    }
}

type Request<'s, 't> = Vec<(&'s Turn<'t>, &'s TurnFacts<'t>)>;

/// The last turn of a person and the continuations after it. Turns of schedules are left out, with their own continuations;
/// so is a last message that only closes the conversation and got no answer.
fn last_request<'s, 't>(session: &'s Session<'t>, matchers: &Matchers) -> Option<Request<'s, 't>> {
    let mut turns = session.turns().enumerate().rev();
    let (first, _) = turns.find(|(_, (turn, facts))| {
        facts.person.as_ref().is_some_and(|person| !is_closed(matchers, turn, &person.typed))
    })?;
    let mut in_request = true;
    let turns = session.turns().skip(first).enumerate().filter(|(at, (_, facts))| {
        match facts.origin {
            Origin::Person => in_request = *at == 0,
            Origin::Machine => in_request = false,
            Origin::Continuation => {}
        }
        in_request
    });
    Some(turns.map(|(_, turn)| turn).collect())
}

/// The answers of the requests of persons, from the last to the first.
fn answers<'s, 't: 's>(session: &'s Session<'t>) -> impl Iterator<Item = Words<'t>> + 's {
    let mut by_person = true;
    let mut wanted: Vec<bool> = session
        .turns
        .iter()
        .map(|turn| {
            match turn.origin {
                Origin::Person => by_person = true,
                Origin::Machine => by_person = false,
                Origin::Continuation => {}
            }
            by_person
        })
        .collect();
    session
        .turns()
        .rev()
        .filter(move |_| wanted.pop().unwrap_or(false))
        .filter(|(turn, _)| !turn.is_silent())
        .flat_map(|(turn, _)| turn.steps.iter().rev().map(answer))
}

fn is_closed(matchers: &Matchers, turn: &Turn<'_>, typed: &str) -> bool {
    turn.steps.is_empty()
        && turn.notes.is_empty()
        && turn.injected.is_empty()
        && typed.chars().nth(matchers.limits.goodbye_chars).is_none()
        && matchers.closings.is_match(typed)
        && !sentences(typed).iter().any(|sentence| sentence.asks)
}

//! Did the agent work without being corrected?

use std::ops::Range;

use clawgauge_transcript::Step;

use super::findings::{Findings, share};
use crate::card::{Judgement, Score};
use crate::rules::Matchers;
use crate::signs::{Hit, Sentence, Session, answer, clause_start, is_hypothetical, is_reply, sentences};

/// One minus the share of a person's messages that correct what the agent did.
///
/// A correction addresses what the agent did: a reply precedes it. Only what the person typed in that message is read, outside
/// code, quotes, logs and pasted text. Declines, idioms, questions, conditions, and messages in which the person corrects
/// themselves are none; nor is a plain "no" that answers a question of the agent. Each message counts once; each rule that
/// matched is reported. Not applicable when no message of a person follows a reply: nobody could have corrected anything.
pub(super) fn judge(session: &Session<'_>, matchers: &Matchers) -> Judgement {
    let mut findings = Findings::new("autonomy", matchers.limits.max_evidence);
    let (mut messages, mut answered, mut corrected) = (0, 0, 0);
    let mut before = Before::default();
    for (turn, facts) in session.turns() {
        if let Some(person) = &facts.person {
            if person.is_one {
                messages += 1;
                answered += usize::from(before.replied());
            }
            if before.replied() && person.is_one {
                let hits = corrections(matchers, &person.typed, &|| before.asked(matchers));
                corrected += usize::from(!hits.is_empty());
                for (rule, range) in hits {
                    findings.add(|| {
                        let reason = "the person says that what the agent did is not right";
                        session.words_evidence(&rule, &person.words, range, reason)
                    });
                }
            }
            before = Before::default();
        }
        before.replies.extend(turn.steps.iter().filter(|step| is_reply(step)));
    }
    let score = match share(corrected, messages, "no person spoke") {
        Score::Value(share) if answered > 0 => Score::value(1.0 - share),
        Score::Value(_) => Score::not_applicable("no message of a person follows a reply"),
        nothing @ Score::NotApplicable { .. } => nothing,
    };
    findings.judge(score)
}

/// What the agent did since the person's last message.
#[derive(Debug, Default)]
struct Before<'s, 't> {
    replies: Vec<&'s Step<'t>>,
}

impl Before<'_, '_> {
    fn replied(&self) -> bool {
        !self.replies.is_empty()
    }

    /// Whether its last words ask for an answer. Looked at only when the person's message may be one.
    fn asked(&self, matchers: &Matchers) -> bool {
        let mut answers = self.replies.iter().rev().map(|step| answer(step));
        let last = answers.find(|words| !words.text().trim().is_empty());
        last.is_some_and(|words| asks(matchers, words.text()))
    }
}

/// The rules that match a message, each with where it first does.
fn corrections(matchers: &Matchers, typed: &str, asked: &dyn Fn() -> bool) -> Vec<(String, Range<usize>)> {
    let mut found: Vec<(String, Range<usize>)> = Vec::new();
    // Of most messages one look tells that no sentence can hold a correction.
    if !matchers.corrections.may_hit(typed) {
        return found;
    }
    let may_hold = |sentence: &Sentence<'_>| matchers.corrections.may_hit(sentence.text);
    for sentence in sentences(typed).into_iter().filter(may_hold) {
        let lead = matchers.lead_ins.find(sentence.text).map_or(0, |lead| lead.end);
        let body = sentence.text.get(lead..).unwrap_or_default();
        let body = Sentence { text: body, start: sentence.start + lead, asks: sentence.asks };
        for hit in matchers.corrections.hits(body.text) {
            let rule = format!("autonomy.{}", hit.id);
            if counts(matchers, &body, &hit, asked) && !found.iter().any(|(known, _)| *known == rule) {
                found.push((rule, body.start + hit.range.start..body.start + hit.range.end));
            }
        }
    }
    if !found.is_empty() && matchers.own_fault.is_match(typed) {
        return Vec::new();
    }
    found.sort_by_key(|(_, range)| (range.start, range.end));
    found
}

fn counts(matchers: &Matchers, sentence: &Sentence<'_>, hit: &Hit<'_>, asked: &dyn Fn() -> bool) -> bool {
    // A question is one from its beginning, or only its last clause is one ("that's wrong, can you look?").
    let stem = sentence.text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let in_question = sentence.asks
        && (matchers.questions.is_match(sentence.text) || clause_start(stem, stem.len()) <= hit.range.start);
    let vetoed = in_question
        || hit.answers && asked()
        || is_hypothetical(matchers, sentence, hit.range.start)
        || matchers.not_corrections.overlaps(sentence.text, &hit.range);
    !vetoed
}

/// Whether the agent asks for an answer: with a question anywhere in its text, or in words that want one.
fn asks(matchers: &Matchers, text: &str) -> bool {
    let marked =
        (text.contains('?') || text.contains('？')) && sentences(text).iter().any(|sentence| sentence.asks);
    marked || matchers.requests.is_match(text)
}

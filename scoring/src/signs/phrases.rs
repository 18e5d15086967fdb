//! What the agent says about how its work went.

use std::ops::Range;

use super::negation::{has_before, is_negated};
use super::text::{Sentence, sentences};
use crate::rules::{Lexicon, Matchers};

/// What a text claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaimKind {
    /// It is done.
    Complete,
    /// A part is missing.
    Partial,
    /// It failed or could not be done.
    Failed,
    /// It is not done: a negated claim of completion.
    NotComplete,
}

/// One claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim<'m> {
    pub(crate) kind: ClaimKind,
    /// Language and name of the pattern.
    pub(crate) id: &'m str,
    /// In the text.
    pub(crate) range: Range<usize>,
}

/// All claims of a text, in its order; code, quotes and questions make none. `O(n)`.
pub(crate) fn claims<'m>(matchers: &'m Matchers, text: &str) -> Vec<Claim<'m>> {
    let mut found = Vec::new();
    for sentence in prose_sentences(text) {
        if sentence.asks {
            continue;
        }
        completions(matchers, &sentence, &mut found);
        let mut add = |lexicon: &'m Lexicon, kind| {
            for hit in lexicon.hits(sentence.text) {
                let vetoed = matchers.not_failure.overlaps(sentence.text, &hit.range)
                    || is_negated(matchers, sentence.text, hit.range.start)
                    || is_hypothetical(matchers, &sentence, hit.range.start)
                    || is_code(sentence.text, &hit.range);
                if !vetoed {
                    found.push(Claim { kind, id: hit.id, range: shift(&hit.range, sentence.start) });
                }
            }
        };
        add(&matchers.partial, ClaimKind::Partial);
        add(&matchers.failure, ClaimKind::Failed);
        add(&matchers.inability, ClaimKind::Failed);
    }
    found.sort_by_key(|claim| (claim.range.start, claim.range.end));
    // Words of failure that are a part of a partial claim ("could not finish") say no more than that.
    let partial: Vec<Range<usize>> = found
        .iter()
        .filter(|claim| claim.kind == ClaimKind::Partial)
        .map(|claim| claim.range.clone())
        .collect();
    found.retain(|claim| {
        !matches!(claim.kind, ClaimKind::Failed | ClaimKind::Complete | ClaimKind::NotComplete)
            || !partial.iter().any(|range| range.start <= claim.range.start && claim.range.end <= range.end)
    });
    found
}

fn completions<'m>(matchers: &'m Matchers, sentence: &Sentence<'_>, found: &mut Vec<Claim<'m>>) {
    for hit in matchers.completion.hits(sentence.text) {
        let at = hit.range.start;
        if matchers.not_completion.overlaps(sentence.text, &hit.range)
            || is_hypothetical(matchers, sentence, at)
            || is_code(sentence.text, &hit.range)
        {
            continue;
        }
        // "Could not be done" is negated, not hypothetical: negation first.
        let inside = sentence.text.get(hit.range.clone()).unwrap_or_default();
        let kind = if is_negated(matchers, sentence.text, at) || matchers.negators.is_match(inside) {
            ClaimKind::NotComplete
        } else if has_before(sentence.text, at, matchers.limits.negation_words, |window| {
            matchers.not_yet.is_match(window)
        }) {
            continue;
        } else {
            ClaimKind::Complete
        };
        found.push(Claim { kind, id: hit.id, range: shift(&hit.range, sentence.start) });
    }
}

/// Whether a condition (`if`, `when`) stands before `at` in the sentence.
pub(crate) fn is_hypothetical(matchers: &Matchers, sentence: &Sentence<'_>, at: usize) -> bool {
    sentence.text.get(..at).is_some_and(|before| matchers.conditions.is_match(before))
}

/// The sentences of a text outside code blocks and quoted lines.
pub(crate) fn prose_sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut fence: Option<char> = None;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim_start();
        let mark =
            ['`', '~'].into_iter().find(|mark| trimmed.chars().take(3).filter(|c| c == mark).count() == 3);
        match (mark, fence) {
            (Some(mark), None) => fence = Some(mark),
            (Some(mark), Some(open)) if mark == open => fence = None,
            (_, Some(_)) => {}
            (None, None) if trimmed.starts_with('>') => {}
            (None, None) => {
                found.extend(sentences(line).into_iter().map(|s| Sentence { start: s.start + start, ..s }));
            }
        }
    }
    found
}

/// Whether a range lies in an inline code span of the sentence.
fn is_code(sentence: &str, range: &Range<usize>) -> bool {
    let before = sentence.get(..range.start).unwrap_or_default();
    let after = sentence.get(range.end..).unwrap_or_default();
    before.matches('`').count() % 2 == 1 && after.contains('`')
}

fn shift(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

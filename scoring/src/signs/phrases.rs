//! What the agent says about how its work went.

use std::ops::Range;

use super::negation::{has_before, is_negated};
use super::prose;
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
    claims_in(matchers, &prose::of_agent(text))
}

/// The claims of a prose.
pub(super) fn claims_in<'m>(matchers: &'m Matchers, prose: &str) -> Vec<Claim<'m>> {
    let mut found = Vec::new();
    // Of most lists one look tells that no sentence can hold any of them.
    let lists = [
        (&matchers.partial, ClaimKind::Partial),
        (&matchers.failure, ClaimKind::Failed),
        (&matchers.inability, ClaimKind::Failed),
    ]
    .map(|list| Some(list).filter(|(lexicon, _)| lexicon.may_hit(prose)));
    for sentence in sentences(prose) {
        if sentence.asks {
            continue;
        }
        completions(matchers, &sentence, &mut found);
        let mut add = |lexicon: &'m Lexicon, kind| {
            for hit in lexicon.hits(sentence.text) {
                let vetoed = matchers.not_failure.overlaps(sentence.text, &hit.range)
                    || is_negated(matchers, sentence.text, hit.range.start)
                    || is_hypothetical(matchers, &sentence, hit.range.start);
                if !vetoed {
                    found.push(Claim { kind, id: hit.id, range: shift(&hit.range, sentence.start) });
                }
            }
        };
        lists.iter().flatten().for_each(|(lexicon, kind)| add(lexicon, *kind));
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

/// The first hit of a list in a sentence: its id, and its range in the text that the sentence was cut from.
pub(super) fn said<'m>(lexicon: &'m Lexicon, sentence: &Sentence<'_>) -> Option<(&'m str, Range<usize>)> {
    lexicon.hits(sentence.text).next().map(|hit| (hit.id, shift(&hit.range, sentence.start)))
}

fn shift(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

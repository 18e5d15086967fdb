//! Whether a word is negated.

use crate::rules::Matchers;

use super::text::clause_start;

/// Whether the words before `at` negate what stands there: a negator (`not`, `never`, `n't`, `unable`, `until`, `unless`
/// and their like in other languages) within [`Limits::negation_words`](crate::rules::Limits) words before it in the same
/// clause of the sentence.
///
/// In languages without spaces the negator must end at most two characters before `at`.
pub(crate) fn is_negated(matchers: &Matchers, sentence: &str, at: usize) -> bool {
    has_before(sentence, at, matchers.limits.negation_words, |window| matchers.negators.is_match(window))
}

/// Runs `found` on the words before `at`: at most `count` of them, of the same clause.
pub(super) fn has_before(sentence: &str, at: usize, count: usize, found: impl Fn(&str) -> bool) -> bool {
    let start = clause_start(sentence, at);
    let clause = sentence.get(start..at).unwrap_or_default();
    let mut words = 0;
    let mut from = clause.len();
    let mut inside = false;
    for (index, c) in clause.char_indices().rev() {
        let is_word = c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '_');
        if is_word && !inside {
            if words == count {
                break;
            }
            words += 1;
        }
        inside = is_word;
        from = index;
    }
    found(clause.get(from..).unwrap_or_default())
}

//! Claims that an answer may make, and what counts as evidence for them.

mod phrases;

use crate::assertion::{Claim, Require, StepPattern};
use crate::text::fold;
use phrases::{CLAIMS, NEGATIONS, NEGATIONS_BEHIND, NEGATIONS_IN_CHINESE, OPPOSITES};

/// Words before a phrase in which a negation is looked for.
const WORDS_BEFORE: usize = 5;
/// Words behind it: German puts `nicht` and `werden` there.
const WORDS_BEHIND: usize = 2;
/// Characters before it, in a script without blanks.
const CHARS_BEFORE: usize = 8;

/// The names of the claims that are built in.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    CLAIMS.iter().map(|claim| claim.name)
}

/// A claim by its name, in all languages that are built in (English, Chinese, Spanish, German).
pub(crate) fn builtin(name: &str) -> Option<Claim> {
    let found = CLAIMS.iter().find(|claim| claim.name == name)?;
    let evidence = found
        .commands
        .iter()
        .map(|command| StepPattern {
            command: Some((*command).to_owned()),
            require: Require::Succeeded,
            ..StepPattern::default()
        })
        .collect();
    let says = found.says.iter().copied().flatten().map(|&phrase| phrase.to_owned()).collect();
    Some(Claim { name: name.to_owned(), says, evidence })
}

/// The sentence in which one of the phrases is said: not negated, not as a condition, not as a question.
pub(crate) fn said<'a>(claim: &Claim, answer: &'a str) -> Option<&'a str> {
    sentences(answer).find(|sentence| {
        let folded = fold(sentence).replace('\u{2019}', "'");
        let asks = folded.trim_end().ends_with(['?', '？', '吗']);
        !asks
            && claim.says.iter().any(|phrase| {
                let phrase = fold(phrase);
                folded.match_indices(phrase.as_ref()).any(|(at, found)| {
                    let before = folded.get(..at).unwrap_or_default();
                    let behind = folded.get(at + found.len()..).unwrap_or_default();
                    let denied = if has_blanks(&phrase) {
                        is_negated(before, behind)
                    } else {
                        is_negated_in_chinese(before)
                    };
                    !denied
                })
            })
    })
}

/// Chinese has no blanks between words.
fn has_blanks(phrase: &str) -> bool {
    !phrase.chars().any(|c| matches!(c, '\u{4e00}'..='\u{9fff}'))
}

fn is_negated(before: &str, behind: &str) -> bool {
    let bare = |word: &'_ str| -> String {
        word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'').to_owned()
    };
    // A phrase may begin inside a word, as in German compounds (`Komponententests`).
    let start = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if OPPOSITES.contains(&start) {
        return true;
    }
    let denies = |word: String| NEGATIONS.contains(&word.as_str()) || word.ends_with("n't");
    before.split_whitespace().rev().take(WORDS_BEFORE).map(bare).any(denies)
        || behind
            .split_whitespace()
            .take(WORDS_BEHIND)
            .any(|word| NEGATIONS_BEHIND.contains(&bare(word).as_str()))
}

fn is_negated_in_chinese(before: &str) -> bool {
    let clause = before.rsplit(['，', ',', '、', '：', ':']).next().unwrap_or_default();
    let start = clause.char_indices().rev().nth(CHARS_BEFORE - 1).map_or(0, |(at, _)| at);
    let near = clause.get(start..).unwrap_or_default();
    NEGATIONS_IN_CHINESE.iter().any(|word| near.contains(word))
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', '!', '?', '\n', ';', '。', '！', '？', '；'])
        .map(str::trim)
        .filter(|s| !s.is_empty())
}

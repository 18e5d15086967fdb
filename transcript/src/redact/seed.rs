//! Seed phrases of wallets: twelve to twenty-four words after a name that says so.

use std::ops::Range;

use super::value::{byte, run};

/// Names of such a phrase.
pub(super) const SEED_NAMES: &[&str] = &[
    "mnemonic",
    "seed phrase",
    "seed_phrase",
    "seed-phrase",
    "seedphrase",
    "seed words",
    "recovery phrase",
    "recovery_phrase",
    "recoveryphrase",
    "secret phrase",
];

/// Lengths of a phrase in words, by BIP-39.
const LENGTHS: [usize; 5] = [24, 21, 18, 15, 12];

/// Words of sentences that are as long as the words of a phrase, and none of them.
const PROSE: &[&str] = &[
    "the", "and", "for", "are", "from", "your", "has", "have", "but", "with", "which", "into", "its", "was",
    "were", "not", "their", "them", "these", "those", "every", "should", "would", "could", "phrase", "words",
    "wallet", "keys", "called", "used",
];

/// The phrase after a name that ends at `name_end`, at most a few words later.
pub(super) fn phrase(text: &str, name_end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = name_end;
    for _ in 0..5 {
        let start = run(bytes, at, |b| b" \t\"'`:=*\\()".contains(&b), 12);
        if let Some(found) = words_at(bytes, start) {
            return Some(found);
        }
        at = run(bytes, start, |b| b.is_ascii_alphabetic(), 16);
        if at == start {
            return None;
        }
    }
    None
}

/// The most words of a phrase from `start` on: three to eight small letters each, one mark between.
fn words_at(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let mut ends = Vec::new();
    let mut at = start;
    while ends.len() < 24 {
        let end = run(bytes, at, |b| b.is_ascii_lowercase(), 9);
        let word = bytes.get(at..end)?;
        if !(3..=8).contains(&word.len()) || PROSE.iter().any(|known| known.as_bytes() == word) {
            break;
        }
        ends.push(end);
        let gap = run(bytes, end, |b| b == b' ' || b == b',', 2);
        if gap == end || byte(bytes, gap) == b' ' {
            break;
        }
        at = gap;
    }
    let count = LENGTHS.into_iter().find(|count| ends.len() >= *count)?;
    Some(start..*ends.get(count - 1)?)
}

//! The lists find what their patterns find when each is simply run over the text.

use std::ops::Range;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::string::string_regex;
use regex::Regex;

use super::lexicon::{Any, Lexicon, Name, compile};
use super::{Language, Phrase, Rules};

/// A list of the default rules, all languages, in both forms.
struct List {
    any: Any,
    lexicon: Lexicon,
    /// All patterns as alternatives of one.
    merged: Regex,
    single: Vec<Regex>,
    patterns: Vec<String>,
}

static LISTS: LazyLock<Vec<List>> = LazyLock::new(|| {
    let rules = Rules::default();
    let named: [fn(&Language) -> &Vec<Phrase>; 8] = [
        |words| &words.corrections,
        |words| &words.completion,
        |words| &words.partial,
        |words| &words.failure,
        |words| &words.inability,
        |words| &words.retries,
        |words| &words.hedges,
        |words| &words.apologies,
    ];
    let unnamed: [fn(&Language) -> &Vec<String>; 14] = [
        |words| &words.not_corrections,
        |words| &words.own_fault,
        |words| &words.lead_ins,
        |words| &words.questions,
        |words| &words.requests,
        |words| &words.conditions,
        |words| &words.negators,
        |words| &words.not_completion,
        |words| &words.not_yet,
        |words| &words.not_failure,
        |words| &words.goodbyes,
        |words| &words.closings,
        |words| &words.not_goodbyes,
        |words| &words.error_beginnings,
    ];
    let named = named.iter().map(|list| {
        let phrases = rules.languages.values().flat_map(list);
        phrases.map(|phrase| phrase.pattern.clone()).collect::<Vec<_>>()
    });
    let unnamed = unnamed.iter().map(|list| rules.languages.values().flat_map(list).cloned().collect());
    // Matches without a character, and of patterns that may match anywhere.
    let odd = ["", "a*", r"\b", "x|", "(?i)NO", "k", "s+", "å"].map(str::to_owned).to_vec();
    named.chain(unnamed).chain([odd]).map(List::new).collect()
});

impl List {
    fn new(patterns: Vec<String>) -> Self {
        let name = |at: usize| Name { id: at.to_string(), answers: false };
        let alternatives: Vec<String> = patterns.iter().map(|pattern| format!("(?:{pattern})")).collect();
        Self {
            any: Any::new(patterns.clone()),
            lexicon: Lexicon::new(patterns.iter().enumerate().map(|(at, p)| (name(at), p.clone()))),
            merged: compile(&alternatives.join("|")).unwrap(),
            single: patterns.iter().map(|pattern| compile(pattern).unwrap()).collect(),
            patterns,
        }
    }

    fn check(&self, text: &str, range: &Range<usize>) -> Result<(), TestCaseError> {
        prop_assert_eq!(self.any.is_match(text), self.merged.is_match(text));
        prop_assert_eq!(self.any.find(text), self.merged.find(text).map(|found| found.range()));
        let mut merged = self.merged.find_iter(text);
        let overlaps = merged.any(|found| found.start() < range.end && range.start < found.end());
        prop_assert_eq!(self.any.overlaps(text, range), overlaps);
        let hits: Vec<_> = self.lexicon.hits(text).map(|hit| (hit.id.to_owned(), hit.range)).collect();
        let single = self.single.iter().enumerate();
        let expected: Vec<_> = single
            .flat_map(|(at, p)| p.find_iter(text).map(move |found| (at.to_string(), found.range())))
            .collect();
        prop_assert!(self.lexicon.may_hit(text) || expected.is_empty());
        prop_assert_eq!(hits, expected);
        Ok(())
    }
}

/// A text that one of a list's patterns matches, or nearly.
fn matching() -> impl Strategy<Value = String> {
    (any::<prop::sample::Index>(), any::<prop::sample::Index>()).prop_flat_map(|(list, pattern)| {
        let patterns = &LISTS[list.index(LISTS.len())].patterns;
        let pattern = &patterns[pattern.index(patterns.len())];
        let bare = pattern.replace(r"\b", "").replace(['^', '$'], "").replace("(?i)", "");
        match string_regex(&bare) {
            Ok(text) => text.boxed(),
            Err(_) => Just(pattern.clone()).boxed(),
        }
    })
}

fn text() -> impl Strategy<Value = String> {
    let other = prop::sample::select(vec![
        " ", ", ", ". ", "\n", "no", "not ", "done", "but ", "if ", "’", "ſ", "\u{212A}", "K", "É", "é",
        "没", "!", "x", "å",
    ]);
    let piece = prop_oneof![
        4 => matching(),
        4 => other.prop_map(str::to_owned),
        1 => matching().prop_map(|text| text.to_uppercase()),
        1 => matching().prop_map(|text| text.replace('s', "ſ").replace('k', "\u{212A}")),
        1 => "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 1..7).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(200), ..ProptestConfig::default() })]

    #[test]
    fn lists_find_what_their_patterns_find(text in text(), from in any::<prop::sample::Index>(), length in 0_usize..20) {
        let from = from.index(text.len() + 1);
        for list in &*LISTS {
            list.check(&text, &(from..from + length))?;
        }
    }
}

#[test]
fn most_patterns_are_only_tried_where_their_words_stand() {
    let rules = Rules::default();
    let patterns: Vec<&str> = rules.languages.values().flat_map(Language::patterns).collect();
    let without: Vec<&&str> =
        patterns.iter().filter(|p| super::anchors::anchors(&p.replace('\'', "['’]")).is_none()).collect();
    assert!(without.len() * 20 < patterns.len(), "{} of {}: {without:#?}", without.len(), patterns.len());
}

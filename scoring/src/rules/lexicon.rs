//! Lists of patterns, each made ready when a text first holds what it needs.

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

use super::anchors::{FOLDED_ONTO_ASCII, anchors};
use super::finder::Finder;

/// How much memory the compiled form of one pattern may take.
const COMPILED_BYTES: usize = 32 << 20;

/// Compiles a pattern as the rules mean it: without regard to case, an apostrophe also in its curly form.
pub(super) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(&source(pattern)).case_insensitive(true).size_limit(COMPILED_BYTES).build()
}

fn source(pattern: &str) -> String {
    pattern.replace('\'', "['’]")
}

/// Patterns without names, any of which counts.
#[derive(Debug, Default)]
pub(crate) struct Any(Patterns);

impl Any {
    pub(super) fn new(patterns: Vec<String>) -> Self {
        Self(Patterns::new(patterns))
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.anchors().any(text) && self.0.candidates(text).any(|(_, pattern)| pattern.is_match(text))
    }

    /// The first match; of several that begin there, that of the first pattern.
    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        let found = self.0.candidates(text).filter_map(|(_, pattern)| pattern.find(text));
        found.min_by_key(regex::Match::start).map(|found| found.range())
    }

    /// Whether a match overlaps `range`.
    pub(crate) fn overlaps(&self, text: &str, range: &Range<usize>) -> bool {
        let mut matches = Merged::new(self.0.candidates(text).map(|(_, pattern)| pattern), text);
        matches.any(|found| found.start < range.end && range.start < found.end)
    }
}

/// Patterns with names.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    names: Vec<Name>,
    patterns: Patterns,
}

/// The name of a pattern.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) id: String,
    pub(super) answers: bool,
}

/// A match of a named pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit<'m> {
    /// Language and name: `en.you-forgot`.
    pub(crate) id: &'m str,
    pub(crate) answers: bool,
    pub(crate) range: Range<usize>,
}

impl Lexicon {
    pub(super) fn new(named: impl IntoIterator<Item = (Name, String)>) -> Self {
        let (names, patterns) = named.into_iter().unzip();
        Self { names, patterns: Patterns::new(patterns) }
    }

    /// Whether any piece of a text may hold a match. Much cheaper than to look for one, and without a pattern compiled.
    pub(crate) fn may_hit(&self, text: &str) -> bool {
        self.patterns.anchors().any(text)
    }

    /// All matches of all patterns, in order of the patterns.
    pub(crate) fn hits<'t, 'm: 't>(&'m self, text: &'t str) -> impl Iterator<Item = Hit<'m>> + 't {
        self.patterns
            .candidates(text)
            .filter_map(|(at, pattern)| Some((self.names.get(at)?, pattern)))
            .flat_map(move |(name, pattern)| {
                pattern.find_iter(text).map(|found| Hit {
                    id: &name.id,
                    answers: name.answers,
                    range: found.range(),
                })
            })
    }

    #[cfg(test)]
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &*name.id)
    }
}

/// Patterns, and what tells which of them a text may match.
#[derive(Debug, Default)]
struct Patterns {
    patterns: Vec<Pattern>,
    anchors: OnceLock<Anchors>,
}

#[derive(Debug)]
struct Pattern {
    pattern: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.pattern).ok()).as_ref()
    }
}

impl Patterns {
    fn new(patterns: Vec<String>) -> Self {
        let patterns = patterns.into_iter().map(|pattern| Pattern { pattern, compiled: OnceLock::new() });
        Self { patterns: patterns.collect(), anchors: OnceLock::new() }
    }

    fn anchors(&self) -> &Anchors {
        self.anchors.get_or_init(|| Anchors::new(&self.patterns))
    }

    /// The patterns that may match a text, with their places, in order. One walk over the text, whatever the number of patterns.
    fn candidates(&self, text: &str) -> impl Iterator<Item = (usize, &Regex)> {
        let seen = self.anchors().seen(text);
        seen.into_iter().filter_map(|at| Some((at, self.patterns.get(at)?.regex()?)))
    }
}

/// All texts that some pattern needs.
#[derive(Debug)]
struct Anchors {
    finder: Option<Finder>,
    /// Of each text that is looked for, the patterns that need it.
    patterns: Vec<Vec<usize>>,
    /// The patterns that need nothing.
    always: Vec<usize>,
    count: usize,
}

impl Anchors {
    fn new(list: &[Pattern]) -> Self {
        let mut by_text: std::collections::BTreeMap<String, Vec<usize>> =
            FOLDED_ONTO_ASCII.iter().map(|text| ((*text).to_owned(), (0..list.len()).collect())).collect();
        let mut always = Vec::new();
        for (at, pattern) in list.iter().enumerate() {
            match anchors(&source(&pattern.pattern)) {
                Some(texts) => {
                    for text in texts {
                        let patterns = by_text.entry(text.to_ascii_lowercase()).or_default();
                        if patterns.last() != Some(&at) {
                            patterns.push(at);
                        }
                    }
                }
                None => always.push(at),
            }
        }
        let finder = Finder::new(by_text.keys());
        if finder.is_none() {
            always = (0..list.len()).collect();
        }
        Self { finder, patterns: by_text.into_values().collect(), always, count: list.len() }
    }

    /// Whether [`seen`](Self::seen) would find any.
    fn any(&self, text: &str) -> bool {
        let here =
            |finder: &Finder| self.count > 0 && finder.find(text, |_| ControlFlow::Break(())).is_break();
        !self.always.is_empty() || self.finder.as_ref().is_some_and(here)
    }

    /// The places of the patterns that may match, in order.
    fn seen(&self, text: &str) -> Vec<usize> {
        let mut seen: Vec<usize> = self.always.clone();
        let Some(finder) = self.finder.as_ref().filter(|_| self.count > 0) else { return seen };
        let mut met = Vec::new();
        let _all = finder.find(text, |text| {
            if met.is_empty() {
                met.resize(self.patterns.len(), false);
            }
            if let Some(met) = met.get_mut(text).filter(|met| !**met) {
                *met = true;
                seen.extend(self.patterns.get(text).into_iter().flatten());
            }
            ControlFlow::<()>::Continue(())
        });
        if !met.is_empty() {
            seen.sort_unstable();
            seen.dedup();
        }
        seen
    }
}

/// The matches that one pattern of all alternatives would find: from left to right, none overlapping another, of several at one
/// place that of the first alternative.
struct Merged<'m, 't> {
    text: &'t str,
    alternatives: Vec<Alternative<'m>>,
    at: usize,
    last_end: Option<usize>,
}

struct Alternative<'m> {
    pattern: &'m Regex,
    /// The first match from somewhere before here on; `None` when it is not known, or there is no more.
    next: Option<Range<usize>>,
    over: bool,
}

impl<'m, 't> Merged<'m, 't> {
    fn new(patterns: impl Iterator<Item = &'m Regex>, text: &'t str) -> Self {
        let alternatives = patterns.map(|pattern| Alternative { pattern, next: None, over: false }).collect();
        Self { text, alternatives, at: 0, last_end: None }
    }

    fn first(&mut self) -> Option<Range<usize>> {
        let (text, at) = (self.text, self.at);
        if at > text.len() {
            return None;
        }
        for alternative in self.alternatives.iter_mut().filter(|alternative| !alternative.over) {
            if alternative.next.as_ref().is_none_or(|next| next.start < at) {
                alternative.next = alternative.pattern.find_at(text, at).map(|found| found.range());
                alternative.over = alternative.next.is_none();
            }
        }
        self.alternatives
            .iter()
            .filter_map(|alternative| alternative.next.clone())
            .min_by_key(|next| next.start)
    }
}

impl Iterator for Merged<'_, '_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let mut found = self.first()?;
        if found.is_empty() && self.last_end == Some(found.end) {
            let step =
                self.text.get(self.at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            self.at += step;
            found = self.first()?;
        }
        self.at = found.end;
        self.last_end = Some(found.end);
        Some(found)
    }
}

//! The patterns of the rules, compiled.

use std::ops::Range;

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::{Language, Limits, Phrase, Rules, Weights};
use crate::error::{Error, ErrorKind};

/// How much memory the compiled form of one list may take.
const COMPILED_BYTES: usize = 32 << 20;

/// All lists of all languages, ready to be matched.
#[derive(Debug)]
pub(crate) struct Matchers {
    pub(crate) limits: Limits,
    pub(crate) weights: Weights,
    pub(crate) corrections: Lexicon,
    pub(crate) not_corrections: Any,
    pub(crate) own_fault: Any,
    pub(crate) lead_ins: Any,
    pub(crate) questions: Any,
    pub(crate) requests: Any,
    pub(crate) conditions: Any,
    pub(crate) negators: Any,
    pub(crate) completion: Lexicon,
    pub(crate) not_completion: Any,
    pub(crate) not_yet: Any,
    pub(crate) partial: Lexicon,
    pub(crate) failure: Lexicon,
    pub(crate) inability: Lexicon,
    pub(crate) not_failure: Any,
    pub(crate) retries: Lexicon,
    pub(crate) hedges: Lexicon,
    pub(crate) apologies: Lexicon,
    pub(crate) goodbyes: Any,
    pub(crate) closings: Any,
    pub(crate) not_goodbyes: Any,
    pub(crate) error_beginnings: Any,
}

impl Matchers {
    /// Compiles the rules. What does not compile is left out and reported, first fault first.
    pub(crate) fn new(rules: &Rules) -> (Self, Vec<Error>) {
        let mut compiler = Compiler { rules, errors: Vec::new() };
        let matchers = Self {
            limits: rules.limits,
            weights: rules.weights,
            corrections: compiler.lexicon("corrections", |words| &words.corrections),
            not_corrections: compiler.any("notCorrections", |words| &words.not_corrections),
            own_fault: compiler.any("ownFault", |words| &words.own_fault),
            lead_ins: compiler.any("leadIns", |words| &words.lead_ins),
            questions: compiler.any("questions", |words| &words.questions),
            requests: compiler.any("requests", |words| &words.requests),
            conditions: compiler.any("conditions", |words| &words.conditions),
            negators: compiler.any("negators", |words| &words.negators),
            completion: compiler.lexicon("completion", |words| &words.completion),
            not_completion: compiler.any("notCompletion", |words| &words.not_completion),
            not_yet: compiler.any("notYet", |words| &words.not_yet),
            partial: compiler.lexicon("partial", |words| &words.partial),
            failure: compiler.lexicon("failure", |words| &words.failure),
            inability: compiler.lexicon("inability", |words| &words.inability),
            not_failure: compiler.any("notFailure", |words| &words.not_failure),
            retries: compiler.lexicon("retries", |words| &words.retries),
            hedges: compiler.lexicon("hedges", |words| &words.hedges),
            apologies: compiler.lexicon("apologies", |words| &words.apologies),
            goodbyes: compiler.any("goodbyes", |words| &words.goodbyes),
            closings: compiler.any("closings", |words| &words.closings),
            not_goodbyes: compiler.any("notGoodbyes", |words| &words.not_goodbyes),
            error_beginnings: compiler.any("errorBeginnings", |words| &words.error_beginnings),
        };
        (matchers, compiler.errors)
    }
}

/// Patterns without names, any of which counts.
#[derive(Debug, Default)]
pub(crate) struct Any(Option<Regex>);

impl Any {
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|pattern| pattern.is_match(text))
    }

    /// The first match.
    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        self.0.as_ref()?.find(text).map(|found| found.range())
    }

    /// Whether a match overlaps `range`.
    pub(crate) fn overlaps(&self, text: &str, range: &Range<usize>) -> bool {
        self.0.as_ref().is_some_and(|pattern| {
            let mut matches = pattern.find_iter(text);
            matches.any(|found| found.start() < range.end && range.start < found.end())
        })
    }
}

/// Patterns with names.
#[derive(Debug)]
pub(crate) struct Lexicon {
    set: RegexSet,
    entries: Vec<Named>,
}

#[derive(Debug)]
struct Named {
    id: String,
    answers: bool,
    pattern: Regex,
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
    /// All matches of all patterns, in order of the patterns.
    pub(crate) fn hits<'m>(&'m self, text: &str) -> impl Iterator<Item = Hit<'m>> {
        let matched = self.set.matches(text);
        let hits: Vec<Hit<'m>> = matched
            .iter()
            .filter_map(|index| self.entries.get(index))
            .flat_map(|named| {
                named.pattern.find_iter(text).map(|found| Hit {
                    id: &named.id,
                    answers: named.answers,
                    range: found.range(),
                })
            })
            .collect();
        hits.into_iter()
    }
}

struct Compiler<'r> {
    rules: &'r Rules,
    errors: Vec<Error>,
}

impl Compiler<'_> {
    fn any(&mut self, list: &str, of: impl Fn(&Language) -> &Vec<String>) -> Any {
        let mut good = Vec::new();
        for (language, words) in &self.rules.languages {
            for (at, pattern) in of(words).iter().enumerate() {
                if self.compile(&format!("{language}.{list}[{at}]"), pattern).is_some() {
                    good.push(format!("(?:{pattern})"));
                }
            }
        }
        if good.is_empty() { Any(None) } else { Any(self.compile(list, &good.join("|"))) }
    }

    fn lexicon(&mut self, list: &str, of: impl Fn(&Language) -> &Vec<Phrase>) -> Lexicon {
        let mut entries = Vec::new();
        let mut sources = Vec::new();
        for (language, words) in &self.rules.languages {
            for phrase in of(words) {
                let id = format!("{language}.{}", phrase.id);
                if let Some(pattern) = self.compile(&format!("{list} {id}"), &phrase.pattern) {
                    sources.push(pattern.as_str().to_owned());
                    entries.push(Named { id, answers: phrase.answers, pattern });
                }
            }
        }
        let set = RegexSetBuilder::new(&sources).case_insensitive(true).size_limit(COMPILED_BYTES).build();
        let set = set.unwrap_or_else(|error| {
            self.fault(list, &error);
            RegexSet::empty()
        });
        Lexicon { set, entries }
    }

    fn compile(&mut self, place: &str, pattern: &str) -> Option<Regex> {
        let source = pattern.replace('\'', "['’]");
        match RegexBuilder::new(&source).case_insensitive(true).size_limit(COMPILED_BYTES).build() {
            Ok(pattern) => Some(pattern),
            Err(error) => {
                self.fault(place, &error);
                None
            }
        }
    }

    fn fault(&mut self, place: &str, error: &regex::Error) {
        self.errors.push(Error::new(ErrorKind::Pattern, format!("rules: {place}: {error}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_rules_compile_and_their_names_are_unique() {
        let rules = Rules::default();
        let (matchers, errors) = Matchers::new(&rules);
        assert_eq!(errors, []);
        let lists = [&matchers.corrections, &matchers.completion, &matchers.partial, &matchers.failure];
        for list in lists {
            let mut ids: Vec<_> = list.entries.iter().map(|named| &named.id).collect();
            ids.sort();
            ids.dedup();
            assert_eq!(ids.len(), list.entries.len());
        }
    }

    #[test]
    fn a_bad_pattern_is_named() {
        let mut rules = Rules::default();
        let english = rules.languages.get_mut("en").unwrap();
        english.hedges.push(Phrase { id: "odd".to_owned(), pattern: "(".to_owned(), answers: false });
        let (_, errors) = Matchers::new(&rules);
        assert_eq!(errors.len(), 1);
        assert!(errors[0].to_string().starts_with("rules: hedges en.odd: "), "{}", errors[0]);
    }
}

//! The patterns of the rules, compiled.

use std::collections::HashSet;

use super::lexicon::{self, Any, Lexicon, Name};
use super::{Language, Limits, Phrase, Rules, Weights};
use crate::error::{Error, ErrorKind};

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
    pub(crate) intentions: Lexicon,
    pub(crate) goodbyes: Any,
    pub(crate) closings: Any,
    pub(crate) not_goodbyes: Any,
    pub(crate) error_beginnings: Any,
}

impl Matchers {
    /// Makes the rules ready. What does not compile is left out and reported, first fault first. Only patterns that are not among
    /// the default rules are tried here: that those compile is a test, and to compile all of them takes long.
    pub(crate) fn new(rules: &Rules) -> (Self, Vec<Error>) {
        let defaults = Rules::default();
        let known: HashSet<&str> = defaults.languages.values().flat_map(Language::patterns).collect();
        Self::checking(rules, &|pattern| known.contains(pattern))
    }

    /// Makes the default rules ready.
    pub(crate) fn of_default(rules: &Rules) -> Self {
        Self::checking(rules, &|_| true).0
    }

    fn checking(rules: &Rules, is_known: &dyn Fn(&str) -> bool) -> (Self, Vec<Error>) {
        let mut compiler = Compiler { rules, is_known, errors: Vec::new() };
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
            intentions: compiler.lexicon("intentions", |words| &words.intentions),
            goodbyes: compiler.any("goodbyes", |words| &words.goodbyes),
            closings: compiler.any("closings", |words| &words.closings),
            not_goodbyes: compiler.any("notGoodbyes", |words| &words.not_goodbyes),
            error_beginnings: compiler.any("errorBeginnings", |words| &words.error_beginnings),
        };
        (matchers, compiler.errors)
    }
}

struct Compiler<'r> {
    rules: &'r Rules,
    /// Whether a pattern is known to compile.
    is_known: &'r dyn Fn(&str) -> bool,
    errors: Vec<Error>,
}

impl Compiler<'_> {
    fn any(&mut self, list: &str, of: impl Fn(&Language) -> &Vec<String>) -> Any {
        let mut good = Vec::new();
        for (language, words) in &self.rules.languages {
            for (at, pattern) in of(words).iter().enumerate() {
                if self.compiles(pattern, || format!("{language}.{list}[{at}]")) {
                    good.push(pattern.clone());
                }
            }
        }
        Any::new(good)
    }

    fn lexicon(&mut self, list: &str, of: impl Fn(&Language) -> &Vec<Phrase>) -> Lexicon {
        let mut good = Vec::new();
        for (language, words) in &self.rules.languages {
            for phrase in of(words) {
                let id = format!("{language}.{}", phrase.id);
                if self.compiles(&phrase.pattern, || format!("{list} {id}")) {
                    good.push((Name { id, answers: phrase.answers }, phrase.pattern.clone()));
                }
            }
        }
        Lexicon::new(good)
    }

    /// Whether a pattern compiles; if not, `place` says which one.
    fn compiles(&mut self, pattern: &str, place: impl FnOnce() -> String) -> bool {
        if (self.is_known)(pattern) {
            return true;
        }
        let fault = lexicon::compile(pattern).err();
        if let Some(error) = &fault {
            self.errors.push(Error::new(ErrorKind::Pattern, format!("rules: {}: {error}", place())));
        }
        fault.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_rules_compile_and_their_names_are_unique() {
        let rules = Rules::default();
        let (matchers, errors) = Matchers::checking(&rules, &|_| false);
        assert_eq!(errors, []);
        let lists = [&matchers.corrections, &matchers.completion, &matchers.partial, &matchers.failure];
        for list in lists {
            let mut ids: Vec<_> = list.ids().collect();
            ids.sort();
            ids.dedup();
            assert_eq!(ids.len(), list.ids().count());
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

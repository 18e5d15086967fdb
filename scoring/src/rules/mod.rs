//! What the default profile judges by: words and numbers as data.

mod anchors;
mod chinese;
mod english;
mod finder;
mod german;
mod lexicon;
mod matchers;
#[cfg(test)]
mod oracle;
mod risk;
mod spanish;

use std::collections::BTreeMap;

use clawgauge_transcript::ToolTable;
use serde::{Deserialize, Serialize};

pub(crate) use lexicon::{Hit, Lexicon};
pub(crate) use matchers::Matchers;
pub use risk::RiskWeights;

/// The rules of the default profile: word lists, tools, limits and weights.
///
/// [`Rules::default`] is what is right for most; a user changes single fields in JSON and keeps the rest. Fields that are not
/// named keep their defaults, a field that does not exist is an error. Who changes a rule should change
/// [`version`](Rules::version) too: it is written into every score record, and numbers of different versions are not
/// comparable.
///
/// All patterns are regular expressions of the `regex` crate (linear time), matched without regard to case. An apostrophe
/// also stands for its curly form.
///
/// ```
/// use clawgauge_scoring::Rules;
///
/// let rules: Rules = serde_json::from_str(r#"{"version": "ours-1", "weights": {"failed": 0.1}}"#)?;
/// assert_eq!(rules.weights.failed, 0.1);
/// assert_eq!(rules.limits, Rules::default().limits);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Rules {
    /// The name of this set of rules.
    pub version: String,
    /// Counts and lengths.
    pub limits: Limits,
    /// What the findings are worth.
    pub weights: Weights,
    /// What the signs of failure are worth. Default [`RiskWeights::WITHOUT_LENGTH`]. With all weights 0 here and in the next, no
    /// sign is read, and a card has no risk.
    pub risk: RiskWeights,
    /// The same where a [`Baseline`](crate::Baseline) tells how much work a session was. Default [`RiskWeights::WITH_LENGTH`].
    pub risk_with_baseline: RiskWeights,
    /// Which tool does what.
    pub tools: ToolTable,
    /// Words by language (`en`, `de`, `es`, `zh`, ...). All languages are looked for in every text: people mix them.
    pub languages: BTreeMap<String, Language>,
}

impl Default for Rules {
    fn default() -> Self {
        let languages = [
            ("de", german::language()),
            ("en", english::language()),
            ("es", spanish::language()),
            ("zh", chinese::language()),
        ];
        Self {
            version: "default-1".to_owned(),
            limits: Limits::default(),
            weights: Weights::default(),
            risk: RiskWeights::WITHOUT_LENGTH,
            risk_with_baseline: RiskWeights::WITH_LENGTH,
            tools: ToolTable::default(),
            languages: languages.into_iter().map(|(name, words)| (name.to_owned(), words)).collect(),
        }
    }
}

/// Counts and lengths of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Limits {
    /// A session with fewer messages is not scored. Default 3, as in the plugin.
    pub min_messages: usize,
    /// Findings kept of one dimension; a last one says how many more there are. Default 100.
    pub max_evidence: usize,
    /// The longest cycle of calls that is looked for as a loop. Default 8.
    pub max_loop_period: usize,
    /// So many calls that only repeat are a loop. Default 2: the same call three times.
    pub loop_repeats: usize,
    /// A loop of at most so many repeated calls is short. Default 4.
    pub short_loop_repeats: usize,
    /// How many words before a word can negate it. Default 4, as measured.
    pub negation_words: usize,
    /// How many goodbyes are walked past to find the last text that says something. Default 3, as measured.
    pub goodbyes: usize,
    /// The longest goodbye, in characters. Default 160.
    pub goodbye_chars: usize,
    /// A session in which the person wrote at least so many messages is a dialogue, else a task. Default 3, as measured.
    pub dialogue_messages: usize,
    /// How many characters at each end of a result are read to tell whether it is an error. Default 400.
    pub error_chars: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            min_messages: 3,
            max_evidence: 100,
            max_loop_period: 8,
            loop_repeats: 2,
            short_loop_repeats: 4,
            negation_words: 4,
            goodbyes: 3,
            goodbye_chars: 160,
            dialogue_messages: 3,
            error_chars: 400,
        }
    }
}

/// What the findings are worth, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Weights {
    /// Completeness when the agent says that it is done. Default 1.
    pub complete: f64,
    /// Completeness when it says neither. Default 0.8, as in the plugin.
    pub unclear: f64,
    /// Completeness when it says that a part is missing. Default 0.5, as in the plugin.
    pub partial: f64,
    /// Completeness when it says that it failed. Default 0.3, as in the plugin.
    pub failed: f64,
    /// Completeness when the last turn ended in an error, was aborted or cut off, or brought no answer. Default 0.2.
    pub ended_badly: f64,
    /// Consistency with a short loop among many calls. Default 0.5.
    pub short_loop: f64,
    /// The share of all calls up to which a short loop counts as such; beyond it consistency is 0. Default 0.2.
    pub short_loop_share: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            complete: 1.0,
            unclear: 0.8,
            partial: 0.5,
            failed: 0.3,
            ended_badly: 0.2,
            short_loop: 0.5,
            short_loop_share: 0.2,
        }
    }
}

/// A pattern with the name under which its matches are reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Phrase {
    /// The name, unique in its list: `you-forgot`.
    pub id: String,
    /// The regular expression.
    pub pattern: String,
    /// Of a correction: it may as well be the answer to a question (`No, leave it`), so it does not count after one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answers: bool,
}

impl Phrase {
    /// A pattern that is reported under `id`.
    #[must_use]
    pub fn new(id: impl Into<String>, pattern: impl Into<String>) -> Self {
        Self { id: id.into(), pattern: pattern.into(), answers: false }
    }

    /// The same, but it may be an answer to a question.
    #[must_use]
    pub fn answering(self) -> Self {
        Self { answers: true, ..self }
    }
}

/// The words of one language. Every list holds regular expressions; an empty list finds nothing.
///
/// Where a pattern begins with `^` it must begin a sentence, after [`lead_ins`](Language::lead_ins).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Language {
    /// A person says that what the agent did is not right.
    pub corrections: Vec<Phrase>,
    /// What looks like a correction and is none: declines, idioms, thanks. Vetoes every match it overlaps.
    pub not_corrections: Vec<String>,
    /// The person corrects themselves: no correction in that message.
    pub own_fault: Vec<String>,
    /// Words before a sentence really begins: `well,`, `ok`.
    pub lead_ins: Vec<String>,
    /// How sentences begin that are questions to their end.
    pub questions: Vec<String>,
    /// Words by which the agent asks without a question mark: what follows may be an answer.
    pub requests: Vec<String>,
    /// Words that make what follows hypothetical: `if`, `when`.
    pub conditions: Vec<String>,
    /// Words that negate one of the next words.
    pub negators: Vec<String>,
    /// The agent says that it is done.
    pub completion: Vec<Phrase>,
    /// What looks like that and is none; vetoes every match it overlaps.
    pub not_completion: Vec<String>,
    /// Words before a claim of completion that put it into the future or make it a wish: `will`, `should be`, `once`.
    pub not_yet: Vec<String>,
    /// The agent says that a part is missing.
    pub partial: Vec<Phrase>,
    /// The agent says that something failed.
    pub failure: Vec<Phrase>,
    /// The agent says that it could not do something: the sign `inability`, and a failure for completeness.
    pub inability: Vec<Phrase>,
    /// What looks like failure or inability and is none; vetoes every match it overlaps.
    pub not_failure: Vec<String>,
    /// The agent says that it tries again.
    pub retries: Vec<Phrase>,
    /// The agent hedges.
    pub hedges: Vec<Phrase>,
    /// The agent apologises.
    pub apologies: Vec<Phrase>,
    /// The agent says what it will do.
    pub intentions: Vec<Phrase>,
    /// Goodbyes, when the whole text is short.
    pub goodbyes: Vec<String>,
    /// A person closes the conversation: such a message wants no answer.
    pub closings: Vec<String>,
    /// What keeps a goodbye from being one: it says unable, sorry or transfer.
    pub not_goodbyes: Vec<String>,
    /// How a result begins that is an error.
    pub error_beginnings: Vec<String>,
}

impl Language {
    /// The patterns of all lists.
    fn patterns(&self) -> impl Iterator<Item = &str> {
        let named = [
            &self.corrections,
            &self.completion,
            &self.partial,
            &self.failure,
            &self.inability,
            &self.retries,
            &self.hedges,
            &self.apologies,
            &self.intentions,
        ];
        let unnamed = [
            &self.not_corrections,
            &self.own_fault,
            &self.lead_ins,
            &self.questions,
            &self.requests,
            &self.conditions,
            &self.negators,
            &self.not_completion,
            &self.not_yet,
            &self.not_failure,
            &self.goodbyes,
            &self.closings,
            &self.not_goodbyes,
            &self.error_beginnings,
        ];
        let named = named.into_iter().flatten().map(|phrase| &*phrase.pattern);
        named.chain(unnamed.into_iter().flatten().map(String::as_str))
    }
}

/// Lists of `(id, pattern)` as they stand in the language files.
fn phrases(list: &[(&str, &str)]) -> Vec<Phrase> {
    list.iter().map(|(id, pattern)| Phrase::new(*id, *pattern)).collect()
}

/// The same for corrections that may be answers.
fn answers(list: &[(&str, &str)]) -> Vec<Phrase> {
    phrases(list).into_iter().map(Phrase::answering).collect()
}

fn patterns(list: &[&str]) -> Vec<String> {
    list.iter().map(|pattern| (*pattern).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_list_of_a_language_is_left_out_of_its_patterns() {
        for language in Rules::default().languages.values() {
            let lists = serde_json::to_value(language).unwrap();
            let patterns = lists.as_object().unwrap().values().map(|list| list.as_array().unwrap().len());
            assert_eq!(language.patterns().count(), patterns.sum::<usize>());
        }
    }
}

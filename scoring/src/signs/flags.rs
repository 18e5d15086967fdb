//! What is worth a look, but no points.

use std::fmt;
use std::str::FromStr;

use clawgauge_transcript::TurnEnd;

use super::last_text::LastText;
use super::measured::SessionKind;
use super::phrases::said;
use super::session::{Answer, Session};
use super::text::Words;
use crate::error::Error;
use crate::evidence::Evidence;
use crate::profile::named;
use crate::rules::Matchers;

/// The share of common words from which one message repeats another.
const OVERLAP: f64 = 0.6;

/// Shorter messages ("yes", "go on") repeat nothing.
const LEAST_WORDS: usize = 4;

/// How many earlier messages of the person each is compared with.
const LOOK_BACK: usize = 20;

/// What models write when a tool call becomes text.
const CALL_SYNTAX: [&str; 9] = [
    "<tool_call>",
    "<function=",
    "<function_call",
    "<|tool_call",
    "<|channel|>commentary to=",
    "commentary to=functions.",
    "<invoke name=",
    "[TOOL_CALLS]",
    "<|python_tag|>",
];

/// The name of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FlagName {
    /// The last result is an error. Risk ratio 1.31.
    LastResultError,
    /// The agent claims success right after an error. Risk ratio 1.23.
    SuccessAfterError,
    /// The person asks for the same again. Risk ratio 1.34.
    RequestRepeated,
    /// A tool call stands in the text instead of being made. Risk ratio 1.23.
    CallAsText,
    /// The last words are what the agent will do. Risk ratio 1.12.
    EndsWithIntention,
    /// The last turn was cut off: by the length limit, in the middle of its tool calls, by an error, by somebody. Risk ratio 1.17,
    /// measured with the first two.
    CutOff,
    /// In a task: the agent says that it is done. Such runs fail less often: risk ratio 0.81.
    ClaimsCompletion,
}

impl FlagName {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::LastResultError,
        Self::SuccessAfterError,
        Self::RequestRepeated,
        Self::CallAsText,
        Self::EndsWithIntention,
        Self::CutOff,
        Self::ClaimsCompletion,
    ];

    /// The name used in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LastResultError => "last-result-error",
            Self::SuccessAfterError => "success-after-error",
            Self::RequestRepeated => "request-repeated",
            Self::CallAsText => "call-as-text",
            Self::EndsWithIntention => "ends-with-intention",
            Self::CutOff => "cut-off",
            Self::ClaimsCompletion => "claims-completion",
        }
    }

    /// How often the measured runs with the flag failed, against those without: above 1 they failed more often.
    #[must_use]
    pub const fn risk_ratio(self) -> f64 {
        match self {
            Self::LastResultError => 1.31,
            Self::SuccessAfterError | Self::CallAsText => 1.23,
            Self::RequestRepeated => 1.34,
            Self::EndsWithIntention => 1.12,
            Self::CutOff => 1.17,
            Self::ClaimsCompletion => 0.81,
        }
    }
}

impl fmt::Display for FlagName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for FlagName {
    type Err = Error;

    /// Reads a name as [`FlagName::as_str`] writes it.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownName`](crate::ErrorKind::UnknownName) for any other text; the message lists the names.
    fn from_str(text: &str) -> Result<Self, Error> {
        named("flag", &Self::ALL, |one| one.as_str(), text)
    }
}

/// Something to show, not to score: too weak or too dependent on the kind of work to give points.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Flag {
    /// Which one.
    pub name: FlagName,
    /// Where it was found.
    pub evidence: Vec<Evidence>,
}

impl Flag {
    /// A flag that was found there.
    #[must_use]
    pub const fn new(name: FlagName, evidence: Vec<Evidence>) -> Self {
        Self { name, evidence }
    }
}

/// Reads the flags of a session. `last`: its last substantive text; `last_answer`: its last call or result. `O(n)`.
pub(super) fn read(
    session: &Session<'_>,
    matchers: &Matchers,
    kind: SessionKind,
    last: Option<&LastText<'_>>,
    last_answer: Option<&Answer<'_, '_>>,
    call_as_text: Option<Evidence>,
) -> Vec<Flag> {
    let rule = |name: FlagName| format!("flag.{}", name.as_str());
    let mut found = Vec::new();
    let mut add = |name, evidence: Option<Evidence>| {
        if let Some(evidence) = evidence {
            found.push(Flag { name, evidence: vec![evidence] });
        }
    };
    let last_error = last_answer.filter(|answer| answer.reading.is_error());
    let task = kind == SessionKind::Task;
    let asked = last.filter(|_| task || last_error.is_some());
    let claim = asked.and_then(|last| Some((&last.words, last.done(matchers)?.range)));
    if let Some(error) = last_error {
        let name = FlagName::LastResultError;
        add(name, Some(session.answer_evidence(&rule(name), error, "the last result is an error")));
        let name = FlagName::SuccessAfterError;
        let says = claim.as_ref().map(|(words, range)| {
            session.words_evidence(&rule(name), words, range.clone(), "claims success after an error")
        });
        add(name, says);
    }
    add(FlagName::RequestRepeated, repeated_request(session, &rule(FlagName::RequestRepeated)));
    add(FlagName::CallAsText, call_as_text);
    add(
        FlagName::EndsWithIntention,
        last.and_then(|last| {
            let sentence = last.sentences().pop()?;
            said(&matchers.intentions, &sentence)?;
            let range = sentence.range();
            let reason = "the last words are what the agent will do";
            Some(session.words_evidence(&rule(FlagName::EndsWithIntention), &last.words, range, reason))
        }),
    );
    add(FlagName::CutOff, cut_off(session, &rule(FlagName::CutOff)));
    if task && last_error.is_none() {
        let name = FlagName::ClaimsCompletion;
        let says = claim.map(|(words, range)| {
            session.words_evidence(&rule(name), words, range, "the agent says that it is done")
        });
        add(name, says);
    }
    found
}

fn repeated_request(session: &Session<'_>, rule: &str) -> Option<Evidence> {
    let mut earlier: Vec<Vec<u64>> = Vec::new();
    for person in session.turns.iter().filter_map(|turn| turn.person.as_ref()) {
        let words = words(&person.typed);
        if words.len() < LEAST_WORDS {
            continue;
        }
        if earlier.iter().rev().take(LOOK_BACK).any(|before| overlap(before, &words) >= OVERLAP) {
            return Some(session.evidence(rule, person.words.entry, "the person asks for the same again"));
        }
        earlier.push(words);
    }
    None
}

/// The words of a text, each once and in order, without regard to case. Each stands for itself as a checksum (FNV-1a): messages
/// are compared with many others, and numbers are compared at once.
fn words(text: &str) -> Vec<u64> {
    let begin = 0xcbf2_9ce4_8422_2325_u64;
    let add = |hash: u64, c: char| (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0000_0100_0000_01b3);
    let mut found = Vec::new();
    let (mut hash, mut length) = (begin, 0_usize);
    for c in text.chars().chain([' ']) {
        if c.is_ascii_alphanumeric() {
            (hash, length) = (add(hash, c.to_ascii_lowercase()), length + 1);
        } else if !c.is_ascii() && c.is_alphanumeric() {
            (hash, length) = (c.to_lowercase().fold(hash, add), length + 1);
        } else {
            if length > 1 {
                found.push(hash);
            }
            (hash, length) = (begin, 0);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Common words as a share of all.
#[expect(clippy::cast_precision_loss, reason = "counts of words")]
fn overlap(a: &[u64], b: &[u64]) -> f64 {
    let mut rest = b.iter().peekable();
    let common = a
        .iter()
        .filter(|&word| {
            while rest.next_if(|other| *other < word).is_some() {}
            rest.next_if_eq(&word).is_some()
        })
        .count();
    common as f64 / (a.len() + b.len() - common).max(1) as f64
}

/// A tool call in the words of a message. Each of the marks holds what [`Held`](super::prose::Held) knows as a call.
pub(super) fn call_as_text(session: &Session<'_>, words: &Words<'_>) -> Option<Evidence> {
    let (at, mark) = CALL_SYNTAX.iter().find_map(|mark| Some((words.text().find(mark)?, mark)))?;
    let rule = format!("flag.{}", FlagName::CallAsText.as_str());
    let reason = "a tool call stands in the text instead of being made";
    Some(session.words_evidence(&rule, words, at..at + mark.len(), reason))
}

fn cut_off(session: &Session<'_>, rule: &str) -> Option<Evidence> {
    let turn = session.conversation.turns.last()?;
    let reason = match turn.end() {
        TurnEnd::Length => "the last answer ran into the length limit",
        TurnEnd::Unfinished => "the last turn ends with a tool call",
        TurnEnd::Error => "the last turn ended in an error",
        TurnEnd::Aborted => "the last turn was aborted",
        _ => return None,
    };
    let entry = turn.steps.last().map(|step| step.entry).or(turn.user)?;
    Some(session.evidence(rule, entry, reason))
}

#[cfg(test)]
mod tests {
    use super::super::prose::Held;
    use super::*;

    #[test]
    fn every_mark_of_a_call_is_seen_at_a_glance() {
        for mark in CALL_SYNTAX {
            assert!(Held::of(mark).may_be_call(), "{mark}");
        }
    }

    #[test]
    fn overlap_is_the_share_of_common_words() {
        let overlap = |a, b| overlap(&words(a), &words(b));
        assert_eq!(overlap("Cancel the ORDER, please", "please cancel the order"), 1.0);
        assert_eq!(overlap("one two three", "three four"), 0.25);
        assert_eq!(overlap("", ""), 0.0);
        assert_eq!(words("a b Straße straße STRASSE").len(), 2, "single letters are no words");
    }
}

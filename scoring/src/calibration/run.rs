//! One run with a known outcome.

use clawgauge_transcript::Transcript;

use crate::default::Scorer;
use crate::profile::PerDimension;
use crate::signs::Signs;
use crate::skip::Judged;

/// What is known of a run beside its messages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunFacts {
    /// Where it comes from: the benchmark, the team. Empty where nobody says.
    pub source: String,
    /// Which task it worked on.
    pub task: String,
    /// Which model.
    pub model: String,
    /// The verdict: whether it failed.
    pub failed: bool,
}

/// A run with a known outcome, and what the scorer reads in it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct KnownRun {
    /// What is known of it.
    pub facts: RunFacts,
    /// The signs.
    pub signs: Signs,
    /// The overall score, where one applies.
    pub overall: Option<f64>,
    /// The four scores, where they apply.
    pub dimensions: PerDimension<Option<f64>>,
}

impl KnownRun {
    /// Reads a run. `O(n)`.
    #[must_use]
    pub fn new(scorer: &Scorer, transcript: &Transcript<'_>, facts: RunFacts) -> Self {
        let (card, signs) = match scorer.score_with_signs(transcript, None) {
            Judged::Scored((card, signs)) => (Some(card), signs),
            Judged::Skipped(_) => (None, None),
        };
        // A run of known outcome has signs, whether or not the profile scores such sessions.
        let mut signs = signs.unwrap_or_else(|| scorer.signs(transcript, None));
        // A calibration keeps thousands of runs and shows none of their words.
        for sign in &mut signs.all {
            sign.evidence = Vec::new();
        }
        for flag in &mut signs.flags {
            flag.evidence = Vec::new();
        }
        let number = |dimension| card.as_ref()?.score(dimension).number();
        let (overall, dimensions) =
            (card.as_ref().and_then(|card| card.overall.number()), PerDimension::from_fn(number));
        Self { facts, signs, overall, dimensions }
    }
}

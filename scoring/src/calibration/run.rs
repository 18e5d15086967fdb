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
        let mut signs = scorer.signs(transcript, None);
        // A calibration keeps thousands of runs and shows none of their words.
        for sign in &mut signs.all {
            sign.evidence = Vec::new();
        }
        let (overall, dimensions) = match scorer.score(transcript, None) {
            Judged::Scored(card) => {
                let number = |dimension| card.score(dimension).number();
                (card.overall.number(), PerDimension::from_fn(number))
            }
            Judged::Skipped(_) => (None, PerDimension::default()),
        };
        Self { facts, signs, overall, dimensions }
    }
}

//! Findings of one dimension, no more than the limit.

use crate::card::{Judgement, Score};
use crate::evidence::Evidence;

#[derive(Debug)]
pub(super) struct Findings {
    evidence: Vec<Evidence>,
    limit: usize,
    more: usize,
    dimension: &'static str,
}

impl Findings {
    pub(super) const fn new(dimension: &'static str, limit: usize) -> Self {
        Self { evidence: Vec::new(), limit, more: 0, dimension }
    }

    /// Adds a finding; beyond the limit it is only counted.
    pub(super) fn add(&mut self, finding: impl FnOnce() -> Evidence) {
        if self.evidence.len() < self.limit {
            self.evidence.push(finding());
        } else {
            self.more += 1;
        }
    }

    /// The judgement. What was beyond the limit is said once, at the place of the last finding.
    pub(super) fn judge(mut self, score: Score) -> Judgement {
        if self.more > 0
            && let Some(last) = self.evidence.last()
        {
            self.evidence.push(Evidence {
                rule: format!("{}.more", self.dimension).into(),
                place: last.place.clone(),
                bytes: None,
                reason: format!("{} more findings are not listed", self.more).into(),
            });
        }
        Judgement { score, evidence: self.evidence }
    }
}

/// The share `part / all`; not applicable when there is nothing.
#[expect(clippy::cast_precision_loss, reason = "counts of calls and messages in memory")]
pub(super) fn share(part: usize, all: usize, nothing: &str) -> Score {
    if all == 0 { Score::not_applicable(nothing) } else { Score::value(part as f64 / all as f64) }
}

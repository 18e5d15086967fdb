//! What a profile says about one session.

use crate::effort::{Effort, Work};
use crate::evidence::Evidence;
use crate::profile::{Dimension, PerDimension, Profile};
use crate::risk::Risk;
use crate::stats;

/// A number from 0 to 1, or the reason why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Score {
    /// From 0 (worst) to 1 (best).
    Value(f64),
    /// There was nothing to judge. It enters no mean and no overall score.
    NotApplicable {
        /// Why, in a few words.
        reason: Box<str>,
    },
}

impl Score {
    /// A value, brought into 0 to 1; not a number becomes "not applicable".
    #[must_use]
    pub fn value(value: f64) -> Self {
        if value.is_nan() { Self::not_applicable("not a number") } else { Self::Value(value.clamp(0.0, 1.0)) }
    }

    /// Nothing to judge, for `reason`.
    #[must_use]
    pub fn not_applicable(reason: impl Into<Box<str>>) -> Self {
        Self::NotApplicable { reason: reason.into() }
    }

    /// The number, if there is one.
    #[must_use]
    pub const fn number(&self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(*value),
            Self::NotApplicable { .. } => None,
        }
    }
}

/// A score and what it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The score.
    pub score: Score,
    /// What was found, in the order of the session. May be empty for a score that rests on an absence.
    pub evidence: Vec<Evidence>,
}

/// The scores of one session by one profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Scorecard {
    /// Which rules were applied.
    pub profile: Profile,
    /// Their version. Numbers of different versions may differ for the same session.
    pub rules_version: Box<str>,
    /// The four scores with their evidence.
    pub dimensions: PerDimension<Judgement>,
    /// The overall score.
    pub overall: Score,
    /// The risk of failure; it is no part of the overall score. `None` where the profile has none.
    pub risk: Option<Risk>,
    /// How much the agent wrote and did, from which a [`Baseline`](crate::Baseline) tells the effort.
    pub work: Option<Work>,
    /// Where that stands among the user's own sessions. `None`: nobody compared it.
    pub effort: Option<Effort>,
    /// The risk when that counts too, from 0 to 100. It is on another scale than [`risk`](Scorecard::risk), which a session has
    /// whatever its history: the two are never averaged together.
    pub risk_with_effort: Option<f64>,
}

impl Scorecard {
    /// A card whose overall score is the plain mean of the dimensions that apply, rounded to four decimals: a mean of 0.8 must
    /// not fall below a threshold of 0.8 by the last bit of a double.
    #[must_use]
    pub fn new(
        profile: Profile,
        rules_version: impl Into<Box<str>>,
        dimensions: PerDimension<Judgement>,
    ) -> Self {
        let values: Vec<f64> = dimensions.iter().filter_map(|(_, judged)| judged.score.number()).collect();
        let overall = match stats::mean(&values) {
            Some(mean) => Score::value((mean * 1e4).round() / 1e4),
            None => Score::not_applicable("no dimension applies"),
        };
        Self {
            profile,
            rules_version: rules_version.into(),
            dimensions,
            overall,
            risk: None,
            work: None,
            effort: None,
            risk_with_effort: None,
        }
    }

    /// The effort as a score from 0 (least) to 1 (most), not applicable without a history. High is neither good nor bad.
    #[must_use]
    pub fn effort(&self) -> Score {
        self.effort.map_or_else(
            || Score::not_applicable("no history to compare with"),
            |effort| Score::value(effort.value()),
        )
    }

    /// The score of one dimension.
    #[must_use]
    pub const fn score(&self, dimension: Dimension) -> &Score {
        &self.dimensions.get(dimension).score
    }
}

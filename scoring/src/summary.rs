//! Means over records.

use std::borrow::Borrow;

use chrono::{DateTime, Utc};

use crate::error::{Error, ErrorKind};
use crate::filter::Filter;
use crate::profile::{Dimension, PerDimension, Profile};
use crate::record::ScoreRecord;
use crate::stats::{self, Interval};
use crate::tally::Tally;

/// Counts and means of one profile over a set of records.
///
/// What is not applicable enters no mean. Each record counts, also two of one session: a folder of score files holds one each. Summaries of parts [merge](Summary::merge) to the same bits in any order and grouping,
/// so that a large history can be summed up in pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    profile: Profile,
    sessions: u64,
    without_profile: u64,
    succeeded: u64,
    outcome_known: u64,
    overall: Tally,
    /// As shares of 100.
    risk: Tally,
    dimensions: PerDimension<Tally>,
    first: Option<DateTime<Utc>>,
    last: Option<DateTime<Utc>>,
}

impl Summary {
    /// The summary of no record at all.
    #[must_use]
    pub fn empty(profile: Profile) -> Self {
        Self {
            profile,
            sessions: 0,
            without_profile: 0,
            succeeded: 0,
            outcome_known: 0,
            overall: Tally::default(),
            risk: Tally::default(),
            dimensions: PerDimension::default(),
            first: None,
            last: None,
        }
    }

    /// Sums up the records that `filter` takes. O(n), no allocation a record.
    pub fn of(
        records: impl IntoIterator<Item: Borrow<ScoreRecord>>,
        profile: Profile,
        filter: &Filter,
    ) -> Self {
        let mut summary = Self::empty(profile);
        for record in records.into_iter().filter(|record| filter.matches(record.borrow())) {
            summary.add(record.borrow());
        }
        summary
    }

    /// Adds one record. `O(size of the record)`. One without numbers of this profile is only counted, in [`Summary::without_profile`].
    pub fn add(&mut self, record: &ScoreRecord) {
        let Some(numbers) = record.numbers(self.profile) else {
            self.without_profile = self.without_profile.saturating_add(1);
            return;
        };
        self.sessions = self.sessions.saturating_add(1);
        if let Some(success) = record.success() {
            self.outcome_known = self.outcome_known.saturating_add(1);
            self.succeeded = self.succeeded.saturating_add(u64::from(success));
        }
        if let Some(overall) = numbers.overall {
            self.overall.add(overall);
        }
        if let Some(risk) = record.risk_value(self.profile) {
            self.risk.add(risk / 100.0);
        }
        for (dimension, number) in numbers.dimensions.iter() {
            if let Some(number) = number {
                self.dimensions.get_mut(dimension).add(*number);
            }
        }
        let time = record.timestamp();
        self.first = earliest(self.first, time);
        self.last = self.last.max(time);
    }

    /// Adds the counts of another summary of the same profile. Associative and commutative, to the bit. `O(1)`.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] when the profiles differ: their numbers do not mean the same. Nothing is changed then.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if self.profile != other.profile {
            let message =
                format!("numbers of {} and {} are not averaged together", self.profile, other.profile);
            return Err(Error::new(ErrorKind::Mismatch, message));
        }
        self.sessions = self.sessions.saturating_add(other.sessions);
        self.without_profile = self.without_profile.saturating_add(other.without_profile);
        self.succeeded = self.succeeded.saturating_add(other.succeeded);
        self.outcome_known = self.outcome_known.saturating_add(other.outcome_known);
        self.overall.merge(&other.overall);
        self.risk.merge(&other.risk);
        for dimension in Dimension::ALL {
            self.dimensions.get_mut(dimension).merge(other.dimensions.get(dimension));
        }
        self.first = earliest(self.first, other.first);
        self.last = self.last.max(other.last);
        Ok(())
    }

    /// The profile whose numbers these are.
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.profile
    }

    /// Records with numbers of this profile.
    #[must_use]
    pub const fn sessions(&self) -> u64 {
        self.sessions
    }

    /// Records the filter took that hold no numbers of this profile.
    #[must_use]
    pub const fn without_profile(&self) -> u64 {
        self.without_profile
    }

    /// The mean overall score, from 0 to 1; `None` when it applies to no session.
    #[must_use]
    pub fn overall(&self) -> Option<f64> {
        self.overall.mean()
    }

    /// The mean risk of failure, from 0 to 100; `None` when no record holds one.
    #[must_use]
    pub fn risk(&self) -> Option<f64> {
        // Of a share the hundredfold is off by the last bit (`0.07 * 100.0`), and a risk has one digit behind the point.
        self.risk.mean().map(|share| (share * 1e11).round() / 1e9)
    }

    /// Sessions whose record holds a risk.
    #[must_use]
    pub const fn risk_judged(&self) -> u64 {
        self.risk.count()
    }

    /// The mean of one dimension, from 0 to 1; `None` when it applies to no session.
    #[must_use]
    pub fn mean(&self, dimension: Dimension) -> Option<f64> {
        self.dimensions.get(dimension).mean()
    }

    /// Sessions in which a dimension applies.
    #[must_use]
    pub const fn judged(&self, dimension: Dimension) -> u64 {
        self.dimensions.get(dimension).count()
    }

    /// Sessions whose last turn ended well.
    #[must_use]
    pub const fn succeeded(&self) -> u64 {
        self.succeeded
    }

    /// Sessions of which it is known whether the last turn ended well.
    #[must_use]
    pub const fn outcome_known(&self) -> u64 {
        self.outcome_known
    }

    /// The share of sessions that ended well, of those of which it is known; `None` when it is known of none.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "a share is wanted as a double")]
    pub fn success_rate(&self) -> Option<f64> {
        (self.outcome_known > 0).then(|| self.succeeded as f64 / self.outcome_known as f64)
    }

    /// Between which rates the true one lies, at 95 % confidence (Wilson).
    #[must_use]
    pub fn success_interval(&self) -> Option<Interval> {
        stats::wilson(self.succeeded, self.outcome_known, stats::Z_95)
    }

    /// The time of the earliest record that has one.
    #[must_use]
    pub const fn first(&self) -> Option<DateTime<Utc>> {
        self.first
    }

    /// The time of the latest record that has one.
    #[must_use]
    pub const fn last(&self) -> Option<DateTime<Utc>> {
        self.last
    }
}

fn earliest(a: Option<DateTime<Utc>>, b: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, None) | (None, one) => one,
    }
}

//! Means by day.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use chrono::{FixedOffset, NaiveDate};

use crate::error::{Error, ErrorKind};
use crate::filter::Filter;
use crate::profile::Profile;
use crate::record::ScoreRecord;
use crate::summary::Summary;

/// A [`Summary`] for each day, where a day is that of the clock on the wall at a given offset from UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trend {
    profile: Profile,
    offset: FixedOffset,
    days: BTreeMap<NaiveDate, Summary>,
    without_time: u64,
}

impl Trend {
    /// The trend of no record at all.
    #[must_use]
    pub const fn empty(profile: Profile, offset: FixedOffset) -> Self {
        Self { profile, offset, days: BTreeMap::new(), without_time: 0 }
    }

    /// Sums up the records that `filter` takes, by day. O(n log days); at most one entry a calendar day.
    pub fn of(
        records: impl IntoIterator<Item: Borrow<ScoreRecord>>,
        profile: Profile,
        offset: FixedOffset,
        filter: &Filter,
    ) -> Self {
        let mut trend = Self::empty(profile, offset);
        for record in records.into_iter().filter(|record| filter.matches(record.borrow())) {
            trend.add(record.borrow());
        }
        trend
    }

    /// Adds one record to its day. One without a time is only counted, in [`Trend::without_time`].
    pub fn add(&mut self, record: &ScoreRecord) {
        match record.timestamp() {
            Some(time) => {
                let day = time.with_timezone(&self.offset).date_naive();
                self.days.entry(day).or_insert_with(|| Summary::empty(self.profile)).add(record);
            }
            None => self.without_time = self.without_time.saturating_add(1),
        }
    }

    /// Adds the days of another trend. Associative and commutative, to the bit. `O(days)`.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] when the profiles or the offsets differ. Nothing is changed then.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if self.offset != other.offset || self.profile != other.profile {
            let message = "trends of different profiles or of different days cannot become one";
            return Err(Error::new(ErrorKind::Mismatch, message));
        }
        for (day, summary) in &other.days {
            self.days.entry(*day).or_insert_with(|| Summary::empty(self.profile)).merge(summary)?;
        }
        self.without_time = self.without_time.saturating_add(other.without_time);
        Ok(())
    }

    /// The days that have records with numbers of this profile, oldest first.
    pub fn days(&self) -> impl Iterator<Item = (NaiveDate, &Summary)> {
        self.days.iter().filter(|(_, summary)| summary.sessions() > 0).map(|(day, summary)| (*day, summary))
    }

    /// Records the filter took that hold no numbers of this profile.
    #[must_use]
    pub fn without_profile(&self) -> u64 {
        self.days.values().map(Summary::without_profile).fold(0, u64::saturating_add)
    }

    /// Records the filter took whose time is unknown.
    #[must_use]
    pub const fn without_time(&self) -> u64 {
        self.without_time
    }

    /// The profile whose numbers these are.
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.profile
    }

    /// The offset from UTC that says what a day is.
    #[must_use]
    pub const fn offset(&self) -> FixedOffset {
        self.offset
    }
}

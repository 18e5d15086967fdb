//! The sessions to look at first.

use std::cmp::Ordering;

use crate::filter::Filter;
use crate::profile::Profile;
use crate::record::ScoreRecord;

/// The records with the lowest overall score, or the highest risk, of one profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Worst<'a> {
    /// Worst first; of equal ones the older first, then by session id. At most as many as were asked for.
    pub records: Vec<(f64, &'a ScoreRecord)>,
    /// Records the filter took that have no such number of this profile.
    pub without_score: u64,
}

impl<'a> Worst<'a> {
    /// Finds the `n` lowest of the records that `filter` takes. O(m log m) for m records.
    pub fn of(
        records: impl IntoIterator<Item = &'a ScoreRecord>,
        profile: Profile,
        filter: &Filter,
        n: usize,
    ) -> Self {
        Self::by(records, filter, n, |record| record.numbers(profile)?.overall)
    }

    /// Finds the `n` with the highest risk; the number beside each is its risk, from 0 to 100. O(m log m) for m records.
    pub fn by_risk(
        records: impl IntoIterator<Item = &'a ScoreRecord>,
        profile: Profile,
        filter: &Filter,
        n: usize,
    ) -> Self {
        let mut worst = Self::by(records, filter, n, |record| Some(-record.risk_value(profile)?));
        for (risk, _) in &mut worst.records {
            *risk = risk.abs();
        }
        worst
    }

    /// The `n` lowest by any number.
    fn by(
        records: impl IntoIterator<Item = &'a ScoreRecord>,
        filter: &Filter,
        n: usize,
        number: impl Fn(&ScoreRecord) -> Option<f64>,
    ) -> Self {
        let mut found = Vec::new();
        let mut without_score = 0_u64;
        for record in records.into_iter().filter(|record| filter.matches(record)) {
            match number(record) {
                Some(number) => found.push((number, record)),
                None => without_score = without_score.saturating_add(1),
            }
        }
        found.sort_by(by_number_time_id);
        found.truncate(n);
        Self { records: found, without_score }
    }
}

fn by_number_time_id(a: &(f64, &ScoreRecord), b: &(f64, &ScoreRecord)) -> Ordering {
    a.0.total_cmp(&b.0)
        .then_with(|| a.1.timestamp().cmp(&b.1.timestamp()))
        .then_with(|| a.1.session_id().cmp(&b.1.session_id()))
}

//! The sessions to look at first.

use std::cmp::Ordering;

use crate::filter::Filter;
use crate::profile::Profile;
use crate::record::ScoreRecord;

/// The records with the lowest overall score of one profile.
#[derive(Debug, Clone)]
pub struct Worst<'a> {
    /// Lowest first; of equal ones the older first, then by session id. At most as many as were asked for.
    pub records: Vec<(f64, &'a ScoreRecord)>,
    /// Records the filter took that have no overall score of this profile.
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
        let mut found = Vec::new();
        let mut without_score = 0_u64;
        for record in records.into_iter().filter(|record| filter.matches(record)) {
            match record.numbers(profile).and_then(|numbers| numbers.overall) {
                Some(overall) => found.push((overall, record)),
                None => without_score = without_score.saturating_add(1),
            }
        }
        found.sort_by(by_overall_time_id);
        found.truncate(n);
        Self { records: found, without_score }
    }
}

fn by_overall_time_id(a: &(f64, &ScoreRecord), b: &(f64, &ScoreRecord)) -> Ordering {
    a.0.total_cmp(&b.0)
        .then_with(|| a.1.timestamp().cmp(&b.1.timestamp()))
        .then_with(|| a.1.session_id().cmp(&b.1.session_id()))
}

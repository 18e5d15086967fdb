//! How sure a mean is.

use super::random::SplitMix64;
use super::{Interval, numbers};

/// The 95 % percentile interval of the mean, from `rounds` resamples. `None` of fewer than two values or no rounds.
/// O(rounds * n).
#[must_use]
pub fn bootstrap_mean(values: &[f64], seed: u64, rounds: usize) -> Option<Interval> {
    let mut random = SplitMix64::new(seed);
    let values = numbers(values);
    if values.len() < 2 {
        return None;
    }
    percentiles((0..rounds).map(|_| resampled_mean(&values, &mut random)).collect())
}

/// The 95 % percentile interval of `mean(after) - mean(before)`, each set resampled on its own. `None` when either has fewer
/// than two values, or of no rounds. O(rounds * n).
#[must_use]
pub fn bootstrap_difference(before: &[f64], after: &[f64], seed: u64, rounds: usize) -> Option<Interval> {
    let mut random = SplitMix64::new(seed);
    let (before, after) = (numbers(before), numbers(after));
    if before.len() < 2 || after.len() < 2 {
        return None;
    }
    let differences = (0..rounds).map(|_| {
        let before = resampled_mean(&before, &mut random);
        resampled_mean(&after, &mut random) - before
    });
    percentiles(differences.collect())
}

#[allow(clippy::cast_precision_loss, reason = "a slice has fewer than 2^53 elements")]
fn resampled_mean(values: &[f64], random: &mut SplitMix64) -> f64 {
    let drawn = (0..values.len()).filter_map(|_| values.get(random.below(values.len())));
    drawn.sum::<f64>() / values.len() as f64
}

/// The 95 % percentile interval of values in any order.
pub(super) fn percentiles(mut values: Vec<f64>) -> Option<Interval> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    // 2.5 % cut off at each end, in whole numbers: `last / 40`.
    let cut = last / 40;
    Some(Interval { low: *values.get(cut)?, high: *values.get(last - cut)? })
}

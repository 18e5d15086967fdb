//! How sure a share is.

use super::Interval;

/// The number of standard deviations that holds 95 % of a normal distribution.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// The Wilson score interval of a share (Wilson 1927): sensible for few sessions and for shares near 0 or 1, where the usual
/// "plus or minus" is not. `None` when there were no trials; more successes than trials count as all.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub fn wilson(successes: u64, trials: u64, z: f64) -> Option<Interval> {
    if trials == 0 {
        return None;
    }
    let n = trials as f64;
    let share = successes.min(trials) as f64 / n;
    let z2 = z * z;
    let centre = share + z2 / (2.0 * n);
    let spread = z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    // At the ends the bound is 0 or 1 exactly, but for the rounding of doubles.
    let low = if successes == 0 { 0.0 } else { ((centre - spread) / scale).max(0.0) };
    let high = if successes >= trials { 1.0 } else { ((centre + spread) / scale).min(1.0) };
    Some(Interval { low, high })
}

//! Adding up scores so that the order does not matter.

/// Scores are added as whole multiples of 2^-64, each converted on its own: integer addition is associative and commutative, so
/// that parts merge to the same bits in any order, which adding doubles does not give.
const SCALE: f64 = (1_u128 << 64) as f64;

/// A sum of numbers from 0 to 1 and how many they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    sum: u128,
    count: u64,
}

impl Tally {
    /// Adds a number from 0 to 1. Exact down to 2^-12, within 2^-64 below; anything else is brought into the range.
    pub(crate) fn add(&mut self, value: f64) {
        self.sum = self.sum.saturating_add(fixed(value));
        self.count = self.count.saturating_add(1);
    }

    pub(crate) const fn merge(&mut self, other: &Self) {
        self.sum = self.sum.saturating_add(other.sum);
        self.count = self.count.saturating_add(other.count);
    }

    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// The mean; `None` when nothing was added. Divided in whole numbers, so that the mean of equal scores is that score to the bit.
    #[allow(clippy::cast_precision_loss, reason = "the mean is wanted as a double")]
    pub(crate) fn mean(&self) -> Option<f64> {
        let count = u128::from(self.count);
        let mean = self.sum.saturating_add(count / 2).checked_div(count)?;
        Some(mean as f64 / SCALE)
    }
}

/// A number from 0 to 1 as a multiple of 2^-64.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0..=2^64, which u128 holds"
)]
pub(crate) fn fixed(value: f64) -> u128 {
    (value.clamp(0.0, 1.0) * SCALE) as u128
}

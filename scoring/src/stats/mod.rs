//! Small statistics on scores: means, intervals, and whether a change is more than chance.
//!
//! Nothing here draws randomness by itself: what is random takes a seed, and the same seed gives the same answer. Values that are
//! not a number are left out everywhere.
//!
//! ```
//! use clawgauge_scoring::stats::{Verdict, compare};
//!
//! let before = [0.50, 0.55, 0.61, 0.48, 0.52, 0.57];
//! let after = [0.71, 0.80, 0.69, 0.77, 0.83, 0.74];
//! assert_eq!(compare(&before, &after, 1).verdict, Verdict::Better);
//! assert_eq!(compare(&before, &before, 1).verdict, Verdict::NoClearDifference);
//! ```

use std::borrow::Cow;

mod auc;
mod bootstrap;
mod permutation;
mod random;
mod wilson;

pub use auc::{Auc, Labelled, auc, auc_difference, auc_interval};
pub use bootstrap::{bootstrap_difference, bootstrap_mean};
pub use permutation::{ALPHA, Comparison, Verdict, compare};
pub use wilson::{Z_95, wilson};

/// From where to where, both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The arithmetic mean; `None` of nothing. Added from the left in doubles; what is not a number is left out. `O(n)`.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "a slice has fewer than 2^53 elements")]
pub fn mean(values: &[f64]) -> Option<f64> {
    let values = numbers(values);
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The values that are numbers. One that is not would make every sum one that is not.
fn numbers(values: &[f64]) -> Cow<'_, [f64]> {
    if values.iter().any(|value| value.is_nan()) {
        Cow::Owned(values.iter().copied().filter(|value| !value.is_nan()).collect())
    } else {
        Cow::Borrowed(values)
    }
}

//! Did it get better between these two sets of sessions?

use std::fmt;

use super::random::SplitMix64;
use super::{Interval, bootstrap_difference, mean, numbers};
use crate::tally::fixed;

/// A difference is called clear when chance alone would give one as large in fewer than this share of cases.
pub const ALPHA: f64 = 0.05;

/// Up to this many ways of splitting the sessions in two, all are tried; beyond, a sample of [`ROUNDS`].
const MOST_SPLITS: u64 = 20_000;

/// How many random splits and resamples are drawn.
const ROUNDS: usize = 10_000;

/// Whether the second set is better, in plain words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The second set scores higher, by more than chance explains.
    Better,
    /// The second set scores lower, by more than chance explains.
    Worse,
    /// What difference there is, chance explains too. It does not say that the sets are equal.
    NoClearDifference,
    /// So few sessions that no difference could be clear.
    TooFew,
}

impl Verdict {
    /// The name used in files: lower case with hyphens.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::NoClearDifference => "no-clear-difference",
            Self::TooFew => "too-few-sessions",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::NoClearDifference => "no clear difference",
            Self::TooFew => "too few sessions to tell",
        })
    }
}

/// Two sets of scores side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// How many scores the first set holds, those left out not counted.
    pub before: usize,
    /// How many scores the second set holds, likewise.
    pub after: usize,
    /// The mean of the first set.
    pub mean_before: Option<f64>,
    /// The mean of the second set.
    pub mean_after: Option<f64>,
    /// Mean of the second minus mean of the first, from -1 to 1.
    pub difference: Option<f64>,
    /// The 95 % bootstrap interval of the difference.
    pub interval: Option<Interval>,
    /// The share of splits of all the sessions that differ at least as much (two-sided). `None` when a set is empty.
    pub p: Option<f64>,
    /// Whether all splits were tried; else `p` rests on a seeded sample.
    pub exact: bool,
    /// The answer.
    pub verdict: Verdict,
}

/// Compares two sets of scores by a permutation test of the difference of means. Scores go from 0 to 1: others are brought into
/// that range, and what is not a number is left out.
///
/// It asks how often a random split of the same sessions differs as much, and assumes nothing about how scores are distributed;
/// it does assume that sessions are independent of each other. `O(splits * n)`, at most 20,000 splits; values are compared as
/// whole numbers, so that ties are ties.
#[must_use]
pub fn compare(before: &[f64], after: &[f64], seed: u64) -> Comparison {
    let scores =
        |values: &[f64]| -> Vec<f64> { numbers(values).iter().map(|value| value.clamp(0.0, 1.0)).collect() };
    let (before, after) = (&scores(before)[..], &scores(after)[..]);
    let (mean_before, mean_after) = (mean(before), mean(after));
    let pool: Vec<u128> = before.iter().chain(after).map(|value| fixed(*value)).collect();
    let splits = splits(pool.len(), before.len());
    let p = (!before.is_empty() && !after.is_empty()).then(|| {
        let test = Test::new(&pool, before.len());
        if splits.is_some() { test.exact() } else { test.sampled(seed) }
    });
    let verdict = match (p, splits, mean_before < mean_after) {
        (None, _, _) => Verdict::TooFew,
        // Swapping equal halves gives the same difference, so that two splits are the fewest that are as extreme.
        (_, Some(splits), _) if smallest_p(splits, before.len() == after.len()) >= ALPHA => Verdict::TooFew,
        (Some(p), _, better) if p < ALPHA => {
            if better {
                Verdict::Better
            } else {
                Verdict::Worse
            }
        }
        _ => Verdict::NoClearDifference,
    };
    Comparison {
        before: before.len(),
        after: after.len(),
        mean_before,
        mean_after,
        difference: mean_after.zip(mean_before).map(|(after, before)| after - before),
        interval: bootstrap_difference(before, after, seed, ROUNDS),
        p,
        exact: splits.is_some(),
        verdict,
    }
}

#[allow(clippy::cast_precision_loss, reason = "at most 20,000")]
fn smallest_p(splits: u64, halves: bool) -> f64 {
    (if halves { 2.0 } else { 1.0 }) / splits as f64
}

/// How many ways there are to choose `chosen` of `all`; `None` past [`MOST_SPLITS`].
fn splits(all: usize, chosen: usize) -> Option<u64> {
    let all = u64::try_from(all).ok()?;
    let chosen = u64::try_from(chosen).ok()?;
    let few = chosen.min(all.checked_sub(chosen)?);
    (0..few).try_fold(1_u64, |ways, taken| {
        let ways = ways.checked_mul(all - taken)? / (taken + 1);
        (ways <= MOST_SPLITS).then_some(ways)
    })
}

struct Test<'a> {
    pool: &'a [u128],
    chosen: usize,
    total: u128,
    observed: u128,
}

impl<'a> Test<'a> {
    fn new(pool: &'a [u128], chosen: usize) -> Self {
        let mut test = Self { pool, chosen, total: pool.iter().sum(), observed: 0 };
        test.observed = test.difference(pool.iter().take(chosen).sum());
        test
    }

    /// The difference of means, up to a factor that is the same for every split.
    const fn difference(&self, sum: u128) -> u128 {
        sum.saturating_mul(self.pool.len() as u128).abs_diff(self.total.saturating_mul(self.chosen as u128))
    }

    /// Tries every split.
    #[allow(clippy::cast_precision_loss, reason = "at most 20,000")]
    fn exact(&self) -> f64 {
        let (mut extreme, mut all) = (0_u64, 0_u64);
        self.walk(0, self.chosen, 0, &mut |sum| {
            all += 1;
            extreme += u64::from(self.difference(sum) >= self.observed);
        });
        extreme as f64 / all as f64
    }

    fn walk(&self, from: usize, left: usize, sum: u128, split: &mut impl FnMut(u128)) {
        if left == 0 {
            return split(sum);
        }
        // The last place from which enough values remain.
        let end = self.pool.len() - left;
        for (at, value) in self.pool.iter().enumerate().take(end + 1).skip(from) {
            self.walk(at + 1, left - 1, sum + value, split);
        }
    }

    /// Tries random splits; the observed one counts as one of them, so that the share is never 0 (Phipson and Smyth 2010).
    #[allow(clippy::cast_precision_loss, reason = "at most 10,001")]
    fn sampled(&self, seed: u64) -> f64 {
        let mut random = SplitMix64::new(seed);
        let mut pool = self.pool.to_vec();
        let mut extreme = 1_usize;
        for _ in 0..ROUNDS {
            let mut sum = 0;
            for at in 0..self.chosen {
                let other = at + random.below(pool.len() - at);
                pool.swap(at, other);
                sum += pool.get(at).copied().unwrap_or(0);
            }
            extreme += usize::from(self.difference(sum) >= self.observed);
        }
        extreme as f64 / (ROUNDS + 1) as f64
    }
}

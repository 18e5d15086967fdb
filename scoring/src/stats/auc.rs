//! How well a number tells two kinds of things apart.

use std::collections::BTreeMap;

use super::Interval;
use super::bootstrap::percentiles;
use super::random::SplitMix64;

/// One thing with a number and the truth about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Labelled {
    /// The number that should be high where `positive` is true.
    pub value: f64,
    /// The truth.
    pub positive: bool,
    /// Only things of the same group are compared.
    pub group: usize,
    /// Things of the same cluster (runs of one task) are not independent: resampling takes them together.
    pub cluster: usize,
}

/// The area under the ROC curve, pairs compared within groups only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Auc {
    /// The share of pairs (a positive and a negative one of the same group) in which the positive one has the higher number, ties
    /// counted half. A coin gives 0.5.
    pub value: f64,
    /// How many pairs.
    pub pairs: u64,
    /// How many of them are ties.
    pub ties: u64,
}

/// Sorted once, counted many times.
#[derive(Debug)]
struct Ranked {
    /// By group, then by value.
    items: Vec<Labelled>,
    clusters: usize,
}

impl Ranked {
    fn new(items: &[Labelled]) -> Self {
        let mut names: BTreeMap<usize, usize> = BTreeMap::new();
        let mut items: Vec<Labelled> = items.iter().copied().filter(|item| !item.value.is_nan()).collect();
        for item in &mut items {
            let next = names.len();
            item.cluster = *names.entry(item.cluster).or_insert(next);
        }
        items.sort_by(|a, b| a.group.cmp(&b.group).then(a.value.total_cmp(&b.value)));
        Self { items, clusters: names.len() }
    }

    /// Counts pairs, each thing as often as `times` says of its cluster.
    fn count(&self, times: impl Fn(usize) -> u64) -> (u64, u64, u64) {
        let (mut won, mut ties, mut pairs) = (0_u64, 0_u64, 0_u64);
        for group in self.items.chunk_by(|a, b| a.group == b.group) {
            let (mut positives, mut negatives) = (0_u64, 0_u64);
            for equal in group.chunk_by(|a, b| a.value == b.value) {
                let sum = |positive| -> u64 {
                    let of = equal.iter().filter(|item| item.positive == positive);
                    of.map(|item| times(item.cluster)).sum()
                };
                let (positive, negative) = (sum(true), sum(false));
                won += positive * negatives;
                ties += positive * negative;
                positives += positive;
                negatives += negative;
            }
            pairs += positives * negatives;
        }
        (won, ties, pairs)
    }
}

/// The area under the ROC curve within groups, over all pairs together. `None` when there is no pair. `O(n log n)`; things without
/// a number are left out.
///
/// ```
/// use clawgauge_scoring::stats::{Labelled, auc};
///
/// let item = |value, positive| Labelled { value, positive, group: 0, cluster: 0 };
/// let found = auc(&[item(1.0, false), item(1.0, true), item(2.0, true)]).expect("two pairs");
/// assert_eq!((found.value, found.pairs, found.ties), (0.75, 2, 1));
/// ```
#[must_use]
pub fn auc(items: &[Labelled]) -> Option<Auc> {
    let (won, ties, pairs) = Ranked::new(items).count(|_| 1);
    Some(Auc { value: share(won, ties, pairs)?, pairs, ties })
}

/// The 95 % percentile interval of [`auc`] from `rounds` resamples of the clusters. `None` of fewer than two clusters, or when no
/// resample holds a pair. `O(n log n + rounds * n)`.
#[must_use]
pub fn auc_interval(items: &[Labelled], seed: u64, rounds: usize) -> Option<Interval> {
    let ranked = Ranked::new(items);
    resample(ranked.clusters, seed, rounds, |times| {
        let (won, ties, pairs) = ranked.count(|cluster| times.get(cluster).copied().unwrap_or(0));
        share(won, ties, pairs)
    })
}

/// The interval of how much better `b` tells the same things apart than `a`, from the same resamples for both.
/// The two slices hold the same things in the same order, with other values; things of which either has no number are left out.
/// `None` as in [`auc_interval`], and of slices that do not hold the same things. Cost as there, twice.
#[must_use]
pub fn auc_difference(a: &[Labelled], b: &[Labelled], seed: u64, rounds: usize) -> Option<Interval> {
    let truth = |item: &Labelled| (item.positive, item.group, item.cluster);
    if !a.iter().map(truth).eq(b.iter().map(truth)) {
        return None;
    }
    let both = a.iter().zip(b).filter(|(a, b)| !a.value.is_nan() && !b.value.is_nan());
    let (a, b): (Vec<Labelled>, Vec<Labelled>) = both.unzip();
    let (first, second) = (Ranked::new(&a), Ranked::new(&b));
    resample(first.clusters, seed, rounds, |times| {
        let of = |ranked: &Ranked| {
            let (won, ties, pairs) = ranked.count(|cluster| times.get(cluster).copied().unwrap_or(0));
            share(won, ties, pairs)
        };
        Some(of(&second)? - of(&first)?)
    })
}

fn resample(
    clusters: usize,
    seed: u64,
    rounds: usize,
    statistic: impl Fn(&[u64]) -> Option<f64>,
) -> Option<Interval> {
    if clusters < 2 {
        return None;
    }
    let mut random = SplitMix64::new(seed);
    let mut times = vec![0_u64; clusters];
    let mut values = Vec::new();
    for _ in 0..rounds {
        times.fill(0);
        for _ in 0..clusters {
            if let Some(count) = times.get_mut(random.below(clusters)) {
                *count += 1;
            }
        }
        values.extend(statistic(&times));
    }
    percentiles(values)
}

#[allow(clippy::cast_precision_loss, reason = "counts of pairs are far below 2^53")]
fn share(won: u64, ties: u64, pairs: u64) -> Option<f64> {
    (pairs > 0).then(|| (won as f64 + ties as f64 / 2.0) / pairs as f64)
}

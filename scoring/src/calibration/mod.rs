//! Does a score say anything about success? Measured on runs with a known outcome.

mod fit;
mod run;

use std::collections::BTreeMap;

pub use fit::{Fit, FoldedAuc};
pub use run::{KnownRun, RunFacts};

use crate::effort::{Baseline, Effort};
use crate::profile::Dimension;
use crate::rules::RiskWeights;
use crate::signs::{FlagName, SignName};
use crate::stats::{self, Auc, Interval, Labelled};

/// Runs with a known outcome, ready to be measured.
///
/// Pairs are compared only within a group (source and model), because a weak model on a hard benchmark fails more often whatever
/// it says; intervals come from resampling tasks, because runs of one task are not independent.
#[derive(Debug)]
pub struct Calibration {
    runs: Vec<KnownRun>,
    /// Of each run: its group (source and model).
    groups: Vec<usize>,
    /// Of each run: its cluster (source and task).
    clusters: Vec<usize>,
    /// Of each run: where it stands within its group, where that has runs enough.
    efforts: Vec<Option<Effort>>,
}

/// What one number says about failure.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Measure {
    /// The dimension, sign or score.
    pub name: String,
    /// Runs to which it applies.
    pub runs: usize,
    /// Of those: how many failed.
    pub failed: usize,
    /// How often a failed run looks worse by it than one that did not fail. `None`: there is no pair.
    pub auc: Option<Auc>,
    /// The 95 % interval of that.
    pub interval: Option<Interval>,
    /// The share of failures (0 to 1) in the quarter of each group that looks worst. `None`: it applies to no run.
    pub worst_quarter: Option<f64>,
    /// The share of failures in the rest, likewise.
    pub rest: Option<f64>,
}

/// Runs whose risk lies in one band.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Band {
    /// From this risk on.
    pub from: f64,
    /// Below this one; in the last band up to and with it.
    pub to: f64,
    /// Runs in it.
    pub runs: u64,
    /// Those that failed.
    pub failed: u64,
    /// Between which shares the true share of failures lies, at 95 % confidence (Wilson). `None`: no runs.
    pub interval: Option<Interval>,
}

impl Calibration {
    /// Sorts runs into groups and clusters. `O(n log n)`.
    #[must_use]
    pub fn new(runs: Vec<KnownRun>) -> Self {
        let group = numbered(runs.iter().map(|run| (run.facts.source.as_str(), run.facts.model.as_str())));
        let cluster = numbered(runs.iter().map(|run| (run.facts.source.as_str(), run.facts.task.as_str())));
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, group) in group.iter().enumerate() {
            members.entry(*group).or_default().push(at);
        }
        let mut efforts = vec![None; runs.len()];
        for members in members.values() {
            let of_group = members.iter().filter_map(|at| runs.get(*at));
            let Some(baseline) = Baseline::new(of_group.map(|run| run.signs.work)) else { continue };
            for at in members {
                if let (Some(run), Some(effort)) = (runs.get(*at), efforts.get_mut(*at)) {
                    *effort = Some(baseline.effort(run.signs.work));
                }
            }
        }
        Self { runs, groups: group, clusters: cluster, efforts }
    }

    /// The runs, in the order in which they were given.
    #[must_use]
    pub fn runs(&self) -> &[KnownRun] {
        &self.runs
    }

    /// The effort of each run among those of its group; `None` in groups of fewer than [`Baseline::LEAST`].
    #[must_use]
    pub fn efforts(&self) -> &[Option<Effort>] {
        &self.efforts
    }

    /// Measures overall, the four dimensions, effort, the signs, the flags (as there or not) and both risks. `seed` and `rounds` are
    /// those of the bootstrap.
    /// `O(measures * rounds * n)`.
    #[must_use]
    pub fn measures(
        &self,
        without: &RiskWeights,
        with: &RiskWeights,
        seed: u64,
        rounds: usize,
    ) -> Vec<Measure> {
        let mut all = Vec::new();
        // A low score is to mean failure, so that its negative is what ranks.
        let overall = |at: usize| Some(-self.runs.get(at)?.overall?);
        all.push(self.measure("overall", overall, seed, rounds));
        for dimension in Dimension::ALL {
            let value = |at: usize| Some(-(*self.runs.get(at)?.dimensions.get(dimension))?);
            all.push(self.measure(dimension.as_str(), value, seed, rounds));
        }
        for sign in SignName::ALL {
            all.push(self.measure(sign.as_str(), |at| self.strength(at, sign), seed, rounds));
        }
        for flag in FlagName::ALL {
            let there = |at: usize| {
                let flags = &self.runs.get(at)?.signs.flags;
                Some(if flags.iter().any(|found| found.name == flag) { 1.0 } else { 0.0 })
            };
            all.push(self.measure(&format!("flag {}", flag.as_str()), there, seed, rounds));
        }
        let effort = |at: usize| Some(self.efforts.get(at).copied().flatten()?.value());
        all.push(self.measure("effort", effort, seed, rounds));
        all.push(self.measure("risk", |at| self.risk(at, without), seed, rounds));
        let effort = |at: usize| {
            self.efforts.get(at).copied().flatten()?;
            self.risk(at, with)
        };
        all.push(self.measure("risk with effort", effort, seed, rounds));
        all
    }

    /// How strong a sign is in a run; the two of length as percentiles within the group.
    #[must_use]
    pub fn strength(&self, at: usize, sign: SignName) -> Option<f64> {
        let effort = || self.efforts.get(at).copied().flatten();
        match sign {
            SignName::LongText => Some(effort()?.chars),
            SignName::ManyCalls => Some(effort()?.calls),
            _ => self.runs.get(at)?.signs.strength(sign),
        }
    }

    /// The risk of a run by these weights, not rounded.
    #[must_use]
    pub fn risk(&self, at: usize, weights: &RiskWeights) -> Option<f64> {
        self.runs.get(at)?;
        let points =
            SignName::ALL.map(|sign| f64::from(weights.get(sign)) * self.strength(at, sign).unwrap_or(0.0));
        // Equal sums of thirds must be equal whatever was added first.
        Some((points.iter().sum::<f64>().min(100.0) * 1e6).round() / 1e6)
    }

    /// Measures any number of each run (by position); high is to mean failure. `None` and what is not a number: it does not apply
    /// to the run. `O(rounds * n)`.
    pub fn measure(
        &self,
        name: &str,
        value: impl Fn(usize) -> Option<f64>,
        seed: u64,
        rounds: usize,
    ) -> Measure {
        let items = self.labelled(value);
        let (worst_quarter, rest) = quarters(&items);
        Measure {
            name: name.to_owned(),
            runs: items.len(),
            failed: items.iter().filter(|item| item.positive).count(),
            auc: stats::auc(&items),
            interval: stats::auc_interval(&items, seed, rounds),
            worst_quarter,
            rest,
        }
    }

    /// How often runs of each risk failed, in ten bands of ten points. Over all groups together. `O(n)`.
    #[must_use]
    pub fn reliability(&self, weights: &RiskWeights) -> Vec<Band> {
        let risks: Vec<(f64, bool)> = (0..self.runs.len())
            .filter_map(|at| Some((self.risk(at, weights)?, self.runs.get(at)?.facts.failed)))
            .collect();
        (0..10_u32)
            .map(|band| {
                let (from, to) = (f64::from(band) * 10.0, f64::from(band + 1) * 10.0);
                let inside = |risk: f64| risk >= from && (risk < to || band == 9);
                let (mut runs, mut failed) = (0, 0);
                for (_, fails) in risks.iter().filter(|(risk, _)| inside(*risk)) {
                    runs += 1;
                    failed += u64::from(*fails);
                }
                Band { from, to, runs, failed, interval: stats::wilson(failed, runs, stats::Z_95) }
            })
            .collect()
    }

    /// The runs to which a number applies.
    fn labelled(&self, value: impl Fn(usize) -> Option<f64>) -> Vec<Labelled> {
        let rows = self.runs.iter().zip(&self.groups).zip(&self.clusters).enumerate();
        rows.filter_map(|(at, ((run, group), cluster))| {
            let value = value(at).filter(|value| !value.is_nan())?;
            Some(Labelled { value, positive: run.facts.failed, group: *group, cluster: *cluster })
        })
        .collect()
    }
}

/// Numbers names by their order.
fn numbered<'n>(names: impl Iterator<Item = (&'n str, &'n str)> + Clone) -> Vec<usize> {
    let mut numbers: BTreeMap<(&str, &str), usize> = names.clone().map(|name| (name, 0)).collect();
    for (at, number) in numbers.values_mut().enumerate() {
        *number = at;
    }
    names.filter_map(|name| numbers.get(&name).copied()).collect()
}

/// The share of failures in the quarter of each group with the highest values, and in the rest. Of equal values at the border
/// each counts in part.
#[allow(clippy::cast_precision_loss, reason = "counts of runs")]
fn quarters(items: &[Labelled]) -> (Option<f64>, Option<f64>) {
    let mut sorted = items.to_vec();
    sorted.sort_by(|a, b| a.group.cmp(&b.group).then(b.value.total_cmp(&a.value)));
    let (mut worst, mut worst_failed, mut all_failed) = (0.0, 0.0, 0.0);
    for group in sorted.chunk_by(|a, b| a.group == b.group) {
        let mut left = group.len() as f64 / 4.0;
        worst += left;
        for equal in group.chunk_by(|a, b| a.value == b.value) {
            let failed = equal.iter().filter(|item| item.positive).count() as f64;
            let taken = left.min(equal.len() as f64);
            worst_failed += failed * taken / equal.len() as f64;
            all_failed += failed;
            left -= taken;
        }
    }
    let rest = sorted.len() as f64 - worst;
    let share = |failed: f64, of: f64| (of > 0.0).then(|| failed / of);
    (share(worst_failed, worst), share(all_failed - worst_failed, rest))
}

//! Weights fitted to a team's own runs.

use std::collections::{BTreeMap, BTreeSet};

use super::Calibration;
use crate::error::{Error, ErrorKind};
use crate::rules::RiskWeights;
use crate::signs::SignName;
use crate::stats::{self, Auc, Interval, Labelled};

/// Weights are multiples of this many points.
const STEP: u8 = 5;

/// The most that one sign can be worth.
const MOST: u8 = 40;

/// A step must bring so much.
const LEAST_GAIN: f64 = 0.002;

/// How many steps are taken at most.
const STEPS: usize = 60;

/// Into how many parts the tasks are split.
const FOLDS: usize = 5;

/// Fewer runs, runs of either outcome, or tasks say nothing.
const LEAST: [(&str, usize); 4] =
    [("runs", 100), ("failed runs", 30), ("runs that did not fail", 30), ("tasks", 20)];

/// How well weights tell failures apart on runs that they were not fitted to, beside those the fit began with.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FoldedAuc {
    /// Of the weights the fit began with, on the same pairs.
    pub before: Option<Auc>,
    /// Of the fitted weights.
    pub fitted: Option<Auc>,
    /// The 95 % interval of fitted minus before, by tasks. When it holds 0 nothing is gained.
    pub gain: Option<Interval>,
}

/// Fitted weights, and what they are worth.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Fit {
    /// Fitted to all runs.
    pub weights: RiskWeights,
    /// On the runs that they were fitted to: flattering.
    pub on_all: Option<Auc>,
    /// By cross-validation: tasks in five parts, each judged by weights fitted to the other four.
    pub by_task: FoldedAuc,
    /// Each source judged by weights fitted to the others; `None` of a single source.
    pub by_source: Option<FoldedAuc>,
}

impl Calibration {
    /// Fits whole-number weights.
    ///
    /// It begins with `start`, and takes at each step the change of one weight by five points up or down (between 0 and 40) that
    /// raises the area under the curve most, until none raises it by .002. So what the data does not speak about stays as it
    /// was. With `length` the two signs of length take part, else they are 0. `O(steps * signs * n log n)` a fit, six fits and
    /// one more a source.
    ///
    /// # Errors
    /// [`ErrorKind::TooLittle`] of fewer than 100 runs, 30 failed ones, 30 others, or 20 tasks: the message says which.
    pub fn fit(&self, start: &RiskWeights, length: bool, seed: u64, rounds: usize) -> Result<Fit, Error> {
        self.check_size()?;
        let signs: Vec<SignName> = SignName::ALL
            .into_iter()
            .filter(|sign| length || !matches!(sign, SignName::LongText | SignName::ManyCalls))
            .collect();
        let everything: Vec<usize> = (0..self.runs.len()).collect();
        let weights = self.climb(start, &signs, &everything);
        let parts: Vec<usize> = self.runs.iter().map(|run| part_of(&run.facts.task)).collect();
        let sources: BTreeMap<&str, usize> = {
            let names: BTreeSet<&str> = self.runs.iter().map(|run| run.facts.source.as_str()).collect();
            names.into_iter().enumerate().map(|(at, name)| (name, at)).collect()
        };
        let source_of: Vec<usize> = self
            .runs
            .iter()
            .map(|run| sources.get(run.facts.source.as_str()).copied().unwrap_or_default())
            .collect();
        Ok(Fit {
            weights,
            on_all: stats::auc(&self.labelled(|at| self.risk(at, &weights))),
            by_task: self.folded(start, &signs, &parts, seed, rounds),
            by_source: (sources.len() > 1).then(|| self.folded(start, &signs, &source_of, seed, rounds)),
        })
    }

    fn check_size(&self) -> Result<(), Error> {
        let failed = self.runs.iter().filter(|run| run.facts.failed).count();
        let tasks: BTreeSet<usize> = self.clusters.iter().copied().collect();
        let found = [self.runs.len(), failed, self.runs.len() - failed, tasks.len()];
        for ((what, least), found) in LEAST.into_iter().zip(found) {
            if found < least {
                let message =
                    format!("{found} {what}, and weights need at least {least}: they would be chance");
                return Err(Error::new(ErrorKind::TooLittle, message));
            }
        }
        Ok(())
    }

    /// Judges each part by weights fitted to the others. Only pairs within a part are compared: other parts have other weights.
    fn folded(
        &self,
        start: &RiskWeights,
        signs: &[SignName],
        parts: &[usize],
        seed: u64,
        rounds: usize,
    ) -> FoldedAuc {
        let count = parts.iter().max().map_or(0, |last| last + 1);
        let fitted: Vec<RiskWeights> = (0..count)
            .map(|part| {
                let others: Vec<usize> =
                    parts.iter().enumerate().filter(|(_, p)| **p != part).map(|(at, _)| at).collect();
                self.climb(start, signs, &others)
            })
            .collect();
        let items = |weights: &dyn Fn(usize) -> Option<RiskWeights>| -> Vec<Labelled> {
            let mut items = self.labelled(|at| self.risk(at, &weights(*parts.get(at)?)?));
            for (item, part) in items.iter_mut().zip(parts) {
                item.group = item.group * count + part;
            }
            items
        };
        let before = items(&|_| Some(*start));
        let after = items(&|part| fitted.get(part).copied());
        FoldedAuc {
            before: stats::auc(&before),
            fitted: stats::auc(&after),
            gain: stats::auc_difference(&before, &after, seed, rounds),
        }
    }

    fn climb(&self, start: &RiskWeights, signs: &[SignName], on: &[usize]) -> RiskWeights {
        let worth = |weights: &RiskWeights| {
            let items: Vec<Labelled> = on
                .iter()
                .filter_map(|&at| {
                    Some(Labelled {
                        value: self.risk(at, weights)?,
                        positive: self.runs.get(at)?.facts.failed,
                        group: *self.groups.get(at)?,
                        cluster: 0,
                    })
                })
                .collect();
            stats::auc(&items).map_or(0.5, |auc| auc.value)
        };
        let mut weights = *start;
        let mut reached = worth(&weights);
        for _ in 0..STEPS {
            let mut best: Option<(f64, RiskWeights)> = None;
            for &sign in signs {
                let points = weights.get(sign);
                for changed in [points.saturating_add(STEP).min(MOST), points.saturating_sub(STEP)] {
                    let mut trial = weights;
                    trial.set(sign, changed);
                    let value = worth(&trial);
                    if changed != points && best.is_none_or(|(best, _)| value > best) {
                        best = Some((value, trial));
                    }
                }
            }
            match best {
                Some((value, trial)) if value >= reached + LEAST_GAIN => (reached, weights) = (value, trial),
                _ => break,
            }
        }
        weights
    }
}

/// The part of a task, by its name: the same in every order of the file.
fn part_of(task: &str) -> usize {
    let hash = task.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    usize::try_from((hash >> 32) % FOLDS as u64).unwrap_or_default()
}

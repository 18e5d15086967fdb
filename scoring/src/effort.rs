//! How much an agent did, compared with what it usually does.

use crate::record::ScoreRecord;

/// How much an agent wrote and did in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Characters that it wrote, without code, quotes and addresses.
    pub chars: u64,
    /// Tool calls.
    pub calls: u64,
}

/// The user's own earlier sessions, to compare with. Costs two numbers a session.
///
/// ```
/// use clawgauge_scoring::{Baseline, Work};
///
/// let usual = (0..20).map(|n| Work { chars: 100 * n, calls: n });
/// let baseline = Baseline::new(usual).expect("enough sessions");
/// let effort = baseline.effort(Work { chars: 1_450, calls: 0 });
/// assert_eq!((effort.chars, effort.calls, effort.sessions), (0.75, 0.025, 20));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    chars: Vec<u64>,
    calls: Vec<u64>,
}

/// Where a session stands among the user's own: its effort.
///
/// Effort is partly the difficulty of the task: of several runs of one task those with more calls succeed more often. So it is
/// a result of its own, not a fault; a long session is at risk because hard tasks are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// The percentile of the characters, from 0 to 1: the share of the baseline below, equal ones half.
    pub chars: f64,
    /// The percentile of the calls, likewise.
    pub calls: f64,
    /// With how many sessions it was compared.
    pub sessions: u64,
}

impl Effort {
    /// Both together, from 0 (least) to 1 (most).
    #[must_use]
    pub const fn value(&self) -> f64 {
        f64::midpoint(self.chars, self.calls)
    }
}

impl Baseline {
    /// With fewer sessions a percentile says nothing.
    pub const LEAST: usize = 10;

    /// Of the user's sessions, best of the same agent and model; `None` of fewer than [`LEAST`](Self::LEAST).
    /// `O(n log n)`.
    #[must_use]
    pub fn new(sessions: impl IntoIterator<Item = Work>) -> Option<Self> {
        let (mut chars, mut calls): (Vec<u64>, Vec<u64>) =
            sessions.into_iter().map(|work| (work.chars, work.calls)).unzip();
        chars.sort_unstable();
        calls.sort_unstable();
        (chars.len() >= Self::LEAST).then_some(Self { chars, calls })
    }

    /// Of records that say how much work their sessions were; the others are passed over. Cost and `None` as in [`new`](Self::new).
    #[must_use]
    pub fn of_records<'r, R: IntoIterator<Item = &'r ScoreRecord>>(records: R) -> Option<Self> {
        Self::new(records.into_iter().filter_map(ScoreRecord::work))
    }

    /// Where a session stands. The logarithms by which the percentiles were measured keep the order, so that counts do.
    /// `O(log n)`.
    #[must_use]
    pub fn effort(&self, work: Work) -> Effort {
        Effort {
            chars: percentile(&self.chars, work.chars),
            calls: percentile(&self.calls, work.calls),
            sessions: u64::try_from(self.chars.len()).unwrap_or(u64::MAX),
        }
    }
}

/// The share of sorted values below, equal ones half.
#[allow(clippy::cast_precision_loss, reason = "counts of sessions")]
fn percentile(sorted: &[u64], value: u64) -> f64 {
    let below = sorted.partition_point(|&one| one < value);
    let not_above = sorted.partition_point(|&one| one <= value);
    (below + not_above) as f64 / 2.0 / sorted.len().max(1) as f64
}

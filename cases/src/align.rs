//! Expected and actual steps side by side.

use crate::limits::Limits;
use crate::matching::suited;

/// What an alignment row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pair {
    /// Expected step and call fit.
    Match,
    /// An expected step without a call.
    Missing,
    /// A call that no expected step asks for.
    Extra,
}

/// One row: an expected step, a call, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// What it says.
    pub pair: Pair,
    /// The index of the expected step.
    pub expected: Option<usize>,
    /// The index of the call in the trajectory.
    pub actual: Option<usize>,
    /// What is shown on the left.
    pub left: String,
    /// What is shown on the right.
    pub right: String,
    /// The entry of the call.
    pub entry: Option<String>,
}

/// Expected steps against calls, with as many matches as there can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Alignment {
    /// The rows in order. Long stretches of extra calls are shortened to their ends.
    pub rows: Vec<Row>,
    /// How many expected steps have a call in order (the length of the longest common subsequence).
    pub matched: usize,
    /// How many expected steps there are.
    pub expected: usize,
    /// The expected step at which they first part.
    pub first_divergence: Option<usize>,
    /// The call at which they meet again after that.
    pub meets_again: Option<usize>,
    /// The fewest steps to add, remove or change so that the check would pass. With calls made in parallel, or with more
    /// calls than are aligned, there may be a shorter way.
    pub edits: usize,
    /// Extra calls that are not shown.
    pub hidden: usize,
}

/// How a step is shown.
pub(crate) trait Labels {
    fn expected(&self, at: usize) -> String;
    fn actual(&self, at: usize) -> String;
    fn entry(&self, at: usize) -> Option<String>;
}

/// Aligns in order. `groups` says for each call of which message it is: calls of one message stand as they suit the expected
/// steps best, as in the verdict. `extra_counts` says whether extra calls are faults (strict) or allowed.
/// O(expected x calls) time and space, within [`Limits::alignment_cells`].
pub(crate) fn in_order(
    expected: usize,
    groups: &[usize],
    extra_counts: bool,
    fits: &dyn Fn(usize, usize) -> bool,
    labels: &dyn Labels,
    limits: &Limits,
) -> Alignment {
    let calls = groups.len();
    // Beyond the limit only the first calls are aligned; the rest counts as extra.
    let shown = calls.min(limits.alignment_cells / expected.max(1));
    let order = suited(expected, groups.get(..shown).unwrap_or_default(), fits);
    let call = |a: usize| order.get(a).copied().unwrap_or(a);
    let width = shown + 1;
    // best[e][a]: most matches of expected[e..] in calls[a..].
    let mut best = vec![0_u32; (expected + 1) * width];
    let mut fit = vec![false; expected * shown];
    for e in (0..expected).rev() {
        for a in (0..shown).rev() {
            let matches = fits(e, call(a));
            let skip_e = best.get((e + 1) * width + a).copied().unwrap_or(0);
            let skip_a = best.get(e * width + a + 1).copied().unwrap_or(0);
            let take = if matches { best.get((e + 1) * width + a + 1).copied().unwrap_or(0) + 1 } else { 0 };
            if let Some(cell) = best.get_mut(e * width + a) {
                *cell = skip_e.max(skip_a).max(take);
            }
            if let Some(cell) = fit.get_mut(e * shown + a) {
                *cell = matches;
            }
        }
    }
    let at = |e: usize, a: usize| best.get(e * width + a).copied().unwrap_or(0);
    let mut out = Alignment { expected, ..Alignment::default() };
    let (mut e, mut a) = (0, 0);
    let fit = |e: usize, a: usize| fit.get(e * shown + a).copied().unwrap_or(false);
    while e < expected || a < shown {
        if e < expected && a < shown && fit(e, a) && at(e, a) == at(e + 1, a + 1) + 1 {
            if out.first_divergence.is_some() && out.meets_again.is_none() {
                out.meets_again = Some(call(a));
            }
            out.rows.push(row(Pair::Match, Some(e), Some(call(a)), labels));
            out.matched += 1;
            e += 1;
            a += 1;
        } else if a < shown && (e == expected || at(e, a) == at(e, a + 1)) {
            if extra_counts && out.first_divergence.is_none() {
                out.first_divergence = Some(e);
            }
            out.rows.push(row(Pair::Extra, None, Some(call(a)), labels));
            a += 1;
        } else {
            if out.first_divergence.is_none() {
                out.first_divergence = Some(e);
            }
            out.rows.push(row(Pair::Missing, Some(e), None, labels));
            e += 1;
        }
    }
    out.edits =
        if extra_counts { distance(expected, shown, &fit) + (calls - shown) } else { expected - out.matched };
    shorten(&mut out);
    out.hidden += calls - shown;
    out
}

/// Steps to add, remove or change (Levenshtein): the alignment with the most matches is not always the one with the fewest.
/// O(expected x calls) time, O(calls) space.
fn distance(expected: usize, calls: usize, fit: &dyn Fn(usize, usize) -> bool) -> usize {
    let mut above: Vec<usize> = (0..=calls).collect();
    for e in 0..expected {
        let mut left = e + 1;
        let mut here = Vec::with_capacity(calls + 1);
        here.push(left);
        for (a, pair) in above.windows(2).enumerate() {
            if let [corner, up] = pair {
                left = (corner + usize::from(!fit(e, a))).min(up + 1).min(left + 1);
                here.push(left);
            }
        }
        above = here;
    }
    above.last().copied().unwrap_or(expected)
}

/// Rows for a pairing without order: expected steps first, then calls that nothing asks for.
pub(crate) fn without_order(
    pairing: &crate::matching::Pairing,
    calls: usize,
    extra_counts: bool,
    missing_counts: bool,
    labels: &dyn Labels,
) -> Alignment {
    let mut out =
        Alignment { expected: pairing.calls.len(), matched: pairing.count(), ..Alignment::default() };
    let mut used = std::collections::BTreeSet::new();
    for (e, call) in pairing.calls.iter().enumerate() {
        match call {
            Some(a) => {
                used.insert(*a);
                out.rows.push(row(Pair::Match, Some(e), Some(*a), labels));
            }
            None => {
                out.first_divergence.get_or_insert(e);
                out.rows.push(row(Pair::Missing, Some(e), None, labels));
            }
        }
    }
    for a in (0..calls).filter(|a| !used.contains(a)) {
        out.rows.push(row(Pair::Extra, None, Some(a), labels));
    }
    let missing = if missing_counts { out.expected - out.matched } else { 0 };
    let extra = if extra_counts { calls - used.len() } else { 0 };
    out.edits = missing.max(extra);
    shorten(&mut out);
    out
}

fn row(pair: Pair, expected: Option<usize>, actual: Option<usize>, labels: &dyn Labels) -> Row {
    Row {
        pair,
        expected,
        actual,
        left: expected.map(|at| labels.expected(at)).unwrap_or_default(),
        right: actual.map(|at| labels.actual(at)).unwrap_or_default(),
        entry: actual.and_then(|at| labels.entry(at)),
    }
}

/// Keeps two extra calls on each side of what matters.
fn shorten(alignment: &mut Alignment) {
    const KEEP: usize = 2;
    const MOST: usize = 60;
    if alignment.rows.len() <= 12 {
        return;
    }
    let near: Vec<bool> = (0..alignment.rows.len())
        .map(|i| {
            let from = i.saturating_sub(KEEP);
            alignment.rows.iter().skip(from).take(i - from + KEEP + 1).any(|r| r.pair != Pair::Extra)
        })
        .collect();
    let before = alignment.rows.len();
    let mut keep = near.into_iter();
    alignment.rows.retain(|_| keep.next().unwrap_or(true));
    alignment.rows.truncate(MOST);
    alignment.hidden += before - alignment.rows.len();
}

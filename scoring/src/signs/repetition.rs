//! Calls that only repeat.

use std::ops::Range;

use hashbrown::HashMap;

use crate::rules::Limits;

/// A call, as far as loops go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoopItem<'s> {
    /// A number for tool and arguments.
    pub(crate) key: usize,
    /// The text of its result as it stands.
    pub(crate) result: &'s str,
    /// It failed or was not let run; two such results of one call are the same, whatever times and ids they name.
    pub(crate) failed: bool,
    /// It changed something.
    pub(crate) changed: bool,
    /// Making it again changes nothing more (a file written whole).
    pub(crate) idempotent: bool,
}

/// A run of calls that goes round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loop {
    /// The positions of the calls, the first round included.
    pub(crate) calls: Range<usize>,
    /// How many calls one round has.
    pub(crate) period: usize,
}

impl Loop {
    /// How many of its calls only repeat.
    pub(crate) fn repeats(&self) -> usize {
        self.calls.len() - self.period
    }
}

/// Finds the loops in calls that follow each other without a word of a person in between.
///
/// A call repeats when it is the call made `period` positions before, with the same result. A loop is a run of at least
/// [`loop_repeats`](Limits::loop_repeats) and at least one whole round of such calls (A A A, or A B A B). Where a call of the
/// round changed something a second whole round must repeat; a changing call that only follows itself is no loop, unless
/// making it again changes nothing more. `O(n * max_loop_period)`.
pub(crate) fn find_loops(limits: &Limits, items: &[LoopItem<'_>]) -> Vec<Loop> {
    let same = identities(items);
    let mut covered = vec![false; items.len()];
    let mut found: Vec<Loop> = Vec::new();
    for period in 1..=limits.max_loop_period.min(items.len()) {
        let mut start = None;
        for at in period..=items.len() {
            let repeats = at < items.len() && repeats(items, &same, at, period);
            match (repeats, start) {
                (true, None) => start = Some(at),
                (false, Some(first)) => {
                    start = None;
                    let calls = first - period..at;
                    let is_new = covered.get(calls.clone()).is_some_and(|covered| covered.iter().all(|c| !c));
                    if is_new && is_loop(limits, items, &calls, period) {
                        if let Some(covered) = covered.get_mut(calls.clone()) {
                            covered.fill(true);
                        }
                        found.push(Loop { calls, period });
                    }
                }
                _ => {}
            }
        }
    }
    found.sort_by_key(|found| found.calls.start);
    found
}

/// One number for each call and result: equal numbers are the same. Results are long; only those of calls that were made more
/// than once are looked at.
fn identities(items: &[LoopItem<'_>]) -> Vec<usize> {
    let mut calls: HashMap<usize, usize> = HashMap::with_capacity(items.len());
    for item in items {
        *calls.entry(item.key).or_default() += 1;
    }
    let mut numbers = HashMap::with_capacity(items.len());
    items
        .iter()
        .map(|item| {
            let once = calls.get(&item.key) == Some(&1);
            let result = if item.failed || once { "" } else { item.result };
            let next = numbers.len();
            *numbers.entry((item.key, item.failed, result)).or_insert(next)
        })
        .collect()
}

fn repeats(items: &[LoopItem<'_>], same: &[usize], at: usize, period: usize) -> bool {
    let equal = at.checked_sub(period).is_some_and(|before| same.get(at) == same.get(before));
    let alone = period == 1 && items.get(at).is_some_and(|item| item.changed && !item.idempotent);
    equal && !alone
}

fn is_loop(limits: &Limits, items: &[LoopItem<'_>], calls: &Range<usize>, period: usize) -> bool {
    let changes = period > 1
        && items
            .get(calls.clone())
            .is_some_and(|calls| calls.iter().any(|call| call.changed && !call.idempotent));
    let rounds = if changes { 2 } else { 1 };
    calls.len() - period >= limits.loop_repeats.max(period * rounds).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each word is a call; `x!` failed, `x+` changed, `x=2` has another result.
    fn loops(calls: &str) -> Vec<(Range<usize>, usize)> {
        let words: Vec<&str> = calls.split_whitespace().collect();
        let number = |key: &str| words.iter().position(|word| word.split('=').next() == Some(key)).unwrap();
        let items: Vec<LoopItem<'_>> = calls
            .split_whitespace()
            .map(|word| {
                let (key, result) = word.split_once('=').unwrap_or((word, ""));
                let (failed, changed) = (key.ends_with('!'), key.ends_with('+'));
                LoopItem { key: number(key), result, failed, changed, idempotent: false }
            })
            .collect();
        find_loops(&Limits::default(), &items).into_iter().map(|found| (found.calls, found.period)).collect()
    }

    #[test]
    fn what_goes_round_and_what_goes_on() {
        assert_eq!(loops("a a"), []);
        assert_eq!(loops("a a a"), [(0..3, 1)]);
        assert_eq!(loops("b a a a a c"), [(1..5, 1)]);
        assert_eq!(loops("a b a b"), [(0..4, 2)]);
        assert_eq!(loops("a b a"), []);
        assert_eq!(loops("a b c a b c"), [(0..6, 3)]);
        assert_eq!(loops("a b c a b"), []);
        assert_eq!(loops("a=1 a=2 a=3 a=4"), []);
        assert_eq!(loops("a!=1 a!=2 a!=3"), [(0..3, 1)]);
        assert_eq!(loops("t e+ t f+ t g+ t"), []);
        assert_eq!(loops("e+ e+ e+ e+"), []);
        assert_eq!(loops("t e+ t e+"), []);
        assert_eq!(loops("t e+ t e+ t e+"), [(0..6, 2)]);
        assert_eq!(loops("a a a x b b b"), [(0..3, 1), (4..7, 1)]);
        assert_eq!(loops(""), []);
    }
}

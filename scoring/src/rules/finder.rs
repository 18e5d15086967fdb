//! Looks for many short texts at once.

use std::ops::ControlFlow;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::dfa::DFA;

/// How many places of a text are looked at side by side.
const LANES: usize = 4;

/// Where a lane would have fewer bytes, one goes over all.
const LEAST_BYTES: usize = 16;

/// Finds short texts in a text, without regard to the case of ASCII letters.
///
/// An automaton takes one step a byte, and each step waits for the one before. Several walks over parts of the text, which overlap
/// by the longest of the short texts, do not wait for each other.
#[derive(Debug)]
pub(super) struct Finder {
    dfa: DFA,
    start: StateID,
    overlap: usize,
}

impl Finder {
    /// Takes some microseconds for each text. `None` when the texts are too many for an automaton.
    pub(super) fn new(texts: impl Iterator<Item: AsRef<str>> + Clone) -> Option<Self> {
        let overlap = texts.clone().map(|text| text.as_ref().len()).max().unwrap_or(0).saturating_sub(1);
        let dfa = DFA::builder()
            .ascii_case_insensitive(true)
            .prefilter(false)
            .build(texts.map(|text| text.as_ref().to_owned()))
            .ok()?;
        let start = dfa.start_state(Anchored::No).ok()?;
        Some(Self { dfa, start, overlap })
    }

    /// Hands out the numbers of the short texts that stand in `text`, in no order and some more than once, until `found` has
    /// enough. `O(length)`.
    pub(super) fn find<B>(
        &self,
        text: &str,
        mut found: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let bytes = text.as_bytes();
        let share = bytes.len() / LANES;
        if share < LEAST_BYTES {
            return self.walk(&mut { self.start }, bytes, &mut found);
        }
        let lanes: [&[u8]; LANES] = std::array::from_fn(|number| {
            let from = number * share;
            let to = if number + 1 == LANES { bytes.len() } else { from + share + self.overlap };
            bytes.get(from..to.min(bytes.len())).unwrap_or_default()
        });
        let common = lanes.iter().map(|lane| lane.len()).min().unwrap_or(0);
        let heads = lanes.map(|lane| lane.get(..common).unwrap_or_default());
        let mut states = [self.start; LANES];
        let [a, b, c, d] = heads;
        for (((&a, &b), &c), &d) in a.iter().zip(b).zip(c).zip(d) {
            for (state, byte) in states.iter_mut().zip([a, b, c, d]) {
                self.step(state, byte, &mut found)?;
            }
        }
        for (state, lane) in states.iter_mut().zip(lanes) {
            self.walk(state, lane.get(common..).unwrap_or_default(), &mut found)?;
        }
        ControlFlow::Continue(())
    }

    fn walk<B>(
        &self,
        state: &mut StateID,
        bytes: &[u8],
        found: &mut impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        bytes.iter().try_for_each(|&byte| self.step(state, byte, found))
    }

    #[inline(always)]
    fn step<B>(
        &self,
        state: &mut StateID,
        byte: u8,
        found: &mut impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        *state = self.dfa.next_state(Anchored::No, *state, byte);
        if self.dfa.is_special(*state) && self.dfa.is_match(*state) {
            for index in 0..self.dfa.match_len(*state) {
                found(self.dfa.match_pattern(*state, index).as_usize())?;
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_same_texts_as_looked_for_one_by_one(
            texts in prop::collection::vec("[abK]{1,5}|é|no", 0..6),
            text in "([abAk é]{0,12}|no){0,20}",
        ) {
            let finder = Finder::new(texts.iter()).unwrap();
            let mut found = BTreeSet::new();
            let all = finder.find(&text, |number| { found.insert(number); ControlFlow::<()>::Continue(()) });
            prop_assert!(all.is_continue());
            let holds = |wanted: &String| text.to_ascii_lowercase().contains(&wanted.to_ascii_lowercase());
            let expected: BTreeSet<usize> = (0..texts.len()).filter(|&n| holds(&texts[n])).collect();
            prop_assert_eq!(&found, &expected);
            let any = finder.find(&text, |_| ControlFlow::Break(())).is_break();
            prop_assert_eq!(any, !expected.is_empty());
        }
    }
}

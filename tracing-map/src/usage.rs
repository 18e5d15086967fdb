//! Token counts with one meaning: the four parts are disjoint, and unknown is not zero.

use crate::event::{Num, ReportedUsage};

/// Tokens of a call or a run. `input` excludes the cache; the prompt is `input + cache_read + cache_write`.
/// `reasoning` is a part of `output`, not beside it. A part that nobody reported is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Prompt tokens that were neither read from nor written to the cache.
    pub input: Option<u64>,
    /// Answer tokens, reasoning included.
    pub output: Option<u64>,
    /// Prompt tokens read from the cache.
    pub cache_read: Option<u64>,
    /// Prompt tokens written to the cache.
    pub cache_write: Option<u64>,
    /// Answer tokens that were reasoning.
    pub reasoning: Option<u64>,
    /// The total as it was reported.
    pub total: Option<u64>,
}

impl Usage {
    /// Reads a reported usage. When the reported total says that `input` includes the cache (`input + output = total`
    /// although cache tokens are named), the cache is taken out of `input`, so that parts are disjoint.
    #[must_use]
    pub fn from_reported(reported: &ReportedUsage) -> Self {
        let count = |field: &Option<Num>| field.as_ref().and_then(Num::count);
        let mut usage = Self {
            input: count(&reported.input),
            output: count(&reported.output),
            cache_read: count(&reported.cache_read),
            cache_write: count(&reported.cache_write),
            reasoning: count(&reported.reasoning_tokens),
            total: count(&reported.total),
        };
        let cache = usage
            .cache_read
            .unwrap_or(0)
            .saturating_add(usage.cache_write.unwrap_or(0));
        if let (Some(input), Some(output), Some(total)) = (usage.input, usage.output, usage.total) {
            if cache > 0 && input >= cache && input.saturating_add(output) == total {
                usage.input = Some(input - cache);
            }
        }
        usage
    }

    /// Whether nothing at all is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }

    /// Whether every known part is zero (or nothing is known): OpenClaw writes zeros where no usage came.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts().iter().all(|part| part.unwrap_or(0) == 0) && self.total.unwrap_or(0) == 0
    }

    fn parts(&self) -> [Option<u64>; 4] {
        [self.input, self.output, self.cache_read, self.cache_write]
    }

    /// The sum of the known disjoint parts; `None` when no part is known.
    #[must_use]
    pub fn parts_sum(&self) -> Option<u64> {
        add_all(self.parts())
    }

    /// The whole: the reported total, or the sum of the parts when that is larger or the only thing known.
    #[must_use]
    pub fn whole(&self) -> Option<u64> {
        self.parts_sum().max(self.total)
    }

    /// All prompt tokens: input and both cache parts; `None` when none of them is known.
    #[must_use]
    pub fn prompt(&self) -> Option<u64> {
        add_all([self.input, self.cache_read, self.cache_write])
    }

    /// Two usages as one. A part is unknown only when both are unknown.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: add(self.input, other.input),
            output: add(self.output, other.output),
            cache_read: add(self.cache_read, other.cache_read),
            cache_write: add(self.cache_write, other.cache_write),
            reasoning: add(self.reasoning, other.reasoning),
            total: match (self.whole(), other.whole()) {
                (None, None) => None,
                (a, b) => add(a, b),
            },
        }
    }

    /// What is left of this usage after `other` is taken away, part by part, never below zero.
    /// `None` when nothing is left.
    #[must_use]
    pub fn minus(self, other: Self) -> Option<Self> {
        let less = |a: Option<u64>, b: Option<u64>| a.map(|a| a.saturating_sub(b.unwrap_or(0)));
        let mut rest = Self {
            input: less(self.input, other.input),
            output: less(self.output, other.output),
            cache_read: less(self.cache_read, other.cache_read),
            cache_write: less(self.cache_write, other.cache_write),
            reasoning: less(self.reasoning, other.reasoning),
            total: None,
        };
        rest.reasoning = rest.reasoning.min(rest.output);
        if rest.parts_sum().is_none() {
            rest.total = less(self.total, other.whole()).filter(|total| *total > 0);
        }
        (!rest.is_empty()).then_some(rest)
    }
}

fn add(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    }
}

fn add_all<const N: usize>(parts: [Option<u64>; N]) -> Option<u64> {
    parts.into_iter().fold(None, add)
}

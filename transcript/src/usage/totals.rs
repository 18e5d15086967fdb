//! Sums over many replies, with what the sums leave out.

use serde::{Deserialize, Serialize};

use super::Usage;

/// Picodollars in a dollar.
const PICO: f64 = 1e12;

/// Sums of usage over model replies, and how many replies they cover.
///
/// A count is `None` until some reply reports it. [`partial`](Self::partial) says that the sums are a lower bound.
/// Costs are summed in whole picodollars (1e-12 USD), so that sums and merges are exact, associative and commutative
/// and print without binary noise; each reply's cost is rounded to that once.
///
/// ```
/// use clawgauge_transcript::{Usage, UsageTotals};
///
/// let mut totals = UsageTotals::default();
/// totals.add(Some(&Usage::from_json(r#"{"input":1000,"output":50,"cost":0.02}"#)));
/// totals.add(None);
/// assert_eq!((totals.calls, totals.reported_calls), (2, 1));
/// assert_eq!(totals.input, Some(1000));
/// assert!(totals.partial());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UsageTotals {
    /// Model replies counted.
    pub calls: u64,
    /// Replies that reported some usage (see [`Usage::is_reported`]).
    pub reported_calls: u64,
    /// Replies of which both prompt and output are known.
    pub complete_calls: u64,
    /// Replies whose cost is known.
    pub cost_calls: u64,
    /// Uncached input tokens.
    pub input: Option<u64>,
    /// Output tokens, reasoning included.
    pub output: Option<u64>,
    /// Tokens read from the cache.
    pub cache_read: Option<u64>,
    /// Tokens written to the cache.
    pub cache_write: Option<u64>,
    /// Reasoning tokens, a part of `output`.
    pub reasoning: Option<u64>,
    /// Sum of the replies' totals, each as reported or else computed ([`Usage::total_tokens`]).
    pub total: Option<u64>,
    /// Sum of the known costs in picodollars (1e-12 USD).
    pub cost_pico_usd: Option<u64>,
}

impl UsageTotals {
    /// Counts one model reply; `None` and an all-zero usage count as a reply that reported nothing. O(1).
    pub fn add(&mut self, usage: Option<&Usage>) {
        self.calls = self.calls.saturating_add(1);
        let Some(usage) = usage.filter(|usage| usage.is_reported()) else {
            return;
        };
        self.merge(&Self {
            calls: 0,
            reported_calls: 1,
            complete_calls: u64::from(usage.computed_total().is_some()),
            cost_calls: u64::from(usage.cost.is_some()),
            input: usage.input,
            output: usage.output,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            reasoning: usage.reasoning,
            total: usage.total_tokens(),
            cost_pico_usd: usage.cost_usd().map(|usd| (usd * PICO).round() as u64),
        });
    }

    /// Adds the sums of another part. Associative and commutative. O(1).
    pub fn merge(&mut self, other: &Self) {
        for (mine, more) in [
            (&mut self.calls, other.calls),
            (&mut self.reported_calls, other.reported_calls),
            (&mut self.complete_calls, other.complete_calls),
            (&mut self.cost_calls, other.cost_calls),
        ] {
            *mine = mine.saturating_add(more);
        }
        for (mine, more) in [
            (&mut self.input, other.input),
            (&mut self.output, other.output),
            (&mut self.cache_read, other.cache_read),
            (&mut self.cache_write, other.cache_write),
            (&mut self.reasoning, other.reasoning),
            (&mut self.total, other.total),
            (&mut self.cost_pico_usd, other.cost_pico_usd),
        ] {
            if let Some(more) = more {
                *mine = Some(mine.unwrap_or(0).saturating_add(more));
            }
        }
    }

    /// Whether the token sums leave something out: a reply reported nothing, or not both its prompt and its output.
    #[must_use]
    pub fn partial(&self) -> bool {
        self.complete_calls < self.calls
    }

    /// Whether the cost leaves something out: a reply's cost is unknown.
    #[must_use]
    pub fn cost_partial(&self) -> bool {
        self.cost_calls < self.calls
    }

    /// The sum of the known costs in USD; `None` when none is known.
    #[must_use]
    pub fn cost_usd(&self) -> Option<f64> {
        self.cost_pico_usd.map(|pico| pico as f64 / PICO)
    }

    /// Size of all prompts: input and both cache counts; unknown when the input is.
    #[must_use]
    pub fn prompt_tokens(&self) -> Option<u64> {
        let cached = self.cache_read.unwrap_or(0).saturating_add(self.cache_write.unwrap_or(0));
        Some(self.input?.saturating_add(cached))
    }
}

impl<'a> Extend<Option<&'a Usage>> for UsageTotals {
    fn extend<I: IntoIterator<Item = Option<&'a Usage>>>(&mut self, replies: I) {
        for usage in replies {
            self.add(usage);
        }
    }
}

impl<'a> FromIterator<Option<&'a Usage>> for UsageTotals {
    fn from_iter<I: IntoIterator<Item = Option<&'a Usage>>>(replies: I) -> Self {
        let mut totals = Self::default();
        totals.extend(replies);
        totals
    }
}

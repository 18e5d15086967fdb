//! Sums and differences of token counts, on the one algebra of the transcript crate.

use crate::event::{ReportedUsage, field_to_json};
use clawgauge_transcript::Usage;

impl ReportedUsage {
    /// The counts, with disjoint parts and without the cost; `None` when nothing was reported at all.
    ///
    /// A total below the sum of the parts is left out: gateways of 2026.6 put the last call's total beside the sums of
    /// a run.
    ///
    /// Zeros count as a report here: an event, unlike a stored row, leaves out what it does not know.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        let mut usage = Usage::from_value(&field_to_json(self));
        usage.cost = None;
        if usage.total < parts_sum(&usage) {
            usage.total = None;
        }
        (usage != Usage::default()).then_some(usage)
    }

    /// The cost in US dollars, where the report has one.
    #[must_use]
    pub fn cost_usd(&self) -> Option<f64> {
        let cost = self.cost.as_ref()?;
        let total = cost.as_f64().or_else(|| cost.get("total")?.as_f64())?;
        (total.is_finite() && total >= 0.0).then_some(total)
    }
}

/// Two usages as one. A part is unknown only when both are unknown.
pub(crate) fn plus(a: Usage, b: Usage) -> Usage {
    let mut sum = Usage::default();
    sum.input = add(a.input, b.input);
    sum.output = add(a.output, b.output);
    sum.cache_read = add(a.cache_read, b.cache_read);
    sum.cache_write = add(a.cache_write, b.cache_write);
    sum.reasoning = add(a.reasoning, b.reasoning);
    sum.total = add(whole(&a), whole(&b));
    sum
}

/// What is left of `a` after `b` is taken away, part by part, never below zero; `None` when nothing is left.
pub(crate) fn minus(a: Usage, b: Usage) -> Option<Usage> {
    let less = |a: Option<u64>, b: Option<u64>| a.map(|a| a.saturating_sub(b.unwrap_or(0)));
    let mut rest = Usage::default();
    rest.input = less(a.input, b.input);
    rest.output = less(a.output, b.output);
    rest.cache_read = less(a.cache_read, b.cache_read);
    rest.cache_write = less(a.cache_write, b.cache_write);
    rest.reasoning = less(a.reasoning, b.reasoning).min(rest.output);
    let parts = parts_sum(&rest);
    if parts.is_none() {
        rest.total = less(a.total, whole(&b));
    }
    (parts.unwrap_or(0) > 0 || rest.total.unwrap_or(0) > 0).then_some(rest)
}

/// The whole: the reported total, or the sum of the known parts when that is larger or the only thing known.
pub(crate) fn whole(usage: &Usage) -> Option<u64> {
    parts_sum(usage).max(usage.total)
}

fn parts_sum(usage: &Usage) -> Option<u64> {
    [usage.input, usage.output, usage.cache_read, usage.cache_write].into_iter().fold(None, add)
}

fn add(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    }
}

//! Token counts and cost of model replies: one algebra for every provider's spelling.

mod convert;
mod parse;
mod totals;

use serde::{Deserialize, Deserializer, Serialize};

use crate::raw::RawJson;

pub use convert::{GenAiUsage, LangfuseUsage, OpenAiUsage, OpenInferenceUsage};
pub use totals::UsageTotals;

/// What one model reply (or one run) used.
///
/// All counts are tokens. `None` means *unknown* and is never the same as `Some(0)`.
///
/// * `input` **excludes** cached tokens, as OpenClaw stores it: the prompt is `input + cache_read + cache_write`
///   ([`prompt_tokens`](Self::prompt_tokens)).
/// * `output` **includes** `reasoning`.
/// * `total` is what the provider said; [`total_tokens`](Self::total_tokens) falls back on the sum of the parts.
///
/// Reading is lenient (see [`from_json`](Self::from_json)); writing gives OpenClaw's own names, unknown counts left
/// out. A usage whose numbers are all zero says nothing: OpenClaw writes zeros when the provider sent no usage, so
/// ask [`is_reported`](Self::is_reported) before counting a reply.
///
/// ```
/// use clawgauge_transcript::Usage;
///
/// let usage = Usage::from_json(r#"{"input":5,"output":7,"cacheRead":1000,"cacheWrite":20,"cost":{"total":0.01}}"#);
/// assert_eq!(usage.prompt_tokens(), Some(1025));
/// assert_eq!(usage.total_tokens(), Some(1032));
/// assert_eq!(usage.cost_usd(), Some(0.01));
/// assert!(!Usage::from_json(r#"{"input":0,"output":0,"totalTokens":0}"#).is_reported());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Usage {
    /// Prompt tokens that were neither read from nor written to the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Completion tokens, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Prompt tokens read from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<u64>,
    /// Prompt tokens written to the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// The part of `output` that was reasoning.
    #[serde(rename = "reasoningTokens", skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// The total as reported, whether or not the parts add up to it.
    #[serde(rename = "totalTokens", skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Cost in USD.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// A cost in USD with the parts that were reported.
///
/// The parts need not add up to the total: providers that bill as a whole leave them at zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Cost {
    /// Cost of uncached input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<f64>,
    /// Cost of output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// Cost of cache reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Cost of cache writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// The whole cost: as reported, else the sum of the parts. Finite, never negative.
    pub total: f64,
}

impl Usage {
    /// Reads a usage object from JSON text; what cannot be read is unknown, never an error.
    ///
    /// * Every spelling seen is understood: OpenClaw's (`input`, `output`, `cacheRead`, `cacheWrite`, `totalTokens`,
    ///   `total`), the camel case of its events and of relays (`inputTokens`, `cacheReadTokens`, `promptTokens`),
    ///   OpenAI's (`prompt_tokens`, `completion_tokens`, `total_tokens` with `*_details`) and Anthropic's
    ///   (`input_tokens`, `cache_read_input_tokens`, `cache_creation_input_tokens`). When two spellings of one count
    ///   stand side by side the first in that order counts, alone: they are never added.
    /// * Counts may be floats (`18.0`; fractions round to the nearest whole token) or numeric strings (`"4"`).
    ///   Negative numbers, numbers beyond 64 bits (floats: beyond 2^53), other types and `null` are unknown.
    /// * `cost` may be an object or a bare number of dollars; `costUsd` and `cost_usd` beside it are understood.
    /// * An input that includes the cache (a prompt count, or `input + output` equal to the total while a cache count
    ///   is there) is reduced to the uncached part. Reasoning that the total counts beside the output is moved into
    ///   the output.
    ///
    /// O(n) in the text, no allocation for plain keys.
    #[must_use]
    pub fn from_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_else(|_| {
            // A number beyond all range must not cost the others.
            RawJson::parse(text).map(|json| Self::from_value(&json.to_whole_value())).unwrap_or_default()
        })
    }

    /// Reads a usage object from a parsed value, by the rules of [`from_json`](Self::from_json).
    #[must_use]
    pub fn from_value(value: &serde_json::Value) -> Self {
        Self::deserialize(value).unwrap_or_default()
    }

    /// The same usage with this cost, for formats that keep the cost beside the usage object.
    /// A negative or non-finite number is an unknown cost.
    #[must_use]
    pub fn with_cost_usd(mut self, usd: f64) -> Self {
        self.cost = Cost::of_total(usd);
        self
    }

    /// Whether anything was reported at all: some count or the cost is above zero.
    #[must_use]
    pub fn is_reported(&self) -> bool {
        [self.input, self.output, self.cache_read, self.cache_write, self.reasoning, self.total]
            .into_iter()
            .flatten()
            .any(|count| count > 0)
            || self.cost.is_some_and(|cost| cost.total > 0.0)
    }

    /// This usage if it was reported, else `None`.
    #[must_use]
    pub fn reported(self) -> Option<Self> {
        self.is_reported().then_some(self)
    }

    /// Size of the prompt: `input + cache_read + cache_write`. Unknown when `input` is; a cache count that was not
    /// reported adds nothing.
    #[must_use]
    pub fn prompt_tokens(&self) -> Option<u64> {
        Some(self.input?.saturating_add(self.cached_tokens()))
    }

    /// The total as reported, else [`computed_total`](Self::computed_total).
    #[must_use]
    pub fn total_tokens(&self) -> Option<u64> {
        self.total.or_else(|| self.computed_total())
    }

    /// The sum of prompt and output; unknown when either is.
    #[must_use]
    pub fn computed_total(&self) -> Option<u64> {
        Some(self.prompt_tokens()?.saturating_add(self.output?))
    }

    /// Whether the reported total equals the sum of the parts; `None` when one of the two is unknown.
    #[must_use]
    pub fn adds_up(&self) -> Option<bool> {
        Some(self.total? == self.computed_total()?)
    }

    /// The whole cost in USD, when it is known.
    #[must_use]
    pub fn cost_usd(&self) -> Option<f64> {
        self.cost.map(|cost| cost.total)
    }

    fn cached_tokens(&self) -> u64 {
        self.cache_read.unwrap_or(0).saturating_add(self.cache_write.unwrap_or(0))
    }
}

impl<'de> Deserialize<'de> for Usage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parse::usage(deserializer)
    }
}

impl<'de> Deserialize<'de> for Cost {
    /// Reads a number or an object; a cost that cannot be read is an error here, because a `Cost` is always known.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parse::cost(deserializer)?.ok_or_else(|| serde::de::Error::custom("no cost in dollars"))
    }
}

impl Cost {
    /// A cost of which only the whole is known; `None` for a negative or non-finite number.
    #[must_use]
    pub fn of_total(usd: f64) -> Option<Self> {
        (usd.is_finite() && usd >= 0.0).then(|| Self { total: usd, ..Self::default() })
    }
}

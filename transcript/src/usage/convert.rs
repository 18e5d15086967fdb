//! Conversions to other people's usage, each named after what it converts to.
//!
//! Laws, tested as properties for every usage whose prompt and output are known: the parts sum to the total, no part
//! is larger than the whole it belongs to, and where a format can hold everything the way back gives the same counts.

use serde::Serialize;

use super::Usage;

/// Usage as OpenAI's chat completions count it: the prompt includes the cache, the completion includes reasoning.
/// `prompt_tokens + completion_tokens == total_tokens`; there is no place for cache writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OpenAiUsage {
    /// Whole prompt.
    pub prompt_tokens: Option<u64>,
    /// Whole completion.
    pub completion_tokens: Option<u64>,
    /// Prompt and completion.
    pub total_tokens: Option<u64>,
    /// The part of the prompt that was read from the cache.
    pub cached_tokens: Option<u64>,
    /// The part of the completion that was reasoning.
    pub reasoning_tokens: Option<u64>,
}

/// Usage as the OpenTelemetry GenAI conventions count it: input **includes** cached tokens, output includes reasoning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct GenAiUsage {
    /// `gen_ai.usage.input_tokens`
    pub input_tokens: Option<u64>,
    /// `gen_ai.usage.output_tokens`
    pub output_tokens: Option<u64>,
    /// `gen_ai.usage.cache_read.input_tokens`
    pub cache_read_input_tokens: Option<u64>,
    /// `gen_ai.usage.cache_creation.input_tokens` (later `cache_write`)
    pub cache_creation_input_tokens: Option<u64>,
    /// `gen_ai.usage.reasoning.output_tokens`
    pub reasoning_output_tokens: Option<u64>,
}

/// Usage as OpenInference counts it: the prompt **includes** cached tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OpenInferenceUsage {
    /// `llm.token_count.prompt`
    pub prompt: Option<u64>,
    /// `llm.token_count.completion`
    pub completion: Option<u64>,
    /// `llm.token_count.total`
    pub total: Option<u64>,
    /// `llm.token_count.prompt_details.cache_read`
    pub prompt_cache_read: Option<u64>,
    /// `llm.token_count.prompt_details.cache_write`
    pub prompt_cache_write: Option<u64>,
    /// `llm.token_count.completion_details.reasoning`
    pub completion_reasoning: Option<u64>,
}

/// Usage as Langfuse prices it: **disjoint** buckets, so `output` excludes reasoning here and `input` excludes the
/// cache. The buckets never sum to more than `total`, and to exactly it when prompt and output are known and the
/// reported total agrees. Serialises to the object of `langfuse.observation.usage_details`, unknown buckets left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LangfuseUsage {
    /// Uncached input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Output without reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Cache reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_cached_tokens: Option<u64>,
    /// Cache writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_cache_creation: Option<u64>,
    /// Reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_reasoning_tokens: Option<u64>,
    /// Everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

impl Usage {
    /// To OpenAI's counts. The total is the sum of prompt and completion where both are known, so that the format's
    /// own law holds even when the provider's total says otherwise.
    #[must_use]
    pub fn to_openai(&self) -> OpenAiUsage {
        OpenAiUsage {
            prompt_tokens: self.prompt_tokens(),
            completion_tokens: self.output,
            total_tokens: self.computed_total().or(self.total),
            cached_tokens: self.cache_read,
            reasoning_tokens: self.reasoning_within_output(),
        }
    }

    /// To the OpenTelemetry GenAI counts, whose input includes the cache.
    #[must_use]
    pub fn to_gen_ai(&self) -> GenAiUsage {
        GenAiUsage {
            input_tokens: self.prompt_tokens(),
            output_tokens: self.output,
            cache_read_input_tokens: self.cache_read,
            cache_creation_input_tokens: self.cache_write,
            reasoning_output_tokens: self.reasoning_within_output(),
        }
    }

    /// To OpenInference's counts, whose prompt includes the cache.
    #[must_use]
    pub fn to_openinference(&self) -> OpenInferenceUsage {
        OpenInferenceUsage {
            prompt: self.prompt_tokens(),
            completion: self.output,
            total: self.computed_total().or(self.total),
            prompt_cache_read: self.cache_read,
            prompt_cache_write: self.cache_write,
            completion_reasoning: self.reasoning_within_output(),
        }
    }

    /// To Langfuse's disjoint buckets. Zero reasoning gets no bucket; the total is raised to the sum of the buckets
    /// when the reported one is smaller.
    #[must_use]
    pub fn to_langfuse(&self) -> LangfuseUsage {
        let reasoning = self.reasoning_within_output().filter(|&count| count > 0);
        let mut usage = LangfuseUsage {
            input: self.input,
            output: self.output.map(|output| output.saturating_sub(reasoning.unwrap_or(0))),
            input_cached_tokens: self.cache_read,
            input_cache_creation: self.cache_write,
            output_reasoning_tokens: reasoning,
            total: None,
        };
        usage.total = match (self.total_tokens(), usage.sum()) {
            (Some(total), sum) => Some(total.max(sum)),
            (None, _) => None,
        };
        usage
    }

    /// Reasoning, never more than the output it is a part of; unknown output leaves it unknown.
    fn reasoning_within_output(&self) -> Option<u64> {
        Some(self.reasoning?.min(self.output?))
    }
}

impl GenAiUsage {
    /// The way back: counts only, the cost is not part of these conventions.
    #[must_use]
    pub fn to_usage(&self) -> Usage {
        let cached = self.cache_read_input_tokens.unwrap_or(0);
        let cached = cached.saturating_add(self.cache_creation_input_tokens.unwrap_or(0));
        Usage {
            input: self.input_tokens.map(|input| input.saturating_sub(cached)),
            output: self.output_tokens,
            cache_read: self.cache_read_input_tokens,
            cache_write: self.cache_creation_input_tokens,
            reasoning: self.reasoning_output_tokens,
            ..Usage::default()
        }
    }
}

impl LangfuseUsage {
    /// The sum of the priced buckets (all but `total`).
    #[must_use]
    pub fn sum(&self) -> u64 {
        [
            self.input,
            self.output,
            self.input_cached_tokens,
            self.input_cache_creation,
            self.output_reasoning_tokens,
        ]
        .into_iter()
        .flatten()
        .fold(0, u64::saturating_add)
    }

    /// The way back: counts only.
    #[must_use]
    pub fn to_usage(&self) -> Usage {
        let reasoning = self.output_reasoning_tokens;
        Usage {
            input: self.input,
            output: self.output.map(|output| output.saturating_add(reasoning.unwrap_or(0))),
            cache_read: self.input_cached_tokens,
            cache_write: self.input_cache_creation,
            reasoning,
            total: self.total,
            cost: None,
        }
    }
}

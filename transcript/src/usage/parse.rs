//! The lenient reading of usage objects: a visitor, because derived readers refuse floats, strings and duplicates.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Cost, Usage};

/// Floats above this are not exact counts.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn usage<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Usage, D::Error> {
    deserializer.deserialize_any(Lenient(Fields::default())).map(Fields::into_usage)
}

pub(super) fn cost<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cost>, D::Error> {
    deserializer.deserialize_any(Lenient(CostFields::default())).map(CostFields::into_cost)
}

/// The value of the best spelling so far. Lower ranks are better; of equal ranks (a duplicate key) the last counts,
/// as in the writer's language.
#[derive(Debug, Clone, Copy)]
struct Slot<T> {
    rank: u8,
    value: Option<T>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { rank: u8::MAX, value: None }
    }
}

impl<T> Slot<T> {
    fn offer(&mut self, rank: u8, value: Option<T>) {
        if rank == self.rank || self.value.is_none() || (value.is_some() && rank < self.rank) {
            *self = Self { rank, value };
        }
    }
}

/// What a key of a usage object means.
#[derive(Debug, Clone, Copy)]
enum Key {
    /// Uncached input in OpenClaw's and Anthropic's sense.
    Input(u8),
    /// Input that includes the cache.
    Prompt(u8),
    Output(u8),
    CacheRead(u8),
    /// Cache reads as OpenAI counts them: a part of the input beside them.
    CachedPart(u8),
    CacheWrite(u8),
    Reasoning(u8),
    Total(u8),
    Cost(u8),
    PromptDetails,
    OutputDetails,
    Unknown,
}

impl Key {
    fn of(name: &str) -> Self {
        match name {
            "input" => Self::Input(0),
            "inputTokens" => Self::Input(1),
            "input_tokens" => Self::Input(2),
            "promptTokens" => Self::Prompt(0),
            "prompt_tokens" => Self::Prompt(1),
            "output" => Self::Output(0),
            "outputTokens" => Self::Output(1),
            "completionTokens" => Self::Output(2),
            "completion_tokens" => Self::Output(3),
            "output_tokens" => Self::Output(4),
            "cacheRead" => Self::CacheRead(0),
            "cacheReadTokens" => Self::CacheRead(1),
            "cacheReadInputTokens" => Self::CacheRead(2),
            "cache_read_input_tokens" => Self::CacheRead(3),
            "cache_read_tokens" => Self::CacheRead(4),
            "cache_read" => Self::CacheRead(5),
            "cachedInputTokens" => Self::CachedPart(0),
            "cached_input_tokens" => Self::CachedPart(1),
            "cached_tokens" => Self::CachedPart(2),
            "prompt_cache_hit_tokens" => Self::CachedPart(3),
            "cacheWrite" => Self::CacheWrite(0),
            "cacheWriteTokens" => Self::CacheWrite(1),
            "cacheCreationTokens" => Self::CacheWrite(2),
            "cacheWriteInputTokens" => Self::CacheWrite(3),
            "cacheCreationInputTokens" => Self::CacheWrite(4),
            "cache_creation_input_tokens" => Self::CacheWrite(5),
            "cache_write_input_tokens" => Self::CacheWrite(6),
            "cache_write_tokens" => Self::CacheWrite(7),
            "cache_write" => Self::CacheWrite(8),
            "reasoningTokens" => Self::Reasoning(0),
            "reasoning" => Self::Reasoning(1),
            "reasoning_tokens" => Self::Reasoning(2),
            "totalTokens" => Self::Total(0),
            "total" => Self::Total(1),
            "total_tokens" => Self::Total(2),
            "cost" => Self::Cost(0),
            "costUsd" => Self::Cost(1),
            "cost_usd" => Self::Cost(2),
            "totalCost" => Self::Cost(3),
            "total_cost" => Self::Cost(4),
            "prompt_tokens_details"
            | "promptTokensDetails"
            | "input_tokens_details"
            | "inputTokensDetails" => Self::PromptDetails,
            "completion_tokens_details"
            | "completionTokensDetails"
            | "output_tokens_details"
            | "outputTokensDetails" => Self::OutputDetails,
            _ => Self::Unknown,
        }
    }
}

#[derive(Debug, Default)]
struct Fields {
    input: Slot<u64>,
    prompt: Slot<u64>,
    output: Slot<u64>,
    cache_read: Slot<u64>,
    cached_part: Slot<u64>,
    cache_write: Slot<u64>,
    reasoning: Slot<u64>,
    total: Slot<u64>,
    cost: Slot<Cost>,
}

impl Fields {
    fn into_usage(self) -> Usage {
        let cache_read = self.cache_read.value.or(self.cached_part.value);
        let cache_is_a_part = self.cache_read.value.is_none() && self.cached_part.value.is_some();
        let mut usage = Usage {
            input: self.input.value,
            output: self.output.value,
            cache_read,
            cache_write: self.cache_write.value,
            reasoning: self.reasoning.value,
            total: self.total.value,
            cost: self.cost.value,
        };
        // The order matters: whether reasoning stands beside the output is seen with the input as it was given.
        let cached = usage.cached_tokens();
        match (usage.input, self.prompt.value) {
            (Some(input), prompt) => {
                if input_includes_cache(&usage, prompt, cache_is_a_part) && cached > 0 && input >= cached {
                    usage.input = Some(input - cached);
                }
            }
            // A prompt smaller than its cache can only have been counted without it.
            (None, Some(prompt)) => usage.input = Some(prompt.checked_sub(cached).unwrap_or(prompt)),
            (None, None) => {}
        }
        if let (Some(total), Some(sum), Some(output), Some(reasoning)) =
            (usage.total, usage.computed_total(), usage.output, usage.reasoning)
            && reasoning > 0
            && sum.checked_add(reasoning) == Some(total)
        {
            usage.output = Some(output.saturating_add(reasoning));
        }
        usage
    }
}

/// Whether the given input counts the cache: the total decides, then a prompt count beside it, then the spelling.
fn input_includes_cache(usage: &Usage, prompt: Option<u64>, cache_is_a_part: bool) -> bool {
    let Some(input) = usage.input else { return false };
    let (with_cache, without) = (input.saturating_add(usage.cached_tokens()), input);
    if let (Some(total), Some(output)) = (usage.total, usage.output) {
        if total == with_cache.saturating_add(output) {
            return false;
        }
        if total == without.saturating_add(output) {
            return true;
        }
    }
    match prompt {
        Some(prompt) if prompt == with_cache => false,
        Some(prompt) if prompt == without => true,
        _ => cache_is_a_part,
    }
}

#[derive(Debug, Default)]
struct CostFields {
    whole: Option<f64>,
    input: Slot<f64>,
    output: Slot<f64>,
    cache_read: Slot<f64>,
    cache_write: Slot<f64>,
    total: Slot<f64>,
}

impl CostFields {
    fn into_cost(self) -> Option<Cost> {
        if let Some(whole) = self.whole {
            return Cost::of_total(whole);
        }
        let [input, output, cache_read, cache_write] =
            [self.input, self.output, self.cache_read, self.cache_write].map(|slot| slot.value);
        let parts = [input, output, cache_read, cache_write];
        let sum = || parts.into_iter().flatten().reduce(|a, b| a + b);
        let total = self.total.value.or_else(sum)?;
        total.is_finite().then_some(Cost { input, output, cache_read, cache_write, total })
    }
}

/// Something that reads the fields of an object and shrugs at everything else.
trait Target {
    fn field<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error>;
    fn scalar(&mut self, _amount: Option<f64>) {}
}

impl Target for Fields {
    fn field<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        match Key::of(name) {
            Key::Input(rank) => self.input.offer(rank, map.next_value_seed(Count)?),
            Key::Prompt(rank) => self.prompt.offer(rank, map.next_value_seed(Count)?),
            Key::Output(rank) => self.output.offer(rank, map.next_value_seed(Count)?),
            Key::CacheRead(rank) => self.cache_read.offer(rank, map.next_value_seed(Count)?),
            Key::CachedPart(rank) => self.cached_part.offer(rank, map.next_value_seed(Count)?),
            Key::CacheWrite(rank) => self.cache_write.offer(rank, map.next_value_seed(Count)?),
            Key::Reasoning(rank) => self.reasoning.offer(rank, map.next_value_seed(Count)?),
            Key::Total(rank) => self.total.offer(rank, map.next_value_seed(Count)?),
            Key::Cost(rank) => {
                let fields = map.next_value_seed(Nested(CostFields::default()))?;
                self.cost.offer(rank, fields.into_cost());
            }
            Key::PromptDetails => {
                let details = map.next_value_seed(Nested(Self::default()))?;
                self.cached_part.offer(u8::MAX - 1, details.cached_part.value);
                self.cache_write.offer(u8::MAX - 1, details.cache_write.value);
            }
            Key::OutputDetails => {
                let details = map.next_value_seed(Nested(Self::default()))?;
                self.reasoning.offer(u8::MAX - 1, details.reasoning.value);
            }
            Key::Unknown => {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

impl Target for CostFields {
    fn field<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        let (slot, rank) = match name {
            "input" => (&mut self.input, 0),
            "output" => (&mut self.output, 0),
            "cacheRead" => (&mut self.cache_read, 0),
            "cache_read" => (&mut self.cache_read, 1),
            "cacheWrite" => (&mut self.cache_write, 0),
            "cache_write" => (&mut self.cache_write, 1),
            "total" => (&mut self.total, 0),
            "totalUsd" | "usd" => (&mut self.total, 1),
            _ => {
                map.next_value::<IgnoredAny>()?;
                return Ok(());
            }
        };
        slot.offer(rank, map.next_value_seed(Amount)?);
        Ok(())
    }

    fn scalar(&mut self, amount: Option<f64>) {
        self.whole = amount;
    }
}

/// Visits anything, filling a target.
struct Lenient<T>(T);
/// Seed of [`Lenient`] for nested values.
struct Nested<T>(T);

impl<'de, T: Target> DeserializeSeed<'de> for Nested<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_any(Lenient(self.0))
    }
}

impl<'de, T: Target> Visitor<'de> for Lenient<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a usage object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<T, A::Error> {
        while let Some(name) = map.next_key::<Name<'de>>()? {
            self.0.field(name.as_str(), &mut map)?;
        }
        Ok(self.0)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<T, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(self.0)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_u64<E>(mut self, number: u64) -> Result<T, E> {
        self.0.scalar(amount_of(number as f64));
        Ok(self.0)
    }

    fn visit_i64<E>(mut self, number: i64) -> Result<T, E> {
        self.0.scalar(amount_of(number as f64));
        Ok(self.0)
    }

    fn visit_f64<E>(mut self, number: f64) -> Result<T, E> {
        self.0.scalar(amount_of(number));
        Ok(self.0)
    }

    fn visit_str<E>(mut self, text: &str) -> Result<T, E> {
        self.0.scalar(text.trim().parse().ok().and_then(amount_of));
        Ok(self.0)
    }

    fn visit_bool<E>(self, _: bool) -> Result<T, E> {
        Ok(self.0)
    }

    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(self.0)
    }

    fn visit_none<E>(self) -> Result<T, E> {
        Ok(self.0)
    }
}

/// A key, borrowed where it has no escapes (`Cow` always allocates inside serde).
enum Name<'de> {
    Borrowed(&'de str),
    Owned(String),
}

impl Name<'_> {
    fn as_str(&self) -> &str {
        match self {
            Self::Borrowed(name) => name,
            Self::Owned(name) => name,
        }
    }
}

impl<'de> serde::Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl<'de> Visitor<'de> for NameVisitor {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name::Borrowed(name))
            }

            fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name::Owned(name.to_owned()))
            }
        }
        deserializer.deserialize_str(NameVisitor)
    }
}

/// Reads a scalar number leniently; anything else is unknown.
macro_rules! lenient_number {
    ($seed:ident, $value:ty, $from_u64:expr, $from_f64:expr, $from_str:expr) => {
        struct $seed;

        impl<'de> DeserializeSeed<'de> for $seed {
            type Value = Option<$value>;

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
                deserializer.deserialize_any(self)
            }
        }

        impl<'de> Visitor<'de> for $seed {
            type Value = Option<$value>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
                Ok($from_u64(number))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
                Ok(u64::try_from(number).ok().and_then($from_u64))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
                Ok($from_f64(number))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok($from_str(text.trim()))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_none<E>(self) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
                deserializer.deserialize_any(self)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(None)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(None)
            }
        }
    };
}

lenient_number!(Count, u64, Some, count_of_float, |text: &str| {
    text.parse::<u64>().ok().or_else(|| text.parse().ok().and_then(count_of_float))
});
lenient_number!(Amount, f64, |number: u64| amount_of(number as f64), amount_of, |text: &str| {
    text.parse().ok().and_then(amount_of)
});

fn count_of_float(number: f64) -> Option<u64> {
    (0.0..=MAX_EXACT).contains(&number).then(|| number.round() as u64)
}

/// A sum of money: finite, not negative.
fn amount_of(number: f64) -> Option<f64> {
    (number.is_finite() && number >= 0.0).then_some(number)
}

//! Which records to look at.

use chrono::{DateTime, TimeDelta, Utc};

use crate::record::ScoreRecord;

/// What a record must be to count. Each part that is given must hold; [`Filter::default`] takes every record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Not before this time.
    pub since: Option<DateTime<Utc>>,
    /// Before this time.
    pub until: Option<DateTime<Utc>>,
    /// This agent.
    pub agent: Option<String>,
    /// This model, as the record names it.
    pub model: Option<String>,
    /// This channel.
    pub channel: Option<String>,
}

impl Filter {
    /// The last `days` times 24 hours before `now`, the first instant included. Later records count too: clocks differ.
    #[must_use]
    pub fn last_days(now: DateTime<Utc>, days: u32) -> Self {
        Self { since: now.checked_sub_signed(TimeDelta::days(i64::from(days))), ..Self::default() }
    }

    /// Whether `record` counts. A record that does not say when it was, or which agent, model or channel it is of, does not
    /// match a filter that asks for it.
    #[must_use]
    pub fn matches(&self, record: &ScoreRecord) -> bool {
        let time = record.timestamp();
        let named = |wanted: Option<&String>, found: Option<std::borrow::Cow<'_, str>>| {
            wanted.is_none_or(|wanted| found.is_some_and(|found| found == wanted.as_str()))
        };
        self.since.is_none_or(|since| time.is_some_and(|time| time >= since))
            && self.until.is_none_or(|until| time.is_some_and(|time| time < until))
            && named(self.agent.as_ref(), record.agent())
            && named(self.model.as_ref(), record.model())
            && named(self.channel.as_ref(), record.channel())
    }
}

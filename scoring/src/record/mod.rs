//! The score file of one session.

mod cards;
mod facts;
mod file_name;
mod risk;
mod time;

use std::borrow::Cow;
use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use clawgauge_transcript::SessionKey;

pub use facts::SessionFacts;
pub use file_name::file_name;
pub(crate) use time::js_time;

use crate::error::{Error, ErrorKind};
use crate::json::{self, Object, Style, Value};
use crate::profile::{PerDimension, Profile};
use crate::v1;

/// The version of the additions that this crate writes beside the plugin's fields.
const SCHEMA_VERSION: f64 = 1.0;

/// Fields written here; all others are somebody else's and are carried along.
const OWN_FIELDS: [&str; 14] = [
    "sessionId",
    "sessionKey",
    "timestamp",
    "success",
    "durationMs",
    "messageCount",
    "scores",
    "overall",
    "schemaVersion",
    "agent",
    "model",
    "channel",
    "profiles",
    "source",
];

/// The numbers of one profile in a record. `None`: not applicable, not there, or no number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Numbers {
    /// The overall score.
    pub overall: Option<f64>,
    /// The four scores.
    pub dimensions: PerDimension<Option<f64>>,
}

/// The score file of one session, as the session-scorer plugin writes it, with additions.
///
/// `scores` and `overall` hold the numbers of [`Profile::SessionScorerV1`], so that the plugin's own command line still reads
/// the file. Beside them stand `schemaVersion`, `agent`, `model`, `channel` and `profiles.<name>` with the numbers, their
/// evidence and the version of the rules. Fields that this crate does not know, key order and the digits of numbers survive
/// reading and writing. Every accessor is lenient: what is not there, or of an odd type, is `None`.
#[derive(Clone, PartialEq)]
pub struct ScoreRecord {
    fields: Object,
}

impl std::fmt::Debug for ScoreRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScoreRecord").field("session_id", &self.session_id()).finish_non_exhaustive()
    }
}

impl ScoreRecord {
    /// A record with the plugin's fields. Scores of other profiles are added by [`ScoreRecord::set_card`].
    #[must_use]
    pub fn new(facts: &SessionFacts, scores: &v1::Scores) -> Self {
        let mut fields = Object::default();
        fields.set("sessionId", facts.session_id.as_str().into());
        if let Some(key) = &facts.session_key {
            fields.set("sessionKey", key.as_str().into());
        }
        fields.set("timestamp", time::iso_text(facts.timestamp).as_str().into());
        fields.set("success", Value::Bool(facts.success));
        if let Some(duration) = facts.duration_ms {
            fields.set("durationMs", count(duration));
        }
        fields.set("messageCount", count(facts.message_count));
        set_v1(&mut fields, scores);
        fields.set("schemaVersion", SCHEMA_VERSION.into());
        for (name, value) in [("agent", &facts.agent), ("model", &facts.model), ("channel", &facts.channel)] {
            if let Some(value) = value {
                fields.set(name, value.as_str().into());
            }
        }
        Self { fields }
    }

    pub(crate) const fn from_fields(fields: Object) -> Self {
        Self { fields }
    }

    pub(crate) const fn fields(&self) -> &Object {
        &self.fields
    }

    /// Reads a score file. O(n); bytes that are no UTF-8 become U+FFFD, as the plugin's runtime reads them.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] or [`ErrorKind::TooDeep`] when it is no JSON, [`ErrorKind::Shape`] when it is JSON but no object.
    /// An object with any content is a record.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        match json::parse(&String::from_utf8_lossy(bytes)) {
            Ok(Value::Object(fields)) => Ok(Self { fields }),
            Ok(_) => Err(Error::new(ErrorKind::Shape, "a score file must hold a JSON object")),
            Err(error) => Err(Error::json("a score file must hold JSON", &error)),
        }
    }

    /// The file's text: two blanks a level and a final line break, as the plugin writes it. `O(n)`, as is [`to_line`](Self::to_line).
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        json::write_pretty(&mut text, &Value::Object(self.fields.clone()), Style::AsRead, 0);
        text.push('\n');
        text
    }

    /// The record on one line, without a line break.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut text = String::new();
        json::write_compact(&mut text, &Value::Object(self.fields.clone()), Style::AsRead);
        text
    }

    /// Takes over the fields of an earlier record of the same session that this crate does not write itself, in their order,
    /// and profiles that this record has no scores of.
    pub fn keep_unknown_of(&mut self, earlier: &Self) {
        for (key, value) in earlier.fields.iter() {
            let key = key.to_str();
            if !OWN_FIELDS.contains(&key.as_ref()) && self.fields.get(&key).is_none() {
                self.fields.set(&key, value.clone());
            }
        }
        self.keep_profiles_of(earlier);
    }

    /// The session's id, when it is a text.
    #[must_use]
    pub fn session_id(&self) -> Option<Cow<'_, str>> {
        self.text("sessionId")
    }

    /// The session's key, when it is a text.
    #[must_use]
    pub fn session_key(&self) -> Option<Cow<'_, str>> {
        self.text("sessionKey")
    }

    /// When the session was: an ISO text (without an offset: in UTC) or epoch milliseconds.
    #[must_use]
    pub fn timestamp(&self) -> Option<DateTime<Utc>> {
        js_time(self.fields.get("timestamp")?, 0)
    }

    /// Whether the last turn ended well. `None` when the file does not say so with `true` or `false`.
    #[must_use]
    pub fn success(&self) -> Option<bool> {
        match self.fields.get("success") {
            Some(Value::Bool(success)) => Some(*success),
            _ => None,
        }
    }

    /// How long the last run took, in milliseconds: finite and not negative.
    #[must_use]
    pub fn duration_ms(&self) -> Option<f64> {
        number_in(self.fields.get("durationMs"), 0.0..=f64::MAX)
    }

    /// How many messages the context held.
    #[must_use]
    pub fn message_count(&self) -> Option<u64> {
        self.fields.get("messageCount")?.as_u64()
    }

    /// Which state of the session the record was made from, in the words of the program that wrote it.
    #[must_use]
    pub fn source(&self) -> Option<Cow<'_, str>> {
        self.text("source")
    }

    /// Notes which state of the session the record was made from, so that an unchanged session need not be scored again.
    pub fn set_source(&mut self, source: &str) {
        self.fields.set("source", source.into());
    }

    /// The agent: as the record names it, else as its session key does.
    #[must_use]
    pub fn agent(&self) -> Option<Cow<'_, str>> {
        self.text("agent").or_else(|| {
            let key = self.session_key()?;
            SessionKey::parse(&key).agent_id().map(|agent| Cow::Owned(agent.to_owned()))
        })
    }

    /// The model that answered last.
    #[must_use]
    pub fn model(&self) -> Option<Cow<'_, str>> {
        self.text("model")
    }

    /// The channel through which the person spoke: as the record names it, else as its session key does.
    #[must_use]
    pub fn channel(&self) -> Option<Cow<'_, str>> {
        self.text("channel").or_else(|| {
            let key = self.session_key()?;
            SessionKey::parse(&key).channel().map(|channel| Cow::Owned(channel.to_owned()))
        })
    }

    /// The numbers of one profile, or `None` when the record has none of it.
    #[must_use]
    pub fn numbers(&self, profile: Profile) -> Option<Numbers> {
        match profile {
            Profile::SessionScorerV1 => {
                let scores = self.fields.get("scores")?.as_object()?;
                Some(Numbers {
                    overall: score_number(self.fields.get("overall")),
                    dimensions: PerDimension::from_fn(|dimension| {
                        score_number(scores.get(dimension.as_str()))
                    }),
                })
            }
            Profile::Default => self.card_numbers(profile),
        }
    }

    fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        Some(self.fields.get(name)?.as_js_str()?.to_str())
    }
}

pub(crate) fn set_v1(fields: &mut Object, scores: &v1::Scores) {
    let mut four = Object::default();
    for (dimension, value) in scores.dimensions.iter() {
        four.set(dimension.as_str(), (*value).into());
    }
    fields.set("scores", Value::Object(four));
    fields.set("overall", scores.overall.into());
}

/// A score or a share.
fn score_number(value: Option<&Value>) -> Option<f64> {
    number_in(value, 0.0..=1.0)
}

/// A number of a range that begins at 0; `-0`, which would print with its sign, is 0.
fn number_in(value: Option<&Value>, range: RangeInclusive<f64>) -> Option<f64> {
    value?.as_f64().filter(|number| range.contains(number)).map(f64::abs)
}

#[allow(clippy::cast_precision_loss, reason = "the file's numbers are doubles")]
pub(crate) fn count(count: u64) -> Value {
    (count as f64).into()
}

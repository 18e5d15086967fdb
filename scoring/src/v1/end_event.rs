//! From the end-of-session event to a score file.

use clawgauge_transcript::RawJson;

use super::{Scores, score_messages};
use crate::error::{Error, ErrorKind};
use crate::json::{self, Object, Value};
use crate::record::{ScoreRecord, count, set_v1};
use crate::skip::{Judged, SkipReason};

/// Fewer messages than this are not scored. Messages of any role count, although the plugin's documentation says turns.
const FEWEST_MESSAGES: u64 = 3;

/// What the plugin reads of an `agent_end` event and its context. `None` is a missing field, which is not the same as `null`.
#[derive(Debug, Clone, Copy, Default)]
pub struct EndOfSession<'a> {
    /// `event.messages`.
    pub messages: Option<RawJson<'a>>,
    /// `event.success`.
    pub success: Option<RawJson<'a>>,
    /// `event.durationMs`.
    pub duration_ms: Option<RawJson<'a>>,
    /// `ctx.sessionId`.
    pub session_id: Option<RawJson<'a>>,
    /// `ctx.sessionKey`.
    pub session_key: Option<RawJson<'a>>,
}

impl<'a> EndOfSession<'a> {
    /// Picks the fields from an event and its context; `None` is an absent object.
    #[must_use]
    pub fn of(event: Option<RawJson<'a>>, ctx: Option<RawJson<'a>>) -> Self {
        let (event, ctx) = (|key: &str| event?.get(key), |key: &str| ctx?.get(key));
        Self {
            messages: event("messages"),
            success: event("success"),
            duration_ms: event("durationMs"),
            session_id: ctx("sessionId"),
            session_key: ctx("sessionKey"),
        }
    }
}

/// Does what the plugin does at the end of a session, but for the file: gives the record it would write, without `timestamp`
/// (the plugin writes the time of scoring) and without anything the plugin does not write.
///
/// It is skipped without a session id, with fewer than three messages, when the key contains `subagent:` or starts with `cron:`.
///
/// # Errors
/// [`ErrorKind::Throws`] where the plugin throws: a key that is no text, messages that can not be gone through;
/// [`ErrorKind::TooDeep`] where we do not follow.
pub fn score(end: &EndOfSession<'_>) -> Result<Judged<ScoreRecord>, Error> {
    let read = |what: &str, raw: Option<RawJson<'_>>| {
        raw.map(|raw| json::parse(raw.as_str())).transpose().map_err(|error| Error::json(what, &error))
    };
    let session_id = read("the session id", end.session_id)?;
    let Some(session_id) = session_id.filter(Value::is_truthy) else {
        return Ok(Judged::Skipped(SkipReason::NoSessionId));
    };
    let messages = match end.messages.map(Messages::read).transpose()? {
        None | Some(Messages::Falsy) => return Ok(Judged::Skipped(SkipReason::TooFewMessages)),
        Some(messages) if messages.length().is_some_and(|length| length < FEWEST_MESSAGES) => {
            return Ok(Judged::Skipped(SkipReason::TooFewMessages));
        }
        Some(messages) => messages,
    };
    let session_key = read("the session key", end.session_key)?;
    match &session_key {
        None | Some(Value::Null) => {}
        Some(Value::String(key)) => {
            let key = key.to_str();
            if key.contains("subagent:") {
                return Ok(Judged::Skipped(SkipReason::Subagent));
            }
            if key.starts_with("cron:") {
                return Ok(Judged::Skipped(SkipReason::Cron));
            }
        }
        Some(_) => return Err(throws("the session key is no text")),
    }
    let (length, scores) = messages.score()?;

    let mut fields = Object::default();
    fields.set("sessionId", session_id);
    if let Some(key) = session_key {
        fields.set("sessionKey", key);
    }
    let success = read("success", end.success)?.filter(|success| *success != Value::Null);
    fields.set("success", success.unwrap_or(Value::Bool(true)));
    if let Some(duration) = read("durationMs", end.duration_ms)? {
        fields.set("durationMs", duration);
    }
    fields.set("messageCount", count(length));
    set_v1(&mut fields, &scores);
    Ok(Judged::Scored(ScoreRecord::from_fields(fields)))
}

fn throws(message: &str) -> Error {
    Error::new(ErrorKind::Throws, message)
}

/// The messages value, by what JavaScript makes of it.
enum Messages<'a> {
    /// `null`, `false`, `0` or an empty text.
    Falsy,
    List(Vec<RawJson<'a>>),
    /// Gone through character by character; none of them is a message.
    Text(Vec<u16>),
    /// No list, but something with a `length` below the least.
    Short,
    /// Nothing that can be gone through.
    Other,
}

impl<'a> Messages<'a> {
    fn read(raw: RawJson<'a>) -> Result<Self, Error> {
        if raw.is_array() {
            return Ok(Self::List(raw.items()));
        }
        Ok(match json::parse(raw.as_str()).map_err(|error| Error::json("messages", &error))? {
            value if !value.is_truthy() => Self::Falsy,
            Value::String(text) => Self::Text(text.units()),
            // `undefined < 3` and `"x" < 3` are false, `null < 3` is true.
            Value::Object(object) => match object.get("length") {
                Some(Value::Number(length)) if length.value < 3.0 => Self::Short,
                Some(Value::Null | Value::Bool(_)) => Self::Short,
                _ => Self::Other,
            },
            _ => Self::Other,
        })
    }

    fn length(&self) -> Option<u64> {
        let length = match self {
            Self::Falsy | Self::Short => 0,
            Self::List(list) => list.len(),
            Self::Text(units) => units.len(),
            Self::Other => return None,
        };
        u64::try_from(length).ok()
    }

    fn score(&self) -> Result<(u64, Scores), Error> {
        let scores = match self {
            Self::List(list) => score_messages(list)?,
            Self::Text(_) => score_messages(&[])?,
            Self::Falsy | Self::Short | Self::Other => return Err(throws("the messages are no list")),
        };
        Ok((self.length().unwrap_or(0), scores))
    }
}

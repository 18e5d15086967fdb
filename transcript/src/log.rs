//! Lines of the gateway's daily log, `openclaw-YYYY-MM-DD.log`.

use std::borrow::Cow;
use std::fmt;

use crate::raw::RawJson;
use crate::time::Timestamp;

/// The severity of a [`LogLine`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LogLevel {
    /// `TRACE`.
    Trace,
    /// `DEBUG`.
    Debug,
    /// `INFO`.
    Info,
    /// `WARN`.
    Warn,
    /// `ERROR`.
    Error,
    /// `FATAL`.
    Fatal,
}

/// One line of a gateway's log, in either of its forms.
///
/// The gateway writes the arguments of a log call under `"0"`, `"1"`, `"2"`: a subsystem as JSON text, or the whole
/// message; a message, or fields and then a message. Other writers have flat lines with `msg`, `ts` and `session_id`.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogLine<'a> {
    /// When.
    pub time: Option<Timestamp>,
    /// How severe.
    pub level: Option<LogLevel>,
    /// The part of the gateway that wrote it, for example `agent/embedded`.
    pub subsystem: Option<String>,
    /// The text.
    pub message: Cow<'a, str>,
    /// The fields of the log call; in the flat form the whole line.
    pub fields: Option<RawJson<'a>>,
    /// The session that the line is about.
    pub session_id: Option<Cow<'a, str>>,
    /// The key of that session.
    pub session_key: Option<Cow<'a, str>>,
    /// The run that the line is about.
    pub run_id: Option<Cow<'a, str>>,
    /// The agent that the line is about.
    pub agent_id: Option<Cow<'a, str>>,
    /// Whether the line has the flat form.
    pub flat: bool,
}

impl<'a> LogLine<'a> {
    /// Parses one line; `None` when it is no JSON object.
    #[must_use]
    pub fn parse(line: &'a str) -> Option<Self> {
        let json = RawJson::parse(line.trim_start_matches('\u{feff}')).filter(|json| json.is_object())?;
        Some(if json.get("_meta").is_some() || json.get("0").is_some() {
            Self::positional(json)
        } else {
            Self::flat(json)
        })
    }

    fn positional(json: RawJson<'a>) -> Self {
        let text = |key: &str| json.get(key).and_then(RawJson::text);
        let meta = json.get("_meta");
        let first = text("0").unwrap_or_default();
        let subsystem = RawJson::parse(&first)
            .and_then(|first| first.get("subsystem"))
            .and_then(RawJson::text)
            .map(Cow::into_owned);
        let fields = json.get("1").filter(|fields| fields.is_object());
        let words = if subsystem.is_none() { Some(first) } else { text("1").or_else(|| text("2")) };
        let message = text("message").or(words).unwrap_or_default();
        let name = |keys: [&str; 2]| {
            let in_fields = |key: &str| fields?.get(key)?.text();
            in_fields(keys[0]).or_else(|| text(keys[1])).or_else(|| in_message(&message, keys[0]))
        };
        Self {
            time: json.get("time").or_else(|| meta?.get("date")).and_then(Timestamp::from_json),
            level: meta
                .and_then(|meta| meta.get("logLevelName"))
                .and_then(RawJson::text)
                .and_then(|t| level(&t)),
            session_id: name(["sessionId", "session_id"]),
            session_key: name(["sessionKey", "session_key"]),
            run_id: name(["runId", "run_id"]),
            agent_id: name(["agentId", "agent_id"]),
            subsystem,
            message,
            fields,
            flat: false,
        }
    }

    fn flat(json: RawJson<'a>) -> Self {
        let text = |keys: &[&str]| keys.iter().find_map(|key| json.get(key).and_then(RawJson::text));
        Self {
            time: ["ts", "time", "timestamp"]
                .iter()
                .find_map(|key| json.get(key).and_then(Timestamp::from_json)),
            level: text(&["level"]).and_then(|text| level(&text)),
            subsystem: text(&["subsystem"]).map(Cow::into_owned),
            message: text(&["msg", "message", "event"]).unwrap_or_default(),
            session_id: text(&["session_id", "sessionId"]),
            session_key: text(&["session_key", "sessionKey"]),
            run_id: text(&["run_id", "runId"]),
            agent_id: text(&["agent", "agent_id", "agentId"]),
            fields: Some(json),
            flat: true,
        }
    }
}

impl fmt::Debug for LogLine<'_> {
    /// Time, subsystem and ids; never content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogLine")
            .field("time", &self.time)
            .field("subsystem", &self.subsystem)
            .field("session_id", &self.session_id)
            .finish_non_exhaustive()
    }
}

/// `… runId=<value> …` in a text.
fn in_message<'a>(message: &str, key: &str) -> Option<Cow<'a, str>> {
    let (before, after) = message.split_once(&format!("{key}="))?;
    let starts_word = before.is_empty() || before.ends_with([' ', '(', ',', '[']);
    let value = after.split([' ', ',', ')', ']']).next().filter(|value| !value.is_empty())?;
    starts_word.then(|| Cow::Owned(value.to_owned()))
}

fn level(name: &str) -> Option<LogLevel> {
    Some(match name.to_ascii_lowercase().as_str() {
        "trace" => LogLevel::Trace,
        "debug" => LogLevel::Debug,
        "info" => LogLevel::Info,
        "warn" | "warning" => LogLevel::Warn,
        "error" => LogLevel::Error,
        "fatal" => LogLevel::Fatal,
        _ => return None,
    })
}

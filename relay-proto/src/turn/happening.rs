//! What a backend reports about a running turn.

use serde_json::Value;

use crate::frame::{Question, ReplyKind};
use crate::policy::UsageEvent;
use crate::text::non_blank;

/// One thing that happened in a running turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Happening {
    /// The reply so far.
    Partial {
        /// All of it.
        text: String,
        /// What was added, if the backend knows.
        delta: Option<String>,
        /// The text was rewritten.
        replace: bool,
    },
    /// A tool call started, as told by the host's reply options.
    ToolStart {
        /// Tool.
        name: String,
        /// Its parameters; only a shell tool's command goes on.
        params: Option<Value>,
    },
    /// A question with options.
    Choices(Vec<Question>),
    /// A reply was delivered.
    Reply {
        /// Text.
        text: String,
        /// What it is.
        kind: ReplyKind,
        /// Addresses of media.
        media_urls: Vec<String>,
    },
    /// A model call reported its usage.
    Usage(UsageEvent),
    /// The turn ended.
    Done(TurnEnd),
}

/// How the backend says that a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    /// The agent answered.
    Ok,
    /// The host did not run it.
    Dropped(Option<String>),
    /// It failed.
    Error(String),
    /// It was aborted, as asked.
    Aborted,
}

impl Happening {
    /// A partial as the host reports it: `{text?, delta?, replace?}`. What is no text counts as empty.
    #[must_use]
    pub fn partial(payload: &Value) -> Self {
        Self::Partial {
            text: payload.get("text").and_then(Value::as_str).unwrap_or_default().to_owned(),
            delta: payload.get("delta").and_then(Value::as_str).map(str::to_owned),
            replace: payload.get("replace") == Some(&Value::Bool(true)),
        }
    }

    /// A tool start as the host reports it: `{name, phase?, args?}`. Other phases and blank names are nothing.
    #[must_use]
    pub fn tool_start(payload: &Value) -> Option<Self> {
        if payload.get("phase").is_some_and(|phase| phase.as_str() != Some("start")) {
            return None;
        }
        let name = non_blank(payload.get("name")?.as_str()?)?;
        Some(Self::ToolStart { name: name.to_owned(), params: payload.get("args").cloned() })
    }

    /// A delivered reply as the host reports it: `{text?, mediaUrls?}` and `{kind?}`. Without text and media there is
    /// nothing to send.
    #[must_use]
    pub fn reply(payload: &Value, info: Option<&Value>) -> Option<Self> {
        let text = payload.get("text").and_then(Value::as_str).unwrap_or_default();
        let media_urls: Vec<String> = payload
            .get("mediaUrls")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        if non_blank(text).is_none() && media_urls.is_empty() {
            return None;
        }
        let kind = info.and_then(|info| info.get("kind")).and_then(Value::as_str);
        Some(Self::Reply {
            text: text.to_owned(),
            kind: kind.map(ReplyKind::from_word).unwrap_or_default(),
            media_urls,
        })
    }
}

//! The frames of both directions.

mod agent;
mod parts;
mod platform;

pub use agent::{
    AgentBody, AgentFrame, Hello, HelloAuth, Reply, ReplyPartial, ToolStart, TurnDone, TurnStarted, TurnUsage,
};
pub use parts::{
    Ack, AgentEntry, Choice, PluginInfo, Question, ReplyCounts, ReplyKind, Resume, Sender, TurnStatus,
    UsageTotals,
};
pub use platform::{AuthFrame, ChatState, ChatStatus, HelloAck, MessageFrame, PlatformBody, PlatformFrame};

use std::borrow::Cow;
use std::fmt;

use crate::error::{Error, ErrorKind};
use crate::json::Fields;
use crate::limits::Limits;
use crate::text::repair_surrogates;

/// A frame that this crate does not know: any JSON value, kept byte for byte.
#[derive(Clone, PartialEq, Eq)]
pub struct RawFrame {
    kind: Option<String>,
    text: String,
}

impl RawFrame {
    /// A frame with this JSON text. It is sent as it is.
    #[must_use]
    pub fn new(kind: Option<String>, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }

    /// Its `type`, when it is an object with a text there.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// The JSON text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for RawFrame {
    /// Type and size: what a stranger sent may hold anything.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawFrame({:?}, {} bytes)", self.kind, self.text.len())
    }
}

/// A frame's type and fields; `Err(raw)` for JSON that is no object with a text as `type`.
fn open<'a>(text: &'a str, limits: &Limits) -> Result<Result<(String, Fields<'a>), RawFrame>, Error> {
    if text.len() > limits.frame_bytes {
        return Err(Error::new(ErrorKind::TooLarge));
    }
    let Some(mut fields) = Fields::parse(text)? else {
        return Ok(Err(RawFrame::new(None, text)));
    };
    Ok(match fields.text("type") {
        Some(kind) => Ok((kind, fields)),
        None => Err(RawFrame::new(None, text)),
    })
}

/// Reads a frame, once more with half characters repaired when they stand in a name; in a value they are repaired
/// where the value is read.
fn read_or_repair<T>(text: &str, read: impl Fn(&str) -> Result<T, Error>) -> Result<T, Error> {
    read(text).or_else(|error| match repair_surrogates(text) {
        Cow::Owned(repaired) => read(&repaired),
        Cow::Borrowed(_) => Err(error),
    })
}

//! From a `message` frame to what a turn runs on.

use std::fmt;

use ::url::Url;

use crate::frame::{AuthFrame, MessageFrame, Sender};
use crate::id::{Id, TurnRef};
use crate::json::Extra;
use crate::limits::Limits;
use crate::secret::Secret;
use crate::text::{cut_units, exceeds_units, js_trim, non_blank};

/// Id of the person when the platform names none.
const DEFAULT_SENDER_ID: &str = "benchgen";
/// Name of the person when the platform names none.
const DEFAULT_SENDER_NAME: &str = "Benchgen";

/// Who delivered a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageOrigin {
    /// The authenticated platform, over the relay.
    Relay,
    /// A caller of the HTTP endpoint, by request number. It may not speak for a user: its `context` and `auth` are
    /// dropped.
    Http(u64),
}

/// A message that a turn can run on.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Conversation; made up when the platform named none.
    pub conversation_id: Id,
    /// Message; made up when the platform named none.
    pub message_id: Id,
    /// Whether the platform named the message. Only then can a second delivery be recognised.
    pub named: bool,
    /// What the user said, as it came.
    pub text: String,
    /// Who said it. Id and name are always there; [`Message::sender_known`] tells whether the id is the platform's.
    pub sender: Sender,
    /// Whether the platform named the sender's id.
    pub sender_known: bool,
    /// Agent that should answer.
    pub agent_id: Option<String>,
    /// When it was said, milliseconds since 1970-01-01 UTC.
    pub timestamp: Option<f64>,
    /// The platform's block about this user.
    pub context: Option<String>,
    /// The user's credential.
    pub credential: Option<Credential>,
}

/// A user's token and the API it is good for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The token: at most 512 units, no control characters.
    pub token: Secret,
    /// Root of the API, `http` or `https`, without a slash at the end.
    pub api_base: String,
}

/// Why a `message` cannot be run, with the ids it had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The ids it had.
    pub turn: TurnRef,
    /// The reason, fit for the user's eyes.
    pub reason: String,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.turn, self.reason)
    }
}

impl Message {
    /// Normalises a frame. `new_id` makes an id for each one that is missing.
    ///
    /// Text: required, not blank, at most [`Limits::text_units`]; not trimmed. Ids, sender and agent are trimmed and
    /// blank ones count as missing. Context: trimmed, then cut. A credential is taken whole or not at all.
    ///
    /// # Errors
    /// The reason and the ids the frame had.
    pub fn from_frame(
        frame: MessageFrame,
        origin: MessageOrigin,
        limits: &Limits,
        mut new_id: impl FnMut() -> Id,
    ) -> Result<Self, Rejection> {
        let turn = frame.turn;
        let refuse = |reason: String| Rejection { turn: turn.clone(), reason };
        let text = frame.text.filter(|text| non_blank(text).is_some());
        let Some(text) = text else {
            return Err(refuse(String::from("text is required")));
        };
        if exceeds_units(&text, limits.text_units) {
            return Err(refuse(format!("text exceeds {} characters", limits.text_units)));
        }
        let long = |id: &Option<Id>| id.as_ref().is_some_and(|id| id.too_long(limits));
        for (name, too_long) in [
            ("conversationId", long(&turn.conversation_id)),
            ("messageId", long(&turn.message_id)),
            ("agentId", frame.agent_id.as_ref().is_some_and(|id| exceeds_units(id, limits.id_units))),
        ] {
            if too_long {
                // The id itself is not echoed: it is what was too long.
                return Err(Rejection {
                    turn: TurnRef::default(),
                    reason: format!("{name} exceeds {} characters", limits.id_units),
                });
            }
        }
        let trusted = origin == MessageOrigin::Relay;
        let named = turn.message_id.is_some();
        let (sender, sender_known) = sender(frame.sender, limits);
        Ok(Self {
            conversation_id: turn.conversation_id.unwrap_or_else(&mut new_id),
            message_id: turn.message_id.unwrap_or_else(&mut new_id),
            named,
            text,
            sender,
            sender_known,
            agent_id: frame.agent_id.as_deref().and_then(non_blank).map(str::to_owned),
            timestamp: frame.timestamp,
            context: frame
                .context
                .as_deref()
                .filter(|_| trusted)
                .and_then(non_blank)
                .map(|block| cut_units(block, limits.context_units).to_owned()),
            credential: frame.auth.filter(|_| trusted).and_then(|auth| Credential::from_frame(&auth, limits)),
        })
    }

    /// The turn that this message asks for.
    #[must_use]
    pub fn turn(&self) -> TurnRef {
        TurnRef {
            conversation_id: Some(self.conversation_id.clone()),
            message_id: Some(self.message_id.clone()),
        }
    }
}

fn sender(given: Option<Sender>, limits: &Limits) -> (Sender, bool) {
    let part = |text: Option<String>| {
        let text = text?;
        non_blank(&text).map(|text| cut_units(text, limits.id_units).to_owned())
    };
    let given = given.unwrap_or_default();
    let id = part(given.id);
    let known = id.is_some();
    let sender = Sender {
        id: Some(id.unwrap_or_else(|| DEFAULT_SENDER_ID.to_owned())),
        name: Some(part(given.name).unwrap_or_else(|| DEFAULT_SENDER_NAME.to_owned())),
        extra: Extra::new(),
    };
    (sender, known)
}

impl Credential {
    /// A usable credential or nothing: half of one is of no use to a skill.
    fn from_frame(auth: &AuthFrame, limits: &Limits) -> Option<Self> {
        let token = non_blank(auth.token.expose())?;
        if exceeds_units(token, limits.token_units) || token.chars().any(char::is_control) {
            return None;
        }
        let api_base = js_trim(&auth.api_base).trim_end_matches('/');
        is_http_address(api_base).then(|| Self { token: Secret::new(token), api_base: api_base.to_owned() })
    }
}

/// `http(s)://host…` without blanks or control characters. A URL parser alone would forgive too much: it finds a
/// host in `https:///v1`.
fn is_http_address(address: &str) -> bool {
    let host_follows = address
        .split_once("://")
        .is_some_and(|(_, rest)| rest.chars().next().is_some_and(|c| !matches!(c, '/' | '?' | '#' | '\\')));
    host_follows
        && !address.chars().any(|c| c.is_whitespace() || c.is_control())
        && Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

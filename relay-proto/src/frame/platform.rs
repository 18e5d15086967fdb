//! Frames from the platform to the agent.

use super::parts::{Ack, Resume, Sender};
use super::{RawFrame, open, read_or_repair};
use crate::error::Error;
use crate::id::{Id, TurnRef};
use crate::json::{Extra, Fields, ObjectWriter};
use crate::limits::Limits;
use crate::secret::Secret;

/// One frame from the platform to the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct PlatformFrame {
    /// What it says.
    pub body: PlatformBody,
    /// Sequence number of the resumable extension, from 1.
    pub seq: Option<u64>,
    /// Fields that this crate does not know, or whose value it cannot use.
    pub extra: Extra,
}

/// The types of [`PlatformFrame`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PlatformBody {
    /// Run one turn.
    Message(Box<MessageFrame>),
    /// Is anyone there?
    Ping,
    /// The user stopped a turn.
    Abort(TurnRef),
    /// Answer to `hello`.
    HelloAck(HelloAck),
    /// Whether this agent is connected for chat.
    ChatStatus(ChatStatus),
    /// Acknowledgement of the resumable extension.
    Ack(Ack),
    /// Anything else, kept as it came.
    Unknown(RawFrame),
}

/// `message`, as it came. [`Message`](crate::Message) is what a turn runs on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MessageFrame {
    /// The ids.
    pub turn: TurnRef,
    /// What the user said.
    pub text: Option<String>,
    /// Who said it.
    pub sender: Option<Sender>,
    /// Agent that should answer.
    pub agent_id: Option<String>,
    /// When it was said, milliseconds since 1970-01-01 UTC.
    pub timestamp: Option<f64>,
    /// The platform's block about this user, for the system context.
    pub context: Option<String>,
    /// The user's credential: token and API base.
    pub auth: Option<AuthFrame>,
}

/// The credential of the user behind a `message`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuthFrame {
    /// The user's token.
    pub token: Secret,
    /// Root of the API that the token is good for.
    pub api_base: String,
    /// Fields that this crate does not know.
    pub extra: Extra,
}

/// `hello.ack`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HelloAck {
    /// Protocol version.
    pub protocol: Option<u64>,
    /// The platform's id of this agent.
    pub agent_id: Option<Id>,
    /// State of the chat.
    pub chat: Option<ChatState>,
    /// Present when the platform speaks the resumable extension.
    pub resume: Option<Resume>,
}

/// Part of [`HelloAck`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChatState {
    /// The agent is connected for chat.
    pub connected: Option<bool>,
    /// Chat is switched off for it.
    pub disabled: Option<bool>,
}

/// `chat.status`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatStatus {
    /// The agent is connected for chat.
    pub connected: Option<bool>,
    /// Why it was not connected, as JSON text: the platform sends a text or a flag.
    pub skipped: Option<String>,
    /// What went wrong.
    pub error: Option<String>,
}

impl From<PlatformBody> for PlatformFrame {
    fn from(body: PlatformBody) -> Self {
        Self { body, seq: None, extra: Extra::new() }
    }
}

impl PlatformFrame {
    /// Reads one frame. O(length); unknown types and fields, and fields of an unusable type, are kept.
    ///
    /// # Errors
    /// `TooLarge` above [`Limits::frame_bytes`], `NotJson` for text that is not one JSON value.
    pub fn decode(text: &str, limits: &Limits) -> Result<Self, Error> {
        read_or_repair(text, |text| Self::read(text, limits))
    }

    fn read(text: &str, limits: &Limits) -> Result<Self, Error> {
        let (kind, mut fields) = match open(text, limits)? {
            Ok(opened) => opened,
            Err(raw) => return Ok(PlatformBody::Unknown(raw).into()),
        };
        let Some(body) = PlatformBody::read(&kind, &mut fields) else {
            return Ok(PlatformBody::Unknown(RawFrame::new(Some(kind), text)).into());
        };
        Ok(Self { body, seq: fields.unsigned("seq"), extra: fields.rest() })
    }

    /// Writes the frame: `type`, the fields of version 1, unknown fields, `seq`. An unknown frame is written byte
    /// for byte.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut out = match &self.body {
            PlatformBody::Unknown(raw) => return raw.text().to_owned(),
            body => ObjectWriter::frame(body.kind().unwrap_or_default()),
        };
        self.body.write(&mut out);
        out.extra(&self.extra);
        out.opt_display("seq", self.seq);
        out.finish()
    }

    /// The word in `type`.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        self.body.kind()
    }
}

impl PlatformBody {
    /// The word in `type`; `None` only for an unknown frame without one.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        Some(match self {
            Self::Message(_) => "message",
            Self::Ping => "ping",
            Self::Abort(_) => "abort",
            Self::HelloAck(_) => "hello.ack",
            Self::ChatStatus(_) => "chat.status",
            Self::Ack(_) => "ack",
            Self::Unknown(raw) => return raw.kind(),
        })
    }

    fn read(kind: &str, fields: &mut Fields<'_>) -> Option<Self> {
        Some(match kind {
            "message" => Self::Message(Box::new(MessageFrame::read(fields))),
            "ping" => Self::Ping,
            "abort" => Self::Abort(TurnRef::read(fields)),
            "hello.ack" => Self::HelloAck(HelloAck {
                protocol: fields.unsigned("protocol"),
                agent_id: fields.read_field("agentId", Id::read),
                chat: fields.read_field("chat", |field| {
                    let mut chat = field.object()?;
                    let state =
                        ChatState { connected: chat.bool("connected"), disabled: chat.bool("disabled") };
                    chat.rest().is_empty().then_some(state)
                }),
                resume: Resume::read(fields),
            }),
            "chat.status" => Self::ChatStatus(ChatStatus {
                connected: fields.bool("connected"),
                skipped: fields.read_field("skipped", |field| Some(field.raw.get().to_owned())),
                error: fields.text("error"),
            }),
            "ack" => Self::Ack(Ack::read(fields)?),
            _ => return None,
        })
    }

    fn write(&self, out: &mut ObjectWriter) {
        match self {
            Self::Message(message) => message.write(out),
            Self::Abort(turn) => turn.write(out),
            Self::HelloAck(ack) => {
                out.opt_display("protocol", ack.protocol);
                if let Some(id) = &ack.agent_id {
                    id.write("agentId", out);
                }
                if let Some(chat) = ack.chat {
                    out.object("chat", |out| {
                        out.opt_display("connected", chat.connected);
                        out.opt_display("disabled", chat.disabled);
                    });
                }
                if let Some(resume) = &ack.resume {
                    resume.write(out);
                }
            }
            Self::ChatStatus(status) => {
                out.opt_display("connected", status.connected);
                if let Some(raw) = &status.skipped {
                    out.raw("skipped", raw);
                }
                out.opt_text("error", status.error.as_deref());
            }
            Self::Ack(ack) => ack.write(out),
            Self::Ping | Self::Unknown(_) => {}
        }
    }
}

impl MessageFrame {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            turn: TurnRef::read(fields),
            text: fields.text("text"),
            sender: fields.object("sender", Sender::read),
            agent_id: fields.text("agentId"),
            timestamp: fields.number("timestamp"),
            context: fields.text("context"),
            auth: fields.read_field("auth", |field| {
                let mut auth = field.object()?;
                Some(AuthFrame {
                    token: Secret::new(auth.text("token")?),
                    api_base: auth.text("apiBase")?,
                    extra: auth.rest(),
                })
            }),
        }
    }

    fn write(&self, out: &mut ObjectWriter) {
        self.turn.write(out);
        out.opt_text("text", self.text.as_deref());
        if let Some(sender) = &self.sender {
            out.object("sender", |out| sender.write(out));
        }
        out.opt_text("agentId", self.agent_id.as_deref());
        if let Some(timestamp) = self.timestamp {
            out.number("timestamp", timestamp);
        }
        out.opt_text("context", self.context.as_deref());
        if let Some(auth) = &self.auth {
            out.object("auth", |out| {
                out.text("token", auth.token.expose());
                out.text("apiBase", &auth.api_base);
                out.extra(&auth.extra);
            });
        }
    }
}

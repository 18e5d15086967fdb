//! Frames from the agent to the platform.

use std::fmt;

use super::parts::{
    Ack, AgentEntry, PluginInfo, Question, ReplyCounts, ReplyKind, Resume, Sender, TurnStatus, UsageTotals,
};
use super::{RawFrame, open, read_or_repair};
use crate::error::Error;
use crate::id::TurnRef;
use crate::json::{Extra, Field, Fields, ObjectWriter};
use crate::limits::Limits;
use crate::secret::Keys;

/// One frame from the agent to the platform.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentFrame {
    /// What it says.
    pub body: AgentBody,
    /// When it was made, milliseconds since 1970-01-01 UTC. Every frame of version 1 carries it.
    pub ts: Option<i64>,
    /// Sequence number of the resumable extension, from 1.
    pub seq: Option<u64>,
    /// Fields that this crate does not know.
    pub extra: Extra,
}

/// The types of [`AgentFrame`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AgentBody {
    /// Sent first on every connection.
    Hello(Box<Hello>),
    /// The message was accepted and the agent is running.
    TurnStarted(TurnStarted),
    /// The turn is alive. No content.
    TurnProgress(TurnRef),
    /// The reply so far.
    ReplyPartial(ReplyPartial),
    /// The agent started a tool call.
    ToolStart(ToolStart),
    /// The agent asked a question with options.
    Choices(TurnRef, Vec<Question>),
    /// A delivered reply.
    Reply(Reply),
    /// The end of the turn; always its last frame but for `turn.usage`.
    TurnDone(TurnDone),
    /// What the turn spent.
    TurnUsage(Box<TurnUsage>),
    /// Answer to a `ping`.
    Pong,
    /// Acknowledgement of the resumable extension.
    Ack(Ack),
    /// Anything else, kept as it came.
    Unknown(RawFrame),
}

/// `hello`.
#[derive(Debug, Clone, PartialEq)]
pub struct Hello {
    /// Protocol version, 1.
    pub protocol: u64,
    /// The keys, repeated for relays that cannot read upgrade headers.
    pub auth: Option<HelloAuth>,
    /// The program at this end.
    pub plugin: PluginInfo,
    /// Version of the gateway.
    pub openclaw_version: Option<String>,
    /// The agents that can be asked.
    pub agents: Vec<AgentEntry>,
    /// What this end can do: `partial`, `tools`, `sessions`, `http`, `abort`.
    pub capabilities: Vec<String>,
    /// The session to go on with, once the extension has been agreed on.
    pub resume: Option<Resume>,
}

/// `hello.auth`.
#[derive(Debug, Clone, PartialEq)]
pub struct HelloAuth {
    /// The project keys.
    pub keys: Keys,
    /// Fields that this crate does not know.
    pub extra: Extra,
}

impl From<Keys> for HelloAuth {
    fn from(keys: Keys) -> Self {
        Self { keys, extra: Extra::new() }
    }
}

/// `turn.started`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnStarted {
    /// The turn.
    pub turn: TurnRef,
    /// Session that the turn runs in.
    pub session_key: String,
    /// Agent that answers.
    pub agent_id: String,
}

/// `reply.partial`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyPartial {
    /// The turn.
    pub turn: TurnRef,
    /// The reply so far. `None` only in the resumable extension, where `delta` continues the text at `from`.
    pub text: Option<String>,
    /// What was added.
    pub delta: Option<String>,
    /// The text was rewritten, not continued.
    pub replace: bool,
    /// Length in bytes (UTF-8) of the text that `delta` continues. Extension only.
    pub from: Option<u64>,
}

/// `tool.start`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolStart {
    /// The turn.
    pub turn: TurnRef,
    /// Name of the tool.
    pub name: String,
    /// The command of a shell tool; no other argument leaves the gateway.
    pub command: Option<String>,
}

/// `reply`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// The turn.
    pub turn: TurnRef,
    /// Text, empty when only media are delivered.
    pub text: String,
    /// What it is.
    pub kind: ReplyKind,
    /// Addresses of media.
    pub media_urls: Vec<String>,
}

/// `turn.done`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnDone {
    /// The turn.
    pub turn: TurnRef,
    /// How it ended.
    pub status: TurnStatus,
    /// Why it failed.
    pub error: Option<String>,
    /// Why it was dropped, or `duplicate` for the repeated acknowledgement of a message delivered twice.
    pub reason: Option<String>,
    /// Session that the turn ran in; unknown for a message that was refused.
    pub session_key: Option<String>,
    /// Agent that answered.
    pub agent_id: Option<String>,
    /// What was delivered.
    pub replies: Option<ReplyCounts>,
}

/// `turn.usage`.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnUsage {
    /// The turn.
    pub turn: TurnRef,
    /// Session that the turn ran in.
    pub session_key: String,
    /// Agent that answered.
    pub agent_id: String,
    /// How the turn ended.
    pub status: TurnStatus,
    /// Who asked.
    pub sender: Sender,
    /// What was spent.
    pub usage: UsageTotals,
    /// Tool calls started.
    pub tool_calls: u64,
    /// From `turn.started` to `turn.done`, milliseconds.
    pub duration_ms: u64,
}

impl From<AgentBody> for AgentFrame {
    fn from(body: AgentBody) -> Self {
        Self { body, ts: None, seq: None, extra: Extra::new() }
    }
}

impl AgentFrame {
    /// Reads one frame. O(length); unknown types and fields are kept.
    ///
    /// # Errors
    /// `TooLarge` above [`Limits::frame_bytes`], `NotJson` for text that is not one JSON value.
    pub fn decode(text: &str, limits: &Limits) -> Result<Self, Error> {
        read_or_repair(text, |text| Self::read(text, limits))
    }

    fn read(text: &str, limits: &Limits) -> Result<Self, Error> {
        let (kind, mut fields) = match open(text, limits)? {
            Ok(opened) => opened,
            Err(raw) => return Ok(AgentBody::Unknown(raw).into()),
        };
        let Some(body) = AgentBody::read(&kind, &mut fields) else {
            return Ok(AgentBody::Unknown(RawFrame::new(Some(kind), text)).into());
        };
        Ok(Self { body, ts: fields.signed("ts"), seq: fields.unsigned("seq"), extra: fields.rest() })
    }

    /// Writes the frame: `type`, the fields of version 1 in their documented order, unknown fields, `ts`, `seq`.
    /// An unknown frame is written byte for byte.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut out = match &self.body {
            AgentBody::Unknown(raw) => return raw.text().to_owned(),
            body => ObjectWriter::frame(body.kind().unwrap_or_default()),
        };
        self.body.write(&mut out);
        out.extra(&self.extra);
        out.opt_display("ts", self.ts);
        out.opt_display("seq", self.seq);
        out.finish()
    }

    /// The word in `type`.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        self.body.kind()
    }
}

impl AgentBody {
    /// The word in `type`; `None` only for an unknown frame without one.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        Some(match self {
            Self::Hello(_) => "hello",
            Self::TurnStarted(_) => "turn.started",
            Self::TurnProgress(_) => "turn.progress",
            Self::ReplyPartial(_) => "reply.partial",
            Self::ToolStart(_) => "tool.start",
            Self::Choices(..) => "choices",
            Self::Reply(_) => "reply",
            Self::TurnDone(_) => "turn.done",
            Self::TurnUsage(_) => "turn.usage",
            Self::Pong => "pong",
            Self::Ack(_) => "ack",
            Self::Unknown(raw) => return raw.kind(),
        })
    }

    /// The turn that the frame belongs to.
    #[must_use]
    pub fn turn(&self) -> Option<&TurnRef> {
        match self {
            Self::TurnStarted(frame) => Some(&frame.turn),
            Self::TurnProgress(turn) | Self::Choices(turn, _) => Some(turn),
            Self::ReplyPartial(frame) => Some(&frame.turn),
            Self::ToolStart(frame) => Some(&frame.turn),
            Self::Reply(frame) => Some(&frame.turn),
            Self::TurnDone(frame) => Some(&frame.turn),
            Self::TurnUsage(frame) => Some(&frame.turn),
            Self::Hello(_) | Self::Pong | Self::Ack(_) | Self::Unknown(_) => None,
        }
    }

    fn read(kind: &str, fields: &mut Fields<'_>) -> Option<Self> {
        Some(match kind {
            "hello" => Self::Hello(Box::new(Hello::read(fields))),
            "turn.started" => Self::TurnStarted(TurnStarted {
                turn: TurnRef::read(fields),
                session_key: fields.text("sessionKey").unwrap_or_default(),
                agent_id: fields.text("agentId").unwrap_or_default(),
            }),
            "turn.progress" => Self::TurnProgress(TurnRef::read(fields)),
            "reply.partial" => Self::ReplyPartial(ReplyPartial {
                turn: TurnRef::read(fields),
                text: fields.text("text"),
                delta: fields.text("delta"),
                replace: fields
                    .read_field("replace", |field| (field.raw.get() == "true").then_some(true))
                    .is_some(),
                from: fields.unsigned("from"),
            }),
            "tool.start" => Self::ToolStart(ToolStart {
                turn: TurnRef::read(fields),
                name: fields.text("name").unwrap_or_default(),
                command: fields.read_field("args", |field| {
                    let mut args = field.object()?;
                    let command = args.text("command")?;
                    // Arguments with more than a command stay whole among the unknown fields.
                    args.rest().is_empty().then_some(command)
                }),
            }),
            "choices" => Self::Choices(
                TurnRef::read(fields),
                fields.objects("questions", Question::read).unwrap_or_default(),
            ),
            "reply" => Self::Reply(Reply {
                turn: TurnRef::read(fields),
                text: fields.text("text").unwrap_or_default(),
                kind: fields.text("kind").map(|word| ReplyKind::from_word(&word)).unwrap_or_default(),
                media_urls: fields.read_field("mediaUrls", Field::some_texts).unwrap_or_default(),
            }),
            "turn.done" => Self::TurnDone(TurnDone {
                turn: TurnRef::read(fields),
                // A turn that ended without a status did end.
                status: fields.text("status").map_or(TurnStatus::Ok, TurnStatus::read),
                error: fields.text("error"),
                reason: fields.text("reason"),
                session_key: fields.text("sessionKey"),
                agent_id: fields.text("agentId"),
                replies: ReplyCounts::read(fields),
            }),
            "turn.usage" => Self::TurnUsage(Box::new(TurnUsage {
                turn: TurnRef::read(fields),
                session_key: fields.text("sessionKey").unwrap_or_default(),
                agent_id: fields.text("agentId").unwrap_or_default(),
                status: fields.text("status").map_or(TurnStatus::Ok, TurnStatus::read),
                sender: fields.object("sender", Sender::read).unwrap_or_default(),
                usage: fields.object("usage", UsageTotals::read).unwrap_or_default(),
                tool_calls: fields.unsigned("toolCalls").unwrap_or_default(),
                duration_ms: fields.unsigned("durationMs").unwrap_or_default(),
            })),
            "pong" => Self::Pong,
            "ack" => Self::Ack(Ack::read(fields)?),
            _ => return None,
        })
    }

    fn write(&self, out: &mut ObjectWriter) {
        if let Some(turn) = self.turn() {
            turn.write(out);
        }
        match self {
            Self::Hello(hello) => hello.write(out),
            Self::TurnStarted(frame) => {
                out.text("sessionKey", &frame.session_key);
                out.text("agentId", &frame.agent_id);
            }
            Self::ReplyPartial(frame) => {
                out.opt_text("text", frame.text.as_deref());
                out.opt_text("delta", frame.delta.as_deref());
                if frame.replace {
                    out.raw("replace", "true");
                }
                out.opt_display("from", frame.from);
            }
            Self::ToolStart(frame) => {
                out.text("name", &frame.name);
                if let Some(command) = &frame.command {
                    out.object("args", |out| out.text("command", command));
                }
            }
            Self::Choices(_, questions) => out.objects("questions", questions, Question::write),
            Self::Reply(frame) => {
                out.text("text", &frame.text);
                out.text("kind", frame.kind.as_str());
                if !frame.media_urls.is_empty() {
                    out.texts("mediaUrls", &frame.media_urls);
                }
            }
            Self::TurnDone(frame) => {
                out.text("status", frame.status.as_str());
                out.opt_text("error", frame.error.as_deref());
                out.opt_text("reason", frame.reason.as_deref());
                out.opt_text("sessionKey", frame.session_key.as_deref());
                out.opt_text("agentId", frame.agent_id.as_deref());
                if let Some(replies) = frame.replies {
                    replies.write(out);
                }
            }
            Self::TurnUsage(frame) => {
                out.text("sessionKey", &frame.session_key);
                out.text("agentId", &frame.agent_id);
                out.text("status", frame.status.as_str());
                out.object("sender", |out| frame.sender.write(out));
                out.object("usage", |out| frame.usage.write(out));
                out.display("toolCalls", frame.tool_calls);
                out.display("durationMs", frame.duration_ms);
            }
            Self::Ack(ack) => ack.write(out),
            Self::TurnProgress(_) | Self::Pong | Self::Unknown(_) => {}
        }
    }
}

impl Hello {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            protocol: fields.unsigned("protocol").unwrap_or_default(),
            auth: fields.read_field("auth", |field| {
                let mut auth = field.object()?;
                let keys = Keys::new(auth.text("publicKey")?, auth.text("secretKey")?);
                Some(HelloAuth { keys, extra: auth.rest() })
            }),
            plugin: fields
                .object("plugin", |mut plugin| PluginInfo {
                    name: plugin.text("name"),
                    version: plugin.text("version"),
                    extra: plugin.rest(),
                })
                .unwrap_or_default(),
            openclaw_version: fields.read_field("host", |field| {
                let mut host = field.object()?;
                let version = host.text("openclawVersion")?;
                host.rest().is_empty().then_some(version)
            }),
            agents: fields
                .objects("agents", |mut agent| AgentEntry {
                    id: agent.text("id").unwrap_or_default(),
                    default: agent.bool("default").unwrap_or_default(),
                    extra: agent.rest(),
                })
                .unwrap_or_default(),
            capabilities: fields.texts("capabilities").unwrap_or_default(),
            resume: Resume::read(fields),
        }
    }

    fn write(&self, out: &mut ObjectWriter) {
        out.display("protocol", self.protocol);
        if let Some(auth) = &self.auth {
            out.object("auth", |out| {
                out.text("publicKey", auth.keys.public().expose());
                out.text("secretKey", auth.keys.secret().expose());
                out.extra(&auth.extra);
            });
        }
        out.object("plugin", |out| {
            out.opt_text("name", self.plugin.name.as_deref());
            out.opt_text("version", self.plugin.version.as_deref());
            out.extra(&self.plugin.extra);
        });
        if let Some(version) = &self.openclaw_version {
            out.object("host", |out| out.text("openclawVersion", version));
        }
        out.objects("agents", &self.agents, |agent, out| {
            out.text("id", &agent.id);
            out.display("default", agent.default);
            out.extra(&agent.extra);
        });
        out.texts("capabilities", &self.capabilities);
        if let Some(resume) = &self.resume {
            resume.write(out);
        }
    }
}

impl fmt::Display for AgentFrame {
    /// The type and the turn, never the content: fit for a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind().unwrap_or("(no type)"))?;
        match self.body.turn() {
            Some(turn) => write!(f, " {turn}"),
            None => Ok(()),
        }
    }
}

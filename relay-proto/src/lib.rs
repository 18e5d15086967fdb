//! How do agent and platform talk?
//!
//! The chat relay protocol, version 1, for both ends: frames, state machines and the rules around them. Nothing here
//! opens a socket, reads a clock or starts a thread. The caller feeds events and the time, drains outputs, and asks
//! when to come back; so the same code runs in a gateway, in a test with a virtual clock and in a simulation of years.
//!
//! Three types to begin with:
//!
//! - [`AgentFrame`] and [`PlatformFrame`]: what goes over the wire. What is not known is kept and written back.
//! - [`Client`]: the agent's end. It keeps a connection, runs turns through a [`TurnQueue`] and lets nothing overtake.
//! - [`Server`]: the platform's end. It checks keys, sends messages and collects what comes of them.
//!
//! ```
//! use clawgauge_relay_proto::{
//!     Client, ClientConfig, ClientOutput, Happening, Identity, Keys, Now, ReplyKind, TurnEnd,
//! };
//!
//! let keys = Keys::new("pk-1", "sk-1");
//! let mut client = Client::new(ClientConfig::new("wss://relay.example/x", Identity::new(keys), 42));
//! let now = Now::new(0, 1_772_359_200_000);
//! client.start(now);
//! let mut sent = Vec::new();
//! while let Some(output) = client.poll_output() {
//!     match output {
//!         ClientOutput::Connect { socket, .. } => {
//!             client.opened(socket, now);
//!             let message = r#"{"type":"message","conversationId":"c1","messageId":"m1","text":"hi"}"#;
//!             client.received(socket, message, now);
//!         }
//!         ClientOutput::StartTurn(start) => {
//!             let text = format!("you said: {}", start.message.text);
//!             let reply = Happening::Reply { text, kind: ReplyKind::Final, media_urls: Vec::new() };
//!             client.happened(start.turn, reply, now);
//!             client.happened(start.turn, Happening::Done(TurnEnd::Ok), now);
//!         }
//!         ClientOutput::Send { text, .. } => sent.push(text.into_string()),
//!         _ => {}
//!     }
//! }
//! let kinds: Vec<&str> = sent.iter().filter_map(|text| text.split('"').nth(3)).collect();
//! assert_eq!(kinds, ["hello", "turn.started", "reply", "turn.done"]);
//! ```
//!
//! # What is promised
//!
//! - Every message gets exactly one `turn.done`, always the last frame of its turn but for one `turn.usage`.
//! - Frames of a turn keep their order, over reconnects too. What the [`Outbox`] could not keep, and what a lost
//!   connection may have swallowed, is in [`Client::report`].
//! - With the resumable extension ([`RESUME_CAPABILITY`]), which a platform of version 1 does not notice, every frame
//!   arrives exactly once, over any number of disconnects.
//! - A [`Secret`] shows in no `Debug`, log line or error, and in no frame but `hello.auth`.
//!
//! # The rules around it
//!
//! [`Keys::authorize`] (who may call), [`Message`] (what an inbound message means), [`UsageLedger`] (usage by turn),
//! [`ExecEnv`] (the user's credential for shell tools), [`AskUser`] (questions as buttons), [`Guard`] (private paths),
//! [`Settings`] (config, environment, default), [`http_call`] (the gateway's own endpoint).
//!
#![doc = include_str!("../PROTOCOL.md")]

mod client;
mod error;
mod frame;
mod http;
mod id;
mod json;
mod limits;
mod log;
mod outbox;
mod policy;
mod resume;
mod secret;
mod server;
mod text;
mod time;
mod turn;

pub use client::{
    Backoff, BackoffConfig, Client, ClientConfig, ClientOutput, ClientReport, Identity, LinkConfig, PROTOCOL,
    Randomness, SocketId, WireText, close_code,
};
pub use error::{Error, ErrorKind};
pub use frame::{
    Ack, AgentBody, AgentEntry, AgentFrame, AuthFrame, ChatState, ChatStatus, Choice, Hello, HelloAck,
    HelloAuth, MessageFrame, PlatformBody, PlatformFrame, PluginInfo, Question, RawFrame, Reply, ReplyCounts,
    ReplyKind, ReplyPartial, Resume, Sender, ToolStart, TurnDone, TurnStarted, TurnStatus, TurnUsage,
    UsageTotals,
};
pub use http::{
    HTTP_PATH, HttpCall, HttpCollector, HttpRequest, HttpResponse, HttpStatus, http_call, sse_event,
    sse_frame,
};
pub use id::{Id, TurnRef};
pub use json::Extra;
pub use limits::Limits;
pub use log::{Level, LogLine};
pub use outbox::{DropReport, Outbox, OutboxLimits};
pub use policy::{
    ASK_USER, Agents, AskUser, ChatSettings, Credential, DEFAULT_RELAY_URL, ExecEnv, Guard, Message,
    MessageOrigin, PluginSettings, PrivateSettings, Refusal, Rejection, SHELL_TOOLS, SessionScope, Setting,
    Settings, Source, UsageEvent, UsageLedger, check_relay_url, is_shell_tool, missing_host_functions,
    relay_url_from_base,
};
pub use resume::RESUME_CAPABILITY;
pub use secret::{Keys, Secret};
pub use server::{
    ConnId, KeyLookup, KeyVerdict, Presented, SendRefused, Server, ServerConfig, ServerOutput, TurnFate,
    TurnRecord,
};
pub use time::Now;
pub use turn::{Happening, ToolDecision, TurnConfig, TurnEnd, TurnLimits, TurnOutput, TurnQueue, TurnStart};

//! What a server is told and what it asks for.

use std::fmt;

use super::record::TurnRecord;
use crate::client::WireText;
use crate::frame::AgentFrame;
use crate::limits::Limits;
use crate::log::LogLine;

/// Names one connection. The caller counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnId(pub u64);

/// How a [`Server`](crate::Server) works.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// For a valid `hello` after the connection opened. Default 10,000 ms.
    pub hello_timeout_ms: u64,
    /// Between two `ping` frames. Default 30,000 ms.
    pub ping_interval_ms: u64,
    /// Without any frame for this long after a ping the connection is dead. Default 10,000 ms.
    pub pong_timeout_ms: u64,
    /// Without a frame of a turn for this long it is given up. Default 300,000 ms.
    pub quiet_turn_ms: u64,
    /// A turn is given up after this long in all. Default 900,000 ms.
    pub longest_turn_ms: u64,
    /// Messages that may wait for an agent to connect. Default 100.
    pub waiting: usize,
    /// Finished turns whose record is kept for each agent. Default 1,000.
    pub records: usize,
    /// Connections that have not said `hello`. Default 1,000.
    pub strangers: usize,
    /// Speak the resumable extension with agents that offer it.
    pub resume: bool,
    /// Bounds on a frame.
    pub limits: Limits,
    /// Makes the ids of messages and sessions; must differ between two runs of a program.
    pub seed: u128,
}

impl ServerConfig {
    /// The documented defaults with this seed.
    #[must_use]
    pub fn new(seed: u128) -> Self {
        Self {
            hello_timeout_ms: 10_000,
            ping_interval_ms: 30_000,
            pong_timeout_ms: 10_000,
            quiet_turn_ms: 300_000,
            longest_turn_ms: 900_000,
            waiting: 100,
            records: 1_000,
            strangers: 1_000,
            resume: true,
            limits: Limits::default(),
            seed,
        }
    }
}

/// What a [`Server`](crate::Server) asks its owner to do, or tells it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ServerOutput {
    /// Send a text frame.
    Send {
        /// On this connection.
        conn: ConnId,
        /// The frame.
        text: WireText,
    },
    /// Close the connection with this code.
    Close {
        /// This connection.
        conn: ConnId,
        /// WebSocket close code.
        code: u16,
        /// A few words for the other end's log.
        reason: &'static str,
    },
    /// An agent is there.
    Connected {
        /// Whose keys they are.
        agent: String,
    },
    /// An agent is gone.
    Disconnected {
        /// Whose keys they were.
        agent: String,
    },
    /// A frame of an agent, in order, each once; partials hold their whole text.
    Frame {
        /// Who sent it.
        agent: String,
        /// The frame.
        frame: Box<AgentFrame>,
    },
    /// A turn is over: ended by the agent, or given up.
    TurnOver {
        /// Whose turn.
        agent: String,
        /// What was collected.
        record: Box<TurnRecord>,
    },
    /// Write this to the log.
    Log(LogLine),
}

/// Why a message was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendRefused {
    /// No agent with this name has ever connected.
    UnknownAgent,
    /// Too many messages wait for it already.
    TooManyWaiting,
    /// A turn with these ids is running or on record.
    IdInUse,
}

impl fmt::Display for SendRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownAgent => "no such agent",
            Self::TooManyWaiting => "too many messages are waiting",
            Self::IdInUse => "the message id is in use",
        })
    }
}

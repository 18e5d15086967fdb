//! What a state machine asks its owner to do.

use std::fmt;

use crate::frame::AgentFrame;
use crate::log::LogLine;
use crate::secret::Secret;
use crate::turn::TurnStart;

/// Names one connection attempt. Events of an older one are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId(pub u64);

/// Text for the wire. `Debug` shows its size only: a `hello` holds the keys, a `message` a user's token.
#[derive(Clone, PartialEq, Eq)]
pub struct WireText(String);

impl WireText {
    pub(crate) fn new(text: String) -> Self {
        Self(text)
    }

    /// The text to put into one WebSocket text frame.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text to put into one WebSocket text frame.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Debug for WireText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WireText({} bytes)", self.0.len())
    }
}

/// What a [`Client`](crate::Client) asks its owner to do.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ClientOutput {
    /// Open a WebSocket with these upgrade headers, then report [`Client::opened`](crate::Client::opened) or
    /// [`Client::closed`](crate::Client::closed).
    Connect {
        /// Name of the connection.
        socket: SocketId,
        /// Address.
        url: String,
        /// Upgrade headers.
        headers: Vec<(&'static str, Secret)>,
    },
    /// Send a text frame. If that fails, say so with [`Client::send_failed`](crate::Client::send_failed) before
    /// polling again.
    Send {
        /// On this connection.
        socket: SocketId,
        /// The frame.
        text: WireText,
    },
    /// Send a WebSocket ping with this payload.
    Ping {
        /// On this connection.
        socket: SocketId,
        /// Comes back in the pong.
        payload: u64,
    },
    /// Close the connection. `hard`: it is dead, do not wait for a closing handshake.
    Close {
        /// This connection.
        socket: SocketId,
        /// Without a handshake.
        hard: bool,
    },
    /// Run this turn and report with [`Client::happened`](crate::Client::happened).
    StartTurn(Box<TurnStart>),
    /// Stop this turn and report its end.
    AbortTurn(u64),
    /// A frame for the HTTP caller with this request number.
    Http {
        /// Number given to [`Client::http_message`](crate::Client::http_message).
        request: u64,
        /// The frame.
        frame: Box<AgentFrame>,
    },
    /// Write this to the log.
    Log(LogLine),
}

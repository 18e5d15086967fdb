//! One connection after the other: opening, heartbeat, waiting.

use super::backoff::{Backoff, BackoffConfig};
use super::output::SocketId;

/// How a connection is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkConfig {
    /// Between two pings. Default 30,000 ms.
    pub ping_interval_ms: u64,
    /// Without any inbound frame for this long after a ping the connection is dead. Default 10,000 ms.
    pub pong_timeout_ms: u64,
    /// For opening a connection. Default 30,000 ms.
    pub connect_timeout_ms: u64,
    /// Waiting times between connections.
    pub backoff: BackoffConfig,
    /// Where chance comes from.
    pub randomness: Randomness,
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            ping_interval_ms: 30_000,
            pong_timeout_ms: 10_000,
            connect_timeout_ms: 30_000,
            backoff: BackoffConfig::default(),
            randomness: Randomness::Seed(0),
        }
    }
}

/// Where the jitter of the backoff comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Randomness {
    /// A sequence of numbers from this seed.
    Seed(u64),
    /// Always this number, between 0 and 1.
    Fixed(f64),
}

impl Randomness {
    #[allow(clippy::cast_precision_loss, reason = "the 53 highest bits are exact")]
    fn next(&mut self) -> f64 {
        match self {
            Self::Fixed(value) => *value,
            Self::Seed(state) => {
                // SplitMix64.
                *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
                let mut z = *state;
                z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Stopped,
    Waiting { until: u64 },
    Connecting { socket: SocketId, until: u64 },
    Open { socket: SocketId, since: u64 },
}

/// What the link wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkEvent {
    Connect(SocketId),
    Ping(SocketId, u64),
    /// No sign of life, or it never opened.
    Dead(SocketId, &'static str),
}

/// The life of connections, without knowing what is said on them.
#[derive(Debug, Clone)]
pub(super) struct Link {
    config: LinkConfig,
    pub(super) phase: Phase,
    backoff: Backoff,
    sockets: u64,
    next_ping: u64,
    pings: u64,
    alive_by: Option<u64>,
}

impl Link {
    pub(super) fn new(config: LinkConfig) -> Self {
        Self {
            backoff: Backoff::new(config.backoff),
            config,
            phase: Phase::Stopped,
            sockets: 0,
            next_ping: 0,
            pings: 0,
            alive_by: None,
        }
    }

    pub(super) fn open_socket(&self) -> Option<SocketId> {
        match self.phase {
            Phase::Open { socket, .. } => Some(socket),
            _ => None,
        }
    }

    /// Whether an event of this socket counts.
    pub(super) fn is_current(&self, socket: SocketId) -> bool {
        matches!(self.phase, Phase::Open { socket: own, .. } | Phase::Connecting { socket: own, .. } if own == socket)
    }

    pub(super) fn connect(&mut self, now: u64) -> LinkEvent {
        self.sockets += 1;
        let socket = SocketId(self.sockets);
        self.phase = Phase::Connecting { socket, until: now.saturating_add(self.config.connect_timeout_ms) };
        LinkEvent::Connect(socket)
    }

    pub(super) fn opened(&mut self, socket: SocketId, now: u64) -> bool {
        match self.phase {
            Phase::Connecting { socket: own, .. } if own == socket => {
                self.phase = Phase::Open { socket, since: now };
                self.next_ping = now.saturating_add(self.config.ping_interval_ms);
                self.alive_by = None;
                true
            }
            _ => false,
        }
    }

    /// Anything came in.
    pub(super) fn alive(&mut self) {
        self.alive_by = None;
    }

    /// Pings outside the interval.
    pub(super) fn ping_now(&mut self, now: u64) -> Option<LinkEvent> {
        let socket = self.open_socket()?;
        self.pings += 1;
        // A later ping does not give a silent peer more time.
        self.alive_by = self.alive_by.or(Some(now.saturating_add(self.config.pong_timeout_ms)));
        Some(LinkEvent::Ping(socket, self.pings))
    }

    /// Number of the last ping sent.
    pub(super) fn pings(&self) -> u64 {
        self.pings
    }

    /// The connection is gone: how long to wait.
    pub(super) fn lost(&mut self, code: Option<u16>, now: u64) -> u64 {
        if let Phase::Open { since, .. } = self.phase {
            self.backoff.connection_lasted(now.saturating_sub(since));
        }
        let delay = self.backoff.next_delay(code, self.config.randomness.next());
        self.phase = Phase::Waiting { until: now.saturating_add(delay) };
        self.alive_by = None;
        delay
    }

    pub(super) fn handle_timeout(&mut self, now: u64) -> Option<LinkEvent> {
        match self.phase {
            Phase::Stopped => None,
            Phase::Waiting { until } => (now >= until).then(|| self.connect(now)),
            Phase::Connecting { socket, until } => {
                (now >= until).then_some(LinkEvent::Dead(socket, "could not connect: not open in time"))
            }
            Phase::Open { socket, .. } => {
                if self.alive_by.is_some_and(|by| now >= by) {
                    return Some(LinkEvent::Dead(socket, "connection lost: no sign of life"));
                }
                if now < self.next_ping {
                    return None;
                }
                let every = self.config.ping_interval_ms.max(1);
                self.next_ping = self.next_ping.saturating_add(every);
                if self.next_ping <= now {
                    self.next_ping = now.saturating_add(every);
                }
                self.ping_now(now)
            }
        }
    }

    pub(super) fn poll_timeout(&self) -> Option<u64> {
        match self.phase {
            Phase::Stopped => None,
            Phase::Waiting { until } | Phase::Connecting { until, .. } => Some(until),
            Phase::Open { .. } => Some(self.alive_by.map_or(self.next_ping, |by| by.min(self.next_ping))),
        }
    }
}

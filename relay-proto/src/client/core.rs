//! The state machine itself.

use std::collections::VecDeque;

use super::backoff::close_code;
use super::hello::Identity;
use super::link::{Link, LinkConfig, LinkEvent, Phase};
use super::output::{ClientOutput, SocketId, WireText};
use super::sending::{LastSent, Talks, essential};
use crate::frame::{AgentBody, AgentFrame, MessageFrame, PlatformBody, PlatformFrame, Resume};
use crate::id::TurnRef;
use crate::limits::Limits;
use crate::log::{Level, LogLine};
use crate::outbox::{DropReport, Outbox, OutboxLimits};
use crate::policy::MessageOrigin;
use crate::resume::{Arrival, Deltas, Receiver, SendWindow};
use crate::time::Now;
use crate::turn::{Happening, TurnConfig, TurnOutput, TurnQueue};

/// How a [`Client`] works.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// Relay address.
    pub url: String,
    /// Who this end is.
    pub identity: Identity,
    /// How connections are kept.
    pub link: LinkConfig,
    /// Bounds on what waits for a connection.
    pub outbox: OutboxLimits,
    /// How turns are run.
    pub turns: TurnConfig,
    /// Bounds on a frame.
    pub limits: Limits,
    /// Offer the resumable extension. A platform that does not know it sees one more word in `hello.capabilities`.
    pub offer_resume: bool,
    /// How long a live but silent platform may take to answer a `hello` that offers the extension before version 1 is
    /// assumed. Default 500 ms.
    pub ack_wait_ms: u64,
}

impl ClientConfig {
    /// The documented defaults. `seed` makes ids and jitter; it must differ between two runs of a program.
    #[must_use]
    pub fn new(url: impl Into<String>, identity: Identity, seed: u128) -> Self {
        let low = u64::try_from(seed & u128::from(u64::MAX)).unwrap_or_default();
        Self {
            url: url.into(),
            identity,
            link: LinkConfig { randomness: super::link::Randomness::Seed(low), ..LinkConfig::default() },
            outbox: OutboxLimits::default(),
            turns: TurnConfig::new(seed),
            limits: Limits::default(),
            offer_resume: true,
            ack_wait_ms: 500,
        }
    }
}

/// What did not, or perhaps did not, arrive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientReport {
    /// What the outbox did not keep.
    pub outbox: DropReport,
    /// Frames that a turn cannot do without, handed to a connection that was lost before the platform answered a later
    /// ping, or that never answers one; the newest 1,000. Without the extension they are not sent again: they may have arrived.
    pub unconfirmed: VecDeque<(TurnRef, String)>,
    /// All such frames so far.
    pub unconfirmed_total: u64,
}

impl ClientReport {
    const MAX_UNCONFIRMED: usize = 1_000;

    pub(super) fn add_unconfirmed(&mut self, turn: TurnRef, kind: String) {
        self.unconfirmed_total += 1;
        if self.unconfirmed.len() >= Self::MAX_UNCONFIRMED {
            self.unconfirmed.pop_front();
        }
        self.unconfirmed.push_back((turn, kind));
    }
}

/// The agent's end of the relay, without a socket.
///
/// The owner reports what happened (`opened`, `closed`, `received`, `pong`, `happened`, …), then polls outputs until
/// there is none and sleeps until [`Client::poll_timeout`]. Every call takes both clocks. Nothing else is needed: no
/// thread, no randomness beyond the seed.
///
/// ```
/// use clawgauge_relay_proto::{Client, ClientConfig, ClientOutput, Identity, Keys, Now};
/// let identity = Identity::new(Keys::new("pk-1", "sk-1"));
/// let mut client = Client::new(ClientConfig::new("wss://relay.example/x", identity, 42));
/// let now = Now::new(0, 1_772_359_200_000);
/// client.start(now);
/// let Some(ClientOutput::Connect { socket, .. }) = client.poll_output() else { panic!("it connects") };
/// client.opened(socket, now);
/// let Some(ClientOutput::Send { text, .. }) = client.poll_output() else { panic!("it says hello") };
/// assert!(text.as_str().starts_with(r#"{"type":"hello","protocol":1,"#));
/// ```
#[derive(Debug, Clone)]
pub struct Client {
    pub(super) config: ClientConfig,
    pub(super) now: Now,
    pub(super) link: Link,
    pub(super) turns: TurnQueue,
    pub(super) outbox: Outbox,
    pub(super) outputs: VecDeque<ClientOutput>,
    pub(super) last_sent: LastSent,
    pub(super) hello_sent: bool,
    /// A send failed: no other frame before this moment or the next event.
    pub(super) blocked_until: Option<u64>,
    pub(super) talks: Talks,
    /// What is known of the platform: whether it speaks the extension.
    pub(super) peer_resumes: Option<bool>,
    pub(super) token: Option<String>,
    pub(super) window: SendWindow,
    pub(super) receiver: Receiver,
    pub(super) deltas: Deltas,
    pub(super) unconfirmed: VecDeque<(u64, TurnRef, String)>,
    pub(super) report: ClientReport,
    pub(super) refusal_logged: bool,
}

impl Client {
    /// A client that does nothing yet.
    #[must_use]
    pub fn new(config: ClientConfig) -> Self {
        Self {
            now: Now::default(),
            link: Link::new(config.link),
            turns: TurnQueue::new(config.turns.clone()),
            outbox: Outbox::new(config.outbox),
            outputs: VecDeque::new(),
            last_sent: LastSent::Nothing,
            hello_sent: false,
            blocked_until: None,
            talks: Talks::Plain,
            peer_resumes: None,
            token: None,
            window: SendWindow::default(),
            receiver: Receiver::default(),
            deltas: Deltas::default(),
            unconfirmed: VecDeque::new(),
            report: ClientReport::default(),
            refusal_logged: false,
            config,
        }
    }

    /// Connects, and from now on keeps a connection. Starting twice is starting once.
    pub fn start(&mut self, now: Now) {
        self.set_now(now);
        if self.link.phase == Phase::Stopped {
            let event = self.link.connect(self.now.mono_ms);
            self.act(event);
        }
    }

    /// Closes the connection and opens none. What waits is kept for the next start.
    pub fn stop(&mut self, now: Now) {
        self.set_now(now);
        if let Phase::Open { socket, .. } | Phase::Connecting { socket, .. } = self.link.phase {
            self.outputs.push_back(ClientOutput::Close { socket, hard: false });
            self.connection_gone();
        }
        self.link.phase = Phase::Stopped;
    }

    /// Ends every turn as `error` with this reason. Poll on until [`Client::is_drained`], then stop.
    pub fn shut_down(&mut self, reason: &str, now: Now) {
        self.set_now(now);
        self.turns.shut_down(reason, self.now.mono_ms);
    }

    /// Whether every turn is over and everything that was said is sent and, with the extension, acknowledged.
    #[must_use]
    pub fn is_drained(&self) -> bool {
        self.turns.is_idle() && self.outbox.is_empty() && self.window.is_empty() && self.outputs.is_empty()
    }

    /// The socket is open: `hello` goes first.
    pub fn opened(&mut self, socket: SocketId, now: Now) {
        self.set_now(now);
        if !self.link.opened(socket, self.now.mono_ms) {
            return;
        }
        self.receiver.reconnected();
        let offer = self.config.offer_resume;
        let resume = self.token.clone().map(|token| Resume { token, received: self.receiver.received() });
        let mut hello = self.config.identity.hello(offer, resume);
        hello.ts = Some(self.now.epoch_ms);
        self.outputs.push_back(ClientOutput::Send { socket, text: WireText::new(hello.encode()) });
        self.hello_sent = false;
        self.talks = Talks::Plain;
        if offer && self.peer_resumes != Some(false) {
            self.talks = Talks::Waiting { until: None };
            // The answer to this ping tells a silent platform from a dead connection.
            if let Some(event) = self.link.ping_now(self.now.mono_ms) {
                self.act(event);
            }
        }
    }

    /// The socket is closed, or could not be opened.
    pub fn closed(&mut self, socket: SocketId, code: Option<u16>, reason: &str, now: Now) {
        self.set_now(now);
        if self.link.is_current(socket) {
            let reason: String = reason.chars().take(200).collect();
            let what = match code {
                _ if self.link.open_socket() != Some(socket) => format!("could not connect: {reason}"),
                Some(code) => format!("connection lost: closed ({code}) {reason}"),
                None => format!("connection lost: closed (no code) {reason}"),
            };
            self.lost(code, &what);
        }
    }

    /// A text frame came in.
    pub fn received(&mut self, socket: SocketId, text: &str, now: Now) {
        self.set_now(now);
        if self.link.open_socket() != Some(socket) {
            return;
        }
        self.link.alive();
        self.blocked_until = None;
        let frame = match PlatformFrame::decode(text, &self.config.limits) {
            Ok(frame) => frame,
            Err(error) => {
                self.log(Level::Warn, &format!("a frame of {} bytes was ignored: {error}", text.len()));
                return;
            }
        };
        if !matches!(frame.body, PlatformBody::HelloAck(_))
            && self.talks != Talks::Resumable
            && self.token.is_none()
        {
            // A platform that talks before it acknowledges is of version 1.
            self.talks = Talks::Plain;
        }
        if let (Talks::Resumable, Some(seq)) = (self.talks, frame.seq) {
            match self.receiver.arrive(seq, self.now.mono_ms) {
                Arrival::Next => {}
                Arrival::Again => return,
                Arrival::Gap(say) => {
                    if say {
                        self.acknowledge(true);
                    }
                    return;
                }
            }
        }
        match frame.body {
            PlatformBody::Message(message) => {
                self.turns.submit(*message, MessageOrigin::Relay, self.now.mono_ms);
            }
            PlatformBody::Abort(turn) => self.turns.abort(&turn, self.now.mono_ms),
            PlatformBody::Ping => self.send_control(AgentBody::Pong),
            PlatformBody::HelloAck(ack) => self.hello_acknowledged(ack),
            PlatformBody::ChatStatus(status) => {
                if status.connected == Some(false) {
                    self.log(Level::Warn, "the platform has not connected this agent for chat");
                }
            }
            PlatformBody::Ack(ack) => {
                if ack.gap {
                    self.window.rewind(ack.received, self.now.mono_ms);
                } else {
                    self.window.acked(ack.received, self.now.mono_ms);
                }
            }
            PlatformBody::Unknown(_) => {}
        }
    }

    /// A WebSocket pong came in.
    pub fn pong(&mut self, socket: SocketId, payload: u64, now: Now) {
        self.set_now(now);
        if self.link.open_socket() != Some(socket) {
            return;
        }
        self.link.alive();
        while self.unconfirmed.front().is_some_and(|(after_ping, ..)| *after_ping < payload) {
            self.unconfirmed.pop_front();
        }
        if let Talks::Waiting { until: None } = self.talks {
            // An agreed session waits for its acknowledgement as long as the connection lives.
            let wait =
                if self.token.is_some() { 60 * self.config.ack_wait_ms } else { self.config.ack_wait_ms };
            self.talks = Talks::Waiting { until: Some(self.now.mono_ms.saturating_add(wait)) };
        }
    }

    /// The frame of the last [`ClientOutput::Send`] did not make it into the socket. It goes first again.
    pub fn send_failed(&mut self, socket: SocketId, now: Now) {
        self.set_now(now);
        if self.link.open_socket() != Some(socket) {
            return;
        }
        match std::mem::replace(&mut self.last_sent, LastSent::Nothing) {
            LastSent::Hello => {
                self.outputs.push_back(ClientOutput::Close { socket, hard: true });
                self.lost(None, "connection lost: hello could not be sent");
                return;
            }
            LastSent::Plain(frame) => {
                if essential(&frame.body).is_some() && self.talks == Talks::Plain {
                    self.unconfirmed.pop_back();
                }
                self.outbox.put_back(*frame);
            }
            LastSent::Windowed => self.window.send_failed(),
            LastSent::Control | LastSent::Nothing => {}
        }
        self.blocked_until = Some(self.now.mono_ms.saturating_add(1_000));
    }

    /// Something happened in a turn.
    pub fn happened(&mut self, turn: u64, happening: Happening, now: Now) {
        self.set_now(now);
        self.blocked_until = None;
        self.turns.happened(turn, happening, self.now.mono_ms);
    }

    /// A message of an HTTP caller. Its frames come back as [`ClientOutput::Http`]; the last one is `turn.done`.
    pub fn http_message(&mut self, request: u64, message: MessageFrame, now: Now) {
        self.set_now(now);
        self.turns.submit(message, MessageOrigin::Http(request), self.now.mono_ms);
    }

    /// Sends a frame of the owner's own making behind all others.
    pub fn send(&mut self, body: AgentBody, now: Now) {
        self.set_now(now);
        self.blocked_until = None;
        self.enqueue(body);
    }

    /// The turns, for hooks inside the gateway.
    pub fn turns(&mut self) -> &mut TurnQueue {
        &mut self.turns
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self, now: Now) {
        self.set_now(now);
        let mono = self.now.mono_ms;
        self.turns.handle_timeout(mono);
        if self.blocked_until.is_some_and(|until| mono >= until) {
            self.blocked_until = None;
        }
        if matches!(self.talks, Talks::Waiting { until: Some(until) } if mono >= until) {
            self.go_plain();
        }
        if self.talks == Talks::Resumable {
            self.window.handle_timeout(mono);
            if self.receiver.due().is_some_and(|due| mono >= due) {
                self.acknowledge(false);
            }
        }
        if let Some(event) = self.link.handle_timeout(mono) {
            self.act(event);
        }
    }

    /// When [`Client::handle_timeout`] has to be called next (monotonic milliseconds).
    #[must_use]
    pub fn poll_timeout(&self) -> Option<u64> {
        let waiting = match self.talks {
            Talks::Waiting { until } => until,
            _ => None,
        };
        let numbered = [self.receiver.due(), self.window.due()].into_iter().flatten().min();
        let numbered = numbered.filter(|_| self.talks == Talks::Resumable);
        [self.link.poll_timeout(), self.turns.poll_timeout(), self.blocked_until, waiting, numbered]
            .into_iter()
            .flatten()
            .min()
    }

    /// The next thing to do.
    pub fn poll_output(&mut self) -> Option<ClientOutput> {
        loop {
            if let Some(output) = self.outputs.pop_front() {
                if let ClientOutput::Send { .. } = &output {
                    // The first frame of a connection is its hello; all others in this queue are for the moment.
                    let first = !std::mem::replace(&mut self.hello_sent, true);
                    self.last_sent = if first { LastSent::Hello } else { LastSent::Control };
                }
                return Some(output);
            }
            match self.turns.poll_output() {
                Some(TurnOutput::Start(start)) => return Some(ClientOutput::StartTurn(start)),
                Some(TurnOutput::Abort(turn)) => return Some(ClientOutput::AbortTurn(turn)),
                Some(TurnOutput::Log(line)) => return Some(ClientOutput::Log(line)),
                Some(TurnOutput::Frame(MessageOrigin::Relay, body)) => self.enqueue(body),
                Some(TurnOutput::Frame(MessageOrigin::Http(request), body)) => {
                    let frame = Box::new(self.stamp(body));
                    return Some(ClientOutput::Http { request, frame });
                }
                None => return self.next_send(),
            }
        }
    }

    /// Whether a connection is open.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.link.open_socket().is_some()
    }

    /// Whether the resumable extension is in force.
    #[must_use]
    pub fn is_resumable(&self) -> bool {
        self.talks == Talks::Resumable
    }

    /// Frames that wait for a connection.
    #[must_use]
    pub fn queued_frames(&self) -> usize {
        self.outbox.len()
    }

    /// Conversations with a turn that runs or waits.
    #[must_use]
    pub fn active_conversations(&self) -> usize {
        self.turns.active_conversations()
    }

    /// What did not arrive, or perhaps did not.
    #[must_use]
    pub fn report(&self) -> ClientReport {
        ClientReport { outbox: self.outbox.report().clone(), ..self.report.clone() }
    }

    fn set_now(&mut self, now: Now) {
        // Timers never see time run back, whatever the caller's clock does.
        self.now = Now { mono_ms: now.mono_ms.max(self.now.mono_ms), epoch_ms: now.epoch_ms };
    }

    pub(super) fn stamp(&self, body: AgentBody) -> AgentFrame {
        let mut frame = AgentFrame::from(body);
        if !matches!(frame.body, AgentBody::Unknown(_)) {
            frame.ts = Some(self.now.epoch_ms);
        }
        frame
    }

    fn enqueue(&mut self, body: AgentBody) {
        let frame = self.stamp(body);
        for lost in self.outbox.push(frame) {
            self.log(Level::Warn, &format!("outbox full: dropped {lost}"));
        }
    }

    fn act(&mut self, event: LinkEvent) {
        match event {
            LinkEvent::Connect(socket) => {
                let (url, headers) = (self.config.url.clone(), self.config.identity.headers());
                self.outputs.push_back(ClientOutput::Connect { socket, url, headers });
            }
            LinkEvent::Ping(socket, payload) => {
                self.outputs.push_back(ClientOutput::Ping { socket, payload });
            }
            LinkEvent::Dead(socket, reason) => {
                self.outputs.push_back(ClientOutput::Close { socket, hard: true });
                self.lost(None, reason);
            }
        }
    }

    fn lost(&mut self, code: Option<u16>, what_happened: &str) {
        self.connection_gone();
        let delay = self.link.lost(code, self.now.mono_ms);
        match code {
            Some(code @ (close_code::UNKNOWN_KEYS | close_code::REVOKED_KEYS)) => {
                if !self.refusal_logged {
                    self.refusal_logged = true;
                    let what = if code == close_code::UNKNOWN_KEYS { "does not know" } else { "has revoked" };
                    self.log(
                        Level::Error,
                        &format!(
                            "the relay {what} the configured keys (close code {code}): chat stays off until they are \
                             replaced; trying again every {} s",
                            delay / 1_000
                        ),
                    );
                }
            }
            _ => self.log(Level::Info, &format!("{what_happened}; next try in {delay} ms")),
        }
    }

    pub(super) fn log(&mut self, level: Level, text: &str) {
        self.outputs.push_back(ClientOutput::Log(LogLine::new(level, text)));
    }
}

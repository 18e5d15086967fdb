//! The state machine itself.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::agent::Agent;
use super::keys::{KeyLookup, KeyVerdict, Presented};
use super::output::{ConnId, SendRefused, ServerConfig, ServerOutput};
use super::record::{TurnFate, TurnRecord};
use crate::client::{WireText, close_code};
use crate::frame::{
    Ack, AgentBody, AgentEntry, AgentFrame, ChatState, Hello, HelloAck, MessageFrame, PlatformBody,
    PlatformFrame, Resume,
};
use crate::id::{Id, TurnRef};
use crate::log::{Level, LogLine};
use crate::resume::{Arrival, RESUME_CAPABILITY};
use crate::turn::made_up_id;

#[derive(Debug, Clone)]
struct Conn {
    agent: Option<String>,
    header: Option<Presented>,
    /// For its hello, or for a sign of life.
    deadline: Option<u64>,
    next_ping: u64,
}

/// The platform's end of the relay, without a socket.
///
/// The owner reports `accepted`, `received`, `closed` and what users say, then polls outputs until there is none and
/// sleeps until [`Server::poll_timeout`] (monotonic milliseconds).
///
/// ```
/// use clawgauge_relay_proto::{ConnId, KeyVerdict, Keys, Presented, Server, ServerConfig, ServerOutput};
/// let known = Keys::new("pk-1", "sk-1");
/// let look_up = move |presented: &Presented| {
///     if presented.matches(&known) { KeyVerdict::Known("agent-1".into()) } else { KeyVerdict::Unknown }
/// };
/// let mut server = Server::new(ServerConfig::new(7), look_up);
/// server.accepted(ConnId(1), None, 0);
/// server.received(ConnId(1), r#"{"type":"hello","protocol":1,"auth":{"publicKey":"pk-1","secretKey":"nope"}}"#, 5);
/// let closed = std::iter::from_fn(|| server.poll_output()).any(|output| matches!(output, ServerOutput::Close { code: 4401, .. }));
/// assert!(closed);
/// ```
#[derive(Debug)]
pub struct Server<K> {
    config: ServerConfig,
    keys: K,
    conns: BTreeMap<ConnId, Conn>,
    agents: BTreeMap<String, Agent>,
    deadlines: BTreeSet<(u64, String, TurnRef)>,
    ids_made: u64,
    now: u64,
    outputs: VecDeque<ServerOutput>,
}

impl<K: KeyLookup> Server<K> {
    /// A server that knows nobody yet.
    #[must_use]
    pub fn new(config: ServerConfig, keys: K) -> Self {
        Self {
            config,
            keys,
            conns: BTreeMap::new(),
            agents: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            ids_made: 0,
            now: 0,
            outputs: VecDeque::new(),
        }
    }

    /// A WebSocket was opened with this `Authorization` header.
    pub fn accepted(&mut self, conn: ConnId, authorization: Option<&str>, now: u64) {
        let now = self.set_now(now);
        let strangers = self.conns.values().filter(|conn| conn.agent.is_none()).count();
        if strangers >= self.config.strangers {
            let (code, reason) = (close_code::TRY_LATER, "too many connections");
            self.outputs.push_back(ServerOutput::Close { conn, code, reason });
            return;
        }
        let header = authorization.and_then(Presented::from_header);
        let deadline = Some(now.saturating_add(self.config.hello_timeout_ms));
        self.conns.insert(conn, Conn { agent: None, header, deadline, next_ping: u64::MAX });
    }

    /// A text frame came in.
    pub fn received(&mut self, conn: ConnId, text: &str, now: u64) {
        let now = self.set_now(now);
        let Some(state) = self.conns.get_mut(&conn) else {
            return;
        };
        let agent = state.agent.clone();
        if agent.is_some() {
            state.deadline = None;
        }
        match (AgentFrame::decode(text, &self.config.limits), agent) {
            (Err(error), _) => {
                self.log(Level::Warn, &format!("a frame of {} bytes was ignored: {error}", text.len()));
            }
            (Ok(AgentFrame { body: AgentBody::Hello(hello), .. }), None) => self.hello(conn, *hello, now),
            // Nothing counts before a valid hello, and no second one counts.
            (Ok(_), None) | (Ok(AgentFrame { body: AgentBody::Hello(_), .. }), Some(_)) => {}
            (Ok(frame), Some(agent)) => self.frame(conn, &agent, frame, now),
        }
    }

    /// A WebSocket pong, or any other sign of life, came in.
    pub fn alive(&mut self, conn: ConnId) {
        if let Some(state) = self.conns.get_mut(&conn).filter(|state| state.agent.is_some()) {
            state.deadline = None;
        }
    }

    /// The connection is gone.
    pub fn closed(&mut self, conn: ConnId) {
        let Some(state) = self.conns.remove(&conn) else {
            return;
        };
        let Some(name) = state.agent else { return };
        if let Some(agent) = self.agents.get_mut(&name)
            && agent.conn == Some(conn)
        {
            agent.conn = None;
            self.outputs.push_back(ServerOutput::Disconnected { agent: name });
        }
    }

    /// A user says something. Missing ids are made up. While the agent is not connected the message waits.
    ///
    /// # Errors
    /// The agent is not known, too much waits for it, or the ids are taken.
    pub fn send_message(
        &mut self,
        agent: &str,
        mut message: MessageFrame,
        now: u64,
    ) -> Result<TurnRef, SendRefused> {
        let now = self.set_now(now);
        let (quiet, waiting) = (self.config.quiet_turn_ms, self.config.waiting);
        let (seed, made) = (self.config.seed, &mut self.ids_made);
        let mut new_id = || {
            *made += 1;
            made_up_id(seed, *made)
        };
        let state = self.agents.get_mut(agent).ok_or(SendRefused::UnknownAgent)?;
        if state.outbox.len() >= waiting {
            return Err(SendRefused::TooManyWaiting);
        }
        message.turn.conversation_id.get_or_insert_with(&mut new_id);
        message.turn.message_id.get_or_insert_with(&mut new_id);
        let turn = message.turn.clone();
        if state.turns.contains_key(&turn) {
            return Err(SendRefused::IdInUse);
        }
        let mut record = TurnRecord::new(turn.clone(), now);
        record.deadline = now.saturating_add(quiet);
        self.deadlines.insert((record.deadline, agent.to_owned(), turn.clone()));
        state.turns.insert(turn.clone(), record);
        state.outbox.push_back(PlatformBody::Message(Box::new(message)).into());
        Ok(turn)
    }

    /// The user stops a turn. `false` when it is not active or the agent did not announce that it can. While one
    /// `abort` of the turn waits for a connection, another call adds none.
    pub fn abort(&mut self, agent: &str, turn: &TurnRef) -> bool {
        let Some(state) = self.agents.get_mut(agent) else {
            return false;
        };
        let active = state.turns.get(turn).is_some_and(|record| !record.is_over());
        let waits =
            |frame: &PlatformFrame| matches!(&frame.body, PlatformBody::Abort(other) if other == turn);
        if active && state.can_abort && !state.outbox.iter().any(waits) {
            state.outbox.push_back(PlatformBody::Abort(turn.clone()).into());
        }
        active && state.can_abort
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self, now: u64) {
        let now = self.set_now(now);
        let due: Vec<ConnId> =
            self.conns.iter().filter(|(_, conn)| conn.due(now)).map(|(id, _)| *id).collect();
        for conn in due {
            self.conn_due(conn, now);
        }
        while let Some((due, agent, turn)) = self.deadlines.first().filter(|(due, ..)| *due <= now).cloned() {
            self.deadlines.remove(&(due, agent.clone(), turn.clone()));
            self.give_up(&agent, &turn, now);
        }
        for agent in self.agents.values_mut() {
            if let (Some(conn), true) = (agent.conn, agent.resumable) {
                agent.window.handle_timeout(now);
                if agent.receiver.due().is_some_and(|due| due <= now) {
                    let received = agent.receiver.acknowledge();
                    self.outputs.push_back(send(conn, PlatformBody::Ack(Ack { received, gap: false })));
                }
            }
        }
    }

    /// When [`Server::handle_timeout`] has to be called next. O(connections).
    #[must_use]
    pub fn poll_timeout(&self) -> Option<u64> {
        let conns = self.conns.values().filter_map(|conn| {
            let ping = conn.agent.as_ref().map(|_| conn.next_ping);
            conn.deadline.into_iter().chain(ping).min()
        });
        let acks = self.agents.values().filter(|agent| agent.conn.is_some() && agent.resumable);
        conns
            .chain(acks.flat_map(|agent| [agent.receiver.due(), agent.window.due()].into_iter().flatten()))
            .chain(self.deadlines.first().map(|(due, ..)| *due))
            .min()
    }

    /// The next thing to do.
    pub fn poll_output(&mut self) -> Option<ServerOutput> {
        if let Some(output) = self.outputs.pop_front() {
            return Some(output);
        }
        for agent in self.agents.values_mut() {
            if let Some(conn) = agent.conn
                && let Some(text) = agent.next_text(self.now)
            {
                return Some(ServerOutput::Send { conn, text: WireText::new(text) });
            }
        }
        None
    }

    /// Whether this agent is connected.
    #[must_use]
    pub fn is_connected(&self, agent: &str) -> bool {
        self.agents.get(agent).is_some_and(|agent| agent.conn.is_some())
    }

    /// The agents that were ever connected, with what their last `hello` offered.
    pub fn agents(&self) -> impl Iterator<Item = (&str, &[AgentEntry])> {
        self.agents.iter().map(|(name, agent)| (name.as_str(), agent.agents.as_slice()))
    }

    /// What was collected of a turn.
    #[must_use]
    pub fn turn(&self, agent: &str, turn: &TurnRef) -> Option<&TurnRecord> {
        self.agents.get(agent)?.turns.get(turn)
    }

    /// Timers never see time run back, whatever the caller's clock does.
    fn set_now(&mut self, now: u64) -> u64 {
        self.now = self.now.max(now);
        self.now
    }

    fn hello(&mut self, conn: ConnId, hello: Hello, now: u64) {
        let header = self.conns.get(&conn).and_then(|state| state.header.clone());
        let Some(presented) = hello.auth.as_ref().map(|auth| Presented::from_keys(&auth.keys)).or(header)
        else {
            return;
        };
        let name = match self.keys.look_up(&presented) {
            KeyVerdict::Known(name) => name,
            KeyVerdict::Unknown => return self.close(conn, close_code::UNKNOWN_KEYS, "unknown keys"),
            KeyVerdict::Revoked => return self.close(conn, close_code::REVOKED_KEYS, "revoked keys"),
        };
        if let Some(state) = self.conns.get_mut(&conn) {
            state.agent = Some(name.clone());
            state.header = None;
            state.deadline = None;
            state.next_ping = now.saturating_add(self.config.ping_interval_ms);
        }
        let old = self.agents.entry(name.clone()).or_default().conn;
        if let Some(old) = old {
            self.conns.remove(&old);
            self.outputs.push_back(ServerOutput::Close {
                conn: old,
                code: close_code::SUPERSEDED,
                reason: "superseded",
            });
        }
        let resumable = self.config.resume && hello.capabilities.iter().any(|word| word == RESUME_CAPABILITY);
        self.ids_made += 1;
        let fresh = made_up_id(self.config.seed, self.ids_made);
        let Some(agent) = self.agents.get_mut(&name) else {
            return;
        };
        agent.conn = Some(conn);
        agent.agents = hello.agents;
        agent.can_abort = hello.capabilities.iter().any(|word| word == "abort");
        agent.receiver.reconnected();
        let mut lost = 0;
        match hello.resume {
            Some(resume) if resumable && agent.token.as_ref() == Some(&resume.token) => {
                agent.window.rewind(resume.received, now);
            }
            _ => {
                lost = agent.start_over(resumable, &self.config.limits);
                agent.token = resumable.then(|| fresh.as_str().to_owned());
            }
        }
        agent.resumable = resumable;
        let received = agent.receiver.received();
        let ack = HelloAck {
            protocol: Some(1),
            agent_id: Some(Id::new(name.as_str())),
            chat: Some(ChatState { connected: Some(true), disabled: Some(false) }),
            resume: agent.token.clone().map(|token| Resume { token, received }),
        };
        self.outputs.push_back(send(conn, PlatformBody::HelloAck(ack)));
        self.outputs.push_back(ServerOutput::Connected { agent: name.clone() });
        if lost > 0 {
            self.log(Level::Warn, &format!("{lost} frames to {name} may not have arrived"));
        }
    }

    fn frame(&mut self, conn: ConnId, name: &str, mut frame: AgentFrame, now: u64) {
        let Some(agent) = self.agents.get_mut(name) else {
            return;
        };
        if let (true, Some(seq)) = (agent.resumable, frame.seq) {
            match agent.receiver.arrive(seq, now) {
                Arrival::Next => {}
                Arrival::Again => return,
                Arrival::Gap(say) => {
                    if say {
                        let received = agent.receiver.acknowledge();
                        self.outputs.push_back(send(conn, PlatformBody::Ack(Ack { received, gap: true })));
                    }
                    return;
                }
            }
        }
        let is_over = |turn: &TurnRef| agent.turns.get(turn).is_some_and(TurnRecord::is_over);
        if agent.resumable
            && let AgentBody::ReplyPartial(partial) = &mut frame.body
            && !is_over(&partial.turn)
            && !agent.deltas.restore(partial, self.config.limits.frame_bytes)
        {
            self.log(Level::Warn, &format!("a partial of {name} continues a text that is not here"));
            return;
        }
        match &frame.body {
            AgentBody::Pong => return,
            AgentBody::Ack(ack) => {
                let Ack { received, gap } = *ack;
                if gap {
                    agent.window.rewind(received, now);
                } else {
                    agent.window.acked(received, now);
                }
                return;
            }
            AgentBody::TurnDone(done) => agent.deltas.forget(&done.turn),
            _ => {}
        }
        let turn = frame.body.turn().cloned();
        let record = turn.as_ref().and_then(|turn| agent.turns.get_mut(turn));
        let mut over = None;
        if let (Some(turn), Some(record)) = (turn, record) {
            let was_over = record.is_over();
            if !record.take(&frame.body) {
                self.log(Level::Info, &format!("{frame} of {name} came after the end of its turn"));
                return;
            }
            if !was_over {
                self.deadlines.remove(&(record.deadline, name.to_owned(), turn.clone()));
                if record.is_over() {
                    over = Some(Box::new(record.clone()));
                    agent.over.push_back(turn);
                } else {
                    let quiet = now.saturating_add(self.config.quiet_turn_ms);
                    record.deadline = quiet.min(record.sent_at.saturating_add(self.config.longest_turn_ms));
                    self.deadlines.insert((record.deadline, name.to_owned(), turn));
                }
            }
        }
        self.outputs.push_back(ServerOutput::Frame { agent: name.to_owned(), frame: Box::new(frame) });
        if let Some(record) = over {
            self.outputs.push_back(ServerOutput::TurnOver { agent: name.to_owned(), record });
            self.forget_old(name);
        }
    }

    fn give_up(&mut self, name: &str, turn: &TurnRef, now: u64) {
        let longest = self.config.longest_turn_ms;
        let Some(agent) = self.agents.get_mut(name) else {
            return;
        };
        let Some(record) = agent.turns.get_mut(turn).filter(|record| !record.is_over()) else {
            return;
        };
        record.fate =
            if now >= record.sent_at.saturating_add(longest) { TurnFate::TooLong } else { TurnFate::Quiet };
        let record = Box::new(record.clone());
        agent.over.push_back(turn.clone());
        // What still waits to be sent for it would start a turn that nobody waits for.
        agent
            .outbox
            .retain(|frame| !matches!(&frame.body, PlatformBody::Message(message) if message.turn == *turn));
        self.log(Level::Warn, &format!("gave up turn {turn} of {name}: {:?}", record.fate));
        self.outputs.push_back(ServerOutput::TurnOver { agent: name.to_owned(), record });
        self.forget_old(name);
    }

    fn forget_old(&mut self, name: &str) {
        let Some(agent) = self.agents.get_mut(name) else {
            return;
        };
        while agent.over.len() > self.config.records {
            if let Some(oldest) = agent.over.pop_front() {
                agent.turns.remove(&oldest);
            }
        }
    }

    fn conn_due(&mut self, conn: ConnId, now: u64) {
        let (interval, patience) = (self.config.ping_interval_ms.max(1), self.config.pong_timeout_ms);
        let Some(state) = self.conns.get_mut(&conn) else {
            return;
        };
        if state.deadline.is_some_and(|deadline| now >= deadline) {
            if state.agent.is_none() {
                self.close(conn, close_code::NO_HELLO, "no valid hello");
            } else {
                self.outputs.push_back(ServerOutput::Close {
                    conn,
                    code: close_code::GOING_AWAY,
                    reason: "no sign of life",
                });
                self.closed(conn);
            }
            return;
        }
        if state.agent.is_some() && now >= state.next_ping {
            state.next_ping = now.saturating_add(interval);
            state.deadline = state.deadline.or(Some(now.saturating_add(patience)));
            self.outputs.push_back(send(conn, PlatformBody::Ping));
        }
    }

    fn close(&mut self, conn: ConnId, code: u16, reason: &'static str) {
        self.conns.remove(&conn);
        self.outputs.push_back(ServerOutput::Close { conn, code, reason });
    }

    fn log(&mut self, level: Level, text: &str) {
        self.outputs.push_back(ServerOutput::Log(LogLine::new(level, text)));
    }
}

impl Conn {
    fn due(&self, now: u64) -> bool {
        self.deadline.is_some_and(|deadline| now >= deadline)
            || (self.agent.is_some() && now >= self.next_ping)
    }
}

fn send(conn: ConnId, body: PlatformBody) -> ServerOutput {
    ServerOutput::Send { conn, text: WireText::new(PlatformFrame::from(body).encode()) }
}

//! Which turn runs when.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use sha2::{Digest as _, Sha256};

use super::config::{TurnConfig, TurnOutput, TurnStart};
use super::happening::{Happening, TurnEnd};
use super::remembered::{Delivery, Remembered};
use super::sessions::Sessions;
use super::state::{Announcer, Turn};
use crate::frame::{AgentBody, MessageFrame, TurnDone, TurnStarted, TurnStatus, TurnUsage};
use crate::id::{Id, TurnRef};
use crate::log::{Level, LogLine};
use crate::policy::{ExecEnv, Guard, Message, MessageOrigin, UsageEvent, UsageLedger};

/// Runs one turn at a time in a conversation, in order of arrival, and conversations side by side.
///
/// For every message there is exactly one `turn.done`, and after it at most `turn.usage`. A named message that is
/// delivered again does not run again: while it is active the delivery is ignored, afterwards it is answered with the
/// same `turn.done` and the reason `duplicate`, or as an error if its text is another one.
///
/// ```
/// use clawgauge_relay_proto::{Happening, MessageFrame, MessageOrigin, TurnConfig, TurnEnd, TurnOutput, TurnQueue, TurnRef};
/// let mut queue = TurnQueue::new(TurnConfig::new(7));
/// let message = MessageFrame { turn: TurnRef::new("c1", "m1"), text: Some("hi".into()), ..MessageFrame::default() };
/// queue.submit(message, MessageOrigin::Relay, 0);
/// let mut kinds = Vec::new();
/// while let Some(output) = queue.poll_output() {
///     match output {
///         TurnOutput::Start(start) => queue.happened(start.turn, Happening::Done(TurnEnd::Ok), 5),
///         TurnOutput::Frame(_, body) => kinds.push(body.kind().unwrap_or_default().to_owned()),
///         _ => {}
///     }
/// }
/// assert_eq!(kinds, ["turn.started", "turn.done"]);
/// assert_eq!(queue.poll_timeout(), Some(1_505)); // turn.usage
/// ```
#[derive(Debug, Clone)]
pub struct TurnQueue {
    config: TurnConfig,
    next_turn: u64,
    ids_made: u64,
    turns: BTreeMap<u64, Turn>,
    /// Weight of all of them.
    bytes: usize,
    active: BTreeMap<(Id, Id), u64>,
    lanes: BTreeMap<Id, Lane>,
    timers: BTreeSet<(u64, Timer, u64)>,
    remembered: Remembered,
    sessions: Sessions,
    ledger: UsageLedger,
    stopping: Option<String>,
    outputs: VecDeque<TurnOutput>,
}

#[derive(Debug, Clone, Default)]
struct Lane {
    running: Option<u64>,
    waiting: VecDeque<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    Progress,
    Settle,
    Grace,
}

impl TurnQueue {
    /// An empty queue.
    #[must_use]
    pub fn new(config: TurnConfig) -> Self {
        Self {
            next_turn: 1,
            ids_made: 0,
            turns: BTreeMap::new(),
            bytes: 0,
            active: BTreeMap::new(),
            lanes: BTreeMap::new(),
            timers: BTreeSet::new(),
            remembered: Remembered::new(config.limits.remembered),
            sessions: Sessions::new(config.limits.sessions),
            ledger: UsageLedger::new(config.limits.turns),
            stopping: None,
            outputs: VecDeque::new(),
            config,
        }
    }

    /// Takes a message. O(log turns).
    pub fn submit(&mut self, frame: MessageFrame, origin: MessageOrigin, now: u64) {
        let (seed, made) = (self.config.id_seed, &mut self.ids_made);
        let new_id = || {
            *made += 1;
            made_up_id(seed, *made)
        };
        match Message::from_frame(frame, origin, &self.config.message_limits, new_id) {
            Ok(message) => self.accept(message, origin, now),
            Err(rejection) => self.refuse(rejection.turn, &rejection.reason, origin),
        }
    }

    /// Answers a message that cannot be run with `turn.done` `error`.
    pub fn refuse(&mut self, turn: TurnRef, reason: &str, origin: MessageOrigin) {
        self.log(Level::Info, &format!("refused {turn}: {reason}"));
        self.outputs.push_back(TurnOutput::Frame(origin, AgentBody::TurnDone(refusal(turn, reason))));
    }

    /// Ends exactly the turn that is named, running or waiting, as `aborted`. Anything else is ignored.
    pub fn abort(&mut self, turn: &TurnRef, now: u64) {
        let key = turn.conversation_id.clone().zip(turn.message_id.clone());
        let Some(number) = key.and_then(|key| self.active.get(&key).copied()) else {
            self.log(Level::Info, &format!("abort of {turn}: no such turn is active"));
            return;
        };
        self.stop_turn(number, TurnEnd::Aborted, now);
    }

    /// Something happened in a turn. After its end only usage counts.
    pub fn happened(&mut self, turn: u64, happening: Happening, now: u64) {
        match happening {
            Happening::Done(end) => {
                self.finish(turn, end, now);
                self.release(turn, now);
            }
            happening => self.happened_without_end(turn, happening),
        }
    }

    pub(super) fn happened_without_end(&mut self, turn: u64, happening: Happening) {
        if let Happening::Usage(event) = &happening {
            if !self.ledger.record_turn(turn, event) {
                self.log(
                    Level::Warn,
                    &format!("usage of turn {turn} came after its turn.usage and is not counted"),
                );
            }
            return;
        }
        let limits = self.config.message_limits;
        let Some(state) = self.turns.get_mut(&turn) else {
            return;
        };
        let origin = state.origin;
        if let Some(body) = state.frame(happening, &limits) {
            self.outputs.push_back(TurnOutput::Frame(origin, body));
        }
    }

    /// A usage event of a host that only knows the session. `false` when no turn of that session is open for it.
    pub fn usage(&mut self, session_key: &str, event: &UsageEvent) -> bool {
        self.ledger.record(session_key, event)
    }

    /// Ends every turn as `error` with this reason and refuses new ones: `aborted` is the platform's word.
    pub fn shut_down(&mut self, reason: &str, now: u64) {
        self.stopping = Some(reason.to_owned());
        let open: Vec<u64> = self.active.values().copied().collect();
        for turn in open {
            self.stop_turn(turn, TurnEnd::Error(reason.to_owned()), now);
        }
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self, now: u64) {
        while let Some((due, timer, turn)) = self.timers.first().copied() {
            if due > now {
                break;
            }
            self.timers.remove(&(due, timer, turn));
            match timer {
                Timer::Progress => {
                    if let Some(state) = self.turns.get_mut(&turn) {
                        let body = AgentBody::TurnProgress(state.message.turn());
                        self.outputs.push_back(TurnOutput::Frame(state.origin, body));
                        // After a jump of the clock one sign of life is enough.
                        let every = self.config.progress_ms.max(1);
                        let next = if now - due >= every { now } else { due }.saturating_add(every);
                        state.progress_due = Some(next);
                        self.timers.insert((next, Timer::Progress, turn));
                    }
                }
                Timer::Settle => self.report_usage(turn),
                Timer::Grace => {
                    self.log(Level::Warn, &format!("turn {turn} did not end in time after its abort"));
                    self.release(turn, now);
                }
            }
        }
    }

    /// When [`TurnQueue::handle_timeout`] has to be called next.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<u64> {
        self.timers.first().map(|(due, ..)| *due)
    }

    /// The next thing to do.
    pub fn poll_output(&mut self) -> Option<TurnOutput> {
        self.outputs.pop_front()
    }

    /// Conversations with a turn that runs or waits.
    #[must_use]
    pub fn active_conversations(&self) -> usize {
        self.lanes.len()
    }

    /// Whether every turn has ended and reported.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.turns.is_empty()
    }

    /// How turns are run.
    #[must_use]
    pub fn config(&self) -> &TurnConfig {
        &self.config
    }

    pub(super) fn guard(&self) -> &Guard {
        &self.config.guard
    }

    pub(super) fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    pub(super) fn warn(&mut self, text: &str) {
        self.log(Level::Warn, text);
    }

    pub(super) fn announce(&mut self, turn: Option<u64>, tool: &str, command: Option<&str>, by: Announcer) {
        let limits = self.config.message_limits;
        let Some(state) = turn.and_then(|turn| self.turns.get_mut(&turn)) else {
            return;
        };
        let origin = state.origin;
        if let Some(body) = state.tool_start(tool, command, by, &limits) {
            self.outputs.push_back(TurnOutput::Frame(origin, body));
        }
    }

    fn accept(&mut self, message: Message, origin: MessageOrigin, now: u64) {
        let turn = message.turn();
        if let Some(reason) = self.stopping.clone() {
            self.refuse(turn, &reason, origin);
            return;
        }
        if message.named {
            match self.remembered.deliver(&message.conversation_id, &message.message_id, &message.text) {
                Delivery::First => {}
                Delivery::Active { same } => {
                    // A `turn.done` for the repetition would end the turn that runs. An HTTP caller has an answer of
                    // its own and must not wait for another one's.
                    if origin == MessageOrigin::Relay {
                        let what = if same { "" } else { " with another text" };
                        self.log(
                            Level::Warn,
                            &format!("{turn} was delivered again{what} while it is active: ignored"),
                        );
                    } else {
                        let reason = if same { "this message is being answered" } else { "messageId reused" };
                        self.refuse(turn, reason, origin);
                    }
                    return;
                }
                Delivery::Finished(done) => {
                    self.log(Level::Info, &format!("{turn} was delivered again after its end"));
                    let reason = done.reason.clone().or_else(|| Some(String::from("duplicate")));
                    let again = TurnDone { reason, ..*done };
                    self.outputs.push_back(TurnOutput::Frame(origin, AgentBody::TurnDone(again)));
                    return;
                }
                Delivery::Reused => {
                    self.refuse(turn, "messageId reused", origin);
                    return;
                }
            }
        }
        let agent_id = match self.route(message.agent_id.as_deref()) {
            Ok(agent_id) => agent_id,
            Err(reason) => {
                self.end_unrun(refusal(turn, &reason), origin);
                return;
            }
        };
        let waiting = self.lanes.get(&message.conversation_id).map_or(0, |lane| lane.waiting.len());
        let (limits, bytes) = (self.config.limits, self.bytes.saturating_add(weight(&message)));
        // Alone, even the largest message runs.
        let too_heavy = bytes > limits.bytes && !self.turns.is_empty();
        if self.turns.len() >= limits.turns || waiting >= limits.waiting || too_heavy {
            self.log(Level::Warn, &format!("{turn} dropped: queue full"));
            let mut done = refusal(turn, "");
            (done.status, done.error, done.reason) =
                (TurnStatus::Dropped, None, Some(String::from("queue full")));
            // Nothing came of it: the same message may be tried again.
            self.remembered.forget(&message.conversation_id, &message.message_id);
            self.outputs.push_back(TurnOutput::Frame(origin, AgentBody::TurnDone(done)));
            return;
        }
        let number = self.next_turn;
        self.next_turn += 1;
        let (conversation, message_id) = (message.conversation_id.clone(), message.message_id.clone());
        let session_key = self.config.session_scope.session_key(&agent_id, conversation.as_str());
        self.bytes = bytes;
        self.turns.insert(number, Turn::new(origin, message, session_key, agent_id));
        self.active.insert((conversation.clone(), message_id), number);
        self.lanes.entry(conversation.clone()).or_default().waiting.push_back(number);
        self.start_next(&conversation, now);
    }

    /// A named message that was refused is remembered like any other.
    fn end_unrun(&mut self, done: TurnDone, origin: MessageOrigin) {
        self.remembered.finish(&done);
        self.outputs.push_back(TurnOutput::Frame(origin, AgentBody::TurnDone(done)));
    }

    fn route(&self, asked: Option<&str>) -> Result<String, String> {
        let agents = &self.config.agents;
        let default = self.config.chat_agent.as_deref().unwrap_or_else(|| agents.default_id());
        match asked {
            None => Ok(default.to_owned()),
            Some(asked) if asked == default || agents.ids().iter().any(|id| id == asked) => {
                Ok(asked.to_owned())
            }
            Some(asked) => {
                let known =
                    if agents.ids().is_empty() { default.to_owned() } else { agents.ids().join(", ") };
                Err(format!("unknown agent {asked:?} (configured: {known})"))
            }
        }
    }

    fn start_next(&mut self, conversation: &Id, now: u64) {
        let Some(lane) = self.lanes.get_mut(conversation) else {
            return;
        };
        if lane.running.is_some() {
            return;
        }
        let Some(turn) = lane.waiting.pop_front() else {
            self.lanes.remove(conversation);
            return;
        };
        lane.running = Some(turn);
        let Some(state) = self.turns.get_mut(&turn) else {
            return;
        };
        state.started_at = Some(now);
        self.ledger.start(turn, &state.session_key);
        self.sessions.start(turn, &state.session_key, &state.message);
        let progress_due = now.saturating_add(self.config.progress_ms.max(1));
        state.progress_due = Some(progress_due);
        self.timers.insert((progress_due, Timer::Progress, turn));
        let started = TurnStarted {
            turn: state.message.turn(),
            session_key: state.session_key.clone(),
            agent_id: state.agent_id.clone(),
        };
        self.outputs.push_back(TurnOutput::Frame(state.origin, AgentBody::TurnStarted(started)));
        self.outputs.push_back(TurnOutput::Start(Box::new(TurnStart {
            turn,
            message: state.message.clone(),
            session_key: state.session_key.clone(),
            agent_id: state.agent_id.clone(),
            env: ExecEnv::of(&state.message),
        })));
    }

    /// Ends a turn from outside.
    fn stop_turn(&mut self, turn: u64, end: TurnEnd, now: u64) {
        let Some(state) = self.turns.get_mut(&turn) else {
            return;
        };
        let (conversation, running) = (state.message.conversation_id.clone(), state.started_at.is_some());
        if running {
            self.outputs.push_back(TurnOutput::Abort(turn));
            self.finish(turn, end, now);
            self.timers.insert((now.saturating_add(self.config.abort_grace_ms), Timer::Grace, turn));
        } else {
            if let Some(lane) = self.lanes.get_mut(&conversation) {
                lane.waiting.retain(|other| *other != turn);
            }
            state.released = true;
            self.finish(turn, end, now);
        }
    }

    /// Sends `turn.done`; the conversation stays taken until the backend is gone.
    fn finish(&mut self, turn: u64, end: TurnEnd, now: u64) {
        let Some(state) = self.turns.get_mut(&turn) else {
            return;
        };
        let Some(done) = state.end(end, now) else { return };
        let key = (state.message.conversation_id.clone(), state.message.message_id.clone());
        let (origin, progress_due) = (state.origin, state.progress_due.take());
        self.active.remove(&key);
        self.remembered.finish(&done);
        self.ledger.end(turn);
        if let Some(due) = progress_due {
            self.timers.remove(&(due, Timer::Progress, turn));
        }
        self.timers.insert((now.saturating_add(self.config.usage_settle_ms), Timer::Settle, turn));
        self.outputs.push_back(TurnOutput::Frame(origin, AgentBody::TurnDone(done)));
    }

    /// The backend of a turn is gone: the next one of its conversation may start.
    fn release(&mut self, turn: u64, now: u64) {
        let Some(state) = self.turns.get_mut(&turn) else {
            return;
        };
        let conversation = state.message.conversation_id.clone();
        let Some(lane) = self.lanes.get_mut(&conversation) else {
            return;
        };
        if lane.running != Some(turn) {
            return;
        }
        lane.running = None;
        state.released = true;
        self.sessions.end(turn, &state.session_key);
        if let Some(done_at) = state.done_at {
            self.timers.remove(&(done_at.saturating_add(self.config.abort_grace_ms), Timer::Grace, turn));
        }
        self.forget(turn);
        self.start_next(&conversation, now);
    }

    fn report_usage(&mut self, turn: u64) {
        let usage = self.ledger.take(turn).unwrap_or_default();
        let Some(state) = self.turns.get_mut(&turn) else {
            return;
        };
        state.reported = true;
        // The answer to an HTTP caller is over by now.
        if state.origin == MessageOrigin::Relay {
            let frame = TurnUsage {
                turn: state.message.turn(),
                session_key: state.session_key.clone(),
                agent_id: state.agent_id.clone(),
                status: state.status.clone(),
                sender: state.message.sender.clone(),
                usage,
                tool_calls: state.tool_calls,
                duration_ms: state.duration_ms(),
            };
            self.outputs.push_back(TurnOutput::Frame(state.origin, AgentBody::TurnUsage(Box::new(frame))));
        }
        self.forget(turn);
    }

    /// A turn that has reported and whose backend is gone is over.
    fn forget(&mut self, turn: u64) {
        if self.turns.get(&turn).is_some_and(|state| state.reported && state.released)
            && let Some(state) = self.turns.remove(&turn)
        {
            self.bytes = self.bytes.saturating_sub(weight(&state.message));
        }
    }

    fn log(&mut self, level: Level, text: &str) {
        self.outputs.push_back(TurnOutput::Log(LogLine::new(level, text)));
    }
}

/// Bytes that a message takes while its turn lives.
fn weight(message: &Message) -> usize {
    message.text.len() + message.context.as_ref().map_or(0, String::len)
}

fn refusal(turn: TurnRef, reason: &str) -> TurnDone {
    TurnDone {
        turn,
        status: TurnStatus::Error,
        error: Some(reason.to_owned()),
        reason: None,
        session_key: None,
        agent_id: None,
        replies: None,
    }
}

/// An id in the form of a random UUID, from a seed that is random.
pub(crate) fn made_up_id(seed: u128, number: u64) -> Id {
    let digest = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(number.to_le_bytes()).finalize();
    let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    let variant = match part(16, 17) {
        "0" | "4" | "8" | "c" => '8',
        "1" | "5" | "9" | "d" => '9',
        "2" | "6" | "a" | "e" => 'a',
        _ => 'b',
    };
    Id::new(format!(
        "{}-{}-4{}-{variant}{}-{}",
        part(0, 8),
        part(8, 12),
        part(13, 16),
        part(17, 20),
        part(20, 32)
    ))
}

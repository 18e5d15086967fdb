//! How turns are run, and what a queue asks of its owner.

use crate::frame::AgentBody;
use crate::limits::Limits;
use crate::log::LogLine;
use crate::policy::{Agents, ExecEnv, Guard, Message, MessageOrigin, SessionScope};

/// How turns are run.
#[derive(Debug, Clone)]
pub struct TurnConfig {
    /// Which session a conversation runs in.
    pub session_scope: SessionScope,
    /// The configured agents.
    pub agents: Agents,
    /// Agent that answers when the message names none; else the default of `agents`.
    pub chat_agent: Option<String>,
    /// Private locations.
    pub guard: Guard,
    /// From `turn.done` to `turn.usage`, so that the last usage event of the turn counts. Default 1,500 ms.
    pub usage_settle_ms: u64,
    /// Between two signs of life of a running turn. Default 60,000 ms; the platform gives up after 300,000.
    pub progress_ms: u64,
    /// How long the next turn of a conversation waits for an aborted one to be gone. Default 10,000 ms.
    pub abort_grace_ms: u64,
    /// Bounds on turns.
    pub limits: TurnLimits,
    /// Bounds on a message.
    pub message_limits: Limits,
    /// Makes the ids of messages that came without one. Must differ between two runs of a program: a conversation id
    /// that comes again would open the old session.
    pub id_seed: u128,
}

/// Bounds on how many turns there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnLimits {
    /// Turns that run, wait or settle, together. Default 20,000.
    pub turns: usize,
    /// Texts and context blocks of those turns together, in bytes. Default 64 MiB.
    pub bytes: usize,
    /// Turns that wait in one conversation. Default 100.
    pub waiting: usize,
    /// Finished messages remembered, to recognise a second delivery. Default 10,000.
    pub remembered: usize,
    /// Sessions whose context block and credential are kept. Default 5,000.
    pub sessions: usize,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self { turns: 20_000, bytes: 64 << 20, waiting: 100, remembered: 10_000, sessions: 5_000 }
    }
}

impl TurnConfig {
    /// The documented defaults with this seed.
    #[must_use]
    pub fn new(id_seed: u128) -> Self {
        Self {
            session_scope: SessionScope::Conversation,
            agents: Agents::default(),
            chat_agent: None,
            guard: Guard::default(),
            usage_settle_ms: 1_500,
            progress_ms: 60_000,
            abort_grace_ms: 10_000,
            limits: TurnLimits::default(),
            message_limits: Limits::default(),
            id_seed,
        }
    }
}

/// A turn to run now.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnStart {
    /// Number of the turn, for [`TurnQueue::happened`](crate::TurnQueue::happened).
    pub turn: u64,
    /// What to answer.
    pub message: Message,
    /// Session to run in.
    pub session_key: String,
    /// Agent that answers.
    pub agent_id: String,
    /// Environment of its shell tools.
    pub env: ExecEnv,
}

/// What a [`TurnQueue`](crate::TurnQueue) asks its owner to do.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TurnOutput {
    /// Run this turn.
    Start(Box<TurnStart>),
    /// Stop this turn: the model call and the running tool. Answer with [`Happening::Done`](crate::Happening::Done) when it is gone.
    Abort(u64),
    /// Send this to whoever delivered the message.
    Frame(MessageOrigin, AgentBody),
    /// Write this to the log.
    Log(LogLine),
}

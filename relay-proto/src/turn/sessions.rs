//! What hooks inside the gateway have to know of a chat session.

use std::collections::{BTreeMap, BTreeSet};

use crate::frame::Sender;
use crate::id::Id;
use crate::policy::{ExecEnv, Message};

/// The latest turn of each session, for hooks that only know the session key.
#[derive(Debug, Clone)]
pub(super) struct Sessions {
    max: usize,
    entries: BTreeMap<String, Entry>,
    /// Sessions in which nothing runs, by the moment they fell idle: the first may be forgotten first.
    idle: BTreeSet<(u64, String)>,
    moment: u64,
}

#[derive(Debug, Clone, Default)]
struct Entry {
    context: Option<String>,
    env: ExecEnv,
    sender: Option<(Sender, Id)>,
    running: BTreeSet<u64>,
    idle_since: u64,
    /// Turns of different people ran at once: whose credential a tool call may use cannot be told.
    mixed: bool,
}

impl Sessions {
    pub(super) fn new(max: usize) -> Self {
        Self { max, entries: BTreeMap::new(), idle: BTreeSet::new(), moment: 0 }
    }

    /// A turn starts: what it brings replaces what the turn before brought, also when it brings nothing.
    pub(super) fn start(&mut self, turn: u64, session_key: &str, message: &Message) {
        let entry = self.entries.entry(session_key.to_owned()).or_default();
        if entry.running.is_empty() {
            self.idle.remove(&(entry.idle_since, session_key.to_owned()));
        }
        let env = ExecEnv::of(message);
        entry.mixed = !entry.running.is_empty()
            && (entry.mixed || entry.env != env || entry.context != message.context);
        entry.env = env;
        entry.context.clone_from(&message.context);
        entry.sender = Some((message.sender.clone(), message.conversation_id.clone()));
        entry.running.insert(turn);
        while self.entries.len() > self.max {
            // Those in which something runs are bounded by the turns.
            let Some((_, oldest)) = self.idle.pop_first() else { break };
            self.entries.remove(&oldest);
        }
    }

    pub(super) fn end(&mut self, turn: u64, session_key: &str) {
        if let Some(entry) = self.entries.get_mut(session_key) {
            if entry.running.remove(&turn) && entry.running.is_empty() {
                self.moment += 1;
                entry.idle_since = self.moment;
                self.idle.insert((self.moment, session_key.to_owned()));
            }
            if entry.mixed && entry.running.is_empty() {
                // Neither turn's is right for what may still run in the background.
                entry.env = ExecEnv::default();
                entry.context = None;
                entry.mixed = false;
            }
        }
    }

    pub(super) fn context(&self, session_key: &str) -> Option<&str> {
        self.entries.get(session_key).filter(|entry| !entry.mixed)?.context.as_deref()
    }

    pub(super) fn env(&self, session_key: &str) -> Option<&ExecEnv> {
        self.entries.get(session_key).filter(|entry| !entry.mixed).map(|entry| &entry.env)
    }

    pub(super) fn is_mixed(&self, session_key: &str) -> bool {
        self.entries.get(session_key).is_some_and(|entry| entry.mixed)
    }

    pub(super) fn sender(&self, session_key: &str) -> Option<&(Sender, Id)> {
        self.entries.get(session_key)?.sender.as_ref()
    }

    /// The turn that runs in this session; the latest when several do.
    pub(super) fn running(&self, session_key: &str) -> Option<u64> {
        self.entries.get(session_key)?.running.last().copied()
    }
}

//! What the platform keeps of one agent, over all its connections.

use std::collections::{BTreeMap, VecDeque};

use super::output::ConnId;
use super::record::TurnRecord;
use crate::frame::{AgentEntry, PlatformBody, PlatformFrame};
use crate::id::TurnRef;
use crate::limits::Limits;
use crate::resume::{Deltas, Receiver, SendWindow};

#[derive(Debug, Clone, Default)]
pub(super) struct Agent {
    pub(super) conn: Option<ConnId>,
    pub(super) agents: Vec<AgentEntry>,
    pub(super) can_abort: bool,
    pub(super) resumable: bool,
    pub(super) token: Option<String>,
    pub(super) window: SendWindow,
    pub(super) receiver: Receiver,
    pub(super) deltas: Deltas,
    pub(super) outbox: VecDeque<PlatformFrame>,
    pub(super) turns: BTreeMap<TurnRef, TurnRecord>,
    pub(super) over: VecDeque<TurnRef>,
}

impl Agent {
    /// The next frame for its connection, as text.
    pub(super) fn next_text(&mut self, now: u64) -> Option<String> {
        if !self.resumable {
            return self.outbox.pop_front().map(|frame| frame.encode());
        }
        if let Some(text) = self.window.next_again() {
            return Some(text);
        }
        if self.window.is_full() {
            return None;
        }
        let mut frame = self.outbox.pop_front()?;
        if matches!(frame.body, PlatformBody::Unknown(_)) {
            return Some(frame.encode());
        }
        frame.seq = Some(self.window.next_seq());
        let text = frame.encode();
        self.window.sent(text.clone(), now);
        Some(text)
    }

    /// A session that the agent does not go on with: what it did not acknowledge goes again if it may.
    pub(super) fn start_over(&mut self, resumable: bool, limits: &Limits) -> usize {
        let unacked = self.window.reset();
        let lost = if resumable { 0 } else { unacked.len() };
        if resumable {
            for text in unacked.into_iter().rev() {
                if let Ok(mut frame) = PlatformFrame::decode(&text, limits) {
                    frame.seq = None;
                    self.outbox.push_front(frame);
                }
            }
        }
        self.receiver = Receiver::default();
        self.deltas.clear();
        lost
    }
}

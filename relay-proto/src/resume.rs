//! The resumable extension: numbered frames, cumulative acknowledgement, partials as deltas.

use std::collections::{BTreeMap, VecDeque};

use crate::frame::ReplyPartial;
use crate::id::TurnRef;

/// The word in `hello.capabilities` that offers the extension.
pub const RESUME_CAPABILITY: &str = "clawgauge.resume.1";

/// Frames received before an acknowledgement goes out at once.
const ACK_AFTER: u64 = 16;
/// Milliseconds after which an acknowledgement goes out anyway.
const ACK_WITHIN_MS: u64 = 500;
/// Frames and bytes sent and not acknowledged before sending pauses.
const WINDOW_FRAMES: usize = 1_000;
const WINDOW_BYTES: usize = 8 << 20;
/// Milliseconds without an acknowledgement after which everything unacknowledged is sent again. A WebSocket loses
/// nothing in the middle, but what relays it may.
const AGAIN_AFTER_MS: u64 = 10_000;

/// Frames that were sent and are not yet acknowledged.
#[derive(Debug, Clone, Default)]
pub(crate) struct SendWindow {
    last_seq: u64,
    unacked: VecDeque<Sent>,
    /// How many of `unacked`, from the front, are on the current connection.
    on_wire: usize,
    bytes: usize,
    again_at: Option<u64>,
}

#[derive(Debug, Clone)]
struct Sent {
    seq: u64,
    text: String,
}

impl SendWindow {
    pub(crate) fn is_empty(&self) -> bool {
        self.unacked.is_empty()
    }

    /// Whether sending has to pause until the peer acknowledges. It does so every 16 frames or half a second.
    pub(crate) fn is_full(&self) -> bool {
        self.unacked.len() >= WINDOW_FRAMES || self.bytes >= WINDOW_BYTES
    }

    pub(crate) fn next_seq(&self) -> u64 {
        self.last_seq + 1
    }

    /// Keeps a frame that carries [`SendWindow::next_seq`] and is being sent now.
    pub(crate) fn sent(&mut self, text: String, now: u64) {
        self.again_at.get_or_insert(now.saturating_add(AGAIN_AFTER_MS));
        self.last_seq += 1;
        self.bytes += text.len();
        self.unacked.push_back(Sent { seq: self.last_seq, text });
        self.on_wire = self.unacked.len();
    }

    /// The next frame that has to be sent again.
    pub(crate) fn next_again(&mut self) -> Option<String> {
        let text = self.unacked.get(self.on_wire)?.text.clone();
        self.on_wire += 1;
        Some(text)
    }

    /// The last frame handed out did not make it into the socket.
    pub(crate) fn send_failed(&mut self) {
        self.on_wire = self.on_wire.saturating_sub(1);
    }

    /// The peer has everything up to `received`.
    pub(crate) fn acked(&mut self, received: u64, now: u64) {
        let before = self.unacked.len();
        while self.unacked.front().is_some_and(|sent| sent.seq <= received) {
            if let Some(sent) = self.unacked.pop_front() {
                self.bytes = self.bytes.saturating_sub(sent.text.len());
                self.on_wire = self.on_wire.saturating_sub(1);
            }
        }
        if self.unacked.is_empty() {
            self.again_at = None;
        } else if self.unacked.len() < before {
            self.again_at = Some(now.saturating_add(AGAIN_AFTER_MS));
        }
    }

    /// The peer has everything up to `received` and asks for the rest.
    pub(crate) fn rewind(&mut self, received: u64, now: u64) {
        self.acked(received, now);
        self.on_wire = 0;
        if !self.unacked.is_empty() {
            self.again_at = Some(now.saturating_add(AGAIN_AFTER_MS));
        }
    }

    /// When [`SendWindow::handle_timeout`] has to be called next, while there is a connection.
    pub(crate) fn due(&self) -> Option<u64> {
        self.again_at
    }

    /// Sends everything again if no acknowledgement came for too long.
    pub(crate) fn handle_timeout(&mut self, now: u64) {
        if self.again_at.is_some_and(|at| now >= at) {
            self.on_wire = 0;
            self.again_at = Some(now.saturating_add(AGAIN_AFTER_MS));
        }
    }

    /// Starts over and gives back what was not acknowledged, oldest first.
    pub(crate) fn reset(&mut self) -> Vec<String> {
        std::mem::take(self).unacked.into_iter().map(|sent| sent.text).collect()
    }
}

/// What has arrived from the peer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Receiver {
    received: u64,
    unacked: u64,
    due: Option<u64>,
    asked_again: bool,
}

/// What to do with a numbered frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// It is the next one.
    Next,
    /// It was here before.
    Again,
    /// One before it is missing; `true` when that has to be said.
    Gap(bool),
}

impl Receiver {
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    pub(crate) fn arrive(&mut self, seq: u64, now: u64) -> Arrival {
        if seq == self.received + 1 {
            self.received = seq;
            self.asked_again = false;
            self.count(now);
            Arrival::Next
        } else if seq <= self.received {
            self.count(now);
            Arrival::Again
        } else {
            Arrival::Gap(!std::mem::replace(&mut self.asked_again, true))
        }
    }

    fn count(&mut self, now: u64) {
        self.unacked += 1;
        let due = if self.unacked >= ACK_AFTER { now } else { now.saturating_add(ACK_WITHIN_MS) };
        self.due = Some(self.due.map_or(due, |earlier| earlier.min(due)));
    }

    /// When an acknowledgement has to go out.
    pub(crate) fn due(&self) -> Option<u64> {
        self.due
    }

    /// An acknowledgement goes out now.
    pub(crate) fn acknowledge(&mut self) -> u64 {
        self.unacked = 0;
        self.due = None;
        self.received
    }

    /// A new connection: nothing is owed on it yet.
    pub(crate) fn reconnected(&mut self) {
        self.asked_again = false;
        self.acknowledge();
    }
}

/// Cumulative partials as deltas, and back. One text a turn that has not ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Deltas {
    texts: BTreeMap<TurnRef, String>,
    bytes: usize,
}

impl Deltas {
    /// Turns that may have a text at once; the next one is sent in full.
    const MAX_TURNS: usize = 10_000;
    /// Bytes of all texts together; what finds no room is sent in full, or waits for the next full text.
    const MAX_BYTES: usize = 64 << 20;

    /// Makes a cumulative partial say only what is new.
    pub(crate) fn shorten(&mut self, partial: &mut ReplyPartial) {
        let Some(text) = partial.text.take() else { return };
        partial.delta = None;
        let known = self.texts.get(&partial.turn).filter(|_| !partial.replace);
        let Some((known, added)) = known.and_then(|known| Some((known, text.strip_prefix(known.as_str())?)))
        else {
            self.keep(&partial.turn, &text);
            partial.text = Some(text);
            return;
        };
        partial.delta = Some(added.to_owned());
        partial.from = Some(known.len() as u64);
        let added = added.len();
        self.put(&partial.turn, text, added);
    }

    /// Gives a partial its whole text back; `false` if the text that it continues is not there, or would be longer than
    /// `max_text` bytes.
    pub(crate) fn restore(&mut self, partial: &mut ReplyPartial, max_text: usize) -> bool {
        match (&partial.text, &partial.delta, partial.from) {
            (Some(text), ..) => {
                self.keep(&partial.turn, text);
                true
            }
            (None, Some(delta), Some(from)) => {
                let fits = self.bytes.saturating_add(delta.len()) <= Self::MAX_BYTES;
                match self.texts.get_mut(&partial.turn) {
                    Some(known)
                        if known.len() as u64 == from && fits && known.len() + delta.len() <= max_text =>
                    {
                        known.push_str(delta);
                        self.bytes += delta.len();
                        partial.text = Some(known.clone());
                        partial.from = None;
                        true
                    }
                    Some(_) => {
                        // Nothing continues it any more: the next text has to be a whole one.
                        self.forget(&partial.turn);
                        false
                    }
                    None => false,
                }
            }
            _ => false,
        }
    }

    /// The text of a turn is this one from now on, where there is room.
    fn keep(&mut self, turn: &TurnRef, text: &str) {
        self.forget(turn);
        if self.texts.len() < Self::MAX_TURNS && self.bytes.saturating_add(text.len()) <= Self::MAX_BYTES {
            self.bytes += text.len();
            self.texts.insert(turn.clone(), text.to_owned());
        }
    }

    /// Replaces the known text of a turn by one that is `added` bytes longer.
    fn put(&mut self, turn: &TurnRef, text: String, added: usize) {
        if self.bytes.saturating_add(added) > Self::MAX_BYTES {
            self.forget(turn);
        } else if let Some(known) = self.texts.get_mut(turn) {
            *known = text;
            self.bytes += added;
        }
    }

    /// The turn ended.
    pub(crate) fn forget(&mut self, turn: &TurnRef) {
        if let Some(text) = self.texts.remove(turn) {
            self.bytes = self.bytes.saturating_sub(text.len());
        }
    }

    pub(crate) fn clear(&mut self) {
        self.texts.clear();
        self.bytes = 0;
    }
}

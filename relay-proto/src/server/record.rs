//! A turn as the platform sees it.

use crate::frame::{AgentBody, Question, Reply, ToolStart, TurnDone, TurnUsage};
use crate::id::TurnRef;

/// Replies and steps kept of one turn.
const MAX_PARTS: usize = 1_000;
/// Their texts together, in bytes: two frames of the largest size.
const MAX_BYTES: usize = 8 << 20;

/// How far a turn got.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnFate {
    /// Sent, or waiting for the agent to connect.
    Sent,
    /// The agent is running.
    Running,
    /// It ended with this frame.
    Done(Box<TurnDone>),
    /// No frame for five minutes: the agent went quiet.
    Quiet,
    /// Longer than fifteen minutes in all.
    TooLong,
}

/// What was collected of one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRecord {
    /// The turn.
    pub turn: TurnRef,
    /// Session that it runs in, once known.
    pub session_key: Option<String>,
    /// The reply so far.
    pub partial: Option<String>,
    /// Steps, in order; at most 1,000 of them, and 8 MiB of steps and replies together, are kept.
    pub steps: Vec<ToolStart>,
    /// Questions with options.
    pub choices: Vec<Question>,
    /// Replies, in order; at most 1,000 of them, and 8 MiB of steps and replies together, are kept.
    pub replies: Vec<Reply>,
    /// Steps and replies that found no room here. Each went out as [`ServerOutput::Frame`](crate::ServerOutput::Frame).
    pub left_out: u64,
    /// What it spent, once reported.
    pub usage: Option<Box<TurnUsage>>,
    /// How far it got.
    pub fate: TurnFate,
    pub(super) sent_at: u64,
    pub(super) deadline: u64,
    bytes: usize,
}

impl TurnRecord {
    pub(super) fn new(turn: TurnRef, now: u64) -> Self {
        Self {
            turn,
            session_key: None,
            partial: None,
            steps: Vec::new(),
            choices: Vec::new(),
            replies: Vec::new(),
            left_out: 0,
            usage: None,
            fate: TurnFate::Sent,
            sent_at: now,
            deadline: now,
            bytes: 0,
        }
    }

    /// Whether the turn is over, one way or the other.
    #[must_use]
    pub fn is_over(&self) -> bool {
        !matches!(self.fate, TurnFate::Sent | TurnFate::Running)
    }

    /// The answer: block and final replies, a blank line between them.
    #[must_use]
    pub fn text(&self) -> String {
        crate::http::joined_text(&self.replies)
    }

    /// Takes a frame; `false` if it has no place: after the end only the first `turn.usage` has.
    pub(super) fn take(&mut self, body: &AgentBody) -> bool {
        if let AgentBody::TurnUsage(usage) = body {
            let first = self.usage.is_none();
            if first {
                self.usage = Some(usage.clone());
            }
            return first;
        }
        if self.is_over() {
            return false;
        }
        self.fate = TurnFate::Running;
        match body {
            AgentBody::TurnStarted(frame) => self.session_key = Some(frame.session_key.clone()),
            AgentBody::ReplyPartial(frame) => self.partial.clone_from(&frame.text),
            AgentBody::ToolStart(frame) => {
                let bytes = frame.name.len() + frame.command.as_ref().map_or(0, String::len);
                if self.has_room(self.steps.len(), bytes) {
                    self.steps.push(frame.clone());
                }
            }
            AgentBody::Choices(_, questions) => self.choices.clone_from(questions),
            AgentBody::Reply(frame) => {
                let bytes = frame.text.len() + frame.media_urls.iter().map(String::len).sum::<usize>();
                if self.has_room(self.replies.len(), bytes) {
                    self.replies.push(frame.clone());
                }
            }
            AgentBody::TurnDone(done) => self.fate = TurnFate::Done(Box::new(done.clone())),
            _ => {}
        }
        true
    }

    /// Takes room for one more part beside `parts` others; counts it as left out when there is none.
    fn has_room(&mut self, parts: usize, bytes: usize) -> bool {
        let after = self.bytes.saturating_add(bytes);
        let fits = parts < MAX_PARTS && after <= MAX_BYTES;
        if fits {
            self.bytes = after;
        } else {
            self.left_out += 1;
        }
        fits
    }
}

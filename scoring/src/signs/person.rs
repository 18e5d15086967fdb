//! Who began a turn, and the words that a person typed.

use std::ops::Range;

use clawgauge_transcript::{Block, Turn};

use super::text::Words;

/// Who began a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A person.
    Person,
    /// The agent went on by itself, or a program told it how something it had started ended: still the same request.
    Continuation,
    /// A schedule, a heartbeat or the start of a session: a request of its own that no person made.
    Machine,
}

/// What a person typed.
#[derive(Debug, Clone)]
pub(crate) struct PersonWords<'t> {
    pub(crate) words: Words<'t>,
    /// The parts of the text that the person typed in this turn: outside envelopes, code, quotes, logs and pasted text.
    pub(crate) typed: Vec<Range<usize>>,
}

/// Classifies a turn; the words only when a person began it.
pub(crate) fn read_turn<'t>(turn: &Turn<'t>) -> (Origin, Option<PersonWords<'t>>) {
    let Some((entry, message)) = turn.user.zip(turn.user_message()) else {
        return (Origin::Continuation, None);
    };
    let blocks = message.blocks().filter_map(|block| match block {
        Block::Text(text) => Some(text),
        _ => None,
    });
    let words = Words::new(entry, blocks);
    let text = words.text();
    if text.starts_with("[OpenClaw heartbeat")
        || text.starts_with("[cron:")
        || text.starts_with("A new session was")
    {
        return (Origin::Machine, None);
    }
    if text.starts_with("System: [") {
        return (Origin::Continuation, None);
    }
    let mut typed = Vec::new();
    let mut at = 0;
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        if !fence && !fenced && !line.starts_with('>') {
            typed.push(at..at + line.len());
        }
        at += line.len();
    }
    (Origin::Person, Some(PersonWords { words, typed }))
}

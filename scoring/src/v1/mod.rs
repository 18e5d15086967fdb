//! The numbers of the session-scorer plugin 1.0.3, bit for bit.
//!
//! They are kept for those who have a history of them: `scores` and `overall` of a score file mean these numbers. What they
//! measure is documented with each function, surprises included; the default profile is what is right.
//!
//! It works on undecoded messages, because the answers depend on shapes that a typed model would not keep: null elements,
//! contents that are plain text, key order and number forms of arguments.

mod context;
mod end_event;
mod message;
mod rules;
mod stored;

use clawgauge_transcript::{RawJson, Transcript};

pub use end_event::{EndOfSession, score};
pub use stored::StoredScores;

use crate::error::Error;
use crate::json::{js_number, js_round};
use crate::profile::PerDimension;
use message::Message;

/// The four numbers and their rounded mean, each rounded to hundredths as the plugin rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// The four scores, 0 to 1.
    pub dimensions: PerDimension<f64>,
    /// The rounded mean of the rounded four.
    pub overall: f64,
}

/// Scores the messages of a session's context, in order, as an `agent_end` event carries them. `O(n)`.
///
/// # Errors
/// [`crate::ErrorKind::TooDeep`] when the arguments of a call are nested deeper than 128 levels.
pub fn score_messages(messages: &[RawJson<'_>]) -> Result<Scores, Error> {
    let messages = messages.iter().map(|message| Message::read(*message)).collect::<Result<Vec<_>, _>>();
    messages.map(|messages| rules::all(&messages)).map_err(|error| Error::json("a message", &error))
}

/// Scores a stored session by the context that the end of its last run would have carried: the active branch, after a compaction
/// the summary and what was kept, after a reset what follows it. A user's plain text is a block there. `O(n)`.
///
/// # Errors
/// Those of [`score_messages`].
pub fn score_session(transcript: &Transcript<'_>) -> Result<Scores, Error> {
    let context = context::of(transcript);
    let messages = context.iter().map(context::Item::read).collect::<Result<Vec<_>, _>>();
    messages.map(|messages| rules::all(&messages)).map_err(|error| Error::json("a message", &error))
}

/// How many messages the context of a stored session holds: what `messageCount` of a score file means. `O(n)`.
#[must_use]
pub fn context_length(transcript: &Transcript<'_>) -> usize {
    context::of(transcript).len()
}

/// A number rounded to hundredths as the plugin does it: `Math.round(x * 100) / 100`, on binary doubles, halves up.
#[must_use]
pub fn round(x: f64) -> f64 {
    js_round(x)
}

/// A number's text as the plugin's runtime prints it: the shortest digits that read back to it (`1`, `0.5`, `NaN`).
#[must_use]
pub fn number_text(x: f64) -> String {
    js_number(x)
}

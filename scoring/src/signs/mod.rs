//! Signs that the scores read: one definition of each, used by all.
//!
//! The definitions (is a result an error, what kind of call it is, the last substantive text, negation, repetition, task or
//! dialogue) are those that were measured on public agent runs with known outcome.

mod call;
mod error;
mod flags;
mod json;
mod last_text;
mod measured;
mod negation;
mod person;
mod phrases;
mod prose;
mod repetition;
mod session;
mod text;

pub(crate) use call::CallFacts;
pub(crate) use error::Reading;
pub use flags::{Flag, FlagName};
pub(crate) use last_text::last_substantive;
pub(crate) use measured::read as read_signs;
pub use measured::{SessionKind, Sign, SignName, Signs};
pub(crate) use person::Origin;
pub(crate) use phrases::{ClaimKind, claims, is_hypothetical};
pub(crate) use repetition::{Loop, LoopItem, find_loops};
pub(crate) use session::{OrphanFacts, Session, TurnFacts, answer, is_reply};
pub(crate) use text::{Sentence, Words, clause_start, sentences};

pub(crate) use crate::rules::Hit;

//! Turns: which one runs when, and what goes on the wire for it.

mod happening;
mod host_context;
mod queue;
mod remembered;
mod sessions;
mod state;
mod tools;

pub use happening::{Happening, TurnEnd};
pub(crate) use queue::made_up_id;
pub use queue::{TurnConfig, TurnLimits, TurnOutput, TurnQueue, TurnStart};
pub use tools::ToolDecision;

//! Turns: which one runs when, and what goes on the wire for it.

mod config;
mod happening;
mod host_context;
mod queue;
mod remembered;
mod sessions;
mod state;
mod tools;

pub use config::{TurnConfig, TurnLimits, TurnOutput, TurnStart};
pub use happening::{Happening, TurnEnd};
pub use queue::TurnQueue;
pub(crate) use queue::made_up_id;
pub use tools::ToolDecision;

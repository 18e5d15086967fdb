//! The platform's end of the relay.

mod agent;
mod core;
mod keys;
mod record;

pub use core::{ConnId, SendRefused, Server, ServerConfig, ServerOutput};
pub use keys::{KeyLookup, KeyVerdict, Presented};
pub use record::{TurnFate, TurnRecord};

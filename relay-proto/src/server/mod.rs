//! The platform's end of the relay.

mod agent;
mod core;
mod keys;
mod output;
mod record;

pub use core::Server;
pub use keys::{KeyLookup, KeyVerdict, Presented};
pub use output::{ConnId, SendRefused, ServerConfig, ServerOutput};
pub use record::{TurnFate, TurnRecord};

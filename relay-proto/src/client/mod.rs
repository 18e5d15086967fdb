//! The agent's end of the relay.

mod backoff;
mod core;
mod hello;
mod link;
mod output;
mod sending;

pub use backoff::{Backoff, BackoffConfig, close_code};
pub use core::{Client, ClientConfig, ClientReport};
pub use hello::{Identity, PROTOCOL};
pub use link::{LinkConfig, Randomness};
pub use output::{ClientOutput, SocketId, WireText};

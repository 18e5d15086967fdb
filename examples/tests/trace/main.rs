//! `trace-export` as an operator runs it: a process, a network, signals.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests and what they share fail loudly"
)]

mod configure;
mod network;
mod program;
mod scores;
mod server;
mod settings;
#[cfg(unix)]
mod signals;

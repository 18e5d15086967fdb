//! `trace-export` as an operator runs it: a process, a network, signals.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests and what they share fail loudly"
)]

#[path = "../built.rs"]
mod built;
mod configure;
mod export;
mod network;
mod program;
mod scores;
mod server;
mod settings;
#[cfg(unix)]
mod signals;
#[path = "../../trace-export/spool.rs"]
mod spool;
#[cfg(unix)]
mod terminal;

//! The programs `relay` and `platform` over real sockets.
//!
//! `RELAY_SOCKET_TURNS` (default 60) and `RELAY_SOCKET_CONVERSATIONS` (default 10) make the chaos run longer.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test fails by panicking, in its helpers too"
)]

mod backends;
#[path = "../built.rs"]
mod built;
mod chaos;
mod endpoint;
mod javascript;
mod programs;
mod tls;

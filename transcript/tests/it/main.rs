//! Integration tests, linked once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that meets the unexpected fails"
)]

mod redact;
mod session_key;
mod speaker;
mod tools;
mod usage;

//! Tests of the public interface.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::items_after_statements,
    reason = "a test that meets the unexpected fails; helpers stand beside their use"
)]

mod field;
mod filters;
mod laws;
mod minimise;
mod recorded;
mod redaction;
mod support;
mod vectors;

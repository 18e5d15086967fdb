//! The tests of the crate from outside, in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that fails panics"
)]

mod default_profile;
mod laws;
mod records;
mod risk;
mod same;
mod sentences;
mod stats;
mod summaries;
mod support;
mod v1_sessions;
mod v1_vectors;

//! Tests of the public surface: one binary, one file a subject.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that meets the unexpected fails"
)]

mod conversation;
mod events;
mod field_cases;
mod fuzz;
mod properties;
mod reading;
mod recorded;
mod session_key;
mod speaker;
mod support;
mod tools;
mod tree;
mod usage;

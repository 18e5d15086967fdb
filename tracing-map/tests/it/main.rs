//! Integration tests: one binary, one topic a module.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "helpers of tests fail loudly, as tests do"
)]

mod agreement;
mod backends;
mod field_cases;
mod mirror;
mod order;
mod otlp;
mod properties;
mod recorded;
mod support;
mod transcripts;
mod vectors;

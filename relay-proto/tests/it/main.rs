//! Everything that is tested from outside, in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::panic_in_result_fn,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::str_to_string,
    reason = "a test fails by panicking, in its helpers too"
)]

mod codec;
mod field_cases;
mod hostile;
mod pair;
mod policies;
mod secrets;
mod sim;
mod vectors;
mod vectors_http;
mod vectors_in;
mod vectors_link;
mod vectors_policy;
mod vectors_turn;

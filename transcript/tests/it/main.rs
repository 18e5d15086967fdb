//! Tests of the public surface: one binary, one file a subject.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    reason = "a test that meets the unexpected fails"
)]
#![allow(clippy::needless_pass_by_value, reason = "builders of rows read better with values")]

mod conversation;
mod events;
mod field_cases;
mod fuzz;
mod import;
mod pairing;
mod properties;
mod reading;
mod recorded;
mod redact;
mod redact_kinds;
mod rows;
mod session_key;
mod speaker;
#[cfg(feature = "store")]
mod store;
mod support;
mod tools;
mod tree;
mod usage;

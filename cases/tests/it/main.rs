//! Integration tests of `clawgauge-cases`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that fails panics"
)]

mod actions;
#[cfg(feature = "yaml")]
mod case_files;
mod claims;
mod explain;
#[cfg(feature = "yaml")]
mod field;
mod judge;
mod laws;
mod reports;
#[cfg(feature = "yaml")]
mod schema;
#[cfg(feature = "yaml")]
mod splice;
mod support;
mod vectors;

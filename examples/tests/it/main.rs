//! The tests of the programs and of what they share.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that fails panics"
)]

mod edd_agent;
#[cfg(feature = "net")]
mod edd_judge;
mod edd_run;
mod edd_sessions;
mod scores_plugin;
mod scores_program;
mod scores_reports;
mod scores_risk;
mod scores_sessions;
mod support;
mod telling;

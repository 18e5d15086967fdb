//! The tests of the programs and of what they share.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that fails panics"
)]

#[path = "../built.rs"]
mod built;
mod edd_agent;
mod edd_golden;
#[cfg(feature = "net")]
mod edd_judge;
mod edd_run;
mod edd_sessions;
mod output;

mod scores_plugin;
mod scores_program;
mod scores_reports;
mod scores_risk;
mod scores_sessions;
mod support;
mod telling;

//! Who spoke, and what they said.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "helpers of tests panic when their data is wrong, as tests do"
)]

mod assistant;
mod envelopes;
mod laws;
mod recorded;
mod typed;
mod untouched;

use clawgauge_transcript::{UserInput, UserText, classify_user};

fn classify(text: &str) -> UserText<'_> {
    classify_user(&UserInput::new(text))
}

/// Fails with all messages, not only the first.
fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

//! Who spoke, and what they said.

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
    assert!(
        failures.is_empty(),
        "{} failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

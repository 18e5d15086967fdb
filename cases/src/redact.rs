//! The one place where quoted text passes the redactor of the transcript crate.

use std::borrow::Cow;
use std::sync::LazyLock;

use clawgauge_transcript::{RedactionLevel, Redactor};

/// Secrets only: reports stay with their owner.
static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::of_level(RedactionLevel::Secrets));

/// `text` with secrets replaced by placeholders of its own. O(n).
pub(crate) fn redact(text: &str) -> Cow<'_, str> {
    REDACTOR.text(text)
}

/// `text` with secrets replaced, as every quote in a report is: for programs that print parts of a session themselves.
/// O(n).
#[must_use]
pub fn redacted(text: &str) -> Cow<'_, str> {
    redact(text)
}

/// JSON text with secrets replaced, also those that only the name of a member gives away. `None` if there is nothing to
/// replace, or the text is not one JSON value. O(n).
pub(crate) fn redact_json(text: &str) -> Option<String> {
    match REDACTOR.begin().json(text)? {
        Cow::Borrowed(_) => None,
        Cow::Owned(redacted) => Some(redacted),
    }
}

//! Redaction of records on their way out.

use clawgauge_transcript::{RedactionReport, Redactor};

use crate::error::Error;
use crate::record::Record;

/// Redacts all texts of a record: keys, values, JSON inside of texts. Placeholders that are there already keep their
/// meaning, and redacting twice equals once. O(n).
///
/// # Errors
/// Only if the redacted line were no record any more, which no input is known to cause: rather no record than an
/// unredacted one.
pub fn redact_record(record: &Record, redactor: &Redactor) -> Result<(Record, RedactionReport), Error> {
    let line = record.to_line();
    let mut redaction = redactor.begin();
    redaction.reserve(&line);
    let redacted = match redaction.json(&line) {
        Some(text) => text.into_owned(),
        None => redaction.text(&line).into_owned(),
    };
    let report = redaction.report().clone();
    if report.is_empty() {
        return Ok((record.clone(), report));
    }
    let record = Record::parse(&redacted)?;
    Ok((record, report))
}

//! Redaction of records on their way out.

mod named;

use clawgauge_cases::Json;
use clawgauge_transcript::{RedactionReport, Redactor};

use crate::error::Error;
use crate::record::Record;
pub(crate) use named::Known;

/// Redacts all texts of a record: keys, values, JSON inside of texts. Placeholders that are there already keep their
/// meaning, and redacting twice equals once.
///
/// A record says more than its texts do. A number, a list or an object under the name of a secret (`password`,
/// `api_keys`) is redacted, and so is the `value` of an object whose `name` names one, in any order. A secret that stands
/// under its name once is redacted wherever else the record quotes it: in a result, an answer, an assertion.
///
/// O(n), times the secrets found under names (at most 64 are looked for elsewhere). A record with nothing to redact is
/// given back byte for byte.
///
/// # Errors
/// Only if the redacted line were no record any more, which no input is known to cause: rather no record than an
/// unredacted one.
pub fn redact_record(record: &Record, redactor: &Redactor) -> Result<(Record, RedactionReport), Error> {
    let mut known = Known::new(redactor);
    known.learn(record.json());
    let line = record.to_line();
    let mut redaction = redactor.begin();
    redaction.reserve(&line);
    let redacted = match redaction.json(&line) {
        Some(text) => text.into_owned(),
        None => redaction.text(&line).into_owned(),
    };
    let record = if redaction.report().is_empty() { record.clone() } else { Record::parse(&redacted)? };
    let mut json: Json = record.json().clone();
    let changed = known.redact(&mut json, &mut redaction);
    let record = if changed { Record::from_json(json) } else { record };
    Ok((record, redaction.report().clone()))
}

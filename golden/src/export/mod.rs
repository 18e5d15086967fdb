//! Ways out: JSONL, CSV, fine-tuning data, with a card. Everything is redacted here, whatever was redacted before.

mod card;
mod sft;
mod table;

use std::borrow::Borrow;

use clawgauge_transcript::{RedactionReport, Redactor};

use crate::error::Error;
use crate::record::{Record, ReviewState};
use crate::redact::redact_record;
pub use card::DatasetCard;

/// Which records leave.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct ExportOptions {
    /// Only records that a person approved. Rejected ones never leave.
    pub only_approved: bool,
}

impl ExportOptions {
    /// The same with or without the filter for approved records.
    #[must_use]
    pub const fn approved_only(mut self, on: bool) -> Self {
        self.only_approved = on;
        self
    }
}

/// The part of a dataset that a record belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Split {
    /// To learn from.
    Train,
    /// To be tested on.
    Test,
}

/// The part of a record with this content hash, when `test_share` (0 to 1) of all records shall be for testing. The same
/// content is always in the same part, in any order and any file, and a larger share only moves records to the test. A
/// share of 0 or less, or one that is no number, tests nothing; 1 or more tests everything.
///
/// The share is kept on average: the hash decides for each record by itself, so a small set can be off by a few.
#[must_use]
pub fn split_of(content_hash: &str, test_share: f64) -> Split {
    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(content_hash.as_bytes());
    let head = digest.iter().take(4).fold(0_u32, |all, &byte| all << 8 | u32::from(byte));
    if f64::from(head) / 4_294_967_296.0 < test_share { Split::Test } else { Split::Train }
}

/// Redacted records on their way out.
///
/// ```
/// use clawgauge_golden::{Export, ExportOptions, Record};
/// use clawgauge_transcript::{RedactionLevel, Redactor};
///
/// let record = Record::parse(r#"{"id":"a_1","conversation":[{"turn":1,"user":"=SUM(A1) for ada@example.invalid"}]}"#)?;
/// let export = Export::new([&record], ExportOptions::default(), &Redactor::of_level(RedactionLevel::Personal))?;
/// assert!(export.csv()?.contains("'=SUM(A1) for <EMAIL_1>"));
/// assert_eq!(export.redactions().total(), 1);
/// # Ok::<(), clawgauge_golden::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Export {
    records: Vec<Record>,
    redactions: RedactionReport,
    rejected: usize,
    waiting: usize,
}

impl Export {
    /// Redacts the records that may leave, each by itself: the same person is `<EMAIL_1>` in one record and may be
    /// `<EMAIL_2>` in another. Cost as [`redact_record`]'s, for each.
    ///
    /// # Errors
    /// As [`redact_record`].
    pub fn new(
        records: impl IntoIterator<Item = impl Borrow<Record>>,
        options: ExportOptions,
        redactor: &Redactor,
    ) -> Result<Self, Error> {
        let mut out =
            Self { records: Vec::new(), redactions: RedactionReport::default(), rejected: 0, waiting: 0 };
        for record in records {
            let record: &Record = record.borrow();
            match record.review_state() {
                ReviewState::Rejected => {
                    out.rejected += 1;
                    continue;
                }
                ReviewState::Waiting if options.only_approved => {
                    out.waiting += 1;
                    continue;
                }
                ReviewState::Waiting | ReviewState::Approved => {}
            }
            let (redacted, report) = redact_record(record, redactor)?;
            out.redactions.merge(&report);
            out.records.push(redacted);
        }
        Ok(out)
    }

    /// The records that leave.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// What was replaced by this export. What mining replaced stands in each record's `metadata.redactions`.
    #[must_use]
    pub const fn redactions(&self) -> &RedactionReport {
        &self.redactions
    }

    /// How many records were held back: first those that were rejected, then those that nobody approved (only where
    /// [`ExportOptions::only_approved`] asks for it).
    #[must_use]
    pub const fn held_back(&self) -> (usize, usize) {
        (self.rejected, self.waiting)
    }

    /// The same export with the records of one part only, by [`split_of`]. What was redacted and held back is told for
    /// all of them. O(n), copies.
    #[must_use]
    pub fn part(&self, part: Split, test_share: f64) -> Self {
        let mut out = self.clone();
        out.records.retain(|record| split_of(&record.content_hash(), test_share) == part);
        out
    }

    /// One record a line, each line ended by `\n`. O(n).
    #[must_use]
    pub fn jsonl(&self) -> String {
        self.records.iter().map(|record| record.to_line() + "\n").collect()
    }

    /// openclaw-edd's table: the columns `id`, `description`, `user`, `golden_tools`, `golden_output`,
    /// `skill_triggered`, `session_id`, `extracted_at`; a row for each turn. Cells that a spreadsheet would take for a
    /// formula begin with an apostrophe, as OWASP's page on CSV injection advises. Quoted as RFC 4180 says, lines ended by
    /// `\r\n`, tools joined by a comma and a blank; what a record lacks is an empty cell. O(n).
    ///
    /// # Errors
    /// [`ErrorKind::Table`](crate::ErrorKind::Table); no input is known to cause it.
    pub fn csv(&self) -> Result<String, Error> {
        table::csv(&self.records)
    }

    /// Fine-tuning data in the shape of OpenAI's chat format: one conversation a line with `messages`; a message of the
    /// assistant for each group of parallel calls, its `tool_calls` numbered `call_1`, ... through the conversation and
    /// their arguments as JSON text; a message of the tool for each result, as far as the record shows it.
    ///
    /// A record of which a turn lacks its request or its answer gives no line, so there can be fewer lines than records.
    /// O(n).
    #[must_use]
    pub fn sft(&self) -> String {
        self.records.iter().filter_map(sft::line).map(|line| line + "\n").collect()
    }

    /// The card of this dataset: counts over what leaves, never a text of it but the names of tools, agents and sources.
    /// O(n).
    #[must_use]
    pub fn card(&self) -> DatasetCard {
        DatasetCard::of(self)
    }
}

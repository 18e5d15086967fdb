//! Rows of a database to entries, without any database.

use std::fmt;

use crate::decode::LineParser;
use crate::entry::Entry;
use crate::limits::Limits;
use crate::report::{ProblemKind, ReadReport};
use crate::transcript::Transcript;

/// Longest compressed row that OpenClaw writes, decoded: 4 MiB.
const MAX_COMPRESSED_ROW: u64 = 4 << 20;

/// The columns of one row of `transcript_events`.
///
/// Exactly one of [`json`](Row::json) and [`zstd`](Row::zstd) is set in a sound row.
#[derive(Clone, Copy, Default)]
pub struct Row<'a> {
    /// `seq`, from 0; the header is 0.
    pub seq: u64,
    /// `event_json`: the entry as text.
    pub json: Option<&'a [u8]>,
    /// `event_zstd`: the entry as one zstd frame.
    pub zstd: Option<&'a [u8]>,
    /// `event_utf8_bytes`: the length of the decoded text in bytes.
    pub utf8_bytes: Option<u64>,
}

impl fmt::Debug for Row<'_> {
    /// Place and lengths; never content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row")
            .field("seq", &self.seq)
            .field("json", &self.json.map(<[u8]>::len))
            .field("zstd", &self.zstd.map(<[u8]>::len))
            .field("utf8_bytes", &self.utf8_bytes)
            .finish()
    }
}

/// Entries from the rows of one session, in order of `seq`.
///
/// The counterpart of [`LineDecoder`](crate::LineDecoder): the same rows as lines of a file give equal entries and an
/// equal report. Line numbers are `seq + 1`. A compressed row is accepted only when its frame's checksum and the row's
/// length both agree; with the feature `zstd` off every compressed row is a line of the report.
///
/// ```
/// use clawgauge_transcript::{Limits, Row, RowDecoder};
///
/// let mut rows = RowDecoder::new(Limits::default());
/// let header = br#"{"type":"session","version":4,"id":"s1"}"#;
/// assert!(rows.row(Row { seq: 0, json: Some(header), ..Row::default() }).is_some());
/// assert!(rows.row(Row { seq: 1, zstd: Some(b"no frame"), utf8_bytes: Some(9), ..Row::default() }).is_none());
/// assert_eq!(rows.report().problems[0].line, 2);
/// ```
#[derive(Debug, Clone)]
pub struct RowDecoder {
    parser: LineParser,
}

impl RowDecoder {
    /// A decoder before the first row of a session.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { parser: LineParser::new(limits) }
    }

    /// Decodes one row; `None` when it holds no entry, and then the report says why.
    pub fn row(&mut self, row: Row<'_>) -> Option<Entry<'static>> {
        match row {
            Row { json: Some(json), .. } => self.parser.row_at(row.seq, json).map(Entry::into_owned),
            Row { zstd: Some(frame), utf8_bytes, .. } => match decode(frame, utf8_bytes) {
                Ok(text) => self.parser.row_at(row.seq, &text).map(Entry::into_owned),
                Err((kind, reason)) => {
                    self.parser.lost_row(row.seq, utf8_bytes.unwrap_or(0), kind, reason);
                    None
                }
            },
            Row { json: None, zstd: None, .. } => {
                self.parser.lost_row(row.seq, 0, ProblemKind::Malformed, "a row without content");
                None
            }
        }
    }

    /// Takes note of a row that its source could not deliver.
    pub fn lost(&mut self, seq: u64, reason: impl Into<String>) {
        self.parser.lost_row(seq, 0, ProblemKind::Unreadable, reason);
    }

    /// What was met so far.
    #[must_use]
    pub fn report(&self) -> &ReadReport {
        self.parser.report()
    }

    /// Puts the session's entries together with the report.
    #[must_use]
    pub fn into_transcript(self, entries: Vec<Entry<'_>>) -> Transcript<'_> {
        Transcript::from_entries(entries, self.parser.into_report())
    }
}

#[cfg(feature = "zstd")]
fn decode(frame: &[u8], length: Option<u64>) -> Result<Vec<u8>, (ProblemKind, String)> {
    let Some(length) = length else {
        return Err((ProblemKind::CorruptFrame, "a compressed row without its length".to_owned()));
    };
    let expected = crate::zstd::Expected::Exactly { length, limit: MAX_COMPRESSED_ROW };
    crate::zstd::decode(frame, expected).map_err(|refused| {
        let kind = if refused.too_large { ProblemKind::Oversized } else { ProblemKind::CorruptFrame };
        (kind, refused.reason)
    })
}

#[cfg(not(feature = "zstd"))]
fn decode(_: &[u8], _: Option<u64>) -> Result<Vec<u8>, (ProblemKind, String)> {
    let _unused = MAX_COMPRESSED_ROW;
    Err((ProblemKind::Undecoded, "a compressed row, and this build does not decode them".to_owned()))
}

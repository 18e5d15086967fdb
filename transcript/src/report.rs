//! What a reader could not read, and where.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// The class of a [`Problem`]. Its [`name`](ProblemKind::name) is stable and meant for machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProblemKind {
    /// A line with a line end that is not JSON. The line is left out.
    Malformed,
    /// The last line has no line end and is not complete JSON: a writer was cut off, or still writes. Left out.
    TornTail,
    /// Valid JSON, but not an object. Left out.
    NonObject,
    /// An object without a text `type`. Kept as an entry of unknown type.
    MissingType,
    /// The first row is not a session header. Everything is kept; the session id is unknown.
    MissingHeader,
    /// A second session header. Kept as a row; the first one names the session.
    ExtraHeader,
    /// A line began as a torn row, and a complete one followed on it: the complete one was kept.
    RecoveredSuffix,
    /// Several complete rows on one line (two writers, or line ends that are no line feeds). All kept.
    GluedRows,
    /// Bytes that are not UTF-8 were replaced by U+FFFD; the entry is kept, and its original bytes too.
    InvalidUtf8,
    /// Half of a surrogate pair was replaced by U+FFFD; the entry is kept.
    LoneSurrogate,
    /// Raw control characters inside a string; read as if they had been escaped.
    ControlChar,
    /// A byte order mark at the beginning of a line; ignored.
    Bom,
    /// A line, or a compressed row once decoded, longer than the limit. Left out.
    Oversized,
    /// Nesting deeper than the limit. Left out.
    TooDeep,
    /// A header version newer than this reader knows; what is known is read.
    UnsupportedVersion,
    /// An entry id that occurs again: of rows of one type and role the last one counts, in the place of the first;
    /// rows of different types or roles all count.
    DuplicateId,
    /// A `timestamp` that is no time; the message's own time is used where there is one.
    BadTimestamp,
    /// More rows than the limit; the rest is left out.
    TooManyEntries,
    /// A compressed row that does not decode to what it was: its frame, its checksum or its length is wrong. Left out.
    CorruptFrame,
    /// A compressed row that this build cannot decode (feature `zstd`). Left out.
    Undecoded,
    /// A row or a rest of a file that the disk or the database could not deliver. Left out.
    Unreadable,
    /// A tool result whose call is not in the conversation. Kept with the turn.
    OrphanResult,
    /// No sessions index, or one without this session: the session key is unknown.
    KeyUnknown,
}

impl ProblemKind {
    /// The stable name, for example `torn_tail`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::TornTail => "torn_tail",
            Self::NonObject => "non_object",
            Self::MissingType => "missing_type",
            Self::MissingHeader => "missing_header",
            Self::ExtraHeader => "extra_header",
            Self::RecoveredSuffix => "recovered_suffix",
            Self::GluedRows => "glued_rows",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::LoneSurrogate => "lone_surrogate",
            Self::ControlChar => "control_char",
            Self::Bom => "bom",
            Self::Oversized => "oversized_record",
            Self::TooDeep => "too_deep",
            Self::UnsupportedVersion => "unsupported_version",
            Self::DuplicateId => "duplicate_id",
            Self::BadTimestamp => "bad_timestamp",
            Self::TooManyEntries => "too_many_entries",
            Self::CorruptFrame => "corrupt_frame",
            Self::Undecoded => "undecoded",
            Self::Unreadable => "unreadable",
            Self::OrphanResult => "orphan_result",
            Self::KeyUnknown => "key_unknown",
        }
    }

    /// Whether something of the input is missing from what was read.
    #[must_use]
    pub const fn is_loss(self) -> bool {
        matches!(
            self,
            Self::Malformed
                | Self::TornTail
                | Self::NonObject
                | Self::RecoveredSuffix
                | Self::Oversized
                | Self::TooDeep
                | Self::TooManyEntries
                | Self::CorruptFrame
                | Self::Undecoded
                | Self::Unreadable
        )
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing that could not be read as it stood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// Its class.
    pub kind: ProblemKind,
    /// Line number, from 1 (for rows of a database: sequence number + 1).
    pub line: u64,
    /// Byte offset of the beginning of the line in the input.
    pub offset: u64,
    /// A short reason without any content of the session.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} (byte {}): {}: {}", self.line, self.offset, self.kind, self.reason)
    }
}

/// What a reader met: how much it read, and everything it could not read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReadReport {
    /// Lines seen, blank ones included.
    pub lines: u64,
    /// Bytes seen.
    pub bytes: u64,
    /// Entries kept.
    pub entries: u64,
    /// The problems: those of lines in order of the input, then those of the session as a whole; at most [`Limits::max_problems`](crate::Limits).
    pub problems: Vec<Problem>,
    counts: BTreeMap<ProblemKind, u64>,
}

impl ReadReport {
    /// How many problems of this kind there were, those beyond the limit included.
    #[must_use]
    pub fn count(&self, kind: ProblemKind) -> u64 {
        self.counts.get(&kind).copied().unwrap_or(0)
    }

    /// All kinds that occurred, with their counts.
    pub fn counts(&self) -> impl Iterator<Item = (ProblemKind, u64)> + '_ {
        self.counts.iter().map(|(&kind, &count)| (kind, count))
    }

    /// Whether nothing at all was remarked.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.counts.is_empty()
    }

    /// Whether something of the input is missing from the entries.
    #[must_use]
    pub fn has_loss(&self) -> bool {
        self.counts.keys().any(|kind| kind.is_loss())
    }

    /// The described problems as text, one line each.
    #[must_use]
    pub fn to_string_lines(&self) -> Vec<String> {
        self.problems.iter().map(Problem::to_string).collect()
    }

    /// Adds a problem; beyond `limit` it is counted, not described.
    pub(crate) fn add(
        &mut self,
        limit: usize,
        kind: ProblemKind,
        line: u64,
        offset: u64,
        reason: impl Into<String>,
    ) {
        let count = self.counts.entry(kind).or_insert(0);
        *count = count.saturating_add(1);
        if self.problems.len() < limit {
            self.problems.push(Problem { kind, line, offset, reason: reason.into() });
        }
    }
}

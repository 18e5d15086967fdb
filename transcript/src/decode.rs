//! Lines to entries: one parser for whole slices and for bytes that arrive in any pieces.

use std::borrow::Cow;

use crate::entry::{Entry, EntryType, LineEnd, Parent};
use crate::limits::Limits;
use crate::parse;
use crate::raw::RawJson;
use crate::report::{ProblemKind, ReadReport};
use crate::scan::{self, Scanner, Why};

/// The newest header version this reader knows.
const NEWEST_VERSION: i64 = 4;

/// How many places of a broken line are tried as the beginning of a complete row.
const SUFFIX_ATTEMPTS: usize = 64;

/// Turns lines into entries and keeps the report.
#[derive(Debug, Clone)]
pub(crate) struct LineParser {
    limits: Limits,
    report: ReadReport,
    seen_header: bool,
    seen_entry: bool,
}

impl LineParser {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, report: ReadReport::default(), seen_header: false, seen_entry: false }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn report(&self) -> &ReadReport {
        &self.report
    }

    pub(crate) fn into_report(self) -> ReadReport {
        self.report
    }

    /// Takes a line without its line feed. `terminated` says whether there was one.
    pub(crate) fn line<'a>(&mut self, line: &'a [u8], terminated: bool) -> Option<Entry<'a>> {
        let offset = self.begin(line.len(), terminated);
        if line.len() > self.limits.line_bytes() {
            self.oversized(line.len(), offset);
            return None;
        }
        let (line, end) = match line.strip_suffix(b"\r") {
            Some(line) if terminated => (line, LineEnd::CrLf),
            _ => (line, if terminated { LineEnd::Lf } else { LineEnd::None }),
        };
        let (line, offset) = match line.strip_prefix("\u{feff}".as_bytes()) {
            Some(rest) if self.report.lines == 1 => {
                self.problem(ProblemKind::Bom, offset, "byte order mark ignored");
                (rest, offset + 3)
            }
            _ => (line, offset),
        };
        if line.iter().all(|b| matches!(b, b' ' | b'\t' | b'\r')) {
            return None;
        }
        let entry = match std::str::from_utf8(line) {
            Ok(text) => self.row(Cow::Borrowed(text), offset, end)?,
            Err(error) => {
                let text = String::from_utf8_lossy(line).into_owned();
                let entry = self.row(Cow::Owned(text), offset, end)?.with_original(line);
                let at = error.valid_up_to();
                self.problem(
                    ProblemKind::InvalidUtf8,
                    offset,
                    format!("bytes that are not UTF-8 from byte {at} on"),
                );
                entry
            }
        };
        self.keep(entry, offset)
    }

    /// Takes note of a line that was too long to hold.
    pub(crate) fn skipped_line(&mut self, length: usize, terminated: bool) {
        let offset = self.begin(length, terminated);
        self.oversized(length, offset);
    }

    fn begin(&mut self, length: usize, terminated: bool) -> u64 {
        let offset = self.report.bytes;
        self.report.lines += 1;
        self.report.bytes += length as u64 + u64::from(terminated);
        offset
    }

    fn oversized(&mut self, length: usize, offset: u64) {
        let limit = self.limits.line_bytes();
        self.problem(ProblemKind::Oversized, offset, format!("{length} bytes, the limit is {limit}"));
    }

    fn row<'a>(&mut self, text: Cow<'a, str>, offset: u64, end: LineEnd) -> Option<Entry<'a>> {
        let line = self.report.lines;
        if !text.trim_start().starts_with('{') {
            self.not_an_object(&text, offset, end);
            return None;
        }
        match parse::row(&text, self.limits.depth()) {
            Ok(parts) => {
                if parts.surrogates && scan::has_lone_surrogate(&text) {
                    self.problem(ProblemKind::LoneSurrogate, offset, "half a surrogate pair reads as U+FFFD");
                }
                Some(Entry::from_row(text, parts, line, offset, end))
            }
            Err(error) if error.why == Why::TooDeep => {
                let limit = self.limits.depth();
                self.problem(
                    ProblemKind::TooDeep,
                    offset,
                    format!("nested deeper than {limit} at byte {}", error.at),
                );
                None
            }
            Err(error) => self.repaired(text, offset, end, error),
        }
    }

    /// A row that is not JSON as it stands: with control characters escaped it may be, or its end may be a whole row.
    fn repaired<'a>(
        &mut self,
        text: Cow<'a, str>,
        offset: u64,
        end: LineEnd,
        error: scan::ScanError,
    ) -> Option<Entry<'a>> {
        let line = self.report.lines;
        if error.why == Why::Control {
            let escaped = escape_control_characters(&text);
            if let Ok(parts) = parse::row(&escaped, self.limits.depth()) {
                self.problem(
                    ProblemKind::ControlChar,
                    offset,
                    format!("raw control character at byte {}", error.at),
                );
                return Some(
                    Entry::from_row(Cow::Owned(escaped), parts, line, offset, end)
                        .with_original(text.as_bytes()),
                );
            }
        }
        if let Some(at) = complete_suffix(&text, self.limits.depth()) {
            let suffix = match text {
                Cow::Borrowed(text) => Cow::Borrowed(text.get(at..).unwrap_or("")),
                Cow::Owned(text) => Cow::Owned(text.get(at..).unwrap_or("").to_owned()),
            };
            let parts = parse::row(&suffix, self.limits.depth()).ok()?;
            self.problem(
                ProblemKind::RecoveredSuffix,
                offset,
                format!("a torn row of {at} bytes before a complete one"),
            );
            return Some(Entry::from_row(suffix, parts, line, offset + at as u64, end));
        }
        self.unreadable(offset, end, format!("not JSON at byte {}", error.at));
        None
    }

    fn not_an_object(&mut self, text: &str, offset: u64, end: LineEnd) {
        let mut scanner = Scanner::new(text, self.limits.depth());
        match scanner.value().and_then(|_| scanner.end()) {
            // The beginning of a longer number or word may be valid by itself: an unfinished line proves nothing.
            Ok(()) if end != LineEnd::None => {
                self.problem(ProblemKind::NonObject, offset, "JSON, but not an object");
            }
            Ok(()) => self.unreadable(offset, end, "no object and no line end".to_owned()),
            Err(error) if error.why == Why::TooDeep => {
                self.problem(ProblemKind::TooDeep, offset, "nested too deep");
            }
            Err(error) => self.unreadable(offset, end, format!("not JSON at byte {}", error.at)),
        }
    }

    fn unreadable(&mut self, offset: u64, end: LineEnd, reason: String) {
        let kind = if end == LineEnd::None { ProblemKind::TornTail } else { ProblemKind::Malformed };
        self.problem(kind, offset, reason);
    }

    fn keep<'a>(&mut self, entry: Entry<'a>, offset: u64) -> Option<Entry<'a>> {
        if self.report.entries >= self.limits.max_entries as u64 {
            if self.report.count(ProblemKind::TooManyEntries) == 0 {
                let limit = self.limits.max_entries;
                self.problem(ProblemKind::TooManyEntries, offset, format!("more than {limit} rows"));
            }
            return None;
        }
        self.report.entries += 1;
        if entry.entry_type() == EntryType::Session {
            self.header(&entry, offset);
        } else if !self.seen_entry {
            self.problem(ProblemKind::MissingHeader, offset, "the first row is no session header");
        }
        self.seen_entry = true;
        if entry.entry_type() == EntryType::Unknown && entry.get("type").is_none_or(|t| t.text().is_none()) {
            self.problem(ProblemKind::MissingType, offset, "an object without a text `type`");
        }
        if entry.has_bad_timestamp() {
            self.problem(ProblemKind::BadTimestamp, offset, "`timestamp` is no time");
        }
        Some(entry)
    }

    fn header(&mut self, entry: &Entry<'_>, offset: u64) {
        if self.seen_header {
            self.problem(ProblemKind::ExtraHeader, offset, "a second session header, kept as a row");
        }
        self.seen_header = true;
        let version = entry.get("version").and_then(RawJson::as_i64).unwrap_or(1);
        if version > NEWEST_VERSION {
            let reason = format!("format version {version} is newer than {NEWEST_VERSION}");
            self.problem(ProblemKind::UnsupportedVersion, offset, reason);
        }
    }

    fn problem(&mut self, kind: ProblemKind, offset: u64, reason: impl Into<String>) {
        self.report.add(self.limits.max_problems, kind, self.report.lines, offset, reason);
    }
}

/// Where a complete row begins inside a line that is not JSON: what a writer leaves that was cut off and then appended
/// to the same line. Only something that is a row of a known type with an id or a header counts.
fn complete_suffix(text: &str, max_depth: u32) -> Option<usize> {
    let places = memchr::memmem::find_iter(text.as_bytes(), b"{\"").filter(|&at| at > 0);
    places.take(SUFFIX_ATTEMPTS).find(|&at| {
        let Some(suffix) = text.get(at..) else {
            return false;
        };
        let Ok(parts) = parse::row(suffix, max_depth) else {
            return false;
        };
        let entry = Entry::from_row(Cow::Borrowed(suffix), parts, 0, 0, LineEnd::None);
        match entry.entry_type() {
            EntryType::Unknown => false,
            EntryType::Session => entry.get("version").is_some() || entry.get("cwd").is_some(),
            _ => {
                entry.id().is_some() && (entry.parent() != Parent::Absent || entry.get("timestamp").is_some())
            }
        }
    })
}

/// Escapes raw control characters inside strings; outside of them nothing changes.
fn escape_control_characters(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        if in_string && u32::from(c) < 0x20 {
            // A backslash before a control character was meant for it: drop neither, keep both as text.
            if escaped {
                out.push('\\');
            }
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
            escaped = false;
            continue;
        }
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = in_string;
        } else if c == '"' {
            in_string = !in_string;
        }
        out.push(c);
    }
    out
}

/// Entries from bytes that arrive in any pieces: a file that grows, a pipe, a socket.
///
/// The same entries and the same report come out however the bytes were cut (also inside a character). A line is only
/// an entry once its line feed arrived; [`finish`](LineDecoder::finish) says that no more will come, and then an
/// unfinished last line counts if it is complete JSON. Memory is bounded by the longest line that
/// [`Limits::max_line_bytes`] allows.
///
/// ```
/// use clawgauge_transcript::{LineDecoder, Limits};
///
/// let mut decoder = LineDecoder::new(Limits::default());
/// decoder.push(br#"{"type":"session","version":3,"id":"s1"}"#);
/// assert!(decoder.next_entry().is_none()); // no line feed yet
/// decoder.push(b"\n");
/// assert!(decoder.next_entry().is_some());
/// ```
#[derive(Debug, Clone)]
pub struct LineDecoder {
    parser: LineParser,
    buffer: Vec<u8>,
    /// Bytes at the beginning of the buffer that were handed out.
    taken: usize,
    /// Bytes after `taken` that hold no line feed.
    searched: usize,
    /// Length so far of a line that is too long to hold.
    discarded: usize,
}

impl LineDecoder {
    /// A decoder at the beginning of an input.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { parser: LineParser::new(limits), buffer: Vec::new(), taken: 0, searched: 0, discarded: 0 }
    }

    /// Feeds bytes. Take the entries out with [`next_entry`](LineDecoder::next_entry) before the next piece, or the
    /// buffer grows.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.taken > 0 {
            self.buffer.drain(..self.taken);
            self.taken = 0;
        }
        let mut bytes = bytes;
        if self.discarded > 0 {
            match memchr::memchr(b'\n', bytes) {
                Some(at) => {
                    self.parser.skipped_line(self.discarded + at, true);
                    self.discarded = 0;
                    bytes = bytes.get(at + 1..).unwrap_or(&[]);
                }
                None => {
                    self.discarded += bytes.len();
                    return;
                }
            }
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete entry, independent of the buffer.
    pub fn next_entry(&mut self) -> Option<Entry<'static>> {
        loop {
            let pending = self.buffer.get(self.taken..).unwrap_or(&[]);
            let unseen = pending.get(self.searched..).unwrap_or(&[]);
            let Some(at) = memchr::memchr(b'\n', unseen) else {
                self.searched = pending.len();
                if pending.len() > self.parser.limits().line_bytes() {
                    self.discarded = pending.len();
                    self.buffer.clear();
                    (self.taken, self.searched) = (0, 0);
                }
                return None;
            };
            let line = pending.get(..self.searched + at).unwrap_or(&[]);
            self.taken += self.searched + at + 1;
            self.searched = 0;
            if let Some(entry) = self.parser.line(line, true) {
                return Some(entry.into_owned());
            }
        }
    }

    /// Says that no more bytes will come: what is left is an entry without a line end, or a torn one. Call it after
    /// the last [`next_entry`](LineDecoder::next_entry); the decoder is then at the beginning of a next line.
    pub fn finish(&mut self) -> Option<Entry<'static>> {
        if self.discarded > 0 {
            self.parser.skipped_line(self.discarded, false);
            self.discarded = 0;
            return None;
        }
        let tail = self.buffer.get(self.taken..).unwrap_or(&[]);
        let entry = if tail.is_empty() { None } else { self.parser.line(tail, false).map(Entry::into_owned) };
        self.buffer.clear();
        (self.taken, self.searched) = (0, 0);
        entry
    }

    /// How many bytes belong to lines that are complete: where to go on reading after a restart.
    #[must_use]
    pub fn consumed(&self) -> u64 {
        self.parser.report().bytes
    }

    /// What was met so far.
    #[must_use]
    pub fn report(&self) -> &ReadReport {
        self.parser.report()
    }

    /// The report, at the end.
    #[must_use]
    pub fn into_report(self) -> ReadReport {
        self.parser.into_report()
    }
}

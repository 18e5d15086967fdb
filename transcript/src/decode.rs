//! Lines to entries: one parser for whole slices and for bytes that arrive in any pieces.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;

use crate::entry::{Entry, EntryType, LineEnd};
use crate::limits::Limits;
use crate::parse::{self, RowParts};
use crate::raw::RawJson;
use crate::recover;
use crate::report::{ProblemKind, ReadReport};
use crate::scan::{self, Scanner, Why};

/// The newest header version this reader knows.
const NEWEST_VERSION: i64 = 4;

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

    /// Takes a line without its line feed and hands out the rows on it, normally one. `terminated` says whether there
    /// was a line feed.
    pub(crate) fn line<'a>(&mut self, line: &'a [u8], terminated: bool, out: &mut impl FnMut(Entry<'a>)) {
        self.checked_line(line, None, terminated, out);
    }

    /// The same for a line that is known to be `text`.
    pub(crate) fn text_line<'a>(&mut self, text: &'a str, terminated: bool, out: &mut impl FnMut(Entry<'a>)) {
        self.checked_line(text.as_bytes(), Some(text), terminated, out);
    }

    fn checked_line<'a>(
        &mut self,
        line: &'a [u8],
        known: Option<&'a str>,
        terminated: bool,
        out: &mut impl FnMut(Entry<'a>),
    ) {
        let offset = self.begin(line.len(), terminated);
        if line.len() > self.limits.line_bytes() {
            self.oversized(line.len(), offset);
            return;
        }
        let (bytes, end) = match line.strip_suffix(b"\r") {
            Some(line) if terminated => (line, LineEnd::CrLf),
            _ => (line, if terminated { LineEnd::Lf } else { LineEnd::None }),
        };
        let mut body = bytes;
        while let Some(rest) = body.strip_prefix("\u{feff}".as_bytes()) {
            body = rest;
        }
        let skipped = bytes.len() - body.len();
        if skipped > 0 {
            self.problem(ProblemKind::Bom, offset, "byte order mark ignored");
        }
        if body.iter().all(|b| matches!(b, b' ' | b'\t' | b'\r')) {
            return;
        }
        let known = known.and_then(|text| text.get(skipped..bytes.len()));
        let text = known.map_or_else(|| decode(body), Cow::Borrowed);
        let line = Line { bytes, skipped, text, offset, end };
        if let Some(parts) = self.whole_row(&line) {
            self.whole(line, parts, out);
        } else if let Some((escaped, parts)) = self.escaped_row(&line) {
            let entry = Entry::from_row(Cow::Owned(escaped), parts, self.report.lines, offset, end);
            self.emit(entry.with_original(bytes), offset, out);
        } else {
            self.broken(&line, out);
        }
    }

    /// Takes note of a line that was too long to hold.
    pub(crate) fn skipped_line(&mut self, length: usize, terminated: bool) {
        let offset = self.begin(length, terminated);
        self.oversized(length, offset);
    }

    /// Takes the text of a database row: the line `seq + 1` of the session.
    pub(crate) fn row_at<'a>(&mut self, seq: u64, text: &'a [u8]) -> Option<Entry<'a>> {
        self.report.lines = seq;
        let mut row = None;
        // A row of a table is one entry; what else a broken one may hold is in the report.
        self.line(text, true, &mut |entry| {
            row.get_or_insert(entry);
        });
        row
    }

    /// Takes note of a database row that could not be had; `length` is what its text would have had.
    pub(crate) fn lost_row(&mut self, seq: u64, length: u64, kind: ProblemKind, reason: impl Into<String>) {
        self.report.lines = seq;
        let offset = self.begin(usize::try_from(length).unwrap_or(0), true);
        self.problem(kind, offset, reason);
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

    /// The usual case: the line is one JSON object.
    fn whole_row(&self, line: &Line<'_>) -> Option<RowParts> {
        line.text
            .trim_start()
            .starts_with('{')
            .then(|| parse::row(&line.text, self.limits.depth()).ok())
            .flatten()
    }

    fn whole<'a>(&mut self, line: Line<'a>, parts: RowParts, out: &mut impl FnMut(Entry<'a>)) {
        let Line { bytes, skipped, text, offset, end } = line;
        let as_read = skipped == 0 && matches!(text, Cow::Borrowed(_));
        let entry = Entry::from_row(text, parts, self.report.lines, offset, end);
        let entry = if as_read { entry } else { entry.with_original(bytes) };
        self.emit(entry, offset, out);
    }

    /// An object that is JSON once the raw control characters in its strings are escaped.
    fn escaped_row(&mut self, line: &Line<'_>) -> Option<(String, RowParts)> {
        let error = parse::row(&line.text, self.limits.depth()).err()?;
        if error.why != Why::Control {
            return None;
        }
        let escaped = escape_control_characters(&line.text);
        let parts = parse::row(&escaped, self.limits.depth()).ok()?;
        let reason = format!("raw control character at byte {}", error.at);
        self.problem(ProblemKind::ControlChar, line.offset, reason);
        Some((escaped, parts))
    }

    /// A line that is not one object: complete rows on it are kept, the rest is reported.
    fn broken<'a>(&mut self, line: &Line<'a>, out: &mut impl FnMut(Entry<'a>)) {
        let text = &*line.text;
        let rows = recover::rows(text, self.limits.depth());
        let Some(last) = rows.last().map(|row| row.end) else {
            self.nothing(text, line.offset, line.end);
            return;
        };
        let positions = recover::Positions::new(line.bytes, line.skipped);
        let count = rows.len();
        let mut torn = 0;
        let mut from = 0;
        for (index, row) in rows.into_iter().enumerate() {
            let before = text.get(from..row.start).unwrap_or("").trim_matches(recover::is_json_space).len();
            if before > 0 {
                torn += 1;
                let reason = format!("a torn row of {before} bytes before a complete one");
                self.problem(ProblemKind::RecoveredSuffix, line.offset, reason);
            }
            from = row.end;
            let bytes = positions.of(row.start)..positions.of(row.end);
            let offset = line.offset + bytes.start as u64;
            let bytes = line.bytes.get(bytes).unwrap_or(&[]);
            let raw = decode(bytes);
            // Where bytes were replaced, the row is scanned in the text that it got.
            let Ok(parts) = parse::row(&raw, self.limits.depth()) else { continue };
            let end = if index + 1 == count { line.end } else { LineEnd::None };
            let as_read = matches!(raw, Cow::Borrowed(_));
            let entry = Entry::from_row(raw, parts, self.report.lines, offset, end);
            self.emit(if as_read { entry } else { entry.with_original(bytes) }, offset, out);
        }
        if !text.get(last..).unwrap_or("").trim_matches(recover::is_json_space).is_empty() {
            self.unreadable(line.offset, line.end, format!("not JSON at byte {last}"));
        } else if torn == 0 && count > 1 {
            self.problem(
                ProblemKind::GluedRows,
                line.offset,
                format!("{count} rows without line ends between them"),
            );
        }
    }

    /// A line without any complete row.
    fn nothing(&mut self, text: &str, offset: u64, end: LineEnd) {
        if !text.trim_start().starts_with('{') {
            self.not_an_object(text, offset, end);
            return;
        }
        match parse::row(text, self.limits.depth()) {
            Ok(_) => {}
            Err(error) if error.why == Why::TooDeep => {
                let limit = self.limits.depth();
                let reason = format!("nested deeper than {limit} at byte {}", error.at);
                self.problem(ProblemKind::TooDeep, offset, reason);
            }
            Err(error) => self.unreadable(offset, end, format!("not JSON at byte {}", error.at)),
        }
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

    /// Hands out an entry, with what there is to remark on it.
    fn emit<'a>(&mut self, entry: Entry<'a>, offset: u64, out: &mut impl FnMut(Entry<'a>)) {
        if let Some(Err(error)) = entry.original().map(std::str::from_utf8) {
            let reason = format!("bytes that are not UTF-8 from byte {} on", error.valid_up_to());
            self.problem(ProblemKind::InvalidUtf8, offset, reason);
        }
        if entry.may_have_surrogates() && scan::has_lone_surrogate(entry.raw()) {
            self.problem(ProblemKind::LoneSurrogate, offset, "half a surrogate pair reads as U+FFFD");
        }
        self.keep(entry, offset, out);
    }

    fn keep<'a>(&mut self, entry: Entry<'a>, offset: u64, out: &mut impl FnMut(Entry<'a>)) {
        if self.report.entries >= self.limits.max_entries as u64 {
            if self.report.count(ProblemKind::TooManyEntries) == 0 {
                let limit = self.limits.max_entries;
                self.problem(ProblemKind::TooManyEntries, offset, format!("more than {limit} rows"));
            }
            return;
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
        out(entry);
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

/// A line as it is being read.
struct Line<'a> {
    /// Its bytes without the line end.
    bytes: &'a [u8],
    /// How many of them are byte order marks at the beginning.
    skipped: usize,
    /// The rest as text.
    text: Cow<'a, str>,
    offset: u64,
    end: LineEnd,
}

/// Bytes as text; what is not UTF-8 becomes U+FFFD.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
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
#[derive(Clone)]
pub struct LineDecoder {
    parser: LineParser,
    buffer: Vec<u8>,
    /// Bytes at the beginning of the buffer that were handed out.
    taken: usize,
    /// Bytes after `taken` that hold no line feed.
    searched: usize,
    /// Length so far of a line that is too long to hold.
    discarded: usize,
    /// Entries that were read and not yet handed out: more than one row stood on their line.
    ready: VecDeque<Entry<'static>>,
}

impl fmt::Debug for LineDecoder {
    /// How much it holds; never content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineDecoder")
            .field("pending", &(self.buffer.len() - self.taken))
            .field("ready", &self.ready.len())
            .field("report", self.parser.report())
            .finish_non_exhaustive()
    }
}

impl LineDecoder {
    /// A decoder at the beginning of an input.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let parser = LineParser::new(limits);
        Self { parser, buffer: Vec::new(), taken: 0, searched: 0, discarded: 0, ready: VecDeque::new() }
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
            if let Some(entry) = self.ready.pop_front() {
                return Some(entry);
            }
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
            self.parser.line(line, true, &mut |entry| self.ready.push_back(entry.into_owned()));
        }
    }

    /// Says that no more bytes will come: what is left is an entry without a line end, or a torn one. Call it until it
    /// returns `None`; the decoder is then at the beginning of a next line.
    pub fn finish(&mut self) -> Option<Entry<'static>> {
        if let Some(entry) = self.next_entry() {
            return Some(entry);
        }
        if self.discarded > 0 {
            self.parser.skipped_line(self.discarded, false);
            self.discarded = 0;
            return None;
        }
        let tail = self.buffer.get(self.taken..).unwrap_or(&[]);
        if !tail.is_empty() {
            self.parser.line(tail, false, &mut |entry| self.ready.push_back(entry.into_owned()));
        }
        self.buffer.clear();
        (self.taken, self.searched) = (0, 0);
        self.ready.pop_front()
    }

    /// How many bytes belong to lines that are complete, once [`next_entry`](LineDecoder::next_entry) has returned
    /// `None`: where to go on reading after a restart.
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

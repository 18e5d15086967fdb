//! A whole session.

use std::borrow::Cow;
use std::io::{self, BufRead};
use std::ops::Range;

use crate::conversation::Conversation;
use crate::decode::{LineDecoder, LineParser};
use crate::entry::{Entry, EntryType};
use crate::limits::Limits;
use crate::parse;
use crate::raw::RawJson;
use crate::report::{ProblemKind, ReadReport};
use crate::time::Timestamp;
use crate::tree::Tree;
use crate::window::{self, Window};

/// A session as it is stored: every row, how the rows hang together, and what could not be read.
///
/// ```
/// use clawgauge_transcript::{EntryType, Transcript};
///
/// let file = br#"{"type":"session","version":3,"id":"s1","timestamp":"2026-05-04T09:00:00.000Z"}
/// {"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hi"}}
/// {"type":"mess"#;
/// let transcript = Transcript::from_slice(file);
/// assert_eq!(transcript.session_id().as_deref(), Some("s1"));
/// assert_eq!(transcript.entries().len(), 2);
/// assert_eq!(transcript.report().to_string_lines(), ["line 3 (byte 165): torn_tail: not JSON at byte 13"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript<'a> {
    entries: Vec<Entry<'a>>,
    tree: Tree,
    report: ReadReport,
}

impl<'a> Transcript<'a> {
    /// Reads session JSONL. Never fails: what cannot be read is in the [`report`](Transcript::report). One pass,
    /// `O(n)`; texts stay in the input.
    #[must_use]
    pub fn from_slice(bytes: &'a [u8]) -> Self {
        Self::from_slice_with(bytes, Limits::default())
    }

    /// The same with other limits.
    #[must_use]
    pub fn from_slice_with(bytes: &'a [u8], limits: Limits) -> Self {
        let mut parser = LineParser::new(limits);
        // Room for rows of a kilobyte. To count the lines first would take longer than to move short rows to a larger place.
        let mut entries = Vec::with_capacity((bytes.len() / 1024 + 8).min(limits.max_entries));
        // Checked once as a whole; only where that fails are lines checked one by one.
        let text = simdutf8::basic::from_utf8(bytes).ok();
        let mut line = |range: Range<usize>, terminated| match text.and_then(|text| text.get(range.clone())) {
            Some(line) => parser.text_line(line, terminated, &mut |entry| entries.push(entry)),
            None => {
                let line = bytes.get(range).unwrap_or(&[]);
                parser.line(line, terminated, &mut |entry| entries.push(entry));
            }
        };
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            line(start..end, true);
            start = end + 1;
        }
        if start < bytes.len() {
            line(start..bytes.len(), false);
        }
        Self::assemble(entries, &limits, parser.into_report())
    }

    /// Reads session JSONL from a text.
    #[must_use]
    #[expect(
        clippy::should_implement_trait,
        reason = "reading cannot fail and borrows, FromStr can do neither"
    )]
    pub fn from_str(text: &'a str) -> Self {
        Self::from_slice(text.as_bytes())
    }

    /// Takes the messages of a hook payload or of another source that has no rows around them: each item of the list
    /// is one message, without ids. Anything that is no object is kept as an entry of unknown type.
    #[must_use]
    pub fn from_messages(messages: RawJson<'a>) -> Self {
        let limits = Limits::default();
        let mut report = ReadReport::default();
        report.bytes = messages.as_str().len() as u64;
        let mut entries = Vec::new();
        let items = messages.items();
        if items.len() > limits.max_entries {
            let (line, reason) =
                (limits.max_entries as u64 + 1, format!("more than {} messages", limits.max_entries));
            report.add(limits.max_problems, ProblemKind::TooManyEntries, line, 0, reason);
        }
        for (index, item) in items.into_iter().take(limits.max_entries).enumerate() {
            let offset = item.range_in(messages.as_str()).map_or(0, |range| range.start as u64);
            let parts =
                if item.is_object() { parse::message(item.as_str(), limits.depth()).ok() } else { None };
            if parts.is_none() {
                report.add(
                    limits.max_problems,
                    ProblemKind::NonObject,
                    index as u64 + 1,
                    offset,
                    "no message object",
                );
            }
            entries.push(Entry::from_message(Cow::Borrowed(item.as_str()), parts, index as u64, offset));
        }
        report.lines = entries.len() as u64;
        report.entries = entries.len() as u64;
        let tree = Tree::list(&entries);
        Self { entries, tree, report }
    }

    /// Puts entries that were read one by one together, in this order; `report` is what their reader met. Ids that
    /// occur again are added to it.
    #[must_use]
    pub fn from_entries(entries: Vec<Entry<'a>>, report: ReadReport) -> Self {
        Self::assemble(entries, &Limits::default(), report)
    }

    fn assemble(entries: Vec<Entry<'a>>, limits: &Limits, mut report: ReadReport) -> Self {
        let tree = Tree::build(&entries);
        let replaced =
            tree.duplicates().iter().map(|&index| (index, "another row with the same id counts instead"));
        let shared =
            tree.shared_ids().iter().map(|&index| (index, "an earlier row has the same id; both count"));
        for (index, reason) in replaced.chain(shared) {
            if let Some(entry) = entries.get(index) {
                let kind = ProblemKind::DuplicateId;
                report.add(limits.max_problems, kind, entry.line(), entry.offset(), reason);
            }
        }
        Self { entries, tree, report }
    }

    /// All rows in order of the file, the header and abandoned branches included.
    #[must_use]
    pub fn entries(&self) -> &[Entry<'a>] {
        &self.entries
    }

    /// How the rows hang together.
    #[must_use]
    pub const fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The rows of the active branch, from the root to the leaf.
    pub fn active(&self) -> impl DoubleEndedIterator<Item = &Entry<'a>> {
        self.tree.path().iter().filter_map(|&index| self.entries.get(index))
    }

    /// The stretches of the active branch that the model saw as one context each, in order; at least one. Compactions
    /// and resets lie between them. Built anew at each call, `O(n)`.
    #[must_use]
    pub fn windows(&self) -> Vec<Window<'_>> {
        window::windows(self)
    }

    /// The rows that the model would see in a next turn: of the last window, what it kept and its own.
    pub fn context(&self) -> impl Iterator<Item = &Entry<'a>> {
        let last = self.windows().pop();
        let (kept, rows) = last.map_or((0..0, 0..0), |window| (window.kept, window.rows));
        kept.chain(rows).filter_map(|place| self.entries.get(*self.tree.path().get(place)?))
    }

    /// What could not be read, and where.
    #[must_use]
    pub const fn report(&self) -> &ReadReport {
        &self.report
    }

    /// The first session header.
    #[must_use]
    pub fn header(&self) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| entry.entry_type() == EntryType::Session)
    }

    /// The session's id, from its header.
    #[must_use]
    pub fn session_id(&self) -> Option<Cow<'_, str>> {
        self.header()?.id()
    }

    /// The format version: 1 when the header names none, `None` without a header.
    #[must_use]
    pub fn version(&self) -> Option<i64> {
        Some(self.header()?.get("version").and_then(RawJson::as_i64).unwrap_or(1))
    }

    /// The working directory, from the header.
    #[must_use]
    pub fn cwd(&self) -> Option<Cow<'_, str>> {
        self.header()?.get("cwd")?.text()
    }

    /// When the session began: the header's time, else the first time there is.
    #[must_use]
    pub fn started_at(&self) -> Option<Timestamp> {
        self.header().and_then(Entry::timestamp).or_else(|| self.entries.iter().find_map(Entry::timestamp))
    }

    /// The last time there is in the active branch, in order of the branch.
    #[must_use]
    pub fn ended_at(&self) -> Option<Timestamp> {
        self.active().rev().find_map(Entry::timestamp)
    }

    /// Turns, steps and calls of the active branch. Built anew at each call, `O(n)`.
    #[must_use]
    pub fn conversation(&self) -> Conversation<'_> {
        Conversation::of(self)
    }

    /// Writes every row back byte for byte as it was read, each with the line end it had. Of a file in which every line
    /// is a row this gives the same bytes; blank lines and what could not be read are not written.
    ///
    /// # Errors
    /// Only those of the writer.
    pub fn write_to(&self, mut writer: impl io::Write) -> io::Result<()> {
        self.entries.iter().try_for_each(|entry| entry.write_to(&mut writer))
    }

    /// The same session, independent of the input.
    #[must_use]
    pub fn into_owned(self) -> Transcript<'static> {
        Transcript {
            entries: self.entries.into_iter().map(Entry::into_owned).collect(),
            tree: self.tree,
            report: self.report,
        }
    }
}

impl Transcript<'static> {
    /// Reads session JSONL from a reader, in its own pieces.
    ///
    /// # Errors
    /// Only those of the reader; what it delivered before is lost then.
    pub fn read(mut reader: impl BufRead, limits: Limits) -> io::Result<Self> {
        let mut decoder = LineDecoder::new(limits);
        let mut entries = Vec::new();
        loop {
            let piece = match reader.fill_buf() {
                Ok(piece) => piece,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let length = piece.len();
            if length == 0 {
                break;
            }
            decoder.push(piece);
            entries.extend(std::iter::from_fn(|| decoder.next_entry()));
            reader.consume(length);
        }
        entries.extend(std::iter::from_fn(|| decoder.finish()));
        Ok(Self::assemble(entries, &limits, decoder.into_report()))
    }
}

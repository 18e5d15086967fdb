//! What importers share: lines of the input with a report, and rows of OpenClaw's shape.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::entry::{Entry, LineEnd};
use crate::limits::Limits;
use crate::parse;
use crate::raw::RawJson;
use crate::report::{ProblemKind, ReadReport};
use crate::scan::{self, Scanner, Why};
use crate::transcript::Transcript;

/// One object of the input and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) value: Map<String, Value>,
    pub(super) line: u64,
    pub(super) offset: u64,
}

/// The objects of a JSONL input; what is none is in the report.
pub(super) fn lines(bytes: &[u8], limits: &Limits, report: &mut ReadReport) -> Vec<Source> {
    let mut sources = Vec::new();
    let mut offset = 0;
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        report.lines += 1;
        let at = offset;
        offset += line.len() as u64;
        report.bytes = offset;
        let (text, ended) = match line.strip_suffix(b"\n") {
            Some(text) => (text, true),
            None => (line, false),
        };
        if text.trim_ascii().is_empty() {
            continue;
        }
        let number = report.lines;
        let mut add = |kind, reason: &str| report.add(limits.max_problems, kind, number, at, reason);
        if text.len() > limits.line_bytes() {
            add(ProblemKind::Oversized, "a line beyond the limit");
            continue;
        }
        if sources.len() >= limits.max_entries {
            add(ProblemKind::TooManyEntries, "rows beyond the limit");
            break;
        }
        let text = text_of(text, number, at, limits, report);
        let mut add = |kind, reason: &str| report.add(limits.max_problems, kind, number, at, reason);
        match RawJson::parse(&text).map(RawJson::to_whole_value) {
            Some(Value::Object(value)) => sources.push(Source { value, line: number, offset: at }),
            Some(_) => add(ProblemKind::NonObject, "JSON, but not an object"),
            None if is_deep(&text, limits) => add(ProblemKind::TooDeep, "nested too deep"),
            None if ended => add(ProblemKind::Malformed, "not JSON"),
            None => add(ProblemKind::TornTail, "not JSON, and no line end"),
        }
    }
    sources
}

/// The text of a line, or of a whole input, without byte order marks. What had to be replaced in it is in the report.
pub(super) fn text_of<'b>(
    bytes: &'b [u8],
    line: u64,
    offset: u64,
    limits: &Limits,
    report: &mut ReadReport,
) -> Cow<'b, str> {
    let mut add = |kind, reason: &str| report.add(limits.max_problems, kind, line, offset, reason);
    let bom = "\u{feff}".as_bytes();
    let mut body = bytes;
    while let Some(rest) = body.strip_prefix(bom) {
        body = rest;
    }
    if body.len() < bytes.len() {
        add(ProblemKind::Bom, "byte order mark ignored");
    }
    let text = String::from_utf8_lossy(body);
    if let Cow::Owned(_) = text {
        add(ProblemKind::InvalidUtf8, "bytes that are not UTF-8 read as U+FFFD");
    }
    if scan::has_lone_surrogate(&text) {
        add(ProblemKind::LoneSurrogate, "half a surrogate pair reads as U+FFFD");
    }
    text
}

/// Whether a text is no JSON because it is nested too deep.
pub(super) fn is_deep(text: &str, limits: &Limits) -> bool {
    Scanner::new(text, limits.depth()).value().is_err_and(|error| error.why == Why::TooDeep)
}

/// The first object of an input's head, for recognising it.
pub(super) fn first_objects(head: &[u8], count: usize) -> Vec<Map<String, Value>> {
    let mut objects = Vec::new();
    for line in head.split(|&b| b == b'\n').take(count * 4) {
        let text = String::from_utf8_lossy(line);
        if let Some(Value::Object(object)) = RawJson::parse(text.trim()).map(RawJson::to_whole_value) {
            objects.push(object);
        }
        if objects.len() == count {
            break;
        }
    }
    objects
}

/// A text field.
pub(super) fn text<'v>(value: &'v Map<String, Value>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// The rows of one session in the making. Rows follow each other.
#[derive(Debug, Default)]
pub(super) struct Builder {
    rows: Vec<Row>,
}

#[derive(Debug)]
pub(super) struct Row {
    pub(super) value: Map<String, Value>,
    line: u64,
    offset: u64,
}

impl Builder {
    /// A session with its header.
    pub(super) fn new(id: &str, cwd: Option<&str>, timestamp: Option<&Value>, parent: Option<&str>) -> Self {
        let mut header = Map::new();
        header.insert("type".to_owned(), json!("session"));
        header.insert("version".to_owned(), json!(3));
        header.insert("id".to_owned(), json!(id));
        let optional = [
            ("cwd", cwd.map(Value::from)),
            ("timestamp", timestamp.cloned()),
            ("parentSession", parent.map(Value::from)),
        ];
        for (key, value) in optional {
            if let Some(value) = value {
                header.insert(key.to_owned(), value);
            }
        }
        Self { rows: vec![Row { value: header, line: 1, offset: 0 }] }
    }

    pub(super) fn rows_mut(&mut self) -> &mut Vec<Row> {
        &mut self.rows
    }

    /// The id of the last row that has one.
    pub(super) fn last_id(&self) -> Option<String> {
        self.rows.iter().skip(1).rev().find_map(|row| text(&row.value, "id")).map(str::to_owned)
    }

    /// Appends a row below `parent`.
    pub(super) fn row(&mut self, id: &str, parent: Option<&str>, mut value: Map<String, Value>, at: &Source) {
        value.insert("id".to_owned(), json!(id));
        value.insert("parentId".to_owned(), parent.map_or(Value::Null, Value::from));
        if !value.contains_key("timestamp")
            && let Some(time) = at.value.get("timestamp").or_else(|| at.value.get("ts"))
        {
            value.insert("timestamp".to_owned(), time.clone());
        }
        self.rows.push(Row { value, line: at.line, offset: at.offset });
    }

    /// Appends a note, with the original it was made of.
    pub(super) fn note(&mut self, id: &str, kind: &str, at: &Source) {
        let parent = self.last_id();
        let row = json!({ "type": "custom", "customType": kind, "source": at.value });
        self.row(id, parent.as_deref(), object(row), at);
    }

    /// The session.
    pub(super) fn finish(self, limits: &Limits, mut report: ReadReport) -> Transcript<'static> {
        let mut entries = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            let raw = Value::Object(row.value).to_string();
            if let Ok(parts) = parse::row(&raw, limits.depth()) {
                entries.push(Entry::from_row(Cow::Owned(raw), parts, row.line, row.offset, LineEnd::Lf));
            } else {
                let reason = "nested too deep for a row";
                report.add(limits.max_problems, ProblemKind::TooDeep, row.line, row.offset, reason);
            }
        }
        report.entries = entries.len() as u64;
        Transcript::from_entries(entries, report)
    }
}

/// A message row; `source` is the original.
pub(super) fn message_row(
    message: Map<String, Value>,
    source: Option<&Map<String, Value>>,
) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert("type".to_owned(), json!("message"));
    row.insert("message".to_owned(), Value::Object(message));
    if let Some(source) = source {
        row.insert("source".to_owned(), Value::Object(source.clone()));
    }
    row
}

/// A JSON object literal as a map.
pub(super) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

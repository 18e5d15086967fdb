//! Files of records: reading, merging, writing.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Error;
use crate::record::Record;

/// The records of a JSONL file, and the lines that are none.
///
/// Blank lines are skipped. A line that is no record is named and kept: it is written back where it was.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordFile {
    rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq)]
enum Row {
    Record(Box<Record>),
    Other(usize, String),
}

/// What merging did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Merged {
    /// Ids of the records that were added, in order.
    pub added: Vec<String>,
    /// Records whose content was there already: nothing changed.
    pub known: usize,
}

impl RecordFile {
    /// Reads a file; a byte-order mark is ignored. O(n).
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let rows = lines.map(|(at, line)| match Record::parse(line) {
            Ok(record) => Row::Record(Box::new(record)),
            Err(_) => Row::Other(at + 1, line.to_owned()),
        });
        Self { rows: rows.collect() }
    }

    /// A file of these records.
    #[must_use]
    pub fn of(records: impl IntoIterator<Item = Record>) -> Self {
        Self { rows: records.into_iter().map(|record| Row::Record(Box::new(record))).collect() }
    }

    /// The records in order.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.rows.iter().filter_map(|row| match row {
            Row::Record(record) => Some(&**record),
            Row::Other(..) => None,
        })
    }

    /// The records, to be changed.
    pub fn records_mut(&mut self) -> impl Iterator<Item = &mut Record> {
        self.rows.iter_mut().filter_map(|row| match row {
            Row::Record(record) => Some(&mut **record),
            Row::Other(..) => None,
        })
    }

    /// One error for each line that is no record.
    #[must_use]
    pub fn problems(&self) -> Vec<Error> {
        let bad = self.rows.iter().filter_map(|row| match row {
            Row::Other(line, text) => Some((*line, text)),
            Row::Record(_) => None,
        });
        bad.filter_map(|(line, text)| Record::parse(text).err().map(|error| error.at(line))).collect()
    }

    /// Adds the records whose content is not there yet. What is there is never changed, so that mining the same sessions
    /// again changes nothing. A taken id gets a number behind it. O((n + m) log n).
    pub fn merge(&mut self, records: impl IntoIterator<Item = Record>) -> Merged {
        let mut hashes: BTreeSet<String> = BTreeSet::new();
        let mut ids = FreeIds::default();
        for record in self.records() {
            hashes.insert(record.content_hash());
            // The content may have been edited since its hash was written: both are known.
            hashes.insert(record.compute_hash());
            ids.reserve(record.id().unwrap_or_default());
        }
        let mut merged = Merged::default();
        for mut record in records {
            if !hashes.insert(record.content_hash()) {
                merged.known += 1;
                continue;
            }
            let id = ids.take(record.id().unwrap_or("record"));
            record.set("id", id.as_str().into());
            merged.added.push(id);
            self.rows.push(Row::Record(Box::new(record)));
        }
        merged
    }

    /// Puts records at the end as they are.
    pub fn append(&mut self, records: impl IntoIterator<Item = Record>) {
        self.rows.extend(records.into_iter().map(|record| Row::Record(Box::new(record))));
    }

    /// The file: a line for each record. Records that nothing changed are written as they were read.
    #[must_use]
    pub fn to_jsonl(&self) -> String {
        let mut out = String::new();
        for row in &self.rows {
            match row {
                Row::Record(record) => out.push_str(&record.to_line()),
                Row::Other(_, text) => out.push_str(text),
            }
            out.push('\n');
        }
        out
    }
}

/// Gives out ids that are not taken yet.
#[derive(Debug, Default)]
pub(crate) struct FreeIds {
    taken: BTreeSet<String>,
    /// The number to try next behind an id, so that many records that want the same one do not count from 2 each.
    next: BTreeMap<String, usize>,
}

impl FreeIds {
    /// Says that an id is taken.
    pub(crate) fn reserve(&mut self, id: &str) {
        self.taken.insert(id.to_owned());
    }

    /// The id asked for, or with the first free number behind it: `a`, `a_2`, `a_3`. It is taken then.
    pub(crate) fn take(&mut self, wanted: &str) -> String {
        if self.taken.insert(wanted.to_owned()) {
            return wanted.to_owned();
        }
        let number = self.next.entry(wanted.to_owned()).or_insert(2);
        loop {
            let id = format!("{wanted}_{number}");
            *number += 1;
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}

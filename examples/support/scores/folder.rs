//! The score files of a folder.

use std::fmt;

use clawgauge_scoring::ScoreRecord;

/// The records of a folder and what could not be read of it.
#[derive(Debug, Clone, Default)]
pub struct Folder {
    /// File name and record, in the byte order of the names.
    pub records: Vec<(String, ScoreRecord)>,
    /// What was passed over.
    pub problems: Vec<Problem>,
}

/// A file that was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file's name.
    pub file: String,
    /// Why.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "scores: {}: {}; passed over", self.file, self.reason)
    }
}

impl Folder {
    /// Reads what a folder holds: names with contents, or the reason why a file could not be read. Only names that end in
    /// `.json` count.
    pub fn read<B: AsRef<[u8]>>(files: impl IntoIterator<Item = (String, Result<B, String>)>) -> Self {
        let mut folder = Self::default();
        for (file, content) in files.into_iter().filter(|(name, _)| name.ends_with(".json")) {
            let record = content
                .and_then(|bytes| ScoreRecord::parse(bytes.as_ref()).map_err(|error| error.to_string()));
            match record {
                Ok(record) => folder.records.push((file, record)),
                Err(reason) => folder.problems.push(Problem { file, reason }),
            }
        }
        folder.records.sort_by(|a, b| a.0.cmp(&b.0));
        folder.problems.sort_by(|a, b| a.file.cmp(&b.file));
        folder
    }

    /// The records without their names.
    pub fn iter(&self) -> impl Iterator<Item = &ScoreRecord> {
        self.records.iter().map(|(_, record)| record)
    }

    /// The lines for standard error about what was passed over.
    #[must_use]
    pub fn notes(&self) -> String {
        self.problems.iter().map(|problem| format!("{problem}\n")).collect()
    }
}

//! The folder in which records are kept.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clawgauge_scoring::{ScoreRecord, file_name};

/// A folder of score files, one a session.
#[derive(Debug, Clone)]
pub struct ScoresFolder {
    path: PathBuf,
}

/// What saving did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved {
    /// The file was written.
    Written(PathBuf),
    /// The file already says the same.
    Unchanged,
}

impl ScoresFolder {
    /// The folder at a path; it is created when it is missing.
    ///
    /// # Errors
    /// A message for a person.
    pub fn create(path: &Path) -> Result<Self, String> {
        std::fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { path: path.to_owned() })
    }

    /// The record kept for a session, when there is one that can be read.
    #[must_use]
    pub fn load(&self, session_id: &str) -> Option<ScoreRecord> {
        let bytes = std::fs::read(self.file(session_id)).ok()?;
        ScoreRecord::parse(&bytes).ok()
    }

    /// Whether the record kept for a session was made from this state of it by these rules.
    #[must_use]
    pub fn is_current(&self, session_id: &str, source: &str) -> bool {
        self.load(session_id).is_some_and(|record| record.source().as_deref() == Some(source))
    }

    /// Writes a record in place of an earlier one; what others wrote into that one stays. The file is replaced at once or
    /// not at all. `source` names the state of the session the record was made from.
    ///
    /// # Errors
    /// A message for a person.
    pub fn save(&self, mut record: ScoreRecord, source: Option<&str>) -> Result<Saved, String> {
        let id = record.session_id().ok_or("the record has no session id")?.into_owned();
        let path = self.file(&id);
        if let Some(source) = source {
            record.set_source(source);
        }
        let earlier = std::fs::read(&path).ok();
        if let Some(earlier) = earlier.as_deref().and_then(|bytes| ScoreRecord::parse(bytes).ok()) {
            record.keep_unknown_of(&earlier);
        }
        let text = record.to_text();
        if earlier.as_deref() == Some(text.as_bytes()) {
            return Ok(Saved::Unchanged);
        }
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut file = tempfile::NamedTempFile::new_in(&self.path).map_err(|error| wrong(&error))?;
        file.write_all(text.as_bytes())
            .and_then(|()| file.as_file().sync_data())
            .map_err(|error| wrong(&error))?;
        file.persist(&path).map_err(|error| wrong(&error))?;
        Ok(Saved::Written(path))
    }

    fn file(&self, session_id: &str) -> PathBuf {
        self.path.join(file_name(session_id))
    }
}

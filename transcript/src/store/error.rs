//! What a store could not open or read.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::one_line::one_line;

/// The class of a [`StoreError`] or of a [`Skipped`](crate::Skipped) place. Its name is stable and meant for machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// Nothing is there (any more).
    NotFound,
    /// The file or folder may not be read.
    PermissionDenied,
    /// Something else stands where a file or a folder should be: a folder, a pipe, a device.
    WrongKindOfFile,
    /// Another program holds the database for itself alone.
    Locked,
    /// The file is cut off, its pages or its compression are damaged.
    Damaged,
    /// The file holds no session, or is no database.
    NotASession,
    /// The database's tables are of a form that is not known.
    UnknownSchema,
    /// This build lacks the feature that reads it.
    FeatureOff,
    /// More than the limit.
    TooLarge,
    /// Any other failure of the disk or the system.
    Io,
}

impl StoreErrorKind {
    /// The stable name, for example `permission_denied`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::PermissionDenied => "permission_denied",
            Self::WrongKindOfFile => "wrong_kind_of_file",
            Self::Locked => "locked",
            Self::Damaged => "damaged",
            Self::NotASession => "not_a_session",
            Self::UnknownSchema => "unknown_schema",
            Self::FeatureOff => "feature_off",
            Self::TooLarge => "too_large",
            Self::Io => "io",
        }
    }
}

impl fmt::Display for StoreErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A place of a store that could not be opened or read: where, what class of failure, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {kind}: {reason}", one_line(&path.to_string_lossy()))]
pub struct StoreError {
    path: PathBuf,
    kind: StoreErrorKind,
    reason: String,
}

impl StoreError {
    pub(crate) fn new(path: &Path, kind: StoreErrorKind, reason: impl Into<String>) -> Self {
        Self { path: path.to_owned(), kind, reason: reason.into() }
    }

    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::NotFound => StoreErrorKind::NotFound,
            io::ErrorKind::PermissionDenied => StoreErrorKind::PermissionDenied,
            io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory => StoreErrorKind::WrongKindOfFile,
            _ => StoreErrorKind::Io,
        };
        Self::new(path, kind, error.to_string())
    }

    /// The class of the failure.
    #[must_use]
    pub const fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// The file or folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The reason, without the path and without any content of a session.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

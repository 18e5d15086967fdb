//! The one error type of the crate.

use std::fmt;

/// Why a frame, a request or an address could not be read.
///
/// Cheap to build and free of foreign types; the message never repeats the input, so it may be logged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}{}", location.map(|at| format!(" at byte {at}")).unwrap_or_default())]
pub struct Error {
    kind: ErrorKind,
    location: Option<usize>,
}

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not one JSON value.
    NotJson,
    /// The text is larger than the limit that applies (bytes).
    TooLarge,
    /// The address is not one a relay can be reached at.
    BadUrl,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self { kind, location: None }
    }

    pub(crate) fn at(kind: ErrorKind, location: usize) -> Self {
        Self { kind, location: Some(location) }
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Byte offset in the text where reading stopped, if known.
    #[must_use]
    pub fn location(&self) -> Option<usize> {
        self.location
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotJson => "not a JSON text",
            Self::TooLarge => "larger than the limit",
            Self::BadUrl => "not a usable address",
        })
    }
}

//! The one error of this crate.

use std::fmt;

/// What went wrong, to branch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not JSON.
    Syntax,
    /// The text is JSON, but nested deeper than 128 levels.
    TooDeep,
    /// The value is of another kind than the one needed here.
    Shape,
    /// The compatible profile has no answer: the plugin it reproduces throws on this input.
    Throws,
    /// A name that is none of those known here.
    UnknownName,
    /// A pattern of the rules is no regular expression, or too large a one.
    Pattern,
    /// The data is too small to say anything.
    TooLittle,
    /// Two summaries of different profiles, or two trends of different days, cannot become one.
    Mismatch,
}

/// Why an input could not be used: a kind and a sentence for a person. It quotes no content of a session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: Box<str>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<Box<str>>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(crate) fn json(what: impl fmt::Display, error: &crate::json::JsonError) -> Self {
        let kind = match error {
            crate::json::JsonError::Syntax(_) => ErrorKind::Syntax,
            crate::json::JsonError::TooDeep => ErrorKind::TooDeep,
        };
        Self::new(kind, format!("{what}: {error}"))
    }

    /// What went wrong, to branch on.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }
}

//! The one error of this crate.

use std::fmt;

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not JSON.
    Json,
    /// The JSON is not a diagnostic event.
    NotAnEvent,
    /// A span is larger than a whole request may be, even after its values were cut.
    TooLarge,
    /// A destination cannot be used: no http address, or the same as another one.
    Destination,
    /// A name of a convention is unknown.
    Convention,
    /// The bytes of a backend's answer could not be read.
    Response,
}

/// An error with its kind and, where there is one, its place in the input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    line_column: Option<(usize, usize)>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), line_column: None }
    }

    pub(crate) fn json(error: &serde_json::Error) -> Self {
        // The library's text can quote the input; only its category and place are kept.
        let message = match error.classify() {
            serde_json::error::Category::Eof => "the JSON text ends early",
            serde_json::error::Category::Data => "the JSON value has another shape",
            serde_json::error::Category::Syntax | serde_json::error::Category::Io => "not JSON",
        };
        Self {
            kind: ErrorKind::Json,
            message: message.to_owned(),
            line_column: Some((error.line(), error.column())),
        }
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Line and column in the JSON text, both from 1.
    #[must_use]
    pub fn line_column(&self) -> Option<(usize, usize)> {
        self.line_column
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some((line, column)) = self.line_column {
            write!(f, " (line {line}, column {column})")?;
        }
        Ok(())
    }
}

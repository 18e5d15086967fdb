//! Errors: opaque, with a kind, and for files one diagnostic for each problem.

use std::fmt;

use crate::text::quote;

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not YAML, JSON or UTF-8.
    Syntax,
    /// The text is readable, and what it says is not a suite.
    Suite,
    /// There is no case in it.
    Empty,
    /// The format needs a cargo feature that is off.
    Feature,
    /// A limit was passed.
    Limit,
    /// A report is not of a known shape.
    Report,
    /// A text cannot be edited as asked.
    Edit,
    /// A pattern or schema cannot be used.
    Pattern,
    /// An answer of a judge cannot be understood.
    Answer,
}

/// How grave a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// The file loads; this is probably not what was meant.
    Warning,
    /// The file does not load.
    Error,
}

/// One problem of a suite file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// Line, from 1; 0 if unknown.
    pub line: usize,
    /// Column in characters, from 1; 0 if unknown.
    pub column: usize,
    /// The case, if it is inside one with an id.
    pub case: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What was probably meant.
    pub suggestion: Option<String>,
}

impl Diagnostic {
    pub(crate) fn new(
        severity: Severity,
        (line, column): (usize, usize),
        message: impl Into<String>,
    ) -> Self {
        Self { severity, line, column, case: None, message: message.into(), suggestion: None }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        if self.line > 0 {
            write!(f, "{}:{}: ", self.line, self.column)?;
        }
        write!(f, "{severity}: ")?;
        if let Some(case) = &self.case {
            write!(f, "case {:?}: ", quote(case, 80))?;
        }
        f.write_str(&self.message)?;
        if let Some(suggestion) = &self.suggestion {
            write!(f, " (did you mean `{suggestion}`?)")?;
        }
        Ok(())
    }
}

/// An error of this crate.
///
/// [`Error::diagnostics`] holds every problem of a file, in the order of the file; other errors have a message only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    diagnostics: Vec<Diagnostic>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), diagnostics: Vec::new() }
    }

    /// The one thing that is wrong with a file, and its line and column.
    pub(crate) fn at(kind: ErrorKind, place: (usize, usize), message: impl Into<String>) -> Self {
        Self::with(kind, vec![Diagnostic::new(Severity::Error, place, message)])
    }

    pub(crate) fn with(kind: ErrorKind, diagnostics: Vec<Diagnostic>) -> Self {
        let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
        let message = format!("{errors} problem{}", if errors == 1 { "" } else { "s" });
        Self { kind, message, diagnostics }
    }

    /// What kind of error it is.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// All problems of the file, warnings included. Empty for errors that are not about a file.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.diagnostics.as_slice() {
            [] => f.write_str(&self.message),
            [only] => write!(f, "{only}"),
            several => {
                f.write_str(&self.message)?;
                for diagnostic in several {
                    write!(f, "\n{diagnostic}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for Error {}

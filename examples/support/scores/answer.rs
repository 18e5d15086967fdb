//! What a command gives back.

/// A program's output and exit code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
    /// One of [`crate::exit`], but for the plugin's own command line.
    pub exit: u8,
}

impl Answer {
    /// Text for standard output.
    #[must_use]
    pub fn ok(stdout: impl Into<String>) -> Self {
        Self { stdout: stdout.into(), ..Self::default() }
    }

    /// Adds one line to standard error.
    pub fn note(&mut self, line: impl std::fmt::Display) {
        self.stderr.push_str(&format!("{line}\n"));
    }

    /// The same with another exit code.
    #[must_use]
    pub const fn with_exit(mut self, exit: u8) -> Self {
        self.exit = exit;
        self
    }
}

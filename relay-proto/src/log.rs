//! Lines for the owner's log. They name turns and sessions, never content or keys.

use std::fmt;

use crate::text::cut_units;

const MAX_UNITS: usize = 2_000;

/// How loud a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// For the curious.
    Info,
    /// Something was refused, lost or late.
    Warn,
    /// Someone has to do something: keys were refused.
    Error,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// How loud.
    pub level: Level,
    /// What to say, without a line break.
    pub text: String,
}

impl LogLine {
    /// A line; control characters, which an id may hold, become blanks, and what is longer than 2,000 UTF-16 units is
    /// cut: a stranger's id may be as long as a frame.
    #[must_use]
    pub fn new(level: Level, text: &str) -> Self {
        let shown = cut_units(text, MAX_UNITS);
        let mut line = shown.replace(char::is_control, " ");
        if shown.len() < text.len() {
            line.push('…');
        }
        Self { level, text: line }
    }
}

impl fmt::Display for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.level {
            Level::Info => "info: ",
            Level::Warn => "warning: ",
            Level::Error => "error: ",
        })?;
        f.write_str(&self.text)
    }
}

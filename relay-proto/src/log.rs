//! Lines for the owner's log. They name turns and sessions, never content or keys.

use std::fmt;

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
    /// A line; control characters, which an id may hold, become blanks.
    #[must_use]
    pub fn new(level: Level, text: &str) -> Self {
        Self { level, text: text.replace(char::is_control, " ") }
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

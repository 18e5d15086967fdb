//! Why a program ends early.

use std::fmt;

use crate::exit;

/// What to say to a person, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    message: String,
    code: u8,
}

impl Stop {
    /// What was given cannot be used: an option, a setting, a file that was named. [`exit::USAGE`].
    pub fn input(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: exit::USAGE }
    }

    /// The answer is no: nothing by that name, nothing that can be done. [`exit::NO`].
    pub fn no(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: exit::NO }
    }

    /// There is nothing to work on. [`exit::NOTHING`].
    pub fn nothing(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: exit::NOTHING }
    }

    /// Something could not run, or could not be read or written. [`exit::IO`].
    pub fn system(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: exit::IO }
    }

    /// The exit code, one of [`exit`].
    #[must_use]
    pub const fn code(&self) -> u8 {
        self.code
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Stop {}

/// What the system says: [`Stop::system`].
impl From<String> for Stop {
    fn from(message: String) -> Self {
        Self::system(message)
    }
}

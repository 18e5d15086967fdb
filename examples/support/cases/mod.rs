//! What the case runner of `edd` is made of: the agent program, stored sessions, the workspace.

pub mod agent;
pub mod sessions;
pub mod workspace;

/// Exit codes of `edd`, one meaning each.
pub mod exit {
    /// All passed, or all went well.
    pub const OK: u8 = 0;
    /// A regression case failed, or the answer is no.
    pub const FAILED: u8 = 1;
    /// The command line, a suite, a report or another input cannot be used.
    pub const BAD_INPUT: u8 = 2;
    /// No case matched.
    pub const NOTHING: u8 = 3;
    /// Something could not run or could not be written.
    pub const COULD_NOT_RUN: u8 = 4;
}

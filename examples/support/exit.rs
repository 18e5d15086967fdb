//! Exit codes of all programs, one meaning each.

/// All went well, all passed.
pub const OK: u8 = 0;
/// The answer is no: a check or a regression case failed, a comparison says worse.
pub const NO: u8 = 1;
/// The command line, a suite, a report or another input cannot be used (clap's own code too).
pub const USAGE: u8 = 2;
/// There was nothing to judge: no case, session or record matched.
pub const NOTHING: u8 = 3;
/// Something could not run, or could not be read or written.
pub const IO: u8 = 4;

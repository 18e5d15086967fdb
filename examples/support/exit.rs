//! Exit codes, one meaning each.

/// All went well.
pub const OK: u8 = 0;
/// The answer is no: a check failed, a comparison says worse.
pub const NO: u8 = 1;
/// The command line makes no sense (clap's own code for it).
pub const USAGE: u8 = 2;
/// Something could not be read or written.
pub const IO: u8 = 3;
/// There was nothing to judge.
pub const NOTHING: u8 = 4;

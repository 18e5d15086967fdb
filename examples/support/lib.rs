//! What the example programs share: settings, terminal manners, exit codes.

pub mod cases;
pub mod clock;
pub mod exit;
pub mod scores;
pub mod sessions;
#[cfg(feature = "net")]
pub mod settings;
pub mod telling;

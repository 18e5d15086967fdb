//! What the example programs share: settings, terminal manners, exit codes.

pub mod cases;
pub mod clock;
pub mod command;
pub mod exit;
pub mod output;
pub mod scores;
pub mod sessions;
#[cfg(feature = "net")]
pub mod settings;
mod stop;
pub mod telling;

pub use stop::Stop;

//! openclaw-edd 0.4.3 as it behaves: its events, checks, action table, texts.

mod actions;
mod check;
mod events;
mod pyrepr;
mod recording;
mod text;

pub(crate) use actions::{ActionTable, in_text_order};
pub(crate) use check::check_prepared;
pub use check::{EddFault, EddVerdict, check_case};
pub use events::{Event, EventKind};
pub(crate) use events::{events_of, trajectory_of};
pub(crate) use recording::Recording;
pub use text::{edd_diff_text, edd_suggest_text};

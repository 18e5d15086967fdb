//! openclaw-edd 0.4.3 as it behaves: its events, checks, action table, texts.

mod actions;
mod check;
mod events;
mod pyrepr;
mod text;

pub(crate) use actions::{ActionTable, in_text_order};
pub use check::{EddFault, EddVerdict, check_case};
pub use events::{Event, EventKind};
pub(crate) use events::{events_of, trajectory_of};
pub(crate) use pyrepr::{format_float, percent0};


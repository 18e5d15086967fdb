//! How good was an OpenClaw session? Four deterministic scores, with the evidence for each.
mod card;
mod error;
mod evidence;
mod filter;
mod json;
mod profile;
mod record;
mod skip;
pub mod stats;
mod summary;
mod tally;
mod trend;
pub mod v1;
mod worst;

pub use card::{Judgement, Score, Scorecard};
pub use error::{Error, ErrorKind};
pub use evidence::{Evidence, Place};
pub use filter::Filter;
pub use profile::{Dimension, PerDimension, Profile};
pub use record::{Numbers, ScoreRecord, SessionFacts, file_name};
pub use skip::{Outcome, SkipReason};
pub use summary::Summary;
pub use trend::Trend;
pub use worst::Worst;

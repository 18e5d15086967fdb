//! How good was an OpenClaw session? Four deterministic scores, with the evidence for each.
//!
//! - A [`Scorer`] judges a session by [`Rules`]: word lists, tools, limits and weights as data. It is the default profile.
//! - A [`Scorecard`] holds what one [`Profile`] says of a session: a [`Score`] for each [`Dimension`], or why none applies, and
//!   the [`Evidence`] behind it.
//! - A [`ScoreRecord`] is the session's score file. The session-scorer plugin reads it too: `scores` and `overall` are its numbers
//!   ([`v1`]), the rest stands beside them.
//! - A [`Summary`], a [`Trend`] and the [`Worst`] look at many records, by one profile at a time; [`stats`] says whether a change
//!   is more than chance.
//!
//! Everything here is a function of its input: no file, clock or randomness.
//!
//! ```
//! use clawgauge_scoring::{Filter, Profile, ScoreRecord, SessionFacts, Summary, v1};
//! use clawgauge_transcript::Transcript;
//!
//! let session = br#"{"type":"session","version":3,"id":"s1","timestamp":"2026-05-04T09:00:00.000Z"}
//! {"type":"message","id":"a","parentId":null,"timestamp":"2026-05-04T09:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"Fix the build"}]}}
//! {"type":"message","id":"b","parentId":"a","timestamp":"2026-05-04T09:00:09.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"stopReason":"stop"}}
//! "#;
//! let transcript = Transcript::from_slice(session);
//! let now = "2026-05-04T10:00:00Z".parse()?;
//!
//! let facts = SessionFacts::of(&transcript, Some("agent:main:main"), now);
//! let record = ScoreRecord::new(&facts, &v1::score_session(&transcript)?);
//! assert_eq!(record.numbers(Profile::SessionScorerV1).and_then(|numbers| numbers.overall), Some(1.0));
//!
//! let week = Filter::last_days(now, 7);
//! let summary = Summary::of([&record], Profile::SessionScorerV1, &week);
//! assert_eq!((summary.sessions(), summary.success_rate()), (1, Some(1.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod calibration;
mod card;
mod default;
mod effort;
mod error;
mod evidence;
mod filter;
mod json;
mod profile;
mod record;
mod risk;
pub mod rules;
mod signs;
mod skip;
pub mod stats;
mod summary;
mod tally;
mod trend;
pub mod v1;
mod worst;

pub use calibration::{Band, Calibration, Fit, FoldedAuc, KnownRun, Measure, RunFacts};
pub use card::{Judgement, Score, Scorecard};
pub use default::Scorer;
pub use effort::{Baseline, Effort, Work};
pub use error::{Error, ErrorKind};
pub use evidence::{Evidence, Place};
pub use filter::Filter;
pub use profile::{Dimension, PerDimension, Profile};
pub use record::{Numbers, ScoreRecord, SessionFacts, file_name};
pub use risk::{Reason, Risk};
pub use rules::{RiskWeights, Rules};
pub use signs::{Flag, FlagName, SessionKind, Sign, SignName, Signs};
pub use skip::{Judged, SkipReason};
pub use summary::Summary;
pub use trend::Trend;
pub use worst::Worst;

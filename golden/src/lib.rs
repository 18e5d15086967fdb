//! Which sessions are worth keeping as truth? Mining, redaction, review and export of golden data.
//!
//! Three types carry the crate: a [`Miner`] takes sessions and gives [`Record`]s of the turns worth keeping, with
//! assertions that say why they were made; a [`Review`] takes a person's decisions on them; an [`Export`] redacts what
//! may leave and writes it as JSONL, CSV, fine-tuning data and a card. A record is openclaw-edd's golden record, with
//! fields of our own beside it: openclaw-edd reads our files, and what it or anybody else wrote into one survives.
//!
//! ```
//! use clawgauge_golden::{Export, ExportOptions, MineOptions, Miner, RecordFile, Source, to_cases};
//! use clawgauge_transcript::{RedactionLevel, Redactor, Timestamp, Transcript};
//!
//! let session = concat!(
//!     r#"{"type":"session","version":3,"id":"50a359b5-184f","timestamp":"2026-02-28T15:00:00.000Z"}"#, "\n",
//!     r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"any slow queries?"}}"#, "\n",
//!     r#"{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","stopReason":"toolUse","content":"#,
//!     r#"[{"type":"toolCall","id":"c","name":"query_metrics","arguments":{"metric":"p99_latency"}}]}}"#, "\n",
//!     r#"{"type":"message","id":"d","parentId":"b","message":{"role":"toolResult","toolCallId":"c","isError":false,"#,
//!     r#""content":[{"type":"text","text":"p99 = 120ms, asked by ada@example.invalid"}]}}"#, "\n",
//!     r#"{"type":"message","id":"e","parentId":"d","message":{"role":"assistant","stopReason":"stop","content":"#,
//!     r#"[{"type":"text","text":"Yes: the p99 latency is 120ms."}]}}"#, "\n",
//! );
//! let transcript = Transcript::from_str(session);
//! let redactor = Redactor::of_level(RedactionLevel::Personal);
//! let mut miner = Miner::new(MineOptions::default(), &redactor);
//! miner.add(&Source::new(&transcript));
//! let mined = miner.finish(Timestamp::from_millis(1_772_294_400_000));
//!
//! let mut file = RecordFile::default();
//! assert_eq!(file.merge(mined.records.clone()).added, ["50a359b5_1"]);
//! assert_eq!(file.merge(mined.records).known, 1);
//! assert_eq!(to_cases(file.records())?.cases[0].message, "any slow queries?");
//!
//! let export = Export::new(file.records(), ExportOptions::default(), &redactor)?;
//! assert!(export.sft().contains(r#""tool_calls""#));
//! assert!(!export.jsonl().contains("ada@"));
//! # Ok::<(), clawgauge_golden::Error>(())
//! ```
//!
//! Nothing here reads a file, a clock or the environment, or prints.

mod cases;
mod error;
mod export;
mod file;
mod json;
mod mine;
mod minimise;
mod record;
mod redact;
mod review;

pub use cases::{ReportMerge, SuiteMerge, add_to_suite, from_cases, merge_report, suite_case, to_cases};
pub use error::{Error, ErrorKind};
pub use export::{DatasetCard, Export, ExportOptions, Split, split_of};
pub use file::{Merged, RecordFile};
pub use mine::{LeftOut, MineLimits, MineOptions, MineReport, Mined, Miner, Source};
pub use minimise::{Minimal, MinimiseLimits, minimise, minimise_for_cases};
pub use record::{GoldenCall, Record, RecordTurn, ReviewState, SCHEMA_VERSION};
pub use redact::redact_record;
pub use review::{Conflict, Decision, Key, Review, Step, Tally, merge_reviews};

//! Did the agent do what was expected? Test cases over tools, commands, order, arguments, output and plan.
//!
//! Three types carry the crate: a [`Suite`] holds [`Case`]s, read from YAML, JSON or golden records with every problem of
//! the file at once; a [`Trajectory`] is what the agent did, taken from a stored session or from openclaw-edd's events; a
//! [`Verdict`] says, check by check, whether it is what was expected, and if not, why.
//!
//! ```
//! use clawgauge_cases::{Checker, Format, LoadOptions, Status, Suite, Trajectory};
//! use serde_json::json;
//!
//! let suite = Suite::parse(
//!     r#"{"cases": [{"id": "list", "message": "List the files", "expect_tools_ordered": ["exec", "read"]}]}"#,
//!     Format::Json,
//!     &LoadOptions::default(),
//! )?;
//! let done = Trajectory::from_calls([("read", json!({"path": "a"})), ("exec", json!({"command": "ls"}))], "Done.");
//! let verdict = Checker::with_aliases(&done, suite.aliases.clone()).check(&suite.cases[0], suite.semantics);
//! assert_eq!(verdict.status, Status::Failed);
//! assert!(verdict.failures()[0].contains("expected step 2 (index 1) `read` is not reached"));
//! # Ok::<(), clawgauge_cases::Error>(())
//! ```
//!
//! # What counts
//!
//! - Every call counts, also one that was blocked or has no result: a forbidden call that was attempted is a violation.
//!   `require: succeeded` asks for more.
//! - Expectations have multiplicity: `[read, read]` needs two calls. Pairing is optimal, so the order of a list never
//!   decides. Calls of one message ran in parallel and have no order among themselves.
//! - Arguments compare by JSON value (2 is 2.0, `"2"` is not), all from one call; texts by case-insensitive substring.
//!   Case is folded as Unicode says, so `STRASSE` finds `straße`.
//! - Commands are those of every shell tool under its usual names. With `command_match: shell` they are parsed, so a
//!   quoted mention, a comment or a here-document is no command.
//! - A case that asserts nothing is *unchecked*, never a pass. An attempt that could not run is *errored*, never a fail.
//!
//! `semantics: edd` in a suite gives openclaw-edd 0.4.3's verdicts instead; [`Checker::comparing`] names each place where
//! they differ.
//!
//! # After the verdict
//!
//! [`Run`] gathers attempts into results with pass@k, intervals and flap rate, and renders them as openclaw-edd's JSON
//! (with further keys), JUnit XML, Markdown, one HTML page and text. [`Comparison`] sets two runs side by side,
//! [`Run::suggestions`] and [`Plan`] turn failures into edits of a workspace, [`Prompt`] and [`Judgement`] are the pure
//! halves of asking a model, [`strength`] tells how much a case would notice.
//!
//! Nothing here reads a file, a clock or the environment, or prints.

mod align;
mod apply;
mod assertion;
mod case;
mod check;
mod claims;
mod compare;
mod detail;
mod edd;
mod error;
mod explain;
mod from_transcript;
mod json;
mod judge;
mod limits;
mod load;
mod matching;
mod mutate;
mod pattern;
mod redact;
mod report;
mod runs;
mod runtime;
mod shell;
mod splice;
mod stats;
mod suggest;
mod template;
mod text;
mod texts;
mod tools;
mod trajectory;
mod value;
mod verdict;
mod write;

pub use align::{Alignment, Pair, Row};
pub use apply::{Edit, Plan, Refusal};
pub use assertion::{
    ArgsMatch, Assertion, Claim, CommandMatch, ExpectedOutcome, Require, Rule, StepPattern, TrajectoryMode,
    TrajectorySpec,
};
pub use case::{Case, EvalType, JudgeSpec, Location, Semantics, Suite};
pub use check::Checker;
pub use compare::{Answer, CaseChange, Change, Comparison};
pub use detail::Detail;
pub use edd::{EddFault, EddVerdict, Event, EventKind, check_case, edd_diff_text, edd_suggest_text};
pub use error::{Diagnostic, Error, ErrorKind, Severity};
pub use json::Json;
pub use judge::{ApiShape, CriterionScore, DIMENSIONS, Judgement, Prompt, Provider, answer_text};
pub use limits::Limits;
pub use load::{Format, LoadOptions, SUITE_KEYS, case_keys};
pub use mutate::{Mutant, Mutation, Strength, strength};
pub use pattern::{Schema, TextPattern};
pub use redact::redacted;
pub use runs::{Attempt, CaseResult, ExitPolicy, Run};
pub use runtime::{RuntimeRun, runtime_runs};
pub use splice::{append_case, append_cases, set_key};
pub use stats::{flap_rate, pass_at_k, pass_hat_k, sign_test, wilson};
pub use suggest::{Suggestion, SuggestionKind};
pub use template::{QUICKSTART, SCHEMA, TEMPLATE};
pub use tools::Aliases;
pub use trajectory::{ModelMessage, Outcome, Step, Trajectory};
pub use verdict::{Check, Difference, Explanation, Flag, NearMiss, Status, Verdict};

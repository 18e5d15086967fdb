//! Did the agent do what was expected? Test cases over tools, commands, order, arguments, output and plan.
mod align;
mod assertion;
mod case;
mod check;
mod claims;
mod edd;
mod error;
mod explain;
mod json;
mod limits;
mod load;
mod matching;
mod pattern;
mod redact;
mod shell;
mod text;
mod tools;
mod trajectory;
mod value;
mod verdict;
mod write;

pub use align::{Alignment, Pair, Row};
pub use assertion::{
    ArgsMatch, Assertion, Claim, CommandMatch, ExpectedOutcome, Require, Rule, StepPattern, TrajectoryMode,
    TrajectorySpec,
};
pub use case::{Case, EvalType, JudgeSpec, Location, Semantics, Suite};
pub use check::Checker;
pub use edd::{EddFault, EddVerdict, Event, EventKind, check_case, edd_diff_text, edd_suggest_text};
pub use error::{Diagnostic, Error, ErrorKind, Severity};
pub use json::Json;
pub use limits::Limits;
pub use load::{CASE_KEYS, Format, LoadOptions, SUITE_KEYS};
pub use pattern::{Schema, TextPattern};
pub use tools::Aliases;
pub use trajectory::{ModelMessage, Outcome, Step, Trajectory};
pub use verdict::{Check, Difference, Explanation, Flag, NearMiss, Status, Verdict};
mod from_transcript;
mod report;
mod runs;
mod stats;
pub use runs::{Attempt, CaseResult, ExitPolicy, Run};
pub use stats::{flap_rate, pass_at_k, pass_hat_k, sign_test, wilson};
mod apply;
mod compare;
mod mutate;
mod suggest;
pub use apply::{Edit, Plan, Refusal};
pub use compare::{Answer, CaseChange, Change, Comparison};
pub use mutate::{Mutant, Mutation, Strength, strength};
pub use suggest::{Suggestion, SuggestionKind};
mod judge;
mod splice;
pub use judge::{ApiShape, CriterionScore, DIMENSIONS, Judgement, Prompt, Provider, answer_text};
pub use splice::{append_case, set_key};

//! What happened in an OpenClaw session? Reads every form in which OpenClaw stores one into a lossless model.

mod session_key;
mod usage;

pub use session_key::{KeyKind, SessionKey};
pub use usage::{Cost, GenAiUsage, LangfuseUsage, OpenAiUsage, OpenInferenceUsage, Usage, UsageTotals};

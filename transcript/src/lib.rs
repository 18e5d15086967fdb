//! What happened in an OpenClaw session? Reads every form in which OpenClaw stores one into a lossless model.

mod session_key;
mod tools;
mod usage;

pub use session_key::{KeyKind, SessionKey};
pub use tools::{Effect, ShellCommand, ToolKind, ToolName, ToolTable, shell_commands};
pub use usage::{Cost, GenAiUsage, LangfuseUsage, OpenAiUsage, OpenInferenceUsage, Usage, UsageTotals};

//! What happened in an OpenClaw session? Reads every form in which OpenClaw stores one into a lossless model.

mod redact;
mod session_key;
mod tools;
mod usage;

pub use redact::{
    Keep, KnownValue, Redaction, RedactionCount, RedactionError, RedactionErrorKind, RedactionLevel,
    RedactionLimits, RedactionPolicy, RedactionReport, RedactionRule, Redactor,
};
pub use session_key::{KeyKind, SessionKey};
pub use tools::{Effect, ShellCommand, ToolKind, ToolName, ToolTable, shell_commands};
pub use usage::{Cost, GenAiUsage, LangfuseUsage, OpenAiUsage, OpenInferenceUsage, Usage, UsageTotals};

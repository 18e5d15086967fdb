//! What happened in an OpenClaw session? Reads every form in which OpenClaw stores one into a lossless model.

mod usage;

pub use usage::{Cost, GenAiUsage, LangfuseUsage, OpenAiUsage, OpenInferenceUsage, Usage, UsageTotals};

//! The words that the conventions have for kinds, levels and reasons.

use crate::span::{Level, SpanKind};

pub(super) fn observation_type(kind: SpanKind) -> &'static str {
    match kind {
        SpanKind::Run => "agent",
        SpanKind::Context => "span",
        SpanKind::Generation => "generation",
        SpanKind::Tool => "tool",
        SpanKind::Retriever => "retriever",
    }
}

pub(super) fn span_kind_name(kind: SpanKind) -> &'static str {
    match kind {
        SpanKind::Run => "AGENT",
        SpanKind::Context => "CHAIN",
        SpanKind::Generation => "LLM",
        SpanKind::Tool => "TOOL",
        SpanKind::Retriever => "RETRIEVER",
    }
}

pub(super) fn operation(kind: SpanKind) -> Option<&'static str> {
    match kind {
        SpanKind::Run => Some("invoke_agent"),
        SpanKind::Generation => Some("chat"),
        // A retriever is a tool call here: the agent executed it.
        SpanKind::Tool | SpanKind::Retriever => Some("execute_tool"),
        SpanKind::Context => None,
    }
}

pub(super) fn level(level: Level) -> Option<&'static str> {
    match level {
        Level::Default => None,
        Level::Warning => Some("WARNING"),
        Level::Error => Some("ERROR"),
    }
}

/// OpenClaw's stop reasons in the words of the conventions.
pub(super) fn finish_reason(reason: &str) -> &str {
    match reason {
        "toolUse" => "tool_call",
        "aborted" => "error",
        other => other,
    }
}

pub(super) fn mime_type(value: &str) -> &'static str {
    let looks = value.trim_start().starts_with(['{', '[']);
    let json = looks && serde_json::from_str::<serde::de::IgnoredAny>(value).is_ok();
    if json { "application/json" } else { "text/plain" }
}

//! The fields that the events of a tool call, of a model call and of a context share, read once.

use crate::event::{ContextAssembled, DiagnosticEvent, EventData, Num, ReportedUsage, field_to_json};
use crate::span::Metadata;
use serde_json::Value;
use std::borrow::Cow;

/// Facts that a span keeps by name.
#[derive(Default)]
pub(super) struct Notes(Vec<(&'static str, Value)>);

impl Notes {
    fn value(&mut self, key: &'static str, value: impl Into<Value>) {
        self.0.push((key, value.into()));
    }

    fn text(&mut self, key: &'static str, value: Option<&str>) {
        if let Some(value) = value {
            self.value(key, value);
        }
    }

    fn number(&mut self, key: &'static str, value: Option<&Num>) {
        if let Some(value) = value {
            self.value(key, value.to_value());
        }
    }

    /// Notes a duration as it was written; gives its whole milliseconds.
    fn duration(&mut self, value: Option<&Num>) -> Option<i64> {
        self.number("durationMs", value);
        value.and_then(Num::duration_ms)
    }

    /// Puts the facts and the run they belong to into the metadata of a span.
    pub(super) fn put(self, metadata: &mut Metadata, run_id: Option<&str>) {
        for (key, value) in self.0 {
            metadata.insert(Cow::Borrowed(key), value);
        }
        if let Some(run_id) = run_id
            && !metadata.contains_key("runId")
        {
            metadata.insert(Cow::Borrowed("runId"), run_id.into());
        }
    }
}

/// What the four tool events share.
#[derive(Default)]
pub(super) struct ToolFields<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) call_id: Option<&'a str>,
    pub(super) source_ms: Option<i64>,
    pub(super) duration_ms: Option<i64>,
    pub(super) error_category: Option<&'a str>,
    pub(super) denied: Option<&'a str>,
    pub(super) reason: Option<&'a str>,
    pub(super) notes: Notes,
}

impl<'a> ToolFields<'a> {
    pub(super) fn of(event: &'a DiagnosticEvent) -> Self {
        let mut fields = Self::default();
        macro_rules! shared {
            ($tool:expr) => {{
                let tool = $tool;
                fields.name = tool.tool_name.as_deref().filter(|name| !name.is_empty());
                fields.call_id = tool.tool_call_id.as_deref().filter(|id| !id.is_empty());
                fields.source_ms = tool.source_timestamp_ms.as_ref().and_then(Num::epoch_ms);
                fields.notes.text("toolCallId", fields.call_id);
                fields.notes.text("toolSource", tool.tool_source.as_deref());
                fields.notes.text("toolOwner", tool.tool_owner.as_deref());
                if let Some(summary) = &tool.params_summary {
                    fields.notes.value("paramsSummary", field_to_json(summary));
                }
                if let Some(mutating) = tool.mutating_action {
                    fields.notes.value("mutatingAction", mutating);
                }
            }};
        }
        macro_rules! ended {
            ($tool:expr) => {{
                shared!($tool);
                fields.duration_ms = fields.notes.duration($tool.duration_ms.as_ref());
            }};
        }
        match &event.data {
            EventData::ToolExecutionStarted(tool) => shared!(tool),
            EventData::ToolExecutionCompleted(tool) => ended!(tool),
            EventData::ToolExecutionError(tool) => {
                ended!(tool);
                fields.error_category = tool.error_category.as_deref();
                fields.notes.text("errorCategory", tool.error_category.as_deref());
                fields.notes.text("errorCode", tool.error_code.as_deref());
                fields.notes.text("terminalReason", tool.terminal_reason.as_deref());
                fields.denied = event.extra_text("deniedReason");
                fields.reason = event.extra_text("reason");
                fields.notes.text("deniedReason", fields.denied);
            }
            EventData::ToolExecutionBlocked(tool) => {
                shared!(tool);
                fields.denied = tool.denied_reason.as_deref().filter(|text| !text.is_empty());
                fields.reason = tool.reason.as_deref().filter(|text| !text.is_empty());
                fields.notes.text("deniedReason", fields.denied);
                fields.notes.text("reason", fields.reason);
                fields.notes.value("blocked", true);
            }
            _ => {}
        }
        fields
    }
}

/// What the three model call events share.
#[derive(Default)]
pub(super) struct CallFields<'a> {
    pub(super) call_id: Option<&'a str>,
    pub(super) duration_ms: Option<i64>,
    pub(super) first_byte_ms: Option<i64>,
    pub(super) usage: Option<&'a ReportedUsage>,
    pub(super) error_category: Option<&'a str>,
    pub(super) failure_kind: Option<&'a str>,
    pub(super) notes: Notes,
}

impl<'a> CallFields<'a> {
    pub(super) fn of(event: &'a DiagnosticEvent) -> Self {
        let mut fields = Self::default();
        macro_rules! ended {
            ($call:expr) => {{
                let call = $call;
                fields.duration_ms = fields.notes.duration(call.duration_ms.as_ref());
                fields.first_byte_ms = call.time_to_first_byte_ms.as_ref().and_then(Num::duration_ms);
                fields.usage = call.usage.as_ref();
                fields.notes.number("requestPayloadBytes", call.request_payload_bytes.as_ref());
                fields.notes.number("responseStreamBytes", call.response_stream_bytes.as_ref());
                fields.notes.number("timeToFirstByteMs", call.time_to_first_byte_ms.as_ref());
            }};
        }
        macro_rules! shared {
            ($call:expr) => {{
                let call = $call;
                fields.call_id = call.call_id.as_deref().filter(|id| !id.is_empty());
                fields.notes.text("callId", fields.call_id);
                fields.notes.text("api", call.api.as_deref());
                fields.notes.number("contextTokenBudget", call.context_token_budget.as_ref());
                if let Some(stats) = &call.prompt_stats {
                    fields.notes.value("promptStats", field_to_json(stats));
                }
            }};
        }
        match &event.data {
            EventData::ModelCallStarted(call) => shared!(call),
            EventData::ModelCallCompleted(call) => {
                shared!(call);
                ended!(call);
            }
            EventData::ModelCallError(call) => {
                shared!(call);
                ended!(call);
                fields.error_category = call.error_category.as_deref().filter(|text| !text.is_empty());
                fields.failure_kind = call.failure_kind.as_deref().filter(|text| !text.is_empty());
                fields.notes.text("errorCategory", fields.error_category);
                fields.notes.text("failureKind", fields.failure_kind);
                fields.notes.text("errorCode", event.extra_text("errorCode"));
            }
            _ => {}
        }
        fields
    }

    /// The class of the failure. Gateways say `Error` for all of them; then the kind says more.
    pub(super) fn failure(&self) -> Option<&str> {
        let said = self.error_category.filter(|category| *category != "Error");
        said.or(self.failure_kind).or(self.error_category)
    }
}

/// The sizes of a context as a line that a person reads, and as metadata.
pub(super) fn context_texts(context: &ContextAssembled, run_id: Option<&str>) -> (Option<String>, Metadata) {
    let sizes = [
        ("messages", "messageCount", &context.message_count),
        ("promptChars", "promptChars", &context.prompt_chars),
        ("systemPromptChars", "systemPromptChars", &context.system_prompt_chars),
        ("historyTextChars", "historyTextChars", &context.history_text_chars),
        ("promptImages", "promptImages", &context.prompt_images),
        ("historyImageBlocks", "historyImageBlocks", &context.history_image_blocks),
        ("tokenBudget", "contextTokenBudget", &context.context_token_budget),
    ];
    let known = sizes.iter().filter_map(|(label, key, size)| Some((label, key, size.as_ref()?)));
    let parts: Vec<String> = known.clone().map(|(label, _, size)| format!("{label}={size}")).collect();
    let mut metadata: Metadata = known.map(|(_, key, size)| (Cow::Borrowed(*key), size.to_value())).collect();
    if let Some(reserve) = &context.reserve_tokens {
        metadata.insert("reserveTokens".into(), reserve.to_value());
    }
    if let Some(run_id) = run_id {
        metadata.insert("runId".into(), run_id.into());
    }
    ((!parts.is_empty()).then(|| parts.join(" · ")), metadata)
}

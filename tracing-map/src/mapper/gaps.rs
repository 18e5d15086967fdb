//! What no event told of and the session stores.

use super::build::{Frame, finish_call};
use super::run::{CallDetail, Run};
use super::slots::EndKind;
use crate::classify::is_retrieval;
use crate::content::{GenerationContent, ToolContent};
use crate::span::{Level, Span, SpanKind, ToolUse};
use std::sync::Arc;

impl Run {
    /// Answers that the session stores and no event told of.
    pub(super) fn stored_answers(&mut self, frame: &Frame, spans: &mut Vec<Span>) {
        let Some(content) = &self.content else { return };
        let ids_needed: Vec<GenerationContent> = content.generations.clone();
        let known = self.gone.answers as usize;
        let has_final = self.calls.iter().any(|slot| {
            matches!(slot.end.as_ref().map(|end| end.kind), Some(EndKind::Failed | EndKind::Aborted))
        });
        let last = ids_needed.len();
        let mut answer = 0;
        for (index, stored) in ids_needed.into_iter().enumerate() {
            let failed = stored.is_failed();
            if failed {
                if has_final || index + 1 != last {
                    continue;
                }
            } else {
                answer += 1;
                if answer <= known {
                    continue;
                }
                if stored.dropped {
                    self.gone.answers += 1;
                    continue;
                }
            }
            let ids = self.ids();
            let span_id = if failed { ids.final_failure() } else { ids.answer(self.gone.answers + 1) };
            let call = self.model_call(&CallDetail::default(), Some(&stored));
            let name = call.model.clone().unwrap_or_else(|| "model".to_owned());
            let identity = Arc::clone(&frame.identity);
            let mut span = Span::new(ids.trace(), span_id, SpanKind::Generation, &name, identity);
            span.parent_id = Some(ids.root());
            let end = stored.ended_ms.or(stored.started_ms).unwrap_or_else(|| self.last_report_ms());
            let start = stored.started_ms.unwrap_or(end).min(end);
            span.start_ms = start;
            span.end_ms = end;
            span.note("source", "session");
            if failed && stored.stop_reason.as_deref() == Some("aborted") {
                span.status_message = Some("aborted".to_owned());
            } else if failed {
                span.level = Level::Error;
                span.status_message.clone_from(&stored.error);
                span.error_type = Some("_OTHER".to_owned());
            }
            finish_call(&mut span, call);
            self.count_call(&span, failed, failed);
            spans.push(span);
        }
    }

    /// Tool calls that the session stores and no event told of: unknown tools and refused arguments.
    pub(super) fn stored_tools(&mut self, frame: &Frame, end_ms: i64, spans: &mut Vec<Span>) {
        let Some(content) = &self.content else { return };
        let mut seen: std::collections::BTreeMap<&str, u32> = std::collections::BTreeMap::new();
        let mut missing = Vec::new();
        for tool in &content.tools {
            let count = seen.entry(&tool.call_id).or_default();
            *count += 1;
            if *count > self.gone.tools.get(&tool.call_id).copied().unwrap_or(0) {
                missing.push((*count, tool.clone()));
            }
        }
        let ids = if missing.is_empty() { return } else { self.ids() };
        for (occurrence, tool) in missing {
            let end = tool.ended_ms.or(tool.started_ms).unwrap_or(end_ms);
            let start = tool.started_ms.unwrap_or(end).min(end);
            let mut span = stored_tool(&tool, ids.tool(&tool.call_id, occurrence), ids.trace(), frame);
            span.parent_id = Some(ids.root());
            span.start_ms = start;
            span.end_ms = end;
            self.gone.cover(start, end);
            self.gone.tools.insert(tool.call_id.clone(), occurrence);
            spans.push(span);
        }
    }
}

/// A tool call that only the session knows.
fn stored_tool(
    tool: &ToolContent,
    span_id: crate::ids::SpanId,
    trace_id: crate::ids::TraceId,
    frame: &Frame,
) -> Span {
    let name = tool.name.clone().unwrap_or_else(|| "tool".to_owned());
    let kind = if is_retrieval(&name) { SpanKind::Retriever } else { SpanKind::Tool };
    let mut span = Span::new(trace_id, span_id, kind, &name, Arc::clone(&frame.identity));
    span.input.clone_from(&tool.input);
    span.output.clone_from(&tool.output);
    span.note("toolCallId", tool.call_id.clone());
    span.note("source", "session");
    span.tool = Some(ToolUse { name, call_id: Some(tool.call_id.clone()) });
    if tool.is_error == Some(true) {
        span.level = Level::Error;
        span.status_message.clone_from(&tool.status);
        span.error_type = Some("tool_error".to_owned());
    }
    span
}

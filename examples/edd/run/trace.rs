//! What the agent did, for `--show-trace`.

use std::fmt::Write as _;

use clawgauge_cases::{Attempt, EventKind};
use clawgauge_transcript::one_line;

/// The events of an attempt, one a line.
pub(super) fn text(attempt: &Attempt) -> String {
    let mut out = String::from("  📋 Detailed trace:\n");
    let first = |text: &str| {
        let line: String = one_line(text).chars().take(100).collect();
        if text.chars().count() > 100 { format!("{line}...") } else { line }
    };
    let mut number = 0;
    for event in &attempt.events {
        number += 1;
        let line = match &event.kind {
            EventKind::LlmTurn if event.text.is_empty() => {
                let thinking = if event.thinking.is_empty() {
                    String::new()
                } else {
                    format!(" Thinking: {}", first(&event.thinking))
                };
                format!("🧠 LLM decision ({}){thinking}", event.model)
            }
            EventKind::LlmTurn => format!("💬 LLM response: {}", first(&event.text)),
            EventKind::ToolEnd => {
                let took = event.duration_ms.as_f64().map(|ms| format!(" ({ms}ms)")).unwrap_or_default();
                let mark = if event.status == "completed" { "✓" } else { "✗" };
                format!(
                    "{mark} {} {} {}{took} {}",
                    first(&event.tool),
                    first(&event.input.compact()),
                    event.status,
                    first(event.output.as_str().unwrap_or_default())
                )
            }
            other => format!("{} {}", other.as_str(), first(&event.tool)),
        };
        let _fits = writeln!(out, "    {number}. {}", clawgauge_cases::redacted(&line));
    }
    out
}

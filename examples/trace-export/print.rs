//! What people read.

use clawgauge_support::output::{self, show, tell};
use clawgauge_tracing_map::{Level, Span, TraceId};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The words that every failed export begins with.
pub(crate) const FAILED: &str = "clawgauge: trace export failed: ";

pub(crate) fn line(text: &str) {
    show(&format!("{text}\n"));
}

/// A line for a program to read.
pub(crate) fn data(line: &str) {
    output::data(&format!("{line}\n"));
}

/// A question; the answer is on the same line.
pub(crate) fn ask(text: &str) {
    show(text);
}

pub(crate) fn complain(text: &str) {
    tell(&format!("trace-export: {text}\n"));
}

pub(crate) fn export_failed(text: &str) {
    tell(&format!("{FAILED}{text}\n"));
}

/// Collects spans until their root comes, then shows the tree.
#[derive(Default)]
pub(crate) struct Trees {
    children: BTreeMap<TraceId, Vec<Span>>,
}

impl Trees {
    /// The tree of a run, when this span completes it.
    pub(crate) fn add(&mut self, span: Span) -> Option<String> {
        if span.parent_id.is_some() {
            self.children.entry(span.trace_id).or_default().push(span);
            return None;
        }
        let mut children = self.children.remove(&span.trace_id).unwrap_or_default();
        children.sort_by_key(|child| (child.start_ms, child.end_ms));
        Some(tree(&span, &children))
    }
}

fn tree(root: &Span, children: &[Span]) -> String {
    let mut text = String::new();
    let identity = &root.identity;
    let _ = write!(text, "{} run {}", root.trace_id, identity.run.as_deref().unwrap_or("-"));
    let _ = write!(text, "  session {}", identity.session.as_deref().unwrap_or("-"));
    let _ = writeln!(text, "  user {}", identity.user.as_deref().unwrap_or("-"));
    let _ = writeln!(text, "{}", one(root, root.start_ms));
    for score in root.evaluations.iter().filter(|score| score.is_applicable()) {
        let number = score.score.map_or_else(String::new, |number| format!("{number:.2}"));
        let _ = write!(text, "│  score {:<16} {number:<6}", score.name);
        let _ = writeln!(text, " {}", score.explanation.as_deref().unwrap_or(""));
    }
    for (index, child) in children.iter().enumerate() {
        let branch = if index + 1 == children.len() { "└─" } else { "├─" };
        let _ = writeln!(text, "{branch} {}", one(child, root.start_ms));
    }
    text
}

fn one(span: &Span, from: i64) -> String {
    let mut text = format!(
        "{:<10} {:<24} +{} ms, {} ms",
        format!("{:?}", span.kind).to_lowercase(),
        span.name,
        span.start_ms - from,
        span.duration_ms()
    );
    if let Some(usage) = span.usage() {
        let count = |count: Option<u64>| count.map_or_else(|| "?".to_owned(), |count| count.to_string());
        let _ = write!(text, "  tokens {} in, {} out", count(usage.prompt_tokens()), count(usage.output));
    }
    if let Some(cost) = span.model_call.as_ref().and_then(|call| call.cost_usd) {
        let _ = write!(text, "  ${cost:.6}");
    }
    let level = match span.level {
        Level::Error => Some("ERROR"),
        Level::Warning => Some("WARNING"),
        _ => None,
    };
    if let Some(level) = level {
        let _ = write!(text, "  {level} {}", span.status_message.as_deref().unwrap_or(""));
    }
    text
}

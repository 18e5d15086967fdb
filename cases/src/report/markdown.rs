//! Markdown, for a comment on a pull request.

use super::{heading, interval, percent};
use crate::runs::{CaseResult, Run};
use crate::text::quote;
use crate::verdict::Status;

/// Text inside a table cell: nothing in it may end the cell, open a tag, or be taken for formatting.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in quote(text, 300).chars() {
        match c {
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A mention would notify people.
            '@' => out.push_str("@\u{200b}"),
            _ => out.push(c),
        }
    }
    out
}

/// A fence longer than any run of backticks inside.
fn fence(lines: &[String]) -> String {
    let longest = lines.iter().flat_map(|l| l.split(|c| c != '`')).map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

impl Run {
    /// Markdown with a table for each type and, folded, why cases failed. Case texts cannot change its structure.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut out = format!("## Agent cases: {}\n", self.summary_line());
        for (eval_type, results) in self.by_type() {
            let passed = results.iter().filter(|r| r.status() == Status::Passed).count();
            out.push_str(&format!(
                "\n### {}\n\nPassed: {passed}/{} ({}, 95 % interval {})\n\n| case | result | attempts | seconds | why |\n| --- | --- | --- | --- | --- |\n",
                cell(&heading(&eval_type)),
                results.len(),
                percent(passed, results.len()),
                interval(passed, results.len()),
            ));
            for result in results {
                out.push_str(&row(result));
            }
        }
        let failed: Vec<&CaseResult> = self.results.iter().filter(|r| r.status() == Status::Failed).collect();
        if !failed.is_empty() {
            out.push_str("\n<details><summary>Why cases failed</summary>\n");
            for result in failed {
                let lines = result.representative().map(super::why).unwrap_or_default();
                let fence = fence(&lines);
                out.push_str(&format!(
                    "\n**{}**\n\n{fence}text\n{}\n{fence}\n",
                    cell(&result.id),
                    lines.join("\n")
                ));
            }
            out.push_str("\n</details>\n");
        }
        out
    }
}

fn row(result: &CaseResult) -> String {
    let mark = match result.status() {
        Status::Passed => "✅ passed",
        Status::Failed => "❌ failed",
        Status::Unchecked => "⚪ unchecked",
        Status::Errored => "⚠️ errored",
    };
    let shown = result.representative();
    let mut why: Vec<String> = if result.status() == Status::Passed {
        Vec::new()
    } else {
        shown.map(|a| a.failures.iter().chain(&a.error).cloned().collect()).unwrap_or_default()
    };
    why.extend(result.warnings());
    let seconds: f64 = result.attempts.iter().map(|a| a.duration_s).sum();
    format!(
        "| {} | {mark} | {}/{} | {seconds:.1} | {} |\n",
        cell(&result.id),
        result.passes(),
        result.judged(),
        cell(&why.join("; ")),
    )
}

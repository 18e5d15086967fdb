//! The report on a terminal, grouped as openclaw-edd prints it.

use super::{heading, percent};
use crate::case::EvalType;
use crate::runs::{CaseResult, Run};
use crate::text::quote;
use crate::verdict::Status;

const LINE: &str = "────────────────────────────────────────────────────────────";

impl CaseResult {
    /// The lines that a run prints for a case: verdict, tools, answer, and for a failure why.
    #[must_use]
    pub fn to_text(&self) -> String {
        let status = self.status();
        let mark = match status {
            Status::Passed => "✓ PASS",
            Status::Failed => "✗ FAIL",
            Status::Unchecked => "○ UNCHECKED",
            Status::Errored => "⚠ ERROR",
        };
        let of_k = if self.k > 1 { format!(" [pass@{}]", self.k) } else { String::new() };
        let mut out = format!("→ {}{of_k}: {}\n  [{mark}]", quote(&self.id, 80), quote(&self.message, 100));
        let seconds: f64 = self.attempts.iter().map(|a| a.duration_s).sum();
        if self.attempts.len() > 1 {
            out.push_str(&format!(
                " {}/{} attempts passed, total {seconds:.1}s\n",
                self.passes(),
                self.judged()
            ));
            let k = self.k;
            let shown =
                |v: Option<f64>| v.map_or_else(|| "unknown".to_owned(), |v| format!("{:.0}%", v * 100.0));
            let (any, all) = (shown(self.pass_at_k(k)), shown(self.pass_hat_k(k)));
            out.push_str(&format!("  pass@{k}: {any}, pass^{k}: {all}\n"));
        } else {
            out.push_str(&format!(" {seconds:.1}s\n"));
        }
        let Some(shown) = self.representative() else { return out };
        if status != Status::Errored {
            let chain =
                if shown.tool_names.is_empty() { "()".to_owned() } else { shortened(&shown.tool_names) };
            out.push_str(&format!("  Tool chain: {chain}\n"));
        }
        if !shown.final_output.is_empty() {
            out.push_str(&format!("  Output: {}\n", quote(&shown.final_output, 80)));
        }
        if let Some(error) = &shown.error {
            out.push_str(&format!("  ⚠ {}\n", quote(error, 300)));
        }
        if status == Status::Failed {
            for check in &shown.checks {
                let mut lines = check.to_lines().into_iter();
                if let Some(first) = lines.next() {
                    out.push_str(&format!("  ✗ {first}\n"));
                }
                for line in lines {
                    out.push_str(&format!("    {line}\n"));
                }
            }
            if shown.checks.is_empty() {
                for failure in &shown.failures {
                    out.push_str(&format!("  ✗ {failure}\n"));
                }
            }
        }
        for warning in self.warnings() {
            out.push_str(&format!("  ⚠ {warning}\n"));
        }
        for d in &shown.differences {
            out.push_str(&format!(
                "  ℹ openclaw-edd differs on {}: here {}, there {}\n",
                d.check, d.ours, d.edd
            ));
        }
        out
    }
}

/// Names in order, repeats counted: `exec -> read x3 -> exec`.
fn shortened(names: &[String]) -> String {
    let mut out: Vec<(String, usize)> = Vec::new();
    for name in names {
        match out.last_mut() {
            Some((last, n)) if last == name => *n += 1,
            _ => out.push((name.clone(), 1)),
        }
    }
    let more = out.len().saturating_sub(30);
    let mut parts: Vec<String> = out
        .into_iter()
        .take(30)
        .map(|(name, n)| if n == 1 { quote(&name, 40) } else { format!("{} x{n}", quote(&name, 40)) })
        .collect();
    if more > 0 {
        parts.push(format!("… {more} more"));
    }
    parts.join(" → ")
}

/// `7200` as `7,200`.
fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

impl Run {
    /// The summary after the cases: by type, then all, with tokens, cost and time where they are known.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for (eval_type, results) in self.by_type() {
            let passed = results.iter().filter(|r| r.status() == Status::Passed).count();
            let note = match eval_type {
                EvalType::Capability => "  ← Normal, this is a climb metric",
                _ if passed < results.len() => "  ← Below 100% needs attention",
                _ => "",
            };
            out.push_str(&format!(
                "{}\n{LINE}\nPassed: {passed}/{}  ({}){note}\n",
                heading(&eval_type),
                results.len(),
                percent(passed, results.len())
            ));
            let names = |wanted: &dyn Fn(Status) -> bool| {
                results.iter().filter(|r| wanted(r.status())).map(|r| quote(&r.id, 80)).collect::<Vec<_>>()
            };
            if eval_type == EvalType::Capability {
                let passes = names(&|s| s == Status::Passed);
                if !passes.is_empty() {
                    let more = if passes.len() > 5 { " ..." } else { "" };
                    let first: Vec<String> = passes.into_iter().take(5).collect();
                    out.push_str(&format!("PASS: {}{more}\n", first.join(", ")));
                }
            } else {
                let failures = names(&|s| s == Status::Failed);
                if !failures.is_empty() {
                    out.push_str(&format!("FAIL: {}\n", failures.join(", ")));
                }
            }
            for (status, word) in [(Status::Errored, "ERROR"), (Status::Unchecked, "UNCHECKED")] {
                let named = names(&|s| s == status);
                if !named.is_empty() {
                    out.push_str(&format!("{word}: {}\n", named.join(", ")));
                }
            }
            out.push('\n');
        }
        let passed = self.count(Status::Passed);
        out.push_str(&format!(
            "{LINE}\n{passed}/{} passed ({})\n",
            self.results.len(),
            percent(passed, self.results.len())
        ));
        let attempts = || self.results.iter().flat_map(|r| &r.attempts);
        let mut models: Vec<String> = Vec::new();
        for attempt in attempts().filter(|a| !a.model.is_empty()) {
            let name = if attempt.provider.is_empty() {
                attempt.model.clone()
            } else {
                format!("{} ({})", attempt.model, attempt.provider)
            };
            if !models.contains(&name) {
                models.push(name);
            }
        }
        if !models.is_empty() {
            out.push_str(&format!("Model: {}\n", quote(&models.join(", "), 200)));
        }
        let sum = |of: &dyn Fn(&crate::runs::Attempt) -> Option<u64>| {
            attempts()
                .filter_map(of)
                .fold(None, |sum: Option<u64>, n| Some(sum.unwrap_or(0).saturating_add(n)))
        };
        if let (Some(input), Some(output)) = (sum(&|a| a.input_tokens), sum(&|a| a.output_tokens)) {
            out.push_str(&format!("Tokens: {} input / {} output\n", thousands(input), thousands(output)));
        }
        let costs: Vec<f64> = attempts().filter_map(|a| a.cost).collect();
        if !costs.is_empty() {
            out.push_str(&format!("Cost: ${:.4}\n", costs.iter().sum::<f64>()));
        }
        let seconds: f64 = attempts().map(|a| a.duration_s).sum();
        out.push_str(&format!("Duration: {seconds:.1}s\n"));
        out
    }
}

//! Checks about what the agent said: answer, plan, claims.

use std::borrow::Cow;

use super::{Checker, listed, shown};
use crate::assertion::Claim;
use crate::case::Case;
use crate::claims::said;
use crate::json::Json;
use crate::pattern::{Schema, TextPattern};
use crate::text::{fold, found, quote};
use crate::trajectory::Outcome;
use crate::verdict::{Check, Explanation, NearMiss};

impl Checker<'_> {
    fn answer(&self) -> &str {
        self.trajectory().final_output.as_deref().unwrap_or_default()
    }

    /// What was said last, for the reader of a failure.
    fn answer_notes(&self) -> Vec<String> {
        let trajectory = self.trajectory();
        let stop = trajectory
            .stop_reason
            .as_ref()
            .map(|s| format!(" (stop reason: {})", quote(s, 40)))
            .unwrap_or_default();
        match &trajectory.final_output {
            None => vec![format!("there is no answer{stop}")],
            Some(text) if text.is_empty() => vec![format!("the answer is empty{stop}")],
            Some(text) => vec![format!("the answer is: {}{stop}", quote(text, 300))],
        }
    }

    fn answer_entry(&self) -> Vec<String> {
        let messages = &self.trajectory().messages;
        messages.iter().rev().find(|m| !m.text.is_empty()).and_then(|m| m.entry.clone()).into_iter().collect()
    }

    fn about_answer(&self, check: Check, near_miss: Option<NearMiss>) -> Check {
        let (notes, entries) = (self.answer_notes(), self.answer_entry());
        check.explained(Explanation { near_miss, notes, entries, ..Explanation::default() })
    }

    pub(super) fn output_contains(&self, case: &Case, texts: &[String]) -> Check {
        const KEY: &str = "expect_output_contains";
        let missing: Vec<String> =
            texts.iter().filter(|t| !found(self.folded_output(), &fold(t))).cloned().collect();
        let mut check = Check::new(KEY, "output_contains", missing.is_empty());
        check.detail.put("expected", case.listed(KEY, texts.iter().map(|t| Cow::Borrowed(t.as_str()))));
        check.detail.set("missing", Json::strings(missing.clone()));
        if missing.is_empty() {
            return check;
        }
        check.message = format!("Output missing expected keywords: {}", listed(&missing));
        let near = missing.first().and_then(|text| self.near_line(text));
        self.about_answer(check, near)
    }

    /// The line of the answer that shares the most words with a text.
    fn near_line(&self, wanted: &str) -> Option<NearMiss> {
        let folded = fold(wanted);
        let words: Vec<&str> = folded.split_whitespace().collect();
        let (shared, line) = self
            .answer()
            .lines()
            .take(2000)
            .map(|line| {
                let low = fold(line);
                (words.iter().filter(|w| low.contains(*w)).count(), line)
            })
            .max_by_key(|(shared, _)| *shared)?;
        if shared == 0 {
            return None;
        }
        let low = fold(line);
        let lacking: Vec<&str> = words.iter().copied().filter(|w| !low.contains(*w)).collect();
        let because = if lacking.is_empty() {
            "the words are there, but not next to each other in that order".to_owned()
        } else {
            format!("it lacks: {}", shown(&lacking.join(" ")))
        };
        Some(NearMiss {
            expected: shown(wanted),
            actual: quote(line, 160),
            because: vec![because],
            entry: self.answer_entry().into_iter().next(),
        })
    }

    pub(super) fn forbidden_output(&self, texts: &[String]) -> Check {
        let found: Vec<String> =
            texts.iter().filter(|t| self.folded_output().contains(fold(t).as_ref())).cloned().collect();
        let mut check = Check::new("forbidden_output", "forbidden_output", found.is_empty());
        check.detail.set("expected", Json::strings(texts.iter().cloned()));
        check.detail.set("violations", Json::strings(found.clone()));
        if found.is_empty() {
            return check;
        }
        check.message = format!("Output contains forbidden text: {}", listed(&found));
        self.about_answer(check, None)
    }

    pub(super) fn output_regex(&self, patterns: &[TextPattern]) -> Check {
        let missing: Vec<String> =
            patterns.iter().filter(|p| !p.is_match(self.answer())).map(|p| p.as_str().to_owned()).collect();
        let mut check = Check::new("expect_output_regex", "expect_output_regex", missing.is_empty());
        check.detail.set("missing", Json::strings(missing.clone()));
        if missing.is_empty() {
            return check;
        }
        check.message = format!("Output does not match: {}", listed(&missing));
        self.about_answer(check, None)
    }

    pub(super) fn forbidden_output_regex(&self, patterns: &[TextPattern]) -> Check {
        let found: Vec<String> =
            patterns.iter().filter(|p| p.is_match(self.answer())).map(|p| p.as_str().to_owned()).collect();
        let mut check = Check::new("forbidden_output_regex", "forbidden_output_regex", found.is_empty());
        check.detail.set("violations", Json::strings(found.clone()));
        if found.is_empty() {
            return check;
        }
        check.message = format!("Output matches a forbidden pattern: {}", listed(&found));
        self.about_answer(check, None)
    }

    pub(super) fn output_schema(&self, schema: &Schema) -> Check {
        let text = strip_fence(self.answer());
        let fault = match serde_json::from_str(text) {
            Ok(value) => schema.first_fault(&value),
            Err(fault) => Some(format!("the answer is not JSON: {fault}")),
        };
        let mut check = Check::new("expect_output_schema", "expect_output_schema", fault.is_none());
        let Some(fault) = fault else { return check };
        check.message = format!("Output does not satisfy the schema: {}", quote(&fault, 200));
        self.about_answer(check, None)
    }

    pub(super) fn plan_contains(&self, texts: &[String]) -> Check {
        let plan = self.reasoning();
        let missing: Vec<String> =
            texts.iter().filter(|t| !plan.contains(fold(t).as_ref())).cloned().collect();
        let passed = missing.is_empty() && !plan.is_empty();
        let mut check = Check::new("expect_plan_contains", "plan_contains", passed);
        check.detail.set("expected", Json::strings(texts.iter().cloned()));
        if plan.is_empty() {
            check.detail.set("reason", "no_plan_text_found".into());
            check.detail.set("plan_text_preview", "".into());
            check.message =
                format!("Plan text not found in agent trajectory (expected keywords: {})", listed(texts));
            return check;
        }
        check.detail.set("missing", Json::strings(missing.clone()));
        check.detail.set("plan_text_preview", quote(plan, 500).into());
        if passed {
            return check;
        }
        check.message = format!("Plan text missing keywords: {}", listed(&missing));
        let notes = vec![format!("plan, thinking and what was said before acting: {}", quote(plan, 300))];
        check.explained(Explanation { notes, ..Explanation::default() })
    }

    pub(super) fn claims(&self, case: &Case, claims: &[Claim]) -> Check {
        let mut messages = Vec::new();
        let mut notes = Vec::new();
        let mut claimed = Vec::new();
        for claim in claims {
            let Some(sentence) = said(claim, self.answer()) else { continue };
            claimed.push(claim.name.clone());
            // The last attempt counts: tests that passed once and fail now are no evidence.
            let tried = (0..self.steps().len()).rev().find(|&at| {
                claim.evidence.iter().any(|pattern| {
                    let mut any = pattern.clone();
                    any.require = crate::assertion::Require::Attempted;
                    self.fits(case, &any, at)
                })
            });
            let good = tried.is_some_and(|at| claim.evidence.iter().any(|p| self.fits(case, p, at)));
            if good {
                continue;
            }
            messages.push(format!(
                "the answer claims `{}` without evidence: \"{}\"",
                claim.name,
                shown(sentence)
            ));
            notes.push(match tried {
                Some(at) => {
                    let how = self.step(at).map_or(Outcome::Unfinished, |s| s.outcome).as_str();
                    format!("the last such call ended as {how}: #{} {}", at + 1, self.label(at))
                }
                None => "no such call was made".to_owned(),
            });
        }
        let mut check = Check::new("claims", "claims", messages.is_empty());
        check.vacuous = claimed.is_empty();
        check.detail.set("claimed", Json::strings(claimed));
        if messages.is_empty() {
            return check;
        }
        check.message = format!("Claim without evidence: {}", messages.join("; "));
        let entries = self.answer_entry();
        check.explained(Explanation { notes, entries, ..Explanation::default() })
    }
}

/// The inside of an answer that is one fenced block.
fn strip_fence(text: &str) -> &str {
    let trimmed = text.trim();
    let Some(rest) = trimmed.strip_prefix("```") else { return trimmed };
    let Some(body) = rest.strip_suffix("```") else { return trimmed };
    body.split_once('\n').map_or(trimmed, |(_, inside)| inside.trim())
}

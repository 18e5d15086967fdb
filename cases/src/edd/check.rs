//! The checks of openclaw-edd, verdict for verdict, with the texts and the crashes it has.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::actions::{ActionTable, PatternFault};
use super::events::Event;
use super::pyrepr::{list, text};
use super::recording::Recording;
use crate::detail::{Detail, Part};
use crate::json::Json;
use crate::text::found;

/// What openclaw-edd would say of a case.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EddVerdict {
    /// Whether it would pass.
    pub passed: bool,
    /// Its failure texts, in its order. Names that it takes from a set, in no fixed order, are sorted here.
    pub failures: Vec<String>,
    /// Its checks by name, in its order.
    pub checks: Vec<(&'static str, Detail)>,
}

impl EddVerdict {
    /// Its `checks` object. O(size).
    #[must_use]
    pub fn checks_json(&self) -> Json {
        Json::Object(
            self.checks.iter().map(|(name, detail)| ((*name).to_owned(), detail.to_json())).collect(),
        )
    }
}

/// openclaw-edd would crash on this case, with that Python error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("openclaw-edd would end with {class}")]
#[non_exhaustive]
pub struct EddFault {
    /// The class of the Python error.
    pub class: &'static str,
}

pub(super) const TYPE: EddFault = EddFault { class: "TypeError" };
pub(super) const ATTRIBUTE: EddFault = EddFault { class: "AttributeError" };

/// Checks a case, given as the object its author wrote, against events and a final output, as openclaw-edd 0.4.3 does.
///
/// `pattern_file` gives the text of the case's `action_patterns_file`, or `None` if there is no such file. Nothing is
/// checked for its type: a text where a list belongs is read letter by letter, as the original does.
/// O(events x expectations).
///
/// # Errors
/// [`EddFault`] where the original would crash.
pub fn check_case(
    case: &Json,
    events: &[Event],
    final_output: Option<&str>,
    pattern_file: &dyn Fn(&str) -> Option<String>,
) -> Result<EddVerdict, EddFault> {
    check_prepared(
        &Arc::new(case.clone()),
        &Recording::new(Cow::Borrowed(events), final_output),
        pattern_file,
    )
}

/// [`check_case`] for one of many cases that are checked against the same events.
pub(crate) fn check_prepared(
    case: &Arc<Json>,
    recording: &Recording<'_>,
    pattern_file: &dyn Fn(&str) -> Option<String>,
) -> Result<EddVerdict, EddFault> {
    let mut run = Run { case, recording, failures: Vec::new(), checks: Vec::with_capacity(12) };
    run.tools()?;
    run.ordered()?;
    run.forbidden()?;
    run.commands()?;
    run.forbidden_commands()?;
    run.commands_ordered()?;
    run.output()?;
    run.arguments()?;
    run.retries()?;
    run.actions(pattern_file)?;
    run.plan()?;
    run.judge();
    Ok(EddVerdict { passed: run.failures.is_empty(), failures: run.failures, checks: run.checks })
}

struct Run<'a> {
    case: &'a Arc<Json>,
    recording: &'a Recording<'a>,
    failures: Vec<String>,
    checks: Vec<(&'static str, Detail)>,
}

pub(super) fn truthy(value: &Json) -> bool {
    match value {
        Json::Null => false,
        Json::Bool(b) => *b,
        Json::Number(n) => n.as_f64() != Some(0.0),
        Json::String(s) => !s.is_empty(),
        Json::Array(items) => !items.is_empty(),
        Json::Object(pairs) => !pairs.is_empty(),
    }
}

/// What Python's `for x in value` yields.
fn iterate(value: &Json) -> Result<Cow<'_, [Json]>, EddFault> {
    match value {
        Json::String(s) => Ok(s.chars().map(|c| Json::String(c.to_string())).collect()),
        Json::Array(items) => Ok(Cow::Borrowed(items)),
        Json::Object(pairs) => Ok(pairs.iter().map(|(k, _)| Json::from(k.as_str())).collect()),
        _ => Err(TYPE),
    }
}

fn lower(text: &str) -> String {
    text.to_lowercase()
}

/// The members of a wish list as a set of names; anything unhashable or not a text ends in a type error.
fn names(items: &[Json]) -> Result<(BTreeSet<&str>, bool), EddFault> {
    let mut out = BTreeSet::new();
    let mut odd = false;
    for item in items {
        match item {
            Json::String(s) => {
                out.insert(s.as_str());
            }
            Json::Array(_) | Json::Object(_) => return Err(TYPE),
            _ => odd = true,
        }
    }
    Ok((out, odd))
}

/// The keywords that a text in small letters does not contain.
fn lacking(lowered: &str, keywords: &[Json]) -> Result<Vec<String>, EddFault> {
    let mut missing = Vec::new();
    for keyword in keywords {
        let Json::String(keyword) = keyword else { return Err(ATTRIBUTE) };
        if !found(lowered, &lower(keyword)) {
            missing.push(keyword.clone());
        }
    }
    Ok(missing)
}

/// The table of actions with the entries of a case's file.
fn table(name: Option<&str>, pattern_file: &dyn Fn(&str) -> Option<String>) -> Result<ActionTable, EddFault> {
    let table = ActionTable::edd();
    let Some(name) = name else { return Ok(table.clone()) };
    let Some(file) = pattern_file(name) else { return Ok(table.clone()) };
    let parsed = crate::load::read_data(name, &file).ok_or(EddFault { class: "JSONDecodeError" })?;
    table.with_file(&parsed, true).map_err(|fault| match fault {
        PatternFault::Pattern => EddFault { class: "error" },
        PatternFault::Shape => TYPE,
    })
}

fn join(items: &[String]) -> String {
    items.join(", ")
}

impl<'a> Run<'a> {
    fn field(&self, key: &str) -> Option<&'a Json> {
        self.case.get(key).filter(|v| truthy(v))
    }

    /// The value of a key of the case, for a detail.
    fn written(&self, key: &'static str) -> Part {
        Part::Written(Arc::clone(self.case), key)
    }

    fn record(&mut self, name: &'static str, detail: Detail) {
        self.checks.push((name, detail));
    }

    fn tools(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("expect_tools") else { return Ok(()) };
        let items = iterate(expected)?;
        let (wanted, odd) = names(&items)?;
        if odd {
            return Err(TYPE);
        }
        let missing: Vec<&str> = wanted.into_iter().filter(|tool| !self.recording.was_called(tool)).collect();
        if !missing.is_empty() {
            self.failures.push(format!(
                "Missing required tool calls: {} (actual: {})",
                missing.join(", "),
                list(&self.recording.tool_names())
            ));
        }
        let mut detail = Detail::of(missing.is_empty());
        detail.put("expected", self.written("expect_tools"));
        detail.put("actual", Part::Shared(Arc::clone(&self.recording.names)));
        detail.set("missing", Json::strings(missing));
        self.record("tool_called", detail);
        Ok(())
    }

    fn ordered(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("expect_tools_ordered") else { return Ok(()) };
        let strict = self.case.get("expect_tools_ordered_strict").cloned().unwrap_or(Json::Bool(false));
        let recording = self.recording;
        let actual = recording.names.as_array().unwrap_or_default();
        let mut failure = None;
        if truthy(&strict) {
            if *expected != *recording.names {
                failure = Some("Tool order mismatch (strict): ");
            }
        } else {
            let steps = iterate(expected)?;
            let mut rest = steps.iter().peekable();
            for name in actual {
                if rest.peek().is_none() {
                    break;
                }
                rest.next_if(|step| *step == name);
            }
            if rest.peek().is_some() {
                failure = Some("Tool order mismatch: ");
            }
        }
        if let Some(failure) = failure {
            self.failures.push(format!("{failure} {}， {}", text(expected), list(&recording.tool_names())));
        }
        let mut detail = Detail::of(!self.failures.iter().any(|f| f.contains("Tool order mismatch")));
        detail.put("expected", self.written("expect_tools_ordered"));
        detail.put("actual", Part::Shared(Arc::clone(&recording.names)));
        detail.set("strict", strict);
        self.record("tool_ordered", detail);
        Ok(())
    }

    fn forbidden(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("forbidden_tools") else { return Ok(()) };
        let items = iterate(expected)?;
        let (wanted, _) = names(&items)?;
        let violations: Vec<&str> =
            wanted.into_iter().filter(|tool| self.recording.was_called(tool)).collect();
        if !violations.is_empty() {
            self.failures.push(format!("Forbidden tool was called: {}", violations.join(", ")));
        }
        let mut detail = Detail::of(violations.is_empty());
        detail.put("expected", self.written("forbidden_tools"));
        detail.set("violations", Json::strings(violations));
        self.record("forbidden_tools", detail);
        Ok(())
    }

    fn commands(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("expect_commands") else { return Ok(()) };
        let items = iterate(expected)?;
        let mut details: Vec<(Arc<str>, Arc<Json>)> = Vec::with_capacity(items.len());
        let mut missing = Vec::new();
        for pattern in items.iter().filter_map(Json::as_str) {
            if details.iter().any(|(known, _)| **known == *pattern) {
                continue;
            }
            let found = self.recording.commands_with(pattern);
            if found.at.is_empty() {
                missing.push(pattern.to_owned());
            }
            details.push((Arc::clone(&found.name), Arc::clone(&found.detail)));
        }
        if !missing.is_empty() {
            self.failures.push(format!("Missing expected command keywords: {}", join(&missing)));
        }
        let mut detail = Detail::of(missing.is_empty());
        detail.put("details", Part::Object(details));
        detail.put("actual_commands", Part::Shared(Arc::clone(&self.recording.commands)));
        self.record("commands", detail);
        Ok(())
    }

    fn forbidden_commands(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("forbidden_commands") else { return Ok(()) };
        let mut violations: Vec<(Arc<str>, Arc<Json>)> = Vec::new();
        for pattern in iterate(expected)?.iter().filter_map(Json::as_str) {
            let found = self.recording.commands_with(pattern);
            if !found.at.is_empty() && !violations.iter().any(|(known, _)| **known == *pattern) {
                violations.push((Arc::clone(&found.name), Arc::clone(&found.first)));
            }
        }
        if !violations.is_empty() {
            let named: Vec<String> = violations.iter().map(|(k, _)| k.to_string()).collect();
            self.failures.push(format!("Forbidden command keywords found: {}", join(&named)));
        }
        let mut detail = Detail::of(violations.is_empty());
        detail.put("violations", Part::Object(violations));
        self.record("forbidden_commands", detail);
        Ok(())
    }

    fn commands_ordered(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("expect_commands_ordered") else { return Ok(()) };
        let commands = self.recording.commands.as_array().unwrap_or_default().len();
        let steps = iterate(expected)?;
        let mut matched = 0_usize;
        // The next command that no step has taken.
        let mut next = 0_usize;
        while let Some(step) = steps.get(matched).filter(|_| next < commands) {
            let found = self.recording.commands_with(step.as_str().ok_or(ATTRIBUTE)?);
            let later = found.at.partition_point(|at| *at < next);
            let Some(at) = found.at.get(later) else { break };
            next = at + 1;
            matched += 1;
        }
        let passed = matched == steps.len();
        if !passed {
            self.failures.push(format!(
                "Command order mismatch:  {}， {matched}/{}",
                text(expected),
                steps.len()
            ));
        }
        let mut detail = Detail::of(passed);
        detail.set("matched_count", matched.into());
        detail.set("expected_count", steps.len().into());
        detail.put("expected", self.written("expect_commands_ordered"));
        detail.put("actual_commands", Part::Shared(Arc::clone(&self.recording.commands)));
        self.record("commands_ordered", detail);
        Ok(())
    }

    fn output(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("expect_output_contains") else { return Ok(()) };
        let output = self.recording.output.as_ref().ok_or(ATTRIBUTE)?;
        let missing = lacking(output, &iterate(expected)?)?;
        if !missing.is_empty() {
            self.failures.push(format!("Output missing expected keywords: {}", join(&missing)));
        }
        let mut detail = Detail::of(missing.is_empty());
        detail.put("expected", self.written("expect_output_contains"));
        detail.set("missing", Json::strings(missing));
        self.record("output_contains", detail);
        Ok(())
    }

    fn arguments(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("expect_tool_args") else { return Ok(()) };
        let wanted = expected.as_object().ok_or(ATTRIBUTE)?;
        let mut details = Vec::new();
        let mut all = true;
        for (tool, arguments) in wanted {
            if !self.recording.was_called(tool) {
                all = false;
                self.failures.push(format!("Tool not called; cannot validate arguments: {tool}"));
                let mut detail = Detail::of(false);
                detail.set("missing_tool", true.into());
                details.push((tool.clone(), detail));
                continue;
            }
            let mut passed = true;
            let mut each = Vec::new();
            for (key, want) in arguments.as_object().ok_or(ATTRIBUTE)? {
                let needle = want.as_str().map(lower);
                let printed = if needle.is_some() { String::new() } else { text(want).into_owned() };
                let matched = self.recording.calls_of(tool).any(|call| {
                    let have = text(call.input.get(key).unwrap_or(&Json::Null));
                    match &needle {
                        Some(needle) => found(&lower(&have), needle),
                        None => have == printed,
                    }
                });
                if !matched {
                    passed = false;
                    self.failures.push(format!("Tool argument mismatch: {tool}.{key} ={}", text(want)));
                }
                let mut entry = Detail::default();
                entry.set("expected", want.clone());
                entry.set("matched", matched.into());
                each.push((key.clone(), entry));
            }
            all &= passed;
            let mut detail = Detail::of(passed);
            detail.put("args", Part::Details(each));
            details.push((tool.clone(), detail));
        }
        let mut detail = Detail::of(all);
        detail.put("details", Part::Details(details));
        self.record("tool_args", detail);
        Ok(())
    }

    fn retries(&mut self) -> Result<(), EddFault> {
        let limit = match self.case.get("max_retries") {
            None | Some(Json::Null) => return Ok(()),
            Some(limit) => limit,
        };
        let repeats = self.recording.repeats();
        let longest = repeats.longest;
        let shown = repeats.shown.clone()?;
        let bound = match limit {
            Json::Bool(b) => f64::from(u8::from(*b)),
            Json::Number(n) => n.as_f64().unwrap_or(f64::MAX),
            _ => return Err(TYPE),
        };
        let passed = as_f64(longest) <= bound;
        if !passed {
            self.failures
                .push(format!("Too many retries: max consecutive {longest} > limit {}", text(limit)));
        }
        let mut detail = Detail::of(passed);
        detail.set("max_consecutive", longest.into());
        detail.set("limit", limit.clone());
        detail.put("retries", Part::Shared(shown));
        self.record("max_retries", detail);
        Ok(())
    }

    fn actions(&mut self, pattern_file: &dyn Fn(&str) -> Option<String>) -> Result<(), EddFault> {
        let expected = self.field("expect_actions");
        let ordered = self.field("expect_actions_ordered");
        if expected.is_none() && ordered.is_none() {
            return Ok(());
        }
        let file = self.field("action_patterns_file").map(text);
        let key = file.as_ref().map(|name| format!("file {name}")).unwrap_or_default();
        let seen = self.recording.actions(&key, || table(file.as_deref(), pattern_file));
        let seen = seen.as_ref().as_ref().map_err(Clone::clone)?;
        if let Some(expected) = expected {
            let observed: BTreeSet<&String> = seen.commands.iter().flat_map(|(_, actions)| actions).collect();
            let mut missing = Vec::new();
            for action in iterate(expected)?.iter() {
                let known = action.as_str().is_some_and(|a| observed.contains(&a.to_owned()));
                if !known {
                    missing.push(action.as_str().ok_or(TYPE)?.to_owned());
                }
            }
            let observed: Vec<String> = observed.into_iter().cloned().collect();
            if !missing.is_empty() {
                self.failures.push(format!(
                    "Missing expected actions: {} (observed: {})",
                    join(&missing),
                    join(&observed)
                ));
            }
            let mut detail = Detail::of(missing.is_empty());
            detail.put("expected", self.written("expect_actions"));
            detail.set("observed", Json::strings(observed));
            detail.set("missing", Json::strings(missing));
            detail.put("details", Part::Shared(Arc::clone(&seen.details)));
            self.record("actions", detail);
        }
        if let Some(ordered) = ordered {
            let sequence: Vec<&String> = seen.commands.iter().flat_map(|(_, actions)| actions).collect();
            let steps = iterate(ordered)?;
            let mut matched = 0_usize;
            for action in &sequence {
                if steps.get(matched).and_then(Json::as_str) == Some(action.as_str()) {
                    matched += 1;
                }
            }
            let passed = matched == steps.len();
            if !passed {
                self.failures.push(format!(
                    "Action order mismatch: expected {}, matched {matched}/{}",
                    text(ordered),
                    steps.len()
                ));
            }
            let mut detail = Detail::of(passed);
            detail.set("matched_count", matched.into());
            detail.set("expected_count", steps.len().into());
            detail.put("expected", self.written("expect_actions_ordered"));
            detail.set("actual_sequence", Json::strings(sequence.into_iter().cloned()));
            self.record("actions_ordered", detail);
        }
        Ok(())
    }

    fn plan(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("expect_plan_contains") else { return Ok(()) };
        let plan = self.recording.plan();
        let keywords = iterate(expected)?;
        if plan.is_empty() {
            let named: Vec<String> = keywords
                .iter()
                .map(|k| k.as_str().map(str::to_owned).ok_or(TYPE))
                .collect::<Result<_, _>>()?;
            self.failures.push(format!(
                "Plan text not found in agent trajectory (expected keywords: {})",
                join(&named)
            ));
            let mut detail = Detail::of(false);
            detail.set("reason", "no_plan_text_found".into());
            detail.put("expected", self.written("expect_plan_contains"));
            detail.set("plan_text_preview", "".into());
            self.record("plan_contains", detail);
            return Ok(());
        }
        let missing = lacking(plan, &keywords)?;
        if !missing.is_empty() {
            self.failures.push(format!("Plan text missing keywords: {}", join(&missing)));
        }
        let preview: String = plan.chars().take(500).collect();
        let mut detail = Detail::of(missing.is_empty());
        detail.put("expected", self.written("expect_plan_contains"));
        detail.set("missing", Json::strings(missing));
        detail.set("plan_text_preview", preview.into());
        self.record("plan_contains", detail);
        Ok(())
    }

    /// No key is ever at hand here, so the original would record that it lacks one and change nothing.
    fn judge(&mut self) {
        let (Some(_), Some(model)) = (self.field("judge_criteria"), self.field("judge_model")) else {
            return;
        };
        let provider = self.case.get("judge_provider").cloned().unwrap_or_else(|| "".into());
        let variable = match provider.as_str() {
            Some("anthropic") => "ANTHROPIC_API_KEY",
            Some("deepseek") => "DEEPSEEK_API_KEY",
            Some("moonshot") => "MOONSHOT_API_KEY",
            _ => "OPENAI_API_KEY",
        };
        let mut detail = Detail::of(false);
        detail.set("overall_score", 0_u64.into());
        detail.set("scores", Json::Object(Vec::new()));
        detail.set("reasoning", "".into());
        detail.set("model", model.clone());
        detail.set("provider", provider);
        detail.set("error", format!("Environment variable {variable} not set").into());
        self.record("judge", detail);
    }
}

fn as_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

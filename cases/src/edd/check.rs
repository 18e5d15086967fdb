//! The checks of openclaw-edd, verdict for verdict, with the texts and the crashes it has.

use std::collections::BTreeSet;

use serde_json::{Number, Value};

use super::actions::{ActionTable, PatternFault};
use super::events::{Event, EventKind};
use super::pyrepr::{list, text};
use crate::json::Json;

/// What openclaw-edd would say of a case.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EddVerdict {
    /// Whether it would pass.
    pub passed: bool,
    /// Its failure texts, in its order. Names that it takes from a set, in no fixed order, are sorted here.
    pub failures: Vec<String>,
    /// Its `checks` object.
    pub checks: Json,
}

/// openclaw-edd would crash on this case, with that Python error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("openclaw-edd would end with {class}")]
#[non_exhaustive]
pub struct EddFault {
    /// The class of the Python error.
    pub class: &'static str,
}

const TYPE: EddFault = EddFault { class: "TypeError" };
const ATTRIBUTE: EddFault = EddFault { class: "AttributeError" };

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
    let mut run = Run { case, events, failures: Vec::new(), checks: Vec::new() };
    run.tools()?;
    run.ordered()?;
    run.forbidden()?;
    run.commands()?;
    run.forbidden_commands()?;
    run.commands_ordered()?;
    run.output(final_output)?;
    run.arguments()?;
    run.retries()?;
    run.actions(pattern_file)?;
    run.plan()?;
    run.judge();
    Ok(EddVerdict {
        passed: run.failures.is_empty(),
        failures: run.failures,
        checks: Json::Object(run.checks),
    })
}

struct Run<'a> {
    case: &'a Json,
    events: &'a [Event],
    failures: Vec<String>,
    checks: Vec<(String, Json)>,
}

fn truthy(value: &Json) -> bool {
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
fn iterate(value: &Json) -> Result<Vec<Json>, EddFault> {
    match value {
        Json::String(s) => Ok(s.chars().map(|c| Json::String(c.to_string())).collect()),
        Json::Array(items) => Ok(items.clone()),
        Json::Object(pairs) => Ok(pairs.iter().map(|(k, _)| Json::from(k.as_str())).collect()),
        _ => Err(TYPE),
    }
}

fn lower(text: &str) -> String {
    text.to_lowercase()
}

/// The members of a wish list as a set of names; anything unhashable or not a text ends in a type error.
fn names(value: &Json) -> Result<(BTreeSet<String>, bool), EddFault> {
    let mut out = BTreeSet::new();
    let mut odd = false;
    for item in iterate(value)? {
        match item {
            Json::String(s) => {
                out.insert(s);
            }
            Json::Array(_) | Json::Object(_) => return Err(TYPE),
            _ => odd = true,
        }
    }
    Ok((out, odd))
}

fn join(items: &[String]) -> String {
    items.join(", ")
}

impl<'a> Run<'a> {
    fn field(&self, key: &str) -> Option<Json> {
        self.case.get(key).filter(|v| truthy(v)).cloned()
    }

    fn ends(&self) -> impl Iterator<Item = &'a Event> + use<'a> {
        self.events.iter().filter(|e| e.kind == EventKind::ToolEnd)
    }

    fn tool_names(&self) -> Vec<&'a str> {
        self.ends().map(|e| e.tool.as_str()).collect()
    }

    fn exec_commands(&self) -> Vec<&'a str> {
        self.ends()
            .filter(|e| e.tool == "exec")
            .filter_map(|e| e.input.get("command").and_then(Json::as_str))
            .filter(|c| !c.is_empty())
            .collect()
    }

    fn record(&mut self, name: &str, check: Json) {
        self.checks.push((name.to_owned(), check));
    }

    fn tools(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("expect_tools") else { return Ok(()) };
        let actual = self.tool_names();
        let (wanted, odd) = names(&expected)?;
        if odd {
            return Err(TYPE);
        }
        let called: BTreeSet<&str> = actual.iter().copied().collect();
        let missing: Vec<String> = wanted.iter().filter(|w| !called.contains(w.as_str())).cloned().collect();
        if !missing.is_empty() {
            self.failures.push(format!(
                "Missing required tool calls: {} (actual: {})",
                join(&missing),
                list(&actual)
            ));
        }
        let passed = missing.is_empty();
        self.record(
            "tool_called",
            Json::object([
                ("passed", passed.into()),
                ("expected", expected),
                ("actual", Json::strings(actual)),
                ("missing", Json::strings(missing)),
            ]),
        );
        Ok(())
    }

    fn ordered(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("expect_tools_ordered") else { return Ok(()) };
        let strict = self.case.get("expect_tools_ordered_strict").cloned().unwrap_or(Json::Bool(false));
        let actual = self.tool_names();
        let mut failure = None;
        if truthy(&strict) {
            if expected != Json::strings(actual.clone()) {
                failure =
                    Some(format!("Tool order mismatch (strict):  {}， {}", text(&expected), list(&actual)));
            }
        } else {
            let steps = iterate(&expected)?;
            let mut rest = steps.iter().peekable();
            for name in &actual {
                rest.next_if(|step| step.as_str() == Some(*name));
            }
            if rest.peek().is_some() {
                failure = Some(format!("Tool order mismatch:  {}， {}", text(&expected), list(&actual)));
            }
        }
        self.failures.extend(failure);
        let passed = !self.failures.iter().any(|f| f.contains("Tool order mismatch"));
        self.record(
            "tool_ordered",
            Json::object([
                ("passed", passed.into()),
                ("expected", expected),
                ("actual", Json::strings(actual)),
                ("strict", strict),
            ]),
        );
        Ok(())
    }

    fn forbidden(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("forbidden_tools") else { return Ok(()) };
        let (wanted, _) = names(&expected)?;
        let called: BTreeSet<&str> = self.tool_names().into_iter().collect();
        let violations: Vec<String> =
            wanted.iter().filter(|tool| called.contains(tool.as_str())).cloned().collect();
        if !violations.is_empty() {
            self.failures.push(format!("Forbidden tool was called: {}", join(&violations)));
        }
        let passed = violations.is_empty();
        self.record(
            "forbidden_tools",
            Json::object([
                ("passed", passed.into()),
                ("expected", expected),
                ("violations", Json::strings(violations)),
            ]),
        );
        Ok(())
    }

    fn commands(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("expect_commands") else { return Ok(()) };
        let commands = self.exec_commands();
        let mut details: Vec<(String, Json)> = Vec::new();
        let mut missing = Vec::new();
        for pattern in iterate(&expected)? {
            let Json::String(pattern) = pattern else { continue };
            if details.iter().any(|(known, _)| *known == pattern) {
                continue;
            }
            let needle = lower(&pattern);
            let found: Vec<&str> =
                commands.iter().copied().filter(|c| lower(c).contains(&needle)).take(3).collect();
            let passed = !found.is_empty();
            if !passed {
                missing.push(pattern.clone());
            }
            let detail = Json::object([("passed", passed.into()), ("matched_in", Json::strings(found))]);
            details.push((pattern, detail));
        }
        if !missing.is_empty() {
            self.failures.push(format!("Missing expected command keywords: {}", join(&missing)));
        }
        self.record(
            "commands",
            Json::object([
                ("passed", missing.is_empty().into()),
                ("details", Json::Object(details)),
                ("actual_commands", Json::strings(commands)),
            ]),
        );
        Ok(())
    }

    fn forbidden_commands(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("forbidden_commands") else { return Ok(()) };
        let commands = self.exec_commands();
        let mut violations: Vec<(String, Json)> = Vec::new();
        for pattern in iterate(&expected)? {
            let Json::String(pattern) = pattern else { continue };
            let needle = lower(&pattern);
            let found: Vec<&str> =
                commands.iter().copied().filter(|c| lower(c).contains(&needle)).take(3).collect();
            if !found.is_empty() && !violations.iter().any(|(known, _)| *known == pattern) {
                violations.push((pattern, Json::strings(found)));
            }
        }
        if !violations.is_empty() {
            let named: Vec<String> = violations.iter().map(|(k, _)| k.clone()).collect();
            self.failures.push(format!("Forbidden command keywords found: {}", join(&named)));
        }
        self.record(
            "forbidden_commands",
            Json::object([
                ("passed", violations.is_empty().into()),
                ("violations", Json::Object(violations)),
            ]),
        );
        Ok(())
    }

    fn commands_ordered(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("expect_commands_ordered") else { return Ok(()) };
        let commands = self.exec_commands();
        let steps = iterate(&expected)?;
        let mut matched = 0_usize;
        for command in &commands {
            match steps.get(matched) {
                None => break,
                Some(Json::String(step)) => {
                    if lower(command).contains(&lower(step)) {
                        matched += 1;
                    }
                }
                Some(_) => return Err(ATTRIBUTE),
            }
        }
        let passed = matched == steps.len();
        if !passed {
            self.failures.push(format!(
                "Command order mismatch:  {}， {matched}/{}",
                text(&expected),
                steps.len()
            ));
        }
        self.record(
            "commands_ordered",
            Json::object([
                ("passed", passed.into()),
                ("matched_count", matched.into()),
                ("expected_count", steps.len().into()),
                ("expected", expected),
                ("actual_commands", Json::strings(commands)),
            ]),
        );
        Ok(())
    }

    fn output(&mut self, final_output: Option<&str>) -> Result<(), EddFault> {
        let Some(expected) = self.field("expect_output_contains") else { return Ok(()) };
        let output = lower(final_output.ok_or(ATTRIBUTE)?);
        let mut missing = Vec::new();
        for keyword in iterate(&expected)? {
            let Json::String(keyword) = keyword else { return Err(ATTRIBUTE) };
            if !output.contains(&lower(&keyword)) {
                missing.push(keyword);
            }
        }
        if !missing.is_empty() {
            self.failures.push(format!("Output missing expected keywords: {}", join(&missing)));
        }
        self.record(
            "output_contains",
            Json::object([
                ("passed", missing.is_empty().into()),
                ("expected", expected),
                ("missing", Json::strings(missing)),
            ]),
        );
        Ok(())
    }

    fn arguments(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("expect_tool_args") else { return Ok(()) };
        let wanted = expected.as_object().ok_or(ATTRIBUTE)?;
        let mut details = Vec::new();
        let mut all = true;
        for (tool, arguments) in wanted {
            let calls: Vec<Event> = self.ends().filter(|e| e.tool == *tool).cloned().collect();
            if calls.is_empty() {
                all = false;
                self.failures.push(format!("Tool not called; cannot validate arguments: {tool}"));
                details.push((
                    tool.clone(),
                    Json::object([("passed", false.into()), ("missing_tool", true.into())]),
                ));
                continue;
            }
            let mut passed = true;
            let mut each = Vec::new();
            for (key, want) in arguments.as_object().ok_or(ATTRIBUTE)? {
                let matched = calls.iter().any(|call| {
                    let printed = text(call.input.get(key).unwrap_or(&Json::Null));
                    match want {
                        Json::String(s) => lower(&printed).contains(&lower(s)),
                        other => printed == text(other),
                    }
                });
                if !matched {
                    passed = false;
                    self.failures.push(format!("Tool argument mismatch: {tool}.{key} ={}", text(want)));
                }
                each.push((
                    key.clone(),
                    Json::object([("expected", want.clone()), ("matched", matched.into())]),
                ));
            }
            all &= passed;
            details.push((
                tool.clone(),
                Json::object([("passed", passed.into()), ("args", Json::Object(each))]),
            ));
        }
        self.record("tool_args", Json::object([("passed", all.into()), ("details", Json::Object(details))]));
        Ok(())
    }

    fn retries(&mut self) -> Result<(), EddFault> {
        let limit = match self.case.get("max_retries") {
            None | Some(Json::Null) => return Ok(()),
            Some(limit) => limit.clone(),
        };
        let mut longest = 1_usize;
        let mut streaks: Vec<(Event, usize)> = Vec::new();
        let mut before: Option<&Event> = None;
        let mut running = false;
        for event in self.events {
            let again = before.is_some_and(|b| {
                b.kind == EventKind::ToolEnd
                    && event.kind == EventKind::ToolEnd
                    && b.tool == event.tool
                    && python_equal(&b.input.to_value(), &event.input.to_value())
            });
            if again {
                if !running {
                    streaks.push((event.clone(), 1));
                }
                if let Some((_, count)) = streaks.last_mut() {
                    *count += 1;
                    longest = longest.max(*count);
                }
            }
            running = again;
            before = Some(event);
        }
        let mut shown = Vec::new();
        for (event, count) in streaks {
            if event.input.as_object().is_none() {
                return Err(ATTRIBUTE);
            }
            shown.push(Json::object([
                ("tool", event.tool.into()),
                ("command", event.input.get("command").cloned().unwrap_or_else(|| "".into())),
                ("count", count.into()),
            ]));
        }
        let bound = match &limit {
            Json::Bool(b) => f64::from(u8::from(*b)),
            Json::Number(n) => n.as_f64().unwrap_or(f64::MAX),
            _ => return Err(TYPE),
        };
        let passed = as_f64(longest) <= bound;
        if !passed {
            self.failures
                .push(format!("Too many retries: max consecutive {longest} > limit {}", text(&limit)));
        }
        self.record(
            "max_retries",
            Json::object([
                ("passed", passed.into()),
                ("max_consecutive", longest.into()),
                ("limit", limit),
                ("retries", Json::Array(shown)),
            ]),
        );
        Ok(())
    }

    fn actions(&mut self, pattern_file: &dyn Fn(&str) -> Option<String>) -> Result<(), EddFault> {
        let expected = self.field("expect_actions");
        let ordered = self.field("expect_actions_ordered");
        if expected.is_none() && ordered.is_none() {
            return Ok(());
        }
        let table = self.table(pattern_file)?;
        let mut seen: Vec<(String, Vec<String>)> = Vec::new();
        for event in self.ends().filter(|e| e.tool == "exec") {
            match event.input.get("command") {
                Some(Json::String(command)) if !command.is_empty() => {
                    seen.push((command.clone(), table.classify(command)));
                }
                Some(other) if truthy(other) => return Err(TYPE),
                _ => {}
            }
        }
        if let Some(expected) = expected {
            let observed: BTreeSet<&String> = seen.iter().flat_map(|(_, actions)| actions).collect();
            let mut missing = Vec::new();
            for action in iterate(&expected)? {
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
            let details = seen
                .iter()
                .map(|(command, actions)| {
                    Json::object([
                        ("command", command.as_str().into()),
                        ("actions", Json::strings(actions.clone())),
                    ])
                })
                .collect();
            self.record(
                "actions",
                Json::object([
                    ("passed", missing.is_empty().into()),
                    ("expected", expected),
                    ("observed", Json::strings(observed)),
                    ("missing", Json::strings(missing)),
                    ("details", Json::Array(details)),
                ]),
            );
        }
        if let Some(ordered) = ordered {
            let sequence: Vec<String> = seen.into_iter().flat_map(|(_, actions)| actions).collect();
            let steps = iterate(&ordered)?;
            let mut matched = 0_usize;
            for action in &sequence {
                if steps.get(matched).and_then(Json::as_str) == Some(action) {
                    matched += 1;
                }
            }
            let passed = matched == steps.len();
            if !passed {
                self.failures.push(format!(
                    "Action order mismatch: expected {}, matched {matched}/{}",
                    text(&ordered),
                    steps.len()
                ));
            }
            self.record(
                "actions_ordered",
                Json::object([
                    ("passed", passed.into()),
                    ("matched_count", matched.into()),
                    ("expected_count", steps.len().into()),
                    ("expected", ordered),
                    ("actual_sequence", Json::strings(sequence)),
                ]),
            );
        }
        Ok(())
    }

    fn table(&self, pattern_file: &dyn Fn(&str) -> Option<String>) -> Result<ActionTable, EddFault> {
        let table = ActionTable::edd();
        let Some(name) = self.field("action_patterns_file") else { return Ok(table.clone()) };
        let name = text(&name);
        let Some(file) = pattern_file(&name) else { return Ok(table.clone()) };
        let parsed = crate::load::read_data(&name, &file).ok_or(EddFault { class: "JSONDecodeError" })?;
        table.with_file(&parsed, true).map_err(|fault| match fault {
            PatternFault::Pattern => EddFault { class: "error" },
            PatternFault::Shape => TYPE,
        })
    }

    fn plan(&mut self) -> Result<(), EddFault> {
        let Some(expected) = self.field("expect_plan_contains") else { return Ok(()) };
        let parts: Vec<&str> = self
            .events
            .iter()
            .flat_map(|e| [e.plan_text.as_str(), e.thinking.as_str()])
            .filter(|p| !p.is_empty())
            .collect();
        let plan = lower(&parts.join(" "));
        let keywords = iterate(&expected)?;
        if plan.is_empty() {
            let named: Vec<String> = keywords
                .iter()
                .map(|k| k.as_str().map(str::to_owned).ok_or(TYPE))
                .collect::<Result<_, _>>()?;
            self.failures.push(format!(
                "Plan text not found in agent trajectory (expected keywords: {})",
                join(&named)
            ));
            self.record(
                "plan_contains",
                Json::object([
                    ("passed", false.into()),
                    ("reason", "no_plan_text_found".into()),
                    ("expected", expected),
                    ("plan_text_preview", "".into()),
                ]),
            );
            return Ok(());
        }
        let mut missing = Vec::new();
        for keyword in keywords {
            let Json::String(keyword) = keyword else { return Err(ATTRIBUTE) };
            if !plan.contains(&lower(&keyword)) {
                missing.push(keyword);
            }
        }
        if !missing.is_empty() {
            self.failures.push(format!("Plan text missing keywords: {}", join(&missing)));
        }
        let preview: String = plan.chars().take(500).collect();
        self.record(
            "plan_contains",
            Json::object([
                ("passed", missing.is_empty().into()),
                ("expected", expected),
                ("missing", Json::strings(missing)),
                ("plan_text_preview", preview.into()),
            ]),
        );
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
        self.record(
            "judge",
            Json::object([
                ("passed", false.into()),
                ("overall_score", Json::Number(Number::from(0))),
                ("scores", Json::Object(Vec::new())),
                ("reasoning", "".into()),
                ("model", model),
                ("provider", provider),
                ("error", format!("Environment variable {variable} not set").into()),
            ]),
        );
    }
}

fn as_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

/// Python's `==` on values read from JSON: `True == 1 == 1.0`.
fn python_equal(a: &Value, b: &Value) -> bool {
    let number = |v: &Value| match v {
        Value::Bool(flag) => Some(Number::from(u8::from(*flag))),
        Value::Number(n) => Some(n.clone()),
        _ => None,
    };
    match (a, b) {
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(p, q)| python_equal(p, q))
        }
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(k, v)| y.get(k).is_some_and(|w| python_equal(v, w)))
        }
        _ => match (number(a), number(b)) {
            (Some(x), Some(y)) => crate::value::same_number(&x, &y),
            _ => a == b,
        },
    }
}

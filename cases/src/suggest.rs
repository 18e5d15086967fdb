//! Suggestions from failures, as data: which file, what kind of change, which text.

use crate::json::Json;
use crate::runs::{CaseResult, Run};
use crate::text::quote;
use crate::verdict::Status;
use clawgauge_transcript::one_line;

/// What a suggestion does to its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SuggestionKind {
    /// Creates a skill (or adds to it, if it is there).
    Skill,
    /// Adds a rule to `TOOLS.md`.
    ToolRule,
}

impl SuggestionKind {
    /// The word used in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::ToolRule => "tool_rule",
        }
    }
}

/// One proposed change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The case that failed.
    pub case: String,
    /// The check that failed, by its key in a suite.
    pub check: String,
    /// Why.
    pub failure: String,
    /// The file, relative to the workspace, with `/`.
    pub file: String,
    /// What is done to it.
    pub kind: SuggestionKind,
    /// The text to add. Holds no secret that the redactor knows.
    pub text: String,
}

/// A file name that stays in its folder: letters, digits, `-` and `_` of the id; never empty, never hidden.
fn file_stem(id: &str) -> String {
    let mut out = String::new();
    for c in id.chars().take(60) {
        if c.is_alphanumeric() || c == '_' || c == '-' {
            out.push(c);
        } else if !out.ends_with('-') {
            out.push('-');
        }
    }
    let trimmed = out.trim_matches('-');
    if trimmed.is_empty() { "case".to_owned() } else { trimmed.to_owned() }
}

fn strings(value: Option<&Json>) -> Vec<String> {
    let items = value.and_then(Json::as_array).unwrap_or_default();
    items
        .iter()
        .map(|item| item.as_str().map_or_else(|| item.to_value().to_string(), str::to_owned))
        .map(|text| quote(&text, 120))
        .collect()
}

fn ticked(items: &[String]) -> String {
    items.iter().map(|i| format!("`{}`", i.replace('`', "'"))).collect::<Vec<_>>().join(", ")
}

/// The calls that a case expects, by tool; one that is expected several times stands there once, with a count.
fn arguments(tools: Option<&Json>) -> String {
    let mut calls: Vec<(String, usize)> = Vec::new();
    for (tool, args) in tools.and_then(Json::as_object).unwrap_or_default() {
        for args in args.as_array().unwrap_or(std::slice::from_ref(args)) {
            let call = ticked(&[quote(&format!("{tool} {}", args.to_value()), 300)]);
            match calls.iter_mut().find(|(known, _)| *known == call) {
                Some((_, times)) => *times += 1,
                None => calls.push((call, 1)),
            }
        }
    }
    let times =
        |(call, times): (String, usize)| if times == 1 { call } else { format!("{call} ({times} times)") };
    calls.into_iter().map(times).collect::<Vec<_>>().join(", ")
}

/// The advice for a failed check; of a key that is not known, to repair what the failure says.
fn advice(key: &str, case: &Json, failure: &str) -> (SuggestionKind, String) {
    let wanted = ticked(&strings(case.get(key)));
    let skill = |text: String| (SuggestionKind::Skill, text);
    let rule = |text: String| (SuggestionKind::ToolRule, text);
    match key {
        "expect_tools" => skill(format!("Call these tools, each as often as it is listed: {wanted}.")),
        "expect_tools_ordered" => skill(format!("Call the tools in this order: {wanted}.")),
        "expect_tool_args" | "expect_tool_args_regex" | "expect_tool_args_schema" => skill(format!(
            "Call tools with these arguments, those of each item in one call: {}.",
            arguments(case.get(key))
        )),
        "expect_commands" => skill(format!("Run commands that contain: {wanted}.")),
        "expect_commands_ordered" => skill(format!("Run the commands in this order: {wanted}.")),
        "expect_actions" => skill(format!("Take these actions: {wanted}.")),
        "expect_actions_ordered" => skill(format!("Take the actions in this order: {wanted}.")),
        "expect_output_contains" | "expect_output_regex" => skill(format!("The answer must say: {wanted}.")),
        "expect_output_schema" => skill("Answer with JSON only, in the form that was asked for.".to_owned()),
        "forbidden_output" | "forbidden_output_regex" => skill(format!("The answer must not say: {wanted}.")),
        "expect_plan_contains" => {
            skill(format!("Before acting, say what you plan to do; mention: {wanted}."))
        }
        "claims" => skill(
            "Claim only what a command of this turn has shown; run the check before you report it."
                .to_owned(),
        ),
        "forbidden_tools" => rule(format!("Never use these tools for this task: {wanted}.")),
        "allowed_tools" => rule(format!("For this task use only these tools: {wanted}.")),
        "forbidden_commands" => rule(format!("Never run commands like: {wanted}.")),
        "max_retries" | "no_repeated_failures" => rule(
            "Do not repeat a call that gave the same result; read the error, change the call, or ask."
                .to_owned(),
        ),
        "max_calls" | "max_tokens" | "max_cost" | "max_seconds" => {
            rule(format!("Keep this task small: {}.", quote(failure, 160)))
        }
        "expect_outcomes" => {
            skill(format!("Check the result of each step and repair what failed: {}.", quote(failure, 200)))
        }
        "rules" => rule(format!("Keep this order: {}.", quote(failure, 200))),
        "trajectory" => skill(format!("Follow the expected steps: {}.", quote(failure, 240))),
        "min_score" => skill(format!("Work more carefully: {}.", quote(failure, 160))),
        _ => skill(format!("Repair this: {}.", quote(failure, 240))),
    }
}

/// The key of a check, from its name in a report.
fn key_of(name: &str) -> &str {
    let name = name.split('#').next().unwrap_or(name);
    match name {
        "tool_called" => "expect_tools",
        "tool_ordered" => "expect_tools_ordered",
        "commands" => "expect_commands",
        "commands_ordered" => "expect_commands_ordered",
        "output_contains" => "expect_output_contains",
        "tool_args" => "expect_tool_args",
        "actions" => "expect_actions",
        "actions_ordered" => "expect_actions_ordered",
        "plan_contains" => "expect_plan_contains",
        other => other,
    }
}

/// The key of the check that a failure line of a report is about, by how the line begins.
fn key_of_line(line: &str) -> Option<&'static str> {
    const BEGINNINGS: [(&str, &str); 28] = [
        ("Missing required tool calls", "expect_tools"),
        ("Tool order mismatch", "expect_tools_ordered"),
        ("Forbidden tool was called", "forbidden_tools"),
        ("Tools outside the allowed", "allowed_tools"),
        ("Missing expected command", "expect_commands"),
        ("Forbidden command keywords", "forbidden_commands"),
        ("Command order mismatch", "expect_commands_ordered"),
        ("Output missing expected", "expect_output_contains"),
        ("Output contains forbidden", "forbidden_output"),
        ("Output does not match", "expect_output_regex"),
        ("Output matches a forbidden", "forbidden_output_regex"),
        ("Output does not satisfy", "expect_output_schema"),
        ("Tool not called", "expect_tool_args"),
        ("Tool argument mismatch", "expect_tool_args"),
        ("Too many retries", "max_retries"),
        ("The same call failed", "no_repeated_failures"),
        ("Missing expected actions", "expect_actions"),
        ("Actions cannot be told", "expect_actions"),
        ("Action order mismatch", "expect_actions_ordered"),
        ("Plan text", "expect_plan_contains"),
        ("Trajectory mismatch", "trajectory"),
        ("Outcome mismatch", "expect_outcomes"),
        ("Rule broken", "rules"),
        ("Limit", "max_calls"),
        ("Score too low", "min_score"),
        ("Claim without evidence", "claims"),
        ("None of the", "any_of"),
        ("Not all of the", "all_of"),
    ];
    let found = BEGINNINGS.iter().find(|(beginning, _)| line.starts_with(beginning));
    found.map(|(_, key)| *key).or_else(|| line.starts_with("What must not hold").then_some("not"))
}

fn of_result(result: &CaseResult, out: &mut Vec<Suggestion>) {
    let Some(shown) = result.representative().filter(|_| result.status() == Status::Failed) else { return };
    // A report read from a file has failure lines only.
    let failures: Vec<(String, String)> = if shown.checks.is_empty() {
        shown
            .failures
            .iter()
            .map(|line| (key_of_line(line).unwrap_or("failure").to_owned(), line.clone()))
            .collect()
    } else {
        shown
            .checks
            .iter()
            .filter(|c| !c.passed)
            .map(|c| (key_of(c.name).to_owned(), c.message.clone()))
            .collect()
    };
    for (key, failure) in failures {
        let (kind, text) = advice(&key, &result.case, &failure);
        let file = match kind {
            SuggestionKind::Skill => format!("skills/{}.md", file_stem(&result.id)),
            SuggestionKind::ToolRule => "TOOLS.md".to_owned(),
        };
        let request = quote(&result.message, 120);
        let text = match kind {
            SuggestionKind::Skill => format!("- {text}"),
            SuggestionKind::ToolRule => format!("- When asked \"{request}\": {text}"),
        };
        let text = one_line(&text).into_owned();
        if !out.iter().any(|s: &Suggestion| s.file == file && s.text == text) {
            out.push(Suggestion { case: result.id.clone(), check: key, failure, file, kind, text });
        }
    }
}

impl Run {
    /// A suggestion for each failed check of each failed case, of every kind of assertion. The same advice for the same
    /// file is given once.
    #[must_use]
    pub fn suggestions(&self) -> Vec<Suggestion> {
        let mut out = Vec::new();
        for result in &self.results {
            of_result(result, &mut out);
        }
        out
    }
}

impl Suggestion {
    /// The suggestions as JSON, the form that [`Suggestion::read_all`] reads.
    #[must_use]
    pub fn write_all(suggestions: &[Self]) -> String {
        let items = suggestions
            .iter()
            .map(|s| {
                Json::object([
                    ("case", s.case.as_str().into()),
                    ("check", s.check.as_str().into()),
                    ("failure", s.failure.as_str().into()),
                    ("file", s.file.as_str().into()),
                    ("kind", s.kind.as_str().into()),
                    ("text", s.text.as_str().into()),
                ])
            })
            .collect();
        let mut out = serde_json::to_string_pretty(&Json::Array(items)).unwrap_or_default();
        out.push('\n');
        out
    }

    /// Reads suggestions.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Report`] for a text that is no JSON array of suggestions. Where a file may lie is checked
    /// when the suggestions are applied.
    pub fn read_all(text: &str) -> Result<Vec<Self>, crate::Error> {
        let fault = |message: String| crate::Error::new(crate::ErrorKind::Report, message);
        let json: Json =
            serde_json::from_str(text).map_err(|e| fault(format!("the suggestions are not JSON: {e}")))?;
        let items = json.as_array().ok_or_else(|| fault("suggestions are an array".to_owned()))?;
        items
            .iter()
            .enumerate()
            .map(|(at, item)| {
                let get = |key: &str| {
                    item.get(key)
                        .and_then(Json::as_str)
                        .map(str::to_owned)
                        .ok_or_else(|| fault(format!("suggestion {} has no text `{key}`", at + 1)))
                };
                let kind = match get("kind")?.as_str() {
                    "skill" => SuggestionKind::Skill,
                    "tool_rule" => SuggestionKind::ToolRule,
                    other => {
                        return Err(fault(format!("suggestion {} has the unknown kind `{other}`", at + 1)));
                    }
                };
                Ok(Self {
                    case: get("case")?,
                    check: get("check")?,
                    failure: get("failure")?,
                    file: get("file")?,
                    kind,
                    text: get("text")?,
                })
            })
            .collect()
    }
}

//! The JSON report: openclaw-edd's shape with further keys, written and read.

use serde_json::Value;

use crate::case::{Case, EvalType};
use crate::detail::Detail;
use crate::edd::Event;
use crate::error::{Error, ErrorKind};
use crate::json::Json;
use crate::redact::redact;
use crate::runs::{Attempt, CaseResult, Run};
use crate::verdict::{Difference, Status};

/// A case with all of openclaw-edd's keys, defaults filled in, in its order; then the keys it does not know.
pub(crate) fn edd_case(case: &Case) -> Json {
    const TYPED: [&str; 8] =
        ["id", "message", "eval_type", "agent", "timeout_s", "tags", "description", "pass_at_k"];
    let list = || Json::Array(Vec::new());
    let mut out = Json::object([
        ("id", case.id.as_str().into()),
        ("message", case.message.as_str().into()),
        ("expect_tools", list()),
        ("expect_tools_ordered", list()),
        ("expect_tools_ordered_strict", false.into()),
        ("expect_commands", list()),
        ("expect_commands_ordered", list()),
        ("forbidden_commands", list()),
        ("expect_output_contains", list()),
        ("forbidden_tools", list()),
        ("expect_tool_args", Json::Object(Vec::new())),
        ("eval_type", case.eval_type.as_str().into()),
        ("agent", case.agent.as_deref().unwrap_or("main").into()),
        ("timeout_s", case.timeout_s.map_or_else(|| Json::from(30_u64), number)),
        ("tags", Json::strings(case.tags.iter().cloned())),
        ("description", case.description.as_str().into()),
        ("max_retries", Json::Null),
        ("pass_at_k", u64::from(case.pass_at_k).into()),
        ("expect_actions", list()),
        ("expect_actions_ordered", list()),
        ("action_patterns_file", "".into()),
        ("expect_plan_contains", list()),
        ("judge_criteria", list()),
        ("judge_model", "".into()),
        ("judge_provider", "".into()),
    ]);
    for (key, value) in case.as_written().as_object().unwrap_or_default() {
        if !TYPED.contains(&key.as_str()) && *value != Json::Null {
            out.set(key, value.clone());
        }
    }
    out
}

/// A whole number without a decimal point.
fn number(value: f64) -> Json {
    if value.fract() == 0.0 && (0.0..9.0e15).contains(&value) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be whole and in range"
        )]
        let whole = value as u64;
        whole.into()
    } else {
        value.into()
    }
}

/// The same value after the redactor, which reads the names of members too: what stands under `password` is a secret.
fn masked(value: &Json) -> Json {
    match crate::redact::redact_json(&value.compact()) {
        Some(redacted) => serde_json::from_str(&redacted).unwrap_or(Json::Null),
        None => value.clone(),
    }
}

fn events(list: &[Event]) -> Json {
    let mut out = Vec::with_capacity(list.len());
    for event in list {
        let as_json =
            serde_json::to_string(event).ok().and_then(|text| serde_json::from_str::<Json>(&text).ok());
        if let Some(mut json) = as_json {
            // The original repeats each raw message here, which doubles the report.
            json.set("raw", Json::Object(Vec::new()));
            out.push(masked(&json));
        }
    }
    Json::Array(out)
}

/// A detail with what really happened, which openclaw-edd repeats in each check and which is the same for all of them.
fn with_actual(name: &str, detail: &Detail, attempt: &Attempt) -> Json {
    let mut out = detail.to_json();
    match name {
        "tool_called" | "tool_ordered" if out.get("actual").is_none() => {
            out.set("actual", Json::strings(attempt.tool_names.iter().cloned()));
        }
        "commands" | "commands_ordered" if out.get("actual_commands").is_none() => {
            let commands = attempt.events.iter().filter(|e| e.kind == crate::edd::EventKind::ToolEnd);
            let commands = commands.filter_map(|e| e.input.get("command").and_then(Json::as_str));
            out.set("actual_commands", Json::strings(commands.map(|c| crate::text::quote(c, 400))));
        }
        _ => {}
    }
    out
}

fn attempt_json(attempt: &Attempt) -> Json {
    let mut out = Json::object([
        ("status", attempt.status.as_str().into()),
        ("duration_s", attempt.duration_s.into()),
        ("session_id", attempt.session_id.as_deref().into()),
        ("failures", masked(&Json::strings(attempt.failures.iter().cloned()))),
        ("input_tokens", attempt.input_tokens.into()),
        ("output_tokens", attempt.output_tokens.into()),
        ("cost", attempt.cost.into()),
        ("tool_names", masked(&Json::strings(attempt.tool_names.iter().cloned()))),
    ]);
    if let Some(error) = &attempt.error {
        out.set("error", redact(error).into_owned().into());
    }
    out
}

fn result_json(result: &CaseResult) -> Json {
    let blank = Attempt::errored("no attempt was made", 0.0);
    let shown = result.representative().unwrap_or(&blank);
    let status = result.status();
    let sum = |of: &dyn Fn(&Attempt) -> Option<u64>| -> u64 { result.attempts.iter().filter_map(of).sum() };
    let known = |of: &dyn Fn(&Attempt) -> bool| result.attempts.iter().any(of);
    let sessions: Vec<String> =
        result.attempts.iter().filter_map(|a| a.session_id.clone()).filter(|s| !s.is_empty()).collect();
    let judged = result.judged();
    let failures = match (&shown.error, shown.failures.is_empty()) {
        (Some(error), true) => vec![redact(error).into_owned()],
        _ => shown.failures.clone(),
    };
    let mut checks = Json::Object(Vec::new());
    let mut explanations = Json::Object(Vec::new());
    for check in &shown.checks {
        // Two groups of one kind keep apart by a number.
        let mut name = check.name.to_owned();
        let mut again = 2;
        while checks.get(&name).is_some() {
            name = format!("{}#{again}", check.name);
            again += 1;
        }
        checks.set(&name, masked(&with_actual(check.name, &check.detail, shown)));
        if let Some(explanation) = &check.explanation {
            explanations.set(&name, masked(&explanation.to_json()));
        }
    }
    let duration: f64 = result.attempts.iter().map(|a| a.duration_s).sum();
    let costs: f64 = result.attempts.iter().filter_map(|a| a.cost).sum();
    let (low, high) = result.interval().unzip();
    let mut out = Json::object([
        ("case", masked(&result.case)),
        ("passed", (status == Status::Passed).into()),
        ("events", events(&shown.events)),
        ("final_output", redact(&shown.final_output).into_owned().into()),
        ("duration_s", duration.into()),
        (
            "failures",
            if status == Status::Passed { Json::Array(Vec::new()) } else { masked(&Json::strings(failures)) },
        ),
        ("checks", checks),
        ("session_id", shown.session_id.as_deref().into()),
        ("timestamp", shown.timestamp.as_str().into()),
        ("model", shown.model.as_str().into()),
        ("provider", shown.provider.as_str().into()),
        ("total_input_tokens", sum(&|a| a.input_tokens).into()),
        ("total_output_tokens", sum(&|a| a.output_tokens).into()),
        ("total_cost", costs.into()),
        ("pass_at_k_k", u64::from(result.k).into()),
        ("pass_at_k_passes", u64::from(result.passes()).into()),
        ("pass_at_k_rate", crate::stats::share(result.passes() as usize, judged as usize).into()),
        ("pass_at_k_session_ids", Json::strings(sessions)),
        // What openclaw-edd does not have.
        ("tool_names", masked(&Json::strings(shown.tool_names.iter().cloned()))),
        ("status", status.as_str().into()),
        ("usage_known", known(&|a| a.input_tokens.is_some() || a.output_tokens.is_some()).into()),
        ("cost_known", known(&|a| a.cost.is_some()).into()),
        ("attempts", Json::Array(result.attempts.iter().map(attempt_json).collect())),
        ("attempts_judged", u64::from(judged).into()),
        ("pass_at_k", result.pass_at_k(result.k).into()),
        ("pass_hat_k", result.pass_hat_k(result.k).into()),
        ("pass_rate_low", low.into()),
        ("pass_rate_high", high.into()),
        ("flap_rate", result.flap_rate().into()),
        ("flags", Json::strings(shown.flags.iter().map(|f| f.as_str()))),
        ("warnings", Json::strings(result.warnings())),
        ("explanations", explanations),
    ]);
    let differences = shown
        .differences
        .iter()
        .map(|d| {
            Json::object([
                ("check", d.check.as_str().into()),
                ("clawgauge", d.ours.as_str().into()),
                ("openclaw_edd", d.edd.as_str().into()),
            ])
        })
        .collect();
    out.set("openclaw_edd_differs", Json::Array(differences));
    out
}

impl Run {
    /// The report as openclaw-edd writes it: an array with one object a case, with further keys (`tool_names`, `status`,
    /// `attempts`, `explanations`, ...), indented by two. Texts pass the redactor.
    #[must_use]
    pub fn to_json(&self) -> String {
        let all = Json::Array(self.results.iter().map(result_json).collect());
        let mut out = serde_json::to_string_pretty(&all).unwrap_or_default();
        out.push('\n');
        out
    }

    /// Reads a report of ours or of openclaw-edd. What a report does not hold (such as explanations as data) is not
    /// made up; counts that an old report gives as totals are kept for the case as a whole.
    ///
    /// # Errors
    /// [`ErrorKind::Report`] if the text is no JSON array of results, each an object with a `case`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let json: Json = serde_json::from_str(text)
            .map_err(|e| Error::new(ErrorKind::Report, format!("the report is not JSON: {e}")))?;
        let items = json.as_array().ok_or_else(|| {
            Error::new(
                ErrorKind::Report,
                "a report is an array with one object a case; this is something else",
            )
        })?;
        let results = items
            .iter()
            .enumerate()
            .map(|(at, item)| read_result(at, item))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { results })
    }
}

fn texts(value: Option<&Json>) -> Vec<String> {
    let items = value.and_then(Json::as_array).unwrap_or_default();
    items.iter().filter_map(Json::as_str).map(str::to_owned).collect()
}

fn text(value: Option<&Json>) -> String {
    value.and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn count(value: Option<&Json>) -> Option<u64> {
    match value {
        Some(Json::Number(n)) => n.as_u64(),
        _ => None,
    }
}

fn read_result(at: usize, item: &Json) -> Result<CaseResult, Error> {
    let case = item.get("case").filter(|c| c.as_object().is_some()).ok_or_else(|| {
        Error::new(ErrorKind::Report, format!("result {} of the report has no `case`", at + 1))
    })?;
    let id = match case.get("id") {
        Some(Json::String(id)) => id.clone(),
        Some(Json::Null) | None => {
            return Err(Error::new(ErrorKind::Report, format!("the case of result {} has no `id`", at + 1)));
        }
        Some(other) => other.to_value().to_string(),
    };
    let passed = item.get("passed").and_then(Json::as_bool).unwrap_or(false);
    let status = item.get("status").and_then(Json::as_str).and_then(Status::parse);
    let whole = Attempt {
        events: item
            .get("events")
            .and_then(|e| serde_json::to_string(e).ok())
            .and_then(|e| serde_json::from_str(&e).ok())
            .unwrap_or_default(),
        final_output: text(item.get("final_output")),
        tool_names: tool_names(item),
        timestamp: text(item.get("timestamp")),
        model: text(item.get("model")),
        provider: text(item.get("provider")),
        session_id: item.get("session_id").and_then(Json::as_str).map(str::to_owned),
        duration_s: item.get("duration_s").and_then(Json::as_f64).unwrap_or(0.0),
        differences: read_differences(item),
        flags: read_flags(item),
        checks: Vec::new(),
        ..Attempt::recorded(passed, texts(item.get("failures")))
    };
    let recorded = item.get("attempts").and_then(Json::as_array).unwrap_or_default();
    let mut attempts: Vec<Attempt> = recorded.iter().map(read_attempt).collect();
    if attempts.is_empty() {
        let k = count(item.get("pass_at_k_k")).unwrap_or(1);
        let passes = count(item.get("pass_at_k_passes")).unwrap_or(0);
        let total = |key: &str| count(item.get(key)).filter(|&n| n > 0);
        let mut first = whole.clone();
        first.status = status.unwrap_or(first.status);
        first.input_tokens = total("total_input_tokens");
        first.output_tokens = total("total_output_tokens");
        first.cost = item.get("total_cost").and_then(Json::as_f64).filter(|&c| c > 0.0);
        attempts.push(first);
        // The other attempts are known by their result only.
        let others = k.saturating_sub(1).min(10_000);
        let passed_others = passes.saturating_sub(u64::from(passed)).min(others);
        for i in 0..others {
            attempts.push(Attempt::recorded(i < passed_others, Vec::new()));
        }
    } else {
        let stands_for = {
            let probe = CaseResult {
                case: Json::Null,
                id: String::new(),
                eval_type: EvalType::Regression,
                message: String::new(),
                attempts: attempts.clone(),
                k: 1,
            };
            probe.representative().and_then(|shown| attempts.iter().position(|a| std::ptr::eq(a, shown)))
        };
        let place =
            stands_for.or_else(|| attempts.iter().position(|a| (a.status == Status::Passed) == passed));
        if let Some(attempt) = place.and_then(|at| attempts.get_mut(at)) {
            let (status, error, tokens) = (
                attempt.status,
                attempt.error.clone(),
                (attempt.input_tokens, attempt.output_tokens, attempt.cost),
            );
            let (duration, failures) = (attempt.duration_s, attempt.failures.clone());
            *attempt = Attempt { status, error, duration_s: duration, failures, ..whole };
            (attempt.input_tokens, attempt.output_tokens, attempt.cost) = tokens;
        }
    }
    let eval_type =
        case.get("eval_type").and_then(Json::as_str).map_or(EvalType::Regression, EvalType::parse);
    Ok(CaseResult {
        id,
        eval_type,
        message: text(case.get("message")),
        case: case.clone(),
        attempts,
        k: count(item.get("pass_at_k_k")).and_then(|k| u32::try_from(k).ok()).unwrap_or(1),
    })
}

/// The names of the tools; an original report has them in its events only.
fn tool_names(item: &Json) -> Vec<String> {
    match item.get("tool_names") {
        Some(names) => texts(Some(names)),
        None => item
            .get("events")
            .and_then(Json::as_array)
            .unwrap_or_default()
            .iter()
            .filter(|e| e.get("kind").and_then(Json::as_str) == Some("tool_end"))
            .filter_map(|e| e.get("tool").and_then(Json::as_str))
            .map(str::to_owned)
            .collect(),
    }
}

fn read_attempt(item: &Json) -> Attempt {
    let status = item.get("status").and_then(Json::as_str).and_then(Status::parse).unwrap_or(Status::Errored);
    Attempt {
        status,
        error: item.get("error").and_then(Json::as_str).map(str::to_owned),
        duration_s: item.get("duration_s").and_then(Json::as_f64).unwrap_or(0.0),
        session_id: item.get("session_id").and_then(Json::as_str).map(str::to_owned),
        input_tokens: count(item.get("input_tokens")),
        output_tokens: count(item.get("output_tokens")),
        cost: item.get("cost").and_then(Json::as_f64),
        tool_names: texts(item.get("tool_names")),
        ..Attempt::recorded(false, texts(item.get("failures")))
    }
}

fn read_differences(item: &Json) -> Vec<Difference> {
    let items = item.get("openclaw_edd_differs").and_then(Json::as_array).unwrap_or_default();
    items
        .iter()
        .map(|d| Difference {
            check: text(d.get("check")),
            ours: text(d.get("clawgauge")),
            edd: text(d.get("openclaw_edd")),
        })
        .collect()
}

fn read_flags(item: &Json) -> Vec<crate::verdict::Flag> {
    use crate::verdict::Flag;
    let names = texts(item.get("flags"));
    [Flag::NoAssertions, Flag::NoAgentOutput, Flag::Vacuous]
        .into_iter()
        .filter(|f| names.iter().any(|n| n == f.as_str()))
        .collect()
}

/// For readers that want a value instead of a text.
impl Run {
    /// The report as a JSON value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::Array(self.results.iter().map(|r| result_json(r).to_value()).collect())
    }
}

//! Cases as they would be written in a suite.

use crate::assertion::{ArgsMatch, Assertion, Claim, Require, Rule, StepPattern, TrajectorySpec};
use crate::json::Json;

/// Key and value of an assertion.
pub(crate) fn assertion(assertion: &Assertion) -> (&'static str, Json) {
    let texts = |list: &[String]| Json::strings(list.iter().cloned());
    let value = match assertion {
        Assertion::Tools(list)
        | Assertion::ForbiddenTools(list)
        | Assertion::ToolsOrdered { steps: list, .. } => steps(list),
        Assertion::Commands(list)
        | Assertion::ForbiddenCommands(list)
        | Assertion::CommandsOrdered(list)
        | Assertion::OutputContains(list)
        | Assertion::ForbiddenOutput(list)
        | Assertion::Actions(list)
        | Assertion::ActionsOrdered(list)
        | Assertion::PlanContains(list)
        | Assertion::AllowedTools(list) => texts(list),
        Assertion::ToolArgs(list) => tool_args(list),
        Assertion::MaxRetries(n)
        | Assertion::RepeatedFailures(n)
        | Assertion::MaxCalls(n)
        | Assertion::MaxTokens(n) => (*n).into(),
        Assertion::MaxCost(n) | Assertion::MaxSeconds(n) => (*n).into(),
        Assertion::MinScore(map) => Json::Object(map.iter().map(|(k, v)| (k.clone(), (*v).into())).collect()),
        Assertion::Trajectory(specs) => match specs.as_slice() {
            [only] => trajectory(only),
            several => Json::Array(several.iter().map(trajectory).collect()),
        },
        Assertion::Outcomes(list) => Json::Array(
            list.iter()
                .map(|(pattern, outcome)| {
                    let mut out = full_step(pattern);
                    out.set("outcome", outcome.as_str().into());
                    out
                })
                .collect(),
        ),
        Assertion::Rules(list) => Json::Array(list.iter().map(rule).collect()),
        Assertion::Claims(list) => Json::Array(list.iter().map(claim).collect()),
        Assertion::OutputRegex(list) | Assertion::ForbiddenOutputRegex(list) => {
            Json::strings(list.iter().map(|p| p.as_str().to_owned()))
        }
        Assertion::OutputSchema(schema) => Json::from(schema.source()),
        Assertion::AnyOf(groups) | Assertion::AllOf(groups) => {
            Json::Array(groups.iter().map(|g| group(g)).collect())
        }
        Assertion::Not(inner) => group(inner),
    };
    (assertion.key(), value)
}

fn group(list: &[Assertion]) -> Json {
    let mut out = Json::Object(Vec::new());
    for item in list {
        let (key, value) = assertion(item);
        out.set(key, value);
        if matches!(item, Assertion::ToolsOrdered { strict: true, .. }) {
            out.set("expect_tools_ordered_strict", true.into());
        }
    }
    out
}

fn steps(list: &[StepPattern]) -> Json {
    Json::Array(list.iter().map(step).collect())
}

fn step(pattern: &StepPattern) -> Json {
    match &pattern.tool {
        Some(tool) if pattern.is_name_only() && pattern.args_match.is_none() => tool.as_str().into(),
        _ => full_step(pattern),
    }
}

fn full_step(pattern: &StepPattern) -> Json {
    let mut out = Json::Object(Vec::new());
    if let Some(tool) = &pattern.tool {
        out.set("tool", tool.as_str().into());
    }
    if !pattern.args.is_empty() {
        out.set("args", Json::Object(pattern.args.iter().map(|(k, v)| (k.clone(), Json::from(v))).collect()));
    }
    if let Some(mode) = pattern.args_match {
        let word = match mode {
            ArgsMatch::Subset => "subset",
            ArgsMatch::Exact => "exact",
            ArgsMatch::Ignore => "ignore",
        };
        out.set("args_match", word.into());
    }
    if !pattern.args_regex.is_empty() {
        let pairs = pattern.args_regex.iter().map(|(k, p)| (k.clone(), p.as_str().into())).collect();
        out.set("args_regex", Json::Object(pairs));
    }
    if let Some(schema) = &pattern.args_schema {
        out.set("args_schema", Json::from(schema.source()));
    }
    if let Some(command) = &pattern.command {
        out.set("command", command.as_str().into());
    }
    if pattern.require != Require::Attempted {
        out.set("require", pattern.require.as_str().into());
    }
    if let Some(text) = &pattern.result_contains {
        out.set("result_contains", text.as_str().into());
    }
    if out.as_object().is_some_and(<[_]>::is_empty) {
        return "*".into();
    }
    out
}

fn tool_args(list: &[StepPattern]) -> Json {
    let mut out = Json::Object(Vec::new());
    for pattern in list {
        let tool = pattern.tool.as_deref().unwrap_or("*");
        let args = Json::Object(pattern.args.iter().map(|(k, v)| (k.clone(), Json::from(v))).collect());
        let value = match out.get(tool).cloned() {
            None => args,
            Some(Json::Array(mut items)) => {
                items.push(args);
                Json::Array(items)
            }
            Some(one) => Json::Array(vec![one, args]),
        };
        out.set(tool, value);
    }
    out
}

fn trajectory(spec: &TrajectorySpec) -> Json {
    Json::object([("mode", spec.mode.as_str().into()), ("steps", steps(&spec.steps))])
}

fn rule(rule: &Rule) -> Json {
    match rule {
        Rule::NeverUntil { never, until } => Json::object([("never", step(never)), ("until", step(until))]),
        Rule::Before { first, then } => Json::object([("step", step(first)), ("before", step(then))]),
        Rule::Within { step: near, within, of } => {
            Json::object([("step", step(near)), ("within", (*within).into()), ("of", step(of))])
        }
    }
}

fn claim(claim: &Claim) -> Json {
    Json::object([
        ("name", claim.name.as_str().into()),
        ("says", Json::strings(claim.says.iter().cloned())),
        ("evidence", steps(&claim.evidence)),
    ])
}

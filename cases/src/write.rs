//! Cases as they would be written in a suite.

use std::collections::BTreeMap;

use serde_json::Map;

use crate::assertion::{ArgsMatch, Assertion, Claim, Require, Rule, StepPattern, TrajectorySpec};
use crate::json::Json;

/// Adds an assertion to a case or group under the keys that ask for it. A key can say one thing: what comes second stands
/// in a group of `all_of`.
pub(crate) fn put(out: &mut Json, assertion: &Assertion) {
    for pairs in forms(assertion) {
        match pairs.as_slice() {
            [("all_of", Json::Array(groups))] => must_hold(out, groups.iter().cloned()),
            taken if taken.iter().any(|(key, _)| out.get(key).is_some()) => {
                let group = pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
                must_hold(out, [Json::Object(group)]);
            }
            _ => pairs.into_iter().for_each(|(key, value)| out.set(key, value)),
        }
    }
}

fn must_hold(out: &mut Json, groups: impl IntoIterator<Item = Json>) {
    let before = out.get("all_of").and_then(Json::as_array).unwrap_or_default();
    let all = before.iter().cloned().chain(groups).collect();
    out.set("all_of", Json::Array(all));
}

/// What to write for an assertion: for each thing that it says, the keys and values that belong together.
fn forms(assertion: &Assertion) -> Vec<Vec<(&'static str, Json)>> {
    match assertion {
        Assertion::ToolsOrdered { steps: list, strict } => {
            let mut pairs = vec![(assertion.key(), steps(list))];
            if *strict {
                pairs.push(("expect_tools_ordered_strict", true.into()));
            }
            vec![pairs]
        }
        Assertion::ToolArgs(list) => tool_args(list),
        _ => vec![vec![(assertion.key(), value(assertion))]],
    }
}

fn value(assertion: &Assertion) -> Json {
    let texts = |list: &[String]| Json::strings(list.iter().cloned());
    match assertion {
        Assertion::Tools(list)
        | Assertion::ToolArgs(list)
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
    }
}

fn group(list: &[Assertion]) -> Json {
    let mut out = Json::Object(Vec::new());
    for item in list {
        put(&mut out, item);
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

/// Arguments by tool, under the key that takes them; what no such key can say as a list of steps.
fn tool_args(list: &[StepPattern]) -> Vec<Vec<(&'static str, Json)>> {
    let mut by_key: BTreeMap<&'static str, Json> = BTreeMap::new();
    let mut rest = Vec::new();
    for pattern in list {
        let Some((key, args)) = by_tool(pattern) else {
            rest.push(step(pattern));
            continue;
        };
        let tool = pattern.tool.as_deref().unwrap_or("*");
        let out = by_key.entry(key).or_insert_with(|| Json::Object(Vec::new()));
        let args = match out.get(tool).cloned() {
            None => args,
            Some(Json::Array(mut items)) => {
                items.push(args);
                Json::Array(items)
            }
            Some(one) => Json::Array(vec![one, args]),
        };
        out.set(tool, args);
    }
    let mut out: Vec<Vec<(&'static str, Json)>> = by_key.into_iter().map(|pair| vec![pair]).collect();
    if !rest.is_empty() {
        out.push(vec![("expect_tools", Json::Array(rest))]);
    }
    out
}

/// The key that takes arguments of a step by its tool, and what stands there; `None` where the step asks for more.
fn by_tool(pattern: &StepPattern) -> Option<(&'static str, Json)> {
    let bare = StepPattern {
        args: Map::new(),
        args_regex: BTreeMap::new(),
        args_schema: None,
        tool: None,
        ..pattern.clone()
    };
    if bare != StepPattern::default() {
        return None;
    }
    let given = (!pattern.args.is_empty(), !pattern.args_regex.is_empty(), &pattern.args_schema);
    match given {
        (_, false, None) => {
            let args = pattern.args.iter().map(|(k, v)| (k.clone(), Json::from(v)));
            Some(("expect_tool_args", Json::Object(args.collect())))
        }
        (false, true, None) => {
            let patterns = pattern.args_regex.iter().map(|(k, p)| (k.clone(), p.as_str().into()));
            Some(("expect_tool_args_regex", Json::Object(patterns.collect())))
        }
        (false, false, Some(schema)) => Some(("expect_tool_args_schema", Json::from(schema.source()))),
        _ => None,
    }
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

//! Decoding what a case asserts.

use std::collections::BTreeMap;

use super::decode::{ARGS_MATCH, Defaults, Pairs, REQUIRE, Sink, keep, shown};
use super::keys::{EDD_ASSERTIONS, assertion_keys};
use super::tree::{Data, Key, Node};
use crate::assertion::{
    Assertion, Claim, ExpectedOutcome, Rule, StepPattern, TrajectoryMode, TrajectorySpec,
};
use crate::claims;
use crate::pattern::{Schema, TextPattern};
use crate::trajectory::Outcome;

const MODES: [(&str, TrajectoryMode); 5] = [
    ("strict", TrajectoryMode::Strict),
    ("unordered", TrajectoryMode::Unordered),
    ("subset", TrajectoryMode::Subset),
    ("superset", TrajectoryMode::Superset),
    ("ordered", TrajectoryMode::Ordered),
];

const OUTCOMES: [(&str, ExpectedOutcome); 5] = [
    ("succeeded", ExpectedOutcome::Is(Outcome::Succeeded)),
    ("failed", ExpectedOutcome::Is(Outcome::Failed)),
    ("blocked", ExpectedOutcome::Is(Outcome::Blocked)),
    ("unfinished", ExpectedOutcome::Is(Outcome::Unfinished)),
    ("recovered", ExpectedOutcome::Recovered),
];

const STEP_KEYS: [&str; 8] =
    ["tool", "args", "args_match", "args_regex", "args_schema", "command", "require", "result_contains"];

/// All assertions of an object, in the order in which they are checked.
pub(super) fn all(sink: &mut Sink<'_>, pairs: &Pairs, defaults: Defaults, depth: usize) -> Vec<Assertion> {
    let mut out = Vec::new();
    for key in assertion_keys() {
        // The last one counts where a key is repeated, as the warning says.
        let Some((_, node)) = pairs.iter().rev().find(|(k, _)| k.name == key) else { continue };
        let before = sink.mark();
        one(sink, &mut out, key, node, pairs, defaults, depth);
        if sink.lax && EDD_ASSERTIONS.contains(&key) {
            sink.forget(&before);
        }
    }
    out
}

fn strict(pairs: &Pairs) -> bool {
    pairs
        .iter()
        .rev()
        .find(|(key, _)| key.name == "expect_tools_ordered_strict")
        // A value that is no flag is reported where the key itself is read.
        .is_some_and(|(_, node)| super::decode::as_flag(node) == Some(true))
}

fn one(
    sink: &mut Sink<'_>,
    out: &mut Vec<Assertion>,
    key: &str,
    node: &Node,
    pairs: &Pairs,
    defaults: Defaults,
    depth: usize,
) {
    match key {
        "expect_tools" => {
            let list = steps(sink, node, key, defaults);
            keep(out, list.is_empty(), Assertion::Tools(list));
        }
        "expect_tools_ordered" => {
            let strict = strict(pairs);
            let list = steps(sink, node, key, defaults);
            // Strict and empty says that no tool may be called at all.
            let nothing = list.is_empty() && !(strict && matches!(node.value, Data::Array(_)));
            keep(out, nothing, Assertion::ToolsOrdered { steps: list, strict });
        }
        "forbidden_tools" => {
            let list = steps(sink, node, key, Defaults::default());
            keep(out, list.is_empty(), Assertion::ForbiddenTools(list));
        }
        "expect_tools_ordered_strict" => {
            let on = sink.flag(node, key);
            if on == Some(true) && !pairs.iter().any(|(key, _)| key.name == "expect_tools_ordered") {
                sink.warn(
                    node.at,
                    "`expect_tools_ordered_strict` says nothing without `expect_tools_ordered`",
                );
            }
        }
        "allowed_tools" => {
            let list = sink.texts(node, key);
            keep(out, matches!(node.value, Data::Null), Assertion::AllowedTools(list));
        }
        "expect_commands" => texts(sink, out, key, node, Assertion::Commands),
        "forbidden_commands" => texts(sink, out, key, node, Assertion::ForbiddenCommands),
        "expect_commands_ordered" => texts(sink, out, key, node, Assertion::CommandsOrdered),
        "expect_output_contains" => texts(sink, out, key, node, Assertion::OutputContains),
        "forbidden_output" => texts(sink, out, key, node, Assertion::ForbiddenOutput),
        "expect_actions" => texts(sink, out, key, node, Assertion::Actions),
        "expect_actions_ordered" => texts(sink, out, key, node, Assertion::ActionsOrdered),
        "expect_plan_contains" => texts(sink, out, key, node, Assertion::PlanContains),
        "expect_output_regex" => patterns(sink, out, key, node, Assertion::OutputRegex),
        "forbidden_output_regex" => patterns(sink, out, key, node, Assertion::ForbiddenOutputRegex),
        "expect_tool_args" | "expect_tool_args_regex" | "expect_tool_args_schema" => {
            let list = tool_args(sink, node, key, defaults);
            keep(out, list.is_empty(), Assertion::ToolArgs(list));
        }
        "max_retries" | "max_calls" | "max_tokens" | "no_repeated_failures" => counted(sink, out, key, node),
        "max_cost" | "max_seconds" if matches!(node.value, Data::Null) => {}
        "max_cost" => out.extend(sink.number(node, key).map(Assertion::MaxCost)),
        "max_seconds" => out.extend(sink.number(node, key).map(Assertion::MaxSeconds)),
        "min_score" => {
            let scores = min_score(sink, node);
            keep(out, scores.is_empty(), Assertion::MinScore(scores));
        }
        "trajectory" => {
            let specs = trajectories(sink, node, defaults);
            keep(out, specs.is_empty(), Assertion::Trajectory(specs));
        }
        "expect_outcomes" => {
            let list = outcomes(sink, node, defaults);
            keep(out, list.is_empty(), Assertion::Outcomes(list));
        }
        "rules" => {
            let list = each(node).iter().filter_map(|item| rule(sink, item, defaults)).collect::<Vec<_>>();
            keep(out, list.is_empty(), Assertion::Rules(list));
        }
        "claims" => {
            let list = each(node).iter().filter_map(|item| claim(sink, item, defaults)).collect::<Vec<_>>();
            keep(out, list.is_empty(), Assertion::Claims(list));
        }
        "expect_output_schema" => match Schema::new(&node.to_json().to_value()) {
            Ok(schema) => out.push(Assertion::OutputSchema(schema)),
            Err(fault) => sink.error(node.at, fault.to_string()),
        },
        "any_of" => {
            let list = groups(sink, node, key, defaults, depth);
            keep(out, list.is_empty(), Assertion::AnyOf(list));
        }
        "all_of" => {
            let list = groups(sink, node, key, defaults, depth);
            keep(out, list.is_empty(), Assertion::AllOf(list));
        }
        "not" => {
            if let Some(group) = group(sink, node, key, defaults, depth) {
                keep(out, group.is_empty(), Assertion::Not(group));
            }
        }
        _ => {}
    }
}

/// The items of a list; anything else is one item, nothing is none.
fn each(node: &Node) -> &[Node] {
    match &node.value {
        Data::Null => &[],
        Data::Array(items) => items,
        _ => std::slice::from_ref(node),
    }
}

fn texts(
    sink: &mut Sink<'_>,
    out: &mut Vec<Assertion>,
    key: &str,
    node: &Node,
    make: fn(Vec<String>) -> Assertion,
) {
    let list = sink.texts(node, key);
    keep(out, list.is_empty(), make(list));
}

fn patterns(
    sink: &mut Sink<'_>,
    out: &mut Vec<Assertion>,
    key: &str,
    node: &Node,
    make: fn(Vec<TextPattern>) -> Assertion,
) {
    let list: Vec<TextPattern> = each(node).iter().filter_map(|item| pattern(sink, item, key)).collect();
    keep(out, list.is_empty(), make(list));
}

fn pattern(sink: &mut Sink<'_>, node: &Node, key: &str) -> Option<TextPattern> {
    let text = sink.text(node, key)?;
    TextPattern::new(&text).map_err(|fault| sink.error(node.at, fault.to_string())).ok()
}

fn counted(sink: &mut Sink<'_>, out: &mut Vec<Assertion>, key: &str, node: &Node) {
    if matches!(node.value, Data::Null) {
        return;
    }
    if key == "no_repeated_failures" {
        match &node.value {
            Data::Bool(true, _) => out.push(Assertion::RepeatedFailures(1)),
            Data::Bool(false, _) => {}
            _ => out.extend(sink.count(node, key).map(|n| Assertion::RepeatedFailures(n.max(1)))),
        }
        return;
    }
    let Some(count) = sink.count(node, key) else { return };
    out.push(match key {
        "max_retries" => Assertion::MaxRetries(count),
        "max_calls" => Assertion::MaxCalls(count),
        _ => Assertion::MaxTokens(count),
    });
}

fn min_score(sink: &mut Sink<'_>, node: &Node) -> BTreeMap<String, f64> {
    if matches!(node.value, Data::Null) {
        return BTreeMap::new();
    }
    if let Data::Number(..) = node.value {
        return score(sink, node).map(|least| ("overall".to_owned(), least)).into_iter().collect();
    }
    let Some(pairs) = sink.object(node, "min_score") else { return BTreeMap::new() };
    pairs.iter().filter_map(|(key, value)| Some((key.name.clone(), score(sink, value)?))).collect()
}

fn score(sink: &mut Sink<'_>, node: &Node) -> Option<f64> {
    let least = sink.number(node, "min_score")?;
    if least > 1.0 {
        sink.error(node.at, format!("`min_score` is a share from 0 to 1, not `{least}`"));
        return None;
    }
    Some(least)
}

fn steps(sink: &mut Sink<'_>, node: &Node, key: &str, defaults: Defaults) -> Vec<StepPattern> {
    each(node).iter().filter_map(|item| step(sink, item, key, defaults)).collect()
}

/// One step: a tool's name, or an object.
fn step(sink: &mut Sink<'_>, node: &Node, key: &str, defaults: Defaults) -> Option<StepPattern> {
    let Data::Object(pairs) = &node.value else {
        let mut step = StepPattern::tool(sink.text(node, key)?);
        step.require = defaults.require;
        return Some(step);
    };
    step_of(sink, pairs, defaults, &[])
}

fn step_of(sink: &mut Sink<'_>, pairs: &Pairs, defaults: Defaults, others: &[&str]) -> Option<StepPattern> {
    let mut out = StepPattern { require: defaults.require, ..StepPattern::default() };
    for (key, value) in pairs {
        match key.name.as_str() {
            // `name` is what golden records and other tools write.
            "tool" | "name" => out.tool = sink.text(value, "tool").filter(|name| name != "*"),
            "args" => {
                if let Some(args) = sink.object(value, "args") {
                    out.args = Sink::value_map(args);
                }
            }
            "args_match" => out.args_match = sink.word(value, "args_match", &ARGS_MATCH),
            "args_regex" => out.args_regex = regex_map(sink, value),
            "args_schema" => match Schema::new(&value.to_json().to_value()) {
                Ok(schema) => out.args_schema = Some(schema),
                Err(fault) => sink.error(value.at, fault.to_string()),
            },
            "command" => out.command = sink.text(value, "command"),
            "require" => out.require = sink.word(value, "require", &REQUIRE).unwrap_or_default(),
            "result_contains" => out.result_contains = sink.text(value, "result_contains"),
            name if others.contains(&name) => {}
            _ => {
                sink.unknown(key, STEP_KEYS.iter().chain(others).copied());
            }
        }
    }
    Some(out)
}

fn regex_map(sink: &mut Sink<'_>, node: &Node) -> BTreeMap<String, TextPattern> {
    let Some(pairs) = sink.object(node, "args_regex") else { return BTreeMap::new() };
    pairs
        .iter()
        .filter_map(|(key, value)| Some((key.name.clone(), pattern(sink, value, "args_regex")?)))
        .collect()
}

/// `expect_tool_args` and its relatives: a tool to its arguments, or to a list of them.
fn tool_args(sink: &mut Sink<'_>, node: &Node, key: &str, defaults: Defaults) -> Vec<StepPattern> {
    if matches!(node.value, Data::Null) {
        return Vec::new();
    }
    let Some(pairs) = sink.object(node, key) else { return Vec::new() };
    let mut out = Vec::new();
    for (tool, value) in pairs {
        for item in each(value) {
            let mut step = StepPattern::tool(tool.name.clone());
            step.require = defaults.require;
            match key {
                "expect_tool_args_regex" => step.args_regex = regex_map(sink, item),
                "expect_tool_args_schema" => match Schema::new(&item.to_json().to_value()) {
                    Ok(schema) => step.args_schema = Some(schema),
                    Err(fault) => sink.error(item.at, fault.to_string()),
                },
                _ => match sink.object(item, &tool.name) {
                    Some(args) => step.args = Sink::value_map(args),
                    None => continue,
                },
            }
            out.push(step);
        }
    }
    out
}

fn trajectories(sink: &mut Sink<'_>, node: &Node, defaults: Defaults) -> Vec<TrajectorySpec> {
    match &node.value {
        Data::Null => Vec::new(),
        // A list of objects with `steps` is a list of alternatives; any other list is the steps of one.
        Data::Array(items) => {
            let alternatives = !items.is_empty()
                && items.iter().all(
                    |i| matches!(&i.value, Data::Object(pairs) if pairs.iter().any(|(k, _)| k.name == "steps")),
                );
            if alternatives {
                items.iter().filter_map(|item| trajectory(sink, item, defaults)).collect()
            } else {
                vec![TrajectorySpec {
                    mode: TrajectoryMode::Strict,
                    steps: steps(sink, node, "trajectory", defaults),
                }]
            }
        }
        _ => trajectory(sink, node, defaults).into_iter().collect(),
    }
}

fn trajectory(sink: &mut Sink<'_>, node: &Node, mut defaults: Defaults) -> Option<TrajectorySpec> {
    let pairs = sink.object(node, "trajectory")?;
    let mut out = TrajectorySpec::default();
    let mut has_steps = false;
    let mut args_match = None;
    for (key, value) in pairs {
        match key.name.as_str() {
            "mode" => out.mode = sink.word(value, "mode", &MODES).unwrap_or_default(),
            "args_match" => args_match = sink.word(value, "args_match", &ARGS_MATCH),
            "require" => defaults.require = sink.word(value, "require", &REQUIRE).unwrap_or_default(),
            "steps" => {
                has_steps = true;
                out.steps = steps(sink, value, "steps", defaults);
            }
            _ => sink.unknown(key, ["mode", "steps", "args_match", "require"]),
        }
    }
    if !has_steps {
        sink.error(node.at, "`trajectory` has no `steps`");
    }
    for step in &mut out.steps {
        step.args_match = step.args_match.or(args_match);
    }
    Some(out)
}

fn outcomes(sink: &mut Sink<'_>, node: &Node, defaults: Defaults) -> Vec<(StepPattern, ExpectedOutcome)> {
    // `{deploy: recovered}` is short for a list with one object.
    if let Data::Object(pairs) = &node.value
        && !pairs.iter().any(|(key, _)| key.name == "outcome")
    {
        return pairs
            .iter()
            .filter_map(|(key, value)| {
                let outcome = sink.word(value, "outcome", &OUTCOMES)?;
                Some((StepPattern::tool(key.name.clone()), outcome))
            })
            .collect();
    }
    each(node)
        .iter()
        .filter_map(|item| {
            let pairs = sink.object(item, "expect_outcomes")?;
            let step =
                step_of(sink, pairs, Defaults { require: Default::default(), ..defaults }, &["outcome"])?;
            match pairs.iter().find(|(key, _)| key.name == "outcome") {
                Some((_, value)) => Some((step, sink.word(value, "outcome", &OUTCOMES)?)),
                None => {
                    sink.error(item.at, "an expected outcome needs `outcome`");
                    None
                }
            }
        })
        .collect()
}

/// A rule: an object, or words such as `never deploy until test`, `read before write`, `verify within 3 of deploy`.
fn rule(sink: &mut Sink<'_>, node: &Node, defaults: Defaults) -> Option<Rule> {
    let Data::Object(pairs) = &node.value else {
        let text = sink.text(node, "rules")?;
        let parsed = rule_of_words(&text);
        if parsed.is_none() {
            sink.error(
                node.at,
                format!(
                    "`{}` is no rule: write `never A until B`, `A before B` or `A within N of B`",
                    shown(&text)
                ),
            );
        }
        return parsed;
    };
    let find = |name: &str| pairs.iter().find(|(key, _)| key.name == name).map(|(_, value)| value);
    for (key, _) in pairs {
        if !["never", "until", "step", "before", "within", "of"].contains(&key.name.as_str()) {
            sink.unknown(key, ["never", "until", "step", "before", "within", "of"]);
        }
    }
    if let (Some(never), Some(until)) = (find("never"), find("until")) {
        return Some(Rule::NeverUntil {
            never: step(sink, never, "never", Defaults::default())?,
            until: step(sink, until, "until", defaults)?,
        });
    }
    if let (Some(first), Some(then)) = (find("step"), find("before")) {
        return Some(Rule::Before {
            first: step(sink, first, "step", defaults)?,
            then: step(sink, then, "before", Defaults::default())?,
        });
    }
    if let (Some(near), Some(within), Some(of)) = (find("step"), find("within"), find("of")) {
        return Some(Rule::Within {
            step: step(sink, near, "step", defaults)?,
            within: usize::try_from(sink.count(within, "within")?).unwrap_or(usize::MAX),
            of: step(sink, of, "of", Defaults::default())?,
        });
    }
    sink.error(node.at, "a rule has `never` and `until`, `step` and `before`, or `step`, `within` and `of`");
    None
}

fn rule_of_words(text: &str) -> Option<Rule> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        ["never", a, "until", b] => {
            Some(Rule::NeverUntil { never: StepPattern::tool(*a), until: StepPattern::tool(*b) })
        }
        [a, "before", b] => Some(Rule::Before { first: StepPattern::tool(*a), then: StepPattern::tool(*b) }),
        [a, "within", n, "of", b] | [a, "within", n, "step" | "steps", "of", b] => Some(Rule::Within {
            step: StepPattern::tool(*a),
            within: n.parse().ok()?,
            of: StepPattern::tool(*b),
        }),
        _ => None,
    }
}

fn claim(sink: &mut Sink<'_>, node: &Node, defaults: Defaults) -> Option<Claim> {
    let Data::Object(pairs) = &node.value else {
        let name = sink.text(node, "claims")?;
        let known = claims::builtin(&name);
        if known.is_none() {
            let key = Key { at: node.at, name };
            let names: Vec<&str> = claims::names().collect();
            let suggestion = crate::text::nearest(&key.name, names.iter().copied());
            let message = format!("no claim is named `{}`; known are {}", shown(&key.name), names.join(", "));
            sink.push(crate::error::Severity::Error, node.at, message, suggestion);
        }
        return known;
    };
    let mut out = Claim { name: String::new(), says: Vec::new(), evidence: Vec::new() };
    for (key, value) in pairs {
        match key.name.as_str() {
            "name" => out.name = sink.text(value, "name").unwrap_or_default(),
            "says" => out.says = sink.texts(value, "says"),
            "evidence" => out.evidence = steps(sink, value, "evidence", defaults),
            _ => sink.unknown(key, ["name", "says", "evidence"]),
        }
    }
    if out.says.is_empty() || out.evidence.is_empty() {
        sink.error(node.at, "a claim needs `says` and `evidence`");
        return None;
    }
    if out.name.is_empty() {
        out.name = out.says.first().cloned().unwrap_or_default();
    }
    Some(out)
}

fn groups(
    sink: &mut Sink<'_>,
    node: &Node,
    key: &str,
    defaults: Defaults,
    depth: usize,
) -> Vec<Vec<Assertion>> {
    each(node).iter().filter_map(|item| group(sink, item, key, defaults, depth)).collect()
}

fn group(
    sink: &mut Sink<'_>,
    node: &Node,
    name: &str,
    mut defaults: Defaults,
    depth: usize,
) -> Option<Vec<Assertion>> {
    if depth >= sink.limits.depth {
        sink.error(node.at, "groups are nested too deeply");
        return None;
    }
    let pairs = sink.object(node, name)?;
    for (key, value) in pairs {
        match key.name.as_str() {
            "require" => defaults.require = sink.word(value, "require", &REQUIRE).unwrap_or_default(),
            "args_match" => {
                sink.error(key.at, "`args_match` belongs to the case or to a step, not to a group");
            }
            name if assertion_keys().any(|known| known == name) => {}
            _ => sink.unknown(key, assertion_keys()),
        }
    }
    let group = all(sink, pairs, defaults, depth + 1);
    if group.is_empty() {
        sink.error(node.at, format!("a group of `{name}` asserts nothing"));
    }
    Some(group)
}

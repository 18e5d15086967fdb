//! Golden records, one a line, as cases; and ordinary cases one a line.

use std::collections::BTreeMap;

use super::decode::{Defaults, Pairs, Sink, case, shown};
use super::tree::{At, Data, Key, Node};
use super::{LoadOptions, json};
use crate::case::Suite;
use crate::error::{Error, Severity};
use crate::text::nearest;

/// Kinds of assertions and the key that says the same in a suite: openclaw-edd's kinds, then those that records of our
/// own have beside them.
const KINDS: [(&str, &str); 10] = [
    ("tool_called", "expect_tools"),
    ("not_tool_called", "forbidden_tools"),
    ("tool_order", "expect_tools_ordered"),
    ("tool_args", "expect_tool_args"),
    ("contains", "expect_output_contains"),
    ("command_contains", "expect_commands"),
    ("not_command_contains", "forbidden_commands"),
    ("command_order", "expect_commands_ordered"),
    ("matches", "expect_output_regex"),
    ("max_calls", "max_calls"),
];

/// Keys of a turn that this crate or the golden one reads.
const TURN_KEYS: [&str; 6] = ["turn", "user", "golden_tool_sequence", "golden_output", "assert", "entry_id"];

/// Keys of an assertion.
const ASSERT_KEYS: [&str; 7] = ["type", "value", "tool", "args", "strict", "require", "why"];

/// Reads all lines; blank ones are skipped.
pub(super) fn read(text: &str, options: &LoadOptions) -> Result<Suite, Error> {
    let mut suite = Suite::default();
    let mut sink = Sink::new(&options.limits);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (number, line) in text.lines().enumerate().map(|(i, line)| (i + 1, line)) {
        if line.trim().is_empty() {
            continue;
        }
        sink.case = None;
        let tree = match json::parse(line, &options.limits) {
            Ok(tree) => tree,
            Err(fault) => {
                // Its line is counted inside of this one.
                for found in fault.diagnostics() {
                    sink.error(At { line: number, column: found.column, ..At::default() }, &*found.message);
                }
                continue;
            }
        };
        let mut root = tree.root;
        move_to_line(&mut root, number);
        let Data::Object(pairs) = &root.value else {
            sink.error(root.at, format!("a record must be an object, not {}", root.kind()));
            continue;
        };
        if get(pairs, "conversation").is_none() && get(pairs, "message").is_some() {
            if let Some(case) = case(&mut sink, &root, Defaults::default()) {
                add(&mut suite, &mut sink, &mut seen, case, number);
            }
            continue;
        }
        let is = |name: &str| matches!(get(pairs, name).map(|n| &n.value), Some(Data::Bool(true, _)));
        if options.only_approved && !(is("reviewed") && is("approved")) {
            // A record that was rejected is not waiting for a review.
            if !is("reviewed") {
                suite.skipped_unreviewed += 1;
            }
            continue;
        }
        record(&mut suite, &mut sink, &mut seen, &root, pairs, number);
    }
    sink.case = None;
    let skipped = suite.skipped_unreviewed;
    let mut suite = sink.into_result(suite)?;
    suite.skipped_unreviewed = skipped;
    Ok(suite)
}

fn move_to_line(node: &mut Node, line: usize) {
    node.at.line = line;
    match &mut node.value {
        Data::Array(items) => items.iter_mut().for_each(|item| move_to_line(item, line)),
        Data::Object(pairs) => {
            for (key, value) in pairs {
                key.at.line = line;
                move_to_line(value, line);
            }
        }
        _ => {}
    }
}

fn add(
    suite: &mut Suite,
    sink: &mut Sink<'_>,
    seen: &mut BTreeMap<String, usize>,
    case: crate::case::Case,
    line: usize,
) {
    if let Some(first) = seen.get(&case.id) {
        let at = At { line, column: 1, ..At::default() };
        sink.error(at, format!("the id `{}` is already used on line {first}", shown(&case.id)));
    } else {
        seen.insert(case.id.clone(), line);
    }
    suite.cases.push(case);
}

fn record(
    suite: &mut Suite,
    sink: &mut Sink<'_>,
    seen: &mut BTreeMap<String, usize>,
    root: &Node,
    pairs: &Pairs,
    line: usize,
) {
    sink.repeated_here(pairs);
    let Some(id) = get(pairs, "id") else {
        sink.error(root.at, "the record has no `id`");
        return;
    };
    let Some(id) = sink.text(id, "id") else { return };
    sink.case = Some(id.clone());
    let turns: &[Node] = match get(pairs, "conversation").map(|node| (&node.value, node)) {
        None | Some((Data::Null, _)) => &[],
        Some((Data::Array(turns), _)) => turns,
        Some((_, node)) => {
            sink.error(node.at, format!("`conversation` must be a list, not {}", node.kind()));
            return;
        }
    };
    if turns.is_empty() {
        sink.warn(root.at, "the record has no turn and makes no case");
    }
    for (at, turn) in turns.iter().enumerate() {
        // Each turn is a case of its own, so each needs an id of its own.
        let case_id = if turns.len() == 1 { id.clone() } else { format!("{id}#{}", at + 1) };
        sink.case = Some(case_id.clone());
        let Some(node) = case_of_turn(sink, turn, &case_id, pairs) else { continue };
        if let Some(case) = case(sink, &node, Defaults::default()) {
            add(suite, sink, seen, case, line);
        }
    }
}

/// The value of a key: the last one, where it is repeated.
fn get<'n>(pairs: &'n Pairs, name: &str) -> Option<&'n Node> {
    pairs.iter().rev().find(|(key, _)| key.name == name).map(|(_, value)| value)
}

/// Keys of a turn that say nothing here are kept for others; one that differs by a slip from a known one is no such key.
fn slips(sink: &mut Sink<'_>, pairs: &Pairs, known: &[&'static str]) {
    sink.repeated_here(pairs);
    for (key, _) in pairs.iter().filter(|(key, _)| !known.contains(&key.name.as_str())) {
        if let Some(meant) = nearest(&key.name, known.iter().copied()) {
            let message = format!("`{}` has no meaning here", shown(&key.name));
            sink.push(Severity::Warning, key.at, message, Some(meant));
        }
    }
}

/// The case that a turn stands for, as the object one would write in a suite.
fn case_of_turn(sink: &mut Sink<'_>, turn: &Node, id: &str, record: &Pairs) -> Option<Node> {
    let pairs = sink.object(turn, "conversation")?;
    slips(sink, pairs, &TURN_KEYS);
    let Some(user) = get(pairs, "user") else {
        sink.error(turn.at, "the turn has no `user` text");
        return None;
    };
    let at = turn.at;
    let mut out =
        vec![named("id", Node { at, value: Data::String(id.to_owned()) }), named("message", user.clone())];
    for name in ["tags", "description", "eval_type", "agent"] {
        out.extend(get(record, name).map(|node| named(name, node.clone())));
    }
    let asserts: &[Node] = match get(pairs, "assert") {
        None | Some(Node { value: Data::Null, .. }) => &[],
        Some(Node { value: Data::Array(items), .. }) => items,
        Some(node) => {
            sink.error(
                node.at,
                format!("`assert` must be a list of objects with `type`, not {}", node.kind()),
            );
            &[]
        }
    };
    let mut asserted = Asserted::default();
    for assert in asserts {
        asserted.take(sink, assert);
    }
    out.extend(asserted.into_pairs(at));
    Some(Node { at, value: Data::Object(out) })
}

fn named(name: &str, node: Node) -> (Key, Node) {
    (Key { at: node.at, name: name.to_owned() }, node)
}

/// What the assertions of a turn ask for, by the key that asks for it in a suite.
#[derive(Default)]
struct Asserted {
    /// Items of lists.
    lists: BTreeMap<&'static str, Vec<Node>>,
    /// Arguments by tool.
    args: Vec<(Key, Vec<Node>)>,
    /// What a suite can say once: each of these must hold.
    groups: Vec<Vec<(Key, Node)>>,
}

impl Asserted {
    fn take(&mut self, sink: &mut Sink<'_>, assert: &Node) {
        let Some(pairs) = sink.object(assert, "assert") else { return };
        slips(sink, pairs, &ASSERT_KEYS);
        let Some(kind_node) = get(pairs, "type") else {
            sink.error(assert.at, "the assertion has no `type`");
            return;
        };
        let Some(kind) = sink.text(kind_node, "type") else { return };
        let Some((_, key)) = KINDS.iter().find(|(known, _)| *known == kind) else {
            let known = KINDS.map(|(kind, _)| kind);
            let message =
                format!("unknown kind of assertion `{}`; known are {}", shown(&kind), known.join(", "));
            sink.push(Severity::Error, kind_node.at, message, nearest(&kind, known));
            return;
        };
        let needed = if kind == "tool_args" { "tool" } else { "value" };
        let Some(value) = get(pairs, needed) else {
            sink.error(assert.at, format!("an assertion of type `{kind}` needs `{needed}`"));
            return;
        };
        match *key {
            "expect_tools_ordered" => {
                let strict = matches!(get(pairs, "strict").map(|n| &n.value), Some(Data::Bool(true, _)));
                let flag = Node { at: assert.at, value: Data::Bool(true, "true".to_owned()) };
                let flag = strict.then(|| named("expect_tools_ordered_strict", flag));
                self.groups.push([named(key, value.clone())].into_iter().chain(flag).collect());
            }
            "max_calls" | "expect_commands_ordered" => self.groups.push(vec![named(key, value.clone())]),
            "expect_tools" => {
                self.lists.entry(key).or_default().push(required(value, get(pairs, "require")));
            }
            "expect_tool_args" => {
                let Some(tool) = sink.text(value, "tool") else { return };
                let none = Node { at: assert.at, value: Data::Object(Vec::new()) };
                let wanted = get(pairs, "args").cloned().unwrap_or(none);
                match self.args.iter_mut().find(|(key, _)| key.name == tool) {
                    Some((_, all)) => all.push(wanted),
                    None => self.args.push((Key { at: value.at, name: tool }, vec![wanted])),
                }
            }
            key => self.lists.entry(key).or_default().push(value.clone()),
        }
    }

    /// The keys of the case. What is asked for twice and can be said once stands in a group that must hold, too.
    fn into_pairs(self, at: At) -> Vec<(Key, Node)> {
        let list = |items: Vec<Node>| Node { at, value: Data::Array(items) };
        let mut out: Vec<(Key, Node)> =
            self.lists.into_iter().map(|(name, nodes)| named(name, list(nodes))).collect();
        let mut rest = Vec::new();
        for group in self.groups {
            let taken = group.iter().any(|(key, _)| out.iter().any(|(other, _)| other.name == key.name));
            if taken {
                rest.push(Node { at, value: Data::Object(group) });
            } else {
                out.extend(group);
            }
        }
        if !rest.is_empty() {
            out.push(named("all_of", list(rest)));
        }
        if !self.args.is_empty() {
            let pairs = self.args.into_iter().map(|(key, mut all)| {
                let value = if all.len() == 1 { all.pop() } else { None };
                let value = value.unwrap_or(Node { at: key.at, value: Data::Array(all) });
                (key, value)
            });
            out.push(named("expect_tool_args", Node { at, value: Data::Object(pairs.collect()) }));
        }
        out
    }
}

/// A tool, and which of its calls count when the assertion says so.
fn required(tool: &Node, require: Option<&Node>) -> Node {
    let Some(require) = require else { return tool.clone() };
    let pair = |name: &str, node: &Node| (Key { at: node.at, name: name.to_owned() }, node.clone());
    Node { at: tool.at, value: Data::Object(vec![pair("tool", tool), pair("require", require)]) }
}

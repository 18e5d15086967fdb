//! Golden records, one a line, as cases; and ordinary cases one a line.

use std::collections::BTreeMap;

use super::decode::{Defaults, Sink, case};
use super::tree::{At, Data, Key, Node};
use super::{LoadOptions, json};
use crate::case::Suite;
use crate::error::{Error, Severity};

/// Kinds of assertions: openclaw-edd's, then those that records of our own have beside them.
const KINDS: [&str; 10] = [
    "tool_called",
    "not_tool_called",
    "tool_order",
    "tool_args",
    "contains",
    "command_contains",
    "not_command_contains",
    "command_order",
    "matches",
    "max_calls",
];

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
                for mut found in fault.diagnostics().to_vec() {
                    found.line = number;
                    sink.found.push(found);
                }
                if fault.diagnostics().is_empty() {
                    sink.error(At { line: number, column: 1, ..At::default() }, fault.to_string());
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
        let get = |name: &str| pairs.iter().find(|(key, _)| key.name == name).map(|(_, value)| value);
        if get("conversation").is_none() && get("message").is_some() {
            if let Some(case) = case(&mut sink, &root, Defaults::default()) {
                add(&mut suite, &mut sink, &mut seen, case, number);
            }
            continue;
        }
        let is = |name: &str| matches!(get(name).map(|n| &n.value), Some(Data::Bool(true, _)));
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
        sink.error(at, format!("the id `{}` is already used on line {first}", case.id));
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
    pairs: &[(Key, Node)],
    line: usize,
) {
    let get = |name: &str| pairs.iter().find(|(key, _)| key.name == name).map(|(_, value)| value);
    let Some(id) = get("id").and_then(|node| sink.text(node, "id")) else {
        sink.error(root.at, "the record has no `id`");
        return;
    };
    sink.case = Some(id.clone());
    let turns: &[Node] = match get("conversation").map(|node| (&node.value, node)) {
        None | Some((Data::Null, _)) => &[],
        Some((Data::Array(turns), _)) => turns,
        Some((_, node)) => {
            sink.error(node.at, format!("`conversation` must be a list, not {}", node.kind()));
            &[]
        }
    };
    if turns.is_empty() {
        sink.push(Severity::Warning, root.at, "the record has no turn and makes no case".to_owned(), None);
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

/// The case that a turn stands for, as the object one would write in a suite.
fn case_of_turn(sink: &mut Sink<'_>, turn: &Node, id: &str, record: &[(Key, Node)]) -> Option<Node> {
    let pairs = sink.object(turn, "conversation")?;
    let get = |name: &str| pairs.iter().find(|(key, _)| key.name == name).map(|(_, value)| value);
    let Some(user) = get("user") else {
        sink.error(turn.at, "the turn has no `user` text");
        return None;
    };
    let mut out: Vec<(Key, Node)> = Vec::new();
    let at = turn.at;
    let put = |out: &mut Vec<(Key, Node)>, name: &str, node: Node| {
        out.push((Key { at: node.at, name: name.to_owned() }, node));
    };
    put(&mut out, "id", Node { at, value: Data::String(id.to_owned()) });
    put(&mut out, "message", user.clone());
    for name in ["tags", "description", "eval_type", "agent"] {
        if let Some((_, node)) = record.iter().find(|(key, _)| key.name == name) {
            put(&mut out, name, node.clone());
        }
    }
    let asserts: &[Node] = match get("assert").map(|node| &node.value) {
        Some(Data::Array(items)) => items,
        _ => &[],
    };
    let mut lists: BTreeMap<&str, Vec<Node>> = BTreeMap::new();
    let mut args: Vec<(Key, Vec<Node>)> = Vec::new();
    let mut orders: Vec<(Node, bool)> = Vec::new();
    for assert in asserts {
        let Some(pairs) = sink.object(assert, "assert") else { continue };
        let get = |name: &str| pairs.iter().find(|(key, _)| key.name == name).map(|(_, value)| value);
        let Some(kind) = get("type").and_then(|node| node.scalar_text()) else {
            sink.error(assert.at, "the assertion has no `type`");
            continue;
        };
        let list = match kind {
            "tool_called" => "expect_tools",
            "not_tool_called" => "forbidden_tools",
            "contains" => "expect_output_contains",
            "command_contains" => "expect_commands",
            "not_command_contains" => "forbidden_commands",
            "matches" => "expect_output_regex",
            "tool_order" | "command_order" | "tool_args" | "max_calls" => kind,
            other => {
                let at = get("type").map_or(assert.at, |node| node.at);
                let suggestion = crate::text::nearest(other, KINDS);
                sink.push(Severity::Error, at, format!("unknown kind of assertion `{other}`"), suggestion);
                continue;
            }
        };
        let needed = if kind == "tool_args" { "tool" } else { "value" };
        let Some(value) = get(needed) else {
            sink.error(assert.at, format!("an assertion of type `{kind}` needs `{needed}`"));
            continue;
        };
        match list {
            "tool_order" => {
                let strict = matches!(get("strict").map(|n| &n.value), Some(Data::Bool(true, _)));
                orders.push((value.clone(), strict));
            }
            "max_calls" => put(&mut out, kind, value.clone()),
            "expect_tools" => {
                lists.entry(list).or_default().push(required(value, get("require")));
            }
            "command_order" => lists.entry("expect_commands_ordered").or_default().push(value.clone()),
            "tool_args" => {
                let tool = sink.text(value, "tool")?;
                let wanted =
                    get("args").cloned().unwrap_or(Node { at: assert.at, value: Data::Object(Vec::new()) });
                match args.iter_mut().find(|(key, _)| key.name == tool) {
                    Some((_, all)) => all.push(wanted),
                    None => args.push((Key { at: value.at, name: tool }, vec![wanted])),
                }
            }
            list => lists.entry(list).or_default().push(value.clone()),
        }
    }
    for (name, nodes) in lists {
        let node = match nodes.as_slice() {
            // An order is a list already; several orders are groups that all must hold.
            [only] if name == "expect_commands_ordered" => only.clone(),
            _ if name == "expect_commands_ordered" => {
                put(&mut out, "all_of", groups(at, name, nodes));
                continue;
            }
            _ => Node { at, value: Data::Array(nodes) },
        };
        put(&mut out, name, node);
    }
    // Each order is checked; the first stands where a suite writes it, the others in a group.
    let mut orders = orders.into_iter();
    if let Some((order, strict)) = orders.next() {
        put(&mut out, "expect_tools_ordered", order);
        if strict {
            put(
                &mut out,
                "expect_tools_ordered_strict",
                Node { at, value: Data::Bool(true, "true".to_owned()) },
            );
        }
    }
    let rest: Vec<Node> = orders
        .map(|(order, strict)| {
            let mut pairs = vec![(Key { at, name: "expect_tools_ordered".to_owned() }, order)];
            if strict {
                let flag = Node { at, value: Data::Bool(true, "true".to_owned()) };
                pairs.push((Key { at, name: "expect_tools_ordered_strict".to_owned() }, flag));
            }
            Node { at, value: Data::Object(pairs) }
        })
        .collect();
    if !rest.is_empty() {
        put(&mut out, "all_of", Node { at, value: Data::Array(rest) });
    }
    if !args.is_empty() {
        let pairs = args
            .into_iter()
            .map(|(key, mut all)| {
                let value = if all.len() == 1 { all.pop() } else { None };
                let value = value.unwrap_or(Node { at: key.at, value: Data::Array(all) });
                (key, value)
            })
            .collect();
        put(&mut out, "expect_tool_args", Node { at, value: Data::Object(pairs) });
    }
    Some(Node { at, value: Data::Object(out) })
}

/// A tool, and which of its calls count when the assertion says so.
fn required(tool: &Node, require: Option<&Node>) -> Node {
    let Some(require) = require else { return tool.clone() };
    let pair = |name: &str, node: &Node| (Key { at: node.at, name: name.to_owned() }, node.clone());
    Node { at: tool.at, value: Data::Object(vec![pair("tool", tool), pair("require", require)]) }
}

fn groups(at: At, name: &str, nodes: Vec<Node>) -> Node {
    let items = nodes
        .into_iter()
        .map(|node| Node { at, value: Data::Object(vec![(Key { at, name: name.to_owned() }, node)]) })
        .collect();
    Node { at, value: Data::Array(items) }
}

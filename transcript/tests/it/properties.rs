//! Laws that hold for every input.
//!
//! The number of cases is modest; `PROPTEST_CASES` raises it.

use std::collections::HashSet;
use std::io::BufReader;

use clawgauge_transcript::{Entry, EntryType, Limits, LineDecoder, Role, Transcript};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{active_ids, answers, calls, fixture, header, in_run, says, user, with};

/// A file made of complete, torn, glued and strange pieces.
fn file_bytes() -> impl Strategy<Value = Vec<u8>> {
    let rows: Vec<String> = vec![
        header().to_string(),
        user("u1", Value::Null, "ünï\u{2028}code \u{1f600}").to_string(),
        calls("a1", "u1", &[("c1", "exec")]).to_string(),
        answers("r1", "a1", "c1", "ok").to_string(),
        says("a2", "r1", "done").to_string(),
        json!({"type": "leaf", "id": "l1", "parentId": "a2", "targetId": "u1"}).to_string(),
    ];
    let piece = prop_oneof![
        6 => proptest::sample::select(rows.clone()).prop_map(String::into_bytes),
        2 => (proptest::sample::select(rows), any::<prop::sample::Index>()).prop_map(|(row, at)| {
            row.as_bytes()[..at.index(row.len())].to_vec()
        }),
        1 => proptest::sample::select(vec!["null", "[1]", "{}", " ", "\u{feff}", "{\"type\":\"x\"}", "\t", "\u{0}", "\r"])
            .prop_map(|text| text.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..12),
    ];
    let end = proptest::sample::select(vec!["\n", "\n", "\n", "\r\n", "", "\n\n", "\r"]);
    proptest::collection::vec((piece, end), 0..14).prop_map(|pieces| {
        pieces.into_iter().flat_map(|(piece, end)| [piece, end.as_bytes().to_vec()].concat()).collect()
    })
}

fn limits() -> impl Strategy<Value = Limits> {
    (
        prop_oneof![Just(64 << 20), 0_usize..400],
        prop_oneof![Just(10_000_000), 0_usize..6],
        prop_oneof![Just(1000), 0_usize..3],
    )
        .prop_map(|(line, entries, problems)| {
            let mut limits = Limits::default().with_max_line_bytes(line);
            limits.max_entries = entries;
            limits.max_problems = problems;
            limits
        })
}

fn decode(bytes: &[u8], cuts: &[prop::sample::Index], limits: Limits) -> Transcript<'static> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.push(bytes.len());
    places.sort_unstable();
    let mut decoder = LineDecoder::new(limits);
    let mut entries = Vec::new();
    let mut from = 0;
    for to in places {
        decoder.push(&bytes[from..to]);
        entries.extend(std::iter::from_fn(|| decoder.next_entry()));
        from = to;
    }
    entries.extend(std::iter::from_fn(|| decoder.finish()));
    let mut again = LineDecoder::new(limits);
    // The same without taking entries out in between.
    again.push(bytes);
    let at_once: Vec<Entry<'static>> = std::iter::from_fn(|| again.finish()).collect();
    assert_eq!(entries, at_once);
    assert_eq!(decoder.report(), again.report());
    Transcript::from_entries(entries, decoder.into_report())
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same(
        bytes in file_bytes(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
        limits in limits(),
        buffer in 1_usize..40,
    ) {
        let whole = Transcript::from_slice_with(&bytes, limits);
        let read = Transcript::read(BufReader::with_capacity(buffer, &bytes[..]), limits).unwrap();
        prop_assert_eq!(&whole, &read);
        let pieces = decode(&bytes, &cuts, limits);
        prop_assert_eq!(whole.entries(), pieces.entries());
        prop_assert_eq!(whole.tree(), pieces.tree());
        prop_assert_eq!(whole.report().entries, pieces.report().entries);
        prop_assert_eq!(whole.report().bytes, bytes.len() as u64);
        let owned = whole.clone().into_owned();
        prop_assert_eq!(&whole, &owned);
    }

    #[test]
    fn entries_are_where_they_say(bytes in file_bytes(), limits in limits()) {
        let transcript = Transcript::from_slice_with(&bytes, limits);
        let mut end = 0;
        for entry in transcript.entries() {
            let at = usize::try_from(entry.offset()).unwrap();
            prop_assert!(at >= end, "in order and apart");
            prop_assert_eq!(bytes.get(at..at + entry.bytes().len()), Some(entry.bytes()));
            let line = bytes[..at].iter().filter(|&&b| b == b'\n').count() as u64 + 1;
            prop_assert_eq!(entry.line(), line);
            end = at + entry.bytes().len();
        }
        prop_assert_eq!(transcript.report().entries, transcript.entries().len() as u64);
        let described = transcript.report().problems.len();
        prop_assert!(described <= limits.max_problems);
        let counted: u64 = transcript.report().counts().map(|(_, count)| count).sum();
        prop_assert!(counted >= described as u64);
    }

    /// Of a file in which every line is a row, every byte comes back; what was read a second time is the same.
    #[test]
    fn writing_gives_back_what_was_read(
        rows in proptest::collection::vec((0_usize..6, any::<bool>()), 0..10),
        last_end in any::<bool>(),
        mark in any::<bool>(),
        flip in any::<Option<(prop::sample::Index, u8)>>(),
    ) {
        let samples = [
            user("u1", Value::Null, "a\u{2028}b").to_string(),
            calls("a1", "u1", &[("c1", "exec")]).to_string(),
            "{\"type\":\"label\",\"id\":\"x\",\"n\":1.50e+3, \"k\" : [ ],\"k\":-0,\"\\u0069\":\"\\ud83d\"}".to_owned(),
            "{\"type\":\"custom\",\"id\":\"t\",\"data\":\"tab\there\"}".to_owned(),
            "{}".to_owned(),
            "  {\"type\":\"hologram\"}\t ".to_owned(),
        ];
        let mut bytes = if mark { "\u{feff}".as_bytes().to_vec() } else { Vec::new() };
        bytes.extend(header().to_string().as_bytes());
        for (row, crlf) in &rows {
            bytes.extend(if *crlf { &b"\r\n"[..] } else { b"\n" });
            bytes.extend(samples[*row].as_bytes());
        }
        if last_end {
            bytes.push(b'\n');
        }
        // Inside of a text any byte may stand, also one that is no UTF-8.
        if let Some((at, byte)) = flip
            && let Some(place) = bytes.windows(4).position(|window| window == b"here").map(|place| place + at.index(4))
            && !matches!(byte, b'\n' | b'"' | b'\\')
        {
            bytes[place] = byte;
        }
        let transcript = Transcript::from_slice(&bytes);
        prop_assert!(!transcript.report().has_loss(), "{:?}", transcript.report());
        let mut written = Vec::new();
        transcript.write_to(&mut written).unwrap();
        prop_assert_eq!(&written, &bytes);
        let mut one_by_one = Vec::new();
        for entry in Transcript::from_slice(&bytes).into_owned().entries() {
            entry.write_to(&mut one_by_one).unwrap();
        }
        prop_assert_eq!(one_by_one, bytes);
    }

    #[test]
    fn the_branch_is_a_way_to_the_root(bytes in file_bytes()) {
        let transcript = Transcript::from_slice(&bytes);
        let tree = transcript.tree();
        let mut seen = HashSet::new();
        for (place, &index) in tree.path().iter().enumerate() {
            prop_assert!(seen.insert(index), "no entry twice");
            prop_assert!(!matches!(transcript.entries()[index].entry_type(), EntryType::Session | EntryType::Leaf));
            prop_assert_eq!(tree.parent(index), place.checked_sub(1).map(|before| tree.path()[before]));
        }
    }
}

/// A row of a random tree: what it is, and which earlier rows it names.
#[derive(Debug, Clone)]
struct Node {
    kind: usize,
    parent: Name,
    target: Name,
    append: Option<Name>,
}

#[derive(Debug, Clone)]
enum Name {
    Earlier(prop::sample::Index),
    Last,
    Null,
    Lost,
}

fn node() -> impl Strategy<Value = Node> {
    let name = || {
        prop_oneof![
            3 => any::<prop::sample::Index>().prop_map(Name::Earlier),
            4 => Just(Name::Last),
            1 => Just(Name::Null),
            1 => Just(Name::Lost),
        ]
    };
    let append = proptest::option::weighted(0.3, name());
    (0_usize..12, name(), name(), append).prop_map(|(kind, parent, target, append)| Node {
        kind,
        parent,
        target,
        append,
    })
}

/// The rows of random nodes, linked at the beginning so that they are a tree and no list.
fn tree_rows(nodes: &[Node]) -> Vec<Value> {
    let mut rows = vec![user("n0", Value::Null, "x"), says("n1", "n0", "y")];
    for node in nodes {
        let count = rows.len();
        let name = |name: &Name| match name {
            Name::Earlier(index) => json!(format!("n{}", index.index(count))),
            Name::Last => json!(format!("n{}", count - 1)),
            Name::Null => Value::Null,
            Name::Lost => json!("lost"),
        };
        let (id, parent) = (format!("n{count}"), name(&node.parent));
        rows.push(match node.kind {
            0 | 1 => {
                let mut row =
                    json!({"type": "leaf", "id": id, "parentId": parent, "targetId": name(&node.target)});
                if let Some(append) = &node.append {
                    row["appendParentId"] = name(append);
                }
                row
            }
            2 => json!({"type": "reset", "id": id, "parentId": parent}),
            3 => with(says(&id, parent, "x"), "appendMode", json!("side")),
            _ => says(&id, parent, "x"),
        });
    }
    rows
}

/// The rule as it is written down, with nothing but searches: slow and plain.
fn naive_branch(rows: &[Value]) -> Vec<String> {
    /// What a row hangs on: an id, nothing, or an id that no row has.
    #[derive(Clone, PartialEq)]
    enum On {
        Row(String),
        Nothing,
        Lost,
    }
    struct Seen {
        id: String,
        on: On,
        leaf_row: bool,
        valid: bool,
        after_reset: bool,
    }
    fn find<'s>(seen: &'s [Seen], on: &On) -> Option<&'s Seen> {
        let On::Row(id) = on else { return None };
        seen.iter().find(|row| row.id == *id)
    }
    /// Steps over leaf rows to what they stand for.
    fn stands_for(seen: &[Seen], on: On) -> On {
        match find(seen, &on) {
            Some(row) if row.leaf_row => stands_for(seen, row.on.clone()),
            _ => on,
        }
    }
    let named = |seen: &[Seen], name: &Value| match name.as_str() {
        None => On::Nothing,
        Some(id) if seen.iter().any(|row| row.id == id) => On::Row(id.to_owned()),
        Some(_) => On::Lost,
    };
    let mut seen: Vec<Seen> = Vec::new();
    let (mut leaf, mut append) = (On::Nothing, On::Nothing);
    let mut any_reset = false;
    for row in rows {
        let id = row["id"].as_str().unwrap().to_owned();
        let under_reset = |seen: &[Seen], on: &On| find(seen, on).is_some_and(|row| row.after_reset);
        let parent = named(&seen, &row["parentId"]);
        if row["type"] == "leaf" {
            let mut target = named(&seen, &row["targetId"]);
            let mut next = row.get("appendParentId").map_or(target.clone(), |name| named(&seen, name));
            if any_reset && leaf != On::Nothing && !under_reset(&seen, &target) {
                target = leaf.clone();
                next = leaf.clone();
            }
            let known = |on: &On| *on == On::Nothing || find(&seen, on).is_some_and(|row| row.valid);
            let valid = known(&target) && known(&next);
            let after_reset = valid && under_reset(&seen, &target);
            seen.push(Seen {
                id,
                on: if valid { target.clone() } else { parent },
                leaf_row: true,
                valid,
                after_reset,
            });
            if valid {
                leaf = target;
                append = next;
            }
            continue;
        }
        let side = row["appendMode"] == "side";
        let mut on = parent;
        if !side {
            let outside = any_reset && !under_reset(&seen, &on);
            let lost = on == On::Lost && leaf != On::Nothing;
            let cursor = on == append && leaf != append;
            if outside || lost || cursor {
                on = leaf.clone();
            }
        }
        let on = stands_for(&seen, on);
        if row["type"] == "reset" {
            any_reset = true;
            for row in &mut seen {
                row.after_reset = false;
            }
        }
        let after_reset = row["type"] == "reset" || any_reset && under_reset(&seen, &on);
        seen.push(Seen { id: id.clone(), on, leaf_row: false, valid: true, after_reset });
        append = On::Row(id.clone());
        if !side {
            leaf = On::Row(id);
        }
    }
    let mut branch = Vec::new();
    let mut at = leaf;
    while let Some(row) = find(&seen, &at) {
        if !row.leaf_row {
            branch.push(row.id.clone());
        }
        at = row.on.clone();
    }
    branch.reverse();
    branch
}

proptest! {
    #[test]
    fn the_branch_is_the_one_that_the_plain_rule_gives(nodes in proptest::collection::vec(node(), 0..14)) {
        let rows = tree_rows(&nodes);
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        let transcript = Transcript::from_str(&text);
        prop_assert_eq!(active_ids(&transcript), naive_branch(&rows).join(" "), "{}", text);
        // Whatever a row hangs on was walked before it.
        for index in 0..rows.len() {
            prop_assert!(transcript.tree().parent(index).is_none_or(|parent| parent < index));
        }
    }
}

/// Messages with few ids, so that they collide, some of them in runs.
fn message_rows() -> impl Strategy<Value = Vec<Value>> {
    let ids = || proptest::sample::select(vec!["c1", "c2", "c3", ""]);
    let run = || proptest::option::weighted(0.4, proptest::sample::select(vec!["r1", "r2"]));
    let tools = || proptest::sample::select(vec!["exec", "tool_call", "process"]);
    let message = prop_oneof![
        1 => Just(user("x", Value::Null, "go")),
        3 => proptest::collection::vec((ids(), tools()), 0..4).prop_map(|list| calls("x", Value::Null, &list)),
        4 => ids().prop_map(|id| answers("x", Value::Null, id, "text")),
        1 => ids().prop_map(|id| json!({"type": "message", "id": "x", "parentId": null, "message": {"role": "custom",
            "customType": "openclaw.nested-tool.v1", "content": "", "details": {"parentToolCallId": id,
            "toolCallId": "inner", "toolName": "read", "input": {}, "isError": false, "result": {"content": []}}}})),
    ];
    proptest::collection::vec((message, run()), 0..24).prop_map(|messages| {
        let mut rows: Vec<Value> = Vec::new();
        for (index, (mut row, run)) in messages.into_iter().enumerate() {
            row["id"] = json!(format!("n{index}"));
            row["parentId"] = index.checked_sub(1).map_or(Value::Null, |before| json!(format!("n{before}")));
            rows.push(run.map_or(row.clone(), |run| in_run(row, run)));
        }
        rows
    })
}

proptest! {
    /// Every result is with one call or among the orphans, and every call that was written is there.
    #[test]
    fn no_result_is_lost_or_used_twice(rows in message_rows()) {
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        let transcript = Transcript::from_str(&text);
        let conversation = transcript.conversation();
        let mut used: Vec<u64> = Vec::new();
        for call in conversation.calls() {
            used.extend(call.result.iter().chain(&call.via_result).map(|result| result.entry.line()));
        }
        used.extend(conversation.turns.iter().flat_map(|turn| &turn.orphan_results).map(|result| result.entry.line()));
        used.sort_unstable();
        let is_result = |entry: &&Entry<'_>| matches!(entry.role(), Some(Role::ToolResult | Role::Custom));
        let all: Vec<u64> = transcript.active().filter(is_result).map(Entry::line).collect();
        prop_assert_eq!(used, all);
        prop_assert_eq!(conversation.problems().len(), conversation.orphan_results());
        // A wrapper with inner calls is replaced by them, everything else stays.
        let written: usize = rows.iter().filter_map(|row| row["message"]["content"].as_array()).flatten()
            .filter(|block| block["type"] == "toolCall").count();
        let inner = conversation.calls().filter(|call| call.id.as_deref() == Some("inner")).count();
        let wrappers = conversation.calls().filter(|call| call.via_result.is_some()).count();
        let total = conversation.calls().count();
        prop_assert!(total <= written + inner && total + wrappers.max(inner) >= written, "{} {} {}", total, written, inner);
        for call in conversation.calls() {
            if let (Some(result), None) = (call.result.as_ref().and_then(|result| result.entry.message()), &call.via) {
                let (run, of_call) = (result.run_id(), call.entry.message().unwrap().run_id());
                prop_assert!(result.tool_call_id().is_none_or(|id| id.is_empty() || Some(id) == call.id));
                if !result.tool_call_id().unwrap_or_default().is_empty() {
                    prop_assert!(run.is_none() || of_call.is_none() || run == of_call);
                }
            }
        }
    }
}

#[test]
fn recorded_sessions_come_back_whole_in_pieces_of_every_size() {
    let bytes = fixture("recorded/2026.3.31/207d9e14.jsonl");
    let whole = Transcript::from_slice(&bytes);
    for size in [1, 2, 3, 7, 64, 4096] {
        let read = Transcript::read(BufReader::with_capacity(size, &bytes[..]), Limits::default()).unwrap();
        assert_eq!(whole, read, "{size}");
    }
}

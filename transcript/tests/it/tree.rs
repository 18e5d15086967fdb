//! The active branch.

use clawgauge_transcript::{EntryType, Limits, LineDecoder, Transcript};
use serde_json::{Value, json};

use crate::support::{
    Check, active_ids, chain, file, fixture, header, outline_of, problems, row, says, user, with,
};

/// Six hundred small trees and the active branch that OpenClaw 2026.9.6 itself finds in each. Rows of unknown type are
/// left out of the comparison: we keep them in the chain, OpenClaw steps over them.
#[test]
fn the_active_branch_is_the_one_that_openclaw_finds() {
    let mut check = Check::default();
    for (index, line) in fixture("tree-openclaw-2026.9.6.jsonl").split(|&b| b == b'\n').enumerate() {
        if line.is_empty() {
            continue;
        }
        let tree: Value = serde_json::from_slice(line).unwrap();
        let rows = tree["rows"].as_array().unwrap();
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        let transcript = Transcript::from_str(&text);
        let known = |entry: &&clawgauge_transcript::Entry<'_>| entry.entry_type() != EntryType::Unknown;
        let got: Vec<String> =
            transcript.active().filter(known).map(|entry| entry.id().unwrap().into_owned()).collect();
        let want: Vec<&str> =
            tree["active"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
        check.case(&format!("tree {}", index + 1));
        if got != want {
            check.fail(format!("got {got:?}, want {want:?}\n{text}"));
        }
    }
    check.done();
}

fn active(rows: &[Value]) -> String {
    active_ids(&Transcript::from_str(&file(rows)))
}

fn leaf(id: &str, parent: &str, target: Value) -> Value {
    json!({"type": "leaf", "id": id, "parentId": parent, "timestamp": "2026-05-04T09:00:01.000Z", "targetId": target})
}

fn reset(id: &str, parent: &str) -> Value {
    json!({"type": "reset", "id": id, "parentId": parent, "timestamp": "2026-05-04T09:00:01.000Z", "reason": "reset"})
}

#[test]
fn a_rewind_leaves_the_abandoned_branch_out() {
    let rows = [
        user("u1", Value::Null, "one"),
        says("a1", "u1", "first"),
        user("u2", "a1", "two"),
        says("a2", "u2", "abandoned"),
        leaf("l1", "a2", json!("a1")),
        user("u3", "l1", "instead"),
        says("a3", "u3", "kept"),
    ];
    assert_eq!(active(&rows), "u1 a1 u3 a3");
    // The child may name the target as well as the leaf row.
    let mut by_target = rows.clone();
    by_target[5]["parentId"] = json!("a1");
    assert_eq!(active(&by_target), "u1 a1 u3 a3");
    // Without a child the leaf row alone moves the leaf.
    assert_eq!(active(&rows[..5]), "u1 a1");
}

#[test]
fn a_leaf_row_that_names_what_is_not_there_moves_nothing() {
    let base = [user("u1", Value::Null, "one"), says("a1", "u1", "first")];
    let after = |leaf: Value| active(&[&base[..], &[leaf]].concat());
    assert_eq!(after(leaf("l1", "a1", json!("nowhere"))), "u1 a1");
    assert_eq!(after(with(leaf("l1", "a1", json!("u1")), "appendParentId", json!("nowhere"))), "u1 a1");
    assert_eq!(after(with(leaf("l1", "a1", json!("u1")), "appendMode", json!("sideways"))), "u1 a1");
    assert_eq!(after(leaf("l1", "a1", json!(17))), "u1 a1");
    assert_eq!(after(leaf("l1", "a1", json!("l1"))), "u1 a1");
    // No target at all is a target of its own: the conversation begins anew.
    assert_eq!(after(leaf("l1", "a1", Value::Null)), "");
}

#[test]
fn an_append_parent_is_where_the_next_row_hangs_not_where_it_belongs() {
    let rows = [
        user("u1", Value::Null, "one"),
        says("a1", "u1", "first"),
        says("a2", "a1", "left"),
        with(leaf("l1", "a2", json!("a1")), "appendParentId", json!("a2")),
        user("u2", "a2", "two"),
    ];
    assert_eq!(active(&rows), "u1 a1 u2");
}

#[test]
fn after_a_reset_everything_hangs_on_it() {
    let rows = [
        user("u1", Value::Null, "one"),
        says("a1", "u1", "first"),
        reset("r1", "a1"),
        user("u2", "u1", "hangs on an older row"),
        says("a2", "u2", "second"),
        leaf("l1", "a2", json!("u1")),
        user("u3", "l1", "a rewind to before the reset moves nothing"),
    ];
    assert_eq!(active(&rows), "u1 a1 r1 u2 a2 u3");
    let inside = [&rows[..5], &[leaf("l1", "a2", json!("u2")), user("u3", "l1", "inside")]].concat();
    assert_eq!(active(&inside), "u1 a1 r1 u2 u3");
}

#[test]
fn rows_beside_the_conversation_are_not_in_it() {
    let rows = [
        user("u1", Value::Null, "one"),
        with(says("side", "u1", "beside"), "appendMode", json!("side")),
        says("a1", "side", "hangs on the row beside"),
        with(says("side2", "a1", "beside"), "appendMode", json!("side")),
    ];
    assert_eq!(active(&rows), "u1 a1");
}

#[test]
fn unknown_parents_and_unusable_ones_continue_at_the_leaf() {
    let base = || vec![user("u1", Value::Null, "one"), says("a1", "u1", "first")];
    for parent in [json!("lost"), json!(7), json!(""), json!("  "), json!({"id": "u1"}), json!(true)] {
        let rows = [base(), vec![user("u2", parent.clone(), "two")]].concat();
        assert_eq!(active(&rows), "u1 a1 u2", "{parent}");
    }
    let mut absent = user("u2", Value::Null, "two");
    absent.as_object_mut().unwrap().remove("parentId");
    assert_eq!(active(&[base(), vec![absent]].concat()), "u1 a1 u2");
}

#[test]
fn rows_without_an_id_follow_the_leaf() {
    let mut lost = says("x", "u1", "no id");
    lost.as_object_mut().unwrap().remove("id");
    let rows = [user("u1", Value::Null, "one"), lost, user("u2", "u1", "branches off")];
    let text = file(&rows);
    assert_eq!(active_ids(&Transcript::from_str(&text)), "u1 u2");
    let mut rows = rows;
    rows[2]["parentId"] = json!("unknown");
    let text = file(&rows);
    assert_eq!(active_ids(&Transcript::from_str(&text)), "u1  u2");
}

#[test]
fn an_answer_injected_without_a_parent_cuts_nothing_off() {
    let injected = with(says("note", Value::Null, "[stopped]"), "message.model", json!("gateway-injected"));
    let rows = [
        user("u1", Value::Null, "one"),
        says("a1", "u1", "first"),
        injected,
        user("u2", "note", "two"),
        says("a2", "u2", "second"),
    ];
    assert_eq!(active(&rows), "u1 a1 note u2 a2");
    // A person's message without a parent is a new beginning.
    let rows = [rows[0].clone(), rows[1].clone(), user("u3", Value::Null, "anew"), says("a3", "u3", "third")];
    assert_eq!(active(&rows), "u3 a3");
}

#[test]
fn rows_that_name_no_parent_are_a_list() {
    let rows = [
        user("m1", Value::Null, "one"),
        says("m1", Value::Null, "first"),
        user("m1", Value::Null, "two"),
        says("m1", Value::Null, "second"),
    ];
    let text = file(&rows);
    let transcript = Transcript::from_str(&text);
    assert_eq!(active_ids(&transcript), "m1 m1 m1 m1");
    assert_eq!(problems(transcript.report()), "duplicate_id@3 duplicate_id@4 duplicate_id@5");
    assert_eq!(transcript.conversation().turns.len(), 2);
    // What is repeated letter by letter counts once.
    let twice = [&rows[..2], &rows[..2]].concat();
    let text = file(&twice);
    let transcript = Transcript::from_str(&text);
    assert_eq!(transcript.conversation().turns.len(), 1);
    assert_eq!(transcript.tree().duplicates(), [3, 4]);
}

#[test]
fn of_rows_with_one_id_the_last_counts_in_the_place_of_the_first() {
    let rows = [
        user("u1", Value::Null, "one"),
        says("a1", "u1", "hel"),
        user("u2", "a1", "two"),
        says("a1", "u1", "hello"),
        says("a2", "u2", "bye"),
    ];
    let text = file(&rows);
    let transcript = Transcript::from_str(&text);
    assert_eq!(active_ids(&transcript), "u1 a1 u2 a2");
    assert_eq!(transcript.tree().duplicates(), [2]);
    assert_eq!(outline_of(&rows), "turn u1 stop \"hello\"\n  a1:\nturn u2 stop \"bye\"\n  a2:");
    // A file appended to itself is the file.
    let double = format!("{text}{}", text.split_once('\n').unwrap().1);
    assert_eq!(active_ids(&Transcript::from_str(&double)), "u1 a1 u2 a2");
}

#[test]
fn rows_of_different_kinds_may_share_an_id() {
    let rows = [
        user("x", Value::Null, "one"),
        says("x", "x", "first"),
        json!({"type": "label", "id": "x", "parentId": "x", "targetId": "x", "label": "l"}),
        user("u2", "x", "two"),
    ];
    let text = file(&rows);
    let transcript = Transcript::from_str(&text);
    assert_eq!(active_ids(&transcript), "x x x u2");
    assert_eq!(transcript.tree().path(), [1, 2, 3, 4]);
    assert!(transcript.tree().duplicates().is_empty());
    assert_eq!(problems(transcript.report()), "duplicate_id@3 duplicate_id@4");
}

#[test]
fn a_repeated_leaf_row_moves_the_leaf_each_time() {
    let rows = [
        user("u1", Value::Null, "one"),
        says("a1", "u1", "first"),
        leaf("l", "a1", json!("u1")),
        says("a2", "l", "second"),
        leaf("l", "a2", json!("u1")),
        says("a3", "l", "third"),
    ];
    assert_eq!(active(&rows), "u1 a3");
}

#[test]
fn a_row_that_is_its_own_parent_is_no_cycle() {
    let rows = [user("u1", "u1", "one"), says("a1", "a2", "first"), says("a2", "a1", "second")];
    assert_eq!(active(&rows), "u1 a1 a2");
}

#[test]
fn unknown_types_keep_their_place_in_the_chain() {
    let unknown = |id: &str, parent: &str| json!({"type": "hologram", "id": id, "parentId": parent});
    let rows = [
        user("u1", Value::Null, "one"),
        unknown("h1", "u1"),
        unknown("h2", "h1"),
        says("a1", "h2", "first"),
        unknown("h3", "a1"),
    ];
    assert_eq!(active(&rows), "u1 h1 h2 a1");
    // One that hangs on an older row is no way back: what follows it continues at the leaf.
    let rows = [
        user("u1", Value::Null, "one"),
        says("a1", "u1", "first"),
        unknown("h", "u1"),
        user("u2", "h", "two"),
    ];
    assert_eq!(active(&rows), "u1 a1 u2");
}

#[test]
fn parents_are_positions() {
    let rows = chain(vec![user("u1", Value::Null, "one"), says("a1", "", "first"), user("u2", "", "two")]);
    let text = file(&[&rows[..], &[leaf("l1", "u2", json!("u1"))]].concat());
    let transcript = Transcript::from_str(&text);
    let tree = transcript.tree();
    assert_eq!(
        (0..6).map(|at| tree.parent(at)).collect::<Vec<_>>(),
        [None, None, Some(1), Some(2), Some(1), None]
    );
    assert_eq!((tree.leaf(), tree.path()), (Some(1), &[1][..]));
}

#[test]
fn windows_lie_between_compactions_and_resets() {
    let compaction = |id: &str, parent: &str, kept: Value| json!({"type": "compaction", "id": id, "parentId": parent, "summary": "s", "firstKeptEntryId": kept});
    let rows = [
        user("u1", Value::Null, "one"),
        says("a1", "u1", "first"),
        user("u2", "a1", "two"),
        compaction("k1", "u2", json!("a1")),
        says("a2", "k1", "second"),
        compaction("k2", "a2", json!("lost")),
        user("u3", "k2", "three"),
        reset("r1", "u3"),
    ];
    let text = file(&rows);
    let transcript = Transcript::from_str(&text);
    let windows: Vec<_> = transcript.windows().into_iter().map(|window| (window.kept, window.rows)).collect();
    assert_eq!(windows, [(0..0, 0..3), (1..3, 4..5), (5..5, 6..7), (7..7, 8..8)]);
    assert_eq!(transcript.context().count(), 0);
    // A later row, the compaction itself and a row of an abandoned branch are not kept.
    for kept in ["k1", "a2", "nowhere"] {
        let mut rows = rows[..5].to_vec();
        rows[3]["firstKeptEntryId"] = json!(kept);
        let text = file(&rows);
        assert_eq!(Transcript::from_str(&text).context().count(), 1, "{kept}");
    }
    // Format 1 counts rows of the file, the header is the first.
    let mut rows = rows[..5].to_vec();
    rows[3] = json!({"type": "compaction", "id": "k1", "parentId": "u2", "firstKeptEntryIndex": 2});
    let text = file(&rows);
    assert_eq!(Transcript::from_str(&text).windows()[1].kept, 1..3);
    assert_eq!(Transcript::from_str("").windows().len(), 1);
}

#[test]
fn two_headers_are_one_session() {
    let second = with(header(), "cwd", json!("/elsewhere"));
    let text = format!(
        "{}\n{}\n{second}\n{}\n",
        header(),
        user("u1", Value::Null, "one"),
        says("a1", "u1", "first")
    );
    let transcript = Transcript::from_str(&text);
    assert_eq!(transcript.cwd().as_deref(), Some("/srv"));
    assert_eq!(active_ids(&transcript), "u1 a1");
    assert_eq!(problems(transcript.report()), "extra_header@3");
}

/// Twenty thousand leaf rows that lead to one another, and as many rows that hang on the last: each takes one step.
#[test]
fn chains_of_leaf_rows_take_linear_time() {
    let mut decoder = LineDecoder::new(Limits::default());
    let mut entries = Vec::new();
    let mut feed = |row: Value| {
        decoder.push(format!("{row}\n").as_bytes());
        entries.extend(decoder.next_entry());
    };
    feed(user("u", Value::Null, "one"));
    feed(row("k", "u", json!({"role": "user", "content": "two"})));
    let mut last = "u".to_owned();
    for index in 0..20_000 {
        let id = format!("l{index}");
        feed(leaf(&id, &last, json!(last)));
        last = id;
    }
    for index in 0..20_000 {
        feed(with(says(&format!("a{index}"), last.as_str(), "x"), "appendMode", json!("side")));
    }
    let transcript = Transcript::from_entries(entries, decoder.into_report());
    assert_eq!(active_ids(&transcript), "u");
}

/// A hundred thousand `leaf` rows of one id that lead nowhere, and as many rows with that id or parent before and after.
#[test]
fn leaf_rows_of_one_id_take_linear_time() {
    const ROWS: usize = 100_000;
    let lost = |index: usize| format!("{}\n", leaf("l", "u", json!(format!("nowhere-{index}"))));
    let below = |index: usize| format!("{}\n", says(&format!("a{index}"), "l", "x"));
    let same = format!("{}\n", says("l", "u", "x"));
    let mut text = format!("{}\n{}\n", header(), user("u", Value::Null, "one"));
    text.extend((0..ROWS).map(below));
    text.extend((0..ROWS).map(lost));
    text.extend((0..ROWS).map(|_| same.as_str()));
    text.extend((ROWS..2 * ROWS).map(below));
    let transcript = Transcript::from_str(&text);
    assert_eq!(transcript.entries().len(), 2 + 4 * ROWS);
    let last = transcript.entries().len() - 1;
    assert_eq!(transcript.tree().leaf(), Some(last));
    // What hangs on the id after all of them hangs on the row of the conversation, which was walked last.
    assert_eq!(transcript.tree().parent(last), Some(2 + 3 * ROWS - 1));
}

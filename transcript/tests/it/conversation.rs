//! Turns and steps: where they begin, how they end, what the answer is.

use clawgauge_transcript::Transcript;
use serde_json::{Value, json};

use crate::support::{
    answers, calls, chain, expect, file, in_run, outline_chain as outline, outline_of, says, user, with,
};

const NONE: Value = Value::Null;

fn u(id: &str) -> Value {
    user(id, NONE, "do it")
}

#[test]
fn a_user_row_written_again_for_a_retry_is_one_turn() {
    let keyed = |id: &str| with(u(id), "message.idempotencyKey", json!("run-1:user"));
    let empty = |id: &str| with(says(id, NONE, ""), "message.content", json!([]));
    let rows = vec![keyed("u1"), empty("a1"), keyed("u1b"), says("a2", NONE, "at last"), u("u2"), u("u3")];
    assert_eq!(
        outline(rows),
        expect(
            r#"
            turn u1 stop "at last"
              a1:
              a2:
            turn u2 no_reply -
            turn u3 no_reply -
            "#
        )
    );
}

#[test]
fn a_turn_that_ended_badly_has_no_final_output() {
    let stopped = |reason: &str| with(says("a2", NONE, "half a sen"), "message.stopReason", json!(reason));
    for (reason, end) in [("error", "error"), ("aborted", "aborted")] {
        let rows = vec![u("u1"), says("a1", NONE, "NO_REPLY"), stopped(reason)];
        assert_eq!(outline(rows), format!("turn u1 {end} -\n  a1:\n  a2:"));
    }
    let note = |kind: &str, more: Value| {
        let mut row = json!({"type": "custom_message", "id": "n1", "parentId": null, "customType": kind, "content": ""});
        for (key, value) in more.as_object().unwrap() {
            row[key] = value.clone();
        }
        row
    };
    let rows = vec![u("u1"), says("a1", NONE, "so far"), note("openclaw:turn-aborted", json!({}))];
    assert_eq!(outline(rows), "turn u1 aborted -\n  a1:\n  note n1");
    let rows = vec![u("u1"), note("run-failed-before-reply", json!({"details": {"error": "no model"}}))];
    let text = file(&chain(rows.clone()));
    assert_eq!(outline(rows), "turn u1 error -\n  note n1");
    assert_eq!(
        Transcript::from_str(&text).conversation().turns[0].error_message().as_deref(),
        Some("no model")
    );
    // What the model said after the note counts again.
    let rows = vec![
        u("u1"),
        note("openclaw:prompt-error", json!({"data": {"error": "500"}})),
        says("a1", NONE, "done"),
    ];
    assert_eq!(outline(rows), "turn u1 stop \"done\"\n  a1:\n  note n1");
}

#[test]
fn the_final_output_is_the_last_text_of_the_model() {
    let commentary = json!("{\"v\":1,\"id\":\"c\",\"phase\":\"commentary\"}");
    let beside = with(
        calls("a1", NONE, &[]),
        "message.content",
        json!([{"type": "text", "text": "looking", "textSignature": commentary},
               {"type": "toolCall", "id": "c1", "name": "read", "arguments": {}}]),
    );
    let empty = with(says("a2", NONE, ""), "message.content", json!([{"type": "text", "text": ""}]));
    let rows = chain(vec![u("u1"), beside, answers("r1", NONE, "c1", "x"), empty]);
    let text = file(&rows);
    let transcript = Transcript::from_str(&text);
    let conversation = transcript.conversation();
    assert_eq!(conversation.turns[0].final_output(), None);
    assert_eq!(conversation.turns[0].steps[0].commentary(), "looking");
    // What the gateway says is not the model's.
    let injected = with(says("g1", NONE, "[note]"), "message.model", json!("gateway-injected"));
    let mirror = with(says("g2", NONE, "the answer"), "message.provider", json!("openclaw"));
    let rows = vec![u("u1"), says("a1", NONE, "the answer"), injected, mirror];
    assert_eq!(outline(rows), "turn u1 stop \"the answer\"\n  a1:\n  injected g1\n  injected g2");
}

#[test]
fn runs_without_a_user_row_are_turns_of_their_own() {
    let rows = vec![
        u("u1"),
        in_run(says("a1", NONE, "started a subagent"), "run-1"),
        in_run(says("a2", NONE, "the subagent is done"), "announce:v1:agent:main:subagent:x:run-2"),
        in_run(calls("a3", NONE, &[("c", "exec")]), "announce:v1:agent:main:subagent:x:run-2"),
        in_run(says("a4", NONE, "other"), "run-3"),
    ];
    assert_eq!(
        outline(rows),
        expect(
            r#"
            turn u1 stop "started a subagent"
              a1:
            turn - unfinished "the subagent is done"
              a2:
              a3: exec#c=no_result
            turn - stop "other"
              a4:
            "#
        )
    );
    // Nobody answered the person; the report on a subagent does not either.
    let rows = vec![
        u("u1"),
        in_run(says("a1", NONE, "the subagent is done"), "announce:v1:agent:main:subagent:x:run-2"),
    ];
    assert_eq!(outline(rows), "turn u1 no_reply -\nturn - stop \"the subagent is done\"\n  a1:");
    // Where runs are not stored: what follows a complete answer is another run; what follows an empty one is a retry.
    let rows =
        vec![u("u1"), says("a1", NONE, "NO_REPLY"), says("a2", NONE, "now"), says("a3", NONE, "report")];
    assert_eq!(outline(rows), "turn u1 stop \"now\"\n  a1:\n  a2:\nturn - stop \"report\"\n  a3:");
}

#[test]
fn injected_rows_alone_are_no_turn() {
    let injected = |id: &str| with(says(id, NONE, "[note]"), "message.model", json!("gateway-injected"));
    assert_eq!(outline(vec![injected("g1")]), "");
    assert_eq!(
        outline(vec![injected("g1"), u("u1"), injected("g2")]),
        "turn u1 no_reply -\n  injected g1\n  injected g2"
    );
    assert_eq!(
        outline(vec![injected("g1"), says("a1", NONE, "hi")]),
        "turn - stop \"hi\"\n  a1:\n  injected g1"
    );
    assert_eq!(outline(vec![]), "");
}

#[test]
fn a_copy_of_the_answer_is_not_another_one() {
    let copy = |text: &str| with(says("a2", NONE, text), "message.api", json!("cli"));
    assert_eq!(
        outline(vec![u("u1"), says("a1", NONE, "x"), copy("x")]),
        "turn u1 stop \"x\"\n  a1:\n  injected a2"
    );
    assert_eq!(
        outline(vec![u("u1"), says("a1", NONE, "x"), copy("y")]),
        "turn u1 stop \"x\"\n  a1:\nturn - stop \"y\"\n  a2:"
    );
    assert_eq!(outline(vec![u("u1"), copy("x")]), "turn u1 stop \"x\"\n  a2:");
}

#[test]
fn abandoned_branches_are_no_part_of_it() {
    let rows = [
        user("u1", NONE, "one"),
        calls("a1", "u1", &[("c", "exec")]),
        answers("r1", "a1", "c", "abandoned"),
        json!({"type": "leaf", "id": "l1", "parentId": "r1", "targetId": "u1"}),
        calls("a2", "l1", &[("c", "exec")]),
        answers("r2", "a2", "c", "kept"),
    ];
    assert_eq!(outline_of(&rows), "turn u1 unfinished -\n  a2: exec#c=ok@r2");
}

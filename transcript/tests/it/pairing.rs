//! Which result answers which call, and what became of it.

use clawgauge_transcript::{CallRef, Outcome, Transcript};
use serde_json::{Value, json};

use crate::support::{
    answers, calls, chain, expect, file, in_run, outline_chain as outline, outline_of, says, user, with,
};

const NONE: Value = Value::Null;

fn u(id: &str) -> Value {
    user(id, NONE, "do it")
}

fn details(row: Value, details: Value) -> Value {
    with(row, "message.details", details)
}

fn nested(id: &str, parent_call: &str, tool: &str, details: &Value) -> Value {
    let mut all = json!({"parentToolCallId": parent_call, "toolCallId": format!("tool_search_code:{parent_call}:{tool}:1"),
        "toolName": tool, "input": {"q": 1}, "isError": false, "startedAt": 1_777_885_201_000_i64, "timestamp": 1_777_885_201_250_i64,
        "result": {"content": [{"type": "text", "text": "inner"}], "details": {}}});
    for (key, value) in details.as_object().unwrap() {
        all[key] = value.clone();
    }
    json!({"type": "message", "id": id, "parentId": null, "message": {"role": "custom",
        "customType": "openclaw.nested-tool.v1", "content": "", "details": all}})
}

fn wrapper(id: &str, call: &str, target: &str) -> Value {
    with(
        calls(id, NONE, &[(call, "tool_call")]),
        "message.content",
        json!([{"type": "toolCall", "id": call, "name": "tool_call", "arguments": {"id": target, "args": {"q": 1}}}]),
    )
}

#[test]
fn call_ids_come_again_in_later_steps() {
    let rows = vec![
        u("u1"),
        calls("a1", NONE, &[("c", "exec")]),
        answers("r1", NONE, "c", "1"),
        calls("a2", NONE, &[("c", "read")]),
        answers("r2", NONE, "c", "2"),
        says("a3", NONE, "done"),
        u("u2"),
        calls("a4", NONE, &[("c", "exec")]),
        says("a5", NONE, "gave up"),
    ];
    assert_eq!(
        outline(rows),
        expect(
            r#"
            turn u1 stop "done"
              a1: exec#c=ok@r1
              a2: read#c=ok@r2
              a3:
            turn u2 stop "gave up"
              a4: exec#c=no_result
              a5:
            "#
        )
    );
}

#[test]
fn results_come_late() {
    let rows = vec![
        u("u1"),
        calls("a1", NONE, &[("c1", "exec")]),
        calls("a2", NONE, &[("c2", "read")]),
        answers("r2", NONE, "c2", "2"),
        answers("r1", NONE, "c1", "1"),
        calls("a3", NONE, &[("c3", "exec")]),
        user("u2", NONE, "hurry"),
        answers("r3", NONE, "c3", "3"),
        says("a4", NONE, "done"),
    ];
    assert_eq!(
        outline(rows),
        expect(
            r#"
            turn u1 unfinished -
              a1: exec#c1=ok@r1
              a2: read#c2=ok@r2
              a3: exec#c3=ok@r3
            turn u2 stop "done"
              a4:
            "#
        )
    );
}

#[test]
fn a_late_result_answers_the_open_call_not_the_answered_one() {
    let rows = vec![
        u("u1"),
        calls("a1", NONE, &[("c", "exec")]),
        calls("a2", NONE, &[("c", "exec")]),
        answers("r2", NONE, "c", "newest first"),
        answers("r1", NONE, "c", "then the older one"),
        answers("r0", NONE, "c", "one too many"),
    ];
    assert_eq!(outline(rows), "turn u1 unfinished -\n  a1: exec#c=ok@r1\n  a2: exec#c=ok@r2\n  orphan r0");
}

#[test]
fn results_stay_inside_their_run() {
    let rows = vec![
        in_run(u("u1"), "run-1"),
        in_run(calls("a1", NONE, &[("c", "exec")]), "run-1"),
        in_run(u("u2"), "run-2"),
        in_run(calls("a2", NONE, &[("c", "read")]), "run-2"),
        in_run(answers("r1", NONE, "c", "1"), "run-1"),
        in_run(answers("r2", NONE, "c", "2"), "run-2"),
        in_run(answers("r3", NONE, "c", "3"), "run-3"),
    ];
    assert_eq!(
        outline(rows),
        expect(
            "
            turn u1 unfinished -
              a1: exec#c=ok@r1
            turn u2 unfinished -
              a2: read#c=ok@r2
              orphan r3
            "
        )
    );
}

#[test]
fn a_result_before_its_call_is_an_orphan() {
    let rows = vec![
        answers("r0", NONE, "c", "0"),
        u("u1"),
        answers("r1", NONE, "c", "1"),
        calls("a1", NONE, &[("c", "exec")]),
    ];
    assert_eq!(
        outline(rows),
        "turn - no_reply -\n  orphan r0\nturn u1 unfinished -\n  a1: exec#c=no_result\n  orphan r1"
    );
}

#[test]
fn results_without_an_id_go_by_position_and_name() {
    let no_id = |id: &str, tool: Option<&str>| {
        let mut row = answers(id, NONE, "", "x");
        row["message"].as_object_mut().unwrap().remove("toolCallId");
        if let Some(tool) = tool {
            row["message"]["toolName"] = json!(tool);
        }
        row
    };
    let rows = vec![
        u("u1"),
        calls("a1", NONE, &[("c1", "exec"), ("c2", "read"), ("c3", "exec")]),
        no_id("r1", Some("read")),
        no_id("r2", None),
        answers("r3", NONE, "c3", "x"),
        no_id("r4", None),
        says("a2", NONE, "done"),
        no_id("r5", None),
    ];
    assert_eq!(
        outline(rows),
        expect(
            r#"
            turn u1 stop "done"
              a1: exec#c1=ok@r2 read#c2=ok@r1 exec#c3=ok@r3
              a2:
              orphan r4
              orphan r5
            "#
        )
    );
    // Calls without ids too.
    let rows = vec![
        u("u1"),
        with(
            calls("a1", NONE, &[]),
            "message.content",
            json!([{"type": "toolCall", "name": "exec", "arguments": {}}]),
        ),
        no_id("r1", None),
    ];
    assert_eq!(outline(rows), "turn u1 unfinished -\n  a1: exec#-=ok@r1");
}

#[test]
fn parallel_calls_with_one_id_are_answered_in_order() {
    let rows = vec![
        u("u1"),
        calls("a1", NONE, &[("c", "exec"), ("c", "read"), ("c", "write")]),
        answers("r1", NONE, "c", "1"),
        answers("r2", NONE, "c", "2"),
    ];
    assert_eq!(outline(rows), "turn u1 unfinished -\n  a1: exec#c=ok@r1 read#c=ok@r2 write#c=no_result");
}

#[test]
fn a_call_is_answered_once() {
    let rows = vec![
        u("u1"),
        calls("a1", NONE, &[("c", "exec")]),
        answers("r1", NONE, "c", "1"),
        answers("r2", NONE, "c", "again"),
    ];
    assert_eq!(outline(rows), "turn u1 unfinished -\n  a1: exec#c=ok@r1\n  orphan r2");
}

#[test]
fn outcomes() {
    let outcome = |flag: Value, details_: Option<Value>| {
        let mut row = with(answers("r1", NONE, "c", "text"), "message.isError", flag);
        if let Some(value) = details_ {
            row = details(row, value);
        }
        let text = file(&chain(vec![u("u1"), calls("a1", NONE, &[("c", "exec")]), row]));
        Transcript::from_str(&text).conversation().calls().next().unwrap().outcome
    };
    let done = |code: Value| Some(json!({"status": "completed", "exitCode": code}));
    assert_eq!(outcome(json!(false), done(json!(0))), Outcome::Ok);
    assert_eq!(outcome(json!(false), done(json!(3.0))), Outcome::NonZeroExit(3));
    assert_eq!(outcome(json!(true), done(json!(-1))), Outcome::NonZeroExit(-1));
    assert_eq!(outcome(json!(false), done(NONE)), Outcome::Ok);
    assert_eq!(outcome(json!(true), Some(json!({"status": "completed", "exitCode": 0}))), Outcome::Failed);
    assert_eq!(outcome(json!(false), Some(json!({"status": "FAILED"}))), Outcome::Failed);
    assert_eq!(outcome(json!(false), Some(json!({"status": "timeout"}))), Outcome::Failed);
    assert_eq!(outcome(json!(false), Some(json!({"status": "approval-denied"}))), Outcome::Blocked);
    assert_eq!(outcome(json!(true), Some(json!({"deniedReason": "tool-loop"}))), Outcome::Blocked);
    assert_eq!(outcome(json!(false), Some(json!({"deniedReason": null}))), Outcome::Ok);
    assert_eq!(outcome(json!(false), Some(json!([{"id": "x"}]))), Outcome::Ok);
    assert_eq!(outcome(json!(false), Some(NONE)), Outcome::Ok);
    assert_eq!(outcome(json!(true), None), Outcome::Failed);
    assert_eq!(outcome(json!("false"), None), Outcome::Unknown);
    assert_eq!(outcome(NONE, Some(json!({"status": "ok"}))), Outcome::Ok);
    // Words of failure in the text prove nothing.
    let row = with(answers("r1", NONE, "c", "x"), "message.content", json!("error: failed, exit code 1"));
    let text = file(&chain(vec![u("u1"), calls("a1", NONE, &[("c", "read")]), row]));
    let transcript = Transcript::from_str(&text);
    let conversation = transcript.conversation();
    let call = conversation.calls().next().unwrap();
    assert_eq!((call.outcome, call.output().as_ref()), (Outcome::Ok, "error: failed, exit code 1"));
}

#[test]
fn inner_calls_take_the_place_of_their_wrapper() {
    let rows = vec![
        u("u1"),
        wrapper("a1", "w1", "openclaw:core:web_fetch"),
        nested("n1", "w1", "web_fetch", &json!({})),
        answers("r1", NONE, "w1", "outer"),
        says("a2", NONE, "done"),
    ];
    let text = file(&chain(rows.clone()));
    assert_eq!(
        outline(rows),
        expect(
            r#"
            turn u1 stop "done"
              a1: web_fetch#tool_search_code:w1:web_fetch:1<tool_call=ok@n1
              a2:
            "#
        )
    );
    let transcript = Transcript::from_str(&text);
    let conversation = transcript.conversation();
    let call = conversation.calls().next().unwrap();
    assert_eq!((call.output().as_ref(), call.duration_ms()), ("inner", Some(250)));
    assert_eq!(call.via_result.as_ref().unwrap().text(), "outer");
    assert_eq!(call.entry.raw().get(call.range.clone()).map(|json| json.contains("startedAt")), Some(true));
}

#[test]
fn a_wrapper_may_hold_several_inner_calls_or_another_name() {
    let rows = vec![
        u("u1"),
        calls("a1", NONE, &[("w1", "tool_search_code"), ("c", "exec")]),
        nested("n1", "w1", "web_fetch", &json!({})),
        nested("n2", "w1", "read", &json!({"isError": true})),
        answers("r1", NONE, "w1", "outer"),
        answers("r2", NONE, "c", "x"),
    ];
    assert_eq!(
        outline(rows),
        "turn u1 unfinished -\n  a1: web_fetch#tool_search_code:w1:web_fetch:1<tool_search_code=ok@n1 \
         read#tool_search_code:w1:read:1<tool_search_code=failed@n2 exec#c=ok@r2"
    );
}

#[test]
fn an_inner_call_is_not_counted_twice_when_it_is_stored_late_or_alone() {
    let late = vec![
        u("u1"),
        wrapper("a1", "w1", "web_fetch"),
        answers("r1", NONE, "w1", "outer"),
        nested("n1", "w1", "web_fetch", &json!({})),
    ];
    assert_eq!(
        outline(late),
        "turn u1 unfinished -\n  a1: web_fetch#tool_search_code:w1:web_fetch:1<tool_call=ok@n1"
    );
    let alone = vec![u("u1"), says("a1", NONE, "so"), nested("n1", "lost", "read", &json!({}))];
    assert_eq!(
        outline(alone),
        "turn u1 stop \"so\"\n  a1: read#tool_search_code:lost:read:1<tool_call=ok@n1"
    );
    let nobody = vec![u("u1"), nested("n1", "lost", "read", &json!({}))];
    assert_eq!(outline(nobody), "turn u1 no_reply -\n  orphan n1");
}

#[test]
fn a_wrapper_that_was_refused_is_the_call_that_it_asked_for() {
    let rows = vec![
        u("u1"),
        wrapper("a1", "w1", "openclaw:core:sessions_spawn"),
        with(answers("r1", NONE, "w1", "Validation failed"), "message.isError", json!(true)),
        wrapper("a2", "w1", "exec"),
        details(answers("r2", NONE, "w1", "no"), json!({"status": "blocked", "deniedReason": "policy"})),
        calls("a3", NONE, &[("w1", "tool_call")]),
    ];
    assert_eq!(
        outline(rows),
        expect(
            "
            turn u1 unfinished -
              a1: sessions_spawn#w1<tool_call=failed@r1
              a2: exec#w1<tool_call=blocked@r2
              a3: tool_call#w1=no_result
            "
        )
    );
}

#[test]
fn equal_wrapper_ids_in_parallel_go_by_position() {
    let both = with(
        calls("a1", NONE, &[]),
        "message.content",
        json!([{"type": "toolCall", "id": "w", "name": "tool_call", "arguments": {"id": "read"}},
               {"type": "toolCall", "id": "w", "name": "tool_call", "arguments": {"id": "write"}}]),
    );
    let rows = vec![
        u("u1"),
        both,
        nested("n1", "w", "read", &json!({})),
        answers("r1", NONE, "w", "1"),
        nested("n2", "w", "write", &json!({})),
        answers("r2", NONE, "w", "2"),
    ];
    assert_eq!(
        outline(rows),
        "turn u1 unfinished -\n  a1: read#tool_search_code:w:read:1<tool_call=ok@n1 \
         write#tool_search_code:w:write:1<tool_call=ok@n2"
    );
}

/// A command in the background and what a `process` call about it answers.
fn background(action: &str, answer: Value) -> (Outcome, Option<i64>, Outcome, String) {
    let poll = with(
        calls("a2", NONE, &[]),
        "message.content",
        json!([{"type": "toolCall", "id": "c2", "name": "process",
                "arguments": {"action": action, "sessionId": "calm-fern"}}]),
    );
    let rows = chain(vec![
        u("u1"),
        calls("a1", NONE, &[("c1", "exec")]),
        details(answers("r1", NONE, "c1", "started"), json!({"status": "running", "sessionId": "calm-fern"})),
        poll,
        details(answers("r2", NONE, "c2", "seen"), answer),
    ]);
    let text = file(&rows);
    let transcript = Transcript::from_str(&text);
    let conversation = transcript.conversation();
    let calls: Vec<_> = conversation.calls().collect();
    assert_eq!(calls[0].polls, [CallRef { turn: 0, step: 1, call: 0 }]);
    assert_eq!(calls[1].polls_of, Some(CallRef { turn: 0, step: 0, call: 0 }));
    (calls[0].outcome, calls[0].exit_code(), calls[1].outcome, calls[0].output().into_owned())
}

#[test]
fn only_what_names_the_session_tells_how_its_command_ended() {
    let seen = "started\nseen".to_owned();
    let named =
        |status: &str, code: Value| json!({"status": status, "sessionId": "calm-fern", "exitCode": code});
    assert_eq!(
        background("poll", named("completed", json!(0))),
        (Outcome::Ok, Some(0), Outcome::Ok, seen.clone())
    );
    assert_eq!(
        background("poll", named("completed", json!(2))),
        (Outcome::NonZeroExit(2), Some(2), Outcome::Ok, seen.clone())
    );
    assert_eq!(
        background("poll", named("failed", json!(2))),
        (Outcome::Failed, Some(2), Outcome::Ok, seen.clone())
    );
    assert_eq!(
        background("poll", named("running", NONE)),
        (Outcome::Running, None, Outcome::Ok, seen.clone())
    );
    assert_eq!(background("log", named("completed", json!(0))), (Outcome::Ok, Some(0), Outcome::Ok, seen));
    let started = "started".to_owned();
    // The session is not there any more: that is the poll's failure, and of the command nothing is known.
    assert_eq!(
        background("poll", json!({"status": "failed", "error": "No session found"})),
        (Outcome::Running, None, Outcome::Failed, started.clone())
    );
    assert_eq!(
        background("write", named("running", NONE)),
        (Outcome::Running, None, Outcome::Ok, started.clone())
    );
    assert_eq!(
        background("kill", json!({"status": "completed", "name": "make"})),
        (Outcome::Failed, None, Outcome::Ok, started.clone())
    );
    assert_eq!(
        background("kill", json!({"status": "failed", "error": "not there"})),
        (Outcome::Running, None, Outcome::Failed, started)
    );
}

#[test]
fn polls_go_on_in_later_turns_and_sessions_are_told_apart() {
    let poll = |id: &str, call: &str, session: &str| {
        with(
            calls(id, NONE, &[]),
            "message.content",
            json!([{"type": "toolCall", "id": call, "name": "process",
                    "arguments": {"action": "poll", "sessionId": session}}]),
        )
    };
    let state = |status: &str, session: &str| json!({"status": status, "sessionId": session});
    let list = json!({"status": "completed", "sessions": [
        {"sessionId": "b", "status": "failed", "exitCode": 9}, {"sessionId": "c", "status": "running"}]});
    let rows = chain(vec![
        u("u1"),
        calls("a1", NONE, &[("c1", "exec"), ("c2", "exec"), ("c3", "exec")]),
        details(answers("r1", NONE, "c1", ""), state("running", "a")),
        details(answers("r2", NONE, "c2", ""), state("running", "b")),
        details(answers("r3", NONE, "c3", ""), state("running", "c")),
        says("a2", NONE, "wait"),
        u("u2"),
        poll("a3", "c1", "a"),
        details(answers("r4", NONE, "c1", "x"), state("completed", "a")),
        calls("a4", NONE, &[("c4", "process")]),
        details(answers("r5", NONE, "c4", "list"), list),
        poll("a5", "c5", "unknown"),
        details(answers("r6", NONE, "c5", "no"), json!({"status": "failed"})),
    ]);
    assert_eq!(
        outline_of(&rows),
        expect(
            r#"
            turn u1 stop "wait"
              a1: exec#c1=ok@r1 exec#c2=failed@r2 exec#c3=running@r3
              a2:
            turn u2 unfinished -
              a3: process#c1=ok@r4
              a4: process#c4=ok@r5
              a5: process#c5=failed@r6
            "#
        )
    );
}

#[test]
fn very_many_calls_with_one_id_take_linear_time() {
    let mut content = Vec::new();
    let mut rows = vec![u("u1")];
    for index in 0..20_000 {
        content.push(json!({"type": "toolCall", "id": "c", "name": "exec", "arguments": {}}));
        rows.push(nested(&format!("n{index}"), "c", "read", &json!({})));
        rows.push(answers(&format!("r{index}"), NONE, "c", ""));
    }
    rows.insert(1, with(calls("a1", NONE, &[]), "message.content", Value::Array(content)));
    let text = file(&chain(rows));
    let transcript = Transcript::from_str(&text);
    let conversation = transcript.conversation();
    assert_eq!((conversation.calls().count(), conversation.orphan_results()), (20_000, 0));
}

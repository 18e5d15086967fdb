//! The default profile on sessions: field cases, recorded sessions, hook payloads, and small ones made here.

use clawgauge_scoring::{Dimension, Evidence, Judged, Score, Scorecard, Scorer, SkipReason};
use clawgauge_transcript::{AgentEnd, RawJson, SessionKey, Transcript};
use serde_json::{Value, json};

use crate::sentences::score_messages;

fn read(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn score_file(name: &str) -> Judged<Scorecard> {
    Scorer::standard().score(&Transcript::from_slice(&read(name)), None)
}

/// The four numbers in order; `None` where nothing applies.
fn four(card: &Scorecard) -> [Option<f64>; 4] {
    Dimension::ALL.map(|dimension| card.score(dimension).number().map(|n| (n * 1000.0).round() / 1000.0))
}

fn rules(card: &Scorecard, dimension: Dimension) -> Vec<&str> {
    card.dimensions.get(dimension).evidence.iter().map(|found| &*found.rule).collect()
}

fn entries(evidence: &[Evidence]) -> Vec<String> {
    evidence.iter().map(|found| format!("{:?}", found.place)).collect()
}

/// The four numbers, or why there are none.
type Expected = Result<[Option<f64>; 4], SkipReason>;

const NONE: Option<f64> = None;
const ONE: Option<f64> = Some(1.0);

/// Scores the files of a folder and reports all that differ.
fn check(folder: &str, expected: &[(&str, Expected)]) {
    let mut wrong = Vec::new();
    for (name, expected) in expected {
        let got = match score_file(&format!("{folder}/{name}.jsonl")) {
            Judged::Scored(card) => Ok(four(&card)),
            Judged::Skipped(reason) => Err(reason),
        };
        if got != *expected {
            wrong.push(format!("{name}: {got:?} instead of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn field_cases() {
    let expected: [(&str, Expected); 10] = [
        // One turn of a person; silent replies are no completion; "Ferns watered." claims nothing that is known here.
        ("22-synthetic-user-turns", Ok([NONE, Some(0.8), ONE, NONE])),
        ("23-channel-envelope", Ok([NONE, Some(0.8), ONE, NONE])),
        // The restart was never answered, the write only by a repair: no change. The last message was aborted.
        ("25-missing-and-repaired-results", Ok([NONE, Some(0.2), NONE, ONE])),
        // The polls belong to the command, which is a build: it changed nothing that is known.
        ("26-background-exec", Ok([NONE, Some(0.3), NONE, ONE])),
        ("34-correction-words", Ok([NONE, Some(0.8), Some(0.75), NONE])),
        ("35-correction-in-pasted-text", Ok([NONE, Some(0.8), ONE, NONE])),
        // Four edits, the last without a test run after it.
        ("37-repeat-after-edit", Ok([Some(0.75), ONE, NONE, ONE])),
        // Ends with three calls and no answer.
        ("38-argument-key-order", Ok([NONE, Some(0.2), NONE, Some(0.0)])),
        ("40-ends-in-error", Ok([NONE, Some(0.2), ONE, NONE])),
        ("41-no-agent-activity", Err(SkipReason::NoModelReply)),
    ];
    check("field-cases", &expected);
}

#[test]
fn the_evidence_of_corrections_points_to_the_words() {
    let bytes = read("field-cases/34-correction-words.jsonl");
    let transcript = Transcript::from_slice(&bytes);
    let card = Scorer::standard().score(&transcript, None).scored().unwrap();
    let evidence = &card.dimensions.get(Dimension::Autonomy).evidence;
    assert_eq!(entries(evidence), [r#"Entry("u6")"#, r#"Entry("u7")"#]);
    assert_eq!(rules(&card, Dimension::Autonomy), ["autonomy.en.that-is-not", "autonomy.en.you-missed"]);
    let words: Vec<_> = evidence.iter().map(|found| found.words(&transcript).unwrap()).collect();
    assert_eq!(words, ["That's not", "you missed"]);
}

#[test]
fn recorded_sessions() {
    let expected: [(&str, Expected); 11] = [
        // Three messages, two of them corrections (English, Chinese).
        ("2026.3.31-correction", Ok([NONE, Some(0.8), Some(0.333), NONE])),
        // The run after the edit waited for an approval that never came: the edit is unchecked.
        ("2026.3.31-coding", Ok([Some(0.5), Some(0.8), ONE, ONE])),
        // A runaway: 61 answers to calls of a tool that does not exist, cut off.
        ("2026.3.31-toolerrors", Ok([NONE, Some(0.2), NONE, Some(0.0)])),
        // A patch is never looked at; the last request runs away on a missing tool and ends with a call.
        ("2026.6.11-coding", Ok([Some(0.667), Some(0.2), ONE, Some(0.0)])),
        // "That command was blocked, so nothing was deleted."
        ("2026.6.11-blocked", Ok([NONE, Some(0.3), NONE, ONE])),
        // The same command four times, each waiting for an approval.
        ("2026.3.31-loop3", Ok([NONE, Some(0.8), NONE, Some(0.0)])),
        ("2026.6.11-loop12", Ok([NONE, Some(0.3), NONE, Some(0.0)])),
        ("2026.9.6-background", Ok([NONE, Some(0.8), NONE, ONE])),
        ("2026.9.6-runaway", Ok([NONE, Some(0.2), NONE, Some(0.0)])),
        ("2026.9.6-coding", Ok([Some(0.667), Some(0.8), ONE, ONE])),
        ("2026.9.6-subagent", Err(SkipReason::Subagent)),
    ];
    check("sessions", &expected);
}

#[test]
fn a_hook_payload_scores_as_the_stored_session() {
    let text = String::from_utf8(read("sessions/2026.9.6-agent-end.json")).unwrap();
    let payload = AgentEnd::parse(&text).unwrap();
    let transcript = Transcript::from_messages(payload.messages.unwrap());
    let key = payload.session_key.as_deref().map(SessionKey::parse);
    let from_hook = Scorer::standard().score(&transcript, key.as_ref()).scored().unwrap();
    let stored = score_file("sessions/2026.9.6-coding.jsonl").scored().unwrap();
    assert_eq!(four(&from_hook), four(&stored));
    let rules_of = |card: &Scorecard| Dimension::ALL.map(|d| rules(card, d).join(" "));
    assert_eq!(rules_of(&from_hook), rules_of(&stored));
    // Message indices instead of ids, and they lead to the same words.
    for (_, judged) in from_hook.dimensions.iter() {
        for found in &judged.evidence {
            assert!(matches!(found.place, clawgauge_scoring::Place::Message(_)), "{found:?}");
            assert!(found.entry(&transcript).is_some(), "{found:?}");
        }
    }
}

#[test]
fn rows_and_their_messages_score_alike() {
    for name in [
        "2026.3.31-correction",
        "2026.3.31-coding",
        "2026.6.11-coding",
        "2026.6.11-loop12",
        "2026.9.6-background",
    ] {
        let bytes = read(&format!("sessions/{name}.jsonl"));
        let transcript = Transcript::from_slice(&bytes);
        let stored = Scorer::standard().score(&transcript, None).scored().unwrap();
        let messages: Vec<&str> =
            transcript.active().filter_map(|entry| Some(entry.message()?.json().as_str())).collect();
        let list = format!("[{}]", messages.join(","));
        let from_list = Transcript::from_messages(RawJson::parse(&list).unwrap());
        let listed = Scorer::standard().score(&from_list, None).scored().unwrap();
        assert_eq!(four(&stored), four(&listed), "{name}");
    }
}

#[test]
fn what_is_skipped() {
    let bytes = read("field-cases/34-correction-words.jsonl");
    let transcript = Transcript::from_slice(&bytes);
    for (key, expected) in [
        ("agent:main:main", None),
        ("agent:main:telegram:direct:cron:5", None),
        ("agent:main:cron:nightly", Some(SkipReason::Cron)),
        ("agent:ops:cron:nightly:run:1796038984436", Some(SkipReason::Cron)),
        ("agent:main:subagent:326e35d5-1122-4955-9c9e-d9bc91e51949", Some(SkipReason::Subagent)),
        ("agent:main:cron:nightly:subagent:326e35d5-1122-4955-9c9e-d9bc91e51949", Some(SkipReason::Subagent)),
    ] {
        let outcome = Scorer::standard().score(&transcript, Some(&SessionKey::parse(key)));
        let got = match outcome {
            Judged::Scored(_) => None,
            Judged::Skipped(reason) => Some(reason),
        };
        assert_eq!(got, expected, "{key}");
    }
    let skipped = |messages: Value| match score_messages(&messages) {
        Judged::Scored(_) => None,
        Judged::Skipped(reason) => Some(reason),
    };
    assert_eq!(skipped(json!([])), Some(SkipReason::NoModelReply));
    assert_eq!(skipped(json!([user("hi"), text("hello")])), Some(SkipReason::TooFewMessages));
    assert_eq!(skipped(json!([user("hi"), text("hello"), user("bye")])), None);
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn text(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}], "model": "m", "stopReason": "stop"})
}

/// A call and its result, each in a message of its own.
fn call(tool: &str, arguments: &Value, result: &str, is_error: bool) -> [Value; 2] {
    [
        json!({"role": "assistant", "model": "m", "stopReason": "toolUse",
            "content": [{"type": "toolCall", "id": "c", "name": tool, "arguments": arguments}]}),
        json!({"role": "toolResult", "toolCallId": "c", "toolName": tool, "isError": is_error,
            "content": [{"type": "text", "text": result}]}),
    ]
}

/// Scores a request answered by these calls: `tool argument` or `tool argument => result`; `!` in front: it fails.
fn score_calls(lines: &[&str]) -> Scorecard {
    let mut messages = vec![user("please do it")];
    for line in lines {
        let (line, failed) = line.strip_prefix('!').map_or((*line, false), |line| (line, true));
        let (line, result) = line.split_once(" => ").unwrap_or((line, "ok"));
        let (tool, argument) = line.split_once(' ').unwrap();
        let arguments = match tool {
            "exec" => json!({"command": argument}),
            "write" => json!({"path": argument, "content": "x"}),
            "read" | "ls" => json!({"path": argument}),
            "edit" => json!({"path": argument, "oldText": "a", "newText": result}),
            "apply_patch" => {
                json!({"input": format!("*** Begin Patch\n*** Update File: {argument}\n+a\n*** End Patch\n")})
            }
            _ => json!({"id": argument}),
        };
        messages.extend(call(tool, &arguments, result, failed));
    }
    messages.push(text("Hm."));
    score_messages(&json!(messages)).scored().unwrap()
}

#[test]
fn changes_and_their_checks() {
    let mut wrong = Vec::new();
    let cases: &[(&[&str], Option<f64>)] = &[
        // Reading is no change, and a session without changes has nothing to check.
        (&["read a.txt", "exec ls -l", "exec git status"], None),
        (&["write a.txt"], Some(0.0)),
        (&["write a.txt", "read a.txt"], Some(1.0)),
        (&["read a.txt", "write a.txt"], Some(0.0)),
        (&["write src/a.txt", "read ./src/a.txt"], Some(1.0)),
        (&["write a.txt", "read b.txt"], Some(0.0)),
        (&["write a.txt", "exec cat a.txt"], Some(1.0)),
        (&["write a.py", "exec python3 a.py"], Some(1.0)),
        (&["write run.sh", "exec bash run.sh"], Some(1.0)),
        (&["write run.sh", "exec chmod +x run.sh", "exec ./run.sh"], Some(1.0)),
        (&["edit a.ts", "edit b.ts", "exec npm test"], Some(1.0)),
        // A test that fails is a check, too.
        (&["edit a.ts", "!exec npm test"], Some(1.0)),
        (&["edit a.ts", "exec git diff"], Some(1.0)),
        (&["apply_patch src/a.ts", "read src/a.ts"], Some(1.0)),
        (&["apply_patch src/a.ts"], Some(0.0)),
        // A call does not check itself.
        (&["exec echo hi > a.txt && cat a.txt"], Some(0.0)),
        (&["exec echo hi > a.txt", "exec cat a.txt"], Some(1.0)),
        (&["exec echo hi > a.txt", "exec echo hello"], Some(0.0)),
        (&["exec mkdir -p out", "exec ls"], Some(1.0)),
        (&["exec rm a.txt", "exec rm b.txt"], Some(0.0)),
        (&["write a.txt", "exec rm a.txt"], Some(0.0)),
        (&["exec systemctl restart nginx", "exec systemctl status nginx"], Some(1.0)),
        (&["exec git commit -m fix", "exec git log -1"], Some(1.0)),
        // What failed changed nothing, and what could not be read was not read back.
        (&["!write a.txt"], None),
        (&["!edit a.txt", "edit a.txt", "read a.txt"], Some(1.0)),
        (&["write a.txt", "!read a.txt"], Some(0.0)),
        (&["cancel_order 4711", "get_order 4711"], Some(1.0)),
        (&["cancel_order 4711", "get_order 4712"], Some(0.0)),
        (&["message hello"], None),
    ];
    for (calls, expected) in cases {
        let card = score_calls(calls);
        let got = card.score(Dimension::Accuracy).number();
        if got != *expected {
            wrong.push(format!(
                "{calls:?}: {got:?} instead of {expected:?} {:?}",
                rules(&card, Dimension::Accuracy)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn loops_and_what_is_none() {
    let mut wrong = Vec::new();
    let failing = ["!exec make => missing target"; 31];
    let cases: &[(&[&str], f64)] = &[
        (&["read a", "read a"], 1.0),
        (&["read a", "read a", "read a"], 0.0),
        (&["read a", "read b", "read a", "read b"], 0.0),
        (&["read a => 1", "read a => 2", "read a => 3", "read a => 4"], 1.0),
        (&failing, 0.0),
        // An edit in between, or a result that differs, is progress.
        (
            &[
                "exec npm test => 2 failing",
                "edit a => 1",
                "exec npm test => 2 failing",
                "edit a => 2",
                "exec npm test => 2 failing",
            ],
            1.0,
        ),
        // The same edit again and again between the same failing runs is none.
        (
            &[
                "!exec npm test => x",
                "write a",
                "!exec npm test => x",
                "write a",
                "!exec npm test => x",
                "write a",
            ],
            0.0,
        ),
        (&["exec sleep 5 && cat log", "exec sleep 5 && cat log", "exec sleep 5 && cat log"], 1.0),
        (&["process poll", "process poll", "process poll", "process poll"], 1.0),
        (&["exec echo a >> log", "exec echo a >> log", "exec echo a >> log"], 1.0),
    ];
    for (calls, expected) in cases {
        let card = score_calls(calls);
        let got = card.score(Dimension::Consistency).number();
        if got != Some(*expected) {
            wrong.push(format!(
                "{calls:?}: {got:?} instead of {expected} {:?}",
                rules(&card, Dimension::Consistency)
            ));
        }
    }
    // One short loop in a long session.
    let mut long: Vec<String> = (0..20).map(|n| format!("read file{n}")).collect();
    long.extend(["read x".to_owned(), "read x".to_owned(), "read x".to_owned()]);
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    assert_eq!(score_calls(&long).score(Dimension::Consistency), &Score::Value(0.5));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_same_answer_to_calls_that_were_not_stored() {
    let consistency = |tool: &str, answer: &str, is_error: bool| {
        let mut messages = vec![user("tidy up")];
        messages.extend(call("read", &json!({"path": "a"}), "a", false));
        for n in 0..4 {
            messages.push(json!({"role": "toolResult", "toolCallId": format!("lost{n}"), "toolName": tool,
                "isError": is_error, "content": [{"type": "text", "text": answer}]}));
        }
        messages.push(text("Done."));
        score_messages(&json!(messages)).scored().unwrap().score(Dimension::Consistency).number()
    };
    assert_eq!(consistency("no_such_tool", "Tool no_such_tool not found", true), Some(0.0));
    assert_eq!(consistency("read", "the whole file", false), Some(0.0));
    // Four commands that print nothing, four files that were written: each may be another one.
    assert_eq!(consistency("exec", "(no output)", false), ONE);
    assert_eq!(consistency("write", "ok", false), ONE);
}

#[test]
fn string_content_counts_and_a_new_message_begins_a_new_request() {
    // The same look at the status in three requests is no loop.
    let mut messages = Vec::new();
    for _ in 0..4 {
        messages.push(user("status?"));
        messages.extend(call("exec", &json!({"command": "uptime"}), "up", false));
        messages.push(json!({"role": "assistant", "content": "It is up and running.", "stopReason": "stop"}));
    }
    let card = score_messages(&json!(messages)).scored().unwrap();
    assert_eq!(four(&card), [NONE, ONE, ONE, ONE]);
}

#[test]
fn how_the_last_request_ends() {
    let done = [user("one"), text("Done.")];
    let completeness = |more: Vec<Value>| {
        let messages: Vec<Value> = done.iter().cloned().chain(more).collect();
        score_messages(&json!(messages)).scored().unwrap().score(Dimension::Completeness).number()
    };
    let ended = |why: &str| json!({"role": "assistant", "content": [], "model": "m", "stopReason": why, "errorMessage": "x"});
    let mut unfinished = call("read", &json!({"path": "a"}), "a", false).to_vec();
    unfinished.insert(0, user("two"));
    assert_eq!(completeness(vec![user("two"), ended("error")]), Some(0.2));
    assert_eq!(completeness(vec![user("two"), ended("aborted")]), Some(0.2));
    assert_eq!(completeness(vec![user("two"), ended("length")]), Some(0.2));
    assert_eq!(completeness(vec![user("two")]), Some(0.2));
    // Who closes the conversation waits for no answer.
    assert_eq!(completeness(vec![user("That's all, thank you!")]), Some(1.0));
    assert_eq!(completeness(unfinished), Some(0.2));
    // An attempt that failed and was tried again with success.
    assert_eq!(completeness(vec![user("two"), ended("error"), text("Done.")]), Some(1.0));
    // A heartbeat afterwards changes nothing.
    let heartbeat = [user("[OpenClaw heartbeat poll]"), ended("error")];
    assert_eq!(completeness(heartbeat.to_vec()), Some(1.0));
    // Thanks and goodbye: the text before counts.
    assert_eq!(completeness(vec![user("thanks!"), text("You're welcome!")]), Some(1.0));
    assert_eq!(completeness(vec![user("note this"), text("NO_REPLY")]), None);
    assert_eq!(
        completeness(vec![user("two"), text("The first part is done, but the upload failed.")]),
        Some(0.5)
    );
    assert_eq!(
        completeness(vec![user("two"), text("The first try failed, so I used the mirror. All done.")]),
        Some(0.8)
    );
    assert_eq!(
        completeness(vec![user("two"), text("```\nerror: failed\n```\nThat is what the log says.")]),
        Some(0.8)
    );
}

#[test]
fn an_answer_to_a_question_is_no_correction() {
    let autonomy = |reply: &str, answer: &str| {
        let messages = json!([user("plant the tulips"), text(reply), user(answer), text("OK.")]);
        score_messages(&messages).scored().unwrap().score(Dimension::Autonomy).number()
    };
    assert_eq!(autonomy("Shall I water them, too?", "No, leave it."), ONE);
    assert_eq!(autonomy("I watered them, too.", "No, leave it."), Some(0.5));
    assert_eq!(autonomy("Shall I water them, too?", "No, you planted the wrong ones."), Some(0.5));
}

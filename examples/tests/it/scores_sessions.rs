//! `scores` on sessions: the sample, `score`, `explain`, `hook`, `--ndjson`.

use std::path::Path;
use std::process::Output;

use clawgauge_support::exit;
use serde_json::Value;

use crate::support::{self, program, run};

/// The made-up sessions that the program embeds.
fn data() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/data").to_owned()
}

fn scores(home: &Path, args: &[&str]) -> Output {
    run(&program("scores"), args, home)
}

fn piped(home: &Path, args: &[&str], input: &str) -> Output {
    support::piped(&program("scores"), args, home, input)
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn code(output: &Output) -> Option<u8> {
    output.status.code().and_then(|code| u8::try_from(code).ok())
}

#[test]
fn without_arguments_the_sample_and_why_its_worst_session_is_the_worst() {
    let home = tempfile::tempdir().unwrap();
    let output = scores(home.path(), &[]);
    assert_eq!(code(&output), Some(exit::OK), "{}", err(&output));
    insta::assert_snapshot!(out(&output));
}

#[test]
fn the_whole_evidence_of_a_session() {
    let home = tempfile::tempdir().unwrap();
    let file = format!("{}/6f1d2c3a-0b1e-4c55-9a77-1f0a3f5d1003.jsonl", data());
    let output = scores(home.path(), &["explain", &file]);
    assert_eq!(code(&output), Some(exit::OK), "{}", err(&output));
    insta::assert_snapshot!(out(&output));
}

#[test]
fn saving_keeps_records_and_scores_unchanged_sessions_once() {
    let home = tempfile::tempdir().unwrap();
    let first = scores(home.path(), &["score", &data(), "--save"]);
    assert_eq!(code(&first), Some(exit::OK), "{}", err(&first));
    // Four are scored by both profiles; the cron job's key does not start with `cron:`, so the plugin scores it too.
    assert!(out(&first).contains("4 scored, 2 not scored, 5 saved"), "{}", out(&first));
    let again = scores(home.path(), &["score", &data(), "--save"]);
    assert!(out(&again).contains("5 unchanged"), "{}", out(&again));

    let folder = home.path().join(".openclaw/scores");
    let path = folder.join("6f1d2c3a-0b1e-4c55-9a77-1f0a3f5d1002.json");
    let record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(record["sessionKey"], "agent:main:telegram:direct:ada");
    assert_eq!(record["channel"], "telegram");
    assert_eq!(
        record["timestamp"], "2026-11-24T17:41:22.000Z",
        "the last message's time, not the time of scoring"
    );
    // Two of the person's three messages correct the agent.
    let autonomy = record["profiles"]["default"]["scores"]["autonomy"]["value"].as_f64().unwrap();
    assert!((autonomy - 1.0 / 3.0).abs() < 1e-9, "{autonomy}");
    // Somebody else's field stays when the session is scored again.
    let mut record = record;
    record["note"] = "mine".into();
    record["source"] = "older".into();
    std::fs::write(&path, record.to_string()).unwrap();
    scores(home.path(), &["score", &data(), "--save"]);
    let record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(record["note"], "mine");

    let summary = scores(home.path(), &["summary", "--since", "2026-11-01", "--until", "2026-12-01"]);
    assert!(out(&summary).contains("Sessions scored: 4"), "{}", out(&summary));
}

#[test]
fn nothing_to_score_says_where_it_looked() {
    let home = tempfile::tempdir().unwrap();
    let output = scores(home.path(), &["score", "--state-dir", "/no/such/folder"]);
    assert_eq!(code(&output), Some(exit::NOTHING));
    assert!(err(&output).contains("/no/such/folder: not there"), "{}", err(&output));
}

#[test]
fn a_file_that_is_no_session_is_named_once() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("s.jsonl");
    std::fs::write(&file, "[]\n").unwrap();
    let output = scores(home.path(), &["score", file.to_str().unwrap()]);
    assert_eq!(code(&output), Some(exit::NOTHING));
    let said = err(&output);
    assert_eq!(said.matches("no row of a session in it").count(), 1, "{said}");
    assert!(said.starts_with("scores: no session to score; what was looked at:\n"), "{said}");
}

#[test]
fn an_id_and_words_from_a_session_do_not_act_on_the_terminal() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("s.jsonl");
    let bad = "a\\u001b[2J\\u0007\\u202eb";
    let rows = [
        format!(r#"{{"type":"session","version":3,"id":"{bad}","timestamp":"2026-11-30T10:00:00Z"}}"#),
        r#"{"type":"message","id":"1","message":{"role":"user","content":"Fix it."}}"#.to_owned(),
        format!(
            r#"{{"type":"message","id":"{bad}","parentId":"1","message":{{"role":"assistant","content":"Sorry, {bad} I could not do it."}}}}"#
        ),
        format!(
            r#"{{"type":"message","id":"3","parentId":"{bad}","message":{{"role":"user","content":"No, {bad} that is wrong."}}}}"#
        ),
    ];
    std::fs::write(&file, rows.join("\n")).unwrap();
    for command in ["score", "explain"] {
        let output = scores(home.path(), &[command, file.to_str().unwrap()]);
        let told = out(&output) + &err(&output);
        assert!(told.contains("a\u{fffd}[2J\u{fffd}\u{fffd}b"), "{command}: {told:?}");
        let acts = told.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}');
        assert!(!acts, "{command}: {told:?}");
    }
}

#[test]
fn a_damaged_line_is_named_and_the_rest_is_scored() {
    let home = tempfile::tempdir().unwrap();
    let text =
        std::fs::read_to_string(format!("{}/6f1d2c3a-0b1e-4c55-9a77-1f0a3f5d1001.jsonl", data())).unwrap();
    let file = home.path().join("s.jsonl");
    std::fs::write(&file, format!("{text}{{\"type\":\"mess")).unwrap();
    let output = scores(home.path(), &["score", file.to_str().unwrap()]);
    assert_eq!(code(&output), Some(exit::OK));
    assert!(err(&output).contains("line 12 (byte 4219): torn_tail"), "{}", err(&output));
    assert!(out(&output).contains("1 scored"), "{}", out(&output));
    let same = piped(home.path(), &["score", "-"], &std::fs::read_to_string(&file).unwrap());
    assert!(out(&same).contains("1.00") && err(&same).contains("torn_tail"), "{}{}", out(&same), err(&same));
}

/// The sessions as envelopes, one a line.
fn envelopes() -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(data()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let files = names.iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let line = |path: &std::path::PathBuf| {
        serde_json::json!({ "transcript": std::fs::read_to_string(path).unwrap(), "agentId": "main" })
            .to_string()
    };
    files.map(line).collect()
}

#[test]
fn a_stream_answers_each_line_in_order_and_shards_give_the_same_bytes() {
    let home = tempfile::tempdir().unwrap();
    let mut lines = envelopes();
    lines.insert(2, "no json".to_owned());
    lines.push(r#"{"messages":[]}"#.to_owned());
    let whole = out(&piped(home.path(), &["--ndjson"], &(lines.join("\n") + "\n")));
    let answers: Vec<Value> = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), lines.len());
    assert_eq!(answers[0]["sessionId"], "6f1d2c3a-0b1e-4c55-9a77-1f0a3f5d1001");
    assert_eq!(answers[2]["error"], "the line is no JSON object");
    assert_eq!(answers[5]["skipped"], "too_few_messages");
    assert_eq!(answers[7]["error"], "no session id in the payload");
    let (one, two) = lines.split_at(3);
    let shard = |lines: &[String]| out(&piped(home.path(), &["--ndjson"], &(lines.join("\n") + "\n")));
    assert_eq!(shard(one) + &shard(two), whole);
}

#[test]
fn the_last_payload_of_a_session_wins_and_one_without_an_id_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let message = |role: &str, text: &str, rest: &str| {
        format!(
            r#"{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}]{rest},"timestamp":1777885201000}}"#
        )
    };
    let (ask, answer) =
        (message("user", "sort it", ""), message("assistant", "Sorted.", r#","stopReason":"stop""#));
    let failed = r#"{"role":"assistant","content":[],"stopReason":"error","errorMessage":"overloaded","timestamp":1777885209000}"#;
    let payload = |messages: &[&str], ctx: &str| {
        format!(
            r#"{{"event":{{"messages":[{}],"success":true,"durationMs":5}},"ctx":{{{ctx}}}}}"#,
            messages.join(",")
        )
    };
    let ctx = r#""sessionId":"s/1","sessionKey":"agent:main:main""#;
    let lines = [
        payload(&[&ask, &answer, &ask], ctx),
        payload(&[&ask, &answer, &ask, failed], ctx),
        payload(&[&ask, &answer, &ask], r#""sessionKey":"agent:main:main""#),
    ];
    let output = piped(home.path(), &["hook"], &lines.join("\n"));
    assert_eq!(code(&output), Some(exit::USAGE));
    assert_eq!(err(&output), "scores: line 3: no session id in the payload; not saved\n");
    let path = home.path().join(".openclaw/scores/s%2F1.json");
    let record: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(record["messageCount"], 4);
    assert_eq!(record["success"], false, "what the last turn shows, not what the gateway says");
    assert_eq!(record["durationMs"], 5);
}

#[test]
fn a_line_is_answered_before_the_next_one_comes() {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};
    let mut command = Command::new(program("scores"));
    let mut child = command.arg("--ndjson").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = BufReader::new(output).lines();
    for _ in 0..2 {
        input.write_all(b"{\"transcript\": \"\", \"sessionId\": \"s\"}\n").unwrap();
        let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["sessionId"], "s");
    }
    drop(input);
    assert!(answers.next().is_none() && child.wait().unwrap().success());
}

//! `edd` on stored sessions: sessions, trace, watch, state, artifacts, doctor.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::program;

const ROWS: &str = include_str!("../fixtures/edd/misc-cli.jsonl");

/// Rows where we differ on purpose, besides those that are recorded as a fault of the tool.
const DIFFER: [(&str, &str); 6] = [
    ("misc-01", "what was asked and answered is told too, and each call's outcome in words"),
    ("misc-03", "events come without a copy of the raw message"),
    ("misc-07", "as misc-01"),
    ("misc-08", "as misc-01; a repeated call is told as it is"),
    ("misc-21", "a negative limit is no limit: refused"),
    ("misc-28", "clap's own words"),
];

/// Rows of commands that are not told here.
const ELSEWHERE: [&str; 8] =
    ["misc-25", "misc-26", "misc-27", "misc-29", "misc-30", "misc-31", "misc-32", "misc-28"];

fn edd(home: &Path, args: &[&str]) -> Output {
    Command::new(program("edd"))
        .args(args)
        .current_dir(home)
        .env("HOME", home)
        .env_remove("OPENCLAW_STATE_DIR")
        .output()
        .unwrap()
}

fn put(home: &Path, name: &str, content: &str) {
    let path = home.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Rows of a session have ids of their own; in the recorded inputs they all have the same one.
fn with_ids(session: &str) -> String {
    let mut out = String::new();
    for (at, line) in session.lines().enumerate() {
        out += &line.replace("\"id\": \"x\"", &format!("\"id\": \"x{at}\""));
        out.push('\n');
    }
    out
}

#[test]
fn recorded_rows() {
    let mut faults = Vec::new();
    for line in ROWS.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let id = row["id"].as_str().unwrap();
        if ELSEWHERE.contains(&id) {
            continue;
        }
        let home = tempfile::tempdir().unwrap();
        for (name, session) in row["input"]["sessions"].as_object().into_iter().flatten() {
            let name = format!(".openclaw/agents/main/sessions/{name}.jsonl");
            put(home.path(), &name, &with_ids(session.as_str().unwrap()));
        }
        for (name, content) in row["input"]["files"].as_object().into_iter().flatten() {
            put(home.path(), name, content.as_str().unwrap());
        }
        let mut args: Vec<&str> =
            row["input"]["args"].as_array().unwrap().iter().map(|a| a.as_str().unwrap()).collect();
        if !args.contains(&"--log-dir") {
            args.extend(["--log-dir", "logs"]);
        }
        let output = edd(home.path(), &args);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        // What goes wrong is told on standard error here.
        let said = format!("{}{out}", err.replace("edd: ", "✗ "));
        let expected = row["expected"]["stdout"].as_str().unwrap();
        let code = i64::from(output.status.code().unwrap());
        let same_words = out == expected
            || said == expected
            || (expected.starts_with('✗') && said.starts_with(expected.trim_end()));
        let same = same_words && Some(code) == row["expected"]["exit"].as_i64();
        let known = DIFFER.iter().any(|(differs, _)| *differs == id);
        let a_fault_of_theirs = row.get("reference_bug").is_some();
        if same && known {
            faults.push(format!("{id} does not differ any more"));
        }
        if !same && !known && !a_fault_of_theirs {
            faults.push(format!("{id} ({}): exit {code}\n{out}{err}\nexpected\n{expected}", row["note"]));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// A home with one session: a call that works, one that fails, a secret, an answer.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let rows = r#"{"type":"session","version":3,"id":"aaaa1111-s","timestamp":"2026-05-04T09:00:00.000Z","cwd":"/srv"}
{"type":"message","id":"a","parentId":null,"timestamp":"2026-05-04T09:00:01.000Z","message":{"role":"user","content":"Count the lamps"}}
{"type":"message","id":"b","parentId":"a","timestamp":"2026-05-04T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"Both at once."},{"type":"toolCall","id":"c1","name":"exec","arguments":{"command":"ls lamps | wc -l"}},{"type":"toolCall","id":"c2","name":"exec","arguments":{"command":"cat .env"}}],"provider":"acme","model":"m","usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":99},"stopReason":"toolUse"}}
{"type":"message","id":"c","parentId":"b","timestamp":"2026-05-04T09:00:03.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"exec","content":[{"type":"text","text":"7"}],"details":{"status":"completed","exitCode":0,"durationMs":12},"isError":false}}
{"type":"message","id":"d","parentId":"c","timestamp":"2026-05-04T09:00:03.500Z","message":{"role":"toolResult","toolCallId":"c2","toolName":"exec","content":[{"type":"text","text":"API_KEY=sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"}],"details":{"status":"completed","exitCode":3,"durationMs":5},"isError":false}}
{"type":"message","id":"e","parentId":"d","timestamp":"2026-05-04T09:00:04.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Seven."}],"provider":"acme","model":"m","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0},"stopReason":"stop"}}
"#;
    put(home.path(), ".openclaw/agents/main/sessions/aaaa1111-s.jsonl", rows);
    put(
        home.path(),
        ".openclaw/agents/main/sessions/sessions.json",
        r#"{"agent:main:lamps":{"sessionId":"aaaa1111-s"}}"#,
    );
    home
}

#[test]
fn trace_for_a_person() {
    let home = home();
    let output = edd(home.path(), &["trace", "--session", "aaaa", "--plan"]);
    insta::assert_snapshot!(text(&output.stdout));
    assert!(output.status.success());
}

#[test]
fn trace_as_events() {
    let home = home();
    let output = edd(home.path(), &["trace", "--last", "--format", "json"]);
    let events: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["llm_turn", "tool_end", "tool_end", "llm_turn"]);
    assert_eq!(events[2]["exit_code"], 3);
}

#[test]
fn sessions_and_one_of_them() {
    let home = home();
    let output = edd(home.path(), &["sessions", "--log-dir", "none"]);
    let line = text(&output.stdout);
    assert!(line.starts_with("aaaa1111  tools=2  turns=1  last="), "{line}");
    assert!(line.trim_end().ends_with("agent=main  key=agent:main:lamps  era=jsonl"), "{line}");
    let shown = edd(home.path(), &["sessions", "--show", "aaaa1111", "--log-dir", "none"]);
    assert!(text(&shown.stdout).contains("◀ Seven."));
    let nobody = edd(home.path(), &["sessions", "--agent", "ops", "--log-dir", "none"]);
    assert_eq!(text(&nobody.stdout), "");
    let list: Value = serde_json::from_slice(
        &edd(home.path(), &["sessions", "--format", "json", "--log-dir", "none"]).stdout,
    )
    .unwrap();
    assert_eq!((list[0]["tools"].as_u64(), list[0]["entries"].as_u64()), (Some(2), Some(6)));
}

#[test]
fn state_below_a_value_and_dotted_delete() {
    let home = home();
    let state = |args: &[&str]| edd(home.path(), &[&["state", "--session", "q"], args].concat());
    assert!(state(&["--set", "a=1", "--set", "b.c=true", "--set", "b.d=text"]).status.success());
    let below = state(&["--set", "a.b=2"]);
    assert_eq!(below.status.code(), Some(1));
    assert!(state(&["--delete", "b.c"]).status.success());
    assert_eq!(
        text(&state(&["--format", "json"]).stdout),
        "{\n  \"a\": 1,\n  \"b\": {\n    \"d\": \"text\"\n  }\n}\n"
    );
    assert!(home.path().join(".openclaw_eval/state/q.json").is_file());
    let outside = edd(home.path(), &["state", "--session", "../q", "--set", "a=1"]);
    assert_eq!(outside.status.code(), Some(1));
}

#[test]
fn artifacts_of_a_session() {
    let home = home();
    let output = edd(home.path(), &["artifacts", "--session", "aaaa1111-s", "--extract"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let list: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> = list.iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["0001-exec.txt", "0002-exec.txt"]);
    assert_eq!(list[0]["bytes"], 1);
    let out = home.path().join("out");
    let export =
        edd(home.path(), &["artifacts", "--session", "aaaa1111-s", "--export", out.to_str().unwrap()]);
    assert!(export.status.success());
    assert_eq!(fs::read_to_string(out.join("0001-exec.txt")).unwrap(), "7");
    assert_eq!(edd(home.path(), &["artifacts", "--extract"]).status.code(), Some(2), "extract what?");
}

#[test]
fn doctor_on_a_home_with_faults() {
    let home = home();
    let sessions = home.path().join(".openclaw/agents/main/sessions");
    fs::create_dir(sessions.join("folder.jsonl")).unwrap();
    fs::copy(sessions.join("aaaa1111-s.jsonl"), sessions.join("aaaa1111-s.jsonl.bak")).unwrap();
    fs::write(
        sessions.join("torn.jsonl"),
        "{\"type\":\"session\",\"version\":3,\"id\":\"torn\"}\n{\"type\":\"mess",
    )
    .unwrap();
    let output = edd(home.path(), &["doctor"]);
    let said = text(&output.stdout).replace(&home.path().display().to_string(), "HOME");
    insta::assert_snapshot!(said);
    assert_eq!(output.status.code(), Some(1));
}

/// Follows a file that grows, then stops when told to; what it showed is what `trace` shows.
#[cfg(unix)]
#[test]
fn watch_shows_each_call_once() {
    let home = home();
    let path = home.path().join(".openclaw/agents/main/sessions/aaaa1111-s.jsonl");
    let rows = fs::read_to_string(&path).unwrap();
    let mut child = Command::new(program("edd"))
        .args(["watch", "--from-start", "--interval-ms", "10", "--save-artifacts", "--log-dir", "none"])
        .env("HOME", home.path())
        .env_remove("OPENCLAW_STATE_DIR")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut shown = BufReader::new(child.stdout.take().unwrap());
    let mut watched = String::new();
    // Reads what it shows up to an answer.
    let mut answer = || {
        let from = watched.len();
        while !watched[from..].contains('◀') {
            assert!(shown.read_line(&mut watched).unwrap() > 0, "{watched}");
        }
    };
    answer();
    // A second turn, appended in two pieces.
    let second: String = rows
        .lines()
        .skip(1)
        .map(|line| {
            line.replace("\"id\":\"", "\"id\":\"2")
                .replace("\"parentId\":\"", "\"parentId\":\"2")
                .replace("\"parentId\":null", "\"parentId\":\"e\"")
                .replace("toolCallId\":\"", "toolCallId\":\"2")
                + "\n"
        })
        .collect();
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    std::io::Write::write_all(&mut file, &second.as_bytes()[..700]).unwrap();
    std::io::Write::write_all(&mut file, &second.as_bytes()[700..]).unwrap();
    answer();
    let stopped = Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(stopped.success());
    shown.read_to_string(&mut watched).unwrap();
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}");
    let calls = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.contains(" ms") || line.contains("     $ "))
            .map(str::to_owned)
            .collect()
    };
    let traced = text(&edd(home.path(), &["trace", "--session", "aaaa"]).stdout);
    assert_eq!(calls(&watched), calls(&traced));
    assert_eq!(calls(&watched).len(), 8);
    let saved = home.path().join(".openclaw_eval/artifacts/aaaa1111-s");
    assert_eq!(fs::read_dir(saved).unwrap().count(), 4);
}

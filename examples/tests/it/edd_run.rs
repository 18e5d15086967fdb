//! The program `edd` as a whole.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use crate::support::{program, run};

const RUNS: &str = include_str!("../fixtures/edd/run-cli.jsonl");
const ATTEMPTS: &str = include_str!("../fixtures/edd/passk.jsonl");

fn edd(home: &Path, args: &[&str]) -> Output {
    std::process::Command::new(program("edd"))
        .args(args)
        .current_dir(home)
        .env("HOME", home)
        .env_remove("OPENCLAW_STATE_DIR")
        .env("PATH", std::env::var_os("PATH").unwrap())
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn code(output: &Output) -> i64 {
    i64::from(output.status.code().unwrap())
}

fn put(home: &Path, name: &str, content: &str) {
    let path = home.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// The verdicts in what was printed: case to PASS or FAIL.
fn verdicts(stdout: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut case = None;
    for line in stdout.lines() {
        if let Some(rest) = line.strip_prefix("→ ") {
            case = rest.split([':', ' ']).next().map(str::to_owned);
        } else if let (Some(id), Some(rest)) = (&case, line.strip_prefix("  [")) {
            let word = rest.split([']', ' ']).nth(1).unwrap_or_default().to_owned();
            out.push((id.clone(), word));
            case = None;
        }
    }
    out
}

/// Where we differ on purpose, besides what is recorded as a bug: of the 49 runs, and of the 4 with several attempts.
const DIFFER: [(&str, &str); 15] = [
    ("run-04", "a failed capability case alone is no failure"),
    ("run-33", "a baseline that is broken is bad input, found before the work"),
    ("run-39", "an attempt that cannot run is errored, not failed: exit 4"),
    ("run-41", "a dry run without a session grades nothing"),
    ("run-13", "a dry run without a session grades nothing"),
    ("run-14", "no case matched is exit 3"),
    ("run-15", "no case matched is exit 3"),
    ("run-17", "an empty suite is bad input, exit 2"),
    ("run-20", "options that exclude each other are exit 2"),
    ("run-21", "options that exclude each other are exit 2"),
    ("run-22", "without a suite nothing is run: exit 2"),
    ("run-26", "a dry run without a session grades nothing"),
    ("run-32", "a baseline that is missing is bad input, found before the work"),
    ("run-34", "bad input is exit 2"),
    ("run-35", "bad input is exit 2"),
];
const ATTEMPTS_DIFFER: [(&str, &str); 1] = [("passk-17", "a dry run without a session grades nothing")];

#[test]
fn runs_give_the_recorded_verdicts() {
    let mut differ = Vec::new();
    let mut count = 0;
    for line in RUNS.lines().chain(ATTEMPTS.lines()) {
        let row: Value = serde_json::from_str(line).unwrap();
        if row["kind"] == "aggregate" {
            continue;
        }
        count += 1;
        let id = row["id"].as_str().unwrap();
        let home = tempfile::tempdir().unwrap();
        let input = &row["input"];
        match &input["cases"] {
            Value::Array(cases) => {
                put(home.path(), "cases.json", &json!({"semantics": "edd", "cases": cases}).to_string());
            }
            Value::String(broken) => put(home.path(), "cases.json", broken),
            _ => {}
        }
        for (name, content) in input["files"].as_object().into_iter().flatten() {
            put(home.path(), name, content.as_str().unwrap());
        }
        for (name, content) in input["sessions"].as_object().into_iter().flatten() {
            put(
                home.path(),
                &format!(".openclaw/agents/main/sessions/{name}.jsonl"),
                content.as_str().unwrap(),
            );
        }
        let args: Vec<&str> = input["args"].as_array().unwrap().iter().map(|a| a.as_str().unwrap()).collect();
        let output = edd(home.path(), &args);
        let expected = &row["expected"];
        let wanted =
            (verdicts(expected["stdout"].as_str().unwrap_or_default()), expected["exit"].as_i64().unwrap());
        let found = (verdicts(&text(&output.stdout)), code(&output));
        if found != wanted {
            let bug = row.get("reference_bug").is_some();
            differ.push((
                id.to_owned(),
                bug,
                format!("{found:?}, recorded {wanted:?}\n  {}", text(&output.stderr)),
            ));
        }
    }
    assert_eq!(count, 49 + 4);
    let listed: Vec<&(&str, &str)> = DIFFER.iter().chain(&ATTEMPTS_DIFFER).collect();
    let mut problems: Vec<String> = differ
        .iter()
        .filter(|(id, bug, _)| !bug && !listed.iter().any(|(listed, _)| listed == id))
        .map(|(id, _, detail)| format!("{id}: {detail}"))
        .collect();
    for (listed, reason) in listed {
        if !differ.iter().any(|(id, ..)| id == *listed) {
            problems.push(format!("{listed} is listed ({reason}) and does not differ"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

const SESSION: &str = concat!(
    r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-05-04T09:00:00.000Z","cwd":"/srv"}"#,
    "\n",
    r#"{"type":"message","id":"u1","parentId":null,"timestamp":"2026-05-04T09:00:01.000Z","message":{"role":"user","content":"MESSAGE","timestamp":1777885201000}}"#,
    "\n",
    r#"{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-05-04T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"exec","arguments":{"command":"ls"}}],"provider":"acme","model":"m","usage":{"input":10,"output":5,"totalTokens":15,"cost":{"total":0.5}},"stopReason":"toolUse","timestamp":1777885202000}}"#,
    "\n",
    r#"{"type":"message","id":"r1","parentId":"a1","timestamp":"2026-05-04T09:00:03.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"exec","content":[{"type":"text","text":"a.txt"}],"isError":false,"timestamp":1777885203000}}"#,
    "\n",
    r#"{"type":"message","id":"a2","parentId":"r1","timestamp":"2026-05-04T09:00:04.000Z","message":{"role":"assistant","content":[{"type":"text","text":"One file."}],"provider":"acme","model":"m","usage":{"input":20,"output":5,"totalTokens":25,"cost":{"total":0.5}},"stopReason":"stop","timestamp":1777885204000}}"#,
    "\n",
);

const SUITE: &str = "cases:\n  - {id: ok, message: list, expect_tools: [exec]}\n  - {id: bad, message: list, expect_tools: [read]}\n  - {id: climb, message: list, eval_type: capability, expect_tools: [write]}\n  - {id: none, message: list}\n";

/// An agent program that stores a session under an id made of the key and answers after a log line.
fn fake_agent(home: &Path, body: &str) -> String {
    let script = format!(
        "#!/bin/sh\nwhile [ $# -gt 0 ]; do case $1 in --session-key) key=$2;; --agent) agent=$2;; --message) message=$2;; esac; shift; done\n\
         dir=$HOME/.openclaw/agents/$agent/sessions; mkdir -p $dir\necho \"$key\" >> $HOME/keys\n{body}\n"
    );
    put(home, "agent.sh", &script);
    put(home, "session.jsonl", SESSION);
    format!("sh {}", home.join("agent.sh").display())
}

const ANSWERS: &str = "sed \"s/MESSAGE/$message/; s/\\\"s1\\\"/\\\"$key\\\"/\" $HOME/session.jsonl > $dir/$key.jsonl\n\
    echo 'info: starting'\necho \"{\\\"result\\\":{\\\"meta\\\":{\\\"agentMeta\\\":{\\\"sessionId\\\":\\\"$key\\\"}}}}\"";

#[test]
fn a_recorded_session_is_graded_and_every_report_is_written() {
    let home = tempfile::tempdir().unwrap();
    put(home.path(), "s.jsonl", &SESSION.replace("MESSAGE", "list"));
    put(home.path(), "cases.yaml", SUITE);
    let args = [
        "run",
        "--cases",
        "cases.yaml",
        "--transcript",
        "s.jsonl",
        "--output-json",
        "r.json",
        "--output-html",
        "r.html",
        "--output-junit",
        "r.xml",
        "--output-md",
        "r.md",
        "--summary-line",
        "--show-trace",
    ];
    let output = edd(home.path(), &args);
    let stdout = text(&output.stdout);
    assert_eq!(code(&output), 1, "{stdout}");
    assert!(stdout.ends_with("FAIL 1/4 (25.0%), 1 unchecked\n"), "{stdout}");
    for part in [
        "Missing required tool calls: read (called: exec)",
        "UNCHECKED: none",
        "Tokens: 120 input / 40 output",
    ] {
        assert!(stdout.contains(part), "{part}:\n{stdout}");
    }
    let report: Value =
        serde_json::from_str(&std::fs::read_to_string(home.path().join("r.json")).unwrap()).unwrap();
    assert_eq!(report[0]["tool_names"], json!(["exec"]));
    assert_eq!(report[0]["session_id"], "s1");
    for name in ["r.html", "r.xml", "r.md"] {
        assert!(std::fs::read_to_string(home.path().join(name)).unwrap().contains("bad"), "{name}");
    }
    // The climb alone is no failure; asked for, it is.
    let climb = ["run", "--cases", "cases.yaml", "--transcript", "s.jsonl", "--case-id", "climb"];
    assert_eq!(code(&edd(home.path(), &climb)), 0);
    assert_eq!(code(&edd(home.path(), &[&climb[..], &["--fail-capability"]].concat())), 1);
    let none = ["run", "--cases", "cases.yaml", "--transcript", "s.jsonl", "--case-id", "none"];
    assert_eq!(code(&edd(home.path(), &none)), 0);
    assert_eq!(code(&edd(home.path(), &[&none[..], &["--fail-unchecked"]].concat())), 2);
    // A report compared with itself.
    let same = edd(home.path(), &["diff", "--before", "r.json", "--after", "r.json"]);
    assert!(text(&same.stdout).contains("no clear difference: 0 fixed, 0 broken"), "{}", text(&same.stdout));
    let unwritable =
        ["run", "--cases", "cases.yaml", "--transcript", "s.jsonl", "--output-json", "no/such/r.json"];
    let output = edd(home.path(), &unwritable);
    assert_eq!((code(&output), text(&output.stdout)), (2, String::new()), "found out before the work");
}

#[test]
fn bad_suites_are_reported_whole() {
    let home = tempfile::tempdir().unwrap();
    put(
        home.path(),
        "bad.yaml",
        "cases:\n  - {id: a, message: m, expect_tool: [x]}\n  - {id: a, message: m, max_calls: many}\n",
    );
    let output = edd(home.path(), &["run", "--cases", "bad.yaml", "--dry-run"]);
    let stderr = text(&output.stderr);
    assert_eq!(code(&output), 2);
    for part in ["bad.yaml:2:25: error", "`expect_tools`?", "bad.yaml:3:", "already used"] {
        assert!(stderr.contains(part), "{part}:\n{stderr}");
    }
}

#[test]
fn a_dry_run_alone_is_no_pass() {
    let home = tempfile::tempdir().unwrap();
    let output = edd(home.path(), &["run", "--quickstart", "--dry-run"]);
    assert_eq!(code(&output), 0);
    assert!(text(&output.stdout).contains("this is no pass"), "{}", text(&output.stdout));
    assert!(!text(&output.stdout).contains("PASS"));
}

#[cfg(unix)]
#[test]
fn the_agent_is_asked_with_a_key_of_its_own_for_each_attempt() {
    let home = tempfile::tempdir().unwrap();
    put(home.path(), "cases.yaml", SUITE);
    let agent = fake_agent(home.path(), ANSWERS);
    let args = [
        "run",
        "--cases",
        "cases.yaml",
        "--agent-cmd",
        &agent,
        "--pass-at-k",
        "2",
        "--jobs",
        "3",
        "--output-json",
        "r.json",
    ];
    let output = edd(home.path(), &args);
    assert_eq!(code(&output), 1, "{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(
        verdicts(&text(&output.stdout)),
        [
            ("ok".to_owned(), "PASS".to_owned()),
            ("bad".to_owned(), "FAIL".to_owned()),
            ("climb".to_owned(), "FAIL".to_owned()),
            ("none".to_owned(), "UNCHECKED".to_owned()),
        ]
    );
    let keys = std::fs::read_to_string(home.path().join("keys")).unwrap();
    let mut keys: Vec<&str> = keys.lines().collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 8, "{keys:?}");
    assert!(text(&output.stderr).contains("[4/4]"), "{}", text(&output.stderr));
    let report: Value =
        serde_json::from_str(&std::fs::read_to_string(home.path().join("r.json")).unwrap()).unwrap();
    assert_eq!(report[0]["pass_at_k_session_ids"].as_array().unwrap().len(), 2);
    // Each attempt costs 1; the limit is reached after the first case's two attempts.
    let limited = [
        "run",
        "--cases",
        "cases.yaml",
        "--agent-cmd",
        &agent,
        "--pass-at-k",
        "2",
        "--max-cost",
        "1.5",
        "--case-id",
        "ok",
        "climb",
    ];
    let output = edd(home.path(), &limited);
    assert_eq!(code(&output), 4, "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("1 cases were not begun"), "{}", text(&output.stdout));
}

#[cfg(unix)]
#[test]
fn an_attempt_that_cannot_run_is_no_failed_attempt() {
    let home = tempfile::tempdir().unwrap();
    put(
        home.path(),
        "cases.yaml",
        "cases:\n  - {id: ok, message: list, expect_tools: [exec], pass_at_k: 3}\n",
    );
    // The second call answers, the others fail.
    let agent = fake_agent(
        home.path(),
        &format!(
            "if [ $(wc -l < $HOME/keys) -ne 2 ]; then echo 'gateway is down' >&2; exit 1; fi\n{ANSWERS}"
        ),
    );
    let output = edd(home.path(), &["run", "--cases", "cases.yaml", "--agent-cmd", &agent]);
    let stdout = text(&output.stdout);
    assert_eq!(code(&output), 0, "{stdout}");
    assert!(
        stdout.contains("1/1 attempts passed") && stdout.contains("2 of 3 attempts could not run"),
        "{stdout}"
    );
    let output = edd(
        home.path(),
        &["run", "--cases", "cases.yaml", "--agent-cmd", "/no/such/agent", "--pass-at-k", "1"],
    );
    assert_eq!(code(&output), 4);
    assert!(text(&output.stdout).contains("cannot be started"), "{}", text(&output.stdout));
    let slow = fake_agent(home.path(), "sleep 100");
    let output = edd(
        home.path(),
        &["run", "--cases", "cases.yaml", "--agent-cmd", &slow, "--pass-at-k", "1", "--timeout-s", "0.3"],
    );
    assert_eq!(code(&output), 4);
    assert!(text(&output.stdout).contains("is not running any more"), "{}", text(&output.stdout));
}

#[test]
fn the_loop_closes() {
    let home = tempfile::tempdir().unwrap();
    put(home.path(), "s.jsonl", &SESSION.replace("MESSAGE", "list"));
    put(home.path(), "cases.yaml", SUITE);
    edd(home.path(), &["run", "--cases", "cases.yaml", "--transcript", "s.jsonl", "--output-json", "r.json"]);
    assert_eq!(code(&edd(home.path(), &["suggest", "--report", "r.json", "--output", "a.json"])), 0);
    let workspace = home.path().join(".openclaw/workspace");
    put(home.path(), ".openclaw/workspace/TOOLS.md", "# Mine\n");
    let asked = edd(home.path(), &["apply", "--suggestion-file", "a.json"]);
    assert_eq!(code(&asked), 1, "without a terminal the answer is no");
    assert!(!workspace.join("skills").exists());
    let applied = edd(home.path(), &["apply", "--suggestion-file", "a.json", "--yes"]);
    assert_eq!(code(&applied), 0, "{}{}", text(&applied.stdout), text(&applied.stderr));
    let skill = std::fs::read_to_string(workspace.join("skills/bad.md")).unwrap();
    assert!(skill.contains("`read`"), "{skill}");
    let again = edd(home.path(), &["apply", "--suggestion-file", "a.json", "--yes"]);
    assert!(text(&again.stdout).contains("Nothing to change."), "{}", text(&again.stdout));
    assert_eq!(std::fs::read_to_string(workspace.join("skills/bad.md")).unwrap(), skill);
    // The workspace that openclaw.json names comes before the default one.
    put(home.path(), "other/keep", "");
    put(
        home.path(),
        ".openclaw/openclaw.json",
        &json!({"agents": {"defaults": {"workspace": home.path().join("other")}}}).to_string(),
    );
    edd(home.path(), &["apply", "--suggestion-file", "a.json", "--yes"]);
    assert!(home.path().join("other/skills/bad.md").exists());
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_out_of_the_workspace() {
    let home = tempfile::tempdir().unwrap();
    let outside = home.path().join("outside");
    std::fs::create_dir_all(&outside).unwrap();
    put(home.path(), "w/keep", "");
    std::os::unix::fs::symlink(&outside, home.path().join("w/skills")).unwrap();
    put(home.path(), "secret", "untouched\n");
    std::os::unix::fs::symlink(home.path().join("secret"), home.path().join("w/TOOLS.md")).unwrap();
    let advice = json!([
        {"case": "a", "check": "c", "failure": "f", "file": "skills/a.md", "kind": "skill", "text": "- x"},
        {"case": "a", "check": "c", "failure": "f", "file": "TOOLS.md", "kind": "tool_rule", "text": "- x"},
        {"case": "a", "check": "c", "failure": "f", "file": "SOUL.md", "kind": "tool_rule", "text": "- x"},
    ]);
    put(home.path(), "a.json", &advice.to_string());
    let output = edd(home.path(), &["apply", "--suggestion-file", "a.json", "--workspace", "w", "--yes"]);
    assert_eq!(code(&output), 1);
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    assert_eq!(std::fs::read_to_string(home.path().join("secret")).unwrap(), "untouched\n");
    assert!(!home.path().join("w/SOUL.md").exists());
    assert!(text(&output.stderr).contains("is a link"), "{}", text(&output.stderr));
}

#[test]
fn templates_and_missing_files() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(code(&edd(home.path(), &["gen-cases", "--output", "x.yaml"])), 0);
    assert_eq!(code(&edd(home.path(), &["run", "--cases", "x.yaml", "--dry-run"])), 0);
    put(home.path(), "x.yaml", "keep");
    assert_eq!(code(&edd(home.path(), &["gen-cases", "--output", "x.yaml"])), 1, "as openclaw-edd");
    assert_eq!(std::fs::read_to_string(home.path().join("x.yaml")).unwrap(), "keep");
    assert_eq!(code(&edd(home.path(), &["gen-cases", "--output", "x.yaml", "--force"])), 0);
    for args in [
        &["apply", "--suggestion-file", "nope.txt"][..],
        &["judge", "--report", "nope.json"],
        &["suggest", "--report", "nope.json"],
        &["diff", "--before", "nope.json", "--after", "nope.json"],
    ] {
        let output = edd(home.path(), args);
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(text(&output.stderr).contains("nope."), "{args:?}");
    }
    // Without a cached answer and a key there is no opinion, and that is no opinion of 0.
    put(home.path(), "r.json", r#"[{"case": {"id": "a", "message": "m"}, "passed": true}]"#);
    let output = run(
        &program("edd"),
        &["judge", "--report", home.path().join("r.json").to_str().unwrap()],
        home.path(),
    );
    assert_eq!(code(&output), 4);
    assert!(
        text(&output.stdout).contains("0 judged, 0 below 0.7, 1 without an opinion"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn a_case_that_a_session_never_asked_is_errored_not_failed() {
    let home = tempfile::tempdir().unwrap();
    put(home.path(), "s.jsonl", &SESSION.replace("MESSAGE", "list"));
    let cases = "cases:\n  - {id: asked, message: List, expect_tools: [exec]}\n  - {id: other, message: deploy, expect_tools: [read]}\n";
    put(home.path(), "cases.yaml", cases);
    put(home.path(), "edd.yaml", &format!("semantics: edd\n{cases}"));
    let run = |suite: &str, more: &[&str]| {
        edd(
            home.path(),
            &[&["run", "--cases", suite, "--transcript", "s.jsonl", "--summary-line"], more].concat(),
        )
    };
    let output = run("cases.yaml", &[]);
    let stdout = text(&output.stdout);
    assert_eq!(code(&output), 4, "{stdout}");
    assert!(stdout.contains("not asked: no turn of the session has this message"), "{stdout}");
    assert!(stdout.contains("1 errored") && !stdout.contains("FAIL]"), "{stdout}");
    // A suite whose messages are not those of the session is about all of it.
    put(home.path(), "free.yaml", &cases.replace("message: List", "message: uses a shell"));
    let output = run("free.yaml", &[]);
    assert_eq!(code(&output), 1, "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("so all of it is graded"), "{}", text(&output.stderr));
    // One case is meant for the session, and openclaw-edd grades all of it.
    assert_eq!(code(&run("cases.yaml", &["--case-id", "other"])), 1);
    assert_eq!(code(&run("edd.yaml", &[])), 1);
}

#[test]
fn a_warning_names_its_file() {
    let home = tempfile::tempdir().unwrap();
    put(home.path(), "a.yaml", "cases:\n  - {id: a, message: m, expect_tools: [read]}\n");
    put(home.path(), "b.yaml", "cases:\n  - {id: b, message: m, expect_tools: [read], judge_model: any}\n");
    let output = edd(home.path(), &["run", "--cases", "a.yaml", "b.yaml", "--dry-run"]);
    let stderr = text(&output.stderr);
    assert!(stderr.contains("edd: b.yaml:2:"), "{stderr}");
}

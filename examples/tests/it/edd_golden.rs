//! `edd mine`, `export`, `review` and `golden`, from a recorded session to an approved case that runs.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::program;

/// Two turns: one that only failed, and one worth keeping.
const SESSION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/6f1d2c3a-0b1e-4c55-9a77-1f0a3f5d1003.jsonl");

fn edd(home: &Path, args: &[&str], keys: &str) -> Output {
    let mut child = Command::new(program("edd"))
        .args(args)
        .current_dir(home)
        .env("HOME", home)
        .env_remove("OPENCLAW_STATE_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(keys.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

#[test]
fn from_a_session_to_an_approved_case() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let mine = || edd(home, &["mine", "--from", SESSION, "--output", "g.jsonl"], "");
    let first = mine();
    assert_eq!(code(&first), 0, "{}", text(&first.stderr));
    assert!(text(&first.stdout).contains("1 added, 0 there already"), "{}", text(&first.stdout));
    assert!(text(&first.stderr).contains("left out: 1 tools_failed"), "{}", text(&first.stderr));
    let before = std::fs::read_to_string(home.join("g.jsonl")).unwrap();
    assert!(text(&mine().stdout).contains("0 added, 1 there already"));
    assert_eq!(
        std::fs::read_to_string(home.join("g.jsonl")).unwrap(),
        before,
        "mining twice changes nothing"
    );

    let nothing = edd(home, &["run", "--cases", "g.jsonl", "--only-approved", "--transcript", SESSION], "");
    assert_ne!(code(&nothing), 0, "nobody approved anything yet");
    let review = edd(home, &["review", "--input", "g.jsonl", "--reviewer", "ada"], "a\n");
    assert_eq!(code(&review), 0, "{}", text(&review.stderr));
    let record: Value =
        serde_json::from_str(&std::fs::read_to_string(home.join("g.jsonl")).unwrap()).unwrap();
    assert_eq!(
        (&record["reviewed"], &record["approved"], &record["reviewer"]),
        (&Value::from(true), &Value::from(true), &Value::from("ada"))
    );
    let run = edd(home, &["run", "--cases", "g.jsonl", "--only-approved", "--transcript", SESSION], "");
    assert_eq!(code(&run), 0, "{}", text(&run.stdout));
    assert!(text(&run.stdout).contains("1/1 passed"), "{}", text(&run.stdout));

    let strength = edd(home, &["golden", "strength", "g.jsonl"], "");
    assert!(text(&strength.stdout).contains("of 6 changes noticed"), "{}", text(&strength.stdout));
    assert_eq!(code(&edd(home, &["golden", "strength", "--min", "1", "g.jsonl"], "")), 1, "not every change");

    for (format, sign) in
        [("jsonl", "\"approved\""), ("csv", "id,description,user"), ("sft", "\"tool_calls\"")]
    {
        let export = edd(home, &["export", "--input", "g.jsonl", "--format", format], "");
        assert_eq!(code(&export), 0, "{format}: {}", text(&export.stderr));
        assert!(text(&export.stdout).contains(sign), "{format}: {}", text(&export.stdout));
    }
}

#[test]
fn filters_of_the_command_line() {
    let home = tempfile::tempdir().unwrap();
    let mine = |more: &[&str]| {
        let mut args = vec!["mine", "--from", SESSION, "--output", "-"];
        args.extend(more);
        let output = edd(home.path(), &args, "");
        (code(&output), text(&output.stderr))
    };
    let rows: [(&[&str], i32, &str); 11] = [
        (&[], 0, "1 worth keeping"),
        (&["--max-risk", "100"], 0, "1 worth keeping"),
        (&["--max-risk", "0"], 3, "high_risk"),
        (&["--max-risk", "101"], 2, "--max-risk is a number from 0 to 100"),
        (&["--min-score", "1"], 3, "low_score"),
        (&["--min-score", "80"], 2, "--min-score is a number from 0 to 1"),
        (&["--tool", "exec"], 0, "1 worth keeping"),
        (&["--tool", "write"], 3, "tool_not_used"),
        (&["--min-tools", "9"], 3, "too_few_tools"),
        (&["--since", "2100-01-01T00:00:00Z"], 3, "other_time"),
        (&["--agent", "nobody"], 3, "other_agent"),
    ];
    for (args, expected, says) in rows {
        let (found, stderr) = mine(args);
        assert_eq!(found, expected, "{args:?}: {stderr}");
        assert!(stderr.contains(says), "{args:?}: {stderr}");
    }
}

//! What becomes of output that nobody takes: by every command that prints.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use clawgauge_support::exit;

use crate::support::{program, run};

const SESSION: &str = "6f1d2c3a-0b1e-4c55-9a77-1f0a3f5d1001.jsonl";

fn data(name: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data").join(name).to_str().unwrap().to_owned()
}

/// A command of each kind, with a report and golden records in the folder to read.
fn commands(folder: &Path) -> Vec<(&'static str, Vec<String>)> {
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (session, all, cases) = (data(SESSION), data(""), data("cases.yaml"));
    let (report, golden) = (path("report.json"), path("golden.jsonl"));
    let edd = program("edd");
    let graded = ["run", "--cases", &cases, "--transcript", &session, "--output-json", &report];
    assert_eq!(run(&edd, &graded, folder).status.code(), Some(exit::OK.into()));
    assert!(run(&edd, &["mine", "--from", &all, "--output", &golden], folder).status.success());
    let lines = [
        ("scores", vec![]),
        ("scores", vec!["score", &all]),
        ("scores", vec!["score", &all, "--json"]),
        ("scores", vec!["explain", &session]),
        ("scores", vec!["worst"]),
        ("edd", vec!["run", "--cases", &cases, "--transcript", &session]),
        ("edd", vec!["diff", "--before", &report, "--after", &report]),
        ("edd", vec!["suggest", "--report", &report]),
        ("edd", vec!["gen-cases", "--output", "-"]),
        ("edd", vec!["trace", &session]),
        ("edd", vec!["trace", &session, "--format", "json"]),
        ("edd", vec!["sessions", &all]),
        ("edd", vec!["doctor", &all]),
        ("edd", vec!["artifacts"]),
        ("edd", vec!["mine", "--from", &all, "--output", "-"]),
        ("edd", vec!["export", "--input", &golden]),
        ("edd", vec!["golden", "show", &golden]),
        ("edd", vec!["golden", "strength", &golden]),
    ];
    let owned =
        |(name, args): (&'static str, Vec<&str>)| (name, args.into_iter().map(str::to_owned).collect());
    lines.into_iter().map(owned).collect()
}

fn into(stdout: impl Into<Stdio>, name: &str, args: &[String], home: &Path) -> Output {
    let mut command = Command::new(program(name));
    command.args(args).env("HOME", home).stdin(Stdio::null()).stdout(stdout).output().unwrap()
}

fn code(output: &Output) -> Option<u8> {
    output.status.code().and_then(|code| u8::try_from(code).ok())
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_no_success() {
    let home = tempfile::tempdir().unwrap();
    for (name, args) in commands(home.path()) {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = into(full, name, &args, home.path());
        let said = String::from_utf8(output.stderr.clone()).unwrap();
        assert_eq!(code(&output), Some(exit::IO), "{name} {args:?}: {said}");
        assert_eq!(said.matches("standard output: ").count(), 1, "{name} {args:?}: {said}");
    }
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let home = tempfile::tempdir().unwrap();
    for (name, args) in commands(home.path()) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = into(writer, name, &args, home.path());
        let said = String::from_utf8(output.stderr.clone()).unwrap();
        assert_eq!(code(&output), Some(exit::OK), "{name} {args:?}: {said}");
        assert!(!said.contains("standard output") && !said.contains("panicked"), "{name} {args:?}: {said}");
    }
}

#[test]
fn nothing_in_a_report_or_a_record_acts_on_the_terminal() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path();
    drop(commands(folder));
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (report, golden) = (path("report.json"), path("golden.jsonl"));
    for (file, words) in
        [(&report, ["tests_before", "Tool order"]), (&golden, ["6f1d2c3a_1", "watering script"])]
    {
        let mut text = std::fs::read_to_string(file).unwrap();
        for word in words {
            assert!(text.contains(word), "{word} in {file}");
            text = text.replace(word, &format!("{word}\\u001b[2J\\u202e\\u009b"));
        }
        std::fs::write(file, text).unwrap();
    }
    for args in [
        &["diff", "--before", &report, "--after", &report][..],
        &["diff", "--before", &report, "--after", &report, "--format", "edd"],
        &["suggest", "--report", &report],
        &["suggest", "--report", &report, "--edd"],
        &["golden", "show", &golden],
        &["golden", "strength", &golden],
        &["review", "--input", &golden],
        &["run", "--cases", &golden, "--dry-run"],
        &["state", "--session", "a\u{1b}[2J"],
    ] {
        let output = run(&program("edd"), args, folder);
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        let acts = said.contains(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}');
        assert!(!acts && !said.is_empty(), "{args:?}: {said:?}");
    }
}

#[test]
fn nothing_in_a_score_file_acts_on_the_terminal() {
    let home = tempfile::tempdir().unwrap();
    let scores = home.path().join(".openclaw/scores");
    std::fs::create_dir_all(&scores).unwrap();
    let bad = "e\\u001b[2J\\u202e\\u009b";
    for time in [format!("2026-03-{bad}"), "2026-03-14T22:30:00.000Z".to_owned()] {
        let record = format!(
            r#"{{"sessionId":"{bad}","sessionKey":"{bad}","model":"{bad}","timestamp":"{time}","success":true,
                "scores":{{"accuracy":0.5,"completeness":0.8,"autonomy":1,"consistency":1}},"overall":0.83}}"#
        );
        std::fs::write(scores.join(format!("{}.json", time.len())), record).unwrap();
    }
    for command in ["worst", "trend", "summary"] {
        for profile in ["default", "session_scorer_v1"] {
            let args = [command, "--profile", profile, "--since", "2026-03-01"];
            let output = run(&program("scores"), &args, home.path());
            let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
            let acts = said.contains(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}');
            assert!(!acts && !said.is_empty(), "{args:?}: {said:?}");
        }
    }
}

#[test]
fn what_is_named_and_is_no_session_is_bad_input() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let (missing, other, all) = (path("missing.jsonl"), path("other.jsonl"), data(""));
    std::fs::write(&other, "no session\n").unwrap();
    for (name, args) in [
        ("scores", vec!["score", &all, &missing]),
        ("scores", vec!["score", &all, &other, "--json"]),
        ("scores", vec!["explain", &other]),
        ("edd", vec!["sessions", &all, &missing]),
        ("edd", vec!["sessions", &other, "--format", "json"]),
        ("edd", vec!["trace", &missing]),
        ("edd", vec!["trace", &other, "--last"]),
        ("edd", vec!["mine", "--from", &all, &missing]),
    ] {
        let args: Vec<String> = args.into_iter().map(str::to_owned).collect();
        let output = into(Stdio::piped(), name, &args, home.path());
        let said = String::from_utf8(output.stderr.clone()).unwrap();
        assert_eq!(code(&output), Some(exit::USAGE), "{name} {args:?}: {said}");
        assert!(said.contains("missing.jsonl") || said.contains("other.jsonl"), "{name} {args:?}: {said}");
    }
}

#[test]
fn numbers_that_cannot_be_meant_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let cases = data("cases.yaml");
    for args in [
        &["run", "--cases", &cases, "--dry-run", "--timeout-s", "nan"][..],
        &["run", "--cases", &cases, "--dry-run", "--timeout-s", "-1"],
        &["run", "--cases", &cases, "--dry-run", "--max-cost", "-0.5"],
        &["export", "--output", "x.jsonl", "--test-share", "2"],
        &["export", "--test-share", "0.5"],
    ] {
        let output = run(&program("edd"), args, home.path());
        assert_eq!(code(&output), Some(exit::USAGE), "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_are_read_and_shown() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(OsStr::from_bytes(b"a\xffb"));
    let file = folder.join(OsStr::from_bytes(b"s\xfe.jsonl"));
    std::fs::create_dir(&folder).unwrap();
    // Damaged too, so that `doctor` names the file.
    let session = std::fs::read_to_string(data(SESSION)).unwrap() + "{\n";
    std::fs::write(&file, session).unwrap();
    let call = |name: &str, args: &[&OsStr]| {
        let mut command = Command::new(program(name));
        command.args(args).env("HOME", &folder).stdin(Stdio::null()).output().unwrap()
    };
    let (folder_name, file_name) = (folder.as_os_str(), file.as_os_str());
    let word = OsStr::new;
    for (name, args, exit) in [
        ("scores", vec![word("score"), folder_name, word("--json")], exit::OK),
        ("scores", vec![word("explain"), file_name, word("--json")], exit::OK),
        ("scores", vec![word("compare"), folder_name, folder_name, word("--json")], exit::NOTHING),
        ("edd", vec![word("doctor"), folder_name, word("--format"), word("json")], exit::NO),
        ("edd", vec![word("sessions"), folder_name, word("--format"), word("json")], exit::OK),
        ("edd", vec![word("trace"), file_name, word("--format"), word("json")], exit::OK),
        (
            "edd",
            vec![word("artifacts"), file_name, word("--session"), word("6f1d"), word("--extract")],
            exit::OK,
        ),
        ("edd", vec![word("artifacts")], exit::OK),
    ] {
        let output = call(name, &args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(code(&output), Some(exit), "{name} {args:?}: {said}");
        let json: Result<serde_json::Value, _> = serde_json::from_slice(&output.stdout);
        assert!(json.is_ok(), "{name} {args:?}: {:?}: {said}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn json_is_json_when_there_is_no_score() {
    let home = tempfile::tempdir().unwrap();
    let session = data("6f1d2c3a-0b1e-4c55-9a77-1f0a3f5d1005.jsonl");
    let empty = home.path().join("empty.jsonl");
    std::fs::write(&empty, "").unwrap();
    for session in [session.as_str(), empty.to_str().unwrap()] {
        let output = run(&program("scores"), &["explain", session, "--json"], home.path());
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(json["sessionId"].is_string(), "{json}");
    }
}

#[test]
fn a_readme_that_is_no_card_is_not_replaced() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("README.md"), "# My project\n").unwrap();
    let (all, output) = (data(""), path("train.jsonl"));
    let export = ["export", "--from", &all, "--format", "sft", "--output", &output];
    let refused = run(&program("edd"), &export, home.path());
    assert_eq!(code(&refused), Some(exit::USAGE));
    assert_eq!(std::fs::read_to_string(path("README.md")).unwrap(), "# My project\n");
    assert!(!Path::new(&output).exists());
    std::fs::remove_file(path("README.md")).unwrap();
    for _ in 0..2 {
        assert_eq!(code(&run(&program("edd"), &export, home.path())), Some(exit::OK));
    }
}

//! The built program: options, exit codes, files.

use std::path::Path;
use std::process::Output;

use clawgauge_support::exit;
use serde_json::Value;

use crate::support::{program, records, run};

/// A home folder with the sample's records under `.openclaw/scores`.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let scores = home.path().join(".openclaw").join("scores");
    std::fs::create_dir_all(&scores).unwrap();
    for (name, record) in records() {
        std::fs::write(scores.join(name), record.to_text()).unwrap();
    }
    home
}

fn scores(home: &Path, args: &[&str]) -> Output {
    run(&program("scores"), args, home)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn code(output: &Output) -> Option<u8> {
    output.status.code().and_then(|code| u8::try_from(code).ok())
}

const SPRING: [&str; 4] = ["--since", "2026-03-01", "--until", "2026-04-01"];

fn with(args: &[&'static str]) -> Vec<&'static str> {
    [args, &SPRING].concat()
}

#[test]
fn the_default_folder_is_read_and_every_command_speaks_json() {
    let home = home();
    let commands: [&[&'static str]; 5] = [
        &["summary", "--json"],
        &["trend", "--json", "--utc-offset", "-05:00"],
        &["worst", "--json", "--n", "2"],
        &["check", "--json", "--min-overall", "0.1"],
        &["worst", "--json", "--profile", "session_scorer_v1"],
    ];
    for args in commands {
        let output = scores(home.path(), &with(args));
        assert_eq!(code(&output), Some(exit::OK), "{args:?}: {}", text(&output.stderr));
        let _value: Value = serde_json::from_slice(&output.stdout).unwrap();
    }
    let output = scores(home.path(), &["compare", "model=small", "model=large,2026-03-14..", "--json"]);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&value["scores"]["overall"]["a"]["sessions"], &value["scores"]["overall"]["b"]["sessions"]),
        (&2.into(), &2.into())
    );
}

#[test]
fn options_are_checked() {
    let home = home();
    for args in [
        &["summary", "--days", "0"][..],
        &["worst", "--n", "x"],
        &["summary", "--profile", "v2"],
        &["trend", "--utc-offset", "Berlin"],
        &["check", "--min-overall", "7"],
        &["check"],
        &["best"],
        &["summary", "--since", "yesterday"],
        &["summary", "--since", "2026-03-02", "--until", "2026-03-01"],
        &["compare", "small", "model=large"],
        &["summary", "--scores-dir", "/nowhere"],
        &["score", "--rules", "/nowhere"],
        &["calibrate", "/nowhere"],
    ] {
        let output = scores(home.path(), args);
        assert_eq!(code(&output), Some(exit::USAGE), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{args:?}");
    }
    for args in [
        &["trend", "--svg", "/nowhere/trend.svg", "--since", "2026-03-01"][..],
        &["score", "--save", "--scores-dir", "/proc/nowhere"],
    ] {
        let output = scores(home.path(), args);
        assert_eq!(code(&output), Some(exit::IO), "{args:?}");
        assert!(text(&output.stderr).starts_with("scores: "), "{args:?}");
    }
}

#[test]
fn help_tells_the_exit_codes() {
    let home = home();
    for args in [&["--help"][..], &["check", "--help"], &["score", "--help"]] {
        let output = scores(home.path(), args);
        assert!(text(&output.stdout).contains("Exit codes:\n  0  "), "{args:?}");
    }
}

#[test]
fn check_answers_by_exit_code() {
    let home = home();
    let check = |args: &[&'static str]| code(&scores(home.path(), &with(&[&["check"], args].concat())));
    assert_eq!(check(&["--min-overall", "0.5"]), Some(exit::OK));
    assert_eq!(check(&["--min-overall", "0.99"]), Some(exit::NO));
    assert_eq!(check(&["--min-overall", "0.1", "--model", "none"]), Some(exit::NOTHING));
}

#[test]
fn the_trend_is_drawn_into_a_file() {
    let home = home();
    let file = home.path().join("trend.svg");
    let output = scores(
        home.path(),
        &with(&["trend"]).into_iter().chain(["--svg", file.to_str().unwrap()]).collect::<Vec<_>>(),
    );
    assert_eq!(code(&output), Some(exit::OK), "{}", text(&output.stderr));
    assert!(std::fs::read_to_string(file).unwrap().starts_with("<svg"));
}

#[test]
fn two_folders_can_be_compared() {
    let (a, b) = (home(), home());
    let path = |home: &Path| home.join(".openclaw/scores").to_str().unwrap().to_owned();
    let output = scores(a.path(), &["compare", &path(a.path()), &path(b.path())]);
    assert_eq!(code(&output), Some(exit::OK));
    assert!(
        text(&output.stdout).contains("no clear difference") || text(&output.stdout).contains("too few"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn a_home_without_scores_is_empty_not_an_error() {
    let home = tempfile::tempdir().unwrap();
    let output = scores(home.path(), &["worst"]);
    assert_eq!((code(&output), text(&output.stdout)), (Some(exit::OK), "No scores found.\n".to_owned()));
}

#[cfg(unix)]
#[test]
fn by_the_plugins_name_it_answers_as_the_plugin() {
    let home = home();
    let name = home.path().join("openclaw-scores");
    std::os::unix::fs::symlink(program("scores"), &name).unwrap();
    let output = run(&name, &["worst", "--n", "1x"], home.path());
    let expected = format!(
        "Worst 1 Sessions\n{}\n2026-03-14 22:30  overall=0.83  acc=0.5 comp=0.8 auto=1 cons=1  [eeeeeeee]\n",
        "─".repeat(70)
    );
    assert_eq!(text(&output.stdout), expected);
    let output = run(&name, &["--json", "summary"], home.path());
    assert_eq!(code(&output), Some(1));
    assert!(text(&output.stdout).starts_with("Usage: openclaw-scores"));
}

//! Risk and effort in what `scores` says.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use chrono::FixedOffset;
use clawgauge_scoring::{Filter, Profile, ScoreRecord};
use clawgauge_support::exit;
use clawgauge_support::scores::{Folder, Least, Period, Set, View, check, compare, summary, trend, worst};
use serde_json::{Value, json};

use crate::support::{self, program, records, run, time};

/// The records of [`records`] with risks. The one that the plugin wrote by itself, and the one that was skipped, have none.
fn with_risks() -> Vec<(String, ScoreRecord)> {
    let risks = [("aaaaaaaa-1", 10), ("bbbbbbbb-2", 65), ("cccccccc-3", 0), ("dddddddd-4", 25)];
    let with = |(name, record): (String, ScoreRecord)| {
        let mut value: Value = serde_json::from_str(&record.to_line()).unwrap();
        if let Some((_, risk)) = risks.iter().find(|(id, _)| value["sessionId"] == *id) {
            let mut reasons = vec![json!({ "sign": "unresolved-errors", "points": 25, "riskRatio": 1.33 })];
            if *risk > 25 {
                reasons.push(json!({ "sign": "no-calls", "points": 20, "riskRatio": 1.25 }));
                reasons.push(json!({ "sign": "apology", "points": 10, "riskRatio": 1.35 }));
                reasons.push(json!({ "sign": "hedge", "points": 10, "riskRatio": 1.16 }));
            }
            if *risk < 25 {
                reasons = vec![json!({ "sign": "hedge", "points": risk, "riskRatio": 1.16 })];
            }
            value["profiles"]["default"]["risk"] =
                json!({ "value": risk, "kind": "task", "reasons": reasons, "flags": [] });
        }
        (name, ScoreRecord::parse(value.to_string().as_bytes()).unwrap())
    };
    records().into_iter().map(with).collect()
}

fn folder(records: Vec<(String, ScoreRecord)>) -> Folder {
    Folder::read(records.into_iter().map(|(name, record)| (name, Ok(record.to_text()))))
}

fn view() -> View {
    View {
        profile: Profile::Default,
        period: Period::days(30.0),
        filter: Filter::default(),
        now: time("2026-03-15T12:00:00Z"),
        offset: FixedOffset::east_opt(0).unwrap(),
        json: false,
    }
}

#[test]
fn worst_by_risk_names_the_first_reasons() {
    insta::assert_snapshot!(worst(&folder(with_risks()), &view(), 2, true).stdout);
}

#[test]
fn worst_by_risk_in_json_is_in_the_same_order() {
    let answer = worst(&folder(with_risks()), &View { json: true, ..view() }, 9, true);
    let value: Value = serde_json::from_str(&answer.stdout).unwrap();
    let risks: Vec<i64> = value["worst"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| record["profiles"]["default"]["risk"]["value"].as_i64().unwrap())
        .collect();
    assert_eq!(risks, [65, 25, 10, 0]);
    // The plugin's own record and the skipped one have no risk, which is not a risk of 0.
    assert_eq!(value["withoutScore"], 2);
}

#[test]
fn summary_and_trend_show_the_mean_risk() {
    let folder = folder(with_risks());
    let of = |answer: String| answer.lines().filter(|line| line.to_lowercase().contains("risk")).count();
    assert_eq!(of(summary(&folder, &view()).stdout), 1);
    // 10, 65, 0 and 25 make a mean of 25.
    insta::assert_snapshot!(summary(&folder, &view()).stdout);
    insta::assert_snapshot!(trend(&folder, &view()).stdout);
}

#[test]
fn the_plugins_text_knows_no_risk() {
    let v1 = View { profile: Profile::SessionScorerV1, ..view() };
    let (with, without) = (folder(with_risks()), folder(records()));
    assert_eq!(summary(&with, &v1), summary(&without, &v1));
    assert_eq!(trend(&with, &v1), trend(&without, &v1));
    assert_eq!(worst(&with, &v1, 5, false), worst(&without, &v1, 5, false));
    let check = |folder| check(folder, &v1, &Least { overall: Some(0.5), ..Least::default() });
    assert_eq!(check(&with), check(&without));
}

#[test]
fn check_fails_above_the_risk_that_is_allowed() {
    let least = |most| Least { most_risk: Some(most), ..Least::default() };
    let folder = folder(with_risks());
    assert_eq!(check(&folder, &view(), &least(25.0)).exit, exit::OK);
    let above = check(&folder, &view(), &least(24.9));
    assert_eq!(above.exit, exit::NO);
    insta::assert_snapshot!(above.stdout);
    let json = check(&folder, &View { json: true, ..view() }, &least(24.9)).stdout;
    let value: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["checks"][0], json!({ "name": "risk", "most": 24.9, "found": 25.0, "state": "above" }));
    // No risk in any record: nothing was judged.
    assert_eq!(check(&self::folder(records()), &view(), &least(50.0)).exit, exit::NOTHING);
}

#[test]
fn the_program_asks_for_risks_by_its_options() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".openclaw/scores");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, record) in with_risks() {
        std::fs::write(folder.join(name), record.to_text()).unwrap();
    }
    let month = ["--since", "2026-03-01", "--until", "2026-04-01"];
    let ask = |args: &[&str]| scores(home.path(), &[args, &month].concat());
    let worst = ask(&["worst", "--by", "risk", "--n", "1"]);
    assert!(out(&worst).contains("risk=65  [bbbbbbbb]"), "{}{}", out(&worst), err(&worst));
    assert_eq!(code(&ask(&["check", "--max-risk", "25"])), Some(exit::OK));
    assert_eq!(code(&ask(&["check", "--max-risk", "24.9"])), Some(exit::NO));
    assert_eq!(code(&ask(&["check", "--max-risk", "101"])), Some(exit::USAGE));
    let compared = scores(home.path(), &["compare", "model=small", "model=large"]);
    assert!(out(&compared).lines().any(|line| line.starts_with("risk ")), "{}", out(&compared));
}

/// Eight records with risks about a middle.
fn about(middle: u32) -> Folder {
    let file = |at: u32| {
        let risk = json!({ "value": middle + at, "kind": "task", "reasons": [], "flags": [] });
        let default = json!({ "scores": {}, "overall": { "value": 0.5 }, "risk": risk });
        let text = json!({ "sessionId": at.to_string(), "profiles": { "default": default } });
        (format!("{at}.json"), Ok(text.to_string()))
    };
    Folder::read((0..8).map(file))
}

#[test]
fn of_a_risk_less_is_better() {
    let (low, high) = (about(10), about(60));
    let set = |folder| Set { name: "x".to_owned(), folder, filter: Filter::default() };
    let verdict = |a, b| {
        let answer = compare(&set(a), &set(b), Profile::Default, 1, false, true);
        let value: Value = serde_json::from_str(&answer.stdout).unwrap();
        value["scores"]["risk"]["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict(&high, &low), "better");
    assert_eq!(verdict(&low, &high), "worse");
    assert_eq!(verdict(&low, &low), "no-clear-difference");
    insta::assert_snapshot!(compare(&set(&high), &set(&low), Profile::Default, 1, false, false).stdout);
}

fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/scores/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn scores(home: &Path, args: &[&str]) -> Output {
    run(&program("scores"), args, home)
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

/// A home whose scores folder holds twelve sessions of the model in the fixtures, each with more work than the one before.
fn home_with_history() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let scores = home.path().join(".openclaw/scores");
    std::fs::create_dir_all(&scores).unwrap();
    for at in 0..12 {
        let default = json!({ "work": { "chars": at * 25, "calls": at } });
        let text =
            json!({ "sessionId": at.to_string(), "model": "acme-large", "profiles": { "default": default } });
        std::fs::write(scores.join(format!("{at}.json")), text.to_string()).unwrap();
    }
    home
}

#[test]
fn a_failed_run_explained() {
    let home = home_with_history();
    let output = scores(home.path(), &["explain", &fixture("failed.jsonl")]);
    assert_eq!(code(&output), Some(exit::OK), "{}", err(&output));
    insta::assert_snapshot!(out(&output));
}

#[test]
fn a_successful_run_explained() {
    let home = home_with_history();
    let output = scores(home.path(), &["explain", &fixture("successful.jsonl")]);
    assert_eq!(code(&output), Some(exit::OK), "{}", err(&output));
    insta::assert_snapshot!(out(&output));
}

#[test]
fn what_is_quoted_does_nothing_to_a_terminal() {
    let text = std::fs::read_to_string(fixture("failed.jsonl")).unwrap();
    let (_folder, path) =
        file("s.jsonl", &text.replace("Perhaps it has", r"Perhaps \u001b[2J it \u202e has"));
    let output = scores(tempfile::tempdir().unwrap().path(), &["explain", path.to_str().unwrap()]);
    let text = out(&output);
    assert!(text.contains("Perhaps \u{fffd}[2J it \u{fffd} has expired."), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
}

#[test]
fn effort_goes_into_the_record_and_leaves_the_risk_alone() {
    let json = |home: &Path| -> Value {
        let output = scores(home, &["explain", "--json", &fixture("failed.jsonl")]);
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let alone = json(tempfile::tempdir().unwrap().path());
    let with = json(home_with_history().path());
    let (alone, with) = (&alone["profiles"]["default"], &with["profiles"]["default"]);
    assert_eq!(alone["effort"], Value::Null, "no history is no effort, not an effort of 0");
    assert_eq!(alone["risk"], with["risk"]);
    // Four calls stand in the middle of 0 to 11: four below, one equal.
    assert_eq!(with["effort"]["calls"].as_f64().unwrap(), 4.5 / 12.0);
    assert_eq!(with["effort"]["sessions"], 12);
    assert!(with["effort"]["risk"].as_f64().unwrap() > 0.0);
}

#[test]
fn without_records_sessions_are_compared_with_each_other_and_it_is_said() {
    let home = tempfile::tempdir().unwrap();
    let sessions = home.path().join("sessions");
    std::fs::create_dir(&sessions).unwrap();
    let text = std::fs::read_to_string(fixture("successful.jsonl")).unwrap();
    for at in 0..10 {
        let text = text.replace("5e0f2c6d2002", &format!("5e0f2c6d30{at:02}"));
        std::fs::write(sessions.join(format!("{at}.jsonl")), text).unwrap();
    }
    let folder = sessions.to_str().unwrap();
    let output = scores(home.path(), &["score", folder, "--save"]);
    assert!(out(&output).contains("Effort is told among these sessions"), "{}{}", out(&output), err(&output));
    let record = home.path().join(".openclaw/scores/7b40c9d2-1d3e-4f60-8a11-5e0f2c6d3004.json");
    let record: Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
    assert_eq!(record["profiles"]["default"]["effort"]["value"], 0.5, "all ten are alike");
    // They are kept now, and nothing has changed.
    let again = scores(home.path(), &["score", folder, "--save"]);
    assert!(out(&again).contains("10 unchanged"), "{}", out(&again));
    let later = scores(home.path(), &["score", &fixture("failed.jsonl")]);
    assert!(!out(&later).contains("among these sessions"), "{}", out(&later));
    assert!(out(&later).contains("of 10 sessions"), "{}", out(&later));
}

/// A file in a new folder.
fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn piped(home: &Path, args: &[&str], input: &str) -> Output {
    support::piped(&program("scores"), args, home, input)
}

#[test]
fn rules_of_a_file_hold_for_every_command_that_scores() {
    let home = tempfile::tempdir().unwrap();
    // Only apologies count, and 40 points.
    let (_folder, rules) =
        file("rules.json", r#"{"version":"ours-1","risk":{"apology":40},"riskWithBaseline":{"apology":40}}"#);
    let rules = rules.to_str().unwrap();
    let failed = fixture("failed.jsonl");
    let transcript = std::fs::read_to_string(&failed).unwrap();

    let explained = scores(home.path(), &["explain", &failed, "--rules", rules]);
    assert!(out(&explained).contains("rules ours-1"), "{}{}", out(&explained), err(&explained));
    assert!(out(&explained).contains("risk of failure 40 of 100"), "{}", out(&explained));

    let risk = |json: &Value| json["profiles"]["default"]["risk"]["value"].clone();
    let scored = scores(home.path(), &["score", &failed, "--json", "--rules", rules]);
    let scored: Value = serde_json::from_slice(&scored.stdout).unwrap();
    assert_eq!(risk(&scored["sessions"][0]["record"]), 40);

    let line = json!({ "transcript": transcript }).to_string();
    let streamed = piped(home.path(), &["--ndjson", "--rules", rules], &line);
    assert_eq!(risk(&serde_json::from_slice(&streamed.stdout).unwrap()), 40, "{}", err(&streamed));

    let messages: Vec<Value> = transcript
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).unwrap().get("message").cloned())
        .collect();
    let payload =
        json!({ "event": { "messages": messages, "success": true }, "ctx": { "sessionId": "hooked" } });
    let hooked = piped(home.path(), &["hook", "--rules", rules], &payload.to_string());
    assert_eq!(code(&hooked), Some(exit::OK), "{}", err(&hooked));
    let record = std::fs::read(home.path().join(".openclaw/scores/hooked.json")).unwrap();
    assert_eq!(risk(&serde_json::from_slice(&record).unwrap()), 40);
}

#[test]
fn other_rules_score_saved_sessions_again() {
    let home = tempfile::tempdir().unwrap();
    let failed = fixture("failed.jsonl");
    let save = |rules: Option<&str>| {
        let mut args = vec!["score", &*failed, "--save"];
        let held = rules.map(|text| file("rules.json", text));
        let path = held.as_ref().map(|(_, path)| path.to_str().unwrap());
        if let Some(path) = path {
            args.extend(["--rules", path]);
        }
        out(&scores(home.path(), &args))
    };
    assert!(save(None).contains("1 saved"));
    assert!(save(None).contains("1 unchanged"));
    assert!(save(Some(r#"{"risk":{"hedge":5}}"#)).contains("1 saved"));
    assert!(save(Some(r#"{"risk":{"hedge":5}}"#)).contains("1 unchanged"));
    // The version is the same, the rules are not.
    assert!(save(Some(r#"{"risk":{"hedge":6}}"#)).contains("1 saved"));
}

#[test]
fn rules_that_cannot_be_meant_are_refused_with_the_place() {
    let home = tempfile::tempdir().unwrap();
    for (text, says) in [
        ("{", "line 1"),
        (r#"{"risks":{}}"#, "unknown field `risks`"),
        (r#"{"risk":{"apologies":5}}"#, "unknown field `apologies`"),
        (r#"{"risk":{"apology":-5}}"#, "-5"),
        (r#"{"languages":{"en":{"hedges":[{"id":"x","pattern":"("}]}}}"#, "hedges"),
    ] {
        let (_folder, path) = file("rules.json", text);
        for args in [&["explain", "x"][..], &["score"], &["hook"], &["--ndjson"], &["calibrate", "x"]] {
            let args = [args, &["--rules", path.to_str().unwrap()]].concat();
            let output = piped(home.path(), &args, "");
            assert_eq!(code(&output), Some(exit::USAGE), "{args:?}: {text}");
            assert!(
                err(&output).contains("rules.json") && err(&output).contains(says),
                "{args:?}: {}",
                err(&output)
            );
        }
    }
    let alone = scores(home.path(), &["--rules", "x.json"]);
    assert_eq!(code(&alone), Some(exit::USAGE));
}

/// Runs with a known outcome: `tasks` tasks of two runs, of which the failed one apologises in two of three cases.
fn known_runs(source: &str, tasks: usize) -> String {
    let run = |at: usize| {
        let failed = at.is_multiple_of(2);
        let text = if failed && !at.is_multiple_of(3) {
            "I'm sorry, that went wrong."
        } else {
            "The file is in place."
        };
        let messages = json!([
            { "role": "user", "content": "Put the file in place" },
            { "role": "assistant", "content": [{ "type": "toolCall", "id": "1", "name": "write", "arguments": { "path": "a" } }] },
            { "role": "toolResult", "toolCallId": "1", "toolName": "write", "content": [{ "type": "text", "text": "ok" }] },
            { "role": "assistant", "content": [{ "type": "text", "text": text }] },
        ]);
        json!({ "source": source, "task_id": (at / 2).to_string(), "model": "m", "label": u8::from(!failed), "messages": messages })
            .to_string()
    };
    (0..tasks * 2).map(|at| run(at) + "\n").collect()
}

#[test]
fn calibrate_prints_a_table_a_file_and_one_of_all() {
    let home = tempfile::tempdir().unwrap();
    for source in ["one", "two"] {
        std::fs::write(home.path().join(format!("{source}.jsonl")), known_runs(source, 30)).unwrap();
    }
    let output = Command::new(program("scores"))
        .args(["calibrate", "one.jsonl", "two.jsonl", "--rounds", "50", "--svg", "risk.svg"])
        .current_dir(home.path())
        .output()
        .unwrap();
    assert_eq!(code(&output), Some(exit::OK), "{}", err(&output));
    let text = out(&output);
    let tables = ["\none.jsonl\n", "\ntwo.jsonl\n", "\nall together\n"];
    assert!(tables.iter().all(|title| text.contains(title)), "{text}");
    // Two of three failed runs apologise, no other does: those pairs are won, the rest are ties.
    let apologies: Vec<&str> = text.lines().filter(|line| line.starts_with("apology")).collect();
    assert_eq!(apologies.len(), 3);
    assert!(apologies.iter().all(|line| line.contains(" .833 ")), "{apologies:?}");
    let last = text.split("with effort\n").last().unwrap();
    insta::assert_snapshot!(last);
    assert!(std::fs::read_to_string(home.path().join("risk.svg")).unwrap().starts_with("<svg"));

    // One file has one table.
    let one = scores(
        home.path(),
        &["calibrate", home.path().join("one.jsonl").to_str().unwrap(), "--rounds", "20"],
    );
    assert_eq!(out(&one).matches("apology").count(), 1);
    assert!(!out(&one).contains("all together"));
}

#[test]
fn weights_of_too_few_runs_are_refused_and_no_file_is_written() {
    let home = tempfile::tempdir().unwrap();
    let weights = home.path().join("weights.json");
    let args = ["calibrate", "-", "--rounds", "20", "--weights", weights.to_str().unwrap()];
    let output = piped(home.path(), &args, &known_runs("one", 20));
    assert_eq!(code(&output), Some(exit::NO));
    assert!(err(&output).contains("no weights written: 40 runs"), "{}", err(&output));
    assert!(!weights.exists());
    assert_eq!(code(&piped(home.path(), &args, "")), Some(exit::NOTHING));

    let output = piped(home.path(), &args, &(known_runs("one", 40) + &known_runs("two", 40)));
    assert_eq!(code(&output), Some(exit::OK), "{}", err(&output));
    assert!(
        out(&output).contains("other tasks") && out(&output).contains("other sources"),
        "{}",
        out(&output)
    );
    // What was written is what every command reads.
    let explained =
        scores(home.path(), &["explain", &fixture("failed.jsonl"), "--rules", weights.to_str().unwrap()]);
    assert!(out(&explained).contains("rules fitted"), "{}{}", out(&explained), err(&explained));
}

#[test]
fn a_line_without_a_label_is_passed_over_and_named() {
    let home = tempfile::tempdir().unwrap();
    let output =
        piped(home.path(), &["calibrate", "-", "--rounds", "20"], &format!("{{}}\n{}", known_runs("one", 3)));
    assert_eq!(code(&output), Some(exit::OK));
    assert_eq!(err(&output), "scores: standard input, line 1: no label; passed over\n");
}

#[test]
fn what_is_no_list_of_runs_is_said_once() {
    let home = tempfile::tempdir().unwrap();
    let lines = "no run\n".repeat(100) + &known_runs("one", 3);
    let output = piped(home.path(), &["calibrate", "-", "--rounds", "20"], &lines);
    assert_eq!(err(&output).lines().count(), 21, "{}", err(&output));
    assert!(err(&output).ends_with("standard input: 80 more lines passed over\n"), "{}", err(&output));

    let file = home.path().join("runs.jsonl.gz");
    std::fs::write(&file, [0x1f, 0x8b, 8, 0, b'\n', b'\n']).unwrap();
    let output = scores(home.path(), &["calibrate", file.to_str().unwrap()]);
    assert_eq!(code(&output), Some(exit::USAGE));
    assert!(err(&output).contains("zcat"), "{}", err(&output));
}

#[test]
fn calibrate_tells_machines_the_same() {
    let home = tempfile::tempdir().unwrap();
    let args = ["calibrate", "-", "--rounds", "20", "--json"];
    let output = piped(home.path(), &args, &known_runs("one", 30));
    let told: Value = serde_json::from_str(&out(&output)).unwrap();
    let measures = told["sets"][0]["measures"].as_array().unwrap();
    let find = |name: &str| measures.iter().find(|measure| measure["name"] == name).unwrap();
    // Two of three failed runs apologise, no other does: 30 of each, 900 pairs, of which 600 are won.
    assert_eq!(find("apology")["pairs"], 900);
    assert_eq!(find("apology")["ties"], 300);
    assert_eq!(find("no-calls")["auc"], 0.5, "all runs have a call");
    let runs: u64 =
        told["reliability"].as_array().unwrap().iter().map(|band| band["runs"].as_u64().unwrap()).sum();
    assert_eq!((runs, told["fits"].as_array().unwrap().len()), (60, 0));
}

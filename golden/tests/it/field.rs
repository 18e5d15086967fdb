//! Faults that people reported, and their kinds.

use clawgauge_cases::{Format, Json, LoadOptions, Suite};
use clawgauge_golden::{
    Export, ExportOptions, MineOptions, Miner, Record, RecordFile, Source, add_to_suite, to_cases,
};
use clawgauge_transcript::Transcript;
use serde_json::{Value, json};

use crate::support::{SessionText, asserted, failures_on_source, fixture, mine, now, redactor};

#[test]
fn case_61_mining_keeps_what_is_there() {
    let before = fixture("field/61-mine-keeps-existing.yaml");
    let new: Value = serde_json::from_str(&fixture("field/61-mine-keeps-existing.json")).unwrap();
    let records: Vec<Record> = new["new"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let mut session = SessionText::new("sess-61");
            session.user(one["message"].as_str().unwrap());
            session.calls(&[(one["tools"][0].as_str().unwrap(), json!({"command": "go"}), "gone")]);
            session.answer("Done.");
            mine(&session.finish(), MineOptions::default()).records.remove(0)
        })
        .collect();
    let merged = add_to_suite(&before, Format::Yaml, &records).unwrap();
    assert!(merged.text.starts_with(&before), "every byte stays");
    assert_eq!((merged.added.len(), merged.known), (1, 1));
    assert_eq!(merged.text.matches("message").count(), 3);
    assert!(merged.text.contains("trim the hedge"));
    let suite = Suite::parse(&merged.text, Format::Yaml, &LoadOptions::default()).unwrap();
    assert_eq!(suite.cases.len(), 3, "also with the key `reviewed`");
    let again = add_to_suite(&merged.text, Format::Yaml, &records).unwrap();
    assert_eq!((again.text, again.known), (merged.text, 2));
    assert!(add_to_suite("cases: [", Format::Yaml, &records).is_err(), "a broken file is not overwritten");
}

#[test]
fn case_62_no_secret_leaves() {
    let session = fixture("field/62-redaction-at-export.jsonl");
    let mined = mine(&session, MineOptions::default());
    let file = RecordFile::of(mined.records);
    let redactor = redactor();
    let export = Export::new(file.records(), ExportOptions::default(), &redactor).unwrap();
    let secrets =
        ["FAKE0001", "FAKE.TOKEN.0002", "pw0003", "FAKE0004", "FAKE0005", "fake.person", "fakeuser", "ghp_"];
    for (shape, text) in [("jsonl", export.jsonl()), ("csv", export.csv().unwrap()), ("sft", export.sft())] {
        assert!(!text.is_empty(), "{shape}");
        for secret in secrets {
            assert!(!text.contains(secret), "{secret} is in {shape}: {text}");
        }
    }
    let again = Export::new(export.records(), ExportOptions::default(), &redactor).unwrap();
    assert_eq!(again.redactions().total(), 0);
    assert_eq!(again.jsonl(), export.jsonl());
    assert!(export.card().redactions.values().sum::<u64>() >= 6, "{:?}", export.card().redactions);
}

#[test]
fn case_64_assertions_carry_the_answer() {
    let session = fixture("field/64-asserts-from-output.jsonl");
    let mined = mine(&session, MineOptions::default());
    let record = &mined.records[0];
    let values: Vec<String> = asserted(record, "contains")
        .iter()
        .map(|one| one.get("value").unwrap().as_str().unwrap().to_owned())
        .collect();
    assert_eq!(values, ["12", "ferns"]);
    let args = asserted(record, "tool_args")[0].get("args").unwrap();
    assert_eq!(args.get("command").and_then(Json::as_str), Some("count ferns"));
    let turns: Vec<_> = record.turns().collect();
    assert!(
        turns[0]
            .assertions()
            .all(|one| one.get("why").and_then(Json::as_str).is_some_and(|why| !why.is_empty()))
    );
    assert_eq!(failures_on_source(record, &Transcript::from_str(&session)), [""; 0]);
}

#[test]
fn case_65_round_trip() {
    let text = fixture("field/65-golden-roundtrip.jsonl");
    let suite = Suite::parse(&text, Format::Jsonl, &LoadOptions::default().approved_only(true)).unwrap();
    let ids: Vec<&str> = suite.cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids, ["g1#1", "g1#2"]);
    let file = RecordFile::parse(&text);
    let records: Vec<&Record> = file.records().collect();
    assert!(to_cases([records[1]]).unwrap_err().to_string().contains("mystery"));
    let export =
        Export::new(file.records(), ExportOptions::default().approved_only(true), &redactor()).unwrap();
    assert_eq!(export.held_back(), (1, 0));
    let once = export.jsonl();
    assert_eq!(once.trim_end(), text.lines().next().unwrap(), "byte for byte");
    let twice =
        Export::new(RecordFile::parse(&once).records(), ExportOptions::default(), &redactor()).unwrap();
    assert_eq!(twice.jsonl(), once);
}

#[test]
fn the_same_question_forty_times_is_one_record() {
    let redactor = redactor();
    let mut miner = Miner::new(MineOptions::default(), &redactor);
    for at in 0..40 {
        let mut session = SessionText::new(&format!("{at:08}-s"));
        session.user(if at % 2 == 0 { "How many ferns?" } else { "how many  ferns" });
        session.calls(&[(
            "exec",
            json!({"command": format!("count ferns --run {at}"), "cwd": "garden"}),
            "ferns: 12",
        )]);
        session.answer("There are 12 ferns.");
        miner.add(&Source::new(&Transcript::from_str(&session.finish())));
    }
    let mined = miner.finish(now());
    assert_eq!(mined.records.len(), 1);
    assert_eq!(mined.records[0].metadata("occurrences"), Some(&Json::from(40_u64)));
    let args = asserted(&mined.records[0], "tool_args")[0].get("args").unwrap();
    // Nothing in `--run 7` looks volatile: that it varies was learnt.
    assert_eq!(args.compact(), r#"{"command": "count ferns", "cwd": "garden"}"#);
}

#[test]
fn what_is_no_good_turn_is_left_out_with_its_reason() {
    let mut session = SessionText::new("sess-bad");
    session.user("one");
    session.end("error");
    session.user("two");
    session.end("aborted");
    session.user("[OpenClaw heartbeat poll]");
    session.answer("HEARTBEAT_OK");
    session.user("three");
    session.answer("NO_REPLY");
    session.user("four");
    session.answer("Four.");
    session.user("five");
    session.calls(&[("read", json!({"path": "five.txt"}), "5 lines")]);
    session.answer("It has 5 lines.");
    let mined = mine(&session.finish(), MineOptions::default());
    assert_eq!(mined.records.len(), 1);
    let left_out: Vec<(&str, u64)> =
        mined.report.left_out.iter().map(|(name, count)| (*name, *count)).collect();
    assert_eq!(
        left_out,
        [("aborted", 1), ("errored", 1), ("heartbeat", 1), ("silent", 1), ("too_few_tools", 1)]
    );
}

#[test]
fn a_search_that_finds_nothing_is_kept_and_a_command_that_fails_again_and_again_is_not() {
    let session = |times: usize| {
        let mut session = SessionText::new("sess-code");
        session.user("Is there a lantern in the list?");
        for _ in 0..times {
            session.exits("exec", &json!({"command": "grep lantern list.txt"}), "(no output)", 1);
        }
        session.answer("No, there is none.");
        session.finish()
    };
    let mined = mine(&session(1), MineOptions::default());
    assert_eq!(mined.records.len(), 1, "{}", mined.report);
    assert_eq!(failures_on_source(&mined.records[0], &Transcript::from_str(&session(1))), [""; 0]);
    let mined = mine(&session(3), MineOptions::default());
    assert_eq!(mined.report.left_out.get("tools_failed"), Some(&1), "{}", mined.report);
}

#[test]
fn a_code_that_answers_is_part_of_the_way_and_one_that_does_not_is_not() {
    let session = |command: &str, code: i64| {
        let mut session = SessionText::new("sess-no");
        session.user("Is there a lantern in the list, and what else is there?");
        session.exits("exec", &json!({"command": command}), "(no output)", code);
        session.calls(&[("read", json!({"path": "list.txt"}), "roses")]);
        session.answer("No lantern; there are roses.");
        session.finish()
    };
    let called = |command: &str, code: i64| -> Vec<String> {
        let session = session(command, code);
        let record = mine(&session, MineOptions::default()).records.remove(0);
        assert_eq!(failures_on_source(&record, &Transcript::from_str(&session)), [""; 0]);
        asserted(&record, "tool_called").iter().map(|one| one.get("value").unwrap().compact()).collect()
    };
    assert_eq!(called("cd lists && grep lantern list.txt", 1), [r#""exec""#, r#""read""#]);
    // With 2 grep says that it could not look.
    assert_eq!(called("grep lantern list.txt", 2), [r#""read""#]);
    assert_eq!(called("make lantern", 1), [r#""read""#]);
}

#[test]
fn an_answer_beside_a_failed_tool_makes_no_failed_turn() {
    let mined = |command: &str| {
        let mut session = SessionText::new("sess-mix");
        session.user("Is there a lantern in the list?");
        session.failed("read", &json!({"path": "lists.txt"}), "ENOENT: no such file");
        session.exits("exec", &json!({"command": command}), "(no output)", 1);
        session.answer("No, there is none.");
        mine(&session.finish(), MineOptions::default())
    };
    let (answers, fails) = (mined("grep lantern list.txt"), mined("make lantern"));
    assert_eq!(answers.records.len(), 1, "{}", answers.report);
    assert_eq!(fails.report.left_out.get("tools_failed"), Some(&1), "{}", fails.report);
}

#[test]
fn parallel_calls_have_no_order_and_repeated_ones_are_counted() {
    let mut session = SessionText::new("sess-par");
    session.user("compare the gardens");
    session.calls(&[("read", json!({"path": "a.md"}), "roses"), ("grep", json!({"pattern": "b"}), "ferns")]);
    session.calls(&[("read", json!({"path": "c.md"}), "moss")]);
    session.answer("One has roses, the other ferns; both have moss.");
    let record = mine(&session.finish(), MineOptions::default()).records.remove(0);
    assert_eq!(asserted(&record, "tool_called").len(), 3);
    let orders: Vec<String> =
        asserted(&record, "tool_order").iter().map(|one| one.get("value").unwrap().compact()).collect();
    assert_eq!(orders, [r#"["read", "read"]"#, r#"["grep", "read"]"#]);
}

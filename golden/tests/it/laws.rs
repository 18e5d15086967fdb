//! Laws, over random records.

use clawgauge_cases::{Format, LoadOptions, Suite};
use clawgauge_golden::{
    Decision, Export, ExportOptions, MineOptions, Record, RecordFile, Review, ReviewState, Split, Step,
    add_to_suite, from_cases, merge_reviews, redact_record, split_of, to_cases,
};
use clawgauge_transcript::Transcript;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::support::{SessionText, failures_on_source, mine, now, redactor};

/// Invented secrets, and a part of each that must not be seen.
const SECRETS: [(&str, &str); 6] = [
    ("sk-FAKEFAKEFAKEFAKEFAKE0001", "FAKE0001"),
    ("ghp_FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE0005", "FAKE0005"),
    ("Authorization: Bearer FAKE.TOKEN.0002", "TOKEN.0002"),
    ("https://u:pw0003@example.invalid/x", "pw0003"),
    ("fake.person@example.invalid", "fake.person"),
    ("/home/fakeuser/keys", "fakeuser"),
];

fn texts() -> impl Strategy<Value = String> {
    let secret = prop::sample::select(SECRETS.map(|(secret, _)| secret).to_vec());
    ("[a-z ,.\\n]{0,20}", prop::option::of(secret), "[a-zé日\" ]{0,10}")
        .prop_map(|(before, secret, behind)| format!("{before} {} {behind}", secret.unwrap_or_default()))
}

fn values() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![texts().prop_map(Value::from), any::<i32>().prop_map(Value::from), Just(Value::Null)];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((texts(), inner.clone()), 0..4)
                .prop_map(|pairs| Value::from(pairs.into_iter().collect::<Map<_, _>>())),
            // JSON inside of a text.
            inner.prop_map(|value| Value::from(value.to_string())),
        ]
    })
}

proptest! {
    #[test]
    fn no_secret_survives_anywhere_and_redacting_twice_equals_once(
        user in texts(), answer in texts(), args in values(), extra in values(), key in texts(),
    ) {
        let line = json!({"id": "r", key: extra, "conversation": [{"turn": 1, "user": user, "golden_output": answer,
            "golden_tool_sequence": [{"name": "exec", "args": args, "output_summary": user}]}]}).to_string();
        let redactor = redactor();
        let (once, _) = redact_record(&Record::parse(&line).unwrap(), &redactor).unwrap();
        let text = once.to_line();
        for (_, part) in SECRETS {
            prop_assert!(!text.contains(part), "{part} in {text}");
        }
        let (twice, report) = redact_record(&once, &redactor).unwrap();
        prop_assert!(report.is_empty(), "{report:?}");
        prop_assert_eq!(twice.to_line(), text);
    }

    #[test]
    fn what_is_mined_passes_on_its_source(
        request in "[a-z]{3,10}[a-z0-9 ]{0,20}", args in values(), result in texts(), answer in "[A-Za-z0-9 ,.\"`]{1,60}",
        steps in prop::collection::vec(1_usize..3, 1..4),
    ) {
        let mut session = SessionText::new("sess-law");
        session.user(&request);
        for (at, width) in steps.iter().enumerate() {
            let calls: Vec<_> = (0..*width).map(|n| (["exec", "read"][(at + n) % 2], json!({"value": args, "n": at}), &*result)).collect();
            session.calls(&calls);
        }
        session.answer(&format!("{answer} {result}."));
        let text = session.finish();
        for record in mine(&text, MineOptions::default()).records {
            prop_assert_eq!(failures_on_source(&record, &Transcript::from_str(&text)), Vec::<String>::new());
            let line = record.to_line();
            for (_, part) in SECRETS {
                prop_assert!(!line.contains(part), "{part} in {line}");
            }
        }
    }

    #[test]
    fn unknown_fields_survive_a_review(extra in values(), key in "x[a-z]{0,8}", approve: bool) {
        let line = json!({"id": "a", key.clone(): extra, "conversation": []}).to_string();
        let mut review = Review::new(RecordFile::parse(&line), None);
        let decision = if approve { Decision::Approve } else { Decision::Reject };
        prop_assert_eq!(review.decide(decision, now()), Step::Save);
        let decided: Value = serde_json::from_str(&review.file().to_jsonl()).unwrap();
        prop_assert_eq!(&decided[&key], &extra);
        prop_assert_eq!(&decided["approved"], &Value::from(approve));
        prop_assert_eq!(review.decide(Decision::Back, now()), Step::Save);
        prop_assert_eq!(review.file().to_jsonl(), line + "\n");
    }

    #[test]
    fn any_line_is_kept(lines in prop::collection::vec("[^\\r\\n\u{feff}]{1,30}", 0..6)) {
        let text: String = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| format!("{line}\n")).collect();
        let file = RecordFile::parse(&text);
        prop_assert_eq!(file.problems().len() + file.records().count(), text.lines().count());
    }
}

#[test]
fn cases_become_records_and_cases_again() {
    let text = r#"{"cases": [
        {"id": "a", "message": "m", "expect_tools": ["exec", "exec"], "expect_tools_ordered": ["exec", "read"],
         "expect_tool_args": {"exec": [{"command": "ls"}, {"command": "wc"}]}, "forbidden_tools": ["rm"],
         "expect_commands": ["ls"], "expect_output_contains": ["x"], "tags": ["t"], "max_calls": 3,
         "expect_output_regex": ["^x"]},
        {"id": "c", "message": "o", "expect_tools": [{"tool": "exec", "require": "succeeded"}, "read"]},
        {"id": "b", "message": "n", "max_tokens": 3, "expect_tools": ["read"]}]}"#;
    let suite = Suite::parse(text, Format::Json, &LoadOptions::default()).unwrap();
    let records = from_cases(&suite);
    let back = to_cases(&records).unwrap();
    for (one, other) in suite.cases.iter().zip(&back.cases) {
        assert_eq!((&one.id, &one.message, &one.tags), (&other.id, &other.message, &other.tags));
        let sorted = |case: &clawgauge_cases::Case| {
            let mut all: Vec<String> = case.assertions.iter().map(|one| format!("{one:?}")).collect();
            all.sort();
            all
        };
        assert_eq!(sorted(one), sorted(other), "{}", one.id);
    }
    assert!(records[0].json().get("case").is_none() && records[2].json().get("case").is_some());
}

#[test]
fn a_split_is_by_content_and_about_as_large_as_asked() {
    let of = |share: f64| (0..2000).filter(|n| split_of(&format!("hash{n}"), share) == Split::Test).count();
    assert_eq!((of(0.0), of(1.0)), (0, 2000));
    assert!((140..=260).contains(&of(0.1)), "{}", of(0.1));
    assert!(
        (0..200).all(|n| split_of(&format!("h{n}"), 0.1) == Split::Train
            || split_of(&format!("h{n}"), 0.3) == Split::Test)
    );
}

#[test]
fn two_reviewers_merge_and_disagreements_are_asked_again() {
    let line = |id: &str, approved: Option<bool>| match approved {
        Some(approved) => {
            format!(r#"{{"id":"{id}","conversation":[],"reviewed":true,"approved":{approved}}}"#)
        }
        None => format!(r#"{{"id":"{id}","conversation":[]}}"#),
    };
    let file = |rows: &[(&str, Option<bool>)]| {
        RecordFile::parse(&rows.iter().map(|(id, approved)| line(id, *approved) + "\n").collect::<String>())
    };
    let ours = file(&[("a", Some(true)), ("b", None), ("c", Some(true)), ("d", None)]);
    let theirs = file(&[("a", Some(true)), ("b", Some(false)), ("c", Some(false)), ("e", Some(true))]);
    let (merged, conflicts) = merge_reviews(&ours, &theirs);
    let states: Vec<_> =
        merged.records().map(|record| (record.id().unwrap(), record.review_state())).collect();
    use ReviewState::{Approved, Rejected, Waiting};
    assert_eq!(states, [("a", Approved), ("b", Rejected), ("c", Waiting), ("d", Waiting), ("e", Approved)]);
    assert_eq!(conflicts.len(), 1);
    assert_eq!((conflicts[0].id.as_str(), conflicts[0].about), ("c", "decision"));
}

#[test]
fn fine_tuning_lines_have_the_shape_that_is_asked_for() {
    let mut session = SessionText::new("sess-sft");
    session.user("compare");
    session.calls(&[("read", json!({"path": "a"}), "1"), ("read", json!({"path": "b"}), "2")]);
    session.answer("1 and 2.");
    let mined = mine(&session.finish(), MineOptions::default());
    let export = Export::new(&mined.records, ExportOptions::default(), &redactor()).unwrap();
    let line: Value = serde_json::from_str(export.sft().trim_end()).unwrap();
    let messages = line["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "assistant"]);
    let calls = messages[1]["tool_calls"].as_array().unwrap();
    assert_eq!(calls[1]["id"], messages[3]["tool_call_id"]);
    assert_eq!(calls[1]["function"], json!({"name": "read", "arguments": r#"{"path":"b"}"#}));
    assert!(export.card().with_name("ferns", Some("CC0-1.0")).to_string().contains("Licence: CC0-1.0"));
}

#[test]
fn arguments_are_learnt_in_the_order_in_which_the_model_wrote_them() {
    let line = r#"{"id": "r", "conversation": [{"turn": 1, "user": "u", "golden_output": "o", "golden_tool_sequence": [
        {"name": "write", "args": {"path": "b", "content": {"z": 1, "a": 2}}}, {"name": "list", "args": null}]}]}"#;
    let record = Record::parse(&line.replace('\n', " ")).unwrap();
    let export = Export::new([&record], ExportOptions::default(), &redactor()).unwrap();
    let line: Value = serde_json::from_str(export.sft().trim_end()).unwrap();
    let arguments = |at: usize| line["messages"][at]["tool_calls"][0]["function"]["arguments"].clone();
    assert_eq!(arguments(1), json!(r#"{"path":"b","content":{"z":1,"a":2}}"#));
    assert_eq!(arguments(3), json!("{}"));
}

#[test]
fn formulas_are_neutralised_and_line_breaks_stay_in_their_cell() {
    let rows = ["=1+1", "+1", "-1", "@x", "\t=x", " =x", "a\nb", "a=1"].map(|user| {
        Record::parse(&json!({"id": "r", "conversation": [{"user": user}]}).to_string()).unwrap()
    });
    let csv = Export::new(&rows, ExportOptions::default(), &redactor()).unwrap().csv().unwrap();
    let cells: Vec<&str> = csv
        .split("\r\n")
        .skip(1)
        .filter(|row| !row.is_empty())
        .map(|row| row.split(',').nth(2).unwrap())
        .collect();
    assert_eq!(cells, ["'=1+1", "'+1", "'-1", "'@x", "'\t=x", "' =x", "\"a\nb\"", "a=1"]);
}

#[test]
fn an_edited_record_stays_one_line_however_the_editor_lays_it_out() {
    let line = r#"{"id":"a","conversation":[{"turn":1,"user":"m"}],"n":1.50}"#;
    let pretty = "{\n  \"id\": \"a\",\r\n  \"conversation\": [\n    {\"turn\": 1, \"user\": \"m\"}\n  ],\n  \"n\": 1.50\n}\n";
    let other = r#"{"id":"b","conversation":[]}"#;
    let mut review = Review::new(RecordFile::parse(&format!("{line}\n{other}\n")), None);
    let edited = Record::parse(pretty).unwrap();
    assert_eq!(review.decide(Decision::Edit(Box::new(edited)), now()), Step::Save);
    let text = review.file().to_jsonl();
    assert_eq!(text.lines().count(), 2, "{text}");
    let file = RecordFile::parse(&text);
    assert!(file.problems().is_empty(), "{:?}", file.problems());
    assert_eq!(file.records().next().unwrap().json(), Record::parse(line).unwrap().json());
}

#[test]
fn a_line_that_is_no_record_is_named_with_what_is_wrong() {
    let file = RecordFile::parse("{\"id\": \"a\"}\n\n{\"id\": \"b\" \"note\": 1}\n[1]\n");
    let said: Vec<String> = file.problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        ["line 3: not JSON at column 12: expected `,` or `}`", "line 4: a record must be a JSON object"]
    );
}

#[test]
fn merged_reviews_hold_each_record_once() {
    let file = |ids: &[(&str, &str)]| {
        RecordFile::of(ids.iter().map(|(id, user)| {
            Record::parse(&json!({"id": id, "conversation": [{"turn": 1, "user": user}]}).to_string())
                .unwrap()
        }))
    };
    // An id that is there twice, by mistake: the first is the first, the second is new, and stays in its place.
    let ours = file(&[("a", "m")]);
    let theirs = file(&[("a", "m"), ("b", "n"), ("a", "o"), ("c", "p")]);
    let (merged, conflicts) = merge_reviews(&ours, &theirs);
    let all: Vec<&str> = merged.records().filter_map(|record| record.turns().next()?.user()).collect();
    assert_eq!(all, ["m", "n", "o", "p"]);
    assert!(conflicts.is_empty(), "{conflicts:?}");
}

#[test]
fn many_records_that_want_one_id_are_no_trap() {
    // Counting from 2 for each of them would take minutes here.
    let records = (0..20_000).map(|n| {
        Record::parse(&json!({"id": "x", "conversation": [{"turn": 1, "user": format!("m{n}")}]}).to_string())
            .unwrap()
    });
    let mut file = RecordFile::parse(r#"{"id": "x_3", "conversation": []}"#);
    let added = file.merge(records).added;
    assert_eq!(&added[..4], ["x", "x_2", "x_4", "x_5"]);
    assert_eq!(added.len(), added.iter().collect::<std::collections::BTreeSet<_>>().len());
}

#[test]
fn many_records_for_a_suite_are_no_trap() {
    // Reading the suite again for each of them would take minutes here.
    let records: Vec<Record> = (0..1500)
        .map(|n| {
            let turn =
                json!({"turn": 1, "user": format!("m{n}"), "assert": [{"type": "contains", "value": "x"}]});
            Record::parse(&json!({"id": format!("r{n}"), "conversation": [turn]}).to_string()).unwrap()
        })
        .collect();
    for (format, before) in [
        (Format::Json, "{\"cases\": [{\"id\": \"mined_r7\", \"message\": \"M3!\"}]}\n"),
        (Format::Yaml, "# mine\ncases:\n  - id: mined_r7   # taken\n    message: M3!\n"),
        (Format::Jsonl, "{\"id\": \"mined_r7\", \"message\": \"M3!\"}\n"),
    ] {
        let merged = add_to_suite(before, format, &records).unwrap();
        assert_eq!((merged.added.len(), merged.known), (1499, 1), "{format:?}");
        assert!(merged.added.contains(&"mined_r7_2".to_owned()), "{format:?}");
        let suite = Suite::parse(&merged.text, format, &LoadOptions::default()).unwrap();
        assert_eq!(suite.cases.len(), 1500, "{format:?}");
        // Nothing new: not a byte.
        let again = add_to_suite(&merged.text, format, &records).unwrap();
        assert_eq!((again.text == merged.text, again.known), (true, 1500), "{format:?}");
    }
}

#[test]
fn a_broken_suite_is_refused_with_its_place() {
    let record = Record::parse(r#"{"id": "r", "conversation": [{"turn": 1, "user": "m"}]}"#).unwrap();
    let said = |text: &str, format| add_to_suite(text, format, [&record]).unwrap_err().to_string();
    assert!(
        said("cases:\n  - id: a\n\t message: m\n", Format::Yaml).contains("2:"),
        "{}",
        said("a:\n\t- b", Format::Yaml)
    );
    assert!(said("{\"cases\":\n [}", Format::Json).contains("line 2"));
    for (text, format) in [
        ("hello", Format::Yaml),
        ("cases: {a: b}", Format::Yaml),
        ("7", Format::Json),
        ("{\"x\": 1}", Format::Json),
    ] {
        assert!(add_to_suite(text, format, [&record]).is_err(), "{text}");
    }
}

#[test]
fn an_edit_that_no_suite_could_load_is_refused_with_its_reason() {
    let turn =
        |assert: Value| json!({"id": "a", "conversation": [{"turn": 1, "user": "Go", "assert": [assert]}]});
    let record = |value: &Value| Record::parse(&value.to_string()).unwrap();
    let good = turn(json!({"type": "contains", "value": "x"}));
    let edit = |before: &Value, after: &Value| {
        let mut review = Review::new(RecordFile::parse(&before.to_string()), None);
        let step = review.decide(Decision::Edit(Box::new(record(after))), now());
        let why = review.refusal().map(ToString::to_string);
        assert_eq!(
            review.file().to_jsonl() == RecordFile::parse(&before.to_string()).to_jsonl(),
            why.is_some()
        );
        assert_eq!(step == Step::Refused, why.is_some());
        review.decide(Decision::Note("seen".to_owned()), now());
        assert!(review.refusal().is_none(), "after another decision there is none");
        why
    };
    assert_eq!(edit(&good, &turn(json!({"type": "contains", "value": "y"}))), None);
    for (bad, says) in [
        (turn(json!({"type": "containz", "value": "x"})), "containz"),
        (turn(json!({"type": "max_calls", "value": "many"})), "max_calls"),
        (turn(json!({"type": "matches", "value": "("})), "usable pattern"),
        (json!({"id": "b", "conversation": []}), "the id must stay"),
        (json!({"id": "a"}), "conversation"),
        (json!({"id": "a", "conversation": "none"}), "conversation"),
    ] {
        let why = edit(&good, &bad).unwrap_or_default();
        assert!(why.contains(says), "{bad}: {why:?}");
    }
    // What was wrong before can be mended step by step.
    let (odd, mut noted) = (turn(json!({"type": "of_tomorrow"})), turn(json!({"type": "of_tomorrow"})));
    noted["tags"] = json!(["kept"]);
    assert_eq!(edit(&odd, &noted), None);
}

//! Score files: read, written, read again.

use chrono::{DateTime, Utc};
use clawgauge_scoring::v1::Scores;
use clawgauge_scoring::{
    Dimension, ErrorKind, Evidence, Filter, Judgement, PerDimension, Place, Profile, Score, ScoreRecord,
    Scorecard, SessionFacts, SkipReason, file_name,
};
use clawgauge_transcript::Transcript;
use proptest::prelude::*;

pub(crate) fn time(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn facts() -> SessionFacts {
    SessionFacts {
        session_id: "4df802e9".to_owned(),
        session_key: Some("agent:work:main".to_owned()),
        timestamp: time("2026-03-14T10:00:00.5Z"),
        success: true,
        duration_ms: Some(1200),
        message_count: 6,
        agent: Some("work".to_owned()),
        model: Some("demo-chat".to_owned()),
        channel: None,
    }
}

fn v1_scores() -> Scores {
    let dimensions = PerDimension { accuracy: 0.75, completeness: 1.0, autonomy: 0.88, consistency: 1.0 };
    Scores { dimensions, overall: 0.91 }
}

fn card() -> Scorecard {
    let found = Evidence {
        rule: "accuracy.unverified-change".into(),
        place: Place::Entry("ab12cd34".into()),
        bytes: Some(3..17),
        reason: "written and not looked at".into(),
    };
    let whole = Evidence { place: Place::Message(4), bytes: None, ..found.clone() };
    let judged = |score| Judgement { score, evidence: Vec::new() };
    Scorecard::new(
        Profile::Default,
        "1",
        PerDimension {
            accuracy: Judgement { score: Score::value(0.5), evidence: vec![found, whole] },
            completeness: judged(Score::value(1.0)),
            autonomy: judged(Score::not_applicable("nobody spoke")),
            consistency: judged(Score::value(0.9)),
        },
    )
}

#[test]
fn the_file_is_the_plugins_file_with_additions_behind_it() {
    let mut record = ScoreRecord::new(&facts(), &v1_scores());
    record.set_card(&card());
    insta::assert_snapshot!(record.to_text());
}

#[test]
fn a_card_survives_the_file() {
    let mut record = ScoreRecord::new(&facts(), &v1_scores());
    record.set_card(&card());
    let back = ScoreRecord::parse(record.to_text().as_bytes()).unwrap();
    assert_eq!(back, record);
    assert_eq!(back.card(Profile::Default).unwrap(), card());
    assert_eq!(back.numbers(Profile::Default).unwrap().dimensions.autonomy, None);
    assert_eq!(back.numbers(Profile::Default).unwrap().overall, Some(0.8));
    assert_eq!(back.numbers(Profile::SessionScorerV1).unwrap().overall, Some(0.91));
    assert_eq!(back.timestamp(), Some(facts().timestamp));
    assert_eq!(back.message_count(), Some(6));
    assert_eq!(back.duration_ms(), Some(1200.0));
}

#[test]
fn a_time_past_the_year_9999_is_written_as_javascript_writes_it_and_read_back() {
    for (millis, text) in [
        (1_777_885_261_000_000, "+058308-12-10T16:56:40.000Z"),
        (-62_198_755_200_000, "-000001-01-01T00:00:00.000Z"),
    ] {
        let at = DateTime::from_timestamp_millis(millis).unwrap();
        let record = ScoreRecord::new(&SessionFacts { timestamp: at, ..facts() }, &v1_scores());
        assert!(record.to_text().contains(text), "{}", record.to_text());
        assert_eq!(record.timestamp(), Some(at));
    }
}

#[test]
fn what_serde_writes_is_what_the_file_holds() {
    let mut record = ScoreRecord::new(&facts(), &v1_scores());
    record.set_card(&card());
    let written: serde_json::Value = serde_json::from_str(&record.to_text()).unwrap();
    assert_eq!(serde_json::to_value(&record).unwrap(), written);
    // The fields stay in their order.
    assert_eq!(serde_json::to_string(&record).unwrap(), record.to_line());
    let mut of_card = serde_json::to_value(card()).unwrap();
    assert_eq!(of_card.as_object_mut().unwrap().remove("profile"), Some("default".into()));
    assert_eq!(of_card, written["profiles"]["default"]);
    let evidence = &written["profiles"]["default"]["scores"]["accuracy"]["evidence"];
    assert_eq!(serde_json::to_value(&card().dimensions.accuracy.evidence).unwrap(), *evidence);
}

#[test]
fn what_applies_to_nothing_has_no_overall() {
    let none = || Judgement { score: Score::not_applicable("nothing there"), evidence: Vec::new() };
    let card = Scorecard::new(Profile::Default, "1", PerDimension::from_fn(|_| none()));
    assert_eq!(card.overall.number(), None);
}

#[test]
fn a_skipped_session_says_why_and_has_no_numbers() {
    let mut record = ScoreRecord::new(&facts(), &v1_scores());
    record.set_card(&card());
    record.set_skipped(Profile::Default, SkipReason::Cron);
    let back = ScoreRecord::parse(record.to_text().as_bytes()).unwrap();
    assert_eq!(back.skipped(Profile::Default).as_deref(), Some("cron"));
    assert_eq!(back.numbers(Profile::Default), None);
    assert_eq!(back.card(Profile::Default), None);
}

#[test]
fn fields_of_others_survive_in_their_place_with_their_digits() {
    let text = "{\n  \"zeta\": 9007199254740993,\n  \"sessionId\": \"s\",\n  \"1\": 1.0,\n  \"risk\": {\n    \"x\": []\n  }\n}\n";
    assert_eq!(ScoreRecord::parse(text.as_bytes()).unwrap().to_text(), text);
}

#[test]
fn scoring_again_keeps_what_others_wrote() {
    let earlier = br#"{"sessionId":"4df802e9","note":"look at this","overall":0.1,
        "profiles":{"theirs":{"overall":{"value":0.4}},"default":{"skipped":"cron"}}}"#;
    let mut record = ScoreRecord::new(&facts(), &v1_scores());
    record.set_card(&card());
    record.keep_unknown_of(&ScoreRecord::parse(earlier).unwrap());
    let value: serde_json::Value = serde_json::from_str(&record.to_text()).unwrap();
    assert_eq!(value["note"], "look at this");
    assert_eq!(value["profiles"]["theirs"]["overall"]["value"], 0.4);
    assert_eq!(value["overall"], 0.91);
    assert_eq!(record.card(Profile::Default).unwrap(), card());
}

#[test]
fn odd_files_are_records_without_numbers_and_no_object_is_an_error() {
    let odd = br#"{"scores":{"accuracy":"high","completeness":7,"autonomy":1},"overall":-1,"timestamp":"yesterday","success":"no"}"#;
    let record = ScoreRecord::parse(odd).unwrap();
    let numbers = record.numbers(Profile::SessionScorerV1).unwrap();
    assert_eq!(
        (numbers.overall, numbers.dimensions.accuracy, numbers.dimensions.completeness),
        (None, None, None)
    );
    assert_eq!(numbers.dimensions.autonomy, Some(1.0));
    assert_eq!((record.timestamp(), record.success(), record.session_id()), (None, None, None));

    let kind = |bytes: &[u8]| ScoreRecord::parse(bytes).unwrap_err().kind();
    assert_eq!(kind(b"5"), ErrorKind::Shape);
    assert_eq!(kind(b"{"), ErrorKind::Syntax);
    assert_eq!(kind("\u{FEFF}{}".as_bytes()), ErrorKind::Syntax);
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
    assert_eq!(kind(deep.as_bytes()), ErrorKind::TooDeep);
}

#[test]
fn facts_come_from_the_last_turn_not_from_the_clock() {
    let read = |name: &str| {
        std::fs::read(format!("{}/tests/fixtures/agent_end/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    };
    let now = time("2030-01-01T00:00:00Z");
    let bytes = read("2026.9.6-2b473bda.jsonl");
    let facts = SessionFacts::of(&Transcript::from_slice(&bytes), Some("agent:main:errors"), now);
    assert!(!facts.success, "the provider cut the last answer");
    assert_eq!((facts.agent.as_deref(), facts.model.as_deref()), (Some("main"), Some("demo-chat")));
    assert_eq!(facts.message_count, 7);
    assert!(facts.session_id.starts_with("2b473bda") && facts.timestamp < now && facts.duration_ms.is_some());

    let bytes = read("2026.9.6-bc626f5b.jsonl");
    assert!(SessionFacts::of(&Transcript::from_slice(&bytes), None, now).success);

    let nothing = SessionFacts::of(&Transcript::from_str(""), None, now);
    assert_eq!(
        (nothing.timestamp, nothing.success, nothing.duration_ms, nothing.message_count),
        (now, false, None, 0)
    );
}

#[test]
fn filters_take_only_what_is_known_to_match() {
    let record = ScoreRecord::new(&facts(), &v1_scores());
    let at = facts().timestamp;
    let takes = |filter: Filter| filter.matches(&record);
    assert!(takes(Filter { since: Some(at), ..Filter::default() }));
    assert!(!takes(Filter { until: Some(at), ..Filter::default() }));
    assert!(takes(Filter {
        agent: Some("work".to_owned()),
        model: Some("demo-chat".to_owned()),
        ..Filter::default()
    }));
    assert!(!takes(Filter { channel: Some("telegram".to_owned()), ..Filter::default() }));

    let plugins_own = ScoreRecord::parse(br#"{"sessionKey":"agent:work:main"}"#).unwrap();
    assert!(Filter { agent: Some("work".to_owned()), ..Filter::default() }.matches(&plugins_own));
    assert!(!Filter { since: Some(at), ..Filter::default() }.matches(&plugins_own));
    let chat = ScoreRecord::parse(br#"{"sessionKey":"agent:work:telegram:direct:7"}"#).unwrap();
    assert!(Filter { channel: Some("telegram".to_owned()), ..Filter::default() }.matches(&chat));
}

#[test]
fn names_of_profiles_read_back() {
    for profile in Profile::ALL {
        assert_eq!(profile.as_str().parse::<Profile>().unwrap(), profile);
    }
    assert_eq!("v9".parse::<Profile>().unwrap_err().kind(), ErrorKind::UnknownName);
    assert_eq!(
        Dimension::ALL.map(Dimension::as_str),
        ["accuracy", "completeness", "autonomy", "consistency"]
    );
}

/// Any JSON, objects with awkward keys among it.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-1e6..1e6).prop_map(serde_json::Value::from),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::hash_map("[a-z0-9\u{e9}\"]{0,3}", inner, 0..6)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_object_reads_back_as_it_was_written(value in json()) {
        let value = serde_json::json!({ "profiles": value });
        let record = ScoreRecord::parse(value.to_string().as_bytes()).unwrap();
        prop_assert_eq!(&ScoreRecord::parse(record.to_text().as_bytes()).unwrap(), &record);
        prop_assert_eq!(record.to_line(), value.to_string());
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(record) = ScoreRecord::parse(&bytes) {
            let _card = record.card(Profile::Default);
        }
    }

    #[test]
    fn odd_profiles_do_not_panic(value in json()) {
        let text = serde_json::json!({ "profiles": { "default": { "scores": { "accuracy": value } } } }).to_string();
        let record = ScoreRecord::parse(text.as_bytes()).unwrap();
        prop_assert!(record.card(Profile::Default).is_some());
    }

    #[test]
    fn file_names_are_plain_and_tell_ids_apart(a in "[./a%:\\\\\u{1}\u{e9} ]{0,6}", b in "[./a%:\\\\\u{1}\u{e9} ]{0,6}") {
        let name = file_name(&a);
        let plain = !name.contains(['/', '\\', ':', '\u{1}']) && !name.starts_with('.') && name.ends_with(".json");
        prop_assert!(plain, "{name}");
        prop_assert_eq!(a == b, name == file_name(&b));
    }
}

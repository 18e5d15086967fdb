//! The risk of failure: what it adds up, and what comes back out of a record.

use clawgauge_scoring::stats::{Labelled, auc, auc_difference, auc_interval};
use clawgauge_scoring::{
    Baseline, Calibration, Dimension, ErrorKind, Evidence, Flag, FlagName, Judged, KnownRun, Place, Profile,
    Risk, RiskWeights, Rules, RunFacts, ScoreRecord, Scorer, SessionFacts, SessionKind, Sign, SignName,
    Signs, Work, v1,
};
use clawgauge_transcript::{RedactionLevel, Redactor, Transcript};
use proptest::prelude::*;

const FAILED: &str = r#"{"type":"session","version":3,"id":"s"}
{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"Fix the failing test"}}
{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"exec","arguments":{"command":"cargo test"}}],"stopReason":"toolUse"}}
{"type":"message","id":"c","parentId":"b","message":{"role":"toolResult","toolCallId":"1","toolName":"exec","content":[{"type":"text","text":"boom"}],"isError":true}}
{"type":"message","id":"d","parentId":"c","message":{"role":"assistant","content":[{"type":"text","text":"I'm sorry, I was unable to fix it."}],"stopReason":"stop"}}
"#;

fn scored(session: &str) -> (clawgauge_scoring::Scorecard, ScoreRecord) {
    let transcript = Transcript::from_str(session);
    let Judged::Scored(card) = Scorer::standard().score(&transcript, None) else { panic!("not scored") };
    let facts = SessionFacts::of(&transcript, None, "2026-05-04T10:00:00Z".parse().unwrap());
    let mut record = ScoreRecord::new(&facts, &v1::score_session(&transcript).unwrap());
    record.set_card(&card);
    (card, record)
}

#[test]
fn the_points_of_a_failed_task_add_up() {
    let (card, _) = scored(FAILED);
    let risk = card.risk.unwrap();
    let points: Vec<(SignName, f64)> =
        risk.reasons.iter().map(|reason| (reason.sign, reason.points)).collect();
    assert_eq!(
        points,
        [
            (SignName::UnresolvedErrors, 25.0),
            (SignName::NoSuccessfulChange, 20.0),
            (SignName::Inability, 10.0),
            (SignName::Apology, 10.0),
        ]
    );
    assert_eq!(risk.value, 65.0);
    assert!(risk.flags.iter().any(|flag| flag.name == FlagName::LastResultError));
    assert_eq!(card.work.unwrap().calls, 1);
}

#[test]
fn a_record_gives_back_the_risk_it_was_given() {
    let (card, record) = scored(FAILED);
    let read = ScoreRecord::parse(record.to_text().as_bytes()).unwrap();
    assert_eq!(read.risk(Profile::Default), card.risk);
    assert_eq!(read.work(), card.work);
    assert_eq!(read.risk_value(Profile::SessionScorerV1), None);
}

#[test]
fn a_risk_can_be_built_of_signs_that_others_read() {
    let evidence = || {
        let (rule, reason) = ("ours.apology".into(), "says sorry".into());
        vec![Evidence { rule, place: Place::Message(3), bytes: None, reason }]
    };
    let all = vec![
        Sign::new(SignName::Apology, Some(7.0), evidence()),
        Sign::new(SignName::UnresolvedErrors, Some(0.5), Vec::new()),
        Sign::new(SignName::Hedge, Some(f64::NAN), Vec::new()),
    ];
    let flags = vec![Flag::new(FlagName::CutOff, evidence())];
    let signs = Signs::new(SessionKind::Task, all, flags.clone(), Work::default());
    assert_eq!(signs.strength(SignName::Hedge), None);
    let risk = Risk::new(&signs, &RiskWeights::WITHOUT_LENGTH, None);
    let points: Vec<_> = risk.reasons.iter().map(|reason| (reason.sign, reason.points)).collect();
    assert_eq!(points, [(SignName::UnresolvedErrors, 12.5), (SignName::Apology, 10.0)]);
    assert_eq!((risk.value, &risk.flags), (22.5, &flags));
    let (_, record) = scored(FAILED);
    let written: serde_json::Value = serde_json::from_str(&record.to_text()).unwrap();
    let read = record.risk(Profile::Default).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), written["profiles"]["default"]["risk"]);
}

#[test]
fn names_are_written_and_read_back() {
    for sign in SignName::ALL {
        assert_eq!(sign.to_string().parse::<SignName>().unwrap(), sign);
    }
    for flag in FlagName::ALL {
        assert_eq!(flag.to_string().parse::<FlagName>().unwrap(), flag);
    }
    for dimension in Dimension::ALL {
        assert_eq!(dimension.to_string().parse::<Dimension>().unwrap(), dimension);
    }
    let error = "apolgy".parse::<SignName>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownName);
    assert!(error.to_string().contains("apology"), "{error}");
    assert_eq!(SessionKind::Dialogue.to_string(), "dialogue");
}

#[test]
fn numbers_of_a_record_that_nobody_could_mean_are_not_read() {
    let text = br#"{"durationMs": 1e999, "messageCount": 6.0, "overall": -0.0, "scores": {}, "profiles": {"default": {
        "scores": {}, "overall": {"value": -0.0},
        "work": {"chars": 1.2e3, "calls": 5.0}, "effort": {"chars": 0.5, "calls": 1, "sessions": 20.0, "risk": -0.0},
        "risk": {"value": 50, "kind": "task", "reasons": [
            {"sign": "apology", "points": 1e999}, {"sign": "hedge", "points": -5}, {"sign": "of-tomorrow", "points": 5},
            {"sign": "no-calls", "points": 20, "riskRatio": 1e999}], "flags": [{"flag": "of-tomorrow"}]}}}}"#;
    let record = ScoreRecord::parse(text).unwrap();
    assert_eq!((record.duration_ms(), record.message_count()), (None, Some(6)));
    let bits = |profile| record.numbers(profile).unwrap().overall.map(f64::to_bits);
    assert_eq!(Profile::ALL.map(bits), [Some(0); 2]);
    assert_eq!(record.work(), Some(Work { chars: 1200, calls: 5 }));
    assert_eq!(record.effort(Profile::Default).unwrap().sessions, 20);
    assert_eq!(record.risk_with_effort(Profile::Default).map(f64::to_bits), Some(0));
    let risk = record.risk(Profile::Default).unwrap();
    let reasons: Vec<_> = risk.reasons.iter().map(|one| (one.sign, one.points, one.risk_ratio)).collect();
    assert_eq!((risk.value, reasons), (50.0, vec![(SignName::NoCalls, 20.0, None)]));
    assert!(risk.flags.is_empty());
}

fn signs(messages: &[&str]) -> Signs {
    Scorer::standard().signs(&Transcript::from_str(&session(messages)), None)
}

/// A session of such rows, each the one after the other.
fn session(messages: &[&str]) -> String {
    let mut text = String::from("{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n");
    for (at, message) in messages.iter().enumerate() {
        let parent = at.checked_sub(1).map_or_else(|| "null".to_owned(), |parent| format!("\"{parent}\""));
        text.push_str(&format!(
            "{{\"type\":\"message\",\"id\":\"{at}\",\"parentId\":{parent},\"message\":{message}}}\n"
        ));
    }
    text
}

const ASK: &str = r#"{"role":"user","content":"Do it"}"#;
const SAY: &str =
    r#"{"role":"assistant","content":[{"type":"text","text":"It is there."}],"stopReason":"stop"}"#;

fn result(id: &str, tool: &str, is_error: bool) -> String {
    format!(
        r#"{{"role":"toolResult","toolCallId":"{id}","toolName":"{tool}","content":[{{"type":"text","text":"x"}}],"isError":{is_error}}}"#
    )
}

fn call(id: &str, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"{id}","name":"{tool}","arguments":{arguments}}}],"stopReason":"toolUse"}}"#
    )
}

#[test]
fn evidence_of_calls_and_results_names_the_tool() {
    let nested = r#"{"role":"custom","customType":"openclaw.nested-tool.v1","content":"","details":{"runId":"r","afterEntryId":"0","startOrder":0,"parentToolCallId":"p","toolCallId":"p:web_fetch:1","toolName":"web_fetch","input":{"url":"http://127.0.0.1/"},"result":{"content":[{"type":"text","text":"no"}],"details":{"status":"error","error":"no"}},"isError":true}}"#;
    let alone = r#"{"role":"toolResult","toolCallId":"9","toolName":"lamp","content":[{"type":"text","text":"no such lamp,\ntoken ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"}],"isError":true}"#;
    let text = session(&[ASK, nested, alone, SAY]);
    let transcript = Transcript::from_str(&text);
    let signs = Scorer::standard().signs(&transcript, None);
    let unresolved = signs.all.iter().find(|sign| sign.name == SignName::UnresolvedErrors).unwrap();
    let quotes: Vec<String> = unresolved
        .evidence
        .iter()
        .map(|evidence| {
            evidence.quote(&transcript, &Redactor::of_level(RedactionLevel::Secrets), 60).unwrap()
        })
        .collect();
    assert_eq!(quotes[0], r#"web_fetch: {"url":"http://127.0.0.1/"}"#);
    assert!(quotes[1].starts_with("lamp: no such lamp, token ") && !quotes[1].contains("ghp_"), "{quotes:?}");
}

#[test]
fn an_exit_code_that_says_no_is_no_error() {
    let after = |command: &str, result: &str| {
        let call = call("1", "exec", &format!(r#"{{"command":"{command}"}}"#));
        let signs = signs(&[ASK, &call, result, SAY]);
        (
            signs.strength(SignName::UnresolvedErrors),
            signs.flags.iter().map(|flag| flag.name).collect::<Vec<_>>(),
        )
    };
    let ended = |code: i64, is_error: bool, text: &str| {
        format!(
            r#"{{"role":"toolResult","toolCallId":"1","toolName":"exec","content":[{{"type":"text","text":"{text}"}}],"isError":{is_error},"details":{{"status":"completed","exitCode":{code}}}}}"#
        )
    };
    let only_text = r#"{"role":"toolResult","toolCallId":"1","toolName":"exec","content":[{"type":"text","text":"(Command exited with code 1)"}]}"#;
    for (command, result, strength) in [
        ("cd src && grep -rn lost .", ended(1, false, ""), 0.0),
        // OpenClaw 2026.6.11 sets the flag for every exit code but 0.
        ("diff a b", ended(1, true, "1c1"), 0.0),
        ("make | grep warning", only_text.to_owned(), 0.0),
        ("grep -rn lost nowhere", ended(2, false, "grep: nowhere: No such file or directory"), 1.0),
        ("cargo test", ended(1, false, "1 failed"), 1.0),
        ("cargo test && grep ok log", ended(1, false, "1 failed"), 1.0),
    ] {
        let (found, flags) = after(command, &result);
        assert_eq!(found, Some(strength), "{command}");
        assert_eq!(flags.contains(&FlagName::LastResultError), strength > 0.0, "{command}");
    }
}

#[test]
fn results_without_stored_calls_are_calls_too() {
    let only_result = signs(&[ASK, &result("1", "write", false), SAY]);
    assert_eq!(only_result.strength(SignName::NoCalls), Some(0.0));
    assert_eq!(only_result.strength(SignName::NoSuccessfulChange), Some(0.0), "a write that is no error");
    assert_eq!(only_result.work.calls, 1);

    let failed = signs(&[ASK, &result("1", "write", true), SAY]);
    assert_eq!(failed.strength(SignName::UnresolvedErrors), Some(1.0));
    assert_eq!(failed.strength(SignName::NoSuccessfulChange), Some(1.0));
    assert!(failed.flags.iter().any(|flag| flag.name == FlagName::LastResultError));

    // What a shell did is in the command, which is lost: it may have changed something.
    let shell = signs(&[ASK, &result("1", "exec", false), SAY]);
    assert_eq!(shell.strength(SignName::NoSuccessfulChange), None);
    let reading = signs(&[ASK, &result("1", "read", false), SAY]);
    assert_eq!(reading.strength(SignName::NoSuccessfulChange), Some(1.0));

    let nothing = signs(&[ASK, SAY]);
    assert_eq!(nothing.strength(SignName::NoCalls), Some(1.0));
    assert_eq!(nothing.strength(SignName::UnresolvedErrors), None);
}

#[test]
fn a_result_without_its_call_puts_an_earlier_error_right() {
    let write = call("1", "write", r#"{"path":"a"}"#);
    let (bad, good) = (result("1", "write", true), result("9", "write", false));
    assert_eq!(signs(&[ASK, &write, &bad, &good, SAY]).strength(SignName::UnresolvedErrors), Some(0.0));
    let other = result("9", "read", false);
    assert_eq!(signs(&[ASK, &write, &bad, &other, SAY]).strength(SignName::UnresolvedErrors), Some(1.0));
}

#[test]
fn in_a_task_only_calls_after_which_nothing_changed_are_repeated() {
    let test = |id| call(id, "exec", r#"{"command":"cargo test"}"#);
    let edit = call("2", "write", r#"{"path":"a.rs","content":"x"}"#);
    let (first, second) = (test("1"), test("3"));
    let (one, two, three) =
        (result("1", "exec", false), result("2", "write", false), result("3", "exec", false));
    let edited = [ASK, &first, &one, &edit, &two, &second, &three, SAY];
    assert_eq!(signs(&edited).strength(SignName::RepeatedCalls), Some(0.0));
    let unchanged = [ASK, &first, &one, &second, &three, SAY];
    assert_eq!(signs(&unchanged).strength(SignName::RepeatedCalls), Some(1.0));
    // An edit that failed changed nothing.
    let failed = result("2", "write", true);
    let failed = [ASK, &first, &one, &edit, &failed, &second, &three, SAY];
    assert_eq!(signs(&failed).strength(SignName::RepeatedCalls), Some(1.0));
    // The same file written twice is a call made again.
    let again = call("4", "write", r#"{"content":"x","path":"a.rs"}"#);
    let four = result("4", "write", false);
    assert_eq!(signs(&[ASK, &edit, &two, &again, &four, SAY]).strength(SignName::RepeatedCalls), Some(1.0));
    // In a dialogue it was measured with any repeat.
    let dialogue = [ASK, &first, &one, &edit, &two, &second, &three, SAY, ASK, SAY, ASK, SAY];
    assert_eq!(signs(&dialogue).strength(SignName::RepeatedCalls), Some(1.0));
}

#[test]
fn a_call_that_became_text_is_flagged() {
    for text in [
        "<tool_call>{}</tool_call>",
        "[TOOL_CALLS] []",
        "assistantcommentary to=functions.send_mail json{}",
        "<|channel|>commentary to=repo.read",
    ] {
        let say = format!(r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}]}}"#);
        assert!(signs(&[ASK, &say]).flags.iter().any(|flag| flag.name == FlagName::CallAsText), "{text}");
    }
    assert!(signs(&[ASK, SAY]).flags.iter().all(|flag| flag.name != FlagName::CallAsText));
}

#[test]
fn a_turn_that_ended_badly_is_flagged_as_cut_off() {
    for reason in ["length", "error", "aborted", "toolUse"] {
        let say = SAY.replace("\"stop\"", &format!("\"{reason}\""));
        assert!(signs(&[ASK, &say]).flags.iter().any(|flag| flag.name == FlagName::CutOff), "{reason}");
    }
    assert!(signs(&[ASK, SAY]).flags.iter().all(|flag| flag.name != FlagName::CutOff));
}

#[test]
fn effort_is_told_beside_the_risk() {
    let transcript = Transcript::from_str(FAILED);
    let scorer = Scorer::standard();
    let Judged::Scored((mut card, Some(signs))) = scorer.score_with_signs(&transcript, None) else {
        panic!()
    };
    let risk = card.risk.clone();
    assert_eq!(card.effort().number(), None);
    let baseline = Baseline::new((0..10).map(|n| Work { chars: n, calls: n })).unwrap();
    scorer.set_effort(&mut card, &signs, &baseline);
    assert_eq!(card.risk, risk);
    let effort = card.effort.unwrap();
    // More text than any, and one call: one session below, one equal.
    assert_eq!((effort.chars, effort.calls, effort.sessions), (1.0, 0.15, 10));
    // 20 errors, 20 no change, 15 apology, 20 for the text, and .15 of 10 for the calls.
    assert_eq!(card.risk_with_effort, Some(76.5));

    let (_, mut record) = scored(FAILED);
    record.set_card(&card);
    let read = ScoreRecord::parse(record.to_text().as_bytes()).unwrap();
    assert_eq!(read.card(Profile::Default).unwrap(), card);
}

#[test]
fn too_short_a_history_is_none() {
    let works = |n: u64| Baseline::new((0..n).map(|n| Work { chars: n, calls: n }));
    assert!(works(9).is_none() && works(10).is_some());
}

#[test]
fn rules_that_give_no_points_give_no_risk() {
    let mut rules = Rules::default();
    (rules.risk, rules.risk_with_baseline) = (RiskWeights::default(), RiskWeights::default());
    let scorer = Scorer::new(rules).unwrap();
    let card = scorer.score(&Transcript::from_str(FAILED), None).scored().unwrap();
    assert_eq!((card.risk, card.work), (None, None));
    let with = Scorer::standard().score(&Transcript::from_str(FAILED), None).scored().unwrap();
    assert_eq!((card.overall, card.dimensions), (with.overall, with.dimensions));
}

fn runs(count: usize) -> Vec<KnownRun> {
    let transcript = Transcript::from_str(FAILED);
    (0..count)
        .map(|at| {
            let facts = RunFacts { task: format!("t{}", at / 2), failed: at % 2 == 0, ..RunFacts::default() };
            KnownRun::new(Scorer::standard(), &transcript, facts)
        })
        .collect()
}

#[test]
fn weights_of_too_little_data_are_refused() {
    let fit = |count| Calibration::new(runs(count)).fit(&RiskWeights::WITHOUT_LENGTH, false, 1, 20);
    assert_eq!(fit(40).unwrap_err().kind(), ErrorKind::TooLittle);
    let same = fit(120).unwrap();
    assert_eq!(same.weights, RiskWeights::WITHOUT_LENGTH, "runs that do not differ move nothing");
    assert_eq!(same.by_task.fitted.unwrap().value, 0.5);
}

fn items() -> impl Strategy<Value = Vec<Labelled>> {
    let item =
        (0_u8..6, any::<bool>(), 0_usize..3, 0_usize..5).prop_map(|(value, positive, group, cluster)| {
            Labelled { value: f64::from(value), positive, group, cluster }
        });
    proptest::collection::vec(item, 0..40)
}

/// Rows of a session in any order: results without their calls, calls without results, words of all kinds.
fn rows() -> impl Strategy<Value = Vec<String>> {
    let tool = prop::sample::select(vec!["exec", "write", "read", "odd_tool", ""]);
    let id = prop::sample::select(vec!["1", "2", "3"]);
    let say = prop::sample::select(vec![
        "Done.",
        "I'm sorry, I was unable to do it. It probably works.",
        "Let me try a different approach.",
        "`code` <tool_call> \u{201c}no\u{201d} é",
        "",
    ]);
    let row = prop_oneof![
        Just(ASK.to_owned()),
        say.prop_map(|text| {
            format!(
                r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}],"stopReason":"stop"}}"#
            )
        }),
        (id.clone(), tool.clone(), 0..3_u8).prop_map(|(id, tool, n)| call(
            id,
            tool,
            &format!(r#"{{"command":"make {n}","path":"{n}"}}"#)
        )),
        (id, tool, any::<bool>()).prop_map(|(id, tool, is_error)| result(id, tool, is_error)),
    ];
    prop::collection::vec(row, 0..24)
}

proptest! {
    #[test]
    fn a_risk_is_the_sum_of_its_reasons(rows in rows(), calls in 0..40_u64) {
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let signs = signs(&rows);
        for sign in &signs.all {
            prop_assert!(sign.strength.is_none_or(|strength| (0.0..=1.0).contains(&strength)), "{sign:?}");
            prop_assert!(sign.evidence.is_empty() || sign.strength > Some(0.0), "{sign:?}");
        }
        let baseline = Baseline::new((0..20).map(|n| Work { chars: n * 9, calls: n * calls / 20 })).unwrap();
        for effort in [None, Some(baseline.effort(signs.work))] {
            let risk = Scorer::standard().risk(&signs, effort);
            let sum: f64 = risk.reasons.iter().map(|reason| reason.points).sum();
            prop_assert!((risk.value - sum.min(100.0)).abs() < 1e-6, "{risk:?}");
            prop_assert!(risk.reasons.iter().all(|reason| reason.points > 0.0));
        }
        let called = rows.iter().any(|row| row.contains("toolCall"));
        prop_assert_eq!(signs.strength(SignName::NoCalls) == Some(1.0), !called, "{:?}", rows);
    }

    #[test]
    fn the_area_is_the_share_of_pairs(items in items()) {
        let (mut won, mut pairs) = (0.0, 0_u64);
        for a in items.iter().filter(|item| item.positive) {
            for b in items.iter().filter(|item| !item.positive && item.group == a.group) {
                pairs += 1;
                won += if a.value > b.value { 1.0 } else if a.value < b.value { 0.0 } else { 0.5 };
            }
        }
        let found = auc(&items);
        prop_assert_eq!(found.map_or(0, |auc| auc.pairs), pairs);
        if let Some(found) = found {
            prop_assert!((found.value - won / pairs as f64).abs() < 1e-12);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_interval_and_nothing_beats_itself(items in items(), seed in any::<u64>()) {
        prop_assert_eq!(auc_interval(&items, seed, 20), auc_interval(&items, seed, 20));
        if let Some(gain) = auc_difference(&items, &items, seed, 20) {
            prop_assert_eq!((gain.low, gain.high), (0.0, 0.0));
        }
    }
}

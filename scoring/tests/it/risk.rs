//! The risk of failure: what it adds up, and what comes back out of a record.

use clawgauge_scoring::stats::{Labelled, auc, auc_difference, auc_interval};
use clawgauge_scoring::{
    Calibration, ErrorKind, FlagName, Judged, KnownRun, Profile, RiskWeights, RunFacts, ScoreRecord, Scorer,
    SessionFacts, SignName, v1,
};
use clawgauge_transcript::Transcript;
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

proptest! {
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

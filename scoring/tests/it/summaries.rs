//! Summaries, trends and the worst: what counts, and that order does not matter.

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};
use clawgauge_scoring::v1::StoredScores;
use clawgauge_scoring::{Dimension, ErrorKind, Filter, Profile, ScoreRecord, Summary, Trend, Worst};
use proptest::prelude::*;
use serde_json::json;

use crate::records::time;

/// A record with numbers of both profiles; `None` is not applicable.
fn record(id: &str, at: DateTime<Utc>, v1: f64, default: Option<f64>) -> ScoreRecord {
    let one = default
        .map_or_else(|| json!({ "notApplicable": "nothing there" }), |value| json!({ "value": value }));
    let text = json!({
        "sessionId": id, "timestamp": at.to_rfc3339(), "success": v1 > 0.5,
        "scores": { "accuracy": v1, "completeness": v1, "autonomy": v1, "consistency": v1 }, "overall": v1,
        "profiles": { "default": {
            "scores": { "accuracy": one, "completeness": { "value": 1.0 }, "autonomy": { "value": 0.5 }, "consistency": one },
            "overall": { "value": 0.75 } } },
    });
    ScoreRecord::parse(text.to_string().as_bytes()).unwrap()
}

fn plugins_own(at: DateTime<Utc>) -> ScoreRecord {
    let text = json!({ "sessionId": "old", "timestamp": at.to_rfc3339(), "scores": { "accuracy": 0.2 }, "overall": 0.2 });
    ScoreRecord::parse(text.to_string().as_bytes()).unwrap()
}

#[test]
fn what_does_not_apply_enters_no_mean_and_profiles_stay_apart() {
    let at = time("2026-03-14T10:00:00Z");
    let records = [record("a", at, 1.0, Some(0.5)), record("b", at, 0.0, None), plugins_own(at)];
    let summary = Summary::of(&records, Profile::Default, &Filter::default());
    assert_eq!((summary.sessions(), summary.without_profile()), (2, 1));
    assert_eq!((summary.mean(Dimension::Accuracy), summary.judged(Dimension::Accuracy)), (Some(0.5), 1));
    assert_eq!(summary.overall(), Some(0.75));
    assert_eq!((summary.succeeded(), summary.outcome_known()), (1, 2));

    let v1 = Summary::of(&records, Profile::SessionScorerV1, &Filter::default());
    assert_eq!(v1.sessions(), 3);
    assert!((v1.mean(Dimension::Accuracy).unwrap() - 0.4).abs() < 1e-15);
    assert_eq!((v1.mean(Dimension::Autonomy), v1.judged(Dimension::Autonomy)), (Some(0.5), 2));
    assert_eq!(v1.outcome_known(), 2, "a file that does not say how it ended is unknown, not failed");

    let mut both = summary;
    assert_eq!(both.merge(&v1).unwrap_err().kind(), ErrorKind::Mismatch);
    assert_eq!(both, summary);
}

#[test]
fn the_mean_of_one_risk_is_that_risk() {
    for tenths in 0..=1000 {
        let risk = f64::from(tenths) / 10.0;
        let text =
            json!({ "profiles": { "default": { "scores": {}, "risk": { "value": risk } } } }).to_string();
        let record = ScoreRecord::parse(text.as_bytes()).unwrap();
        let summary = Summary::of([&record, &record], Profile::Default, &Filter::default());
        assert_eq!(summary.risk(), Some(risk));
    }
}

#[test]
fn the_mean_of_equal_scores_is_that_score() {
    // Else a check against a threshold of just that score would fail by the last bit.
    for hundredths in 0..=100 {
        let score = f64::from(hundredths) / 100.0;
        let record = record("a", time("2026-03-14T10:00:00Z"), score, None);
        let mut summary = Summary::empty(Profile::SessionScorerV1);
        for count in 1..=60 {
            summary.add(&record);
            assert_eq!(summary.overall(), Some(score), "{count} times");
        }
    }
}

#[test]
fn nothing_has_no_mean() {
    let empty = Summary::empty(Profile::Default);
    assert_eq!((empty.overall(), empty.success_rate(), empty.success_interval()), (None, None, None));
}

#[test]
fn a_day_is_that_of_the_clock_on_the_wall() {
    let records = [
        record("a", time("2026-03-14T23:30:00-05:00"), 1.0, None),
        record("b", time("2026-03-15T02:00:00Z"), 0.0, None),
    ];
    let days = |hours: i32| -> Vec<(String, u64)> {
        let offset = FixedOffset::east_opt(hours * 3600).unwrap();
        let trend = Trend::of(&records, Profile::SessionScorerV1, offset, &Filter::default());
        trend.days().map(|(day, summary)| (day.to_string(), summary.sessions())).collect()
    };
    assert_eq!(days(0), [("2026-03-15".to_owned(), 2)]);
    assert_eq!(days(-5), [("2026-03-14".to_owned(), 2)]);
    assert_eq!(days(-3), [("2026-03-14".to_owned(), 1), ("2026-03-15".to_owned(), 1)]);
}

#[test]
fn a_record_without_a_time_is_on_no_day_but_counted() {
    let utc = FixedOffset::east_opt(0).unwrap();
    let text = br#"{"timestamp":"yesterday","scores":{},"overall":1}"#;
    let trend =
        Trend::of([ScoreRecord::parse(text).unwrap()], Profile::SessionScorerV1, utc, &Filter::default());
    assert_eq!((trend.days().count(), trend.without_time()), (0, 1));
    let other = Trend::empty(Profile::SessionScorerV1, FixedOffset::east_opt(3600).unwrap());
    assert_eq!(trend.clone().merge(&other).unwrap_err().kind(), ErrorKind::Mismatch);
}

#[test]
fn the_first_and_last_times_there_are_do_not_break_a_trend() {
    for text in [
        "+262142-12-31T23:59:59",
        "-262143-01-01T00:00:00",
        "+275760-09-13T00:00:00.000Z",
        "9999-12-31T23:59:59Z",
    ] {
        for hours in [-12, 0, 14] {
            let offset = FixedOffset::east_opt(hours * 3600).unwrap();
            let record = json!({ "timestamp": text, "scores": {}, "overall": 1 }).to_string();
            let record = ScoreRecord::parse(record.as_bytes()).unwrap();
            let trend = Trend::of([&record], Profile::SessionScorerV1, offset, &Filter::default());
            assert_eq!(trend.days().count() as u64 + trend.without_time(), 1, "{text} {hours}");
            let _ = StoredScores::of(&record).time(hours * 3600);
            let _ = StoredScores::of(&record).time(i32::MAX);
        }
    }
}

#[test]
fn the_worst_come_first_and_of_equals_the_older() {
    let (early, late) = (time("2026-03-13T00:00:00Z"), time("2026-03-14T00:00:00Z"));
    let records = [
        record("z", late, 0.5, None),
        record("b", early, 0.5, None),
        record("a", early, 0.5, None),
        record("best", early, 1.0, None),
        record("worst", late, 0.1, None),
        ScoreRecord::parse(b"{}").unwrap(),
    ];
    let worst = Worst::of(&records, Profile::SessionScorerV1, &Filter::default(), 4);
    let ids: Vec<String> =
        worst.records.iter().map(|(_, record)| record.session_id().unwrap().into_owned()).collect();
    assert_eq!(ids, ["worst", "a", "b", "z"]);
    assert_eq!(worst.without_score, 1);
}

fn records() -> impl Strategy<Value = Vec<ScoreRecord>> {
    let one = (0.0..=1.0, prop::option::of(0.0..=1.0), 0_i64..400_000_000);
    prop::collection::vec(one, 1..40).prop_map(|list| {
        list.into_iter()
            .enumerate()
            .map(|(at, (v1, default, ms))| {
                record(
                    &at.to_string(),
                    DateTime::from_timestamp_millis(1_773_489_600_000 + ms).unwrap(),
                    v1,
                    default,
                )
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn merging_in_any_order_and_grouping_gives_the_same_bits(
        (records, order) in records().prop_flat_map(|records| {
            let order = Just((0..records.len()).collect::<Vec<_>>()).prop_shuffle();
            (Just(records), order)
        }),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        profile in prop::sample::select(Profile::ALL.to_vec()),
    ) {
        let offset = FixedOffset::east_opt(2 * 3600).unwrap();
        let all = Filter::default();
        let whole = Summary::of(&records, profile, &all);
        let trend = Trend::of(&records, profile, offset, &all);

        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(order.len())).collect();
        cuts.extend([0, order.len()]);
        cuts.sort_unstable();
        let mut merged = (Summary::empty(profile), Trend::empty(profile, offset));
        for range in cuts.windows(2).rev() {
            let part = || order[range[0]..range[1]].iter().map(|at| &records[*at]);
            let mut left = Summary::of(part(), profile, &all);
            left.merge(&merged.0).unwrap();
            merged.0 = left;
            merged.1.merge(&Trend::of(part(), profile, offset, &all)).unwrap();
        }
        prop_assert_eq!(merged.0, whole);
        prop_assert_eq!(merged.1, trend);
        prop_assert_eq!(merged.0.overall().map(f64::to_bits), whole.overall().map(f64::to_bits));
    }

    #[test]
    fn means_are_those_of_the_plain_sum(records in records()) {
        let summary = Summary::of(&records, Profile::SessionScorerV1, &Filter::default());
        let plain: f64 = records.iter().map(|r| r.numbers(Profile::SessionScorerV1).unwrap().overall.unwrap()).sum();
        prop_assert!((summary.overall().unwrap() - plain / records.len() as f64).abs() < 1e-12);
    }

    #[test]
    fn days_hold_every_record_once(records in records(), hours in -12_i32..=14) {
        let offset = FixedOffset::east_opt(hours * 3600).unwrap();
        let trend = Trend::of(&records, Profile::Default, offset, &Filter::default());
        let days: Vec<NaiveDate> = trend.days().map(|(day, _)| day).collect();
        prop_assert!(days.is_sorted());
        prop_assert_eq!(trend.days().map(|(_, summary)| summary.sessions()).sum::<u64>(), records.len() as u64);
    }
}

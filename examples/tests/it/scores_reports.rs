//! What a person reads.

use chrono::FixedOffset;
use clawgauge_scoring::{Filter, PerDimension, Profile, Trend};
use clawgauge_support::exit;
use clawgauge_support::scores::{
    Answer, Folder, Least, Period, Set, View, chart, check, compare, summary, trend, worst,
};

use crate::support::{records, time};

fn folder() -> Folder {
    let mut files: Vec<(String, Result<Vec<u8>, String>)> =
        records().into_iter().map(|(name, record)| (name, Ok(record.to_text().into_bytes()))).collect();
    files.push(("broken.json".to_owned(), Ok(b"{".to_vec())));
    files.push(("locked.json".to_owned(), Err("permission denied".to_owned())));
    Folder::read(files)
}

fn view(days: f64) -> View {
    View {
        profile: Profile::Default,
        period: Period::days(days),
        filter: Filter::default(),
        now: time("2026-03-15T12:00:00Z"),
        offset: FixedOffset::east_opt(0).unwrap(),
        json: false,
    }
}

fn all(answer: &Answer) -> String {
    format!("{}--- stderr\n{}--- exit {}\n", answer.stdout, answer.stderr, answer.exit)
}

#[test]
fn summary_text() {
    insta::assert_snapshot!(all(&summary(&folder(), &view(7.0))));
}

#[test]
fn summary_json() {
    insta::assert_snapshot!(all(&summary(&folder(), &View { json: true, ..view(7.0) })));
}

#[test]
fn summary_of_the_plugins_profile_has_its_layout() {
    let view = View { profile: Profile::SessionScorerV1, ..view(7.0) };
    insta::assert_snapshot!(all(&summary(&folder(), &view)));
}

#[test]
fn filters_hold_for_the_plugins_profile_too() {
    let view = View {
        profile: Profile::SessionScorerV1,
        filter: Filter { agent: Some("main".to_owned()), ..Filter::default() },
        period: Period::between(Some(time("2026-03-10T00:00:00Z")), Some(time("2026-03-13T00:00:00Z"))),
        ..view(7.0)
    };
    insta::assert_snapshot!(all(&trend(&folder(), &view)));
    insta::assert_snapshot!(all(&worst(&folder(), &view, 5, false)));
}

#[test]
fn trend_text() {
    insta::assert_snapshot!(all(&trend(
        &folder(),
        &View { offset: FixedOffset::east_opt(7200).unwrap(), ..view(30.0) }
    )));
}

#[test]
fn trend_json() {
    let view = View {
        json: true,
        filter: Filter { channel: Some("telegram".to_owned()), ..Filter::default() },
        ..view(30.0)
    };
    insta::assert_snapshot!(all(&trend(&folder(), &view)));
}

#[test]
fn worst_text() {
    insta::assert_snapshot!(all(&worst(
        &folder(),
        &View { period: Period::default(), ..view(0.0) },
        3,
        false
    )));
}

#[test]
fn worst_json_holds_whole_records() {
    let answer = worst(&folder(), &View { json: true, ..view(7.0) }, 1, false);
    let value: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(value["worst"][0]["sessionId"], "bbbbbbbb-2");
    assert_eq!(
        value["worst"][0]["profiles"]["default"]["scores"]["accuracy"]["evidence"][0]["rule"],
        "accuracy.example"
    );
}

#[test]
fn nothing_there_says_so() {
    let old = View { now: time("2027-03-15T12:00:00Z"), ..view(7.0) };
    insta::assert_snapshot!(all(&summary(&folder(), &old)));
    let json = View { json: true, ..old };
    assert_eq!(trend(&folder(), &json).stdout, "{\"error\":\"No scores in the last 7 days\"}\n");
}

#[test]
fn check_says_what_is_below_and_what_was_not_judged() {
    let least = Least {
        overall: Some(0.5),
        dimensions: PerDimension { accuracy: Some(0.9), autonomy: Some(0.7), ..PerDimension::default() },
        sessions: Some(2),
        ..Least::default()
    };
    let answer = check(&folder(), &view(7.0), &least);
    insta::assert_snapshot!(all(&answer));
    assert_eq!(answer.exit, exit::NO);
}

#[test]
fn check_has_an_exit_code_for_each_answer() {
    let code = |view: &View, least: Least| check(&folder(), view, &least).exit;
    let overall = |x| Least { overall: Some(x), ..Least::default() };
    // 0.875, 0.2167, 1 and 0.875 make a mean of 0.7417.
    assert_eq!(code(&view(7.0), overall(0.74)), exit::OK);
    assert_eq!(code(&view(7.0), overall(0.75)), exit::NO);
    assert_eq!(code(&view(0.0001), overall(0.0)), exit::NOTHING);
    assert_eq!(code(&view(0.0001), Least { sessions: Some(1), ..Least::default() }), exit::NO);
    let one_session =
        View { filter: Filter { model: Some("large".to_owned()), ..Filter::default() }, ..view(1.5) };
    let consistency = Least {
        dimensions: PerDimension { consistency: Some(0.5), ..PerDimension::default() },
        ..Least::default()
    };
    assert_eq!(code(&one_session, consistency), exit::OK);
    let early = View { period: Period::between(None, Some(time("2026-03-13T00:00:00Z"))), ..view(1.0) };
    let autonomy = Least {
        dimensions: PerDimension { autonomy: Some(0.5), ..PerDimension::default() },
        ..Least::default()
    };
    let second_day = View { period: Period::between(Some(time("2026-03-11T00:00:00Z")), None), ..early };
    let only_second =
        View { filter: Filter { model: Some("small".to_owned()), ..Filter::default() }, ..second_day };
    assert_eq!(code(&only_second, autonomy), exit::NOTHING, "autonomy applies to no session there");
}

#[test]
fn compare_text_and_codes() {
    let folder = folder();
    let set = |model: &str| Set {
        name: format!("model={model}"),
        folder: &folder,
        filter: Filter { model: Some(model.to_owned()), ..Filter::default() },
    };
    insta::assert_snapshot!(all(&compare(&set("small"), &set("large"), Profile::Default, 1, true, false)));
    assert_eq!(compare(&set("small"), &set("none"), Profile::Default, 1, false, true).exit, exit::NOTHING);
}

#[test]
fn compare_tells_better_from_worse() {
    let many = |shift: f64| -> Folder {
        let files = (0..8).map(|i| {
            let x = f64::from(i) / 20.0 + shift;
            let text = format!("{{\"scores\":{{}},\"overall\":{x}}}");
            (format!("{i}.json"), Ok(text))
        });
        Folder::read(files)
    };
    let (low, high) = (many(0.0), many(0.5));
    let set = |folder| Set { name: "x".to_owned(), folder, filter: Filter::default() };
    let code = |a, b| compare(&set(a), &set(b), Profile::SessionScorerV1, 1, true, false);
    assert_eq!(code(&low, &high).exit, exit::OK);
    assert!(code(&low, &high).stdout.contains("overall: better"));
    assert_eq!(code(&high, &low).exit, exit::NO);
    assert_eq!(code(&low, &low).exit, exit::OK);
}

#[test]
fn the_chart_is_the_same_each_time_and_shows_each_score() {
    let folder = folder();
    let utc = FixedOffset::east_opt(0).unwrap();
    let trend = Trend::of(folder.iter(), Profile::Default, utc, &Filter::default());
    let svg = chart(&trend, "Trend <of> all").unwrap();
    assert_eq!(svg, chart(&trend, "Trend <of> all").unwrap());
    for text in [
        "overall",
        "accuracy",
        "completeness",
        "autonomy",
        "consistency",
        "2026-03-12",
        "Trend &lt;of&gt; all",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(chart(&Trend::empty(Profile::Default, utc), "x").is_err());
}

//! What several tests share.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use chrono::{DateTime, Utc};
use clawgauge_scoring::v1::Scores;
use clawgauge_scoring::{
    Evidence, Judgement, PerDimension, Place, Profile, Score, ScoreRecord, Scorecard, SessionFacts,
    SkipReason,
};

pub(crate) use crate::built::built as program;

pub(crate) fn time(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

pub(crate) fn run(program: &Path, args: &[&str], home: &Path) -> Output {
    Command::new(program).args(args).env("HOME", home).output().unwrap()
}

/// The same with something on its standard input.
pub(crate) fn piped(program: &Path, args: &[&str], home: &Path, input: &str) -> Output {
    let mut child = Command::new(program)
        .args(args)
        .env("HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// Six sessions over five days: two models, one without a person to judge by, one that the plugin wrote by itself, one that the
/// default profile skips, two of another agent.
pub(crate) fn records() -> Vec<(String, ScoreRecord)> {
    let plugins_own = br#"{"sessionId":"eeeeeeee-5","sessionKey":"agent:main:main","timestamp":"2026-03-14T22:30:00.000Z",
        "success":true,"scores":{"accuracy":0.5,"completeness":0.8,"autonomy":1,"consistency":1},"overall":0.83}"#;
    let mut list = vec![
        record(
            "aaaaaaaa-1",
            "2026-03-10T01:02:03Z",
            "small",
            true,
            [Some(0.5), Some(1.0), Some(1.0), Some(1.0)],
        ),
        record(
            "bbbbbbbb-2",
            "2026-03-12T09:00:00Z",
            "small",
            false,
            [Some(0.0), Some(0.25), None, Some(0.4)],
        ),
        record("cccccccc-3", "2026-03-14T10:00:00Z", "large", true, [None, Some(1.0), Some(1.0), None]),
        record(
            "dddddddd-4",
            "2026-03-14T23:30:00Z",
            "large",
            true,
            [Some(1.0), Some(1.0), Some(0.5), Some(1.0)],
        ),
        ScoreRecord::parse(plugins_own).unwrap(),
    ];
    let mut skipped = record("ffffffff-6", "2026-03-13T06:00:00Z", "small", true, [None; 4]);
    skipped.set_skipped(Profile::Default, SkipReason::Cron);
    list.push(skipped);
    list.reverse();
    list.into_iter()
        .map(|record| (clawgauge_scoring::file_name(&record.session_id().unwrap()), record))
        .collect()
}

fn record(id: &str, at: &str, model: &str, success: bool, scores: [Option<f64>; 4]) -> ScoreRecord {
    let facts = SessionFacts {
        session_id: id.to_owned(),
        session_key: Some(
            if model == "small" { "agent:main:main" } else { "agent:ops:telegram:direct:7" }.to_owned(),
        ),
        timestamp: time(at),
        success,
        duration_ms: Some(1000),
        message_count: 6,
        agent: None,
        model: Some(model.to_owned()),
        channel: (model == "large").then(|| "telegram".to_owned()),
    };
    let v1 = PerDimension { accuracy: 1.0, completeness: 0.8, autonomy: 1.0, consistency: 1.0 };
    let mut record = ScoreRecord::new(&facts, &Scores { dimensions: v1, overall: 0.95 });
    let mut scores = scores.into_iter();
    let dimensions = PerDimension::from_fn(|dimension| {
        let number = scores.next().flatten();
        let evidence = Evidence {
            rule: format!("{dimension}.example").into(),
            place: Place::Message(2),
            bytes: Some(0..4),
            reason: format!("something about {dimension}").into(),
        };
        Judgement {
            score: number.map_or_else(|| Score::not_applicable("nothing to judge"), Score::value),
            evidence: vec![evidence],
        }
    });
    record.set_card(&Scorecard::new(Profile::Default, "1", dimensions));
    record
}

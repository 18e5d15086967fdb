//! Which turns the options keep.

use clawgauge_golden::{MineOptions, MineReport, Miner, Source};
use clawgauge_transcript::{Timestamp, Transcript};
use serde_json::json;

use crate::support::{SessionText, now, recorded, redactor};

fn session() -> String {
    let mut session = SessionText::new("sess-filter");
    session.user("How many ferns?");
    session.calls(&[("exec", json!({"command": "count ferns"}), "ferns: 12")]);
    session.calls(&[("read", json!({"path": "ferns.md"}), "12 ferns")]);
    session.answer("There are 12 ferns.");
    session.finish()
}

fn report(source: impl Fn(Source<'_>) -> Source<'_>, set: impl Fn(&mut MineOptions)) -> MineReport {
    let text = session();
    let transcript = Transcript::from_str(&text);
    let redactor = redactor();
    let mut options = MineOptions::default();
    set(&mut options);
    let mut miner = Miner::new(options, &redactor);
    miner.add(&source(Source::new(&transcript)));
    miner.finish(now()).report
}

/// `None` when the turn was kept, else why not.
fn reason(report: &MineReport) -> Option<&'static str> {
    assert_eq!(report.turns, 1);
    assert_eq!(report.kept + report.left_out.values().sum::<u64>(), 1, "{report}");
    report.left_out.keys().next().copied()
}

#[test]
fn each_filter_keeps_and_leaves_out() {
    type Set = fn(&mut MineOptions);
    let rows: [(&str, Set, Option<&str>); 19] = [
        ("nothing asked", |_| {}, None),
        ("enough tools", |o| o.min_tools = 2, None),
        ("too few tools", |o| o.min_tools = 3, Some("too_few_tools")),
        ("score at the threshold", |o| o.min_score = Some(0.7), None),
        ("score below", |o| o.min_score = Some(0.71), Some("low_score")),
        ("risk at the threshold", |o| o.max_risk = Some(20.0), None),
        ("risk above", |o| o.max_risk = Some(19.9), Some("high_risk")),
        ("both tools", |o| o.tools = vec!["exec".into(), "read".into()], None),
        ("a tool under another name", |o| o.tools = vec!["bash".into()], None),
        ("a tool not used", |o| o.tools = vec!["exec".into(), "write".into()], Some("tool_not_used")),
        ("the agent", |o| o.agent = Some("main".into()), None),
        ("another agent", |o| o.agent = Some("ops".into()), Some("other_agent")),
        ("since its beginning", |o| o.since = Timestamp::parse("2026-03-01T10:00:00Z"), None),
        ("since later", |o| o.since = Timestamp::parse("2026-03-01T10:00:01Z"), Some("other_time")),
        ("until later", |o| o.until = Timestamp::parse("2026-03-01T10:00:01Z"), None),
        ("until its beginning", |o| o.until = Timestamp::parse("2026-03-01T10:00:00Z"), Some("other_time")),
        (
            "the score comes first",
            |o| {
                o.min_score = Some(1.0);
                o.max_risk = Some(0.0);
            },
            Some("low_score"),
        ),
        ("no number is below nothing", |o| o.max_risk = Some(0.0), Some("high_risk")),
        ("all may pass", |o| o.max_risk = Some(100.0), None),
    ];
    let mut problems = Vec::new();
    for (name, set, expected) in rows {
        let found = reason(&report(
            |source| source.with_agent(Some("main")).with_score(Some(0.7)).with_risk(Some(20.0)),
            set,
        ));
        if found != expected {
            problems.push(format!("{name}: {found:?}, expected {expected:?}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn score_and_risk_that_are_not_given_are_taken_from_the_session() {
    assert_eq!(reason(&report(|source| source, |o| o.max_risk = Some(100.0))), None);
    assert_eq!(reason(&report(|source| source, |o| o.min_score = Some(0.0))), None);
    let redactor = redactor();
    let sessions = recorded();
    let kept = |most: f64| {
        let mut options = MineOptions::default();
        options.max_risk = Some(most);
        let mut miner = Miner::new(options, &redactor);
        for (_, bytes) in &sessions {
            miner.add(&Source::new(&Transcript::from_slice(bytes)));
        }
        miner.finish(now()).report
    };
    let counts: Vec<u64> = [0.0, 5.0, 20.0, 100.0].map(kept).iter().map(|report| report.kept).collect();
    assert!(counts.is_sorted(), "a higher threshold never keeps less: {counts:?}");
    assert!(counts[0] < counts[3], "{counts:?}");
    assert_eq!(kept(100.0).left_out.get("high_risk"), None);
    assert!(kept(0.0).left_out.contains_key("high_risk"));
}

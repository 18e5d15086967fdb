//! How fast sessions are scored from bytes, against the plain borrowed `serde_json` parse of the same bytes;
//! and how fast records are summed up. Elements are messages, or records.
//!
//! `cargo bench -p clawgauge-benches --bench scoring`

use chrono::{DateTime, TimeDelta};
use clawgauge_benches::{Corpus, corpus_bytes, plain_parse};
use clawgauge_scoring::{
    Filter, Judged, Profile, RiskWeights, Rules, ScoreRecord, Scorer, SessionFacts, Summary, v1,
};
use clawgauge_transcript::Transcript;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Records to sum up.
const RECORDS: u32 = 100_000;

fn score(c: &mut Criterion) {
    for corpus in Corpus::ALL {
        let sessions = corpus.sessions(corpus_bytes());
        let total = sessions.iter().map(String::len).sum::<usize>();
        let messages = sessions.iter().map(|s| plain_parse(s.as_bytes())).sum::<usize>();
        let mut group = c.benchmark_group(format!("score/{}", corpus.name()));
        let throughput = Throughput::ElementsAndBytes { elements: messages as u64, bytes: total as u64 };
        group.throughput(throughput).sample_size(10);
        group.bench_function("plain_serde_json", |b| {
            b.iter(|| sessions.iter().map(|s| plain_parse(s.as_bytes())).sum::<usize>());
        });
        group.bench_function("session_scorer_v1", |b| {
            b.iter(|| {
                let score = |s: &String| {
                    v1::score_session(&Transcript::from_slice(s.as_bytes()))
                        .map_or(0.0, |scores| scores.overall)
                };
                sessions.iter().map(score).sum::<f64>()
            });
        });
        let scorer = Scorer::standard();
        group.bench_function("default", |b| {
            b.iter(|| {
                let score = |s: &String| scorer.score(&Transcript::from_slice(s.as_bytes()), None).scored();
                sessions.iter().filter_map(score).filter_map(|card| card.overall.number()).sum::<f64>()
            });
        });
        // The same without the signs of failure: what the risk costs.
        let mut rules = Rules::default();
        (rules.risk, rules.risk_with_baseline) = (RiskWeights::default(), RiskWeights::default());
        if let Ok(scorer) = Scorer::new(rules) {
            group.bench_function("default_without_risk", |b| {
                b.iter(|| {
                    let score =
                        |s: &String| scorer.score(&Transcript::from_slice(s.as_bytes()), None).scored();
                    sessions.iter().filter_map(score).filter_map(|card| card.overall.number()).sum::<f64>()
                });
            });
        }
        group.finish();
    }
}

/// A year of records of a busy host: different times, scores and outcomes.
fn records() -> Vec<ScoreRecord> {
    let session = br#"{"type":"session","version":3,"id":"s","timestamp":"2026-05-04T09:00:00.000Z"}
{"type":"message","id":"a","parentId":null,"timestamp":"2026-05-04T09:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"fix it"}]}}
{"type":"message","id":"b","parentId":"a","timestamp":"2026-05-04T09:00:09.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"stopReason":"stop"}}
{"type":"message","id":"c","parentId":"b","timestamp":"2026-05-04T09:00:30.000Z","message":{"role":"user","content":"Thanks!"}}
"#;
    let transcript = Transcript::from_slice(session);
    let (Ok(scores), Judged::Scored(card)) =
        (v1::score_session(&transcript), Scorer::standard().score(&transcript, None))
    else {
        return Vec::new();
    };
    let mut facts = SessionFacts::of(&transcript, Some("agent:main:main"), DateTime::UNIX_EPOCH);
    let first = facts.timestamp;
    let record = |number: u32| {
        facts.session_id = format!("session-{number}");
        facts.timestamp = first + TimeDelta::minutes(i64::from(number) * 5);
        facts.success = !number.is_multiple_of(7);
        let mut record = ScoreRecord::new(&facts, &scores);
        record.set_card(&card);
        record
    };
    (0..RECORDS).map(record).collect()
}

fn summarise(c: &mut Criterion) {
    let records = records();
    let mut group = c.benchmark_group("summary");
    group.throughput(Throughput::Elements(records.len() as u64)).sample_size(10);
    for profile in [Profile::SessionScorerV1, Profile::Default] {
        group.bench_function(profile.as_str(), |b| {
            b.iter(|| Summary::of(&records, profile, &Filter::default()).sessions());
        });
    }
    group.finish();
}

criterion_group!(benches, score, summarise);
criterion_main!(benches);

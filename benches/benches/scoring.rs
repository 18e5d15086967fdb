//! How fast sessions are scored from bytes, against the plain borrowed `serde_json` parse of the same bytes.
//!
//! `cargo bench -p clawgauge-benches --bench scoring`

use clawgauge_benches::{Corpus, plain_parse};
use clawgauge_scoring::{Scorer, v1};
use clawgauge_transcript::Transcript;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Bytes of each corpus.
const SIZE: usize = 64 << 20;

fn score(c: &mut Criterion) {
    for corpus in Corpus::ALL {
        let sessions = corpus.sessions(SIZE);
        let total = sessions.iter().map(String::len).sum::<usize>();
        let messages = sessions.iter().map(|session| plain_parse(session)).sum::<usize>();
        let mut group = c.benchmark_group(format!("score/{}/{messages}_messages", corpus.name()));
        group.throughput(Throughput::Bytes(total as u64)).sample_size(10);
        group.bench_function("plain_serde_json", |b| {
            b.iter(|| sessions.iter().map(|session| plain_parse(session)).sum::<usize>());
        });
        group.bench_function("session_scorer_v1", |b| {
            b.iter(|| {
                let score = |s: &String| {
                    v1::score_session(&Transcript::from_str(s)).map_or(0.0, |scores| scores.overall)
                };
                sessions.iter().map(score).sum::<f64>()
            });
        });
        let scorer = Scorer::standard();
        group.bench_function("default", |b| {
            b.iter(|| {
                let score = |s: &String| scorer.score(&Transcript::from_str(s), None).scored();
                sessions.iter().filter_map(score).filter_map(|card| card.overall.number()).sum::<f64>()
            });
        });
        group.finish();
    }
}

criterion_group!(benches, score);
criterion_main!(benches);

//! How fast sessions are mined, and how fast records are redacted on their way out.
//!
//! `cargo bench -p clawgauge-benches --bench golden`

use clawgauge_benches::{Corpus, corpus_bytes, many};
use clawgauge_golden::{Export, ExportOptions, MineOptions, Miner, Source};
use clawgauge_transcript::{RedactionLevel, Redactor, Timestamp, Transcript};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Sessions mined.
const SESSIONS: usize = 10_000;

fn mine(c: &mut Criterion) {
    let redactor = Redactor::of_level(RedactionLevel::Personal);
    for corpus in Corpus::ALL {
        let few = corpus.sessions(corpus_bytes() / 8);
        let sessions: Vec<&String> = few.iter().cycle().take(many(SESSIONS)).collect();
        let total = sessions.iter().map(|session| session.len()).sum::<usize>();
        let run = || {
            let mut miner = Miner::new(MineOptions::default(), &redactor);
            for session in &sessions {
                miner.add(&Source::new(&Transcript::from_str(session)));
            }
            miner.finish(Timestamp::from_millis(0))
        };
        let mut group = c.benchmark_group(format!("golden/{}", corpus.name()));
        group.sample_size(10).throughput(Throughput::Bytes(total as u64));
        group.bench_function("mine_10000_sessions", |b| b.iter(|| run().report.records));
        let mined = run();
        let bytes = mined.records.iter().map(|record| record.to_line().len()).sum::<usize>();
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function("export_redacted", |b| {
            b.iter(|| {
                Export::new(&mined.records, ExportOptions::default(), &redactor)
                    .map(|out| out.records().len())
            });
        });
        group.finish();
    }
}

fn redact(c: &mut Criterion) {
    let redactor = Redactor::of_level(RedactionLevel::Personal);
    for corpus in Corpus::ALL {
        let sessions = corpus.sessions(corpus_bytes() / 8);
        let total = sessions.iter().map(String::len).sum::<usize>();
        let mut group = c.benchmark_group(format!("redact/{}", corpus.name()));
        group.sample_size(10).throughput(Throughput::Bytes(total as u64));
        group.bench_function("personal", |b| {
            b.iter(|| sessions.iter().map(|session| redactor.text(session).len()).sum::<usize>());
        });
        group.finish();
    }
}

criterion_group!(benches, mine, redact);
criterion_main!(benches);

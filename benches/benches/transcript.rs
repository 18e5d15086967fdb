//! How fast sessions are read: against the line split (the limit) and the plain borrowed `serde_json` parse.
//! Elements are messages.
//!
//! `cargo bench -p clawgauge-benches --bench transcript`

use std::hint::black_box;

use clawgauge_benches::{Corpus, corpus_bytes, plain_parse};
use clawgauge_transcript::Transcript;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn read(c: &mut Criterion) {
    for corpus in Corpus::ALL {
        let sessions = corpus.sessions(corpus_bytes());
        let total = sessions.iter().map(String::len).sum::<usize>();
        let mut group = c.benchmark_group(format!("read/{}", corpus.name()));
        let messages = sessions.iter().map(|s| plain_parse(s.as_bytes())).sum::<usize>();
        let throughput = Throughput::ElementsAndBytes { elements: messages as u64, bytes: total as u64 };
        group.throughput(throughput).sample_size(10);
        group.bench_function("line_split", |b| {
            b.iter(|| {
                sessions.iter().map(|s| memchr::memchr_iter(b'\n', s.as_bytes()).count()).sum::<usize>()
            });
        });
        group.bench_function("plain_serde_json", |b| {
            b.iter(|| sessions.iter().map(|s| plain_parse(s.as_bytes())).sum::<usize>());
        });
        group.bench_function("typed", |b| {
            b.iter(|| {
                sessions
                    .iter()
                    .map(|s| black_box(Transcript::from_slice(s.as_bytes())).entries().len())
                    .sum::<usize>()
            });
        });
        group.bench_function("typed_and_conversation", |b| {
            b.iter(|| {
                sessions
                    .iter()
                    .map(|s| Transcript::from_slice(s.as_bytes()).conversation().turns.len())
                    .sum::<usize>()
            });
        });
        group.finish();
    }
}

criterion_group!(benches, read);
criterion_main!(benches);

//! Laws over recorded sessions.

use clawgauge_cases::{Checker, Format, LoadOptions, Semantics, Suite};
use clawgauge_golden::{
    Decision, Export, ExportOptions, MineOptions, Miner, MinimiseLimits, RecordFile, Review, Source,
    add_to_suite, minimise_for_cases, to_cases,
};
use clawgauge_transcript::Transcript;

use crate::support::{failures_on_source, mine, now, recorded, redactor};

#[test]
fn every_record_passes_on_the_session_it_came_from() {
    let mut failures = Vec::new();
    let mut records = 0;
    for whole_sessions in [false, true] {
        for (path, bytes) in recorded() {
            let transcript = Transcript::from_slice(&bytes);
            let redactor = redactor();
            let mut options = MineOptions::default();
            options.min_tools = 0;
            options.whole_sessions = whole_sessions;
            let mut miner = Miner::new(options, &redactor);
            miner.add(&Source::new(&transcript));
            for record in miner.finish(now()).records {
                records += 1;
                let failed = failures_on_source(&record, &transcript);
                failures.extend(failed.into_iter().map(|failure| format!("{}: {failure}", path.display())));
            }
        }
    }
    assert!(records > 20, "{records} records only");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn mining_twice_changes_nothing_and_an_export_finds_nothing_more_to_redact() {
    let redactor = redactor();
    let sessions = recorded();
    let all = || {
        let mut miner = Miner::new(MineOptions::default(), &redactor);
        for (_, bytes) in &sessions {
            miner.add(&Source::new(&Transcript::from_slice(bytes)));
        }
        miner.finish(now())
    };
    let mut file = RecordFile::default();
    let first = all();
    let records = first.records.len();
    assert_eq!(file.merge(first.records).added.len(), records);
    let before = file.to_jsonl();
    let again = file.merge(all().records);
    assert_eq!((again.added.len(), again.known), (0, records));
    assert_eq!(file.to_jsonl(), before);
    let reread = RecordFile::parse(&before);
    assert_eq!(reread.to_jsonl(), before);
    let export = Export::new(reread.records(), ExportOptions::default(), &redactor).unwrap();
    assert_eq!(export.redactions().total(), 0, "{:?}", export.redactions());
    assert_eq!(export.jsonl(), before);
}

/// Whatever is written of a record, reviewed or not, loads as a suite and passes on the session.
#[test]
fn what_is_written_loads_as_cases_and_passes() {
    let mut problems = Vec::new();
    for (path, bytes) in recorded() {
        let transcript = Transcript::from_slice(&bytes);
        let mined = mine(&String::from_utf8_lossy(&bytes), MineOptions::default());
        let mut review = Review::new(RecordFile::of(mined.records), Some("ada".to_owned()));
        for at in 0..review.file().records().count() {
            review.decide(Decision::Note("seen".to_owned()), now());
            review.decide([Decision::Approve, Decision::Reject, Decision::Skip][at % 3].clone(), now());
        }
        let records: Vec<_> = review.file().records().cloned().collect();
        if records.is_empty() {
            continue;
        }
        let mut texts = vec![(Format::Jsonl, review.file().to_jsonl())];
        for format in [Format::Yaml, Format::Json, Format::Jsonl] {
            texts.push((format, add_to_suite("", format, &records).unwrap().text));
        }
        let export = Export::new(&records, ExportOptions::default(), &redactor()).unwrap();
        texts.push((Format::Jsonl, export.jsonl()));
        for (format, text) in texts {
            match Suite::parse(&text, format, &LoadOptions::default()) {
                Err(fault) => problems.push(format!("{}: {format:?}: {fault}", path.display())),
                Ok(suite) => {
                    assert!(!suite.cases.is_empty(), "{format:?}");
                    for case in &suite.cases {
                        let id = case.id.trim_start_matches("mined_");
                        let record = records.iter().find(|record| record.id() == Some(id)).unwrap();
                        let trajectory = record.source_trajectory(0, &transcript).unwrap();
                        let verdict = Checker::new(&trajectory).check(case, Semantics::Clawgauge);
                        if !verdict.passed() {
                            let failures = verdict.failures().join("; ");
                            problems.push(format!("{}: {format:?}: {}: {failures}", path.display(), case.id));
                        }
                    }
                }
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn a_minimal_session_still_passes_and_is_no_longer() {
    let mut shrunk = 0;
    for (path, bytes) in recorded().into_iter().take(12) {
        let transcript = Transcript::from_slice(&bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for record in mine(&text, MineOptions::default()).records {
            let suite = to_cases([&record]).unwrap();
            let limits = MinimiseLimits { checks: 60 };
            let Some(minimal) = minimise_for_cases(&transcript, &suite.cases, limits) else { continue };
            assert!(minimal.checks <= 60);
            let part = minimal.to_jsonl(&transcript);
            let part = Transcript::from_str(&part);
            let again = minimise_for_cases(&part, &suite.cases, MinimiseLimits { checks: 1 });
            assert!(again.is_some(), "{}: the minimal session fails {:?}", path.display(), record.id());
            shrunk += usize::from(minimal.entries.len() < transcript.entries().len());
        }
    }
    assert!(shrunk > 0);
}

/// The file that `check_edd.sh` gives to openclaw-edd is what mining gives today.
#[test]
fn mined_fixture_is_current() {
    let redactor = redactor();
    let mut miner = Miner::new(MineOptions::default(), &redactor);
    for (path, bytes) in recorded() {
        if path.to_string_lossy().contains("fixtures/recorded") {
            miner.add(&Source::new(&Transcript::from_slice(&bytes)));
        }
    }
    let mut file = RecordFile::default();
    file.merge(miner.finish(now()).records);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/mined.jsonl");
    if std::env::var_os("CLAWGAUGE_UPDATE").is_some() {
        std::fs::write(path, file.to_jsonl()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), file.to_jsonl());
}

/// Prints what a reviewer reads, for a look by hand:
/// `CLAWGAUGE_OPENCLAW_DATA=... cargo test -p clawgauge-golden --test it -- --ignored --nocapture show_all`.
#[test]
#[ignore = "for people"]
fn show_all() {
    let redactor = redactor();
    let mut miner = Miner::new(MineOptions::default(), &redactor);
    for (_, bytes) in recorded() {
        miner.add(&Source::new(&Transcript::from_slice(&bytes)));
    }
    let mined = miner.finish(now());
    println!("{}", mined.report);
    for record in &mined.records {
        println!("─── {} ───\n{}", record.id().unwrap(), Review::describe(record));
        for (id, strength) in record.strength().unwrap() {
            println!("  Strength {id}: {:?}", strength.and_then(|all| all.score()));
        }
    }
}

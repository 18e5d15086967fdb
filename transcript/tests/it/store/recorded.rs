//! What real versions left on a disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clawgauge_transcript::{Era, SessionKind, Store, Transcript};

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store").join(name)
}

#[test]
fn the_database_reads_to_its_decoded_rows() {
    let store = Store::open(&fixture("2026.9.6"));
    let live: Vec<_> =
        store.sessions().iter().filter(|session| session.kind() == SessionKind::Live).collect();
    assert_eq!(live.len(), 38);
    assert_eq!(live.iter().map(|session| session.entries().unwrap()).sum::<u64>(), 622);
    assert!(live.iter().all(|session| session.era() == Era::Sqlite && session.key().is_some()));
    for session in live {
        let file =
            std::fs::read(fixture("2026.9.6/decoded/main").join(format!("{}.jsonl", session.id()))).unwrap();
        let decoded = Transcript::from_slice(&file);
        let read = store.read(session).unwrap();
        assert_eq!(read.entries(), decoded.entries(), "{}", session.id());
        assert_eq!(read.report(), decoded.report(), "{}", session.id());
        assert!(read.report().is_clean(), "{}: {:?}", session.id(), read.report());
        assert_eq!(read.session_id().as_deref(), Some(session.id()));
        assert_eq!(session.started_at(), read.started_at(), "{}", session.id());
    }
}

#[test]
fn the_deleted_session_is_there_once() {
    let store = Store::open(&fixture("2026.9.6"));
    let deleted: Vec<_> = store.sessions().iter().filter(|s| s.kind() == SessionKind::Deleted).collect();
    assert_eq!(deleted.len(), 2, "a row and the file that was made of it");
    assert_eq!(deleted.iter().filter(|session| session.counts()).count(), 1);
    let [row, file] = deleted[..] else { panic!() };
    assert_eq!(store.read(row).unwrap().entries(), store.read(file).unwrap().entries());
    assert!(store.read(row).unwrap().entries().len() > 1);
}

#[test]
fn rewinds_and_forks_count_once() {
    let store = Store::open(&fixture("2026.9.6"));
    let mut ids: BTreeMap<String, u32> = BTreeMap::new();
    let (mut repeated, mut entries) = (0, 0);
    for reading in store.readings() {
        let reading = reading.unwrap();
        repeated += reading.repeated.len();
        for (index, entry) in reading.transcript.entries().iter().enumerate() {
            if entry.type_name() != "session" && !reading.is_repeated(index) {
                entries += 1;
                *ids.entry(entry.id().unwrap().into_owned()).or_insert(0) += 1;
            }
        }
    }
    assert_eq!(ids.values().max(), Some(&1));
    assert_eq!(ids.len(), entries);
    assert!(repeated > 0);
}

#[test]
fn the_older_folders() {
    for (version, sessions, kind) in
        [("2026.6.11", 37, SessionKind::Reset), ("2026.3.31", 14, SessionKind::Reset)]
    {
        let store = Store::open(&fixture(version));
        let counted = store.sessions().iter().filter(|session| session.counts()).count();
        assert_eq!(counted, sessions, "{version}\n{}", store.coverage());
        assert!(store.sessions().iter().any(|session| session.kind() == kind));
        assert!(store.coverage().is_complete(), "{version}\n{}", store.coverage());
        for reading in store.readings() {
            assert!(!reading.unwrap().transcript.entries().is_empty());
        }
    }
}

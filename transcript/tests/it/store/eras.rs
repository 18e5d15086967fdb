//! The same session in every form, and the copies that stand beside it.

use std::fs;

use clawgauge_transcript::{Era, Limits, ProblemKind, Row, RowDecoder, SessionKind, Store, Transcript};
use rusqlite::params;

use super::recorded::fixture;
use super::support::{State, header, ids, insert, message, session, zstd};

#[test]
fn lines_and_rows_read_to_equal_entries() {
    let state = State::new();
    let connection = state.database();
    let mut count = 0;
    for version in ["2026.6.11", "2026.3.31"] {
        for found in Store::open(&fixture(version)).sessions() {
            if found.kind() != SessionKind::Live {
                continue;
            }
            let text = fs::read_to_string(found.path()).unwrap();
            insert(&connection, found.id(), &text, |seq| seq % 2 == 1);
            count += 1;
        }
    }
    drop(connection);
    let store = Store::open(state.root());
    assert_eq!(store.sessions().len(), count);
    for version in ["2026.6.11", "2026.3.31"] {
        let files = Store::open(&fixture(version));
        for file in files.sessions().iter().filter(|session| session.kind() == SessionKind::Live) {
            let rows = store.find(file.id()).unwrap();
            assert_eq!((rows.era(), file.era()), (Era::Sqlite, Era::Jsonl));
            let (rows, lines) = (store.read(rows).unwrap(), files.read(file).unwrap());
            assert_eq!(rows.entries(), lines.entries(), "{}", file.id());
            assert_eq!(rows.report(), lines.report(), "{}", file.id());
        }
    }
}

#[test]
fn every_copy_is_listed_and_the_session_counts_once() {
    let state = State::new();
    let id = "0a1b2c3d-aaaa-4aaa-8aaa-000000000001";
    let text = session(id, 3);
    state.file(&format!("{id}.jsonl"), &text);
    state.file(&format!("{id}.jsonl.bak-1-1777818569481"), &text);
    state.file(&format!("{id}.jsonl.deleted.2026-04-10T10-11-13.502Z"), &text);
    let checkpoint = "0a1b2c3d-bbbb-4bbb-8bbb-000000000002";
    // A checkpoint has an id of its own in its header, and the session's rows.
    let copied = text.replacen(&header(id), &header(checkpoint), 1);
    state.file(&format!("{id}.checkpoint.{checkpoint}.jsonl"), copied);
    let earlier = format!("{}\n{}\n", header(id), message("earlier", None, "before the reset"));
    state.file(&format!("{id}.jsonl.reset.2026-04-09T10-11-13.502Z"), &earlier);
    state.file(&format!("{id}.trajectory.jsonl"), "{}\n");
    state.file(&format!("{id}.jsonl.lock"), "");
    state.file("config-audit.jsonl", "{\"a\":1}\n");

    let store = Store::open(state.root());
    let kinds: Vec<_> = store.sessions().iter().map(|session| (session.kind(), session.counts())).collect();
    assert_eq!(
        kinds,
        [
            (SessionKind::Live, true),
            (SessionKind::Reset, true),
            (SessionKind::Deleted, false),
            (SessionKind::Backup, false),
            (SessionKind::Checkpoint, false),
        ]
    );
    let read: Vec<_> = store.readings().map(|reading| reading.unwrap()).collect();
    assert_eq!(read.len(), 2);
    assert!(read.iter().all(|reading| reading.repeated.is_empty()));
    assert_eq!(read.iter().map(|reading| reading.transcript.entries().len()).sum::<usize>(), 4 + 2);
    assert_eq!(store.coverage().sessions(), 2);
    assert!(store.coverage().is_complete());
}

#[test]
fn an_imported_file_is_a_copy_of_its_rows() {
    let state = State::new();
    let text = session("s-1", 3);
    insert(&state.database(), "s-1", &text, |_| false);
    let archive = state.root().join("agents/main/session-sqlite-import-archive");
    fs::create_dir_all(&archive).unwrap();
    fs::write(archive.join("s-1.jsonl"), &text).unwrap();
    fs::write(archive.join("s-2.jsonl.migrated"), session("s-2", 2)).unwrap();
    state.file("s-1.jsonl", &text);

    let store = Store::open(state.root());
    let counted: Vec<_> =
        store.sessions().iter().filter(|s| s.counts()).map(|s| (s.id(), s.era(), s.kind())).collect();
    assert_eq!(
        counted,
        [("s-1", Era::Sqlite, SessionKind::Live), ("s-2", Era::Jsonl, SessionKind::Migrated)],
        "{}",
        store.coverage()
    );
    assert_eq!(store.sessions().len(), 4);
}

#[test]
fn one_chosen_id_can_be_two_sessions() {
    let state = State::new();
    fs::create_dir_all(state.root().join("agents/ops/sessions")).unwrap();
    state.file("local-1.jsonl", session("local-1", 2));
    let other = session("local-1", 2).replace("local-1-", "other-");
    fs::write(state.root().join("agents/ops/sessions/local-1.jsonl"), other).unwrap();
    let store = Store::open(state.root());
    assert_eq!(store.sessions().iter().filter(|session| session.counts()).count(), 2);
}

#[test]
fn a_rewound_copy_of_a_file_counts_only_what_is_new() {
    let state = State::new();
    let text = session("s-1", 3);
    state.file("s-1.jsonl", &text);
    let mut copy = text.replacen(&header("s-1"), &header("s-2"), 1);
    copy += &message("new", Some("s-1-1"), "another way");
    state.file("s-2.jsonl", copy);
    let store = Store::open(state.root());
    let readings: Vec<_> = store.readings().map(|reading| reading.unwrap()).collect();
    assert_eq!(readings.iter().map(|reading| reading.session.id()).collect::<Vec<_>>(), ["s-1", "s-2"]);
    assert_eq!(readings[0].repeated, [0_usize; 0]);
    assert_eq!(readings[1].repeated, [1, 2, 3]);
    assert!(!readings[1].is_repeated(4));
}

#[test]
fn cold_sessions_are_read_from_their_archive() {
    let state = State::new();
    let connection = state.database();
    let cold = state.root().join("agents/main/sessions/cold");
    fs::create_dir_all(&cold).unwrap();
    fs::write(cold.join("aa.jsonl.zst"), zstd(&session("in-file", 2))).unwrap();
    for (id, storage, name, blob) in [
        ("in-file", "file", "aa.jsonl.zst", None),
        ("in-row", "sqlite", "bb.jsonl.zst", Some(zstd(&session("in-row", 3)))),
    ] {
        connection
            .execute(
                "INSERT INTO session_windows (session_id, session_key, updated_at) VALUES (?1, ?2, 1777885201000)",
                params![id, format!("agent:main:{id}")],
            )
            .unwrap();
        connection
            .execute(
                "INSERT INTO session_transcript_cold_archives
                 (session_id, generation, archive_name, event_count, storage, archive_blob, archived_at)
                 VALUES (?1, 'g', ?2, 4, ?3, ?4, 1777885201000)",
                params![id, name, storage, blob],
            )
            .unwrap();
    }
    drop(connection);
    let store = Store::open(state.root());
    let counted: Vec<_> = store.sessions().iter().filter(|session| session.counts()).collect();
    assert_eq!(counted.len(), 2, "{}", store.coverage());
    for (session, entries) in counted.iter().zip([3, 4]) {
        assert_eq!(session.kind(), SessionKind::Cold);
        assert_eq!(session.key_text(), Some(&*format!("agent:main:{}", session.id())));
        assert_eq!(store.read(session).unwrap().entries().len(), entries, "{}", session.id());
    }
}

#[test]
fn older_schemas() {
    // Before schema 14 the tables had other names, before 23 there were no compressed rows.
    let state = State::new();
    let connection = rusqlite::Connection::open(state.database_path()).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE sessions (session_id TEXT PRIMARY KEY, session_key TEXT, updated_at INTEGER);
             CREATE TABLE session_entries (session_key TEXT PRIMARY KEY, session_id TEXT, entry_json TEXT, status TEXT);
             CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER,
                PRIMARY KEY (session_id, seq));
             INSERT INTO sessions VALUES ('s-1', 'agent:main:main', 1777885201000);
             INSERT INTO session_entries VALUES ('agent:main:main', 's-1', '{}', 'done');
             PRAGMA user_version = 8;",
        )
        .unwrap();
    for (seq, line) in (0_i64..).zip(session("s-1", 2).lines()) {
        connection
            .execute(
                "INSERT INTO transcript_events VALUES ('s-1', ?1, ?2, 1777885200000)",
                params![seq, line],
            )
            .unwrap();
    }
    drop(connection);
    let store = Store::open(state.root());
    let [session] = store.sessions() else { panic!("{}", store.coverage()) };
    assert_eq!((session.key_text(), session.status()), (Some("agent:main:main"), Some("done")));
    assert_eq!(store.read(session).unwrap().entries().len(), 3);

    // Schema 1 to 3 held a memory index only; the sessions are files.
    let state = State::new();
    let connection = rusqlite::Connection::open(state.database_path()).unwrap();
    connection.execute_batch("CREATE TABLE memory_index_meta (key TEXT); PRAGMA user_version = 1;").unwrap();
    drop(connection);
    state.file("s-2.jsonl", super::support::session("s-2", 1));
    let store = Store::open(state.root());
    assert_eq!(store.sessions().len(), 1);
    assert!(store.coverage().is_complete());
    assert!(store.coverage().to_string().contains("no transcripts in it (schema 1)"), "{}", store.coverage());
}

#[test]
fn folders_of_earlier_names() {
    let home = tempfile::tempdir().unwrap();
    for (name, id) in [(".clawdbot", "old-1"), (".moltbot", "old-2"), (".openclaw", "new-1")] {
        let folder = home.path().join(name).join("agents/main/sessions");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{id}.jsonl")), session(id, 1)).unwrap();
    }
    // A migration leaves a link from the old name to the new folder.
    #[cfg(unix)]
    std::os::unix::fs::symlink(home.path().join(".openclaw"), home.path().join(".moldbot")).unwrap();
    for root in [home.path().join(".openclaw"), home.path().to_owned()] {
        let store = Store::open(&root);
        let ids: Vec<_> = store.sessions().iter().map(clawgauge_transcript::SessionInfo::id).collect();
        assert_eq!(ids, ["new-1", "old-1", "old-2"], "{}", root.display());
    }
}

#[test]
fn places_given_by_hand() {
    let state = State::new();
    insert(&state.database(), "rows", &session("rows", 1), |_| false);
    let file = state.file("lines.jsonl", session("lines", 1));
    let sessions = file.parent().unwrap().to_owned();
    let agent = state.root().join("agents/main");
    let count = |paths: &[&std::path::Path]| {
        let store = Store::from_paths(paths, Limits::default());
        assert!(store.coverage().is_complete(), "{}", store.coverage());
        store.sessions().len()
    };
    assert_eq!(count(&[state.root()]), 2);
    assert_eq!(count(&[&agent]), 2);
    assert_eq!(count(&[&sessions]), 1);
    assert_eq!(count(&[&file]), 1);
    assert_eq!(count(&[&state.database_path()]), 1);
    assert_eq!(count(&[&file, &sessions, state.root(), &agent]), 2, "each place once");
    let store = Store::from_paths([&sessions], Limits::default());
    assert_eq!(store.sessions()[0].agent(), Some("main"));
}

#[test]
fn an_index_names_keys_and_origin() {
    let state = State::new();
    state.file("s-1.jsonl", session("s-1", 1));
    state.file(
        "sessions.json",
        r#"{"agent:main:subagent:1":{"sessionId":"s-1","updatedAt":1777885209000,"status":"done","spawnedBy":"agent:main:main"}}"#,
    );
    let store = Store::open(state.root());
    let session = &store.sessions()[0];
    assert!(session.key().unwrap().is_subagent());
    assert_eq!(session.status(), Some("done"));
    assert_eq!(session.lineage().unwrap().spawned_by.as_deref(), Some("agent:main:main"));
    assert_eq!(session.updated_at().unwrap().millis(), 1_777_885_209_000);
}

#[test]
fn a_flipped_bit_is_never_a_wrong_row() {
    let line = message("a", None, &"the same words again and again ".repeat(40));
    let frame = zstd(&line);
    let row = |frame: &[u8], length: usize| {
        let mut decoder = RowDecoder::new(Limits::default());
        let row = Row { zstd: Some(frame), utf8_bytes: Some(length as u64), ..Row::default() };
        let entry = decoder.row(row);
        (entry.map(|entry| entry.raw().to_owned()), decoder.report().count(ProblemKind::CorruptFrame))
    };
    assert_eq!(row(&frame, line.len()), (Some(line.clone()), 0));
    assert_eq!(row(&frame, line.len() - 1), (None, 1));
    assert_eq!(row(&frame, line.len() + 1), (None, 1));
    for bit in 0..frame.len() * 8 {
        let mut damaged = frame.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let (text, problems) = row(&damaged, line.len());
        assert!(text.as_ref() == Some(&line) || (text.is_none() && problems == 1), "bit {bit}");
    }
    for end in 0..frame.len() {
        assert_eq!(row(&frame[..end], line.len()), (None, 1), "cut at {end}");
    }
    let mut twice = frame.clone();
    twice.extend_from_slice(&frame);
    assert_eq!(row(&twice, line.len()), (None, 1), "bytes after the frame");
}

#[test]
fn a_compressed_row_may_not_grow_without_bound() {
    let line = format!("{{\"type\":\"x\",\"pad\":\"{}\"}}", "a".repeat(5 << 20));
    let frame = zstd(&line);
    assert!(frame.len() < 100_000);
    let mut decoder = RowDecoder::new(Limits::default());
    let row = Row { zstd: Some(&frame), utf8_bytes: Some(line.len() as u64), ..Row::default() };
    assert!(decoder.row(row).is_none());
    let small = Row { zstd: Some(&frame), utf8_bytes: Some(100), ..Row::default() };
    assert!(decoder.row(small).is_none());
    let kinds: Vec<_> = decoder.report().problems.iter().map(|problem| problem.kind).collect();
    assert_eq!(kinds, [ProblemKind::Oversized, ProblemKind::CorruptFrame]);
}

#[test]
fn headerless_and_empty_files_are_sessions_of_their_name() {
    let state = State::new();
    state.file("s-1.jsonl", message("a", None, "no header") + "\n");
    state.file("s-2.jsonl", "");
    state.file("s-3.jsonl", "not a session at all\n");
    let store = Store::open(state.root());
    let listed: Vec<_> = store.sessions().iter().map(|session| session.id().to_owned()).collect();
    assert_eq!(listed.len(), 2, "{}", store.coverage());
    assert_eq!(ids(&store.read(store.find("s-1").unwrap()).unwrap()), ["a"]);
    assert_eq!(store.read(store.find("s-2").unwrap()).unwrap(), Transcript::from_slice(b""));
    assert_eq!(store.coverage().skipped_total, 1);
}

#[test]
fn a_trajectory_stands_for_a_session_that_is_gone() {
    let state = State::new();
    let from = fixture("2026.6.11/agents/main/sessions");
    let ids = ["2e567431-3fe1-4808-9733-5bed90ab96d5", "c83ce0cd-2dd1-438c-9ea9-a6f2f0ec0f26"];
    for id in ids {
        let name = format!("{id}.trajectory.jsonl");
        state.file(&name, fs::read(from.join(&name)).unwrap());
    }
    state.file(&format!("{}.jsonl", ids[1]), fs::read(from.join(format!("{}.jsonl", ids[1]))).unwrap());
    let store = Store::open(state.root());
    let found: Vec<_> = store.sessions().iter().map(|session| (session.id(), session.kind())).collect();
    assert_eq!(found.len(), 2);
    assert!(
        found.contains(&(ids[0], SessionKind::Trajectory)) && found.contains(&(ids[1], SessionKind::Live))
    );
    let transcript = store.read(store.find(ids[0]).unwrap()).unwrap();
    assert_eq!(transcript.conversation().turns.len(), 4);
    assert_eq!(store.coverage().sidecars.get("trajectory"), Some(&2));
}

#[test]
fn rows_of_runtime_events_too() {
    let state = State::new();
    let connection = state.database();
    connection
        .execute_batch("CREATE TABLE trajectory_runtime_events (session_id TEXT, seq INTEGER, run_id TEXT, event_json TEXT)")
        .unwrap();
    let lines = fs::read_to_string(fixture(
        "2026.9.6/decoded/main/bc626f5b-fcf8-4078-b089-7dd686333fc8.trajectory.jsonl",
    ))
    .unwrap();
    for (seq, line) in (0_i64..).zip(lines.lines()) {
        connection
            .execute("INSERT INTO trajectory_runtime_events VALUES ('gone', ?1, 'r', ?2)", params![seq, line])
            .unwrap();
    }
    drop(connection);
    let store = Store::open(state.root());
    let [session] = store.sessions() else { panic!("{}", store.coverage()) };
    assert_eq!((session.kind(), session.counts()), (SessionKind::Trajectory, true));
    assert!(store.read(session).unwrap().conversation().calls().count() > 5);
}

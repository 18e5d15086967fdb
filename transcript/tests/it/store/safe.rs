//! Nothing of the operator's is created or changed, whatever a gateway does meanwhile.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use clawgauge_transcript::{SessionKind, Store};
use rusqlite::Connection;

use super::recorded::fixture;
use super::support::{State, ids, insert, insert_row, listing, message, session};

/// Set for the process that plays the gateway: the state folder.
const WRITER: &str = "CLAWGAUGE_TEST_WRITER";

fn read_everything(root: &Path) -> usize {
    let store = Store::open(root);
    assert!(store.coverage().is_complete(), "{}", store.coverage());
    drop(store.audit_events().unwrap());
    store.readings().map(|reading| reading.unwrap().transcript.entries().len()).sum()
}

fn copy_tree(from: &Path, to: &Path) {
    for path in listing(from).into_keys() {
        let target = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, fs::read(path).unwrap()).unwrap();
    }
}

#[test]
fn reading_changes_nothing() {
    for version in ["2026.9.6", "2026.6.11", "2026.3.31"] {
        let folder = tempfile::tempdir().unwrap();
        copy_tree(&fixture(version), folder.path());
        let before = listing(folder.path());
        assert!(read_everything(folder.path()) > 100);
        assert_eq!(listing(folder.path()), before, "{version}");
    }
}

/// A database in WAL mode with rows that only its `-wal` holds.
fn with_wal(state: &State) -> Connection {
    let connection = state.database();
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;").unwrap();
    insert(&connection, "s-1", &session("s-1", 50), |seq| seq % 3 == 1);
    connection
}

/// Another process: inside one, SQLite shares what it has mapped of the lock file, and a reader writes through the
/// writer's eyes.
#[test]
fn beside_a_live_writer() {
    if let Some(root) = std::env::var_os(WRITER) {
        let connection =
            Connection::open(Path::new(&root).join("agents/main/agent/openclaw-agent.sqlite")).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;").unwrap();
        insert(&connection, "s-1", &session("s-1", 50), |seq| seq % 3 == 1);
        fs::write(Path::new(&root).join("ready"), "").unwrap();
        // Until the reader closes our input.
        let _count = std::io::stdin().read_line(&mut String::new()).unwrap();
        return;
    }
    let state = State::new();
    drop(state.database());
    let mut writer = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::safe::beside_a_live_writer", "--nocapture"])
        .env(WRITER, state.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let input = writer.stdin.take();
    while !state.root().join("ready").exists() {
        assert!(writer.try_wait().unwrap().is_none(), "the writer ended early");
        std::thread::yield_now();
    }
    let before = listing(state.root());
    assert!(before.keys().any(|path| path.to_string_lossy().ends_with("-shm")));
    assert_eq!(read_everything(state.root()), 51);
    assert_eq!(listing(state.root()), before);
    drop(input);
    assert!(writer.wait().unwrap().success());
}

#[test]
fn what_a_killed_writer_left() {
    let state = State::new();
    let writer = with_wal(&state);
    for keep_shm in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        copy_tree(state.root(), folder.path());
        let shm = folder.path().join("agents/main/agent/openclaw-agent.sqlite-shm");
        if !keep_shm {
            fs::remove_file(&shm).unwrap();
        }
        let before = listing(folder.path());
        assert_eq!(read_everything(folder.path()), 51, "with its lock file: {keep_shm}");
        assert_eq!(listing(folder.path()), before, "with its lock file: {keep_shm}");
    }
    drop(writer);
}

#[test]
fn an_unfinished_rollback_is_not_read_as_data() {
    let state = State::new();
    let connection = state.database();
    connection.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2;").unwrap();
    insert(&connection, "s-1", &session("s-1", 20), |_| false);
    connection.execute_batch("PRAGMA cache_spill = 1; BEGIN IMMEDIATE;").unwrap();
    // Enough to spill uncommitted pages into the main file.
    insert(&connection, "s-2", &session("s-2", 3000), |_| false);
    let folder = tempfile::tempdir().unwrap();
    copy_tree(state.root(), folder.path());
    let before = listing(folder.path());
    assert!(before.keys().any(|path| path.to_string_lossy().ends_with("-journal")));
    assert_eq!(read_everything(folder.path()), 21);
    assert_eq!(listing(folder.path()), before);
}

#[test]
fn side_databases_are_ignored() {
    let state = State::new();
    insert(&state.database(), "s-1", &session("s-1", 1), |_| false);
    for name in ["openclaw-agent.sqlite.generation-lock.sqlite", "openclaw-agent.sqlite.reindex-lock.sqlite"]
    {
        fs::write(state.root().join("agents/main/agent").join(name), "no database").unwrap();
    }
    assert_eq!(read_everything(state.root()), 2);
}

#[test]
fn a_writer_and_a_reader_at_once() {
    let state = State::new();
    let connection = state.database();
    connection.execute_batch("PRAGMA journal_mode = WAL;").unwrap();
    insert(&connection, "s-1", &session("s-1", 0), |_| false);
    let total: usize = 400;
    std::thread::scope(|scope| {
        let writer = scope.spawn(move || {
            connection.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
            for at in 0..total {
                let parent = at.checked_sub(1).map(|at| format!("e-{at}"));
                let line = message(&format!("e-{at}"), parent.as_deref(), &"word ".repeat(at % 300));
                insert_row(&connection, "s-1", at + 1, &line, at % 4 == 3);
                if at % 50 == 49 {
                    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE);").unwrap();
                }
            }
            connection
        });
        let store = Store::open(state.root());
        let mut seen = 0;
        while seen <= total {
            let finished = writer.is_finished();
            let read = store.read(&store.sessions()[0]).unwrap();
            assert!(read.report().is_clean(), "{:?}", read.report());
            let ids = ids(&read);
            let expected: Vec<String> = std::iter::once("s-1".to_owned())
                .chain((0..ids.len() - 1).map(|at| format!("e-{at}")))
                .collect();
            assert_eq!(ids, expected, "no row missing, none doubled");
            assert!(ids.len() >= seen, "never back");
            seen = ids.len();
            assert!(!finished || seen > total, "all rows once the writer ended");
        }
        drop(writer.join().unwrap());
    });
}

#[test]
fn a_store_outlives_a_gateway_that_starts_and_stops() {
    let state = State::new();
    let connection = state.database();
    insert(&connection, "s-1", &session("s-1", 1), |_| false);
    connection.execute_batch("PRAGMA journal_mode = WAL;").unwrap();
    drop(connection);
    let store = Store::open(state.root());
    let session = &store.sessions()[0];
    assert_eq!(session.kind(), SessionKind::Live);
    assert_eq!(store.read(session).unwrap().entries().len(), 2);
    let writer = Connection::open(state.database_path()).unwrap();
    insert_row(&writer, "s-1", 2, &message("later", Some("s-1-0"), "later"), false);
    assert_eq!(store.read(session).unwrap().entries().len(), 3, "the -wal that appeared is read");
    drop(writer);
    assert_eq!(store.read(session).unwrap().entries().len(), 3, "and the main file again afterwards");
}

//! Entries as they are written.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use clawgauge_transcript::{Fresh, Limits, StoreError, StoreErrorKind, Tail, Watch};
use rusqlite::Connection;

use super::support::{State, header, insert, insert_row, message, session};

fn append(path: &Path, bytes: impl AsRef<[u8]>) {
    OpenOptions::new().append(true).create(true).open(path).unwrap().write_all(bytes.as_ref()).unwrap();
}

fn ids(fresh: &[Fresh]) -> Vec<String> {
    fresh.iter().map(|fresh| fresh.entry.id().unwrap().into_owned()).collect()
}

fn line(id: &str) -> String {
    message(id, None, "words") + "\n"
}

const NOTHING: [&str; 0] = [];

#[test]
fn a_file_that_grows_in_pieces() {
    let state = State::new();
    let path = state.file("s-1.jsonl", session("s-1", 2));
    let mut watch = Watch::open(state.root(), false);
    assert_eq!(ids(&watch.poll()), NOTHING, "what is there is not new");
    let text = line("é-1");
    // Cut inside a character.
    let cut = text.find('é').unwrap() + 1;
    append(&path, &text.as_bytes()[..cut]);
    assert_eq!(ids(&watch.poll()), NOTHING);
    append(&path, &text.as_bytes()[cut..]);
    append(&path, "{bad\n");
    append(&path, line("b").trim_end());
    assert_eq!(ids(&watch.poll()), ["é-1"]);
    append(&path, "\n");
    assert_eq!(ids(&watch.poll()), ["b"]);
    assert_eq!(ids(&watch.poll()), NOTHING);
    assert!(watch.take_problems().is_empty());
}

#[test]
fn a_window_that_begins_in_the_middle_of_a_line() {
    let state = State::new();
    // The last line is unfinished and longer than any window: it comes whole once it ends.
    let long = message("long", None, &"x".repeat(40_000));
    let path = state.file("s-1.jsonl", session("s-1", 1) + &long);
    let mut watch = Watch::open(state.root(), false);
    assert_eq!(ids(&watch.poll()), NOTHING);
    append(&path, "\n");
    assert_eq!(ids(&watch.poll()), ["long"]);
}

#[test]
fn from_the_start_each_entry_comes_once() {
    let state = State::new();
    state.file("s-1.jsonl", session("s-1", 2));
    insert(&state.database(), "s-2", &session("s-2", 2), |seq| seq == 2);
    let mut watch = Watch::open(state.root(), true);
    let mut seen = ids(&watch.poll());
    seen.sort();
    assert_eq!(seen, ["s-1", "s-1-0", "s-1-1", "s-2", "s-2-0", "s-2-1"]);
    assert_eq!(ids(&watch.poll()), NOTHING);
}

#[test]
fn a_file_that_is_cut_or_replaced() {
    let state = State::new();
    let path = state.file("s-1.jsonl", session("s-1", 3));
    for from_start in [true, false] {
        fs::write(&path, session("s-1", 3)).unwrap();
        let mut watch = Watch::open(state.root(), from_start);
        watch.poll();
        // Another file under the same name, with the old rows and a new one.
        let next = state.root().join("next");
        fs::write(&next, session("s-1", 3) + &line("new")).unwrap();
        fs::rename(&next, &path).unwrap();
        let fresh = ids(&watch.poll());
        assert_eq!(
            fresh.iter().filter(|id| *id != "s-1").collect::<Vec<_>>(),
            ["new"],
            "from start: {from_start}"
        );
        // Cut, and written again.
        fs::write(&path, header("s-1") + "\n").unwrap();
        watch.poll();
        append(&path, line("again"));
        assert_eq!(ids(&watch.poll()), ["again"]);
    }
}

#[test]
fn what_appears_later_is_followed_from_its_start() {
    let state = State::new();
    let mut watch = Watch::open(state.root(), false);
    assert_eq!(ids(&watch.poll()), NOTHING);
    let path = state.file("s-1.jsonl", session("s-1", 1));
    assert_eq!(ids(&watch.poll()), ["s-1", "s-1-0"]);
    // A reset in the older versions: the file is renamed, another one begins.
    fs::rename(&path, path.with_file_name("s-1.jsonl.reset.2026-05-04T09-00-00.000Z")).unwrap();
    state.file("s-2.jsonl", session("s-2", 1));
    assert_eq!(ids(&watch.poll()), ["s-2", "s-2-0"]);
    let ops = state.root().join("agents/ops/agent");
    fs::create_dir_all(&ops).unwrap();
    let connection = Connection::open(ops.join("openclaw-agent.sqlite")).unwrap();
    connection.execute_batch("CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB, event_utf8_bytes INTEGER, PRIMARY KEY (session_id, seq)); CREATE TABLE session_windows (session_id TEXT, session_key TEXT, updated_at INTEGER)").unwrap();
    insert(&connection, "s-3", &session("s-3", 1), |_| false);
    let fresh = watch.poll();
    assert_eq!(ids(&fresh), ["s-3", "s-3-0"]);
    assert_eq!(fresh[0].session_key.as_deref(), Some("agent:main:s-3"));
    assert_eq!(fresh[0].agent.as_deref(), Some("ops"));
}

#[test]
fn commits_to_a_database() {
    for mode in ["WAL", "DELETE"] {
        let state = State::new();
        let connection = state.database();
        connection.execute_batch(&format!("PRAGMA journal_mode = {mode}")).unwrap();
        insert(&connection, "s-1", &session("s-1", 2), |_| false);
        let mut watch = Watch::open(state.root(), false);
        assert_eq!(ids(&watch.poll()), NOTHING, "{mode}");
        let transaction = connection.unchecked_transaction().unwrap();
        insert_row(&transaction, "s-1", 3, &message("a", None, "one"), false);
        assert_eq!(ids(&watch.poll()), NOTHING, "{mode}: not committed");
        insert_row(&transaction, "s-1", 4, &message("b", None, &"two ".repeat(500)), true);
        transaction.commit().unwrap();
        assert_eq!(ids(&watch.poll()), ["a", "b"], "{mode}");
        // A rewind copies the session under a new id: only what is new in it comes.
        let copy =
            session("s-1", 2).replacen(&header("s-1"), &header("s-2").replace("09:00:00", "10:00:00"), 1);
        let new = message("c", Some("s-1-0"), "another way").replace("09:00:01", "10:00:01");
        insert(&connection, "s-2", &(copy + &new + "\n"), |_| false);
        assert_eq!(ids(&watch.poll()), ["s-2", "c"], "{mode}");
        // Rewritten from its start.
        connection.execute("DELETE FROM transcript_events WHERE session_id = 's-1' AND seq > 2", []).unwrap();
        assert_eq!(ids(&watch.poll()).iter().filter(|id| *id != "s-1" && !id.starts_with("s-1-")).count(), 0);
        insert_row(&connection, "s-1", 3, &message("d", None, "three"), false);
        assert_eq!(ids(&watch.poll()), ["d"], "{mode}");
    }
}

/// A file that is longer than one look, replaced under its name: what was there before is not new.
#[test]
fn a_long_file_that_is_replaced() {
    let state = State::new();
    let long: String =
        (0..10).map(|at| message(&format!("m{at}"), None, &"x".repeat(2 << 20)) + "\n").collect();
    let old = header("s-1") + "\n" + &long;
    let path = state.file("s-1.jsonl", &old);
    let mut watch = Watch::open(state.root(), false);
    let next = state.root().join("next");
    fs::write(&next, old + &line("new")).unwrap();
    fs::rename(&next, &path).unwrap();
    assert_eq!(ids(&watch.poll()), ["new"]);
    assert_eq!(ids(&watch.poll()), NOTHING);
}

#[test]
fn a_tail_says_that_there_is_more() {
    let state = State::new();
    let path = state.file("s-1.jsonl", "x".repeat(20 << 20));
    let mut tail = Tail::from_start(&path);
    let first = tail.read().unwrap();
    assert!(first.more && first.bytes.len() == 16 << 20);
    let second = tail.read().unwrap();
    assert!(!second.more && second.bytes.len() == 4 << 20);
    // No line ends in all of it: the next one begins at its end, or at its start where that is near.
    let (mut tail, last) = Tail::from_end(&path).unwrap();
    assert!(last.is_empty() && tail.read().unwrap().bytes.len() == 16 << 20);
}

#[test]
fn what_cannot_be_followed_is_named() {
    let state = State::new();
    let archive = state.file("s-1.jsonl.zst", "compressed");
    let mut watch = Watch::from_paths([&archive, &state.root().join("missing")], false, Limits::default());
    watch.take_problems();
    assert_eq!(ids(&watch.poll()), NOTHING);
    let kinds: Vec<_> = watch.take_problems().iter().map(StoreError::kind).collect();
    assert_eq!(
        kinds,
        [StoreErrorKind::WrongKindOfFile],
        "an archive does not grow; what is missing may come"
    );
    fs::create_dir_all(state.root().join("agents/ops")).unwrap();
    fs::write(state.root().join("agents/ops/sessions"), "a file in the place of a folder").unwrap();
    let mut watch = Watch::open(state.root(), false);
    watch.take_problems();
    watch.poll();
    let paths: Vec<_> = watch.take_problems().iter().map(|problem| problem.path().to_owned()).collect();
    assert_eq!(paths, [state.root().join("agents/ops/sessions")]);
}

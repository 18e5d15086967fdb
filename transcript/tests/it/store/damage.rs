//! One damaged place hides no other.

use std::fs;
use std::path::Path;

use clawgauge_transcript::{Limits, ProblemKind, SessionInfo, Store, StoreErrorKind};
use rusqlite::Connection;

use super::support::{State, insert, session};

/// A state folder with sound files beside whatever the test breaks.
fn sound() -> State {
    let state = State::new();
    state.file("sound.jsonl", session("sound", 2));
    state
}

fn skipped(store: &Store) -> Vec<(String, StoreErrorKind)> {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    store.coverage().skipped.iter().map(|skipped| (name(&skipped.path), skipped.kind)).collect()
}

fn assert_sound(store: &Store) {
    let session = store.find("sound").unwrap();
    assert_eq!(store.read(session).unwrap().entries().len(), 3);
}

#[test]
fn folders_in_the_place_of_files() {
    let state = sound();
    fs::create_dir(state.root().join("agents/main/sessions/folder.jsonl")).unwrap();
    fs::create_dir(state.root().join("agents/main/sessions/sessions.json")).unwrap();
    fs::create_dir(state.database_path()).unwrap();
    fs::create_dir_all(state.root().join("agents/ops")).unwrap();
    fs::write(state.root().join("agents/ops/sessions"), "a file in the place of a folder").unwrap();
    let store = Store::open(state.root());
    let mut found = skipped(&store);
    found.sort();
    assert_eq!(
        found,
        [
            ("folder.jsonl".to_owned(), StoreErrorKind::WrongKindOfFile),
            ("openclaw-agent.sqlite".to_owned(), StoreErrorKind::WrongKindOfFile),
            ("sessions".to_owned(), StoreErrorKind::WrongKindOfFile),
            ("sessions.json".to_owned(), StoreErrorKind::WrongKindOfFile),
        ]
    );
    assert_sound(&store);
}

#[test]
fn a_file_that_is_no_database() {
    let state = sound();
    fs::write(state.database_path(), "not a database, and long enough to look like one".repeat(100)).unwrap();
    let store = Store::open(state.root());
    assert_eq!(skipped(&store), [("openclaw-agent.sqlite".to_owned(), StoreErrorKind::NotASession)]);
    assert_sound(&store);
}

#[test]
fn a_database_that_is_cut_off() {
    let state = sound();
    let connection = state.database();
    for at in 0..20 {
        insert(&connection, &format!("s-{at:02}"), &session(&format!("s-{at:02}"), 40), |_| false);
    }
    drop(connection);
    let whole = fs::read(state.database_path()).unwrap();
    for part in [1, 3, 5, 7] {
        fs::write(state.database_path(), &whole[..whole.len() / 8 * part]).unwrap();
        let store = Store::open(state.root());
        assert_sound(&store);
        let mut entries = 0;
        let mut told = !store.coverage().is_complete();
        for session in store.sessions().iter().filter(|session| session.id() != "sound") {
            match store.read(session) {
                Ok(transcript) => {
                    entries += transcript.entries().len();
                    told |= transcript.report().has_loss();
                }
                Err(error) => {
                    assert_eq!(error.kind(), StoreErrorKind::Damaged, "{error}");
                    told = true;
                }
            }
        }
        assert!(told && entries < 20 * 41, "{part}/8: {entries} rows\n{}", store.coverage());
    }
}

#[test]
fn a_damaged_page_hides_only_its_rows() {
    let state = sound();
    let connection = state.database();
    for at in 0..20 {
        insert(&connection, &format!("s-{at:02}"), &session(&format!("s-{at:02}"), 40), |_| false);
    }
    let page_size: u32 = connection.query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap();
    let page_size = page_size as usize;
    drop(connection);
    let whole = fs::read(state.database_path()).unwrap();
    let marker = b"s-10-20\"";
    let at = whole.windows(marker.len()).position(|window| window == marker).unwrap();
    let mut damaged = whole.clone();
    let page = at / page_size * page_size;
    damaged[page..page + 16].fill(0xA5);
    fs::write(state.database_path(), damaged).unwrap();
    let store = Store::open(state.root());
    assert_sound(&store);
    let mut lost = 0;
    for session in store.sessions().iter().filter(|session| session.id() != "sound") {
        let transcript = store.read(session).unwrap();
        let unreadable = transcript.report().count(ProblemKind::Unreadable);
        assert_eq!(
            transcript.entries().len() as u64 + unreadable,
            41,
            "{}: {:?}",
            session.id(),
            transcript.report()
        );
        lost += unreadable;
    }
    assert!((1..40).contains(&lost), "{lost} rows of one page");
    assert_eq!(store.sessions().len(), 21);
}

#[test]
fn a_corrupt_frame_is_a_line_of_the_report() {
    let state = State::new();
    let connection = state.database();
    insert(&connection, "s-1", &session("s-1", 6), |seq| seq > 0);
    connection
        .execute("UPDATE transcript_events SET event_zstd = substr(event_zstd, 1, 20) WHERE seq = 2", [])
        .unwrap();
    connection.execute("UPDATE transcript_events SET event_zstd = NULL WHERE seq = 4", []).unwrap();
    drop(connection);
    let store = Store::open(state.root());
    let transcript = store.read(&store.sessions()[0]).unwrap();
    assert_eq!(transcript.entries().len(), 5);
    let problems: Vec<_> =
        transcript.report().problems.iter().map(|problem| (problem.line, problem.kind)).collect();
    assert_eq!(problems, [(3, ProblemKind::CorruptFrame), (5, ProblemKind::Malformed)]);
}

#[test]
fn archives_that_are_damaged_or_not_compressed_at_all() {
    let state = sound();
    let frame = super::support::zstd(&session("gone", 5));
    state.file("gone.jsonl.deleted.2026-05-04T09-00-00.000Z.zst", &frame[..frame.len() / 2]);
    state.file("text.jsonl.reset.2026-05-04T09-00-00.000Z.zst", session("text", 1));
    let store = Store::open(state.root());
    assert_sound(&store);
    for id in ["gone", "text"] {
        let error = store.read(store.find(id).unwrap()).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Damaged, "{error}");
    }
    assert_eq!(store.readings().filter(Result::is_ok).count(), 1);
}

#[test]
fn a_database_that_another_program_holds_alone() {
    for mode in ["DELETE", "WAL"] {
        let state = sound();
        let connection = state.database();
        insert(&connection, "s-1", &session("s-1", 1), |_| false);
        connection
            .execute_batch(&format!(
                "PRAGMA journal_mode = {mode}; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;"
            ))
            .unwrap();
        connection.execute("UPDATE session_windows SET status = 'running'", []).unwrap();
        let store = Store::open(state.root());
        assert_sound(&store);
        let readable =
            store.find("s-1").is_some_and(|session| store.read(session).unwrap().entries().len() == 2);
        let named = skipped(&store) == [("openclaw-agent.sqlite".to_owned(), StoreErrorKind::Locked)];
        assert!(readable || named, "{mode}\n{}", store.coverage());
        connection.execute_batch("COMMIT").unwrap();
    }
}

/// Runs as another user: root may read everything.
#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;

    if std::env::var_os("CLAWGAUGE_AS_ANOTHER_USER").is_none() {
        let as_nobody = |command: &mut Command| {
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).status()
        };
        let can_switch = as_nobody(
            Command::new("setpriv").stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()),
        )
        .is_ok();
        let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
        if is_root && can_switch {
            let program = std::env::current_exe().unwrap();
            // The program must be where the other user can reach it.
            let folder = tempfile::tempdir().unwrap();
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
            let copy = folder.path().join("it");
            fs::copy(program, &copy).unwrap();
            let status = Command::new("setpriv")
                .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
                .arg(&copy)
                .args(["--exact", "store::damage::what_may_not_be_read_is_named"])
                .env("CLAWGAUGE_AS_ANOTHER_USER", "1")
                .env("TMPDIR", "/tmp")
                .status()
                .unwrap();
            assert!(status.success());
            return;
        }
        if is_root {
            eprintln!("not run: root may read everything and there is no setpriv to be somebody else");
            return;
        }
    }
    let state = sound();
    let secret = state.file("secret.jsonl", session("secret", 1));
    insert(&state.database(), "s-1", &session("s-1", 1), |_| false);
    fs::create_dir_all(state.root().join("agents/ops/sessions")).unwrap();
    let closed = [secret, state.database_path(), state.root().join("agents/ops/sessions")];
    for path in &closed {
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    }
    let store = Store::open(state.root());
    let mut found = skipped(&store);
    found.sort();
    for path in &closed {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!(
        found,
        ["openclaw-agent.sqlite", "secret.jsonl", "sessions"]
            .map(|name| (name.to_owned(), StoreErrorKind::PermissionDenied))
    );
    assert_sound(&store);
}

#[test]
fn nothing_there_says_where_it_looked() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join(".openclaw");
    let store = Store::open(&missing);
    assert!(store.sessions().is_empty());
    let text = store.coverage().to_string();
    assert!(text.contains(".openclaw: not there") && text.contains("no sessions"), "{text}");
    let store = Store::open(folder.path());
    assert!(store.coverage().to_string().contains("no sessions"));
}

#[test]
fn a_session_that_vanished_is_an_error_in_its_place() {
    let state = sound();
    let path = state.file("zz.jsonl", session("zz", 1));
    let store = Store::open(state.root());
    fs::remove_file(path).unwrap();
    let read: Vec<_> =
        store.readings().map(|reading| reading.map_err(|error| error.kind()).map(|_| ())).collect();
    assert_eq!(read, [Ok(()), Err(StoreErrorKind::NotFound)]);
    drop(Connection::open_in_memory());
}

/// What a shell makes of `sessions/*.jsonl`. Each file is looked at once, not once for each of the others.
#[test]
fn many_files_named_by_hand() {
    const FILES: usize = 3_000;
    let state = State::new();
    let mut paths: Vec<_> =
        (0..FILES).map(|at| state.file(&format!("s{at}.jsonl"), session(&format!("s{at}"), 1))).collect();
    assert_eq!(Store::from_paths(&paths, Limits::default()).coverage().sessions(), FILES as u64);
    paths.push(state.root().join("agents/main/sessions"));
    assert_eq!(Store::from_paths(&paths, Limits::default()).sessions().len(), FILES);
}

#[test]
fn a_first_row_longer_than_the_look_at_a_file() {
    let state = sound();
    let long = |length: usize| "x".repeat(length);
    let header = format!(r#"{{"type":"session","version":3,"pad":"{}","id":"s-long"}}"#, long(20_000));
    state.file("named.jsonl", header + "\n");
    // Longer than anything that is read of it: only reading will tell.
    let header = format!(r#"{{"type":"session","version":3,"pad":"{}","id":"s-longer"}}"#, long(2 << 20));
    state.file("longer.jsonl", header + "\n");
    let claude = |text: &str| {
        format!(
            r#"{{"parentUuid":null,"sessionId":"c","type":"user","uuid":"u","message":{{"role":"user","content":"{text}"}}}}"#
        ) + "\n"
    };
    state.file("claude-long.jsonl", claude(&long(20_000)));
    state.file("claude-many.jsonl", claude("words").repeat(200));
    // A damaged beginning hides no rows behind it.
    state.file("torn.jsonl", long(10_000) + "\n" + &session("torn", 1));
    let store = Store::open(state.root());
    let ids: Vec<_> = store.sessions().iter().map(SessionInfo::id).collect();
    assert_eq!(ids, ["longer", "s-long", "sound", "torn"]);
    assert_eq!(
        skipped(&store),
        [
            ("claude-long.jsonl".to_owned(), StoreErrorKind::NotASession),
            ("claude-many.jsonl".to_owned(), StoreErrorKind::NotASession),
        ]
    );
    assert_eq!(store.read(store.find("torn").unwrap()).unwrap().entries().len(), 2);
    assert_sound(&store);
}

#[cfg(unix)]
#[test]
fn links_and_names_that_lead_astray() {
    use StoreErrorKind::{Io, NotASession, NotFound, WrongKindOfFile};
    use std::os::unix::fs::symlink;

    let state = sound();
    let agents = state.root().join("agents");
    // Links to an agent sort before it, and lead in circles.
    symlink("main", agents.join("alias")).unwrap();
    symlink("..", agents.join("main/up")).unwrap();
    symlink(".", agents.join("main/sessions/self.jsonl")).unwrap();
    symlink("loop.jsonl", agents.join("main/sessions/loop.jsonl")).unwrap();
    symlink("/dev/zero", agents.join("main/sessions/zero.jsonl")).unwrap();
    symlink("gone", agents.join("main/sessions/gone.jsonl")).unwrap();
    state.file("two\nlines\u{1b}[2J.jsonl", "{}\n");
    let store = Store::open(state.root());
    assert_eq!(store.find("sound").unwrap().agent(), Some("main"));
    assert_eq!(store.sessions().len(), 1);
    let kinds: Vec<_> = store.coverage().skipped.iter().map(|skipped| skipped.kind).collect();
    assert_eq!(kinds, [NotFound, Io, WrongKindOfFile, NotASession, WrongKindOfFile]);
    // Whatever a file is called, a fact is a line.
    let text = store.coverage().to_string();
    assert_eq!(text.lines().filter(|line| line.starts_with("skipped ")).count(), 5);
    assert!(text.contains("two lines\u{fffd}[2J.jsonl: not_a_session"), "{text}");
    assert_sound(&store);
}

/// Archives of a few kilobytes that claim or make gigabytes.
#[test]
fn archives_that_are_bombs() {
    let state = sound();
    // One block of one byte, 131,071 times: 128 KiB out of four bytes.
    let block = [0xfa, 0xff, 0x0f, b' '];
    let mut zeros = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
    zeros.extend(block.repeat(9_000));
    state.file("blanks.jsonl.zst", &zeros);
    state.file("window.jsonl.zst", [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8, 0x01, 0x00, 0x00]);
    state.file("skip.jsonl.zst", [0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff]);
    let store = Store::open(state.root());
    let kind = |id: &str| store.read(store.find(id).unwrap()).unwrap_err().kind();
    assert_eq!(kind("blanks"), StoreErrorKind::TooLarge);
    assert_eq!(kind("window"), StoreErrorKind::TooLarge);
    assert_eq!(kind("skip"), StoreErrorKind::Damaged);
    assert_sound(&store);
}

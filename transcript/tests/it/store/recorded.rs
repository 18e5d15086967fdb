//! What real versions left on a disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use clawgauge_transcript::{
    Era, Importer as _, Limits, SessionKind, Store, ToolCall, TrajectoryFile, Transcript,
};

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
fn sessions_are_the_same_in_a_place_that_held_others() {
    let mut buffer = b"what was there before".to_vec();
    for version in ["2026.3.31", "2026.6.11", "2026.9.6"] {
        let store = Store::open(&fixture(version));
        assert!(!store.sessions().is_empty(), "{version}");
        for session in store.sessions() {
            let (owned, borrowed) = (store.read(session).ok(), store.read_in(session, &mut buffer).ok());
            assert_eq!(owned, borrowed, "{version} {}", session.id());
        }
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

#[test]
fn the_stored_leaf_is_the_computed_one() {
    let store = Store::open(&fixture("2026.9.6"));
    let mut compared = 0;
    for session in store.sessions().iter().filter(|session| session.kind() == SessionKind::Live) {
        let Some(stored) = store.stored_leaf(session).unwrap() else { continue };
        let transcript = store.read(session).unwrap();
        let leaf = transcript.active().last().unwrap();
        assert_eq!(leaf.id().as_deref(), Some(&*stored), "{}", session.id());
        compared += 1;
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn the_session_that_openclaw_exported_agrees() {
    let text = std::fs::read_to_string(fixture("2026.9.6/trajectory-export/session-branch.json")).unwrap();
    let export: Value = serde_json::from_str(&text).unwrap();
    let id = export["header"]["id"].as_str().unwrap();
    let store = Store::open(&fixture("2026.9.6"));
    let transcript = store.read(store.find(id).unwrap()).unwrap();
    let neutral = |raw: &str| raw.replace("/home/user/.openclaw/workspace/main", "$WORKSPACE_DIR");
    let values: Vec<Value> =
        transcript.active().map(|entry| serde_json::from_str(&neutral(entry.raw())).unwrap()).collect();
    assert_eq!(transcript.active().last().unwrap().id().as_deref(), export["leafId"].as_str());
    let exported = export["entries"].as_array().unwrap();
    assert_eq!(values.len(), exported.len());
    for (ours, theirs) in values.iter().zip(exported) {
        assert!(agrees(ours, theirs), "{ours:#}\n{theirs:#}");
    }
}

/// Whether a value is what OpenClaw exported: its export shortens long words to `tool:c…1766` and cuts what is deep.
fn agrees(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Object(_) | Value::Array(_), Value::String(theirs)) => theirs == "[Truncated]",
        (Value::String(ours), Value::String(theirs)) => match theirs.split_once('…') {
            Some((start, end)) => ours.starts_with(start) && ours.ends_with(end),
            None => ours == theirs,
        },
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| agrees(ours, theirs))
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().all(|(key, ours)| theirs.get(key).is_some_and(|theirs| agrees(ours, theirs)))
        }
        _ => ours == theirs,
    }
}

/// The global database, put together again from the recorded tables.
#[test]
fn runs_and_children_of_the_global_database() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("state")).unwrap();
    std::fs::create_dir_all(folder.path().join("agents")).unwrap();
    let connection = rusqlite::Connection::open(folder.path().join("state/openclaw.sqlite")).unwrap();
    for table in ["audit_events", "subagent_runs", "agent_databases"] {
        let rows =
            std::fs::read_to_string(fixture("2026.9.6/state-tables").join(format!("{table}.jsonl"))).unwrap();
        for (at, row) in rows.lines().enumerate() {
            let row: serde_json::Map<String, Value> = serde_json::from_str(row).unwrap();
            let names: Vec<&str> = row.keys().map(String::as_str).collect();
            if at == 0 {
                connection.execute(&format!("CREATE TABLE {table} ({})", names.join(", ")), []).unwrap();
            }
            let values = row.values().map(|value| match value {
                Value::String(text) => rusqlite::types::Value::Text(text.clone()),
                Value::Number(number) => rusqlite::types::Value::Integer(number.as_i64().unwrap()),
                _ => rusqlite::types::Value::Null,
            });
            let marks = vec!["?"; names.len()].join(", ");
            connection
                .execute(&format!("INSERT INTO {table} VALUES ({marks})"), rusqlite::params_from_iter(values))
                .unwrap();
        }
    }
    drop(connection);
    let store = Store::open(folder.path());
    let events = store.audit_events().unwrap();
    let finished = |status: &str| {
        events.iter().filter(|event| event.action == "agent.run.finished" && event.status == status).count()
    };
    assert_eq!(events.len(), 160);
    // 18 runs finished in the recorded rows, as counted there by hand.
    assert_eq!(finished("succeeded") + finished("failed"), 18);
    let runs = store.subagent_runs().unwrap();
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0].requester_session_key.as_deref(), Some("agent:main:main"));
    assert_eq!(runs[0].child_session_key, "agent:main:subagent:934739d2-0f42-4ace-a547-7c0c3ae1a92d");
    assert!(!format!("{:?}", runs[0]).contains("hello.py"));
}

/// Where the transcript is gone, the trajectory tells the same conversation.
#[test]
fn trajectories_tell_the_conversation() {
    let files = [
        ("2026.6.11/agents/main/sessions", "2e567431-3fe1-4808-9733-5bed90ab96d5"),
        ("2026.9.6/decoded/main", "bc626f5b-fcf8-4078-b089-7dd686333fc8"),
    ];
    for (folder, id) in files {
        let events = std::fs::read(fixture(folder).join(format!("{id}.trajectory.jsonl"))).unwrap();
        let rows = std::fs::read(fixture(folder).join(format!("{id}.jsonl"))).unwrap();
        let sessions = TrajectoryFile.sessions(&events, Limits::default());
        let [session] = &sessions[..] else { panic!() };
        let transcript = Transcript::from_slice(&rows);
        assert_eq!(session.session_id().as_deref(), Some(id));
        // Ids lose their underscores in older snapshots, details are cut at a depth, and calls of tools that do not
        // exist (`ls` here) are told although the transcript dropped them.
        let told = |transcript: &Transcript<'_>| -> Vec<(String, String)> {
            let conversation = transcript.conversation();
            let call =
                |call: &ToolCall<'_>| (call.id.as_deref().unwrap().replace('_', ""), call.name.to_string());
            conversation.calls().map(call).filter(|(_, name)| name != "ls").collect()
        };
        assert_eq!(told(session), told(&transcript), "{id}");
        let users = |transcript: &Transcript<'_>| -> Vec<String> {
            let conversation = transcript.conversation();
            conversation.turns.iter().map(|turn| turn.stored_user_text().into_owned()).collect()
        };
        assert_eq!(users(session), users(&transcript), "{id}");
    }
}

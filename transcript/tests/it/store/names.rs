//! Names of files beside sessions.

use clawgauge_transcript::{FileKind, FileName, counted_files};

const CASE: &str = include_str!("../../fixtures/19-sidecar-names.json");

fn names() -> Vec<String> {
    let case: serde_json::Value = serde_json::from_str(CASE).unwrap();
    case["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn field_case_19() {
    let names = names();
    let parsed: Vec<FileName<'_>> = names.iter().map(|name| FileName::parse(name)).collect();
    let kinds: Vec<FileKind> = parsed.iter().map(|name| name.kind).collect();
    assert_eq!(
        kinds,
        [
            FileKind::Session,
            FileKind::Trajectory,
            FileKind::Checkpoint,
            FileKind::Reset,
            FileKind::Deleted,
            FileKind::Backup,
            FileKind::Lock,
            FileKind::Index,
            FileKind::Other,
            FileKind::Session,
        ]
    );
    let one = Some("11111111-aaaa-4aaa-8aaa-000000000001");
    assert_eq!(
        parsed.iter().map(|name| name.session_id).collect::<Vec<_>>(),
        [
            one,
            one,
            one,
            one,
            Some("33333333-cccc-4ccc-8ccc-000000000003"),
            Some("44444444-dddd-4ddd-8ddd-000000000004"),
            one,
            None,
            None,
            Some("55555555-eeee-4eee-8eee-000000000005"),
        ]
    );
    assert_eq!(parsed[3].time.unwrap().to_string(), "2026-04-10T10:11:13.502Z");
    assert_eq!(parsed[9].time.unwrap().to_string(), "2026-05-03T15:16:13.988Z");
    let counted: Vec<usize> =
        counted_files(&parsed).iter().enumerate().filter_map(|(at, &counts)| counts.then_some(at)).collect();
    assert_eq!(counted, [0, 3, 4, 9]);
}

#[test]
fn names_of_the_same_kinds() {
    let id = "0a1b2c3d-aaaa-4aaa-8aaa-000000000001";
    let cases: &[(&str, FileKind, bool)] = &[
        ("{id}.jsonl", FileKind::Session, false),
        ("{id}-topic-42.jsonl", FileKind::Session, false),
        ("{id}.trajectory.jsonl.deleted.2026-04-10T10-11-13.502Z", FileKind::Trajectory, false),
        ("{id}.trajectory.jsonl.lock", FileKind::Lock, false),
        ("{id}.checkpoint.0a1b2c3d-bbbb.jsonl.reset.2026-04-10T10-11-13.502Z", FileKind::Checkpoint, false),
        (
            "{id}.jsonl.deleted.2026-11-30T11-24-06.922Z.a67876663486408a88a2236f6ed2e1d9.zst",
            FileKind::Deleted,
            true,
        ),
        ("{id}.jsonl.reset.2026-11-30T11-24-06Z.zst", FileKind::Reset, true),
        ("{id}.jsonl.bak", FileKind::Backup, false),
        ("{id}.jsonl.bak.2026-11-30T11-24-06.922Z", FileKind::Backup, false),
        ("{id}.jsonl.pre-doctor-branch-repair-2026-11-30T11-24-06-922Z.bak", FileKind::Backup, false),
        ("{id}.jsonl.migrated", FileKind::Migrated, false),
        ("{id}.jsonl.migrated.2", FileKind::Migrated, false),
        ("{id}.trajectory-path.json", FileKind::TrajectoryPointer, false),
        ("{id}.jsonl.lock", FileKind::Lock, false),
        ("{id}.jsonl.tmp", FileKind::Other, false),
        ("{id}.checkpoint.22222222-bbbb-4bbb-8bbb-000000000002.jsonl", FileKind::Checkpoint, false),
    ];
    for (form, kind, compressed) in cases {
        let name = form.replace("{id}", id);
        let parsed = FileName::parse(&name);
        assert_eq!((parsed.kind, parsed.compressed), (*kind, *compressed), "{name}");
        assert_eq!(parsed.session_id, Some(id), "{name}");
    }
    for name in [
        "sessions.json.bak.1778",
        "openclaw-agent.sqlite-wal",
        "openclaw-agent.sqlite.generation-lock.sqlite",
        ".jsonl",
        "",
        "jsonl",
        "exec-approvals.json",
        "command-log.jsonl",
    ] {
        assert_eq!(FileName::parse(name).kind, FileKind::Other, "{name}");
    }
}

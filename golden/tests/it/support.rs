//! What several tests need.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clawgauge_cases::{Checker, Json, Semantics, Status};
use clawgauge_golden::{MineOptions, Mined, Miner, Record, Source, to_cases};
use clawgauge_transcript::{RedactionLevel, Redactor, Timestamp, Transcript};
use serde_json::{Value, json};

pub(crate) fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn lines(name: &str) -> Vec<Value> {
    fixture(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn redactor() -> Redactor {
    Redactor::of_level(RedactionLevel::Personal)
}

pub(crate) fn now() -> Timestamp {
    Timestamp::parse("2026-11-30T14:00:00Z").unwrap()
}

/// Mines one session.
pub(crate) fn mine(session: &str, options: MineOptions) -> Mined {
    let redactor = redactor();
    let transcript = Transcript::from_str(session);
    let mut miner = Miner::new(options, &redactor);
    miner.add(&Source::new(&transcript));
    miner.finish(now())
}

/// The recorded sessions of the reader's tests, and of a folder that `CLAWGAUGE_OPENCLAW_DATA` names.
pub(crate) fn recorded() -> Vec<(PathBuf, Vec<u8>)> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../transcript/tests/fixtures/recorded");
    let mut folders = vec![own];
    folders.extend(std::env::var_os("CLAWGAUGE_OPENCLAW_DATA").map(PathBuf::from));
    let mut out = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.contains(".jsonl") && !name.contains("trajectory") && !name.ends_with(".zst") {
                out.push((path.clone(), std::fs::read(&path).unwrap()));
            }
        }
    }
    out.sort();
    out
}

/// What fails of a record's cases on the session that it came from.
pub(crate) fn failures_on_source(record: &Record, transcript: &Transcript<'_>) -> Vec<String> {
    let suite = to_cases([record]).unwrap();
    let mut out = Vec::new();
    for (position, case) in suite.cases.iter().enumerate() {
        let trajectory = record.source_trajectory(position, transcript).unwrap();
        let verdict = Checker::new(&trajectory).check(case, Semantics::Clawgauge);
        if verdict.status == Status::Failed {
            out.push(format!("{}: {}", case.id, verdict.failures().join("; ")));
        }
    }
    out
}

/// The assertions of a turn of one kind.
pub(crate) fn asserted<'r>(record: &'r Record, kind: &str) -> Vec<&'r Json> {
    let turns: Vec<_> = record.turns().collect();
    let all = turns.into_iter().flat_map(|turn| turn.assertions().collect::<Vec<_>>());
    all.filter(|one| one.get("type").and_then(Json::as_str) == Some(kind)).collect()
}

/// Writes session files.
pub(crate) struct SessionText {
    text: String,
    rows: usize,
    time: String,
}

impl SessionText {
    pub(crate) fn new(id: &str) -> Self {
        Self::begun(id, "2026-03-01T10:00:00.000Z")
    }

    pub(crate) fn begun(id: &str, time: &str) -> Self {
        let head = json!({"type": "session", "version": 3, "id": id, "timestamp": time});
        Self { text: format!("{head}\n"), rows: 0, time: time.to_owned() }
    }

    fn row(&mut self, message: &Value) {
        let parent = (self.rows > 0).then(|| format!("r{}", self.rows));
        self.rows += 1;
        let row = json!({"type": "message", "id": format!("r{}", self.rows), "parentId": parent,
            "timestamp": self.time, "message": message});
        writeln!(self.text, "{row}").unwrap();
    }

    pub(crate) fn user(&mut self, text: &str) {
        self.row(&json!({"role": "user", "content": [{"type": "text", "text": text}]}));
    }

    /// One message with calls that all succeed.
    pub(crate) fn calls(&mut self, calls: &[(&str, Value, &str)]) {
        let first = self.rows;
        let blocks: Vec<Value> = calls
            .iter()
            .enumerate()
            .map(|(at, (name, args, _))| {
                json!({"type": "toolCall", "id": format!("c{first}-{at}"), "name": name, "arguments": args})
            })
            .collect();
        self.row(&json!({"role": "assistant", "content": blocks, "stopReason": "toolUse"}));
        for (at, (name, _, result)) in calls.iter().enumerate() {
            self.row(&json!({"role": "toolResult", "toolCallId": format!("c{first}-{at}"), "toolName": name,
                "isError": false, "content": [{"type": "text", "text": result}]}));
        }
    }

    /// One message with a command that ends with this code.
    pub(crate) fn exits(&mut self, name: &str, args: &Value, result: &str, code: i64) {
        let id = format!("c{}", self.rows);
        let block = json!({"type": "toolCall", "id": id, "name": name, "arguments": args});
        self.row(&json!({"role": "assistant", "content": [block], "stopReason": "toolUse"}));
        self.row(&json!({"role": "toolResult", "toolCallId": id, "toolName": name, "isError": false,
            "details": {"status": "completed", "exitCode": code}, "content": [{"type": "text", "text": result}]}));
    }

    pub(crate) fn failed(&mut self, name: &str, args: &Value, result: &str) {
        let id = format!("c{}", self.rows);
        let block = json!({"type": "toolCall", "id": id, "name": name, "arguments": args});
        self.row(&json!({"role": "assistant", "content": [block], "stopReason": "toolUse"}));
        self.row(&json!({"role": "toolResult", "toolCallId": id, "toolName": name, "isError": true,
            "content": [{"type": "text", "text": result}]}));
    }

    pub(crate) fn answer(&mut self, text: &str) {
        self.row(
            &json!({"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": "stop"}),
        );
    }

    pub(crate) fn end(&mut self, stop_reason: &str) {
        self.row(&json!({"role": "assistant", "content": [], "stopReason": stop_reason}));
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }
}

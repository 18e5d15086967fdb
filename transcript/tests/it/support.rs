//! Rows to build sessions from, and ways to say what is in one.

use clawgauge_transcript::{Conversation, Outcome, ReadReport, ToolCall, Transcript};
use serde_json::{Value, json};

/// Collects everything that differs, so that a run names all of it.
#[derive(Default)]
pub(crate) struct Check {
    case: String,
    failures: Vec<String>,
}

impl Check {
    pub(crate) fn case(&mut self, name: &str) {
        name.clone_into(&mut self.case);
    }

    pub(crate) fn eq<G, W>(&mut self, what: &str, got: G, want: W)
    where
        G: PartialEq<W> + std::fmt::Debug,
        W: std::fmt::Debug,
    {
        if got != want {
            self.fail(format!("{what}: got {got:?}, want {want:?}"));
        }
    }

    pub(crate) fn fail(&mut self, why: impl std::fmt::Display) {
        self.failures.push(format!("{}: {why}", self.case));
    }

    pub(crate) fn done(self) {
        assert!(self.failures.is_empty(), "{} differ:\n{}", self.failures.len(), self.failures.join("\n"));
    }
}

/// A file of the fixtures.
pub(crate) fn fixture(path: &str) -> Vec<u8> {
    let full = format!("{}/tests/fixtures/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&full).unwrap_or_else(|error| panic!("{full}: {error}"))
}

/// The names of the files in a folder of the fixtures, in order.
pub(crate) fn fixtures_in(path: &str) -> Vec<String> {
    let full = format!("{}/tests/fixtures/{path}", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(full)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

pub(crate) fn header() -> Value {
    json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-05-04T09:00:00.000Z", "cwd": "/srv"})
}

/// A row around a message. `parent`: an id, or `null` for a root.
pub(crate) fn row(id: &str, parent: impl Into<Value>, message: Value) -> Value {
    json!({"type": "message", "id": id, "parentId": parent.into(), "timestamp": "2026-05-04T09:00:01.000Z",
           "message": message})
}

pub(crate) fn user(id: &str, parent: impl Into<Value>, text: &str) -> Value {
    row(id, parent, json!({"role": "user", "content": text}))
}

/// An answer of the model that ends the turn.
pub(crate) fn says(id: &str, parent: impl Into<Value>, text: &str) -> Value {
    row(
        id,
        parent,
        json!({"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": "stop",
               "provider": "acme", "model": "m-alpha"}),
    )
}

/// A message of the model that calls tools: ids and names.
pub(crate) fn calls(id: &str, parent: impl Into<Value>, calls: &[(&str, &str)]) -> Value {
    let blocks: Vec<Value> = calls
        .iter()
        .map(|(id, name)| json!({"type": "toolCall", "id": id, "name": name, "arguments": {}}))
        .collect();
    row(
        id,
        parent,
        json!({"role": "assistant", "content": blocks, "stopReason": "toolUse", "provider": "acme",
               "model": "m-alpha"}),
    )
}

/// A result without details.
pub(crate) fn answers(id: &str, parent: impl Into<Value>, call: &str, text: &str) -> Value {
    row(
        id,
        parent,
        json!({"role": "toolResult", "toolCallId": call, "content": [{"type": "text", "text": text}],
               "isError": false}),
    )
}

/// A value with one more field, at the top or, with `message.`, in its message.
pub(crate) fn with(mut row: Value, path: &str, value: Value) -> Value {
    let mut at = &mut row;
    for key in path.split('.') {
        at = &mut at[key];
    }
    *at = value;
    row
}

/// The row as a run of its own.
pub(crate) fn in_run(row: Value, run: &str) -> Value {
    with(row, "message.__openclaw", json!({"runId": run}))
}

/// Links rows without a parent of their own to the row before them.
pub(crate) fn chain(rows: Vec<Value>) -> Vec<Value> {
    let mut last = Value::Null;
    rows.into_iter()
        .map(|mut row| {
            row["parentId"] = last.clone();
            last = row["id"].clone();
            row
        })
        .collect()
}

/// Rows as a file, a header before them.
pub(crate) fn file(rows: &[Value]) -> String {
    let mut text = format!("{}\n", header());
    for row in rows {
        text += &format!("{row}\n");
    }
    text
}

/// The ids of the active branch, blank between them.
pub(crate) fn active_ids(transcript: &Transcript<'_>) -> String {
    transcript.active().map(|entry| entry.id().unwrap_or_default().into_owned()).collect::<Vec<_>>().join(" ")
}

/// The ids of all entries.
pub(crate) fn ids(transcript: &Transcript<'_>) -> String {
    let id = |entry: &clawgauge_transcript::Entry<'_>| entry.id().unwrap_or_default().into_owned();
    transcript.entries().iter().map(id).collect::<Vec<_>>().join(" ")
}

/// The kinds of problem with their counts and lines: `torn_tail@6`.
pub(crate) fn problems(report: &ReadReport) -> String {
    let all: Vec<String> =
        report.problems.iter().map(|problem| format!("{}@{}", problem.kind, problem.line)).collect();
    all.join(" ")
}

/// A conversation in a few words:
///
/// ```text
/// turn a1 stop "There are 7 lamps."
///   a2: exec#c1=ok
///   a4:
///   orphan r9
/// ```
pub(crate) fn outline(conversation: &Conversation<'_>) -> String {
    let id = |entry: &clawgauge_transcript::Entry<'_>| entry.id().unwrap_or_default().into_owned();
    let mut lines = Vec::new();
    for turn in &conversation.turns {
        let user = turn.user.map_or_else(|| "-".to_owned(), id);
        let said = turn.final_output().map_or_else(|| "-".to_owned(), |text| format!("{text:?}"));
        lines.push(format!("turn {user} {} {said}", turn.end().name()));
        for step in &turn.steps {
            let calls: Vec<String> = step.calls.iter().map(call).collect();
            lines.push(format!("  {}: {}", id(step.entry), calls.join(" ")).trim_end().to_owned());
        }
        let others = [("injected", &turn.injected), ("note", &turn.notes)];
        for (what, entries) in others {
            lines.extend(entries.iter().map(|entry| format!("  {what} {}", id(entry))));
        }
        lines.extend(turn.orphan_results.iter().map(|result| format!("  orphan {}", id(result.entry))));
    }
    lines.join("\n")
}

fn call(call: &ToolCall<'_>) -> String {
    let outcome = match call.outcome {
        Outcome::NonZeroExit(code) => format!("exit {code}"),
        outcome => outcome.name().to_owned(),
    };
    let via = call.via.as_ref().map(|via| format!("<{via}")).unwrap_or_default();
    let by = call
        .result
        .as_ref()
        .and_then(|result| result.entry.id())
        .map(|id| format!("@{id}"))
        .unwrap_or_default();
    format!("{}#{}{via}={outcome}{by}", call.name, call.id.as_deref().unwrap_or("-"))
}

/// The outline of a session made of these rows.
pub(crate) fn outline_of(rows: &[Value]) -> String {
    let text = file(rows);
    outline(&Transcript::from_str(&text).conversation())
}

/// The outline of rows that follow one another.
pub(crate) fn outline_chain(rows: Vec<Value>) -> String {
    outline_of(&chain(rows))
}

/// An outline as it is written in a test: lines without their common indentation.
pub(crate) fn expect(text: &str) -> String {
    let lines: Vec<&str> = text.lines().skip_while(|line| line.trim().is_empty()).collect();
    let indent = lines.first().map_or(0, |line| line.len() - line.trim_start().len());
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or("").trim_end()).collect();
    lines.join("\n").trim_end().to_owned()
}

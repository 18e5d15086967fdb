//! The scores of a session stand on its trace.

use crate::program::trace_export;
use crate::server::{Manner, Server};
use clawgauge_support::exit;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A session with a command that failed, an edit and an answer.
fn session(folder: &Path) -> PathBuf {
    let path = folder.join("session-of-the-test.jsonl");
    let row = |id: &str, parent: &str, second: u32, message: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-05-04T09:00:{second:02}.000Z","message":{message}}}"#
        )
    };
    let call = |id: &str, name: &str, arguments: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"{id}","name":"{name}","arguments":{arguments}}}],"model":"m","provider":"p","stopReason":"toolUse"}}"#
        )
    };
    let result = |id: &str, name: &str, text: &str, error: bool| {
        format!(
            r#"{{"role":"toolResult","toolCallId":"{id}","toolName":"{name}","content":[{{"type":"text","text":"{text}"}}],"isError":{error}}}"#
        )
    };
    let rows = [
        r#"{"type":"session","version":3,"id":"session-of-the-test","timestamp":"2026-05-04T09:00:00.000Z","cwd":"/tmp"}"#.to_owned(),
        row("a", "null", 1, r#"{"role":"user","content":"Please fix the typo in a.txt and tell me when it is done."}"#),
        row("b", "\"a\"", 2, &call("c1", "read", r#"{"path":"a.txt"}"#)),
        row("c", "\"b\"", 3, &result("c1", "read", "teh", false)),
        row("d", "\"c\"", 4, &call("c2", "edit", r#"{"path":"a.txt","oldText":"teh","newText":"the"}"#)),
        row("e", "\"d\"", 5, &result("c2", "edit", "ok", false)),
        row("f", "\"e\"", 6, r#"{"role":"assistant","content":[{"type":"text","text":"Done: the typo is fixed."}],"model":"m","provider":"p","stopReason":"stop"}"#),
    ];
    std::fs::write(&path, rows.join("\n") + "\n").unwrap();
    path
}

#[test]
fn scores_are_sent_once_they_are_asked_for_with_stable_ids() {
    let folder = tempfile::tempdir().unwrap();
    let file = session(folder.path());
    let server = Server::start(Manner::Takes);
    let arguments = ["sessions", file.to_str().unwrap(), "--endpoint", &server.url()];
    for (more, status) in
        [(&[][..], exit::OK), (&["--scores", "--environment", "Dev"], exit::OK), (&["--scores"], exit::OK)]
    {
        let output = trace_export(&[&arguments[..], more].concat()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status.into()), "{said}");
    }
    let seen = server.seen.lock();
    let scores: Vec<Value> = seen.scores.iter().map(|body| serde_json::from_slice(body).unwrap()).collect();
    let names: Vec<&str> = scores.iter().map(|score| score["name"].as_str().unwrap()).collect();
    let (first, again) = names.split_at(names.len() / 2);
    assert_eq!(first, again);
    assert!(
        first.contains(&"risk") && first.contains(&"overall") && first.contains(&"accuracy"),
        "{names:?}"
    );
    for (one, again) in scores.iter().zip(&scores[first.len()..]) {
        assert_eq!(
            (&one["id"], &one["traceId"]),
            (&again["id"], &again["traceId"]),
            "sending again replaces"
        );
        assert_eq!(one["environment"], "dev");
        assert!(one["value"].is_f64() || one["value"].is_u64(), "{one}");
        assert_eq!(one["dataType"], "NUMERIC");
        assert!(seen.traces.contains(&one["traceId"].as_str().unwrap().to_owned()), "{one}");
    }
    let heads: Vec<_> = seen.heads.iter().map(|head| head.lines().next().unwrap().to_owned()).collect();
    let to = |path: &str| heads.iter().filter(|head| head.starts_with(&format!("post {path} "))).count();
    assert_eq!((to("/api/public/otel/v1/traces"), to("/api/public/scores")), (3, names.len()), "{heads:?}");
}

#[test]
fn other_backends_have_the_scores_on_the_span() {
    let folder = tempfile::tempdir().unwrap();
    let file = session(folder.path());
    let arguments = ["sessions", file.to_str().unwrap(), "--scores", "--dry-run"];
    let tree = trace_export(&arguments).output().unwrap();
    let tree = String::from_utf8_lossy(&tree.stdout).into_owned();
    assert!(tree.contains("│  score accuracy") && tree.contains("│  score risk"), "{tree}");
    let json = |to: &str| {
        let output = trace_export(&[&arguments[..], &["--json", "--to", to]].concat()).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(json("otlp").contains("gen_ai.evaluation.result"));
    assert!(json("phoenix").contains("evaluations.0.evaluation.name"));
}

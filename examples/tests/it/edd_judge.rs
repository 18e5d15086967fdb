//! `edd judge` against a server on this machine.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::program;

const OPINION: &str = r#"{"scores": {"tool_selection": 0.9, "tool_order": 1, "plan_alignment": 0.5, "output_quality": 0.8, "overall": 0.8}, "criteria": [], "reasoning": "fine"}"#;

/// A server that gives each of the answers once, in order, and tells what it was sent: head and body.
fn serve(answers: Vec<String>) -> (String, std::thread::JoinHandle<Vec<(String, Value)>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let handle = std::thread::spawn(move || {
        let mut seen = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if line.trim().is_empty() {
                    break;
                }
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                head.push_str(&line);
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            seen.push((head, serde_json::from_slice(&body).unwrap()));
            stream.write_all(answer.as_bytes()).unwrap();
        }
        seen
    });
    (address, handle)
}

fn http(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn openai(text: &str) -> String {
    http("200 OK", &json!({"choices": [{"message": {"role": "assistant", "content": text}}]}).to_string())
}

fn anthropic(text: &str) -> String {
    http("200 OK", &json!({"content": [{"type": "text", "text": text}]}).to_string())
}

fn judge(home: &Path, base: &str, provider: &str, more: &[&str]) -> (Output, Value) {
    let report = home.join("r.json");
    std::fs::write(&report, r#"[{"case": {"id": "a", "message": "m"}, "passed": true, "unknown": [1]}]"#)
        .unwrap();
    let out = home.join("o.json");
    let output = Command::new(program("edd"))
        .args(["judge", "--report", report.to_str().unwrap(), "--output", out.to_str().unwrap()])
        .args(if more.contains(&"--model") { &[][..] } else { &["--model", "m"][..] })
        .args(["--provider", provider, "--base-url", base])
        .args(more)
        .env("OPENAI_API_KEY", "sk-loopback-0001")
        .env("ANTHROPIC_API_KEY", "sk-loopback-0001")
        .output()
        .unwrap();
    let shown =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!shown.contains("sk-loopback"), "the key is never shown: {shown}");
    let written = std::fs::read_to_string(out).unwrap();
    assert!(!written.contains("sk-loopback"));
    (output, serde_json::from_str(&written).unwrap())
}

#[test]
fn both_shapes_are_spoken() {
    let home = tempfile::tempdir().unwrap();
    let (base, server) = serve(vec![openai(&format!("Well.\n```json\n{OPINION}\n```"))]);
    let (output, report) = judge(home.path(), &format!("{base}/v1"), "openai", &[]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(report[0]["judge"]["overall_score"], 0.8);
    assert_eq!(report[0]["unknown"], json!([1]), "the rest of the report is kept");
    let seen = server.join().unwrap();
    assert!(
        seen[0].0.starts_with("POST /v1/chat/completions ") && seen[0].0.contains("Bearer sk-loopback-0001")
    );
    assert_eq!(seen[0].1["model"], "m");
    let (base, server) = serve(vec![anthropic(OPINION)]);
    let (output, report) = judge(home.path(), &base, "anthropic", &[]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(report[0]["judge"]["passed"], true);
    let seen = server.join().unwrap();
    assert!(seen[0].0.starts_with("POST /v1/messages ") && seen[0].0.contains("x-api-key: sk-loopback-0001"));
    assert!(seen[0].1["system"].is_string());
}

#[test]
fn a_busy_server_is_asked_again() {
    let home = tempfile::tempdir().unwrap();
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 500\r\nconnection: close\r\n\r\n{\"choices\": [{\"mess"
        .to_owned();
    let answers = vec![
        http("429 Too Many Requests", "{}"),
        http("500 Internal Server Error", "oops"),
        cut,
        openai(OPINION),
    ];
    let (base, server) = serve(answers);
    let (output, report) = judge(home.path(), &base, "openai", &[]);
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert_eq!(server.join().unwrap().len(), 4);
}

#[test]
fn an_answer_that_stays_bad_is_an_error_and_no_score() {
    let home = tempfile::tempdir().unwrap();
    let (base, server) = serve(vec![openai("I would rather not."), openai("{}")]);
    let (output, report) = judge(home.path(), &base, "openai", &["--retries", "1"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(report[0]["judge"]["error"].is_string() && report[0]["judge"]["overall_score"].is_null());
    server.join().unwrap();
    // A refusal that will not change is not asked for again.
    let (base, server) = serve(vec![http("401 Unauthorized", r#"{"error": {"message": "bad key"}}"#)]);
    let (output, report) = judge(home.path(), &base, "openai", &[]);
    assert_eq!(output.status.code(), Some(4));
    assert!(report[0]["judge"]["error"].as_str().unwrap().contains("401"));
    server.join().unwrap();
}

#[test]
fn scores_out_of_range_are_clamped_and_answers_are_replayed() {
    let home = tempfile::tempdir().unwrap();
    let cache = home.path().join("cache.json");
    let cache = cache.to_str().unwrap();
    let (base, server) = serve(vec![openai(&OPINION.replace("0.9", "90"))]);
    let (_, report) = judge(home.path(), &base, "openai", &["--cache", cache]);
    assert_eq!(report[0]["judge"]["scores"]["tool_selection"], 1.0);
    assert_eq!(report[0]["judge"]["clamped"], true);
    server.join().unwrap();
    // Nobody listens any more: the answer comes from the cache.
    let (output, report) = judge(home.path(), &base, "openai", &["--cache", cache, "--retries", "0"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(report[0]["judge"]["overall_score"], 0.8);
    let (output, _) =
        judge(home.path(), &base, "openai", &["--cache", cache, "--retries", "0", "--model", "n"]);
    assert_ne!(output.status.code(), Some(0), "another model is another question");
}

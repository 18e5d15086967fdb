//! The program against a loopback server that refuses what Langfuse refuses.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail loudly")]

use crate::cli::{Cli, Command, run};
use crate::spool::Spool;
use clap::Parser as _;
use clawgauge_support::exit;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

/// What the server saw and what it is to answer.
#[derive(Default)]
struct Seen {
    /// Span id to how often it was taken, in order of arrival.
    spans: Vec<String>,
    problems: Vec<String>,
    heads: Vec<String>,
    /// Answers to give before the rules apply: status and further headers.
    answers: Vec<(u16, &'static str)>,
    requests: usize,
}

struct Server {
    url: String,
    seen: Arc<Mutex<Seen>>,
}

impl Server {
    fn start(answers: &[(u16, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Seen { answers: answers.to_vec(), ..Seen::default() }));
        let shared = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, &shared);
            }
        });
        Self { url, seen }
    }
}

fn serve(mut stream: TcpStream, seen: &Mutex<Seen>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        let end = line == "\r\n";
        head.push_str(&line);
        if end {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let mut seen = seen.lock().unwrap();
    seen.requests += 1;
    seen.heads.push(head);
    let (status, headers) = if seen.answers.is_empty() {
        match rules(&body) {
            Ok(ids) => {
                seen.spans.extend(ids);
                (200, "")
            }
            Err(problem) => {
                seen.problems.push(problem);
                (400, "")
            }
        }
    } else {
        seen.answers.remove(0)
    };
    let answer = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n{headers}\r\n{{}}"
    );
    stream.write_all(answer.as_bytes()).unwrap();
}

/// One malformed span refuses the whole batch.
fn rules(body: &[u8]) -> Result<Vec<String>, String> {
    let body: Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let mut ids = Vec::new();
    for resource in body["resourceSpans"].as_array().ok_or("no resourceSpans")? {
        for scope in resource["scopeSpans"].as_array().ok_or("no scopeSpans")? {
            for span in scope["spans"].as_array().ok_or("no spans")? {
                let hex = |key: &str, length: usize| {
                    let id = span[key].as_str().filter(|id| id.len() == length);
                    id.filter(|id| id.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)))
                };
                hex("traceId", 32).ok_or_else(|| format!("trace id of {span}"))?;
                let id = hex("spanId", 16).ok_or_else(|| format!("span id of {span}"))?;
                span["attributes"].as_array().ok_or("attributes are no list")?;
                ids.push(id.to_owned());
            }
        }
    }
    if ids.is_empty() { Err("an empty envelope".to_owned()) } else { Ok(ids) }
}

fn events_file(folder: &std::path::Path) -> PathBuf {
    let path = folder.join("events.jsonl");
    let mut text = String::new();
    for run in 0..40 {
        let at = 1_796_037_300_000_i64 + run * 60_000;
        for (after, event) in [
            (
                0,
                format!(
                    r#""type":"run.started","runId":"r{run}","sessionId":"s","sessionKey":"agent:main:main""#
                ),
            ),
            (
                10,
                format!(
                    r#""type":"tool.execution.started","runId":"r{run}","toolCallId":"c","toolName":"exec""#
                ),
            ),
            (
                60,
                format!(
                    r#""type":"tool.execution.completed","runId":"r{run}","toolCallId":"c","toolName":"exec","durationMs":50"#
                ),
            ),
            (90, format!(r#""type":"run.completed","runId":"r{run}","outcome":"completed""#)),
        ] {
            text.push_str(&format!("{{{event},\"ts\":{}}}\n", at + after));
        }
    }
    text.push_str("not an event\n");
    std::fs::write(&path, text).unwrap();
    path
}

fn call(arguments: &[&str]) -> Result<u8, String> {
    let cli = Cli::parse_from(std::iter::once("trace-export").chain(arguments.iter().copied()));
    let keys = |name: &str| match name {
        "BENCHGEN_PUBLIC_KEY" => Some("pk-test".to_owned()),
        "BENCHGEN_SECRET_KEY" => Some("sk-test-secret".to_owned()),
        _ => None,
    };
    run(&cli, &keys)
}

#[test]
fn everything_is_taken_once_and_again_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = events_file(folder.path());
    let server = Server::start(&[]);
    for _ in 0..2 {
        let code = call(&["events", file.to_str().unwrap(), "--endpoint", &server.url]).unwrap();
        assert_eq!(code, exit::OK);
    }
    let seen = server.seen.lock().unwrap();
    assert_eq!(seen.problems, Vec::<String>::new());
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for id in &seen.spans {
        *counts.entry(id).or_default() += 1;
    }
    assert_eq!(counts.len(), 80, "40 runs with a tool each");
    assert!(counts.values().all(|count| *count == 2), "the same ids the second time");
    let head = seen.heads[0].to_ascii_lowercase();
    assert!(head.contains("x-langfuse-ingestion-version: 4") && head.contains("authorization: basic "));
    assert!(head.starts_with("post /api/public/otel/v1/traces"));
}

#[test]
fn a_busy_backend_is_asked_again_and_a_refusal_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let file = events_file(folder.path());
    let busy = Server::start(&[(503, "retry-after: 0\r\n"), (429, "retry-after: 0\r\n")]);
    assert_eq!(call(&["events", file.to_str().unwrap(), "--endpoint", &busy.url]).unwrap(), exit::OK);
    {
        let seen = busy.seen.lock().unwrap();
        assert_eq!((seen.requests, seen.spans.len()), (3, 80));
    }

    let refuses = Server::start(&[(400, "")]);
    assert_eq!(call(&["events", file.to_str().unwrap(), "--endpoint", &refuses.url]).unwrap(), exit::NO);
    assert_eq!(refuses.seen.lock().unwrap().requests, 1);
}

#[test]
fn the_spool_keeps_what_a_backend_that_is_down_could_not_take() {
    let folder = tempfile::tempdir().unwrap();
    let file = events_file(folder.path());
    let spool = folder.path().join("spool");
    let down = Server::start(&[(503, "retry-after: 0\r\n"); 5]);
    let arguments = ["events", file.to_str().unwrap(), "--spool", spool.to_str().unwrap(), "--endpoint"];
    let with = |url: &str| {
        let mut all = arguments.to_vec();
        all.push(url);
        call(&all).unwrap()
    };
    assert_eq!(with(&down.url), exit::NO);
    assert_eq!(Spool::open(&spool.join("primary"), 1_000_000).unwrap().waiting().unwrap().len(), 1);
    // The next run drains what was kept first, then sends its own: the backend sees each id once more, in order.
    let up = Server::start(&[]);
    assert_eq!(with(&up.url), exit::OK);
    let seen = up.seen.lock().unwrap();
    assert_eq!((seen.requests, seen.spans.len()), (2, 160));
    assert_eq!(seen.spans[..80], seen.spans[80..]);
    assert!(Spool::open(&spool.join("primary"), 1_000_000).unwrap().waiting().unwrap().is_empty());
}

#[test]
fn a_spool_stays_within_its_bound_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = Spool::open(folder.path(), 100).unwrap();
    for number in 0..10_u8 {
        spool.push(&[number; 30]).unwrap();
    }
    // What a killed writer leaves is no request.
    std::fs::write(folder.path().join(".tmpabc"), b"half").unwrap();
    let waiting = Spool::open(folder.path(), 100).unwrap().waiting().unwrap();
    let first: Vec<u8> = waiting.iter().map(|(_, path)| Spool::read(path).unwrap()[0]).collect();
    assert_eq!(first, [7, 8, 9]);
    assert_eq!(Spool::open(folder.path(), 100).unwrap().push(&[11; 100]).unwrap(), 3);
}

#[test]
fn ping_says_plainly_what_is_wrong() {
    let server = Server::start(&[(200, ""), (401, ""), (404, "")]);
    for (code, _) in [(exit::OK, "taken"), (exit::NO, "keys"), (exit::NO, "address")] {
        assert_eq!(call(&["ping", "--endpoint", &server.url]).unwrap(), code);
    }
    assert_eq!(call(&["ping", "--endpoint", "http://127.0.0.1:9"]).unwrap(), exit::NO);
    assert!(call(&["ping", "--endpoint", "nonsense"]).is_err());
}

#[test]
fn status_shows_sources_and_no_secret() {
    let cli = Cli::parse_from(["trace-export", "status", "--environment", "Dev"]);
    let Command::Status { options } = &cli.command else { panic!("another command") };
    let env = |name: &str| match name {
        "BENCHGEN_PUBLIC_KEY" | "BENCHGEN_MIRROR_PUBLIC_KEY" => Some("pk-aaaaaaaa".to_owned()),
        "BENCHGEN_SECRET_KEY" => Some("sk-bbbbbbbb".to_owned()),
        "BENCHGEN_MIRROR_SECRET_KEY" => Some("sk-cccccccc".to_owned()),
        "BENCHGEN_MIRROR_BASE_URL" => Some("https://TRACES.benchgen.com:443/".to_owned()),
        _ => None,
    };
    let text = crate::setup::Setup::resolve(options, &env).unwrap().describe();
    assert!(!text.contains("bbbb") && !text.contains("cccc") && !text.contains("pk-aaaa"), "{text}");
    assert!(text.contains("mirror: refused (it is the primary project"), "{text}");
    assert!(text.contains("environment: Dev (command line)"), "{text}");
}

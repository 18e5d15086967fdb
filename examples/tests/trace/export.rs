//! The program against a loopback server that refuses what Langfuse refuses.

use crate::program::{bare, events_file, trace_export};
use crate::spool::Spool;
use clawgauge_support::exit;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
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

fn call(arguments: &[&str]) -> u8 {
    let output = trace_export(arguments).output().unwrap();
    u8::try_from(output.status.code().unwrap()).unwrap()
}

#[test]
fn everything_is_taken_once_and_again_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = events_file(folder.path(), 40);
    let server = Server::start(&[]);
    for _ in 0..2 {
        let code = call(&["events", &file, "--endpoint", &server.url]);
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
    let file = events_file(folder.path(), 40);
    let busy = Server::start(&[(503, "retry-after: 0\r\n"), (429, "retry-after: 0\r\n")]);
    assert_eq!(call(&["events", &file, "--endpoint", &busy.url]), exit::OK);
    {
        let seen = busy.seen.lock().unwrap();
        assert_eq!((seen.requests, seen.spans.len()), (3, 80));
    }

    let refuses = Server::start(&[(400, "")]);
    assert_eq!(call(&["events", &file, "--endpoint", &refuses.url]), exit::NO);
    assert_eq!(refuses.seen.lock().unwrap().requests, 1);
}

#[test]
fn the_spool_keeps_what_a_backend_that_is_down_could_not_take() {
    let folder = tempfile::tempdir().unwrap();
    let file = events_file(folder.path(), 40);
    let spool = folder.path().join("spool");
    let down = Server::start(&[(503, "retry-after: 0\r\n"); 5]);
    let arguments = ["events", &file, "--spool", spool.to_str().unwrap(), "--endpoint"];
    let with = |url: &str| {
        let mut all = arguments.to_vec();
        all.push(url);
        call(&all)
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
    Spool::remove(&waiting[0].1).unwrap();
    assert_eq!(Spool::open(folder.path(), 100).unwrap().waiting().unwrap(), waiting[1..]);
    assert_eq!(Spool::open(folder.path(), 100).unwrap().push(&[11; 100]).unwrap(), 2);
}

#[test]
fn ping_says_plainly_what_is_wrong() {
    let server = Server::start(&[(200, ""), (401, ""), (404, "")]);
    for (code, _) in [(exit::OK, "taken"), (exit::NO, "keys"), (exit::NO, "address")] {
        assert_eq!(call(&["ping", "--endpoint", &server.url]), code);
    }
    assert_eq!(call(&["ping", "--endpoint", "http://127.0.0.1:9"]), exit::NO);
    assert_eq!(call(&["ping", "--endpoint", "nonsense"]), exit::USAGE);
}

#[test]
fn status_shows_sources_and_no_secret() {
    let mut status = bare(&["status", "--environment", "Dev"]);
    let status = status.envs([
        ("BENCHGEN_PUBLIC_KEY", "pk-aaaaaaaa"),
        ("BENCHGEN_MIRROR_PUBLIC_KEY", "pk-aaaaaaaa"),
        ("BENCHGEN_SECRET_KEY", "sk-bbbbbbbb"),
        ("BENCHGEN_MIRROR_SECRET_KEY", "sk-cccccccc"),
        ("BENCHGEN_MIRROR_BASE_URL", "https://TRACES.benchgen.com:443/"),
    ]);
    let text = String::from_utf8(status.output().unwrap().stdout).unwrap();
    assert!(!text.contains("bbbb") && !text.contains("cccc") && !text.contains("pk-aaaa"), "{text}");
    assert!(text.contains("mirror: refused (it is the primary project"), "{text}");
    assert!(text.contains("environment: Dev (command line)"), "{text}");
}

#[test]
fn bytes_that_are_no_text_spoil_their_line_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = events_file(folder.path(), 1);
    let mut events = b"\xff\xfe no text\n".to_vec();
    events.extend(std::fs::read(&file).unwrap());
    std::fs::write(&file, events).unwrap();
    let output = bare(&["events", &file, "--dry-run", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(exit::OK.into()));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("4 events, 1 runs, 2 spans") && said.contains("1 lines that are no event"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_used_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (missing, cursor, events) = (path("missing"), path("cursor.json"), events_file(folder.path(), 1));
    std::fs::write(&cursor, "no cursor").unwrap();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/data");
    for args in [
        &["events", &missing, "--dry-run"][..],
        &["events", &events, "--dry-run", "--sample", "7"],
        &["events", &events, "--dry-run", "--sample", "nan"],
        &["events", &events, "--json"],
        &["sessions", &missing, "--dry-run"],
        &["sessions", data, "--dry-run", "--since", "yesterday"],
        &["sessions", data, "--dry-run", "--cursor", &cursor],
        &["sessions", data, "--dry-run", "--convention", "none"],
        &["status", "--config", &cursor],
        &["configure"],
    ] {
        assert_eq!(call(args), exit::USAGE, "{args:?}");
    }
    // A folder opens and cannot be read.
    assert_eq!(call(&["events", folder.path().to_str().unwrap(), "--dry-run"]), exit::IO);
    let empty = path("empty");
    std::fs::create_dir(&empty).unwrap();
    assert_eq!(call(&["sessions", &empty, "--dry-run"]), exit::NOTHING);
}

#[test]
fn without_paths_the_sessions_are_those_of_the_state_folder() {
    let state = tempfile::tempdir().unwrap();
    let sessions = state.path().join("agents/main/sessions");
    std::fs::create_dir_all(&sessions).unwrap();
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/data")).unwrap().flatten() {
        std::fs::copy(file.path(), sessions.join(file.file_name())).unwrap();
    }
    let output = bare(&["sessions", "--dry-run"]).env("OPENCLAW_STATE_DIR", state.path()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(exit::OK.into()), "{said}");
    assert!(said.contains("6 sessions, 11 runs"), "{said}");
}

#[test]
fn without_a_spool_nothing_is_kept_for_later() {
    let folder = tempfile::tempdir().unwrap();
    let file = events_file(folder.path(), 1);
    let down = Server::start(&[(503, "retry-after: 0\r\n"); 5]);
    let output = trace_export(&["events", &file, "--endpoint", &down.url]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(": 1 requests not sent\n") && !said.contains("; kept for later"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_success_and_a_reader_that_has_gone_no_error() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/data");
    for args in
        [&["status"][..], &["sessions", data, "--dry-run"], &["sessions", data, "--dry-run", "--json"]]
    {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = bare(args).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(exit::IO.into()), "{args:?}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = bare(args).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(exit::OK.into()), "{args:?}");
    }
}

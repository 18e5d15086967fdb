//! The backends against stand-ins: a program that behaves like `openclaw agent --json`, a server that behaves like the
//! gateway's OpenAI-compatible API.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use clawgauge_relay_proto::Keys;
use serde_json::{Value, json};

use crate::endpoint::post;
use crate::programs::{PUBLIC, Program, SECRET, assert_no_secret};

fn ask(url: &str, text: &str) -> (u16, Value) {
    let basic = Keys::new(PUBLIC, SECRET).basic();
    let body = json!({"conversationId": "c", "text": text}).to_string();
    let (status, answer) = post(url, Some(basic.expose()), &body);
    (status, serde_json::from_str(&answer).unwrap())
}

/// A program from a shell script.
fn stand_in(folder: &Path, script: &str) -> String {
    let path = folder.join("openclaw");
    std::fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn relay(args: &[&str]) -> (Program, String) {
    let mut all = vec!["--url", "ws://127.0.0.1:9/x", "--http-port", "0", "--hurry"];
    all.extend(args);
    let mut relay = Program::start("relay", &all);
    let url = relay.wait_for("info: listening on ");
    (relay, url)
}

#[test]
fn a_process_gets_the_message_and_its_answer_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    // Log lines before the JSON, as older versions print; the message is an argument, whatever it begins with.
    let program = stand_in(
        folder.path(),
        r#"[ "$5" = --session-key ] || exit 9
echo "[plugins] loaded {3}"
case "$7" in
  --message=-fail) echo '{"ok":false,"error":{"message":"LLM request failed"}}'; exit 1 ;;
  --message=-silent) exit 3 ;;
esac
printf '{"status":"ok","result":{"payloads":[{"text":"%s for %s"}],"meta":{"agentMeta":{"usage":{"input":3,"output":4,"total":7}}}}}\n' "$7" "$6"
"#,
    );
    let (relay, url) = relay(&["--backend", "process", "--program", &program]);
    let (status, answer) = ask(&url, "-rf /");
    assert_eq!(
        (status, &answer["text"]),
        (200, &json!("--message=-rf / for agent:main:benchgen:direct:c")),
        "{answer}"
    );
    let (status, answer) = ask(&url, "-fail");
    assert_eq!((status, &answer["error"]), (500, &json!("LLM request failed")));
    let (status, answer) = ask(&url, "-silent");
    assert_eq!((status, &answer["error"]), (500, &json!("the agent failed")));
    assert_no_secret("the relay", &relay.terminate().1);
}

#[test]
fn a_process_that_ignores_its_end_is_killed_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("children");
    let program = stand_in(
        folder.path(),
        &format!(
            "trap '' TERM\n(trap '' TERM; echo $$ >> {0}; sleep 300) &\necho $! >> {0}\nsleep 300\nsleep 300\n",
            mark.display()
        ),
    );
    let (relay, url) = relay(&["--backend", "process", "--program", &program]);
    let call = std::thread::spawn(move || ask(&url, "x"));
    let deadline = Instant::now() + Duration::from_secs(20);
    let children = loop {
        let text = std::fs::read_to_string(&mark).unwrap_or_default();
        if text.lines().count() == 2 {
            break text;
        }
        assert!(Instant::now() < deadline, "the program did not start");
        std::thread::sleep(Duration::from_millis(20));
    };
    let (clean, printed) = relay.terminate();
    assert!(clean, "{printed}");
    assert_eq!(call.join().unwrap().1["error"], "the relay was stopped");
    for pid in children.lines() {
        let alive =
            std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z"));
        assert!(!alive, "process {pid} outlived its turn");
    }
}

/// One answer of the API for each request, then the request heads.
fn api(answers: Vec<String>) -> (String, std::thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let serve = |body: String| {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                assert_ne!(reader.read_line(&mut head).unwrap(), 0);
            }
            let length = head.to_lowercase();
            let length = length
                .split("content-length: ")
                .nth(1)
                .unwrap()
                .split("\r\n")
                .next()
                .unwrap()
                .parse()
                .unwrap();
            let mut request = vec![0; length];
            reader.read_exact(&mut request).unwrap();
            stream.write_all(format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{body}").as_bytes()).unwrap();
            head + &String::from_utf8(request).unwrap()
        };
        answers.into_iter().map(serve).collect()
    });
    (base, served)
}

#[test]
fn the_api_is_read_as_it_streams_and_a_broken_stream_is_an_error() {
    let chunk = |delta: &str| {
        format!("data: {}\n\n", json!({"model": "m", "choices": [{"delta": {"content": delta}}]}))
    };
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3}}\n\ndata: [DONE]\n\n";
    let (base, served) = api(vec![
        chunk("Hel") + ": a comment\n\n" + &chunk("lo") + end,
        chunk("cut o"),
        String::from("data: {\"error\":{\"message\":\"no model\"}}\n\n"),
    ]);
    let (relay, url) = relay(&["--backend", "openai", "--api-base", &base]);
    assert_eq!(ask(&url, "hi").1["text"], "Hello");
    assert_eq!(ask(&url, "hi").1["error"], "the answer broke off");
    assert_eq!(ask(&url, "hi").1["error"], "no model");
    let requests = served.join().unwrap();
    assert!(
        requests[0].contains("x-openclaw-session-key: agent:main:benchgen:direct:c\r\n"),
        "{}",
        requests[0]
    );
    assert!(requests[0].contains(r#""model":"openclaw/main""#), "{}", requests[0]);
    let (_, printed) = relay.terminate();
    assert!(printed.contains("owner's authority"), "{printed}");
    assert_no_secret("the relay", &printed);
}

//! The gateway's own endpoint, over HTTP; how the relay stops; what `status` shows.

use std::io::Read as _;
use std::process::Command;

use clawgauge_relay_proto::Keys;
use serde_json::{Value, json};

use crate::programs::{PUBLIC, Program, SECRET, assert_no_secret, keys_file, program};

pub(crate) fn post(url: &str, authorization: Option<&str>, body: &str) -> (u16, String) {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut request = agent.post(url).header("content-type", "application/json");
    if let Some(value) = authorization {
        request = request.header("authorization", value);
    }
    let mut text = String::new();
    let response = request.send(body).unwrap();
    let status = response.status().as_u16();
    response.into_body().into_reader().read_to_string(&mut text).unwrap();
    (status, text)
}

#[test]
fn the_endpoint_answers_in_json_and_as_events_while_the_relay_is_unreachable() {
    let mut relay = Program::start("relay", &["--url", "ws://127.0.0.1:9/x", "--http-port", "0"]);
    let url = relay.wait_for("info: listening on ");
    let header = Keys::new(PUBLIC, SECRET).basic();
    let basic = Some(header.expose());
    let (status, text) =
        post(&url, basic, r#"{"conversationId":"c1","messageId":"m1","text":"hello there"}"#);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (status, &answer["text"], &answer["ok"]),
        (200, &json!("You said: hello there"), &json!(true))
    );
    assert_eq!(answer["sessionKey"], "agent:main:benchgen:direct:c1");
    let (status, text) = post(&url, basic, r#"{"conversationId":"c1","text":"one two","stream":true}"#);
    assert_eq!(status, 200);
    let events: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!((events.first(), events.last()), (Some(&"turn.started"), Some(&"turn.done")), "{text}");
    assert!(events.contains(&"reply.partial"), "{text}");
    assert_eq!(post(&url, basic, r#"{"text":"/fail"}"#).0, 500);
    assert_eq!(post(&url, basic, "{}").0, 400);
    assert_eq!(post(&url, None, r#"{"text":"x"}"#).0, 401);
    assert_eq!(post(&url, basic, &"x".repeat(1_000_001)).0, 413);
    let agent = ureq::Agent::new_with_defaults();
    let status = agent
        .get(&url)
        .header("authorization", header.expose())
        .call()
        .unwrap()
        .into_body()
        .read_to_string()
        .unwrap();
    let status: Value = serde_json::from_str(&status).unwrap();
    assert_eq!((&status["relay"]["connected"], &status["protocol"]), (&json!(false), &json!(1)));
    let (clean, printed) = relay.terminate();
    assert!(clean, "{printed}");
    assert_no_secret("the relay", &printed);
}

#[test]
fn a_stop_ends_running_turns_with_the_reason() {
    let keys = keys_file();
    let mut platform =
        Program::start("platform", &["--port", "0", "--keys-file", keys.path().to_str().unwrap()]);
    platform.wait_for("page: ");
    let url = platform.wait_for("relay: ");
    let mut relay = Program::start("relay", &["--url", &url, "--http-port", "0"]);
    let endpoint = relay.wait_for("info: listening on ");
    relay.wait_for("info: connected");
    let call = std::thread::spawn(move || {
        let basic = Keys::new(PUBLIC, SECRET).basic();
        post(&endpoint, Some(basic.expose()), r#"{"text":"/slow 600"}"#)
    });
    std::thread::sleep(std::time::Duration::from_millis(700));
    let (clean, printed) = relay.terminate();
    assert!(clean, "{printed}");
    let (status, text) = call.join().unwrap();
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (status, &answer["status"], &answer["error"]),
        (500, &json!("error"), &json!("the relay was stopped"))
    );
}

#[test]
fn unknown_keys_are_refused_loudly_and_once() {
    let keys = keys_file();
    std::fs::write(keys.path(), "pk-other:sk-other other\n").unwrap();
    let mut platform =
        Program::start("platform", &["--port", "0", "--keys-file", keys.path().to_str().unwrap()]);
    platform.wait_for("page: ");
    let url = platform.wait_for("relay: ");
    let mut relay = Program::start("relay", &["--url", &url, "--hurry"]);
    let line = relay.wait_for("error: the relay does not know the configured keys (close code 4401)");
    assert!(line.contains("replaced"), "{line}");
    assert_no_secret("the relay", &relay.terminate().1);
}

#[test]
fn status_shows_every_setting_with_its_source_and_no_key() {
    let config = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(
        config.path(),
        r#"{"plugins":{"entries":{"benchgen":{"config":{"chat":{"agentId":"helper","enabled":"no"}}}}}}"#,
    )
    .unwrap();
    let output = Command::new(program("relay"))
        .args(["status", "--config", config.path().to_str().unwrap(), "--url", "wss://relay.example/chat"])
        .env_clear()
        .env("BENCHGEN_SECRET_KEY", SECRET)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_no_secret("status", &text);
    for line in [
        "chat.enabled: false (config)",
        "chat.url: wss://relay.example/chat (command line)",
        "chat.agentId: helper (config)",
        "secretKey: sk-*** (environment)",
        "publicKey: not set",
        "chat.httpEndpoint: true (default)",
    ] {
        assert!(text.lines().any(|other| other == line), "{line} in {text}");
    }
}

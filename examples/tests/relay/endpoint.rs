//! The gateway's own endpoint, over HTTP; how the relay stops; what `status` shows.

use std::io::Read as _;
use std::process::Command;
use std::time::{Duration, Instant};

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

/// What a GET of the endpoint says.
fn state(url: &str) -> Value {
    let basic = Keys::new(PUBLIC, SECRET).basic();
    let answer = ureq::get(url).header("authorization", basic.expose()).call().unwrap();
    serde_json::from_str(&answer.into_body().read_to_string().unwrap()).unwrap()
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
    let status = state(&url);
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
    let address = endpoint.clone();
    let call = std::thread::spawn(move || {
        let basic = Keys::new(PUBLIC, SECRET).basic();
        post(&address, Some(basic.expose()), r#"{"text":"/slow 600"}"#)
    });
    let deadline = Instant::now() + Duration::from_secs(20);
    while state(&endpoint)["activeConversations"] != 1 {
        assert!(Instant::now() < deadline, "the turn did not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
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
fn a_platform_that_is_told_to_stop_ends_well() {
    let mut platform = Program::start("platform", &["--port", "0"]);
    platform.wait_for("page: ");
    let (clean, printed) = platform.terminate();
    assert!(clean, "{printed}");
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
        r#"{"plugins":{"entries":{"benchgen":{"config":{"chat":{"agentId":"helper","enabled":"no"},
            "mirror":{"baseUrl":"https://user:word@second.example","secretKey":"sk-of-the-mirror"}}}}}}"#,
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
    assert!(!text.contains("sk-of-the-mirror") && !text.contains("word"), "{text}");
    for line in [
        "mirror.enabled: true (default)",
        "mirror.publicKey: not set",
        "mirror.secretKey: sk-*** (config)",
        "mirror.baseUrl: https://second.example (config)",
        "mirror.environment: not set",
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

#[test]
fn keys_of_a_file_are_what_is_in_force() {
    let keys = keys_file();
    let mut status = Command::new(program("relay"));
    let status = status.args(["status", "--keys-file", keys.path().to_str().unwrap()]).env_clear();
    let text = String::from_utf8(status.output().unwrap().stdout).unwrap();
    assert_no_secret("status", &text);
    for line in ["publicKey: pk-*** (command line)", "secretKey: sk-*** (command line)"] {
        assert!(text.lines().any(|other| other == line), "{line} in {text}");
    }
}

#[test]
fn what_cannot_be_meant_is_refused_at_once() {
    let keys = keys_file();
    let keys = keys.path().to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (broken, off) = (
        file("broken.json", "{"),
        file("off.json", r#"{"plugins":{"entries":{"clawgauge":{"config":{"chat":{"relay":false}}}}}}"#),
    );
    for (args, says) in [
        (&["--keys-file", keys, "--url", "http://nowhere"][..], "--url is no ws:// or wss:// address"),
        (&["status", "--config", &broken], "no JSON"),
        (&["--keys-file", &broken], "no line `public:secret`"),
        (&[], "no keys"),
        (&["--keys-file", keys, "--config", &off], "nothing to do"),
    ] {
        let output = Command::new(program("relay")).args(args).env_clear().output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(clawgauge_support::exit::USAGE.into()), "{args:?}: {said}");
        assert!(said.contains(says), "{args:?}: {said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_success() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Command::new(program("relay")).arg("status").env_clear().stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(clawgauge_support::exit::IO.into()));
}

//! The wizard, over a pipe.

use crate::program::{PUBLIC, SECRET, bare};
use crate::server::{Manner, Server};
use clawgauge_support::exit;
use serde_json::Value;
use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

fn configure(config: &Path, endpoint: &str, answers: &str) -> Output {
    let mut command = bare(&["configure", "--config", config.to_str().unwrap(), "--endpoint", endpoint]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    // It may have ended before it read them.
    drop(child.stdin.take().unwrap().write_all(answers.as_bytes()));
    child.wait_with_output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn keys_are_tried_and_written_beside_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("openclaw.json");
    let before = "{\n  \"gateway\": {\"port\": 18789},\n  \"plugins\": {\"entries\": {\"other\": {\"enabled\": true}}}\n}\n";
    std::fs::write(&config, before).unwrap();
    let server = Server::start(Manner::Takes);
    let answers = format!("{PUBLIC}\n{SECRET}\nmaybe\nyes\nhttp://nowhere\nwss://relay.example/chat\n");
    let output = configure(&config, &server.url(), &answers);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(exit::OK.into()), "{text}");
    assert!(!text.contains(SECRET), "{text}");
    let seen = server.seen.lock();
    assert_eq!(seen.heads.len(), 1, "one request tries the keys");
    assert!(seen.heads[0].contains("authorization: basic "));

    let written = std::fs::read_to_string(&config).unwrap();
    let value: Value = serde_json::from_str(&written).unwrap();
    let entry = &value["plugins"]["entries"]["clawgauge"];
    assert_eq!(entry["enabled"], true);
    let settings = &entry["config"];
    assert_eq!((&settings["publicKey"], &settings["secretKey"]), (&PUBLIC.into(), &SECRET.into()));
    assert_eq!(settings["baseUrl"], server.url());
    assert_eq!(
        (&settings["chat"]["enabled"], &settings["chat"]["url"]),
        (&true.into(), &"wss://relay.example/chat".into())
    );
    assert_eq!(value["gateway"]["port"], 18_789);
    assert_eq!(value["plugins"]["entries"]["other"]["enabled"], true);
    let backup = std::fs::read_to_string(folder.path().join("openclaw.json.clawgauge.bak")).unwrap();
    assert_eq!(backup, before);

    // What was written is what is in force.
    let status = bare(&["status", "--config", config.to_str().unwrap()]).output().unwrap();
    let text = said(&status);
    assert!(text.contains("secretKey: sk-*** (config)"), "{text}");
    assert!(text.contains("chat.url: wss://relay.example/chat (config)"), "{text}");
    assert!(text.contains("mirror: off\n") && text.contains("mirror.publicKey: not set"), "{text}");
    assert!(!text.contains(SECRET), "{text}");
}

#[test]
fn refused_keys_are_asked_for_again_and_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("openclaw.json");
    std::fs::write(&config, "{}").unwrap();
    let server = Server::start(Manner::RefusesKeys);
    let output = configure(&config, &server.url(), &format!("{PUBLIC}\n{SECRET}\n").repeat(3));
    assert_eq!(output.status.code(), Some(exit::NO.into()));
    assert_eq!(server.seen.lock().heads.len(), 3);
    assert_eq!(std::fs::read_to_string(&config).unwrap(), "{}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no backup of what was not changed");
}

#[test]
fn a_backend_that_cannot_be_reached_is_a_question() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("new").join("openclaw.json");
    let keys = format!("{PUBLIC}\n{SECRET}\n");
    let output = configure(&config, "http://127.0.0.1:9", &keys);
    assert_eq!(output.status.code(), Some(exit::NO.into()), "no answer is no");
    assert!(!config.exists());
    let output = configure(&config, "http://127.0.0.1:9", &format!("{keys}y\nn\n"));
    assert_eq!(output.status.code(), Some(exit::OK.into()), "{}", said(&output));
    let value: Value = serde_json::from_slice(&std::fs::read(&config).unwrap()).unwrap();
    assert_eq!(value["plugins"]["entries"]["clawgauge"]["config"]["chat"]["enabled"], false);
}

#[test]
fn a_config_with_comments_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("openclaw.json");
    let before = "{\n  // a comment\n  \"gateway\": {}\n}\n";
    std::fs::write(&config, before).unwrap();
    let output = configure(&config, "http://127.0.0.1:9", &format!("{PUBLIC}\n{SECRET}\n"));
    assert_eq!(output.status.code(), Some(exit::USAGE.into()));
    assert!(said(&output).contains("it is left as it is"), "{}", said(&output));
    assert_eq!(std::fs::read_to_string(&config).unwrap(), before);
}

//! No secret in anything that is printed, logged, answered or sent, but for `hello.auth`.

use clawgauge_relay_proto::{
    AgentFrame, Client, ClientConfig, ClientOutput, ConnId, ExecEnv, Happening, HttpStatus, Identity,
    KeyVerdict, Keys, Limits, Message, Now, PlatformFrame, Presented, Server, ServerConfig, SessionScope,
    Settings, SocketId, TurnEnd,
};
use serde_json::json;

const PUBLIC: &str = "pk-public-value";
const SECRET: &str = "sk-secret-value";
const TOKEN: &str = "user-token-value";

fn secrets() -> Vec<String> {
    let basic = Keys::new(PUBLIC, SECRET).basic().expose().trim_start_matches("Basic ").to_owned();
    [PUBLIC, SECRET, TOKEN].map(str::to_owned).into_iter().chain([basic]).collect()
}

fn assert_clean(what: &str, text: &str) {
    for secret in secrets() {
        assert!(!text.contains(&secret), "{what} shows {secret}: {text}");
    }
}

#[test]
fn a_whole_run_shows_no_secret() {
    let keys = Keys::new(PUBLIC, SECRET);
    let known = keys.clone();
    let look_up = move |presented: &Presented| {
        assert_clean("presented keys", &format!("{presented:?}"));
        if presented.matches(&known) { KeyVerdict::Known("a".into()) } else { KeyVerdict::Unknown }
    };
    let config =
        ClientConfig::new("wss://user:sk-secret-value@relay.example/x", Identity::new(keys.clone()), 1);
    assert_clean("the identity", &format!("{:?}", config.identity));
    let mut client = Client::new(config);
    let mut server = Server::new(ServerConfig::new(1), look_up);
    let now = Now::new(0, 0);
    client.start(now);
    client.opened(SocketId(1), now);
    server.accepted(ConnId(1), Some(keys.basic().expose()), 0);
    let message = json!({"type": "message", "conversationId": "c", "messageId": "m", "text": "hi", "context": "c",
        "sender": {"id": "u", "name": "n"}, "auth": {"token": TOKEN, "apiBase": "https://a.example"}});
    let mut said = false;
    for step in 0..200_u64 {
        let now = Now::new(step * 100, 0);
        client.handle_timeout(now);
        server.handle_timeout(step * 100);
        while let Some(output) = client.poll_output() {
            if !matches!(output, ClientOutput::Connect { .. }) {
                assert_clean("an output", &format!("{output:?}"));
            }
            match output {
                ClientOutput::Send { text, .. } => {
                    let frame = AgentFrame::decode(text.as_str(), &Limits::default()).unwrap();
                    assert_clean("a decoded frame", &format!("{frame:?}"));
                    if frame.kind() != Some("hello") {
                        assert_clean("a sent frame", text.as_str());
                    }
                    server.received(ConnId(1), text.as_str(), step * 100);
                }
                ClientOutput::StartTurn(start) => {
                    assert_clean("the environment", &format!("{:?}", ExecEnv::of(&start.message)));
                    let command = json!({"command": format!("curl -H {TOKEN}")});
                    client.turns().before_tool_call(&start.session_key, "exec", Some(&command));
                    // What a tool printed comes back in the model's words.
                    for happening in [
                        Happening::partial(&json!({"text": format!("it is {TOKEN}"), "delta": TOKEN})),
                        Happening::reply(&json!({"text": format!("it is {TOKEN}")}), None).unwrap(),
                        Happening::Done(TurnEnd::Error(format!("curl failed: {TOKEN}"))),
                    ] {
                        client.happened(start.turn, happening, now);
                    }
                }
                ClientOutput::Log(line) => assert_clean("the log", &line.to_string()),
                _ => {}
            }
        }
        while let Some(output) = server.poll_output() {
            assert_clean("an output of the platform", &format!("{output:?}"));
            if let clawgauge_relay_proto::ServerOutput::Send { text, .. } = output {
                client.received(SocketId(1), text.as_str(), now);
            }
        }
        assert_clean("the client", &format!("{client:?}").replace("wss://user:sk-secret-value@", ""));
        if server.is_connected("a") && !said {
            said = true;
            client.received(SocketId(1), &message.to_string(), now);
        }
    }
    assert!(said && client.is_drained());
    client.closed(SocketId(1), Some(4401), "unknown keys", Now::new(30_000, 0));
    while let Some(output) = client.poll_output() {
        assert_clean("the end", &format!("{output:?}"));
    }
    let frame = PlatformFrame::decode(&message.to_string(), &Limits::default()).unwrap();
    assert_clean("a message frame", &format!("{frame:?}"));
    let clawgauge_relay_proto::PlatformBody::Message(frame) = frame.body else { panic!() };
    let origin = clawgauge_relay_proto::MessageOrigin::Relay;
    let message = Message::from_frame(*frame, origin, &Limits::default(), || "x".into()).unwrap();
    assert_clean("a message", &format!("{message:?}"));
}

#[test]
fn settings_and_status_show_no_secret() {
    let config = json!({"publicKey": PUBLIC, "secretKey": SECRET, "chat": {"url": format!("wss://u:{SECRET}@r.example/x")}});
    let settings = Settings::resolve(Some(&config), |_| None);
    assert_clean("status lines", &settings.lines().join("\n"));
    let status = HttpStatus {
        relay_enabled: true,
        relay_url: settings.chat.url.value.clone(),
        connected: false,
        queued_frames: 0,
        session_scope: SessionScope::Main,
        active_conversations: 0,
    };
    assert_clean("the status answer", &status.response().body);
    assert!(status.response().body.contains("wss://***@r.example/x"));
}

#[test]
fn malformed_frames_with_secrets_show_none() {
    for text in [
        format!(r#"{{"type":"message","text":"x","auth":{{"token":5,"other":"{TOKEN}"}}}}"#),
        format!(r#"{{"type":"message","text":"x","auth":"{TOKEN}"}}"#),
        format!(r#"{{"type":"hello2","auth":{{"secretKey":"{SECRET}"}}}}"#),
        format!(r#"{{"type":"hello","auth":{{"secretKey":"{SECRET}"}}}}"#),
        format!(r#"{{"type":"hello","auth":["{SECRET}"]}}"#),
        format!(r#"{{"type":"message","text":"x","auth":{{"token":"{TOKEN}"}}"#),
    ] {
        assert_clean("a frame", &format!("{:?}", PlatformFrame::decode(&text, &Limits::default())));
        assert_clean("a frame", &format!("{:?}", AgentFrame::decode(&text, &Limits::default())));
    }
}

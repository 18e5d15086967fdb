//! `relay` against `platform --chaos`: every reply arrives once, whatever the network does.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::programs::{Program, assert_no_secret, keys_file};

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[derive(Default)]
struct Turn {
    kinds: Vec<String>,
    replies: Vec<String>,
}

#[test]
fn every_reply_arrives_once_over_a_network_that_breaks_every_few_frames() {
    let (turns, conversations) = (number("RELAY_SOCKET_TURNS", 60), number("RELAY_SOCKET_CONVERSATIONS", 10));
    let keys = keys_file();
    let mut platform = Program::start(
        "platform",
        &["--port", "0", "--chaos", "--hurry", "--keys-file", keys.path().to_str().unwrap()],
    );
    let page = platform.wait_for("page: http://");
    let url = platform.wait_for("relay: ");
    let mut relay = Program::start("relay", &["--url", &url, "--hurry"]);
    relay.wait_for("info: connected");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let seen = runtime.block_on(talk(&format!("ws://{page}ui"), turns, conversations));
    assert_eq!(seen.len(), turns);
    for (message, turn) in &seen {
        assert_eq!(turn.replies, [format!("You said: {message}")], "{message}");
        let kinds: Vec<&str> =
            turn.kinds.iter().map(String::as_str).filter(|kind| *kind != "reply.partial").collect();
        assert_eq!(kinds, ["turn.started", "reply", "turn.done", "turn.usage"], "{message}");
    }
    let (clean, printed) = relay.terminate();
    assert!(clean, "{printed}");
    let disconnects = printed.matches("connection lost").count();
    assert!(disconnects >= turns / 20, "only {disconnects} disconnects: {printed}");
    eprintln!("{turns} turns in {conversations} conversations over {disconnects} lost connections");
    assert_no_secret("the relay", &printed);
    assert_no_secret("the platform", &platform.terminate().1);
}

async fn talk(url: &str, turns: usize, conversations: usize) -> BTreeMap<String, Turn> {
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    let mut seen: BTreeMap<String, Turn> = BTreeMap::new();
    let (mut sent, mut complete, mut known) = (0, 0, false);
    while complete < turns {
        // A message waits while the agent is away; not all may wait at once.
        while known && sent < turns && sent < complete + 80 {
            let id = format!("m{sent}");
            let what = json!({"do": "send", "agent": "agent", "conversationId": format!("c{}", sent % conversations),
                "messageId": id, "text": id});
            socket.send(Message::text(what.to_string())).await.unwrap();
            sent += 1;
        }
        let message = tokio::time::timeout(Duration::from_secs(120), socket.next()).await;
        let message = message.unwrap_or_else(|_| panic!("stuck: {complete} of {sent} complete"));
        let event: Value = serde_json::from_str(message.unwrap().unwrap().to_text().unwrap()).unwrap();
        match event["kind"].as_str().unwrap() {
            "agents" => {
                known |= event["agents"].as_array().unwrap().iter().any(|agent| agent["name"] == "agent");
            }
            "frame" => {
                let frame = &event["frame"];
                let turn = seen.entry(frame["messageId"].as_str().unwrap().to_owned()).or_default();
                let kind = frame["type"].as_str().unwrap();
                turn.kinds.push(kind.to_owned());
                if kind == "reply" {
                    turn.replies.push(frame["text"].as_str().unwrap().to_owned());
                }
                complete += usize::from(kind == "turn.usage");
            }
            "refused" => panic!("{event}"),
            _ => {}
        }
    }
    seen
}

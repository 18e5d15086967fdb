//! Connections: hello, waiting times, heartbeat, outbox.

use clawgauge_relay_proto::{
    AgentBody, AgentEntry, AgentFrame, Agents, Backoff, BackoffConfig, Client, ClientConfig, ClientOutput,
    Identity, Keys, Now, Randomness, RawFrame, SocketId,
};
use serde_json::{Map, Value, json};

use crate::sim::plain_config;
use crate::vectors::{Vector, same};

pub(crate) fn run(vector: &Vector) -> Result<(), String> {
    match vector.kind.as_str() {
        "hello" => hello(vector),
        "hello-bridge" => hello_bridge(vector),
        "backoff" => backoff(vector),
        "close-code" => close_code(vector),
        "ping" => ping(vector),
        _ => outbox(vector),
    }
}

fn words(value: &Value) -> Option<Vec<String>> {
    Some(value.as_array()?.iter().map(|word| word.as_str().unwrap().to_owned()).collect())
}

/// The reference's name and what 0.5.3 could do.
fn reference_identity() -> Identity {
    Identity {
        keys: None,
        plugin_name: String::from("@benchgen/benchgen-openclaw"),
        plugin_version: None,
        openclaw_version: None,
        agents: Vec::new(),
        capabilities: ["partial", "tools", "sessions"].map(String::from).to_vec(),
    }
}

fn hello(vector: &Vector) -> Result<(), String> {
    let input = &vector.input;
    let text = |name: &str| input[name].as_str().map(str::to_owned);
    let mut identity = reference_identity();
    identity.keys =
        text("publicKey").zip(text("secretKey")).map(|(public, secret)| Keys::new(public, secret));
    identity.plugin_version = text("pluginVersion");
    identity.openclaw_version = text("openclawVersion");
    for id in words(&input["agents"]).unwrap_or_default() {
        let default = input["defaultAgentId"] == json!(id);
        identity.agents.push(AgentEntry::new(id, default));
    }
    if let Some(capabilities) = words(&input["capabilities"]) {
        identity.capabilities = capabilities;
    }
    let ours: Value = serde_json::from_str(&identity.hello(false, None).encode()).unwrap();
    same(&vector.expected, &ours)
}

fn hello_bridge(vector: &Vector) -> Result<(), String> {
    let input = &vector.input;
    let text = |name: &str| input[name].as_str().map(str::to_owned);
    let mut identity = reference_identity();
    identity.keys = Some(Keys::new("pk-ü", "sk"));
    identity.plugin_version = text("pv");
    identity.openclaw_version = text("version");
    identity.agents = Agents::from_config(vector.raw("config")).entries(input["agentId"].as_str());
    if input["http"] != json!(false) {
        identity.capabilities.push(String::from("http"));
    }
    let mut config = ClientConfig::new("ws://relay.example/x", identity, 1);
    config.offer_resume = false;
    let mut client = Client::new(config);
    let now = Now::default();
    client.start(now);
    let mut ours = json!({});
    let mut frames: Vec<Value> = Vec::new();
    while let Some(output) = client.poll_output() {
        match output {
            ClientOutput::Connect { socket, url, headers } => {
                let headers: Map<String, Value> = headers
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), json!(value.expose())))
                    .collect();
                ours = json!({"url": url, "headers": headers, "sent_before_open": frames.len()});
                client.opened(socket, now);
            }
            ClientOutput::Send { text, .. } => frames.push(without_ts(text.as_str())),
            other => return Err(format!("{other:?}")),
        }
    }
    ours["first_frame"] = frames[0].clone();
    ours["frames"] = json!(frames.len());
    same(&vector.expected, &ours)
}

fn without_ts(text: &str) -> Value {
    let mut frame: Value = serde_json::from_str(text).unwrap();
    frame.as_object_mut().unwrap().remove("ts").unwrap();
    frame
}

fn backoff(vector: &Vector) -> Result<(), String> {
    let random = vector.input["random"].as_f64().unwrap();
    let mut backoff = Backoff::new(BackoffConfig::default());
    let steps =
        vector.input.get("steps").and_then(Value::as_array).cloned().unwrap_or_else(|| vec![json!("fail")]);
    let delays: Vec<Value> = steps
        .iter()
        .map(|step| {
            if step == "open" {
                // Lost in the same moment.
                backoff.connection_lasted(0);
                return step.clone();
            }
            json!(backoff.next_delay(None, random))
        })
        .collect();
    same(&vector.expected["delays"], &json!(delays))
}

fn client_with_chance(random: f64) -> Client {
    let mut config = plain_config();
    config.link.randomness = Randomness::Fixed(random);
    Client::new(config)
}

fn at(ms: u64) -> Now {
    Now::new(ms, 0)
}

fn close_code(vector: &Vector) -> Result<(), String> {
    let mut client = client_with_chance(vector.input["random"].as_f64().unwrap());
    client.start(at(0));
    client.opened(SocketId(1), at(0));
    client.closed(SocketId(1), vector.input["code"].as_u64().map(|code| code.try_into().unwrap()), "", at(0));
    same(&vector.expected["reconnect_after_ms"], &json!(client.poll_timeout()))
}

fn ping(vector: &Vector) -> Result<(), String> {
    let mut client = client_with_chance(0.5);
    client.start(at(0));
    client.opened(SocketId(1), at(0));
    let (mut pings, mut terminated) = (0, false);
    for moment in vector.expected["timeline"].as_array().unwrap() {
        let now = moment["at"].as_u64().unwrap();
        client.handle_timeout(at(now));
        while let Some(output) = client.poll_output() {
            match output {
                ClientOutput::Ping { socket, payload } => {
                    pings += 1;
                    let name = if pings == 1 { "pong_after_first" } else { "pong_after_second" };
                    if vector.input[name] == json!(true) {
                        client.pong(socket, payload, at(now));
                    }
                }
                ClientOutput::Close { hard, .. } => terminated |= hard,
                _ => {}
            }
        }
        let ours = json!({"at": now, "pings": pings, "terminated": terminated});
        crate::vectors::contains(moment, &ours)?;
    }
    Ok(())
}

fn outbox(vector: &Vector) -> Result<(), String> {
    let input = &vector.input;
    let mut config = plain_config();
    if let Some(max) = input["max"].as_u64() {
        config.outbox.soft_frames = usize::try_from(max).unwrap();
    }
    let mut run = OutboxRun { client: Client::new(config), sockets: Vec::new(), fail: false };
    let (mut now, mut log) = (0, Vec::new());
    for step in input["steps"].as_array().unwrap() {
        let (name, value) = step.as_object().unwrap().iter().find(|(name, _)| *name != "log").unwrap();
        let socket = SocketId(run.sockets.len() as u64);
        match name.as_str() {
            "start" => run.client.start(at(now)),
            "open" => run.client.opened(socket, at(now)),
            "close" => run.client.closed(socket, Some(1006), "", at(now)),
            "reconnect" => {
                now += 60_000;
                run.client.handle_timeout(at(now));
            }
            "stop" => run.client.stop(at(now)),
            "fail_send" => run.fail = value == &json!(true),
            "queued" => log
                .push(json!({"queued": run.client.queued_frames(), "connected": run.client.is_connected()})),
            _ => {
                for n in value[0].as_u64().unwrap()..=value[1].as_u64().unwrap() {
                    run.client
                        .send(AgentBody::Unknown(RawFrame::new(None, json!({"n": n}).to_string())), at(now));
                    run.drain(now);
                    if step.get("log").is_some() {
                        let sent = run.sockets.last().is_some_and(|frames| frames.contains(&json!(n)));
                        log.push(json!({"n": n, "sent": sent}));
                    }
                }
            }
        }
        run.drain(now);
    }
    let hello = input["hello"] == json!(true);
    let sent: Vec<Value> = run
        .sockets
        .iter()
        .map(|frames| {
            frames.iter().filter(|frame| hello || **frame != "hello").cloned().collect::<Vec<Value>>()
        })
        .map(|frames| {
            if frames.len() > 100 {
                json!({"count": frames.len(), "first": frames[..3], "last": frames[frames.len() - 3..]})
            } else {
                json!(frames)
            }
        })
        .collect();
    same(&vector.expected, &json!({"sent_per_socket": sent, "log": log}))
}

struct OutboxRun {
    client: Client,
    sockets: Vec<Vec<Value>>,
    fail: bool,
}

impl OutboxRun {
    fn drain(&mut self, now: u64) {
        while let Some(output) = self.client.poll_output() {
            match output {
                ClientOutput::Connect { .. } => self.sockets.push(Vec::new()),
                ClientOutput::Send { socket, .. } if self.fail => self.client.send_failed(socket, at(now)),
                ClientOutput::Send { text, .. } => {
                    let frame =
                        AgentFrame::decode(text.as_str(), &clawgauge_relay_proto::Limits::default()).unwrap();
                    let shown = match frame.body {
                        AgentBody::Hello(_) => json!("hello"),
                        _ => serde_json::from_str::<Value>(text.as_str()).unwrap()["n"].clone(),
                    };
                    self.sockets.last_mut().unwrap().push(shown);
                }
                _ => {}
            }
        }
    }
}

//! Turns: what the host does and what goes on the wire.

use clawgauge_relay_proto::{Agents, Guard, SessionScope, Settings, ToolDecision, TurnRef, UsageEvent};
use serde_json::{Map, Value, json};

use crate::sim::{Gateway, plain_config};
use crate::vectors::{Vector, contains, same};

/// The reference counts the settling time into the duration of every turn (its fault, see vector 031). Ours is the
/// turn's own, so exactly this much less.
const SETTLE_MS: u64 = 1_500;

pub(crate) fn run(vector: &Vector) -> Result<(), String> {
    match vector.kind.as_str() {
        "stores" => stores(vector),
        "host-context" => host_context(vector),
        "choices" | "step" | "hook" => hook(vector),
        // "abort of a queued turn and of an unknown turn are not described"
        "abort" => same(&json!({"unspecified": true}), &vector.expected),
        _ => turn(vector),
    }
}

fn gateway(vector: &Vector) -> Gateway {
    let input = &vector.input;
    let mut config = plain_config();
    config.turns.agents = Agents::from_config(vector.raw("config"));
    if input["session_scope"] == "main" {
        config.turns.session_scope = SessionScope::Main;
    }
    // The recording host routes to `main` unless the chat setting names an agent.
    config.turns.chat_agent = Some(input["chat_agent_id"].as_str().unwrap_or("main").to_owned());
    let mut gateway = Gateway::connected(config);
    let scripts = input
        .get("scripts")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_else(|| vec![input["script"].clone()]);
    gateway.scripts = scripts.iter().map(|script| script.as_array().cloned().unwrap_or_default()).collect();
    gateway
}

fn messages(input: &Value) -> Vec<Value> {
    let list = input.get("messages").and_then(Value::as_array).cloned();
    list.unwrap_or_else(|| vec![input["message"].clone()])
        .into_iter()
        .map(|mut message| {
            message["type"] = json!("message");
            message
        })
        .collect()
}

fn turn(vector: &Vector) -> Result<(), String> {
    let input = &vector.input;
    let mut gateway = gateway(vector);
    if let Some(error) = input.get("route_error").and_then(Value::as_str) {
        // Routing is the host's; what it refuses is refused before a turn exists.
        let queue = gateway.client.turns();
        queue.refuse(TurnRef::new("c1", "m1"), error, clawgauge_relay_proto::MessageOrigin::Relay);
        gateway.settle();
    } else {
        if input.get("abort_after_ms").is_some() {
            gateway.scripts = vec![vec![json!({"wait_ms": 60_000})]];
        }
        for message in messages(input) {
            gateway.receive(&message.to_string());
        }
    }
    for late in input.get("late_usage").and_then(Value::as_array).into_iter().flatten() {
        let key = late["session_key"].as_str().unwrap_or("agent:main:benchgen:direct:c1");
        gateway.usage_at(late["after_ms"].as_u64().unwrap(), key, UsageEvent::from_json(late));
    }
    if let Some(at) = input.get("abort_after_ms").and_then(Value::as_u64) {
        gateway.run_until(at);
        gateway.receive(r#"{"type":"abort","conversationId":"c1","messageId":"m1"}"#);
    }
    gateway.run_until(400_000);
    let frames: Vec<Value> = gateway
        .sent
        .iter()
        .map(|(at, frame)| {
            let mut frame = frame.clone();
            frame["at_ms"] = json!(at);
            frame
        })
        .collect();
    let expected = &vector.expected;
    if vector.partial {
        if let Some(kind) = expected.get("no_frame") {
            return if frames.iter().any(|frame| frame["type"] == *kind) {
                Err(json!(frames).to_string())
            } else {
                Ok(())
            };
        }
        let parts = expected["frames"].as_array().unwrap();
        let mut rest = frames.iter();
        for part in parts {
            // Named frames in this order, others may lie between.
            rest.find(|frame| contains(part, frame).is_ok())
                .ok_or_else(|| format!("no {part} in {frames:?}"))?;
        }
        return Ok(());
    }
    let mut expected_frames = expected["frames"].clone();
    for frame in expected_frames.as_array_mut().unwrap() {
        if let Some(duration) = frame.get("durationMs").and_then(Value::as_u64) {
            frame["durationMs"] = json!(duration - SETTLE_MS);
        }
    }
    same(&expected_frames, &json!(frames))?;
    let dispatches: Vec<Value> = gateway
        .started
        .iter()
        .map(|start| json!({"agentId": start.agent_id, "sessionKey": start.session_key}))
        .collect();
    let mut expected_dispatches = expected["dispatches"].clone();
    for dispatch in expected_dispatches.as_array_mut().unwrap() {
        // An argument of a function of the host, not of the protocol.
        dispatch.as_object_mut().unwrap().remove("dmScope");
    }
    same(&expected_dispatches, &json!(dispatches))
}

fn stores(vector: &Vector) -> Result<(), String> {
    let mut gateway = gateway(vector);
    gateway.scripts = vec![Vec::new()];
    for message in messages(&vector.input) {
        gateway.receive(&message.to_string());
    }
    let mut ours = Map::new();
    for conversation in ["c1", "c2"] {
        let key = format!("agent:main:benchgen:direct:{conversation}");
        let turns = gateway.client.turns();
        // 0.8.1 added who is asking; these were recorded before.
        let env: Map<String, Value> = turns
            .exec_env(&key)
            .into_iter()
            .flat_map(clawgauge_relay_proto::ExecEnv::vars)
            .filter(|(name, _)| !name.starts_with("BENCHGEN_USER_"))
            .map(|(name, value)| (name.to_owned(), json!(value.expose())))
            .collect();
        let sender = turns.sender(&key).map_or(Value::Null, |(sender, conversation)| {
            json!({"id": sender.id, "name": sender.name, "conversationId": conversation.as_str()})
        });
        let env = if env.is_empty() { Value::Null } else { Value::Object(env) };
        ours.insert(key.clone(), json!({"context": turns.context(&key), "exec_env": env, "sender": sender}));
    }
    same(&vector.expected, &Value::Object(ours))
}

fn host_context(vector: &Vector) -> Result<(), String> {
    let mut gateway = gateway(vector);
    for message in messages(&vector.input) {
        gateway.receive(&message.to_string());
    }
    same(&vector.expected, &gateway.started[0].host_context(SessionScope::Conversation))
}

/// Hooks inside the gateway.
fn hook(vector: &Vector) -> Result<(), String> {
    let (input, expected) = (&vector.input, &vector.expected);
    let settings = Settings::resolve(input.get("config"), |_| None);
    let mut config = plain_config();
    config.turns.guard =
        Guard::new(&settings.private.paths.value, &settings.private.allow_sessions.value, None);
    let mut gateway = Gateway::connected(config);
    gateway.scripts = vec![vec![json!({"wait_ms": 60_000})]];
    let key = input["session_key"].as_str().unwrap();
    if input.get("turn").is_some() || input.get("stored_context").is_some() {
        let mut message = json!({"type": "message", "conversationId": "c1", "messageId": "m1", "text": "hi"});
        if let Some(context) = input.get("stored_context") {
            message["context"] = context.clone();
        }
        gateway.receive(&message.to_string());
    }
    gateway.sent.clear();
    if let Some(block) = expected.get("prependSystemContext") {
        return same(block, &json!(gateway.client.turns().context(key)));
    }
    let (tool, params) = (input["tool"].as_str().unwrap(), input.get("params"));
    let decision = gateway.client.turns().before_tool_call(key, tool, params);
    gateway.settle();
    if input["hook"].as_str().unwrap().contains("onToolStart") {
        let payload = json!({"name": tool, "phase": "start", "args": params});
        let turn = gateway.started[0].turn;
        let now = gateway.now();
        gateway.client.happened(turn, clawgauge_relay_proto::Happening::tool_start(&payload).unwrap(), now);
        gateway.settle();
    }
    let frames: Vec<&Value> = gateway.sent.iter().map(|(_, frame)| frame).collect();
    let blocked = matches!(decision, ToolDecision::Block { .. });
    if let Some(block) = expected.get("block") {
        same(block, &json!(blocked))?;
    }
    if expected.get("no_env").is_some() && !blocked {
        return Err(String::from("the call went on"));
    }
    if let Some(kind) = expected.get("no_frame")
        && frames.iter().any(|frame| frame["type"] == *kind)
    {
        return Err(format!("{frames:?}"));
    }
    if let Some(count) = expected.pointer("/frame_count/tool.start") {
        same(count, &json!(frames.iter().filter(|frame| frame["type"] == "tool.start").count()))?;
    }
    let Some(parts) = expected.get("frames").and_then(Value::as_array) else {
        return Ok(());
    };
    same(&json!(parts.len()), &json!(frames.len()))?;
    for (part, frame) in parts.iter().zip(frames) {
        let mut part = part.clone();
        if let Some(count) = part.as_object_mut().unwrap().remove("question_count") {
            same(&count, &json!(frame["questions"].as_array().unwrap().len()))?;
        }
        contains(&part, frame)?;
    }
    Ok(())
}

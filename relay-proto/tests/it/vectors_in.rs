//! Inbound frames.

use clawgauge_relay_proto::{Limits, Message, MessageOrigin, PlatformBody, PlatformFrame};
use serde_json::{Map, Value, json};

use crate::sim::{Gateway, plain_config};
use crate::vectors::{Vector, same};

pub(crate) fn run(vector: &Vector) -> Result<(), String> {
    if vector.partial {
        return documented(vector);
    }
    let text = frame_text(&vector.input);
    let mut gateway = Gateway::connected(plain_config());
    gateway.scripts = vec![Vec::new()];
    gateway.receive(&text);
    let made_up = |value: &Value| match value.as_str() {
        Some(id) if !id.is_empty() && !text.contains(id) => json!("<uuid>"),
        _ => value.clone(),
    };
    let frames: Vec<Value> = gateway
        .sent
        .iter()
        .map(|(_, frame)| {
            let mut frame = frame.clone();
            let fields = frame.as_object_mut().unwrap();
            let conversation = fields.get("conversationId").and_then(Value::as_str).unwrap_or("?").to_owned();
            for name in ["conversationId", "messageId"] {
                if let Some(value) = fields.get(name) {
                    let value = made_up(value);
                    fields.insert(name.to_owned(), value);
                }
            }
            if fields.get("conversationId") == Some(&json!("<uuid>"))
                && let Some(key) = fields.get("sessionKey").and_then(Value::as_str)
            {
                let key = key.replace(&conversation, "<uuid>");
                fields.insert(String::from("sessionKey"), json!(key));
            }
            frame
        })
        .collect();
    same(&vector.expected["frames_sent"], &Value::Array(frames))?;
    same(&vector.expected["turns_started"], &json!(gateway.started.len()))?;
    let decoded = PlatformFrame::decode(&text, &Limits::default());
    let not_json = vector.expected.get("not_json").is_some();
    same(&json!(not_json), &json!(decoded.is_err()))?;
    let Ok(PlatformFrame { body: PlatformBody::Message(frame), .. }) = decoded else {
        return Ok(());
    };
    match Message::from_frame(*frame, MessageOrigin::Relay, &Limits::default(), || "made-up".into()) {
        Ok(message) => {
            let ours = message_json(&message, &vector.expected["message"]);
            same(&vector.expected["message"], &ours)
        }
        Err(rejection) => same(&vector.expected["error"], &json!(rejection.reason)),
    }
}

fn message_json(message: &Message, expected: &Value) -> Value {
    let mut out = Map::new();
    let id = |id: &str| {
        if id == "made-up" { json!("<uuid>") } else { json!(id) }
    };
    out.insert("conversationId".into(), id(message.conversation_id.as_str()));
    out.insert("messageId".into(), id(message.message_id.as_str()));
    out.insert("text".into(), long(&message.text, &expected["text"]));
    out.insert("sender".into(), json!({"id": message.sender.id, "name": message.sender.name}));
    if let Some(agent) = &message.agent_id {
        out.insert("agentId".into(), json!(agent));
    }
    if let Some(timestamp) = message.timestamp {
        out.insert("timestamp".into(), json!(timestamp));
    }
    if let Some(context) = &message.context {
        out.insert("context".into(), long(context, &expected["context"]));
    }
    if let Some(credential) = &message.credential {
        let token = long(credential.token.expose(), &expected["auth"]["token"]);
        out.insert("auth".into(), json!({"token": token, "apiBase": credential.api_base}));
    }
    Value::Object(out)
}

/// Long texts are recorded as `{chars, ends?}`, in UTF-16 units.
fn long(text: &str, expected: &Value) -> Value {
    if !expected.is_object() {
        return json!(text);
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut out = json!({"chars": units.len()});
    if expected.get("ends").is_some() {
        out["ends"] = json!(String::from_utf16_lossy(&units[units.len() - 8..]));
    }
    out
}

fn frame_text(input: &Value) -> String {
    if let Some(text) = input.get("frame_text") {
        return text.as_str().unwrap().to_owned();
    }
    let mut frame = input["frame"].clone();
    let repeated = &input["repeated"];
    let number = |name: &str| usize::try_from(repeated[name].as_u64().unwrap_or_default()).unwrap();
    let text = " ".repeat(number("prefix_blanks"))
        + repeated["prefix"].as_str().unwrap_or_default()
        + &repeated["char"].as_str().unwrap().repeat(number("count"));
    let mut at = &mut frame;
    for name in repeated["field"].as_str().unwrap().split('.') {
        at = &mut at[name];
    }
    *at = json!(text);
    frame.to_string()
}

/// What is only documented.
fn documented(vector: &Vector) -> Result<(), String> {
    let text = vector.input["frame_text"].as_str().unwrap();
    let expected = &vector.expected;
    if expected.get("hello_capabilities_contain").is_some() {
        let hello = plain_config().identity.hello(false, None).encode();
        let hello: Value = serde_json::from_str(&hello).unwrap();
        let has = hello["capabilities"].as_array().unwrap().contains(&expected["hello_capabilities_contain"]);
        return if has { Ok(()) } else { Err(hello.to_string()) };
    }
    let mut gateway = Gateway::connected(plain_config());
    gateway.scripts = vec![vec![json!({"wait_ms": 60_000})]];
    if expected.get("frames").is_some() {
        gateway.receive(r#"{"type":"message","conversationId":"c1","messageId":"m1","text":"hi"}"#);
        gateway.sent.clear();
        gateway.receive(text);
        gateway.run_until(10_000);
        let ours: Vec<&Value> = gateway.sent.iter().map(|(_, frame)| frame).collect();
        let parts = expected["frames"].as_array().unwrap();
        same(&json!(parts.len()), &json!(ours.len()))?;
        return parts.iter().zip(ours).try_for_each(|(part, ours)| crate::vectors::contains(part, ours));
    }
    gateway.scripts = vec![Vec::new()];
    if vector.input.get("state").is_some() {
        gateway.receive(
            r#"{"type":"message","conversationId":"c1","messageId":"m0","text":"hi","auth":{"token":"t","apiBase":"https://api.example"}}"#,
        );
    }
    gateway.receive(text);
    let params = json!({"command": "ls"});
    let decision =
        gateway.client.turns().before_tool_call("agent:main:benchgen:direct:c1", "exec", Some(&params));
    let env = match decision {
        clawgauge_relay_proto::ToolDecision::ProceedWith(params) => params["env"].clone(),
        _ => json!({}),
    };
    if let Some(names) = expected.get("exec_env_without") {
        let found = names.as_array().unwrap().iter().any(|name| env.get(name.as_str().unwrap()).is_some());
        return if found { Err(env.to_string()) } else { Ok(()) };
    }
    same(&expected["exec_env"], &env)
}

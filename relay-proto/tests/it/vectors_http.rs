//! The endpoint on the gateway's own port.

use clawgauge_relay_proto::{
    HttpCall, HttpCollector, HttpRequest, HttpResponse, HttpStatus, Keys, Limits, SessionScope, http_call,
    sse_frame,
};
use serde_json::{Map, Value, json};

use crate::sim::{Gateway, plain_config};
use crate::vectors::{Vector, same};

pub(crate) fn run(vector: &Vector) -> Result<(), String> {
    let input = &vector.input;
    let keys = Keys::new("pk-1", "sk-1");
    let basic = keys.basic();
    let authorization = match (&input["headers"]["authorization"], &input["auth"]) {
        (Value::String(header), _) => Some(header.as_str()),
        (_, Value::Bool(false)) => None,
        _ => Some(basic.expose()),
    };
    let body = body(input);
    let request = HttpRequest {
        method: input["method"].as_str().unwrap(),
        authorization,
        accept: input["headers"]["accept"].as_str(),
        body: body.as_bytes(),
    };
    let running = input["stopped"] != json!(true);
    let mut events = Vec::new();
    let response = match http_call(request, Some(&keys), running, &Limits::default()) {
        Err(response) => response,
        Ok(HttpCall::Status) => HttpStatus {
            relay_enabled: false,
            relay_url: String::from("wss://relay.example/x"),
            connected: false,
            queued_frames: 0,
            session_scope: SessionScope::Conversation,
            active_conversations: 0,
        }
        .response(),
        Ok(HttpCall::Chat { message, stream }) => {
            let mut gateway = Gateway::new(plain_config());
            gateway.scripts = vec![input["script"].as_array().unwrap().clone()];
            let now = gateway.now();
            gateway.client.http_message(1, *message, now);
            gateway.settle();
            gateway.run_until(10_000);
            if stream {
                events = gateway.http.iter().map(|frame| parse_event(&sse_frame(frame))).collect();
                HttpResponse::event_stream()
            } else {
                let mut collector = HttpCollector::new();
                gateway.http.iter().find_map(|frame| collector.push(frame)).ok_or("no turn.done")?
            }
        }
    };
    let headers: Map<String, Value> =
        response.headers.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    let mut ours = json!({"status": response.status, "headers": headers});
    if events.is_empty() {
        ours["json"] = serde_json::from_str(&response.body).unwrap();
        made_up_ids(input, &mut ours["json"]);
    } else {
        ours["events"] = json!(events);
    }
    same(&vector.expected, &ours)
}

fn body(input: &Value) -> String {
    let repeat = |of: &Value| {
        of["char"].as_str().unwrap().repeat(usize::try_from(of["count"].as_u64().unwrap()).unwrap())
    };
    match (&input["body"], input.get("body_repeat"), input.get("body_text_repeat")) {
        (_, Some(of), _) => repeat(of),
        (_, _, Some(of)) => json!({"text": repeat(of)}).to_string(),
        (Value::Null, ..) => String::new(),
        (Value::String(text), ..) => text.clone(),
        (body, ..) => body.to_string(),
    }
}

fn parse_event(text: &str) -> Value {
    let lines: Vec<&str> = text.trim_end_matches('\n').split('\n').collect();
    let [event, data] = lines.as_slice() else { panic!("{text}") };
    let mut data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
    assert!(data.as_object_mut().unwrap().remove("ts").is_some());
    json!({"event": event.strip_prefix("event: ").unwrap(), "data": data})
}

fn made_up_ids(input: &Value, answer: &mut Value) {
    if input["body"].get("conversationId").is_some() || answer.get("conversationId").is_none() {
        return;
    }
    let id = answer["conversationId"].as_str().unwrap().to_owned();
    answer["sessionKey"] = json!(answer["sessionKey"].as_str().unwrap().replace(&id, "<uuid>"));
    answer["conversationId"] = json!("<uuid>");
    answer["messageId"] = json!("<uuid>");
}

//! The small rules.

use clawgauge_relay_proto::{
    Agents, ExecEnv, Guard, Keys, Limits, Message, MessageOrigin, PlatformBody, PlatformFrame, Settings,
    UsageEvent, UsageLedger, UsageTotals, is_shell_tool, missing_host_functions, relay_url_from_base,
};
use serde_json::{Value, json};

use crate::vectors::{Vector, same};

pub(crate) fn run(vector: &Vector) -> Result<(), String> {
    let (input, expected) = (&vector.input, &vector.expected);
    match vector.kind.as_str() {
        "exec-env" => exec_env(input, expected),
        "exec-tool" => same(expected, &json!({"shell": input["tool"].as_str().is_some_and(is_shell_tool)})),
        "agent-ids" => same(expected, &json!({"ids": Agents::from_config(vector.raw("config")).ids()})),
        "host-surface" => {
            same(expected, &json!({"missing": missing_host_functions(&input["functions_present"])}))
        }
        "usage" => usage(input, expected),
        "http-auth" => {
            let key = |name: &str| input["keys"][name].as_str().unwrap_or_default();
            let keys = Keys::new(key("publicKey"), key("secretKey"));
            same(expected, &json!({"accepted": keys.authorize(input["header"].as_str())}))
        }
        "chat-config" => chat_config(input, expected),
        "plugin-config" => plugin_config(input, expected),
        "private-config" => {
            let private = settings(input).private;
            same(
                expected,
                &json!({"paths": private.paths.value, "allowSessions": private.allow_sessions.value}),
            )
        }
        "relay-url" => same(
            expected,
            &json!({"url": input["base"].as_str().and_then(|base| relay_url_from_base(base).ok())}),
        ),
        "private-hit" => private_hit(input, expected),
        kind => Err(format!("no rule for {kind}")),
    }
}

fn present(value: &Value) -> Option<&Value> {
    (!value.is_null() && *value != json!({"absent": true})).then_some(value)
}

fn settings(input: &Value) -> Settings {
    Settings::resolve(present(&input["config"]), |name| input["env"][name].as_str().map(str::to_owned))
}

fn exec_env(input: &Value, expected: &Value) -> Result<(), String> {
    let frame = json!({"type": "message", "text": "x", "auth": {
        "token": input["env"]["BENCHGEN_API_TOKEN"], "apiBase": input["env"]["BENCHGEN_API_URL"]}});
    let frame = PlatformFrame::decode(&frame.to_string(), &Limits::default()).unwrap();
    let PlatformBody::Message(frame) = frame.body else { panic!() };
    let message =
        Message::from_frame(*frame, MessageOrigin::Relay, &Limits::default(), || "x".into()).unwrap();
    same(expected, &json!({"params": ExecEnv::of(&message).apply(present(&input["params"]))}))
}

fn totals(usage: Option<UsageTotals>) -> Value {
    usage.map_or(Value::Null, |usage| {
        json!({"calls": usage.calls, "inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens,
            "totalTokens": usage.total_tokens, "cacheReadTokens": usage.cache_read_tokens,
            "costUsd": usage.cost_usd, "model": usage.model})
    })
}

fn usage(input: &Value, expected: &Value) -> Result<(), String> {
    let mut ledger = UsageLedger::new(5_000);
    if let Some(sessions) = input["sessions"].as_u64() {
        for turn in 1..=sessions {
            ledger.start(turn, &format!("session-{turn}"));
        }
        let mut here = |turn: u64| ledger.take(turn).is_some();
        let ours =
            json!({"first_present": here(1), "second_present": here(2), "last_present": here(sessions)});
        return same(expected, &ours);
    }
    let mut turn = 0;
    if let Some(sequence) = input["sequence"].as_array() {
        for step in sequence {
            if step == "start" {
                ledger.end(turn);
                turn += 1;
                ledger.start(turn, "s");
            } else if step.get("no_session_key").is_none() {
                ledger.record("s", &UsageEvent::from_json(&json!({"usage": step})));
            }
        }
        return same(expected, &json!({"usage": totals(ledger.take(turn))}));
    }
    if input["started"] == json!(true) {
        turn = 1;
        ledger.start(1, "s");
    }
    for event in input["events"].as_array().unwrap() {
        ledger.record("s", &UsageEvent::from_json(event));
    }
    let (first, second) = (ledger.take(turn), ledger.take(turn));
    same(expected, &json!({"usage": totals(first), "second_take": totals(second)}))
}

fn chat_config(input: &Value, expected: &Value) -> Result<(), String> {
    let chat = settings(input).chat;
    let mut ours = json!({"enabled": chat.enabled.value, "relay": chat.relay.value, "url": chat.url.value,
        "httpEndpoint": chat.http_endpoint.value, "sessionScope": chat.session_scope.value.as_str()});
    if let Some(agent) = chat.agent_id {
        ours["agentId"] = json!(agent.value);
    }
    same(expected, &ours)
}

fn plugin_config(input: &Value, expected: &Value) -> Result<(), String> {
    let plugin = settings(input).plugin;
    let mut ours = json!({"enabled": plugin.enabled.value, "baseUrl": plugin.base_url.value,
        "startupTrace": plugin.startup_trace.value, "debugEvents": plugin.debug_events.value});
    for (name, key) in [("publicKey", plugin.public_key), ("secretKey", plugin.secret_key)] {
        if let Some(key) = key {
            ours[name] = json!(key.value.expose());
        }
    }
    same(expected, &ours)
}

fn private_hit(input: &Value, expected: &Value) -> Result<(), String> {
    let list = |name: &str| -> Vec<String> {
        input["guard"][name]
            .as_array()
            .unwrap()
            .iter()
            .map(|text| text.as_str().unwrap().to_owned())
            .collect()
    };
    // The gateway's user of these cases.
    let home = Some(String::from("/home/user"));
    let guard = Guard::new(list("paths"), list("allowSessions"), home);
    let key = input["sessionKey"].as_str().unwrap_or_default();
    let hit = guard.check(key, present(&input["params"]));
    same(expected, &json!({"hit": hit.map(|refusal| refusal.path)}))
}

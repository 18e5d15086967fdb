//! The gateway's OpenAI-compatible API: streams the final text. Its turns run with the owner's authority, and steps,
//! choices and the user's credential do not exist there.

use std::io::{BufRead as _, BufReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clawgauge_relay_proto::{Happening, ReplyKind, Secret, TurnEnd, TurnStart, UsageEvent};
use serde_json::{Value, json};

use super::{Report, Running, Stop, TurnBackend, stopped};

pub(crate) struct OpenAiBackend {
    url: String,
    token: Secret,
}

impl OpenAiBackend {
    pub(crate) fn new(base: &str, token: Option<&str>) -> Result<Self, String> {
        let base = base.trim_end_matches('/');
        if !base.starts_with("http://") && !base.starts_with("https://") {
            return Err(String::from("--api-base is not an http address"));
        }
        let base = base.strip_suffix("/v1").unwrap_or(base);
        Ok(Self { url: format!("{base}/v1/chat/completions"), token: Secret::new(token.unwrap_or_default()) })
    }
}

impl TurnBackend for OpenAiBackend {
    fn name(&self) -> String {
        format!("OpenAI-compatible API at {}", self.url)
    }

    fn run(&self, turn: TurnStart, report: Report, mut stop: Stop) -> Running {
        let (url, token) = (self.url.clone(), self.token.clone());
        let given_up = Arc::new(AtomicBool::new(false));
        Box::pin(async move {
            let flag = Arc::clone(&given_up);
            let call = tokio::task::spawn_blocking(move || chat(&url, &token, &turn, &report, &flag));
            tokio::select! {
                end = call => end.unwrap_or_else(|_| TurnEnd::Error(String::from("the call died"))),
                () = stopped(&mut stop) => {
                    // The thread sees it at its next line; dropping the connection then aborts the run.
                    given_up.store(true, Ordering::Relaxed);
                    TurnEnd::Aborted
                }
            }
        })
    }
}

fn chat(url: &str, token: &Secret, turn: &TurnStart, report: &Report, given_up: &AtomicBool) -> TurnEnd {
    let mut messages = Vec::new();
    if let Some(context) = &turn.message.context {
        messages.push(json!({"role": "system", "content": context}));
    }
    messages.push(json!({"role": "user", "content": turn.message.text}));
    let body = json!({
        "model": format!("openclaw/{}", turn.agent_id),
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": messages,
    });
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut request = agent
        .post(url)
        .header("content-type", "application/json")
        .header("x-openclaw-session-key", &turn.session_key)
        .header("x-openclaw-agent-id", &turn.agent_id);
    if !token.is_empty() {
        request = request.header("authorization", format!("Bearer {}", token.expose()));
    }
    let response = match request.send(body.to_string()) {
        Ok(response) => response,
        Err(error) => return TurnEnd::Error(format!("the agent's API cannot be reached: {error}")),
    };
    let status = response.status().as_u16();
    if status != 200 {
        return TurnEnd::Error(format!("the agent's API answered with status {status}"));
    }
    let mut text = String::new();
    let mut complete = false;
    for line in BufReader::new(response.into_body().into_reader()).lines() {
        if given_up.load(Ordering::Relaxed) {
            return TurnEnd::Aborted;
        }
        let Ok(line) = line else { break };
        let Some(data) = line.strip_prefix("data:").map(str::trim) else { continue };
        if data == "[DONE]" {
            complete = true;
            break;
        }
        let Ok(chunk) = serde_json::from_str::<Value>(data) else { continue };
        if let Some(error) = chunk.pointer("/error/message").and_then(Value::as_str) {
            return TurnEnd::Error(error.to_owned());
        }
        if let Some(delta) = chunk
            .pointer("/choices/0/delta/content")
            .and_then(Value::as_str)
            .filter(|delta| !delta.is_empty())
        {
            text.push_str(delta);
            report.say_blocking(Happening::Partial {
                text: text.clone(),
                delta: Some(delta.to_owned()),
                replace: false,
            });
        }
        complete |= chunk.pointer("/choices/0/finish_reason").is_some_and(Value::is_string);
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            let number = |name: &str| usage.get(name).and_then(Value::as_f64);
            report.say_blocking(Happening::Usage(UsageEvent {
                input: number("prompt_tokens"),
                output: number("completion_tokens"),
                total: number("total_tokens"),
                cache_read: usage.pointer("/prompt_tokens_details/cached_tokens").and_then(Value::as_f64),
                cost_usd: None,
                model: chunk.get("model").and_then(Value::as_str).map(str::to_owned),
            }));
        }
    }
    if !complete {
        return TurnEnd::Error(String::from("the answer broke off"));
    }
    if !text.trim().is_empty() {
        report.say_blocking(Happening::Reply { text, kind: ReplyKind::Final, media_urls: Vec::new() });
    }
    TurnEnd::Ok
}

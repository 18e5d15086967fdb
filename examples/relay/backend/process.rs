//! `openclaw agent --json` as a process: one run a turn. A stopped turn's group gets SIGTERM, and SIGKILL after a
//! time of grace.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use clawgauge_relay_proto::{Happening, ReplyKind, TurnEnd, TurnStart, UsageEvent};
use serde_json::Value;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};

use super::{Report, Running, Stop, TurnBackend, stopped};

/// Output beyond this is not an answer.
const MAX_OUTPUT: u64 = 16 << 20;

pub(crate) struct ProcessBackend {
    program: PathBuf,
    grace: Duration,
}

impl ProcessBackend {
    /// `grace`: how long a stopped agent may take to end by itself.
    pub(crate) fn new(program: PathBuf, grace: Duration) -> Self {
        Self { program, grace }
    }
}

impl TurnBackend for ProcessBackend {
    fn name(&self) -> String {
        format!("{} agent --json", self.program.display())
    }

    fn run(&self, turn: TurnStart, report: Report, mut stop: Stop) -> Running {
        let mut command = Command::new(&self.program);
        command
            .args(["agent", "--json", "--agent", &turn.agent_id, "--session-key", &turn.session_key])
            // `=` keeps a text that begins with a dash from being an option.
            .arg(format!("--message={}", turn.message.text))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true);
        for (name, value) in turn.env.vars() {
            command.env(name, value.expose());
        }
        let grace = self.grace;
        Box::pin(async move {
            let mut child = match command.spawn() {
                Ok(child) => child,
                Err(error) => return TurnEnd::Error(format!("the agent cannot be started: {error}")),
            };
            let Some(stdout) = child.stdout.take() else {
                return TurnEnd::Error(String::from("the agent has no output"));
            };
            let reading = tokio::spawn(async move {
                let mut output = Vec::new();
                drop(stdout.take(MAX_OUTPUT).read_to_end(&mut output).await);
                output
            });
            let ended = tokio::select! {
                ended = child.wait() => ended,
                () = stopped(&mut stop) => {
                    end_group(&mut child, grace).await;
                    return TurnEnd::Aborted;
                }
            };
            let output = reading.await.unwrap_or_default();
            let success = ended.is_ok_and(|status| status.success());
            answer(&String::from_utf8_lossy(&output), success, &report).await
        })
    }
}

/// The whole group: the agent's tools are its children.
async fn end_group(child: &mut Child, grace: Duration) {
    let Some(group) = child.id() else { return };
    signal("-TERM", group).await;
    if tokio::time::timeout(grace, child.wait()).await.is_err() {
        signal("-KILL", group).await;
        drop(child.wait().await);
    }
}

async fn signal(name: &str, group: u32) {
    drop(Command::new("kill").args([name, "--", &format!("-{group}")]).stderr(Stdio::null()).status().await);
}

/// Reads the last JSON object of the output: older versions print log lines before it.
async fn answer(output: &str, success: bool, report: &Report) -> TurnEnd {
    let Some(object) = last_object(output) else {
        return TurnEnd::Error(String::from(if success {
            "the agent printed no JSON"
        } else {
            "the agent failed"
        }));
    };
    if let Some(error) = object.pointer("/error/message").and_then(Value::as_str) {
        return TurnEnd::Error(error.to_owned());
    }
    let result = object.get("result").unwrap_or(&object);
    if let Some(usage) = result.pointer("/meta/agentMeta/usage") {
        let number = |name: &str| usage.get(name).and_then(Value::as_f64);
        report
            .say(Happening::Usage(UsageEvent {
                input: number("input"),
                output: number("output"),
                total: number("total"),
                cache_read: number("cacheRead"),
                cost_usd: result.pointer("/meta/agentMeta/costUsd").and_then(Value::as_f64),
                model: result.pointer("/meta/agentMeta/model").and_then(Value::as_str).map(str::to_owned),
            }))
            .await;
    }
    let mut failed = None;
    for payload in result.get("payloads").and_then(Value::as_array).into_iter().flatten() {
        let text = payload.get("text").and_then(Value::as_str).unwrap_or_default();
        if payload.get("isError") == Some(&Value::Bool(true)) {
            failed = Some(text.to_owned());
            continue;
        }
        let media_urls: Vec<String> =
            payload.get("mediaUrl").and_then(Value::as_str).map(str::to_owned).into_iter().collect();
        if !text.trim().is_empty() || !media_urls.is_empty() {
            report.say(Happening::Reply { text: text.to_owned(), kind: ReplyKind::Final, media_urls }).await;
        }
    }
    let status = object.get("status").and_then(Value::as_str).unwrap_or("ok");
    match failed {
        Some(error) => TurnEnd::Error(error),
        None if !success || status != "ok" => TurnEnd::Error(format!("the agent ended with status {status}")),
        None => TurnEnd::Ok,
    }
}

fn last_object(output: &str) -> Option<Value> {
    if let Ok(value @ Value::Object(_)) = serde_json::from_str(output.trim()) {
        return Some(value);
    }
    let starts = output
        .match_indices('{')
        .map(|(at, _)| at)
        .filter(|at| *at == 0 || output.as_bytes().get(at - 1) == Some(&b'\n'));
    starts.filter_map(|at| serde_json::from_str(output.get(at..)?.trim()).ok()).find(Value::is_object)
}

//! An agent that repeats what was said, to try things with nothing installed.

use std::time::Duration;

use clawgauge_relay_proto::{AskUser, Happening, ReplyKind, TurnEnd, TurnStart, UsageEvent};
use serde_json::json;

use super::{Report, Running, Stop, TurnBackend, stopped};

/// `/ask a, b` asks with buttons, `/run x` shows a step, `/slow 40` takes that many words' time, `/fail` fails.
pub(crate) struct EchoBackend;

impl TurnBackend for EchoBackend {
    fn name(&self) -> String {
        String::from("echo")
    }

    fn run(&self, turn: TurnStart, report: Report, mut stop: Stop) -> Running {
        Box::pin(async move {
            tokio::select! {
                end = speak(&turn, &report) => end,
                () = stopped(&mut stop) => TurnEnd::Aborted,
            }
        })
    }
}

async fn speak(turn: &TurnStart, report: &Report) -> TurnEnd {
    let said = turn.message.text.trim();
    let (command, rest) = said.split_once(' ').unwrap_or((said, ""));
    let mut pause = 5;
    let answer = match command {
        "/ask" => {
            let options: Vec<&str> = rest.split(',').map(str::trim).collect();
            let params = json!({"questions": [{"id": "pick", "header": "Pick", "question": "Which one?", "options": options}]});
            report.say(Happening::Choices(AskUser::from_params(Some(&params)).questions)).await;
            format!("Which one: {rest}?")
        }
        "/run" => {
            report
                .say(Happening::ToolStart {
                    name: String::from("exec"),
                    params: Some(json!({"command": rest})),
                })
                .await;
            format!("I would have run: {rest}")
        }
        "/slow" => {
            pause = 100;
            (1..=rest.parse::<u32>().unwrap_or(20)).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ")
        }
        "/fail" => return TurnEnd::Error(String::from("you asked for it")),
        _ => format!("You said: {said}"),
    };
    let mut text = String::new();
    for word in answer.split_inclusive(' ') {
        text.push_str(word);
        report
            .say(Happening::Partial { text: text.clone(), delta: Some(word.to_owned()), replace: false })
            .await;
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
    let words = |text: &str| u32::try_from(text.split_whitespace().count()).ok().map(f64::from);
    let usage = UsageEvent {
        input: words(said),
        output: words(&answer),
        model: Some(String::from("echo")),
        ..UsageEvent::default()
    };
    report.say(Happening::Reply { text: answer, kind: ReplyKind::Final, media_urls: Vec::new() }).await;
    report.say(Happening::Usage(usage)).await;
    TurnEnd::Ok
}

//! Rows as OpenClaw and the field cases have them.

use clawgauge_transcript::{
    AssistantInput, UserInput, UserOrigin, UserText, classify_assistant, classify_user, spoken_reply,
};
use serde_json::Value;

use super::{classify, report};

const ROWS: &str = include_str!("../../fixtures/speaker/rows.jsonl");
const CASE_22: &str = include_str!("../../fixtures/field-cases/22-synthetic-user-turns.jsonl");
const CASE_23: &str = include_str!("../../fixtures/field-cases/23-channel-envelope.jsonl");
const CASE_35: &str = include_str!("../../fixtures/speaker/35-correction-in-pasted-text.jsonl");

fn rows(lines: &str) -> impl Iterator<Item = Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap())
}

/// The id, role and text of every message of a session file.
fn messages(lines: &str) -> Vec<(String, String, String)> {
    rows(lines)
        .filter(|row| row["type"] == "message")
        .map(|row| {
            let text = row["message"]["content"][0]["text"].as_str().unwrap().to_owned();
            (
                row["id"].as_str().unwrap().to_owned(),
                row["message"]["role"].as_str().unwrap().to_owned(),
                text,
            )
        })
        .collect()
}

#[test]
fn recorded_rows_have_the_origin_and_the_words_that_were_seen() {
    let mut failures = Vec::new();
    let mut seen = 0;
    for row in rows(ROWS) {
        seen += 1;
        let text = row["text"].as_str().unwrap();
        let json = |name: &str| row.get(name).map(Value::to_string);
        let (provenance, openclaw) = (json("provenance"), json("openclaw"));
        let input = UserInput::new(text)
            .provenance(provenance.as_deref())
            .openclaw(openclaw.as_deref())
            .session_key(row["key"].as_str());
        for (what, input) in [("all fields", input), ("text only", UserInput::new(text))] {
            let said = classify_user(&input);
            let retry = row.get("retry").is_some();
            if said.origin().as_str() != row["origin"]
                || said.words() != row["words"].as_str().unwrap()
                || said.is_retry() != retry
            {
                failures.push(format!(
                    "{} ({what}): {} {:?}, expected {} {}",
                    row["row"],
                    said.origin().as_str(),
                    said.words(),
                    row["origin"],
                    row["words"]
                ));
            }
        }
    }
    assert_eq!(seen, 136);
    report(&failures);
}

#[test]
fn recorded_metadata_is_kept() {
    let find = |start: &str| {
        rows(ROWS).find(|row| row["text"].as_str().unwrap().starts_with(start)).unwrap()["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let text = find("Sender (untrusted metadata):");
    let said = classify(&text);
    assert_eq!(said.envelope().sender_label.as_deref(), Some("cli"));
    assert_eq!(said.envelope().sender_id.as_deref(), Some("cli"));
    assert_eq!(said.envelope().timestamp.as_deref(), Some("Mon 2026-11-30 11:51 UTC"));

    let text = find("[cron:24aff901");
    let said = classify(&text);
    let job = said.envelope().cron.clone().unwrap();
    assert_eq!(job.id.as_deref(), Some("24aff901-b3fe-48b5-ac59-51266b4bbb73"));
    assert_eq!(job.name.as_deref(), Some("daily summary"));

    let text = find("Job ID: ");
    assert_eq!(classify(&text).envelope().webhook_source.as_deref(), Some("Webhook"));

    let text = find("[Mon 2026-11-30 11:50 UTC] OpenClaw runtime context");
    let key = "agent:main:subagent:0c83e716-4246-4c63-8ea9-94a2655d60a6";
    assert_eq!(classify(&text).envelope().source_session_key.as_deref(), Some(key));
}

/// Case 22: one human turn; silent replies are no completions.
#[test]
fn case_22_synthetic_user_turns() {
    let rows = messages(CASE_22);
    let origin = |id: &str| classify(&rows.iter().find(|row| row.0 == id).unwrap().2).origin();
    assert_eq!(origin("a1"), UserOrigin::Heartbeat);
    assert_eq!(origin("a3"), UserOrigin::Cron);
    assert_eq!(origin("a5"), UserOrigin::SystemEvent);
    assert_eq!(origin("a7"), UserOrigin::Person);
    assert_eq!(origin("a9"), UserOrigin::SessionStart);

    let turns: Vec<_> = rows
        .iter()
        .filter(|row| row.1 == "user")
        .map(|row| classify(&row.2))
        .filter(UserText::is_person_turn)
        .collect();
    assert_eq!(turns.len(), 1);
    assert_eq!(turns[0].words(), "water the ferns");

    let silent: Vec<&str> = rows
        .iter()
        .filter(|row| row.1 == "assistant" && spoken_reply(&row.2).is_silent())
        .map(|row| row.0.as_str())
        .collect();
    assert_eq!(silent, ["a2", "a6"]);
    // A cron row without its clock or its session is still known by the id of its job.
    let said = classify(&rows[2].2);
    assert_eq!(said.words(), "Run the nightly list. If no file is there, that is wrong: report it.");
    assert!(said.typed_parts().is_empty());
}

/// Case 23: the title of the chat is no word of the person's.
#[test]
fn case_23_channel_envelope() {
    let rows = messages(CASE_23);
    let said = classify(&rows[0].2);
    assert_eq!(said.origin(), UserOrigin::Person);
    assert_eq!(said.words(), "please prune the roses");
    assert_eq!(said.envelope().chat_title.as_deref(), Some("Say no to weeds, actually"));
    assert_eq!(said.envelope().sender_label.as_deref(), Some("gardener"));
    assert_eq!(said.envelope().message_id.as_deref(), Some("77"));
    assert_eq!(said.envelope().timestamp.as_deref(), Some("Mon 2026-05-04 10:00 GMT+2"));

    let said = classify(&rows[2].2);
    assert_eq!(said.words(), rows[2].2);
    assert!(said.envelope().blocks.is_empty());
}

/// Case 35: nothing that corrects is left of what was typed.
#[test]
fn case_35_pasted_text() {
    let rows = messages(CASE_35);
    let typed = |id: &str| -> String {
        let text = &rows.iter().find(|row| row.0 == id).unwrap().2;
        let said = classify(text);
        said.typed_parts().into_iter().map(|range| text[range].to_owned()).collect()
    };
    assert_eq!(typed("u0"), "here is the log:\n");
    assert_eq!(typed("u1").trim(), "that quote is from the manual, summarise it");
    assert_eq!(typed("u2"), "");
    assert_eq!(typed("u3"), "gracias, no hace falta nada mas");
}

#[test]
fn assistant_rows_of_the_case_are_a_models() {
    for row in rows(CASE_22).filter(|row| row["message"]["role"] == "assistant") {
        let message = &row["message"];
        let input = AssistantInput {
            provider: message["provider"].as_str(),
            model: message["model"].as_str(),
            api: message["api"].as_str(),
            ..AssistantInput::default()
        };
        assert!(classify_assistant(&input).is_model(), "{row}");
    }
}

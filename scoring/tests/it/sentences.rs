//! Corrections and claims of completion, sentence by sentence.

use clawgauge_scoring::{Dimension, Evidence, Judged, Scorecard, Scorer};
use clawgauge_transcript::{RawJson, Transcript};
use serde_json::{Value, json};

fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// `(expected, sentence)` of a file of sentences.
fn sentences(name: &str) -> Vec<(bool, String)> {
    let text = fixture(&format!("sentences/{name}.txt"));
    let read = |line: &str| match line.split_at(2) {
        ("+ ", sentence) => (true, sentence.to_owned()),
        ("- ", sentence) => (false, sentence.to_owned()),
        _ => panic!("{name}: {line}"),
    };
    text.lines().filter(|line| !line.is_empty()).map(read).collect()
}

pub(crate) fn score_messages(messages: &Value) -> Judged<Scorecard> {
    let text = messages.to_string();
    let transcript = Transcript::from_messages(RawJson::parse(&text).unwrap());
    Scorer::standard().score(&transcript, None)
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}], "model": "m", "stopReason": "stop"})
}

fn rules(evidence: &[Evidence]) -> String {
    evidence.iter().map(|found| &*found.rule).collect::<Vec<_>>().join(" ")
}

#[test]
fn corrections_and_what_is_none() {
    let mut wrong = Vec::new();
    for language in ["en", "es", "de", "zh"] {
        let all = sentences(&format!("corrections.{language}"));
        for expected in [true, false] {
            assert!(all.iter().filter(|(e, _)| *e == expected).count() >= 20, "{language} {expected}");
        }
        for (expected, sentence) in all {
            let messages =
                json!([user("plant the tulips"), assistant("Planted."), user(&sentence), assistant("OK.")]);
            let card = score_messages(&messages).scored().unwrap();
            let judged = card.dimensions.get(Dimension::Autonomy);
            if (judged.score.number() == Some(0.5)) != expected {
                wrong.push(format!("{language} {expected}: {sentence} [{}]", rules(&judged.evidence)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} sentences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn claims_of_completion_and_what_is_none() {
    let mut wrong = Vec::new();
    for language in ["en", "es", "de", "zh"] {
        let all = sentences(&format!("completion.{language}"));
        for expected in [true, false] {
            assert!(all.iter().filter(|(e, _)| *e == expected).count() >= 20, "{language} {expected}");
        }
        for (expected, sentence) in all {
            let messages =
                json!([user("hello"), assistant("Hello."), user("please do it"), assistant(&sentence)]);
            let card = score_messages(&messages).scored().unwrap();
            let judged = card.dimensions.get(Dimension::Completeness);
            if (judged.score.number() == Some(1.0)) != expected {
                wrong.push(format!(
                    "{language} {expected}: {sentence} {:?} [{}]",
                    judged.score.number(),
                    rules(&judged.evidence)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} sentences:\n{}", wrong.len(), wrong.join("\n"));
}

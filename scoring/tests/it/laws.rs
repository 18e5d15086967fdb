//! Laws of the default profile, and what a person reads of it.

use std::fmt::Write as _;

use clawgauge_scoring::{Dimension, Judged, Rules, Score, Scorecard, Scorer, SignName};
use clawgauge_transcript::{RawJson, RedactionLevel, Redactor, Transcript};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// What messages are made of: small, so that the rules meet each other often.
fn words() -> impl Strategy<Value = String> {
    let pieces = [
        "no",
        "No, ",
        "that's wrong",
        "done",
        "All done.",
        "not",
        "?",
        "if ",
        "failed",
        "不对，",
        "你忘了",
        "Listo.",
        "Das ist falsch",
        "NO_REPLY",
        "\n",
        "```\n",
        "> ",
        " ",
        "ok",
        "\"",
        "😀",
        "you forgot",
        "[OpenClaw heartbeat poll]",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..6).prop_map(|pieces| pieces.concat())
}

fn call() -> impl Strategy<Value = (String, Value, String, Option<bool>)> {
    let tools = ["exec", "read", "write", "edit", "process", "get_order", "cancel_order", "tool_call"];
    let values = prop_oneof![
        Just(json!({"command": "npm test"})),
        Just(json!({"command": "cat a.txt", "n": 1.0})),
        Just(json!({"path": "a.txt", "limit": 10})),
        Just(json!({"path": "b.txt", "content": "x", "limit": 10.0})),
        Just(json!({"sessionId": "s", "action": "poll"})),
        Just(json!([1, "x"])),
        Just(json!("{\"path\":\"a.txt\"}")),
    ];
    let results = prop::sample::select(vec!["ok", "Error: no", "{\"ok\":false}", "", "exit code: 2"]);
    (prop::sample::select(tools.to_vec()), values, results, prop::option::of(any::<bool>()))
        .prop_map(|(tool, value, result, flag)| (tool.to_owned(), value, result.to_owned(), flag))
}

pub(crate) fn messages() -> impl Strategy<Value = Vec<Value>> {
    let step = prop_oneof![
        words().prop_map(|text| vec![json!({"role": "user", "content": text})]),
        (words(), prop::sample::select(vec!["stop", "error", "aborted", "toolUse", "length"])).prop_map(
            |(text, stop)| {
                vec![json!({"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": stop})]
            }
        ),
        call().prop_map(|(tool, value, result, flag)| {
            vec![
                json!({"role": "assistant", "stopReason": "toolUse",
                    "content": [{"type": "toolCall", "id": "c", "name": tool, "arguments": value}]}),
                json!({"role": "toolResult", "toolCallId": "c", "toolName": tool, "isError": flag,
                    "content": [{"type": "text", "text": result}]}),
            ]
        }),
    ];
    prop::collection::vec(step, 0..14).prop_map(|steps| steps.concat())
}

fn score_text(text: &str) -> Judged<Scorecard> {
    Scorer::standard().score(&Transcript::from_messages(RawJson::parse(text).unwrap()), None)
}

/// The same JSON with the keys of all objects in reverse order and whole numbers with a fraction of zero.
fn rewritten(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let fields: Vec<String> = map
                .iter()
                .rev()
                .map(|(key, value)| format!("{}: {}", json!(key), rewritten(value)))
                .collect();
            format!("{{ {} }}", fields.join(" , "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(rewritten).collect::<Vec<_>>().join(",")),
        Value::Number(number) if number.is_i64() => format!("{number}.0"),
        other => other.to_string(),
    }
}

fn numbers(card: &Scorecard) -> [Option<f64>; 5] {
    let [a, b, c, d] = Dimension::ALL.map(|dimension| card.score(dimension).number());
    [a, b, c, d, card.overall.number()]
}

proptest! {
    #[test]
    fn numbers_are_in_range_and_evidence_is_in_the_session(messages in messages()) {
        let text = json!(messages).to_string();
        let transcript = Transcript::from_messages(RawJson::parse(&text).unwrap());
        if let Judged::Scored(card) = Scorer::standard().score(&transcript, None) {
            for number in numbers(&card).into_iter().flatten() {
                prop_assert!((0.0..=1.0).contains(&number));
            }
            let redactor = Redactor::of_level(RedactionLevel::Secrets);
            for (_, judged) in card.dimensions.iter() {
                for found in &judged.evidence {
                    prop_assert!(found.entry(&transcript).is_some(), "{found:?}");
                    prop_assert_eq!(found.words(&transcript).is_some(), found.bytes.is_some(), "{:?}", found);
                    let quote = found.quote(&transcript, &redactor, 20);
                    prop_assert!(quote.is_none_or(|quote| quote.chars().count() <= 20));
                }
            }
        }
        for sign in Scorer::standard().signs(&transcript, None).all {
            prop_assert!(sign.strength.is_none_or(|strength| (0.0..=1.0).contains(&strength)), "{sign:?}");
        }
    }

    #[test]
    fn the_order_of_keys_and_the_form_of_numbers_do_not_matter(messages in messages()) {
        let value = json!(messages);
        let (one, other) = (score_text(&value.to_string()).scored(), score_text(&rewritten(&value)).scored());
        prop_assert_eq!(one.as_ref().map(numbers), other.as_ref().map(numbers));
    }

    #[test]
    fn the_same_session_gives_the_same_card(messages in messages()) {
        let text = json!(messages).to_string();
        prop_assert_eq!(score_text(&text).scored(), score_text(&text).scored());
    }

    #[test]
    fn a_heartbeat_at_the_end_changes_no_judgement_of_the_person(messages in messages()) {
        let mut longer = messages.clone();
        longer.push(json!({"role": "user", "content": "[OpenClaw heartbeat poll]"}));
        longer.push(json!({"role": "assistant", "content": [{"type": "text", "text": "HEARTBEAT_OK"}], "stopReason": "stop"}));
        let (one, other) = (score_text(&json!(messages).to_string()).scored(), score_text(&json!(longer).to_string()).scored());
        if let (Some(one), Some(other)) = (one, other) {
            prop_assert_eq!(numbers(&one), numbers(&other));
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _outcome = Scorer::standard().score(&Transcript::from_slice(&bytes), None);
    }
}

#[test]
fn types_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Scorer>();
    shared::<Rules>();
    shared::<Scorecard>();
}

#[test]
fn rules_are_data() {
    let written = serde_json::to_string(&Rules::default()).unwrap();
    let read: Rules = serde_json::from_str(&written).unwrap();
    assert_eq!(read, Rules::default());
    assert!(serde_json::from_str::<Rules>(r#"{"limts": {}}"#).is_err());
    // A language of one's own.
    let mut rules = Rules::default();
    let dutch = json!({"corrections": [{"id": "nee", "pattern": r"^nee\b"}]});
    rules.languages.insert("nl".to_owned(), serde_json::from_value(dutch).unwrap());
    let scorer = Scorer::new(rules).unwrap();
    let text = json!([
        {"role": "user", "content": "plant de tulpen"},
        {"role": "assistant", "content": "Geplant."},
        {"role": "user", "content": "nee, de andere"},
    ]);
    let text = text.to_string();
    let card =
        scorer.score(&Transcript::from_messages(RawJson::parse(&text).unwrap()), None).scored().unwrap();
    assert_eq!(card.score(Dimension::Autonomy), &Score::Value(0.5));
}

#[test]
fn signs_of_a_run_that_fails() {
    let bash = |n: usize, result: &str| {
        [
            json!({"role": "assistant", "stopReason": "toolUse", "content": [
                {"type": "text", "text": "That still fails, let me fix it."},
                {"type": "toolCall", "id": n.to_string(), "name": "exec", "arguments": {"command": "make"}}]}),
            json!({"role": "toolResult", "toolCallId": n.to_string(), "toolName": "exec",
                "content": [{"type": "text", "text": result}]}),
        ]
    };
    let mut messages = vec![json!({"role": "user", "content": "build it"})];
    messages.extend(bash(0, "make: *** missing separator\nexit code 2"));
    messages.extend(bash(1, "make: *** missing separator\nexit code 2"));
    messages.push(json!({"role": "assistant", "stopReason": "stop", "content": [
        {"type": "text", "text": "I'm sorry, I was unable to build it. It is probably the compiler."}]}));
    let text = json!(messages).to_string();
    let signs = Scorer::standard().signs(&Transcript::from_messages(RawJson::parse(&text).unwrap()), None);
    let strengths: Map<String, Value> =
        signs.all.iter().map(|sign| (sign.name.as_str().to_owned(), json!(sign.strength))).collect();
    assert_eq!(
        Value::Object(strengths),
        json!({"apology": 1.0, "hedge": 1.0, "inability": 1.0, "no-calls": 0.0, "no-successful-change": 1.0,
            "repeated-calls": 1.0, "retries": 1.0, "unresolved-errors": 1.0})
    );
    assert_eq!(signs.strength(SignName::NoCalls), Some(0.0));
}

/// All that a card says, as a person may read it.
fn explained(name: &str) -> String {
    let path = format!("{}/tests/fixtures/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).unwrap();
    let transcript = Transcript::from_slice(&bytes);
    let card = Scorer::standard().score(&transcript, None).scored().unwrap();
    let redactor = Redactor::of_level(RedactionLevel::Secrets);
    let mut out = String::new();
    for (dimension, judged) in card.dimensions.iter() {
        match &judged.score {
            Score::Value(value) => writeln!(out, "{dimension}: {value:.2}"),
            Score::NotApplicable { reason } => writeln!(out, "{dimension}: not applicable, {reason}"),
        }
        .unwrap();
        for found in &judged.evidence {
            writeln!(out, "  {} [{}]", found.reason, found.rule).unwrap();
            if let Some(quote) = found.quote(&transcript, &redactor, 90) {
                writeln!(out, "    {quote}").unwrap();
            }
        }
    }
    writeln!(out, "overall: {:.2}", card.overall.number().unwrap()).unwrap();
    out
}

#[test]
fn what_a_person_reads() {
    insta::assert_snapshot!("explained_coding", explained("sessions/2026.6.11-coding"));
    insta::assert_snapshot!("explained_corrections", explained("sessions/2026.3.31-correction"));
}

//! However a session is written, it gets the same scores and signs, with the same evidence.
//!
//! Rows are read in a hurry: plain runs of texts sixteen bytes at a time, fields by the places that were noted on the first walk,
//! texts without escapes not decoded at all. Here every session is also written so that none of this can be done: each character
//! of each key and text is an escape, and space stands wherever it may.

use std::fmt::Write as _;

use clawgauge_scoring::{Evidence, Judged, Scorer, v1};
use clawgauge_transcript::{RawJson, Transcript};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::laws::messages;
use crate::support::report;

/// The same JSON, every character of every string as `\uXXXX`.
fn spelled_out(out: &mut String, json: RawJson<'_>) {
    if json.is_object() {
        out.push_str(" { ");
        for (at, (key, value)) in json.fields().into_iter().enumerate() {
            out.push_str(if at > 0 { " , " } else { "" });
            spell(out, &key);
            out.push_str(" : ");
            spelled_out(out, value);
        }
        out.push_str(" } ");
    } else if json.is_array() {
        out.push_str(" [ ");
        for (at, item) in json.items().into_iter().enumerate() {
            out.push_str(if at > 0 { " , " } else { "" });
            spelled_out(out, item);
        }
        out.push_str(" ] ");
    } else if let Some(text) = json.text() {
        spell(out, &text);
    } else {
        out.push_str(json.as_str());
    }
}

fn spell(out: &mut String, text: &str) {
    out.push('"');
    for unit in text.encode_utf16() {
        write!(out, "\\u{unit:04x}").unwrap();
    }
    out.push('"');
}

/// A file in which every row is written so; what is no row stays as it is.
fn slow(file: &str) -> String {
    let mut out = String::new();
    for line in file.lines() {
        match RawJson::parse(line).filter(|json| json.is_object()) {
            Some(row) => spelled_out(&mut out, row),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// Everything that is said of a session, with the words that evidence points to instead of their places.
fn told(file: &str) -> String {
    let transcript = Transcript::from_str(file);
    let mut told = String::new();
    let found = |told: &mut String, evidence: &[Evidence]| {
        for Evidence { rule, place, reason, .. } in evidence {
            writeln!(told, "  {rule} {place:?} {reason}").unwrap();
        }
        for found in evidence {
            let words = found.words(&transcript).map(|words| match RawJson::parse(&words) {
                // A call is shown as it is written.
                Some(call) if call.is_object() => call.to_value().unwrap().to_string(),
                _ => words.into_owned(),
            });
            writeln!(told, "  {words:?}").unwrap();
        }
    };
    match Scorer::standard().score(&transcript, None) {
        Judged::Skipped(reason) => writeln!(told, "skipped: {reason:?}").unwrap(),
        Judged::Scored(card) => {
            writeln!(
                told,
                "{:?} {:?} {:?}",
                card.overall,
                card.risk.as_ref().map(|risk| risk.value),
                card.work
            )
            .unwrap();
            for (dimension, judged) in card.dimensions.iter() {
                writeln!(told, "{dimension} {:?}", judged.score).unwrap();
                found(&mut told, &judged.evidence);
            }
        }
    }
    let signs = Scorer::standard().signs(&transcript, None);
    writeln!(told, "{:?} {:?}", signs.kind, signs.work).unwrap();
    for sign in &signs.all {
        writeln!(told, "{:?} {:?}", sign.name, sign.strength).unwrap();
        found(&mut told, &sign.evidence);
    }
    for flag in &signs.flags {
        writeln!(told, "{:?}", flag.name).unwrap();
        found(&mut told, &flag.evidence);
    }
    writeln!(told, "{:?}", v1::score_session(&transcript)).unwrap();
    told
}

#[test]
fn stored_sessions_are_told_the_same_however_they_are_written() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut outcomes = Vec::new();
    for folder in ["sessions", "field-cases", "agent_end"] {
        for file in std::fs::read_dir(fixtures.join(folder)).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "jsonl") {
                let file = std::fs::read_to_string(&path).unwrap();
                let (fast, slow) = (told(&file), told(&slow(&file)));
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                let same = if fast == slow { Ok(()) } else { Err(format!("{fast}\nand slowly:\n{slow}")) };
                outcomes.push((name, same));
            }
        }
    }
    assert!(outcomes.len() > 30, "{}", outcomes.len());
    report(outcomes, &[]);
}

/// Rows of a session in a line, each text made longer by some of what a text may hold.
fn session(messages: Vec<Value>, more: &[usize]) -> String {
    let mut file = json!({"type": "session", "version": 3, "id": "s"}).to_string() + "\n";
    let mut parent = Value::Null;
    for (at, mut message) in messages.into_iter().enumerate() {
        let more =
            "tab\t \"quoted\" back\\slash é 😀 \u{1} line\n".repeat(more.get(at).copied().unwrap_or(0));
        match &mut message["content"] {
            Value::String(text) => text.push_str(&more),
            Value::Array(blocks) => {
                for text in blocks.iter_mut().filter_map(|block| block.get_mut("text")) {
                    *text = json!(format!("{}{more}", text.as_str().unwrap_or_default()));
                }
            }
            _ => {}
        }
        let row = json!({"type": "message", "id": format!("m{at}"), "parentId": parent, "message": message});
        file.push_str(&format!("{row}\n"));
        parent = json!(format!("m{at}"));
    }
    file
}

proptest! {
    #[test]
    fn sessions_are_told_the_same_however_they_are_written(
        messages in messages(),
        more in prop::collection::vec(prop_oneof![3 => Just(0_usize), 1 => 0_usize..9], 0..16),
    ) {
        let file = session(messages, &more);
        prop_assert_eq!(told(&file), told(&slow(&file)));
    }
}

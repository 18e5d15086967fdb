//! Redaction.

use std::borrow::Cow;

use clawgauge_transcript::{RedactionLevel, Redactor};

/// Shows what is replaced in the files named in `CLAWGAUGE_REDACT_FILES`, line by line.
#[test]
#[ignore = "by hand, over data outside of the repository"]
fn show_what_is_replaced() {
    let level = if std::env::var("CLAWGAUGE_REDACT_LEVEL").is_ok_and(|level| level == "2") {
        RedactionLevel::Personal
    } else {
        RedactionLevel::Secrets
    };
    let redactor = Redactor::of_level(level);
    for file in std::env::var("CLAWGAUGE_REDACT_FILES")
        .unwrap()
        .split('\n')
        .filter(|file| !file.is_empty())
    {
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        let started = std::time::Instant::now();
        let mut redaction = redactor.begin();
        for (number, line) in text.lines().enumerate() {
            let new = redaction.json(line).unwrap_or_else(|| redaction.text(line));
            if let Cow::Owned(new) = new {
                for (old, new) in differences(line, &new) {
                    println!("{file}:{}: {old} => {new}", number + 1);
                }
                assert_eq!(
                    redactor.begin().json(&new).unwrap_or_else(|| redactor.text(&new)),
                    new.as_str()
                );
            }
            let plain = redactor.text(&format!("line {line}")).into_owned();
            if plain.len() != line.len() + 5 {
                for (old, new) in differences(line, plain.trim_start_matches("line ")) {
                    println!("{file}:{}: plain {old} => {new}", number + 1);
                }
            }
        }
        if !redaction.report().is_empty() {
            println!("{file}: {:?} {:?}", redaction.report(), started.elapsed());
        }
    }
}

/// What stands where the two texts differ, with a little before it.
fn differences(old: &str, new: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let (mut old, mut new) = (old.chars().collect::<Vec<_>>(), new.chars().collect::<Vec<_>>());
    old.reverse();
    new.reverse();
    let mut before = String::new();
    while let (Some(&x), Some(&y)) = (old.last(), new.last()) {
        if y != '<' || x == '<' {
            before.push(x);
            old.pop();
            new.pop();
            continue;
        }
        let mut placeholder = String::new();
        while let Some(c) = new.pop() {
            placeholder.push(c);
            if c == '>' {
                break;
            }
        }
        let mut value = String::new();
        let after: Vec<char> = new.iter().rev().take(6).copied().collect();
        while !old.is_empty() && (after.is_empty() || !old.iter().rev().take(after.len()).eq(&after)) {
            value.extend(old.pop());
        }
        let tail: String = before
            .chars()
            .rev()
            .take(25)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        out.push((format!("{tail}[{value}]"), placeholder));
    }
    out
}

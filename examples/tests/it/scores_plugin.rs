//! The recorded answers of the plugin's command line.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset, Utc};
use clawgauge_support::scores::{Folder, plugin};
use serde::Deserialize;
use serde_json::Value;

const VECTORS: &str = include_str!("../fixtures/scores-cli.jsonl");

/// Where we differ on purpose: one damaged file crashes the plugin's command; here it is passed over with a line that names it.
const DIFFER: [(&str, &str); 6] = [
    ("scores-cli-63", "a file that holds a number crashes worst"),
    ("scores-cli-65", "a file that holds an empty object crashes worst"),
    ("scores-cli-67", "a file without scores crashes summary"),
    ("scores-cli-68", "a file without scores crashes trend"),
    ("scores-cli-75", "a numeric time crashes trend"),
    ("scores-cli-76", "a numeric session id crashes worst"),
];

#[derive(Deserialize)]
struct Vector {
    id: String,
    input: Input,
    expected: Expected,
}

#[derive(Deserialize)]
struct Input {
    now: DateTime<Utc>,
    tz: Option<String>,
    args: Vec<String>,
    files: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Expected {
    stdout: String,
    exit: u8,
    crash: Option<String>,
}

#[test]
fn all_96_vectors() {
    let vectors: Vec<Vector> = VECTORS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(vectors.len(), 96);
    let mut on_purpose: BTreeMap<&str, &str> = DIFFER.into_iter().collect();
    let mut wrong = Vec::new();
    for vector in &vectors {
        match (check(vector), on_purpose.remove(vector.id.as_str())) {
            (Ok(()), None) | (Err(_), Some(_)) => {}
            (Ok(()), Some(reason)) => wrong.push(format!("{}: no longer differs ({reason})", vector.id)),
            (Err(difference), None) => wrong.push(format!("{}: {difference}", vector.id)),
        }
    }
    assert!(wrong.is_empty() && on_purpose.is_empty(), "{}\n{on_purpose:?}", wrong.join("\n"));
}

#[test]
fn what_crashes_the_plugin_is_passed_over_with_a_line() {
    for line in VECTORS.lines() {
        let vector: Vector = serde_json::from_str(line).unwrap();
        if vector.expected.crash.is_some() {
            let answer = run(&vector);
            assert!(answer.stderr.starts_with("scores: n.json: "), "{}: {:?}", vector.id, answer.stderr);
            assert_eq!(answer.exit, 0, "{}", vector.id);
            assert!(answer.stdout.starts_with(&vector.expected.stdout), "{}", vector.id);
        }
    }
}

fn run(vector: &Vector) -> clawgauge_support::scores::Answer {
    let files = vector.input.files.iter().map(|(name, content)| {
        (name.clone(), content.as_str().map(str::to_owned).ok_or_else(|| "not a file".to_owned()))
    });
    let local = match vector.input.tz.as_deref() {
        None => FixedOffset::east_opt(0),
        Some("Asia/Tokyo") => FixedOffset::east_opt(9 * 3600),
        Some(other) => panic!("no offset is known for {other}"),
    };
    plugin::run(&Folder::read(files), &vector.input.args, vector.input.now, local.unwrap())
}

fn check(vector: &Vector) -> Result<(), String> {
    let (answer, expected) = (run(vector), &vector.expected);
    if answer.stdout == expected.stdout && answer.exit == expected.exit {
        return Ok(());
    }
    Err(format!("gave {} and\n{}not {} and\n{}", answer.exit, answer.stdout, expected.exit, expected.stdout))
}

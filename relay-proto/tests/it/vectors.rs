//! The conformance vectors: each agrees, or is listed with the reason why ours is right.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::{vectors_http, vectors_in, vectors_link, vectors_policy, vectors_turn};

/// Vectors where this crate differs on purpose.
const DIFFERENT: &[(&str, &str)] = &[
    // Marked in the vectors as a fault of the reference or as changed later.
    ("relay-in-005", "a numeric id is an id"),
    ("relay-in-035", "a numeric sender id is an id"),
    ("relay-in-055", "a cut never splits a character"),
    ("relay-in-068", "an API base with a blank is no address"),
    ("relay-in-074", "a token with a line break is no token"),
    ("relay-in-103", "a numeric id is repeated in the error"),
    ("relay-out-009", "only a shell tool's command leaves the gateway"),
    ("relay-out-013", "a failed turn reports session, counts and what it spent"),
    ("relay-out-020", "an agent that is not configured is refused"),
    ("relay-out-033", "each turn reports its own usage, however soon the next one starts"),
    ("relay-out-036", "a message delivered twice runs once"),
    ("relay-out-037", "usage names the person of its own turn"),
    ("relay-out-038", "a long turn shows signs of life"),
    ("relay-out-051", "a list is no environment"),
    ("relay-out-068", "the default flag is read in agents.list too"),
    ("relay-out-081", "an agent is listed once"),
    ("relay-out-118", "keys with a colon work"),
    ("relay-out-121", "junk in base64 is refused"),
    ("relay-out-122", "blanks in base64 are refused"),
    ("relay-out-125", "without a public key nobody logs in by a pair"),
    ("relay-out-136", "a secret is compared as it is, blanks and all"),
    ("relay-out-158", "an address that no socket can be opened to turns the relay off"),
    ("relay-out-165", "\"disabled\" means off"),
    ("relay-out-169", "the text \"false\" means off"),
    ("relay-out-180", "an empty value is not set"),
    ("relay-out-182", "keys and addresses are trimmed"),
    ("relay-out-184", "the text \"false\" means off"),
    ("relay-out-188", "an empty value is not set"),
    ("relay-out-221", "refused keys wait the longest delay"),
    ("relay-out-222", "refused keys wait the longest delay"),
    ("relay-out-224", "a superseded gateway waits at least 30 seconds"),
    ("relay-out-231", "a frame whose send failed goes first again"),
    ("relay-out-241", "a private path of / means everything"),
    ("relay-out-243", "a dot at the end of a private path changes nothing"),
    ("relay-out-250", "a longer name is another place"),
    ("relay-out-251", "a path inside another path is another place"),
    ("relay-out-253", "an allowed fragment is a whole component"),
    ("relay-out-256", "a conversation id opens nothing"),
    ("relay-out-264", "parent folders are resolved"),
    ("relay-out-265", "a change of folder is followed"),
    ("relay-out-266", "quotes are taken away"),
    ("relay-out-267", "a wildcard is what it could match"),
    ("relay-out-270", "~ is the home directory"),
    ("relay-out-281", "backslashes separate too"),
    ("relay-out-282", "quotes are part of a path given as it is"),
    ("relay-out-284", "unicode forms are unified"),
    ("relay-out-286", "a text that mentions a path does not touch it"),
    ("relay-out-314", "a refused turn answers 409, with the reason"),
    // Others.
    ("relay-out-014", "like 013: a failed turn reports session, counts and what it spent"),
    ("relay-out-015", "like 013"),
    ("relay-out-035", "like 013"),
    ("relay-out-313", "like 013: the JSON answer names session and agent"),
    ("relay-out-319", "like 013, as an event"),
    ("relay-out-024", "like 033: the second turn of a session reports all fields of its own usage"),
    ("relay-out-032", "like 033"),
    ("relay-out-025", "like 020: no agent named helper is configured"),
    ("relay-out-042", "like 036: the same message again is not run again, so it clears nothing"),
    ("relay-out-123", "like 121: text after the base64 is refused"),
    ("relay-out-218", "a connection that is lost at once is no success: the backoff goes on"),
    ("relay-out-285", "a web address names no local file"),
];

/// Vectors about something that is not in this crate.
const ELSEWHERE: &[(&str, &str)] =
    &[("mirror", "a second destination of traces belongs to tracing-map and its settings")];

/// One line of a vector file.
pub(crate) struct Vector {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) input: Value,
    /// The input's fields as they stand in the file: the order of keys can matter.
    pub(crate) raw: BTreeMap<String, Box<RawValue>>,
    pub(crate) expected: Value,
    /// Only what is documented: the expectation names parts.
    pub(crate) partial: bool,
    marked: bool,
}

impl Vector {
    pub(crate) fn raw(&self, name: &str) -> &str {
        self.raw.get(name).map_or("null", |raw| raw.get())
    }
}

fn load(text: &str) -> Vec<Vector> {
    text.lines()
        .map(|line| {
            let line = without_lone_surrogates(line);
            let raw: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&line).unwrap();
            let value: Value = serde_json::from_str(&line).unwrap();
            let field = |name: &str| value.get(name).cloned();
            Vector {
                id: value["id"].as_str().unwrap().to_owned(),
                kind: field("kind")
                    .map_or_else(|| String::from("in"), |kind| kind.as_str().unwrap().to_owned()),
                input: value["input"].clone(),
                raw: serde_json::from_str(raw["input"].get()).unwrap(),
                partial: field("expected").is_none(),
                expected: field("expected").or_else(|| field("expected_partial")).unwrap(),
                marked: field("reference_bug").is_some() || field("changed_later").is_some(),
            }
        })
        .collect()
}

/// The expectations of JavaScript hold half characters, which serde_json refuses and a Rust text cannot hold: U+FFFD
/// stands for them here, as in what this crate makes of such a text.
fn without_lone_surrogates(line: &str) -> String {
    let unit = |text: &str| u32::from_str_radix(text.get(2..6)?, 16).ok().filter(|_| text.starts_with("\\u"));
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (len, lone) = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (12, false),
            (Some(0xD800..=0xDFFF), _) => (6, true),
            (Some(_), _) => (6, false),
            (None, _) => (2, false),
        };
        out.push_str(if lone { "\\ufffd" } else { &rest[..len] });
        rest = &rest[len..];
    }
    out + rest
}

#[test]
fn every_vector_agrees_or_is_listed() {
    let mut vectors = load(include_str!("../fixtures/relay-in.jsonl"));
    vectors.extend(load(include_str!("../fixtures/relay-out.jsonl")));
    assert_eq!(vectors.len(), 109 + 358);
    let mut wrong = Vec::new();
    let mut elsewhere = 0;
    for vector in &vectors {
        if ELSEWHERE.iter().any(|(kind, _)| *kind == vector.kind) {
            elsewhere += 1;
            continue;
        }
        let listed = DIFFERENT.iter().any(|(id, _)| *id == vector.id);
        match (run(vector), listed) {
            (Ok(()), false) | (Err(_), true) => {}
            (Ok(()), true) => wrong.push(format!("{}: listed as different, but agrees", vector.id)),
            (Err(how), false) => wrong.push(format!("{} ({}): {how}", vector.id, vector.kind)),
        }
    }
    assert!(wrong.is_empty(), "{} of {} vectors:\n{}", wrong.len(), vectors.len(), wrong.join("\n"));
    assert_eq!(elsewhere, 22);
    let unmarked: Vec<&str> = DIFFERENT
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| vectors.iter().any(|vector| vector.id == *id && !vector.marked))
        .collect();
    assert!(unmarked.len() <= 15, "{unmarked:?}");
}

fn run(vector: &Vector) -> Result<(), String> {
    match vector.kind.as_str() {
        "in" => vectors_in::run(vector),
        "turn" | "progress" | "stores" | "host-context" | "abort" | "choices" | "step" | "hook" => {
            vectors_turn::run(vector)
        }
        "usage" if vector.partial => vectors_turn::run(vector),
        "http" => vectors_http::run(vector),
        "hello" | "hello-bridge" | "backoff" | "close-code" | "ping" | "outbox" => vectors_link::run(vector),
        _ => vectors_policy::run(vector),
    }
}

/// Equal as JSON, numbers by value.
pub(crate) fn same(expected: &Value, ours: &Value) -> Result<(), String> {
    if equal(expected, ours) { Ok(()) } else { Err(format!("\n  expected {expected}\n  ours     {ours}")) }
}

fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

/// Whether `ours` has everything that `part` names; `no_field` names one that must be missing.
pub(crate) fn contains(part: &Value, ours: &Value) -> Result<(), String> {
    let Value::Object(fields) = part else {
        return same(part, ours);
    };
    for (name, value) in fields {
        if name == "no_field" {
            if ours.get(value.as_str().unwrap()).is_some() {
                return Err(format!("{ours} has {value}"));
            }
        } else {
            same(value, ours.get(name).unwrap_or(&Value::Null)).map_err(|how| format!("{name}: {how}"))?;
        }
    }
    Ok(())
}

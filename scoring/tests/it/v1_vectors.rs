//! The plugin's recorded answers.

use clawgauge_scoring::v1::{EndOfSession, score};
use clawgauge_scoring::{ErrorKind, Judged, file_name};
use clawgauge_transcript::RawJson;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::support::report;

const VECTORS: &str = include_str!("../fixtures/scoring.jsonl");

/// Where we differ on purpose: the plugin uses the session id as a path.
const DIFFER: [(&str, &str); 2] = [
    ("score-032", "an id with a slash loses the score there; here it is encoded into a file name"),
    ("score-033", "an id with `..` leaves the score folder there; here it is encoded into a file name"),
];

#[derive(Deserialize)]
struct Vector<'a> {
    id: String,
    #[serde(borrow)]
    input: &'a RawValue,
    expected: Value,
}

#[test]
fn all_322_vectors() {
    let vectors: Vec<Vector<'_>> = VECTORS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(vectors.len(), 322);
    report(vectors.iter().map(|vector| (vector.id.clone(), check(vector))).collect(), &DIFFER);
}

fn check(vector: &Vector<'_>) -> Result<(), String> {
    let input = RawJson::parse(vector.input.get()).ok_or("no JSON")?;
    // An object that is marked as absent has no fields; the input holds the fields of both.
    let present = |mark: &str| input.get(mark).is_none().then_some(input);
    let end = EndOfSession::of(present("__event"), present("__ctx"));
    let expected = &vector.expected;
    match score(&end) {
        Err(error) if error.kind() == ErrorKind::Throws && expected.get("throws").is_some() => Ok(()),
        Ok(Judged::Skipped(_)) if expected["skipped"] == true => Ok(()),
        Ok(Judged::Scored(record)) if expected.get("score").is_some() => {
            let text = record.to_text();
            let got: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            if !same(&got, &expected["score"]) {
                return Err(format!("gave {got}, not {}", expected["score"]));
            }
            if let Some(file) = expected.get("file_text").and_then(Value::as_str)
                && file.replace("  \"timestamp\": \"<timestamp>\",\n", "") != text
            {
                return Err(format!("file text {text:?}, not {file:?}"));
            }
            // Numeric ids print as they are written.
            let id = end.session_id.map_or("", RawJson::as_str).trim_matches('"');
            let (file, theirs) = (file_name(id), format!("{id}.json"));
            if file == theirs { Ok(()) } else { Err(format!("file {file}, not {theirs}")) }
        }
        other => Err(format!("gave {other:?}, not {expected}")),
    }
}

/// Equal as JavaScript values: `1` and `1.0` are one number.
fn same(got: &Value, expected: &Value) -> bool {
    match (got, expected) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        _ => got == expected,
    }
}

/// The vectors' inputs with one place changed: a value in it taken out, doubled, or replaced by a value of another kind.
#[test]
fn odd_events_give_an_answer_or_an_error_but_no_panic() {
    let odd = ["null", "[]", "{}", "\"\"", "0", "1e999", "[null]", "{\"length\":2}", "\"cron:\"", "true"];
    for line in VECTORS.lines().step_by(3) {
        let vector: Vector<'_> = serde_json::from_str(line).unwrap();
        let input = vector.input.get();
        // Long inputs repeat themselves; each place costs a whole scoring.
        for (at, _) in input.match_indices(':').take(16) {
            for value in odd {
                let end = input[at + 1..].find([',', '}', ']']).map_or(input.len(), |end| at + 1 + end);
                let changed = format!("{}{value}{}", &input[..=at], &input[end..]);
                if let Some(changed) = RawJson::parse(&changed) {
                    let _answer = score(&EndOfSession::of(Some(changed), Some(changed)));
                }
            }
        }
    }
}

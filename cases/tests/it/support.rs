//! What several tests share.

use std::path::PathBuf;

use clawgauge_cases::Json;
use serde_json::Value;

pub(crate) fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

pub(crate) fn read(name: &str) -> String {
    std::fs::read_to_string(fixture(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// One row of a vector file.
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) bug: bool,
    pub(crate) json: Json,
    pub(crate) value: Value,
}

impl Row {
    pub(crate) fn at(&self, path: &[&str]) -> Json {
        let mut now = self.json.clone();
        for key in path {
            now = now.get(key).cloned().unwrap_or_default();
        }
        now
    }
}

pub(crate) fn rows(name: &str) -> Vec<Row> {
    read(name)
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let json: Json = serde_json::from_str(line).unwrap();
            Row {
                id: json.get("id").and_then(Json::as_str).unwrap().to_owned(),
                bug: json.get("reference_bug").is_some() || json.get("changed_later").is_some(),
                value: json.to_value(),
                json,
            }
        })
        .collect()
}

/// Fails with every line at once.
pub(crate) fn report(what: &str, problems: &[String]) {
    assert!(problems.is_empty(), "{what}: {} problems\n{}", problems.len(), problems.join("\n"));
}

/// Compares the ids that differ with the list of those that may: each listed id must be a recorded bug or have a
/// reason, and must really differ.
pub(crate) fn differences(
    what: &str,
    differ: &[(String, bool, String)],
    reasons: &[(&str, &str)],
    most: usize,
) {
    let mut problems = Vec::new();
    for (id, bug, detail) in differ {
        if !bug && !reasons.iter().any(|(listed, _)| listed == id) {
            problems.push(format!("{id} differs and is not listed: {detail}"));
        }
    }
    for (id, reason) in reasons {
        if !differ.iter().any(|(differs, ..)| differs == id) {
            problems.push(format!("{id} is listed ({reason}) and does not differ any more"));
        }
    }
    if reasons.len() > most {
        problems.push(format!("{} listed differences, at most {most} allowed", reasons.len()));
    }
    report(what, &problems);
}

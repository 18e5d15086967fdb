//! When a mirror is on, and what is said of it, against the recorded behaviour of the replaced plugin.

use clawgauge_tracing_map::{Destination, MirrorOff, MirrorSettings};
use serde_json::Value;

/// Vectors where we differ on purpose, all of them marked as surprises.
const DIFFERS: &[(u32, &str)] = &[
    (298, "the text `false` is false"),
    (302, "one host is one host, however it is written"),
    (306, "a label has the form that the backend takes"),
];

/// A text of the configuration, else of the environment; blank ones are not set.
fn text(input: &Value, field: &str, variable: &str) -> Option<String> {
    let given =
        |value: &Value| value.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    given(&input["config"]["mirror"][field]).or_else(|| given(&input["env"][variable]))
}

fn mirror(input: &Value) -> Result<Destination, MirrorOff> {
    let primary = input["primary"]["baseUrl"]
        .as_str()
        .map(|url| Destination::new(url, input["primary"]["publicKey"].as_str(), None).unwrap());
    let enabled = match &input["config"]["mirror"]["enabled"] {
        Value::Bool(flag) => Some(*flag),
        Value::String(word) => word.parse().ok(),
        _ => None,
    };
    let public = text(input, "publicKey", "BENCHGEN_MIRROR_PUBLIC_KEY");
    let secret = text(input, "secretKey", "BENCHGEN_MIRROR_SECRET_KEY");
    let base = text(input, "baseUrl", "BENCHGEN_MIRROR_BASE_URL");
    let label = text(input, "environment", "BENCHGEN_MIRROR_ENVIRONMENT");
    let mut settings = MirrorSettings::default();
    settings.enabled = enabled;
    settings.public_key = public.as_deref();
    settings.secret_key = secret.as_deref();
    settings.base_url = base.as_deref();
    settings.environment = label.as_deref();
    Destination::mirror(&settings, primary.as_ref())
}

/// The recorded reason as ours.
fn reason(text: &str) -> MirrorOff {
    match text {
        "not configured" => MirrorOff::NotConfigured,
        _ if text.starts_with("disabled") => MirrorOff::SwitchedOff,
        _ if text.contains("both") => MirrorOff::KeyMissing,
        _ if text.contains("no baseUrl") => MirrorOff::NoAddress,
        _ if text.contains("primary project") => MirrorOff::IsPrimary,
        _ => panic!("an unknown reason: {text}"),
    }
}

fn differences(row: &Value) -> Vec<String> {
    let expected = &row["expected"];
    let found = mirror(&row["input"]);
    let mut all = Vec::new();
    match (&found, expected["enabled"].as_bool().unwrap()) {
        (Ok(found), true) => {
            for (what, theirs, ours) in [
                ("description", &expected["description"], Some(found.describe())),
                ("public key", &expected["publicKey"], found.public_key().map(str::to_owned)),
                ("secret key", &expected["secretKey"], found.secret_key().map(str::to_owned)),
                ("address", &expected["baseUrl"], Some(found.base_url().to_owned())),
                ("environment", &expected["environment"], found.environment().map(str::to_owned)),
            ] {
                if theirs.as_str() != ours.as_deref() {
                    all.push(format!("{what}: theirs {theirs}, ours {ours:?}"));
                }
            }
        }
        (Err(off), false) if *off == reason(expected["reason"].as_str().unwrap()) => {}
        _ => all.push(format!("theirs {expected}, ours {found:?}")),
    }
    all
}

#[test]
fn a_mirror_is_on_and_described_as_recorded() {
    let mut problems = Vec::new();
    let mut differing = Vec::new();
    let rows: Vec<Value> = include_str!("../fixtures/vectors/mirror.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 22);
    for row in &rows {
        let id: u32 = row["id"].as_str().unwrap().trim_start_matches("relay-out-").parse().unwrap();
        let listed = DIFFERS.iter().any(|(listed, _)| *listed == id);
        let found = differences(row);
        if !found.is_empty() {
            differing.push(id);
        }
        if listed && row["reference_bug"].is_null() {
            problems.push(format!("{id} is listed but not marked as a surprise"));
        } else if !listed {
            problems.extend(found.into_iter().map(|one| format!("{id} {}: {one}", row["note"])));
        }
    }
    for (id, reason) in DIFFERS {
        if !differing.contains(id) {
            problems.push(format!("{id} is listed ({reason}) but does not differ"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn what_is_said_of_a_mirror_holds_no_secret() {
    for line in include_str!("../fixtures/vectors/mirror.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let said = mirror(&row["input"])
            .map_or_else(|off| off.to_string(), |on| format!("{on:?} {}", on.describe()));
        assert!(!said.contains("sk-"), "{}: {said}", row["id"]);
    }
}

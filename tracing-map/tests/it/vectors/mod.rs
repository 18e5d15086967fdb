//! The recorded behaviour of the replaced tracer. Where it is right, the observation tree is the same.

mod driver;
mod fields;
mod project;

use clawgauge_tracing_map::{Span, SpanKind};
use driver::run;
use fields::{Fields, kind, ours, sort_key, theirs};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn rows() -> Vec<Value> {
    let text = include_str!("../../fixtures/vectors/trace.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every field in which a vector and the mapper differ.
fn differences(row: &Value) -> Vec<String> {
    let spans = run(&row["input"]);
    let expected = project::project(&row["input"], row["expected"]["observations"].as_array().unwrap());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let names: BTreeMap<String, String> = expected
        .iter()
        .map(|one| (text(&one["id"]), text(one.get("renamed_to").unwrap_or(&one["name"]))))
        .collect();
    let roots: BTreeMap<_, _> =
        spans.iter().filter(|span| span.parent_id.is_none()).map(|span| (span.span_id, span)).collect();
    let mut left: Vec<_> = expected.iter().map(|one| theirs(one, &names)).collect();
    let mut right: Vec<_> = spans
        .iter()
        .map(|span| {
            let root = span.parent_id.map(|id| roots[&id].name.as_str()).unwrap_or_default();
            ours(span, root)
        })
        .collect();
    if !expected.iter().any(|one| one["type"] == "agent") {
        project::strip_root(&mut right, &left);
    }
    left.sort_by_key(sort_key);
    right.sort_by_key(sort_key);
    let mut found = Vec::new();
    if left.len() != right.len() {
        let list = |side: &[Fields]| {
            side.iter().map(|one| format!("{} {}", one["type"], one["name"])).collect::<Vec<_>>().join(", ")
        };
        found.push(format!("count: theirs [{}], ours [{}]", list(&left), list(&right)));
        return found;
    }
    for (theirs, ours) in left.iter().zip(&right) {
        let keys: BTreeSet<_> = theirs.keys().chain(ours.keys()).collect();
        for key in keys {
            let (a, b) = (theirs.get(key), ours.get(key));
            let open = matches!(*key, "start" | "end") && a == Some(&Value::from("open"));
            let same_number =
                a.and_then(Value::as_f64).zip(b.and_then(Value::as_f64)).is_some_and(|(a, b)| a == b);
            if a != b && !open && !same_number {
                let kind = ours["type"].as_str().unwrap();
                found.push(format!("{kind} {key}: theirs {a:?}, ours {b:?}"));
            }
        }
    }
    found
}

/// A rule by which we differ on purpose, the fields it may touch, and every vector where it shows.
struct Rule {
    reason: &'static str,
    fields: &'static [&'static str],
    ids: &'static [u16],
}

const RULES: &[Rule] = &[
    Rule {
        reason: "within the linger a root still covers what ends after its completion",
        fields: &["agent end"],
        ids: &[19],
    },
    Rule {
        reason: "a run first seen later began at its end less its duration, or with its first child",
        fields: &["agent start", "generation start"],
        ids: &[21],
    },
    Rule {
        reason: "the duration that the gateway measured decides the length of a call (field case 68)",
        fields: &["tool start"],
        ids: &[41],
    },
    Rule {
        reason: "of two starts with one id the later one has the end and the text",
        fields: &["tool end", "tool input", "tool output"],
        ids: &[41],
    },
    Rule {
        reason: "each generation carries its own prompt and answer",
        fields: &["generation input", "generation output"],
        ids: &[11, 102],
    },
    Rule {
        reason: "model.call.* events give the time of a generation",
        fields: &["generation start", "generation end"],
        ids: &[4],
    },
    Rule {
        reason: "a failed run is an error on its root",
        fields: &["agent level", "agent statusMessage"],
        ids: &[19],
    },
    Rule {
        reason: "the latest end of a run counts while it lingers",
        fields: &["agent meta.outcome"],
        ids: &[19],
    },
    Rule {
        reason: "retrieval is told by whole words",
        fields: &["tool type", "retriever type"],
        ids: &[57, 58, 69, 73, 78, 85],
    },
    Rule {
        reason: "a session is named by text; the run id is the last resort (field case 73)",
        fields: &["agent trace.session"],
        ids: &[112, 115],
    },
    Rule {
        reason: "a channel that comes within the linger names the trace",
        fields: &["agent name", "agent trace.name", "span parent", "generation parent"],
        ids: &[119],
    },
    Rule {
        reason: "usage joins the one generation it reports on; unknown usage loses none",
        fields: &["count"],
        ids: &[3, 17],
    },
    Rule {
        reason: "a call is one span, whenever and however often it ends",
        fields: &["count"],
        ids: &[34, 35, 42, 143, 153],
    },
    Rule {
        reason: "a failed model call is the generation of its turn; no normal one beside it",
        fields: &["count"],
        ids: &[88],
    },
    Rule { reason: "model.call.* events are generations", fields: &["count"], ids: &[116] },
    Rule { reason: "one trace is one run", fields: &["count"], ids: &[133, 134, 135, 136, 152] },
    Rule {
        reason: "what comes after a root has left is reported, not sent",
        fields: &["count"],
        ids: &[145, 146],
    },
    Rule { reason: "texts are waited for, but not for ever", fields: &["count"], ids: &[148] },
];

#[test]
fn observation_trees_agree_but_for_named_rules() {
    let mut problems = Vec::new();
    let mut used: BTreeSet<(usize, u16)> = BTreeSet::new();
    let mut marked: BTreeSet<u16> = BTreeSet::new();
    let mut compared = 0;
    for row in rows() {
        if row["expected"].is_null() {
            continue;
        }
        compared += 1;
        let id: u16 = row["id"].as_str().unwrap().trim_start_matches("trace-").parse().unwrap();
        if row["reference_bug"].is_string() || row["changed_later"].is_string() {
            marked.insert(id);
        }
        for difference in differences(&row) {
            let field = difference.split(':').next().unwrap();
            let rules: Vec<usize> = (0..RULES.len())
                .filter(|rule| RULES[*rule].ids.contains(&id) && RULES[*rule].fields.contains(&field))
                .collect();
            used.extend(rules.iter().map(|rule| (*rule, id)));
            if rules.is_empty() {
                problems.push(format!("trace-{id:03} {}: {difference}", row["note"]));
            }
        }
    }
    for (index, rule) in RULES.iter().enumerate() {
        for id in rule.ids {
            if !used.contains(&(index, *id)) {
                problems
                    .push(format!("trace-{id:03} is listed under {:?} but does not differ so", rule.reason));
            }
        }
    }
    let mut unmarked: Vec<u16> = RULES.iter().flat_map(|rule| rule.ids).copied().collect();
    unmarked.retain(|id| !marked.contains(id));
    unmarked.sort_unstable();
    unmarked.dedup();
    if unmarked.len() > 15 {
        problems.push(format!("only fifteen may differ where the recording is not marked: {unmarked:?}"));
    }
    assert_eq!(compared, 160);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What the documentation of a newer version says, without a recording.
#[test]
fn documented_behaviour_holds() {
    let roots =
        |spans: &[Span]| spans.iter().filter(|span| span.kind == SpanKind::Run).cloned().collect::<Vec<_>>();
    let mut seen = 0;
    for row in rows().into_iter().filter(|row| row["expected"].is_null()) {
        let expected = &row["expected_partial"];
        if row["input"]["steps"].is_null() {
            // An export may take 30 seconds, and a failed one is a line in a log: both are the program's.
            assert_eq!(expected["export_timeout_ms"], 30_000);
            continue;
        }
        seen += 1;
        let spans = run(&row["input"]);
        if let Some(count) = expected["roots"].as_u64() {
            assert_eq!(roots(&spans).len() as u64, count, "{}", row["id"]);
        }
        for wanted in expected["root_trace_io"].as_array().into_iter().flatten() {
            let root = roots(&spans).into_iter().find(|root| {
                wanted["runId"].is_null() || root.identity.run.as_deref() == wanted["runId"].as_str()
            });
            let root = root.unwrap();
            assert_eq!(root.input.as_deref(), wanted["input"].as_str(), "{}", row["id"]);
            assert_eq!(root.output.as_deref(), wanted["output"].as_str(), "{}", row["id"]);
        }
        for wanted in expected["observations"].as_array().into_iter().flatten() {
            let span = spans.iter().find(|span| wanted["name"] == span.name.as_str()).unwrap();
            assert_eq!(
                (kind(span), span.end_ms),
                (wanted["type"].as_str().unwrap(), wanted["end"].as_i64().unwrap())
            );
        }
    }
    assert_eq!(seen, 4);
}

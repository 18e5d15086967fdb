//! What openclaw-edd did, and where we differ.

use std::collections::BTreeMap;

use clawgauge_cases::Json;
use clawgauge_golden::{
    Decision, Key, MineOptions, Mined, Miner, Record, RecordFile, Review, Source, merge_report, redact_record,
};
use clawgauge_transcript::Transcript;
use serde_json::{Value, json};

use crate::support::{SessionText, lines, now, redactor};

/// A session as openclaw-edd's `export` and `mine` see it in a log: request, calls, answer.
#[derive(Default)]
struct Logged {
    agent: String,
    user: Option<String>,
    calls: Vec<(String, Value, String)>,
    answer: Option<String>,
    ended: bool,
}

/// The sessions of the log files, newest session last; the log form is translated to what a transcript would hold.
fn logged(logs: &Value) -> Vec<(String, Logged)> {
    let mut order = Vec::new();
    let mut all: BTreeMap<String, Logged> = BTreeMap::new();
    let bare = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    for (name, text) in logs.as_object().unwrap() {
        if !name.starts_with("openclaw-") {
            continue;
        }
        for line in text.as_str().unwrap().lines() {
            let line = line.replace("\\u001b[31m", "").replace("\\u001b[0m", "");
            let line = bare.replace_all(&line, "");
            let Ok(row) = serde_json::from_str::<Value>(&line) else { continue };
            let Some(id) = row["session_id"].as_str() else { continue };
            if !order.contains(&id.to_owned()) {
                order.push(id.to_owned());
            }
            let session = all.entry(id.to_owned()).or_default();
            let field = |names: &[&str]| names.iter().find_map(|name| row[*name].as_str()).map(str::to_owned);
            if let Some(agent) = field(&["agent"]) {
                session.agent = agent;
            }
            let what = field(&["event", "msg"]).unwrap_or_default();
            let ends = ["run finished", "agent done", "run complete", "turn end", "response sent"];
            if what.contains("tool_start") {
                session.calls.push((
                    field(&["tool"]).unwrap_or_default(),
                    row["input"].clone(),
                    String::new(),
                ));
            } else if what.contains("tool_end") {
                let tool = field(&["tool"]).unwrap_or_default();
                let output = field(&["output"]).unwrap_or_default();
                match session.calls.iter_mut().find(|(name, _, done)| *name == tool && done.is_empty()) {
                    Some(call) => call.2 = output,
                    None => session.calls.push((tool, json!({}), output)),
                }
            } else {
                if session.user.is_none() {
                    session.user = field(&["user_message", "prompt"])
                        .or_else(|| row["input"].as_str().map(str::to_owned));
                }
                session.answer = field(&["response", "answer", "content"]).or(session.answer.take());
            }
            session.ended |= ends.iter().any(|end| what.contains(end));
        }
    }
    order
        .into_iter()
        .map(|id| {
            let session = all.remove(&id).unwrap();
            (id, session)
        })
        .collect()
}

fn transcript_of(id: &str, session: &Logged) -> String {
    let mut text = SessionText::new(id);
    if let Some(user) = &session.user {
        text.user(user);
    }
    for (name, input, output) in &session.calls {
        let args = if input.is_object() { input.clone() } else { json!({}) };
        text.calls(&[(name, args, output)]);
    }
    // A log may hold no answer; a transcript of a turn that ended does.
    if session.ended {
        text.answer(session.answer.as_deref().unwrap_or("-"));
    }
    text.finish()
}

fn options(input: &Value) -> MineOptions {
    let args: Vec<&str> = input["args"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut options = MineOptions::default();
    if let Some(at) = args.iter().position(|arg| *arg == "--min-tools") {
        options.min_tools = args[at + 1].parse().unwrap();
    }
    let skills = input["skills"].as_array().into_iter().flatten().filter_map(Value::as_str);
    options.skills = skills.map(|name| format!("skills/{name}")).collect();
    options
}

fn mine_logs(input: &Value) -> Mined {
    let redactor = redactor();
    let mut miner = Miner::new(options(input), &redactor);
    for (id, session) in logged(&input["logs"]) {
        let text = transcript_of(&id, &session);
        let transcript = Transcript::from_str(&text);
        miner.add(&Source::new(&transcript).with_agent(Some(&session.agent)));
    }
    miner.finish(now())
}

/// What is compared of a record: everything but wording, times, the answer's words, and what we add. Argument values
/// are compared as the golden sequence has them; assertions on tools by kind and tool.
fn shape(record: &Value) -> Value {
    let turn = &record["conversation"][0];
    let calls: Vec<Value> = turn["golden_tool_sequence"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| json!([call["name"], call["args"], call["output_summary"]]))
        .collect();
    let kinds = ["tool_called", "tool_order", "not_tool_called"];
    let asserts: Vec<Value> = turn["assert"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| kinds.contains(&one["type"].as_str().unwrap()))
        .map(|one| json!([one["type"], one["value"]]))
        .collect();
    let answer = turn["golden_output"].as_str().filter(|text| !text.is_empty()).unwrap_or("-");
    json!({"id": record["id"], "source": record["source"], "tags": record["tags"], "user": turn["user"],
        "calls": calls, "answer": answer, "asserts": asserts, "session": record["metadata"]["session_id"],
        "agent": record["metadata"]["agent"], "skill": record["metadata"]["skill_triggered"]})
}

/// Where we differ on purpose, with the reason; marked as a bug of the reference where the vector says so.
const EXPORT_DIFFERS: [(&str, &str); 6] = [
    ("export-02", "a tool is not forbidden because another request used it"),
    ("export-17", "bug: parallel calls keep their own arguments"),
    ("export-26", "bug: an empty answer in the report replaces nothing"),
    ("export-31", "bug: an empty tool name matches no skill"),
    ("export-37", "bug: sessions are told apart by their whole id"),
    ("export-03", "a tool is not forbidden because another request used it"),
];

#[test]
fn export_vectors() {
    let mut differs = Vec::new();
    let mut compared = 0;
    for vector in lines("export.jsonl") {
        let (id, input, expected) = (vector["id"].as_str().unwrap(), &vector["input"], &vector["expected"]);
        let mut file = RecordFile::of(mine_logs(input).records);
        if !input["report"].is_null() {
            merge_report(&mut file, &input["report"].to_string()).unwrap();
        }
        let ours: Vec<Value> = file.records().map(|record| record.json().to_value()).collect();
        compared += 1;
        if let Some(csv) = expected["csv"].as_str() {
            let export =
                clawgauge_golden::Export::new(file.records(), Default::default(), &redactor()).unwrap();
            let table = |text: &str| -> Vec<Vec<String>> {
                let mut rows =
                    csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes()).into_records();
                let mut out = Vec::new();
                while let Some(Ok(row)) = rows.next() {
                    // Description and time of extraction are worded otherwise.
                    out.push(
                        row.iter()
                            .enumerate()
                            .filter(|(at, _)| ![1, 7].contains(at))
                            .map(|(_, cell)| cell.to_owned())
                            .collect(),
                    );
                }
                out
            };
            let (ours, theirs) = (export.csv().unwrap(), csv);
            assert_eq!(ours.lines().next(), theirs.lines().next(), "{id}");
            if table(&ours) != table(theirs) {
                differs.push((id.to_owned(), format!("{:?}\n  {:?}", table(&ours), table(theirs))));
            }
            continue;
        }
        // What leaves is redacted; the reference's text is compared as it would leave.
        let redacted = |record: &Value| {
            let record = Record::parse(&record.to_string()).unwrap();
            shape(&redact_record(&record, &redactor()).unwrap().0.json().to_value())
        };
        let theirs: Vec<Value> = expected["records"].as_array().into_iter().flatten().map(redacted).collect();
        let ours: Vec<Value> = ours.iter().map(shape).collect();
        if ours != theirs {
            let text = |all: &[Value]| all.iter().map(Value::to_string).collect::<Vec<_>>().join("\n      ");
            differs.push((id.to_owned(), format!("ours  {}\n    edd   {}", text(&ours), text(&theirs))));
        }
    }
    assert_eq!(compared, 42);
    check(&differs, &EXPORT_DIFFERS);
}

fn check(differs: &[(String, String)], listed: &[(&str, &str)]) {
    let unlisted: Vec<String> = differs
        .iter()
        .filter(|(id, _)| !listed.iter().any(|(known, _)| known == id))
        .map(|(id, what)| format!("{id}:\n    {what}"))
        .collect();
    let healed: Vec<&str> =
        listed.iter().map(|(id, _)| *id).filter(|id| !differs.iter().any(|(other, _)| other == id)).collect();
    assert!(
        unlisted.is_empty() && healed.is_empty(),
        "no longer differ: {healed:?}\ndiffer:\n{}",
        unlisted.join("\n")
    );
}

const MINE_DIFFERS: [(&str, &str); 6] = [
    ("mine-06", "bug: the cases that were there stay"),
    ("mine-07", "bug: a broken file is refused, not overwritten"),
    ("mine-17", "bug: the cases that were there stay"),
    ("mine-19", "bug: each turn is a case of its own, with its own tools"),
    ("mine-22", "bug: plain-text content is read"),
    ("mine-23", "bug: one odd session does not stop the others"),
];

#[test]
fn mine_vectors() {
    let mut differs = Vec::new();
    let mut compared = 0;
    for vector in lines("mine.jsonl") {
        let (id, input, expected) = (vector["id"].as_str().unwrap(), &vector["input"], &vector["expected"]);
        compared += 1;
        let mined = if input["logs"].is_object() {
            mine_logs(input)
        } else {
            let redactor = redactor();
            let mut miner = Miner::new(options(input), &redactor);
            for session in input["sessions"].as_array().into_iter().flatten() {
                let transcript = Transcript::from_str(session["text"].as_str().unwrap_or_default());
                miner.add(&Source::new(&transcript).with_session_id(session["id"].as_str()));
            }
            miner.finish(now())
        };
        let before = input["existing_output"].as_str().unwrap_or_default();
        let merged = clawgauge_golden::add_to_suite(before, clawgauge_cases::Format::Yaml, &mined.records);
        let row = |message: &str, tools: Vec<String>| (message.trim().to_owned(), tools);
        let mut ours: Vec<(String, Vec<String>)> = Vec::new();
        if let Ok(merged) = &merged {
            ours.extend(cases(&merged.text).into_iter().map(|(message, tools)| row(&message, tools)));
        }
        let mut theirs = expected["output_file"].as_str().map(cases).unwrap_or_default();
        ours.sort();
        theirs.sort();
        if merged.is_err() || ours != theirs {
            differs.push((
                id.to_owned(),
                format!("ours {ours:?} {:?}\n    edd  {theirs:?}", merged.err().map(|e| e.to_string())),
            ));
        }
    }
    assert_eq!(compared, 26);
    check(&differs, &MINE_DIFFERS);
}

/// Messages and, in order, the tools of the cases of a suite.
fn cases(text: &str) -> Vec<(String, Vec<String>)> {
    let options = clawgauge_cases::LoadOptions::default();
    let Ok(suite) = clawgauge_cases::Suite::parse(text, clawgauge_cases::Format::Yaml, &options) else {
        return Vec::new();
    };
    let names = |case: &clawgauge_cases::Case, key: &str| -> Vec<String> {
        let list = case.as_written().get(key).and_then(Json::as_array).unwrap_or_default();
        list.iter().filter_map(Json::as_str).map(str::to_owned).collect()
    };
    let tools = |case: &clawgauge_cases::Case| {
        let ordered = names(case, "expect_tools_ordered");
        if ordered.is_empty() { names(case, "expect_tools") } else { ordered }
    };
    suite.cases.iter().map(|case| (case.message.trim().to_owned(), tools(case))).collect()
}

const REVIEW_DIFFERS: [(&str, &str); 2] = [
    ("review-11", "bug: the output file is written although all was skipped"),
    ("review-19", "bug: a record without id is reviewed like any other"),
];

#[test]
fn review_vectors() {
    let mut differs = Vec::new();
    let mut compared = 0;
    for vector in lines("review.jsonl") {
        let (id, input, expected) = (vector["id"].as_str().unwrap(), &vector["input"], &vector["expected"]);
        compared += 1;
        let Some(text) = input["file_text"].as_str() else {
            // That a file is missing is told by the program.
            assert_eq!(id, "review-24");
            continue;
        };
        let file = RecordFile::parse(text);
        let broken = !file.problems().is_empty() || file.records().count() == 0;
        if broken {
            assert_eq!(expected["exit"], 1, "{id}");
            continue;
        }
        let mut review = Review::new(file, None);
        for line in input["keys"].as_str().unwrap_or_default().lines() {
            let decision = match Key::parse(line) {
                Some(Key::Approve) => Decision::Approve,
                Some(Key::Reject) => Decision::Reject,
                Some(Key::Skip) => Decision::Skip,
                Some(Key::Quit) => Decision::Quit,
                _ => continue,
            };
            review.decide(decision, now());
        }
        let ours: Vec<Value> = review
            .file()
            .records()
            .map(|record| {
                let mut value = record.json().to_value();
                // The same time under our name.
                if value.as_object_mut().unwrap().remove("reviewedAt").is_some() {
                    value["reviewed_at"] = json!("<time>");
                }
                value
            })
            .collect();
        let written =
            if input["args"].is_array() { &expected["output_file_after"] } else { &expected["file_after"] };
        if written != &Value::from(ours.clone()) || expected["exit"] != 0 {
            differs.push((id.to_owned(), format!("ours {}\n    edd  {written}", Value::from(ours))));
        }
    }
    assert_eq!(compared, 24);
    check(&differs, &REVIEW_DIFFERS);
}

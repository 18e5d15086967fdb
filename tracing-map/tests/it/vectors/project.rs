//! Where the specification overrules the recorded tracer as a whole class, the recording is read by these rules before it
//! is compared: each rule computes what is right from the events of the vector alone, so that the comparison stays a
//! comparison. What no rule explains stays as it was recorded.

use super::fields::Fields;
use serde_json::{Map, Value, json};

/// The events of a vector, in order, and the texts of its tools by call id.
pub(super) struct Events(Vec<Value>, Value);

impl Events {
    pub(super) fn of(input: &Value) -> Self {
        let mut all = Vec::new();
        for step in input["steps"].as_array().into_iter().flatten() {
            all.extend(step.get("event").filter(|event| event.is_object()).cloned());
            all.extend(step["burst"].as_array().into_iter().flatten().cloned());
        }
        // Tables for more than one identity are read nowhere below.
        let tables = input["toolIO"].as_array().filter(|tables| tables.len() == 1);
        Self(all, tables.map(|tables| tables[0]["value"].clone()).unwrap_or_default())
    }

    fn of_run<'a>(&'a self, run: &'a Value) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter(move |event| event["runId"] == *run)
    }

    fn first<'a>(&'a self, run: &'a Value, kind: &str) -> Option<&'a Value> {
        self.of_run(run).find(|event| event["type"] == kind)
    }
}

/// A recorded tree, read by the rules.
pub(super) fn project(input: &Value, recorded: &[Value]) -> Vec<Value> {
    let events = Events::of(input);
    let mut tree = recorded.to_vec();
    for rule in [
        left_to_the_exporter,
        failed_call_is_a_generation,
        model_of_the_start,
        unknown_usage_is_said,
        times_of_a_tool_are_its_events,
        last_report_ends_what_had_no_end,
        computed_start_is_cut,
        root_covers_its_children,
        failed_run_is_an_error,
        session_is_text,
        closed_tool_has_its_text,
    ] {
        rule(&events, &mut tree);
    }
    tree
}

/// `null` is a time that the recorded tracer left to its exporter: it says nothing about the event.
fn left_to_the_exporter(_: &Events, tree: &mut [Value]) {
    for one in tree {
        for time in ["start", "end"] {
            if one.get(time) == Some(&Value::Null) {
                one[time] = "open".into();
            }
        }
    }
}

/// The event mapping of the tool's own documentation: `model.call.error` is a "generation span (error)". The recorded code
/// made a plain span of it.
fn failed_call_is_a_generation(events: &Events, tree: &mut [Value]) {
    for index in 0..tree.len() {
        if tree[index]["name"] != "model.call.error" || tree[index]["type"] != "span" {
            continue;
        }
        let run = run_of(tree, index);
        let model = events.first(&run, "model.call.error").map(|event| event["model"].clone());
        let one = &mut tree[index];
        one["type"] = "generation".into();
        one["name"] = "model".into();
        if let Some(model) = model.filter(Value::is_string) {
            one["name"] = model.clone();
            one["attributes"]["model"] = model;
        }
    }
}

/// The recorded tracer forgot the model that the start of the run had named, and called the generation `model`.
fn model_of_the_start(events: &Events, tree: &mut [Value]) {
    for index in 0..tree.len() {
        let one = &tree[index];
        let forgotten = matches!(one["name"].as_str(), Some("model" | "model.usage"));
        if one["type"] != "generation" || !forgotten || one["attributes"]["model"].is_string() {
            continue;
        }
        let run = run_of(tree, index);
        let started = events.first(&run, "run.started").map(|event| event["model"].clone());
        if let Some(model) = started.filter(Value::is_string) {
            tree[index]["name"] = model.clone();
            tree[index]["attributes"]["model"] = model;
        }
    }
}

/// Unknown usage is not zero: a generation without any says so.
fn unknown_usage_is_said(_: &Events, tree: &mut [Value]) {
    for one in tree.iter_mut().filter(|one| one["type"] == "generation") {
        if one["attributes"]["usageDetails"].as_object().is_none_or(Map::is_empty) {
            one["attributes"]["metadata"]["usageReported"] = false.into();
        }
    }
}

/// The first end of a call is its end (field case 71), the duration that the gateway measured is its length (field case
/// 68), and no other event ends it.
fn times_of_a_tool_are_its_events(events: &Events, tree: &mut [Value]) {
    for index in 0..tree.len() {
        let (run, call) = (run_of(tree, index), tree[index]["attributes"]["metadata"]["toolCallId"].clone());
        if !is_tool(&tree[index]) || !call.is_string() {
            continue;
        }
        let same = (0..tree.len()).filter(|other| {
            tree[*other]["attributes"]["metadata"]["toolCallId"] == call && run_of(tree, *other) == run
        });
        let of_call = || events.of_run(&run).filter(|event| event["toolCallId"] == call);
        let starts = of_call().filter(|event| event["type"] == "tool.execution.started").count();
        let first_end = of_call().find(|event| event["type"] != "tool.execution.started");
        // Two observations of one call are another matter.
        let Some(end) = first_end.filter(|_| starts <= 1 && same.count() == 1) else { continue };
        let Some(at) = end["ts"].as_i64() else { continue };
        tree[index]["end"] = at.into();
        if let Some(duration) = end["durationMs"].as_i64() {
            tree[index]["start"] = (at - duration).into();
        }
    }
}

/// A span without an end ends when it last reported, not when it was swept, evicted or flushed; with its run, where that
/// completed. A usage event ends no tool.
fn last_report_ends_what_had_no_end(events: &Events, tree: &mut [Value]) {
    for index in 0..tree.len() {
        let run = run_of(tree, index);
        let completed = events.first(&run, "run.completed").and_then(|event| event["ts"].as_i64());
        let recorded = tree[index]["end"].as_i64();
        let last = |of: &dyn Fn(&Value) -> bool| {
            events.of_run(&run).filter(|event| of(event)).filter_map(|event| event["ts"].as_i64()).max()
        };
        let metadata = &tree[index]["attributes"]["metadata"];
        let at = if is_tool(&tree[index]) {
            let call = metadata["toolCallId"].clone();
            let of_call = |event: &Value| event["toolCallId"] == call;
            let ended =
                events.of_run(&run).any(|event| of_call(event) && event["type"] != "tool.execution.started");
            if ended { None } else { completed.or_else(|| last(&of_call)) }
        } else if tree[index]["type"] == "agent" {
            if completed.is_some() { None } else { last(&|_| true) }
        } else if tree[index]["type"] == "generation" && !has_event(events, &run) {
            // Made from texts alone, it lasts as long as its run.
            if completed.is_some() { None } else { last(&|_| true) }
        } else {
            None
        };
        if let (Some(at), Some(_)) = (at, recorded) {
            tree[index]["end"] = at.into();
        }
    }
}

/// A start that was computed from a duration is cut at the start that the run reported (field case 77).
fn computed_start_is_cut(events: &Events, tree: &mut [Value]) {
    for index in 0..tree.len() {
        let run = run_of(tree, index);
        let started = events.first(&run, "run.started").and_then(|event| event["ts"].as_i64());
        let (Some(started), Some(start)) = (started, tree[index]["start"].as_i64()) else { continue };
        if tree[index]["parent"].is_string() && start < started {
            tree[index]["start"] = started.into();
        }
    }
}

/// A root whose start was not seen began at its end less its duration; no child starts before or ends after its root.
fn root_covers_its_children(events: &Events, tree: &mut [Value]) {
    for index in 0..tree.len() {
        if tree[index]["type"] != "agent" {
            continue;
        }
        let run = run_of(tree, index);
        let mut starts: Vec<i64> = Vec::new();
        let mut ends: Vec<i64> = Vec::new();
        for child in tree.iter().filter(|one| one["parent"] == tree[index]["id"]) {
            starts.extend(child["start"].as_i64());
            ends.extend(child["end"].as_i64());
        }
        if events.first(&run, "run.started").is_none()
            && let Some(completed) = events.first(&run, "run.completed")
        {
            starts.extend(
                completed["ts"].as_i64().zip(completed["durationMs"].as_i64()).map(|(ts, ms)| ts - ms),
            );
        }
        if let Some(start) = tree[index]["start"].as_i64() {
            tree[index]["start"] = starts.into_iter().fold(start, i64::min).into();
        }
        if let Some(end) = tree[index]["end"].as_i64() {
            tree[index]["end"] = ends.into_iter().fold(end, i64::max).into();
        }
    }
}

/// A run that says so, or whose model calls only failed, is an error on its root.
fn failed_run_is_an_error(events: &Events, tree: &mut [Value]) {
    for index in 0..tree.len() {
        if tree[index]["type"] != "agent" {
            continue;
        }
        let run = run_of(tree, index);
        let outcome = tree[index]["attributes"]["metadata"]["outcome"].clone();
        let ended = events.of_run(&run).filter(|event| event["type"] == "run.completed");
        let category = ended.filter_map(|event| event["errorCategory"].as_str()).last();
        let answered = has_event_of(events, &run, &["model.usage", "model.call.completed"])
            || tree[index]["trace"]["output"].is_string();
        let refused = events.first(&run, "model.call.error").filter(|_| !answered);
        let why = match (outcome.as_str(), refused) {
            (_, Some(refused)) => refused["errorCategory"].as_str().or(refused["failureKind"].as_str()),
            (Some("error" | "blocked"), None) => category,
            _ => continue,
        };
        let why = why.map(str::to_owned);
        tree[index]["attributes"]["level"] = "ERROR".into();
        tree[index]["attributes"]["statusMessage"] = json!(why);
    }
}

/// A session is named by text, whatever type it was given as.
fn session_is_text(_: &Events, tree: &mut [Value]) {
    for one in tree {
        if let Value::Number(number) = one["trace"]["session.id"].clone() {
            one["trace"]["session.id"] = number.to_string().into();
        }
    }
}

/// A tool that is closed without its run has its text like any other; the recorded tracer ended it before it looked.
fn closed_tool_has_its_text(events: &Events, tree: &mut [Value]) {
    for index in 0..tree.len() {
        let run = run_of(tree, index);
        let root =
            tree.iter().find(|one| one["type"] == "agent" && one["attributes"]["metadata"]["runId"] == run);
        // A run that the recording left open was not closed there.
        if root.is_some_and(|root| root["end"] == "open") {
            continue;
        }
        let one = &mut tree[index];
        let texts = &events.1[one["attributes"]["metadata"]["toolCallId"].as_str().unwrap_or_default()];
        let blank = one["attributes"]["input"].is_null() && one["attributes"]["output"].is_null();
        if is_tool(one) && blank && texts.is_object() && events.first(&run, "run.completed").is_none() {
            one["attributes"]["input"] = texts["input"].clone();
            one["attributes"]["output"] = texts["output"].clone();
        }
    }
}

/// The recorded tracer made no root where no event carried a trace id, and then no generation from texts alone. Every run
/// has a root here; what is compared is what hangs below it.
pub(super) fn strip_root(ours: &mut Vec<Fields>, theirs: &[Fields]) {
    let is = |one: &Fields, kind: &str| one["type"] == kind;
    let from_texts = |one: &Fields| {
        is(one, "generation")
            && one.get("meta.usageReported") == Some(&false.into())
            && !one.contains_key("level")
    };
    let recorded = theirs.iter().filter(|one| from_texts(one)).count();
    ours.retain(|one| !is(one, "agent"));
    if recorded == 0 {
        ours.retain(|one| !from_texts(one));
    }
    for one in ours {
        one.remove("parent");
    }
}

fn is_tool(one: &Value) -> bool {
    one["type"] == "tool" || one["type"] == "retriever"
}

fn has_event_of(events: &Events, run: &Value, kinds: &[&str]) -> bool {
    events.of_run(run).any(|event| event["type"].as_str().is_some_and(|kind| kinds.contains(&kind)))
}

/// Whether an event tells of a model call of the run.
fn has_event(events: &Events, run: &Value) -> bool {
    has_event_of(events, run, &["model.usage", "model.call.completed", "model.call.error"])
}

/// The run of an observation: its root names it.
fn run_of(tree: &[Value], index: usize) -> Value {
    let one = &tree[index];
    let root = tree.iter().find(|other| one["parent"].is_string() && other["id"] == one["parent"]);
    root.unwrap_or(one)["attributes"]["metadata"]["runId"].clone()
}

#[allow(clippy::needless_pass_by_value, reason = "literals are written in place")]
mod tests {
    use super::*;

    fn events(list: Value) -> Events {
        Events(list.as_array().unwrap().clone(), json!({"c": {"input": "in", "output": "out"}}))
    }

    fn tree(children: Value) -> Vec<Value> {
        let mut tree = vec![json!({"id": "o1", "type": "agent", "start": 100, "end": 200, "trace": {},
            "attributes": {"metadata": {"runId": "r"}}})];
        for (index, child) in children.as_array().unwrap().iter().enumerate() {
            let mut child = child.clone();
            child["id"] = format!("o{}", index + 2).into();
            child["parent"] = "o1".into();
            tree.push(child);
        }
        tree
    }

    fn started() -> Value {
        json!({"type": "run.started", "runId": "r", "ts": 100, "model": "m1"})
    }

    #[test]
    fn times_left_to_the_exporter_are_open() {
        let mut tree = vec![json!({"start": null, "end": 5}), json!({"start": 1, "end": null})];
        left_to_the_exporter(&events(json!([])), &mut tree);
        assert_eq!(tree, [json!({"start": "open", "end": 5}), json!({"start": 1, "end": "open"})]);
    }

    #[test]
    fn a_failed_call_is_a_generation() {
        let error = json!({"type": "model.call.error", "runId": "r", "model": "m2"});
        let mut tree = tree(json!([{"type": "span", "name": "model.call.error", "attributes": {}},
            {"type": "span", "name": "context.assembled", "attributes": {}}]));
        failed_call_is_a_generation(&events(json!([error])), &mut tree);
        assert_eq!((&tree[1]["type"], &tree[1]["name"]), (&json!("generation"), &json!("m2")));
        assert_eq!(tree[2]["type"], "span");
    }

    #[test]
    fn only_a_forgotten_model_is_replaced() {
        let mut tree = tree(json!([{"type": "generation", "name": "model", "attributes": {}},
            {"type": "generation", "name": "m2", "attributes": {"model": "m2"}},
            {"type": "tool", "name": "model", "attributes": {}}]));
        model_of_the_start(&events(json!([started()])), &mut tree);
        assert_eq!((&tree[1]["name"], &tree[1]["attributes"]["model"]), (&json!("m1"), &json!("m1")));
        assert_eq!((&tree[2]["name"], &tree[3]["name"]), (&json!("m2"), &json!("model")));
    }

    #[test]
    fn unknown_usage_is_said_where_there_is_none() {
        let mut tree = tree(json!([{"type": "generation", "attributes": {}},
            {"type": "generation", "attributes": {"usageDetails": {"input": 1}}}]));
        unknown_usage_is_said(&events(json!([])), &mut tree);
        assert_eq!(tree[1]["attributes"]["metadata"]["usageReported"], false);
        assert!(tree[2]["attributes"]["metadata"].is_null());
    }

    #[test]
    fn a_tool_has_the_times_of_its_first_end() {
        let end = |ts: i64| {
            json!({"type": "tool.execution.completed", "runId": "r", "toolCallId": "c", "ts": ts,
            "durationMs": 20})
        };
        let other = json!({"type": "tool.execution.completed", "runId": "x", "toolCallId": "c", "ts": 110});
        let tool = json!({"type": "tool", "start": 101, "end": 190, "attributes": {"metadata": {"toolCallId": "c"}}});
        let events = events(json!([other, end(150), end(190)]));
        let mut one = tree(json!([tool]));
        times_of_a_tool_are_its_events(&events, &mut one);
        assert_eq!((&one[1]["start"], &one[1]["end"]), (&json!(130), &json!(150)));
        let mut two = tree(json!([tool, tool]));
        times_of_a_tool_are_its_events(&events, &mut two);
        assert_eq!(two[1]["end"], 190, "two observations of one call are left alone");
    }

    #[test]
    fn the_last_report_ends_what_had_no_end() {
        let list = |last: Value| json!([started(), {"type": "tool.execution.started", "runId": "r", "toolCallId": "c", "ts": 120}, last]);
        let children = json!([{"type": "tool", "start": 120, "end": 999, "attributes": {"metadata": {"toolCallId": "c"}}},
            {"type": "generation", "start": 100, "end": 999, "attributes": {}}]);
        let mut silent = tree(children.clone());
        silent[0]["end"] = 999.into();
        last_report_ends_what_had_no_end(
            &events(list(json!({"type": "run.progress", "runId": "r", "ts": 150}))),
            &mut silent,
        );
        assert_eq!(
            (&silent[0]["end"], &silent[1]["end"], &silent[2]["end"]),
            (&json!(150), &json!(120), &json!(150))
        );
        let mut complete = tree(children);
        last_report_ends_what_had_no_end(
            &events(list(json!({"type": "run.completed", "runId": "r", "ts": 999}))),
            &mut complete,
        );
        assert_eq!((&complete[0]["end"], &complete[1]["end"]), (&json!(200), &json!(999)));
    }

    #[test]
    fn a_computed_start_is_cut_at_a_reported_one() {
        let child = json!([{"type": "generation", "start": 50, "end": 150, "attributes": {}}]);
        let mut known = tree(child.clone());
        computed_start_is_cut(&events(json!([started()])), &mut known);
        assert_eq!(known[1]["start"], 100);
        let mut unknown = tree(child);
        computed_start_is_cut(&events(json!([])), &mut unknown);
        assert_eq!(unknown[1]["start"], 50);
    }

    #[test]
    fn a_root_covers_its_children() {
        let child = json!([{"type": "tool", "start": 90, "end": 250, "attributes": {}}]);
        let completed = json!([{"type": "run.completed", "runId": "r", "ts": 200, "durationMs": 180}]);
        let mut first_seen_late = tree(child.clone());
        root_covers_its_children(&events(completed), &mut first_seen_late);
        assert_eq!((&first_seen_late[0]["start"], &first_seen_late[0]["end"]), (&json!(20), &json!(250)));
        let mut known = tree(child);
        root_covers_its_children(&events(json!([started()])), &mut known);
        assert_eq!(known[0]["start"], 90);
    }

    #[test]
    fn a_failed_run_is_an_error() {
        let refused = json!({"type": "model.call.error", "runId": "r", "errorCategory": "auth"});
        let usage = json!({"type": "model.usage", "runId": "r"});
        let level = |list: Value, outcome: Value| {
            let mut tree = tree(json!([]));
            tree[0]["attributes"]["metadata"]["outcome"] = outcome;
            failed_run_is_an_error(&events(list), &mut tree);
            (tree[0]["attributes"]["level"].clone(), tree[0]["attributes"]["statusMessage"].clone())
        };
        assert_eq!(level(json!([refused]), Value::Null), (json!("ERROR"), json!("auth")));
        assert_eq!(level(json!([refused, usage]), "completed".into()), (Value::Null, Value::Null));
        assert_eq!(level(json!([]), "error".into()).0, "ERROR");
        assert_eq!(level(json!([]), "completed".into()).0, Value::Null);
    }

    #[test]
    fn a_session_is_text() {
        let mut tree = vec![json!({"trace": {"session.id": 9}}), json!({"trace": {"session.id": "s"}})];
        session_is_text(&events(json!([])), &mut tree);
        assert_eq!(
            (&tree[0]["trace"]["session.id"], &tree[1]["trace"]["session.id"]),
            (&json!("9"), &json!("s"))
        );
    }

    #[test]
    fn a_closed_tool_has_its_text() {
        let child = json!([{"type": "tool", "attributes": {"metadata": {"toolCallId": "c"}}}]);
        let mut open = tree(child.clone());
        closed_tool_has_its_text(&events(json!([started()])), &mut open);
        assert_eq!(
            (&open[1]["attributes"]["input"], &open[1]["attributes"]["output"]),
            (&json!("in"), &json!("out"))
        );
        let mut complete = tree(child);
        closed_tool_has_its_text(&events(json!([{"type": "run.completed", "runId": "r"}])), &mut complete);
        assert!(complete[1]["attributes"]["input"].is_null());
    }

    #[test]
    fn a_root_is_stripped_with_what_was_made_from_texts_alone() {
        let of = |kind: &str, name: &str| {
            Fields::from([("type", kind.into()), ("name", name.into()), ("parent", "run".into())])
        };
        let mut from_texts = of("generation", "model");
        from_texts.insert("meta.usageReported", false.into());
        let mut refused = of("generation", "refused");
        refused.extend([("meta.usageReported", false.into()), ("level", "ERROR".into())]);
        let tool = of("tool", "exec");
        let all = [of("agent", "run"), from_texts.clone(), refused, tool.clone()];
        let left = |recorded: &[Fields]| {
            let mut ours = all.to_vec();
            strip_root(&mut ours, recorded);
            assert!(ours.iter().all(|one| !one.contains_key("parent")));
            ours.iter().map(|one| one["name"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(left(&[tool]), ["refused", "exec"], "a refused call is not made from texts");
        assert_eq!(left(&[from_texts]), ["model", "refused", "exec"], "what was recorded is compared");
    }
}

//! Records as test cases, and back.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use clawgauge_cases::{
    Aliases, Assertion, Case, Checker, Format, Json, LoadOptions, ModelMessage, Outcome, Require, Semantics,
    Step, StepPattern, Strength, Suite, Trajectory, append_cases, strength,
};
use clawgauge_transcript::{Conversation, Entry, Transcript};
use serde_json::Value;

use crate::error::{Error, ErrorKind};
use crate::file::{FreeIds, RecordFile};
use crate::json;
use crate::record::{Record, RecordTurn};

/// Calls of a turn that [`Record::strength`] changes at most.
const MUTATED_CALLS: usize = 50;

/// The suite that records stand for: a case for each turn, with the record's id, or `id#n` (n from 1) where it has
/// several turns. A record that holds a `case` stands for that case, and its own assertions are not read. No record makes
/// an empty suite. O(n).
///
/// # Errors
/// [`ErrorKind::Record`] with every problem of the records: no id, no request, an unknown kind of assertion. The line that
/// a problem names is the number of the record, from 1.
pub fn to_cases(records: impl IntoIterator<Item = impl Borrow<Record>>) -> Result<Suite, Error> {
    let mut lines = String::new();
    for record in records {
        let record: &Record = record.borrow();
        // A record that was made of a case keeps what a record cannot say.
        lines.push_str(&record.json().get("case").map_or_else(|| record.to_line(), Json::compact));
        lines.push('\n');
    }
    if lines.is_empty() {
        return Ok(Suite::default());
    }
    Suite::parse(&lines, Format::Jsonl, &LoadOptions::default())
        .map_err(|error| Error::new(ErrorKind::Record, error.to_string()))
}

/// A record for each case. What openclaw-edd's kinds of assertion cannot say is kept: then the case stands beside it as
/// it was written, under `case`, and [`to_cases`] reads that. O(n).
#[must_use]
pub fn from_cases(suite: &Suite) -> Vec<Record> {
    suite.cases.iter().map(from_case).collect()
}

fn from_case(case: &Case) -> Record {
    let mut asserts = Vec::new();
    let mut complete = case.pass_at_k == 1 && case.judge == Default::default() && case.timeout_s.is_none();
    for assertion in &case.assertions {
        complete &= put_assertion(assertion, &mut asserts);
    }
    let turn = json::object([
        ("turn", 1_u64.into()),
        ("user", case.message.as_str().into()),
        ("golden_tool_sequence", Json::Array(Vec::new())),
        ("golden_output", "".into()),
        ("assert", Json::Array(asserts)),
    ]);
    let mut out = json::object([
        ("id", case.id.as_str().into()),
        ("description", case.description.as_str().into()),
        ("source", "case".into()),
        ("tags", json::texts(case.tags.iter().map(String::as_str))),
        ("conversation", Json::Array(vec![turn])),
        ("schemaVersion", crate::record::SCHEMA_VERSION.into()),
    ]);
    if !complete {
        out.set("case", case.as_written().clone());
    }
    let mut record = Record::from_json(out);
    record.refresh_hash();
    record
}

/// Adds what a record can say of an assertion; whether that is all of it.
fn put_assertion(assertion: &Assertion, out: &mut Vec<Json>) -> bool {
    let one = |kind: &str, value: Json| json::object([("type", kind.into()), ("value", value)]);
    let each = |kind: &str, list: &[String], out: &mut Vec<Json>| {
        out.extend(list.iter().map(|text| one(kind, text.as_str().into())));
        true
    };
    match assertion {
        Assertion::OutputContains(list) => each("contains", list, out),
        Assertion::OutputRegex(list) => {
            out.extend(list.iter().map(|pattern| one("matches", pattern.as_str().into())));
            true
        }
        Assertion::MaxCalls(most) => {
            out.push(one("max_calls", (*most).into()));
            true
        }
        Assertion::Commands(list) => each("command_contains", list, out),
        Assertion::ForbiddenCommands(list) => each("not_command_contains", list, out),
        Assertion::CommandsOrdered(list) => {
            out.push(one("command_order", json::texts(list.iter().map(String::as_str))));
            true
        }
        Assertion::Tools(steps) | Assertion::ForbiddenTools(steps) => {
            let kind =
                if matches!(assertion, Assertion::Tools(_)) { "tool_called" } else { "not_tool_called" };
            steps.iter().fold(true, |all, step| match &step.tool {
                Some(tool) if is_name_and_outcome(step) => {
                    let mut item = one(kind, tool.as_str().into());
                    if step.require != Require::Attempted {
                        item.set("require", step.require.as_str().into());
                    }
                    out.push(item);
                    all && (kind == "tool_called" || step.is_name_only())
                }
                _ => false,
            })
        }
        Assertion::ToolsOrdered { steps, strict } => {
            let names: Option<Vec<&str>> =
                steps.iter().map(|step| step.tool.as_deref().filter(|_| step.is_name_only())).collect();
            let Some(names) = names else { return false };
            let mut item = one("tool_order", json::texts(names));
            item.set("strict", (*strict).into());
            out.push(item);
            true
        }
        Assertion::ToolArgs(steps) => steps.iter().fold(true, |all, step| {
            let plain = step.args_regex.is_empty() && step.args_schema.is_none() && step.args_match.is_none();
            match &step.tool {
                Some(tool) if plain => {
                    let args =
                        step.args.iter().map(|(key, value)| (key.clone(), Json::from(value))).collect();
                    out.push(json::object([
                        ("type", "tool_args".into()),
                        ("tool", tool.as_str().into()),
                        ("args", Json::Object(args)),
                    ]));
                    all
                }
                _ => false,
            }
        }),
        _ => false,
    }
}

/// Whether a step asks for a tool's name, and at most for how the call ended.
fn is_name_and_outcome(step: &StepPattern) -> bool {
    let mut bare = step.clone();
    bare.require = Require::Attempted;
    bare.is_name_only()
}

impl Record {
    /// The trajectory that a turn of the record (by its position, from 0) shows: its calls with how they ended, and its
    /// answer. Enough to check what the record asserts without the session. `None` where there is no such turn. O(turn).
    #[must_use]
    pub fn trajectory(&self, position: usize) -> Option<Trajectory> {
        let turn = self.turns().nth(position)?;
        let groups = turn.call_groups();
        let calls = groups.iter().enumerate().flat_map(|(step, group)| {
            group.iter().map(move |call| Recorded {
                name: call.name(),
                args: call.args().map_or(Value::Null, Json::to_value),
                step,
                outcome: call.outcome().unwrap_or("ok"),
            })
        });
        Some(recorded(calls, turn.golden_output().unwrap_or_default()))
    }

    /// The trajectory of the turn of a session that a turn of the record (by its position, from 0) was taken from: by its
    /// entry id, else by its number, else by its request. `None` where the record has no such turn. O(session).
    #[must_use]
    pub fn source_trajectory(&self, position: usize, transcript: &Transcript<'_>) -> Option<Trajectory> {
        let turn = self.turns().nth(position)?;
        Some(source(&turn, &transcript.conversation()))
    }

    /// How much the record would notice, turn by turn, under the id of the turn's case: which changes of what was recorded
    /// (at most 50 calls of a turn are changed) its assertions catch. `None` for a turn without assertions, or one that
    /// does not pass on its own record. O(calls · cost of a check).
    ///
    /// # Errors
    /// As [`to_cases`].
    pub fn strength(&self) -> Result<Vec<(String, Option<Strength>)>, Error> {
        let suite = to_cases([self])?;
        let mut out = Vec::new();
        for (position, case) in suite.cases.iter().enumerate() {
            let measured =
                self.trajectory(position).filter(|_| !case.is_unchecked()).and_then(|trajectory| {
                    strength(case, &trajectory, &Aliases::default(), Semantics::Clawgauge, MUTATED_CALLS)
                });
            out.push((case.id.clone(), measured));
        }
        Ok(out)
    }
}

fn source(turn: &RecordTurn<'_>, conversation: &Conversation<'_>) -> Trajectory {
    let wanted = turn.json().get("entry_id").and_then(Json::as_str);
    let by_id = wanted.and_then(|wanted| {
        conversation.turns.iter().find(|turn| turn.user.and_then(Entry::id).as_deref() == Some(wanted))
    });
    let by_number = || {
        let index = usize::try_from(turn.number()?.checked_sub(1)?).ok()?;
        conversation.turns.get(index)
    };
    match by_id.or_else(by_number) {
        Some(found) => Trajectory::from_turn(found),
        None => Trajectory::for_request(conversation, turn.user().unwrap_or_default()).0,
    }
}

/// A call as a record holds it.
pub(crate) struct Recorded<'r> {
    pub(crate) name: &'r str,
    pub(crate) args: Value,
    /// The number of the message that made it.
    pub(crate) step: usize,
    /// How it ended, by the name that records use.
    pub(crate) outcome: &'r str,
}

/// A trajectory of recorded calls and an answer.
pub(crate) fn recorded<'r, C>(calls: C, answer: &str) -> Trajectory
where
    C: IntoIterator<Item = Recorded<'r>>,
{
    let mut out = Trajectory::default();
    for call in calls {
        while out.messages.len() <= call.step {
            out.messages.push(ModelMessage::default());
        }
        let mut step = Step::new(call.name, call.args, call.step);
        step.outcome = match call.outcome {
            "failed" | "non_zero_exit" => Outcome::Failed,
            "blocked" | "awaiting_approval" => Outcome::Blocked,
            "no_result" | "repaired" | "running" => Outcome::Unfinished,
            _ => Outcome::Succeeded,
        };
        out.steps.push(step);
    }
    let mut last = ModelMessage::default();
    last.text = answer.to_owned();
    out.messages.push(last);
    out.final_output = Some(answer.to_owned());
    out
}

/// Whether assertions of a record hold.
pub(crate) fn holds(checker: &Checker<'_>, asserts: &[Json]) -> bool {
    if asserts.is_empty() {
        return true;
    }
    let turn = json::object([("user", "".into()), ("assert", Json::Array(asserts.to_vec()))]);
    let record =
        Record::from_json(json::object([("id", "r".into()), ("conversation", Json::Array(vec![turn]))]));
    let Ok(suite) = to_cases([&record]) else { return false };
    suite.cases.iter().all(|case| checker.check(case, Semantics::Clawgauge).passed())
}

/// The case that a suite gets for a turn of a record: an object with the keys that openclaw-edd's `mine` writes (`id`
/// with `mined_` before it, `message`, `description`, `tags`, `expect_tools`, ...) and those of ours that say what is left.
/// Why an assertion was made is not in it. O(turn).
#[must_use]
pub fn suite_case(record: &Record, turn: &RecordTurn<'_>) -> Json {
    let id = match (record.id(), record.turns().count()) {
        (Some(id), 1) => format!("mined_{id}"),
        (id, _) => format!("mined_{}#{}", id.unwrap_or_default(), turn.position() + 1),
    };
    let of = |kind: &str| -> Vec<&Json> {
        turn.assertions().filter(|one| one.get("type").and_then(Json::as_str) == Some(kind)).collect()
    };
    let values = |kind: &str| -> Vec<Json> {
        of(kind).into_iter().filter_map(|one| one.get("value").cloned()).collect()
    };
    let mut out = json::object([
        ("id", id.into()),
        ("message", turn.user().unwrap_or_default().into()),
        ("description", record.description().unwrap_or_default().into()),
        ("tags", json::texts(["mined"])),
        ("expect_tools", Json::Array(Vec::new())),
    ]);
    let called = of("tool_called");
    let required = |one: &&Json| one.get("require").and_then(Json::as_str) == Some("succeeded");
    let all_succeeded = !called.is_empty() && called.iter().all(required);
    // For all of them together where that can be said: other tools then still read the names.
    let tool = |one: &Json| match (one.get("value"), one.get("require")) {
        (Some(name), Some(require)) if !all_succeeded => {
            json::object([("tool", name.clone()), ("require", require.clone())])
        }
        (name, _) => name.cloned().unwrap_or_default(),
    };
    out.set("expect_tools", Json::Array(called.iter().map(|one| tool(one)).collect()));
    if all_succeeded {
        out.set("require", "succeeded".into());
    }
    let lists = [
        ("expect_output_contains", "contains"),
        ("forbidden_tools", "not_tool_called"),
        ("expect_commands", "command_contains"),
        ("forbidden_commands", "not_command_contains"),
        ("expect_output_regex", "matches"),
    ];
    for (key, kind) in lists {
        let list = values(kind);
        if !list.is_empty() {
            out.set(key, Json::Array(list));
        }
    }
    if let Some(most) = values("max_calls").pop() {
        out.set("max_calls", most);
    }
    // The first order stands where a suite writes it, each further one in a group that must hold, too.
    let mut groups = Vec::new();
    let strict = |one: &Json| one.get("strict").and_then(Json::as_bool) == Some(true);
    for (kind, key) in [("tool_order", "expect_tools_ordered"), ("command_order", "expect_commands_ordered")]
    {
        for (at, one) in of(kind).into_iter().enumerate() {
            let Some(order) = one.get("value") else { continue };
            let mut group = json::object([(key, order.clone())]);
            if strict(one) {
                group.set("expect_tools_ordered_strict", true.into());
            }
            match group {
                Json::Object(pairs) if at == 0 => {
                    for (key, value) in pairs {
                        out.set(&key, value);
                    }
                }
                group => groups.push(group),
            }
        }
    }
    if !groups.is_empty() {
        out.set("all_of", Json::Array(groups));
    }
    let mut args: Vec<(String, Vec<Json>)> = Vec::new();
    for one in of("tool_args") {
        let (Some(tool), Some(wanted)) = (one.get("tool").and_then(Json::as_str), one.get("args")) else {
            continue;
        };
        match args.iter_mut().find(|(name, _)| name == tool) {
            Some((_, list)) => list.push(wanted.clone()),
            None => args.push((tool.to_owned(), vec![wanted.clone()])),
        }
    }
    if !args.is_empty() {
        let single = |mut list: Vec<Json>| {
            if list.len() == 1 { list.pop().unwrap_or_default() } else { Json::Array(list) }
        };
        out.set(
            "expect_tool_args",
            Json::Object(args.into_iter().map(|(tool, list)| (tool, single(list))).collect()),
        );
    }
    out
}

/// What adding to a suite did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SuiteMerge {
    /// The suite, every byte of the old one in it.
    pub text: String,
    /// Ids of the cases that were added.
    pub added: Vec<String>,
    /// Requests that the suite had already.
    pub known: usize,
}

/// Adds records to a suite of cases (YAML with the feature `yaml`, JSON, JSONL). What is there stays byte for byte; a
/// request that the suite has already is not added again. An empty text becomes a suite. O(n log n).
///
/// # Errors
/// [`ErrorKind::Suite`] when the text is no suite: a broken file is never overwritten.
pub fn add_to_suite(
    text: &str,
    format: Format,
    records: impl IntoIterator<Item = impl Borrow<Record>>,
) -> Result<SuiteMerge, Error> {
    let mut out = SuiteMerge { text: text.to_owned(), ..SuiteMerge::default() };
    let mut requests = BTreeSet::new();
    let mut ids = FreeIds::default();
    let mut new = Vec::new();
    if text.trim().is_empty() {
        out.text = match format {
            Format::Json => "{\"cases\": []}\n".to_owned(),
            Format::Jsonl => String::new(),
            _ => "cases: []\n".to_owned(),
        };
    } else {
        for case in loose_cases(text, format)? {
            let of = |key: &str| case.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
            requests.insert(crate::record::normal_request(&of("message")));
            ids.reserve(&of("id"));
        }
    }
    for record in records {
        for turn in record.borrow().turns() {
            let request = crate::record::normal_request(turn.user().unwrap_or_default());
            if !requests.insert(request) {
                out.known += 1;
                continue;
            }
            let mut case = suite_case(record.borrow(), &turn);
            let id = ids.take(case.get("id").and_then(Json::as_str).unwrap_or_default());
            case.set("id", id.as_str().into());
            out.added.push(id);
            new.push(case);
        }
    }
    out.text = append_cases(&out.text, format, &new)
        .map_err(|error| Error::new(ErrorKind::Suite, error.to_string()))?;
    Ok(out)
}

/// The cases of a suite as they are written: also those with keys that nobody here knows, which stay as they are.
fn loose_cases(text: &str, format: Format) -> Result<Vec<Json>, Error> {
    let fault = |text: String| Error::new(ErrorKind::Suite, text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root: Json = match format {
        Format::Jsonl => {
            return Ok(RecordFile::parse(text).records().map(|record| record.json().clone()).collect());
        }
        Format::Json => serde_json::from_str(text).map_err(|error| fault(format!("not JSON: {error}")))?,
        _ => yaml(text)?,
    };
    let list = root.get("cases").unwrap_or(&root);
    Ok(list.as_array().unwrap_or_default().to_vec())
}

#[cfg(feature = "yaml")]
fn yaml(text: &str) -> Result<Json, Error> {
    serde_saphyr::from_str(text).map_err(|_| {
        // The loader of suites says where it is broken, and what to do.
        let said =
            Suite::parse(text, Format::Yaml, &LoadOptions::default()).err().map(|error| error.to_string());
        Error::new(ErrorKind::Suite, said.unwrap_or_else(|| "the text is not YAML".to_owned()))
    })
}

#[cfg(not(feature = "yaml"))]
fn yaml(_: &str) -> Result<Json, Error> {
    Err(Error::new(ErrorKind::Suite, "YAML needs the feature `yaml`"))
}

/// What taking answers from a report did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReportMerge {
    /// Turns whose answer is now the report's.
    pub replaced: usize,
    /// Results of the report that no record asked for, that failed, or that hold no answer.
    pub unused: usize,
}

/// Takes answers from a run's JSON report: of cases that passed, for turns with the same request; of several such
/// results, the first. A result without an answer replaces nothing. Give the report redacted, or redact the records
/// afterwards. O(n log n).
///
/// # Errors
/// [`ErrorKind::Report`] when the text is neither a list of results nor an object with `results`.
pub fn merge_report(file: &mut RecordFile, report: &str) -> Result<ReportMerge, Error> {
    let fault = |text: &str| Error::new(ErrorKind::Report, text);
    let report: Json = serde_json::from_str(report).map_err(|_| fault("the report is not JSON"))?;
    let results = report.as_array().or_else(|| report.get("results")?.as_array());
    let results = results.ok_or_else(|| fault("the report holds no list of results"))?;
    let mut answers: BTreeMap<String, (&str, bool)> = BTreeMap::new();
    let mut merge = ReportMerge::default();
    for result in results {
        let passed = result.get("passed").and_then(Json::as_bool) == Some(true);
        let message = result.get("case").and_then(|case| case.get("message")?.as_str());
        let answer = result.get("final_output").and_then(Json::as_str).filter(|text| !text.trim().is_empty());
        match (passed, message, answer) {
            (true, Some(message), Some(answer)) => {
                let mut first = false;
                answers.entry(crate::record::normal_request(message)).or_insert_with(|| {
                    first = true;
                    (answer, false)
                });
                merge.unused += usize::from(!first);
            }
            _ => merge.unused += 1,
        }
    }
    for record in file.records_mut() {
        let wanted: Vec<(usize, String)> = record
            .turns()
            .map(|turn| (turn.position(), crate::record::normal_request(turn.user().unwrap_or_default())))
            .collect();
        for (position, request) in wanted {
            if let Some((answer, used)) = answers.get_mut(&request) {
                *used = true;
                record.set_turn_field(position, "golden_output", (*answer).into());
                record.set_metadata("golden_output_source", "report".into());
                merge.replaced += 1;
            }
        }
    }
    merge.unused += answers.values().filter(|(_, used)| !used).count();
    Ok(merge)
}

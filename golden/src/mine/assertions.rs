//! Assertions worth having, each with the reason why it was made.

use std::collections::BTreeSet;

use clawgauge_cases::{Checker, Json};
use clawgauge_transcript::{Outcome, ToolKind, ToolTable};

use super::turn::{Call, Candidate};
use super::words::Evidence;
use super::{MineLimits, arguments, words};
use crate::{cases, json};

/// Occurrences from which on it is learnt what varies.
pub(super) const LEARN_FROM: usize = 2;
/// Good occurrences that must have done without a tool before it is forbidden.
const FORBID_FROM: usize = 2;
/// Good turns with a request from which on it is believed how many calls it takes, and which words its answer has
/// although no tool result holds them.
const BELIEVE_FROM: usize = 3;
/// Words that are believed of the answers alone.
const BELIEVED_WORDS: usize = 2;

/// What is known of a request over all turns that asked it.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Good turns.
    pub(super) good: usize,
    /// Most calls that a good one made.
    pub(super) most_calls: usize,
    /// Tools of the turns that ended badly.
    pub(super) bad_tools: BTreeSet<String>,
}

/// Makes the assertions of a turn, given all occurrences of its content (itself among them) and what is known of its
/// request.
pub(super) fn make(
    turn: &Candidate,
    all: &[&Candidate],
    asked: Option<&Asked>,
    limits: &MineLimits,
) -> Vec<Json> {
    let seen = all.len();
    let times = if seen < LEARN_FROM { String::new() } else { format!(" in all {seen} occurrences") };
    let way = way(turn);
    let mut out = Vec::new();
    for (at, (_, call)) in way.iter().enumerate() {
        let before = way.iter().take(at).filter(|(_, other)| other.name == call.name).count();
        out.push(called(call, before, &times));
    }
    for order in orders(&way) {
        let why = if parallel(&way) {
            "these calls followed one another; calls of one message have no order among themselves"
        } else {
            "the calls followed one another in this order"
        };
        out.push(json::object([
            ("type", "tool_order".into()),
            ("value", json::texts(order)),
            ("strict", false.into()),
            ("why", why.into()),
        ]));
    }
    for (at, call) in way.iter().filter(|(_, call)| !call.is_poll) {
        let others: Vec<&Json> = all.iter().filter_map(|other| Some(&other.calls.get(*at)?.args)).collect();
        let (args, mut why) = arguments::stable(call, &others, &turn.request);
        if !args.is_empty() {
            let mut item = json::object([
                ("type", "tool_args".into()),
                ("tool", call.name.as_str().into()),
                ("args", Json::Object(args)),
            ]);
            let again = out.iter().any(|known| same(known, &item));
            if again {
                why.insert_str(0, "the call was made again; ");
            }
            item.set("why", why.into());
            out.push(item);
        }
    }
    out.extend(answer(turn, all, &times, limits));
    if let Some(asked) = asked {
        out.extend(bounds(turn, all, asked));
    }
    out
}

/// The calls on the way to the answer, with their places in the turn: those that ran and worked, and one look after
/// each kind of background job that was started.
fn way(turn: &Candidate) -> Vec<(usize, &Call)> {
    let mut out: Vec<(usize, &Call)> = Vec::new();
    let mut running = false;
    for (at, call) in turn.calls.iter().enumerate() {
        let first_look = call.is_poll
            && running
            && call.worked()
            && !out.iter().any(|(_, other)| other.is_poll && other.name == call.name);
        if call.counts() || first_look {
            out.push((at, call));
        }
        running |= call.outcome == Outcome::Running && !call.is_poll;
    }
    if out.is_empty() {
        // Nothing but commands that ended with a code: the answer was made of them.
        let ended = |call: &Call| matches!(call.outcome, Outcome::NonZeroExit(_)) && !call.is_poll;
        out = turn.calls.iter().enumerate().filter(|(_, call)| ended(call)).collect();
    }
    out
}

/// That a tool was called; and that the call succeeded, where it did.
fn called(call: &Call, before: usize, times: &str) -> Json {
    let which = if before == 0 { String::new() } else { format!(", for the {} time,", ordinal(before + 1)) };
    let succeeded = matches!(call.outcome, Outcome::Ok | Outcome::Unknown);
    let why = match (call.is_poll, succeeded) {
        (true, _) => format!("the turn looked after the job that it had started{times}; how often varies"),
        (_, true) => {
            format!("the turn called it{which} on the way to its answer{times}, and the call succeeded")
        }
        _ => format!("the turn called it{which} on the way to its answer{times}"),
    };
    let mut out = json::object([("type", "tool_called".into()), ("value", call.name.as_str().into())]);
    if succeeded {
        out.set("require", "succeeded".into());
    }
    out.set("why", why.into());
    out
}

/// What the answer must say.
fn answer(turn: &Candidate, all: &[&Candidate], times: &str, limits: &MineLimits) -> Vec<Json> {
    let table = ToolTable::standard();
    let writes = |call: &&Call| matches!(table.kind(&call.name), ToolKind::Write | ToolKind::Edit);
    let written: Vec<String> = turn.calls.iter().filter(writes).map(|call| call.args.compact()).collect();
    let results: Vec<&str> = turn.calls.iter().map(|call| call.result.as_str()).collect();
    let evidence = Evidence { results: &results, written: &written, request: &turn.request };
    let contains = |text: &str, why: String| {
        json::object([("type", "contains".into()), ("value", text.into()), ("why", why.into())])
    };
    let everywhere = |text: &str| all.iter().all(|other| folds_into(&other.answer, text));
    let mut out: Vec<Json> = words::carrying(&turn.answer, &evidence, limits.words)
        .into_iter()
        .filter(|(text, _)| everywhere(text))
        .map(|(text, kind)| {
            contains(text, format!("{} of the answer that a tool result holds{times}", kind.as_str()))
        })
        .collect();
    if out.is_empty() && all.len() >= BELIEVE_FROM {
        let others: Vec<&str> = all.iter().map(|other| other.answer.as_str()).collect();
        let common = words::common(&turn.answer, &others, &evidence, BELIEVED_WORDS.min(limits.words));
        out.extend(common.into_iter().map(|(text, kind)| {
            contains(
                text,
                format!("{} that the answer has{times} and the request does not say", kind.as_str()),
            )
        }));
    }
    if out.is_empty() && !turn.calls.is_empty() {
        out.push(json::object([
            ("type", "matches".into()),
            ("value", r"\S".into()),
            ("why", "the turn ended with an answer; none of its words is sure to come again".into()),
        ]));
    }
    out
}

/// What several turns with the same request say together: tools that only bad ones used, and how many calls it takes.
fn bounds(turn: &Candidate, all: &[&Candidate], asked: &Asked) -> Vec<Json> {
    let mut out = Vec::new();
    let seen = all.len();
    if seen >= FORBID_FROM {
        let used = |tool: &str| all.iter().any(|other| other.calls.iter().any(|call| call.name == tool));
        for tool in asked.bad_tools.iter().filter(|tool| !used(tool)) {
            let why = format!(
                "a turn with the same request used it and ended badly; {seen} good ones did without it"
            );
            out.push(json::object([
                ("type", "not_tool_called".into()),
                ("value", tool.as_str().into()),
                ("why", why.into()),
            ]));
        }
    }
    // How often a job is looked after depends on how long it takes.
    let polls = turn.calls.iter().any(|call| call.is_poll);
    if asked.good >= BELIEVE_FROM && asked.most_calls > 0 && !polls {
        let why = format!("none of {} good turns with this request needed more calls", asked.good);
        out.push(json::object([
            ("type", "max_calls".into()),
            ("value", asked.most_calls.into()),
            ("why", why.into()),
        ]));
    }
    out
}

/// The assertions that hold on the turn itself. Redaction, or a value that looks stable and is not, can make one that
/// does not: a record never fails on the session it came from.
pub(super) fn that_hold(turn: &Candidate, asserts: Vec<Json>) -> Vec<Json> {
    let trajectory = cases::recorded(
        turn.calls.iter().map(|call| cases::Recorded {
            name: &call.name,
            args: call.args.to_value(),
            step: call.step,
            outcome: call.outcome.name(),
        }),
        &turn.answer,
    );
    let checker = Checker::new(&trajectory);
    let holds = |asserts: &[Json]| cases::holds(&checker, asserts);
    if holds(&asserts) {
        return asserts;
    }
    asserts.into_iter().filter(|one| holds(std::slice::from_ref(one))).collect()
}

fn ordinal(n: usize) -> String {
    match n {
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        n => format!("{n}th"),
    }
}

fn same(one: &Json, other: &Json) -> bool {
    ["type", "tool", "args"].iter().all(|key| one.get(key) == other.get(key))
}

fn folds_into(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

fn parallel(calls: &[(usize, &Call)]) -> bool {
    calls.windows(2).any(|pair| matches!(pair, [(_, a), (_, b)] if a.step == b.step))
}

/// The orders that hold: one for the whole turn, or, where calls ran in parallel, one through each of them.
fn orders<'c>(calls: &[(usize, &'c Call)]) -> Vec<Vec<&'c str>> {
    let mut groups: Vec<Vec<&str>> = Vec::new();
    let mut last = None;
    for (_, call) in calls {
        match groups.last_mut() {
            Some(group) if last == Some(call.step) => group.push(&call.name),
            _ => groups.push(vec![&call.name]),
        }
        last = Some(call.step);
    }
    if groups.len() < 2 {
        return Vec::new();
    }
    let width = groups.iter().map(Vec::len).max().unwrap_or(0).min(4);
    let mut out: Vec<Vec<&str>> = Vec::new();
    for lane in 0..width {
        let order = groups.iter().filter_map(|group| group.get(lane).or(group.first()).copied()).collect();
        if !out.contains(&order) {
            out.push(order);
        }
    }
    out
}

//! Assertions worth having, each with the reason why it was made.

use std::collections::BTreeSet;

use clawgauge_cases::{Checker, Json};
use clawgauge_transcript::Outcome;

use super::turn::{Call, Candidate};
use super::{MineLimits, volatile, words};
use crate::{cases, json};

/// Longest text of an argument that is asserted.
const ARG_CHARS: usize = 120;
/// Occurrences from which on it is learnt what varies.
const LEARN_FROM: usize = 2;
/// Good occurrences that must have done without a tool before it is forbidden.
const FORBID_FROM: usize = 2;

/// Makes the assertions of a turn, given all occurrences of its content (itself among them) and the tools that turns
/// with the same request used and ended badly.
pub(super) fn make(
    turn: &Candidate,
    all: &[&Candidate],
    bad_tools: Option<&BTreeSet<String>>,
    limits: &MineLimits,
) -> Vec<Json> {
    let seen = all.len();
    let mut out = Vec::new();
    let mut counted: Vec<(usize, &Call)> =
        turn.calls.iter().enumerate().filter(|(_, call)| call.counts()).collect();
    if counted.is_empty() {
        // A search that finds nothing ends with code 1, and that was the answer.
        let found_nothing = |call: &Call| matches!(call.outcome, Outcome::NonZeroExit(_)) && !call.is_poll;
        counted = turn.calls.iter().enumerate().filter(|(_, call)| found_nothing(call)).collect();
    }
    let times = if seen < LEARN_FROM { String::new() } else { format!(" in all {seen} occurrences") };
    for (at, (_, call)) in counted.iter().enumerate() {
        let before = counted.iter().take(at).filter(|(_, other)| other.name == call.name).count();
        let which =
            if before == 0 { String::new() } else { format!(", for the {} time", ordinal(before + 1)) };
        let why = format!("the turn called it{which} on the way to its answer{times}");
        out.push(json::object([
            ("type", "tool_called".into()),
            ("value", call.name.as_str().into()),
            ("why", why.into()),
        ]));
    }
    for order in orders(&counted) {
        let why = if parallel(&counted) {
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
    for (at, call) in &counted {
        let others: Vec<&Json> = all.iter().filter_map(|other| Some(&other.calls.get(*at)?.args)).collect();
        let (args, why) = stable_args(&call.args, &others, &turn.request);
        let item = json::object([
            ("type", "tool_args".into()),
            ("tool", call.name.as_str().into()),
            ("args", Json::Object(args.clone())),
        ]);
        if !args.is_empty() && !out.iter().any(|known| same(known, &item)) {
            let mut item = item;
            item.set("why", why.into());
            out.push(item);
        }
    }
    let results: Vec<&str> = turn.calls.iter().map(|call| call.result.as_str()).collect();
    for (text, kind) in words::carrying(&turn.answer, &results, &turn.request, limits.words) {
        let everywhere = all.iter().all(|other| folds_into(&other.answer, text));
        if everywhere {
            let why = format!("{} of the answer that a tool result holds{times}", kind.as_str());
            out.push(json::object([
                ("type", "contains".into()),
                ("value", text.into()),
                ("why", why.into()),
            ]));
        }
    }
    if seen >= FORBID_FROM {
        let used = |tool: &str| all.iter().any(|other| other.calls.iter().any(|call| call.name == tool));
        for tool in bad_tools.into_iter().flatten().filter(|tool| !used(tool)) {
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
    out
}

/// The assertions that hold on the turn itself. Redaction, or a value that looks stable and is not, can make one that
/// does not: a record never fails on the session it came from.
pub(super) fn that_hold(turn: &Candidate, asserts: Vec<Json>) -> Vec<Json> {
    let trajectory = cases::recorded(
        turn.calls.iter().map(|call| (call.name.as_str(), call.args.to_value(), call.step)),
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

/// The arguments that come again, and why they are thought to.
fn stable_args(args: &Json, all: &[&Json], request: &str) -> (Vec<(String, Json)>, String) {
    let learnt = all.len() >= LEARN_FROM;
    let mut out = Vec::new();
    let mut left_out = Vec::new();
    for (key, value) in args.as_object().unwrap_or_default() {
        let values: Vec<&Json> = all.iter().filter_map(|other| other.get(key)).collect();
        let kept = if key.contains('<') {
            None
        } else if learnt && values.len() == all.len() {
            learnt_value(value, &values)
        } else if learnt {
            None
        } else {
            stable_value(key, value, request)
        };
        match kept {
            Some(kept) => {
                if kept != *value {
                    left_out.push(format!("the rest of `{key}`"));
                }
                out.push((key.clone(), kept));
            }
            None => left_out.push(format!("`{key}`")),
        }
    }
    let mut why = if learnt {
        format!("the same in all {} occurrences", all.len())
    } else {
        "nothing in it looks like a time, an id, a temporary path or a redacted value".to_owned()
    };
    if !left_out.is_empty() {
        let rest = if learnt { "varied or is long" } else { "looks volatile or is long" };
        why.push_str(&format!("; left out, because it {rest}: {}", left_out.join(", ")));
    }
    (out, why)
}

/// What of a value does not look volatile.
fn stable_value(key: &str, value: &Json, request: &str) -> Option<Json> {
    match value {
        Json::Null => None,
        Json::Bool(_) => Some(value.clone()),
        Json::Number(number) => {
            let text = number.to_string();
            let volatile = volatile::is_volatile(&text, request) || volatile::is_volatile_name(key);
            (!volatile).then(|| value.clone())
        }
        Json::String(text) => {
            if volatile::is_volatile_name(key) && !request.contains(text.as_str()) {
                return None;
            }
            stable_text(text, request).map(|piece| Json::String(piece.to_owned()))
        }
        Json::Array(items) => {
            let stable = items.iter().all(|item| stable_value(key, item, request).as_ref() == Some(item));
            stable.then(|| value.clone())
        }
        Json::Object(pairs) => {
            let kept: Vec<(String, Json)> = pairs
                .iter()
                // A name that was redacted is not the session's any more.
                .filter(|(key, _)| !key.contains('<'))
                .filter_map(|(key, value)| Some((key.clone(), stable_value(key, value, request)?)))
                .collect();
            // Only objects as a whole are compared exactly by other tools.
            (kept.len() == pairs.len() && kept.iter().zip(pairs).all(|(a, b)| a == b)).then(|| value.clone())
        }
    }
}

/// The stable piece of a text; of a long one, of its first line.
fn stable_text<'t>(text: &'t str, request: &str) -> Option<&'t str> {
    let text = if text.chars().count() > ARG_CHARS { cut_whole(telling_line(text), request) } else { text };
    let places = volatile::places(text, request);
    if places.is_empty() {
        let trimmed = text.trim();
        return (!trimmed.is_empty()).then_some(trimmed);
    }
    volatile::stable_piece(text, &places)
}

/// What of a value was the same in all occurrences. A placeholder stands for a value that is not known any more.
fn learnt_value(value: &Json, all: &[&Json]) -> Option<Json> {
    let equal = all.iter().all(|other| *other == value);
    match value {
        Json::String(text) => {
            let common = if equal { text.as_str() } else { common_words(text, all)? };
            let long = common.chars().count() > ARG_CHARS;
            let common = if long { cut_whole(telling_line(common), common) } else { common };
            let places: Vec<_> = volatile::places(common, common).into_iter().collect();
            let piece =
                if places.is_empty() { common.trim() } else { volatile::stable_piece(common, &places)? };
            (!piece.is_empty()).then(|| Json::String(piece.to_owned()))
        }
        _ if equal && !value.compact().contains('<') && *value != Json::Null => Some(value.clone()),
        _ => None,
    }
}

/// The beginning of a line, not cut inside a volatile value: half a placeholder would be no placeholder any more.
fn cut_whole<'t>(line: &'t str, request: &str) -> &'t str {
    let cut = json::cut(line, ARG_CHARS);
    let split = |place: &std::ops::Range<usize>| place.start < cut.len() && cut.len() < place.end;
    match volatile::places(line, request).into_iter().find(split) {
        Some(place) => line.get(..place.start).unwrap_or_default(),
        None => cut,
    }
}

/// The first line of a text that says something: not the frame of a patch, a fence or an interpreter's name.
fn telling_line(text: &str) -> &str {
    let frame =
        |line: &str| ["***", "---", "```", "#!", "@@", "diff "].iter().any(|mark| line.starts_with(mark));
    let says = |line: &&str| line.chars().any(char::is_alphanumeric) && !frame(line.trim_start());
    text.lines().find(says).unwrap_or_else(|| text.lines().next().unwrap_or_default())
}

/// The longest beginning or end, in whole words, that all texts share.
fn common_words<'t>(text: &'t str, all: &[&Json]) -> Option<&'t str> {
    let others: Option<Vec<&str>> = all.iter().map(|other| other.as_str()).collect();
    let others = others?;
    let boundary = |at: usize| {
        let around = |c: Option<char>| c.is_none_or(char::is_whitespace);
        around(text.get(..at).and_then(|head| head.chars().next_back()))
            || around(text.get(at..).and_then(|tail| tail.chars().next()))
    };
    let mut start = text.len();
    let mut end = text.len();
    for other in &others {
        start = start.min(text.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count());
        end = end.min(text.bytes().rev().zip(other.bytes().rev()).take_while(|(a, b)| a == b).count());
    }
    let head_at = (0..=start).rev().find(|&at| text.is_char_boundary(at) && boundary(at)).unwrap_or(0);
    let tail_from = text.len() - end;
    let tail_at =
        (tail_from..=text.len()).find(|&at| text.is_char_boundary(at) && boundary(at)).unwrap_or(text.len());
    let head = dangling(text.get(..head_at).unwrap_or_default().trim());
    let tail = text.get(tail_at..).unwrap_or_default().trim();
    let best = if head.len() >= tail.len() { head } else { tail };
    (best.chars().count() >= 3 && best.chars().any(char::is_alphanumeric)).then_some(best)
}

/// A head without the flag that led to what varied.
fn dangling(head: &str) -> &str {
    match head.rsplit_once(char::is_whitespace) {
        Some((before, last)) if last.starts_with('-') => before.trim_end(),
        _ => head,
    }
}

//! The part of a call's arguments that comes again.

use clawgauge_cases::Json;
use clawgauge_transcript::{ToolKind, ToolTable};

use super::turn::Call;
use super::{volatile, words};
use crate::json;

/// Longest text of an argument that is asserted.
const ARG_CHARS: usize = 120;
/// Lines of a text from which on one of them stands for it.
const MANY_LINES: usize = 3;

/// The arguments that come again, and why they are thought to. `all` are the arguments of all occurrences.
pub(super) fn stable(call: &Call, all: &[&Json], request: &str) -> (Vec<(String, Json)>, String) {
    let learnt = all.len() >= super::assertions::LEARN_FROM;
    let kind = ToolTable::standard().kind(&call.name);
    let mut out = Vec::new();
    let mut left_out = Vec::new();
    for (key, value) in call.args.as_object().unwrap_or_default() {
        let values: Vec<&Json> = all.iter().filter_map(|other| other.get(key)).collect();
        let kept = if key.contains('<') {
            None
        } else if learnt && values.len() == all.len() {
            learnt_value(value, &values)
        } else if learnt {
            None
        } else {
            once(key, value, kind, request)
        };
        match kept {
            Some(kept) => {
                let whole = kept == *value
                    || kept.as_str().is_some_and(|kept| value.as_str().map(str::trim) == Some(kept));
                if !whole {
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
        "nothing in it looks like a time, an id, a temporary path or words of the moment".to_owned()
    };
    if !left_out.is_empty() {
        let rest = if learnt { "it varied or is long" } else { "another run may put it otherwise" };
        why.push_str(&format!("; left out, because {rest}: {}", left_out.join(", ")));
    }
    (out, why)
}

/// What of an argument that was seen once is likely to come again. How a model words a task, and how much of a file it
/// quotes to change it, is of the moment.
fn once(key: &str, value: &Json, kind: ToolKind, request: &str) -> Option<Json> {
    let said = value.as_str().is_some_and(|text| !text.trim().is_empty() && request.contains(text.trim()));
    if said {
        return stable_value(key, value, request);
    }
    let is_change = matches!(kind, ToolKind::Write | ToolKind::Edit);
    if is_change && (is_former(key) || matches!(value, Json::Array(_) | Json::Object(_))) {
        return None;
    }
    match value {
        Json::String(text) if kind != ToolKind::Shell && is_worded(key, text) => {
            words::telling(text, request).map(|piece| Json::String(piece.to_owned()))
        }
        Json::String(text) if is_change && text.lines().count() > MANY_LINES => {
            let line = words::closest_line(text, request).unwrap_or_else(|| telling_line(text));
            stable_text(line, request).map(|piece| Json::String(piece.to_owned()))
        }
        _ => stable_value(key, value, request),
    }
}

fn bare(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// Names of arguments that quote what a file held before.
fn is_former(name: &str) -> bool {
    bare(name).starts_with("old")
}

/// Whether an argument is a sentence that the model worded.
fn is_worded(name: &str, text: &str) -> bool {
    const NAMES: [&str; 16] = [
        "task",
        "prompt",
        "message",
        "text",
        "body",
        "description",
        "label",
        "title",
        "reason",
        "summary",
        "note",
        "instructions",
        "question",
        "query",
        "goal",
        "comment",
    ];
    let several = text.split_whitespace().nth(1).is_some();
    let signs = text.chars().filter(|c| matches!(c, '=' | '{' | '}' | '|' | ';' | '<' | '>' | '$')).count();
    several && signs == 0 && NAMES.contains(&bare(name).as_str())
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

//! Pasted lines: logs, traces, code, licences.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::blank_separated;
use crate::speaker::text::{after, cut, lines};

/// How many lines in a row must look like code or a log before a weak likeness counts.
const RUN: usize = 3;

/// Phrases of common licences, in capitals as they are compared.
const LICENCE: [&str; 12] = [
    "WITHOUT WARRANTY OF ANY KIND",
    "WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND",
    "PERMISSION IS HEREBY GRANTED, FREE OF CHARGE",
    "REDISTRIBUTION AND USE IN SOURCE AND BINARY FORMS",
    "REDISTRIBUTIONS OF SOURCE CODE MUST RETAIN",
    "REDISTRIBUTIONS IN BINARY FORM MUST REPRODUCE",
    "LICENSED UNDER THE APACHE LICENSE",
    "GNU GENERAL PUBLIC LICENSE",
    "GNU LESSER GENERAL PUBLIC LICENSE",
    "THIS SOFTWARE IS PROVIDED BY",
    "THE SOFTWARE IS PROVIDED \"AS IS\"",
    "THE ABOVE COPYRIGHT NOTICE AND THIS PERMISSION NOTICE",
];

/// No shorter paragraph is one of a licence.
const LEAST_BYTES: usize = 40;

/// Each licence phrase holds one of these words.
const LICENCE_WORDS: [&str; 6] = ["WARRANT", "GRANTED", "REDISTRIBUTION", "LICENSE", "PROVIDED", "COPYRIGHT"];

/// Characters outside ASCII whose capitals may be a part of those words.
const CAPITALS_IN_ASCII: [&str; 7] =
    ["\u{131}", "\u{17F}", "\u{1E97}", "\u{FB02}", "\u{FB04}", "\u{FB05}", "\u{FB06}"];

/// How much a line looks pasted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likeness {
    /// Blank: it belongs to what is around it.
    Blank,
    /// Typed.
    None,
    /// Code or output, if its neighbours are.
    Weak,
    /// A line that nobody types.
    Strong,
}

/// The lines of logs, traces and code in `text`, in order. `open` is what is not marked otherwise; a run of lines may
/// reach into the rest.
pub(super) fn logs(text: &str, open: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut run: Option<(Range<usize>, usize, bool)> = None;
    let mut close = |run: Option<(Range<usize>, usize, bool)>| {
        if let Some((range, count, strong)) = run
            && (strong || count >= RUN)
        {
            found.push(range);
        }
    };
    let mut gap = 0;
    for (at, line) in lines(text) {
        while open.get(gap).is_some_and(|range| range.end <= at) {
            gap += 1;
        }
        let untouched = open.get(gap).is_some_and(|range| range.start <= at && at + line.len() <= range.end);
        let likeness = if untouched || line.trim().is_empty() { likeness(line) } else { Likeness::None };
        let end = at + line.len();
        match likeness {
            Likeness::Blank => {}
            Likeness::None => close(run.take()),
            Likeness::Weak | Likeness::Strong => {
                let strong = likeness == Likeness::Strong;
                run = Some(match run.take() {
                    Some((range, count, already)) => (range.start..end, count + 1, already || strong),
                    None => (at..end, 1, strong),
                });
            }
        }
    }
    close(run);
    found
}

/// Paragraphs with a licence phrase, and what stands between the first and the last of them.
pub(super) fn licences(text: &str) -> Vec<Range<usize>> {
    let mut first: Option<Range<usize>> = None;
    if text.len() < LEAST_BYTES || !may_hold_licence(text) {
        return Vec::new();
    }
    for range in blank_separated(text) {
        let paragraph = cut(text, range.clone());
        if paragraph.len() < LEAST_BYTES || !may_hold_licence(paragraph) {
            continue;
        }
        let plain: Vec<&str> = paragraph.split_whitespace().collect();
        let plain = plain.join(" ").to_uppercase();
        if LICENCE.iter().any(|phrase| plain.contains(phrase)) {
            let start = first.take().map_or(range.start, |first| first.start);
            first = Some(start..range.end);
        }
    }
    first.into_iter().collect()
}

/// Whether a text holds a word of a licence phrase: few do, and to make capitals of all others would be the most work of all.
fn may_hold_licence(text: &str) -> bool {
    static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let words = LICENCE_WORDS.iter().chain(&CAPITALS_IN_ASCII);
        AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()
    });
    WORDS.as_ref().is_none_or(|words| words.is_match(text))
}

fn likeness(line: &str) -> Likeness {
    let body = line.trim();
    if body.is_empty() {
        return Likeness::Blank;
    }
    if is_strong(line, body) {
        return Likeness::Strong;
    }
    if is_weak(line, body) { Likeness::Weak } else { Likeness::None }
}

fn is_strong(line: &str, body: &str) -> bool {
    // Looked up by the first letter: nearly all lines are compared with a few of them only.
    let starts: &[&str] = match body.bytes().next() {
        Some(b'T') => &["Traceback (most recent call last)", "TRACE "],
        Some(b'C') => &["Caused by: "],
        Some(b'E') => &["Exception in thread ", "ERROR ", "ERROR: "],
        Some(b'n') => &["npm ERR! ", "npm WARN ", "npm warn ", "npm error "],
        Some(b'e') => &["error[E", "error TS"],
        Some(b'f') => &["fatal: "],
        Some(b'p') => &["panic: "],
        Some(b'g') => &["goroutine "],
        Some(b't') => &["thread '"],
        Some(b's') => &["stack backtrace:", "stderr: ", "stdout: "],
        Some(b'[') => &["[ERROR]", "[WARN]", "[INFO]", "[DEBUG]"],
        Some(b'W') => &["WARN ", "WARNING: "],
        Some(b'I') => &["INFO ", "INFO: "],
        Some(b'D') => &["DEBUG ", "DEBUG: "],
        Some(b'F') => &["FATAL ", "FATAL: "],
        Some(b'd') => &["diff --git "],
        Some(b'@') => &["@@ -"],
        _ => &[],
    };
    starts.iter().any(|start| body.starts_with(start))
        || body.strip_prefix("$ ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
        || body.starts_with("at ") && (body.ends_with(')') || has_position(body))
        || body.starts_with("File \"") && body.contains(", line ")
        || body.starts_with("--> ") && has_position(body)
        || is_stamped(body)
        || is_exception(body)
        || line.starts_with("E   ")
}

/// `TypeError: x is not a function`, `java.lang.IllegalStateException: ...`
fn is_exception(body: &str) -> bool {
    let name = body.split([':', ' ']).next().unwrap_or_default();
    (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Warning"))
        && name.len() > 7
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))
        && after(body, name.len()).starts_with(':')
}

/// `src/main.rs:12:5`
fn has_position(body: &str) -> bool {
    let mut parts = body.trim_end_matches(')').rsplit(':');
    let number =
        |part: Option<&str>| part.is_some_and(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
    number(parts.next()) && parts.next().is_some()
}

/// A line that begins with a time: `2026-05-04T09:01:10Z ...`, `[09:01:10] ...`, `May  4 09:01:10 host ...`.
fn is_stamped(body: &str) -> bool {
    let body = body.trim_start_matches(['[', '(']);
    let dated = ["0000-00-00T00:00", "0000-00-00 00:00", "0000/00/00 00:00", "00:00:00"];
    if body.starts_with(|c: char| c.is_ascii_digit()) {
        let shape = shape(body);
        return dated.iter().any(|form| shape.starts_with(form));
    }
    let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    body.get(..3).is_some_and(|start| month.contains(&start))
        && [" 00 00:00:00", "  0 00:00:00"].iter().any(|form| after(&shape(body), 3).starts_with(form))
}

/// The first characters with every digit as a zero.
fn shape(body: &str) -> String {
    body.chars().take(19).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

/// Code, JSON, tables, diffs: one such line may be typed, several in a row are not.
fn is_weak(line: &str, body: &str) -> bool {
    let code_end = body.ends_with([';', '{', '}']) || body.ends_with("},");
    let json = || body.starts_with(['"', '{', '[']) && body.contains("\":") || matches!(body, "},." | "],");
    let table = || body.starts_with('|') && body.ends_with('|');
    let diff = || {
        ["+ ", "- ", "+++", "---"].iter().any(|mark| body.starts_with(mark)) && body.contains(['(', '=', ';'])
    };
    let key_value = || body.contains('=') && !body.contains(' ');
    let level = || {
        ["error:", "warning:", "info:", "debug:", "note:", "help:"]
            .iter()
            .any(|tag| body.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag)))
    };
    code_end
        || matches!(body, "[" | "]")
        || json()
        || table()
        || diff()
        || key_value()
        || is_indented(line, body)
        || is_mostly_signs(body)
        || level()
}

/// Lines that are indented as code is. Lists are typed, however deep they are indented.
fn is_indented(line: &str, body: &str) -> bool {
    let item = || {
        body.split(' ').next().is_some_and(|mark| {
            matches!(mark, "-" | "*" | "•" | "+")
                || mark.strip_suffix(['.', ')']).is_some_and(|n| !n.is_empty() && n.chars().count() <= 2)
        })
    };
    (line.starts_with("    ") || line.starts_with('\t')) && !item()
}

fn is_mostly_signs(body: &str) -> bool {
    // In pieces whose count fits a byte: that is what vector instructions add up.
    let count =
        |piece: &[u8]| usize::from(piece.iter().map(|b| u8::from(b.is_ascii_punctuation())).sum::<u8>());
    let signs: usize = body.as_bytes().chunks(255).map(count).sum();
    signs >= 4 && signs * 2 > body.chars().filter(|c| c.is_alphabetic()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_licence_is_missed_by_its_words() {
        for phrase in LICENCE {
            assert!(LICENCE_WORDS.iter().any(|word| phrase.contains(word)), "{phrase}");
        }
        for c in '\u{80}'..=char::MAX {
            let capitals: String = c.to_uppercase().collect();
            let inside = LICENCE_WORDS.iter().any(|word| {
                // The capitals of a character stand together, so they are inside the word, begin it or end it.
                let cut = |at: usize| word.get(..at).zip(word.get(at..));
                word.contains(&capitals)
                    || (1..word.len())
                        .filter_map(cut)
                        .any(|(start, end)| capitals.ends_with(start) || capitals.starts_with(end))
            });
            let known = CAPITALS_IN_ASCII.iter().any(|known| known.starts_with(c));
            assert!(!inside || known, "{c:?} {capitals:?}");
        }
    }
}

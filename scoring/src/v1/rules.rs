//! The four scores.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::Scores;
use super::message::{Message, Role};
use crate::json::js_round;
use crate::profile::PerDimension;

/// Calls that change something or run something.
const VERIFIABLE: [&str; 7] = ["exec", "bash", "process", "write", "edit", "apply_patch", "cron"];

/// Calls that count as looking at the result. `exec` and `bash` are in both lists.
const VERIFYING: [&str; 5] = ["read", "cat", "head", "exec", "bash"];

/// A verification must follow within this many messages, of any role.
const WINDOW: usize = 4;

/// So many equal calls are a loop.
const LOOP: usize = 3;

/// Signals in the last text, first match wins.
static SIGNALS: LazyLock<[(Option<Regex>, f64); 4]> = LazyLock::new(|| {
    [
        (words("done|completed|finished|ready|all set"), 1.0),
        (words("partial|incomplete|couldn't finish|could not finish"), 0.5),
        (words("failed|unable|cannot|can't"), 0.3),
        (words("error|issue|problem"), 0.4),
    ]
});

/// What counts as the person correcting the agent.
static CORRECTIONS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    words("no|wrong|try again|you forgot|that's not|incorrect|not what I|actually|please fix")
});

/// Whole words in ASCII, case ignored in ASCII: as a JavaScript pattern with `i` but without `u` treats these words. The only
/// other characters that JavaScript would fold onto ASCII letters, it leaves out on purpose (U+017F, U+212A).
fn words(alternatives: &str) -> Option<Regex> {
    Regex::new(&format!(r"(?i-u)\b(?:{alternatives})\b")).ok()
}

fn found(pattern: Option<&Regex>, text: &str) -> bool {
    pattern.is_some_and(|pattern| pattern.is_match(text))
}

/// All four and their mean.
pub(super) fn all(messages: &[Message<'_>]) -> Scores {
    let dimensions = PerDimension {
        accuracy: accuracy(messages),
        completeness: completeness(messages),
        autonomy: autonomy(messages),
        consistency: consistency(messages),
    };
    let PerDimension { accuracy, completeness, autonomy, consistency } = dimensions;
    Scores { dimensions, overall: js_round((accuracy + completeness + autonomy + consistency) / 4.0) }
}

/// The share of verifiable calls that a verifying call follows in one of the next four messages; 1 when there are none.
fn accuracy(messages: &[Message<'_>]) -> f64 {
    let calls = |message: &Message<'_>, names: &[&str]| {
        message
            .calls
            .iter()
            .filter(|call| call.name.as_ref().is_some_and(|name| names.iter().any(|n| name.is(n))))
            .count()
    };
    let verifies: Vec<bool> = messages.iter().map(|message| calls(message, &VERIFYING) > 0).collect();
    let (mut all, mut verified) = (0, 0);
    for (at, message) in messages.iter().enumerate() {
        let count = calls(message, &VERIFIABLE);
        all += count;
        if verifies.iter().skip(at + 1).take(WINDOW).any(|verifies| *verifies) {
            verified += count;
        }
    }
    if all == 0 { 1.0 } else { js_round(share(verified, all)) }
}

/// What the last assistant text that is not blank signals: 0.8 without a signal, 0.5 without a text.
fn completeness(messages: &[Message<'_>]) -> f64 {
    let texts = messages.iter().rev().filter(|message| message.role == Role::Assistant).map(Message::text);
    let Some(last) = texts.into_iter().find(|text| !is_blank(text)) else { return 0.5 };
    SIGNALS.iter().find(|(pattern, _)| found(pattern.as_ref(), &last)).map_or(0.8, |(_, score)| *score)
}

/// One minus the share of user texts that hold a word of correction; 1 when there are none.
fn autonomy(messages: &[Message<'_>]) -> f64 {
    let mut texts = 0;
    let mut corrections = 0;
    for text in messages.iter().filter(|message| message.role == Role::User).map(Message::text) {
        if !is_blank(&text) {
            texts += 1;
            corrections += usize::from(found(CORRECTIONS.as_ref(), &text));
        }
    }
    if texts == 0 { 1.0 } else { js_round(1.0 - share(corrections, texts)) }
}

/// 0 when the same call was made three times anywhere in the session, else 1.
fn consistency(messages: &[Message<'_>]) -> f64 {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for call in messages.iter().flat_map(|message| &message.calls) {
        let count = counts.entry(&call.key).or_default();
        *count += 1;
        if *count >= LOOP {
            return 0.0;
        }
    }
    1.0
}

#[allow(clippy::cast_precision_loss, reason = "counts of messages in memory")]
fn share(part: usize, all: usize) -> f64 {
    part as f64 / all as f64
}

/// Whether `trim()` of JavaScript leaves nothing: U+FEFF is blank there, U+0085 is not.
fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c != '\u{85}' && (c.is_whitespace() || c == '\u{FEFF}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(SIGNALS.iter().all(|(pattern, _)| pattern.is_some()));
        assert!(CORRECTIONS.is_some());
    }
}

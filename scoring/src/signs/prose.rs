//! A text with what is no prose taken out.

use std::borrow::Cow;
use std::ops::Range;

use clawgauge_transcript::{NotTyped, TypedLimits, TypedText};

/// The text with everything outside `parts`, and inside them code, quotes, logs and what is too long to be typed, replaced
/// byte for byte: what stands inside a sentence by a word, the rest by line ends. Ranges of the result are ranges of the
/// text. `O(n log n)`.
pub(super) fn prose(text: &str, parts: &[Range<usize>], limits: &TypedLimits) -> String {
    let mut out = String::with_capacity(text.len());
    for part in parts {
        let Some(piece) = text.get(part.clone()) else { continue };
        blank(&mut out, part.start, "\n");
        let typed = TypedText::with_limits(piece, limits);
        let mut at = 0;
        for (range, why) in typed.excluded() {
            out.push_str(piece.get(at..range.start).unwrap_or_default());
            let inside = matches!(why, NotTyped::InlineCode | NotTyped::QuotedString | NotTyped::Address);
            let end = part.start + range.end;
            blank(&mut out, end, if inside { "x" } else { "\n" });
            at = range.end;
        }
        out.push_str(piece.get(at..).unwrap_or_default());
    }
    blank(&mut out, text.len(), "\n");
    out
}

/// The prose of what an agent wrote, however long it is.
pub(super) fn of_agent(text: &str) -> String {
    let mut limits = TypedLimits::default();
    limits.paragraph = usize::MAX;
    limits.message = usize::MAX;
    let text = without_answer_tags(text);
    let all = 0..text.len();
    prose(&text, std::slice::from_ref(&all), &limits)
}

/// Elements in which models are told to put their own words: no quotes, though they look like pasted ones.
const ANSWER_TAGS: [&str; 8] = [
    "<answer>",
    "</answer>",
    "<final_answer>",
    "</final_answer>",
    "<response>",
    "</response>",
    "<summary>",
    "</summary>",
];

/// The text with such tags as line ends, byte for byte.
fn without_answer_tags(text: &str) -> Cow<'_, str> {
    if !ANSWER_TAGS.iter().any(|tag| text.contains(tag)) {
        return Cow::Borrowed(text);
    }
    let mut text = text.to_owned();
    for tag in ANSWER_TAGS {
        text = text.replace(tag, &"\n".repeat(tag.len()));
    }
    Cow::Owned(text)
}

/// The prose of what an agent wrote, and how many characters of the text it is.
pub(super) fn of_agent_counted(text: &str) -> (String, usize) {
    let prose = of_agent(text);
    // What was taken out is a run of fillers, one a byte; what an agent writes has neither long runs of `x` nor of line ends.
    let mut count = 0;
    let mut last = '\0';
    for c in prose.chars() {
        count += usize::from(!(c == last && matches!(c, 'x' | '\n')));
        last = c;
    }
    (prose, count)
}

fn blank(out: &mut String, to: usize, with: &str) {
    for _ in out.len()..to {
        out.push_str(with);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_its_tags_is_prose() {
        let text = "Done.\n<answer>\nI am sorry, it is `x`.\n</answer>\n<log>\nsorry\n</log>";
        let prose = of_agent(text);
        assert_eq!(prose.find("I am sorry"), text.find("I am sorry"));
        assert_eq!(prose.matches("sorry").count(), 1, "{prose}");
    }

    #[test]
    fn ranges_stay_and_code_goes() {
        let text = "the `wrong` one\n```\nno\n```\n> wrong\nsaid \"no\" é";
        let prose = of_agent(text);
        assert_eq!(prose.len(), text.len());
        assert!(!prose.contains("wrong") && !prose.contains("no\n"), "{prose}");
        assert_eq!(prose.find("one"), text.find("one"));
        assert_eq!(prose.find('é'), text.find('é'));
    }
}

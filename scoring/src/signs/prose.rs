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
    let text = without_answer_tags(text);
    let all = 0..text.len();
    prose(&text, std::slice::from_ref(&all), &whole_limits())
}

fn whole_limits() -> TypedLimits {
    let mut limits = TypedLimits::default();
    limits.paragraph = usize::MAX;
    limits.message = usize::MAX;
    limits
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
    if !text.contains('<') || !ANSWER_TAGS.iter().any(|tag| text.contains(tag)) {
        return Cow::Borrowed(text);
    }
    let mut text = text.to_owned();
    for tag in ANSWER_TAGS {
        text = text.replace(tag, &"\n".repeat(tag.len()));
    }
    Cow::Owned(text)
}

/// What stands somewhere in a text, told in one walk over its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held(u8);

impl Held {
    /// What code, quotes and addresses begin with.
    const APART: u8 = 1;
    /// What a tool call that became text holds.
    const CALL: u8 = 2;

    /// `O(bytes)`.
    pub(super) fn of(text: &str) -> Self {
        let mut held = 0;
        let mut before = b' ';
        for byte in text.bytes() {
            held |= match byte {
                b'<' => Self::APART | Self::CALL,
                b'[' | b'=' => Self::CALL,
                // An apostrophe inside a word opens no quote.
                b'\'' if before.is_ascii_alphanumeric() => 0,
                // All of U+00C0 to U+00FF, which 0xC3 begins, are letters; the marks of quotes lie outside.
                b'`' | b'~' | b'>' | b'&' | b':' | b'"' | b'\'' | 0xC0..=0xC2 | 0xC4.. => Self::APART,
                _ => 0,
            };
            before = byte;
        }
        Self(held)
    }

    pub(super) const fn may_be_call(self) -> bool {
        self.0 & Self::CALL != 0
    }

    const fn is_whole(self) -> bool {
        self.0 & Self::APART == 0
    }
}

/// How many characters of what an agent wrote are neither code nor quotes nor addresses. `held`: what the text holds.
pub(super) fn chars(text: &str, held: Held) -> usize {
    if held.is_whole() {
        return text.chars().count();
    }
    let tags: usize = ANSWER_TAGS.iter().map(|tag| text.matches(tag).count() * tag.len()).sum();
    let text = without_answer_tags(text);
    let typed = TypedText::with_limits(&text, &whole_limits());
    let apart = typed.excluded().iter().filter(|(_, why)| {
        matches!(
            why,
            NotTyped::Fence
                | NotTyped::InlineCode
                | NotTyped::BlockQuote
                | NotTyped::QuotedString
                | NotTyped::Address
        )
    });
    let count = |piece: &str| piece.chars().count();
    let apart: usize = apart.map(|(range, _)| text.get(range.clone()).map_or(0, count)).sum();
    count(&text).saturating_sub(apart + tags)
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
    fn characters_without_code_quotes_and_addresses() {
        for (text, count) in [
            ("", 0),
            ("It's done.", 10),
            ("Größe", 5),
            ("the `wrong` one", 8),
            ("see https://example.org/a now", 8),
            ("> cited\nown", 4),
            ("he said “no” twice", 14),
            ("<answer>\nyes\n</answer>", 5),
            // A log that is in no fence is something that the agent wrote.
            ("2026-05-04 09:01:10 started", 27),
        ] {
            assert_eq!(chars(text, Held::of(text)), count, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_told_apart_at_a_glance_is_the_same_as_at_length(
            text in r#"(a|b's|é|ß|«|»|“|”|'|"|`|:|/|//|<b>|>|&gt;|~~~|.|\n| |x://y|ō){0,24}"#
        ) {
            proptest::prop_assert_eq!(chars(&text, Held::of(&text)), chars(&text, Held(u8::MAX)));
        }
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

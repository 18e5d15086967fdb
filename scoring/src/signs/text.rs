//! Words of a message: where they stand in the entry, and their sentences.

use std::borrow::Cow;
use std::ops::Range;

use clawgauge_transcript::{Block, Entry, Step, TextBlock};

/// The text of an entry's text blocks, joined by line feeds, and where its bytes stand in the entry's raw text.
#[derive(Debug, Clone)]
pub(crate) struct Words<'t> {
    pub(crate) entry: &'t Entry<'t>,
    text: Cow<'t, str>,
    blocks: Vec<Piece>,
}

#[derive(Debug, Clone)]
struct Piece {
    /// In the joined text.
    text: Range<usize>,
    /// In the raw text, without the quotes.
    raw: Range<usize>,
}

impl<'t> Words<'t> {
    /// `O(length)`; borrows when there is one block without escapes.
    pub(crate) fn new(entry: &'t Entry<'t>, blocks: impl Iterator<Item = TextBlock<'t>>) -> Self {
        let mut words = Self { entry, text: Cow::Borrowed(""), blocks: Vec::new() };
        for block in blocks {
            let text = block.text();
            if text.is_empty() {
                continue;
            }
            if words.text.is_empty() {
                words.text = text;
            } else {
                let joined = words.text.to_mut();
                joined.push('\n');
                joined.push_str(&text);
            }
            let from = words.blocks.last().map_or(0, |last| last.text.end + 1);
            let raw = block.range();
            words.blocks.push(Piece {
                text: from..words.text.len(),
                raw: raw.start.saturating_add(1)..raw.end.saturating_sub(1),
            });
        }
        words
    }

    /// All words of a step, comments beside its calls included.
    pub(crate) fn of_step(step: &Step<'t>) -> Self {
        let blocks = step.message.blocks().filter_map(|block| match block {
            Block::Text(text) => Some(text),
            _ => None,
        });
        Self::new(step.entry, blocks)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the raw text that `range` of the text is written in. A range over several blocks ends with the first.
    pub(crate) fn raw_range(&self, range: Range<usize>) -> Range<usize> {
        let Some(piece) = self.blocks.iter().find(|piece| range.start < piece.text.end) else {
            return 0..self.entry.raw().len();
        };
        let from = range.start.max(piece.text.start) - piece.text.start;
        let to = range.end.clamp(piece.text.start, piece.text.end) - piece.text.start;
        let escaped = piece.raw.len() != piece.text.len();
        if !escaped {
            return piece.raw.start + from..piece.raw.start + to.max(from);
        }
        let raw = self.entry.raw().get(piece.raw.clone()).unwrap_or_default();
        let mut at = EscapedAt::new(raw);
        let start = at.advance(from);
        let end = at.advance(to.max(from));
        piece.raw.start + start..piece.raw.start + end
    }
}

/// Walks an escaped JSON string and counts the bytes it decodes to.
struct EscapedAt<'r> {
    raw: &'r str,
    at: usize,
    decoded: usize,
}

impl<'r> EscapedAt<'r> {
    const fn new(raw: &'r str) -> Self {
        Self { raw, at: 0, decoded: 0 }
    }

    /// The raw offset at which `decoded` bytes are written.
    fn advance(&mut self, decoded: usize) -> usize {
        while self.decoded < decoded {
            let (raw, text) = self.next();
            if raw == 0 {
                break;
            }
            self.at += raw;
            self.decoded += text;
        }
        self.at
    }

    /// The raw and decoded lengths of what comes next.
    fn next(&self) -> (usize, usize) {
        let rest = self.raw.get(self.at..).unwrap_or_default();
        let Some(first) = rest.chars().next() else { return (0, 0) };
        if first != '\\' {
            return (first.len_utf8(), first.len_utf8());
        }
        let Some(unit) = unit(rest) else { return (rest.len().min(2), 1) };
        if (0xD800..0xDC00).contains(&unit)
            && rest.get(6..).and_then(self::unit).is_some_and(|low| (0xDC00..0xE000).contains(&low))
        {
            return (12, 4);
        }
        // Half a surrogate pair decodes to U+FFFD.
        (6, char::from_u32(unit).unwrap_or('\u{FFFD}').len_utf8())
    }
}

/// The code unit of a `\uXXXX` at the beginning.
fn unit(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

/// A sentence: a range of a text, and whether it asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence<'s> {
    /// The sentence with its final mark, without the space around.
    pub(crate) text: &'s str,
    /// Where it begins in the text it was cut from.
    pub(crate) start: usize,
    /// It ends with a question mark.
    pub(crate) asks: bool,
}

impl Sentence<'_> {
    /// Where it stands in the text it was cut from.
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// Cuts a text into sentences: at line ends, and after `.`, `!`, `?`, `;`, `…` before a space, and at their wide forms.
/// What is shorter than two words ("No. Use the other one.") belongs to what follows on the same line. `O(n)`.
pub(crate) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut from = 0;
    while let Some((at, c)) = next_mark(text, from) {
        let end = at + c.len_utf8();
        from = end;
        let next = || text.get(end..).and_then(|rest| rest.chars().next());
        let cut = match c {
            '\n' | '\r' => true,
            '.' | '!' | '?' | ';' | '…' => {
                next().is_none_or(char::is_whitespace)
                    && (c == '?' || text.get(start..at).is_some_and(has_two_words))
            }
            '。' | '！' | '？' | '；' => !matches!(next(), Some('。' | '！' | '？' | '”' | '」')),
            _ => false,
        };
        if cut {
            push(text, start..end, &mut found);
            start = end;
        }
    }
    push(text, start..text.len(), &mut found);
    found
}

/// The next character that may end a sentence: a line end, a mark, or any outside ASCII.
fn next_mark(text: &str, from: usize) -> Option<(usize, char)> {
    let rest = text.get(from..)?;
    let is_mark = |byte: u8| !byte.is_ascii() || matches!(byte, b'\n' | b'\r' | b'.' | b'!' | b'?' | b';');
    let at = from + rest.bytes().position(is_mark)?;
    Some((at, text.get(at..)?.chars().next()?))
}

fn has_two_words(text: &str) -> bool {
    text.split_whitespace().nth(1).is_some() || !text.is_ascii()
}

fn push<'s>(text: &'s str, range: Range<usize>, found: &mut Vec<Sentence<'s>>) {
    let Some(piece) = text.get(range.clone()) else { return };
    let trimmed = piece.trim();
    if trimmed.is_empty() {
        return;
    }
    let start = range.start + (piece.len() - piece.trim_start().len());
    let end = trimmed.trim_end_matches(['"', '\'', ')', '”', '」', '*', '_', ' ']);
    found.push(Sentence { text: trimmed, start, asks: end.ends_with(['?', '？']) });
}

/// The end of the last clause that is complete before `at`: clauses end with commas, colons, dashes and sentence marks.
pub(crate) fn clause_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let cut = before.char_indices().rev().find(|&(at, c)| match c {
        ',' | ';' | ':' | '.' | '!' | '?' => {
            before.get(at + 1..).is_none_or(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
        }
        '，' | '；' | '：' | '。' | '！' | '？' | '、' | '—' | '–' | '(' | '（' | '\n' => true,
        _ => false,
    });
    cut.map_or(0, |(at, c)| at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clawgauge_transcript::Transcript;

    #[test]
    fn sentences_end_where_people_end_them() {
        let cut = |text| sentences(text).into_iter().map(|s| (s.text, s.asks)).collect::<Vec<_>>();
        assert_eq!(
            cut("No. Use v1.2 of it! Why?\nfine"),
            [("No. Use v1.2 of it!", false), ("Why?", true), ("fine", false)]
        );
        assert_eq!(cut("错了。为什么？好"), [("错了。", false), ("为什么？", true), ("好", false)]);
        assert!(cut(" \n ").is_empty());
    }

    #[test]
    fn a_range_of_the_text_is_found_in_the_raw_row() {
        let file = r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":[{"type":"text","text":"say \"né\u00e9\" \ud83d\ude00 now"},{"type":"text","text":"plain"}]}}"#;
        let transcript = Transcript::from_str(file);
        let entry = &transcript.entries()[0];
        let blocks = entry.message().unwrap().blocks().filter_map(|block| match block {
            Block::Text(text) => Some(text),
            _ => None,
        });
        let words = Words::new(entry, blocks);
        assert_eq!(words.text(), "say \"néé\" 😀 now\nplain");
        for (piece, written) in [
            ("say", "say"),
            ("\"néé\"", r#"\"né\u00e9\""#),
            ("😀 now", r"\ud83d\ude00 now"),
            ("plain", "plain"),
        ] {
            let start = words.text().find(piece).unwrap();
            let raw = words.raw_range(start..start + piece.len());
            assert_eq!(entry.raw().get(raw), Some(written));
        }
    }
}

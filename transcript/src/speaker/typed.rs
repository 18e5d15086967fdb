//! What of a message the person typed: the text without code, quotes, logs and other pasted pieces.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use super::text::{after, cut, lines};

mod paste;

/// Why a piece of a message does not count as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NotTyped {
    /// A fenced code block, or an element such as `<log>` ... `</log>` around lines.
    Fence,
    /// Code in backticks.
    InlineCode,
    /// Lines that begin with `>`.
    BlockQuote,
    /// A text in quotation marks.
    QuotedString,
    /// A web address.
    Address,
    /// Lines of a log, a stack trace, a compiler, a diff, or code.
    Log,
    /// A paragraph of a licence.
    Licence,
    /// A paragraph or a message too long to be typed.
    TooLong,
}

/// Where a text is too long to be typed. Lengths are in characters where nothing else is
/// said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TypedLimits {
    /// A longer paragraph is pasted. Default 1,200: about two hundred words of English.
    pub paragraph: usize,
    /// Of a message whose typed paragraphs are longer together, only the first and the last count: that is where
    /// people say what they want with what they pasted. Default 4,000.
    pub message: usize,
    /// A longer text in quotation marks is not looked for: a stray mark must not swallow a message. In bytes.
    /// Default 600.
    pub quoted_string: usize,
}

impl Default for TypedLimits {
    fn default() -> Self {
        Self { paragraph: 1_200, message: 4_000, quoted_string: 600 }
    }
}

/// The typed and the other pieces of a text.
#[derive(Clone, PartialEq, Eq)]
pub struct TypedText<'a> {
    text: &'a str,
    typed: Vec<Range<usize>>,
    excluded: Vec<(Range<usize>, NotTyped)>,
}

impl<'a> TypedText<'a> {
    /// The bytes of the typed pieces, in order, none empty, none touching another, all on character boundaries.
    /// A piece may be only space.
    #[must_use]
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.typed
    }

    /// The typed pieces.
    pub fn pieces(&self) -> impl Iterator<Item = &'a str> {
        self.typed.iter().map(|range| cut(self.text, range.clone()))
    }

    /// The pieces that were left out, in order, and why. Together with [`ranges`](Self::ranges) they are the text.
    #[must_use]
    pub fn excluded(&self) -> &[(Range<usize>, NotTyped)] {
        &self.excluded
    }
}

impl fmt::Debug for TypedText<'_> {
    /// Where the pieces are; never content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("TypedText");
        shown.field("typed", &self.typed).field("excluded", &self.excluded).finish_non_exhaustive()
    }
}

/// Finds what a person typed, with the default [`TypedLimits`]. O(n log n) in the worst case.
///
/// ```
/// use clawgauge_transcript::typed_text;
///
/// let text = "here is the log:\n```\nwrong checksum, try again\n```\nwhat does `wrong` mean?";
/// let typed: Vec<&str> = typed_text(text).pieces().collect();
/// assert_eq!(typed, ["here is the log:\n", "\nwhat does ", " mean?"]);
/// ```
#[must_use]
pub fn typed_text(text: &str) -> TypedText<'_> {
    TypedText::with_limits(text, &TypedLimits::default())
}

impl<'a> TypedText<'a> {
    /// Finds what a person typed.
    #[must_use]
    pub fn with_limits(text: &'a str, limits: &TypedLimits) -> Self {
        Self::holding(text, limits, Holds::of(text))
    }

    /// The same; only what `holds` names is looked for: most messages hold few of the signs, and each search is a walk of its own.
    fn holding(text: &'a str, limits: &TypedLimits, holds: Holds) -> Self {
        let mut marks = Marks { text, pieces: Vec::new() };
        if holds.any(Holds::FENCE) {
            marks.fences();
        }
        if holds.any(Holds::LESS) {
            marks.elements();
        }
        if holds.any(Holds::FENCE) {
            marks.code_spans();
        }
        if holds.any(Holds::MORE) {
            marks.quoted_lines();
        }
        marks.add_all(paste::licences(text), NotTyped::Licence);
        marks.add_all(paste::logs(text, &marks.gaps()), NotTyped::Log);
        if holds.any(Holds::COLON) {
            marks.addresses();
        }
        if holds.any(Holds::QUOTE) {
            marks.quoted_strings(limits.quoted_string);
        }
        // No text has more characters than bytes.
        if text.len() > limits.paragraph.min(limits.message) {
            marks.too_long(limits);
        }
        let typed = marks.gaps();
        Self { text, typed, excluded: marks.pieces }
    }
}

/// The signs that a text holds.
#[derive(Clone, Copy)]
struct Holds(u8);

impl Holds {
    /// A backtick or a tilde.
    const FENCE: u8 = 1;
    const LESS: u8 = 2;
    /// What quoted lines begin with: `>`, or the `&` of `&gt;`.
    const MORE: u8 = 4;
    const COLON: u8 = 8;
    /// A straight quotation mark, or the first byte of one outside ASCII.
    const QUOTE: u8 = 16;

    fn of(text: &str) -> Self {
        const SIGNS: [u8; 256] = {
            let mut signs = [0; 256];
            let mut byte = 0;
            while byte < 256 {
                #[expect(clippy::indexing_slicing, reason = "at compile time, below the length")]
                {
                    signs[byte] = match byte as u8 {
                        b'`' | b'~' => Holds::FENCE,
                        b'<' => Holds::LESS,
                        b'>' | b'&' => Holds::MORE,
                        b':' => Holds::COLON,
                        b'"' | b'\'' | 0xC2 | 0xE2 | 0xE3 => Holds::QUOTE,
                        _ => 0,
                    };
                }
                byte += 1;
            }
            signs
        };
        Self(text.bytes().fold(0, |held, byte| held | SIGNS.get(usize::from(byte)).copied().unwrap_or(0)))
    }

    const fn any(self, signs: u8) -> bool {
        self.0 & signs != 0
    }
}

/// Pieces that do not count, in order and without overlap.
struct Marks<'a> {
    text: &'a str,
    pieces: Vec<(Range<usize>, NotTyped)>,
}

impl Marks<'_> {
    /// Adds what of `ranges` (in order) is not marked yet.
    fn add_all(&mut self, ranges: Vec<Range<usize>>, why: NotTyped) {
        let fresh: Vec<_> = ranges.into_iter().filter(|range| range.start < range.end).collect();
        if fresh.is_empty() {
            return;
        }
        let gaps = self.gaps();
        let mut at = 0;
        for range in fresh {
            while gaps.get(at).is_some_and(|gap| gap.end <= range.start) {
                at += 1;
            }
            for gap in gaps.iter().skip(at).take_while(|gap| gap.start < range.end) {
                self.pieces.push((gap.start.max(range.start)..gap.end.min(range.end), why));
            }
        }
        self.pieces.sort_by_key(|(range, _)| range.start);
    }

    /// The pieces between the marked ones.
    fn gaps(&self) -> Vec<Range<usize>> {
        let mut gaps = Vec::new();
        let mut at = 0;
        for (range, _) in &self.pieces {
            if at < range.start {
                gaps.push(at..range.start);
            }
            at = at.max(range.end);
        }
        if at < self.text.len() {
            gaps.push(at..self.text.len());
        }
        gaps
    }

    /// Fenced blocks (CommonMark 4.5); an open fence runs to the end.
    fn fences(&mut self) {
        let mut found = Vec::new();
        let mut open: Option<(usize, char, usize)> = None;
        for (at, line) in lines(self.text) {
            let body = line.trim_start_matches(' ');
            let indent = line.len() - body.len();
            let mark = body.chars().next().filter(|c| matches!(c, '`' | '~'));
            let run = mark.map_or(0, |mark| body.len() - body.trim_start_matches(mark).len());
            match open {
                None => {
                    let Some(mark) = mark else { continue };
                    // Backticks again on the line make it a code span.
                    let info = after(body, run);
                    if indent < 4 && run >= 3 && !(mark == '`' && info.contains('`')) {
                        open = Some((at, mark, run));
                    }
                }
                Some((start, kind, length)) => {
                    if Some(kind) == mark && run >= length && after(body, run).trim().is_empty() {
                        found.push(start..at + line.len());
                        open = None;
                    }
                }
            }
        }
        found.extend(open.map(|(start, ..)| start..self.text.len()));
        self.add_all(found, NotTyped::Fence);
    }

    /// `<log>` and `</log>` on lines of their own around pasted lines.
    fn elements(&mut self) {
        let mut found = Vec::new();
        let mut closings: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
        for (at, line) in lines(self.text) {
            if let Some(name) = line.trim().strip_prefix("</").and_then(|rest| rest.strip_suffix('>')) {
                closings.entry(name).or_default().push((at, at + line.len()));
            }
        }
        if closings.is_empty() {
            return;
        }
        let mut until = 0;
        for (at, line) in lines(self.text) {
            if at < until {
                continue;
            }
            let Some(tag) = line.trim().strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) else {
                continue;
            };
            let name = tag.split([' ', '\t']).next().unwrap_or(tag);
            let Some(ends) = closings.get(name) else { continue };
            let next = ends.partition_point(|(start, _)| *start <= at);
            if let Some((_, end)) = ends.get(next) {
                found.push(at..*end);
                until = *end;
            }
        }
        self.add_all(found, NotTyped::Fence);
    }

    /// Code spans: a run of backticks up to the next run of the same length. Three or more may enclose blank lines,
    /// and run to the end when they are not closed: chat programs flatten fences to that.
    fn code_spans(&mut self) {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for gap in self.gaps() {
            let mut at = gap.start;
            while let Some(found) = cut(self.text, at..gap.end).find('`') {
                let start = at + found;
                let rest = cut(self.text, start..gap.end);
                let length = rest.len() - rest.trim_start_matches('`').len();
                runs.push((start, length));
                at = start + length;
            }
        }
        let mut by_length: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (start, length) in &runs {
            by_length.entry(*length).or_default().push(*start);
        }
        let mut found = Vec::new();
        let mut until = 0;
        for (start, length) in runs {
            if start < until {
                continue;
            }
            let starts = by_length.get(&length).map_or(&[][..], Vec::as_slice);
            let close = starts.get(starts.partition_point(|other| *other <= start)).copied();
            let end = match close {
                Some(close) if length >= 3 || !has_blank_line(cut(self.text, start..close)) => close + length,
                None if length >= 3 => self.text.len(),
                _ => continue,
            };
            found.push(start..end);
            until = end;
        }
        self.add_all(found, NotTyped::InlineCode);
    }

    fn quoted_lines(&mut self) {
        let mut found = Vec::new();
        for (at, line) in lines(self.text) {
            let body = line.trim_start();
            if body.starts_with('>') || body.starts_with("&gt;") {
                found.push(at..at + line.len());
            }
        }
        self.add_all(found, NotTyped::BlockQuote);
    }

    fn addresses(&mut self) {
        let mut found = Vec::new();
        for gap in self.gaps() {
            let mut at = gap.start;
            while let Some(scheme) = cut(self.text, at..gap.end).find("://") {
                let middle = at + scheme;
                let head = cut(self.text, at..middle);
                let name = head.len() - head.trim_end_matches(|c: char| c.is_ascii_alphanumeric()).len();
                let rest = cut(self.text, middle + 3..gap.end);
                let tail = rest
                    .find(|c: char| c.is_whitespace() || matches!(c, '>' | '"' | '`'))
                    .unwrap_or(rest.len());
                let end = middle + 3 + tail;
                if name > 0 && tail > 0 {
                    found.push(middle - name..end);
                }
                at = end;
            }
        }
        self.add_all(found, NotTyped::Address);
    }

    /// Texts in quotation marks. An opening mark follows space or a bracket, so that inches and apostrophes are none.
    fn quoted_strings(&mut self, limit: usize) {
        let mut found = Vec::new();
        for gap in self.gaps() {
            let text = cut(self.text, gap.clone());
            let mut closings = Closings::default();
            let mut from = 0;
            while let Some((at, c, close)) = next_opening(text, from) {
                let body = at + c.len_utf8();
                from = body;
                let previous = super::text::before(text, at).chars().next_back().unwrap_or(' ');
                let own_pair = c != close;
                let free =
                    previous.is_whitespace() || "([{—–:=,;/*_".contains(previous) || !previous.is_ascii();
                if !(free || own_pair && !matches!(c, '‘')) {
                    continue;
                }
                if after(text, body).starts_with(char::is_whitespace) && !own_pair {
                    continue;
                }
                if let Some(end) = closings.find(text, body, close, limit) {
                    found.push(gap.start + at..gap.start + end);
                    from = end;
                }
            }
        }
        self.add_all(found, NotTyped::QuotedString);
    }

    fn too_long(&mut self, limits: &TypedLimits) {
        let mut paragraphs: Vec<(Range<usize>, usize)> = Vec::new();
        let mut long = Vec::new();
        for range in blank_separated(self.text) {
            let typed: usize = self.gaps_in(&range).map(|gap| cut(self.text, gap).chars().count()).sum();
            if typed > limits.paragraph {
                long.push(range);
            } else if typed > 0 {
                paragraphs.push((range, typed));
            }
        }
        let all: usize = paragraphs.iter().map(|(_, typed)| typed).sum();
        if all > limits.message && paragraphs.len() > 2 {
            let inner = paragraphs.len() - 2;
            long.extend(paragraphs.into_iter().skip(1).take(inner).map(|(range, _)| range));
            long.sort_by_key(|range| range.start);
        }
        self.add_all(long, NotTyped::TooLong);
    }

    fn gaps_in<'r>(&self, range: &'r Range<usize>) -> impl Iterator<Item = Range<usize>> + use<'r> {
        let from = self.pieces.partition_point(|(piece, _)| piece.end <= range.start);
        let inside: Vec<_> = self
            .pieces
            .iter()
            .skip(from)
            .map(|(piece, _)| piece.clone())
            .take_while(|piece| piece.start < range.end)
            .collect();
        let mut at = range.start;
        let end = range.end;
        let mut pieces = inside.into_iter();
        let mut done = false;
        std::iter::from_fn(move || {
            while !done {
                match pieces.next() {
                    Some(piece) => {
                        let gap = at..piece.start.min(end);
                        at = at.max(piece.end);
                        if gap.start < gap.end {
                            return Some(gap);
                        }
                    }
                    None => {
                        done = true;
                        if at < end {
                            return Some(at..end);
                        }
                    }
                }
            }
            None
        })
    }
}

/// The next mark from `from` on that may open a quotation, where it stands, and what closes it.
fn next_opening(text: &str, from: usize) -> Option<(usize, char, char)> {
    let mut chars = after(text, from).char_indices();
    chars.find_map(|(at, c)| Some((from + at, c, closing_mark(c)?)))
}

fn closing_mark(open: char) -> Option<char> {
    Some(match open {
        '"' => '"',
        '\'' => '\'',
        '“' | '„' => '”',
        '‘' => '’',
        '«' => '»',
        '「' => '」',
        '『' => '』',
        '《' => '》',
        '‹' => '›',
        _ => return None,
    })
}

/// Looks for the ends of quotations, and remembers where none is: each byte is looked at once for each kind of mark.
#[derive(Default)]
struct Closings {
    /// Up to where no closing mark of this kind stands.
    none_before: BTreeMap<char, usize>,
}

impl Closings {
    /// The end, behind its mark, of the quotation that begins at `from`. It stays in its paragraph and in the limit.
    fn find(&mut self, text: &str, from: usize, close: char, limit: usize) -> Option<usize> {
        let until = from.saturating_add(limit);
        let start = self.none_before.get(&close).copied().unwrap_or(0).max(from);
        let mut previous = super::text::before(text, start).chars().next_back().unwrap_or(' ');
        for (at, c) in after(text, start).char_indices() {
            let at = start + at;
            if at >= until || (c == '\n' && next_line_is_blank(after(text, at + 1))) {
                self.none_before.insert(close, at);
                return None;
            }
            // German closes with the mark that English opens with.
            let closes = c == close || (close == '”' && c == '“');
            if closes && at > from {
                let straight = matches!(close, '"' | '\'' | '’');
                let next = after(text, at + c.len_utf8()).chars().next();
                let ends_word = next.is_none_or(|next| !next.is_alphanumeric() || !next.is_ascii());
                if !straight || (ends_word && !previous.is_whitespace()) {
                    return Some(at + c.len_utf8());
                }
            }
            previous = c;
        }
        self.none_before.insert(close, text.len());
        None
    }
}

fn next_line_is_blank(text: &str) -> bool {
    text.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
}

fn has_blank_line(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find('\n') {
        rest = after(rest, at + 1);
        if next_line_is_blank(rest) {
            return true;
        }
    }
    false
}

/// The paragraphs of a text.
fn blank_separated(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    for (at, line) in lines(text) {
        if line.trim().is_empty() {
            found.extend(open.take());
        } else {
            let start = open.take().map_or(at, |range| range.start);
            open = Some(start..at + line.len());
        }
    }
    found.extend(open);
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "a word ",
            "no\n",
            "\n\n",
            "```\n",
            "~~~\n",
            "`",
            "``",
            "> ",
            "&gt; ",
            "<log>\n",
            "</log>\n",
            "<",
            ">",
            "&",
            "https://a.b/c ",
            "://",
            ":",
            " \"",
            "\" ",
            " 'x' ",
            "“é”",
            "é",
            "    ",
            "{\n",
            "2026-05-04 09:00 ",
            "Jan  4 09:00:00 ",
        ])
    }

    #[test]
    fn no_opening_mark_is_missed_by_its_first_byte() {
        for c in ('\0'..=char::MAX).filter(|c| closing_mark(*c).is_some()) {
            assert!(Holds::of(&c.to_string()).any(Holds::QUOTE), "{c}");
        }
    }

    proptest! {
        #[test]
        fn what_a_text_does_not_hold_needs_no_search(pieces in prop::collection::vec(piece(), 0..12), paragraph in 0_usize..60) {
            let text = pieces.concat();
            let limits = TypedLimits { paragraph, message: paragraph * 2, ..TypedLimits::default() };
            prop_assert_eq!(
                TypedText::with_limits(&text, &limits),
                TypedText::holding(&text, &limits, Holds(u8::MAX))
            );
        }
    }
}

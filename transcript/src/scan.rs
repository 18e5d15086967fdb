//! A strict JSON scanner that finds where things stand and decodes nothing.
//!
//! Evidence needs byte ranges, and most of a transcript is tool output that no question asks for. A parser that hands
//! out values gives neither; this one walks a line once and notes spans. It accepts exactly what `serde_json` accepts
//! (a property test holds it to that), up to the nesting limit.

mod escape;
mod special;

use std::borrow::Cow;
use std::num::NonZeroU32;

use special::Special;

pub(crate) use escape::{has_lone_surrogate, unescape};

/// A byte range inside one row's text. 32 bits: a row is shorter than 4 GiB by [`Limits`](crate::Limits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    /// Not zero, so that an optional span costs nothing more; a value is never empty.
    end: NonZeroU32,
}

impl Default for Span {
    fn default() -> Self {
        Self { start: 0, end: NonZeroU32::MIN }
    }
}

impl Span {
    fn new(start: usize, end: usize) -> Self {
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: NonZeroU32::new(narrow(end)).unwrap_or(NonZeroU32::MIN) }
    }

    pub(crate) fn of(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or("")
    }

    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end.get() as usize
    }
}

/// Why a text is not JSON, and at which byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScanError {
    pub(crate) at: usize,
    pub(crate) why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    Syntax,
    End,
    Control,
    TooDeep,
}

pub(crate) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    depth: u32,
    max_depth: u32,
    surrogates: bool,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str, max_depth: u32) -> Self {
        Self { text, bytes: text.as_bytes(), pos: 0, depth: 0, max_depth, surrogates: false }
    }

    /// Whether an escape was met that is half of a surrogate pair, alone or not.
    pub(crate) const fn met_surrogates(&self) -> bool {
        self.surrogates
    }

    /// How many bytes were consumed.
    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    /// The decoded text at a place that was scanned, when a string stands there.
    pub(crate) fn text_of(&self, span: Span) -> Option<Cow<'a, str>> {
        let text: &'a str = self.text;
        text.get(span.range()).and_then(|json| json.strip_prefix('"')?.strip_suffix('"')).map(unescape)
    }

    /// The next byte that is not white space.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.pos) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.pos += 1,
                other => return other.copied(),
            }
        }
    }

    /// Nothing but white space may follow.
    pub(crate) fn end(&mut self) -> Result<(), ScanError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error(Why::Syntax)),
        }
    }

    /// Any value; its span.
    #[inline]
    pub(crate) fn value(&mut self) -> Result<Span, ScanError> {
        let first = self.peek();
        let start = self.pos;
        match first {
            Some(b'"') => drop(self.string()?),
            Some(b'{' | b'[') => self.container()?,
            _ => self.scalar()?,
        }
        Ok(Span::new(start, self.pos))
    }

    /// An object whose fields are handed out one by one: `field` gets the key and must consume the value.
    pub(crate) fn object(
        &mut self,
        mut field: impl FnMut(&mut Self, &str) -> Result<(), ScanError>,
    ) -> Result<Span, ScanError> {
        let start = self.open(b'{')?;
        if self.peek() != Some(b'}') {
            loop {
                if self.peek() != Some(b'"') {
                    return Err(self.unexpected());
                }
                let key_start = self.pos + 1;
                let escaped = self.string()?;
                let key = self.text.get(key_start..self.pos.saturating_sub(1)).unwrap_or("");
                self.colon()?;
                if escaped {
                    field(self, &unescape(key))?;
                } else {
                    field(self, key)?;
                }
                match self.peek() {
                    Some(b',') => self.pos += 1,
                    Some(b'}') => break,
                    _ => return Err(self.unexpected()),
                }
            }
        }
        Ok(self.close(start))
    }

    /// An array whose items are handed out one by one: `item` must consume the value.
    pub(crate) fn array(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<(), ScanError>,
    ) -> Result<Span, ScanError> {
        let start = self.open(b'[')?;
        if self.peek() != Some(b']') {
            loop {
                item(self)?;
                match self.peek() {
                    Some(b',') => self.pos += 1,
                    Some(b']') => break,
                    _ => return Err(self.unexpected()),
                }
            }
        }
        Ok(self.close(start))
    }

    fn open(&mut self, bracket: u8) -> Result<usize, ScanError> {
        if self.peek() != Some(bracket) {
            return Err(self.unexpected());
        }
        let start = self.pos;
        self.pos += 1;
        self.depth += 1;
        if self.depth > self.max_depth { Err(self.error(Why::TooDeep)) } else { Ok(start) }
    }

    fn close(&mut self, start: usize) -> Span {
        self.pos += 1;
        self.depth -= 1;
        Span::new(start, self.pos)
    }

    fn colon(&mut self) -> Result<(), ScanError> {
        if self.peek() == Some(b':') {
            self.pos += 1;
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    /// Skips an array or object without recursion: bit 0 of `objects` says what the innermost one is.
    fn container(&mut self) -> Result<(), ScanError> {
        let mut objects: u128 = 0;
        let mut depth = 0_u32;
        loop {
            match self.peek() {
                Some(open @ (b'{' | b'[')) => {
                    self.pos += 1;
                    depth += 1;
                    if self.depth + depth > self.max_depth {
                        return Err(self.error(Why::TooDeep));
                    }
                    objects = objects << 1 | u128::from(open == b'{');
                    let close = if open == b'{' { b'}' } else { b']' };
                    if self.peek() == Some(close) {
                        self.pos += 1;
                        depth -= 1;
                        objects >>= 1;
                    } else {
                        if open == b'{' {
                            self.key()?;
                        }
                        continue;
                    }
                }
                Some(b'"') => drop(self.string()?),
                _ => self.scalar()?,
            }
            loop {
                if depth == 0 {
                    return Ok(());
                }
                let in_object = objects & 1 == 1;
                match self.peek() {
                    Some(b',') => {
                        self.pos += 1;
                        if in_object {
                            self.key()?;
                        }
                        break;
                    }
                    Some(b'}') if in_object => {}
                    Some(b']') if !in_object => {}
                    _ => return Err(self.unexpected()),
                }
                self.pos += 1;
                depth -= 1;
                objects >>= 1;
            }
        }
    }

    fn key(&mut self) -> Result<(), ScanError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected());
        }
        self.string()?;
        self.colon()
    }

    /// A string, from its opening quote. Whether an escape may be in it.
    #[inline]
    fn string(&mut self) -> Result<bool, ScanError> {
        self.pos += 1;
        // Most strings are short: single blocks of sixteen bytes first, four at once for the long ones.
        for _ in 0..4 {
            let Some(block) = self.bytes.get(self.pos..).and_then(<[u8]>::first_chunk) else { break };
            let special = Special::of(block).any();
            if special == 0 {
                self.pos += 16;
                continue;
            }
            self.pos += special.trailing_zeros() as usize;
            if self.bytes.get(self.pos) == Some(&b'"') {
                self.pos += 1;
                return Ok(false);
            }
            break;
        }
        self.long_string().map(|()| true)
    }

    /// The rest of a string, from anywhere inside it but behind a backslash.
    fn long_string(&mut self) -> Result<(), ScanError> {
        // 1 when the block before ended with the first half of an escape.
        let mut carry = 0;
        while let Some(block) = self.bytes.get(self.pos..).and_then(<[u8]>::first_chunk::<64>) {
            let special = Special::of_four(block);
            let (escaped, carried) = special.escaped(carry);
            let over = special.quote & !escaped | special.control;
            // Everything up to the end of the string; all bits when it does not end here.
            let inside = over ^ over.wrapping_sub(1);
            let odd = escaped & inside & !(special.quote | special.backslash | special.common);
            if odd != 0 {
                self.pos -= usize::from(carry == 1);
                if self.odd_block()? {
                    return Ok(());
                }
                carry = 0;
            } else if over != 0 {
                self.pos += over.trailing_zeros() as usize;
                return self.special().map(drop);
            } else {
                self.pos += 64;
                carry = carried;
            }
        }
        self.pos -= usize::from(carry == 1);
        while !self.one_byte()? {}
        Ok(())
    }

    /// Sixty-four bytes, one by one: there is an escape among them that is rare, or none. True: the string is over.
    #[cold]
    fn odd_block(&mut self) -> Result<bool, ScanError> {
        let end = self.pos + 64;
        while self.pos < end {
            if self.one_byte()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// One byte of a string, or one escape. True: the string is over.
    #[inline]
    fn one_byte(&mut self) -> Result<bool, ScanError> {
        match self.bytes.get(self.pos) {
            Some(b'"' | b'\\' | 0..0x20) => self.special(),
            Some(_) => {
                self.pos += 1;
                Ok(false)
            }
            None => Err(self.error(Why::End)),
        }
    }

    /// Takes the quote (true: the string is over), escape or control character that stands here.
    #[inline]
    fn special(&mut self) -> Result<bool, ScanError> {
        match self.bytes.get(self.pos) {
            Some(b'"') => {
                self.pos += 1;
                Ok(true)
            }
            Some(b'\\') => self.escape().map(|()| false),
            _ => Err(self.error(Why::Control)),
        }
    }

    fn escape(&mut self) -> Result<(), ScanError> {
        match self.bytes.get(self.pos + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.pos += 2;
                Ok(())
            }
            Some(b'u') => {
                for at in self.pos + 2..self.pos + 6 {
                    match self.bytes.get(at) {
                        Some(b) if b.is_ascii_hexdigit() => {}
                        Some(_) => return Err(ScanError { at, why: Why::Syntax }),
                        None => return Err(ScanError { at, why: Why::End }),
                    }
                }
                let high = self.bytes.get(self.pos + 2..self.pos + 4);
                self.surrogates |=
                    high.is_some_and(|h| matches!(h, [b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F']));
                self.pos += 6;
                Ok(())
            }
            Some(_) => Err(self.error(Why::Syntax)),
            None => Err(self.error(Why::End)),
        }
    }

    /// A number, `true`, `false` or `null`.
    fn scalar(&mut self) -> Result<(), ScanError> {
        for word in ["true", "false", "null"] {
            if self.bytes.get(self.pos..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
                self.pos += word.len();
                return Ok(());
            }
        }
        self.number()
    }

    fn number(&mut self) -> Result<(), ScanError> {
        if self.bytes.get(self.pos) == Some(&b'-') {
            self.pos += 1;
        }
        match self.bytes.get(self.pos) {
            Some(b'0') => self.pos += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.unexpected()),
        }
        if self.bytes.get(self.pos) == Some(&b'.') {
            self.pos += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.pos) {
            self.pos += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.pos) {
                self.pos += 1;
            }
            self.some_digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) {
        while self.bytes.get(self.pos).is_some_and(u8::is_ascii_digit) {
            self.pos += 1;
        }
    }

    fn some_digits(&mut self) -> Result<(), ScanError> {
        let start = self.pos;
        self.digits();
        if self.pos == start { Err(self.unexpected()) } else { Ok(()) }
    }

    fn error(&self, why: Why) -> ScanError {
        ScanError { at: self.pos, why }
    }

    fn unexpected(&self) -> ScanError {
        self.error(if self.pos < self.bytes.len() { Why::Syntax } else { Why::End })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    use super::*;

    fn accepts(text: &str) -> bool {
        let mut scanner = Scanner::new(text, 120);
        scanner.value().and_then(|_| scanner.end()).is_ok()
    }

    #[test]
    fn hand_picked_texts() {
        for text in [
            "{}",
            "[]",
            "[1,2]",
            "[1,]",
            "{\"a\":1,}",
            "01",
            "-0",
            "1.",
            "1.5e+3",
            "1e",
            "\"\\q\"",
            "\"\\u12g4\"",
            "\"\\ud83d\"",
            "nul",
            "true false",
            "{\"a\" 1}",
            "{1:2}",
            "[[]]",
            "[}",
            "{]",
            "",
            " ",
            "\"a\tb\"",
            "[,]",
            "\"a",
            "{\"a\":{\"b\":[{}]}} ",
            "-",
            "+1",
            ".5",
            "\u{feff}1",
            "[\"\u{2028}\"]",
        ] {
            assert_eq!(accepts(text), serde_json::from_str::<IgnoredAny>(text).is_ok(), "{text:?}");
        }
    }

    /// A row with everything that a row can have.
    const ROW: &str = r#" {"type":"message", "id":"a1","parentId":null,"timestamp":"2026-05-04T09:00:00.000Z","n":[-0.5e+3,0,1E9,true,false,{}, [ ]],"message":{"role":"assistant","content":[{"type":"text","text":"caf\u00e9 \"x\" \ud83d\ude00 é\\\n and a text that is longer than one block of the scanner, which has sixty-four bytes"},{"type":"toolCall","id":"c1","name":"exec","arguments":{"command":"ls","deep":[[[{"k":"v"}]]]}}],"usage":{"input":10},"stopReason":"toolUse","timestamp":1777885202000}} "#;

    /// Where a change begins, how much goes, and what comes in its place.
    fn change() -> impl Strategy<Value = (prop::sample::Index, usize, &'static str)> {
        let junk = prop::sample::select(vec![
            "",
            "",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\\",
            "\\u",
            "\\u12",
            "\\ud83d",
            "0",
            "-",
            ".",
            "e",
            "00",
            "1.",
            "null",
            "nul",
            "true",
            " ",
            "\t",
            "\n",
            "\u{0}",
            "\u{1f}",
            "\u{7f}",
            "é",
            "\u{2028}",
            "{}",
            "[]",
            "\"k\":1,",
            ",\"k\":{}",
            "{}{}",
        ]);
        (any::<prop::sample::Index>(), 0_usize..9, junk)
    }

    proptest! {
        #[test]
        fn special_bytes_are_found_one_by_one(text in r#"[nt"\\\\\\ é\n\x00-\x7f]{64}"#, carry in 0_u64..2) {
            let block: &[u8; 64] = text.as_bytes().first_chunk().unwrap();
            let bits = |is: &dyn Fn(u8) -> bool| block.iter().rev().fold(0_u64, |bits, &b| bits << 1 | u64::from(is(b)));
            let special = Special::of_four(block);
            prop_assert_eq!(special.quote, bits(&|b| b == b'"'));
            prop_assert_eq!(special.backslash, bits(&|b| b == b'\\'));
            prop_assert_eq!(special.control, bits(&|b| b < 0x20));
            prop_assert_eq!(special.common, bits(&|b| b == b'n' || b == b't'));
            let mut open = carry == 1;
            let mut escaped = 0;
            for (at, &byte) in block.iter().enumerate() {
                escaped |= u64::from(open) << at;
                open = byte == b'\\' && !open;
            }
            prop_assert_eq!(special.escaped(carry), (escaped, u64::from(open)));
        }

        #[test]
        fn long_strings_are_scanned_as_serde_json_does(text in r#"([a-zé ]{0,70}(\\["\\/bfnrtq]|\\u[0-9a-f]{3,4}|\\{1,9}"?|\n|)){0,6}"#) {
            let json = format!("\"{text}\"");
            prop_assert_eq!(accepts(&json), serde_json::from_str::<IgnoredAny>(&json).is_ok());
        }

        #[test]
        fn accepts_mutated_rows_as_serde_json_does(changes in prop::collection::vec(change(), 1..4)) {
            let mut text = ROW.to_owned();
            for (at, length, junk) in changes {
                let floor = |at: usize| (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
                let start = floor(at.index(text.len() + 1));
                let end = floor((start + length).min(text.len())).max(start);
                text.replace_range(start..end, junk);
            }
            let expected = serde_json::from_str::<IgnoredAny>(&text).is_ok();
            prop_assert_eq!(accepts(&text), expected, "{}", text);
            // Reading the fields of a row walks another way through the same text.
            let is_row = text.trim_start_matches([' ', '\t', '\n', '\r']).starts_with('{');
            prop_assert_eq!(crate::parse::row(&text, 120).is_ok(), expected && is_row, "{}", text);
        }

        #[test]
        fn accepts_what_serde_json_accepts(text in r#"[\[\]{}",:0-9eE.+\-\\utrnfalsd é\t]{0,40}"#) {
            prop_assert_eq!(accepts(&text), serde_json::from_str::<IgnoredAny>(&text).is_ok());
        }
    }

    #[test]
    fn nesting_has_a_limit() {
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(accepts(&deep(120)));
        let text = deep(121);
        assert_eq!(Scanner::new(&text, 120).value().unwrap_err().why, Why::TooDeep);
        assert!(!accepts(&"[".repeat(1_000_000)));
    }
}

//! Keys in disguise: in base64, or with characters between that nobody sees.

use std::ops::Range;

use super::value::{byte, run};
use super::vendor::{self, VENDORS};

/// Characters that no reader sees.
pub(super) const HIDDEN: [&str; 6] = ["\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{feff}", "\u{ad}"];

/// A text without its hidden characters.
pub(super) struct Visible {
    pub(super) text: String,
    /// Where characters were taken out: the place in what is left, and how many bytes were taken up to there.
    taken: Vec<(usize, usize)>,
}

impl Visible {
    pub(super) fn new(text: &str) -> Self {
        let mut out = Self { text: String::with_capacity(text.len()), taken: Vec::new() };
        let mut bytes = 0;
        for c in text.chars() {
            if matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}') {
                bytes += c.len_utf8();
                match out.taken.last_mut() {
                    Some(last) if last.0 == out.text.len() => last.1 = bytes,
                    _ => out.taken.push((out.text.len(), bytes)),
                }
            } else {
                out.text.push(c);
            }
        }
        out
    }

    /// Where something of the visible text lies in the whole one, when hidden characters are inside of it.
    pub(super) fn original(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let upto = |at: usize, inclusive: bool| {
            let count = self.taken.partition_point(|(place, _)| *place < at || inclusive && *place == at);
            count.checked_sub(1).and_then(|last| self.taken.get(last)).map_or(0, |(_, bytes)| *bytes)
        };
        let (before, inside) = (upto(range.start, true), upto(range.end, false));
        (inside > before).then(|| range.start + before..range.end + inside)
    }
}

/// How the base64 of every text with this prefix begins; empty where that says too little.
pub(super) fn prefix(vendor: &str) -> String {
    let bits = vendor.len() * 8;
    let letters = (0..bits / 6).map(|index| {
        let at = index * 6;
        let pair = [byte(vendor.as_bytes(), at / 8), byte(vendor.as_bytes(), at / 8 + 1)];
        let value = (u16::from_be_bytes(pair) >> (10 - at % 8)) & 63;
        char::from(ALPHABET.get(usize::from(value)).copied().unwrap_or(b'A'))
    });
    if bits / 6 >= 4 { letters.collect() } else { String::new() }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The base64 of a key or token that begins at `at`.
pub(super) fn find(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    const LONGEST: usize = 16_384;
    let glued = at > 0
        && (byte(bytes, at - 1).is_ascii_alphanumeric() || matches!(byte(bytes, at - 1), b'+' | b'/' | b'_'))
        && !(at > 1 && byte(bytes, at - 2) == b'\\');
    if glued {
        return None;
    }
    let end = run(bytes, at, |b| letter(b).is_some(), LONGEST);
    let decoded = decode(bytes.get(at..end)?);
    let token = VENDORS.iter().any(|vendor| vendor.find(&decoded, 0).is_some());
    let key = || std::str::from_utf8(&decoded).ok().and_then(|text| vendor::pem(text, 0)).is_some();
    (token || decoded.starts_with(b"-----BEGIN ") && key()).then(|| at..run(bytes, end, |b| b == b'=', 2))
}

fn letter(b: u8) -> Option<u8> {
    Some(match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

fn decode(text: &[u8]) -> Vec<u8> {
    let (mut out, mut bits, mut held) = (Vec::with_capacity(text.len() * 3 / 4), 0_u32, 0_u32);
    for value in text.iter().filter_map(|b| letter(*b)) {
        bits = (bits << 6 | u32::from(value)) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    out
}

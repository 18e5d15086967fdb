//! Personal data made of digits: network addresses, cards, accounts, telephones.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use super::checksum::{begins_card, iban_length, is_card, is_iban};
use super::scan::{Found, Label};
use super::value::{byte, run};

/// Bytes that are looked at together.
const BLOCK: usize = 32;

/// Everything made of digits: addresses, cards, accounts, telephones. One pass over the bytes.
pub(super) fn numbers(text: &str, out: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut done = 0_usize;
    for (index, block) in bytes.chunks(BLOCK).enumerate() {
        let start = index * BLOCK;
        let mut marks = without_first(digits_and_colons(block), done.saturating_sub(start));
        while marks != 0 {
            let at = start + marks.trailing_zeros() as usize;
            let end = if byte(bytes, at) == b':' {
                ipv6(text, at, out)
            } else {
                let end = run(bytes, at, |b| b.is_ascii_digit(), usize::MAX);
                if is_worth(bytes, at, end) { number(text, at, end, out) } else { end }
            };
            done = end.max(at + 1);
            marks = without_first(marks, done - start);
        }
    }
}

/// Which bytes of a block are digits or colons (neighbours in ASCII), a bit each. Without a branch, so that the
/// compiler looks at many at once.
fn digits_and_colons(block: &[u8]) -> u32 {
    let near = |b: u8| u8::from(b.wrapping_sub(b'0') <= b':' - b'0');
    let mut marks = [0; BLOCK];
    if let Ok(block) = <&[u8; BLOCK]>::try_from(block) {
        marks = block.map(near);
    } else {
        marks.iter_mut().zip(block).for_each(|(mark, b)| *mark = near(*b));
    }
    let (eights, _) = marks.as_chunks::<8>();
    eights.iter().enumerate().fold(0, |bits, (at, eight)| {
        // Moves the lowest bit of each of eight bytes into one byte.
        let byte = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits | (byte as u32) << (at * 8)
    })
}

/// The bits without the lowest `count`.
fn without_first(bits: u32, count: usize) -> u32 {
    if count < BLOCK { bits & (u32::MAX << count) } else { 0 }
}

/// Whether a run of digits could be more than a number: a quick look at its length and its neighbours, which never says
/// no where [`number`] finds something.
fn is_worth(bytes: &[u8], at: usize, end: usize) -> bool {
    let (before, next) = (byte(bytes, at.wrapping_sub(1)), byte(bytes, end));
    match end - at {
        3 if matches!(next, b'-' | b'.' | b' ' | b')') => return true,
        1..=3 if next == b'.' => return true,
        4 if matches!(next, b' ' | b'-') && begins_card(bytes.get(at..end).unwrap_or_default()) => {
            return true;
        }
        13..=16 if begins_card(bytes.get(at..end).unwrap_or_default()) => return true,
        _ => {}
    }
    match before {
        b'+' | b'(' => true,
        // An account begins with two capitals.
        b'A'..=b'Z' => byte(bytes, at.wrapping_sub(2)).is_ascii_uppercase(),
        // After a word for telephone any number is worth a look.
        b' ' | b':' | b'.' | b'=' | b'"' => says_phone(bytes, at),
        b'n' | b'r' | b't' => byte(bytes, at.wrapping_sub(2)) == b'\\',
        _ => false,
    }
}

fn glued_before(bytes: &[u8], at: usize) -> bool {
    at > 0
        && matches!(byte(bytes, at - 1), b if b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'+' | b'/' | b'=' | b'#') || b >= 0x80)
}

/// A run of digits from `at` to `end`; gives where to go on.
fn number(text: &str, at: usize, end: usize, out: &mut Vec<Found>) -> usize {
    let bytes = text.as_bytes();
    let len = end - at;
    if len <= 3
        && byte(bytes, end) == b'.'
        && let Some(end) = ipv4(text, at)
    {
        if let Some(range) = public_ipv4(text, at..end) {
            out.push(Found::new(Label::Ip, range));
        }
        return end;
    }
    if len >= 2
        && at >= 2
        && let Some(range) = iban(bytes, at - 2)
    {
        let end = range.end;
        out.push(Found::new(Label::Iban, range));
        return end;
    }
    if let Some(range) = card(bytes, at, end) {
        let end = range.end;
        out.push(Found::new(Label::Card, range));
        return end;
    }
    if let Some(range) = social_security(bytes, at, end) {
        let end = range.end;
        out.push(Found::new(Label::Ssn, range));
        return end;
    }
    if let Some(range) = phone(bytes, at, end) {
        let end = range.end;
        out.push(Found::new(Label::Phone, range));
        return end;
    }
    end
}

fn ipv4(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = run(bytes, at, |b| b.is_ascii_digit() || b == b'.', 16);
    let end = if byte(bytes, end - 1) == b'.' { end - 1 } else { end };
    text.get(at..end)?.parse::<Ipv4Addr>().ok()?;
    Some(end)
}

/// An address, unless it says nothing (loopback, any) or is a version number (`v1.2.3.4`, `1.2.3.4-rc1`).
fn public_ipv4(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let before = byte(bytes, range.start.wrapping_sub(1));
    let glued = range.start > 0
        && (before.is_ascii_alphanumeric() || matches!(before, b'.' | b'-' | b'_'))
        && !escape_before(bytes, range.start);
    // `package==1.2.3.4`
    let version = matches!(before, b'=' | b'~' | b'^')
        && matches!(byte(bytes, range.start.wrapping_sub(2)), b'=' | b'~' | b'>' | b'<');
    let next = byte(bytes, range.end);
    let longer = next.is_ascii_alphanumeric()
        || next == b'-'
        || next == b'_'
        || (next == b'.' && byte(bytes, range.end + 1).is_ascii_alphanumeric());
    let address: Ipv4Addr = text.get(range.clone())?.parse().ok()?;
    let nobody = address.is_loopback() || address.is_unspecified() || address.is_broadcast();
    (!glued && !version && !longer && !nobody).then_some(range)
}

/// Whether the letter before is the letter of an escape: `\n192.0.2.1`.
fn escape_before(bytes: &[u8], at: usize) -> bool {
    at >= 2 && byte(bytes, at - 2) == b'\\' && matches!(byte(bytes, at - 1), b'n' | b'r' | b't')
}

/// An IPv6 address around a colon.
fn ipv6(text: &str, colon: usize, out: &mut Vec<Found>) -> usize {
    let bytes = text.as_bytes();
    let part = |b: u8| b.is_ascii_hexdigit() || b == b':';
    // Cheap first: most colons stand after a quote or before a blank.
    let (before, next) = (colon.checked_sub(1).map_or(0, |at| byte(bytes, at)), byte(bytes, colon + 1));
    if (!part(before) && next != b':') || !part(next) {
        return colon + 1;
    }
    let mut start = colon;
    while start > 0 && colon - start < 5 && byte(bytes, start - 1).is_ascii_hexdigit() {
        start -= 1;
    }
    let mut end = run(bytes, colon, |b| part(b) || b == b'.', 45);
    while end > start
        && (byte(bytes, end - 1) == b'.'
            || (byte(bytes, end - 1) == b':' && byte(bytes, end.wrapping_sub(2)) != b':'))
    {
        end -= 1;
    }
    let before = byte(bytes, start.wrapping_sub(1));
    let glued = start > 0 && (before.is_ascii_alphanumeric() || matches!(before, b':' | b'_' | b'-' | b'.'));
    let next = byte(bytes, end);
    if glued || next.is_ascii_alphanumeric() || next == b'_' {
        return end;
    }
    // A time (`09:30:00`) is none: an address has seven colons, or two that stand together.
    let inside = bytes.get(start..end).unwrap_or_default();
    let colons = inside.iter().filter(|b| **b == b':').count();
    if colons == 5 && is_mac(inside) {
        out.push(Found::new(Label::Mac, start..end));
        return end;
    }
    if colons < 6 && !inside.windows(2).any(|pair| pair == b"::") {
        return end;
    }
    let Some(address) = text.get(start..end).and_then(|text| text.parse::<Ipv6Addr>().ok()) else {
        return end;
    };
    // `a::b` is a path in code: an address of a network begins with a group of at least three, or has four groups.
    let first = address.segments().first().copied().unwrap_or(0);
    let groups =
        text.get(start..end).unwrap_or_default().split(':').filter(|group| !group.is_empty()).count();
    if !address.is_loopback() && !address.is_unspecified() && (first >= 0x100 && groups >= 2 || groups >= 4) {
        out.push(Found::new(Label::Ip, start..end));
    }
    end
}

/// Six pairs of hexadecimal digits, with a letter among them (else it is a time), which are the address of one device.
fn is_mac(address: &[u8]) -> bool {
    let mut pairs = address.split(|b| *b == b':');
    let digits = || address.iter().filter(|b| **b != b':');
    pairs.all(|pair| pair.len() == 2)
        && digits().any(u8::is_ascii_alphabetic)
        && !digits().all(|b| b.eq_ignore_ascii_case(&b'f'))
}

/// A card number: groups with the same blank or hyphen between, or none.
fn card(bytes: &[u8], at: usize, run_end: usize) -> Option<Range<usize>> {
    if glued_before(bytes, at) && !escape_before(bytes, at) && byte(bytes, at.wrapping_sub(1)) != b'=' {
        return None;
    }
    let ends = |end: usize| {
        let next = byte(bytes, end);
        !(next.is_ascii_alphanumeric()
            || matches!(next, b'_' | b'-' | b'.') && byte(bytes, end + 1).is_ascii_alphanumeric())
    };
    let first = run_end - at;
    if (13..=16).contains(&first) {
        return (is_card(bytes.get(at..run_end)?) && ends(run_end)).then_some(at..run_end);
    }
    let separator = byte(bytes, run_end);
    if first != 4 || !matches!(separator, b' ' | b'-') {
        return None;
    }
    let mut digits = bytes.get(at..run_end)?.to_vec();
    let mut end = run_end;
    while byte(bytes, end) == separator && digits.len() < 16 {
        let group = run(bytes, end + 1, |b| b.is_ascii_digit(), 7);
        if !(2..=6).contains(&(group - end - 1)) {
            break;
        }
        digits.extend_from_slice(bytes.get(end + 1..group)?);
        end = group;
    }
    (is_card(&digits) && ends(end)).then_some(at..end)
}

/// An IBAN whose country stands at `at`, in one piece or in groups of four.
fn iban(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let country = bytes.get(at..at + 2)?;
    if !country.iter().all(u8::is_ascii_uppercase) {
        return None;
    }
    let len = iban_length(country)?;
    let before = byte(bytes, at.wrapping_sub(1));
    if at > 0 && (before.is_ascii_alphanumeric() && !escape_before(bytes, at) || before == b'_') {
        return None;
    }
    let mut text = Vec::with_capacity(len);
    let mut end = at;
    while text.len() < len {
        match byte(bytes, end) {
            b @ (b'0'..=b'9' | b'A'..=b'Z') => text.push(b),
            b' ' | b'-' if text.len() % 4 == 0 && byte(bytes, end + 1).is_ascii_alphanumeric() => {}
            _ => return None,
        }
        end += 1;
    }
    (is_iban(&text) && !byte(bytes, end).is_ascii_alphanumeric()).then_some(at..end)
}

/// A social security number of the USA (`078-05-1120`) after a word that says so.
fn social_security(bytes: &[u8], at: usize, run_end: usize) -> Option<Range<usize>> {
    let separator = byte(bytes, run_end);
    if run_end - at != 3 || !matches!(separator, b'-' | b' ') || byte(bytes, run_end + 3) != separator {
        return None;
    }
    let digits = |from: usize, len: usize| run(bytes, from, |b| b.is_ascii_digit(), len + 1) == from + len;
    let end = run_end + 8;
    if !digits(run_end + 1, 2) || !digits(run_end + 4, 4) || byte(bytes, end).is_ascii_alphanumeric() {
        return None;
    }
    let before = bytes.get(at.saturating_sub(40)..at)?;
    let line = before.rsplit(|b| *b == b'\n').next()?.to_ascii_lowercase();
    let says = ["ssn", "social security", "social_security"];
    says.iter().any(|word| memchr::memmem::find(&line, word.as_bytes()).is_some()).then_some(at..end)
}

/// A telephone number: international with `+`, North American, or after a word that says so.
fn phone(bytes: &[u8], at: usize, run_end: usize) -> Option<Range<usize>> {
    let before = byte(bytes, at.wrapping_sub(1));
    let (start, kind) = match before {
        b'+' if at >= 1 => (at - 1, Dial::International),
        b'(' if at >= 1 && run_end - at == 3 && byte(bytes, run_end) == b')' => (at - 1, Dial::NorthAmerican),
        _ if at == 0 || !glued_before(bytes, at) || escape_before(bytes, at) => {
            let said = says_phone(bytes, at);
            let north = run_end - at == 3 && matches!(byte(bytes, run_end), b'-' | b'.' | b' ');
            match (said, north) {
                (true, _) => (at, Dial::Said),
                (_, true) => (at, Dial::NorthAmerican),
                _ => return None,
            }
        }
        _ => return None,
    };
    let outer = byte(bytes, start.wrapping_sub(1));
    if start > 0
        && (outer.is_ascii_alphanumeric() && !escape_before(bytes, start)
            || matches!(outer, b'.' | b'_' | b'+'))
    {
        return None;
    }
    let mut end = run_end;
    let mut digits = run_end - at;
    let mut groups = vec![digits];
    while digits <= 15 {
        // One or two marks between groups: `-`, ` `, `) `, ...
        let gap = run(bytes, end, |b| b" -./()".contains(&b), 3);
        let group = run(bytes, gap, |b| b.is_ascii_digit(), 16);
        if gap == end || group == gap {
            break;
        }
        digits += group - gap;
        groups.push(group - gap);
        end = group;
    }
    let next = byte(bytes, end);
    let longer = next.is_ascii_alphanumeric()
        || next == b'_'
        || (matches!(next, b'.' | b':' | b'-') && byte(bytes, end + 1).is_ascii_digit());
    let fits = match kind {
        Dial::International => (8..=15).contains(&digits) && byte(bytes, at) != b'0',
        Dial::NorthAmerican => matches!(groups.as_slice(), [3, 3, 4]) && byte(bytes, at) >= b'2',
        Dial::Said => (6..=15).contains(&digits),
    };
    (fits && !longer).then_some(start..end)
}

enum Dial {
    International,
    NorthAmerican,
    Said,
}

/// Whether a word for telephone stands right before: `Tel. 030 ...`, `phone: ...`.
fn says_phone(bytes: &[u8], at: usize) -> bool {
    let mut end = at;
    while end > 0 && at - end < 6 && matches!(byte(bytes, end - 1), b' ' | b':' | b'.' | b'=' | b'"' | b'(') {
        end -= 1;
    }
    // Most words before a number end otherwise (`"timestamp": 1`).
    let last_two = [end.wrapping_sub(2), end.wrapping_sub(1)].map(|at| byte(bytes, at).to_ascii_lowercase());
    if end == at
        || !matches!(&last_two, b"el" | b"ne" | b"on" | b"le" | b"il" | b"dy" | b"ax" | b"pp" | b"ll")
    {
        return false;
    }
    let word = bytes.get(end.saturating_sub(10)..end).unwrap_or_default();
    let word = word.rsplit(|b| !b.is_ascii_alphabetic()).next().unwrap_or_default();
    ["tel", "phone", "telephone", "telefon", "mobile", "mobil", "handy", "fax", "whatsapp", "cell"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same without any quick look: every run of digits and every colon is tried.
    fn slow(text: &str, out: &mut Vec<Found>) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            at = match bytes[at] {
                b':' => ipv6(text, at, out).max(at + 1),
                b'0'..=b'9' => {
                    let end = run(bytes, at, |b| b.is_ascii_digit(), usize::MAX);
                    number(text, at, end, out).max(at + 1)
                }
                _ => at + 1,
            };
        }
    }

    fn pieces() -> impl Strategy<Value = String> {
        let real = prop::sample::select(vec![
            "4111 1111 1111 1111",
            "4111111111111111",
            "371449635398431",
            "DE89370400440532013000",
            "DE89 3704 0044 0532 0130 00",
            "+49 30 901820",
            "(415) 555-2671",
            "415-555-2671",
            "Tel. 030 901820",
            "phone=4155552671",
            "\\n4155552671",
            "192.0.2.17",
            "1.2.3.4",
            "2001:db8::1",
            "fe80:0:0:0:1:2:3:4",
            "09:30:00",
            "1796037674438",
            "é4111111111111111",
        ]);
        prop_oneof![
            3 => real.prop_map(str::to_owned),
            2 => "[0-9:. +()\\-A-Z\"=/nt\\\\]{0,12}",
            1 => "[a-z {},\n]{0,40}",
        ]
    }

    proptest! {
        #[test]
        fn the_quick_look_misses_nothing(text in prop::collection::vec(pieces(), 0..8).prop_map(|all| all.concat())) {
            let (mut quick, mut all) = (Vec::new(), Vec::new());
            numbers(&text, &mut quick);
            slow(&text, &mut all);
            prop_assert_eq!(quick, all);
        }
    }
}

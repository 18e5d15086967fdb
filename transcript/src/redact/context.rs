//! Secrets that only their name gives away: assignments, fields, sentences.

use std::ops::Range;

use super::headers::credentials;
use super::secret_names::{MAX_NAME, Strength, is_working_directory, same_last_word, strength};
use super::value::{byte, floor, is_id, is_random, is_reference, is_stop_word, run};

/// Longest value, in bytes.
pub(super) const MAX_VALUE: usize = 65_536;

/// How much of a value says whether it is a secret, in bytes. Names can follow each other closely, and what each of them
/// looks at must stay small for a text of nothing but names.
pub(super) const HEAD: usize = 4096;

/// A secret of which only the head was looked at, as far as bytes of the class reach.
pub(super) fn whole(text: &str, head: Range<usize>, class: impl Fn(u8) -> bool) -> Range<usize> {
    if head.len() < HEAD / 2 {
        return head;
    }
    let bytes = text.as_bytes();
    let end = before_escape(bytes, head.start, run(bytes, head.start, class, MAX_VALUE));
    head.start..floor(text, end)
}

/// How a value stands beside its name.
#[derive(Debug, Clone, Copy, Default)]
struct Shape {
    quoted: bool,
    /// No blank around `=`, or quoted.
    tight: bool,
    /// Nothing else on the line.
    whole_line: bool,
    /// A value of JSON or of an argument list, whose limits are sure.
    field: bool,
}

/// The secret part of the value of a field whose name is known (JSON, argument lists).
pub(super) fn field(name: &str, value: &str) -> Option<Range<usize>> {
    match name.trim_start_matches('-').to_ascii_lowercase().as_str() {
        "authorization" | "proxy-authorization" | "proxyauthorization" => credentials(value, 0, value.len()),
        "cookie" | "set-cookie" => (value.contains('=') && !is_reference(value)).then_some(0..value.len()),
        // Alone these words count tests, too: the value must look like a password.
        "pass" | "pw" => {
            let has = |class: fn(u8) -> bool| value.bytes().any(class);
            let mixed = has(|b| b.is_ascii_digit()) && has(|b| b.is_ascii_alphabetic());
            let sure = mixed && value.len() >= 5 && !value.contains([' ', '/']) && !is_reference(value);
            sure.then_some(0..value.len())
        }
        _ => {
            let strength = strength(name)?;
            let shape = Shape { quoted: true, tight: true, whole_line: true, field: true };
            accepts(strength, name, value, shape).then_some(0..value.len())
        }
    }
}

fn accepts(strength: Strength, name: &str, value: &str, shape: Shape) -> bool {
    let telling =
        value.chars().filter(|c| c.is_alphanumeric()).count() >= 3 || (shape.field && value.len() >= 3);
    // A working directory is a path even where it has one part only.
    let folder = is_working_directory(name) && (value.starts_with(['/', '~', '.']) || value.contains(":\\"));
    if !telling
        || folder
        || value.starts_with(' ') && !shape.field
        || is_stop_word(value)
        || is_reference(value)
        || is_path(value)
    {
        return false;
    }
    let has = |class: fn(u8) -> bool| value.bytes().any(class);
    let digit = has(|b| b.is_ascii_digit());
    let blank = has(|b| b.is_ascii_whitespace());
    let sentence = blank && (!shape.quoted || value.len() > 128);
    match strength {
        _ if sentence => false,
        Strength::Sure if shape.field || shape.quoted => true,
        Strength::Sure if repeats(name, value) => false,
        Strength::Sure if shape.tight => true,
        Strength::Sure => {
            let symbol = has(|b| b"!@#$%^&*+=~?".contains(&b));
            let letters = has(|b| b.is_ascii_alphabetic());
            let humps = value.chars().skip(1).any(char::is_uppercase) && has(|b| b.is_ascii_lowercase());
            (digit && (letters || value.len() >= 4))
                || symbol
                || humps
                || (shape.whole_line && value.len() >= 6)
        }
        Strength::Token => {
            let joined = has(|b| matches!(b, b'-' | b'_'));
            let mixed = digit && has(|b| b.is_ascii_alphabetic()) && !value.contains("://");
            !blank
                && !is_id(value)
                && ((value.len() >= 8 && mixed)
                    || (shape.quoted && value.len() >= 12 && joined && !has(|b| b == b'/' || b == b'.'))
                    || is_random(value))
        }
        Strength::Random => is_random(value),
    }
}

/// `password=user_password`: code that hands a value on.
fn repeats(name: &str, value: &str) -> bool {
    !value.bytes().any(|b| b.is_ascii_digit()) && same_last_word(name, value)
}

pub(super) fn is_path(value: &str) -> bool {
    (value.starts_with('/') && value.get(1..).is_some_and(|rest| rest.contains('/')))
        || value.starts_with("./")
        || value.starts_with("~/")
        || value.starts_with("../")
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

pub(super) const fn name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-' || b >= 0x80
}

/// The secret after a name, of which `at` is a telling piece (`password`, `token`, ...).
pub(super) fn assignment(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    // Most pieces stand inside another word (`tokens`, `keyboard`): turn back before anything costs.
    let next = byte(bytes, at.end);
    if next.is_ascii_lowercase()
        || (next.is_ascii_uppercase() && byte(bytes, at.end - 1).is_ascii_uppercase())
    {
        return None;
    }
    // Chinese has no blanks: the words around such a name are not a part of it.
    let alone = !byte(bytes, at.start).is_ascii();
    let (mut start, mut end) = (at.start, at.end);
    if !alone {
        let before = text.get(..at.start)?.chars().rev().take_while(|c| is_name_char(*c)).take(MAX_NAME);
        start -= before.map(char::len_utf8).sum::<usize>();
        end += text
            .get(at.end..)?
            .chars()
            .take_while(|c| is_name_char(*c))
            .take(MAX_NAME)
            .map(char::len_utf8)
            .sum::<usize>();
    }
    // The letter of an escape (`\nPASSWORD=`) is not a letter of the name.
    if start > 0
        && byte(bytes, start - 1) == b'\\'
        && matches!(byte(bytes, start), b'n' | b'r' | b't')
        && start < at.start
    {
        start += 1;
    }
    let name = text.get(start..end)?;
    let strength = strength(name)?;
    let Some((head, shape)) = value_after(text, start, end, HEAD) else {
        return in_prose(text, start..end, strength);
    };
    if !accepts(strength, name, text.get(head.clone())?, shape) {
        return None;
    }
    if head.len() < HEAD / 2 {
        return Some(head);
    }
    value_after(text, start, end, MAX_VALUE).map(|(value, _)| value)
}

/// Where the value after a name lies: behind `=`, `:`, `=>`, `:=`, or a blank after a flag; at most `longest` bytes of it.
fn value_after(
    text: &str,
    name_start: usize,
    name_end: usize,
    longest: usize,
) -> Option<(Range<usize>, Shape)> {
    let bytes = text.as_bytes();
    let mut at = name_end;
    let closing = run(bytes, at, |b| b == b'\\', 16);
    let named_in_quotes = matches!(byte(bytes, closing), b'"' | b'\'' | b'`');
    if named_in_quotes {
        at = closing + 1;
        if byte(bytes, at) == b']' {
            at += 1;
        }
    }
    let before_sign = at;
    at = run(bytes, at, |b| b == b' ' || b == b'\t', 32);
    let mut tight = before_sign == at;
    match (byte(bytes, at), byte(bytes, at + 1)) {
        (b'=', b'=' | b'~') | (b':', b':') => return None,
        (b'=', b'>') | (b':', b'=') => at += 2,
        (b'=', _) => at += 1,
        (b':', _) => {
            at += 1;
            tight = false;
        }
        // The full-width colon of Chinese and Japanese text, and "is".
        _ if text.get(at..).is_some_and(|rest| rest.starts_with(['：', '是', '为'])) => {
            at += '：'.len_utf8();
            tight = false;
        }
        _ if byte(bytes, name_start) == b'-' && at > before_sign && byte(bytes, at) != b'-' => {}
        _ => return None,
    }
    let after_sign = at;
    at = run(bytes, at, |b| b == b' ' || b == b'\t', 32);
    tight &= after_sign == at;
    let slashes = run(bytes, at, |b| b == b'\\', 16) - at;
    let quote = byte(bytes, at + slashes);
    if matches!(quote, b'"' | b'\'' | b'`') {
        // `"PASSWORD="`: the quote belongs to the name.
        if !named_in_quotes && name_start > 0 && byte(bytes, name_start - 1) == quote {
            return None;
        }
        let start = at + slashes + 1;
        let end = floor(text, closing_quote(bytes, start, quote, slashes, longest));
        return Some((start..end, Shape { quoted: true, tight: true, ..Shape::default() }));
    }
    let stops: &[u8] = if tight && at_line_start(text, name_start) { b"\"'`" } else { b"\"'`,;&|<>" };
    let mut end = run(bytes, at, |b| !b.is_ascii_whitespace() && !stops.contains(&b), longest);
    end = before_escape(bytes, at, end);
    let calls = text.get(at..end).is_some_and(|value| value.contains(['(', '[', '{']));
    if !calls && !tight {
        end = run(bytes, at, |b| !b.is_ascii_whitespace() && !b")}]".contains(&b), end - at);
    }
    if !(tight && at_line_start(text, name_start)) {
        while end > at
            && matches!(byte(bytes, end - 1), b'.' | b',' | b';' | b':' | b'?' | b')' | b'}' | b']')
            && !calls
        {
            end -= 1;
        }
    }
    end = floor(text, end);
    let line_end = run(bytes, end, |b| b == b' ' || b == b'\t' || b == b'\r', 64);
    let whole_line = at_line_start(text, name_start) && matches!(byte(bytes, line_end), b'\n' | 0);
    (end > at).then_some((at..end, Shape { tight, whole_line, ..Shape::default() }))
}

/// Whether only blanks, `export` or a list mark stand before the name on its line.
fn at_line_start(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let from = before.len().saturating_sub(32);
    let tail = before.as_bytes().get(from..).unwrap_or_default();
    let line = tail.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let reaches = line.len() < tail.len() || from == 0 || line.len() < 32;
    let word = |b: &u8| matches!(b, b' ' | b'\t' | b'-' | b'"' | b'\'');
    // A line end that is written as an escape counts, too.
    let escaped = tail.ends_with(b"\\n");
    escaped || (reaches && (line.iter().all(word) || line.trim_ascii() == b"export"))
}

/// The quote that closes a string opened by `slashes` backslashes and a quote; a line end closes, too.
fn closing_quote(bytes: &[u8], start: usize, quote: u8, slashes: usize, longest: usize) -> usize {
    let mut at = start;
    let limit = bytes.len().min(start.saturating_add(longest));
    let mut run_of_slashes = 0;
    while at < limit {
        let b = byte(bytes, at);
        if b == quote && run_of_slashes <= slashes {
            return at - run_of_slashes.min(slashes);
        }
        if b == b'\n' {
            return at;
        }
        run_of_slashes = if b == b'\\' { run_of_slashes + 1 } else { 0 };
        at += 1;
    }
    limit
}

/// Cuts a value before an escape that a quoted text would hold: `\n`, `\r`, `\t`, `\"`.
pub(super) fn before_escape(bytes: &[u8], start: usize, end: usize) -> usize {
    let value = bytes.get(start..end).unwrap_or_default();
    let cut = value
        .windows(2)
        .position(|pair| matches!(pair, [b'\\', b'n' | b'r' | b't' | b'"' | b'\'' | b'\\']))
        .unwrap_or_else(|| value.strip_suffix(b"\\").map_or(value.len(), <[u8]>::len));
    start + cut
}

/// "The password for the lamp is hunter2", "your API key AbC...": a value a few words after the name.
fn in_prose(text: &str, name: Range<usize>, strength: Strength) -> Option<Range<usize>> {
    const REACH: usize = 96;
    let bytes = text.as_bytes();
    let name_end = name.end;
    if !matches!(byte(bytes, name_end), b' ' | b'"' | b'`' | b'\'') {
        return None;
    }
    let mut at = name_end;
    let mut says = is_netrc(text, name.start);
    for _ in 0..6 {
        at = run(bytes, at, |b| b" \t\"'`:=".contains(&b), 8);
        let class = |b: u8| !b.is_ascii_whitespace() && !b"\"'`,;<>".contains(&b);
        let end = floor(text, before_escape(bytes, at, run(bytes, at, class, HEAD)));
        if end == at || at - name_end > REACH {
            return None;
        }
        let word = text.get(at..end)?;
        let bare = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
        if is_random(bare) {
            return Some(whole(text, at..at + bare.len(), class));
        }
        let digit = bare.bytes().any(|b| b.is_ascii_digit());
        let letter = bare.bytes().any(|b| b.is_ascii_alphabetic());
        if says
            && strength == Strength::Sure
            && bare.len() >= 5
            && digit
            && letter
            && !is_reference(bare)
            && !bare.contains("://")
            && !bare.starts_with(['[', '(', '{'])
            && !is_id(bare)
            && !is_path(bare)
        {
            return Some(whole(text, at..at + bare.len(), class));
        }
        // The end of a sentence ends the reach of the name.
        if word.len() > bare.len() && !word.ends_with(':') {
            return None;
        }
        says = matches!(word.to_ascii_lowercase().as_str(), "is" | "was" | "ist" | "lautet" | "es" | "to")
            || word.ends_with(':');
        at = end;
    }
    None
}

/// Whether `machine … login …` stands before on the line, as in a `.netrc` file.
fn is_netrc(text: &str, name_start: usize) -> bool {
    let head = text.as_bytes().get(name_start.saturating_sub(160)..name_start).unwrap_or_default();
    let line = head.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    memchr::memmem::find(line, b"machine ").is_some() && memchr::memmem::find(line, b"login ").is_some()
}

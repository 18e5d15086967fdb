//! Secrets that only their name gives away: assignments, fields, sentences.

use std::ops::Range;

use super::headers::credentials;
use super::prose::in_prose;
use super::secret_names::{
    MAX_NAME, Strength, is_secret_key, is_working_directory, same_last_word, strength,
};
use super::seed::{self, SEED_NAMES};
use super::value::{byte, floor, is_id, is_passphrase, is_random, is_reference, is_stop_word, run};

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
    /// Between the bars of a table, where words describe as often as they are meant.
    cell: bool,
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
        name if SEED_NAMES.contains(&name) => seed::phrase(value, 0),
        _ => {
            let strength = strength(name)?;
            let shape = Shape { quoted: true, tight: true, whole_line: true, field: true, cell: false };
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
        _ if shape.cell && !(digit || is_passphrase(value) || has(|b| b"!@#$%^&+=~?".contains(&b))) => false,
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
                || is_passphrase(value)
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
    // "Private key", "API key": the word before says which key.
    if text.get(start..end)?.eq_ignore_ascii_case("key") {
        start = before_secret_key(text, start)?;
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

/// Where "private" in "private key" begins; `key` is where "key" does.
fn before_secret_key(text: &str, key: usize) -> Option<usize> {
    let head = text.get(..key)?.strip_suffix(' ')?;
    let from = head.len().saturating_sub(12);
    let tail = head.as_bytes().get(from..)?;
    let word = tail.rsplit(|b| !b.is_ascii_alphabetic()).next()?;
    let start = head.len() - word.len();
    is_secret_key(text.get(start..head.len())?).then_some(start)
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
        if let Some(start) = beside(bytes, at) {
            return quoted(text, start, longest);
        }
    } else if matches!(byte(bytes, at), b'>' | b' ')
        && let Some(found) = element(text, name_start, at, longest)
    {
        return Some(found);
    }
    // `**Password:** ...` and `**Password**: ...`
    let marked = byte(bytes, name_start.wrapping_sub(1)) == b'*';
    let marks = if marked { run(bytes, at, |b| b == b'*', 3) - at } else { 0 };
    at += marks;
    if let Some(start) = cell(bytes, name_start, at) {
        return cell_value(text, start, longest);
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
        _ if text
            .get(at..)
            .is_some_and(|rest| rest.starts_with(['：', '是', '为', '為', 'は', '는', '은'])) =>
        {
            at += '：'.len_utf8();
            tight = false;
        }
        _ if byte(bytes, name_start) == b'-' && at > before_sign && byte(bytes, at) != b'-' => {}
        _ => return None,
    }
    if marked && marks == 0 {
        at = run(bytes, at, |b| b == b'*', 3);
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
        return quoted(text, at, longest);
    }
    let stops: &[u8] = if tight && at_line_start(text, name_start) { b"\"'`" } else { b"\"'`,;&|<>" };
    let mut end = run(bytes, at, |b| !b.is_ascii_whitespace() && !stops.contains(&b), longest);
    end = before_escape(bytes, at, end);
    // Where words have no blanks between, a mark ends the value.
    if !byte(bytes, name_start).is_ascii() && !tight {
        let value = text.get(at..floor(text, end))?;
        end = at + value.find(['。', '，', '、', '；', '！', '？', '）', '」', '”']).unwrap_or(value.len());
        // Words of the same language say something about it.
        if !text.get(at..end)?.bytes().any(|b| b.is_ascii_alphanumeric()) {
            return None;
        }
    }
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

/// The value in the quotes that begin at `at`, maybe behind backslashes.
fn quoted(text: &str, at: usize, longest: usize) -> Option<(Range<usize>, Shape)> {
    let bytes = text.as_bytes();
    let slashes = run(bytes, at, |b| b == b'\\', 16) - at;
    let quote = byte(bytes, at + slashes);
    let start = at + slashes + 1;
    let end = floor(text, closing_quote(bytes, start, quote, slashes, longest));
    Some((start..end, Shape { quoted: true, tight: true, ..Shape::default() }))
}

/// Where the quotes of a sibling begin that holds the value of the name that ends before `at`:
/// `<add key="password" value="...">`, `{name: "password", value: "..."}`.
fn beside(bytes: &[u8], at: usize) -> Option<usize> {
    let blank = |b: u8| b == b' ' || b == b'\t';
    let quotes = |b: u8| matches!(b, b'\\' | b'"' | b'\'');
    let start = run(bytes, at, |b| blank(b) || b == b',', 8);
    let word = run(bytes, start, quotes, 8);
    let end = run(bytes, word, |b| b.is_ascii_alphabetic(), 8);
    if start == at || !bytes.get(word..end)?.eq_ignore_ascii_case(b"value") {
        return None;
    }
    let sign = run(bytes, run(bytes, end, quotes, 8), blank, 8);
    let value = run(bytes, sign + 1, blank, 8);
    let opens = matches!(byte(bytes, run(bytes, value, |b| b == b'\\', 8)), b'"' | b'\'');
    (matches!(byte(bytes, sign), b':' | b'=') && opens).then_some(value)
}

/// The value of an element of XML, whose name ends at `at`: `<password>...</password>`.
fn element(text: &str, name_start: usize, at: usize, longest: usize) -> Option<(Range<usize>, Shape)> {
    const CDATA: &[u8] = b"<![CDATA[";
    let bytes = text.as_bytes();
    // With the prefix of a namespace: `<ns:password>`.
    let mut open = name_start;
    if byte(bytes, open.wrapping_sub(1)) == b':' {
        open -= 1;
        while name_start - open < 24 && byte(bytes, open.wrapping_sub(1)).is_ascii_alphanumeric() {
            open -= 1;
        }
    }
    if byte(bytes, open.wrapping_sub(1)) != b'<' {
        return None;
    }
    let tag_end = run(bytes, at, |b| !matches!(b, b'<' | b'>' | b'\n'), 128);
    if byte(bytes, tag_end) != b'>' || byte(bytes, tag_end.wrapping_sub(1)) == b'/' {
        return None;
    }
    let mut start = run(bytes, tag_end + 1, |b| b == b' ', 16);
    let is_cdata = bytes.get(start..)?.starts_with(CDATA);
    let close: &[u8] = if is_cdata { b"]]>" } else { b"<" };
    start += if is_cdata { CDATA.len() } else { 0 };
    let window = bytes.get(start..bytes.len().min(start.saturating_add(longest)))?;
    let end = start + memchr::memmem::find(window, close)?;
    let value = text.get(start..end)?.trim_end();
    let closed = is_cdata || bytes.get(end..)?.starts_with(b"</") || bytes.get(end..)?.starts_with(b"<\\/");
    // A sentence is what a form says about it.
    let sentence = value.bytes().filter(u8::is_ascii_whitespace).count() > 1;
    (closed && !sentence && !value.contains('\n'))
        .then(|| (start..start + value.len(), Shape { quoted: true, tight: true, ..Shape::default() }))
}

/// Where the cell begins behind the cell of a table in which a name stands alone: `| Password | ... |`.
fn cell(bytes: &[u8], name_start: usize, name_end: usize) -> Option<usize> {
    let filling = |b: u8| matches!(b, b' ' | b'\t' | b'`' | b'*');
    let bar = run(bytes, name_end, filling, 64);
    if byte(bytes, bar) != b'|' || byte(bytes, bar + 1) == b'|' {
        return None;
    }
    let mut before = name_start;
    while before > 0 && name_start - before < 8 && filling(byte(bytes, before - 1)) {
        before -= 1;
    }
    let alone = before == 0 || matches!(byte(bytes, before - 1), b'|' | b'\n');
    alone.then(|| run(bytes, bar + 1, filling, 64))
}

/// The one word of a cell that begins at `start`.
fn cell_value(text: &str, start: usize, longest: usize) -> Option<(Range<usize>, Shape)> {
    let bytes = text.as_bytes();
    let end = run(bytes, start, |b| !b.is_ascii_whitespace() && !b"|`<>".contains(&b), longest);
    let end = floor(text, before_escape(bytes, start, end));
    let close = run(bytes, end, |b| matches!(b, b' ' | b'\t' | b'`' | b'*'), 64);
    let shape = Shape { cell: true, ..Shape::default() };
    (end > start && byte(bytes, close) == b'|').then_some((start..end, shape))
}

/// Whether only blanks, `export` or a list mark stand before the name on its line.
fn at_line_start(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let from = before.len().saturating_sub(32);
    let tail = before.as_bytes().get(from..).unwrap_or_default();
    let line = tail.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let reaches = line.len() < tail.len() || from == 0 || line.len() < 32;
    let word = |b: &u8| matches!(b, b' ' | b'\t' | b'-' | b'"' | b'\'' | b'*' | b'#' | b'>');
    // A line end that is written as an escape counts, too.
    let escaped = tail.ends_with(b"\\n");
    escaped || (reaches && (line.iter().all(word) || line.trim_ascii() == b"export"))
}

/// The quote that closes a string opened by `slashes` backslashes and a quote; a line end closes, too.
pub(super) fn closing_quote(bytes: &[u8], start: usize, quote: u8, slashes: usize, longest: usize) -> usize {
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

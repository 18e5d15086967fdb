//! Secrets that their place gives away: headers, URLs, options of well-known programs.

use std::ops::Range;

use super::context::{HEAD, before_escape, is_path, name_byte, whole};
use super::value::{byte, floor, is_reference, is_stop_word, run};

/// The credentials of an `Authorization` header, whose name ends at `name_end`.
pub(super) fn authorization(text: &str, name_end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = name_end;
    let slashes = run(bytes, at, |b| b == b'\\', 16);
    if matches!(byte(bytes, slashes), b'"' | b'\'' | b'`') {
        at = slashes + 1;
    }
    at = run(bytes, at, |b| b == b' ' || b == b']', 8);
    if !matches!(byte(bytes, at), b':' | b'=' | b',') {
        return None;
    }
    at = run(bytes, at + 1, |b| b == b' ' || b == b'>', 8);
    let slashes = run(bytes, at, |b| b == b'\\', 16);
    if matches!(byte(bytes, slashes), b'"' | b'\'' | b'`') {
        at = slashes + 1;
    }
    let end = floor(text, before_escape(bytes, at, run(bytes, at, in_header, HEAD)));
    let head = credentials(text, at, end)?;
    // Only those of several parts have blanks in them.
    let one_word = !bytes.get(head.clone())?.contains(&b' ');
    Some(whole(text, head, |b| in_header(b) && !(one_word && b.is_ascii_whitespace())))
}

/// What the value of a header is made of, also inside of quotes.
fn in_header(b: u8) -> bool {
    !matches!(b, b'"' | b'\'' | b'`' | b'\n' | b'\r' | b'<')
}

/// The credentials between `from` and `end`: what follows a scheme, else one word.
pub(super) fn credentials(text: &str, from: usize, end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let word_end = run(bytes, from, |b| !b.is_ascii_whitespace(), end - from);
    let word = text.get(from..word_end)?;
    let scheme = [
        "bearer",
        "basic",
        "token",
        "digest",
        "negotiate",
        "ntlm",
        "apikey",
        "api-key",
        "key",
        "bot",
        "hawk",
    ]
    .iter()
    .any(|scheme| word.eq_ignore_ascii_case(scheme));
    let signed = word.to_ascii_uppercase().starts_with("AWS4-")
        || word.eq_ignore_ascii_case("digest")
        || word.eq_ignore_ascii_case("hawk");
    if scheme || signed {
        let start = run(bytes, word_end, |b| b == b' ' || b == b'\t', 32);
        // These have several parts; the others are one word.
        let stop = if signed {
            end
        } else {
            run(bytes, start, |b| !b.is_ascii_whitespace() && !b",;".contains(&b), end.saturating_sub(start))
        };
        let value = text.get(start..stop)?;
        let sure = !value.is_empty() && !is_reference(value) && !is_stop_word(value) && start < stop;
        return sure.then_some(start..stop);
    }
    // A word of letters of one case says something about the authorization.
    let telling = word.len() >= 16 || word.bytes().any(|b| b.is_ascii_digit());
    (word.len() >= 4 && telling && !is_reference(word) && !is_stop_word(word)).then_some(from..word_end)
}

/// What follows `Bearer`, when it looks like a token.
pub(super) fn bearer(text: &str, end_of_word: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let at = run(bytes, end_of_word, |b| b == b' ', 8);
    let class = |b: u8| b.is_ascii_alphanumeric() || b"-._~+/=:".contains(&b);
    let mut end = run(bytes, at, class, HEAD);
    while end > at && matches!(byte(bytes, end - 1), b'.' | b':' | b'-') {
        end -= 1;
    }
    let value = text.get(at..end)?;
    let digit = value.bytes().any(|b| b.is_ascii_digit());
    let sure = at > end_of_word
        && value.len() >= 8
        && (digit || value.len() >= 24)
        && !is_reference(value)
        && !is_path(value);
    sure.then(|| whole(text, at..end, class))
}

/// The value of a `Cookie` or `Set-Cookie` header whose name ends at `name_end`.
pub(super) fn cookie(text: &str, name_end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = name_end;
    let slashes = run(bytes, at, |b| b == b'\\', 16);
    if matches!(byte(bytes, slashes), b'"' | b'\'') {
        at = slashes + 1;
    }
    at = run(bytes, at, |b| b == b' ', 4);
    if !matches!(byte(bytes, at), b':' | b'=') {
        return None;
    }
    at = run(bytes, at + 1, |b| b == b' ', 4);
    let slashes = run(bytes, at, |b| b == b'\\', 16);
    if matches!(byte(bytes, slashes), b'"' | b'\'' | b'`') {
        at = slashes + 1;
    }
    let end = floor(text, before_escape(bytes, at, run(bytes, at, in_header, HEAD)));
    let value = text.get(at..end)?;
    let (name, rest) = value.split_once('=')?;
    let pair = !name.is_empty()
        && name.bytes().all(|b| name_byte(b) || b == b'.')
        && rest.len() >= 4
        && !is_reference(rest);
    pair.then(|| whole(text, at..end, in_header))
}

/// What follows `://` in a URL: the password, or a user name that is a token. Also gives the host.
pub(super) fn url(text: &str, after: usize) -> (Option<Range<usize>>, Range<usize>) {
    let bytes = text.as_bytes();
    let stops = |b: u8| !b.is_ascii_whitespace() && !b"/?#\"'`<>\\,;|)".contains(&b);
    let end = run(bytes, after, stops, 1024);
    let authority = text.get(after..end).unwrap_or_default();
    let (user_end, host_start) = match authority.rfind('@') {
        Some(at) => (after + at, after + at + 1),
        // What ends in a placeholder is a user name.
        None if byte(bytes, end) == b'<' => return (None, end..end),
        None => return (url_with_odd_password(text, after), after..end),
    };
    let host = host_start..end;
    let user = text.get(after..user_end).unwrap_or_default();
    let found = match user.find(':') {
        Some(colon) => {
            let start = after + colon + 1;
            let value = text.get(start..user_end).unwrap_or_default();
            (!value.is_empty() && !is_reference(value) && !is_stop_word(value) && value != "x-oauth-basic")
                .then_some(start..user_end)
        }
        None => (user.len() >= 16 && user.bytes().any(|b| b.is_ascii_digit()) && !is_reference(user))
            .then_some(after..user_end),
    };
    (found, host)
}

/// A password with characters that no URL allows, such as `/` or `#`: everything up to the last `@` before a blank,
/// when a colon with no port behind it comes first.
fn url_with_odd_password(text: &str, after: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let end = run(bytes, after, |b| !b.is_ascii_whitespace() && !b"\"'`<>\\".contains(&b), 256);
    let rest = text.get(after..end)?;
    let colon = rest.find([':', '/', '?', '#', '@'])?;
    let user = rest.get(..colon)?;
    let plain = !user.is_empty() && user.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    let password = rest.get(colon + 1..)?;
    let at = password.rfind('@')?;
    let value = password.get(..at)?;
    let port = value.split(['/', '?', '#']).next()?;
    let is_port = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    let host = password.get(at + 1..)?.starts_with(|c: char| c.is_ascii_alphanumeric());
    (byte(bytes, after + colon) == b':' && plain && !is_port && host && !is_reference(value)).then(|| {
        let start = after + colon + 1;
        start..start + at
    })
}

/// The password of `curl -u user:password`; `after` is where the value of `-u` begins.
pub(super) fn user_option(text: &str, after: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let line = text.get(..after)?.as_bytes();
    let line = line.get(line.len().saturating_sub(400)..)?;
    let line = line.rsplit(|b| *b == b'\n').next()?;
    let program = [&b"curl"[..], b"wget", b"http", b"xh "]
        .iter()
        .any(|name| memchr::memmem::find(line, name).is_some());
    let start = run(bytes, after, |b| matches!(b, b' ' | b'"' | b'\'' | b'\\' | b'='), 8);
    let end = run(bytes, start, |b| !b.is_ascii_whitespace() && !b"\"'`;|<>".contains(&b), 512);
    let end = before_escape(bytes, start, end);
    let value = text.get(start..end)?;
    let (user, password) = value.split_once(':')?;
    let sure = program
        && !user.is_empty()
        && !password.is_empty()
        && !is_reference(password)
        && !password.starts_with("//");
    sure.then(|| end - password.len()..end)
}

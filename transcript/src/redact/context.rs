//! Secrets that only their context gives away: names, headers, URLs, sentences.

use std::ops::Range;

use super::value::{byte, is_id, is_random, is_reference, is_stop_word, run};

/// How surely a name says that its value is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// The value must look random (`OPENAI_KEY`).
    Random,
    /// The value must look like a token (`token`, `credentials`).
    Token,
    /// Any value but words and references (`password`, `api_key`, `access_token`).
    Sure,
}

/// Longest identifier that is looked at, in bytes.
const MAX_NAME: usize = 80;
/// Longest value, in bytes.
const MAX_VALUE: usize = 65_536;

/// Words that qualify a name without changing what it names.
const QUALIFIERS: &[&str] = &[
    "prod",
    "production",
    "dev",
    "test",
    "testing",
    "live",
    "staging",
    "old",
    "new",
    "value",
    "plain",
    "raw",
    "base64",
    "b64",
    "main",
    "backup",
    "primary",
    "secondary",
    "current",
    "default",
];

/// Names that are secrets by their last word alone.
const SURE: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "passwort",
    "kennwort",
    "contraseña",
    "secret",
    "secrets",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "authkey",
    "authtoken",
    "accesstoken",
    "refreshtoken",
    "bottoken",
    "apitoken",
    "secretaccesskey",
    "clientsecret",
];

/// What makes a `key` a secret one.
const SECRET_KEYS: &[&str] = &[
    "api",
    "secret",
    "private",
    "access",
    "encryption",
    "signing",
    "master",
    "auth",
    "admin",
    "account",
    "shared",
    "service",
    "client",
    "deploy",
    "license",
    "hmac",
    "subscription",
    "decryption",
];

/// Keys that are everyday ones.
const PLAIN_KEYS: &[&str] = &[
    "public",
    "primary",
    "foreign",
    "session",
    "idempotency",
    "cache",
    "sort",
    "partition",
    "store",
    "lane",
    "action",
    "dedupe",
    "group",
    "row",
    "map",
    "hash",
    "registry",
    "object",
    "translation",
    "i18n",
    "hot",
    "short",
    "routing",
    "unique",
    "run",
];

/// What makes a `token` a secret one.
const SECRET_TOKENS: &[&str] = &[
    "auth", "access", "refresh", "bearer", "api", "bot", "oauth", "secret", "security", "gateway", "hook",
    "webhook", "private", "personal", "service", "user", "admin", "app", "github", "gitlab", "npm", "slack",
    "telegram", "discord", "session", "csrf", "xsrf", "registry", "deploy", "vault",
];

/// Tokens that are counted or turned over, not kept.
const PLAIN_TOKENS: &[&str] = &[
    "next",
    "page",
    "continuation",
    "cursor",
    "sync",
    "max",
    "min",
    "total",
    "count",
    "eos",
    "bos",
    "pad",
    "unk",
    "stop",
    "start",
    "special",
    "input",
    "output",
    "prompt",
    "completion",
    "reasoning",
    "first",
    "last",
    "num",
    "per",
    "lock",
    "cancel",
    "mask",
    "text",
    "string",
    "number",
    "lex",
    "expected",
    "unexpected",
    "invalid",
    "previous",
    "current",
    "sep",
    "cls",
];

/// What a name says about its value. Whole words only: neither `tokens`, `max_token_count` nor `monkey`.
pub(super) fn strength(name: &str) -> Option<Strength> {
    if name.len() > MAX_NAME || name.contains(['<', '>']) {
        return None;
    }
    let mut words = words(name);
    // A working directory, not a password.
    if matches!(words.as_slice(), [only] if matches!(only.as_str(), "pwd" | "oldpwd")) {
        return None;
    }
    while words.len() > 1
        && words.last().is_some_and(|word| {
            QUALIFIERS.contains(&word.as_str()) || word.bytes().all(|b| b.is_ascii_digit())
        })
    {
        words.pop();
    }
    let (last, before) = words.split_last()?;
    let before = before.last().map(String::as_str);
    let last = last.as_str();
    if SURE.contains(&last) || last.ends_with("password") || last.ends_with("passwd") {
        return Some(Strength::Sure);
    }
    match last {
        "密码" | "口令" | "密钥" | "令牌" => Some(Strength::Sure),
        "key" => match before {
            Some(word) if SECRET_KEYS.contains(&word) => Some(Strength::Sure),
            Some(word) if !PLAIN_KEYS.contains(&word) => Some(Strength::Random),
            _ => None,
        },
        "token" => match before {
            Some(word) if SECRET_TOKENS.contains(&word) => Some(Strength::Sure),
            Some(word) if PLAIN_TOKENS.contains(&word) => None,
            _ => Some(Strength::Token),
        },
        "credential" | "credentials" | "auth" => Some(Strength::Token),
        "pass" if before.is_some() => Some(Strength::Token),
        word if word.ends_with("token") => Some(Strength::Token),
        _ => None,
    }
}

fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in name.chars() {
        let hump = c.is_uppercase() && before.is_lowercase();
        if (!c.is_alphanumeric() || hump) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
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
    if !telling
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
    let (name, given) = (words(name), words(value));
    let digits = value.bytes().any(|b| b.is_ascii_digit());
    !digits && name.last().is_some_and(|last| given.last() == Some(last))
}

fn is_path(value: &str) -> bool {
    (value.starts_with('/') && value.get(1..).is_some_and(|rest| rest.contains('/')))
        || value.starts_with("./")
        || value.starts_with("~/")
        || value.starts_with("../")
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

const fn name_byte(b: u8) -> bool {
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
    let Some((value, shape)) = value_after(text, start, end) else {
        return in_prose(text, end, strength);
    };
    let accepted = accepts(strength, name, text.get(value.clone())?, shape);
    if accepted { Some(value) } else { None }
}

/// Where the value after a name lies: behind `=`, `:`, `=>`, `:=`, or a blank after a flag.
fn value_after(text: &str, name_start: usize, name_end: usize) -> Option<(Range<usize>, Shape)> {
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
        let end = closing_quote(bytes, start, quote, slashes);
        return Some((start..end, Shape { quoted: true, tight: true, ..Shape::default() }));
    }
    let stops: &[u8] = if tight && at_line_start(text, name_start) { b"\"'`" } else { b"\"'`,;&|<>" };
    let mut end = run(bytes, at, |b| !b.is_ascii_whitespace() && !stops.contains(&b), MAX_VALUE);
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
    while end > at && !text.is_char_boundary(end) {
        end -= 1;
    }
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
fn closing_quote(bytes: &[u8], start: usize, quote: u8, slashes: usize) -> usize {
    let mut at = start;
    let limit = bytes.len().min(start.saturating_add(MAX_VALUE));
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
fn before_escape(bytes: &[u8], start: usize, end: usize) -> usize {
    let value = bytes.get(start..end).unwrap_or_default();
    let cut = value
        .windows(2)
        .position(|pair| matches!(pair, [b'\\', b'n' | b'r' | b't' | b'"' | b'\'' | b'\\']))
        .unwrap_or_else(|| value.strip_suffix(b"\\").map_or(value.len(), <[u8]>::len));
    start + cut
}

/// "The password for the lamp is hunter2", "your API key AbC...": a value a few words after the name.
fn in_prose(text: &str, name_end: usize, strength: Strength) -> Option<Range<usize>> {
    const REACH: usize = 96;
    let bytes = text.as_bytes();
    if !matches!(byte(bytes, name_end), b' ' | b'"' | b'`' | b'\'') {
        return None;
    }
    let mut at = name_end;
    let mut says = false;
    for _ in 0..6 {
        at = run(bytes, at, |b| b" \t\"'`:=".contains(&b), 8);
        let end = run(bytes, at, |b| !b.is_ascii_whitespace() && !b"\"'`,;<>".contains(&b), MAX_VALUE);
        let end = before_escape(bytes, at, end);
        if end == at || at - name_end > REACH {
            return None;
        }
        let word = text.get(at..end)?;
        let bare = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
        if is_random(bare) {
            return Some(at..at + bare.len());
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
            return Some(at..at + bare.len());
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
    let end = run(bytes, at, |b| !matches!(b, b'"' | b'\'' | b'`' | b'\n' | b'\r' | b'<'), MAX_VALUE);
    let end = before_escape(bytes, at, end);
    credentials(text, at, end)
}

/// The credentials between `from` and `end`: what follows a scheme, else one word.
fn credentials(text: &str, from: usize, end: usize) -> Option<Range<usize>> {
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
    let mut end = run(bytes, at, class, MAX_VALUE);
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
    sure.then_some(at..end)
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
    let end = run(bytes, at, |b| !matches!(b, b'"' | b'\'' | b'`' | b'\n' | b'\r' | b'<'), MAX_VALUE);
    let end = before_escape(bytes, at, end);
    let value = text.get(at..end)?;
    let (name, rest) = value.split_once('=')?;
    let pair = !name.is_empty()
        && name.bytes().all(|b| name_byte(b) || b == b'.')
        && rest.len() >= 4
        && !is_reference(rest);
    pair.then_some(at..end)
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

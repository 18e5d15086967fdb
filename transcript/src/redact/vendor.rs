//! Keys and tokens that are known by how they begin.

use std::ops::Range;

use memchr::memmem;

use super::value::{byte, run};

/// A family of tokens: a prefix, then bytes of a class.
pub(super) struct Vendor {
    /// How the token begins, by case.
    pub(super) prefix: &'static str,
    class: fn(u8) -> bool,
    /// Bytes after the prefix, at least and at most.
    len: (usize, usize),
    start: Start,
    looks: Looks,
}

/// What may stand before the prefix.
#[derive(Clone, Copy)]
enum Start {
    /// Anything: the prefix is like nothing else.
    Free,
    /// No letter, digit, `+` or `/`: the prefix could be a piece of a word or of base64.
    Word,
}

/// What the rest must look like, where a word could look the same.
#[derive(Clone, Copy)]
enum Looks {
    Any,
    /// At least one digit, and more than words and short numbers.
    Digit,
    /// Letters and digits.
    Mixed,
}

const fn word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}

const fn alnum(b: u8) -> bool {
    b.is_ascii_alphanumeric()
}

const fn upper(b: u8) -> bool {
    b.is_ascii_uppercase() || b.is_ascii_digit()
}

const fn hex(b: u8) -> bool {
    b.is_ascii_hexdigit()
}

const fn dotted(b: u8) -> bool {
    word(b) || b == b'.'
}

const MAX: usize = 4096;

/// A prefix of so many bytes does not stand in a token by chance.
const TELLING: usize = 5;

macro_rules! vendors {
    ($($prefix:literal $class:ident $min:literal..$max:tt $start:ident $looks:ident;)*) => {
        &[$(Vendor { prefix: $prefix, class: $class, len: ($min, $max), start: Start::$start, looks: Looks::$looks }),*]
    };
}

pub(super) const VENDORS: &[Vendor] = vendors! {
    // OpenAI, Anthropic, OpenRouter, Langfuse, ...
    "sk-proj-" word 16..MAX Word Digit;
    "sk-ant-" word 16..MAX Word Digit;
    "sk-or-" word 16..MAX Word Digit;
    "sk-lf-" word 16..MAX Word Digit;
    "pk-lf-" word 16..MAX Word Digit;
    "sk-" word 16..MAX Word Digit;
    "sess-" alnum 32..MAX Word Digit;
    // Other model providers
    "gsk_" alnum 20..MAX Word Digit;
    "xai-" alnum 20..MAX Word Digit;
    "pplx-" alnum 20..MAX Word Digit;
    "tvly-" word 16..MAX Word Digit;
    "nvapi-" word 20..MAX Free Any;
    "hf_" alnum 24..MAX Word Any;
    "r8_" alnum 30..MAX Word Digit;
    "lsv2_" word 20..MAX Free Any;
    "fw_" alnum 20..MAX Word Digit;
    "csk-" alnum 20..MAX Word Digit;
    // Code hosts and registries
    "ghp_" alnum 20..MAX Free Any;
    "gho_" alnum 20..MAX Free Any;
    "ghu_" alnum 20..MAX Free Any;
    "ghs_" alnum 20..MAX Free Any;
    "ghr_" alnum 20..MAX Free Any;
    "github_pat_" word 20..MAX Free Any;
    "glpat-" word 16..MAX Free Any;
    "gldt-" word 16..MAX Free Any;
    "glrt-" word 16..MAX Free Any;
    "ATBB" alnum 24..40 Word Digit;
    "npm_" alnum 30..MAX Word Any;
    "pypi-" word 32..MAX Word Digit;
    "rubygems_" hex 40..64 Free Any;
    "dckr_pat_" word 20..MAX Free Any;
    "crates.io_" alnum 20..MAX Free Any;
    // Clouds
    "AKIA" upper 16..16 Word Any;
    "ASIA" upper 16..16 Word Digit;
    "AROA" upper 16..17 Word Digit;
    "AIDA" upper 16..17 Word Digit;
    "AIza" word 35..35 Word Any;
    "ya29." dotted 20..MAX Word Any;
    "GOCSPX-" word 20..MAX Free Any;
    "1//0" word 30..MAX Word Digit;
    "dop_v1_" hex 40..MAX Free Any;
    "doo_v1_" hex 40..MAX Free Any;
    "hvs." word 20..MAX Free Digit;
    "tskey-" word 16..MAX Free Any;
    "sbp_" hex 32..MAX Free Any;
    "sntrys_" word 20..MAX Free Any;
    "glsa_" word 20..MAX Free Any;
    "AGE-SECRET-KEY-1" upper 40..MAX Free Any;
    "FlyV1 fm2_" word 20..MAX Free Any;
    // Payments and shops
    "sk_live_" alnum 10..MAX Free Any;
    "sk_test_" alnum 10..MAX Free Any;
    "rk_live_" alnum 10..MAX Free Any;
    "rk_test_" alnum 10..MAX Free Any;
    "whsec_" word 16..MAX Free Any;
    "shpat_" hex 32..MAX Free Any;
    "shpss_" hex 32..MAX Free Any;
    "sq0atp-" word 20..MAX Free Any;
    "sq0csp-" word 20..MAX Free Any;
    // Messages and documents
    "xoxb-" word 20..MAX Free Mixed;
    "xoxp-" word 20..MAX Free Mixed;
    "xoxa-" word 20..MAX Free Mixed;
    "xoxr-" word 20..MAX Free Mixed;
    "xoxs-" word 20..MAX Free Mixed;
    "xoxe-" word 20..MAX Free Mixed;
    "xoxe." dotted 10..MAX Free Any;
    "xapp-" word 20..MAX Free Mixed;
    "hooks.slack.com/services/" slack 20..MAX Free Any;
    "SG." dotted 40..MAX Word Digit;
    "lin_api_" alnum 20..MAX Free Any;
    "ntn_" alnum 30..MAX Free Any;
    "secret_" alnum 40..MAX Word Digit;
    "figd_" word 20..MAX Free Any;
    "PMAK-" word 30..MAX Free Any;
    "NRAK-" upper 20..MAX Free Any;
    "EAACEdEose0cBA" alnum 10..MAX Free Any;
    "patAA" dotted 20..MAX Word Digit;
    // Hashes of passwords, as `crypt`, Apache, Django and Werkzeug write them
    "$apr1$" crypt 22..MAX Word Any;
    "$1$" crypt 22..MAX Word Digit;
    "$5$" crypt 43..MAX Word Any;
    "$6$" crypt 86..MAX Word Any;
    "$y$" crypt 43..MAX Word Any;
    "$2a$" crypt 50..MAX Word Digit;
    "$2b$" crypt 50..MAX Word Digit;
    "$2y$" crypt 50..MAX Word Digit;
    "$argon2" crypt 40..MAX Word Digit;
    "$scrypt$" crypt 40..MAX Word Digit;
    "$pbkdf2" crypt 40..MAX Word Digit;
    "pbkdf2_sha" crypt 40..MAX Word Digit;
    "pbkdf2:sha" salted 40..MAX Word Digit;
    "scrypt:32768:" salted 40..MAX Word Digit;
};

const fn crypt(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'$' | b'.' | b'/' | b'+' | b'=' | b',' | b'_' | b'-')
}

const fn salted(b: u8) -> bool {
    crypt(b) || b == b':'
}

const fn slack(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'/'
}

impl Vendor {
    /// The secret whose prefix stands at `at`, if it is one.
    pub(super) fn find(&self, text: &[u8], at: usize) -> Option<Range<usize>> {
        let rest = at + self.prefix.len();
        if text.get(at..rest)? != self.prefix.as_bytes() {
            return None;
        }
        let end = run(text, rest, self.class, self.len.1.saturating_add(1));
        let run = text.get(rest..end)?;
        // No token holds its own beginning again: what does is several of them, or a text of nothing but beginnings.
        let again =
            (self.prefix.len() >= TELLING).then(|| memmem::find(run, self.prefix.as_bytes())).flatten();
        let body = again.map_or(run, |again| run.get(..again).unwrap_or_default());
        let end = rest + body.len();
        if body.len() < self.len.0 || body.len() > self.len.1 {
            return None;
        }
        let free = match self.start {
            Start::Free => true,
            Start::Word => !is_glued(text, at) || (self.prefix.starts_with("sk-") && looks_random(body)),
        };
        let looks = match self.looks {
            Looks::Any => true,
            Looks::Mixed => {
                body.iter().any(u8::is_ascii_digit)
                    && body.iter().any(u8::is_ascii_alphabetic)
                    && !is_words(body)
            }
            Looks::Digit => body.iter().any(u8::is_ascii_digit) && !is_words(body),
        };
        (free && looks).then(|| {
            let start = if self.prefix.contains('/') { rest } else { at };
            start..trim_end(text, start, end)
        })
    }
}

/// Whether the prefix could be a piece of a longer word or of base64. The letter of an escape (`\n`) is neither.
fn is_glued(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else {
        return false;
    };
    let (b, earlier) = (byte(text, before), before.checked_sub(1).map_or(0, |at| byte(text, at)));
    match b {
        b'n' | b'r' | b't' if earlier == b'\\' => false,
        b'/' => earlier.is_ascii_alphanumeric(),
        b => b.is_ascii_alphanumeric() || b == b'+',
    }
}

/// A key glued to other letters: a piece of capitals and digits without a break, which names and hashes do not have.
fn looks_random(body: &[u8]) -> bool {
    body.split(|b| !b.is_ascii_alphanumeric()).any(|piece| {
        piece.len() >= 16 && piece.iter().any(u8::is_ascii_uppercase) && piece.iter().any(u8::is_ascii_digit)
    })
}

/// Words joined by hyphens, with at most a short number among them: `sk-loading-indicator-wrapper-2`.
fn is_words(body: &[u8]) -> bool {
    body.split(|b| matches!(b, b'-' | b'_')).all(|part| {
        part.iter().all(u8::is_ascii_lowercase) || (part.len() <= 2 && part.iter().all(u8::is_ascii_digit))
    })
}

/// A token does not end in a hyphen or a stop that belongs to the sentence.
fn trim_end(text: &[u8], start: usize, mut end: usize) -> usize {
    while end > start + 1 && matches!(byte(text, end - 1), b'.' | b'-' | b'/') {
        end -= 1;
    }
    end
}

/// A JSON web token at `at` (where `eyJ` stands): two or three parts of base64url.
pub(super) fn jwt(text: &[u8], at: usize) -> Option<Range<usize>> {
    if text.get(at..at + 3)? != b"eyJ" || is_glued(text, at) {
        return None;
    }
    let header = run(text, at, word, MAX);
    if header - at < 12 || byte(text, header) != b'.' {
        return None;
    }
    let payload = run(text, header + 1, word, 65_536);
    if payload < header + 9 {
        return None;
    }
    let end = if byte(text, payload) == b'.' { run(text, payload + 1, word, MAX) } else { payload };
    Some(at..trim_end(text, at, end))
}

/// A private key in PEM whose first line begins at `at`. Without an end it reaches as far as base64 goes.
pub(super) fn pem(text: &str, at: usize) -> Option<Range<usize>> {
    const LONGEST: usize = 65_536;
    let bytes = text.as_bytes();
    let label_end = run(bytes, at + 11, |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ', 64);
    let label = text.get(at + 11..label_end)?;
    if !label.contains("PRIVATE KEY") || !bytes.get(label_end..)?.starts_with(b"-----") {
        return None;
    }
    let body = label_end + 5;
    let window = bytes.get(body..bytes.len().min(body + LONGEST))?;
    let mark = b"-----END ";
    let end = match memmem::find(window, mark) {
        Some(found) => {
            let label = run(bytes, body + found + mark.len(), |b| b != b'-' && b != b'\n', 64);
            run(bytes, label, |b| b == b'-', 5)
        }
        None => run(bytes, body, |b| b.is_ascii_alphanumeric() || b"+/=\\ \r\n\t:,-".contains(&b), LONGEST),
    };
    // Blanks after it are not part of it.
    let mut end = end;
    while end > body && byte(bytes, end - 1).is_ascii_whitespace() {
        end -= 1;
    }
    Some(at..end)
}

/// A Telegram bot token, whose `:AA` stands at `at`.
pub(super) fn telegram(text: &[u8], at: usize) -> Option<Range<usize>> {
    let mut start = at;
    while start > 0 && at - start < 12 && byte(text, start - 1).is_ascii_digit() {
        start -= 1;
    }
    let end = run(text, at + 1, word, 64);
    let ids = (8..=11).contains(&(at - start)) && (33..=37).contains(&(end - at - 1));
    (ids && text.get(at..at + 3) == Some(b":AA")).then_some(start..end)
}

/// The token of a Discord webhook, after `/api/webhooks/<id>/`.
pub(super) fn discord_webhook(text: &[u8], after: usize) -> Option<Range<usize>> {
    let id = run(text, after, |b| b.is_ascii_digit(), 24);
    let end = run(text, id + 1, word, 128);
    (id > after && byte(text, id) == b'/' && end - id > 20).then_some(id + 1..end)
}

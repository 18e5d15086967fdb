//! Secrets in sentences.

use std::ops::Range;

use super::context::{HEAD, before_escape, is_path, whole};
use super::secret_names::{Strength, is_password};
use super::value::{
    byte, floor, is_id, is_mention, is_passphrase, is_random, is_reference, is_stop_word, run,
};

/// Words between a name and its value.
const COPULAS: &[&str] =
    &["is", "was", "ist", "lautet", "war", "es", "to", "est", "é", "è", "jest", "är", "это", "=>"];

/// "The password for the lamp is hunter2", "your API key AbC...": a value a few words after the name.
pub(super) fn in_prose(text: &str, name: Range<usize>, strength: Strength) -> Option<Range<usize>> {
    const REACH: usize = 96;
    let bytes = text.as_bytes();
    let name_end = name.end;
    if !matches!(byte(bytes, name_end), b' ' | b'"' | b'`' | b'\'') {
        return None;
    }
    let mut at = name_end;
    let mut to = false;
    let mut says = is_netrc(text, name.start);
    // The whole key of a wallet looks like a hash, and only its name says what it is.
    if strength == Strength::Sure
        && let Some(key) = hex_key(text, &name)
    {
        return Some(key);
    }
    let with = is_password(text.get(name.clone())?) && is_after_with(bytes, name.start);
    for index in 0..6 {
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
        let word_alone = !bare.starts_with(['[', '(', '{'])
            && !is_reference(bare)
            && !bare.contains("://")
            && !is_stop_word(bare)
            && !is_path(bare);
        let quote = byte(bytes, at - 1);
        if matches!(quote, b'"' | b'\'' | b'`')
            && byte(bytes, end) == quote
            && (says && (index == 1 || !to) || with && index == 0)
            && is_password(text.get(name.clone())?)
            && bare.len() >= 4
            && word_alone
            && !is_mention(bare)
        {
            return Some(whole(text, at..end, class));
        }
        let digit = bare.bytes().any(|b| b.is_ascii_digit());
        let letter = bare.bytes().any(|b| b.is_ascii_alphabetic());
        if says
            && strength == Strength::Sure
            && bare.len() >= 5
            && (digit && letter || is_passphrase(bare))
            && word_alone
            && !is_id(bare)
        {
            return Some(whole(text, at..at + bare.len(), class));
        }
        // The end of a sentence ends the reach of the name.
        if word.len() > bare.len() && !word.ends_with(':') {
            return None;
        }
        to = word.eq_ignore_ascii_case("to");
        says = COPULAS.iter().any(|known| word.eq_ignore_ascii_case(known)) || word.ends_with(':');
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

/// Whether "with", "use" or the like stands right before the name.
fn is_after_with(bytes: &[u8], name_start: usize) -> bool {
    const WORDS: &[&[u8]] = &[b"with", b"use", b"using", b"mit", b"con", b"avec", b"com"];
    let Some(head) = bytes.get(name_start.saturating_sub(8)..name_start.saturating_sub(1)) else {
        return false;
    };
    let word = head.rsplit(|b| !b.is_ascii_alphabetic()).next().unwrap_or_default();
    byte(bytes, name_start.wrapping_sub(1)) == b' '
        && WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The 32 bytes of a private key in hexadecimal right behind its name.
fn hex_key(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    const DIGITS: usize = 64;
    let bytes = text.as_bytes();
    let last = name.end.checked_sub(3)?;
    if !text.get(last..name.end)?.eq_ignore_ascii_case("key") {
        return None;
    }
    let mut at = run(bytes, name.end, |b| b" \t\"'`:=".contains(&b), 8);
    if text.get(at..at + 3) == Some("is ") {
        at = run(bytes, at + 3, |b| b" \"'`:".contains(&b), 8);
    }
    let start = if text.get(at..at + 2) == Some("0x") { at + 2 } else { at };
    let end = run(bytes, start, |b| b.is_ascii_hexdigit(), DIGITS + 1);
    (end - start == DIGITS).then_some(at..end)
}

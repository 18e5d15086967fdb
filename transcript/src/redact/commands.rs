//! Passwords on command lines: behind the option of a program that takes one, or piped into a program that reads one.

use std::ops::Range;

use super::context::{HEAD, before_escape, closing_quote};
use super::value::{byte, floor, is_mention, is_reference, is_stop_word, run};

/// How much of a command is looked at, in bytes.
const REACH: usize = 512;

/// A program and the options of it that take a password.
pub(super) struct Program {
    /// How its name begins: `mysql` is also `mysqldump`.
    pub(super) name: &'static str,
    options: &'static [(&'static str, Takes)],
}

/// Where the password stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// In the same word: `-phunter2`.
    Glued,
    /// In the next word, or behind `=`.
    Next,
    /// In the same or the next word.
    Either,
    /// Behind `pass:` in the next word; `env:` and `file:` only tell where it is.
    Pass,
    /// Behind the `:` of `user:password`, in the same or the next word.
    Colon,
    /// Behind the `%` of `user%password`.
    Percent,
}

macro_rules! programs {
    ($($name:literal: $($option:literal $takes:ident),+;)*) => {
        &[$(Program { name: $name, options: &[$(($option, Takes::$takes)),+] }),*]
    };
}

pub(super) const PROGRAMS: &[Program] = programs! {
    // Databases
    "mysql": "--password" Next, "-p" Glued;
    "mariadb": "--password" Next, "-p" Glued;
    "redis-cli": "-a" Next, "--pass" Next;
    "valkey-cli": "-a" Next, "--pass" Next;
    "mongo": "--password" Next, "-p" Next;
    "sqlcmd": "-P" Either;
    "cqlsh": "--password" Next, "-p" Next;
    "clickhouse-client": "--password" Next;
    "influx": "--password" Next, "-password" Next;
    // Archives and keys
    "unzip": "-P" Either;
    "zip": "-P" Either, "--password" Next;
    "7z": "-p" Glued;
    "unrar": "-p" Glued;
    "openssl": "-pass" Pass, "-passin" Pass, "-passout" Pass;
    "keytool": "-storepass" Next, "-keypass" Next, "-srcstorepass" Next, "-deststorepass" Next;
    "jarsigner": "-storepass" Next, "-keypass" Next;
    "gpg": "--passphrase" Next;
    "ConvertTo-SecureString": "-String" Next;
    // Remote machines and services
    "sshpass": "-p" Either;
    "curl": "-u" Colon, "--user" Colon, "--proxy-user" Colon, "-U" Colon;
    "smbclient": "-U" Percent, "--user" Percent;
    "ldapsearch": "-w" Either;
    "ldapadd": "-w" Either;
    "ldapmodify": "-w" Either;
    "ldapwhoami": "-w" Either;
    "docker login": "-p" Next, "--password" Next;
    "podman login": "-p" Next, "--password" Next;
    "xfreerdp": "/p:" Glued;
    "nmcli": "password" Next;
    "mosquitto_": "-P" Next;
    "ipmitool": "-P" Next;
};

/// A program that reads a password where another writes it: `echo hunter2 | sudo -S`.
pub(super) struct Reader {
    pub(super) name: &'static str,
    /// Only with this option.
    option: Option<u8>,
    /// It reads `user:password`.
    colon: bool,
}

pub(super) const READERS: &[Reader] = &[
    Reader { name: "sudo ", option: Some(b'S'), colon: false },
    Reader { name: "chpasswd", option: None, colon: true },
    Reader { name: "kinit", option: None, colon: false },
    Reader { name: "passwd --stdin", option: None, colon: false },
    Reader { name: "--password-stdin", option: None, colon: false },
    Reader { name: "--passphrase-fd 0", option: None, colon: false },
];

impl Program {
    /// The first password of the command whose program begins at `at`.
    pub(super) fn find(&self, text: &str, at: Range<usize>) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        if is_inside_word(bytes, at.start) {
            return None;
        }
        let mut next = run(bytes, at.end, |b| b.is_ascii_alphanumeric() || b"-_.".contains(&b), 32);
        let limit = bytes.len().min(at.start.saturating_add(REACH));
        // The one argument that PowerShell takes without an option.
        if self.name == "ConvertTo-SecureString" {
            let value = word(text, blanks(bytes, next)?)?;
            if value.quoted && is_password(text, &value.range) {
                return Some(value.range);
            }
        }
        while next < limit {
            let start = blanks(bytes, next)?;
            let argument = word(text, start)?;
            if argument.range.is_empty() && !argument.quoted {
                return None;
            }
            let fits = |(option, takes): &(&str, Takes)| password(text, start, &argument, option, *takes);
            if let Some(found) = self.options.iter().find_map(fits) {
                return Some(found);
            }
            next = argument.next;
        }
        None
    }
}

/// The password of an option, when the word that begins at `start` is it.
fn password(text: &str, start: usize, argument: &Word, option: &str, takes: Takes) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let rest = bytes.get(start..)?;
    if !rest.starts_with(option.as_bytes()) {
        return None;
    }
    let end = start + option.len();
    let long = option.starts_with("--");
    let value = if end == argument.next {
        if takes == Takes::Glued && byte(bytes, end) != b'"' && byte(bytes, end) != b'\'' {
            return None;
        }
        let glued = takes == Takes::Glued || matches!(byte(bytes, end), b'"' | b'\'');
        word(text, if glued { end } else { blanks(bytes, end)? })?
    } else if byte(bytes, end) == b'=' && takes != Takes::Glued {
        word(text, end + 1)?
    } else if !long && matches!(takes, Takes::Glued | Takes::Either | Takes::Colon | Takes::Percent) {
        word(text, end)?
    } else {
        return None;
    };
    let mut range = value.range;
    let written = text.get(range.clone())?;
    match takes {
        Takes::Pass => range.start += written.strip_prefix("pass:").map(|_| "pass:".len())?,
        Takes::Colon => range.start += written.find(':')? + 1,
        Takes::Percent => range.start += written.find('%')? + 1,
        Takes::Glued | Takes::Next | Takes::Either => {}
    }
    is_password(text, &range).then_some(range)
}

fn is_password(text: &str, range: &Range<usize>) -> bool {
    let value = text.get(range.clone()).unwrap_or_default();
    let ports = value.contains(':') && value.bytes().all(|b| b.is_ascii_digit() || b == b':' || b == b'.');
    !value.is_empty()
        && !value.starts_with(['-', '<'])
        && !value.starts_with("//")
        && value.chars().any(char::is_alphanumeric)
        && !ports
        && !is_reference(value)
        && !is_stop_word(value)
        && !is_mention(value)
}

/// Whether a name goes on before this place. The letter of an escape (`\n`) is no piece of it.
fn is_inside_word(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    match byte(bytes, before) {
        b'n' | b'r' | b't' if byte(bytes, before.wrapping_sub(1)) == b'\\' => false,
        b => b.is_ascii_alphanumeric() || b >= 0x80 || b"-_.@".contains(&b),
    }
}

/// Where the next word begins; `None` where the command ends.
fn blanks(bytes: &[u8], at: usize) -> Option<usize> {
    let start = run(bytes, at, |b| b == b' ' || b == b'\t', 32);
    (start > at && !matches!(byte(bytes, start), 0 | b'\n' | b'\r' | b';' | b'|' | b'&' | b'#'))
        .then_some(start)
}

/// A word of a command.
struct Word {
    /// Without its quotes.
    range: Range<usize>,
    quoted: bool,
    next: usize,
}

/// The word at `at`; `None` when it is quoted and the quote is not closed.
fn word(text: &str, at: usize) -> Option<Word> {
    let bytes = text.as_bytes();
    let slashes = run(bytes, at, |b| b == b'\\', 8) - at;
    let quote = byte(bytes, at + slashes);
    if matches!(quote, b'"' | b'\'') {
        let start = at + slashes + 1;
        let end = floor(text, closing_quote(bytes, start, quote, slashes, HEAD));
        let closed = byte(bytes, end + slashes) == quote;
        return closed.then_some(Word { range: start..end, quoted: true, next: end + slashes + 1 });
    }
    let class = |b: u8| !b.is_ascii_whitespace() && !b"\"'`;|".contains(&b);
    let mut end = run(bytes, at, class, HEAD);
    // A sign between letters is one of a password that should have been in quotes.
    let joined =
        |pair: &[u8]| pair.first() == Some(&b'&') && !pair.get(1).is_some_and(u8::is_ascii_alphanumeric);
    end = bytes
        .get(at..(end + 1).min(bytes.len()))
        .and_then(|word| word.windows(2).position(joined))
        .map_or(end, |ends| (at + ends).min(end));
    let mut end = floor(text, before_escape(bytes, at, end));
    // `--option="two words"` is one word, too.
    if byte(bytes, end.wrapping_sub(1)) == b'=' && matches!(byte(bytes, end), b'"' | b'\'') {
        end = word(text, end)?.next;
    }
    // A bracket that closes what the command stands in.
    while end > at && byte(bytes, end - 1) == b')' {
        end -= 1;
    }
    Some(Word { range: at..end, quoted: false, next: end })
}

impl Reader {
    /// The password that is handed to the program whose name stands at `at`.
    pub(super) fn find(&self, text: &str, at: Range<usize>) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        if !self.name.starts_with('-') && is_inside_word(bytes, at.start) {
            return None;
        }
        let tail = run(bytes, at.end, |b| !matches!(b, b'\n' | b'|' | b';'), REACH);
        let rest = bytes.get(at.end..tail)?;
        if let Some(option) = self.option {
            let mut words = rest.split(u8::is_ascii_whitespace).take(8);
            if !words.any(|word| {
                word.first() == Some(&b'-') && word.get(1) != Some(&b'-') && word.contains(&option)
            }) {
                return None;
            }
        }
        let handed = memchr::memmem::find(rest, b"<<<").map(|sign| at.end + sign + 3);
        let given = match handed {
            Some(sign) => word(text, run(bytes, sign, |b| b == b' ', 8))?.range,
            None => piped(text, at.start)?,
        };
        let mut range = given;
        range.end = before_escape(bytes, range.start, range.end);
        if self.colon {
            range.start += text.get(range.clone())?.find(':')? + 1;
        }
        (range.len() >= 3 && is_password(text, &range)).then_some(range)
    }
}

/// What `echo` or `printf` writes into the pipe before the command that holds `at`.
fn piped(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let from = at.saturating_sub(REACH);
    let head = bytes.get(from..at)?;
    let pipe = memchr::memrchr(b'|', head)?;
    if head.get(pipe..)?.iter().any(|b| matches!(b, b';' | b'&' | b'\n')) {
        return None;
    }
    let left = head.get(..pipe)?;
    let line = memchr::memrchr(b'\n', left).map_or(0, |end| end + 1);
    let (writer, name) = ["echo ", "printf ", "Write-Output "]
        .iter()
        .filter_map(|name| Some((memchr::memmem::rfind(left.get(line..)?, name.as_bytes())? + line, *name)))
        .max()?;
    if is_inside_word(bytes, from + writer) {
        return None;
    }
    let end = from + pipe;
    let mut next = from + writer + name.len() - 1;
    let mut found: Option<Range<usize>> = None;
    while let Some(start) = blanks(bytes, next).filter(|start| *start < end) {
        let argument = word(text, start)?;
        if argument.next <= start {
            return None;
        }
        next = argument.next;
        let written = text.get(argument.range.clone())?;
        let option = found.is_none() && !argument.quoted && written.starts_with('-');
        let format = name == "printf " && found.is_none() && written.contains('%');
        if !option && !format {
            found = Some(found.map_or(argument.range.clone(), |first| first.start..argument.range.end));
        }
    }
    found.filter(|found| found.end <= end)
}

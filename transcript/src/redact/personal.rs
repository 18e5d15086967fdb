//! Personal data: addresses, numbers, home folders, hosts.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use super::checksum::{iban_length, is_card, is_iban};
use super::scan::{Found, Label};
use super::value::{byte, is_reference, run};

fn found(label: Label, range: Range<usize>) -> Found {
    Found { range, label }
}

/// What an `@` at this place belongs to: an e-mail address, or `user@host:` of a prompt or a copy command.
pub(super) fn at_sign(text: &str, at: usize, out: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let local_byte = |b: u8| b.is_ascii_alphanumeric() || b >= 0x80 || b"._%+-".contains(&b);
    let mut start = at;
    while start > 0 && at - start < 128 && local_byte(byte(bytes, start - 1)) {
        start -= 1;
    }
    while start < at
        && (matches!(byte(bytes, start), b'.' | b'%' | b'-' | b'+') || !text.is_char_boundary(start))
    {
        start += 1;
    }
    start = after_escape(bytes, start, at);
    let mut end =
        run(bytes, at + 1, |b| b.is_ascii_alphanumeric() || b >= 0x80 || b == b'.' || b == b'-', 254);
    while end > at + 1 && (matches!(byte(bytes, end - 1), b'.' | b'-') || !text.is_char_boundary(end)) {
        end -= 1;
    }
    let (Some(local), Some(domain)) = (text.get(start..at), text.get(at + 1..end)) else {
        return;
    };
    if local.is_empty() || domain.is_empty() {
        return;
    }
    let remote_path = byte(bytes, end) == b':' && matches!(byte(bytes, end + 1), b'~' | b'/' | b' ');
    let top = domain.rsplit('.').next().unwrap_or_default();
    let has_top = domain.contains('.') && top.chars().count() >= 2 && top.chars().all(char::is_alphabetic);
    if remote_path && !has_top && local != "git" {
        out.push(found(Label::User, start..at));
        out.push(found(Label::Host, at + 1..end));
    } else if has_top
        && !(local == "git" && byte(bytes, end) == b':')
        && domain.split('.').all(|part| !part.is_empty())
    {
        out.push(found(Label::Email, start..end));
    }
}

/// Steps over the letter of an escape such as `\n` that stands before a word in text with escapes.
fn after_escape(bytes: &[u8], start: usize, end: usize) -> usize {
    let escape =
        start > 0 && byte(bytes, start - 1) == b'\\' && matches!(byte(bytes, start), b'n' | b'r' | b't');
    if escape && start + 1 < end { start + 1 } else { start }
}

/// The name of a home folder after `/home/`, `/Users/` or `\Users\`.
pub(super) fn home(text: &str, prefix: Range<usize>, out: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let before = byte(bytes, prefix.start.wrapping_sub(1));
    let glued =
        prefix.start > 0 && (before.is_ascii_alphanumeric() || matches!(before, b'.' | b'_' | b'-' | b'~'));
    let windows = prefix.start >= 2 && byte(bytes, prefix.start - 2) == b':'
        || text.get(..prefix.start).is_some_and(|head| head.ends_with("/mnt/c"));
    let escaped = text.get(..prefix.start).is_some_and(|head| head.ends_with("\\n") || head.ends_with("\\t"));
    if glued && !windows && !escaped {
        return;
    }
    // `C:\\Users\\name` in text with escapes.
    let start = run(bytes, prefix.end, |b| b == b'\\', 4);
    let end = run(bytes, start, |b| !b.is_ascii_whitespace() && !b"/\\\"'`<>:;,|()[]{}*?&=".contains(&b), 64);
    let mut end = end;
    while end > start && (matches!(byte(bytes, end - 1), b'.' | b'!') || !text.is_char_boundary(end)) {
        end -= 1;
    }
    let Some(name) = text.get(start..end) else { return };
    if !name.is_empty()
        && !name.starts_with('.')
        && !matches!(name, "Shared" | "Public" | "linuxbrew")
        && !is_reference(name)
    {
        out.push(found(Label::User, start..end));
    }
}

/// A host name that ends in a private suffix such as `.internal`.
pub(super) fn private_host(text: &str, suffix: Range<usize>, out: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let class = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'.';
    let mut start = suffix.start;
    while start > 0 && suffix.start - start < 253 && class(byte(bytes, start - 1)) {
        start -= 1;
    }
    start = after_escape(bytes, start, suffix.start);
    let next = byte(bytes, suffix.end);
    let longer = next.is_ascii_alphanumeric()
        || next == b'-'
        || next == b'_'
        || next == b'('
        || (next == b'.' && byte(bytes, suffix.end + 1).is_ascii_alphanumeric());
    let labels = text.get(start..suffix.start).unwrap_or_default();
    let glued = start > 0 && byte(bytes, start - 1) == b'_';
    if !longer && !glued && !labels.is_empty() && labels.split('.').all(|label| !label.is_empty()) {
        out.push(found(Label::Host, start..suffix.end));
    }
}

/// The host of a URL, when it is a bare name on somebody's network.
pub(super) fn url_host(text: &str, host: &Range<usize>, out: &mut Vec<Found>) {
    // Other schemes (`media://inbound/...`) do not name hosts.
    const SCHEMES: &[&str] = &[
        "http",
        "https",
        "ws",
        "wss",
        "ssh",
        "sftp",
        "ftp",
        "git",
        "tcp",
        "udp",
        "grpc",
        "postgres",
        "postgresql",
        "mysql",
        "mongodb",
        "redis",
        "rediss",
        "amqp",
        "amqps",
        "smtp",
        "imap",
        "ldap",
        "ldaps",
        "smb",
        "nfs",
        "mqtt",
        "nats",
        "kafka",
        "vnc",
        "rdp",
    ];
    let bytes = text.as_bytes();
    let end = run(bytes, host.start, |b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_', host.len());
    let name = text.get(host.start..end).unwrap_or_default();
    let ends = end == host.end || byte(bytes, end) == b':';
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !matches!(name, "localhost" | "host" | "example");
    let before = bytes.get(host.start.saturating_sub(300)..host.start).unwrap_or_default();
    let on_network = memchr::memmem::rfind(before, b"://").is_some_and(|colon| {
        let head = before.get(..colon).unwrap_or_default();
        let scheme = head.rsplit(|b| !b.is_ascii_alphanumeric()).next().unwrap_or_default();
        SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known.as_bytes()))
    });
    if named && ends && on_network {
        out.push(found(Label::Host, host.start..end));
    }
}

/// The value of a field that names a host or a telephone.
pub(super) fn field(name: &str, value: &str) -> Option<Found> {
    let name = name.to_ascii_lowercase();
    let host = ["hostname", "host_name", "computername", "nodename", "machine_name", "machinename"]
        .contains(&name.as_str());
    let host_like = !value.is_empty()
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.' || b == b'_')
        && value.bytes().any(|b| b.is_ascii_alphabetic())
        && !matches!(value, "localhost" | "unknown");
    if host && host_like {
        return Some(found(Label::Host, 0..value.len()));
    }
    let phone = ["phone", "telephone", "tel", "mobile", "fax", "whatsapp", "cell"].iter().any(|word| {
        name == *word
            || name.ends_with(&format!("_{word}"))
            || name.starts_with(&format!("{word}_"))
            || (name.len() > word.len() && word.len() > 4 && name.contains(word))
    });
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let phone_like =
        (6..=15).contains(&digits) && value.bytes().all(|b| b.is_ascii_digit() || b"+-/.() ".contains(&b));
    (phone && phone_like).then(|| found(Label::Phone, 0..value.len()))
}

/// A text `hostname: name`.
pub(super) fn named_host(text: &str, name_end: usize, out: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let at = run(bytes, name_end, |b| matches!(b, b'"' | b'\'' | b'\\' | b' '), 16);
    if !matches!(byte(bytes, at), b':' | b'=') {
        return;
    }
    let start = run(bytes, at + 1, |b| matches!(b, b'"' | b'\'' | b'\\' | b' '), 16);
    let end = run(bytes, start, |b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.' || b == b'_', 253);
    let value = text.get(start..end).unwrap_or_default();
    if let Some(host) = field("hostname", value.trim_end_matches('.')) {
        out.push(found(Label::Host, start..start + host.range.end));
    }
}

/// Query parameters that carry credentials although their names are short.
pub(super) fn query(text: &str, sign: usize, out: &mut Vec<Found>) {
    const NAMES: &[&str] = &[
        "sig",
        "signature",
        "code",
        "state",
        "sid",
        "session",
        "sessionid",
        "session_id",
        "auth",
        "key",
        "hash",
        "ticket",
        "otp",
        "pass",
        "pin",
        "nonce",
        "hmac",
        "token",
        "jwt",
        "assertion",
        "x-amz-signature",
        "x-amz-credential",
        "x-goog-signature",
        "x-goog-credential",
        "x-amz-security-token",
    ];
    let bytes = text.as_bytes();
    let name_end = run(bytes, sign + 1, |b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-', 32);
    let Some(name) = text.get(sign + 1..name_end) else {
        return;
    };
    if byte(bytes, name_end) != b'='
        || !NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
        || !in_url(bytes, sign)
    {
        return;
    }
    let start = name_end + 1;
    let mut end = run(bytes, start, |b| !b.is_ascii_whitespace() && !b"&#\"'`<>\\,;)".contains(&b), 8192);
    while end > start && (byte(bytes, end - 1) == b'.' || !text.is_char_boundary(end)) {
        end -= 1;
    }
    let value = text.get(start..end).unwrap_or_default();
    if value.len() >= 4 && !is_reference(value) {
        out.push(found(Label::Secret, start..end));
    }
}

/// Whether the byte before belongs to a URL: `://` comes before any blank.
fn in_url(bytes: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(2048);
    let head = bytes.get(from..at).unwrap_or_default();
    let word =
        head.rsplit(|b| b.is_ascii_whitespace() || *b == b'"' || *b == b'\'').next().unwrap_or_default();
    memchr::memmem::find(word, b"://").is_some() || word.first() == Some(&b'/')
}

/// Everything made of digits: addresses, cards, accounts, telephones. One pass over the bytes.
pub(super) fn numbers(text: &str, out: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let b = byte(bytes, at);
        if b.is_ascii_digit() {
            let end = number(text, at, out);
            at = end.max(at + 1);
        } else {
            if b == b':' && at > 0 {
                at = ipv6(text, at, out).max(at + 1);
                continue;
            }
            at += 1;
        }
    }
}

fn glued_before(bytes: &[u8], at: usize) -> bool {
    at > 0
        && matches!(byte(bytes, at - 1), b if b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'+' | b'/' | b'=' | b'#') || b >= 0x80)
}

/// A run of digits that begins at `at`; gives where to go on.
fn number(text: &str, at: usize, out: &mut Vec<Found>) -> usize {
    let bytes = text.as_bytes();
    let end = run(bytes, at, |b| b.is_ascii_digit(), usize::MAX);
    let len = end - at;
    if len <= 3
        && byte(bytes, end) == b'.'
        && let Some(end) = ipv4(text, at)
    {
        if let Some(range) = public_ipv4(text, at..end) {
            out.push(found(Label::Ip, range));
        }
        return end;
    }
    if len >= 2
        && at >= 2
        && let Some(range) = iban(bytes, at - 2)
    {
        let end = range.end;
        out.push(found(Label::Iban, range));
        return end;
    }
    if let Some(range) = card(bytes, at, end) {
        let end = range.end;
        out.push(found(Label::Card, range));
        return end;
    }
    if let Some(range) = phone(bytes, at, end) {
        let end = range.end;
        out.push(found(Label::Phone, range));
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
    let next = byte(bytes, range.end);
    let longer = next.is_ascii_alphanumeric()
        || next == b'-'
        || next == b'_'
        || (next == b'.' && byte(bytes, range.end + 1).is_ascii_alphanumeric());
    let address: Ipv4Addr = text.get(range.clone())?.parse().ok()?;
    let nobody = address.is_loopback() || address.is_unspecified() || address.is_broadcast();
    (!glued && !longer && !nobody).then_some(range)
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
    if !part(byte(bytes, colon - 1)) && byte(bytes, colon + 1) != b':' || !part(byte(bytes, colon + 1)) {
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
    let Some(address) = text.get(start..end).and_then(|text| text.parse::<Ipv6Addr>().ok()) else {
        return end;
    };
    // `a::b` is a path in code: an address of a network begins with a group of at least three, or has four groups.
    let first = address.segments().first().copied().unwrap_or(0);
    let groups =
        text.get(start..end).unwrap_or_default().split(':').filter(|group| !group.is_empty()).count();
    if !address.is_loopback() && !address.is_unspecified() && (first >= 0x100 && groups >= 2 || groups >= 4) {
        out.push(found(Label::Ip, start..end));
    }
    end
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
    if end == at {
        return false;
    }
    let word = bytes.get(end.saturating_sub(10)..end).unwrap_or_default();
    let word = word.rsplit(|b| !b.is_ascii_alphabetic()).next().unwrap_or_default();
    ["tel", "phone", "telephone", "telefon", "mobile", "mobil", "handy", "fax", "whatsapp", "cell"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

//! Personal data made of words: mail addresses, home folders, hosts, query parameters.

use std::ops::Range;

use super::scan::{Found, Label};
use super::value::{byte, is_reference, run};

/// An `@` as it stands in texts, URLs and HTML.
pub(super) const AT_SIGNS: &[&str] = &["@", "%40", "&#64;", "&#x40;", "\\u0040"];

/// What an `@` at this place belongs to: an e-mail address, or `user@host:` of a prompt or a copy command.
pub(super) fn at_sign(text: &str, sign: Range<usize>, out: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let (at, behind) = (sign.start, sign.end);
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
        run(bytes, behind, |b| b.is_ascii_alphanumeric() || b >= 0x80 || b == b'.' || b == b'-', 254);
    while end > behind && (matches!(byte(bytes, end - 1), b'.' | b'-') || !text.is_char_boundary(end)) {
        end -= 1;
    }
    let (Some(local), Some(domain)) = (text.get(start..at), text.get(behind..end)) else {
        return;
    };
    if local.is_empty() || domain.is_empty() {
        return;
    }
    // `a@b: ...` is a mark in a text, `ann@lampbox: ...` a prompt.
    let remote_path = sign.len() == 1
        && byte(bytes, end) == b':'
        && (matches!(byte(bytes, end + 1), b'~' | b'/')
            || byte(bytes, end + 1) == b' ' && local.len() > 1 && domain.len() > 1);
    let top = domain.rsplit('.').next().unwrap_or_default();
    let has_top = domain.contains('.') && top.chars().count() >= 2 && top.chars().all(char::is_alphabetic);
    if remote_path && !has_top && local != "git" {
        out.push(Found::new(Label::User, start..at));
        out.push(Found::new(Label::Host, behind..end));
    } else if has_top
        && !(local == "git" && byte(bytes, end) == b':')
        && domain.split('.').all(|part| !part.is_empty())
    {
        out.push(Found::new(Label::Email, start..end));
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
        out.push(Found::new(Label::User, start..end));
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
        out.push(Found::new(Label::Host, start..suffix.end));
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
        && !matches!(name, "localhost" | "host" | "example" | "www");
    let before = bytes.get(host.start.saturating_sub(300)..host.start).unwrap_or_default();
    let on_network = memchr::memmem::rfind(before, b"://").is_some_and(|colon| {
        let head = before.get(..colon).unwrap_or_default();
        let scheme = head.rsplit(|b| !b.is_ascii_alphanumeric()).next().unwrap_or_default();
        SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known.as_bytes()))
    });
    if named && ends && on_network {
        out.push(Found::new(Label::Host, host.start..end));
    }
}

/// The value of a field that names a host or a telephone.
pub(super) fn field(name: &str, value: &str) -> Option<Found> {
    const HOSTS: [&str; 6] =
        ["hostname", "host_name", "computername", "nodename", "machine_name", "machinename"];
    const PHONES: [&str; 9] =
        ["phone", "telephone", "tel", "mobile", "fax", "whatsapp", "cell", "phonenumber", "mobilenumber"];
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    if ["ssn", "social_security_number", "socialsecuritynumber"]
        .iter()
        .any(|ssn| name.eq_ignore_ascii_case(ssn))
    {
        let number = digits == 9 && value.bytes().all(|b| b.is_ascii_digit() || b == b'-' || b == b' ');
        return number.then(|| Found::new(Label::Ssn, 0..value.len()));
    }
    if HOSTS.iter().any(|host| name.eq_ignore_ascii_case(host)) {
        let named =
            value.bytes().any(|b| b.is_ascii_alphabetic()) && !matches!(value, "localhost" | "unknown");
        let plain = value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'));
        return (named && plain).then(|| Found::new(Label::Host, 0..value.len()));
    }
    let number =
        (6..=15).contains(&digits) && value.bytes().all(|b| b.is_ascii_digit() || b"+-/.() ".contains(&b));
    // `phone`, `home_phone`, `homePhone`, `phone-number`
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let is_phone = |word: &str| PHONES.iter().any(|phone| word.eq_ignore_ascii_case(phone));
    let mut says = || {
        words.any(is_phone) || ["Phone", "PhoneNumber", "Mobile", "Fax"].iter().any(|end| name.ends_with(end))
    };
    (number && says()).then(|| Found::new(Label::Phone, 0..value.len()))
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
        out.push(Found::new(Label::Host, start..start + host.range.end));
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
        out.push(Found::new(Label::Secret, start..end));
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

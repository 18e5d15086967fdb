//! The bracketed head of a channel message: `[Telegram Ada id:123 +2m Mon 2026-05-04 10:00 UTC]`.

use super::stamp::Stamp;
use super::text::{after, before, filled};

/// The channels that OpenClaw and its known plugins write into headers, longest name first where one begins another.
const CHANNELS: [&str; 35] = [
    "WebChat",
    "WhatsApp",
    "Telegram",
    "Signal",
    "Slack",
    "Discord",
    "Google Chat",
    "GoogleChat",
    "iMessage",
    "BlueBubbles",
    "Microsoft Teams",
    "MS Teams",
    "MSTeams",
    "Teams",
    "Matrix",
    "Mattermost",
    "Zalo Personal",
    "Zalo",
    "LINE",
    "IRC",
    "Feishu",
    "Lark",
    "Nextcloud Talk",
    "Synology Chat",
    "Nostr",
    "Tlon",
    "Twitch",
    "QQBot",
    "QQ",
    "WeChat",
    "Weixin",
    "WeCom",
    "DingTalk",
    "SMS",
    "Channel",
];

/// A header is one line, and short: a bracket that closes later belongs to something else.
const MAX_HEADER_BYTES: usize = 600;

/// A channel header and what it says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) channel: String,
    pub(super) label: Option<String>,
    pub(super) id: Option<String>,
    pub(super) elapsed: Option<String>,
    pub(super) timestamp: Option<String>,
    /// The message comes from a chat of several people: a name stands before its text.
    pub(super) group: bool,
}

/// The text between a leading `[` and its `]` on the same line, and the bytes of the whole with the spaces behind it.
pub(super) fn bracketed(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix('[')?;
    let end = inner.find([']', '\n', '['])?;
    if end > MAX_HEADER_BYTES || !after(inner, end).starts_with(']') {
        return None;
    }
    let rest = after(inner, end + 1);
    let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    Some((before(inner, end), end + 2 + spaces))
}

/// Reads the inside of a channel header. `channel_hint` is the channel of the session, when it is known: a header of
/// that channel needs no further sign.
pub(super) fn parse(inner: &str, channel_hint: Option<&str>) -> Option<Header> {
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let (rest, stamp) = match Stamp::at_end(inner) {
        Some((rest, text, stamp)) => (rest, Some((text, stamp))),
        None => (inner, None),
    };
    let known = CHANNELS
        .into_iter()
        .find(|name| rest.strip_prefix(*name).is_some_and(|tail| tail.is_empty() || tail.starts_with(' ')));
    let name = match known {
        Some(name) => name,
        None => rest.split(' ').next().filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))?,
    };
    let from = after(rest, name.len()).trim();
    let (from, elapsed) = split_elapsed(from);
    let (label, id) = split_id(from);
    let sure = id.is_some() || elapsed.is_some() || is_phone(label);
    let accepted = match (known, stamp) {
        (Some(_), Some((_, stamp))) => stamp.zone || stamp.weekday || sure,
        (Some(name), None) => {
            sure || (!from.is_empty() && channel_hint.is_some_and(|c| same_channel(c, name)))
        }
        (None, Some((_, stamp))) => stamp.zone && (stamp.weekday || sure),
        (None, None) => false,
    };
    accepted.then(|| Header {
        channel: name.to_owned(),
        label: filled(label),
        id: id.map(str::to_owned).or_else(|| is_phone(label).then(|| label.trim().to_owned())),
        elapsed: elapsed.map(str::to_owned),
        timestamp: stamp.map(|(text, _)| text.to_owned()),
        group: is_group(from),
    })
}

fn same_channel(hint: &str, name: &str) -> bool {
    let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    plain(hint) == plain(name)
}

/// Takes a final `+2m` off. The unit tells it from a phone number.
fn split_elapsed(from: &str) -> (&str, Option<&str>) {
    let at = from.rfind(' ').map_or(0, |at| at + 1);
    let token = after(from, at);
    let is_elapsed = token.strip_prefix('+').is_some_and(|number| {
        let digits = number.trim_end_matches(['s', 'm', 'h', 'd']);
        digits.len() + 1 == number.len() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    });
    if is_elapsed { (before(from, at).trim_end(), Some(token)) } else { (from, None) }
}

/// Takes a final `id:123` off (`channel id:123` in rooms).
fn split_id(from: &str) -> (&str, Option<&str>) {
    let at = from.rfind(' ').map_or(0, |at| at + 1);
    match after(from, at).strip_prefix("id:") {
        Some(id) if !id.is_empty() => {
            let label = before(from, at).trim_end();
            (label.strip_suffix(" channel").unwrap_or(label), Some(id))
        }
        _ => (from, None),
    }
}

fn is_phone(label: &str) -> bool {
    let first = label.split(' ').find(|word| word.starts_with('+')).unwrap_or_default();
    let digits = first.trim_start_matches('+');
    digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_group(from: &str) -> bool {
    let lower = from.to_lowercase();
    from.contains('#')
        || lower.contains("id:-")
        || lower.contains("@g.us")
        || lower.contains("topic:")
        || lower.split(' ').any(|word| matches!(word, "group" | "guild" | "room" | "channel" | "thread"))
        || lower.starts_with("group:")
}

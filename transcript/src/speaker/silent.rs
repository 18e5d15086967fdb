//! Replies that mean "say nothing".

use super::text::{after, before};

/// The token by which a model says that it has nothing to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SilentToken {
    /// `NO_REPLY`.
    NoReply,
    /// `HEARTBEAT_OK`: the answer to a heartbeat of versions before 2026.9.
    HeartbeatOk,
}

impl SilentToken {
    /// The token as models write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoReply => "NO_REPLY",
            Self::HeartbeatOk => "HEARTBEAT_OK",
        }
    }
}

/// What of a reply is said, and the token that was taken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpokenReply<'a> {
    /// What a reader of the chat sees: the reply without the token, trimmed where one was found.
    pub text: &'a str,
    /// The token.
    pub token: Option<SilentToken>,
}

impl SpokenReply<'_> {
    /// The reply is the token and nothing else: no answer, no completion.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.token.is_some() && self.text.is_empty()
    }
}

/// The longest text beside `HEARTBEAT_OK` that OpenClaw still takes for an acknowledgement, in characters
/// (`agents.defaults.heartbeat.ackMaxChars`).
pub const HEARTBEAT_ACK_CHARS: usize = 300;

/// Takes a silent token off a reply. O(n), no allocation.
///
/// A token counts as the whole text (any case, repeated, in quotes, emphasis or a JSON envelope, behind a
/// `<think>` block), at the end of a text, or glued to its start, which is where OpenClaw removes it. In the middle of
/// a sentence it is a word like any other.
///
/// ```
/// use clawgauge_transcript::{SilentToken, spoken_reply};
///
/// assert!(spoken_reply(" **NO_REPLY** ").is_silent());
/// assert!(spoken_reply("HEARTBEAT_OK").is_silent());
///
/// let reply = spoken_reply("The ferns are watered.\n\nNO_REPLY");
/// assert_eq!((reply.text, reply.token), ("The ferns are watered.", Some(SilentToken::NoReply)));
///
/// assert_eq!(spoken_reply("Answer NO_REPLY when there is nothing.").token, None);
/// ```
#[must_use]
pub fn spoken_reply(text: &str) -> SpokenReply<'_> {
    let said = without_reasoning(text);
    for token in [SilentToken::NoReply, SilentToken::HeartbeatOk] {
        if let Some(rest) = strip_token(said, token) {
            return SpokenReply { text: rest, token: Some(token) };
        }
    }
    SpokenReply { text, token: None }
}

/// The reply to a heartbeat means "nothing to report": silent, or `HEARTBEAT_OK` with at most
/// [`HEARTBEAT_ACK_CHARS`] characters beside it.
#[must_use]
pub fn is_heartbeat_ack(text: &str) -> bool {
    let reply = spoken_reply(text);
    reply.is_silent()
        || (reply.token == Some(SilentToken::HeartbeatOk)
            && reply.text.chars().nth(HEARTBEAT_ACK_CHARS).is_none())
}

/// Skips `<think>...</think>` blocks at the head; models without a reasoning channel write them into the text.
fn without_reasoning(text: &str) -> &str {
    let mut rest = text;
    loop {
        let head = rest.trim_start();
        let Some(name) = ["think", "thinking", "thought"].into_iter().find(|name| {
            head.strip_prefix('<')
                .and_then(|tag| tag.strip_prefix(*name))
                .is_some_and(|tag| tag.starts_with('>'))
        }) else {
            return rest;
        };
        let Some(at) = head.find(&format!("</{name}>")) else {
            return rest;
        };
        rest = after(head, at + name.len() + 3);
    }
}

fn strip_token(text: &str, kind: SilentToken) -> Option<&str> {
    let token = kind.as_str();
    let trimmed = text.trim();
    if trimmed.len() < token.len() {
        return None;
    }
    if only_tokens(trimmed.trim_matches(is_edge), token) || is_json_token(trimmed, token) {
        return Some("");
    }
    let mut rest = trimmed;
    let mut found = false;
    while let Some(head) = strip_suffix_token(rest, kind) {
        rest = head.trim_end();
        found = true;
    }
    while let Some(tail) = strip_prefix_token(rest, kind, found) {
        rest = tail.trim_start();
        found = true;
    }
    found.then_some(rest)
}

fn is_edge(c: char) -> bool {
    c.is_whitespace() || c.is_ascii_punctuation() || matches!(c, '“' | '”' | '‘' | '’' | '…' | '。')
}

fn only_tokens(text: &str, token: &str) -> bool {
    let mut any = false;
    for word in text.split_whitespace() {
        if !word.eq_ignore_ascii_case(token) {
            return false;
        }
        any = true;
    }
    any
}

/// `"NO_REPLY"` or `{"action": "NO_REPLY"}`.
fn is_json_token(text: &str, token: &str) -> bool {
    if !text.starts_with('{') || text.len() > 200 {
        return false;
    }
    let Ok(serde_json::Value::Object(object)) = serde_json::from_str(text) else {
        return false;
    };
    object.len() == 1
        && object
            .get("action")
            .and_then(serde_json::Value::as_str)
            .is_some_and(|action| action.trim() == token)
}

/// A final token needs space or emphasis before it: `FOO_NO_REPLY` is another word. `HEARTBEAT_OK` may have a little
/// punctuation behind it.
fn strip_suffix_token(text: &str, kind: SilentToken) -> Option<&str> {
    let token = kind.as_str();
    let body = match kind {
        SilentToken::HeartbeatOk => {
            let body = text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
            (text.len() - body.len() <= 4).then_some(body)?
        }
        SilentToken::NoReply => text,
    };
    let at = body.len().checked_sub(token.len())?;
    let tail = body.get(at..)?;
    let head = before(body, at);
    let fits = tail.eq_ignore_ascii_case(token)
        && (head.is_empty() || head.ends_with(char::is_whitespace) || head.ends_with('*'));
    fits.then(|| head.trim_end_matches('*'))
}

/// A leading `NO_REPLY` counts when the text is glued to it or starts on the next line; with a space and words behind
/// it, it is the subject of a sentence. A leading `HEARTBEAT_OK` always counts.
fn strip_prefix_token(text: &str, kind: SilentToken, found: bool) -> Option<&str> {
    let token = kind.as_str();
    let head = text.get(..token.len())?;
    let rest = after(text, token.len());
    let exact = head == token;
    if kind == SilentToken::HeartbeatOk {
        return (exact && !rest.starts_with('_')).then_some(rest);
    }
    let glued = rest.starts_with(char::is_alphanumeric);
    let own_line = rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
    let again = found && rest.is_empty();
    ((exact && glued) || (head.eq_ignore_ascii_case(token) && (own_line || again))).then_some(rest)
}

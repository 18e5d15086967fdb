//! Metadata blocks: a label line, then JSON in a fence (or, for chat history, plain lines).

use serde_json::Value;

use super::envelope::{BlockKind, Envelope, QuotedMessage};
use super::text::{after, before, filled, first_line, paragraph_end};

/// The mark on every label line since 2026.7.
const MARK: &str = "⟦openclaw:ctx⟧";

/// Labels whose block is taken off even when its JSON is damaged. Other labels (plugins choose their own) need JSON
/// that can be read.
const LABELS: [&str; 11] = [
    "Conversation info",
    "Sender",
    "Forwarded message context",
    "Location",
    "Structured object",
    "Thread starter",
    "Replied message",
    "Reply target of current user message",
    "Reply chain of current user message",
    "Chat history since last reply",
    "Conversation context",
];

/// Reads a metadata block at the head of `text`: its bytes and its kind. Its content goes into `envelope`.
pub(super) fn head(text: &str, envelope: &mut Envelope) -> Option<(usize, BlockKind)> {
    let (line, skip) = first_line(text);
    let label = label(line.trim())?;
    let body = after(text, skip);
    if let Some((json, end)) = fence(body) {
        let value: Option<Value> = serde_json::from_str(json).ok();
        if value.is_none() && !LABELS.contains(&label.name) {
            return None;
        }
        let kind = value.map_or(BlockKind::Metadata, |value| read(label.name, &value, envelope));
        return Some((skip + end, kind));
    }
    // Without a fence only the history of a chat is a block: its lines run up to the first blank one.
    if !label.marked && !label.lines {
        return None;
    }
    let end = paragraph_end(body);
    (end > 0).then_some((skip + end, BlockKind::History))
}

/// Reads a metadata block that ends `text`: the offset where it begins and its kind.
pub(super) fn tail(text: &str, envelope: &mut Envelope) -> Option<(usize, BlockKind)> {
    if !text.ends_with("\n```") {
        return None;
    }
    let open = text.rfind("\n```json")?;
    let start = before(text, open).rfind('\n').map_or(0, |at| at + 1);
    let (taken, kind) = head(after(text, start), envelope)?;
    (start + taken >= text.len()).then_some((start, kind))
}

struct Label<'a> {
    name: &'a str,
    marked: bool,
    lines: bool,
}

fn label(line: &str) -> Option<Label<'_>> {
    if line.len() > 160 {
        return None;
    }
    if let Some(name) = line.strip_suffix(MARK) {
        let name = name.trim_end().strip_suffix(':')?;
        let name = name.split(" (").next().unwrap_or(name).trim();
        return (!name.is_empty()).then_some(Label { name, marked: true, lines: true });
    }
    let line = line.strip_suffix("):")?;
    let (name, hint) = line.rsplit_once(" (untrusted")?;
    let lines = hint.starts_with(", chronological") || name == "Chat history since last reply";
    let known = matches!(hint, " metadata" | ", for context" | ", nearest first") || lines;
    (known && !name.trim().is_empty()).then_some(Label { name: name.trim(), marked: false, lines })
}

/// The inside of a ```` ```json ```` fence at the head of `text`, and the bytes through its closing line.
fn fence(text: &str) -> Option<(&str, usize)> {
    let (open, skip) = first_line(text);
    if open.trim() != "```json" {
        return None;
    }
    let body = after(text, skip);
    let (close, end) = super::text::find_line(body, "```")?;
    Some((before(body, close), skip + end))
}

/// Takes over what the block says.
fn read(label: &str, value: &Value, envelope: &mut Envelope) -> BlockKind {
    match label {
        "Conversation info" => conversation(value, envelope),
        "Sender" => sender(value, envelope),
        "Forwarded message context" => {
            Envelope::fill(&mut envelope.forwarded_from, first(value, &["from", "title", "username"]));
            return BlockKind::Forward;
        }
        "Replied message"
        | "Reply target of current user message"
        | "Reply chain of current user message" => {
            let target = value.get(0).unwrap_or(value);
            if envelope.reply_to.is_none() {
                envelope.reply_to = Some(QuotedMessage {
                    sender: first(target, &["sender_label", "sender", "sender_username", "sender_id"]),
                    id: first(target, &["message_id", "id"]),
                    body: first(target, &["body"]),
                });
            }
            return BlockKind::Reply;
        }
        "Thread starter" | "Chat history since last reply" | "Conversation context" => {
            return BlockKind::History;
        }
        _ => {}
    }
    BlockKind::Metadata
}

fn conversation(value: &Value, envelope: &mut Envelope) {
    let title = first(
        value,
        &[
            "chat",
            "chat_title",
            "title",
            "conversation_label",
            "group_subject",
            "group_channel",
            "thread_label",
            "topic_name",
        ],
    );
    Envelope::fill(&mut envelope.chat_title, title);
    Envelope::fill(&mut envelope.chat_id, first(value, &["chat_id"]));
    Envelope::fill(&mut envelope.channel, first(value, &["channel", "provider", "surface"]));
    Envelope::fill(&mut envelope.message_id, first(value, &["message_id", "message_id_full"]));
    Envelope::fill(&mut envelope.timestamp, first(value, &["timestamp"]));
    match value.get("sender") {
        Some(person @ Value::Object(_)) => sender(person, envelope),
        _ => Envelope::fill(&mut envelope.sender_label, first(value, &["sender", "sender_name"])),
    }
    Envelope::fill(&mut envelope.sender_id, first(value, &["sender_id"]));
    if let (None, Some(id)) = (&envelope.reply_to, first(value, &["reply_to_id"])) {
        envelope.reply_to = Some(QuotedMessage { id: Some(id), ..QuotedMessage::default() });
    }
}

/// The `Sender` block is more precise than the sender of the conversation: its label wins.
fn sender(value: &Value, envelope: &mut Envelope) {
    if let Some(label) = first(value, &["label", "name", "username", "tag", "e164", "id"]) {
        envelope.sender_label = Some(label);
    }
    Envelope::fill(&mut envelope.sender_id, first(value, &["id", "e164"]));
}

/// The first of `keys` that holds a text or a number.
fn first(value: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| match value.get(key)? {
        Value::String(text) => filled(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

//! What the end of a session's last run would have carried, from the stored session.
//!
//! The gateway hands a plugin the context of the run: what the run itself wrote, as it was written, behind the history as it is
//! sent to a model. The history is mended on the way; the rules are those seen in recorded payloads of OpenClaw 2026.6.11 and
//! 2026.9.6:
//!
//! - what is excluded from the context, what no model wrote (slash command answers, notes), empty and silent answers, and results
//!   without a call are left out;
//! - messages of a person that then stand one behind the other become one, and so do those of the model;
//! - a person's plain text stays plain text (and so is not seen by the scores), but for the text that began the run, which is a
//!   block, and those that became one message.

use std::collections::BTreeSet;

use clawgauge_transcript::{Block, Entry, EntryType, Message as Stored, RawJson, Role, Transcript};

use super::message::Message;
use crate::json::JsonError;

/// A message of the context.
pub(super) enum Item<'t> {
    /// A stored message as it is.
    Stored(Stored<'t>),
    /// Stored messages that became one, or plain text that became a block.
    Blocks(Vec<Stored<'t>>),
    /// A message that no score reads, made from a row of another type: a summary, or a note that is sent to the model.
    Other,
}

impl Item<'_> {
    pub(super) fn read(&self) -> Result<Message, JsonError> {
        match self {
            Self::Other => Ok(Message::other()),
            Self::Stored(message) => Message::read_stored(*message),
            Self::Blocks(messages) => {
                let mut all = Message::other();
                for message in messages {
                    let plain =
                        message.content().filter(|_| message.role() == Role::User).and_then(RawJson::text);
                    all.append(match plain {
                        Some(text) => Message::user(&text),
                        None => Message::read_stored(*message)?,
                    });
                }
                Ok(all)
            }
        }
    }
}

/// The context of the last run of the active branch.
pub(super) fn of<'t>(transcript: &'t Transcript<'_>) -> Vec<Item<'t>> {
    let rows = window(transcript);
    let message = |entry: &&'t Entry<'_>| entry.message();
    let end = rows
        .iter()
        .rposition(|entry| message(entry).is_some_and(is_of_a_run))
        .map_or(rows.len(), |last| last + 1);
    let start = rows
        .iter()
        .take(end)
        .rposition(|entry| message(entry).is_some_and(|m| m.role() == Role::User))
        .unwrap_or(0);
    let mut history = History::default();
    if transcript_was_compacted(transcript) {
        history.items.push(Item::Other);
    }
    for entry in rows.iter().take(start) {
        match entry.message() {
            Some(message) => history.add(message),
            None => history.items.push(Item::Other),
        }
    }
    let mut items = history.items;
    items.extend(rows.iter().take(end).skip(start).enumerate().map(|(at, entry)| match entry.message() {
        Some(message) if at == 0 && message.role() == Role::User => Item::Blocks(vec![message]),
        Some(message) => Item::Stored(message),
        None => Item::Other,
    }));
    items
}

/// The rows that make messages of the context: those behind the last compaction or reset, and what it kept.
fn window<'t>(transcript: &'t Transcript<'_>) -> Vec<&'t Entry<'t>> {
    let path: Vec<&Entry<'_>> = transcript.active().collect();
    let mut rows: Vec<&'t Entry<'t>> = Vec::new();
    let mut start = 0;
    if let Some((at, cut)) = last_cut(&path) {
        let kept = cut.get("firstKeptEntryId").and_then(RawJson::text);
        let kept = kept
            .and_then(|kept| path.iter().take(at).position(|entry| entry.id().is_some_and(|id| id == kept)));
        rows.extend(path.iter().take(at).skip(kept.unwrap_or(at)));
        start = at + 1;
    }
    rows.extend(path.iter().skip(start));
    rows.retain(|entry| match entry.entry_type() {
        EntryType::Message => entry.message().is_some(),
        entry_type => matches!(entry_type, EntryType::CustomMessage | EntryType::BranchSummary),
    });
    rows
}

fn transcript_was_compacted(transcript: &Transcript<'_>) -> bool {
    let path: Vec<&Entry<'_>> = transcript.active().collect();
    last_cut(&path).is_some_and(|(_, cut)| cut.entry_type() == EntryType::Compaction)
}

fn last_cut<'t>(path: &[&'t Entry<'t>]) -> Option<(usize, &'t Entry<'t>)> {
    let at = path
        .iter()
        .rposition(|entry| matches!(entry.entry_type(), EntryType::Compaction | EntryType::Reset))?;
    Some((at, path.get(at)?))
}

/// Whether a run wrote a message: the model, a tool, or the program in between.
fn is_of_a_run(message: Stored<'_>) -> bool {
    match message.role() {
        Role::Assistant => !is_injected(message),
        Role::ToolResult | Role::Custom => true,
        _ => false,
    }
}

fn is_injected(message: Stored<'_>) -> bool {
    message.model().is_some_and(|model| matches!(&*model, "gateway-injected" | "delivery-mirror"))
}

/// The history as it is sent to a model.
#[derive(Default)]
struct History<'t> {
    items: Vec<Item<'t>>,
    /// The calls of the model that results may still answer.
    open: BTreeSet<String>,
}

impl<'t> History<'t> {
    fn add(&mut self, message: Stored<'t>) {
        if message.is_excluded_from_context() {
            return;
        }
        match message.role() {
            Role::Assistant if is_injected(message) || says_nothing(message) => {}
            Role::Assistant => {
                let calls = message.blocks().filter_map(|block| match block {
                    Block::ToolCall(call) => call.id(),
                    _ => None,
                });
                self.open = calls.map(std::borrow::Cow::into_owned).collect();
                self.merge(message);
            }
            Role::User => self.merge(message),
            Role::ToolResult if !message.tool_call_id().is_some_and(|id| self.open.remove(&*id)) => {}
            _ => self.items.push(Item::Stored(message)),
        }
    }

    /// Adds a message to one of the same role right before it, or else as it is.
    fn merge(&mut self, message: Stored<'t>) {
        match self.items.pop() {
            Some(Item::Stored(before)) if before.role() == message.role() => {
                self.items.push(Item::Blocks(vec![before, message]));
            }
            Some(Item::Blocks(mut before))
                if before.first().is_some_and(|before| before.role() == message.role()) =>
            {
                before.push(message);
                self.items.push(Item::Blocks(before));
            }
            before => {
                self.items.extend(before);
                self.items.push(Item::Stored(message));
            }
        }
    }
}

/// An answer without a word or a call, or one by which the model says that it does not answer.
fn says_nothing(message: Stored<'_>) -> bool {
    let calls = message.blocks().any(|block| !matches!(block, Block::Text(_)));
    let text = message.joined_text();
    !calls && matches!(text.trim(), "" | "NO_REPLY")
}

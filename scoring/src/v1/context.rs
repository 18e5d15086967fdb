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

impl<'t> Item<'t> {
    pub(super) fn read(&self) -> Result<Message<'t>, JsonError> {
        match self {
            Self::Other => Ok(Message::other()),
            Self::Stored(message) => Message::read_stored(*message),
            Self::Blocks(messages) => {
                let mut all = Message::other();
                for message in messages {
                    let plain =
                        message.content().filter(|_| message.role() == Role::User).and_then(RawJson::text);
                    all.append(match plain {
                        Some(text) => Message::user(text),
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
    let path: Vec<&Entry<'_>> = transcript.active().collect();
    let (compacted, rows) = window(&path);
    let end =
        rows.iter().rposition(|message| message.is_some_and(is_of_a_run)).map_or(rows.len(), |last| last + 1);
    let is_user = |message: Stored<'_>| message.role() == Role::User;
    let start = rows.iter().take(end).rposition(|message| message.is_some_and(is_user)).unwrap_or(0);
    let mut history = History::default();
    if compacted {
        history.items.push(Item::Other);
    }
    for message in rows.iter().take(start) {
        match message {
            Some(message) => history.add(*message),
            None => history.items.push(Item::Other),
        }
    }
    let mut items = history.items;
    items.extend(rows.iter().take(end).skip(start).enumerate().map(|(at, message)| match message {
        Some(message) if at == 0 && is_user(*message) => Item::Blocks(vec![*message]),
        Some(message) => Item::Stored(*message),
        None => Item::Other,
    }));
    items
}

/// The rows that make messages of the context: those behind the last compaction or reset, and what it kept. With each its
/// message, `None` for what is none in the session but becomes one; and whether the cut was a compaction, whose summary comes
/// before all of them.
fn window<'t>(path: &[&'t Entry<'t>]) -> (bool, Vec<Option<Stored<'t>>>) {
    let is_cut = |entry: &&Entry<'_>| matches!(entry.entry_type(), EntryType::Compaction | EntryType::Reset);
    let cut = path.iter().rposition(is_cut).and_then(|at| Some((at, path.get(at)?)));
    let (mut from, mut kept_to, mut start) = (0, 0, 0);
    if let Some((at, entry)) = cut {
        let kept = entry.get("firstKeptEntryId").and_then(RawJson::text);
        let kept = kept
            .and_then(|kept| path.iter().take(at).position(|entry| entry.id().is_some_and(|id| id == kept)));
        (from, kept_to, start) = (kept.unwrap_or(at), at, at + 1);
    }
    let kept = path.iter().take(kept_to).skip(from);
    let rows = kept.chain(path.iter().skip(start)).filter_map(|entry| match entry.entry_type() {
        EntryType::Message => entry.message().map(Some),
        EntryType::CustomMessage | EntryType::BranchSummary => Some(None),
        _ => None,
    });
    (cut.is_some_and(|(_, entry)| entry.entry_type() == EntryType::Compaction), rows.collect())
}

/// Whether a run wrote a message: the model, a tool, or the program in between.
fn is_of_a_run(message: Stored<'_>) -> bool {
    match message.role() {
        Role::Assistant => !is_injected(message),
        Role::ToolResult | Role::Custom => true,
        _ => false,
    }
}

/// Whether a message is marked as kept from the model. Few messages hold the word at all, and to find that out is cheaper than to
/// go through the fields of each.
fn is_excluded(message: Stored<'_>) -> bool {
    message.json().as_str().contains("excludeFromContext") && message.is_excluded_from_context()
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
        match message.role() {
            // A tool's output is not looked through for it: only a person's command, its answer and a nested call carry the mark.
            Role::User | Role::Assistant | Role::Custom if is_excluded(message) => {}
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
    message.blocks().all(|block| match block {
        Block::Text(text) => matches!(text.text().trim(), "" | "NO_REPLY"),
        _ => false,
    })
}

//! What the end of a session's last run would have carried, from the stored session.

use clawgauge_transcript::{Entry, EntryType, RawJson, Role, Transcript};

use super::message::Message;
use crate::json::JsonError;

/// A message of the context.
pub(super) enum Item<'t> {
    /// A stored message.
    Stored(clawgauge_transcript::Message<'t>),
    /// A message that no score reads, made from a row of another type: a summary, or a note that is sent to the model.
    Other,
}

impl Item<'_> {
    pub(super) fn read(&self) -> Result<Message, JsonError> {
        let Self::Stored(message) = self else { return Ok(Message::other()) };
        let text = message.content().filter(|_| message.role() == Role::User).and_then(RawJson::text);
        text.map_or_else(|| Message::read(message.json()), |text| Ok(Message::user(&text)))
    }
}

/// The context at the leaf of the active branch.
pub(super) fn of<'t>(transcript: &'t Transcript<'_>) -> Vec<Item<'t>> {
    let path: Vec<&Entry<'_>> = transcript.active().collect();
    let cut =
        path.iter().rposition(|entry| matches!(entry.entry_type(), EntryType::Compaction | EntryType::Reset));
    let mut items = Vec::new();
    let mut start = 0;
    if let Some((cut, entry)) = cut.and_then(|cut| Some((cut, path.get(cut)?))) {
        if entry.entry_type() == EntryType::Compaction {
            items.push(Item::Other);
        }
        // What is kept stands before the cut, from the first kept entry on.
        let kept = entry.get("firstKeptEntryId").and_then(RawJson::text);
        let from = kept
            .and_then(|kept| path.iter().take(cut).position(|entry| entry.id().is_some_and(|id| id == kept)));
        if let Some(from) = from {
            items.extend(path.iter().take(cut).skip(from).filter_map(|entry| item(entry)));
        }
        start = cut + 1;
    }
    items.extend(path.iter().skip(start).filter_map(|entry| item(entry)));
    items
}

fn item<'t>(entry: &'t Entry<'_>) -> Option<Item<'t>> {
    match entry.entry_type() {
        EntryType::Message => Some(Item::Stored(entry.message()?)),
        EntryType::CustomMessage | EntryType::BranchSummary => Some(Item::Other),
        _ => None,
    }
}

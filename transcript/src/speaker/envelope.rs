//! What stood around the words: the metadata of an envelope.

use std::ops::Range;

/// What OpenClaw wrote around the words of a user row. Every text is as it was written, unescaped where it came
/// from JSON. Nothing here is verified: chat titles and names are typed by people, too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Envelope {
    /// The channel: `Telegram`, `WhatsApp`, `slack`, ...
    pub channel: Option<String>,
    /// The title of the chat, group, room or topic.
    pub chat_title: Option<String>,
    /// The id of the chat.
    pub chat_id: Option<String>,
    /// The name of the sender as it is shown.
    pub sender_label: Option<String>,
    /// The id of the sender: a number, a phone number, an account id.
    pub sender_id: Option<String>,
    /// The channel's id of the message.
    pub message_id: Option<String>,
    /// The time in the envelope, as written (`Mon 2026-05-04 10:00 GMT+2`).
    pub timestamp: Option<String>,
    /// The time since the message before, as written (`+2m`).
    pub elapsed: Option<String>,
    /// The message this one answers.
    pub reply_to: Option<QuotedMessage>,
    /// Who wrote the words first, when the person forwarded them. They are then not the person's own.
    pub forwarded_from: Option<String>,
    /// The scheduled job that wrote the row.
    pub cron: Option<CronJob>,
    /// Where the content of a webhook came from (`Webhook`, `Email`, ...).
    pub webhook_source: Option<String>,
    /// The session that sent the row, for rows of another session or of a subagent.
    pub source_session_key: Option<String>,
    /// The name of the slash command, without the slash.
    pub command: Option<String>,
    /// Every piece that was taken off, in the order of the text.
    pub blocks: Vec<EnvelopeBlock>,
}

impl Envelope {
    pub(super) fn record(&mut self, kind: BlockKind, range: Range<usize>) {
        self.blocks.push(EnvelopeBlock { kind, range });
    }

    /// Adds what `other` says and this does not.
    pub(super) fn merge(&mut self, other: Self) {
        let Self {
            channel,
            chat_title,
            chat_id,
            sender_label,
            sender_id,
            message_id,
            timestamp,
            elapsed,
            reply_to,
            forwarded_from,
            cron,
            webhook_source,
            source_session_key,
            command,
            blocks,
        } = other;
        for (slot, value) in [
            (&mut self.channel, channel),
            (&mut self.chat_title, chat_title),
            (&mut self.chat_id, chat_id),
            (&mut self.sender_label, sender_label),
            (&mut self.sender_id, sender_id),
            (&mut self.message_id, message_id),
            (&mut self.timestamp, timestamp),
            (&mut self.elapsed, elapsed),
            (&mut self.forwarded_from, forwarded_from),
            (&mut self.webhook_source, webhook_source),
            (&mut self.source_session_key, source_session_key),
            (&mut self.command, command),
        ] {
            Self::fill(slot, value);
        }
        self.reply_to = self.reply_to.take().or(reply_to);
        self.cron = self.cron.take().or(cron);
        self.blocks.extend(blocks);
    }

    /// Keeps the first value that was seen: blocks near the head describe the row, later ones what it quotes.
    pub(super) fn fill(slot: &mut Option<String>, value: Option<String>) {
        if slot.is_none() {
            *slot = value;
        }
    }
}

/// A message that was quoted by a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuotedMessage {
    /// Its author as it is shown.
    pub sender: Option<String>,
    /// Its id.
    pub id: Option<String>,
    /// What it says.
    pub body: Option<String>,
}

/// A scheduled job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CronJob {
    /// Its id.
    pub id: Option<String>,
    /// Its name.
    pub name: Option<String>,
}

/// A piece of a user row that is not part of the words.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnvelopeBlock {
    /// What it is.
    pub kind: BlockKind,
    /// Its bytes in the text of the row.
    pub range: Range<usize>,
}

/// What a piece of an envelope is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum BlockKind {
    /// A label and its JSON: `Sender (untrusted metadata):`, `Conversation info: ⟦openclaw:ctx⟧`.
    Metadata,
    /// `[Mon 2026-05-04 09:01 UTC]`.
    Timestamp,
    /// `[Telegram Ada id:123 +2m 2026-05-04 10:00 UTC]`.
    ChannelHeader,
    /// `Ada:` in front of a group message, `[from: Ada]` behind one.
    SenderLabel,
    /// `[message_id: 77]`.
    MessageId,
    /// Earlier messages of the chat or thread, given for context.
    History,
    /// The message that is answered.
    Reply,
    /// The mark of a forwarded message.
    Forward,
    /// A note about an attachment, its placeholder, or its content.
    Media,
    /// `System: [2026-05-04 09:01:10 UTC] ...` lines.
    SystemEvent,
    /// The title and the item marks of messages that had to wait.
    QueueMark,
    /// Context that the runtime added for the model: notices, delivery hints, goals.
    RuntimeContext,
    /// What a memory plugin recalled.
    Memory,
    /// What OpenClaw added to make a model try again.
    RetryInstruction,
    /// What stands around the task of a job, a webhook, a subagent or another session.
    TaskWrapper,
}

//! Who spoke, and what they said themselves.
//!
//! A row with the role `user` is often not a person's: schedulers, heartbeats, webhooks, other sessions and OpenClaw
//! itself write such rows, and around a person's words there may be an envelope of channel, sender and history. The
//! rules here were read off sessions of OpenClaw 2026.3 to 2026.9 and off what people publish of theirs; the literal
//! marks are OpenClaw's own. A text that only resembles a mark is left alone: an envelope has an exact form, and
//! anything else is what the person typed.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde_json::Value;

mod assistant;
mod command;
mod envelope;
mod header;
mod json_block;
mod machine;
mod media;
mod peel;
mod queue;
mod silent;
mod stamp;
mod text;
mod typed;

pub use assistant::{AssistantInput, AssistantOrigin, classify_assistant};
pub use envelope::{BlockKind, CronJob, Envelope, EnvelopeBlock, QuotedMessage};
pub use silent::{HEARTBEAT_ACK_CHARS, SilentToken, SpokenReply, is_heartbeat_ack, spoken_reply};
pub use typed::{NotTyped, TypedLimits, TypedText, typed_text};

use machine::Known;
use peel::Peeler;
use text::cut;

/// Who wrote a user row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum UserOrigin {
    /// A person, to the agent.
    Person,
    /// A person's messages that had to wait and were handed over together
    /// (`[Queued messages while agent was busy]`). Its words are the person's; it is not one message.
    Queued,
    /// A person, to OpenClaw: `/status`, `/think high`.
    SlashCommand,
    /// The heartbeat.
    Heartbeat,
    /// A scheduled job.
    Cron,
    /// OpenClaw: a finished command, a compaction, an instruction to try again.
    SystemEvent,
    /// The template that opens a session or runs at start.
    SessionStart,
    /// Another session, or the report of a subagent.
    InterSession,
    /// The task of a subagent, in the subagent's own session.
    SubagentTask,
    /// Content from outside: a webhook, a mail.
    Webhook,
    /// Somebody that OpenClaw names in a way that is not known here.
    Unknown,
}

impl UserOrigin {
    /// The row is one message of a person to the agent: a turn of the conversation.
    #[must_use]
    pub fn is_person(self) -> bool {
        self == Self::Person
    }

    /// The words of the row are a person's, also where the row is no turn of its own.
    #[must_use]
    pub fn has_person_words(self) -> bool {
        matches!(self, Self::Person | Self::Queued | Self::SlashCommand)
    }

    /// A stable name: `person`, `heartbeat`, `cron`, `system`, `session_start`, `inter_session`, `subagent_task`,
    /// `webhook`, `queued`, `slash_command`, `unknown`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Queued => "queued",
            Self::SlashCommand => "slash_command",
            Self::Heartbeat => "heartbeat",
            Self::Cron => "cron",
            Self::SystemEvent => "system",
            Self::SessionStart => "session_start",
            Self::InterSession => "inter_session",
            Self::SubagentTask => "subagent_task",
            Self::Webhook => "webhook",
            Self::Unknown => "unknown",
        }
    }
}

/// What is known of a user row. Only the text is needed; each further field makes the answer surer.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct UserInput<'a, 'm> {
    /// The text of the row.
    pub text: &'a str,
    /// `message.provenance` as JSON text.
    pub provenance: Option<&'m str>,
    /// `message.__openclaw` as JSON text.
    pub openclaw: Option<&'m str>,
    /// The key of the session.
    pub session_key: Option<&'m str>,
}

impl<'a, 'm> UserInput<'a, 'm> {
    /// A row of which only the text is known.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self { text, provenance: None, openclaw: None, session_key: None }
    }

    /// Adds `message.provenance` as JSON text. Text that is not JSON is taken as absent.
    #[must_use]
    pub fn provenance(mut self, json: Option<&'m str>) -> Self {
        self.provenance = json;
        self
    }

    /// Adds `message.__openclaw` as JSON text. Text that is not JSON is taken as absent.
    #[must_use]
    pub fn openclaw(mut self, json: Option<&'m str>) -> Self {
        self.openclaw = json;
        self
    }

    /// Adds the key of the session.
    #[must_use]
    pub fn session_key(mut self, key: Option<&'m str>) -> Self {
        self.session_key = key;
        self
    }
}

/// A user row: who wrote it, the words, and the envelope.
///
/// The words of a person are what they sent. The words of a machine are its task: the prompt of a job, the body of a
/// webhook, the result of a subagent; a template without a task keeps its text.
#[derive(Clone, PartialEq, Eq)]
pub struct UserText<'a> {
    source: &'a str,
    origin: UserOrigin,
    parts: Vec<Range<usize>>,
    envelope: Envelope,
}

/// What stands between the words of two queued messages.
const JOINER: &str = "\n\n";

impl fmt::Debug for UserText<'_> {
    /// Who wrote it, and where their words are; never content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("UserText");
        shown.field("origin", &self.origin()).field("range", &self.range()).finish_non_exhaustive()
    }
}

impl<'a> UserText<'a> {
    /// Who wrote the row.
    #[must_use]
    pub fn origin(&self) -> UserOrigin {
        self.origin
    }

    /// OpenClaw repeated the person's message with an instruction to answer this time (2026.6 stores such rows): the
    /// words were said before.
    #[must_use]
    pub fn is_retry(&self) -> bool {
        self.envelope.blocks.iter().any(|block| block.kind == BlockKind::RetryInstruction)
    }

    /// The row is a new message of a person to the agent: a turn of the conversation. Rows of machines, commands,
    /// repeated rows and collected ones ([`UserOrigin::Queued`]) are not.
    #[must_use]
    pub fn is_person_turn(&self) -> bool {
        self.origin.is_person() && !self.is_retry()
    }

    /// The words without the envelope. Borrowed, except where several queued messages are joined by a blank line.
    #[must_use]
    pub fn words(&self) -> Cow<'a, str> {
        match self.parts.as_slice() {
            [] => Cow::Borrowed(""),
            [part] => Cow::Borrowed(cut(self.source, part.clone())),
            parts => {
                let texts: Vec<&str> = parts.iter().map(|part| cut(self.source, part.clone())).collect();
                Cow::Owned(texts.join(JOINER))
            }
        }
    }

    /// The bytes of the words in the text of the row: one range, or one for each queued message. Always on character
    /// boundaries.
    #[must_use]
    pub fn parts(&self) -> &[Range<usize>] {
        &self.parts
    }

    /// The bytes from the first word to the last.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        match (self.parts.first(), self.parts.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        }
    }

    /// What stood around the words.
    #[must_use]
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// The bytes, in the text of the row, of what the person typed in this message: the words without code, quotes,
    /// logs and other pasted text (see [`typed_text`]). Empty when no person wrote the row, and for a forwarded
    /// message, whose words are another's.
    #[must_use]
    pub fn typed_parts(&self) -> Vec<Range<usize>> {
        if !self.origin.has_person_words() || self.envelope.forwarded_from.is_some() {
            return Vec::new();
        }
        let mut typed = Vec::new();
        for part in &self.parts {
            let text = typed_text(cut(self.source, part.clone()));
            typed.extend(text.ranges().iter().map(|range| part.start + range.start..part.start + range.end));
        }
        typed
    }
}

/// Says who wrote a user row and finds their words. O(n) for text with a bounded number of envelope pieces; allocates
/// for metadata only, so a plain message costs no more than a look at its ends.
///
/// What OpenClaw recorded (`provenance`) wins over the text, the text over the session key.
///
/// ```
/// use clawgauge_transcript::{UserInput, UserOrigin, classify_user};
///
/// let row = classify_user(&UserInput::new(
///     "[Telegram Ada id:123 +2m Mon 2026-05-04 10:00 UTC] please prune the roses\n[message_id: 77]",
/// ));
/// assert_eq!(row.origin(), UserOrigin::Person);
/// assert_eq!(row.words(), "please prune the roses");
/// assert_eq!(row.envelope().sender_label.as_deref(), Some("Ada"));
/// assert_eq!(row.envelope().message_id.as_deref(), Some("77"));
///
/// let row = classify_user(&UserInput::new("[OpenClaw heartbeat poll]"));
/// assert_eq!(row.origin(), UserOrigin::Heartbeat);
/// ```
#[must_use]
pub fn classify_user<'a>(row: &UserInput<'a, '_>) -> UserText<'a> {
    let hints = SessionHints::of(row.session_key);
    let provenance = object(row.provenance);
    let recorded = recorded_origin(provenance.as_ref());
    let known = Known { cron: recorded == Some(UserOrigin::Cron) || hints.origin == Some(UserOrigin::Cron) };

    let mut peeler = Peeler::new(row.text, 0..row.text.len(), hints.channel);
    let mut origin = machine::settle(&mut peeler, known);
    let queued = queue::split(&peeler, known);

    let mut parts = vec![peeler.range()];
    let empty = peeler.rest().trim().is_empty();
    let mut envelope = std::mem::take(&mut peeler.envelope);
    if let Some(items) = queued {
        origin = origin.or(Some(items.origin));
        parts = items.parts;
        envelope.merge(items.envelope);
    }
    envelope.blocks.sort_by_key(|block| (block.range.start, block.range.end));
    note_provenance(provenance.as_ref(), &mut envelope);

    let from_text = origin.or_else(|| {
        let event = envelope.blocks.iter().any(|block| block.kind == BlockKind::SystemEvent);
        match (empty, peeler.task_event, event) {
            (true, true, _) => Some(UserOrigin::InterSession),
            (true, false, true) => Some(UserOrigin::SystemEvent),
            _ => None,
        }
    });
    let origin = recorded.or(from_text).or_else(|| {
        let context_free = object(row.openclaw)
            .and_then(|value| value.get("contextFreeCommand")?.as_bool())
            .unwrap_or_default();
        envelope.command = command::parse(peeler.rest(), context_free);
        envelope.command.is_some().then_some(UserOrigin::SlashCommand)
    });
    let origin = origin.or_else(|| {
        // A channel's envelope is a person's, in whatever session it arrives.
        let from_channel = envelope.channel.is_some() || envelope.sender_label.is_some();
        hints.origin.filter(|_| !from_channel)
    });
    let unnamed = recorded.is_none()
        && provenance
            .as_ref()
            .and_then(|value| value.get("kind"))
            .is_some_and(|kind| kind != "external_user");
    let origin = origin.unwrap_or(if unnamed { UserOrigin::Unknown } else { UserOrigin::Person });
    UserText { source: row.text, origin, parts, envelope }
}

fn object(json: Option<&str>) -> Option<Value> {
    serde_json::from_str(json?).ok().filter(Value::is_object)
}

/// What `provenance` says of the author (OpenClaw's `InputProvenance`).
fn recorded_origin(provenance: Option<&Value>) -> Option<UserOrigin> {
    let value = provenance?;
    let field = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    match field("kind") {
        "internal_system" => Some(match field("sourceTool").to_ascii_lowercase().as_str() {
            "heartbeat" => UserOrigin::Heartbeat,
            "cron" => UserOrigin::Cron,
            "webhook" | "hook" | "hooks" => UserOrigin::Webhook,
            _ => UserOrigin::SystemEvent,
        }),
        "inter_session" => Some(UserOrigin::InterSession),
        // "external_user" may be a person or a webhook: the text decides.
        _ => None,
    }
}

fn note_provenance(provenance: Option<&Value>, envelope: &mut Envelope) {
    let Some(value) = provenance else { return };
    let field = |name: &str| value.get(name).and_then(Value::as_str).and_then(text::filled);
    Envelope::fill(&mut envelope.source_session_key, field("sourceSessionKey"));
    if let Some(id) = field("jobId") {
        envelope.cron.get_or_insert_with(CronJob::default).id.get_or_insert(id);
    }
}

/// What the key of a session says of its rows.
#[derive(Debug, Clone, Copy, Default)]
struct SessionHints<'a> {
    origin: Option<UserOrigin>,
    channel: Option<&'a str>,
}

impl<'a> SessionHints<'a> {
    /// Only whole segments count: `agent:main:cron-notes` is a name that somebody chose.
    fn of(key: Option<&'a str>) -> Self {
        let mut parts: Vec<&str> = key.unwrap_or_default().split(':').collect();
        if parts.first() == Some(&"agent") {
            parts.drain(..parts.len().min(2));
        }
        let origin = match parts.first().copied() {
            _ if parts.len() > 1 && parts.last() == Some(&"heartbeat") => Some(UserOrigin::Heartbeat),
            Some("cron") if parts.len() > 1 => Some(UserOrigin::Cron),
            Some("hook") if parts.len() > 1 => Some(UserOrigin::Webhook),
            Some("subagent") if parts.len() > 1 => Some(UserOrigin::SubagentTask),
            Some("boot") if parts.len() > 1 => Some(UserOrigin::SessionStart),
            Some("internal-session-effects") => Some(UserOrigin::SystemEvent),
            _ => None,
        };
        let chat =
            parts.iter().skip(1).take(2).any(|part| matches!(*part, "direct" | "dm" | "group" | "channel"));
        Self { origin, channel: parts.first().copied().filter(|_| chat) }
    }
}

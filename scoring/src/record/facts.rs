//! What a record says of a session beside its scores.

use chrono::{DateTime, Utc};
use clawgauge_transcript::{Conversation, Entry, SessionKey, Timestamp, Transcript, TurnEnd};

use crate::v1;

/// What is known of a session beside its scores.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionFacts {
    /// The session's id.
    pub session_id: String,
    /// Its key, such as `agent:main:main`.
    pub session_key: Option<String>,
    /// When its last message was written: a history scored later must not fall on the day of scoring.
    pub timestamp: DateTime<Utc>,
    /// Whether the last turn ended well.
    pub success: bool,
    /// How long the last run took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// How many messages the context holds, of any role.
    pub message_count: u64,
    /// The agent's id.
    pub agent: Option<String>,
    /// The model that answered last.
    pub model: Option<String>,
    /// The channel through which the person spoke.
    pub channel: Option<String>,
}

impl SessionFacts {
    /// Reads them off a stored session. Its key is not stored in it and is given (the sessions index knows it); agent and channel
    /// are those that the key names. `otherwise` is the time of a session whose messages carry none.
    ///
    /// `success` is whether the model ended the last turn by itself (a provider's error, an abort, a cut at the length limit and a
    /// missing answer are no success); `duration_ms` is how long that turn took by its rows; `message_count` is the length of the
    /// context at the end of the last run, as the plugin counts. `O(n)`.
    #[must_use]
    pub fn of(transcript: &Transcript<'_>, session_key: Option<&str>, otherwise: DateTime<Utc>) -> Self {
        Self::of_conversation(transcript, &transcript.conversation(), session_key, otherwise)
    }

    /// The same for callers that have built the session's [`Conversation`] for themselves.
    #[must_use]
    pub fn of_conversation(
        transcript: &Transcript<'_>,
        conversation: &Conversation<'_>,
        session_key: Option<&str>,
        otherwise: DateTime<Utc>,
    ) -> Self {
        let key = session_key.map(SessionKey::parse);
        let last = conversation.turns.last();
        let messages = transcript.active().rev().filter(|entry| entry.message().is_some());
        let time = messages.filter_map(Entry::timestamp).find_map(Timestamp::to_chrono);
        let model = conversation.steps().rev().find_map(|step| step.message.model());
        let duration = last.and_then(|turn| Some(turn.ended_at()?.millis_since(turn.started_at()?)));
        Self {
            session_id: transcript.session_id().unwrap_or_default().into_owned(),
            session_key: session_key.map(str::to_owned),
            timestamp: time.unwrap_or(otherwise),
            success: last.is_some_and(|turn| matches!(turn.end(), TurnEnd::Stop | TurnEnd::Unknown)),
            duration_ms: duration,
            message_count: u64::try_from(v1::context_length(transcript)).unwrap_or(u64::MAX),
            agent: key.as_ref().and_then(SessionKey::agent_id).map(str::to_owned),
            model: model.map(std::borrow::Cow::into_owned),
            channel: key.as_ref().and_then(SessionKey::channel).map(str::to_owned),
        }
    }
}

//! From a session to its record.

use clawgauge_scoring::{
    Judged, Profile, ScoreRecord, Scorecard, Scorer, SessionFacts, Signs, SkipReason, v1,
};
use clawgauge_transcript::{AgentEnd, Conversation, SessionKey, Timestamp, Transcript, Turn};

use super::History;

/// A session and what is known of it beside its rows.
#[derive(Debug, Clone)]
pub struct Session<'a> {
    /// Its id.
    pub id: String,
    /// Its key, where the index or the payload names one.
    pub key: Option<SessionKey>,
    /// Its agent, where the folder or the payload names one.
    pub agent: Option<String>,
    /// The channel, where the index or the payload names one.
    pub channel: Option<String>,
    /// How long the last run took, where a payload says so, in milliseconds.
    pub duration_ms: Option<u64>,
    /// Its rows.
    pub transcript: Transcript<'a>,
}

/// What came of a session.
#[derive(Debug, Clone)]
pub struct Scored {
    /// The session's id.
    pub id: String,
    /// When its last message was written.
    pub when: Option<Timestamp>,
    /// How many turns a person began.
    pub turns: usize,
    /// The scores of the default profile, or why there are none.
    pub card: Judged<Scorecard>,
    /// The record to keep; `None` when no profile scores the session.
    pub record: Option<ScoreRecord>,
    /// What the risk rests on.
    signs: Option<Signs>,
}

impl Scored {
    /// Says on the card and in the record where the session stands among others. Whether there were enough to say so.
    pub fn set_effort(&mut self, scorer: &Scorer, history: &History) -> bool {
        let (Judged::Scored(card), Some(record), Some(signs)) =
            (&mut self.card, &mut self.record, &self.signs)
        else {
            return false;
        };
        let Some(baseline) = history.baseline(record) else { return false };
        scorer.set_effort(card, signs, baseline);
        record.set_card(card);
        true
    }
}

impl<'a> Session<'a> {
    /// The session that an `agent_end` payload carries.
    ///
    /// # Errors
    /// A message for a person when the payload has no session id or no messages.
    pub fn of_payload(payload: &AgentEnd<'a>) -> Result<Self, String> {
        let id = payload.session_id.as_deref().ok_or("no session id in the payload")?;
        if payload.messages.is_none() {
            return Err(format!("session {id}: no list of messages in the payload"));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, saturates"
        )]
        let duration_ms = payload.duration_ms.filter(|ms| *ms >= 0.0).map(|ms| ms.round() as u64);
        Ok(Self {
            id: id.to_owned(),
            key: payload.session_key.as_deref().map(SessionKey::parse),
            agent: payload.agent_id.as_deref().map(str::to_owned),
            channel: payload.channel.as_deref().map(str::to_owned),
            duration_ms,
            transcript: payload.transcript(),
        })
    }

    /// Scores the session by both profiles.
    ///
    /// # Errors
    /// A message for a person when the plugin's profile cannot read the messages.
    pub fn score(&self, scorer: &Scorer) -> Result<Scored, String> {
        let key = self.key.as_ref();
        let (card, signs) = match scorer.score_with_signs(&self.transcript, key) {
            Judged::Scored((card, signs)) => (Judged::Scored(card), signs),
            Judged::Skipped(reason) => (Judged::Skipped(reason), None),
        };
        let conversation = self.transcript.conversation();
        let facts = self.facts(&conversation);
        let when = self.transcript.active().rev().find_map(|entry| entry.message().and(entry.timestamp()));
        let turns = conversation.turns.iter().filter(|turn| is_person_turn(turn, key)).count();
        let record = match (&card, plugin_skips(facts.message_count, key)) {
            (Judged::Skipped(_), true) => None,
            _ => Some(self.record(&card, &facts)?),
        };
        let when = when.or_else(|| self.transcript.started_at());
        Ok(Scored { id: self.id.clone(), when, turns, card, record, signs })
    }

    fn facts(&self, conversation: &Conversation<'_>) -> SessionFacts {
        let otherwise = self.transcript.started_at().and_then(Timestamp::to_chrono).unwrap_or_default();
        let key = self.key.as_ref().map(SessionKey::as_written);
        let mut facts = SessionFacts::of_conversation(&self.transcript, conversation, key, otherwise);
        facts.session_id.clone_from(&self.id);
        facts.agent = self.agent.clone().or(facts.agent);
        facts.channel = self.channel.clone().or(facts.channel);
        facts.duration_ms = self.duration_ms.or(facts.duration_ms);
        facts
    }

    fn record(&self, card: &Judged<Scorecard>, facts: &SessionFacts) -> Result<ScoreRecord, String> {
        let scores =
            v1::score_session(&self.transcript).map_err(|error| format!("session {}: {error}", self.id))?;
        let mut record = ScoreRecord::new(facts, &scores);
        match card {
            Judged::Scored(card) => record.set_card(card),
            Judged::Skipped(reason) => record.set_skipped(Profile::Default, *reason),
        }
        Ok(record)
    }
}

/// A turn that a person began.
fn is_person_turn(turn: &Turn<'_>, key: Option<&SessionKey>) -> bool {
    let stored = turn.stored_user_text();
    turn.speaker(&stored, key.map(SessionKey::as_str)).is_some_and(|said| said.is_person_turn())
}

/// Whether the plugin would write no file: by messages of any role, and by its own reading of the key.
fn plugin_skips(messages: u64, key: Option<&SessionKey>) -> bool {
    let key = key.map_or("", SessionKey::as_written);
    messages < 3 || key.contains("subagent:") || key.starts_with("cron:")
}

/// The reason in words.
#[must_use]
pub fn skip_text(reason: SkipReason) -> String {
    format!("not scored: {reason}")
}

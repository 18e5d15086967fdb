//! Hook payloads.

use std::borrow::Cow;

use crate::raw::RawJson;
use crate::transcript::Transcript;

/// An `agent_end` hook payload: what the gateway hands to a plugin when an attempt of a run is over.
///
/// It fires once an *attempt* and carries the whole context so far, without row ids and unredacted; the last one of a
/// session is the one that counts. Its `success` is true even when the provider failed: ask the last turn.
///
/// Reads `{"event": {...}, "ctx": {...}}`, and the two merged into one object.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AgentEnd<'a> {
    /// The session's id. Without one there is nothing to save a score under.
    pub session_id: Option<Cow<'a, str>>,
    /// The session key.
    pub session_key: Option<Cow<'a, str>>,
    /// The agent.
    pub agent_id: Option<Cow<'a, str>>,
    /// The run.
    pub run_id: Option<Cow<'a, str>>,
    /// The channel.
    pub channel: Option<Cow<'a, str>>,
    /// The model configured for the run.
    pub model: Option<Cow<'a, str>>,
    /// What started the run: `user`, `heartbeat`, `cron`, ...
    pub trigger: Option<Cow<'a, str>>,
    /// What the gateway thinks of the attempt.
    pub success: Option<bool>,
    /// How long the attempt took, in milliseconds.
    pub duration_ms: Option<f64>,
    /// What went wrong, where the gateway says so.
    pub error: Option<Cow<'a, str>>,
    /// The messages as they stand.
    pub messages: Option<RawJson<'a>>,
    /// The payload's `event` object.
    pub event: RawJson<'a>,
    /// The payload's `ctx` object, when it stands apart.
    pub ctx: Option<RawJson<'a>>,
}

impl<'a> AgentEnd<'a> {
    /// Reads a payload; `None` when the text is no JSON object.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        let json = RawJson::parse(text.trim_start_matches('\u{feff}')).filter(|json| json.is_object())?;
        let event = json.get("event").filter(|event| event.is_object()).unwrap_or(json);
        let ctx = json.get("ctx").filter(|ctx| ctx.is_object());
        let field = |key: &str| ctx.and_then(|ctx| ctx.get(key)).or_else(|| event.get(key));
        let text = |key: &str| field(key).and_then(RawJson::text).filter(|text| !text.is_empty());
        Some(Self {
            session_id: text("sessionId"),
            session_key: text("sessionKey"),
            agent_id: text("agentId"),
            run_id: text("runId"),
            channel: text("channel").or_else(|| text("messageProvider")).or_else(|| text("channelId")),
            model: text("modelId"),
            trigger: text("trigger"),
            success: field("success").and_then(RawJson::as_bool),
            duration_ms: field("durationMs").and_then(RawJson::as_f64),
            error: text("error"),
            messages: event.get("messages").filter(|messages| messages.is_array()),
            event,
            ctx,
        })
    }

    /// The messages as a transcript: a plain list, without ids.
    #[must_use]
    pub fn transcript(&self) -> Transcript<'a> {
        Transcript::from_messages(self.messages.unwrap_or(RawJson::scanned("[]")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes() {
        let apart = r#"{"event":{"messages":[{"role":"user","content":"hi"}],"success":true,"durationMs":3},"ctx":{"sessionId":"s1"}}"#;
        let merged =
            r#"{"messages":[{"role":"user","content":"hi"}],"success":true,"durationMs":3,"sessionId":"s1"}"#;
        for text in [apart, merged] {
            let payload = AgentEnd::parse(text).unwrap();
            assert_eq!(payload.session_id.as_deref(), Some("s1"), "{text}");
            assert_eq!(payload.duration_ms, Some(3.0), "{text}");
            assert_eq!(payload.transcript().conversation().turns.len(), 1, "{text}");
        }
        assert!(AgentEnd::parse("[]").is_none());
        assert!(AgentEnd::parse("{}").unwrap().transcript().entries().is_empty());
    }
}

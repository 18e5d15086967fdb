//! One session envelope a line in, one answer a line out: the filter for `pipe()`, GNU parallel and the like.
//!
//! An answer depends on its own line alone, so that any sharding gives the same bytes in the same order.

use clawgauge_scoring::{Judged, Scorer};
use clawgauge_transcript::{AgentEnd, RawJson, SessionKey, Transcript};
use serde_json::json;

use super::session::Session;

/// Answers one line: a record, `{"sessionId", "skipped"}`, or `{"error"}`. Blank lines give nothing.
///
/// An envelope is an `agent_end` payload (`{"event", "ctx"}` or both merged: `sessionId`, `sessionKey?`, `messages`), or
/// `{"sessionId"?, "sessionKey"?, "agentId"?, "channel"?, "transcript": "<session JSONL>"}`.
#[must_use]
pub fn answer(line: &str, scorer: &Scorer) -> Option<String> {
    if line.trim().is_empty() {
        return None;
    }
    Some(record(line, scorer).unwrap_or_else(|error| json!({ "error": error }).to_string()))
}

fn record(line: &str, scorer: &Scorer) -> Result<String, String> {
    let payload = AgentEnd::parse(line).ok_or("the line is no JSON object")?;
    let text = payload.event.get("transcript").and_then(RawJson::text);
    let session = match &text {
        Some(text) => of_text(&payload, text)?,
        None => Session::of_payload(&payload)?,
    };
    let scored = session.score(scorer)?;
    Ok(match (&scored.record, &scored.card) {
        (Some(record), _) => record.to_line(),
        (None, Judged::Skipped(reason)) => {
            json!({ "sessionId": scored.id, "skipped": reason.as_str() }).to_string()
        }
        (None, Judged::Scored(_)) => json!({ "error": "scored without a record" }).to_string(),
    })
}

fn of_text<'t>(payload: &AgentEnd<'_>, text: &'t str) -> Result<Session<'t>, String> {
    let transcript = Transcript::from_str(text);
    let id = payload.session_id.as_deref().map(str::to_owned);
    let id = id.or_else(|| Some(transcript.session_id()?.into_owned())).filter(|id| !id.is_empty());
    Ok(Session {
        id: id.ok_or("no session id in the envelope or the transcript's header")?,
        key: payload.session_key.as_deref().map(SessionKey::parse),
        agent: payload.agent_id.as_deref().map(str::to_owned),
        channel: payload.channel.as_deref().map(str::to_owned),
        duration_ms: None,
        transcript,
    })
}

//! The sessions that `scores` without arguments shows.

use clawgauge_transcript::{SessionIndex, SessionKey, Transcript};

use super::session::Session;

const INDEX: &str = include_str!("../../data/sessions.json");

const FILES: [&str; 6] = [
    include_str!("../../data/6f1d2c3a-0b1e-4c55-9a77-1f0a3f5d1001.jsonl"),
    include_str!("../../data/6f1d2c3a-0b1e-4c55-9a77-1f0a3f5d1002.jsonl"),
    include_str!("../../data/6f1d2c3a-0b1e-4c55-9a77-1f0a3f5d1003.jsonl"),
    include_str!("../../data/6f1d2c3a-0b1e-4c55-9a77-1f0a3f5d1004.jsonl"),
    include_str!("../../data/6f1d2c3a-0b1e-4c55-9a77-1f0a3f5d1005.jsonl"),
    include_str!("../../data/6f1d2c3a-0b1e-4c55-9a77-1f0a3f5d1006.jsonl"),
];

/// Six sessions made for it.
#[must_use]
pub fn sample() -> Vec<Session<'static>> {
    let index = SessionIndex::parse(INDEX).unwrap_or_default();
    FILES
        .into_iter()
        .map(|file| {
            let transcript = Transcript::from_str(file);
            let id = transcript.session_id().unwrap_or_default().into_owned();
            let entry = index.by_session(&id);
            Session {
                key: entry.map(|entry| SessionKey::parse(&entry.key)),
                agent: Some("main".to_owned()),
                channel: entry.and_then(|entry| entry.channel.as_deref()).map(str::to_owned),
                duration_ms: None,
                id,
                transcript,
            }
        })
        .collect()
}

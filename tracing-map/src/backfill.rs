//! Traces from stored sessions alone.

use crate::mapper::{Config, StoredTrace, close_stored};
use crate::span::Span;
use crate::stored::stored_runs;
use clawgauge_transcript::Transcript;
use std::collections::BTreeMap;

/// What a program knows of a session beyond its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionFacts {
    /// The session id, where the header has none (or to name it as the index does).
    pub session_id: Option<String>,
    /// The session key.
    pub session_key: Option<String>,
    /// The agent; else the one in the session key.
    pub agent_id: Option<String>,
    /// The channel.
    pub channel: Option<String>,
    /// The person behind the session's turns: account, name, conversation.
    pub person: Option<(String, Option<String>, Option<String>)>,
    /// Something may still be written: then the last run is left out while it is unfinished, because a backend keeps the
    /// first write of a span.
    pub in_progress: bool,
    /// For sessions that begin with rows of another one (fork, rewind, checkpoint): entry id to the session where the row
    /// was written first. A run whose first row is listed gets the ids it has there, so that it is not exported twice.
    pub origins: BTreeMap<String, String>,
}

impl SessionFacts {
    /// The facts of a session with this key.
    #[must_use]
    pub fn of_key(session_key: &str) -> Self {
        Self { session_key: Some(session_key.to_owned()), ..Self::default() }
    }
}

/// The traces of a stored session: for each run the spans that live mapping makes of it, as far as the rows know it.
/// Times come from the rows and from `durationMs`; calls that failed before another attempt, contexts and sizes are not
/// stored. Children come before their root, runs in order. O(n) in the rows.
///
/// Where rows name their run (2026.9 and later) the ids are those of live mapping; in older sessions the id of a run's
/// first row takes the place of the run id.
///
/// ```
/// use clawgauge_tracing_map::{Config, SessionFacts, SpanKind, from_transcript};
/// use clawgauge_transcript::Transcript;
///
/// let rows = r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-05-04T09:00:00.000Z"}
/// {"type":"message","id":"a","parentId":null,"timestamp":"2026-05-04T09:00:01.000Z","message":{"role":"user","content":"hi"}}
/// {"type":"message","id":"b","parentId":"a","timestamp":"2026-05-04T09:00:03.000Z","message":{"role":"assistant","content":[{"type":"text","text":"hello"}],"model":"m","provider":"p","stopReason":"stop"}}"#;
/// let spans = from_transcript(&Transcript::from_str(rows), &SessionFacts::of_key("agent:main:main"), &Config::default());
/// let root = spans.last().expect("a run");
/// assert_eq!((root.kind, root.input.as_deref(), root.output.as_deref()), (SpanKind::Run, Some("hi"), Some("hello")));
/// assert_eq!((spans[0].kind, spans[0].name.as_str()), (SpanKind::Generation, "m"));
/// ```
#[must_use]
pub fn from_transcript(transcript: &Transcript<'_>, facts: &SessionFacts, config: &Config) -> Vec<Span> {
    let header_id = transcript.session_id().map(std::borrow::Cow::into_owned);
    let own_session = facts.session_id.clone().or(header_id);
    let mut spans = Vec::new();
    let mut runs = stored_runs(transcript);
    if facts.in_progress && runs.last().is_some_and(|run| run.unfinished) {
        runs.pop();
    }
    for run in runs {
        let origin = run.first_entry.as_ref().and_then(|entry| facts.origins.get(entry)).cloned();
        let name =
            run.run_id.clone().or_else(|| run.first_entry.as_ref().map(|entry| format!("entry:{entry}")));
        let trace = StoredTrace {
            session_id: origin.or_else(|| own_session.clone()),
            session_key: facts.session_key.clone(),
            agent_id: facts.agent_id.clone(),
            channel: facts.channel.clone(),
            person: facts.person.clone(),
            name,
            run,
        };
        spans.extend(close_stored(trace, config));
    }
    spans
}

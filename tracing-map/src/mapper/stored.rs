//! A run that only a session knows, closed by the same rules as a live one.

use super::build::Reason;
use super::limits::Config;
use super::run::{Completion, Person, Run};
use crate::span::Span;
use crate::stored::StoredRun;
use clawgauge_transcript::SessionKey;

/// A stored run and what is known of its session.
pub(crate) struct StoredTrace {
    pub(crate) session_id: Option<String>,
    pub(crate) session_key: Option<String>,
    pub(crate) agent_id: Option<String>,
    pub(crate) channel: Option<String>,
    pub(crate) person: Option<(String, Option<String>, Option<String>)>,
    pub(crate) name: Option<String>,
    pub(crate) run: StoredRun,
}

/// The spans of a stored run, the root last.
pub(crate) fn close_stored(trace: StoredTrace, config: &Config) -> Vec<Span> {
    let stored = trace.run;
    let start = stored.started_ms.unwrap_or(0).max(0);
    let end = stored.ended_ms.unwrap_or(start).max(start);
    let mut run = Run::new(0, trace.name, start);
    let agent = trace.agent_id.or_else(|| {
        let key = SessionKey::parse(trace.session_key.as_deref()?);
        key.agent_id().map(str::to_owned)
    });
    run.session_id.offer(0, (start, 0), trace.session_id);
    run.session_key.offer(0, (start, 0), trace.session_key);
    run.agent.offer(0, (start, 0), agent);
    run.channel.offer(0, (start, 0), trace.channel);
    run.person = trace.person.map(|(user_id, user_name, conversation_id)| Person {
        user_id: Some(user_id),
        user_name,
        conversation_id,
    });
    run.first_ms = Some(start);
    run.last_ms = Some(end);
    run.started((start, 0));
    let last = stored.content.generations.last();
    run.model.offer(0, (start, 0), last.and_then(|one| one.model.clone()));
    run.provider.offer(0, (start, 0), last.and_then(|one| one.provider.clone()));
    run.of_session = true;
    run.reply_aborted = stored.aborted;
    run.completed(Completion {
        order: (end, 0),
        at_ms: end,
        duration_ms: None,
        outcome: None,
        error_category: None,
        blocked_by: None,
    });
    run.content = Some(stored.content);
    let mut spans = Vec::new();
    run.close(config, Reason::Completed, &mut spans);
    spans
}

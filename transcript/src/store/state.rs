//! The global database of a state folder: how runs ended, and who started whom.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::time::Timestamp;

use super::database::Database;
use super::error::StoreError;
use super::query::{each, integer, select, text};

/// Most rows read of one table of the global database (OpenClaw keeps 30 days).
const MAX_ROWS: usize = 2_000_000;

/// One row of `audit_events`: a step of a run or of a tool call as the gateway recorded it, without content.
///
/// The best source for how a run ended: transcripts do not name runs that failed before an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditEvent {
    /// When.
    pub at: Option<Timestamp>,
    /// `agent_run`, `tool_action`, ... as written.
    pub kind: String,
    /// `agent.run.started`, `tool.action.finished`, ... as written.
    pub action: String,
    /// `started`, `succeeded`, `failed`, `blocked`, `cancelled`, `timed_out`, as written.
    pub status: String,
    /// Why it failed.
    pub error_code: Option<String>,
    /// The agent.
    pub agent_id: Option<String>,
    /// The session's key.
    pub session_key: Option<String>,
    /// The session.
    pub session_id: Option<String>,
    /// The run.
    pub run_id: Option<String>,
    /// The tool call.
    pub tool_call_id: Option<String>,
    /// The tool.
    pub tool_name: Option<String>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
}

/// One row of `subagent_runs`: a session that another session started.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SubagentRun {
    /// The child's run.
    pub run_id: String,
    /// The child's session key.
    pub child_session_key: String,
    /// The key of the session that asked for it.
    pub requester_session_key: Option<String>,
    /// The key of the session that controls it.
    pub controller_session_key: Option<String>,
    /// When.
    pub created_at: Option<Timestamp>,
    /// Everything else as JSON: task, label, execution, result.
    pub payload_json: String,
}

impl std::fmt::Debug for SubagentRun {
    /// Ids only; never the task or the result.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SubagentRun")
            .field("run_id", &self.run_id)
            .field("child_session_key", &self.child_session_key)
            .field("requester_session_key", &self.requester_session_key)
            .finish_non_exhaustive()
    }
}

pub(crate) fn audit_events(database: &Database) -> Result<Vec<AuditEvent>, StoreError> {
    let columns = [
        "occurred_at",
        "kind",
        "action",
        "status",
        "error_code",
        "agent_id",
        "session_key",
        "session_id",
        "run_id",
        "tool_call_id",
        "tool_name",
        "duration_ms",
    ];
    database.with(|connection| {
        let query = limited(connection, "audit_events", &columns, "sequence")?;
        let mut events = Vec::new();
        each(connection, query, |row| {
            events.push(AuditEvent {
                at: integer(row, 0)?.map(Timestamp::from_millis),
                kind: text(row, 1)?.unwrap_or_default(),
                action: text(row, 2)?.unwrap_or_default(),
                status: text(row, 3)?.unwrap_or_default(),
                error_code: text(row, 4)?,
                agent_id: text(row, 5)?,
                session_key: text(row, 6)?,
                session_id: text(row, 7)?,
                run_id: text(row, 8)?,
                tool_call_id: text(row, 9)?,
                tool_name: text(row, 10)?,
                duration_ms: integer(row, 11)?.and_then(|ms| u64::try_from(ms).ok()),
            });
            Ok(())
        })?;
        Ok(events)
    })
}

pub(crate) fn subagent_runs(database: &Database) -> Result<Vec<SubagentRun>, StoreError> {
    let columns = [
        "run_id",
        "child_session_key",
        "requester_session_key",
        "controller_session_key",
        "created_at",
        "payload_json",
    ];
    database.with(|connection| {
        let query = limited(connection, "subagent_runs", &columns, "created_at, run_id")?;
        let mut runs = Vec::new();
        each(connection, query, |row| {
            runs.push(SubagentRun {
                run_id: text(row, 0)?.unwrap_or_default(),
                child_session_key: text(row, 1)?.unwrap_or_default(),
                requester_session_key: text(row, 2)?,
                controller_session_key: text(row, 3)?,
                created_at: integer(row, 4)?.map(Timestamp::from_millis),
                payload_json: text(row, 5)?.unwrap_or_default(),
            });
            Ok(())
        })?;
        Ok(runs)
    })
}

/// Where the agents' databases are: most are below `agents/`, some were put elsewhere.
pub(crate) fn agent_databases(
    database: &Database,
    root: &Path,
) -> Result<Vec<(Option<String>, PathBuf)>, StoreError> {
    database.with(|connection| {
        let query = limited(connection, "agent_databases", &["agent_id", "path"], "agent_id, path")?;
        let mut found = Vec::new();
        each(connection, query, |row| {
            if let Some(path) = text(row, 1)? {
                found.push((text(row, 0)?, root.join(path)));
            }
            Ok(())
        })?;
        Ok(found)
    })
}

fn limited(
    connection: &Connection,
    table: &str,
    columns: &[&str],
    order: &str,
) -> rusqlite::Result<Option<String>> {
    let query = select(connection, &[table], columns)?;
    Ok(query.map(|query| format!("{query} ORDER BY {order} LIMIT {MAX_ROWS}")))
}

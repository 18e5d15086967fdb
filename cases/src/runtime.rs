//! Trajectories from OpenClaw's trajectory files (`*.trajectory.jsonl`), which record runs beside the session.

use clawgauge_transcript::{RawJson, Transcript};

use crate::trajectory::Trajectory;

/// One run of a trajectory file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RuntimeRun {
    /// The run.
    pub run_id: String,
    /// What the agent did. `None`: the file does not hold it, because the record was too large and was cut, or because
    /// the run did not complete. That is unknown, not nothing.
    pub trajectory: Option<Trajectory>,
}

/// The runs of a trajectory file, in the order in which they first appear. Lines that are no JSON object or name no run
/// are passed over. Tool definitions are not calls: only what the model's messages call counts. O(size of the file).
///
/// ```
/// use clawgauge_cases::runtime_runs;
///
/// let file = r#"{"type":"context.compiled","runId":"r","data":{"tools":[{"name":"exec"}]}}
/// {"type":"model.completed","runId":"r","data":{"truncated":true}}"#;
/// let runs = runtime_runs(file);
/// assert_eq!(runs[0].run_id, "r");
/// assert_eq!(runs[0].trajectory, None);
/// ```
#[must_use]
pub fn runtime_runs(text: &str) -> Vec<RuntimeRun> {
    let mut out: Vec<RuntimeRun> = Vec::new();
    for line in text.lines() {
        let Some(row) = RawJson::parse(line).filter(|row| row.is_object()) else { continue };
        let text = |key: &str| row.get(key).and_then(RawJson::text);
        let Some(run_id) = text("runId") else { continue };
        let at = out.iter().position(|run| run.run_id == run_id).unwrap_or_else(|| {
            out.push(RuntimeRun { run_id: run_id.into_owned(), trajectory: None });
            out.len() - 1
        });
        if text("type").as_deref() != Some("model.completed") {
            continue;
        }
        let messages = row.get("data").and_then(|data| data.get("messagesSnapshot")).filter(|m| m.is_array());
        if let (Some(messages), Some(run)) = (messages, out.get_mut(at)) {
            let transcript = Transcript::from_messages(messages);
            let conversation = transcript.conversation();
            // The snapshot is the whole context; the run is what followed the last request.
            let mut trajectory = Trajectory::from_turns(conversation.turns.last());
            trajectory.session_id = text("sessionId").map(String::from);
            trajectory.model = text("modelId").map(String::from).or(trajectory.model);
            trajectory.provider = text("provider").map(String::from).or(trajectory.provider);
            run.trajectory = Some(trajectory);
        }
    }
    out
}

//! Session files in a state folder.

use clawgauge_tracing_map::{ContentRequest, RunContent, TranscriptSource};
use clawgauge_transcript::Transcript;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The session files under a path, sorted: the path itself, or what a folder holds.
pub(crate) fn session_files(path: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    collect(path, 0, &mut found).map_err(|error| format!("{}: {error}", path.display()))?;
    found.sort();
    Ok(found)
}

fn collect(path: &Path, depth: usize, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if path.is_file() {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // Only live sessions: a reset, deleted or trajectory file has more in its name.
        if name.ends_with(".jsonl") && name.matches('.').count() == 1 {
            found.push(path.to_owned());
        }
        return Ok(());
    }
    if depth > 4 {
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        collect(&entry?.path(), depth + 1, found)?;
    }
    Ok(())
}

/// Session id to session key, from the `sessions.json` beside the files.
pub(crate) fn session_keys(file: &Path) -> BTreeMap<String, String> {
    let index = file.with_file_name("sessions.json");
    let value: Value =
        fs::read(&index).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(Value::Null);
    let entries = value.as_object().into_iter().flatten();
    entries
        .filter_map(|(key, entry)| Some((entry.get("sessionId")?.as_str()?.to_owned(), key.clone())))
        .collect()
}

/// The texts of a live run from the session file of its agent.
pub(crate) fn content(state_dir: &Path, request: &ContentRequest) -> Option<RunContent> {
    let agent = request.agent_id.as_deref().unwrap_or("main");
    let session = request.session_id.as_deref()?;
    let is_name = |name: &str| !name.is_empty() && !name.contains(['/', '\\']) && name != "..";
    if !is_name(agent) || !is_name(session) {
        return None;
    }
    let path = state_dir.join("agents").join(agent).join("sessions").join(format!("{session}.jsonl"));
    let bytes = fs::read(path).ok()?;
    let transcript = Transcript::from_slice(&bytes);
    TranscriptSource::new(&transcript).run(request.run_id.as_deref(), Some(request.started_ms))
}

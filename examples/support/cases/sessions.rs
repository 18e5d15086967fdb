//! Where stored sessions lie.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// The state folder: `--state-dir`, then `OPENCLAW_STATE_DIR`, then `~/.openclaw`.
#[must_use]
pub fn state_dir(given: Option<&Path>) -> PathBuf {
    if let Some(given) = given {
        return given.to_owned();
    }
    if let Some(set) = std::env::var_os("OPENCLAW_STATE_DIR").filter(|v| !v.is_empty()) {
        return PathBuf::from(set);
    }
    std::env::home_dir().unwrap_or_default().join(".openclaw")
}

/// The transcript file of a session: `agents/<agent>/sessions/<id>.jsonl`, also one that was reset or deleted since.
///
/// # Errors
/// There is no such file, or the name is no session id.
pub fn find(state: &Path, agent: &str, id: &str) -> Result<PathBuf, String> {
    let plain = |s: &str| !s.is_empty() && !s.contains(['/', '\\', '\0']) && s != "." && s != "..";
    if !plain(agent) || !plain(id) {
        return Err(format!("`{id}` is no session id"));
    }
    let folder = state.join("agents").join(agent).join("sessions");
    let exact = folder.join(format!("{id}.jsonl"));
    if exact.is_file() {
        return Ok(exact);
    }
    let mut older: Vec<PathBuf> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name().and_then(|n| n.to_str()).is_some_and(|name| {
                name.starts_with(&format!("{id}.jsonl.")) && !name.ends_with(".zst") && !name.ends_with(".lock")
            })
        })
        .collect();
    older.sort();
    older.pop().ok_or_else(|| format!("session {id} of agent {agent} was not found below {}", folder.display()))
}

/// Whether a session is still being written: it grows, or its lock is held. Looks twice, `pause` apart.
#[must_use]
pub fn is_running(state: &Path, agent: &str, session_key: &str, pause: Duration) -> bool {
    let index = state.join("agents").join(agent).join("sessions").join("sessions.json");
    let Ok(text) = std::fs::read_to_string(index) else { return false };
    let Ok(json) = serde_json::from_str::<serde_json::Value>(&text) else { return false };
    let full = format!("agent:{agent}:{session_key}");
    let entry = [full.as_str(), session_key].into_iter().find_map(|key| json.get(key));
    let Some(id) = entry.and_then(|e| e.get("sessionId")).and_then(serde_json::Value::as_str) else {
        return false;
    };
    let Ok(path) = find(state, agent, id) else { return false };
    let size = || std::fs::metadata(&path).map(|m| m.len()).unwrap_or(0);
    let before = size();
    std::thread::sleep(pause);
    size() != before || path.with_extension("jsonl.lock").exists()
}

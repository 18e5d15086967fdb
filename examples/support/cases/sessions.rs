//! Where stored sessions lie.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clawgauge_transcript::{Store, Transcript};

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
    if let Some(path) = in_folder(&state.join("agents").join(agent).join("sessions"), id) {
        return Ok(path);
    }
    // A session of another agent is meant as well: ids do not come twice.
    let mut agents: Vec<PathBuf> =
        std::fs::read_dir(state.join("agents")).into_iter().flatten().flatten().map(|e| e.path()).collect();
    agents.sort();
    agents
        .into_iter()
        .find_map(|folder| in_folder(&folder.join("sessions"), id))
        .ok_or_else(|| format!("session {id} was not found below {}", state.join("agents").display()))
}

fn in_folder(folder: &Path, id: &str) -> Option<PathBuf> {
    let exact = folder.join(format!("{id}.jsonl"));
    if exact.is_file() {
        return Some(exact);
    }
    let mut older: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name().and_then(|n| n.to_str()).is_some_and(|name| {
                name.starts_with(&format!("{id}.jsonl."))
                    && !name.ends_with(".zst")
                    && !name.ends_with(".lock")
            })
        })
        .collect();
    older.sort();
    older.pop()
}

/// A session by its id: its file, or its rows in the databases that OpenClaw writes since 2026.8.
///
/// # Errors
/// There is no such session, or it cannot be read.
pub fn load(state: &Path, agent: &str, id: &str) -> Result<Transcript<'static>, String> {
    match find(state, agent, id) {
        Ok(path) => {
            let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            Ok(Transcript::from_slice(&bytes).into_owned())
        }
        Err(not_found) => {
            let store = Store::open(state);
            let session = store.find(id).ok_or(not_found)?;
            store.read(session).map_err(|e| e.to_string())
        }
    }
}

/// Whether a session is still being written: it grows, or its lock is held. Looks twice, `pause` apart.
#[must_use]
pub fn is_running(state: &Path, agent: &str, session_key: &str, pause: Duration) -> bool {
    let full = format!("agent:{agent}:{session_key}");
    let marked = || {
        let store = Store::open(state);
        let mut sessions = store.sessions().iter();
        sessions.any(|s| {
            s.key_text().is_some_and(|k| k == full || k == session_key) && s.status() == Some("running")
        })
    };
    if marked() {
        std::thread::sleep(pause);
        return marked();
    }
    let index = state.join("agents").join(agent).join("sessions").join("sessions.json");
    let Ok(text) = std::fs::read_to_string(index) else { return false };
    let Ok(json) = serde_json::from_str::<serde_json::Value>(&text) else { return false };
    let entry = [full.as_str(), session_key].into_iter().find_map(|key| json.get(key));
    let Some(id) = entry.and_then(|e| e.get("sessionId")).and_then(serde_json::Value::as_str) else {
        return false;
    };
    let Ok(path) = find(state, agent, id) else { return false };
    let size = || std::fs::metadata(&path).map_or(0, |m| m.len());
    let before = size();
    std::thread::sleep(pause);
    size() != before || path.with_extension("jsonl.lock").exists()
}

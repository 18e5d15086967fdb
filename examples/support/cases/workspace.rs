//! The workspace of an agent: where it is, and writing into it without leaving it.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The workspace: what was given, then `agents.defaults.workspace` of `openclaw.json` in the state folder, then
/// `<state>/workspace`.
///
/// # Errors
/// It is no folder.
pub fn find(given: Option<&Path>, state: &Path) -> Result<PathBuf, String> {
    let configured = || {
        let text = std::fs::read_to_string(state.join("openclaw.json")).ok()?;
        let json: serde_json::Value = serde_json::from_str(&text).ok()?;
        let path = json.pointer("/agents/defaults/workspace")?.as_str()?.to_owned();
        Some(match path.strip_prefix("~/") {
            Some(rest) => std::env::home_dir().unwrap_or_default().join(rest),
            None => PathBuf::from(path),
        })
    };
    let path = given.map(Path::to_owned).or_else(configured).unwrap_or_else(|| state.join("workspace"));
    match path.canonicalize() {
        Ok(real) if real.is_dir() => Ok(real),
        _ => Err(format!("{} is no folder; name the workspace with --workspace", path.display())),
    }
}

/// The path of a file in the workspace, if no part of it is a link.
///
/// # Errors
/// A part of the path is a symbolic link, or the file is no plain file.
pub fn inside(workspace: &Path, file: &str) -> Result<PathBuf, String> {
    let mut path = workspace.to_owned();
    for part in file.split('/') {
        path.push(part);
        if std::fs::symlink_metadata(&path).is_ok_and(|m| m.file_type().is_symlink()) {
            return Err(format!("{} is a link; links are not followed", path.display()));
        }
    }
    match std::fs::symlink_metadata(&path) {
        Ok(meta) if !meta.is_file() => Err(format!("{} is no plain file", path.display())),
        _ => Ok(path),
    }
}

/// Writes a file whole or not at all: next to it first, then in its place. Keeps its permissions.
///
/// # Errors
/// What the system says.
pub fn write_atomically(path: &Path, text: &str) -> Result<(), String> {
    let fault = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    std::fs::create_dir_all(folder).map_err(|e| fault(&e))?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|e| fault(&e))?;
    file.write_all(text.as_bytes()).map_err(|e| fault(&e))?;
    let mode = std::fs::metadata(path).map(|m| m.permissions()).ok().or_else(default_mode);
    if let Some(mode) = mode {
        std::fs::set_permissions(file.path(), mode).map_err(|e| fault(&e))?;
    }
    file.persist(path).map_err(|e| fault(&e.error))?;
    Ok(())
}

/// A new file is readable as other files are, not private as a temporary one.
#[cfg(unix)]
fn default_mode() -> Option<std::fs::Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
const fn default_mode() -> Option<std::fs::Permissions> {
    None
}

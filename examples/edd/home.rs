//! What `edd` keeps for itself: `~/.openclaw_eval`.

use std::path::{Path, PathBuf};

use crate::Stop;

/// The folder of a kind of thing.
pub(crate) fn folder(kind: &str) -> Result<PathBuf, Stop> {
    let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    Ok(home.ok_or_else(|| Stop::input("no home folder is known"))?.join(".openclaw_eval").join(kind))
}

/// A session's id as a file name; ids come from the command line and from files.
pub(crate) fn checked_id(id: &str) -> Result<&str, Stop> {
    let plain = !id.is_empty() && id.len() <= 200 && id != "." && id != "..";
    let plain = plain && !id.contains(|c: char| matches!(c, '/' | '\\' | ':') || c.is_control());
    if plain { Ok(id) } else { Err(Stop::no(format!("{id:?} cannot be a session id"))) }
}

/// Writes a file whole or not at all.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), Stop> {
    let failed = |error: &dyn std::fmt::Display| Stop::system(format!("{}: {error}", path.display()));
    let folder = path.parent().ok_or_else(|| failed(&"no folder"))?;
    std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
    std::io::Write::write_all(&mut file, content).map_err(|error| failed(&error))?;
    file.persist(path).map_err(|error| failed(&error)).map(drop)
}

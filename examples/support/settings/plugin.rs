//! The plugin's entry in `openclaw.json`, read and written.

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The entry, and the one of those who come from there.
const ENTRY: &str = "clawgauge";
const OLD_ENTRY: &str = "benchgen";

/// Reads a config file; `None` when there is none.
///
/// # Errors
/// A message for a person when the file cannot be read or is no plain JSON.
pub fn read_config(path: &Path) -> Result<Option<Value>, String> {
    match fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| format!("{} is not plain JSON (line {})", path.display(), error.line())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// `plugins.entries.clawgauge.config`, else that of `benchgen` for those who migrate.
#[must_use]
pub fn plugin_config(config: &Value) -> Option<&Value> {
    let entries = config.get("plugins")?.get("entries")?;
    [ENTRY, OLD_ENTRY].iter().find_map(|name| entries.get(name)?.get("config"))
}

/// Why an entry was not written.
#[derive(Debug)]
pub enum WriteError {
    /// The file is no JSON object that can be changed in place.
    NotPlainJson(String),
    /// Someone changed the file meanwhile.
    Changed(PathBuf),
    /// A file could not be read or written.
    Io(PathBuf, std::io::Error),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPlainJson(what) => write!(f, "{what}; it is left as it is"),
            Self::Changed(path) => write!(f, "{} was changed meanwhile; it is left as it is", path.display()),
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for WriteError {}

/// The plugin's entry of one file, to be changed. Everything else in the file stays byte for byte.
#[derive(Debug)]
pub struct PluginEntry {
    path: PathBuf,
    /// The file as it was read; empty when there was none.
    before: String,
    entry: Map<String, Value>,
}

impl PluginEntry {
    /// Reads the entry. Where there is none yet, that of `benchgen` is the beginning.
    ///
    /// # Errors
    /// [`WriteError::NotPlainJson`] for a file that could not be written back, [`WriteError::Io`].
    pub fn open(path: &Path) -> Result<Self, WriteError> {
        // A link stays a link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let before = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(WriteError::Io(path, error)),
        };
        let bad = |what: String| WriteError::NotPlainJson(format!("{}: {what}", path.display()));
        let mut entry = Map::new();
        if !before.is_empty() {
            let value: Value = serde_json::from_str(&before)
                .map_err(|error| bad(format!("no plain JSON (line {})", error.line())))?;
            let mut place = &value;
            for key in ["", "plugins", "entries", ENTRY] {
                if !key.is_empty() {
                    let Some(next) = place.get(key) else { break };
                    place = next;
                }
                if !place.is_object() {
                    return Err(bad(format!("{} is no object", if key.is_empty() { "it" } else { key })));
                }
            }
            let entries = value.get("plugins").and_then(|plugins| plugins.get("entries"));
            let known = entries.and_then(|entries| entries.get(ENTRY).or_else(|| entries.get(OLD_ENTRY)));
            entry = known.and_then(Value::as_object).cloned().unwrap_or_default();
        }
        Ok(Self { path, before, entry })
    }

    /// The plugin's settings as they are in the entry.
    #[must_use]
    pub fn config(&self) -> Option<&Value> {
        self.entry.get("config")
    }

    /// Sets a value under `config`.
    pub fn set(&mut self, path: &[&str], value: impl Into<Value>) {
        self.entry.insert("enabled".to_owned(), true.into());
        let mut place = self.entry.entry("config").or_insert_with(|| Value::Object(Map::new()));
        for key in path {
            if !place.is_object() {
                *place = Value::Object(Map::new());
            }
            let Value::Object(fields) = place else { return };
            place = fields.entry(*key).or_insert(Value::Null);
        }
        *place = value.into();
    }

    /// Writes the entry: a backup beside the file (`….clawgauge.bak`), then the new file in one step, with the access
    /// rights that it had. Returns the backup, where there was a file.
    ///
    /// # Errors
    /// [`WriteError::Changed`] when the file is another one than the one that was read, [`WriteError::Io`].
    pub fn write(&self) -> Result<Option<PathBuf>, WriteError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |error| WriteError::Io(path, error)
        };
        let after = self.text()?;
        let exists = !self.before.is_empty();
        let now = fs::read_to_string(&self.path).unwrap_or_default();
        if now != self.before {
            return Err(WriteError::Changed(self.path.clone()));
        }
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(io(folder))?;
        let mut backup = None;
        if exists {
            let mut name = self.path.clone().into_os_string();
            name.push(".clawgauge.bak");
            let name = PathBuf::from(name);
            fs::copy(&self.path, &name).map_err(io(&name))?;
            backup = Some(name);
        }
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(io(folder))?;
        file.write_all(after.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(io(&self.path))?;
        if exists {
            let rights = fs::metadata(&self.path).map_err(io(&self.path))?.permissions();
            file.as_file().set_permissions(rights).map_err(io(&self.path))?;
        }
        file.persist(&self.path).map_err(|error| WriteError::Io(self.path.clone(), error.error))?;
        Ok(backup)
    }

    /// The file with the entry in its place.
    fn text(&self) -> Result<String, WriteError> {
        let bad = |what: &str| WriteError::NotPlainJson(format!("{}: {what}", self.path.display()));
        let before = if self.before.trim().is_empty() { "{}" } else { self.before.as_str() };
        let mut value = Value::Object(self.entry.clone());
        let mut place = before.trim();
        let mut missing = ["plugins", "entries", ENTRY].iter();
        for key in missing.by_ref() {
            match member(place, key) {
                Some(inner) => place = inner,
                None => {
                    // What is below the missing key is made with it.
                    for below in missing.by_ref().rev() {
                        value = Value::Object(Map::from_iter([((*below).to_owned(), value)]));
                    }
                    let (head, tail) = place.split_at_checked(1).ok_or_else(|| bad("it is no object"))?;
                    let comma = if tail.trim_start().starts_with('}') { "\n" } else { "," };
                    let pretty = pretty(&value, 1);
                    let with = format!("{head}\n  \"{key}\": {pretty}{comma}{tail}");
                    return splice(before, place, &with).ok_or_else(|| bad("it cannot be changed in place"));
                }
            }
        }
        splice(before, place, &pretty(&value, 3)).ok_or_else(|| bad("it cannot be changed in place"))
    }
}

/// The text of a member of an object; of several, the last, as the host reads it.
fn member<'a>(object: &'a str, key: &str) -> Option<&'a str> {
    let members: BTreeMap<String, &'a RawValue> = serde_json::from_str(object).ok()?;
    members.get(key).map(|raw| raw.get())
}

/// `whole` with `part`, which is a piece of it, replaced.
fn splice(whole: &str, part: &str, with: &str) -> Option<String> {
    let start = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    let (head, tail) = (whole.get(..start)?, whole.get(start + part.len()..)?);
    let text = format!("{head}{with}{tail}");
    // The result is read before anyone else reads it.
    serde_json::from_str::<Value>(&text).ok().map(|_| text)
}

/// JSON for people, as deep as it stands.
fn pretty(value: &Value, depth: usize) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.replace('\n', &format!("\n{}", "  ".repeat(depth)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

    use super::*;

    fn change(before: &str) -> Result<(String, Option<String>), WriteError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openclaw.json");
        if !before.is_empty() {
            fs::write(&path, before).unwrap();
        }
        let mut entry = PluginEntry::open(&path)?;
        entry.set(&["publicKey"], "pk-1");
        entry.set(&["chat", "enabled"], false);
        let backup = entry.write()?;
        Ok((fs::read_to_string(&path).unwrap(), backup.map(|path| fs::read_to_string(path).unwrap())))
    }

    #[test]
    fn everything_else_stays_byte_for_byte() {
        let before = "{\n  \"z\": 1.50,\n  \"plugins\": { \"slots\": {}, \"entries\": {\"other\": {\"n\": 1e3}, \"clawgauge\": {\"hooks\": {\"a\": 1}, \"config\": {\"secretKey\": \"s\"}}} },\n  \"a\": [1,2]\n}\n";
        let (after, backup) = change(before).unwrap();
        let (head, _) = before.split_once("{\"hooks\"").unwrap();
        assert!(after.starts_with(head) && after.ends_with("} },\n  \"a\": [1,2]\n}\n"), "{after}");
        assert_eq!(backup.as_deref(), Some(before));
        let value: Value = serde_json::from_str(&after).unwrap();
        let entry = &value["plugins"]["entries"]["clawgauge"];
        assert_eq!(entry["hooks"]["a"], 1);
        assert_eq!(entry["config"]["secretKey"], "s");
        assert_eq!(
            (&entry["config"]["publicKey"], &entry["config"]["chat"]["enabled"]),
            (&"pk-1".into(), &false.into())
        );
    }

    #[test]
    fn missing_parts_are_made() {
        for before in [
            "",
            "{}",
            "{\"a\":1}",
            "{\"plugins\":{}}",
            "{\"plugins\": {\"entries\": {} }}",
            "{\"plugins\":{\"entries\":{\"x\":{}}}}",
        ] {
            let (after, _) = change(before).unwrap();
            let value: Value = serde_json::from_str(&after).unwrap();
            assert_eq!(
                value["plugins"]["entries"]["clawgauge"]["config"]["publicKey"], "pk-1",
                "{before}: {after}"
            );
            assert_eq!(value["plugins"]["entries"]["clawgauge"]["enabled"], true);
        }
    }

    #[test]
    fn settings_of_the_old_plugin_are_taken_over() {
        let (after, _) =
            change(r#"{"plugins":{"entries":{"benchgen":{"config":{"mirror":{"publicKey":"pk-m"}}}}}}"#)
                .unwrap();
        let value: Value = serde_json::from_str(&after).unwrap();
        assert_eq!(plugin_config(&value).unwrap()["mirror"]["publicKey"], "pk-m");
        assert!(value["plugins"]["entries"]["benchgen"].is_object());
    }

    #[test]
    fn what_cannot_be_read_is_not_touched() {
        for before in
            ["{ // comment\n}", "[]", "{\"plugins\": 5}", "{\"plugins\":{\"entries\":[]}}", "{\"a\":}"]
        {
            assert!(matches!(change(before), Err(WriteError::NotPlainJson(_))), "{before}");
        }
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openclaw.json");
        fs::write(&path, "{}").unwrap();
        let mut entry = PluginEntry::open(&path).unwrap();
        entry.set(&["publicKey"], "pk-1");
        fs::write(&path, "{\"by\": \"another\"}").unwrap();
        assert!(matches!(entry.write(), Err(WriteError::Changed(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"by\": \"another\"}");
    }
}

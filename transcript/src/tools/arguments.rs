//! Where the arguments of a call keep its command and its path.

use std::borrow::Cow;

use serde_json::Value;

use super::{ToolTable, program, shell};

impl ToolTable {
    /// The shell command in the arguments of a call, under any of [`command_keys`](Self::command_keys).
    ///
    /// A text is given as it is. A list of words is joined to a command line, words with blanks quoted; a list that
    /// only starts a shell (`["bash", "-lc", "npm test"]`) gives what that shell runs. Arguments that are themselves
    /// a text are read as JSON when they hold an object, and are the command otherwise. `None` when there is no such
    /// argument or it is of another type. Ask [`is_shell`](Self::is_shell) first: editors have a `command`, too.
    #[must_use]
    pub fn command<'a>(&self, arguments: &'a Value) -> Option<Cow<'a, str>> {
        match arguments {
            Value::Object(map) => self.command_keys.iter().find_map(|key| command_text(map.get(key)?)),
            Value::Array(_) => command_text(arguments),
            Value::String(text) => match serde_json::from_str::<Value>(text) {
                Ok(nested @ Value::Object(_)) => {
                    self.command(&nested).map(|command| Cow::Owned(command.into_owned()))
                }
                _ => Some(Cow::Borrowed(text)),
            },
            _ => None,
        }
    }

    /// The path in the arguments of a call, under any of [`path_keys`](Self::path_keys).
    #[must_use]
    pub fn path<'a>(&self, arguments: &'a Value) -> Option<&'a str> {
        let map = arguments.as_object()?;
        self.path_keys.iter().find_map(|key| map.get(key)?.as_str())
    }

    /// The argument with this key, or, when it is not there, the one under an alias of the key: asked for `path`, a
    /// call with `file_path` answers.
    #[must_use]
    pub fn argument<'a>(&self, arguments: &'a Value, key: &str) -> Option<&'a Value> {
        let map = arguments.as_object()?;
        if let Some(value) = map.get(key) {
            return Some(value);
        }
        [&self.command_keys, &self.path_keys]
            .into_iter()
            .filter(|keys| keys.iter().any(|alias| alias == key))
            .flatten()
            .find_map(|alias| map.get(alias))
    }
}

fn command_text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Array(items) => {
            let words: Vec<&str> = items.iter().map(Value::as_str).collect::<Option<_>>()?;
            match (program::script(&words), words.as_slice()) {
                (_, []) => None,
                (_, [only]) => Some(Cow::Borrowed(only)),
                (Some((script, [])), _) => Some(script),
                (_, words) => Some(Cow::Owned(
                    words.iter().map(|word| shell::quote(word)).collect::<Vec<_>>().join(" "),
                )),
            }
        }
        _ => None,
    }
}

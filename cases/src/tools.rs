//! The one place that knows which tools run shell commands and under which names arguments go.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use clawgauge_transcript::{ToolKind, ToolTable};
use serde_json::{Map, Value};

/// Which tool and argument names mean the same.
///
/// The default knows the host's own shell tools and the names other harnesses use for them. With
/// [`Aliases::none`] only a tool named exactly `exec` runs commands and only `command` holds them, as in openclaw-edd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aliases {
    /// Tools that run a shell command.
    pub command_tools: BTreeSet<String>,
    /// Argument names that hold the command, the first present wins.
    pub command_keys: Vec<String>,
    /// Argument names that hold a path.
    pub path_keys: Vec<String>,
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&s| s.to_owned()).collect()
}

/// Every suite and every checker begins with it: picking the shells out of the table each time is most of the work of
/// checking a small case.
static STANDARD: LazyLock<Aliases> = LazyLock::new(|| {
    let table = ToolTable::standard();
    let shells = table.kinds.iter().filter(|(_, kind)| **kind == ToolKind::Shell);
    Aliases {
        command_tools: shells.map(|(name, _)| name.clone()).collect(),
        command_keys: table.command_keys.clone(),
        path_keys: table.path_keys.clone(),
    }
});

impl Default for Aliases {
    /// The transcript crate's table of tools. Names are compared exactly, as suites do.
    fn default() -> Self {
        STANDARD.clone()
    }
}

impl Aliases {
    /// No aliases: `exec` with `command`, and each argument under its own name.
    #[must_use]
    pub fn none() -> Self {
        Self {
            command_tools: owned(&["exec"]).into_iter().collect(),
            command_keys: owned(&["command"]),
            path_keys: Vec::new(),
        }
    }

    /// Whether `tool` runs shell commands.
    #[must_use]
    pub fn is_shell(&self, tool: &str) -> bool {
        self.command_tools.contains(tool)
    }

    /// The shell command of a call, if the tool runs commands and one was given. An empty command is none.
    #[must_use]
    pub fn command<'a>(&self, tool: &str, args: &'a Value) -> Option<&'a str> {
        if !self.is_shell(tool) {
            return None;
        }
        let args = args.as_object()?;
        self.command_keys
            .iter()
            .find_map(|key| args.get(key).and_then(Value::as_str))
            .filter(|command| !command.is_empty())
    }

    /// The argument `key` of a call, under its own name or, if that is not there, under an alias.
    pub(crate) fn argument<'a>(
        &self,
        args: &'a Map<String, Value>,
        key: &str,
    ) -> Option<(&'a str, &'a Value)> {
        if let Some((name, value)) = args.get_key_value(key) {
            return Some((name.as_str(), value));
        }
        [&self.command_keys, &self.path_keys]
            .into_iter()
            .filter(|family| family.iter().any(|k| k == key))
            .flatten()
            .find_map(|alias| args.get_key_value(alias))
            .map(|(name, value)| (name.as_str(), value))
    }
}

//! The one table of tools: what kind a tool is, which names mean the same tool, where a call keeps its command.

mod answer;
mod arguments;
mod effect;
mod names;
mod program;
mod shell;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

pub use answer::exit_code_answers;
pub use names::ToolName;
pub use shell::{ShellCommand, shell_commands};

/// What a tool is for, from its name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolKind {
    /// Runs a shell command (`exec`, `bash`, ...).
    Shell,
    /// Looks after a command that runs in the background (`process`, `write_stdin`, ...).
    Process,
    /// Runs code that is no shell command (`python`, `code_interpreter`, ...).
    Code,
    /// Reads a file, a list, a record.
    Read,
    /// Searches: files, memory, the web.
    Search,
    /// Fetches a known address.
    Fetch,
    /// Drives a browser: reads or changes by its action.
    Browser,
    /// Writes a whole file.
    Write,
    /// Changes a part of a file.
    Edit,
    /// Changes something else: books, cancels, deletes, ...
    Change,
    /// Sends a message to people or to another session.
    Message,
    /// Starts another agent.
    Spawn,
    /// Asks the person.
    Ask,
    /// Keeps a plan or a list of things to do; thinks aloud.
    Plan,
    /// Finds or calls other tools (`tool_search`, `tool_call`): never the work itself.
    Meta,
    /// Nothing the name tells.
    Other,
}

impl ToolKind {
    /// Whether a tool of this kind changes files or the world by its nature. Shell and browser calls are judged one by
    /// one: see [`ToolTable::effect`].
    #[must_use]
    pub fn is_changing(self) -> bool {
        matches!(self, Self::Write | Self::Edit | Self::Change | Self::Message)
    }

    /// Whether a tool of this kind only looks.
    #[must_use]
    pub fn is_reading(self) -> bool {
        matches!(self, Self::Read | Self::Search | Self::Fetch)
    }
}

/// What one call does. For a shell call the first that any of its commands does, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// Checks work: tests, linters, type checkers.
    Test,
    /// Changes files or the world.
    Change,
    /// Only looks.
    Read,
    /// Runs something of which no more is known.
    Run,
    /// Neither: plans, asks, manages tools, or cannot be told.
    Other,
}

/// Names of tools and arguments that mean the same, and what kind each tool is.
///
/// The default knows the names that OpenClaw and other agents use; a user adds rows. Names are compared by their words
/// (case, separators and an MCP prefix do not matter: see [`ToolName`]); argument keys are compared exactly, in order.
///
/// ```
/// use clawgauge_transcript::{Effect, ToolKind, ToolTable};
/// use serde_json::json;
///
/// let tools = ToolTable::standard();
/// assert_eq!(tools.kind("mcp__files__read_file"), ToolKind::Read);
/// assert_eq!(tools.canonical("bash"), "exec");
/// assert_eq!(tools.command(&json!({"cmd": ["npm", "test"]})).as_deref(), Some("npm test"));
/// assert_eq!(tools.effect("bash", &json!({"command": "cd app && npm test"})), Effect::Test);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ToolTable {
    /// Kind by name, words joined with `_`: `run_command`.
    pub kinds: BTreeMap<String, ToolKind>,
    /// Canonical name by alias, both with words joined by `_`: `bash` is `exec`.
    pub aliases: BTreeMap<String, String>,
    /// Argument keys that hold a shell command; the first that is there counts.
    pub command_keys: Vec<String>,
    /// Argument keys that hold the path of a file or folder; the first that is there counts.
    pub path_keys: Vec<String>,
    /// Whether names outside `kinds` are judged by their words (`get_order` reads, `cancel_order` changes).
    pub by_words: bool,
}

impl Default for ToolTable {
    fn default() -> Self {
        let mut table = Self {
            kinds: BTreeMap::new(),
            aliases: BTreeMap::new(),
            command_keys: strings(&[
                "command",
                "cmd",
                "script",
                "shell_command",
                "shellCommand",
                "command_line",
            ]),
            path_keys: strings(&[
                "path",
                "file_path",
                "filePath",
                "file",
                "filename",
                "file_name",
                "fileName",
                "filepath",
                "target_file",
                "absolute_path",
                "notebook_path",
            ]),
            by_words: true,
        };
        for (kind, canonical, aliases) in names::TABLE {
            for name in aliases.iter().chain([canonical]) {
                table.kinds.insert((*name).to_owned(), *kind);
            }
            for alias in *aliases {
                table.aliases.insert((*alias).to_owned(), (*canonical).to_owned());
            }
        }
        for (kind, alone) in names::WITHOUT_ALIASES {
            for name in *alone {
                table.kinds.insert((*name).to_owned(), *kind);
            }
        }
        table
    }
}

impl ToolTable {
    /// The default table, made once.
    #[must_use]
    pub fn standard() -> &'static Self {
        static STANDARD: LazyLock<ToolTable> = LazyLock::new(ToolTable::default);
        &STANDARD
    }

    /// A table without aliases, as openclaw-edd reads: only `exec` is a shell, only `command` its command, only `path`
    /// a path, and names say nothing by their words.
    #[must_use]
    pub fn exact() -> Self {
        Self {
            kinds: names::TABLE.iter().map(|(kind, name, _)| ((*name).to_owned(), *kind)).collect(),
            aliases: BTreeMap::new(),
            command_keys: strings(&["command"]),
            path_keys: strings(&["path"]),
            by_words: false,
        }
    }

    /// The kind of the tool with this name. O(length of the name).
    #[must_use]
    pub fn kind(&self, name: &str) -> ToolKind {
        if let Some(kind) = self.kinds.get(name).filter(|_| names::is_one_word(name)) {
            return *kind;
        }
        let name = ToolName::parse(name);
        if let Some(kind) = self.kind_of_known(&name) {
            return kind;
        }
        if self.by_words { names::kind_by_words(name.words()) } else { ToolKind::Other }
    }

    /// Whether the tool runs shell commands.
    #[must_use]
    pub fn is_shell(&self, name: &str) -> bool {
        self.kind(name) == ToolKind::Shell
    }

    /// Whether the tool brings back documents for the model: searches, look-ups in memory or an index, web pages.
    /// This is what tracing back ends call a retriever; reading a file is not meant.
    #[must_use]
    pub fn is_retrieval(&self, name: &str) -> bool {
        let parsed = ToolName::parse(name);
        let words = parsed.words();
        // A lone noun that could be a verb (`index`, `embed`) names what is looked into.
        let changes = self.kind(name).is_changing() && words.len() > 1;
        !changes && names::is_retrieval(words)
    }

    /// The one name for all aliases of a tool, as OpenClaw calls it; other names are given back as they are.
    ///
    /// ```
    /// # use clawgauge_transcript::ToolTable;
    /// assert_eq!(ToolTable::standard().canonical("Run-Command"), "exec");
    /// assert_eq!(ToolTable::standard().canonical("get_order"), "get_order");
    /// ```
    #[must_use]
    pub fn canonical<'a>(&'a self, name: &'a str) -> &'a str {
        if self.aliases.is_empty() {
            return name;
        }
        let joined = if names::is_one_word(name) {
            Cow::Borrowed(name)
        } else {
            Cow::Owned(ToolName::parse(name).joined())
        };
        if let Some(canonical) = self.aliases.get(&*joined) {
            return canonical;
        }
        match self.aliases.values().find(|canonical| **canonical == *joined) {
            Some(canonical) => canonical,
            None => name,
        }
    }

    /// Whether two names mean the same tool.
    #[must_use]
    pub fn same_tool(&self, one: &str, other: &str) -> bool {
        self.canonical(one) == self.canonical(other)
    }

    fn kind_of_known(&self, name: &ToolName<'_>) -> Option<ToolKind> {
        if let Some(kind) = self.kinds.get(&name.joined()) {
            return Some(*kind);
        }
        // A server often repeats its name in its tools: `terminal__terminal_execute_bash`.
        let words = name.words();
        let servers: BTreeSet<String> =
            name.server().map(names::words_of).unwrap_or_default().into_iter().collect();
        let start = words.iter().position(|word| !servers.contains(word))?;
        if start == 0 || !self.by_words {
            return None;
        }
        self.kinds.get(&words.get(start..)?.join("_")).copied()
    }
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

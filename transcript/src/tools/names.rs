//! Names of tools: their words, the known ones, and what the words of unknown ones tell.

use super::ToolKind;

/// Kind, the canonical name (OpenClaw's, where it has one), and the names that mean the same.
pub(super) const TABLE: &[(ToolKind, &str, &[&str])] = &[
    (
        ToolKind::Shell,
        "exec",
        &[
            "bash",
            "shell",
            "sh",
            "zsh",
            "fish",
            "powershell",
            "pwsh",
            "cmd",
            "terminal",
            "console",
            "command",
            "run_command",
            "run_cmd",
            "run_shell",
            "run_bash",
            "run_shell_command",
            "run_bash_command",
            "run_terminal",
            "run_terminal_cmd",
            "run_terminal_command",
            "run_in_terminal",
            "execute_bash",
            "execute_command",
            "execute_shell",
            "execute_shell_command",
            "execute_bash_command",
            "exec_command",
            "exec_shell",
            "exec_bash",
            "shell_command",
            "shell_exec",
            "shell_execute",
            "bash_command",
            "bash_tool",
            "shell_tool",
            "local_shell",
            "terminal_exec",
            "terminal_command",
            "container_exec",
            "system_run",
        ],
    ),
    (
        ToolKind::Process,
        "process",
        &["bash_output", "kill_bash", "kill_shell", "shell_output", "write_stdin", "get_terminal_output"],
    ),
    (
        ToolKind::Read,
        "read",
        &[
            "read_file",
            "view",
            "view_file",
            "open_file",
            "cat",
            "get_file",
            "get_file_contents",
            "file_read",
            "fs_read",
        ],
    ),
    (ToolKind::Read, "ls", &["list_dir", "list_directory", "list_files", "dir"]),
    (
        ToolKind::Write,
        "write",
        &["write_file", "write_to_file", "create_file", "save_file", "file_write", "fs_write"],
    ),
    (
        ToolKind::Edit,
        "edit",
        &[
            "edit_file",
            "file_edit",
            "multi_edit",
            "str_replace",
            "str_replace_editor",
            "str_replace_based_edit_tool",
            "str_replace_edit",
            "search_replace",
            "replace_in_file",
            "find_and_replace",
            "notebook_edit",
            "editor",
        ],
    ),
    (ToolKind::Edit, "apply_patch", &["apply_diff", "patch_file"]),
    (ToolKind::Search, "grep", &["rg", "ripgrep", "grep_search", "search_files"]),
    (ToolKind::Search, "find", &["glob", "find_files", "file_search", "glob_file_search"]),
    (ToolKind::Search, "web_search", &["websearch", "search_web", "google_search"]),
    (ToolKind::Fetch, "web_fetch", &["webfetch", "fetch_url", "fetchurl", "fetch", "url_fetch", "read_url"]),
    (ToolKind::Message, "message", &["send_message", "reply", "send_reply"]),
    (
        ToolKind::Spawn,
        "sessions_spawn",
        &["spawn_agent", "spawn_subagent", "task", "dispatch_agent", "run_subagent"],
    ),
    (
        ToolKind::Ask,
        "ask_user",
        &[
            "ask",
            "ask_user_question",
            "ask_followup_question",
            "ask_question",
            "ask_human",
            "request_user_input",
        ],
    ),
    (ToolKind::Plan, "update_plan", &["todo", "todo_write", "todo_read", "write_todos", "plan", "set_plan"]),
];

/// Kinds of names that have no other spelling here.
pub(super) const WITHOUT_ALIASES: &[(ToolKind, &[&str])] = &[
    (
        ToolKind::Code,
        &[
            "python",
            "python3",
            "ipython",
            "jupyter",
            "node",
            "node_repl",
            "repl",
            "execute_code",
            "run_code",
            "execute_python",
            "run_python",
            "python_exec",
            "code_interpreter",
            "code_execution",
            "calculate",
            "calculator",
        ],
    ),
    (
        ToolKind::Read,
        &[
            "sessions_list",
            "sessions_history",
            "session_status",
            "agents_list",
            "memory_get",
            "image",
            "pdf",
            "read_image",
            "view_image",
        ],
    ),
    (ToolKind::Search, &["memory_search", "codebase_search", "rag", "rag_query"]),
    (ToolKind::Browser, &["browser", "computer", "playwright", "puppeteer"]),
    (ToolKind::Message, &["sessions_send"]),
    (ToolKind::Spawn, &["subagents", "agent", "delegate"]),
    (ToolKind::Plan, &["think", "thinking", "sequential_thinking"]),
    (
        ToolKind::Meta,
        &[
            "tool_call",
            "tool_search",
            "tool_search_code",
            "tool_describe",
            "list_tools",
            "search_tools",
            "finish",
        ],
    ),
];

/// A tool's name, split into an MCP server and words.
///
/// `mcp__server__tool`, `server__tool` and `server.tool` name a server; words are split at anything that is no letter
/// or digit and at the humps of camel case, and lower-cased: `WebSearch`, `web-search` and `web_search` are the same.
///
/// ```
/// use clawgauge_transcript::ToolName;
///
/// let name = ToolName::parse("mcp__github__createIssue");
/// assert_eq!((name.server(), name.tool()), (Some("github"), "createIssue"));
/// assert_eq!(name.words(), ["create", "issue"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolName<'a> {
    server: Option<&'a str>,
    tool: &'a str,
    words: Vec<String>,
}

impl<'a> ToolName<'a> {
    /// Splits any name; never fails. O(n).
    #[must_use]
    pub fn parse(name: &'a str) -> Self {
        let trimmed = name.trim();
        let rest = trimmed.strip_prefix("mcp__").unwrap_or(trimmed);
        let split = rest.split_once("__").or_else(|| rest.rsplit_once('.'));
        let (server, tool) = match split {
            Some((server, tool)) if !server.is_empty() && !tool.is_empty() => (Some(server), tool),
            _ => (None, rest),
        };
        Self { server, tool, words: words_of(tool) }
    }

    /// The MCP server or name space, when the name has one.
    #[must_use]
    pub fn server(&self) -> Option<&'a str> {
        self.server
    }

    /// The name without the server.
    #[must_use]
    pub fn tool(&self) -> &'a str {
        self.tool
    }

    /// The words of the name without the server, lower-cased.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    pub(super) fn joined(&self) -> String {
        self.words.join("_")
    }
}

/// Whether a name is one word as it stands: then it is its own [`joined`](ToolName::joined) form. Most names are.
pub(super) fn is_one_word(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut chars = name.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(c) = chars.next() {
        if !c.is_alphanumeric() {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            before = None;
            continue;
        }
        let hump = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase() || (b.is_uppercase() && chars.peek().is_some_and(|n| n.is_lowercase()))
            });
        if hump && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        word.extend(c.to_lowercase());
        before = Some(c);
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Verbs that only look.
const READS: &[&str] = &[
    "read",
    "get",
    "list",
    "view",
    "show",
    "display",
    "cat",
    "check",
    "describe",
    "inspect",
    "count",
    "browse",
    "load",
    "status",
    "info",
    "details",
    "history",
    "head",
    "tail",
    "stat",
    "diff",
    "compare",
    "verify",
    "validate",
    "monitor",
    "watch",
    "peek",
    "preview",
    "summarize",
    "is",
    "has",
];

/// Verbs that search; a reader of another kind.
const SEARCHES: &[&str] = &[
    "search",
    "find",
    "query",
    "lookup",
    "look",
    "retrieve",
    "retrieval",
    "recall",
    "grep",
    "glob",
    "rag",
    "searcher",
    "filter",
    "scan",
];

/// Verbs that bring something from a known address.
const FETCHES: &[&str] = &["fetch", "download", "crawl", "scrape", "curl"];

/// Verbs that change, and are hardly ever nouns.
const CHANGES: &[&str] = &[
    "write",
    "edit",
    "create",
    "delete",
    "remove",
    "modify",
    "add",
    "insert",
    "append",
    "replace",
    "apply",
    "send",
    "rename",
    "upload",
    "cancel",
    "enable",
    "disable",
    "toggle",
    "reboot",
    "resume",
    "suspend",
    "install",
    "uninstall",
    "deploy",
    "publish",
    "push",
    "merge",
    "save",
    "submit",
    "assign",
    "disconnect",
    "connect",
    "grant",
    "revoke",
    "reseat",
    "refuel",
    "pay",
    "refund",
    "approve",
    "reject",
    "close",
    "archive",
    "restore",
    "start",
    "stop",
    "restart",
    "put",
    "unset",
    "clear",
    "drop",
    "upsert",
    "store",
    "migrate",
    "import",
    "sync",
    "trigger",
    "kill",
    "terminate",
    "reindex",
    "make",
    "move",
    "buy",
    "sell",
    "register",
    "unregister",
    "subscribe",
    "unsubscribe",
    "overwrite",
    "increment",
];

/// Changing verbs that are as often nouns: at the front of a name that ends in a reading verb they are nouns
/// (`book_search`), else verbs.
const CHANGES_OR_NOUNS: &[&str] = &[
    "update", "set", "post", "patch", "commit", "return", "transfer", "exchange", "book", "copy", "mark",
    "schedule", "reset", "index", "order", "embed", "note", "log", "tag", "label", "comment", "react", "pin",
    "rate", "format",
];

const MESSAGES: &[&str] = &["message", "messages", "email", "mail", "sms", "dm", "notification", "reply"];

fn has(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}

fn reading_kind(word: &str) -> Option<ToolKind> {
    if has(READS, word) {
        Some(ToolKind::Read)
    } else if has(SEARCHES, word) {
        Some(ToolKind::Search)
    } else if has(FETCHES, word) {
        Some(ToolKind::Fetch)
    } else {
        None
    }
}

fn changing_kind(word: &str, words: &[String]) -> Option<ToolKind> {
    let sends = matches!(word, "send" | "post" | "forward") && words.iter().any(|word| has(MESSAGES, word));
    if sends {
        Some(ToolKind::Message)
    } else if has(CHANGES, word) || has(CHANGES_OR_NOUNS, word) {
        let file =
            words.iter().any(|word| matches!(word.as_str(), "file" | "files" | "notebook" | "cell" | "code"));
        match word {
            "write" | "create" | "save" | "overwrite" if file => Some(ToolKind::Write),
            "edit" | "replace" | "insert" | "append" | "patch" if file => Some(ToolKind::Edit),
            _ => Some(ToolKind::Change),
        }
    } else {
        None
    }
}

/// What the words of an unknown name tell: the first verb, with three exceptions for names that hold two.
pub(super) fn kind_by_words(words: &[String]) -> ToolKind {
    let verb = words.iter().enumerate().find_map(|(at, word)| {
        let kind = reading_kind(word).or_else(|| changing_kind(word, words))?;
        Some((at, word.as_str(), kind))
    });
    let Some((at, word, kind)) = verb else {
        return if words.iter().any(|word| matches!(word.as_str(), "semantic" | "vector" | "knowledge")) {
            ToolKind::Search
        } else {
            ToolKind::Other
        };
    };
    let later = words.get(at + 1..).unwrap_or_default();
    if kind.is_reading() {
        // `find_and_replace`, `get_or_create`, `search_replace`: the later verb is what it does.
        let joined =
            later.windows(2).find(|pair| matches!(pair, [joint, _] if joint == "and" || joint == "or"));
        let second = match joined {
            Some([_, second]) => changing_kind(second, words),
            _ => None,
        };
        let replaces = kind == ToolKind::Search && later.iter().any(|word| word == "replace");
        return match second {
            Some(second) => second,
            None if replaces => ToolKind::Edit,
            None => kind,
        };
    }
    if has(CHANGES_OR_NOUNS, word)
        && let Some(last) = later.last()
        && let Some(reading) = reading_kind(last)
    {
        return reading;
    }
    kind
}

/// Words that name retrieval of documents, whole words only: neither `findings` nor `storage`.
pub(super) fn is_retrieval(words: &[String]) -> bool {
    let any = |list: &[&str]| words.iter().any(|word| has(list, word));
    let retrieves = any(&[
        "search",
        "websearch",
        "retrieve",
        "retriever",
        "retrieval",
        "rag",
        "vector",
        "embed",
        "embedding",
        "embeddings",
        "semantic",
        "lookup",
        "recall",
        "knowledge",
        "grep",
        "find",
        "webfetch",
        "fetchurl",
    ]);
    let remembers = any(&["memory", "memories"]) && words.iter().any(|word| reading_kind(word).is_some());
    let fetches = any(&["fetch"]) && any(&["web", "url", "page"]);
    // An index that is looked into, not a file that is being indexed.
    let index = words.last().is_some_and(|word| word == "index");
    retrieves || remembers || fetches || index
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn one_word_is_its_own_form(name in "[a-z0-9_.A-Z -]{0,3}[a-z0-9]{0,8}") {
            if is_one_word(&name) {
                prop_assert_eq!(ToolName::parse(&name).joined(), name);
            }
        }
    }
}

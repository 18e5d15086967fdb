//! Which actions a shell command stands for.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

use crate::json::Json;

/// Action names in table order, each with the patterns of which one must be found.
type Rows = Vec<(String, Vec<Regex>)>;

const EDD: [(&str, &[&str]); 11] = [
    (
        "health_check",
        &[r"check_health", r"health\.sh", r"/health", r"systemctl.*status", r"service.*status", r"ping\s"],
    ),
    (
        "metric_query",
        &[
            r"curl.*metric",
            r"prometheus.*query",
            r"/api/v1/query",
            r"wttr\.in",
            r"open-meteo",
            r"api.*weather",
        ],
    ),
    ("log_analysis", &[r"tail.*log", r"\bgrep\b.*error", r"analyze.*log", r"journalctl", r"dmesg"]),
    ("database_operation", &[r"mysql\s+-", r"psql\s+-", r"mongo\s", r"redis-cli", r"mysqladmin", r"ceresdb"]),
    (
        "list_files",
        &[r"\bls\b", r"\bfind\b", r"\btree\b", r"\bdir\b", r"os\.listdir", r"glob\.glob", r"\.iterdir\("],
    ),
    ("count_items", &[r"\bwc\b", r"\bcount\b", r"\blen\(", "统计", r"num_files", r"total.*files"]),
    ("file_read", &[r"\bcat\b", r"\bhead\b", r"\btail\b", r"\bless\b", r#"open\(.*['"]r"#, r"read_file"]),
    ("file_write", &[r"\btee\b", r">>\s", r"\bsed\b.*-i", r#"open\(.*['"]w"#, r"write_file"]),
    ("http_request", &[r"\bcurl\b", r"\bwget\b", r"requests\.(?:get|post)", r"http\.client", r"urllib"]),
    (
        "process_management",
        &[r"\bkill\b", r"\bpkill\b", r"\bps\b.*aux", r"systemctl\s+(?:start|stop|restart)"],
    ),
    ("weather_query", &[r"wttr\.in", r"open-meteo", r"weather", r"forecast"]),
];

/// Rows of our own table that differ: anchored where the original matches prose, wider where it misses a command.
const OURS: [(&str, &[&str]); 9] = [
    (
        "health_check",
        &[
            r"check_health",
            r"health\.sh",
            r"/health",
            r"\bsystemctl\b.*\bstatus\b",
            r"\bservice\b.*\bstatus\b",
            r"\bping\s",
        ],
    ),
    ("log_analysis", &[r"\btail\b.*log", r"\bgrep\b.*error", r"(?s)analyze.*log", r"journalctl", r"dmesg"]),
    (
        "database_operation",
        &[r"\bmysql\b", r"\bpsql\b", r"\bmongo(?:sh)?\b", r"redis-cli", r"mysqladmin", r"ceresdb"],
    ),
    (
        "list_files",
        &[
            r"\bls\b",
            r"\bfind\b",
            r"\btree\b",
            r"\bdir(?:\s|$)",
            r"os\.listdir",
            r"glob\.glob",
            r"\.iterdir\(",
        ],
    ),
    ("count_items", &[r"\bwc\b", r"\bcount(?:\s*$|\()", r"\blen\(", "统计", r"num_files"]),
    (
        "file_write",
        &[r"\btee\b", r"[^>&0-9=-]\s*>{1,2}\s*[^>&\s]", r"\bsed\b.*\s-i", r#"open\(.*['"]w"#, r"write_file"],
    ),
    (
        "process_management",
        &[
            r"\bkill\b",
            r"\bkillall\b",
            r"\bpkill\b",
            r"\bps\s+-?[a-z]*[aefux]",
            r"\bsystemctl\s+(?:start|stop|restart)",
        ],
    ),
    ("file_delete", &[r"\brm\b", r"\brmdir\b", r"\bunlink\b", r"\bshred\b"]),
    ("weather_query", &[r"wttr\.in", r"open-meteo", r"/weather", r"/forecast", r"^\W*weather\W*$"]),
];

/// Why a pattern file cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternFault {
    /// The file holds no object of lists of texts.
    Shape,
    /// One pattern is no regular expression.
    Pattern,
}

/// A table of actions.
#[derive(Clone, Debug)]
pub(crate) struct ActionTable {
    rows: Rows,
    dotted_i: bool,
}

fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).case_insensitive(true).size_limit(1 << 20).build().ok()
}

fn rows(table: &[(&str, &[&str])]) -> Rows {
    table
        .iter()
        .map(|(name, patterns)| ((*name).to_owned(), patterns.iter().filter_map(|p| compile(p)).collect()))
        .collect()
}

static EDD_TABLE: LazyLock<ActionTable> = LazyLock::new(|| ActionTable { rows: rows(&EDD), dotted_i: true });

static OUR_TABLE: LazyLock<ActionTable> = LazyLock::new(|| {
    let mut table = rows(&EDD);
    for (name, patterns) in rows(&OURS) {
        match table.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = patterns,
            None => table.push((name, patterns)),
        }
    }
    ActionTable { rows: table, dotted_i: false }
});

impl ActionTable {
    /// The original's table.
    pub(crate) fn edd() -> &'static Self {
        &EDD_TABLE
    }

    /// Our own table.
    pub(crate) fn ours() -> &'static Self {
        &OUR_TABLE
    }

    /// The table with the entries of a pattern file: an entry replaces the action of the same name.
    pub(crate) fn with_file(&self, file: &Json, letters: bool) -> Result<Self, PatternFault> {
        let mut table = self.clone();
        if *file == Json::Null {
            return Ok(table);
        }
        for (name, value) in file.as_object().ok_or(PatternFault::Shape)? {
            let texts: Vec<String> = match value {
                Json::String(s) if letters => s.chars().map(String::from).collect(),
                Json::String(s) => vec![s.clone()],
                Json::Array(items) => items
                    .iter()
                    .map(|i| i.as_str().map(str::to_owned).ok_or(PatternFault::Shape))
                    .collect::<Result<_, _>>()?,
                _ => return Err(PatternFault::Shape),
            };
            let patterns = texts
                .iter()
                .map(|t| compile(t).ok_or(PatternFault::Pattern))
                .collect::<Result<Vec<_>, _>>()?;
            match table.rows.iter_mut().find(|(known, _)| known == name) {
                Some((_, old)) => *old = patterns,
                None => table.rows.push((name.clone(), patterns)),
            }
        }
        Ok(table)
    }

    /// Whether any row has that name.
    pub(crate) fn knows(&self, action: &str) -> bool {
        action == "unknown" || self.rows.iter().any(|(name, _)| name == action)
    }

    /// The actions of a command in table order; `unknown` if there is none.
    pub(crate) fn classify(&self, command: &str) -> Vec<String> {
        let folded;
        // Python's ignore-case equates i with the dotted capital and the dotless small one.
        let command = if self.dotted_i && command.contains(['\u{130}', '\u{131}']) {
            folded = command.replace(['\u{130}', '\u{131}'], "i");
            &folded
        } else {
            command
        };
        let found: Vec<String> = self
            .rows
            .iter()
            .filter(|(_, patterns)| patterns.iter().any(|p| p.is_match(command)))
            .map(|(name, _)| name.clone())
            .collect();
        if found.is_empty() { vec!["unknown".to_owned()] } else { found }
    }
}

/// The actions of a command in the order of the text, each where it is first found.
pub(crate) fn in_text_order(table: &ActionTable, command: &str) -> Vec<String> {
    let mut found: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for (row, (name, patterns)) in table.rows.iter().enumerate() {
        if let Some(at) = patterns.iter().filter_map(|p| p.find(command)).map(|m| m.start()).min() {
            found.insert((at, row), name.clone());
        }
    }
    if found.is_empty() { vec!["unknown".to_owned()] } else { found.into_values().collect() }
}

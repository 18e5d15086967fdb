//! What a call does, and to what.

use std::collections::BTreeSet;

use clawgauge_transcript::{Effect, ToolCall, ToolKind, shell_commands};
use serde_json::{Map, Value};

use super::error::Reading;
use super::json;
use crate::rules::{Matchers, Rules};

/// How many names are kept of one call.
const MAX_NAMES: usize = 64;

/// What is known of one call.
#[derive(Debug, Clone)]
pub(crate) struct CallFacts {
    pub(crate) kind: ToolKind,
    pub(crate) effect: Effect,
    /// Tool and arguments as one text: equal for calls that are the same.
    pub(crate) key: String,
    pub(crate) reading: Reading,
    /// It looks after a command in the background.
    pub(crate) polls: bool,
    /// It waits (`sleep 5 && ...`).
    pub(crate) waits: bool,
    /// What it changes: files, ids and other names, lower case; of a path also its last part.
    pub(crate) targets: BTreeSet<String>,
    /// What it reads, in the same form.
    pub(crate) reads: BTreeSet<String>,
    /// What it runs.
    pub(crate) runs: BTreeSet<String>,
    /// It runs tests or checks.
    pub(crate) tests: bool,
    /// It lists a folder.
    pub(crate) lists: bool,
    /// The programs that look (`git status`) or change (`git commit`) without naming what.
    pub(crate) programs: BTreeSet<String>,
}

impl CallFacts {
    /// `O(length of the arguments)`.
    pub(crate) fn new(rules: &Rules, matchers: &Matchers, call: &ToolCall<'_>, flags_are_set: bool) -> Self {
        let arguments = json::decode(call.arguments);
        let kind = rules.tools.kind(&call.name);
        let effect = rules.tools.effect(&call.name, &arguments);
        let mut key = rules.tools.canonical(&call.name).to_owned();
        key.push(' ');
        key.push_str(&json::canonical(call.arguments, &arguments));
        let mut facts = Self {
            kind,
            effect,
            key,
            reading: Reading::of(matchers, call, flags_are_set),
            polls: call.polls_of.is_some() || kind == ToolKind::Process,
            waits: false,
            targets: BTreeSet::new(),
            reads: BTreeSet::new(),
            runs: BTreeSet::new(),
            tests: effect == Effect::Test,
            lists: false,
            programs: BTreeSet::new(),
        };
        if kind == ToolKind::Shell {
            let command = rules.tools.command(&arguments).unwrap_or_default();
            facts.read_commands(rules, &command);
        } else {
            let names = names_in_arguments(rules, kind, &arguments);
            match effect {
                Effect::Change => facts.targets = names,
                Effect::Read => facts.reads = names,
                _ => facts.runs = names,
            }
        }
        facts
    }

    /// Whether it changed something: a changing call that ran and did not fail. Messages to people are not among them: they
    /// cannot be read back.
    pub(crate) fn changed(&self) -> bool {
        self.effect == Effect::Change && self.kind != ToolKind::Message && self.reading.is_ok()
    }

    fn read_commands(&mut self, rules: &Rules, line: &str) {
        for command in shell_commands(line) {
            let text = line.get(command.range.clone()).unwrap_or_default();
            let effect = rules.tools.command_effect(text);
            let program = command.words.first().map_or("", String::as_str);
            let program = program.rsplit('/').next().unwrap_or(program).to_lowercase();
            match program.as_str() {
                "sleep" | "wait" => self.waits = true,
                "ls" | "ll" | "find" | "tree" | "fd" | "dir" | "stat" => self.lists = true,
                _ => {}
            }
            let names = match effect {
                Effect::Change => &mut self.targets,
                Effect::Read => &mut self.reads,
                Effect::Test | Effect::Run => &mut self.runs,
                _ => continue,
            };
            if effect == Effect::Change && !command.writes_to.is_empty() {
                // What is printed into a file is content, not a name.
                command.writes_to.iter().for_each(|target| add_name(names, target));
                continue;
            }
            if effect == Effect::Run {
                add_name(names, command.words.first().map_or("", String::as_str));
            }
            for word in command.words.iter().skip(1) {
                add_word(names, word);
            }
            self.programs.insert(program);
        }
    }
}

/// A word of a command: what it names, when it is no option.
fn add_word(names: &mut BTreeSet<String>, word: &str) {
    if let Some((_, value)) = word.split_once('=').filter(|_| word.starts_with('-')) {
        add_name(names, value);
    } else if !word.starts_with('-') {
        // An argument that is code or a sentence names what stands in it.
        let parts = word.split(|c: char| c.is_whitespace() || "'\"(),;:|&<>`{}[]".contains(c));
        parts.take(MAX_NAMES).for_each(|part| add_name(names, part));
    }
}

/// Keeps a name and, of a path, its last part.
fn add_name(names: &mut BTreeSet<String>, name: &str) {
    let name =
        name.trim().trim_matches(['"', '\'']).trim_start_matches("./").trim_end_matches('/').to_lowercase();
    let last = name.rsplit(['/', '\\']).next().unwrap_or(&name);
    for part in [last, &name] {
        if part.len() >= 2 && part != ".." && !part.starts_with("/dev/") && names.len() < MAX_NAMES {
            names.insert(part.to_owned());
        }
    }
}

/// What the arguments of a tool that is no shell name.
fn names_in_arguments(rules: &Rules, kind: ToolKind, arguments: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    if let Some(path) = rules.tools.path(arguments) {
        add_name(&mut names, path);
    }
    if matches!(kind, ToolKind::Write | ToolKind::Edit) {
        for path in patched_files(arguments) {
            add_name(&mut names, &path);
        }
        return names;
    }
    for value in arguments.as_object().into_iter().flat_map(Map::values) {
        match value {
            Value::String(text) if text.len() <= 200 => add_name(&mut names, text),
            Value::Number(number) => add_name(&mut names, &json::number_text(number)),
            Value::Array(items) => {
                for text in items.iter().filter_map(Value::as_str) {
                    add_name(&mut names, text);
                }
            }
            _ => {}
        }
    }
    names
}

/// The files that a patch in the arguments names.
fn patched_files(arguments: &Value) -> Vec<String> {
    let texts: Vec<&str> = match arguments {
        Value::Object(map) => {
            ["patch", "input", "diff"].iter().filter_map(|key| map.get(*key)?.as_str()).collect()
        }
        Value::String(text) => vec![text],
        _ => Vec::new(),
    };
    let marks =
        ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/", "+++ "];
    let lines = texts.iter().flat_map(|text| text.lines());
    lines
        .filter_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark)))
        .map(|path| path.trim().to_owned())
        .collect()
}

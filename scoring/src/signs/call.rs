//! What a call does, and to what.

use clawgauge_transcript::{Effect, ShellCommand, ToolCall, ToolKind, shell_commands};
use hashbrown::HashMap;
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
    /// A number for tool and arguments: equal for calls of a session that are the same.
    pub(crate) key: usize,
    pub(crate) reading: Reading,
    /// It looks after a command in the background.
    pub(crate) polls: bool,
    /// It waits (`sleep 5 && ...`).
    pub(crate) waits: bool,
    /// What it changes: files, ids and other names, lower case; of a path also its last part.
    pub(crate) targets: Names,
    /// What it reads, in the same form.
    pub(crate) reads: Names,
    /// What it runs.
    pub(crate) runs: Names,
    /// It runs tests or checks.
    pub(crate) tests: bool,
    /// It lists a folder.
    pub(crate) lists: bool,
    /// The programs that look (`git status`) or change (`git commit`) without naming what.
    pub(crate) programs: Vec<String>,
}

/// Reads the calls of one session: each tool's name is looked up once, and equal calls get equal numbers.
pub(crate) struct CallReader<'s> {
    rules: &'s Rules,
    matchers: &'s Matchers,
    flags_are_set: bool,
    tools: HashMap<&'s str, Tool<'s>>,
    keys: HashMap<String, usize>,
    /// Tool and arguments of the call that is read.
    key: String,
}

#[derive(Clone, Copy)]
struct Tool<'s> {
    kind: ToolKind,
    canonical: &'s str,
}

impl<'s> CallReader<'s> {
    pub(crate) fn new(rules: &'s Rules, matchers: &'s Matchers, flags_are_set: bool) -> Self {
        Self {
            rules,
            matchers,
            flags_are_set,
            tools: HashMap::new(),
            keys: HashMap::new(),
            key: String::new(),
        }
    }

    /// `O(length of the arguments)`.
    pub(crate) fn read(&mut self, call: &'s ToolCall<'_>) -> CallFacts {
        let tools = &self.rules.tools;
        let name: &'s str = &call.name;
        let look_up = || Tool { kind: tools.kind(name), canonical: tools.canonical(name) };
        let Tool { kind, canonical } = *self.tools.entry(name).or_insert_with(look_up);
        let arguments = json::decode(call.arguments);
        let mut facts = CallFacts {
            kind,
            effect: Effect::Run,
            key: self.key(canonical, call, &arguments),
            reading: Reading::of(self.matchers, call, self.flags_are_set),
            polls: call.polls_of.is_some() || kind == ToolKind::Process,
            waits: false,
            targets: Names::default(),
            reads: Names::default(),
            runs: Names::default(),
            tests: false,
            lists: false,
            programs: Vec::new(),
        };
        if kind == ToolKind::Shell {
            if let Some(command) = tools.command(&arguments) {
                facts.read_commands(&command);
                facts.reading = facts.reading.of_command(&command);
            }
        } else {
            facts.effect = kind.effect(name, &arguments);
            let names = names_in_arguments(self.rules, kind, &arguments);
            match facts.effect {
                Effect::Change => facts.targets = names,
                Effect::Read => facts.reads = names,
                _ => facts.runs = names,
            }
        }
        facts.tests = facts.effect == Effect::Test;
        facts
    }

    fn key(&mut self, tool: &str, call: &ToolCall<'_>, arguments: &Value) -> usize {
        self.key.clear();
        self.key.push_str(tool);
        self.key.push(' ');
        json::canonical(&mut self.key, call.arguments, arguments);
        let next = self.keys.len();
        *self.keys.entry_ref(&*self.key).or_insert(next)
    }
}

impl CallFacts {
    /// Whether it changed something: a changing call that ran and did not fail. Messages to people are not among them: they
    /// cannot be read back.
    pub(crate) fn changed(&self) -> bool {
        self.effect == Effect::Change && self.kind != ToolKind::Message && self.reading.is_ok()
    }

    /// Reads a command line, and what it does: the first of test, change, read and run that one of its commands does.
    fn read_commands(&mut self, line: &str) {
        let mut first = None;
        for command in shell_commands(line) {
            let effect = command.effect();
            first = [first, effect].into_iter().flatten().min();
            self.read_command(&command, effect);
        }
        self.effect = first.unwrap_or(Effect::Other);
    }

    fn read_command(&mut self, command: &ShellCommand, effect: Option<Effect>) {
        let first = command.words.first().map_or("", String::as_str);
        let program = first.rsplit('/').next().unwrap_or(first).to_lowercase();
        match program.as_str() {
            "sleep" | "wait" => self.waits = true,
            "ls" | "ll" | "find" | "tree" | "fd" | "dir" | "stat" => self.lists = true,
            _ => {}
        }
        let names = match effect {
            Some(Effect::Change) => &mut self.targets,
            Some(Effect::Read) => &mut self.reads,
            Some(Effect::Test | Effect::Run) => &mut self.runs,
            _ => return,
        };
        if effect == Some(Effect::Change) && !command.writes_to.is_empty() {
            // What is printed into a file is content, not a name.
            command.writes_to.iter().for_each(|target| names.add(target));
            return;
        }
        if effect == Some(Effect::Run) {
            names.add(first);
        }
        for word in command.words.iter().skip(1) {
            add_word(names, word);
        }
        self.programs.push(program);
    }
}

/// Some names, each once, no more than a limit. They stand one behind the other in one text: a session has thousands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    text: String,
    ends: Vec<usize>,
}

impl Names {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let range = start..end;
            start = end;
            self.text.get(range).unwrap_or_default()
        })
    }

    /// Keeps a name and, of a path, its last part; lower case.
    fn add(&mut self, name: &str) {
        let mut name = name.trim().trim_matches(['"', '\'']);
        while let Some(rest) = name.strip_prefix("./") {
            name = rest;
        }
        let name = name.trim_end_matches('/');
        if name.is_ascii() {
            // Case moves no mark of a path.
            if let Some(at) = name.rfind(['/', '\\']) {
                self.keep(name.get(at + 1..).unwrap_or_default());
            }
            self.keep(name);
        } else {
            let name = name.to_lowercase();
            if let Some(at) = name.rfind(['/', '\\']) {
                self.keep(name.get(at + 1..).unwrap_or_default());
            }
            self.keep(&name);
        }
    }

    /// Keeps a name, whose ASCII letters may still be capitals.
    fn keep(&mut self, name: &str) {
        let counts = name.len() >= 2 && name != ".." && !is_device(name);
        if counts && self.ends.len() < MAX_NAMES && !self.iter().any(|kept| kept.eq_ignore_ascii_case(name)) {
            let start = self.text.len();
            self.text.push_str(name);
            if let Some(added) = self.text.get_mut(start..) {
                added.make_ascii_lowercase();
            }
            self.ends.push(self.text.len());
        }
    }
}

fn is_device(name: &str) -> bool {
    name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("/dev/"))
}

/// A word of a command: what it names, when it is no option.
fn add_word(names: &mut Names, word: &str) {
    if let Some((_, value)) = word.split_once('=').filter(|_| word.starts_with('-')) {
        names.add(value);
    } else if !word.starts_with('-') {
        // An argument that is code or a sentence names what stands in it.
        let parts = word.split(|c: char| c.is_whitespace() || is_between(c));
        parts.take(MAX_NAMES).for_each(|part| names.add(part));
    }
}

/// Quotes, brackets and what else stands between names. Asked of every character of a command: a list would be walked each time.
const fn is_between(c: char) -> bool {
    c.is_ascii_punctuation()
        && !matches!(
            c,
            '!' | '#' | '$' | '%' | '*' | '+' | '-' | '.' | '/' | '=' | '?' | '@' | '\\' | '^' | '_' | '~'
        )
}

/// What the arguments of a tool that is no shell name.
fn names_in_arguments(rules: &Rules, kind: ToolKind, arguments: &Value) -> Names {
    let mut names = Names::default();
    if let Some(path) = rules.tools.path(arguments) {
        names.add(path);
    }
    if matches!(kind, ToolKind::Write | ToolKind::Edit) {
        for path in patched_files(arguments) {
            names.add(&path);
        }
        return names;
    }
    for value in arguments.as_object().into_iter().flat_map(Map::values) {
        match value {
            Value::String(text) if text.len() <= 200 => names.add(text),
            Value::Number(number) => names.add(&json::number_text(number)),
            Value::Array(items) => {
                for text in items.iter().filter_map(Value::as_str) {
                    names.add(text);
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

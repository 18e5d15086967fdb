//! What one call does: by the tool's kind, and for shell calls by the command.

mod programs;

use serde_json::Value;

use super::shell::{ShellCommand, shell_commands};
use super::{Effect, ToolKind, ToolName, ToolTable, names};

impl ToolTable {
    /// What a call of this tool with these arguments does.
    ///
    /// Shell calls are judged by their command ([`command_effect`](Self::command_effect)); tools with an `action` (or
    /// an editor's `command`) by the words of that; the others by their kind.
    #[must_use]
    pub fn effect(&self, name: &str, arguments: &Value) -> Effect {
        match self.kind(name) {
            ToolKind::Shell => {
                self.command(arguments).map_or(Effect::Run, |command| self.command_effect(&command))
            }
            kind => kind.effect(name, arguments),
        }
    }

    /// What a command line does: the first of test, change, read and run that one of its commands does. An empty one
    /// does nothing that can be told. O(n).
    ///
    /// ```
    /// # use clawgauge_transcript::{Effect, ToolTable};
    /// let tools = ToolTable::standard();
    /// assert_eq!(tools.command_effect("sed -i s/a/b/ x && cargo test"), Effect::Test);
    /// assert_eq!(tools.command_effect("cat a | grep b > c"), Effect::Change);
    /// assert_eq!(tools.command_effect("git log | head"), Effect::Read);
    /// assert_eq!(tools.command_effect("./start.sh"), Effect::Run);
    /// ```
    #[must_use]
    pub fn command_effect(&self, command: &str) -> Effect {
        line_effect(command, 0)
    }
}

impl ToolKind {
    /// What a call of a tool of this kind, with this name and these arguments, does: [`ToolTable::effect`] for callers that know
    /// the kind. A shell call runs something; what, [`ShellCommand::effect`] tells of each of its commands.
    #[must_use]
    pub fn effect(self, name: &str, arguments: &Value) -> Effect {
        match self {
            Self::Edit => match sub_verb(arguments).as_deref() {
                Some("view" | "read" | "show" | "list" | "open") => Effect::Read,
                _ => Effect::Change,
            },
            Self::Write | Self::Change | Self::Message => Effect::Change,
            Self::Process => match sub_verb(arguments).as_deref() {
                Some("write" | "send" | "submit" | "paste" | "kill" | "remove" | "clear") => Effect::Run,
                _ => Effect::Read,
            },
            Self::Browser | Self::Other => by_sub_verb(arguments).unwrap_or_else(|| {
                let tests = ["test", "tests", "pytest", "lint", "typecheck"];
                let words = ToolName::parse(name);
                if words.words().iter().any(|word| tests.contains(&word.as_str())) {
                    Effect::Test
                } else {
                    Effect::Other
                }
            }),
            Self::Read | Self::Search | Self::Fetch => Effect::Read,
            Self::Shell | Self::Code | Self::Spawn => Effect::Run,
            Self::Ask | Self::Plan | Self::Meta => Effect::Other,
        }
    }
}

impl ShellCommand {
    /// What this command does; `None` for what only prepares another (`cd`, assignments). O(n).
    #[must_use]
    pub fn effect(&self) -> Option<Effect> {
        simple_effect(self, 0)
    }
}

/// The value of the argument that says what a tool with many actions shall do.
fn sub_verb(arguments: &Value) -> Option<String> {
    let map = arguments.as_object()?;
    let verb =
        ["action", "command", "operation", "op", "method"].iter().find_map(|key| map.get(*key)?.as_str())?;
    names::words_of(verb).into_iter().next()
}

fn by_sub_verb(arguments: &Value) -> Option<Effect> {
    let map = arguments.as_object()?;
    let verb = ["action", "operation", "op", "method"].iter().find_map(|key| map.get(*key)?.as_str())?;
    let words = names::words_of(verb);
    let looks = ["snapshot", "screenshot", "tabs", "navigate", "goto", "scroll", "wait", "status"];
    let acts = ["click", "type", "fill", "press", "select", "drag", "act"];
    if words.iter().any(|word| looks.contains(&word.as_str())) {
        return Some(Effect::Read);
    }
    if words.iter().any(|word| acts.contains(&word.as_str())) {
        return Some(Effect::Change);
    }
    match names::kind_by_words(&words) {
        kind if kind.is_changing() => Some(Effect::Change),
        kind if kind.is_reading() => Some(Effect::Read),
        _ => (words.first()? == "run").then_some(Effect::Run),
    }
}

fn line_effect(line: &str, depth: usize) -> Effect {
    shell_commands(line)
        .iter()
        .filter_map(|command| simple_effect(command, depth))
        .min()
        .unwrap_or(Effect::Other)
}

/// What one simple command does; `None` for what only prepares (`cd`, assignments).
fn simple_effect(command: &ShellCommand, depth: usize) -> Option<Effect> {
    let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
    let writes = command.writes_to.iter().any(|target| !target.starts_with("/dev/"));
    let effect = programs::effect(&words, depth);
    if writes && effect != Some(Effect::Test) { Some(Effect::Change) } else { effect }
}

//! A trajectory prepared for many cases.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::assertion::{ArgsMatch, CommandMatch, StepPattern};
use crate::case::Case;
use crate::edd::Recording;
use crate::json::Json;
use crate::limits::Limits;
use crate::shell::{Segment, pattern_words, segment_matches, segments};
use crate::text::{fold, quote, shorten};
use crate::texts::{Memo, Texts};
use crate::tools::Aliases;
use crate::trajectory::{Outcome, Step, Trajectory};
use crate::value;

/// A shell command that was attempted.
pub(crate) struct Command<'t> {
    /// The index of its call.
    pub(crate) step: usize,
    pub(crate) text: &'t str,
    pub(crate) folded: String,
    segments: OnceCell<Vec<Segment>>,
    quoted: OnceCell<String>,
}

impl Command<'_> {
    /// The command as a report quotes it: made once for all cases.
    pub(crate) fn quoted(&self) -> &str {
        self.quoted.get_or_init(|| quote(self.text, 200))
    }

    /// Its simple commands, with places in the folded text. Options are told apart by case (`sudo -h host`, `sudo -H`), so that
    /// it is split as it was written where folding moves nothing.
    pub(crate) fn segments(&self) -> &[Segment] {
        let text = if self.text.is_ascii() { self.text } else { &self.folded };
        self.segments.get_or_init(|| segments(text))
    }
}

/// A pattern for commands, prepared.
struct CommandPattern {
    folded: String,
    words: Vec<String>,
    mode: CommandMatch,
}

impl CommandPattern {
    fn new(pattern: &str, mode: CommandMatch) -> Self {
        let words = if mode == CommandMatch::Shell { pattern_words(pattern) } else { Vec::new() };
        Self { folded: fold(pattern).into_owned(), words, mode }
    }

    fn matches(&self, command: &Command<'_>) -> bool {
        match self.mode {
            CommandMatch::Substring => command.folded.contains(&self.folded),
            CommandMatch::Shell => command.segments().iter().any(|s| segment_matches(s, &self.words)),
        }
    }

    /// The last simple command (by index) of the first occurrence that begins at the simple command `from` or later.
    fn next_in(&self, command: &Command<'_>, from: usize) -> Option<usize> {
        let segments = command.segments();
        match self.mode {
            CommandMatch::Shell => segments
                .iter()
                .enumerate()
                .skip(from)
                .find(|(_, s)| segment_matches(s, &self.words))
                .map(|(i, _)| i),
            CommandMatch::Substring => {
                if segments.is_empty() {
                    return (from == 0 && command.folded.contains(&self.folded)).then_some(0);
                }
                // What lies before the first simple command belongs to it.
                let start = if from == 0 { 0 } else { segments.get(from)?.start };
                let rest = command.folded.get(start..)?;
                let at = start + memchr::memmem::find(rest.as_bytes(), self.folded.as_bytes())?;
                let end = at + self.folded.len();
                let last = segments.iter().rposition(|s| s.start < end.max(at + 1)).unwrap_or(0);
                Some(last.max(from))
            }
        }
    }
}

/// A pattern and the commands that it matches.
pub(crate) struct Found {
    pattern: CommandPattern,
    /// The indices of the commands, in order.
    at: Vec<usize>,
    pub(crate) name: Arc<str>,
    /// The first three commands as a report quotes them.
    pub(crate) first: Arc<Json>,
    /// The entry of the pattern in the details of expected commands.
    pub(crate) detail: Arc<Json>,
}

impl Found {
    pub(crate) fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// The first command from `from` on.
    pub(crate) fn next(&self, from: usize) -> Option<usize> {
        self.at.get(self.at.partition_point(|at| *at < from)).copied()
    }

    fn has(&self, command: usize) -> bool {
        self.at.binary_search(&command).is_ok()
    }

    /// The last simple command (by index) of the first occurrence that begins at the simple command `from` or later.
    pub(crate) fn next_in(&self, command: &Command<'_>, from: usize) -> Option<usize> {
        self.pattern.next_in(command, from)
    }
}

/// The commands of a trajectory.
pub(crate) struct Commands<'t> {
    pub(crate) list: Vec<Command<'t>>,
    folded: Texts,
    /// What was found already, by pattern: cases ask for the same ones.
    substrings: Memo<Found>,
    words: Memo<Found>,
}

impl<'t> Commands<'t> {
    fn new(list: Vec<Command<'t>>) -> Self {
        let mut folded = Texts::default();
        for command in &list {
            folded.push(&command.folded);
        }
        Self { list, folded, substrings: Memo::default(), words: Memo::default() }
    }

    /// The commands that a pattern matches. O(all commands) for a new pattern.
    pub(crate) fn find(&self, pattern: &str, mode: CommandMatch) -> Arc<Found> {
        let memo = if mode == CommandMatch::Shell { &self.words } else { &self.substrings };
        memo.get(pattern, || self.search(pattern, mode))
    }

    fn search(&self, name: &str, mode: CommandMatch) -> Found {
        let pattern = CommandPattern::new(name, mode);
        let at: Vec<usize> = match mode {
            CommandMatch::Substring => self.folded.with(&pattern.folded),
            CommandMatch::Shell => (0..self.list.len())
                .filter(|&at| self.list.get(at).is_some_and(|command| pattern.matches(command)))
                .collect(),
        };
        let quoted = at.iter().take(3).filter_map(|&at| self.list.get(at)).map(Command::quoted);
        let first = Json::strings(quoted);
        let detail = Json::object([("passed", (!at.is_empty()).into()), ("matched_in", first.clone())]);
        Found { pattern, at, name: name.into(), first: Arc::new(first), detail: Arc::new(detail) }
    }

    /// The commands that were found, in order.
    pub(crate) fn of<'c>(&'c self, found: &'c Found) -> impl Iterator<Item = &'c Command<'t>> {
        found.at.iter().filter_map(|&at| self.list.get(at))
    }
}

/// A trajectory prepared for checking: build it once, check many cases.
///
/// ```
/// use clawgauge_cases::{Assertion, Case, Checker, Semantics, StepPattern, Trajectory};
/// use serde_json::json;
///
/// let done = Trajectory::from_calls([("exec", json!({"command": "ls -la"}))], "Two files.");
/// let checker = Checker::new(&done);
/// let case = Case::new("list", "List the files").with(Assertion::Tools(vec![StepPattern::tool("exec")]));
/// assert!(checker.check(&case, Semantics::Clawgauge).passed());
/// ```
pub struct Checker<'t> {
    trajectory: &'t Trajectory,
    aliases: Aliases,
    limits: Limits,
    groups: Vec<usize>,
    by_tool: BTreeMap<&'t str, Vec<usize>>,
    commands: Commands<'t>,
    by_step: BTreeMap<usize, usize>,
    output: String,
    reasoning: OnceCell<String>,
    repeated: OnceCell<super::limits::Repeated>,
    recording: OnceCell<Recording<'t>>,
    seen: Memo<super::Seen>,
    files: BTreeMap<String, String>,
    compare: bool,
}

/// Faults on their way into a report, or, untold, only noticed: wording them is most of the work.
struct Faults {
    untold: bool,
    any: bool,
    list: Vec<String>,
}

impl Faults {
    fn add(&mut self, word: impl FnOnce() -> String) {
        self.any = true;
        if !self.untold {
            self.list.push(word());
        }
    }
}

impl<'t> Checker<'t> {
    /// Prepares a trajectory with the default aliases. O(size of the trajectory).
    #[must_use]
    pub fn new(trajectory: &'t Trajectory) -> Self {
        Self::with_aliases(trajectory, Aliases::default())
    }

    /// Prepares a trajectory with the aliases of a suite.
    #[must_use]
    pub fn with_aliases(trajectory: &'t Trajectory, aliases: Aliases) -> Self {
        let mut by_tool: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut list = Vec::new();
        let mut by_step = BTreeMap::new();
        for (at, step) in trajectory.steps.iter().enumerate() {
            by_tool.entry(step.tool.as_str()).or_default().push(at);
            if let Some(text) = aliases.command(&step.tool, &step.args) {
                by_step.insert(at, list.len());
                list.push(Command {
                    step: at,
                    text,
                    folded: fold(text).into_owned(),
                    segments: OnceCell::new(),
                    quoted: OnceCell::new(),
                });
            }
        }
        Self {
            trajectory,
            aliases,
            limits: Limits::default(),
            groups: trajectory.steps.iter().map(|s| s.message).collect(),
            by_tool,
            commands: Commands::new(list),
            by_step,
            output: fold(trajectory.final_output.as_deref().unwrap_or_default()).into_owned(),
            reasoning: OnceCell::new(),
            repeated: OnceCell::new(),
            recording: OnceCell::new(),
            seen: Memo::default(),
            files: BTreeMap::new(),
            compare: false,
        }
    }

    /// The same checker with the text of an action pattern file under the name that cases use for it.
    #[must_use]
    pub fn with_file(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.files.insert(name.into(), text.into());
        // What was classified without the file is no longer true.
        self.seen = Memo::default();
        self.recording = OnceCell::new();
        self
    }

    /// The same checker, which also notes where openclaw-edd would differ. Costs as much again.
    #[must_use]
    pub const fn comparing(mut self, on: bool) -> Self {
        self.compare = on;
        self
    }

    /// The trajectory.
    #[must_use]
    pub const fn trajectory(&self) -> &'t Trajectory {
        self.trajectory
    }

    pub(crate) const fn compares(&self) -> bool {
        self.compare
    }

    pub(crate) fn steps(&self) -> &'t [Step] {
        &self.trajectory.steps
    }

    pub(crate) fn step(&self, at: usize) -> Option<&'t Step> {
        self.trajectory.steps.get(at)
    }

    pub(crate) fn groups(&self) -> &[usize] {
        &self.groups
    }

    pub(crate) const fn all_commands(&self) -> &Commands<'t> {
        &self.commands
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn folded_output(&self) -> &str {
        &self.output
    }

    pub(crate) fn reasoning(&self) -> &str {
        self.reasoning.get_or_init(|| fold(&self.trajectory.reasoning()).into_owned())
    }

    /// The runs of one and the same call: the same for all cases.
    pub(crate) fn repeated(&self) -> &super::limits::Repeated {
        self.repeated.get_or_init(|| super::limits::Repeated::of(self.steps()))
    }

    /// What openclaw-edd would have seen.
    pub(crate) fn recording(&self) -> &Recording<'t> {
        self.recording.get_or_init(|| {
            let events = match &self.trajectory.recorded {
                Some(recorded) => Cow::Borrowed(recorded.as_slice()),
                None => Cow::Owned(self.trajectory.events()),
            };
            Recording::new(events, Some(self.trajectory.final_output.as_deref().unwrap_or_default()))
        })
    }

    /// The actions of all commands, by pattern file.
    pub(crate) const fn seen(&self) -> &Memo<super::Seen> {
        &self.seen
    }

    pub(crate) fn file(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// The calls of a tool, or of any tool.
    pub(crate) fn calls_of(&self, tool: Option<&str>) -> impl Iterator<Item = usize> {
        let named = tool.map(|name| self.by_tool.get(name).map(Vec::as_slice).unwrap_or_default());
        let any = 0..if named.is_none() { self.steps().len() } else { 0 };
        named.unwrap_or_default().iter().copied().chain(any)
    }

    pub(crate) fn was_called(&self, tool: &str) -> bool {
        self.by_tool.contains_key(tool)
    }

    /// Whether a call fits a pattern in everything.
    pub(crate) fn fits(&self, case: &Case, pattern: &StepPattern, at: usize) -> bool {
        let Some(step) = self.step(at) else { return false };
        if pattern.tool.as_ref().is_some_and(|tool| *tool != step.tool) {
            return false;
        }
        pattern.is_name_only() || !self.look(case, pattern, step, at, true).any
    }

    /// What keeps a call of the right tool from fitting a pattern.
    pub(crate) fn faults(&self, case: &Case, pattern: &StepPattern, at: usize) -> Vec<String> {
        let Some(step) = self.step(at) else { return vec!["there is no such call".to_owned()] };
        self.look(case, pattern, step, at, false).list
    }

    /// How much the arguments of a call are like the wanted ones, 0 to 1000 for each, and its command ([`Command::likeness`]).
    pub(crate) fn likeness(&self, pattern: &StepPattern, at: usize) -> u32 {
        let Some(step) = self.step(at) else { return 0 };
        let plain = |value: &Value| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            shorten(&text, 200)
        };
        let args = step.args.as_object();
        let texts = pattern.args.iter().filter_map(|(key, wanted)| {
            let (_, have) = self.aliases.argument(args?, key)?;
            Some((plain(wanted), plain(have)))
        });
        let texts: u32 = texts.map(|(wanted, have)| alike(&wanted, &have)).sum();
        let command = self.by_step.get(&at).and_then(|&i| self.commands.list.get(i));
        texts + pattern.command.as_deref().zip(command).map_or(0, |(wanted, have)| have.likeness(wanted))
    }

    /// Looks for faults; `untold` asks only whether there is one.
    fn look(&self, case: &Case, pattern: &StepPattern, step: &Step, at: usize, untold: bool) -> Faults {
        let mut out = Faults { untold, any: false, list: Vec::new() };
        let stop = |out: &Faults| untold && out.any;
        if !pattern.require.allows(step.outcome) {
            out.add(|| format!("it {}, wanted: {}", verb(step.outcome), pattern.require.as_str()));
        }
        if stop(&out) {
            return out;
        }
        let mode = pattern.args_match.unwrap_or(case.args_match);
        self.argument_faults(pattern, step, mode, &mut out);
        if stop(&out) {
            return out;
        }
        let empty = serde_json::Map::new();
        let args = step.args.as_object().unwrap_or(&empty);
        for (key, regex) in &pattern.args_regex {
            match self.aliases.argument(args, key) {
                None => out.add(|| format!("argument `{key}` is missing")),
                Some((_, value)) => {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    if !regex.is_match(&text) {
                        out.add(|| {
                            format!("`{key}` is {}, which /{}/ does not match", short(value), regex.as_str())
                        });
                    }
                }
            }
        }
        if let Some(fault) = pattern.args_schema.as_ref().and_then(|schema| schema.first_fault(&step.args)) {
            out.add(|| format!("the arguments do not satisfy the schema: {}", quote(&fault, 160)));
        }
        if let Some(wanted) = &pattern.command {
            let command = self.by_step.get(&at).and_then(|&i| Some((i, self.commands.list.get(i)?)));
            match command {
                None => out.add(|| "it runs no command".to_owned()),
                Some((i, command)) if !self.commands.find(wanted, case.command_match).has(i) => {
                    out.add(|| format!("its command is `{}`", quote(command.text, 100)));
                }
                Some(_) => {}
            }
        }
        if let Some(wanted) = &pattern.result_contains {
            match &step.result {
                None => out.add(|| "it has no result".to_owned()),
                Some(result) if !crate::text::contains_folded(result, wanted) => {
                    out.add(|| format!("its result does not contain \"{}\"", quote(wanted, 60)));
                }
                Some(_) => {}
            }
        }
        out
    }

    fn argument_faults(&self, pattern: &StepPattern, step: &Step, mode: ArgsMatch, out: &mut Faults) {
        if mode == ArgsMatch::Ignore || (pattern.args.is_empty() && mode != ArgsMatch::Exact) {
            return;
        }
        let Some(args) = step.args.as_object() else {
            if !pattern.args.is_empty() {
                out.add(|| format!("its arguments are {}, not an object", short(&step.args)));
            }
            return;
        };
        let mut used = Vec::new();
        for (key, wanted) in &pattern.args {
            match self.aliases.argument(args, key) {
                None => out.add(|| format!("argument `{key}` is missing")),
                Some((name, have)) => {
                    if mode == ArgsMatch::Exact {
                        used.push(name);
                    }
                    if !value::matches(wanted, have, mode) {
                        out.add(|| format!("`{key}` is {}, expected {}", short(have), short(wanted)));
                    }
                }
            }
        }
        // An exact pattern about something else than arguments does not ask for empty ones.
        if mode == ArgsMatch::Exact
            && (!pattern.args.is_empty() || pattern.args_match == Some(ArgsMatch::Exact))
        {
            let extra: Vec<&str> = args.keys().map(String::as_str).filter(|k| !used.contains(k)).collect();
            if !extra.is_empty() {
                out.add(|| format!("it has further arguments: {}", extra.join(", ")));
            }
        }
    }

    /// How a call is shown.
    pub(crate) fn label(&self, at: usize) -> String {
        let Some(step) = self.step(at) else { return String::new() };
        let args = match &step.args {
            Value::Object(map) if map.is_empty() => String::new(),
            Value::Null => String::new(),
            args => format!(" {}", quote(&args.to_string(), 90)),
        };
        let outcome = match step.outcome {
            Outcome::Succeeded => String::new(),
            other => format!(" ({})", other.as_str()),
        };
        format!("{}{args}{outcome}", quote(&step.tool, 60))
    }

    pub(crate) fn entry(&self, at: usize) -> Option<String> {
        self.step(at).and_then(|s| s.entry.clone())
    }

    pub(crate) fn entries(&self, calls: impl IntoIterator<Item = usize>) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for entry in calls.into_iter().filter_map(|at| self.entry(at)) {
            if !out.contains(&entry) && out.len() < 20 {
                out.push(entry);
            }
        }
        out
    }
}

const fn verb(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded => "succeeded",
        Outcome::Failed => "failed",
        Outcome::Blocked => "was blocked",
        Outcome::Unfinished => "has no result",
    }
}

fn short(value: &Value) -> String {
    quote(&value.to_string(), 80)
}

impl Command<'_> {
    /// How much the command is like a pattern: 1000 for each word that it has, and up to 1000 for the whole.
    pub(super) fn likeness(&self, pattern: &str) -> u32 {
        let wanted = fold(pattern);
        let words: std::collections::BTreeSet<&str> = wanted.split_whitespace().collect();
        let shared = words.iter().filter(|word| self.folded.contains(**word)).count();
        let whole = permille(strsim::jaro_winkler(&quote(&self.folded, 80), &wanted));
        u32::try_from(shared).unwrap_or(u32::MAX / 2000).saturating_mul(1000).saturating_add(whole)
    }
}

fn alike(one: &str, other: &str) -> u32 {
    permille(strsim::normalized_levenshtein(one, other))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number from 0 to 1, times 1000"
)]
fn permille(share: f64) -> u32 {
    (share * 1000.0) as u32
}

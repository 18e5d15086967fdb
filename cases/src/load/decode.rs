//! From a tree of values to cases, collecting every problem on the way.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::keys::{EDD_ABOUT, KEPT, SUITE_KEYS, assertion_keys, case_keys};
use super::tree::{At, Data, Key, Node, Tree};
use crate::assertion::{ArgsMatch, Assertion, CommandMatch, Require};
use crate::case::{Case, EvalType, JudgeSpec, Location, Semantics, Suite};
use crate::error::{Diagnostic, Error, ErrorKind, Severity};
use crate::limits::Limits;
use crate::text::{nearest, quote};
use crate::tools::Aliases;

/// Keys and values of an object, in written order.
pub(super) type Pairs = [(Key, Node)];

/// Collects problems.
pub(super) struct Sink<'l> {
    pub(super) found: Vec<Diagnostic>,
    pub(super) case: Option<String>,
    pub(super) limits: &'l Limits,
    /// Under `semantics: edd` the types of openclaw-edd's own keys are not checked, as it does not check them.
    pub(super) lax: bool,
    counted: Counted,
}

/// How many errors and warnings there were, the ones beyond the limit included.
#[derive(Clone, Copy, Default)]
struct Counted {
    errors: usize,
    warnings: usize,
}

/// A point to which problems can be taken back.
pub(super) struct Mark {
    found: usize,
    counted: Counted,
}

impl<'l> Sink<'l> {
    pub(super) const fn new(limits: &'l Limits) -> Self {
        Self {
            found: Vec::new(),
            case: None,
            limits,
            lax: false,
            counted: Counted { errors: 0, warnings: 0 },
        }
    }

    pub(super) const fn mark(&self) -> Mark {
        Mark { found: self.found.len(), counted: self.counted }
    }

    /// Forgets what was found since.
    pub(super) fn forget(&mut self, since: &Mark) {
        self.found.truncate(since.found);
        self.counted = since.counted;
    }

    pub(super) fn push(&mut self, severity: Severity, at: At, message: String, suggestion: Option<&str>) {
        // Each has its own room: warnings never hide an error, and never become one.
        let count = match severity {
            Severity::Error => &mut self.counted.errors,
            Severity::Warning => &mut self.counted.warnings,
        };
        *count += 1;
        if *count > self.limits.diagnostics {
            return;
        }
        self.found.push(Diagnostic {
            case: self.case.clone(),
            suggestion: suggestion.map(str::to_owned),
            ..Diagnostic::new(severity, (at.line, at.column), message)
        });
    }

    pub(super) fn error(&mut self, at: At, message: impl Into<String>) {
        self.push(Severity::Error, at, message.into(), None);
    }

    pub(super) fn warn(&mut self, at: At, message: impl Into<String>) {
        self.push(Severity::Warning, at, message.into(), None);
    }

    pub(super) fn unknown<'k, K>(&mut self, key: &Key, known: K)
    where
        K: IntoIterator<Item = &'k str>,
    {
        let suggestion = nearest(&key.name, known);
        self.push(Severity::Error, key.at, format!("unknown key `{}`", shown(&key.name)), suggestion);
    }

    fn wrong(&mut self, node: &Node, key: &str, wanted: &str) {
        // A number that is none of those wanted is best shown.
        let found = match &node.value {
            Data::Number(_, text) | Data::Odd(text) => format!("`{}`", shown(text)),
            _ => node.kind().to_owned(),
        };
        self.error(node.at, format!("`{}` must be {wanted}, not {found}", shown(key)));
    }

    fn finish(mut self) -> (Vec<Diagnostic>, bool) {
        let Counted { errors, warnings } = self.counted;
        let kinds = [(Severity::Error, errors, "problems"), (Severity::Warning, warnings, "warnings")];
        for (severity, count, name) in kinds {
            let left_out = count.saturating_sub(self.limits.diagnostics);
            if left_out > 0 {
                let message = format!("{left_out} more {name} are not shown");
                self.found.push(Diagnostic::new(severity, (0, 0), message));
            }
        }
        // In the order of the file; what has no place comes last.
        self.found.sort_by_key(|d| (d.line == 0, d.line, d.column));
        (self.found, errors > 0)
    }

    pub(super) fn into_result(self, mut suite: Suite) -> Result<Suite, Error> {
        let (found, failed) = self.finish();
        if failed {
            return Err(Error::with(ErrorKind::Suite, found));
        }
        suite.warnings = found;
        Ok(suite)
    }

    // Scalars

    /// A text; a number or a boolean is the text it was written as.
    pub(super) fn text(&mut self, node: &Node, key: &str) -> Option<String> {
        if let Some(text) = node.scalar_text() {
            return Some(text.to_owned());
        }
        self.wrong(node, key, "a text");
        None
    }

    /// A list of texts. One scalar is a list of one; nothing is an empty list.
    pub(super) fn texts(&mut self, node: &Node, key: &str) -> Vec<String> {
        match &node.value {
            Data::Null => Vec::new(),
            Data::Array(items) => items.iter().filter_map(|item| self.text(item, key)).collect(),
            _ => self.text(node, key).into_iter().collect(),
        }
    }

    /// A count. A text that holds one is accepted, for files written for a tool that did not check.
    pub(super) fn count(&mut self, node: &Node, key: &str) -> Option<u64> {
        let parsed = match &node.value {
            Data::Number(n, _) => n.as_u64().or_else(|| whole(n.as_f64()?)),
            Data::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        if parsed.is_none() {
            self.wrong(node, key, "a whole number, 0 or more");
        }
        parsed
    }

    pub(super) fn number(&mut self, node: &Node, key: &str) -> Option<f64> {
        let parsed = match &node.value {
            Data::Number(n, _) => n.as_f64(),
            Data::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        match parsed {
            Some(value) if value.is_finite() && value >= 0.0 => Some(value),
            _ => {
                self.wrong(node, key, "a number, 0 or more");
                None
            }
        }
    }

    pub(super) fn flag(&mut self, node: &Node, key: &str) -> Option<bool> {
        let parsed = as_flag(node);
        if parsed.is_none() {
            self.wrong(node, key, "true or false");
        }
        parsed
    }

    pub(super) fn object<'n>(&mut self, node: &'n Node, key: &str) -> Option<&'n Pairs> {
        match &node.value {
            Data::Object(pairs) => Some(pairs),
            _ => {
                self.wrong(node, key, "an object");
                None
            }
        }
    }

    pub(super) fn value_map(pairs: &Pairs) -> Map<String, Value> {
        pairs.iter().map(|(key, node)| (key.name.clone(), node.to_json().to_value())).collect()
    }

    pub(super) fn word<T: Copy>(&mut self, node: &Node, key: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(node, key)?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Some(*value);
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let suggestion = nearest(&text, known.iter().copied());
        let message = format!("`{key}` must be one of {}, not `{}`", known.join(", "), shown(&text));
        self.push(Severity::Error, node.at, message, suggestion);
        None
    }

    /// Warns of every key that is written twice in one object, here and in what is inside.
    pub(super) fn repeated_keys(&mut self, node: &Node) {
        match &node.value {
            Data::Array(items) => items.iter().for_each(|item| self.repeated_keys(item)),
            Data::Object(pairs) => {
                self.repeated_here(pairs);
                for (_, value) in pairs {
                    self.repeated_keys(value);
                }
            }
            _ => {}
        }
    }

    pub(super) fn repeated_here(&mut self, pairs: &Pairs) {
        let mut seen = BTreeSet::new();
        for (key, _) in pairs {
            if !seen.insert(key.name.as_str()) {
                self.warn(
                    key.at,
                    format!("key `{}` is written twice here, the last one counts", shown(&key.name)),
                );
            }
        }
    }
}

/// A word of the file as a problem quotes it.
pub(super) fn shown(text: &str) -> String {
    quote(text, 60)
}

/// True or false, also in the words of YAML 1.1, which people still write.
pub(super) fn as_flag(node: &Node) -> Option<bool> {
    match &node.value {
        Data::Bool(b, _) => Some(*b),
        Data::String(text) => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn whole(value: f64) -> Option<u64> {
    let fits = value.fract() == 0.0 && (0.0..=9.0e15).contains(&value);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be whole and in range"
    )]
    fits.then_some(value as u64)
}

pub(super) const REQUIRE: [(&str, Require); 3] =
    [("attempted", Require::Attempted), ("succeeded", Require::Succeeded), ("failed", Require::Failed)];

pub(super) const ARGS_MATCH: [(&str, ArgsMatch); 3] =
    [("subset", ArgsMatch::Subset), ("exact", ArgsMatch::Exact), ("ignore", ArgsMatch::Ignore)];

const COMMAND_MATCH: [(&str, CommandMatch); 2] =
    [("substring", CommandMatch::Substring), ("shell", CommandMatch::Shell)];

const SEMANTICS: [(&str, Semantics); 2] = [("clawgauge", Semantics::Clawgauge), ("edd", Semantics::Edd)];

/// What a case takes from its suite.
#[derive(Clone, Copy, Default)]
pub(super) struct Defaults {
    pub(super) command_match: CommandMatch,
    pub(super) args_match: ArgsMatch,
    pub(super) require: Require,
}

/// Decodes a whole file.
pub(super) fn suite(tree: &Tree, limits: &Limits) -> Result<Suite, Error> {
    let mut sink = Sink::new(limits);
    let mut suite = Suite::default();
    let mut defaults = Defaults::default();
    let items = match &tree.root.value {
        // A plain list of cases, which people expect to work.
        Data::Array(items) => items.as_slice(),
        Data::Object(pairs) => {
            sink.repeated_here(pairs);
            top_level(&mut sink, &mut suite, &mut defaults, pairs, tree.root.at)
        }
        Data::Null => &[],
        _ => {
            sink.error(
                tree.root.at,
                format!("a suite is an object with `cases`, or a list of cases, not {}", tree.root.kind()),
            );
            &[]
        }
    };
    sink.lax = suite.semantics == Semantics::Edd;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for item in items {
        sink.case = None;
        let decoded = case(&mut sink, item, defaults);
        if let Some(case) = decoded {
            if let Some(line) = seen.get(&case.id) {
                sink.error(item.at, format!("the id is already used by the case on line {line}"));
            } else {
                seen.insert(case.id.clone(), item.at.line);
            }
            suite.cases.push(case);
        }
    }
    sink.case = None;
    sink.into_result(suite)
}

fn top_level<'n>(
    sink: &mut Sink<'_>,
    suite: &mut Suite,
    defaults: &mut Defaults,
    pairs: &'n Pairs,
    root: At,
) -> &'n [Node] {
    let mut items: &[Node] = &[];
    let mut has_cases = false;
    for (key, node) in pairs {
        match key.name.as_str() {
            "cases" => {
                has_cases = true;
                match &node.value {
                    Data::Array(list) => items = list,
                    Data::Null => {}
                    _ => sink.wrong(node, "cases", "a list of cases"),
                }
            }
            "semantics" => suite.semantics = sink.word(node, "semantics", &SEMANTICS).unwrap_or_default(),
            "command_match" => {
                defaults.command_match = sink.word(node, "command_match", &COMMAND_MATCH).unwrap_or_default();
            }
            "args_match" => {
                defaults.args_match = sink.word(node, "args_match", &ARGS_MATCH).unwrap_or_default();
            }
            "aliases" => suite.aliases = aliases(sink, node),
            _ => {}
        }
    }
    if suite.semantics == Semantics::Edd && !pairs.iter().any(|(key, _)| key.name == "aliases") {
        suite.aliases = Aliases::none();
    }
    for (key, _) in pairs.iter().filter(|_| has_cases) {
        // Other keys are their author's, for anchors; one that differs by a slip is no such key.
        let slip = nearest(&key.name, SUITE_KEYS).filter(|known| *known != key.name);
        if slip.is_some() {
            let message = format!("`{}` has no meaning at the top of a suite", shown(&key.name));
            sink.push(Severity::Warning, key.at, message, slip);
        }
    }
    if !has_cases {
        // A misspelt `cases` would otherwise look like an empty suite.
        let slip = pairs.iter().find(|(key, _)| {
            !SUITE_KEYS.contains(&key.name.as_str()) && nearest(&key.name, ["cases"]).is_some()
        });
        match slip {
            Some((key, _)) => sink.unknown(key, ["cases"]),
            None if pairs.iter().any(|(key, _)| key.name == "message" || key.name == "id") => {
                sink.error(root, "this looks like one case; a suite has its cases in a list under `cases`");
            }
            None => {}
        }
    }
    items
}

fn aliases(sink: &mut Sink<'_>, node: &Node) -> Aliases {
    match &node.value {
        Data::Bool(false, _) => Aliases::none(),
        Data::Bool(true, _) => Aliases::default(),
        Data::Object(pairs) => {
            let mut out = Aliases::default();
            for (key, value) in pairs {
                match key.name.as_str() {
                    "command_tools" => {
                        out.command_tools = sink.texts(value, "command_tools").into_iter().collect();
                    }
                    "command_keys" => out.command_keys = sink.texts(value, "command_keys"),
                    "path_keys" => out.path_keys = sink.texts(value, "path_keys"),
                    _ => sink.unknown(key, ["command_tools", "command_keys", "path_keys"]),
                }
            }
            out
        }
        _ => {
            sink.wrong(node, "aliases", "true, false or an object");
            Aliases::default()
        }
    }
}

/// Decodes one case. `None` only if it has no usable id.
pub(super) fn case(sink: &mut Sink<'_>, node: &Node, mut defaults: Defaults) -> Option<Case> {
    let Data::Object(pairs) = &node.value else {
        sink.error(node.at, format!("a case must be an object, not {}", node.kind()));
        return None;
    };
    sink.case = pairs
        .iter()
        .find(|(key, _)| key.name == "id")
        .and_then(|(_, id)| id.scalar_text())
        .map(str::to_owned);
    sink.repeated_keys(node);
    let mut case = Case::new("", "");
    case.location = Some(Location { line: node.at.line, column: node.at.column });
    case.raw = std::sync::Arc::new(node.to_json());
    let (mut id, mut message) = (None, None);
    for (key, value) in pairs {
        // What openclaw-edd does not check must not fail here either when its verdicts are wanted.
        let before = sink.mark();
        match key.name.as_str() {
            "id" => id = Some(sink.text(value, "id")),
            "message" => message = Some(sink.text(value, "message")),
            "eval_type" => {
                case.eval_type =
                    sink.text(value, "eval_type").map_or(EvalType::Regression, |t| EvalType::parse(&t));
            }
            "pass_at_k" => case.pass_at_k = attempts(sink, value),
            "judge_criteria" => case.judge.criteria = sink.texts(value, "judge_criteria"),
            "judge_model" => case.judge.model = optional(sink, value, "judge_model"),
            "judge_provider" => case.judge.provider = optional(sink, value, "judge_provider"),
            "agent" => case.agent = optional(sink, value, "agent"),
            "timeout_s" if matches!(value.value, Data::Null) => {}
            "timeout_s" => case.timeout_s = sink.number(value, "timeout_s"),
            "tags" => case.tags = sink.texts(value, "tags"),
            "description" => case.description = optional(sink, value, "description").unwrap_or_default(),
            "action_patterns_file" => {
                case.action_patterns_file = optional(sink, value, "action_patterns_file");
            }
            "command_match" => {
                defaults.command_match =
                    sink.word(value, "command_match", &COMMAND_MATCH).unwrap_or_default();
            }
            "args_match" => {
                defaults.args_match = sink.word(value, "args_match", &ARGS_MATCH).unwrap_or_default();
            }
            "require" => defaults.require = sink.word(value, "require", &REQUIRE).unwrap_or_default(),
            name if KEPT.contains(&name) || assertion_keys().any(|known| known == name) => {}
            _ => {
                let suggestion = nearest(&key.name, case_keys());
                let own = if suggestion.is_some() { "" } else { "; keys of your own stand under `metadata`" };
                sink.push(
                    Severity::Error,
                    key.at,
                    format!("unknown key `{}`{own}", shown(&key.name)),
                    suggestion,
                );
            }
        }
        if sink.lax && EDD_ABOUT.contains(&key.name.as_str()) {
            sink.forget(&before);
        }
    }
    case.command_match = defaults.command_match;
    case.args_match = defaults.args_match;
    case.assertions = super::assertions::all(sink, pairs, defaults, 0);
    for (name, found) in [("id", &id), ("message", &message)] {
        if found.is_none() {
            sink.error(node.at, format!("the case has no `{name}`"));
        }
    }
    if matches!(&id, Some(Some(text)) if text.is_empty()) {
        sink.error(node.at, "the `id` is empty");
    }
    if case.judge != JudgeSpec::default() && case.judge.criteria.is_empty() {
        sink.warn(node.at, "a judge is named and there are no `judge_criteria`: nothing is judged");
    }
    case.message = message.flatten().unwrap_or_default();
    case.id = id.flatten()?;
    Some(case)
}

fn attempts(sink: &mut Sink<'_>, node: &Node) -> u32 {
    if matches!(node.value, Data::Null) {
        return 1;
    }
    match sink.count(node, "pass_at_k") {
        Some(0) => {
            sink.error(node.at, "`pass_at_k` must be at least 1");
            1
        }
        Some(k) => u32::try_from(k).unwrap_or_else(|_| {
            sink.error(node.at, "`pass_at_k` is too large");
            1
        }),
        None => 1,
    }
}

fn optional(sink: &mut Sink<'_>, node: &Node, key: &str) -> Option<String> {
    if matches!(node.value, Data::Null) {
        return None;
    }
    sink.text(node, key).filter(|text| !text.is_empty())
}

/// Assertions that are not empty lists.
pub(super) fn keep(out: &mut Vec<Assertion>, empty: bool, assertion: Assertion) {
    if !empty {
        out.push(assertion);
    }
}

//! Cases and suites.

use std::borrow::Cow;
use std::sync::Arc;

use crate::assertion::{ArgsMatch, Assertion, CommandMatch};
use crate::detail::Part;
use crate::error::Diagnostic;
use crate::json::Json;
use crate::tools::Aliases;

/// Whose verdicts a suite wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Semantics {
    /// What this crate documents. Reports name each check where openclaw-edd would differ.
    #[default]
    Clawgauge,
    /// Exactly what openclaw-edd 0.4.3 does, its surprises included. New assertions are still checked, by our rules.
    Edd,
}

/// What a case is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EvalType {
    /// Prevents regression: starts near 100 %, any drop needs attention.
    #[default]
    Regression,
    /// A climb: starts low, shows what the agent cannot do yet.
    Capability,
    /// Something else, by its name.
    Other(String),
}

impl EvalType {
    /// The word used in suites.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Regression => "regression",
            Self::Capability => "capability",
            Self::Other(name) => name,
        }
    }

    pub(crate) fn parse(name: &str) -> Self {
        match name {
            "regression" => Self::Regression,
            "capability" => Self::Capability,
            other => Self::Other(other.to_owned()),
        }
    }
}

/// What a judge is asked about a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct JudgeSpec {
    /// The criteria, one sentence each.
    pub criteria: Vec<String>,
    /// The model.
    pub model: Option<String>,
    /// The provider.
    pub provider: Option<String>,
}

/// A place in a suite file, counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Location {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// One request and what is expected of the agent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Case {
    /// Unique in its suite.
    pub id: String,
    /// What the agent is asked.
    pub message: String,
    /// What the case is for.
    pub eval_type: EvalType,
    /// What is asserted, in the order in which it is checked.
    pub assertions: Vec<Assertion>,
    /// What a judge is asked, if anything.
    pub judge: JudgeSpec,
    /// How many attempts a run makes. At least 1.
    pub pass_at_k: u32,
    /// The agent to ask; `None` is the runner's default.
    pub agent: Option<String>,
    /// Seconds an attempt may take; `None` is the runner's default.
    pub timeout_s: Option<f64>,
    /// Labels to select by.
    pub tags: Vec<String>,
    /// For people.
    pub description: String,
    /// The name of a file with action patterns.
    pub action_patterns_file: Option<String>,
    /// How commands are matched.
    pub command_match: CommandMatch,
    /// How arguments are compared.
    pub args_match: ArgsMatch,
    /// Where the case stands in its file.
    pub location: Option<Location>,
    pub(crate) raw: Arc<Json>,
}

impl Case {
    /// A case without assertions.
    #[must_use]
    pub fn new(id: impl Into<String>, message: impl Into<String>) -> Self {
        let (id, message) = (id.into(), message.into());
        let raw = Json::object([("id", id.as_str().into()), ("message", message.as_str().into())]);
        let raw = Arc::new(raw);
        Self {
            id,
            message,
            eval_type: EvalType::Regression,
            assertions: Vec::new(),
            judge: JudgeSpec::default(),
            pass_at_k: 1,
            agent: None,
            timeout_s: None,
            tags: Vec::new(),
            description: String::new(),
            action_patterns_file: None,
            command_match: CommandMatch::default(),
            args_match: ArgsMatch::default(),
            location: None,
            raw,
        }
    }

    /// The case with one more assertion. Assertions of one kind add up: each must hold.
    #[must_use]
    pub fn with(mut self, assertion: Assertion) -> Self {
        crate::write::put(Arc::make_mut(&mut self.raw), &assertion);
        self.assertions.push(assertion);
        self
    }

    /// The case as its author wrote it: keys in their order. What was built in code with [`new`](Self::new) and
    /// [`with`](Self::with) reads as it would be written, and loads as the same assertions; fields that were set
    /// afterwards are not in it.
    #[must_use]
    pub fn as_written(&self) -> &Json {
        &self.raw
    }

    /// A list of texts for a check's details: without a copy where the author wrote just that under `key`.
    pub(crate) fn listed<'a, I>(&self, key: &'static str, texts: I) -> Part
    where
        I: Iterator<Item = Cow<'a, str>> + Clone,
    {
        let written = self.raw.get(key).and_then(Json::as_array);
        let same = |items: &[Json]| {
            items.len() == texts.clone().count()
                && items.iter().zip(texts.clone()).all(|(item, text)| item.as_str() == Some(&text))
        };
        if written.is_some_and(same) {
            return Part::Written(Arc::clone(&self.raw), key);
        }
        Part::Own(Json::strings(texts))
    }

    /// Whether nothing at all is asserted (a judge's criteria are not counted: a judge may not run).
    #[must_use]
    pub fn is_unchecked(&self) -> bool {
        self.assertions.is_empty()
    }

    /// Whether an agent that did nothing would pass.
    #[must_use]
    pub fn is_only_negative(&self) -> bool {
        !self.assertions.is_empty() && self.assertions.iter().all(Assertion::is_negative)
    }
}

/// The cases of one or several files.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Suite {
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
    /// Whose verdicts.
    pub semantics: Semantics,
    /// Which names mean the same.
    pub aliases: Aliases,
    /// What is odd about the file and did not keep it from loading.
    pub warnings: Vec<Diagnostic>,
    /// Golden records left out because they are not approved.
    pub skipped_unreviewed: usize,
}

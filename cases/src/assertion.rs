//! What a case can assert.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::pattern::{Schema, TextPattern};
use crate::trajectory::Outcome;

/// How commands are matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandMatch {
    /// Case-insensitive substring of the command line, as openclaw-edd documents. A compound command counts as its parts
    /// where order matters.
    #[default]
    Substring,
    /// The command is parsed as shell words: a pattern must begin at a command word (after `sudo`, `env`, a pipe, `&&`,
    /// inside `bash -c`), so quoted mentions, comments and here-documents are no commands.
    Shell,
}

/// How arguments are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgsMatch {
    /// Every expected argument must be there with its value; further arguments are allowed, in nested objects too.
    #[default]
    Subset,
    /// The same arguments and no others; texts compared exactly.
    Exact,
    /// Arguments are not looked at.
    Ignore,
}

/// Which calls count for an expectation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Require {
    /// Any call that was made. What is forbidden always looks at attempts.
    #[default]
    Attempted,
    /// A call that succeeded.
    Succeeded,
    /// A call that failed.
    Failed,
}

impl Require {
    /// The word used in suites.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Attempted => "attempted",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
        }
    }

    pub(crate) fn allows(self, outcome: Outcome) -> bool {
        match self {
            Self::Attempted => true,
            Self::Succeeded => outcome == Outcome::Succeeded,
            Self::Failed => outcome == Outcome::Failed,
        }
    }
}

/// A description of tool calls: a name, and what must hold of arguments, command, outcome and result.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StepPattern {
    /// The tool's name; `None` and `*` mean any tool.
    pub tool: Option<String>,
    /// Expected arguments, all to be found in one call.
    pub args: Map<String, Value>,
    /// How arguments are compared; `None` takes the case's way.
    pub args_match: Option<ArgsMatch>,
    /// Regular expressions on the text of arguments.
    pub args_regex: BTreeMap<String, TextPattern>,
    /// A JSON Schema that the arguments must satisfy.
    pub args_schema: Option<Schema>,
    /// A command pattern (then the tool must be one that runs commands).
    pub command: Option<String>,
    /// Which calls count.
    pub require: Require,
    /// A text that the result must contain, regardless of case.
    pub result_contains: Option<String>,
}

impl StepPattern {
    /// Any call of that tool.
    #[must_use]
    pub fn tool(name: impl Into<String>) -> Self {
        Self { tool: Some(name.into()), ..Self::default() }
    }

    /// The same with expected arguments.
    #[must_use]
    pub fn with_args(mut self, args: Map<String, Value>) -> Self {
        self.args = args;
        self
    }

    /// Whether only the name is asked for.
    #[must_use]
    pub fn is_name_only(&self) -> bool {
        self.args.is_empty()
            && self.args_regex.is_empty()
            && self.args_schema.is_none()
            && self.command.is_none()
            && self.require == Require::Attempted
            && self.result_contains.is_none()
            && self.args_match != Some(ArgsMatch::Exact)
    }

    /// One line for reports, such as `exec {"command":"ls"} (succeeded)`.
    #[must_use]
    pub fn label(&self) -> String {
        self.shown().into_owned()
    }

    /// [`StepPattern::label`], without a copy where it is the tool's name alone.
    pub(crate) fn shown(&self) -> Cow<'_, str> {
        match &self.tool {
            Some(tool) if self.is_name_only() => Cow::Borrowed(tool),
            _ => Cow::Owned(self.full_label()),
        }
    }

    fn full_label(&self) -> String {
        let mut out = self.tool.clone().unwrap_or_else(|| "*".to_owned());
        if let Some(command) = &self.command {
            out.push_str(&format!(" command=\"{command}\""));
        }
        if !self.args.is_empty() || self.args_match == Some(ArgsMatch::Exact) {
            out.push(' ');
            out.push_str(&Value::Object(self.args.clone()).to_string());
        }
        for (key, pattern) in &self.args_regex {
            out.push_str(&format!(" {key}=~/{}/", pattern.as_str()));
        }
        if self.args_schema.is_some() {
            out.push_str(" (schema)");
        }
        if let Some(text) = &self.result_contains {
            out.push_str(&format!(" -> \"{text}\""));
        }
        if self.require != Require::Attempted {
            out.push_str(&format!(" ({})", self.require.as_str()));
        }
        out
    }
}

/// How a whole trajectory is compared with expected steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrajectoryMode {
    /// The same calls in the same order and no others.
    #[default]
    Strict,
    /// The same calls and no others, in any order.
    Unordered,
    /// Nothing beyond the expected calls; some may be missing.
    Subset,
    /// All expected calls; others may be there too.
    Superset,
    /// All expected calls in that order; others may lie between.
    Ordered,
}

impl TrajectoryMode {
    /// The word used in suites.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Unordered => "unordered",
            Self::Subset => "subset",
            Self::Superset => "superset",
            Self::Ordered => "ordered",
        }
    }

    /// Whether the order of the calls counts.
    pub(crate) const fn has_order(self) -> bool {
        matches!(self, Self::Strict | Self::Ordered)
    }
}

/// Expected steps and how they are compared.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TrajectorySpec {
    /// How.
    pub mode: TrajectoryMode,
    /// The expected calls.
    pub steps: Vec<StepPattern>,
}

/// A rule about order.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Rule {
    /// No `never` before the first `until`. If `until` does not come, `never` must not come at all.
    NeverUntil {
        /// What must wait.
        never: StepPattern,
        /// What it waits for.
        until: StepPattern,
    },
    /// The first `then` has a `first` before it.
    Before {
        /// What must come first.
        first: StepPattern,
        /// What may only follow.
        then: StepPattern,
    },
    /// Each `of` has a `step` at most `within` calls away, before or after.
    Within {
        /// What must be near.
        step: StepPattern,
        /// How near, in calls.
        within: usize,
        /// What it must be near to.
        of: StepPattern,
    },
}

/// What is asked of the outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpectedOutcome {
    /// Some matching call ended like this.
    Is(Outcome),
    /// Some matching call failed and a later one succeeded.
    Recovered,
}

impl ExpectedOutcome {
    /// The word used in suites.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Is(outcome) => outcome.as_str(),
            Self::Recovered => "recovered",
        }
    }
}

/// Something the answer may claim, and the call that would be evidence for it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Claim {
    /// The name, for reports.
    pub name: String,
    /// Phrases of which one is the claim, matched regardless of case and not when negated.
    pub says: Vec<String>,
    /// Calls of which one must have succeeded.
    pub evidence: Vec<StepPattern>,
}

/// One thing a case asserts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Assertion {
    /// `expect_tools`: these calls were made, with multiplicity.
    Tools(Vec<StepPattern>),
    /// `expect_tools_ordered`: these calls in that order; strictly: exactly these.
    ToolsOrdered {
        /// The calls.
        steps: Vec<StepPattern>,
        /// No other calls.
        strict: bool,
    },
    /// `forbidden_tools`: no such call was attempted.
    ForbiddenTools(Vec<StepPattern>),
    /// `expect_commands`: each was run.
    Commands(Vec<String>),
    /// `forbidden_commands`: none was attempted.
    ForbiddenCommands(Vec<String>),
    /// `expect_commands_ordered`: run in that order.
    CommandsOrdered(Vec<String>),
    /// `expect_output_contains`: all texts are in the answer.
    OutputContains(Vec<String>),
    /// `forbidden_output`: none of the texts is in the answer.
    ForbiddenOutput(Vec<String>),
    /// `expect_tool_args` and its regex and schema forms: for each, one call satisfies all of it.
    ToolArgs(Vec<StepPattern>),
    /// `max_retries`: the longest run of one and the same call, over all turns, is at most that long.
    MaxRetries(u64),
    /// `expect_actions`: the commands stand for these actions.
    Actions(Vec<String>),
    /// `expect_actions_ordered`: in that order.
    ActionsOrdered(Vec<String>),
    /// `expect_plan_contains`: all texts are in plan, thinking or what was said before acting.
    PlanContains(Vec<String>),
    /// `trajectory`: one of these trajectories was taken.
    Trajectory(Vec<TrajectorySpec>),
    /// `allowed_tools`: no other tool was attempted.
    AllowedTools(Vec<String>),
    /// `expect_outcomes`: how steps ended.
    Outcomes(Vec<(StepPattern, ExpectedOutcome)>),
    /// `rules`: about order.
    Rules(Vec<Rule>),
    /// `no_repeated_failures`: the same failing call at most that often.
    RepeatedFailures(u64),
    /// `max_calls`.
    MaxCalls(u64),
    /// `max_tokens`.
    MaxTokens(u64),
    /// `max_cost`, in the currency of the record.
    MaxCost(f64),
    /// `max_seconds`.
    MaxSeconds(f64),
    /// `min_score`: at least that much in each dimension, 0 to 1.
    MinScore(BTreeMap<String, f64>),
    /// `claims`: what the answer claims has evidence.
    Claims(Vec<Claim>),
    /// `expect_output_regex`: all are found in the answer.
    OutputRegex(Vec<TextPattern>),
    /// `forbidden_output_regex`: none is found in the answer.
    ForbiddenOutputRegex(Vec<TextPattern>),
    /// `expect_output_schema`: the answer is JSON that satisfies a JSON Schema.
    OutputSchema(Schema),
    /// `any_of`: at least one group holds.
    AnyOf(Vec<Vec<Assertion>>),
    /// `all_of`: every group holds.
    AllOf(Vec<Vec<Assertion>>),
    /// `not`: the group does not hold.
    Not(Vec<Assertion>),
}

impl Assertion {
    /// The key under which a suite writes it.
    #[must_use]
    pub const fn key(&self) -> &'static str {
        match self {
            Self::Tools(_) => "expect_tools",
            Self::ToolsOrdered { .. } => "expect_tools_ordered",
            Self::ForbiddenTools(_) => "forbidden_tools",
            Self::Commands(_) => "expect_commands",
            Self::ForbiddenCommands(_) => "forbidden_commands",
            Self::CommandsOrdered(_) => "expect_commands_ordered",
            Self::OutputContains(_) => "expect_output_contains",
            Self::ForbiddenOutput(_) => "forbidden_output",
            Self::ToolArgs(_) => "expect_tool_args",
            Self::MaxRetries(_) => "max_retries",
            Self::Actions(_) => "expect_actions",
            Self::ActionsOrdered(_) => "expect_actions_ordered",
            Self::PlanContains(_) => "expect_plan_contains",
            Self::Trajectory(_) => "trajectory",
            Self::AllowedTools(_) => "allowed_tools",
            Self::Outcomes(_) => "expect_outcomes",
            Self::Rules(_) => "rules",
            Self::RepeatedFailures(_) => "no_repeated_failures",
            Self::MaxCalls(_) => "max_calls",
            Self::MaxTokens(_) => "max_tokens",
            Self::MaxCost(_) => "max_cost",
            Self::MaxSeconds(_) => "max_seconds",
            Self::MinScore(_) => "min_score",
            Self::Claims(_) => "claims",
            Self::OutputRegex(_) => "expect_output_regex",
            Self::ForbiddenOutputRegex(_) => "forbidden_output_regex",
            Self::OutputSchema(_) => "expect_output_schema",
            Self::AnyOf(_) => "any_of",
            Self::AllOf(_) => "all_of",
            Self::Not(_) => "not",
        }
    }

    /// The name of the check in openclaw-edd's report, where it has one; else the key.
    #[must_use]
    pub const fn check_name(&self) -> &'static str {
        match self {
            Self::Tools(_) => "tool_called",
            Self::ToolsOrdered { .. } => "tool_ordered",
            Self::Commands(_) => "commands",
            Self::CommandsOrdered(_) => "commands_ordered",
            Self::OutputContains(_) => "output_contains",
            Self::ToolArgs(_) => "tool_args",
            Self::Actions(_) => "actions",
            Self::ActionsOrdered(_) => "actions_ordered",
            Self::PlanContains(_) => "plan_contains",
            other => other.key(),
        }
    }

    /// Whether an agent that did nothing satisfies it: such assertions alone prove little.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        match self {
            Self::ForbiddenTools(_)
            | Self::ForbiddenCommands(_)
            | Self::ForbiddenOutput(_)
            | Self::ForbiddenOutputRegex(_)
            | Self::MaxRetries(_)
            | Self::AllowedTools(_)
            | Self::Rules(_)
            | Self::RepeatedFailures(_)
            | Self::MaxCalls(_)
            | Self::MaxTokens(_)
            | Self::MaxCost(_)
            | Self::MaxSeconds(_)
            | Self::Claims(_)
            | Self::Not(_) => true,
            Self::Trajectory(specs) => {
                specs.iter().any(|s| s.steps.is_empty() || s.mode == TrajectoryMode::Subset)
            }
            Self::ToolsOrdered { steps, .. } => steps.is_empty(),
            Self::AnyOf(groups) => groups.iter().any(|g| g.iter().all(Self::is_negative)),
            Self::AllOf(groups) => groups.iter().flatten().all(Self::is_negative),
            _ => false,
        }
    }
}

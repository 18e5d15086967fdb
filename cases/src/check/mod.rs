//! Checking cases against a trajectory.

mod actions;
mod commands;
mod differences;
mod limits;
mod output;
mod rules;
mod steps;
mod subject;

pub(crate) use actions::Seen;
pub use subject::Checker;

use crate::assertion::Assertion;
use crate::case::{Case, Semantics};
use crate::detail::Detail;
use crate::text::quote;
use crate::verdict::{Check, Difference, Explanation, Flag, Status, Verdict};

/// Most characters of a quoted text in a message.
const QUOTE: usize = 120;

impl Checker<'_> {
    /// Checks a case by the given semantics. Never fails: a case without assertions is [`Status::Unchecked`].
    ///
    /// Cost: linear in the calls for names, order and commands; expected steps times calls of the same tool where
    /// arguments are compared; and expected steps times calls for the alignment of a check that failed.
    #[must_use]
    pub fn check(&self, case: &Case, semantics: Semantics) -> Verdict {
        let checks: Vec<Check> = case.assertions.iter().map(|a| self.assertion(case, a)).collect();
        let mut flags = Vec::new();
        if case.is_unchecked() {
            flags.push(Flag::NoAssertions);
        }
        if case.is_only_negative() && self.trajectory().is_silent() {
            flags.push(Flag::NoAgentOutput);
        }
        if checks.iter().any(|c| c.vacuous) {
            flags.push(Flag::Vacuous);
        }
        let status = if case.is_unchecked() {
            Status::Unchecked
        } else if checks.iter().all(|c| c.passed) {
            Status::Passed
        } else {
            Status::Failed
        };
        let ours = Verdict { status, checks, flags, differences: Vec::new() };
        match semantics {
            Semantics::Clawgauge if self.compares() => differences::note(self, case, ours),
            Semantics::Clawgauge => ours,
            Semantics::Edd => differences::as_edd(self, case, ours),
        }
    }

    pub(crate) fn assertion(&self, case: &Case, assertion: &Assertion) -> Check {
        match assertion {
            Assertion::Tools(steps) => self.tools(case, steps),
            Assertion::ToolsOrdered { steps, strict } => self.tools_ordered(case, steps, *strict),
            Assertion::ForbiddenTools(steps) => self.forbidden_tools(case, steps),
            Assertion::AllowedTools(names) => self.allowed_tools(names),
            Assertion::ToolArgs(steps) => self.tool_args(case, steps),
            Assertion::Trajectory(specs) => self.trajectories(case, specs),
            Assertion::Commands(patterns) => self.commands(case, patterns),
            Assertion::ForbiddenCommands(patterns) => self.forbidden_commands(case, patterns),
            Assertion::CommandsOrdered(patterns) => self.commands_ordered(case, patterns),
            Assertion::Actions(names) => self.actions(case, names),
            Assertion::ActionsOrdered(names) => self.actions_ordered(case, names),
            Assertion::OutputContains(texts) => self.output_contains(case, texts),
            Assertion::ForbiddenOutput(texts) => self.forbidden_output(texts),
            Assertion::OutputRegex(patterns) => self.output_regex(patterns),
            Assertion::ForbiddenOutputRegex(patterns) => self.forbidden_output_regex(patterns),
            Assertion::OutputSchema(schema) => self.output_schema(schema),
            Assertion::PlanContains(texts) => self.plan_contains(texts),
            Assertion::Claims(claims) => self.claims(case, claims),
            Assertion::MaxRetries(limit) => self.max_retries(*limit),
            Assertion::RepeatedFailures(limit) => self.repeated_failures(*limit),
            Assertion::MaxCalls(limit) => self.max_calls(*limit),
            Assertion::MaxTokens(limit) => self.max_tokens(*limit),
            Assertion::MaxCost(limit) => self.max_cost(*limit),
            Assertion::MaxSeconds(limit) => self.max_seconds(*limit),
            Assertion::MinScore(scores) => self.min_score(scores),
            Assertion::Outcomes(list) => self.outcomes(case, list),
            Assertion::Rules(rules) => self.rules(case, rules),
            Assertion::AnyOf(groups) => self.any_of(case, groups),
            Assertion::AllOf(groups) => self.all_of(case, groups),
            Assertion::Not(group) => self.not(case, group),
        }
    }

    fn group(&self, case: &Case, group: &[Assertion]) -> Vec<Check> {
        group.iter().map(|a| self.assertion(case, a)).collect()
    }

    fn any_of(&self, case: &Case, groups: &[Vec<Assertion>]) -> Check {
        let results: Vec<Vec<Check>> = groups.iter().map(|g| self.group(case, g)).collect();
        let held = results.iter().position(|checks| checks.iter().all(|c| c.passed));
        let mut check = Check::new("any_of", "any_of", held.is_some());
        check.detail.set("matched_group", held.into());
        if held.is_none() {
            check.message = format!("None of the {} alternatives holds", groups.len());
            check.explanation = Some(Box::new(alternatives(&results)));
        }
        check
    }

    fn all_of(&self, case: &Case, groups: &[Vec<Assertion>]) -> Check {
        let results: Vec<Vec<Check>> = groups.iter().map(|g| self.group(case, g)).collect();
        let failed: Vec<&Check> = results.iter().flatten().filter(|c| !c.passed).collect();
        let mut check = Check::new("all_of", "all_of", failed.is_empty());
        if let Some(first) = failed.first() {
            check.message = format!("Not all of the {} groups hold: {}", groups.len(), first.message);
            check.explanation = Some(Box::new(alternatives(&results)));
        }
        check
    }

    fn not(&self, case: &Case, group: &[Assertion]) -> Check {
        let results = self.group(case, group);
        let holds = results.iter().all(|c| c.passed);
        let mut check = Check::new("not", "not", !holds);
        if holds {
            let keys: Vec<&str> = results.iter().map(|c| c.key).collect();
            check.message = format!("What must not hold does: {}", keys.join(", "));
        }
        check
    }
}

fn alternatives(results: &[Vec<Check>]) -> Explanation {
    let mut out = Explanation::default();
    for (at, checks) in results.iter().enumerate() {
        for check in checks.iter().filter(|c| !c.passed) {
            out.notes.push(format!("group {}: {}", at + 1, check.message));
            if let Some(inner) = &check.explanation {
                out.notes.extend(inner.to_lines().into_iter().map(|line| format!("    {line}")));
            }
        }
    }
    out
}

impl Check {
    pub(crate) fn new(key: &'static str, name: &'static str, passed: bool) -> Self {
        Self {
            key,
            name,
            passed,
            message: String::new(),
            detail: Detail::of(passed),
            explanation: None,
            vacuous: false,
        }
    }

    fn explained(mut self, explanation: Explanation) -> Self {
        if !explanation.is_empty() {
            self.explanation = Some(Box::new(explanation));
        }
        self
    }
}

pub(crate) fn difference(check: &str, ours: &str, edd: &str) -> Difference {
    Difference { check: check.to_owned(), ours: ours.to_owned(), edd: edd.to_owned() }
}

fn shown(text: &str) -> String {
    quote(text, QUOTE)
}

fn listed(items: &[String]) -> String {
    items.iter().map(|i| shown(i)).collect::<Vec<_>>().join(", ")
}

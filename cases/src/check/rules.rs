//! Checks about outcomes of steps and about their order.

use super::Checker;
use crate::assertion::{ExpectedOutcome, Require, Rule, StepPattern};
use crate::case::Case;
use crate::json::Json;
use crate::text::quote;
use crate::trajectory::Outcome;
use crate::verdict::{Check, Explanation};

impl Checker<'_> {
    fn matching(&self, case: &Case, pattern: &StepPattern) -> Vec<usize> {
        self.calls_of(pattern.tool.as_deref()).filter(|&at| self.fits(case, pattern, at)).collect()
    }

    fn group_of(&self, at: usize) -> Option<usize> {
        self.groups().get(at).copied()
    }

    pub(super) fn outcomes(&self, case: &Case, list: &[(StepPattern, ExpectedOutcome)]) -> Check {
        let mut messages = Vec::new();
        let mut notes = Vec::new();
        let mut entries = Vec::new();
        for (pattern, wanted) in list {
            let mut any = pattern.clone();
            any.require = Require::Attempted;
            let calls = self.matching(case, &any);
            let outcome = |at: &usize| self.step(*at).map(|s| s.outcome);
            let holds = match wanted {
                ExpectedOutcome::Is(is) => calls.iter().any(|at| outcome(at) == Some(*is)),
                ExpectedOutcome::Recovered => {
                    calls.iter().position(|at| outcome(at) == Some(Outcome::Failed)).is_some_and(|failed| {
                        calls.iter().skip(failed + 1).any(|at| outcome(at) == Some(Outcome::Succeeded))
                    })
                }
            };
            if holds {
                continue;
            }
            messages.push(format!("`{}` has not {}", quote(&pattern.label(), 100), wanted.as_str()));
            if calls.is_empty() {
                notes.push(format!("`{}` was never called", quote(&pattern.label(), 100)));
            }
            notes.extend(self.attempts(calls.iter().copied()));
            entries.extend(self.entries(calls));
        }
        let mut check = Check::new("expect_outcomes", "expect_outcomes", messages.is_empty());
        if messages.is_empty() {
            return check;
        }
        check.message = format!("Outcome mismatch: {}", messages.join("; "));
        check.explained(Explanation { notes, entries, ..Explanation::default() })
    }

    pub(super) fn rules(&self, case: &Case, rules: &[Rule]) -> Check {
        let mut messages = Vec::new();
        let mut calls = Vec::new();
        let mut vacuous = false;
        for rule in rules {
            let (fault, applies) = match rule {
                Rule::NeverUntil { never, until } => self.never_until(case, never, until),
                Rule::Before { first, then } => self.before(case, first, then),
                Rule::Within { step, within, of } => self.within(case, step, *within, of),
            };
            vacuous |= !applies;
            if let Some((message, at)) = fault {
                messages.push(message);
                calls.push(at);
            }
        }
        let mut check = Check::new("rules", "rules", messages.is_empty());
        check.vacuous = vacuous && messages.is_empty();
        check.detail.set("violations", Json::strings(messages.clone()));
        if messages.is_empty() {
            return check;
        }
        check.message = format!("Rule broken: {}", messages.join("; "));
        let notes = self.attempts(calls.iter().copied());
        let entries = self.entries(calls);
        check.explained(Explanation { notes, entries, ..Explanation::default() })
    }

    /// Calls of one message have no order, so one of them does not come before another.
    fn never_until(
        &self,
        case: &Case,
        never: &StepPattern,
        until: &StepPattern,
    ) -> (Option<(String, usize)>, bool) {
        let early = self.matching(case, never);
        let gate = self.matching(case, until).first().and_then(|&at| self.group_of(at));
        let broken =
            early.iter().copied().find(|&at| gate.is_none_or(|gate| self.group_of(at) <= Some(gate)));
        let fault = broken.map(|at| {
            let (a, b) = (quote(&never.label(), 80), quote(&until.label(), 80));
            (format!("never `{a}` until `{b}`: call #{} came before it", at + 1), at)
        });
        (fault, !early.is_empty())
    }

    fn before(
        &self,
        case: &Case,
        first: &StepPattern,
        then: &StepPattern,
    ) -> (Option<(String, usize)>, bool) {
        let Some(&second) = self.matching(case, then).first() else { return (None, false) };
        let held = self.matching(case, first).iter().any(|&at| self.group_of(at) < self.group_of(second));
        let fault = (!held).then(|| {
            let (a, b) = (quote(&first.label(), 80), quote(&then.label(), 80));
            (format!("`{a}` before `{b}`: nothing of the kind comes before call #{}", second + 1), second)
        });
        (fault, true)
    }

    fn within(
        &self,
        case: &Case,
        step: &StepPattern,
        within: usize,
        of: &StepPattern,
    ) -> (Option<(String, usize)>, bool) {
        let near = self.matching(case, step);
        let anchors = self.matching(case, of);
        let broken = anchors.iter().copied().find(|&anchor| {
            !near.iter().any(|&at| {
                at != anchor && (at.abs_diff(anchor) <= within || self.group_of(at) == self.group_of(anchor))
            })
        });
        let fault = broken.map(|at| {
            let (a, b) = (quote(&step.label(), 80), quote(&of.label(), 80));
            (format!("`{a}` within {within} steps of `{b}`: none near call #{}", at + 1), at)
        });
        (fault, !anchors.is_empty())
    }
}

//! Did the agent check its work?

use clawgauge_transcript::{Effect, ToolKind};
use hashbrown::HashSet;

use super::findings::{Findings, share};
use crate::card::Judgement;
use crate::rules::Matchers;
use crate::signs::{CallFacts, Origin, Session};

/// The share of changes that were checked.
///
/// A change is a call that writes, edits, or runs a changing command, and neither failed nor was blocked. It is checked when
/// a later step of the same request (not the same message: its calls run side by side) reads back or runs what it names,
/// runs tests, or looks at the state of the repository or service that it changed. A call never checks itself.
pub(super) fn judge(session: &Session<'_>, matchers: &Matchers) -> Judgement {
    let mut findings = Findings::new("accuracy", matchers.limits.max_evidence);
    let verdicts = verdicts(session);
    let mut verdicts = verdicts.iter();
    let (mut changes, mut checked) = (0, 0);
    for (turn, facts) in session.turns() {
        for (step, calls) in turn.steps.iter().zip(&facts.steps) {
            for (call, _) in step.calls.iter().zip(calls).filter(|(_, facts)| facts.changed()) {
                changes += 1;
                let verdict = verdicts.next().copied().flatten();
                checked += usize::from(verdict.is_some());
                findings.add(|| match verdict {
                    Some(check) => session.call_evidence(check.rule(), call, check.reason()),
                    None => session.call_evidence(
                        "accuracy.unchecked",
                        call,
                        "a change that no later call of the request checks",
                    ),
                });
            }
        }
    }
    findings.judge(share(checked, changes, "nothing was changed"))
}

/// How a change was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    ReadBack,
    Tested,
    Ran,
    LookedAt,
}

impl Check {
    const fn rule(self) -> &'static str {
        match self {
            Self::ReadBack => "accuracy.read-back",
            Self::Tested => "accuracy.tested",
            Self::Ran => "accuracy.ran",
            Self::LookedAt => "accuracy.looked-at",
        }
    }

    const fn reason(self) -> &'static str {
        match self {
            Self::ReadBack => "a change that was read back later",
            Self::Tested => "a change after which tests or checks ran",
            Self::Ran => "a change whose file was run later",
            Self::LookedAt => "a change whose outcome was looked at later",
        }
    }
}

/// For each change in order, how it was checked.
fn verdicts(session: &Session<'_>) -> Vec<Option<Check>> {
    let mut verdicts = Vec::new();
    let mut later = Later::default();
    for (_, turn) in session.turns().rev() {
        for calls in turn.steps.iter().rev() {
            for facts in calls.iter().rev().filter(|facts| facts.changed()) {
                verdicts.push(later.check_of(facts));
            }
            for facts in calls {
                later.see(facts);
            }
        }
        if turn.origin != Origin::Continuation {
            later = Later::default();
        }
    }
    verdicts.reverse();
    verdicts
}

/// What the later steps of the request looked at.
#[derive(Debug, Default)]
struct Later<'s> {
    tested: bool,
    listed: bool,
    read: HashSet<&'s str>,
    ran: HashSet<&'s str>,
    programs: HashSet<&'s str>,
}

impl<'s> Later<'s> {
    fn see(&mut self, facts: &'s CallFacts) {
        // A test that fails is a check, too; one that was blocked is none. A file that cannot be read back is no check.
        if !(facts.reading.is_ok() || facts.reading.is_error()) {
            return;
        }
        self.tested |= facts.tests;
        self.ran.extend(facts.runs.iter());
        if facts.polls || facts.reading.is_error() && facts.kind != ToolKind::Shell {
            return;
        }
        self.read.extend(facts.reads.iter());
        self.listed |= facts.lists;
        if facts.effect == Effect::Read {
            self.programs.extend(facts.programs.iter().map(String::as_str));
        }
    }

    fn check_of(&self, change: &CallFacts) -> Option<Check> {
        let any = |set: &HashSet<&str>| change.targets.iter().any(|name| set.contains(name));
        let shell = change.kind == ToolKind::Shell;
        let file = shell || matches!(change.kind, ToolKind::Write | ToolKind::Edit);
        if any(&self.read) {
            Some(Check::ReadBack)
        } else if file && self.tested {
            Some(Check::Tested)
        } else if any(&self.ran) {
            Some(Check::Ran)
        } else if file && self.programs.contains("git")
            || shell && (self.listed || change.programs.iter().any(|p| self.programs.contains(p.as_str())))
        {
            Some(Check::LookedAt)
        } else {
            None
        }
    }
}

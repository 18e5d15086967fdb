//! Attempts at a case, and what they come to.

use crate::case::{Case, EvalType};
use crate::edd::Event;
use crate::json::Json;
use crate::stats::{flap_rate, pass_at_k, pass_hat_k, wilson};
use crate::trajectory::Trajectory;
use crate::verdict::{Check, Difference, Flag, Status, Verdict};

/// One attempt at a case.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Attempt {
    /// Passed, failed, unchecked; or errored: it could not run, so it says nothing about the agent.
    pub status: Status,
    /// Why it errored.
    pub error: Option<String>,
    /// The checks, if it ran.
    pub checks: Vec<Check>,
    /// What else to know about the verdict.
    pub flags: Vec<Flag>,
    /// Where openclaw-edd would differ.
    pub differences: Vec<Difference>,
    /// Failure lines.
    pub failures: Vec<String>,
    /// The answer.
    pub final_output: String,
    /// Names of the tools called, in order.
    pub tool_names: Vec<String>,
    /// Events, for reports and traces.
    pub events: Vec<Event>,
    /// Seconds.
    pub duration_s: f64,
    /// The session.
    pub session_id: Option<String>,
    /// When, as recorded.
    pub timestamp: String,
    /// The model.
    pub model: String,
    /// Its provider.
    pub provider: String,
    /// Tokens read, if known.
    pub input_tokens: Option<u64>,
    /// Tokens written, if known.
    pub output_tokens: Option<u64>,
    /// Cost, if known.
    pub cost: Option<f64>,
}

impl Attempt {
    fn blank(status: Status) -> Self {
        Self {
            status,
            error: None,
            checks: Vec::new(),
            flags: Vec::new(),
            differences: Vec::new(),
            failures: Vec::new(),
            final_output: String::new(),
            tool_names: Vec::new(),
            events: Vec::new(),
            duration_s: 0.0,
            session_id: None,
            timestamp: String::new(),
            model: String::new(),
            provider: String::new(),
            input_tokens: None,
            output_tokens: None,
            cost: None,
        }
    }

    /// An attempt that ran.
    #[must_use]
    pub fn judged(verdict: Verdict, trajectory: &Trajectory) -> Self {
        Self {
            failures: verdict.failures(),
            checks: verdict.checks,
            flags: verdict.flags,
            differences: verdict.differences,
            final_output: trajectory.final_output.clone().unwrap_or_default(),
            tool_names: trajectory.tool_names().map(str::to_owned).collect(),
            events: trajectory.events(),
            duration_s: trajectory.duration_s.unwrap_or(0.0),
            session_id: trajectory.session_id.clone(),
            timestamp: trajectory.started.clone().unwrap_or_default(),
            model: trajectory.model.clone().unwrap_or_default(),
            provider: trajectory.provider.clone().unwrap_or_default(),
            input_tokens: trajectory.input_tokens,
            output_tokens: trajectory.output_tokens,
            cost: trajectory.cost,
            ..Self::blank(verdict.status)
        }
    }

    /// An attempt that could not run.
    #[must_use]
    pub fn errored(error: impl Into<String>, duration_s: f64) -> Self {
        Self { error: Some(error.into()), duration_s, ..Self::blank(Status::Errored) }
    }

    /// An attempt read back from a report of openclaw-edd.
    #[must_use]
    pub fn recorded(passed: bool, failures: Vec<String>) -> Self {
        Self { failures, ..Self::blank(if passed { Status::Passed } else { Status::Failed }) }
    }
}

/// A case with its attempts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CaseResult {
    /// The case as written, with openclaw-edd's defaults.
    pub case: Json,
    /// Its id.
    pub id: String,
    /// What it is for.
    pub eval_type: EvalType,
    /// The request.
    pub message: String,
    /// The attempts in order.
    pub attempts: Vec<Attempt>,
    /// How many attempts were asked for.
    pub k: u32,
}

impl CaseResult {
    /// The result of a case's attempts.
    #[must_use]
    pub fn new(case: &Case, attempts: Vec<Attempt>) -> Self {
        Self {
            case: crate::report::edd_case(case),
            id: case.id.clone(),
            eval_type: case.eval_type.clone(),
            message: case.message.clone(),
            attempts,
            k: case.pass_at_k,
        }
    }

    /// Passed if any attempt passed; errored if none could run; unchecked if nothing was asserted; else failed.
    #[must_use]
    pub fn status(&self) -> Status {
        let any = |status| self.attempts.iter().any(|a| a.status == status);
        if any(Status::Passed) {
            Status::Passed
        } else if any(Status::Failed) {
            Status::Failed
        } else if any(Status::Unchecked) {
            Status::Unchecked
        } else {
            Status::Errored
        }
    }

    /// Attempts that ran and were judged.
    #[must_use]
    pub fn judged(&self) -> u32 {
        self.count(|s| matches!(s, Status::Passed | Status::Failed))
    }

    /// Attempts that passed.
    #[must_use]
    pub fn passes(&self) -> u32 {
        self.count(|s| s == Status::Passed)
    }

    /// Attempts that could not run.
    #[must_use]
    pub fn errors(&self) -> u32 {
        self.count(|s| s == Status::Errored)
    }

    fn count(&self, which: impl Fn(Status) -> bool) -> u32 {
        u32::try_from(self.attempts.iter().filter(|a| which(a.status)).count()).unwrap_or(u32::MAX)
    }

    /// The attempt that stands for the case: the first that passed, else the last that ran, else the last.
    #[must_use]
    pub fn representative(&self) -> Option<&Attempt> {
        let passed = self.attempts.iter().find(|a| a.status == Status::Passed);
        passed
            .or_else(|| self.attempts.iter().rev().find(|a| a.status != Status::Errored))
            .or_else(|| self.attempts.last())
    }

    /// pass@k over the attempts that ran: `None` where fewer than `k` did.
    #[must_use]
    pub fn pass_at_k(&self, k: u32) -> Option<f64> {
        pass_at_k(self.judged(), self.passes(), k)
    }

    /// pass^k over the attempts that ran.
    #[must_use]
    pub fn pass_hat_k(&self, k: u32) -> Option<f64> {
        pass_hat_k(self.judged(), self.passes(), k)
    }

    /// The 95 % interval of the pass rate.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        wilson(self.passes(), self.judged())
    }

    /// How often the result changed between attempts that ran.
    #[must_use]
    pub fn flap_rate(&self) -> Option<f64> {
        let results: Vec<bool> = self
            .attempts
            .iter()
            .filter(|a| matches!(a.status, Status::Passed | Status::Failed))
            .map(|a| a.status == Status::Passed)
            .collect();
        flap_rate(&results)
    }

    /// Passed in some attempts and failed in others.
    #[must_use]
    pub fn is_flaky(&self) -> bool {
        let (passes, judged) = (self.passes(), self.judged());
        passes > 0 && passes < judged
    }

    /// What a reader should be told besides the verdict.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut out = Vec::new();
        let (errors, judged) = (self.errors(), self.judged());
        if errors > 0 && judged > 0 {
            out.push(format!(
                "{errors} of {} attempts could not run; the verdict rests on {judged}",
                self.attempts.len()
            ));
        }
        if self.is_flaky() {
            out.push(format!("flaky: {} of {judged} attempts passed", self.passes()));
        }
        if let Some(attempt) = self.representative() {
            for flag in &attempt.flags {
                out.push(
                    match flag {
                        Flag::NoAssertions => "nothing is asserted, so nothing was checked",
                        Flag::NoAgentOutput => "the agent did nothing at all, and the case only forbids",
                        Flag::Vacuous => "an assertion had nothing to apply to",
                    }
                    .to_owned(),
                );
            }
        }
        out
    }
}

/// All results of a run.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Run {
    /// The results in the order of the suite.
    pub results: Vec<CaseResult>,
}

/// What decides about the exit code of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExitPolicy {
    /// A failed capability case counts as a failure.
    pub fail_capability: bool,
    /// An unchecked case is bad input.
    pub fail_unchecked: bool,
}

impl ExitPolicy {
    /// Nothing but failed regression cases fails a run.
    #[must_use]
    pub const fn new() -> Self {
        Self { fail_capability: false, fail_unchecked: false }
    }

    /// With failed capability cases counted or not.
    #[must_use]
    pub const fn capability(mut self, on: bool) -> Self {
        self.fail_capability = on;
        self
    }

    /// With unchecked cases refused or not.
    #[must_use]
    pub const fn unchecked(mut self, on: bool) -> Self {
        self.fail_unchecked = on;
        self
    }
}

impl Run {
    /// A run of these results.
    #[must_use]
    pub const fn new(results: Vec<CaseResult>) -> Self {
        Self { results }
    }

    /// How many results have that status.
    #[must_use]
    pub fn count(&self, status: Status) -> usize {
        self.results.iter().filter(|r| r.status() == status).count()
    }

    /// The exit code: 0 all passed, 1 a regression case (or one of another type than capability) failed, 2 bad input
    /// (unchecked cases, if the policy refuses them), 3 nothing matched, 4 could not run. The gravest wins: 2, 4, 1.
    ///
    /// A failed capability case alone is 0: it is a climb.
    #[must_use]
    pub fn exit_code(&self, policy: ExitPolicy) -> u8 {
        if self.results.is_empty() {
            return 3;
        }
        if policy.fail_unchecked && self.count(Status::Unchecked) > 0 {
            return 2;
        }
        if self.count(Status::Errored) > 0 {
            return 4;
        }
        let failed = |r: &&CaseResult| {
            r.status() == Status::Failed && (policy.fail_capability || r.eval_type != EvalType::Capability)
        };
        u8::from(self.results.iter().any(|r| failed(&r)))
    }

    /// The results by type: regression first, then capability, then other types by name.
    #[must_use]
    pub fn by_type(&self) -> Vec<(EvalType, Vec<&CaseResult>)> {
        let mut groups: std::collections::BTreeMap<EvalType, Vec<&CaseResult>> =
            std::collections::BTreeMap::new();
        for result in &self.results {
            groups.entry(result.eval_type.clone()).or_default().push(result);
        }
        groups.into_iter().collect()
    }

    /// `PASS 3/3 (100.0%)`, `FAIL 2/3 (66.7%)`; cases that errored or are unchecked are named after it.
    #[must_use]
    pub fn summary_line(&self) -> String {
        let (passed, all) = (self.count(Status::Passed), self.results.len());
        let word = if passed == all && all > 0 { "PASS" } else { "FAIL" };
        let mut out = format!("{word} {passed}/{all} ({:.1}%)", crate::stats::share(passed, all) * 100.0);
        for (status, name) in [(Status::Errored, "errored"), (Status::Unchecked, "unchecked")] {
            let count = self.count(status);
            if count > 0 {
                out.push_str(&format!(", {count} {name}"));
            }
        }
        out
    }
}

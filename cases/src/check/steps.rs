//! Checks about tool calls: presence, order, arguments, whole trajectories.

use std::collections::BTreeSet;

use super::{Checker, listed};
use crate::align::{Alignment, Labels, in_order, without_order};
use crate::assertion::{StepPattern, TrajectoryMode, TrajectorySpec};
use crate::case::Case;
use crate::detail::{Detail, Part};
use crate::json::Json;
use crate::matching::{Pairing, ordered, unordered};
use crate::text::quote;
use crate::trajectory::Outcome;
use crate::verdict::{Check, Explanation, NearMiss};

struct StepLabels<'l, 't> {
    checker: &'l Checker<'t>,
    steps: &'l [StepPattern],
}

impl Labels for StepLabels<'_, '_> {
    fn expected(&self, at: usize) -> String {
        self.steps.get(at).map(|s| quote(&s.label(), 100)).unwrap_or_default()
    }

    fn actual(&self, at: usize) -> String {
        self.checker.label(at)
    }

    fn entry(&self, at: usize) -> Option<String> {
        self.checker.entry(at)
    }
}

impl<'t> Checker<'t> {
    fn names(&self) -> Vec<String> {
        self.steps().iter().map(|s| s.tool.clone()).collect()
    }

    /// Names of the calls for a message: each once, with a count, at most twenty.
    fn called(&self) -> String {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for step in self.steps() {
            match counts.iter_mut().find(|(name, _)| *name == step.tool) {
                Some((_, n)) => *n += 1,
                None => counts.push((&step.tool, 1)),
            }
        }
        let more = counts.len().saturating_sub(20);
        let mut out: Vec<String> = counts
            .iter()
            .take(20)
            .map(|(name, n)| if *n == 1 { quote(name, 40) } else { format!("{} x{n}", quote(name, 40)) })
            .collect();
        if more > 0 {
            out.push(format!("{more} more"));
        }
        if out.is_empty() { "no calls".to_owned() } else { out.join(", ") }
    }

    fn pair(&self, case: &Case, steps: &[StepPattern]) -> Pairing {
        unordered(steps.len(), |expected| {
            steps.get(expected).into_iter().flat_map(move |pattern| {
                let calls = self.calls_of(pattern.tool.as_deref());
                calls.filter(move |&call| self.fits(case, pattern, call))
            })
        })
    }

    fn pair_in_order(&self, case: &Case, steps: &[StepPattern]) -> Pairing {
        ordered(steps.len(), self.groups(), &|e, a| {
            steps.get(e).is_some_and(|pattern| self.fits(case, pattern, a))
        })
    }

    fn align(&self, case: &Case, steps: &[StepPattern], extra_counts: bool) -> Alignment {
        let fits = |e: usize, a: usize| steps.get(e).is_some_and(|pattern| self.fits(case, pattern, a));
        in_order(steps.len(), self.groups(), extra_counts, &fits, &self.labels(steps), self.limits())
    }

    fn align_loose(&self, pairing: &Pairing, steps: &[StepPattern], extra: bool, missing: bool) -> Alignment {
        without_order(pairing, self.steps().len(), extra, missing, &self.labels(steps))
    }

    fn labels<'l>(&'l self, steps: &'l [StepPattern]) -> StepLabels<'l, 't> {
        StepLabels { checker: self, steps }
    }

    /// The call that comes closest to an expected step without a call: of the right tool, with the fewest faults, and of
    /// those the most alike. Its place is a fault where steps have an order.
    fn near_miss(
        &self,
        case: &Case,
        steps: &[StepPattern],
        missing: usize,
        pairing: &Pairing,
        has_order: bool,
    ) -> Option<NearMiss> {
        let pattern = steps.get(missing)?;
        let before = missing.checked_sub(1).filter(|_| has_order);
        let before = before.and_then(|step| Some((step, pairing.calls.get(step).copied().flatten()?)));
        let group = |at: usize| self.groups().get(at).copied();
        let owner = |at: usize| pairing.calls.iter().position(|call| *call == Some(at));
        let tie = |at: &usize, faults: &[String]| {
            (faults.len(), owner(*at).is_some(), std::cmp::Reverse(self.likeness(pattern, *at)), *at)
        };
        let best = self
            .calls_of(pattern.tool.as_deref())
            .take(1000)
            .map(|at| {
                let mut faults = self.faults(case, pattern, at);
                if let Some(step) = owner(at) {
                    faults.push(format!("it is already paired with expected step {}", step + 1));
                } else if let Some((step, call)) = before.filter(|&(_, call)| group(at) <= group(call)) {
                    let (call, step) = (call + 1, step + 1);
                    faults
                        .push(format!("it comes too early: call #{call} is taken for expected step {step}"));
                }
                (at, faults)
            })
            .filter(|(_, faults)| !faults.is_empty())
            .min_by_key(|(at, faults)| tie(at, faults));
        let near = |at: usize, because: Vec<String>| NearMiss {
            expected: quote(&pattern.label(), 120),
            actual: format!("#{} {}", at + 1, self.label(at)),
            because,
            entry: self.entry(at),
        };
        if let Some((at, because)) = best {
            return Some(near(at, because));
        }
        let wanted = pattern.tool.as_deref()?;
        let names = self.names();
        let name = crate::text::nearest(wanted, names.iter().map(String::as_str))
            .or_else(|| names.iter().map(String::as_str).find(|n| n.eq_ignore_ascii_case(wanted)))?;
        let at = names.iter().position(|n| n == name)?;
        Some(near(at, vec![format!("the tool is named `{}`", quote(name, 60))]))
    }

    pub(super) fn tools(&self, case: &Case, steps: &[StepPattern]) -> Check {
        const KEY: &str = "expect_tools";
        let pairing = self.pair(case, steps);
        let missing: Vec<&StepPattern> =
            steps.iter().zip(&pairing.calls).filter(|(_, call)| call.is_none()).map(|(s, _)| s).collect();
        let mut check = Check::new(KEY, "tool_called", missing.is_empty());
        let labels: Vec<String> = missing.iter().map(|s| s.label()).collect();
        check.detail.put("expected", case.listed(KEY, steps.iter().map(StepPattern::shown)));
        check.detail.set("missing", Json::strings(labels.clone()));
        let paired = pairing.calls.iter().flatten().filter_map(|&at| self.step(at));
        check.detail.put("outcomes", Part::Words(paired.map(|s| s.outcome.as_str()).collect()));
        if !missing.is_empty() {
            check.message =
                format!("Missing required tool calls: {} (called: {})", listed(&labels), self.called());
            let near_miss =
                pairing.first_missing().and_then(|at| self.near_miss(case, steps, at, &pairing, false));
            let entries = self.entries(pairing.calls.iter().flatten().copied());
            let alignment = Some(self.align_loose(&pairing, steps, false, true));
            return check.explained(Explanation { alignment, near_miss, entries, notes: Vec::new() });
        }
        check
    }

    pub(super) fn tools_ordered(&self, case: &Case, steps: &[StepPattern], strict: bool) -> Check {
        const KEY: &str = "expect_tools_ordered";
        let pairing = self.pair_in_order(case, steps);
        let extra = self.steps().len().saturating_sub(pairing.count());
        let passed = pairing.is_complete() && (!strict || extra == 0);
        let mut check = Check::new(KEY, "tool_ordered", passed);
        check.detail.put("expected", case.listed(KEY, steps.iter().map(StepPattern::shown)));
        check.detail.set("strict", strict.into());
        check.detail.set("first_missing", pairing.first_missing().into());
        if passed {
            return check;
        }
        let way = if strict { " (strict)" } else { "" };
        check.message = match pairing.first_missing() {
            Some(at) => format!(
                "Tool order mismatch{way}: expected step {} (index {at}) `{}` is not reached; {} of {} in order (called: {})",
                at + 1,
                steps.get(at).map(|s| quote(&s.label(), 100)).unwrap_or_default(),
                at,
                steps.len(),
                self.called()
            ),
            None => format!(
                "Tool order mismatch{way}: {extra} calls more than expected (called: {})",
                self.called()
            ),
        };
        let near_miss =
            pairing.first_missing().and_then(|at| self.near_miss(case, steps, at, &pairing, true));
        let alignment = self.align(case, steps, strict);
        let entries = self.entries(pairing.calls.iter().flatten().copied());
        check.explained(Explanation { alignment: Some(alignment), near_miss, entries, notes: Vec::new() })
    }

    pub(super) fn forbidden_tools(&self, case: &Case, steps: &[StepPattern]) -> Check {
        const KEY: &str = "forbidden_tools";
        let violations: Vec<(String, usize)> = steps
            .iter()
            .flat_map(|pattern| {
                self.calls_of(pattern.tool.as_deref())
                    .filter(|&at| self.fits(case, pattern, at))
                    .map(|at| (pattern.label(), at))
            })
            .collect();
        let mut check = Check::new(KEY, KEY, violations.is_empty());
        let mut named: Vec<String> = Vec::new();
        for (label, _) in &violations {
            if !named.contains(label) {
                named.push(label.clone());
            }
        }
        check.detail.put("expected", case.listed(KEY, steps.iter().map(StepPattern::shown)));
        check.detail.set("violations", Json::strings(named.clone()));
        if violations.is_empty() {
            return check;
        }
        check.message = format!("Forbidden tool was called: {}", listed(&named));
        let notes = self.attempts(violations.iter().map(|&(_, at)| at));
        let entries = self.entries(violations.iter().map(|&(_, at)| at));
        check.explained(Explanation { entries, notes, ..Explanation::default() })
    }

    pub(super) fn attempts(&self, calls: impl Iterator<Item = usize>) -> Vec<String> {
        // A call that breaks several things is one line.
        let mut seen = BTreeSet::new();
        let calls: Vec<usize> = calls.filter(|&call| seen.insert(call)).collect();
        let mut out: Vec<String> = calls
            .iter()
            .take(5)
            .map(|&at| {
                let ran = match self.step(at).map(|s| s.outcome) {
                    Some(Outcome::Blocked | Outcome::Unfinished) => " - attempted",
                    _ => "",
                };
                format!("#{} {}{ran}", at + 1, self.label(at))
            })
            .collect();
        if calls.len() > 5 {
            out.push(format!("… {} more", calls.len() - 5));
        }
        out
    }

    pub(super) fn allowed_tools(&self, names: &[String]) -> Check {
        let others: Vec<usize> = self
            .steps()
            .iter()
            .enumerate()
            .filter(|(_, step)| !names.contains(&step.tool))
            .map(|(at, _)| at)
            .collect();
        let mut check = Check::new("allowed_tools", "allowed_tools", others.is_empty());
        let mut named: Vec<String> = Vec::new();
        for step in others.iter().filter_map(|&at| self.step(at)) {
            if !named.contains(&step.tool) {
                named.push(step.tool.clone());
            }
        }
        check.detail.set("expected", Json::strings(names.iter().cloned()));
        check.detail.set("violations", Json::strings(named.clone()));
        if others.is_empty() {
            return check;
        }
        check.message = format!("Tools outside the allowed ones were called: {}", listed(&named));
        let notes = self.attempts(others.iter().copied());
        let entries = self.entries(others);
        check.explained(Explanation { entries, notes, ..Explanation::default() })
    }

    pub(super) fn tool_args(&self, case: &Case, steps: &[StepPattern]) -> Check {
        let pairing = self.pair(case, steps);
        let mut check = Check::new("expect_tool_args", "tool_args", pairing.is_complete());
        check.vacuous = steps.iter().any(StepPattern::is_name_only);
        let mut details: Vec<(String, Detail)> = Vec::with_capacity(steps.len());
        let mut failed: BTreeSet<String> = BTreeSet::new();
        // A pattern that is expected several times is said once.
        let mut messages: Vec<(String, usize)> = Vec::new();
        let mut say = |message: String| match messages.iter_mut().find(|(known, _)| *known == message) {
            Some((_, times)) => *times += 1,
            None => messages.push((message, 1)),
        };
        let mut near = None;
        for (at, (pattern, call)) in steps.iter().zip(&pairing.calls).enumerate() {
            let tool = pattern.tool.clone().unwrap_or_else(|| "*".to_owned());
            let missing_tool = !self.was_called(&tool);
            let mut detail = Detail::of(call.is_some());
            if missing_tool {
                detail.set("missing_tool", true.into());
                say(format!("Tool not called; cannot validate arguments: {}", quote(&tool, 60)));
            } else {
                // Only a failure needs the call that came closest.
                let found =
                    if call.is_none() { self.near_miss(case, steps, at, &pairing, false) } else { None };
                let faults = found.as_ref().map(|n| n.because.join("; ")).unwrap_or_default();
                let args = pattern
                    .args
                    .iter()
                    .map(|(key, value)| {
                        let matches_one = || {
                            let only = StepPattern::tool(tool.clone())
                                .with_args(std::iter::once((key.clone(), value.clone())).collect());
                            self.calls_of(Some(&tool)).any(|at| self.fits(case, &only, at))
                        };
                        let mut entry = Detail::default();
                        entry.set("expected", Json::from(value));
                        entry.set("matched", (call.is_some() || matches_one()).into());
                        (key.clone(), entry)
                    })
                    .collect();
                detail.put("args", Part::Details(args));
                if call.is_none() {
                    say(format!("Tool argument mismatch: {} ({faults})", quote(&pattern.label(), 140)));
                    near = near.or(found);
                }
            }
            // Of several patterns for one tool one is shown: the first that fails, else the last.
            match details.iter_mut().find(|(known, _)| *known == tool) {
                Some(_) if failed.contains(&tool) => {}
                Some((_, old)) => *old = detail,
                None => details.push((tool.clone(), detail)),
            }
            if call.is_none() {
                failed.insert(tool);
            }
        }
        check.detail.put("details", Part::Details(details));
        if check.passed {
            return check;
        }
        let times = |(message, times): (String, usize)| match times {
            1 => message,
            _ => format!("{message} x{times}"),
        };
        check.message = messages.into_iter().map(times).collect::<Vec<_>>().join("; ");
        let entries = near.as_ref().and_then(|n| n.entry.clone()).into_iter().collect();
        check.explained(Explanation { near_miss: near, entries, ..Explanation::default() })
    }

    pub(super) fn trajectories(&self, case: &Case, specs: &[TrajectorySpec]) -> Check {
        let results: Vec<(bool, Alignment, Pairing)> =
            specs.iter().map(|s| self.one_trajectory(case, s)).collect();
        let held = results.iter().position(|(passed, ..)| *passed);
        let mut check = Check::new("trajectory", "trajectory", held.is_some());
        check.detail.set("matched_trajectory", held.into());
        check.detail.set("modes", Json::strings(specs.iter().map(|s| s.mode.as_str())));
        if held.is_some() {
            return check;
        }
        // The nearest alternative is the one with the fewest edits.
        let nearest = results.iter().enumerate().min_by_key(|(at, (_, alignment, _))| (alignment.edits, *at));
        if let Some((at, (_, alignment, pairing))) = nearest {
            let spec = specs.get(at);
            let mode = spec.map_or("strict", |s| s.mode.as_str());
            let of = if specs.len() > 1 {
                format!(" (nearest of {} alternatives)", specs.len())
            } else {
                String::new()
            };
            check.message = format!(
                "Trajectory mismatch ({mode}): {} of {} expected steps matched, {} edit{} away{of} (called: {})",
                alignment.matched,
                alignment.expected,
                alignment.edits,
                if alignment.edits == 1 { "" } else { "s" },
                self.called()
            );
            // Where steps may be missing, none of them is the fault.
            let spec = spec.filter(|spec| spec.mode != TrajectoryMode::Subset);
            let near_miss = spec
                .zip(pairing.first_missing())
                .and_then(|(spec, at)| self.near_miss(case, &spec.steps, at, pairing, spec.mode.has_order()));
            let entries = self.entries(alignment.rows.iter().filter_map(|r| r.actual));
            check.explanation = Some(Box::new(Explanation {
                alignment: Some(alignment.clone()),
                near_miss,
                entries,
                notes: Vec::new(),
            }));
        }
        check
    }

    fn one_trajectory(&self, case: &Case, spec: &TrajectorySpec) -> (bool, Alignment, Pairing) {
        let calls = self.steps().len();
        let pairing = if spec.mode.has_order() {
            self.pair_in_order(case, &spec.steps)
        } else {
            self.pair(case, &spec.steps)
        };
        let all = pairing.is_complete();
        let no_others = pairing.count() == calls;
        let passed = match spec.mode {
            TrajectoryMode::Strict | TrajectoryMode::Unordered => all && no_others,
            TrajectoryMode::Ordered | TrajectoryMode::Superset => all,
            TrajectoryMode::Subset => no_others,
        };
        let alignment = match spec.mode {
            _ if passed => Alignment::default(),
            TrajectoryMode::Strict => self.align(case, &spec.steps, true),
            TrajectoryMode::Ordered => self.align(case, &spec.steps, false),
            TrajectoryMode::Unordered => self.align_loose(&pairing, &spec.steps, true, true),
            TrajectoryMode::Superset => self.align_loose(&pairing, &spec.steps, false, true),
            TrajectoryMode::Subset => self.align_loose(&pairing, &spec.steps, true, false),
        };
        (passed, alignment, pairing)
    }
}

//! Two runs side by side: what changed, and whether the difference is one.

use std::collections::BTreeMap;

use crate::case::EvalType;
use crate::json::Json;
use crate::runs::{CaseResult, Run};
use crate::stats::{share, sign_test};
use crate::text::quote;
use crate::verdict::Status;

/// What became of a case between two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Change {
    /// Passed before, fails now.
    Broken,
    /// Failed before, passes now.
    Fixed,
    /// Passed in some attempts of a run and failed in others.
    Flaky,
    /// Could not run, or was not checked, on one side: no comparison.
    NotComparable,
    /// Only in the second run.
    New,
    /// Only in the first run.
    Removed,
    /// The same result.
    Unchanged,
}

impl Change {
    /// The word used in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Fixed => "fixed",
            Self::Flaky => "flaky",
            Self::NotComparable => "not comparable",
            Self::New => "new",
            Self::Removed => "removed",
            Self::Unchanged => "unchanged",
        }
    }
}

/// One case in both runs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CaseChange {
    /// The case.
    pub id: String,
    /// What became of it.
    pub change: Change,
    /// The result before.
    pub before: Option<Status>,
    /// The result now.
    pub after: Option<Status>,
    /// The tools before and now, if they differ.
    pub tools: Option<(Vec<String>, Vec<String>)>,
    /// The first failure line of the side that failed.
    pub reason: Option<String>,
}

/// What can be said about the difference as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// More cases were fixed than broken, beyond chance (p < 0.05).
    Better,
    /// More cases were broken than fixed, beyond chance.
    Worse,
    /// The change may be chance.
    NoClearDifference,
    /// No case can be compared.
    NothingToCompare,
}

impl Answer {
    /// The words used in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::NoClearDifference => "no clear difference",
            Self::NothingToCompare => "nothing to compare",
        }
    }
}

/// Two runs compared case by case.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// The cases: broken first, then fixed, flaky, not comparable, new, removed, unchanged; inside each in the order of
    /// the second run, removed ones in the order of the first.
    pub cases: Vec<CaseChange>,
    /// Cases fixed and cases broken, by their verdicts.
    pub fixed: u32,
    /// Cases broken.
    pub broken: u32,
    /// The exact two-sided sign test over fixed and broken cases.
    pub p_value: f64,
    /// The answer.
    pub answer: Answer,
    /// Passed and all cases before, of each type.
    pub rates: BTreeMap<EvalType, [(usize, usize); 2]>,
    /// Ids that occur more than once in one of the runs: the last one was compared.
    pub repeated: Vec<String>,
}

fn index<'r>(run: &'r Run, repeated: &mut Vec<String>) -> BTreeMap<&'r str, &'r CaseResult> {
    let mut out = BTreeMap::new();
    for result in &run.results {
        if out.insert(result.id.as_str(), result).is_some() && !repeated.contains(&result.id) {
            repeated.push(result.id.clone());
        }
    }
    out
}

fn change(before: &CaseResult, after: &CaseResult) -> Change {
    if before.is_flaky() || after.is_flaky() {
        return Change::Flaky;
    }
    match (before.status(), after.status()) {
        (Status::Passed, Status::Failed) => Change::Broken,
        (Status::Failed, Status::Passed) => Change::Fixed,
        (Status::Passed, Status::Passed) | (Status::Failed, Status::Failed) => Change::Unchanged,
        (a, b) if a == b => Change::Unchanged,
        _ => Change::NotComparable,
    }
}

impl Comparison {
    /// Compares two runs by case id. O(n log n).
    #[must_use]
    pub fn of(before: &Run, after: &Run) -> Self {
        let mut repeated = Vec::new();
        let (old, new) = (index(before, &mut repeated), index(after, &mut repeated));
        let mut cases = Vec::new();
        let mut done = std::collections::BTreeSet::new();
        for result in &after.results {
            let Some(now) = new.get(result.id.as_str()) else { continue };
            if !done.insert(result.id.as_str()) {
                continue;
            }
            cases.push(match old.get(result.id.as_str()) {
                Some(then) => pair(then, now),
                None => single(now, Change::New),
            });
        }
        for result in &before.results {
            if !new.contains_key(result.id.as_str())
                && done.insert(result.id.as_str())
                && let Some(then) = old.get(result.id.as_str())
            {
                cases.push(single(then, Change::Removed));
            }
        }
        cases.sort_by_key(|c| c.change);
        let counted =
            |change| u32::try_from(cases.iter().filter(|c| c.change == change).count()).unwrap_or(u32::MAX);
        let (fixed, broken) = (counted(Change::Fixed), counted(Change::Broken));
        let p_value = sign_test(fixed, broken);
        let compared = cases
            .iter()
            .any(|c| matches!(c.change, Change::Fixed | Change::Broken | Change::Unchanged | Change::Flaky));
        let answer = match (compared, p_value < 0.05) {
            (false, _) => Answer::NothingToCompare,
            (true, false) => Answer::NoClearDifference,
            (true, true) if fixed > broken => Answer::Better,
            (true, true) => Answer::Worse,
        };
        let mut rates: BTreeMap<EvalType, [(usize, usize); 2]> = BTreeMap::new();
        for (side, run) in [before, after].into_iter().enumerate() {
            for result in &run.results {
                let slots = rates.entry(result.eval_type.clone()).or_default();
                if let Some((passed, all)) = slots.get_mut(side) {
                    *all += 1;
                    *passed += usize::from(result.status() == Status::Passed);
                }
            }
        }
        Self { cases, fixed, broken, p_value, answer, rates, repeated }
    }

    /// As text: rates by type, the answer, then every case that is not unchanged. O(cases).
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        // A side without a case has no rate, which is not the rate of one where nothing passed.
        let rate = |passed, all| match all {
            0 => "no cases".to_owned(),
            _ => super::report::percent(passed, all),
        };
        for (eval_type, [(was, of), (is, now)]) in &self.rates {
            out.push_str(&format!(
                "{}: {} → {} ({was}/{of} → {is}/{now})\n",
                quote(eval_type.as_str(), 40),
                rate(*was, *of),
                rate(*is, *now),
            ));
        }
        out.push_str(&format!(
            "{}: {} fixed, {} broken (sign test p = {:.3})\n",
            self.answer.as_str(),
            self.fixed,
            self.broken,
            self.p_value
        ));
        let unchanged = self.cases.iter().filter(|c| c.change == Change::Unchanged).count();
        for case in self.cases.iter().filter(|c| c.change != Change::Unchanged) {
            let side = |s: Option<Status>| s.map_or("absent", Status::as_str);
            out.push_str(&format!(
                "  {:<14} {}  ({} → {})\n",
                case.change.as_str(),
                quote(&case.id, 80),
                side(case.before),
                side(case.after)
            ));
            if let Some((before, after)) = &case.tools {
                out.push_str(&format!(
                    "    tools: {} → {}\n",
                    quote(&before.join(", "), 200),
                    quote(&after.join(", "), 200)
                ));
            }
            if let Some(reason) = &case.reason {
                out.push_str(&format!("    {}\n", quote(reason, 300)));
            }
        }
        if unchanged > 0 {
            out.push_str(&format!("  {unchanged} unchanged\n"));
        }
        for id in &self.repeated {
            out.push_str(&format!(
                "  ⚠ id {} occurs more than once in a run; the last one was compared\n",
                quote(id, 80)
            ));
        }
        out
    }

    /// As JSON: `answer`, `fixed`, `broken`, `p_value`, `rates` by type (0 to 1; null for a side without a case of the
    /// type), `cases` and `repeated_ids`. O(cases).
    #[must_use]
    pub fn to_json(&self) -> Json {
        let side = |s: Option<Status>| Json::from(s.map(Status::as_str));
        let rate = |passed, all| (all > 0).then(|| share(passed, all));
        let cases = self
            .cases
            .iter()
            .map(|c| {
                let mut out = Json::object([
                    ("id", c.id.as_str().into()),
                    ("change", c.change.as_str().into()),
                    ("before", side(c.before)),
                    ("after", side(c.after)),
                ]);
                if let Some((before, after)) = &c.tools {
                    out.set("tools_before", Json::strings(before.clone()));
                    out.set("tools_after", Json::strings(after.clone()));
                }
                if let Some(reason) = &c.reason {
                    out.set("reason", quote(reason, 600).into());
                }
                out
            })
            .collect();
        let rates = self
            .rates
            .iter()
            .map(|(t, [(was, of), (is, now)])| {
                let value = Json::object([
                    ("before", rate(*was, *of).into()),
                    ("after", rate(*is, *now).into()),
                    ("cases_before", (*of).into()),
                    ("cases_after", (*now).into()),
                ]);
                (t.as_str().to_owned(), value)
            })
            .collect();
        Json::object([
            ("answer", self.answer.as_str().into()),
            ("fixed", u64::from(self.fixed).into()),
            ("broken", u64::from(self.broken).into()),
            ("p_value", self.p_value.into()),
            ("rates", Json::Object(rates)),
            ("cases", Json::Array(cases)),
            ("repeated_ids", Json::strings(self.repeated.clone())),
        ])
    }
}

fn pair(then: &CaseResult, now: &CaseResult) -> CaseChange {
    let names = |r: &CaseResult| r.representative().map(|a| a.tool_names.clone()).unwrap_or_default();
    let (before, after) = (names(then), names(now));
    let failed = [now, then].into_iter().find(|r| r.status() != Status::Passed);
    CaseChange {
        id: now.id.clone(),
        change: change(then, now),
        before: Some(then.status()),
        after: Some(now.status()),
        tools: (before != after).then_some((before, after)),
        reason: failed.and_then(first_reason),
    }
}

fn first_reason(result: &CaseResult) -> Option<String> {
    let shown = result.representative()?;
    shown.failures.first().cloned().or_else(|| shown.error.clone())
}

fn single(result: &CaseResult, change: Change) -> CaseChange {
    let status = Some(result.status());
    let removed = change == Change::Removed;
    CaseChange {
        id: result.id.clone(),
        change,
        before: status.filter(|_| removed),
        after: status.filter(|_| !removed),
        tools: None,
        reason: if result.status() == Status::Passed { None } else { first_reason(result) },
    }
}

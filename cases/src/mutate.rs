//! How strong are these assertions? Changes a passing trajectory and looks which changes a case does not notice.

use serde_json::Value;

use crate::case::{Case, Semantics};
use crate::check::Checker;
use crate::tools::Aliases;
use crate::trajectory::{Outcome, Trajectory};

/// One way of changing a trajectory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Mutation {
    /// The call is not made.
    Drop,
    /// The call is made twice.
    Repeat,
    /// The call changes places with the next one.
    Swap,
    /// The call fails where it succeeded, or succeeds where it failed.
    FlipOutcome,
    /// One argument has another value.
    ChangeArgument,
    /// The answer is cut in half.
    CutOutput,
    /// There is no answer.
    NoOutput,
}

impl Mutation {
    /// The word used in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::Repeat => "repeat",
            Self::Swap => "swap",
            Self::FlipOutcome => "flip outcome",
            Self::ChangeArgument => "change argument",
            Self::CutOutput => "cut output",
            Self::NoOutput => "no output",
        }
    }
}

/// A changed trajectory.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Mutant {
    /// How it was changed.
    pub mutation: Mutation,
    /// Which call was changed, if one was.
    pub call: Option<usize>,
    /// In words.
    pub label: String,
    /// Whether the case fails on it, as it should.
    pub caught: bool,
}

/// The mutants of a passing trajectory.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Strength {
    /// All mutants, in the order of the calls.
    pub mutants: Vec<Mutant>,
}

impl Strength {
    /// Caught mutants as a share of all; `None` if there was nothing to change.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let caught = self.mutants.iter().filter(|m| m.caught).count();
        (!self.mutants.is_empty()).then(|| crate::stats::share(caught, self.mutants.len()))
    }

    /// The changes that the case does not notice.
    pub fn survivors(&self) -> impl Iterator<Item = &Mutant> {
        self.mutants.iter().filter(|m| !m.caught)
    }
}

/// Measures how strong the assertions of a case are on a trajectory that passes it. `None` if it does not pass.
///
/// At most `most_calls` calls are changed, each in each way: O(changes x cost of one check).
#[must_use]
pub fn strength(
    case: &Case,
    trajectory: &Trajectory,
    aliases: &Aliases,
    semantics: Semantics,
    most_calls: usize,
) -> Option<Strength> {
    let passes = |t: &Trajectory| Checker::with_aliases(t, aliases.clone()).check(case, semantics).passed();
    let mut base = trajectory.clone();
    // Recorded events would hide what is changed below.
    base.recorded = None;
    if !passes(&base) {
        return None;
    }
    let mut out = Strength::default();
    let mut add = |mutation: Mutation, call: Option<usize>, label: String, mutant: &Trajectory| {
        out.mutants.push(Mutant { mutation, call, label, caught: !passes(mutant) });
    };
    for at in 0..base.steps.len().min(most_calls) {
        let Some(step) = base.steps.get(at) else { break };
        let name = format!("#{} {}", at + 1, crate::text::quote(&step.tool, 40));
        let mut dropped = base.clone();
        dropped.steps.remove(at);
        add(Mutation::Drop, Some(at), format!("drop {name}"), &dropped);
        let mut repeated = base.clone();
        repeated.steps.insert(at, step.clone());
        add(Mutation::Repeat, Some(at), format!("repeat {name}"), &repeated);
        // Calls of one message have no order, so changing places is no change there.
        if let Some(next) = base.steps.get(at + 1)
            && next.message != step.message
            && (next.tool != step.tool || next.args != step.args)
        {
            let mut swapped = base.clone();
            swapped.steps.swap(at, at + 1);
            if let Some([a, b]) = swapped.steps.get_mut(at..at + 2) {
                std::mem::swap(&mut a.message, &mut b.message);
            }
            add(Mutation::Swap, Some(at), format!("swap {name} with the next call"), &swapped);
        }
        let mut flipped = base.clone();
        if let Some(changed) = flipped.steps.get_mut(at) {
            changed.outcome = match changed.outcome {
                Outcome::Succeeded => Outcome::Failed,
                _ => Outcome::Succeeded,
            };
        }
        add(Mutation::FlipOutcome, Some(at), format!("flip the outcome of {name}"), &flipped);
        if let Some(keys) = step.args.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>()) {
            for key in keys {
                let mut changed = base.clone();
                if let Some(value) = changed.steps.get_mut(at).and_then(|s| s.args.get_mut(&key)) {
                    *value = other_value(value);
                }
                add(Mutation::ChangeArgument, Some(at), format!("change `{key}` of {name}"), &changed);
            }
        }
    }
    if let Some(output) = base.final_output.as_ref().filter(|o| !o.is_empty()) {
        let mut cut = base.clone();
        cut.final_output = Some(output.chars().take(output.chars().count() / 2).collect());
        add(Mutation::CutOutput, None, "cut the answer in half".to_owned(), &cut);
        let mut none = base.clone();
        none.final_output = None;
        add(Mutation::NoOutput, None, "give no answer".to_owned(), &none);
    }
    Some(out)
}

fn other_value(value: &Value) -> Value {
    match value {
        Value::Number(n) => Value::from(n.as_f64().unwrap_or(0.0) + 1.0),
        Value::Bool(b) => Value::Bool(!b),
        Value::String(_) | Value::Null | Value::Array(_) | Value::Object(_) => {
            Value::String("mutated".to_owned())
        }
    }
}

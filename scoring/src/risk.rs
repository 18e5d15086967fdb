//! The risk that a session failed.

use crate::effort::Effort;
use crate::evidence::Evidence;
use crate::rules::RiskWeights;
use crate::signs::{Flag, SessionKind, SignName, Signs};

/// The risk that a session failed, from 0 to 100, and what it rests on.
///
/// It is the sum of the points of its reasons, at most 100. A sign gives its [strength](crate::Sign::strength) times its
/// whole-number weight; the weights are data in [`Rules`](crate::Rules::risk). It is a *risk*, not a truth.
///
/// # What it knows
/// The default signs and weights were chosen on 7,218 public agent runs with a known outcome and measured on others, as the share
/// of pairs (one failed, one not, of the same source and model) that are told apart; a coin gives .5:
///
/// | measured on | without length | with [`Effort`] |
/// | --- | --- | --- |
/// | other tasks of the same sources (2,870 runs) | .675 \[.64, .71\] | .708 \[.67, .74\] |
/// | other sources (1,408 runs) | .587 \[.55, .62\] | .668 \[.62, .71\] |
/// | both | .648 \[.62, .67\] | .696 \[.66, .72\] |
///
/// By kind of work (without / with length): chat with tools .65 / .71, multi-turn API .66 / .64, tools without a person
/// .59 / .66, code and terminal .65 / .73, search .73 / .71. In the worst quarter of a source and model .74 of the runs failed,
/// against .52 of the rest. The gain is real and modest, and on wholly new sources it is small.
///
/// # What did not transfer
/// Reading after the last change, words of correction by the (simulated) person, a question at the end, handing over to a
/// human, words for parts left over, and the length of the final text: none of them counts. What is worth a look but no points is
/// a [`Flag`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Risk {
    /// From 0 (no sign of failure) to 100, a multiple of a tenth.
    pub value: f64,
    /// Whether the session is a task or a dialogue: some signs count in tasks only.
    pub kind: SessionKind,
    /// What gave points, most first.
    pub reasons: Vec<Reason>,
    /// What to show and not to score.
    pub flags: Vec<Flag>,
}

/// One additive part of a risk.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reason {
    /// The sign.
    pub sign: SignName,
    /// What it adds: more than 0, a multiple of a tenth of a point.
    pub points: f64,
    /// How often runs with the sign failed, against those without, where it was measured for this kind of session.
    pub risk_ratio: Option<f64>,
    /// Where it was found; empty for a sign that is an absence.
    pub evidence: Vec<Evidence>,
}

impl Risk {
    /// Adds up the signs. `effort`: the session among the user's own, when there is a baseline. `O(signs)`.
    #[must_use]
    pub fn new(signs: &Signs, weights: &RiskWeights, effort: Option<Effort>) -> Self {
        let strengths = signs.all.iter().map(|sign| (sign.name, sign.strength, sign.evidence.as_slice()));
        let efforts = [
            (SignName::LongText, effort.map(|effort| effort.chars), &[][..]),
            (SignName::ManyCalls, effort.map(|effort| effort.calls), &[][..]),
        ];
        let mut reasons: Vec<Reason> = strengths
            .chain(efforts)
            .filter_map(|(sign, strength, evidence)| {
                let points = tenths(strength? * f64::from(weights.get(sign)));
                let risk_ratio = sign.risk_ratio(signs.kind);
                (points > 0.0).then(|| Reason { sign, points, risk_ratio, evidence: evidence.to_vec() })
            })
            .collect();
        reasons.sort_by(|a, b| b.points.total_cmp(&a.points).then(a.sign.cmp(&b.sign)));
        // An empty sum of doubles is -0.
        let value = tenths(reasons.iter().fold(0.0, |sum, reason| sum + reason.points)).min(100.0);
        Self { value, kind: signs.kind, reasons, flags: signs.flags.clone() }
    }
}

/// Rounded, so that equal sums in another order are equal.
fn tenths(points: f64) -> f64 {
    (points * 10.0).round() / 10.0
}

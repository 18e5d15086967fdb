//! Risk, work and effort in a record: `profiles.<name>.risk`, `.work` and `.effort`.

use std::ops::RangeInclusive;

use serde::ser::{Serialize, Serializer};

use super::cards::{evidence_value, read_evidence};
use super::{ScoreRecord, count, number_in, score_number};
use crate::effort::{Effort, Work};
use crate::evidence::Evidence;
use crate::json::{Object, Value};
use crate::profile::Profile;
use crate::risk::{Reason, Risk};
use crate::signs::{Flag, SessionKind};

/// Points out of 100.
const POINTS: RangeInclusive<f64> = 0.0..=100.0;

impl ScoreRecord {
    /// The risk that a profile wrote, with its reasons and flags. A sign or flag of a later version that this one does not know
    /// is left out of the lists, as is a reason whose points are no number above 0; the value counts them. A kind of
    /// session that is not known reads as a dialogue. `None`: none, or no number from 0 to 100.
    #[must_use]
    pub fn risk(&self, profile: Profile) -> Option<Risk> {
        let object = self.profile_object(profile)?.get("risk")?.as_object()?;
        let value = risk_number(object)?;
        let text = |object: &Object, name: &str| Some(object.get(name)?.to_js_string());
        let list = |name: &str| object.get(name).and_then(Value::as_array).unwrap_or_default();
        let kind = match text(object, "kind").as_deref() {
            Some("task") => SessionKind::Task,
            _ => SessionKind::Dialogue,
        };
        let reasons = list("reasons").iter().filter_map(|value| {
            let one = value.as_object()?;
            Some(Reason {
                sign: text(one, "sign")?.parse().ok()?,
                points: number_in(one.get("points"), 0.0..=f64::MAX).filter(|points| *points > 0.0)?,
                risk_ratio: number_in(one.get("riskRatio"), 0.0..=f64::MAX),
                evidence: evidence(one),
            })
        });
        let flags = list("flags").iter().filter_map(|value| {
            let one = value.as_object()?;
            Some(Flag { name: text(one, "flag")?.parse().ok()?, evidence: evidence(one) })
        });
        Some(Risk { value, kind, reasons: reasons.collect(), flags: flags.collect() })
    }

    /// The value of the risk alone, from 0 to 100.
    #[must_use]
    pub fn risk_value(&self, profile: Profile) -> Option<f64> {
        risk_number(self.profile_object(profile)?.get("risk")?.as_object()?)
    }

    /// How much the agent wrote and did, as the default profile counted.
    #[must_use]
    pub fn work(&self) -> Option<Work> {
        let object = self.profile_object(Profile::Default)?.get("work")?.as_object()?;
        Some(Work { chars: object.get("chars")?.as_u64()?, calls: object.get("calls")?.as_u64()? })
    }

    /// Where the session stood among the user's own when it was scored. `None`: there was no history, or it cannot be read.
    #[must_use]
    pub fn effort(&self, profile: Profile) -> Option<Effort> {
        let object = self.profile_object(profile)?.get("effort")?.as_object()?;
        Some(Effort {
            chars: score_number(object.get("chars"))?,
            calls: score_number(object.get("calls"))?,
            sessions: object.get("sessions")?.as_u64()?,
        })
    }

    /// The risk when that effort counts too, from 0 to 100.
    #[must_use]
    pub fn risk_with_effort(&self, profile: Profile) -> Option<f64> {
        let object = self.profile_object(profile)?.get("effort")?.as_object()?;
        number_in(object.get("risk"), POINTS)
    }
}

/// As in a score file: `{"value", "kind", "reasons": [{"sign", "points", "riskRatio", "evidence"}], "flags": [{"flag", "riskRatio",
/// "evidence"}]}`.
impl Serialize for Risk {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        value(self).serialize(serializer)
    }
}

fn risk_number(object: &Object) -> Option<f64> {
    number_in(object.get("value"), POINTS)
}

fn evidence(object: &Object) -> Vec<Evidence> {
    let list = object.get("evidence").and_then(Value::as_array);
    list.unwrap_or_default().iter().filter_map(read_evidence).collect()
}

/// `{"value", "kind", "reasons": [{"sign", "points", "riskRatio", "evidence"}], "flags": [{"flag", "riskRatio", "evidence"}]}`.
pub(super) fn value(risk: &Risk) -> Value {
    let mut object = Object::default();
    object.set("value", risk.value.into());
    object.set("kind", risk.kind.as_str().into());
    let reasons = risk.reasons.iter().map(|reason| {
        let mut one = Object::default();
        one.set("sign", reason.sign.as_str().into());
        one.set("points", reason.points.into());
        with_evidence(one, reason.risk_ratio, &reason.evidence)
    });
    object.set("reasons", Value::Array(reasons.collect()));
    let flags = risk.flags.iter().map(|flag| {
        let mut one = Object::default();
        one.set("flag", flag.name.as_str().into());
        with_evidence(one, Some(flag.name.risk_ratio()), &flag.evidence)
    });
    object.set("flags", Value::Array(flags.collect()));
    Value::Object(object)
}

fn with_evidence(mut object: Object, risk_ratio: Option<f64>, evidence: &[Evidence]) -> Value {
    if let Some(ratio) = risk_ratio {
        object.set("riskRatio", ratio.into());
    }
    if !evidence.is_empty() {
        object.set("evidence", Value::Array(evidence.iter().map(evidence_value).collect()));
    }
    Value::Object(object)
}

/// `{"chars", "calls"}`.
pub(super) fn work_value(work: &Work) -> Value {
    let mut object = Object::default();
    object.set("chars", count(work.chars));
    object.set("calls", count(work.calls));
    Value::Object(object)
}

/// `{"value", "chars", "calls", "sessions", "risk"}`; `risk` is the one with effort.
pub(super) fn effort_value(effort: Effort, risk: Option<f64>) -> Value {
    let mut object = Object::default();
    for (name, share) in [("value", effort.value()), ("chars", effort.chars), ("calls", effort.calls)] {
        object.set(name, share.into());
    }
    object.set("sessions", count(effort.sessions));
    if let Some(risk) = risk {
        object.set("risk", risk.into());
    }
    Value::Object(object)
}

//! The scores of profiles other than the plugin's, under `profiles.<name>`.

use serde::ser::{Serialize, Serializer};

use super::risk;
use super::{Numbers, ScoreRecord, count, score_number};
use crate::card::{Judgement, Score, Scorecard};
use crate::evidence::{Evidence, Place};
use crate::json::{Object, Value};
use crate::profile::{PerDimension, Profile};
use crate::skip::SkipReason;

impl ScoreRecord {
    /// Writes a card under `profiles.<name>`, in place of an earlier one. Fields of that profile's object that this crate does
    /// not know stay.
    ///
    /// Each dimension is `{"value": x}` or `{"notApplicable": "why"}` with an `evidence` list; a finding is `{"rule", "entry" or
    /// "message", "bytes": [from, to], "reason"}`.
    pub fn set_card(&mut self, card: &Scorecard) {
        let mut object = self.profile_object(card.profile).cloned().unwrap_or_default();
        object.remove("skipped");
        write_card(&mut object, card);
        self.set_profile_object(card.profile, object);
    }

    /// Notes that a profile does not score this session: `profiles.<name>` becomes `{"skipped": "cron"}` or the like.
    pub fn set_skipped(&mut self, profile: Profile, reason: SkipReason) {
        let mut object = Object::default();
        object.set("skipped", reason.as_str().into());
        self.set_profile_object(profile, object);
    }

    /// Why a profile did not score this session, in the words of [`SkipReason::as_str`].
    #[must_use]
    pub fn skipped(&self, profile: Profile) -> Option<String> {
        Some(self.profile_object(profile)?.get("skipped")?.to_js_string())
    }

    /// The card of a profile with its evidence. `None` when there is none; a dimension that cannot be read is not applicable.
    /// For [`Profile::SessionScorerV1`] the card is made from the plugin's numbers, which have no evidence.
    #[must_use]
    pub fn card(&self, profile: Profile) -> Option<Scorecard> {
        if profile == Profile::SessionScorerV1 {
            let numbers = self.numbers(profile)?;
            let score = |number: Option<f64>| {
                number.map_or_else(|| Score::not_applicable("not in the record"), Score::value)
            };
            return Some(Scorecard {
                profile,
                rules_version: "1.0.3".into(),
                dimensions: PerDimension::from_fn(|dimension| Judgement {
                    score: score(*numbers.dimensions.get(dimension)),
                    evidence: Vec::new(),
                }),
                overall: score(numbers.overall),
                risk: None,
                work: None,
                effort: None,
                risk_with_effort: None,
            });
        }
        let object = self.profile_object(profile)?;
        let scores = object.get("scores")?.as_object()?;
        Some(Scorecard {
            profile,
            rules_version: object.get("rulesVersion").map(Value::to_js_string).unwrap_or_default().into(),
            dimensions: PerDimension::from_fn(|dimension| {
                let one = scores.get(dimension.as_str());
                let list = one
                    .and_then(Value::as_object)
                    .and_then(|one| one.get("evidence"))
                    .and_then(Value::as_array);
                Judgement {
                    score: read_score(one),
                    evidence: list.unwrap_or_default().iter().filter_map(read_evidence).collect(),
                }
            }),
            overall: read_score(object.get("overall")),
            risk: self.risk(profile),
            work: self.work(),
            effort: self.effort(profile),
            risk_with_effort: self.risk_with_effort(profile),
        })
    }

    pub(super) fn card_numbers(&self, profile: Profile) -> Option<Numbers> {
        let object = self.profile_object(profile)?;
        let scores = object.get("scores")?.as_object()?;
        let number = |value: Option<&Value>| score_number(value?.as_object()?.get("value"));
        Some(Numbers {
            overall: number(object.get("overall")),
            dimensions: PerDimension::from_fn(|dimension| number(scores.get(dimension.as_str()))),
        })
    }

    /// The version of the rules behind a profile's numbers.
    #[must_use]
    pub fn rules_version(&self, profile: Profile) -> Option<String> {
        Some(self.profile_object(profile)?.get("rulesVersion")?.to_js_string())
    }

    pub(super) fn keep_profiles_of(&mut self, earlier: &Self) {
        let Some(earlier) = earlier.fields.get("profiles").and_then(Value::as_object) else {
            return;
        };
        let mut profiles = self.profiles().cloned().unwrap_or_default();
        for (key, value) in earlier.iter() {
            let key = key.to_str();
            if profiles.get(&key).is_none() {
                profiles.set(&key, value.clone());
            }
        }
        self.fields.set("profiles", Value::Object(profiles));
    }

    fn profiles(&self) -> Option<&Object> {
        self.fields.get("profiles")?.as_object()
    }

    pub(super) fn profile_object(&self, profile: Profile) -> Option<&Object> {
        self.profiles()?.get(profile.as_str())?.as_object()
    }

    fn set_profile_object(&mut self, profile: Profile, object: Object) {
        let mut profiles = self.profiles().cloned().unwrap_or_default();
        profiles.set(profile.as_str(), Value::Object(object));
        self.fields.set("profiles", Value::Object(profiles));
    }
}

/// Sets the fields of a card, in place of those of an earlier one.
fn write_card(object: &mut Object, card: &Scorecard) {
    object.set("rulesVersion", (&*card.rules_version).into());
    let mut four = Object::default();
    for (dimension, judged) in card.dimensions.iter() {
        let mut one = score_object(&judged.score);
        if !judged.evidence.is_empty() {
            one.set("evidence", Value::Array(judged.evidence.iter().map(evidence_value).collect()));
        }
        four.set(dimension.as_str(), Value::Object(one));
    }
    object.set("scores", Value::Object(four));
    object.set("overall", Value::Object(score_object(&card.overall)));
    for (name, value) in [
        ("risk", card.risk.as_ref().map(risk::value)),
        ("work", card.work.as_ref().map(risk::work_value)),
        ("effort", card.effort.map(|effort| risk::effort_value(effort, card.risk_with_effort))),
    ] {
        match value {
            Some(value) => object.set(name, value),
            None => object.remove(name),
        }
    }
}

/// The object that stands under `profiles.<name>` of a score file ([`ScoreRecord::set_card`] says its shape), with the name of the
/// profile as `profile` before it.
impl Serialize for Scorecard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::default();
        object.set("profile", self.profile.as_str().into());
        write_card(&mut object, self);
        object.serialize(serializer)
    }
}

/// As in a score file: `{"rule", "entry" or "message", "bytes": [from, to], "reason"}`.
impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        evidence_value(self).serialize(serializer)
    }
}

/// The record's object, its fields in their order. Unlike [`ScoreRecord::to_text`] it keeps the digits of whole numbers only, and
/// half a surrogate pair becomes U+FFFD; [`ScoreRecord::parse`] reads it back.
impl Serialize for ScoreRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields.serialize(serializer)
    }
}

fn score_object(score: &Score) -> Object {
    let mut object = Object::default();
    match score {
        Score::Value(value) => object.set("value", (*value).into()),
        Score::NotApplicable { reason } => object.set("notApplicable", (&**reason).into()),
    }
    object
}

fn read_score(value: Option<&Value>) -> Score {
    let object = value.and_then(Value::as_object);
    match (object.and_then(|o| score_number(o.get("value"))), object.and_then(|o| o.get("notApplicable"))) {
        (Some(number), _) => Score::Value(number),
        (None, Some(reason)) => Score::not_applicable(reason.to_js_string()),
        (None, None) => Score::not_applicable("not in the record"),
    }
}

pub(super) fn evidence_value(evidence: &Evidence) -> Value {
    let index = |index: usize| count(u64::try_from(index).unwrap_or(u64::MAX));
    let mut object = Object::default();
    object.set("rule", (&*evidence.rule).into());
    match &evidence.place {
        Place::Entry(id) => object.set("entry", (&**id).into()),
        Place::Message(at) => object.set("message", index(*at)),
    }
    if let Some(bytes) = &evidence.bytes {
        object.set("bytes", Value::Array(vec![index(bytes.start), index(bytes.end)]));
    }
    object.set("reason", (&*evidence.reason).into());
    Value::Object(object)
}

pub(super) fn read_evidence(value: &Value) -> Option<Evidence> {
    let object = value.as_object()?;
    let text = |name: &str| Some(object.get(name)?.as_js_str()?.to_str().into_owned().into_boxed_str());
    let place = match (text("entry"), object.get("message").and_then(read_index)) {
        (Some(id), _) => Place::Entry(id),
        (None, Some(at)) => Place::Message(at),
        (None, None) => return None,
    };
    let bytes = match object.get("bytes").and_then(Value::as_array) {
        Some([from, to]) => read_index(from).zip(read_index(to)).map(|(from, to)| from..to),
        _ => None,
    };
    Some(Evidence { rule: text("rule")?, place, bytes, reason: text("reason").unwrap_or_default() })
}

fn read_index(value: &Value) -> Option<usize> {
    value.as_u64()?.try_into().ok()
}

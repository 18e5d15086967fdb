//! The details of a check, cheap to make for the many checks whose details nobody reads.

use std::borrow::Cow;
use std::sync::Arc;

use crate::json::Json;

/// What a check found, in the shape of openclaw-edd's report: names and values in the order in which they are written.
///
/// What is the same for all cases that are checked against one trajectory (the names of its calls, its commands) is
/// shared and not copied; [`Detail::to_json`] writes it out.
#[derive(Clone, Debug, Default)]
pub struct Detail {
    values: Vec<(&'static str, Part)>,
}

/// One value of a [`Detail`].
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Of this check alone.
    Own(Json),
    /// The same in several checks.
    Shared(Arc<Json>),
    /// An object whose values are the same in several checks.
    Object(Vec<(Arc<str>, Arc<Json>)>),
    /// An object of details.
    Details(Vec<(String, Detail)>),
    /// A list of fixed words.
    Words(Vec<&'static str>),
    /// What the author of the case wrote under that key.
    Written(Arc<Json>, &'static str),
}

impl Part {
    fn json(&self) -> Cow<'_, Json> {
        match self {
            Self::Own(json) => Cow::Borrowed(json),
            Self::Shared(json) => Cow::Borrowed(json),
            Self::Object(pairs) => {
                let owned = |(name, value): &(Arc<str>, Arc<Json>)| (name.to_string(), Json::clone(value));
                Cow::Owned(Json::Object(pairs.iter().map(owned).collect()))
            }
            Self::Details(pairs) => {
                let owned = |(name, detail): &(String, Detail)| (name.clone(), detail.to_json());
                Cow::Owned(Json::Object(pairs.iter().map(owned).collect()))
            }
            Self::Words(words) => Cow::Owned(Json::strings(words.iter().copied())),
            Self::Written(case, key) => Cow::Borrowed(case.get(key).unwrap_or(&Json::Null)),
        }
    }
}

impl Detail {
    /// The details that every check begins with, with room for the few that follow.
    pub(crate) fn of(passed: bool) -> Self {
        let mut values = Vec::with_capacity(5);
        values.push(("passed", Part::Own(Json::Bool(passed))));
        Self { values }
    }

    /// Adds a value. Each key is set once.
    pub(crate) fn set(&mut self, key: &'static str, value: Json) {
        self.put(key, Part::Own(value));
    }

    /// [`Detail::set`] for a value that several checks may share.
    pub(crate) fn put(&mut self, key: &'static str, value: Part) {
        self.values.push((key, value));
    }

    /// The value under `key`. O(keys); copies what is put together from shared parts.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Cow<'_, Json>> {
        self.values.iter().find(|(known, _)| *known == key).map(|(_, value)| value.json())
    }

    /// All of it as one JSON object. O(size).
    #[must_use]
    pub fn to_json(&self) -> Json {
        let pairs = self.values.iter().map(|(key, value)| ((*key).to_owned(), value.json().into_owned()));
        Json::Object(pairs.collect())
    }
}

/// Equal if the same is written.
impl PartialEq for Detail {
    fn eq(&self, other: &Self) -> bool {
        self.to_json() == other.to_json()
    }
}

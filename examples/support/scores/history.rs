//! How much work the user's other sessions were.

use std::collections::BTreeMap;

use clawgauge_scoring::{Baseline, ScoreRecord, Work};

/// The baselines that a set of records gives: one for each agent with each model that has sessions enough, and one of all.
#[derive(Debug, Clone, Default)]
pub struct History {
    groups: BTreeMap<Group, Baseline>,
    all: Option<Baseline>,
}

/// Agent and model, where a record names them.
type Group = (Option<String>, Option<String>);

impl History {
    /// Reads how much work the sessions were. Records that do not say (those of the plugin) are passed over. `O(n log n)`.
    pub fn of<'r, R: IntoIterator<Item = &'r ScoreRecord>>(records: R) -> Self {
        let mut groups: BTreeMap<Group, Vec<Work>> = BTreeMap::new();
        for record in records {
            if let Some(work) = record.work() {
                groups.entry(group(record)).or_default().push(work);
            }
        }
        let all = Baseline::new(groups.values().flatten().copied());
        let groups = groups.into_iter().filter_map(|(group, works)| Some((group, Baseline::new(works)?)));
        Self { groups: groups.collect(), all }
    }

    /// Whether there are too few sessions to compare any with.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.all.is_none()
    }

    /// What a session is compared with: those of the same agent and model, or all of them when those are too few.
    #[must_use]
    pub fn baseline(&self, record: &ScoreRecord) -> Option<&Baseline> {
        self.groups.get(&group(record)).or(self.all.as_ref())
    }
}

fn group(record: &ScoreRecord) -> Group {
    (record.agent().map(Into::into), record.model().map(Into::into))
}

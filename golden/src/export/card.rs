//! The card that goes with a dataset.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use clawgauge_cases::Json;

use super::Export;
use crate::record::ReviewState;

/// What somebody who is given a dataset has to know of it. `Display` writes it as Markdown with a YAML head.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DatasetCard {
    /// Its name. Default `golden`.
    pub name: String,
    /// The licence; `None` is written as "not stated".
    pub license: Option<String>,
    /// Records.
    pub records: usize,
    /// Turns.
    pub turns: usize,
    /// Tool calls by tool.
    pub tools: BTreeMap<String, usize>,
    /// Records that a person approved.
    pub approved: usize,
    /// Sessions that they come from.
    pub sessions: usize,
    /// Records by agent.
    pub agents: BTreeMap<String, usize>,
    /// Records by `source`.
    pub sources: BTreeMap<String, usize>,
    /// Values replaced, by kind: by mining and by this export.
    pub redactions: BTreeMap<String, u64>,
    /// Records for training and for testing, and the share asked for, where the set is split.
    pub split: Option<(usize, usize)>,
}

impl DatasetCard {
    pub(super) fn of(export: &Export) -> Self {
        let mut card = Self { name: "golden".to_owned(), records: export.records.len(), ..Self::default() };
        let mut sessions = BTreeSet::new();
        for record in &export.records {
            card.approved += usize::from(record.review_state() == ReviewState::Approved);
            sessions.extend(record.session_id());
            let text = |json: Option<&Json>| {
                json.and_then(Json::as_str).filter(|text| !text.is_empty()).unwrap_or("not stated").to_owned()
            };
            *card.agents.entry(text(record.metadata("agent"))).or_default() += 1;
            *card.sources.entry(text(record.json().get("source"))).or_default() += 1;
            for turn in record.turns() {
                card.turns += 1;
                for call in turn.calls() {
                    *card.tools.entry(call.name().to_owned()).or_default() += 1;
                }
            }
            for (kind, count) in record.metadata("redactions").and_then(Json::as_object).unwrap_or_default() {
                let count = count.to_value().as_u64().unwrap_or_default();
                let sum = card.redactions.entry(kind.clone()).or_default();
                *sum = sum.saturating_add(count);
            }
        }
        for (kind, count) in &export.redactions.kinds {
            let sum = card.redactions.entry(kind.clone()).or_default();
            *sum = sum.saturating_add(count.places);
        }
        card.sessions = sessions.len();
        card
    }

    /// The card with a name and a licence.
    #[must_use]
    pub fn with_name(mut self, name: &str, license: Option<&str>) -> Self {
        self.name = name.to_owned();
        self.license = license.map(str::to_owned);
        self
    }

    /// The card of a set that is split into so many records for training and for testing.
    #[must_use]
    pub const fn with_split(mut self, train: usize, test: usize) -> Self {
        self.split = Some((train, test));
        self
    }
}

impl fmt::Display for DatasetCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let license = self.license.as_deref().unwrap_or("not stated");
        let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
        writeln!(f, "---\nlicense: {}\ntask_categories:\n- text-generation", quoted(license))?;
        writeln!(
            f,
            "tags:\n- agent\n- tool-use\nsize: {}\n---\n\n# {}\n",
            self.records,
            self.name.replace('\n', " ")
        )?;
        writeln!(f, "{} records with {} turns, from {} sessions.", self.records, self.turns, self.sessions)?;
        writeln!(f, "{} of them were approved by a person.", self.approved)?;
        if let Some((train, test)) = self.split {
            writeln!(f, "Split by content: {train} for training, {test} for testing.")?;
        }
        writeln!(f, "\nLicence: {license}\n")?;
        table(f, "Source", "records", &self.sources)?;
        table(f, "Agent", "records", &self.agents)?;
        table(f, "Tool", "calls", &self.tools)?;
        if self.redactions.is_empty() {
            return writeln!(f, "Nothing had to be redacted.");
        }
        table(f, "Redacted", "places", &self.redactions)
    }
}

fn table<N: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    count: &str,
    rows: &BTreeMap<String, N>,
) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(f, "| {name} | {count} |\n| --- | ---: |")?;
    for (key, value) in rows {
        writeln!(f, "| {} | {value} |", key.replace('|', "\\|").replace('\n', " "))?;
    }
    writeln!(f)
}

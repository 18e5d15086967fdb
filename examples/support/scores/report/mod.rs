//! The three answers of the plugin for any profile: its layout, and lines of our own.

mod summary;
mod trend;
mod worst;

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset, Utc};
use clawgauge_scoring::v1::{number_text, round};
use clawgauge_scoring::{Filter, PerDimension, Profile, ScoreRecord};
use clawgauge_transcript::one_line;
use serde::Serialize;

use super::plugin::Rows;
use super::{Answer, Folder, Period};
pub use summary::summary;
pub use trend::trend;
pub use worst::worst;

/// Which records to look at and how to show them.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Whose numbers.
    pub profile: Profile,
    /// The stretch of time.
    pub period: Period,
    /// What else the records must be. Its times are not used; the period says them.
    pub filter: Filter,
    /// The time that counts as now.
    pub now: DateTime<Utc>,
    /// Which clock says what a day is.
    pub offset: FixedOffset,
    /// JSON instead of text.
    pub json: bool,
}

impl View {
    /// The filter with the limits of the period.
    #[must_use]
    pub fn narrowed(&self) -> Filter {
        self.period.narrow(&self.filter, self.now)
    }

    /// The plugin's own view of the same records, without limits of time.
    pub(super) fn rows<'a>(&self, folder: &'a Folder) -> Rows<'a> {
        let anytime = Filter { since: None, until: None, ..self.filter.clone() };
        let mut rows = Rows::sorted(folder, FixedOffset::east_opt(0).unwrap_or(self.offset));
        rows.retain(|record| anytime.matches(record));
        rows
    }

    /// No record in the period.
    pub(super) fn nothing(&self, folder: &Folder) -> Answer {
        let message = self.period.nothing();
        let mut answer = Answer::ok(if self.json {
            format!("{}\n", serde_json::json!({ "error": message }))
        } else {
            format!("{message}.\n")
        });
        answer.stderr = folder.notes();
        self.note_without(folder, &mut answer);
        answer
    }

    /// Says how many of the records looked at hold no numbers of the profile, and why where it is known.
    pub(super) fn note_without(&self, folder: &Folder, answer: &mut Answer) {
        let filter = self.narrowed();
        let mut skipped: BTreeMap<String, u64> = BTreeMap::new();
        let mut unscored = 0_u64;
        for record in
            folder.iter().filter(|record| filter.matches(record) && record.numbers(self.profile).is_none())
        {
            match record.skipped(self.profile) {
                Some(reason) => *skipped.entry(reason).or_default() += 1,
                None => unscored += 1,
            }
        }
        if !skipped.is_empty() {
            let reasons: Vec<String> =
                skipped.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
            answer.note(format_args!(
                "scores: not scored by profile {}: {}",
                self.profile,
                reasons.join(", ")
            ));
        }
        if unscored > 0 {
            answer.note(format_args!(
                "scores: {unscored} record{} no numbers of profile {}; score the sessions again to add them",
                if unscored == 1 { " holds" } else { "s hold" },
                self.profile
            ));
        }
    }
}

/// Rounded numbers, in the order in which they are shown; `null` where nothing was judged.
#[derive(Serialize)]
struct Row {
    overall: Option<f64>,
    accuracy: Option<f64>,
    completeness: Option<f64>,
    autonomy: Option<f64>,
    consistency: Option<f64>,
}

impl Row {
    fn new(overall: Option<f64>, dimensions: &PerDimension<Option<f64>>) -> Self {
        let PerDimension { accuracy, completeness, autonomy, consistency } = dimensions;
        Self {
            overall: overall.map(round),
            accuracy: accuracy.map(round),
            completeness: completeness.map(round),
            autonomy: autonomy.map(round),
            consistency: consistency.map(round),
        }
    }

    const fn all(&self) -> [Option<f64>; 5] {
        [self.overall, self.accuracy, self.completeness, self.autonomy, self.consistency]
    }
}

/// A number in its shortest form, or `n/a`.
fn short(number: Option<f64>) -> String {
    number.map_or_else(|| "n/a".to_owned(), |number| number_text(round(number)))
}

/// Pretty JSON with a final line break.
fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).map_or_else(|error| format!("{error}\n"), |text| text + "\n")
}

/// The first characters of a session's id.
fn short_id(record: &ScoreRecord) -> String {
    record.session_id().map_or_else(|| "?".to_owned(), |id| one_line(&id).chars().take(8).collect())
}

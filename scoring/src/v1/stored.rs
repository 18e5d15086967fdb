//! A score file as the plugin's own command line sees it.

use chrono::{DateTime, Utc};

use crate::json::{self, JsStr, Object, Style, Value};
use crate::profile::Dimension;
use crate::record::{ScoreRecord, js_time};

/// The fields of a record, read with JavaScript's rules: what is missing counts as "not a number" and prints as `undefined`.
///
/// For programs that give the same answers as the plugin's command line; others use the accessors of [`ScoreRecord`].
#[derive(Debug, Clone, Copy)]
pub struct StoredScores<'a> {
    record: &'a ScoreRecord,
}

impl<'a> StoredScores<'a> {
    /// Looks at a record.
    #[must_use]
    pub const fn of(record: &'a ScoreRecord) -> Self {
        Self { record }
    }

    fn field(self, name: &str) -> Option<&'a Value> {
        self.record.fields().get(name)
    }

    fn scores(self) -> Option<&'a Object> {
        self.field("scores")?.as_object()
    }

    /// Whether there is a `scores` object. Without one the plugin's command line crashes on the file.
    #[must_use]
    pub fn has_scores(&self) -> bool {
        self.scores().is_some()
    }

    /// A score, or NaN.
    #[must_use]
    pub fn number(&self, dimension: Dimension) -> f64 {
        self.scores()
            .and_then(|scores| scores.get(dimension.as_str()))
            .and_then(Value::as_f64)
            .unwrap_or(f64::NAN)
    }

    /// The overall score, or NaN.
    #[must_use]
    pub fn overall(&self) -> f64 {
        self.field("overall").and_then(Value::as_f64).unwrap_or(f64::NAN)
    }

    /// A score as text.
    #[must_use]
    pub fn text(&self, dimension: Dimension) -> String {
        text(self.scores().and_then(|scores| scores.get(dimension.as_str())))
    }

    /// The overall score as text.
    #[must_use]
    pub fn overall_text(&self) -> String {
        text(self.field("overall"))
    }

    /// Whether `success` counts as true: `"no"` does, `0` and `null` do not.
    #[must_use]
    pub fn success(&self) -> bool {
        self.field("success").is_some_and(Value::is_truthy)
    }

    /// The time, where a text without an offset is `local_offset` seconds east of UTC.
    #[must_use]
    pub fn time(&self, local_offset: i32) -> Option<DateTime<Utc>> {
        js_time(self.field("timestamp")?, local_offset)
    }

    /// The first ten characters of the time's text: what the plugin takes for the day. `None` when the time is no text.
    #[must_use]
    pub fn day(&self) -> Option<String> {
        Some(self.timestamp()?.prefix(10))
    }

    /// The first sixteen characters of the time's text, the first `T` made a blank. `None` when the time is no text.
    #[must_use]
    pub fn minute(&self) -> Option<String> {
        Some(self.timestamp()?.prefix(16).replacen('T', " ", 1))
    }

    /// The first eight UTF-16 units of the session id. `None` when it is no text.
    #[must_use]
    pub fn short_id(&self) -> Option<String> {
        Some(self.field("sessionId")?.as_js_str()?.prefix(8))
    }

    fn timestamp(self) -> Option<&'a JsStr> {
        self.field("timestamp")?.as_js_str()
    }

    /// `JSON.stringify(record, null, 2)`, its lines after the first indented by `level` times two blanks.
    #[must_use]
    pub fn json(&self, level: usize) -> String {
        let mut out = String::new();
        json::write_pretty(&mut out, &Value::Object(self.record.fields().clone()), Style::JavaScript, level);
        out
    }
}

fn text(value: Option<&Value>) -> String {
    value.map_or_else(|| "undefined".to_owned(), Value::to_js_string)
}

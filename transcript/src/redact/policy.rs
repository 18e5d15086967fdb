//! What a user can decide: the level, values and patterns of their own, exceptions, limits.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How much is replaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RedactionLevel {
    /// Secrets only: for what stays with its owner (scores, reports, traces).
    #[default]
    Secrets,
    /// Secrets and personal data: for what leaves (golden data, exports).
    Personal,
}

/// What to redact. The default finds secrets; a user adds values, patterns and exceptions.
///
/// ```
/// use clawgauge_transcript::RedactionPolicy;
///
/// let policy: RedactionPolicy = serde_json::from_str(r#"{
///     "level": "personal",
///     "rules": [{"label": "TICKET", "pattern": "LAMP-[0-9]+"}],
///     "known": [{"label": "CUSTOMER", "value": "Lantern Ltd"}],
///     "keep": ["support@example.invalid"]
/// }"#).unwrap();
/// let redactor = policy.compile().unwrap();
/// assert_eq!(
///     redactor.text("LAMP-7 of Lantern Ltd, write to support@example.invalid"),
///     "<TICKET_1> of <CUSTOMER_1>, write to support@example.invalid",
/// );
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct RedactionPolicy {
    /// How much is replaced.
    pub level: RedactionLevel,
    /// Patterns of the user, searched after the built-in ones.
    pub rules: Vec<RedactionRule>,
    /// Exact values to replace wherever they stand, longest first: names of customers, passwords without a context.
    pub known: Vec<KnownValue>,
    /// Exact values that are never replaced.
    pub keep: Vec<String>,
    /// Bounds.
    pub limits: RedactionLimits,
}

/// A pattern of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedactionRule {
    /// The name in the placeholder: `TICKET` gives `<TICKET_1>`. Upper-case letters, digits and `_`.
    pub label: String,
    /// A regular expression in the syntax of the `regex` crate; the whole match is replaced.
    pub pattern: String,
}

/// A value to replace wherever it stands. Its `Debug` does not show the value.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownValue {
    /// The name in the placeholder.
    #[serde(default = "secret_label")]
    pub label: String,
    /// The value, compared exactly. Empty values are ignored.
    pub value: String,
}

/// Bounds of one redaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct RedactionLimits {
    /// Distinct values that are remembered for equal placeholders; later ones get one without a number,
    /// `<SECRET>`. Default 1,000,000.
    pub distinct: usize,
    /// How deep JSON inside strings inside JSON is followed; deeper levels are read as text. Default 8.
    pub nesting: usize,
}

impl RedactionPolicy {
    /// The default policy of a level.
    #[must_use]
    pub fn of_level(level: RedactionLevel) -> Self {
        Self { level, ..Self::default() }
    }
}

impl Default for RedactionLimits {
    fn default() -> Self {
        Self { distinct: 1_000_000, nesting: 8 }
    }
}

impl fmt::Debug for KnownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownValue").field("label", &self.label).finish_non_exhaustive()
    }
}

fn secret_label() -> String {
    "SECRET".to_owned()
}

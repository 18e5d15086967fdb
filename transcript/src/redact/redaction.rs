//! One redaction: what has been seen, which placeholder it got, how often.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::scan::{Found, Label, placeholders};
use super::{Redactor, json};

/// Redacts texts and JSON so that equal values get equal placeholders. Made by [`Redactor::begin`].
///
/// Remembers the replaced values until it is dropped; its `Debug` does not show them.
pub struct Redaction<'r> {
    redactor: &'r Redactor,
    seen: BTreeMap<(String, String), usize>,
    next: BTreeMap<String, usize>,
    report: RedactionReport,
}

/// What was replaced: kinds and counts, never a value. The keys are the names in the placeholders.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RedactionReport {
    /// Counts by kind: `SECRET`, `EMAIL`, ...
    pub kinds: BTreeMap<String, RedactionCount>,
}

/// How often a kind was replaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedactionCount {
    /// Places where something was replaced.
    pub places: u64,
    /// Different values among them.
    pub values: u64,
}

impl RedactionReport {
    /// All places together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.kinds.values().map(|count| count.places).fold(0, u64::saturating_add)
    }

    /// Whether nothing was replaced.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Adds the counts of another report. Values that both saw count twice: reports do not know values.
    pub fn merge(&mut self, other: &Self) {
        for (kind, count) in &other.kinds {
            let mine = self.kinds.entry(kind.clone()).or_default();
            mine.places = mine.places.saturating_add(count.places);
            mine.values = mine.values.saturating_add(count.values);
        }
    }
}

impl<'r> Redaction<'r> {
    pub(super) fn new(redactor: &'r Redactor) -> Self {
        Self { redactor, seen: BTreeMap::new(), next: BTreeMap::new(), report: RedactionReport::default() }
    }

    /// What was replaced so far.
    #[must_use]
    pub fn report(&self) -> &RedactionReport {
        &self.report
    }

    /// Redacts a text. A text that is a JSON object or array is redacted as JSON
    /// ([`json`](Self::json)), so that it stays valid. O(n); borrows when there is nothing to replace.
    #[must_use]
    pub fn text<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        self.string(text, None, 0)
    }

    /// Redacts JSON text in place: keys, strings, JSON nested inside strings. All other bytes stay as they are.
    /// JSON deeper than 512 levels is redacted as text. `None` when the text is not one JSON value. O(n) a level of nesting.
    #[must_use]
    pub fn json<'t>(&mut self, text: &'t str) -> Option<Cow<'t, str>> {
        if !json::is_json(text) {
            return None;
        }
        Some(json::rewrite(self, text, None, 0).unwrap_or_else(|| self.plain(text)))
    }

    /// Redacts a parsed value in place: keys, strings, JSON nested inside strings. O(n).
    pub fn value(&mut self, value: &mut Value) {
        json::value(self, value, None, 0);
    }

    /// Redacts the text of a field whose name is known: `field("password", "hunter2")` is a secret although the text
    /// alone does not say so.
    #[must_use]
    pub fn field<'t>(&mut self, name: &str, text: &'t str) -> Cow<'t, str> {
        self.string(text, Some(name), 0)
    }

    /// Makes sure that placeholders which this text already holds are not given to other values. For records of which
    /// a part was redacted before: reserve all of it, then redact.
    pub fn reserve(&mut self, text: &str) {
        for placeholder in placeholders(text) {
            let next = self.next.entry(placeholder.label.to_owned()).or_insert(1);
            *next = (*next).max(placeholder.number.saturating_add(1));
        }
    }

    pub(super) fn tells(&self, name: &str) -> bool {
        self.redactor.scanner.tells(name)
    }

    pub(super) fn nesting(&self) -> usize {
        self.redactor.limits.nesting
    }

    pub(super) fn string<'t>(&mut self, text: &'t str, name: Option<&str>, depth: usize) -> Cow<'t, str> {
        if let Some(name) = name
            && let Some(found) = self.redactor.scanner.field(name, text)
        {
            return Cow::Owned(self.replace(text, &found));
        }
        if depth < self.nesting()
            && json::looks_nested(text)
            && json::is_json(text)
            && let Some(redacted) = json::rewrite(self, text, name, depth + 1)
        {
            return redacted;
        }
        self.plain(text)
    }

    /// Replaces until nothing is found. Each round replaces something that is no placeholder, so that there is an end
    /// and a second redaction finds nothing.
    fn plain<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let found = self.redactor.scanner.scan(text);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut text = self.replace(text, &found);
        loop {
            let found = self.redactor.scanner.scan(&text);
            if found.is_empty() {
                return Cow::Owned(text);
            }
            text = self.replace(&text, &found);
        }
    }

    fn replace(&mut self, text: &str, found: &[Found]) -> String {
        self.reserve(text);
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for found in found {
            out.push_str(text.get(at..found.range.start).unwrap_or_default());
            let value = text.get(found.range.clone()).unwrap_or_default();
            self.placeholder(&found.label, value, &mut out);
            at = found.range.end;
        }
        out.push_str(text.get(at..).unwrap_or_default());
        out
    }

    /// The placeholder for a number that is replaced as a whole.
    pub(super) fn number(&mut self, digits: &str) -> Option<String> {
        let label = self.redactor.scanner.number(digits)?;
        let mut out = String::new();
        self.placeholder(&label, digits, &mut out);
        Some(out)
    }

    fn placeholder(&mut self, label: &Label, value: &str, out: &mut String) {
        let name = label.name();
        let full = self.seen.len() >= self.redactor.limits.distinct;
        let count = self.report.kinds.entry(name.to_owned()).or_default();
        count.places = count.places.saturating_add(1);
        let number = match self.seen.entry((name.to_owned(), label.normal(value))) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(_) if full => None,
            Entry::Vacant(new) => {
                let next = self.next.entry(name.to_owned()).or_insert(1);
                let number = *next;
                *next = next.saturating_add(1);
                count.values = count.values.saturating_add(1);
                new.insert(number);
                Some(number)
            }
        };
        match number {
            Some(number) => out.push_str(&format!("<{name}_{number}>")),
            None => out.push_str(&format!("<{name}>")),
        }
    }
}

impl fmt::Debug for Redaction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redaction").field("report", &self.report).finish_non_exhaustive()
    }
}

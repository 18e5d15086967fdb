//! One redaction: what has been seen, which placeholder it got, how often.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::scan::{Found, Label, lines_at, placeholders};
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
            let mut out = String::with_capacity(text.len());
            self.reserve(text);
            self.replace(text, &found, &mut out, &mut Vec::new());
            return Cow::Owned(out);
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
        let scanner = &self.redactor.scanner;
        let found = scanner.scan(text);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let crosses = |found: &Found| text.get(found.range.clone()).is_some_and(|value| value.contains('\n'));
        let by_lines = scanner.is_line_bound(text) && !found.iter().any(crosses);
        let (mut out, mut changed) = (String::with_capacity(text.len()), Vec::new());
        self.reserve(text);
        self.replace(text, &found, &mut out, &mut changed);
        while !changed.is_empty() {
            // What a line says does not depend on other lines.
            let whole = Range { start: 0, end: out.len() };
            let parts = if by_lines { lines_at(&out, &changed) } else { vec![whole] };
            changed.clear();
            out = self.again(out, &parts, &mut changed);
        }
        Cow::Owned(out)
    }

    /// Another round over parts of a text; `changed` gets the places where something was replaced.
    fn again(&mut self, text: String, parts: &[Range<usize>], changed: &mut Vec<usize>) -> String {
        let mut out = String::new();
        let mut copied = 0;
        for part in parts {
            let inner = text.get(part.clone()).unwrap_or_default();
            let found = self.redactor.scanner.scan(inner);
            if found.is_empty() {
                continue;
            }
            out.push_str(text.get(copied..part.start).unwrap_or_default());
            self.reserve(inner);
            self.replace(inner, &found, &mut out, changed);
            copied = part.end;
        }
        if changed.is_empty() {
            return text;
        }
        out.push_str(text.get(copied..).unwrap_or_default());
        out
    }

    fn replace(&mut self, text: &str, found: &[Found], out: &mut String, changed: &mut Vec<usize>) {
        let mut at = 0;
        for found in found {
            out.push_str(text.get(at..found.range.start).unwrap_or_default());
            changed.push(out.len());
            let value = text.get(found.range.clone()).unwrap_or_default();
            self.placeholder(&found.label, value, out);
            at = found.range.end;
        }
        out.push_str(text.get(at..).unwrap_or_default());
    }

    /// The placeholder for a number that is replaced as a whole.
    pub(super) fn number(&mut self, name: Option<&str>, digits: &str) -> Option<String> {
        let label = self.redactor.scanner.number(name, digits)?;
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{RedactionLevel, RedactionPolicy, Redactor};

    /// The same, with every round over the whole text.
    fn slow(redactor: &Redactor, text: &str) -> String {
        let mut redaction = redactor.begin();
        let mut text = text.to_owned();
        loop {
            let found = redactor.scanner.scan(&text);
            if found.is_empty() {
                return text;
            }
            let mut out = String::new();
            redaction.reserve(&text);
            redaction.replace(&text, &found, &mut out, &mut Vec::new());
            text = out;
        }
    }

    fn pieces() -> impl Strategy<Value = String> {
        let real = prop::sample::select(vec![
            "password=hunter2",
            "password: \"two\nlines\"",
            "API_KEY=",
            "Authorization: Bearer FAKE.TOKEN.0002",
            "Authorization: Basic ",
            "curl -u user:",
            "https://u:pw0003@example.invalid/",
            "https://u:a/b#c@host/?sig=abcd1234&x",
            "sk-FAKEFAKEFAKEFAKEFAKE0001",
            "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\n",
            "eyJhbGciOiJub25l.eyJzdWIiOiIx.c2ln",
            "fake.person@example.invalid",
            "scp a@nas:/x ",
            "/home/fakeuser/",
            "4111 1111 1111 1111",
            "+49 30 901820",
            "192.0.2.17",
            "Cookie: sid=abcdef; b=1",
            "<SECRET_1>",
            "<EMAIL_2>",
            "the password is ",
            "machine a login b password c1d2e",
            "hostname: lamp.internal",
            "密码：灯塔123",
        ]);
        prop_oneof![
            4 => real.prop_map(str::to_owned),
            2 => "[\n\n :=\"'`@/<>\\\\A-Za-z0-9.-]{0,8}",
            1 => Just("\n".to_owned()),
        ]
    }

    proptest! {
        #[test]
        fn looking_at_changed_lines_is_enough(text in prop::collection::vec(pieces(), 0..12).prop_map(|all| all.concat())) {
            for level in [RedactionLevel::Secrets, RedactionLevel::Personal] {
                let redactor = RedactionPolicy::of_level(level).compile().unwrap();
                let quick = redactor.begin().plain(&text).into_owned();
                prop_assert_eq!(&quick, &slow(&redactor, &text));
                prop_assert!(redactor.scanner.scan(&quick).is_empty());
            }
        }
    }
}

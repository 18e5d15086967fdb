//! The one place where a failure is rendered: text, JSON, HTML.

use maud::{Markup, html};

use crate::align::{Alignment, Pair, Row};
use crate::json::Json;
use crate::verdict::{Check, Explanation};

impl Explanation {
    /// Whether there is nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Lines of text, without indentation.
    #[must_use]
    pub fn to_lines(&self) -> Vec<String> {
        let mut out = Vec::new();
        if let Some(alignment) = &self.alignment {
            out.push(summary(alignment));
            out.extend(alignment.rows.iter().map(|row| {
                let entry = row.entry.as_ref().map(|e| format!("  [{e}]")).unwrap_or_default();
                match row.pair {
                    Pair::Match => format!("  = {:<28} {}{entry}", row.left, call(row)),
                    Pair::Missing => format!("  - {:<28} (missing)", row.left),
                    Pair::Extra => format!("  + {:<28} {}{entry}", "", call(row)),
                }
            }));
            if alignment.hidden > 0 {
                out.push(format!("    … {} more calls", alignment.hidden));
            }
        }
        if let Some(near) = &self.near_miss {
            let entry = near.entry.as_ref().map(|e| format!(" [{e}]")).unwrap_or_default();
            out.push(format!("closest to {}: {}{entry}", near.expected, near.actual));
            out.extend(near.because.iter().map(|reason| format!("  {reason}")));
        }
        out.extend(self.notes.iter().cloned());
        if !self.entries.is_empty() {
            out.push(format!("entries: {}", self.entries.join(", ")));
        }
        out
    }

    /// As JSON, for reports.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut out = Json::Object(Vec::new());
        if let Some(alignment) = &self.alignment {
            let rows = alignment
                .rows
                .iter()
                .map(|row| {
                    Json::object([
                        ("pair", pair_word(row.pair).into()),
                        ("expected", row.expected.map_or(Json::Null, |_| row.left.as_str().into())),
                        ("call", row.actual.into()),
                        ("actual", row.actual.map_or(Json::Null, |_| row.right.as_str().into())),
                        ("entry", row.entry.as_deref().into()),
                    ])
                })
                .collect();
            out.set(
                "alignment",
                Json::object([
                    ("matched", alignment.matched.into()),
                    ("expected", alignment.expected.into()),
                    ("first_divergence", alignment.first_divergence.into()),
                    ("meets_again", alignment.meets_again.into()),
                    ("edits", alignment.edits.into()),
                    ("hidden", alignment.hidden.into()),
                    ("rows", Json::Array(rows)),
                ]),
            );
        }
        if let Some(near) = &self.near_miss {
            out.set(
                "near_miss",
                Json::object([
                    ("expected", near.expected.as_str().into()),
                    ("actual", near.actual.as_str().into()),
                    ("because", Json::strings(near.because.clone())),
                    ("entry", near.entry.as_deref().into()),
                ]),
            );
        }
        if !self.entries.is_empty() {
            out.set("entries", Json::strings(self.entries.clone()));
        }
        if !self.notes.is_empty() {
            out.set("notes", Json::strings(self.notes.clone()));
        }
        out
    }

    pub(crate) fn to_html(&self) -> Markup {
        html! {
            @if let Some(alignment) = &self.alignment {
                p.sum { (summary(alignment)) }
                div.scroll {
                    table.align {
                        thead { tr { th { "expected" } th { "happened" } th { "entry" } } }
                        tbody {
                            @for row in &alignment.rows {
                                tr class=(pair_word(row.pair)) {
                                    td { (row.left) @if row.pair == Pair::Extra { span.dim { "not asked for" } } }
                                    td { (call(row)) @if row.pair == Pair::Missing { span.bad { "missing" } } }
                                    td.dim { (row.entry.as_deref().unwrap_or_default()) }
                                }
                            }
                        }
                    }
                }
                @if alignment.hidden > 0 { p.dim { "… " (alignment.hidden) " more calls" } }
            }
            @if let Some(near) = &self.near_miss {
                p { "Closest to " code { (near.expected) } ": " code { (near.actual) }
                    @if let Some(entry) = &near.entry { " " span.dim { "[" (entry) "]" } } }
                ul { @for reason in &near.because { li { (reason) } } }
            }
            @for note in &self.notes { p { (note) } }
            @if !self.entries.is_empty() { p.dim { "entries: " (self.entries.join(", ")) } }
        }
    }
}

impl Check {
    /// The failure and its explanation as lines of text; nothing for a check that holds.
    #[must_use]
    pub fn to_lines(&self) -> Vec<String> {
        if self.passed {
            return Vec::new();
        }
        let mut out = vec![self.message.clone()];
        if let Some(explanation) = &self.explanation {
            out.extend(explanation.to_lines().into_iter().map(|line| format!("  {line}")));
        }
        out
    }
}

const fn pair_word(pair: Pair) -> &'static str {
    match pair {
        Pair::Match => "match",
        Pair::Missing => "missing",
        Pair::Extra => "extra",
    }
}

fn call(row: &Row) -> String {
    row.actual.map(|at| format!("#{} {}", at + 1, row.right)).unwrap_or_default()
}

fn summary(alignment: &Alignment) -> String {
    let mut out = format!("{} of {} expected steps found", alignment.matched, alignment.expected);
    if let Some(at) = alignment.first_divergence {
        out.push_str(&format!("; they part at expected step {} (index {at})", at + 1));
    }
    if let Some(at) = alignment.meets_again {
        out.push_str(&format!(", meet again at call #{}", at + 1));
    }
    let edits = alignment.edits;
    out.push_str(&format!("; {edits} edit{} would pass", if edits == 1 { "" } else { "s" }));
    out
}

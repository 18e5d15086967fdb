//! YAML with the place of every value.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::{DuplicateKeyPolicy, Location, NonFiniteFloatPolicy, Spanned};

use super::tree::{At, Data, Key, Node, Tree};
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;

/// Parses one YAML document.
pub(crate) fn parse(text: &str, limits: &Limits) -> Result<Tree, Error> {
    let options = serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        strict_booleans: true,
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_nodes: limits.nodes,
            max_events: limits.nodes.saturating_mul(3),
            max_depth: limits.depth,
            max_aliases: limits.nodes,
            max_anchors: limits.nodes,
        },
    };
    let raw: Raw =
        serde_saphyr::from_str_with_options(text, options).map_err(|fault| refused(&fault, limits))?;
    Ok(Tree { root: raw.into_node(text) })
}

/// What a person can do about a fault of the parser, where its words do not say so.
const HINTS: [(&str, &str); 5] = [
    ("multiple YAML documents", "a second one begins here; put its cases under the `cases` of the first"),
    ("mapping values are not allowed", "a text with `: ` in it needs quotes"),
    ("unknown anchor", "a text that begins with `*` needs quotes"),
    ("tab", "indent with blanks"),
    ("block collection", "keys and dashes of one level begin in the same column"),
];

fn refused(fault: &serde_saphyr::Error, limits: &Limits) -> Error {
    let fault = fault.without_snippet();
    let place = fault.location().map_or((0, 0), |p| (to_usize(p.line()), to_usize(p.column())));
    if let serde_saphyr::Error::Budget { breach, .. } = fault {
        let message = match breach {
            BudgetBreach::Depth { .. } => super::too_deep(limits),
            _ => super::too_many(limits),
        };
        return Error::at(ErrorKind::Limit, place, message);
    }
    let full = fault.to_string();
    // The place is in the diagnostic already.
    let said = full.lines().next().unwrap_or("syntax error");
    let said = said.split(" at line ").next().unwrap_or(said);
    let message = match HINTS.iter().find(|(words, _)| said.contains(words)) {
        Some((words, hint)) if words.starts_with("multiple") => {
            format!("this is not one YAML document: {hint}")
        }
        Some((_, hint)) => format!("this is not YAML: {said} ({hint})"),
        None => format!("this is not YAML: {said}"),
    };
    Error::at(ErrorKind::Syntax, place, message)
}

fn to_usize(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

fn place(location: Location) -> At {
    let bytes = location.span().byte_offset().zip(location.span().byte_len());
    At {
        line: to_usize(location.line()),
        column: to_usize(location.column()),
        start: bytes.map(|(start, _)| to_usize(start)),
        end: bytes.map(|(start, len)| to_usize(start.saturating_add(len))),
    }
}

struct Raw(Spanned<Loose>);

enum Loose {
    Null,
    Bool(bool),
    Number(Number),
    Odd(f64),
    String(String),
    Array(Vec<Raw>),
    Object(Vec<(Spanned<String>, Raw)>),
}

impl Raw {
    fn into_node(self, text: &str) -> Node {
        let at = place(self.0.referenced);
        let defined = self.0.defined;
        // What a scalar was written as: for an alias, at its anchor.
        let written = |plain: String| {
            let at = place(defined);
            let text =
                at.start.zip(at.end).and_then(|(start, end)| text.get(start..end)).unwrap_or_default().trim();
            if text.is_empty() { plain } else { text.to_owned() }
        };
        let value = match self.0.value {
            Loose::Null => Data::Null,
            Loose::Bool(b) => Data::Bool(b, written(b.to_string())),
            Loose::Number(n) => {
                let text = written(n.to_string());
                Data::Number(n, text)
            }
            Loose::Odd(f) => Data::Odd(written(f.to_string())),
            Loose::String(s) => Data::String(s),
            Loose::Array(items) => Data::Array(items.into_iter().map(|item| item.into_node(text)).collect()),
            Loose::Object(pairs) => Data::Object(
                pairs
                    .into_iter()
                    .map(|(key, value)| {
                        (Key { at: place(key.referenced), name: key.value }, value.into_node(text))
                    })
                    .collect(),
            ),
        };
        Node { at, value }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Spanned::<Loose>::deserialize(deserializer).map(Self)
    }
}

struct LooseVisitor;

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Loose, E> {
        Ok(Loose::Null)
    }

    fn visit_none<E>(self) -> Result<Loose, E> {
        Ok(Loose::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Loose, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Loose, E> {
        Ok(Loose::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Loose, E> {
        Ok(Loose::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Loose, E> {
        Ok(Loose::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Loose, E> {
        Ok(Number::from_f64(value).map_or(Loose::Odd(value), Loose::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Loose, E> {
        Ok(Loose::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Loose, E> {
        Ok(Loose::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Loose, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Loose::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Loose, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Loose::Object(pairs))
    }
}

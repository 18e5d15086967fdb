//! JSON with the place of every value: each value is found as a raw slice of the text, so its offset is known.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::tree::{At, Data, Key, Node, Tree};
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;

/// Parses a JSON text.
pub(crate) fn parse(text: &str, limits: &Limits) -> Result<Tree, Error> {
    let mut reader = Reader::new(text, limits);
    let root: &RawValue = serde_json::from_str(text).map_err(|e| reader.syntax(&e, 0, text))?;
    let root = reader.node(root, 0)?;
    Ok(Tree { root })
}

/// Line and column of byte offsets that mostly grow: each byte is looked at once, however long its line is.
struct Lines<'t> {
    text: &'t str,
    offset: usize,
    line: usize,
    column: usize,
}

impl<'t> Lines<'t> {
    const fn new(text: &'t str) -> Self {
        Self { text, offset: 0, line: 1, column: 1 }
    }

    fn at(&mut self, offset: usize) -> (usize, usize) {
        if offset < self.offset {
            *self = Self::new(self.text);
        }
        for c in self.text.get(self.offset..offset).unwrap_or_default().chars() {
            if c == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.offset = offset;
        (self.line, self.column)
    }
}

struct Reader<'t, 'l> {
    text: &'t str,
    lines: Lines<'t>,
    limits: &'l Limits,
    nodes: usize,
}

impl<'t, 'l> Reader<'t, 'l> {
    const fn new(text: &'t str, limits: &'l Limits) -> Self {
        Self { text, lines: Lines::new(text), limits, nodes: 0 }
    }

    fn offset_of(&self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }

    fn place(&mut self, start: usize, len: usize) -> At {
        let (line, column) = self.lines.at(start);
        At { line, column, start: Some(start), end: Some(start + len) }
    }

    fn syntax(&mut self, fault: &serde_json::Error, base: usize, part: &str) -> Error {
        // The fault counts lines from the start of `part` and columns in bytes.
        let inner = part
            .split_inclusive('\n')
            .take(fault.line().saturating_sub(1))
            .map(str::len)
            .sum::<usize>()
            .saturating_add(fault.column().saturating_sub(1));
        let mut offset = (base + inner).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let (line, column) = self.lines.at(offset);
        let full = fault.to_string();
        let message = full.split(" at line ").next().unwrap_or(&full).to_owned();
        Error::at(ErrorKind::Syntax, (line, column), format!("this is not JSON: {message}"))
    }

    fn node(&mut self, raw: &'t RawValue, depth: usize) -> Result<Node, Error> {
        let part = raw.get();
        let start = self.offset_of(part);
        let at = self.place(start, part.len());
        self.nodes += 1;
        let passed = if depth > self.limits.depth {
            Some(super::too_deep(self.limits))
        } else {
            (self.nodes > self.limits.nodes).then(|| super::too_many(self.limits))
        };
        if let Some(message) = passed {
            return Err(Error::at(ErrorKind::Limit, (at.line, at.column), message));
        }
        let value = match part.as_bytes().first() {
            Some(b'{') => {
                let pairs = Pairs::read(part).map_err(|e| self.syntax(&e, start, part))?;
                let mut out = Vec::with_capacity(pairs.len());
                // A key's opening quote is the first one after what came before it.
                let mut behind = start + 1;
                for (name, value) in pairs {
                    let quote = self
                        .text
                        .get(behind..)
                        .and_then(|rest| rest.find('"'))
                        .map_or(behind, |i| behind + i);
                    let value_start = self.offset_of(value.get());
                    let key_at = self.place(quote, 1);
                    out.push((Key { at: key_at, name: name.into_owned() }, self.node(value, depth + 1)?));
                    behind = value_start + value.get().len();
                }
                Data::Object(out)
            }
            Some(b'[') => {
                let items = Items::read(part).map_err(|e| self.syntax(&e, start, part))?;
                let mut out = Vec::with_capacity(items.len());
                for item in items {
                    out.push(self.node(item, depth + 1)?);
                }
                Data::Array(out)
            }
            Some(b'"') => Data::String(serde_json::from_str(part).map_err(|e| self.syntax(&e, start, part))?),
            Some(b't') => Data::Bool(true, part.to_owned()),
            Some(b'f') => Data::Bool(false, part.to_owned()),
            Some(b'n') => Data::Null,
            _ => match serde_json::from_str(part) {
                Ok(number) => Data::Number(number, part.to_owned()),
                Err(fault) => return Err(self.syntax(&fault, start, part)),
            },
        };
        Ok(Node { at, value })
    }
}

struct Pairs;

type RawPairs<'t> = Vec<(Cow<'t, str>, &'t RawValue)>;

impl Pairs {
    fn read(part: &str) -> Result<RawPairs<'_>, serde_json::Error> {
        serde_json::Deserializer::from_str(part).deserialize_map(Self)
    }
}

impl<'t> Visitor<'t> for Pairs {
    type Value = RawPairs<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut out = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, &'t RawValue>()? {
            out.push((Cow::Owned(key), value));
        }
        Ok(out)
    }
}

struct Items;

impl Items {
    fn read(part: &str) -> Result<Vec<&RawValue>, serde_json::Error> {
        serde_json::Deserializer::from_str(part).deserialize_seq(Self)
    }
}

impl<'t> Visitor<'t> for Items {
    type Value = Vec<&'t RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = seq.next_element()? {
            out.push(item);
        }
        Ok(out)
    }
}

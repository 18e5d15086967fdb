//! A tree of values that know where they stand.

use serde_json::Number;

use crate::json::Json;

/// A place in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// Bytes from the start of the text; `None` where the parser does not say.
    pub(crate) start: Option<usize>,
    pub(crate) end: Option<usize>,
}

/// A parsed text.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) root: Node,
}

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) at: At,
    pub(crate) value: Data,
}

/// A key of an object and its place.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) at: At,
    pub(crate) name: String,
}

#[derive(Clone, Debug)]
pub(crate) enum Data {
    Null,
    Bool(bool, String),
    /// A number, and the text it was written as.
    Number(Number, String),
    /// A number JSON cannot hold.
    #[cfg_attr(not(feature = "yaml"), expect(dead_code, reason = "only YAML has such numbers"))]
    Odd(String),
    String(String),
    Array(Vec<Node>),
    Object(Vec<(Key, Node)>),
}

impl Node {
    pub(crate) const fn kind(&self) -> &'static str {
        match self.value {
            Data::Null => "nothing",
            Data::Bool(..) => "a boolean",
            Data::Number(..) | Data::Odd(_) => "a number",
            Data::String(_) => "a text",
            Data::Array(_) => "a list",
            Data::Object(_) => "an object",
        }
    }

    pub(crate) fn to_json(&self) -> Json {
        match &self.value {
            Data::Null => Json::Null,
            Data::Bool(b, _) => Json::Bool(*b),
            Data::Number(n, _) => Json::Number(n.clone()),
            Data::Odd(text) | Data::String(text) => Json::String(text.clone()),
            Data::Array(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Data::Object(pairs) => {
                Json::of_pairs(pairs.iter().map(|(key, node)| (key.name.clone(), node.to_json())).collect())
            }
        }
    }

    /// The text of a scalar as its author wrote it.
    pub(crate) fn scalar_text(&self) -> Option<&str> {
        match &self.value {
            Data::String(text) | Data::Bool(_, text) | Data::Number(_, text) | Data::Odd(text) => Some(text),
            _ => None,
        }
    }
}

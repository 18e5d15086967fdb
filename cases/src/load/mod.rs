//! Reading suites: YAML, JSON and JSONL golden records, all problems of a file at once.

mod assertions;
mod decode;
mod golden;
mod json;
mod keys;
mod tree;
#[cfg(feature = "yaml")]
mod yaml;

use crate::case::Suite;
use crate::error::{Diagnostic, Error, ErrorKind, Severity};
use crate::json::Json;
use crate::limits::Limits;

pub(crate) use json::parse as parse_json;
pub(crate) use keys::EDD_ASSERTIONS;
pub use keys::{SUITE_KEYS, case_keys};
pub(crate) use tree::{Data, Node, Tree};

/// The format of a suite file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// YAML 1.2 (feature `yaml`). A superset of JSON.
    Yaml,
    /// JSON.
    Json,
    /// One golden record (or one case) a line.
    Jsonl,
}

impl Format {
    /// The format that a file name stands for: `.json`, `.jsonl`, else YAML. Case does not matter.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let lower = name.to_ascii_lowercase();
        if lower.ends_with(".jsonl") || lower.ends_with(".ndjson") {
            Self::Jsonl
        } else if lower.ends_with(".json") {
            Self::Json
        } else {
            Self::Yaml
        }
    }
}

/// How to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadOptions {
    /// Leave out golden records that are not both reviewed and approved. Other formats have no such mark.
    pub only_approved: bool,
    /// Bounds.
    pub limits: Limits,
}

impl LoadOptions {
    /// The same options with or without the filter for approved records.
    #[must_use]
    pub const fn approved_only(mut self, on: bool) -> Self {
        self.only_approved = on;
        self
    }
}

impl Suite {
    /// Reads a suite. A byte-order mark is ignored.
    ///
    /// # Errors
    /// Everything that is wrong with the file at once, each with line and column: broken syntax (then only that),
    /// unknown keys inside a case with a suggestion, wrong types, missing `id` or `message`, duplicate ids,
    /// unusable patterns, and a suite without a single case ([`ErrorKind::Empty`]).
    pub fn parse(text: &str, format: Format, options: &LoadOptions) -> Result<Self, Error> {
        let limits = &options.limits;
        if text.len() > limits.file_bytes {
            return Err(Error::new(
                ErrorKind::Limit,
                format!("the file has {} bytes, the limit is {}", text.len(), limits.file_bytes),
            ));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let suite = match format {
            Format::Jsonl => golden::read(text, options)?,
            Format::Json => decode::suite(&json::parse(text, limits)?, limits)?,
            Format::Yaml => decode::suite(&yaml_tree(text, limits)?, limits)?,
        };
        if suite.cases.is_empty() && suite.skipped_unreviewed == 0 {
            let shape = match format {
                Format::Jsonl => "each line is a golden record with a `conversation`, or a case",
                Format::Json | Format::Yaml => "cases stand in a list under `cases`",
            };
            return Err(Error::at(
                ErrorKind::Empty,
                (1, 1),
                format!("there is no case in this file: {shape}"),
            ));
        }
        Ok(suite)
    }

    /// Reads a suite from bytes.
    ///
    /// # Errors
    /// Like [`Suite::parse`]; bytes that are no UTF-8 are a syntax error at their place.
    pub fn from_bytes(bytes: &[u8], format: Format, options: &LoadOptions) -> Result<Self, Error> {
        let text = std::str::from_utf8(bytes).map_err(|fault| {
            let good = bytes.get(..fault.valid_up_to()).unwrap_or_default();
            let line = good.iter().filter(|&&b| b == b'\n').count() + 1;
            let last = good.rsplit(|&b| b == b'\n').next().unwrap_or_default();
            let column = std::str::from_utf8(last).map_or(0, |s| s.chars().count()) + 1;
            // Both begin with a mark of their own.
            let message = match bytes {
                [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the file is UTF-16; save it as UTF-8",
                _ => "the file is not UTF-8 from here on; save it as UTF-8",
            };
            Error::at(ErrorKind::Syntax, (line, column), message)
        })?;
        Self::parse(text, format, options)
    }

    /// One suite of several: the cases in order.
    ///
    /// # Errors
    /// A case id that occurs in two of them, and suites that ask for different semantics.
    pub fn merge(suites: impl IntoIterator<Item = Self>) -> Result<Self, Error> {
        let mut suites = suites.into_iter();
        let Some(mut all) = suites.next() else {
            return Err(Error::new(ErrorKind::Empty, "there is no suite"));
        };
        for suite in suites {
            if suite.semantics != all.semantics || suite.aliases != all.aliases {
                return Err(Error::new(
                    ErrorKind::Suite,
                    "the files ask for different semantics or aliases; run them one by one",
                ));
            }
            all.cases.extend(suite.cases);
            all.warnings.extend(suite.warnings);
            all.skipped_unreviewed += suite.skipped_unreviewed;
        }
        let mut seen = std::collections::BTreeSet::new();
        let twice: Vec<Diagnostic> = all
            .cases
            .iter()
            .filter(|case| !seen.insert(case.id.clone()))
            .map(|case| {
                let place = case.location.map_or((0, 0), |l| (l.line, l.column));
                let message = "this id is used by a case of another file too";
                let fault = Diagnostic::new(Severity::Error, place, message);
                Diagnostic { case: Some(case.id.clone()), ..fault }
            })
            .collect();
        if twice.is_empty() { Ok(all) } else { Err(Error::with(ErrorKind::Suite, twice)) }
    }
}

fn too_deep(limits: &Limits) -> String {
    format!("lists and objects are nested more than {} deep here", limits.depth)
}

fn too_many(limits: &Limits) -> String {
    format!("the file holds more than {} values", limits.nodes)
}

#[cfg(feature = "yaml")]
pub(crate) fn yaml_tree(text: &str, limits: &Limits) -> Result<Tree, Error> {
    yaml::parse(text, limits)
}

#[cfg(not(feature = "yaml"))]
pub(crate) fn yaml_tree(text: &str, limits: &Limits) -> Result<Tree, Error> {
    // JSON is YAML: a file of that kind is read without the feature.
    json::parse(text, limits).map_err(|_| {
        Error::new(
            ErrorKind::Feature,
            "YAML needs the cargo feature `yaml`; JSON and JSONL are read without it",
        )
    })
}

/// A data file by its name, without locations: `None` if it cannot be read.
pub(crate) fn read_data(name: &str, text: &str) -> Option<Json> {
    let limits = Limits::default();
    let tree = match Format::of_name(name) {
        Format::Yaml if text.trim().is_empty() => return Some(Json::Null),
        Format::Yaml => yaml_tree(text, &limits),
        Format::Json | Format::Jsonl => json::parse(text, &limits),
    };
    tree.ok().map(|t| t.root.to_json())
}

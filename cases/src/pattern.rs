//! Regular expressions and JSON Schemas that were compiled once and compare by their source.

use std::fmt;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use crate::error::{Error, ErrorKind};
use crate::text::quote;

/// A regular expression of the `regex` crate (linear time, no look-around), with its source.
#[derive(Clone)]
pub struct TextPattern {
    source: String,
    regex: Regex,
}

impl TextPattern {
    /// Compiles a pattern; at most 1 MiB compiled.
    ///
    /// # Errors
    /// [`ErrorKind::Pattern`] with the reason.
    pub fn new(source: &str) -> Result<Self, Error> {
        let regex = RegexBuilder::new(source).size_limit(1 << 20).build().map_err(|fault| {
            let full = fault.to_string();
            let reason = full.lines().last().unwrap_or("not a regular expression").trim();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason).trim_end_matches('.');
            Error::new(
                ErrorKind::Pattern,
                format!("`{}` is not a usable pattern: {reason}", quote(source, 120)),
            )
        })?;
        Ok(Self { source: source.to_owned(), regex })
    }

    /// The source.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Whether it is found in `text`. O(text).
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

impl PartialEq for TextPattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl fmt::Debug for TextPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/", self.source)
    }
}

/// A JSON Schema (any draft that the `jsonschema` crate knows), with its source. References to other documents are
/// refused: nothing is fetched.
#[derive(Clone)]
pub struct Schema {
    source: Value,
    validator: Arc<jsonschema::Validator>,
}

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// [`ErrorKind::Pattern`] with the reason.
    pub fn new(source: &Value) -> Result<Self, Error> {
        let validator = jsonschema::validator_for(source).map_err(|fault| {
            let said = quote(&fault.to_string(), 300);
            Error::new(ErrorKind::Pattern, format!("this is not a usable JSON Schema: {said}"))
        })?;
        Ok(Self { source: source.clone(), validator: Arc::new(validator) })
    }

    /// The source.
    #[must_use]
    pub const fn source(&self) -> &Value {
        &self.source
    }

    /// The first reason why `value` does not satisfy it, with the place inside the value.
    #[must_use]
    pub fn first_fault(&self, value: &Value) -> Option<String> {
        let fault = self.validator.iter_errors(value).next()?;
        let place = fault.instance_path().to_string();
        Some(if place.is_empty() { fault.to_string() } else { format!("{place}: {fault}") })
    }

    /// Whether `value` satisfies it.
    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schema({})", self.source)
    }
}

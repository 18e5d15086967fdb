//! One redaction policy for everything that quotes text: evidence, alignments, exports, traces.

mod checksum;
mod commands;
mod context;
mod encoded;
mod headers;
mod json;
mod numbers;
mod personal;
mod policy;
mod prose;
mod redaction;
mod scan;
mod secret_names;
mod seed;
mod value;
mod vendor;

use std::borrow::Cow;
use std::fmt;

use regex::Regex;

pub use policy::{KnownValue, RedactionLevel, RedactionLimits, RedactionPolicy, RedactionRule};
pub use redaction::{Redaction, RedactionCount, RedactionReport};

/// Replaces secrets, and at the second level personal data, by typed placeholders such as `<SECRET_1>`.
///
/// A compiled [`RedactionPolicy`]; it holds no state and can be shared between threads. [`begin`](Self::begin) starts
/// a [`Redaction`], inside which equal values get equal placeholders; begin one for each record, file or report within
/// which equality shall be seen.
///
/// What is replaced at level [`Secrets`](RedactionLevel::Secrets), all as `<SECRET_n>`: keys and tokens of known
/// vendors, JWTs, private keys in PEM, credentials of `Authorization` and `Cookie` headers, passwords and tokens in
/// URLs, values of names that say so (`.env` lines, JSON and YAML fields, command-line flags, query parameters, "the
/// password is ..."), and random-looking words right after such a name. At level
/// [`Personal`](RedactionLevel::Personal) also `<EMAIL_n>`, `<PHONE_n>`, `<CARD_n>` (by Luhn), `<IBAN_n>` (by
/// checksum), `<USER_n>` (home folders), `<HOST_n>`, `<IP_n>`, `<MAC_n>`, `<SSN_n>`, and further query parameters that carry credentials.
///
/// What is not replaced: run ids, UUIDs, hashes, prices, model names, paths; references (`$TOKEN`, `${TOKEN}`,
/// `process.env.TOKEN`, `<your-key>`), values that are already masked (`***`, `sk-pro…ABCD`), and words.
///
/// Laws (tested as properties): redacting twice equals once; text without a finding is given back unchanged and
/// unallocated; everything outside of the findings is kept byte for byte.
///
/// ```
/// use clawgauge_transcript::{RedactionLevel, RedactionPolicy};
///
/// let redactor = RedactionPolicy::of_level(RedactionLevel::Personal).compile().unwrap();
/// let mut redaction = redactor.begin();
/// let text = redaction.text("curl -H 'Authorization: Bearer FAKE.TOKEN.0002' https://u:pw0003@example.invalid");
/// assert_eq!(text, "curl -H 'Authorization: Bearer <SECRET_1>' https://u:<SECRET_2>@example.invalid");
/// assert_eq!(redaction.text("again FAKE: password=pw0003, mail a@example.invalid"),
///            "again FAKE: password=<SECRET_2>, mail <EMAIL_1>");
/// assert_eq!(redaction.report().total(), 4);
/// ```
pub struct Redactor {
    scanner: scan::Scanner,
    level: RedactionLevel,
    limits: RedactionLimits,
}

impl Redactor {
    /// The default policy of a level, compiled. Cannot fail, because it has no rules of a user.
    #[must_use]
    pub fn of_level(level: RedactionLevel) -> Self {
        let policy = RedactionPolicy::of_level(level);
        Self { scanner: scan::Scanner::new(&policy, Vec::new()), level, limits: policy.limits }
    }

    /// Starts a redaction with fresh placeholders.
    #[must_use]
    pub fn begin(&self) -> Redaction<'_> {
        Redaction::new(self)
    }

    /// Redacts one text by itself, with placeholders of its own. O(n).
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.begin().text(text)
    }

    /// The level of the policy.
    #[must_use]
    pub fn level(&self) -> RedactionLevel {
        self.level
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").field("level", &self.level).finish_non_exhaustive()
    }
}

impl RedactionPolicy {
    /// Compiles the policy.
    ///
    /// # Errors
    ///
    /// Fails when a rule of the user is no regular expression, matches the empty text, or has a label that is not of
    /// the form `TICKET` (upper-case letters, digits and `_`, starting with a letter), or when the known values do not fit into one automaton (gigabytes).
    pub fn compile(&self) -> Result<Redactor, RedactionError> {
        let mut rules = Vec::new();
        for (index, rule) in self.rules.iter().enumerate() {
            check_label(&rule.label, index)?;
            let fail = |reason: String| RedactionError { kind: RedactionErrorKind::Pattern, index, reason };
            let regex = Regex::new(&rule.pattern).map_err(|error| fail(error.to_string()))?;
            if regex.is_match("") {
                return Err(fail("it matches the empty text".to_owned()));
            }
            rules.push((rule.label.clone(), regex));
        }
        for (index, known) in self.known.iter().enumerate() {
            check_label(&known.label, index)?;
        }
        let scanner = scan::Scanner::new(self, rules);
        if !scanner.is_complete() {
            let reason = "the known values are too many for one automaton".to_owned();
            return Err(RedactionError {
                kind: RedactionErrorKind::TooMany,
                index: self.known.len(),
                reason,
            });
        }
        Ok(Redactor { scanner, level: self.level, limits: self.limits })
    }
}

fn check_label(label: &str, index: usize) -> Result<(), RedactionError> {
    let starts = label.starts_with(|c: char| c.is_ascii_uppercase());
    if starts && label.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
        Ok(())
    } else {
        let reason = format!("label {label:?} is not made of A-Z, 0-9 and _, starting with a letter");
        Err(RedactionError { kind: RedactionErrorKind::Label, index, reason })
    }
}

/// Why a policy cannot be compiled.
#[derive(Debug, Clone, thiserror::Error)]
#[error("redaction rule {index}: {reason}")]
pub struct RedactionError {
    kind: RedactionErrorKind,
    index: usize,
    reason: String,
}

/// The kind of a [`RedactionError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RedactionErrorKind {
    /// The pattern is no regular expression, or matches the empty text.
    Pattern,
    /// The label could not be part of a placeholder.
    Label,
    /// The known values need more memory than an automaton can have.
    TooMany,
}

impl RedactionError {
    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> RedactionErrorKind {
        self.kind
    }

    /// Index of the rule or known value in its list.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }
}

//! What each backend calls things: tables, combined at will.

mod messages;
mod providers;
mod render;
mod stamp;
mod tables;
mod words;

use crate::error::{Error, ErrorKind};
use std::fmt;
use std::str::FromStr;

pub use providers::gen_ai_provider;
pub(crate) use render::{Names, render};
pub use stamp::{Stamp, environment_name};

/// Which version of the OpenTelemetry GenAI names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum GenAiVersion {
    /// Version 1.41, the last one in the main repository.
    V1_41,
    /// The names after that.
    Next,
}

/// The names that spans are given: one set, or several beside each other. Where two sets share a name it is written
/// once.
///
/// ```
/// use clawgauge_tracing_map::Convention;
///
/// let both: Convention = "langfuse+gen_ai_v1_41".parse()?;
/// assert_eq!(both, Convention::LANGFUSE | Convention::GEN_AI_V1_41);
/// assert_eq!(both.to_string(), "langfuse+gen_ai_v1_41");
/// assert!("unheard-of".parse::<Convention>().is_err());
/// # Ok::<(), clawgauge_tracing_map::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Convention {
    langfuse: bool,
    gen_ai: Option<GenAiVersion>,
    openinference: bool,
}

impl Convention {
    /// Langfuse's own attributes.
    pub const LANGFUSE: Self = Self { langfuse: true, gen_ai: None, openinference: false };
    /// OpenTelemetry GenAI, version 1.41. Where it stands alone, what it has no names for (level, cost, tags, metadata)
    /// is said under `openclaw.*`.
    pub const GEN_AI_V1_41: Self =
        Self { langfuse: false, gen_ai: Some(GenAiVersion::V1_41), openinference: false };
    /// OpenTelemetry GenAI after version 1.41; alone with `openclaw.*`, too.
    pub const GEN_AI_NEXT: Self =
        Self { langfuse: false, gen_ai: Some(GenAiVersion::Next), openinference: false };
    /// OpenInference (Phoenix, Arize).
    pub const OPENINFERENCE: Self = Self { langfuse: false, gen_ai: None, openinference: true };

    const NAMED: [(&'static str, Self); 4] = [
        ("langfuse", Self::LANGFUSE),
        ("gen_ai_v1_41", Self::GEN_AI_V1_41),
        ("gen_ai_next", Self::GEN_AI_NEXT),
        ("openinference", Self::OPENINFERENCE),
    ];

    /// Whether Langfuse's attributes are among them.
    #[must_use]
    pub fn has_langfuse(self) -> bool {
        self.langfuse
    }

    /// Which OpenTelemetry GenAI names are among them.
    #[must_use]
    pub fn gen_ai(self) -> Option<GenAiVersion> {
        self.gen_ai
    }

    /// Whether OpenInference's attributes are among them.
    #[must_use]
    pub fn has_openinference(self) -> bool {
        self.openinference
    }
}

impl std::ops::BitOr for Convention {
    type Output = Self;

    /// Both sets; of two GenAI versions the left one counts.
    fn bitor(self, other: Self) -> Self {
        Self {
            langfuse: self.langfuse || other.langfuse,
            gen_ai: self.gen_ai.or(other.gen_ai),
            openinference: self.openinference || other.openinference,
        }
    }
}

impl FromStr for Convention {
    type Err = Error;

    /// Names joined by `+`: `langfuse`, `gen_ai_v1_41`, `gen_ai_next`, `openinference`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut all: Option<Self> = None;
        for name in text.split('+').map(str::trim) {
            let one = Self::NAMED.iter().find(|(known, _)| *known == name).map(|(_, one)| *one);
            let Some(one) = one else {
                let known: Vec<&str> = Self::NAMED.iter().map(|(known, _)| *known).collect();
                let message = format!("unknown convention; known are {}", known.join(", "));
                return Err(Error::new(ErrorKind::Convention, message));
            };
            all = Some(all.map_or(one, |all| all | one));
        }
        all.ok_or_else(|| Error::new(ErrorKind::Convention, "no convention is named"))
    }
}

impl fmt::Display for Convention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Self::NAMED.iter().filter(|(_, one)| {
            (one.langfuse && self.langfuse)
                || (one.openinference && self.openinference)
                || (one.gen_ai.is_some() && one.gen_ai == self.gen_ai)
        });
        for (index, (name, _)) in names.enumerate() {
            if index > 0 {
                f.write_str("+")?;
            }
            f.write_str(name)?;
        }
        Ok(())
    }
}

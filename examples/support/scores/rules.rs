//! Which rules a person wants.

use std::ops::Deref;

use clawgauge_scoring::{Rules, Scorer};

/// The default scorer, or one by the rules of a file.
#[derive(Debug, Default)]
pub struct ChosenScorer(Option<Own>);

#[derive(Debug)]
struct Own {
    scorer: Scorer,
    /// The rules' version and a checksum of the file: who edits rules forgets to change the version.
    name: String,
}

impl ChosenScorer {
    /// Makes the rules of a file's text ready: JSON as [`Rules`] reads it, where what is not named keeps its default.
    ///
    /// # Errors
    /// A message for a person, with the place in the file: what is no JSON, no field of the rules, or no regular expression.
    pub fn of_text(text: &str) -> Result<Self, String> {
        let rules: Rules = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let name = format!("{}/{:016x}", rules.version, checksum(text));
        let scorer = Scorer::new(rules).map_err(|error| error.to_string())?;
        Ok(Self(Some(Own { scorer, name })))
    }

    /// Tells these rules from others, to know which sessions must be scored again.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.as_ref().map_or_else(|| Scorer::standard().rules().version.as_str(), |own| &own.name)
    }
}

impl Deref for ChosenScorer {
    type Target = Scorer;

    fn deref(&self) -> &Scorer {
        match &self.0 {
            Some(own) => &own.scorer,
            None => Scorer::standard(),
        }
    }
}

/// FNV-1a, 64 bits: it is kept in files, so it must not change with a compiler.
fn checksum(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

//! Keys from a file.

use clawgauge_relay_proto::{KeyLookup, KeyVerdict, Keys, Presented};

/// One `public:secret name [revoked]` a line; `#` begins a comment.
pub(crate) struct KeyFile {
    rows: Vec<(Keys, KeyVerdict)>,
}

impl KeyFile {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut rows = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let mut words = line.split_whitespace();
            let Some(pair) = words.next().filter(|word| !word.starts_with('#')) else { continue };
            // Not the line itself: it holds a secret.
            let bad = || format!("line {} of the keys file is not `public:secret name`", at + 1);
            let (public, secret) = pair.split_once(':').ok_or_else(bad)?;
            let name = words.next().ok_or_else(bad)?.to_owned();
            let verdict =
                if words.next() == Some("revoked") { KeyVerdict::Revoked } else { KeyVerdict::Known(name) };
            rows.push((Keys::new(public, secret), verdict));
        }
        Ok(Self { rows })
    }
}

impl KeyLookup for KeyFile {
    fn look_up(&self, presented: &Presented) -> KeyVerdict {
        let mut verdict = KeyVerdict::Unknown;
        // Every row is compared: how long it takes does not tell which one fits.
        for (keys, known) in &self.rows {
            if presented.matches(keys) {
                verdict = known.clone();
            }
        }
        verdict
    }
}

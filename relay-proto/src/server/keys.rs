//! Whose keys are these?

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::secret::{Keys, Secret, digest_eq};

/// Keys as an agent presents them, in `hello.auth` or in the upgrade's `Authorization`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presented {
    pair: Secret,
}

impl Presented {
    pub(super) fn from_keys(keys: &Keys) -> Self {
        Self { pair: Secret::new(format!("{}:{}", keys.public().expose(), keys.secret().expose())) }
    }

    /// From `Basic base64(public:secret)`.
    pub(super) fn from_header(header: &str) -> Option<Self> {
        let (scheme, value) = header.trim().split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("basic") {
            return None;
        }
        let pair = String::from_utf8(STANDARD.decode(value.trim()).ok()?).ok()?;
        Some(Self { pair: Secret::new(pair) })
    }

    /// Whether these are the keys, in constant time.
    #[must_use]
    pub fn matches(&self, keys: &Keys) -> bool {
        let pair = format!("{}:{}", keys.public().expose(), keys.secret().expose());
        !keys.public().is_empty()
            && !keys.secret().is_empty()
            && digest_eq(self.pair.expose().as_bytes(), pair.as_bytes())
    }

    /// What stands in front of the first colon: enough to find a row, not to trust it.
    #[must_use]
    pub fn public_hint(&self) -> &str {
        self.pair.expose().split(':').next().unwrap_or_default()
    }
}

/// What the platform knows of presented keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyVerdict {
    /// They belong to this agent.
    Known(String),
    /// Nobody's: close code 4401.
    Unknown,
    /// They were revoked: close code 4403.
    Revoked,
}

/// The platform's key store.
pub trait KeyLookup {
    /// Looks keys up.
    fn look_up(&self, presented: &Presented) -> KeyVerdict;
}

impl<F: Fn(&Presented) -> KeyVerdict> KeyLookup for F {
    fn look_up(&self, presented: &Presented) -> KeyVerdict {
        self(presented)
    }
}

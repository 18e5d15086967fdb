//! Values that never show.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// A text that `Debug` does not show and that is compared in constant time, on digests, so that not even its
/// length leaks.
#[derive(Clone, Default)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself. Call it only where the value has to leave the program.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing to hide.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Enough to recognise a key in a status line: its first three characters when it has more than eight.
    #[must_use]
    pub fn masked(&self) -> String {
        if self.0.chars().count() > 8 {
            format!("{}***", self.0.chars().take(3).collect::<String>())
        } else {
            String::from("***")
        }
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        digest_eq(self.0.as_bytes(), other.0.as_bytes())
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

/// Constant-time equality of two byte strings of any length.
pub(crate) fn digest_eq(a: &[u8], b: &[u8]) -> bool {
    Sha256::digest(a).as_slice().ct_eq(Sha256::digest(b).as_slice()).into()
}

/// The project keys that authorise both ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keys {
    public: Secret,
    secret: Secret,
}

impl Keys {
    /// A pair of keys. An empty one never authorises anything.
    #[must_use]
    pub fn new(public: impl Into<String>, secret: impl Into<String>) -> Self {
        Self { public: Secret::new(public), secret: Secret::new(secret) }
    }

    /// The public key. It names the project; it is masked in `Debug` like the other.
    #[must_use]
    pub fn public(&self) -> &Secret {
        &self.public
    }

    /// The secret key.
    #[must_use]
    pub fn secret(&self) -> &Secret {
        &self.secret
    }

    /// The value of an `Authorization` header: `Basic base64(public:secret)`.
    #[must_use]
    pub fn basic(&self) -> Secret {
        let pair = format!("{}:{}", self.public.expose(), self.secret.expose());
        Secret::new(format!("Basic {}", STANDARD.encode(pair)))
    }
}

//! A second project that gets a copy of every trace.

use crate::destination::Destination;
use std::fmt;

/// What was said about the mirror, each value on its own; blank ones count as not given.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorSettings<'a> {
    /// Whether it is on; on by default where both keys are given.
    pub enabled: Option<bool>,
    /// The public key of the second project.
    pub public_key: Option<&'a str>,
    /// Its secret key.
    pub secret_key: Option<&'a str>,
    /// Its address; that of the primary by default.
    pub base_url: Option<&'a str>,
    /// The label of the mirrored copy.
    pub environment: Option<&'a str>,
}

impl fmt::Debug for MirrorSettings<'_> {
    /// Which values are given, the switch and the label; addresses and keys may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MirrorSettings")
            .field("enabled", &self.enabled)
            .field("has_public_key", &given(self.public_key).is_some())
            .field("has_secret_key", &given(self.secret_key).is_some())
            .field("has_base_url", &given(self.base_url).is_some())
            .field("environment", &self.environment)
            .finish()
    }
}

/// Why there is no mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum MirrorOff {
    /// Nothing was said about it.
    NotConfigured,
    /// It is switched off.
    SwitchedOff,
    /// One of the two keys is missing.
    KeyMissing,
    /// Neither it nor the primary has an address.
    NoAddress,
    /// Its address is no http or https address with a host.
    BadAddress,
    /// It is the primary project: every trace would be sent twice.
    IsPrimary,
}

impl fmt::Display for MirrorOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotConfigured => "off",
            Self::SwitchedOff => "off (mirror.enabled is false)",
            Self::KeyMissing => "off (it needs both publicKey and secretKey)",
            Self::NoAddress => "off (it has no baseUrl)",
            Self::BadAddress => "off (its baseUrl is no http or https address with a host)",
            Self::IsPrimary => "refused (it is the primary project; every trace would be sent twice)",
        })
    }
}

impl Destination {
    /// The mirror that the settings ask for, beside `primary`. Its line for a person is
    /// [`describe`](Self::describe), or the [`MirrorOff`] printed; neither holds a secret.
    ///
    /// # Errors
    /// [`MirrorOff`] says why there is none.
    ///
    /// ```
    /// use clawgauge_tracing_map::{Destination, MirrorOff, MirrorSettings};
    ///
    /// let primary = Destination::new("https://t.example", Some("pk-1"), Some("sk-1"))?;
    /// let mut settings = MirrorSettings::default();
    /// (settings.public_key, settings.secret_key) = (Some("pk-1"), Some("sk-1"));
    /// settings.base_url = Some("https://T.example:443/");
    /// assert_eq!(Destination::mirror(&settings, Some(&primary)), Err(MirrorOff::IsPrimary));
    /// # Ok::<(), clawgauge_tracing_map::Error>(())
    /// ```
    pub fn mirror(settings: &MirrorSettings<'_>, primary: Option<&Self>) -> Result<Self, MirrorOff> {
        if settings.enabled == Some(false) {
            return Err(MirrorOff::SwitchedOff);
        }
        let (public, secret) = match (given(settings.public_key), given(settings.secret_key)) {
            (Some(public), Some(secret)) => (public, secret),
            (None, None) => return Err(MirrorOff::NotConfigured),
            _ => return Err(MirrorOff::KeyMissing),
        };
        let base_url = given(settings.base_url).or(primary.map(Self::base_url));
        let base_url = base_url.ok_or(MirrorOff::NoAddress)?;
        let mirror = Self::new(base_url, Some(public), Some(secret)).map_err(|_| MirrorOff::BadAddress)?;
        if primary.is_some_and(|primary| mirror.is_same_project(primary)) {
            return Err(MirrorOff::IsPrimary);
        }
        Ok(mirror.with_environment(settings.environment))
    }
}

/// A value that is not blank.
fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

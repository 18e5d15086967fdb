//! The settings that the programs share: command line, then the plugin's entry in `openclaw.json`, then the environment,
//! then a default, each value on its own. An empty value is not set. Every value remembers where it came from, and keys
//! are shown masked.
//!
//! The chat relay's part (`chat.*`, `privateData.*`, the keys) is resolved by `clawgauge-relay-proto`; the tracing part
//! (`mirror.*`, labels) here.

mod plugin;
mod trace;

pub use clawgauge_relay_proto::Source;
pub use plugin::{PluginEntry, WriteError, plugin_config, read_config};
pub use trace::{DEFAULT_BASE_URL, Flags, TraceSettings};

use std::fmt;

/// A value and where it came from.
#[derive(Clone, PartialEq, Eq)]
pub struct Sourced {
    /// The value in force.
    pub value: String,
    /// Where it came from.
    pub source: Source,
}

impl fmt::Debug for Sourced {
    /// The value can be a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sourced(… from {})", self.source)
    }
}

/// The text of a value that may not be there.
pub(crate) fn text(value: Option<&Sourced>) -> Option<&str> {
    value.map(|value| value.value.as_str())
}

/// One line of a status: name, value, source.
fn line(name: &str, value: Option<&Sourced>) -> String {
    value.map_or_else(
        || format!("{name}: not set"),
        |value| format!("{name}: {} ({})", value.value, value.source),
    )
}

/// The same for a key.
fn masked_line(name: &str, value: Option<&Sourced>) -> String {
    value.map_or_else(
        || format!("{name}: not set"),
        |value| format!("{name}: {} ({})", mask(&value.value), value.source),
    )
}

/// A key that can be recognised and not used.
#[must_use]
pub fn mask(key: &str) -> String {
    clawgauge_relay_proto::Secret::new(key).masked()
}

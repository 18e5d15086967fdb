//! Integration tests of `clawgauge-cases`.

mod actions;
#[cfg(feature = "yaml")]
mod case_files;
#[cfg(feature = "yaml")]
mod field;
mod explain;
mod judge;
mod laws;
mod reports;
#[cfg(feature = "yaml")]
mod schema;
#[cfg(feature = "yaml")]
mod splice;
mod support;
mod vectors;

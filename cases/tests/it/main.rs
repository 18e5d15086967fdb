//! Integration tests of `clawgauge-cases`.

mod actions;
#[cfg(feature = "yaml")]
mod case_files;
#[cfg(feature = "yaml")]
mod field;
mod reports;
mod support;
mod vectors;

//! Integration tests of `clawgauge-cases`.

mod actions;
#[cfg(feature = "yaml")]
mod case_files;
mod support;
mod vectors;

//! Integration tests: one binary, one topic a module.

mod agreement;
mod field_cases;
mod otlp;
mod properties;
mod recorded;
mod support;
mod transcripts;
mod vectors;

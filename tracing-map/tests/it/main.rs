//! Integration tests: one binary, one topic a module.

mod field_cases;
mod otlp;
mod recorded;
mod support;
mod vectors;

//! Integration tests: one binary, one topic a module.

mod field_cases;
mod recorded;
mod support;
mod vectors;

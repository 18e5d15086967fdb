//! Integration tests: one binary, one topic a module.

mod vectors;

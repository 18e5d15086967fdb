//! Tests of the public surface: one binary, one file a subject.

mod conversation;
mod events;
mod field_cases;
mod fuzz;
mod properties;
mod reading;
mod recorded;
mod support;
mod tree;

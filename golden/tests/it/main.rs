//! Tests of the public interface.

mod field;
mod laws;
mod recorded;
mod support;
mod vectors;

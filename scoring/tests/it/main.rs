//! The tests of the crate from outside, in one binary.

mod records;
mod sentences;
mod stats;
mod summaries;
mod support;
mod v1_vectors;

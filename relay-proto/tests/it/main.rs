//! Everything that is tested from outside, in one binary.

mod codec;
mod field_cases;
mod pair;
mod policies;
mod secrets;
mod sim;
mod vectors;
mod vectors_http;
mod vectors_in;
mod vectors_link;
mod vectors_policy;
mod vectors_turn;

//! OTLP over HTTP: spans to request bodies, answers to what they mean.

mod batch;
mod json;
mod proto;
mod response;
mod wire;

pub use batch::{Batcher, EncodeLimits, Hook, Request};
pub use response::{Answer, read_answer};
pub(crate) use wire::{AttributeValue, Attributes, Event, Key, WireSpan};

/// The encoding of a request body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// `application/json`.
    Json,
    /// `application/x-protobuf`. Phoenix takes only this.
    Protobuf,
}

impl Format {
    /// The value of `content-type`.
    #[must_use]
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => "application/x-protobuf",
        }
    }
}

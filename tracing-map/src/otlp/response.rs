//! What a backend's answer to a successful request says.

use super::{Format, proto};
use crate::error::{Error, ErrorKind};
use serde_json::Value;

/// The longest answer that is read, in bytes.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// The answer to a request that was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// Spans that the backend refused. They are not sent again: it would refuse them again.
    pub rejected_spans: u64,
    /// What the backend says, also where it refused nothing.
    pub message: Option<String>,
}

impl Answer {
    /// Whether part of the request was refused.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.rejected_spans > 0
    }
}

/// Reads the body of a 2xx answer. An empty body, and one that is no OTLP answer but text, say that all was taken.
///
/// # Errors
/// [`ErrorKind::Response`] when the body is longer than 4 MiB or is broken protobuf.
pub fn read_answer(format: Format, body: &[u8]) -> Result<Answer, Error> {
    if body.len() > MAX_ANSWER_BYTES {
        return Err(Error::new(ErrorKind::Response, "the answer is longer than 4 MiB"));
    }
    let (rejected, message) = match format {
        Format::Json => json(body),
        Format::Protobuf => match proto::read_response(body) {
            Some(answer) => answer,
            // Some backends answer JSON to protobuf.
            None if body.first() == Some(&b'{') => json(body),
            None => return Err(Error::new(ErrorKind::Response, "the answer is no protobuf message")),
        },
    };
    Ok(Answer {
        rejected_spans: u64::try_from(rejected).unwrap_or(0),
        message: (!message.is_empty()).then_some(message),
    })
}

fn json(body: &[u8]) -> (i64, String) {
    let value: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let partial = value.get("partialSuccess").or_else(|| value.get("partial_success"));
    let field = |camel: &str, snake: &str| {
        partial.and_then(|partial| partial.get(camel).or_else(|| partial.get(snake)))
    };
    let rejected = field("rejectedSpans", "rejected_spans");
    let rejected =
        rejected.and_then(|count| count.as_i64().or_else(|| count.as_str()?.parse().ok())).unwrap_or(0);
    let message = field("errorMessage", "error_message").and_then(Value::as_str).unwrap_or("");
    (rejected, message.to_owned())
}

//! When to send again: a pure decision.

use chrono::DateTime;

/// What came of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendResult<'a> {
    /// An HTTP answer with its status and its `Retry-After` header.
    Status {
        /// The status.
        status: u16,
        /// The header, when there is one: seconds or an HTTP date.
        retry_after: Option<&'a str>,
    },
    /// No answer: refused, broken off, timed out.
    NoAnswer,
}

/// What to do with the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// It was taken (perhaps in part): done.
    Done,
    /// Send it again after so many milliseconds.
    Retry {
        /// How long to wait.
        after_ms: u64,
    },
    /// Never send it again: it would be refused again.
    GiveUp,
    /// It was tried often enough for now; keep it for later.
    Keep,
}

/// How patient to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// The first wait. Default 1 second; doubled with each attempt.
    pub base_ms: u64,
    /// The longest wait, also for `Retry-After`. Default 60 seconds.
    pub max_ms: u64,
    /// How many attempts in all. Default 5.
    pub max_attempts: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { base_ms: 1_000, max_ms: 60_000, max_attempts: 5 }
    }
}

/// Decides. Only 429, 502, 503, 504 and no answer at all are worth another try. `attempt` counts from 1, `random` is in
/// `0.0..1.0`, `now_ms` is needed for a `Retry-After` that is a date. The wait grows exponentially and is drawn from its
/// upper half; a `Retry-After` is kept, up to the longest wait.
///
/// ```
/// use clawgauge_tracing_map::{Decision, RetryPolicy, SendResult, retry};
///
/// let policy = RetryPolicy::default();
/// let busy = SendResult::Status { status: 503, retry_after: Some("7") };
/// assert_eq!(retry(busy, 1, 0.5, 0, policy), Decision::Retry { after_ms: 7_000 });
/// let wrong = SendResult::Status { status: 400, retry_after: None };
/// assert_eq!(retry(wrong, 1, 0.5, 0, policy), Decision::GiveUp);
/// ```
#[must_use]
pub fn retry(
    result: SendResult<'_>,
    attempt: u32,
    random: f64,
    now_ms: i64,
    policy: RetryPolicy,
) -> Decision {
    let asked = match result {
        SendResult::Status { status: 200..=299, .. } => return Decision::Done,
        SendResult::Status { status: 429 | 502 | 503 | 504, retry_after } => {
            retry_after.and_then(|header| parse_retry_after(header, now_ms))
        }
        SendResult::Status { .. } => return Decision::GiveUp,
        SendResult::NoAnswer => None,
    };
    if attempt >= policy.max_attempts {
        return Decision::Keep;
    }
    let after_ms = asked.unwrap_or_else(|| {
        let doubled =
            policy.base_ms.saturating_mul(1_u64.checked_shl(attempt.saturating_sub(1)).unwrap_or(u64::MAX));
        let wait = doubled.min(policy.max_ms);
        let random = if (0.0..1.0).contains(&random) { random } else { 0.5 };
        let half = wait / 2;
        // The product is within 0..=half.
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a wait of milliseconds, far below 2^53"
        )]
        let jitter = (random * half as f64) as u64;
        half.saturating_add(jitter)
    });
    Decision::Retry { after_ms: after_ms.min(policy.max_ms) }
}

/// Seconds, or an HTTP date.
fn parse_retry_after(header: &str, now_ms: i64) -> Option<u64> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<u64>() {
        return Some(seconds.saturating_mul(1_000));
    }
    let at = DateTime::parse_from_rfc2822(header).ok()?.timestamp_millis();
    Some(u64::try_from(at.saturating_sub(now_ms)).unwrap_or(0))
}

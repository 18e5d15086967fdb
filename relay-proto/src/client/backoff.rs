//! How long to wait before the next connection.

/// Close codes of the protocol, and those of WebSocket that a platform uses.
pub mod close_code {
    /// No sign of life came in time. 1006, which says the same, may stand in no frame.
    pub const GOING_AWAY: u16 = 1001;
    /// Too many connections have not said `hello` yet.
    pub const TRY_LATER: u16 = 1013;
    /// The keys are not known.
    pub const UNKNOWN_KEYS: u16 = 4401;
    /// The keys were revoked.
    pub const REVOKED_KEYS: u16 = 4403;
    /// No valid `hello` came in time.
    pub const NO_HELLO: u16 = 4408;
    /// A newer connection with the same keys took over.
    pub const SUPERSEDED: u16 = 4409;
}

/// Waiting times between connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackoffConfig {
    /// First delay. Default 1,000 ms.
    pub min_ms: u64,
    /// Longest delay. Default 60,000 ms.
    pub max_ms: u64,
    /// Least delay after 4409, so that two gateways with the same keys do not push each other out in turns. Default
    /// 30,000 ms.
    pub superseded_ms: u64,
    /// A connection has to last this long before the next failure starts at the first delay again. Default 30,000 ms.
    pub stable_ms: u64,
}

impl Default for BackoffConfig {
    fn default() -> Self {
        Self { min_ms: 1_000, max_ms: 60_000, superseded_ms: 30_000, stable_ms: 30_000 }
    }
}

/// Exponential backoff: 1, 2, 4 … 60 s, each between 50 and 100 % of that by chance.
///
/// ```
/// use clawgauge_relay_proto::{Backoff, BackoffConfig, close_code};
/// let mut backoff = Backoff::new(BackoffConfig::default());
/// assert_eq!(backoff.next_delay(None, 1.0), 1_000);
/// assert_eq!(backoff.next_delay(None, 0.5), 1_500);
/// assert_eq!(backoff.next_delay(Some(close_code::UNKNOWN_KEYS), 0.5), 60_000);
/// ```
#[derive(Debug, Clone)]
pub struct Backoff {
    config: BackoffConfig,
    failures: u32,
}

impl Backoff {
    /// Nothing has failed yet.
    #[must_use]
    pub fn new(config: BackoffConfig) -> Self {
        Self { config, failures: 0 }
    }

    /// The delay after a connection that failed or was closed with this code, in milliseconds. `random` is between 0
    /// and 1. Refused keys (4401, 4403) wait the longest delay from the first time on: no retry makes them good.
    pub fn next_delay(&mut self, code: Option<u16>, random: f64) -> u64 {
        let BackoffConfig { min_ms, max_ms, superseded_ms, .. } = self.config;
        let random = random.clamp(0.0, 1.0);
        let base = min_ms.saturating_mul(1_u64.checked_shl(self.failures).unwrap_or(u64::MAX)).min(max_ms);
        self.failures = self.failures.saturating_add(1).min(32);
        match code {
            Some(close_code::UNKNOWN_KEYS | close_code::REVOKED_KEYS) => {
                self.failures = 32;
                max_ms
            }
            Some(close_code::SUPERSEDED) => superseded_ms.saturating_add(part(superseded_ms, random)),
            _ => base / 2 + part(base - base / 2, random),
        }
    }

    /// A connection lasted `open_ms`: if that is long enough, the next failure starts over.
    pub fn connection_lasted(&mut self, open_ms: u64) {
        if open_ms >= self.config.stable_ms {
            self.failures = 0;
        }
    }
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "delays are far below 2^53 and random is in 0..=1"
)]
fn part(of: u64, random: f64) -> u64 {
    (of as f64 * random).round() as u64
}

//! The clocks and the chance that the library does not have.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clawgauge_relay_proto::Now;

/// Both clocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wall {
    start: Instant,
}

impl Wall {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now() }
    }

    pub(crate) fn now(self) -> Now {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Now::new(
            u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX),
            i64::try_from(epoch.as_millis()).unwrap_or(i64::MAX),
        )
    }

    /// The instant of a monotonic time of this clock.
    pub(crate) fn instant(self, mono_ms: u64) -> Instant {
        self.start + std::time::Duration::from_millis(mono_ms)
    }
}

/// A seed that differs between two runs: the standard library seeds its hash maps from the system's randomness.
pub(crate) fn random_seed() -> u128 {
    let word = || u128::from(RandomState::new().build_hasher().finish());
    (word() << 64) | word()
}

//! Time comes in as an argument.

/// The two clocks at one moment.
///
/// Timers run on `mono_ms`, which only has to go forwards (any origin); `epoch_ms` is only written into
/// frames as `ts`, so a wall clock that is set back or jumps changes no behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Now {
    /// Monotonic milliseconds since any fixed moment.
    pub mono_ms: u64,
    /// Wall clock, milliseconds since 1970-01-01 UTC.
    pub epoch_ms: i64,
}

impl Now {
    /// Both clocks.
    #[must_use]
    pub fn new(mono_ms: u64, epoch_ms: i64) -> Self {
        Self { mono_ms, epoch_ms }
    }
}

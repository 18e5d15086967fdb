//! How much a reader takes in before it says so instead of growing.

/// Bounds on what one input may make a reader keep.
///
/// Every limit has a default that real OpenClaw files stay far below (the longest line seen is 0.9 MB); beyond a
/// limit the reader reports and goes on, it never fails as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Longest line in bytes; a longer one is reported as [`ProblemKind::Oversized`](crate::ProblemKind) and
    /// skipped without being held in memory. Default 64 MiB, never above 4 GiB - 1.
    pub max_line_bytes: usize,
    /// Deepest nesting of arrays and objects in a line; a deeper one is reported as
    /// [`ProblemKind::TooDeep`](crate::ProblemKind). Default and maximum 120, which any JSON library reads.
    pub max_depth: u32,
    /// Most rows kept of one session; the later ones are left out and reported once. Default 10 million.
    pub max_entries: usize,
    /// Most problems described one by one; all are counted. Default 1,000.
    pub max_problems: usize,
}

impl Limits {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self { max_line_bytes: 64 << 20, max_depth: 120, max_entries: 10_000_000, max_problems: 1_000 }
    }

    /// The same limits with another longest line.
    #[must_use]
    pub const fn with_max_line_bytes(mut self, bytes: usize) -> Self {
        self.max_line_bytes = bytes;
        self
    }

    pub(crate) fn line_bytes(&self) -> usize {
        self.max_line_bytes.min(u32::MAX as usize)
    }

    pub(crate) fn depth(&self) -> u32 {
        self.max_depth.min(120)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}

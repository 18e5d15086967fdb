//! How long the mapper waits and how much it holds.

/// Bounds of a [`Mapper`](crate::Mapper). Memory is bounded by `max_open_runs` times `max_spans_per_run`, in practice by
/// the open runs: a held span is about a kilobyte without its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Open runs held at once; beyond it the run that has been silent longest is closed as incomplete. Default 1,000.
    pub max_open_runs: usize,
    /// Spans held for one run; beyond it further ones are counted and left out. Default 10,000.
    pub max_spans_per_run: usize,
    /// Finished spans waiting for [`poll`](crate::Mapper::poll); beyond it new ones are dropped and reported.
    /// Default 100,000.
    pub max_ready: usize,
    /// Notices waiting to be read; beyond it they are only counted. Default 1,000.
    pub max_notices: usize,
    /// Closed runs remembered, so that a late event does not open them again. Default 65,536 (about 12 MB).
    pub max_closed_runs: usize,
    /// Persons remembered by session. Default 10,000.
    pub max_persons: usize,
    /// How long a completed run waits for late events before its root leaves. Default 10 seconds.
    pub linger_ms: i64,
    /// A run without an open model or tool call is closed after this silence. Default 5 minutes.
    pub idle_ms: i64,
    /// A run with an open model or tool call is closed after this silence. Default 30 minutes.
    pub busy_idle_ms: i64,
    /// How long an ended span waits for events that overtook each other. Default 1 second.
    pub settle_ms: i64,
    /// How long an ended span waits for its texts. Default 5 seconds.
    pub content_wait_ms: i64,
    /// After which time missing texts are asked for again, doubled each time up to 64 times until something new happens.
    /// Default 1 second.
    pub content_retry_ms: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_open_runs: 1_000,
            max_spans_per_run: 10_000,
            max_ready: 100_000,
            max_notices: 1_000,
            max_closed_runs: 65_536,
            max_persons: 10_000,
            linger_ms: 10_000,
            idle_ms: 5 * 60_000,
            busy_idle_ms: 30 * 60_000,
            settle_ms: 1_000,
            content_wait_ms: 5_000,
            content_retry_ms: 1_000,
        }
    }
}

/// How a [`Mapper`](crate::Mapper) works.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// Whether texts are asked for and waited for. Default true.
    pub content: bool,
    /// The channel whose turns have a person behind them. Default `benchgen`.
    pub chat_channel: String,
    /// The tag of such turns. Default `benchgen-chat`.
    pub chat_tag: String,
    /// The bounds.
    pub limits: Limits,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            content: true,
            chat_channel: "benchgen".to_owned(),
            chat_tag: "benchgen-chat".to_owned(),
            limits: Limits::default(),
        }
    }
}

impl Config {
    /// The default without texts: nothing is asked for and nothing waits for texts.
    #[must_use]
    pub fn without_content() -> Self {
        Self { content: false, ..Self::default() }
    }
}

//! What the mapper did not put into spans, said aloud.

/// Something that an operator may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// An event came after its run had left; it is not sent.
    Late {
        /// The run.
        run_id: Option<String>,
        /// The type of the event.
        event_type: String,
    },
    /// An event was delivered again, or a call ended twice; only the first counts.
    Duplicate {
        /// The run.
        run_id: Option<String>,
        /// The type of the event.
        event_type: String,
    },
    /// An event named no run, session or trace, so that no trace is its own; it is not sent.
    Unattributed {
        /// The type of the event.
        event_type: String,
    },
    /// A run was silent for too long and was closed.
    Reaped {
        /// The run.
        run_id: Option<String>,
    },
    /// Too many runs were open; the one that was silent longest was closed.
    Evicted {
        /// The run.
        run_id: Option<String>,
    },
    /// A span had to be left out: the run holds too many, or nobody takes finished ones.
    SpanDropped {
        /// The run.
        run_id: Option<String>,
    },
    /// The gateway dropped events; open traces are marked incomplete.
    EventsDropped {
        /// How many.
        count: u64,
    },
}

/// Counts of everything that went through a mapper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Events handed in.
    pub events: u64,
    /// Events that carry nothing for a span (by type), or that belong to no run.
    pub ignored: u64,
    /// Runs that left.
    pub runs: u64,
    /// Spans that left.
    pub spans: u64,
    /// Events after their run had left.
    pub late: u64,
    /// Events that were delivered before.
    pub duplicates: u64,
    /// Runs closed for silence.
    pub reaped: u64,
    /// Runs closed for room.
    pub evicted: u64,
    /// Spans left out.
    pub dropped_spans: u64,
    /// Events that the gateway says it dropped.
    pub dropped_events: u64,
    /// Notices that found no room.
    pub lost_notices: u64,
}

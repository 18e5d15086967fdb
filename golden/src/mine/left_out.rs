//! Why a turn was not kept.

use std::collections::BTreeMap;
use std::fmt;

use clawgauge_transcript::UserOrigin;

/// Why a turn gave no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LeftOut {
    /// Nobody asked: the row is no person's. The name says whose: `heartbeat`, `cron`, `webhook`, ...
    Origin(UserOrigin),
    /// No user row began the turn.
    NoRequest,
    /// The person's message was given to the agent again.
    Retry,
    /// The person sent no words.
    EmptyRequest,
    /// Only OpenClaw itself answered: a mirror of what was delivered, or an injected note.
    Injected,
    /// No model answered in words.
    NoAnswer,
    /// The model chose to stay silent.
    Silent,
    /// The turn ended with an error.
    Errored,
    /// The turn was aborted.
    Aborted,
    /// The answer was cut off at the length limit.
    CutOff,
    /// The turn has no end.
    Unfinished,
    /// Not one of its tool calls succeeded.
    ToolsFailed,
    /// It made one and the same call over and over.
    Looped,
    /// The session is another agent's.
    OtherAgent,
    /// It began outside the time asked for, or it is not known when.
    OtherTime,
    /// Fewer tool calls than asked for.
    TooFewTools,
    /// A tool asked for was not used.
    ToolNotUsed,
    /// The session's score is below the threshold.
    LowScore,
    /// A threshold is set and the session has no score.
    NoScore,
    /// The session's risk is above the threshold.
    HighRisk,
    /// A threshold is set and the session's risk is not known.
    NoRisk,
    /// The limit of [`MineLimits`](super::MineLimits) was reached.
    Limit,
}

impl LeftOut {
    /// A stable name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Origin(origin) => origin.as_str(),
            Self::NoRequest => "no_request",
            Self::Retry => "retry",
            Self::EmptyRequest => "empty_request",
            Self::Injected => "injected",
            Self::NoAnswer => "no_answer",
            Self::Silent => "silent",
            Self::Errored => "errored",
            Self::Aborted => "aborted",
            Self::CutOff => "cut_off",
            Self::Unfinished => "unfinished",
            Self::ToolsFailed => "tools_failed",
            Self::Looped => "looped",
            Self::OtherAgent => "other_agent",
            Self::OtherTime => "other_time",
            Self::TooFewTools => "too_few_tools",
            Self::ToolNotUsed => "tool_not_used",
            Self::LowScore => "low_score",
            Self::NoScore => "no_score",
            Self::HighRisk => "high_risk",
            Self::NoRisk => "no_risk",
            Self::Limit => "limit",
        }
    }
}

/// What mining looked at, kept and left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MineReport {
    /// Sessions looked at.
    pub sessions: u64,
    /// Turns looked at.
    pub turns: u64,
    /// Turns worth keeping.
    pub kept: u64,
    /// Records that they became: kept turns with the same content are one.
    pub records: u64,
    /// Records without any assertion: a reviewer has to add some.
    pub without_assertions: u64,
    /// Turns left out, by the reason's name.
    pub left_out: BTreeMap<&'static str, u64>,
}

impl MineReport {
    pub(crate) fn leave_out(&mut self, reason: LeftOut) {
        let count = self.left_out.entry(reason.as_str()).or_default();
        *count = count.saturating_add(1);
    }
}

impl fmt::Display for MineReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sessions, turns, kept, records, .. } = self;
        write!(f, "{sessions} sessions, {turns} turns: {kept} worth keeping, {records} records")?;
        for (reason, count) in &self.left_out {
            write!(f, "\n  left out: {count} {reason}")?;
        }
        Ok(())
    }
}

//! Sessions that get no score, and why.

use std::fmt;

/// A score, or the reason why the session gets none.
#[derive(Debug, Clone, PartialEq)]
pub enum Judged<T> {
    /// The session was scored.
    Scored(T),
    /// The profile does not score such sessions.
    Skipped(SkipReason),
}

impl<T> Judged<T> {
    /// The score, if there is one.
    #[must_use]
    pub fn scored(self) -> Option<T> {
        match self {
            Self::Scored(score) => Some(score),
            Self::Skipped(_) => None,
        }
    }
}

/// Why a session gets no score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// It has no id, so that a score could not be filed.
    NoSessionId,
    /// It has fewer messages than the profile asks for.
    TooFewMessages,
    /// A subagent's session: its parent's session is the one to judge.
    Subagent,
    /// A scheduled run: nobody asked.
    Cron,
    /// No model answered in it.
    NoModelReply,
}

impl SkipReason {
    /// The name used in files: lower case with underscores.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoSessionId => "no_session_id",
            Self::TooFewMessages => "too_few_messages",
            Self::Subagent => "subagent",
            Self::Cron => "cron",
            Self::NoModelReply => "no_model_reply",
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSessionId => "no session id",
            Self::TooFewMessages => "too few messages",
            Self::Subagent => "a subagent's session",
            Self::Cron => "a scheduled run",
            Self::NoModelReply => "no model reply",
        })
    }
}

//! What came of checking a case.

use crate::align::Alignment;
use crate::detail::Detail;

/// The verdict in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Status {
    /// Everything asserted holds.
    Passed,
    /// Something asserted does not hold.
    Failed,
    /// Nothing was asserted: never a pass.
    Unchecked,
    /// The attempt could not be made or read, so there is no verdict on the agent.
    Errored,
}

impl Status {
    /// The word used in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Unchecked => "unchecked",
            Self::Errored => "errored",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        [Self::Passed, Self::Failed, Self::Unchecked, Self::Errored].into_iter().find(|s| s.as_str() == word)
    }
}

/// Something about a verdict that a reader should know, which is no failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Flag {
    /// The case asserts nothing.
    NoAssertions,
    /// The case only forbids, and the agent did nothing at all: the pass proves little.
    NoAgentOutput,
    /// An assertion holds for want of anything to apply to.
    Vacuous,
}

impl Flag {
    /// The word used in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoAssertions => "no_assertions",
            Self::NoAgentOutput => "no_agent_output",
            Self::Vacuous => "vacuous",
        }
    }
}

/// Why a check failed: what was expected, what happened, and how far apart they are. Texts are quoted through the
/// redactor already.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// Expected and actual steps side by side, where the check is about steps.
    pub alignment: Option<Alignment>,
    /// What came closest, and what keeps it from matching.
    pub near_miss: Option<NearMiss>,
    /// The entries of the transcript to look at.
    pub entries: Vec<String>,
    /// Further lines, such as the alternatives of a group.
    pub notes: Vec<String>,
}

/// The call or text that came closest.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NearMiss {
    /// The expected thing.
    pub expected: String,
    /// The actual thing.
    pub actual: String,
    /// What differs.
    pub because: Vec<String>,
    /// Its entry in the transcript.
    pub entry: Option<String>,
}

/// One assertion and whether it holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Check {
    /// The key of the assertion in a suite.
    pub key: &'static str,
    /// Its name in a report (openclaw-edd's, where it has one).
    pub name: &'static str,
    /// Whether it holds.
    pub passed: bool,
    /// Why not, in one line. Empty if it holds.
    pub message: String,
    /// Details in the shape of openclaw-edd's report, with further keys.
    pub detail: Detail,
    /// Why not, at length. Boxed, as it is large and most checks hold.
    pub explanation: Option<Box<Explanation>>,
    /// Whether it holds for want of anything to apply to.
    pub vacuous: bool,
}

/// A place where openclaw-edd would say something else.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The check, by its name in a report; `case` for the verdict as a whole.
    pub check: String,
    /// What we say.
    pub ours: String,
    /// What openclaw-edd says.
    pub edd: String,
}

/// The verdict on one case.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Verdict {
    /// In one word. Never [`Status::Errored`].
    pub status: Status,
    /// One check for each assertion, in order.
    pub checks: Vec<Check>,
    /// What else to know.
    pub flags: Vec<Flag>,
    /// Where openclaw-edd would differ, if that was asked for.
    pub differences: Vec<Difference>,
}

impl Verdict {
    /// Whether everything asserted holds and something was asserted.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.status == Status::Passed
    }

    /// The failure lines.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        self.checks.iter().filter(|c| !c.passed).map(|c| c.message.clone()).collect()
    }
}

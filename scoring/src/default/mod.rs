//! The default profile.

mod accuracy;
mod autonomy;
mod completeness;
mod consistency;
mod findings;

use std::sync::LazyLock;

use clawgauge_transcript::{SessionKey, Transcript};

use crate::card::Scorecard;
use crate::error::Error;
use crate::profile::{PerDimension, Profile};
use crate::rules::{Matchers, Rules};
use crate::signs::Session;
use crate::skip::{Outcome, SkipReason};

/// Scores sessions by a set of [`Rules`]: the default profile, made ready once and used for many sessions.
///
/// - **Accuracy**: the share of changes that a later call of the same request checked: read back, tested, run.
/// - **Completeness**: whether the last request of a person came to its end, and what the agent's last substantive text says
///   about it.
/// - **Autonomy**: one minus the share of the person's messages that correct what the agent did.
/// - **Consistency**: whether the agent stayed out of loops.
///
/// A dimension with nothing to judge is not applicable; the overall score is the mean of the others.
///
/// ```
/// use clawgauge_scoring::{Dimension, Outcome, Scorer};
/// use clawgauge_transcript::Transcript;
///
/// let session = br#"{"type":"session","version":3,"id":"s"}
/// {"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"sort names.txt"}}
/// {"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"text","text":"Sorted by size."}],"stopReason":"stop"}}
/// {"type":"message","id":"c","parentId":"b","message":{"role":"user","content":"No, I meant by name."}}
/// {"type":"message","id":"d","parentId":"c","message":{"role":"assistant","content":[{"type":"text","text":"Done, sorted by name."}],"stopReason":"stop"}}"#;
/// let Outcome::Scored(card) = Scorer::standard().score(&Transcript::from_slice(session), None) else { panic!() };
/// assert_eq!(card.score(Dimension::Autonomy).number(), Some(0.5));
/// assert_eq!(card.score(Dimension::Completeness).number(), Some(1.0));
/// assert_eq!(card.score(Dimension::Accuracy).number(), None);
/// ```
#[derive(Debug)]
pub struct Scorer {
    rules: Rules,
    matchers: Matchers,
}

impl Scorer {
    /// Makes the rules ready. Costs some milliseconds: do it once.
    ///
    /// # Errors
    /// [`ErrorKind::Pattern`](crate::ErrorKind::Pattern) for the first pattern that is no regular expression; the message names it.
    pub fn new(rules: Rules) -> Result<Self, Error> {
        let (matchers, errors) = Matchers::new(&rules);
        match errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(Self { rules, matchers }),
        }
    }

    /// The default rules, made ready once.
    #[must_use]
    pub fn standard() -> &'static Self {
        static STANDARD: LazyLock<Scorer> = LazyLock::new(|| {
            let rules = Rules::default();
            // That the default patterns compile is a test.
            let (matchers, _) = Matchers::new(&rules);
            Scorer { rules, matchers }
        });
        &STANDARD
    }

    /// The rules.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Scores a session, or says why it gets no score. `key`: the session's key, where it is known. `O(n)`.
    ///
    /// Not scored are sessions of subagents and scheduled runs (by their key), with fewer than
    /// [`min_messages`](crate::rules::Limits::min_messages) messages, and those in which no model said or did anything.
    #[must_use]
    pub fn score(&self, transcript: &Transcript<'_>, key: Option<&SessionKey>) -> Outcome<Scorecard> {
        if let Some(key) = key {
            if key.is_subagent() {
                return Outcome::Skipped(SkipReason::Subagent);
            }
            if key.is_cron() {
                return Outcome::Skipped(SkipReason::Cron);
            }
        }
        let session = Session::new(&self.rules, &self.matchers, transcript);
        if !session.has_reply() {
            return Outcome::Skipped(SkipReason::NoModelReply);
        }
        if session.message_count() < self.rules.limits.min_messages {
            return Outcome::Skipped(SkipReason::TooFewMessages);
        }
        let dimensions = PerDimension {
            accuracy: accuracy::judge(&session, &self.matchers),
            completeness: completeness::judge(&session, &self.matchers),
            autonomy: autonomy::judge(&session, &self.matchers),
            consistency: consistency::judge(&session, &self.matchers),
        };
        Outcome::Scored(Scorecard::new(Profile::Default, self.rules.version.as_str(), dimensions))
    }
}

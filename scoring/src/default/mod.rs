//! The default profile.

mod accuracy;
mod autonomy;
mod completeness;
mod consistency;
mod findings;

use std::sync::LazyLock;

use clawgauge_transcript::{SessionKey, Transcript, UserOrigin};

use crate::card::Scorecard;
use crate::effort::{Baseline, Effort};
use crate::error::Error;
use crate::profile::{PerDimension, Profile};
use crate::risk::Risk;
use crate::rules::{Matchers, RiskWeights, Rules};
use crate::signs::{self, Session, Signs};
use crate::skip::{Judged, SkipReason};

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
/// use clawgauge_scoring::{Dimension, Judged, Scorer};
/// use clawgauge_transcript::Transcript;
///
/// let session = br#"{"type":"session","version":3,"id":"s"}
/// {"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"sort names.txt"}}
/// {"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"text","text":"Sorted by size."}],"stopReason":"stop"}}
/// {"type":"message","id":"c","parentId":"b","message":{"role":"user","content":"No, I meant by name."}}
/// {"type":"message","id":"d","parentId":"c","message":{"role":"assistant","content":[{"type":"text","text":"Done, sorted by name."}],"stopReason":"stop"}}"#;
/// let Judged::Scored(card) = Scorer::standard().score(&Transcript::from_slice(session), None) else { panic!() };
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
            let matchers = Matchers::of_default(&rules);
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
    /// Not scored are sessions of subagents and scheduled runs (by their key, or because nobody else speaks in them), with
    /// fewer than
    /// [`min_messages`](crate::rules::Limits::min_messages) messages, and those in which no model said or did anything.
    #[must_use]
    pub fn score(&self, transcript: &Transcript<'_>, key: Option<&SessionKey>) -> Judged<Scorecard> {
        match self.score_with_signs(transcript, key) {
            Judged::Scored((card, _)) => Judged::Scored(card),
            Judged::Skipped(reason) => Judged::Skipped(reason),
        }
    }

    /// The same with the signs behind the risk, from which [`set_effort`](Self::set_effort) goes on when a history is known.
    /// `None` where the rules give no sign any points: then none was read.
    #[must_use]
    pub fn score_with_signs(
        &self,
        transcript: &Transcript<'_>,
        key: Option<&SessionKey>,
    ) -> Judged<(Scorecard, Option<Signs>)> {
        if let Some(reason) = key.and_then(reason_in_key) {
            return Judged::Skipped(reason);
        }
        let session = Session::new(&self.rules, &self.matchers, transcript, key);
        let reason = if let Some(reason) = reason_in_rows(&session) {
            Some(reason)
        } else if !session.has_reply() {
            Some(SkipReason::NoModelReply)
        } else if session.message_count() < self.rules.limits.min_messages {
            Some(SkipReason::TooFewMessages)
        } else {
            None
        };
        if let Some(reason) = reason {
            return Judged::Skipped(reason);
        }
        let dimensions = PerDimension {
            accuracy: accuracy::judge(&session, &self.matchers),
            completeness: completeness::judge(&session, &self.matchers),
            autonomy: autonomy::judge(&session, &self.matchers),
            consistency: consistency::judge(&session, &self.matchers),
        };
        let mut card = Scorecard::new(Profile::Default, self.rules.version.as_str(), dimensions);
        let nothing = RiskWeights::default();
        if self.rules.risk == nothing && self.rules.risk_with_baseline == nothing {
            return Judged::Scored((card, None));
        }
        let signs = signs::read_signs(&session, &self.matchers);
        card.risk = Some(Risk::new(&signs, &self.rules.risk, None));
        card.work = Some(signs.work);
        Judged::Scored((card, Some(signs)))
    }

    /// Says on a card where its session stands among the user's own, and what risk it has when that counts.
    pub fn set_effort(&self, card: &mut Scorecard, signs: &Signs, baseline: &Baseline) {
        let effort = baseline.effort(signs.work);
        card.effort = Some(effort);
        card.risk_with_effort = Some(self.risk(signs, Some(effort)).value);
    }

    /// The risk of a session whose effort is known.
    #[must_use]
    pub fn risk(&self, signs: &Signs, effort: Option<Effort>) -> Risk {
        let weights = if effort.is_some() { &self.rules.risk_with_baseline } else { &self.rules.risk };
        Risk::new(signs, weights, effort)
    }

    /// Reads the signs that were measured to tell failure from success, scored or not. `O(n)`.
    #[must_use]
    pub fn signs(&self, transcript: &Transcript<'_>, key: Option<&SessionKey>) -> Signs {
        signs::read_signs(&Session::new(&self.rules, &self.matchers, transcript, key), &self.matchers)
    }
}

fn reason_in_key(key: &SessionKey) -> Option<SkipReason> {
    if key.is_subagent() {
        Some(SkipReason::Subagent)
    } else if key.is_cron() {
        Some(SkipReason::Cron)
    } else {
        None
    }
}

/// For sessions whose key is not known: only the task of a subagent or scheduled jobs speak in it.
fn reason_in_rows(session: &Session<'_>) -> Option<SkipReason> {
    let mut users = session.turns.iter().filter_map(|turn| turn.user);
    let first = users.next()?;
    match first {
        UserOrigin::SubagentTask if session.person_turns() == 0 => Some(SkipReason::Subagent),
        UserOrigin::Cron if users.all(|user| user == UserOrigin::Cron) => Some(SkipReason::Cron),
        _ => None,
    }
}

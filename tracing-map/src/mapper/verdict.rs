//! Did the run fail? Its own outcome is `completed` even when the provider refused.

use super::RunOutcome;
use super::run::Run;
use super::slots::EndKind;
use crate::span::{Level, Span};

impl Run {
    /// The last model call in the gateway's order.
    fn last_call_failed(&self) -> bool {
        let last = self.calls.iter().filter(|slot| slot.end.is_some()).max_by_key(|slot| slot.order());
        last.and_then(|slot| slot.end.as_ref()).is_some_and(|end| end.kind == EndKind::Failed)
    }

    fn was_aborted(&self) -> bool {
        let outcome = self.completion.as_ref().and_then(|completion| completion.outcome.as_deref());
        let last = self.calls.iter().filter(|slot| slot.end.is_some()).max_by_key(|slot| slot.order());
        let call_aborted =
            last.and_then(|slot| slot.end.as_ref()).is_some_and(|end| end.kind == EndKind::Aborted);
        let stored = self.content.as_ref().and_then(|content| content.stop_reason.as_deref());
        let told = matches!(&self.told_outcome, Some((RunOutcome::Aborted, _)));
        // A row says `aborted` of a run that took too long, too; the gateway knows better.
        let too_long = self.last_call_failed() || self.harness_outcome() == Some("timed_out");
        outcome == Some("aborted")
            || self.harness_outcome() == Some("aborted")
            || call_aborted
            || (stored == Some("aborted") && !too_long)
            || self.reply_aborted
            || told
    }

    /// Whether the run failed, for any reason but a person's abort.
    pub(super) fn has_failed(&self) -> bool {
        if self.was_aborted() {
            return false;
        }
        let outcome = self.completion.as_ref().and_then(|completion| completion.outcome.as_deref());
        let stored = self.content.as_ref().and_then(|content| content.stop_reason.as_deref());
        let answered = self.content.as_ref().is_some_and(|content| content.response.is_some());
        matches!(outcome, Some("error" | "blocked"))
            || matches!(&self.told_outcome, Some((RunOutcome::Failed | RunOutcome::TimedOut, _)))
            || self.harness_outcome() == Some("timed_out")
            || stored == Some("error")
            || (self.last_call_failed() && !answered)
    }

    /// Puts the outcome of the run on its root.
    pub(super) fn judge(&self, span: &mut Span) {
        if self.was_aborted() {
            span.note("aborted", true);
            span.status_message = Some("aborted".to_owned());
            return;
        }
        if !self.has_failed() {
            return;
        }
        span.level = Level::Error;
        let told = self.told_outcome.as_ref().and_then(|(_, message)| message.clone());
        let stored = self.content.as_ref().and_then(|content| content.error.clone());
        let failed = self.calls.iter().filter(|slot| slot.end.is_some()).max_by_key(|slot| slot.order());
        let by_call = failed.and_then(|slot| slot.failure.clone());
        let completion = self.completion.as_ref();
        let by_run = completion.and_then(|completion| {
            completion.blocked_by.clone().or_else(|| completion.error_category.clone())
        });
        let harness = self.harness_outcome().filter(|outcome| *outcome == "timed_out").map(str::to_owned);
        let class = by_call.or(harness).or(by_run);
        span.error_type = Some(class.clone().unwrap_or_else(|| "_OTHER".to_owned()));
        span.status_message = told.or(stored).or(class);
    }
}

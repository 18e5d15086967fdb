//! What became of a tool call.

use crate::raw::RawJson;

/// What became of a tool call, from its error flag, `details.status` and exit code together, never from free text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// It worked.
    Ok,
    /// It failed, was killed or timed out.
    Failed,
    /// A command ran to its end with this exit code, which is not zero. Whether that is bad depends on the command
    /// (`grep` without a match), so it is a class of its own.
    NonZeroExit(i64),
    /// It runs in the background, and no later call saw its end.
    Running,
    /// It was blocked or denied and did not run.
    Blocked,
    /// It waits for somebody's approval and did not run.
    AwaitingApproval,
    /// The stored result was put in by a repair of the transcript: what really happened is not known.
    Repaired,
    /// There is no result.
    NoResult,
    /// There is a result that says neither.
    Unknown,
}

impl Outcome {
    /// The stable name, for example `non_zero_exit`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::NonZeroExit(_) => "non_zero_exit",
            Self::Running => "running",
            Self::Blocked => "blocked",
            Self::AwaitingApproval => "awaiting_approval",
            Self::Repaired => "repaired",
            Self::NoResult => "no_result",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the call failed or ended with a non-zero exit code.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::NonZeroExit(_))
    }

    /// Whether the tool never ran.
    #[must_use]
    pub const fn did_not_run(self) -> bool {
        matches!(self, Self::Blocked | Self::AwaitingApproval)
    }

    /// Reads the outcome from a result, and whether the details have a status or an exit code that says something.
    pub(crate) fn of(is_error: Option<bool>, details: Option<RawJson<'_>>) -> (Self, bool) {
        let keys = ["status", "timedOut", "deniedReason", "failureKind", "exitCode"];
        let [status, timed_out, denied, failure, exit_code] =
            details.map_or([None; 5], |details| details.get_all(keys));
        let tells = [status, exit_code].iter().flatten().any(|value| !value.is_null());
        let class = status.and_then(RawJson::text).map_or(Status::Other, |status| {
            // Nearly all are lower case as they stand.
            if status.bytes().any(|byte| byte.is_ascii_uppercase()) {
                Status::from_name(&status.to_ascii_lowercase())
            } else {
                Status::from_name(&status)
            }
        });
        let timed_out = timed_out.and_then(RawJson::as_bool) == Some(true);
        let denied = denied.is_some_and(|reason| !reason.is_null())
            || failure.and_then(RawJson::text).is_some_and(|kind| kind == "approval_required");
        let exit_code = exit_code.and_then(RawJson::as_i64);
        let outcome = match class {
            _ if denied => Self::Blocked,
            Status::Denied => Self::Blocked,
            Status::Waiting => Self::AwaitingApproval,
            Status::Running => Self::Running,
            Status::Failed => Self::Failed,
            _ if timed_out => Self::Failed,
            Status::Done | Status::Other => match exit_code {
                Some(code) if code != 0 => Self::NonZeroExit(code),
                _ if is_error == Some(true) => Self::Failed,
                Some(_) => Self::Ok,
                None if is_error == Some(false) || class == Status::Done => Self::Ok,
                None => Self::Unknown,
            },
        };
        (outcome, tells)
    }
}

/// The exit code that a result's details name.
pub(crate) fn exit_code(details: Option<RawJson<'_>>) -> Option<i64> {
    details?.get("exitCode")?.as_i64()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Done,
    Failed,
    Running,
    Denied,
    Waiting,
    Other,
}

impl Status {
    fn from_name(name: &str) -> Self {
        match name {
            "completed" | "complete" | "ok" | "success" | "succeeded" | "done" | "accepted" => Self::Done,
            "failed" | "failure" | "error" | "timeout" | "timed_out" | "timed-out" | "killed"
            | "cancelled" | "canceled" | "aborted" => Self::Failed,
            "running" | "background" | "backgrounded" => Self::Running,
            "approval-pending" | "pending-approval" | "awaiting-approval" => Self::Waiting,
            "blocked" | "denied" | "rejected" | "forbidden" => Self::Denied,
            other if other.starts_with("approval-") => Self::Denied,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flag_status_and_exit_code_together() {
        let of = |flag, details: &str| Outcome::of(flag, RawJson::parse(details)).0;
        for (flag, details, outcome) in [
            (Some(false), r#"{"status":"completed","exitCode":0}"#, Outcome::Ok),
            // 2026.9.6 and 2026.6.11 tell the same exit code with different flags.
            (Some(false), r#"{"status":"completed","exitCode":3}"#, Outcome::NonZeroExit(3)),
            (Some(true), r#"{"status":"completed","exitCode":3}"#, Outcome::NonZeroExit(3)),
            (Some(true), r#"{"status":"failed","exitCode":127}"#, Outcome::Failed),
            (Some(true), r#"{"status":"failed","exitCode":null,"timedOut":true}"#, Outcome::Failed),
            // 2026.3.31 sets no flag on a failed edit.
            (Some(false), r#"{"status":"error","error":"no match"}"#, Outcome::Failed),
            (Some(false), r#"{"status":"running","sessionId":"calm-fern"}"#, Outcome::Running),
            (Some(false), r#"{"status":"approval-pending"}"#, Outcome::AwaitingApproval),
            (Some(true), r#"{"status":"blocked","deniedReason":"tool-loop"}"#, Outcome::Blocked),
            // 2026.9.6: a command that needs an approval nobody can give.
            (Some(true), r#"{"status":"failed","failureKind":"approval_required"}"#, Outcome::Blocked),
            (Some(true), "{}", Outcome::Failed),
            (Some(false), "[]", Outcome::Ok),
            (None, "{}", Outcome::Unknown),
            (None, r#"{"exitCode":0}"#, Outcome::Ok),
        ] {
            assert_eq!(of(flag, details), outcome, "{flag:?} {details}");
        }
        assert_eq!(Outcome::of(None, None), (Outcome::Unknown, false));
        assert_eq!(Outcome::of(Some(true), None), (Outcome::Failed, false));
    }
}

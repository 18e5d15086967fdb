//! One attempt: a recorded session, or the agent asked anew.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clawgauge_cases::{
    Assertion, Attempt, Case, Checker, RuntimeRun, Semantics, Suite, Trajectory, runtime_runs,
};
use clawgauge_scoring::{Judged, Scorer};
use clawgauge_support::cases::agent::{self, AgentAnswer, AgentCommand};
use clawgauge_support::cases::sessions;
use clawgauge_transcript::Transcript;

use super::Args;
use crate::{Stop, tell};

/// Where trajectories come from.
pub(super) enum Source {
    /// A recorded session.
    /// A stored session; and whether it asked any case of the suite, once somebody wanted to know.
    Recorded { transcript: Transcript<'static>, id: Option<String>, is_keyed: OnceLock<bool> },
    /// A run of a trajectory file.
    Runtime(Box<Trajectory>),
    /// The agent program.
    Agent { command: AgentCommand, state: PathBuf, stamp: String },
}

impl Source {
    /// The recorded session that the options name.
    pub(super) fn of(args: &Args) -> Result<Option<Self>, Stop> {
        let path = match (&args.transcript, &args.session) {
            (Some(path), _) => path.clone(),
            (None, Some(id)) => {
                let state = sessions::state_dir(args.state_dir.as_deref());
                let transcript = sessions::load(&state, &args.agent, id).map_err(Stop::input)?;
                return Ok(Some(Self::recorded(transcript, Some(id.clone()))));
            }
            (None, None) => return Ok(None),
        };
        let bytes = std::fs::read(&path).map_err(|e| Stop::input(format!("{}: {e}", path.display())))?;
        if let Some(runs) = runtime(&bytes) {
            // A trajectory file: the last run whose content it holds.
            let last = runs.into_iter().rev().find_map(|run| run.trajectory);
            let Some(trajectory) = last else {
                return Err(Stop::input(format!(
                    "{}: the content of its runs was cut and is unknown",
                    path.display()
                )));
            };
            return Ok(Some(Self::Runtime(Box::new(trajectory))));
        }
        let transcript = Transcript::from_slice(&bytes).into_owned();
        if transcript.entries().is_empty() {
            return Err(Stop::input(format!("{} holds no session", path.display())));
        }
        Ok(Some(Self::recorded(transcript, None)))
    }

    const fn recorded(transcript: Transcript<'static>, id: Option<String>) -> Self {
        Self::Recorded { transcript, id, is_keyed: OnceLock::new() }
    }

    /// The agent program.
    pub(super) fn asking(args: &Args) -> Result<Self, Stop> {
        let command = AgentCommand::parse(&args.agent_cmd, args.local).map_err(Stop::input)?;
        let millis = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis());
        Ok(Self::Agent {
            command,
            state: sessions::state_dir(args.state_dir.as_deref()),
            // Runs at one time on one machine keep apart by their process.
            stamp: format!("{millis:x}-{:x}", std::process::id()),
        })
    }

    pub(super) const fn is_recorded(&self) -> bool {
        !matches!(self, Self::Agent { .. })
    }
}

/// Makes and judges one attempt. What goes wrong is an errored attempt, not the end of the run.
pub(super) fn attempt(
    args: &Args,
    suite: &Suite,
    case: &Case,
    number: u32,
    source: &Source,
    files: &[(String, String)],
) -> Attempt {
    match source {
        Source::Recorded { transcript, id, is_keyed } => {
            let (mut trajectory, found) = trajectory(transcript, case, false);
            // Where the session asked another case of the suite, the messages tell which case it is about. Otherwise, and always
            // for openclaw-edd, a case is meant for all of the session, whatever its message says.
            let another_was_asked = || {
                let asked = |other: &Case| self::trajectory(transcript, other, false).1;
                *is_keyed.get_or_init(|| suite.cases.iter().any(asked))
            };
            if !found && suite.semantics != Semantics::Edd && another_was_asked() {
                return Attempt::errored(
                    format!(
                        "not asked: no turn of the session has this message (with --case-id {} all of the session is graded)",
                        case.id
                    ),
                    0.0,
                );
            }
            if !found {
                tell(&format!(
                    "edd: case {}: no turn of the session has this message, so all of it is graded\n",
                    case.id
                ));
            }
            trajectory.session_id = trajectory.session_id.or_else(|| id.clone());
            judged(args, suite, case, &trajectory, files)
        }
        Source::Runtime(trajectory) => judged(args, suite, case, trajectory, files),
        Source::Agent { command, state, stamp } => {
            let name = case.agent.as_deref().unwrap_or(&args.agent);
            let key = session_key(stamp, &case.id, number);
            match ask(args, case, command, state, name, &key) {
                Ok((trajectory, seconds)) => {
                    let mut attempt = judged(args, suite, case, &trajectory, files);
                    attempt.duration_s = seconds;
                    attempt
                }
                Err((why, seconds)) => Attempt::errored(why, seconds),
            }
        }
    }
}

/// The runs of a trajectory file, if it is one.
fn runtime(bytes: &[u8]) -> Option<Vec<RuntimeRun>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let first = text.lines().next()?;
    first.contains("\"traceSchema\"").then(|| runtime_runs(text))
}

/// A key of its own for each attempt, so that attempts do not see each other.
fn session_key(stamp: &str, case: &str, number: u32) -> String {
    let plain: String = case
        .chars()
        .take(40)
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect();
    format!("clawgauge-{stamp}-{plain}-{number}")
}

fn trajectory(transcript: &Transcript<'_>, case: &Case, fresh: bool) -> (Trajectory, bool) {
    let conversation = transcript.conversation();
    let (mut trajectory, found) = if fresh {
        // The session was made for this attempt. Should the agent program not heed the key it was given, what came before
        // the request is not the attempt's.
        let start = conversation.turns.iter().rposition(|turn| {
            let stored = turn.stored_user_text();
            let own = turn.speaker(&stored, None).map(|s| s.words().into_owned());
            own.as_deref().unwrap_or(&stored).trim() == case.message.trim()
        });
        (Trajectory::from_turns(conversation.turns.iter().skip(start.unwrap_or(0))), true)
    } else {
        Trajectory::for_request(&conversation, &case.message)
    };
    trajectory.session_id = transcript.session_id().map(std::borrow::Cow::into_owned);
    if asks_for_scores(&case.assertions)
        && let Judged::Scored(card) = Scorer::standard().score(transcript, None)
    {
        trajectory = trajectory.with_scores(&card);
    }
    (trajectory, found)
}

fn asks_for_scores(assertions: &[Assertion]) -> bool {
    assertions.iter().any(|a| match a {
        Assertion::MinScore(_) => true,
        Assertion::AnyOf(groups) | Assertion::AllOf(groups) => groups.iter().any(|g| asks_for_scores(g)),
        Assertion::Not(group) => asks_for_scores(group),
        _ => false,
    })
}

fn judged(
    args: &Args,
    suite: &Suite,
    case: &Case,
    trajectory: &Trajectory,
    files: &[(String, String)],
) -> Attempt {
    let mut checker = Checker::with_aliases(trajectory, suite.aliases.clone()).comparing(!args.no_compare);
    for (name, text) in files.iter().filter(|(name, _)| case.action_patterns_file.as_ref() == Some(name)) {
        checker = checker.with_file(name.clone(), text.clone());
    }
    Attempt::judged(checker.check(case, suite.semantics), trajectory)
}

type Failed = (String, f64);

fn ask(
    args: &Args,
    case: &Case,
    command: &AgentCommand,
    state: &Path,
    name: &str,
    key: &str,
) -> Result<(Trajectory, f64), Failed> {
    let timeout = Duration::try_from_secs_f64(case.timeout_s.unwrap_or(args.timeout_s).max(0.1))
        .unwrap_or(Duration::from_secs(3600));
    let words = command.call(name, key, &case.message);
    let done = agent::run(&words, timeout)
        .map_err(|e| (format!("the agent program cannot be started: {e}"), 0.0))?;
    let seconds = done.took.as_secs_f64();
    let tail = |text: &str| text.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or_default().to_owned();
    let Some(status) = done.status else {
        let running = sessions::is_running(state, name, key, Duration::from_secs(1));
        let still = if running {
            "; its session is STILL RUNNING in the gateway"
        } else {
            "; its session is not running any more"
        };
        return Err((
            format!("no answer within {:.0} s; the program was stopped{still}", timeout.as_secs_f64()),
            seconds,
        ));
    };
    if !status.success() {
        let said = if done.stderr.trim().is_empty() { tail(&done.stdout) } else { tail(&done.stderr) };
        return Err((format!("the agent program ended with {status}: {said}"), seconds));
    }
    let answer = AgentAnswer::parse(&done.stdout).map_err(|e| (e, seconds))?;
    let id = answer.session_id.unwrap_or_default();
    let transcript = sessions::load(state, name, &id).map_err(|e| (e, seconds))?;
    let (trajectory, _) = trajectory(&transcript, case, true);
    Ok((trajectory, seconds))
}

//! User rows that no person wrote: what they begin with, and where their task stands.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::UserOrigin;
use super::envelope::{BlockKind, CronJob, Envelope};
use super::peel::Peeler;
use super::text::{after, before, find_line, first_line, last_line, paragraph_end};

/// First words of a row, and who wrote it. Each is a whole phrase of OpenClaw, long enough that nobody types it by chance.
const OPENINGS: [(&str, UserOrigin); 32] = [
    ("[OpenClaw heartbeat poll]", UserOrigin::Heartbeat),
    ("Read HEARTBEAT.md if it exists", UserOrigin::Heartbeat),
    ("Follow the heartbeat monitor scratch context", UserOrigin::Heartbeat),
    ("Run the following periodic tasks (only those due", UserOrigin::Heartbeat),
    ("[OpenClaw cron wake]", UserOrigin::Cron),
    ("A scheduled reminder has been triggered.", UserOrigin::Cron),
    ("A scheduled cron event was triggered", UserOrigin::Cron),
    ("[OpenClaw exec completion]", UserOrigin::SystemEvent),
    ("[OpenClaw session event]", UserOrigin::SystemEvent),
    ("An async command you ran earlier ", UserOrigin::SystemEvent),
    ("An async command the user already approved ", UserOrigin::SystemEvent),
    ("Pre-compaction memory flush", UserOrigin::SystemEvent),
    ("[Post-compaction context refresh]", UserOrigin::SystemEvent),
    ("Session was just compacted.", UserOrigin::SystemEvent),
    ("Continue where you left off. The previous model attempt failed or timed out.", UserOrigin::SystemEvent),
    ("The previous attempt did not produce a user-visible answer.", UserOrigin::SystemEvent),
    (
        "The previous assistant turn recorded reasoning but did not produce a user-visible answer.",
        UserOrigin::SystemEvent,
    ),
    (
        "The previous assistant turn completed its tool calls but did not produce a user-visible answer.",
        UserOrigin::SystemEvent,
    ),
    ("[System] Your previous turn was interrupted", UserOrigin::SystemEvent),
    ("Continue the OpenClaw runtime event", UserOrigin::SystemEvent),
    ("A new session was started via /new or /reset", UserOrigin::SessionStart),
    ("[OpenClaw session new]", UserOrigin::SessionStart),
    ("[OpenClaw session reset]", UserOrigin::SessionStart),
    ("[OpenClaw session start", UserOrigin::SessionStart),
    ("You are running a boot check. Follow BOOT.md", UserOrigin::SessionStart),
    ("[System Message] ", UserOrigin::InterSession),
    ("[Queued announce messages while agent was busy]", UserOrigin::InterSession),
    ("Agent-to-agent announce step", UserOrigin::InterSession),
    ("Agent-to-agent message context:", UserOrigin::InterSession),
    ("A completed subagent task is ready for ", UserOrigin::InterSession),
    ("[Internal task completion event]", UserOrigin::InterSession),
    ("<<<BEGIN_UNTRUSTED_CHILD_RESULT>>>", UserOrigin::InterSession),
];

const INTER_SESSION: &str = "[Inter-session message]";
const INTERNAL_CONTEXT: &str = "OpenClaw runtime context (internal):";
const CHILD_BEGIN: &str = "<<<BEGIN_UNTRUSTED_CHILD_RESULT>>>";
const CHILD_END: &str = "<<<END_UNTRUSTED_CHILD_RESULT>>>";
const SUBAGENT: &str = "[Subagent Context]";
const EXTERNAL_BEGIN: &str = "<<<EXTERNAL_UNTRUSTED_CONTENT";
const EXTERNAL_END: &str = "<<<END_EXTERNAL_UNTRUSTED_CONTENT";
/// First words of the lines that OpenClaw puts behind the prompt of a job.
const JOB_NOTES: [&str; 6] = [
    "Current time:",
    "Reference UTC:",
    "This is an unattended scheduled run.",
    "Use the message tool if you need to notify the user directly",
    "Return your summary as plain text; it will be delivered automatically",
    "Return your response as plain text; it will be delivered automatically",
];
const BEGIN_TASK: &str = "Begin. Execute the assigned task to completion.";

/// What is known of a row beside its text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    /// A scheduled job wrote the row, or its session belongs to one.
    pub(super) cron: bool,
}

/// How many wrappers of machines lie around a task at most; recorded ones have one or two.
const MAX_WRAPPERS: usize = 16;

/// Takes envelopes and wrappers off until the words are left. Says which machine wrote them. A queue is left as it is.
pub(super) fn settle(peeler: &mut Peeler<'_>, known: Known) -> Option<UserOrigin> {
    let mut origin = None;
    for _ in 0..MAX_WRAPPERS {
        peeler.peel();
        let before = peeler.range();
        if let Some(found) = unwrap(peeler, known) {
            origin = origin.or(Some(found));
        }
        peeler.cut_media_section();
        if known.cron || matches!(origin, Some(UserOrigin::Cron | UserOrigin::Webhook)) {
            take_clock(peeler);
        }
        if before == peeler.range() || peeler.is_spent() {
            break;
        }
    }
    origin
}

/// Says which machine wrote what is left of the text, and takes its wrapper off the task.
fn unwrap(peeler: &mut Peeler<'_>, known: Known) -> Option<UserOrigin> {
    let text = peeler.rest();
    if let Some((id, name, bytes)) = cron_prefix(text, known.cron) {
        let job = CronJob { id: super::text::filled(id), name: super::text::filled(name) };
        peeler.envelope.cron.get_or_insert(job);
        peeler.take_head(bytes, BlockKind::TaskWrapper);
        // A job that carries content from outside says so behind its prefix: the job is still who wrote the row.
        external(peeler);
        return Some(UserOrigin::Cron);
    }
    if external(peeler) {
        return Some(UserOrigin::Webhook);
    }
    if text.starts_with(SUBAGENT) {
        subagent(peeler, text);
        return Some(UserOrigin::SubagentTask);
    }
    if text.starts_with(INTER_SESSION) {
        inter_session(peeler, text);
        return Some(UserOrigin::InterSession);
    }
    if text.starts_with(INTERNAL_CONTEXT) {
        internal_context(peeler, text);
        return Some(UserOrigin::InterSession);
    }
    if is_announcement(text) {
        return Some(UserOrigin::InterSession);
    }
    if let Some((_, origin)) = OPENINGS.iter().find(|(opening, _)| text.starts_with(opening)) {
        return Some(*origin);
    }
    if is_custom_heartbeat(text) {
        return Some(UserOrigin::Heartbeat);
    }
    session_start_below(text).then_some(UserOrigin::SessionStart)
}

/// Takes the lines off the end that tell a scheduled run the time and that nobody watches.
fn take_clock(peeler: &mut Peeler<'_>) {
    loop {
        let rest = peeler.rest();
        let text = rest.trim_end();
        let (line, at) = last_line(text);
        if peeler.is_spent() || !JOB_NOTES.iter().any(|note| line.starts_with(note)) {
            return;
        }
        peeler.take_tail(at, BlockKind::TaskWrapper);
    }
}

/// `[cron:<id> <name>] `. The id must look like one of OpenClaw's, or the row must be known as a job's: people write
/// `[cron: nightly]`, too.
fn cron_prefix(text: &str, known: bool) -> Option<(&str, &str, usize)> {
    let rest = text.strip_prefix("[cron:")?;
    let (line, _) = first_line(rest);
    let close = line.find(']')?;
    let inside = before(line, close);
    let (id, name) = inside.split_once(' ').unwrap_or((inside, ""));
    let behind = after(rest, close + 1);
    let spaced = behind.is_empty() || behind.starts_with(char::is_whitespace);
    let sure = known || is_uuid(id) || (is_id(id) && !name.is_empty()) || text.contains("\nCurrent time:");
    (spaced && sure && !id.is_empty()).then_some((id, name, "[cron:".len() + close + 1))
}

/// An id that somebody chose for a declared job: `job-7`, not a word.
fn is_id(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn is_uuid(text: &str) -> bool {
    let mut parts = text.split('-');
    [8, 4, 4, 4, 12].into_iter().all(|length| {
        parts.next().is_some_and(|part| part.len() == length && part.bytes().all(|b| b.is_ascii_hexdigit()))
    }) && parts.next().is_none()
}

/// Takes the security notice off content from outside.
fn external(peeler: &mut Peeler<'_>) -> bool {
    let text = peeler.rest();
    let opened =
        ["SECURITY NOTICE: The following content is from an EXTERNAL", "Task: ", "Job ID: ", EXTERNAL_BEGIN]
            .into_iter()
            .any(|start| text.starts_with(start));
    if !opened {
        return false;
    }
    let Some(begin) = text.find(EXTERNAL_BEGIN) else {
        return false;
    };
    // A task line that mentions the mark much later is a text about it.
    if !text.starts_with(EXTERNAL_BEGIN) && !before(text, begin).contains("SECURITY NOTICE:") {
        return false;
    }
    let Some(end) = after(text, begin).find(EXTERNAL_END).map(|at| begin + at) else {
        return false;
    };
    let inside = super::text::cut(text, begin..end);
    let mut body = first_line(inside).1;
    // Headers run up to a line of dashes.
    if let Some((rule, past)) = find_line(inside, "---") {
        let headers = super::text::cut(inside, body..rule);
        let source = headers.lines().find_map(|line| line.strip_prefix("Source: "));
        Envelope::fill(&mut peeler.envelope.webhook_source, source.and_then(super::text::filled));
        body = past;
    }
    peeler.take_tail(end, BlockKind::TaskWrapper);
    peeler.take_head(begin + body, BlockKind::TaskWrapper);
    true
}

fn subagent(peeler: &mut Peeler<'_>, text: &str) {
    let trimmed = text.trim_end();
    if trimmed.ends_with(BEGIN_TASK) {
        peeler.take_tail(trimmed.len() - BEGIN_TASK.len(), BlockKind::TaskWrapper);
    }
    // The context may name the mark in a sentence; the mark itself starts a line.
    let rest = peeler.rest();
    if let Some(at) = rest.find("\n[Subagent Task]") {
        let mark = at + "\n[Subagent Task]".len();
        let colon = usize::from(after(rest, mark).starts_with(':'));
        peeler.take_head(mark + colon, BlockKind::TaskWrapper);
    }
}

fn inter_session(peeler: &mut Peeler<'_>, text: &str) {
    let (line, skip) = first_line(text);
    let key = line.split(' ').find_map(|word| word.strip_prefix("sourceSession="));
    Envelope::fill(&mut peeler.envelope.source_session_key, key.and_then(super::text::filled));
    let (notice, more) = first_line(after(text, skip));
    let explained =
        notice.starts_with("This content was routed by OpenClaw from another session or internal tool.");
    peeler.take_head(skip + if explained { more } else { 0 }, BlockKind::TaskWrapper);
}

/// A report of a subagent: the result is what it says.
fn internal_context(peeler: &mut Peeler<'_>, text: &str) {
    let key = text.lines().find_map(|line| line.strip_prefix("session_key: "));
    Envelope::fill(&mut peeler.envelope.source_session_key, key.and_then(super::text::filled));
    let Some((_, begin)) = find_line(text, CHILD_BEGIN) else {
        return;
    };
    let Some((end, _)) = find_line(after(text, begin), CHILD_END) else {
        return;
    };
    peeler.take_tail(begin + end, BlockKind::TaskWrapper);
    peeler.take_head(begin, BlockKind::TaskWrapper);
}

/// `A background task "x" just completed successfully.` and its relatives, followed by a line of the report.
fn is_announcement(text: &str) -> bool {
    let Some(rest) = ["A background task", "A subagent task", "A cron job", "Background task"]
        .into_iter()
        .find_map(|start| text.strip_prefix(start))
    else {
        return false;
    };
    let rest = match rest.strip_prefix(" \"") {
        Some(quoted) => match quoted.find("\" ") {
            Some(at) => after(quoted, at + 1),
            None => return false,
        },
        None => rest,
    };
    let rest = rest.trim_start().trim_start_matches("just ").trim_start_matches("has ");
    let ended =
        ["finished", "completed", "failed", "timed out"].into_iter().any(|word| rest.starts_with(word));
    let below = after(rest, first_line(rest).1).trim_start();
    ended
        && ["Result", "Findings", "Stats", "Status", "Output", "Error"]
            .into_iter()
            .any(|word| below.starts_with(word))
}

/// A heartbeat whose prompt the operator wrote: OpenClaw adds the time, and the prompt names the token.
fn is_custom_heartbeat(text: &str) -> bool {
    let (line, _) = last_line(text.trim_end());
    line.starts_with("Current time:") && text.contains("HEARTBEAT")
}

/// Plugins and the startup context put paragraphs before the template that starts a session.
fn session_start_below(text: &str) -> bool {
    // Made ready once: the search of the standard library takes longer to get ready than to go through a message.
    static TEMPLATE: LazyLock<Finder<'_>> =
        LazyLock::new(|| Finder::new("\n\nA new session was started via /new or /reset"));
    let Some(at) = TEMPLATE.find(text.as_bytes()) else {
        return false;
    };
    let template = after(text, at + 2);
    let template = before(template, paragraph_end(template));
    ["Session Startup sequence", "startup context", "bootstrap", "persona", "Say hi", "greet"]
        .into_iter()
        .any(|word| template.contains(word))
}

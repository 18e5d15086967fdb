//! Whether a turn is worth keeping, and what is kept of it.

use clawgauge_cases::Json;
use clawgauge_transcript::{
    Entry, Outcome, RawJson, Redaction, RedactionReport, Redactor, Timestamp, ToolCall, ToolKind, ToolTable,
    Turn, TurnEnd, exit_code_answers,
};

use super::{LeftOut, MineOptions};
use crate::json;
use crate::redact::Known;

/// Characters of a result that a record shows.
const SUMMARY_CHARS: usize = 200;
/// The same call in a row more often than this is a loop that no person wants to see again.
const MOST_IN_A_ROW: usize = 5;

/// What is known of the session.
pub(crate) struct SessionFacts {
    pub(crate) id: String,
    pub(crate) agent: String,
    pub(crate) started: Option<Timestamp>,
}

/// A turn worth keeping; everything in it is redacted.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) session_id: String,
    pub(crate) agent: String,
    /// Its number among the session's turns, from 1.
    pub(crate) number: u64,
    pub(crate) entry_id: Option<String>,
    pub(crate) started: Option<Timestamp>,
    pub(crate) request: String,
    pub(crate) answer: String,
    pub(crate) calls: Vec<Call>,
    pub(crate) skill: Option<String>,
    pub(crate) redactions: RedactionReport,
}

/// A tool call of such a turn.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) args: Json,
    /// Which message made it, from 0.
    pub(crate) step: usize,
    pub(crate) outcome: Outcome,
    /// It ended with another code than 0, which was an answer: `grep` found nothing.
    pub(crate) answered_no: bool,
    /// It only looked after another call.
    pub(crate) is_poll: bool,
    pub(crate) result: String,
}

impl Call {
    /// Whether the call is part of the way to the answer: it ran, did not fail, and did not only wait for another.
    pub(crate) fn counts(&self) -> bool {
        self.worked() && !self.is_poll
    }

    /// Whether it ran and nothing says that it failed.
    pub(crate) fn worked(&self) -> bool {
        self.answered_no || matches!(self.outcome, Outcome::Ok | Outcome::Unknown | Outcome::Running)
    }
}

impl Candidate {
    /// `golden_tool_sequence`.
    pub(crate) fn sequence(&self) -> Json {
        let parallel = self.calls.windows(2).any(|pair| matches!(pair, [a, b] if a.step == b.step));
        let item = |call: &Call| {
            let mut out = json::object([
                ("name", call.name.as_str().into()),
                ("args", call.args.clone()),
                ("output_summary", json::cut(&call.result, SUMMARY_CHARS).into()),
            ]);
            if parallel {
                out.set("step", call.step.into());
            }
            if !matches!(call.outcome, Outcome::Ok | Outcome::Unknown) {
                out.set("outcome", call.outcome.name().into());
            }
            out
        };
        Json::Array(self.calls.iter().map(item).collect())
    }
}

/// The verdict on a turn.
pub(crate) enum Judged {
    Good(Box<Candidate>),
    LeftOut(LeftOut),
    /// It went wrong: what it used is evidence against those tools.
    Bad {
        reason: LeftOut,
        request: String,
        tools: Vec<String>,
    },
}

/// The words of the person, or why there are none.
pub(crate) fn asked(turn: &Turn<'_>, key: Option<&str>) -> Result<String, LeftOut> {
    if turn.user.is_none() {
        return Err(if turn.steps.is_empty() && !turn.injected.is_empty() {
            LeftOut::Injected
        } else {
            LeftOut::NoRequest
        });
    }
    let stored = turn.stored_user_text();
    let speaker = turn.speaker(&stored, key).ok_or(LeftOut::NoRequest)?;
    if !speaker.origin().is_person() {
        return Err(LeftOut::Origin(speaker.origin()));
    }
    if speaker.is_retry() {
        return Err(LeftOut::Retry);
    }
    let words = speaker.words();
    let words = words.trim();
    if words.is_empty() { Err(LeftOut::EmptyRequest) } else { Ok(words.to_owned()) }
}

/// Judges a turn that a person asked for.
pub(crate) fn judge(
    turn: &Turn<'_>,
    at: usize,
    request: &str,
    session: &SessionFacts,
    options: &MineOptions,
    redactor: &Redactor,
) -> Judged {
    let bad = |reason| {
        let tools = turn.calls().map(|call| call.name.to_string()).collect();
        Judged::Bad { reason, request: redactor.text(request).into_owned(), tools }
    };
    if turn.steps.is_empty() && !turn.injected.is_empty() && turn.end() == TurnEnd::NoReply {
        return Judged::LeftOut(LeftOut::Injected);
    }
    match turn.end() {
        TurnEnd::Error => return bad(LeftOut::Errored),
        TurnEnd::Aborted => return bad(LeftOut::Aborted),
        TurnEnd::Length => return bad(LeftOut::CutOff),
        TurnEnd::Unfinished => return bad(LeftOut::Unfinished),
        TurnEnd::NoReply => return Judged::LeftOut(LeftOut::NoAnswer),
        _ => {}
    }
    if turn.is_silent() {
        return Judged::LeftOut(LeftOut::Silent);
    }
    let Some(answer) = turn.final_output() else { return Judged::LeftOut(LeftOut::NoAnswer) };
    if answer.trim().is_empty() {
        return Judged::LeftOut(LeftOut::NoAnswer);
    }
    let started = turn.started_at().or(session.started);
    let outside = |begun: Option<Timestamp>| {
        options.since.is_some_and(|since| begun.is_none_or(|begun| begun < since))
            || options.until.is_some_and(|until| begun.is_none_or(|begun| begun >= until))
    };
    if outside(started) {
        return Judged::LeftOut(LeftOut::OtherTime);
    }
    let has_run = |call: &&ToolCall<'_>| {
        !call.outcome.did_not_run() && !matches!(call.outcome, Outcome::NoResult | Outcome::Repaired)
    };
    let ran = turn.calls().filter(has_run).count();
    if ran < options.min_tools {
        return Judged::LeftOut(LeftOut::TooFewTools);
    }
    let used = |tool: &String| turn.calls().any(|call| ToolTable::standard().same_tool(&call.name, tool));
    if !options.tools.iter().all(used) {
        return Judged::LeftOut(LeftOut::ToolNotUsed);
    }
    // Of a command that ended with another code than 0 it is not always known whether it answered all the same: a test run
    // may have been asked for. It counts for nothing then, neither as a failure nor as a success.
    let worked = |call: &ToolCall<'_>| !call.outcome.did_not_run() && call.outcome != Outcome::Failed;
    let ended_with_a_code =
        |call: &ToolCall<'_>| matches!(call.outcome, Outcome::NonZeroExit(_)) && !answered_no(call);
    let any_failed = turn.calls().any(|call| !worked(call));
    let any_clean = turn.calls().any(|call| worked(call) && !ended_with_a_code(call));
    if turn.calls().next().is_some() && (!turn.calls().any(worked) || (any_failed && !any_clean)) {
        return bad(LeftOut::ToolsFailed);
    }
    // An answer need not be asked for again: the same command that ends with a code again and again is a way to nowhere.
    let any_zero = turn.calls().any(|call| worked(call) && !matches!(call.outcome, Outcome::NonZeroExit(_)));
    if !any_zero && longest_run(turn) > 1 {
        return bad(LeftOut::ToolsFailed);
    }
    if longest_run(turn) > MOST_IN_A_ROW {
        return bad(LeftOut::Looped);
    }
    Judged::Good(Box::new(take(turn, at, request, &answer, session, started, options, redactor)))
}

/// Whether a command ended with a code that is an answer.
fn answered_no(call: &ToolCall<'_>) -> bool {
    let Outcome::NonZeroExit(code) = call.outcome else { return false };
    let tools = ToolTable::standard();
    let mut line = tools.command_keys.iter().filter_map(|key| call.argument(key)?.text());
    line.next().is_some_and(|line| exit_code_answers(&line, code))
}

/// How often one and the same call was made in a row, at most.
fn longest_run(turn: &Turn<'_>) -> usize {
    let (mut longest, mut run, mut last) = (0, 0, None);
    for call in turn.calls() {
        let this = (call.name.clone(), call.arguments.map(RawJson::as_str));
        run = if last.as_ref() == Some(&this) { run + 1 } else { 1 };
        longest = longest.max(run);
        last = Some(this);
    }
    longest
}

#[expect(
    clippy::too_many_arguments,
    reason = "one caller; a struct of them would be built once and taken apart once"
)]
fn take(
    turn: &Turn<'_>,
    at: usize,
    request: &str,
    answer: &str,
    session: &SessionFacts,
    started: Option<Timestamp>,
    options: &MineOptions,
    redactor: &Redactor,
) -> Candidate {
    let skill = skill_of(turn, &options.skills);
    let mut redaction = redactor.begin();
    let mut room = options.limits.result_bytes;
    // What the texts call a placeholder already keeps its number.
    redaction.reserve(request);
    redaction.reserve(answer);
    // A secret that stands under its name in one call is one in every text of the turn.
    let mut known = Known::new(redactor);
    for raw in turn.calls().filter_map(|call| call.arguments) {
        if let Ok(args) = serde_json::from_str(raw.as_str()) {
            known.learn(&args);
        }
    }
    let request = redaction.text(request);
    let request = known.text(request, &mut redaction).into_owned();
    let mut calls = Vec::new();
    for (step, message) in turn.steps.iter().enumerate() {
        for call in &message.calls {
            calls.push(take_call(call, step, &mut room, &mut known, &mut redaction));
        }
    }
    let answer = redaction.text(answer.trim());
    let answer = known.text(answer, &mut redaction).into_owned();
    let text = |redaction: &mut Redaction<'_>, text: &str| redaction.text(text).into_owned();
    let skill = skill.map(|skill| text(&mut redaction, &skill));
    let agent = text(&mut redaction, &session.agent);
    let session_id = text(&mut redaction, &session.id);
    Candidate {
        session_id,
        agent,
        number: at as u64 + 1,
        entry_id: turn.user.and_then(Entry::id).map(|id| text(&mut redaction, &id)),
        started,
        request,
        answer,
        calls,
        skill,
        redactions: redaction.report().clone(),
    }
}

fn take_call(
    call: &ToolCall<'_>,
    step: usize,
    room: &mut usize,
    known: &mut Known<'_>,
    redaction: &mut Redaction<'_>,
) -> Call {
    let args = call.arguments.and_then(|raw| {
        let redacted = redaction.json(raw.as_str())?;
        let mut args = serde_json::from_str::<Json>(&redacted).ok()?;
        known.redact(&mut args, redaction);
        Some(args)
    });
    let output = call.output();
    // Redacted whole and cut afterwards: a secret that is cut in half is no longer found.
    let result = redaction.text(&output);
    let result = known.text(result, redaction);
    let kept = cut_bytes(&result, (*room).max(SUMMARY_CHARS * 4));
    *room = room.saturating_sub(kept.len());
    Call {
        name: redaction.text(&call.name).into_owned(),
        args: args.unwrap_or_else(|| Json::Object(Vec::new())),
        step,
        outcome: call.outcome,
        answered_no: answered_no(call),
        is_poll: call.polls_of.is_some() || ToolTable::standard().kind(&call.name) == ToolKind::Process,
        result: kept.to_owned(),
    }
}

fn cut_bytes(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// The skill that a turn used: a skill file that it read, else one whose name matches a tool it called.
fn skill_of(turn: &Turn<'_>, skills: &[String]) -> Option<String> {
    let tools = ToolTable::standard();
    for call in turn.calls().filter(|call| tools.kind(&call.name) == ToolKind::Read) {
        let path = tools.path_keys.iter().find_map(|key| call.argument(key)?.text());
        if let Some(skill) = path.as_deref().and_then(|path| skill_file(path, skills)) {
            return Some(skill);
        }
    }
    let bare = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    turn.calls()
        .find_map(|call| {
            let tool = bare(&call.name);
            skills.iter().find(|skill| {
                !tool.is_empty() && {
                    let name = bare(skill_name(skill));
                    !name.is_empty() && (name.contains(&tool) || tool.contains(&name))
                }
            })
        })
        .cloned()
}

/// `skills/mysql_sre.md` and `skills/mysql_sre/SKILL.md` are of the skill `mysql_sre`.
fn skill_name(path: &str) -> &str {
    let path = path.strip_suffix("/SKILL.md").unwrap_or(path);
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}

/// The part of a path from the folder `skills` on, when it names a skill file.
fn skill_file(path: &str, skills: &[String]) -> Option<String> {
    let path = path.replace('\\', "/");
    if let Some(known) = skills.iter().find(|skill| path == **skill || path.ends_with(&format!("/{skill}"))) {
        return Some(known.clone());
    }
    let at = if path.starts_with("skills/") { 0 } else { path.rfind("/skills/")? + 1 };
    let file = path.get(at..)?;
    let is_skill = file.ends_with("/SKILL.md") || (file.ends_with(".md") && file.matches('/').count() == 1);
    is_skill.then(|| file.to_owned())
}

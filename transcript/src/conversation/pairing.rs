//! Which result answers which call.
//!
//! By position and id inside a run: ids come again in later steps, results can be missing, repaired, late, or without
//! a call. A result answers the newest step that has an open call with its id, and there the first such call.

use std::borrow::Cow;
use std::collections::VecDeque;

use hashbrown::HashMap;

use super::call::{CallRef, ToolCall, ToolResult};
use super::outcome::{self, Outcome};
use super::turn::{Step, Turn};
use crate::entry::Entry;
use crate::message::{Block, Message, ToolCallBlock};
use crate::raw::RawJson;
use crate::time::Timestamp;

/// The wrapper through which tools are called that are not shown to the model.
const WRAPPER: &str = "tool_call";

/// How many steps with open calls of one id are looked at for one of the same run.
const STEPS_LOOKED_AT: usize = 64;

/// How many calls of the last step are looked at for one that a result without an id may answer.
const CALLS_LOOKED_AT: usize = 1024;

/// The open calls of one step that have the same id.
struct Open {
    turn: usize,
    step: usize,
    first: usize,
    /// Nearly always empty.
    later: VecDeque<usize>,
}

impl Open {
    /// Takes a call out. False: it was the last one.
    fn close(&mut self, call: usize) -> bool {
        if call != self.first {
            if let Some(place) = self.later.iter().position(|&later| later == call) {
                self.later.remove(place);
            }
            return true;
        }
        match self.later.pop_front() {
            Some(next) => self.first = next,
            None => return false,
        }
        true
    }
}

#[derive(Default)]
pub(super) struct Pairing<'t> {
    turns: Vec<Turn<'t>>,
    /// Calls without a result, by id, the oldest step first.
    open: HashMap<Cow<'t, str>, Vec<Open>>,
    /// The last call that was answered, by id: an inner call may be stored after its wrapper's result.
    answered: HashMap<Cow<'t, str>, CallRef>,
    /// Inner calls that were stored for a wrapper call.
    inner: HashMap<CallRef, Vec<ToolCall<'t>>>,
}

impl<'t> Pairing<'t> {
    pub(super) fn begin_turn(&mut self, user: Option<&'t Entry<'t>>) {
        // What was injected before anybody spoke is no turn of its own.
        if let Some(turn) = self.turns.last_mut().filter(|turn| turn.is_silent_start()) {
            turn.user = user;
            return;
        }
        self.turns.push(Turn { user, ..Turn::default() });
    }

    /// Does something with the turn that goes on; begins one when there is none.
    pub(super) fn in_turn(&mut self, act: impl FnOnce(&mut Turn<'t>)) {
        if self.turns.is_empty() {
            self.begin_turn(None);
        }
        if let Some(turn) = self.turns.last_mut() {
            act(turn);
        }
    }

    /// Whether a turn goes on.
    pub(super) fn has_turn(&self) -> bool {
        !self.turns.is_empty()
    }

    /// The last step of the turn that goes on.
    pub(super) fn last_step(&self) -> Option<&Step<'t>> {
        self.turns.last()?.steps.last()
    }

    pub(super) fn step(&mut self, entry: &'t Entry<'t>, message: Message<'t>) {
        let turn = self.turns.len().saturating_sub(1);
        let place = self.turns.last().map_or(0, |turn| turn.steps.len());
        let is_call = |block: &Block<'_>| matches!(block, Block::ToolCall(_));
        // Exactly as many as there are: calls are large, and nearly all steps have one or none.
        let mut calls = Vec::with_capacity(message.blocks().filter(is_call).count());
        for block in message.blocks() {
            if let Block::ToolCall(block) = block {
                if let Some(id) = block.id() {
                    let open = self.open.entry(id).or_insert_with(|| Vec::with_capacity(1));
                    match open.last_mut().filter(|open| (open.turn, open.step) == (turn, place)) {
                        Some(open) => open.later.push_back(calls.len()),
                        None => {
                            open.push(Open { turn, step: place, first: calls.len(), later: VecDeque::new() });
                        }
                    }
                }
                calls.push(written_call(entry, block));
            }
        }
        let step = Step { entry, message, calls };
        self.in_turn(|turn| turn.steps.push(step));
    }

    pub(super) fn result(&mut self, entry: &'t Entry<'t>, message: Message<'t>) {
        let result = ToolResult::from_message(entry, message);
        let call = match message.tool_call_id().filter(|id| !id.is_empty()) {
            Some(id) => self.take_open(id, message.run_id().as_deref()),
            None => self.first_open_of_last_step(message),
        };
        match call.and_then(|at| self.call_mut(at)) {
            Some(call) => {
                call.outcome = result.outcome();
                call.result = Some(result);
            }
            None => self.in_turn(|turn| turn.orphan_results.push(result)),
        }
    }

    /// The row of an inner call, written before its wrapper's result.
    pub(super) fn nested(&mut self, entry: &'t Entry<'t>, message: Message<'t>) {
        let Some(details) = message.details() else { return };
        let text = |key: &str| details.get(key).and_then(RawJson::text);
        let range = details.range_in(entry.raw()).unwrap_or_default();
        let mut call = ToolCall::new(entry, range, text("toolName").unwrap_or_default());
        call.id = text("toolCallId");
        call.arguments = details.get("input");
        call.via = Some(Cow::Borrowed(WRAPPER));
        if let Some(result) = details.get("result").filter(|result| result.is_object()) {
            let result = ToolResult::nested(entry, details, result);
            // An inner call is stored when it has returned; only its details say how.
            call.outcome = match result.outcome() {
                Outcome::Unknown => Outcome::Ok,
                outcome => outcome,
            };
            call.result = Some(result);
        }
        let time = |key: &str| details.get(key).and_then(Timestamp::from_json);
        call.stated_ms = time("startedAt").and_then(|from| Some(time("timestamp")?.millis_since(from)));
        let run = text("runId").or_else(|| message.run_id());
        let parent = text("parentToolCallId")
            .and_then(|id| self.find_open(&id, run.as_deref()).or_else(|| self.answered.get(&id).copied()));
        match parent {
            Some(parent) => self.inner.entry(parent).or_default().push(call),
            // The wrapper's own row is not there: the call is a step's all the same.
            None => self.in_turn(|turn| match turn.steps.last_mut() {
                Some(step) => step.calls.push(call),
                None => turn.orphan_results.extend(call.result),
            }),
        }
    }

    /// The turns, with wrapper calls replaced by what they called and background commands joined to their polls.
    pub(super) fn finish(mut self) -> Vec<Turn<'t>> {
        self.unwrap_wrappers();
        self.join_polls();
        self.turns.retain(|turn| !turn.is_silent_start());
        self.turns
    }

    fn take_open(&mut self, id: Cow<'t, str>, run: Option<&str>) -> Option<CallRef> {
        let found = self.find_open(&id, run)?;
        self.close(id, found);
        Some(found)
    }

    /// The first open call with the id in the newest step that has one, inside the run where both name theirs.
    fn find_open(&self, id: &str, run: Option<&str>) -> Option<CallRef> {
        let same_run = |open: &&Open| match (run, self.run_of(open)) {
            (Some(run), Some(of_call)) => run == of_call,
            _ => true,
        };
        let newest = self.open.get(id)?.iter().rev().take(STEPS_LOOKED_AT).find(same_run)?;
        Some(CallRef { turn: newest.turn, step: newest.step, call: newest.first })
    }

    fn close(&mut self, id: Cow<'t, str>, at: CallRef) {
        if let Some(steps) = self.open.get_mut(&id)
            && let Some(place) = steps.iter().rposition(|open| (open.turn, open.step) == (at.turn, at.step))
            && let Some(open) = steps.get_mut(place)
            && !open.close(at.call)
        {
            steps.remove(place);
        }
        self.answered.insert(id, at);
    }

    /// For a result without an id: the first call of the last step that has none, of the same tool where it is named.
    fn first_open_of_last_step(&mut self, message: Message<'t>) -> Option<CallRef> {
        let turn = self.turns.len().checked_sub(1)?;
        let steps = &self.turns.get(turn)?.steps;
        let step = steps.len().checked_sub(1)?;
        let name = message.tool_name();
        let calls = &steps.get(step)?.calls;
        let call = calls
            .iter()
            .take(CALLS_LOOKED_AT)
            .position(|call| call.result.is_none() && name.as_ref().is_none_or(|n| *n == call.name))?;
        let at = CallRef { turn, step, call };
        if let Some(id) = calls.get(call).and_then(|call| call.id.clone()) {
            self.close(id, at);
        }
        Some(at)
    }

    fn run_of(&self, open: &Open) -> Option<Cow<'t, str>> {
        self.turns.get(open.turn)?.steps.get(open.step)?.message.run_id()
    }

    fn call_mut(&mut self, at: CallRef) -> Option<&mut ToolCall<'t>> {
        self.turns.get_mut(at.turn)?.steps.get_mut(at.step)?.calls.get_mut(at.call)
    }

    fn unwrap_wrappers(&mut self) {
        let mut inner = std::mem::take(&mut self.inner);
        for (turn_index, turn) in self.turns.iter_mut().enumerate() {
            for (step_index, step) in turn.steps.iter_mut().enumerate() {
                let at = |call| CallRef { turn: turn_index, step: step_index, call };
                let wraps =
                    |index, call: &ToolCall<'_>| call.name == WRAPPER || inner.contains_key(&at(index));
                if !step.calls.iter().enumerate().any(|(index, call)| wraps(index, call)) {
                    continue;
                }
                for (index, wrapper) in std::mem::take(&mut step.calls).into_iter().enumerate() {
                    match inner.remove(&at(index)) {
                        Some(calls) => step.calls.extend(inside(wrapper, calls)),
                        None => step.calls.push(unwrap(wrapper)),
                    }
                }
            }
        }
    }

    /// Polls of a background command belong to it: their end is its end, their output its output.
    fn join_polls(&mut self) {
        let mut running: HashMap<String, Background> = HashMap::new();
        for turn in 0..self.turns.len() {
            for step in 0..self.turns.get(turn).map_or(0, |turn| turn.steps.len()) {
                let calls =
                    self.turns.get(turn).and_then(|turn| turn.steps.get(step)).map_or(0, |s| s.calls.len());
                for call in 0..calls {
                    self.join_poll(CallRef { turn, step, call }, &mut running);
                }
            }
        }
    }

    fn join_poll(&mut self, at: CallRef, running: &mut HashMap<String, Background>) {
        let Some(call) = self.call_mut(at) else { return };
        // Without a command in the background nothing can be polled, and nobody needs to look.
        let keys = ["sessionId", "session_id"].iter().filter(|_| !running.is_empty());
        let polled = keys.into_iter().find_map(|key| call.argument(key)?.text());
        let Some((session, command)) =
            polled.and_then(|session| running.get_mut(&*session).map(|command| (session, command)))
        else {
            let listed = call.result.as_ref().and_then(|result| result.details?.get("sessions"));
            if let Some(listed) = listed.filter(|_| call.name == "process") {
                self.join_list(listed, running);
            } else if call.outcome == Outcome::Running
                && let Some(session) = call.result.as_ref().and_then(|result| result.detail_text("sessionId"))
            {
                running.insert(session.into_owned(), Background { at, ended: false });
            }
            return;
        };
        call.polls_of = Some(command.at);
        let action = call.argument("action").and_then(RawJson::text).unwrap_or_default();
        let Some(result) = call.result.clone() else { return };
        let seen = call.outcome;
        // Only details that name the session tell how the command goes; all others tell how the poll itself went.
        let tells = result.detail_text("sessionId").is_some_and(|named| named == session);
        if tells {
            call.outcome = if result.is_error == Some(true) { Outcome::Failed } else { Outcome::Ok };
        }
        let polls = command.at;
        let ended = tells && !matches!(seen, Outcome::Running | Outcome::Unknown);
        let stopped = !tells && seen == Outcome::Ok && matches!(&*action, "kill" | "remove");
        let was_over = command.ended;
        command.ended |= ended;
        let Some(command) = self.call_mut(polls) else { return };
        command.polls.push(at);
        if was_over {
            return;
        }
        if tells && prints_output(&action, &command.late_output) {
            let text = result.text();
            if !command.late_output.is_empty() && !text.is_empty() {
                command.late_output.push('\n');
            }
            command.late_output.push_str(&text);
        }
        if ended {
            command.outcome = seen;
            command.late_exit_code = result.exit_code();
        } else if stopped {
            command.outcome = Outcome::Failed;
        }
    }

    /// What `process list` says of commands that have ended.
    fn join_list(&mut self, listed: RawJson<'t>, running: &mut HashMap<String, Background>) {
        for session in listed.items() {
            let Some(id) = session.get("sessionId").and_then(RawJson::text) else { continue };
            let Some(command) = running.get_mut(&*id).filter(|command| !command.ended) else { continue };
            let (seen, _) = Outcome::of(None, Some(session));
            if matches!(seen, Outcome::Running | Outcome::Unknown) {
                continue;
            }
            command.ended = true;
            if let Some(command) = self.call_mut(command.at) {
                command.outcome = seen;
                command.late_exit_code = outcome::exit_code(Some(session));
            }
        }
    }
}

/// A command that went to the background.
struct Background {
    at: CallRef,
    /// Whether a poll saw its end.
    ended: bool,
}

/// Whether what a `process` call answers is output of the command that no poll before has given: `log` repeats all of
/// it, and writing to the command gives none.
fn prints_output(action: &str, before: &str) -> bool {
    match action {
        "log" => before.is_empty(),
        "write" | "send-keys" | "submit" | "paste" | "kill" | "clear" | "remove" => false,
        _ => true,
    }
}

/// The inner calls of a wrapper, which takes their place no more: its name goes to each, its own result to the first.
fn inside<'t>(wrapper: ToolCall<'t>, mut calls: Vec<ToolCall<'t>>) -> Vec<ToolCall<'t>> {
    for call in &mut calls {
        call.via = Some(wrapper.name.clone());
    }
    if let Some(first) = calls.first_mut() {
        first.via_result = wrapper.result;
    }
    calls
}

fn written_call<'t>(entry: &'t Entry<'t>, block: ToolCallBlock<'t>) -> ToolCall<'t> {
    let mut call = ToolCall::new(entry, block.range(), block.name());
    call.id = block.id();
    call.arguments = block.arguments();
    call
}

/// A wrapper call whose inner call was not stored (it never ran, or an older version): what it asked for, with the
/// wrapper's result.
fn unwrap(mut call: ToolCall<'_>) -> ToolCall<'_> {
    if call.name != WRAPPER {
        return call;
    }
    let Some(target) = ["id", "name", "tool"].iter().find_map(|key| call.argument(key)?.text()) else {
        return call;
    };
    // Ids may be qualified: `openclaw:core:sessions_spawn`.
    let name = target.rsplit(':').next().unwrap_or(&target).to_owned();
    call.via = Some(std::mem::replace(&mut call.name, Cow::Owned(name)));
    call.arguments =
        ["args", "arguments", "input"].iter().find_map(|key| call.argument(key)).or(call.arguments);
    call
}

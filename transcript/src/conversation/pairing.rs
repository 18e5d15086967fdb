//! Which result answers which call.
//!
//! By position and id inside a run: ids come again in later steps, results can be missing, repaired, late, or without
//! a call. A result answers the newest step that has an open call with its id, and there the first such call.

use std::borrow::Cow;
use std::collections::HashMap;

use super::call::{CallRef, ToolCall, ToolResult};
use super::outcome::Outcome;
use super::turn::{Step, Turn};
use crate::entry::Entry;
use crate::message::{Block, Message, ToolCallBlock};
use crate::raw::RawJson;

/// The wrapper through which tools are called that are not shown to the model.
const WRAPPER: &str = "tool_call";

/// How many open calls of one id are looked at for one of the same run.
const OPEN_LOOKED_AT: usize = 64;

#[derive(Default)]
pub(super) struct Pairing<'t> {
    turns: Vec<Turn<'t>>,
    /// Calls without a result, by id, oldest first.
    open: HashMap<Cow<'t, str>, Vec<CallRef>>,
    /// Inner calls that were stored for a wrapper call.
    inner: HashMap<CallRef, Vec<ToolCall<'t>>>,
}

impl<'t> Pairing<'t> {
    pub(super) fn begin_turn(&mut self, user: Option<&'t Entry<'t>>) {
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

    /// The last step of the turn that goes on.
    pub(super) fn last_step(&self) -> Option<&Step<'t>> {
        self.turns.last()?.steps.last()
    }

    pub(super) fn step(&mut self, entry: &'t Entry<'t>, message: Message<'t>) {
        let turn = self.turns.len().saturating_sub(1);
        let place = self.turns.last().map_or(0, |turn| turn.steps.len());
        let mut calls = Vec::new();
        for block in message.blocks() {
            if let Block::ToolCall(block) = block {
                let at = CallRef { turn, step: place, call: calls.len() };
                if let Some(id) = block.id() {
                    self.open.entry(id).or_default().push(at);
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
            Some(id) => self.take_open(&id, message),
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
            let result = ToolResult::nested(entry, result);
            // An inner call is stored when it has returned; only its details say how.
            call.outcome = match result.outcome() {
                Outcome::Unknown => Outcome::Ok,
                outcome => outcome,
            };
            call.result = Some(result);
        }
        let parent = text("parentToolCallId").and_then(|id| self.open.get(&id)?.last().copied());
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
        self.turns
    }

    fn take_open(&mut self, id: &str, message: Message<'t>) -> Option<CallRef> {
        let run = message.run_id();
        let open = self.open.get(id)?;
        let same_run = |at: &CallRef| match (&run, self.run_of(*at)) {
            (Some(run), Some(of_call)) => *run == of_call,
            _ => true,
        };
        let newest = open.iter().rev().take(OPEN_LOOKED_AT).find(|at| same_run(at)).copied()?;
        let place = open.iter().position(|at| (at.turn, at.step) == (newest.turn, newest.step))?;
        let open = self.open.get_mut(id)?;
        (place < open.len()).then(|| open.remove(place))
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
            .position(|call| call.result.is_none() && name.as_ref().is_none_or(|n| *n == call.name))?;
        let at = CallRef { turn, step, call };
        if let Some(open) =
            calls.get(call).and_then(|call| call.id.as_ref()).and_then(|id| self.open.get_mut(id))
        {
            open.retain(|other| *other != at);
        }
        Some(at)
    }

    fn run_of(&self, at: CallRef) -> Option<Cow<'t, str>> {
        self.turns.get(at.turn)?.steps.get(at.step)?.message.run_id()
    }

    fn call_mut(&mut self, at: CallRef) -> Option<&mut ToolCall<'t>> {
        self.turns.get_mut(at.turn)?.steps.get_mut(at.step)?.calls.get_mut(at.call)
    }

    fn unwrap_wrappers(&mut self) {
        for (turn_index, turn) in self.turns.iter_mut().enumerate() {
            for (step_index, step) in turn.steps.iter_mut().enumerate() {
                if !step.calls.iter().any(|call| call.name == WRAPPER) {
                    continue;
                }
                let written = std::mem::take(&mut step.calls);
                for (call_index, call) in written.into_iter().enumerate() {
                    let at = CallRef { turn: turn_index, step: step_index, call: call_index };
                    match self.inner.remove(&at) {
                        Some(inner) => step.calls.extend(inner),
                        None => step.calls.push(unwrap(call)),
                    }
                }
            }
        }
    }

    /// Polls of a background command belong to it: their end is its end, their output its output.
    fn join_polls(&mut self) {
        let mut running: HashMap<String, CallRef> = HashMap::new();
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

    fn join_poll(&mut self, at: CallRef, running: &mut HashMap<String, CallRef>) {
        let Some(call) = self.call_mut(at) else { return };
        let polled = ["sessionId", "session_id"].iter().find_map(|key| call.argument(key)?.text());
        let started = polled.and_then(|session| running.get(&*session).copied());
        let Some(started) = started else {
            if call.outcome == Outcome::Running
                && let Some(session) = call.result.as_ref().and_then(|result| result.detail_text("sessionId"))
            {
                running.insert(session.into_owned(), at);
            }
            return;
        };
        call.polls_of = Some(started);
        let Some(result) = call.result.clone() else { return };
        // The poll itself went well unless its own flag says otherwise; what it saw is the command's outcome.
        let seen = call.outcome;
        call.outcome = if result.is_error == Some(true) { Outcome::Failed } else { Outcome::Ok };
        let ended =
            result.detail_text("status").is_some() && !matches!(seen, Outcome::Running | Outcome::Unknown);
        if let Some(command) = self.call_mut(started) {
            command.polls.push(at);
            if command.outcome == Outcome::Running {
                let text = result.text();
                if !command.late_output.is_empty() && !text.is_empty() {
                    command.late_output.push('\n');
                }
                command.late_output.push_str(&text);
                if ended {
                    command.outcome = seen;
                    command.late_exit_code = result.exit_code();
                }
            }
        }
    }
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

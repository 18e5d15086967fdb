//! Did the agent stay out of loops?

use clawgauge_transcript::{Effect, Outcome, RawJson, ToolCall, ToolKind, ToolResult};
use hashbrown::HashMap;

use super::findings::Findings;
use crate::card::{Judgement, Score};
use crate::rules::Matchers;
use crate::signs::{CallFacts, Loop, LoopItem, Origin, OrphanFacts, Reading, Session, find_loops};

/// 1 without a loop, 0 with one; [`short_loop`](crate::rules::Weights::short_loop) when all loops are short and few of the
/// calls are in them.
///
/// Looked for are calls of one request that go round with the same results (see [`find_loops`]), results of a tool that
/// was asked for again and again but whose calls were not stored, and runs that OpenClaw itself stopped for looping. Polls of
/// a background command and commands that wait are no part of a loop. Of calls that were not stored only errors and what a tool
/// that reads gave can tell that they were the same: four commands that print nothing, or four files written, may all be others.
pub(super) fn judge(session: &Session<'_>, matchers: &Matchers) -> Judgement {
    let mut findings = Findings::new("consistency", matchers.limits.max_evidence);
    let mut state = State::default();
    let mut request: Vec<(&ToolCall<'_>, &CallFacts)> = Vec::new();
    for (turn, facts) in session.turns() {
        if facts.origin != Origin::Continuation {
            state.request(session, matchers, &request, &mut findings);
            request.clear();
        }
        request.extend(turn.calls().zip(facts.steps.iter().flatten()));
        state.orphans(session, matchers, &turn.orphan_results, &facts.orphans, &mut findings);
    }
    state.request(session, matchers, &request, &mut findings);
    let calls = session.conversation.calls().count() + session.conversation.orphan_results();
    if calls == 0 {
        return findings.judge(Score::not_applicable("no tool was called"));
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of calls in memory")]
    let share = state.looping as f64 / calls as f64;
    let score = if state.looping == 0 {
        1.0
    } else if state.long || share > matchers.weights.short_loop_share {
        0.0
    } else {
        matchers.weights.short_loop
    };
    findings.judge(Score::value(score))
}

#[derive(Debug, Default)]
struct State {
    /// Calls in loops.
    looping: usize,
    /// A loop is long, or the gateway stopped it.
    long: bool,
}

impl State {
    fn request(
        &mut self,
        session: &Session<'_>,
        matchers: &Matchers,
        calls: &[(&ToolCall<'_>, &CallFacts)],
        findings: &mut Findings,
    ) {
        for (call, _) in calls.iter().filter(|(call, _)| stopped_by_gateway(call)) {
            self.looping += 1;
            self.long = true;
            findings.add(|| {
                session.call_evidence("consistency.stopped", call, "OpenClaw blocked this call as a loop")
            });
        }
        let calls: Vec<_> = calls.iter().filter(|(_, facts)| !facts.polls && !facts.waits).collect();
        let items: Vec<LoopItem<'_>> = calls
            .iter()
            .map(|(call, facts)| LoopItem {
                key: facts.key,
                result: call.result.as_ref().map_or("", raw_content),
                failed: facts.reading.is_error() || facts.reading == Reading::NotRun,
                changed: facts.changed(),
                idempotent: facts.kind == ToolKind::Write,
            })
            .collect();
        for found in find_loops(&matchers.limits, &items) {
            self.add(matchers, found.calls.len(), found.repeats());
            if let Some((first, _)) = calls.get(found.calls.start) {
                findings.add(|| session.call_evidence("consistency.loop", first, &reason(&found)));
            }
        }
    }

    fn orphans(
        &mut self,
        session: &Session<'_>,
        matchers: &Matchers,
        results: &[ToolResult<'_>],
        facts: &[OrphanFacts<'_>],
        findings: &mut Findings,
    ) {
        let mut counts: HashMap<(&str, &str), (usize, usize)> = HashMap::new();
        for (at, (result, facts)) in results.iter().zip(facts).enumerate() {
            let failed = facts.reading.is_error() || facts.reading == Reading::NotRun;
            if failed || facts.effect == Some(Effect::Read) {
                counts.entry((&facts.tool, raw_content(result))).or_insert((at, 0)).1 += 1;
            }
        }
        let mut repeated: Vec<_> =
            counts.into_values().filter(|(_, n)| *n > matchers.limits.loop_repeats.max(1)).collect();
        repeated.sort_unstable();
        for (first, count) in repeated {
            self.add(matchers, count, count - 1);
            if let Some(result) = results.get(first) {
                let reason = format!("the same answer to {count} calls that were not stored");
                findings.add(|| session.result_evidence("consistency.unstored-loop", result.entry, &reason));
            }
        }
    }

    fn add(&mut self, matchers: &Matchers, calls: usize, repeats: usize) {
        self.looping += calls;
        self.long |= repeats > matchers.limits.short_loop_repeats;
    }
}

fn reason(found: &Loop) -> String {
    let calls = found.calls.len();
    if found.period == 1 {
        format!("the same call {calls} times in a row, with the same result")
    } else {
        format!("{calls} calls that go round, {} a round, with the same results", found.period)
    }
}

fn stopped_by_gateway(call: &ToolCall<'_>) -> bool {
    // What was denied is blocked, whatever else its result says, unless it is a poll: those tell of another call.
    if call.outcome != Outcome::Blocked && call.polls_of.is_none() {
        return false;
    }
    let details = call.result.as_ref().and_then(|result| result.details);
    details
        .and_then(|details| details.get("deniedReason"))
        .and_then(RawJson::text)
        .is_some_and(|why| why == "tool-loop")
}

/// A result's content as it stands.
fn raw_content<'t>(result: &ToolResult<'t>) -> &'t str {
    let Some(message) = result.entry.message() else { return "" };
    let nested = || message.details()?.get("result")?.get("content");
    let content = match message.tool_call_id() {
        Some(_) => message.content(),
        None => nested().or_else(|| message.content()),
    };
    content.map_or("", RawJson::as_str)
}

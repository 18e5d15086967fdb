//! Trajectories from stored sessions.

use clawgauge_scoring::Scorecard;
use clawgauge_transcript::{
    Conversation, Message, Outcome as Stored, RawJson, StopReason, ToolCall, ToolResult, Turn, Usage,
};
use serde_json::Value;

use crate::text::fold;
use crate::trajectory::{ModelMessage, Outcome, Step, Trajectory};

impl Trajectory {
    /// What the agent did in one turn: every call, also those that were blocked or have no result. O(size of the turn).
    #[must_use]
    pub fn from_turn(turn: &Turn<'_>) -> Self {
        Self::from_turns([turn])
    }

    /// What the agent did in several turns, taken together: calls of all of them, the answer of the last.
    #[must_use]
    pub fn from_turns<'t>(turns: impl IntoIterator<Item = &'t Turn<'t>>) -> Self {
        let mut out = Self::default();
        let mut totals = Totals::default();
        let (mut first, mut last) = (None, None);
        for turn in turns {
            let stored = turn.stored_user_text();
            if !stored.is_empty() {
                let own = turn.speaker(&stored, None).map(|s| s.words().into_owned());
                out.request = Some(own.unwrap_or_else(|| stored.to_string()));
            }
            first = first.or_else(|| turn.started_at());
            last = turn.ended_at().or(last);
            out.final_output = None;
            let mut orphans = turn.orphan_results.iter().peekable();
            for step in &turn.steps {
                while let Some(result) = orphans.next_if(|r| r.entry.line() < step.entry.line()) {
                    out.lost_call(result);
                }
                let message = step.message;
                out.model = message.model().map(String::from).or(out.model.take());
                out.provider = message.provider().map(String::from).or(out.provider.take());
                out.stop_reason = message.stop_reason_name().map(String::from);
                totals.add(message.usage());
                let at = out.messages.len();
                let text = message.joined_text().into_owned();
                let failed = matches!(message.stop_reason(), Some(StopReason::Error | StopReason::Aborted));
                // A later message without text does not take the answer away; an aborted one has none to give.
                if !text.is_empty() && !failed {
                    out.final_output = Some(text.clone());
                }
                out.messages.push(ModelMessage {
                    entry: step.entry.id().map(String::from),
                    text,
                    thinking: step.thinking().into_owned(),
                    plan: String::new(),
                    stop_reason: message.stop_reason_name().map(String::from),
                    timestamp: step.entry.timestamp().map(|t| t.to_string()),
                    model: message.model().map(String::from),
                });
                out.steps.extend(step.calls.iter().map(|call| step_of(call, at)));
            }
            for result in orphans {
                out.lost_call(result);
            }
        }
        out.started = first.map(|t| t.to_string());
        out.duration_s = first
            .zip(last)
            .map(|(from, to)| u32::try_from(to.millis_since(from)).map_or(f64::MAX, f64::from) / 1000.0);
        totals.put(&mut out);
        out
    }

    /// A call of which only the result was stored: OpenClaw drops messages that call nothing but an unknown tool. It was
    /// attempted all the same, in a message of its own.
    fn lost_call(&mut self, result: &ToolResult<'_>) {
        let message = result.entry.message();
        let tool = message.and_then(Message::tool_name).unwrap_or_default();
        let mut step = Step::new(tool, Value::Null, self.messages.len());
        step.outcome = if result.is_error == Some(true) { Outcome::Failed } else { Outcome::Succeeded };
        step.result = Some(result.text().into_owned());
        step.entry = result.entry.id().map(String::from);
        step.call_id = message.and_then(Message::tool_call_id).map(String::from);
        self.steps.push(step);
        self.messages.push(ModelMessage::default());
    }

    /// The same with the scores of a session, for `min_score`: each dimension by its name, and `overall`. A dimension
    /// that does not apply is not a low one.
    #[must_use]
    pub fn with_scores(mut self, card: &Scorecard) -> Self {
        for (dimension, judged) in card.dimensions.iter() {
            self.scores.insert(dimension.as_str().to_owned(), judged.score.number());
        }
        self.scores.insert("overall".to_owned(), card.overall.number());
        self
    }

    /// What the agent did on a request: the last turn whose user said just that (white space and case aside), or, if
    /// there is none, all turns together. The second value says whether such a turn was found.
    #[must_use]
    pub fn for_request(conversation: &Conversation<'_>, request: &str) -> (Self, bool) {
        let wanted = squeeze(request);
        let found = conversation.turns.iter().rev().find(|turn| {
            let stored = turn.stored_user_text();
            let own = turn.speaker(&stored, None).map(|s| squeeze(&s.words()));
            own.as_ref() == Some(&wanted) || squeeze(&stored) == wanted
        });
        match found {
            Some(turn) => (Self::from_turn(turn), true),
            None => (Self::from_turns(&conversation.turns), false),
        }
    }
}

fn squeeze(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    fold(&words.join(" ")).into_owned()
}

fn step_of(call: &ToolCall<'_>, message: usize) -> Step {
    let (outcome, result) = match call.outcome {
        Stored::Failed | Stored::NonZeroExit(_) => (Outcome::Failed, true),
        Stored::Blocked | Stored::AwaitingApproval => (Outcome::Blocked, true),
        Stored::NoResult | Stored::Repaired => (Outcome::Unfinished, false),
        // Still running in the background: what it did so far is known, how it ended is not.
        Stored::Running => (Outcome::Unfinished, true),
        _ => (Outcome::Succeeded, true),
    };
    Step {
        tool: call.name.to_string(),
        args: call.arguments.and_then(RawJson::to_value).unwrap_or(Value::Null),
        outcome,
        result: (result && call.result.is_some()).then(|| call.output().into_owned()),
        entry: call.entry.id().map(String::from),
        call_id: call.id.as_deref().map(str::to_owned),
        message,
        duration_ms: call.duration_ms(),
        exit_code: call.exit_code(),
    }
}

/// Sums that stay unknown while nothing was reported.
#[derive(Default)]
struct Totals {
    input: Option<u64>,
    output: Option<u64>,
    total: Option<u64>,
    cost: Option<f64>,
}

impl Totals {
    fn add(&mut self, usage: Option<Usage>) {
        let Some(usage) = usage.and_then(Usage::reported) else { return };
        let plus = |sum: &mut Option<u64>, more: Option<u64>| {
            if let Some(more) = more {
                *sum = Some(sum.unwrap_or(0).saturating_add(more));
            }
        };
        plus(&mut self.input, usage.input);
        plus(&mut self.output, usage.output);
        plus(&mut self.total, usage.total_tokens());
        if let Some(cost) = usage.cost_usd() {
            self.cost = Some(self.cost.unwrap_or(0.0) + cost);
        }
    }

    fn put(self, out: &mut Trajectory) {
        out.input_tokens = self.input;
        out.output_tokens = self.output;
        out.total_tokens = self.total;
        out.cost = self.cost;
    }
}

//! The runs of a stored session, with their texts.

use crate::content::{ContentRequest, ContentSource, GenerationContent, RunContent, ToolContent, response};
use crate::reason::reason_line;
use crate::span::{ChatMessage, Part};
use clawgauge_transcript::{
    AssistantInput, Block, Entry, EntryType, Message, RawJson, Role, Timestamp, Transcript, UserInput,
    classify_assistant, classify_user, spoken_reply,
};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// One run as a session stores it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StoredRun {
    /// The run id, where the rows name one (2026.9 and later).
    pub run_id: Option<String>,
    /// The id of the run's first row, where it has one; it names the run where no run id is stored.
    pub first_entry: Option<String>,
    /// When the run began: the time of its first row.
    pub started_ms: Option<i64>,
    /// When its last row was written.
    pub ended_ms: Option<i64>,
    /// Whether a person stopped it.
    pub aborted: bool,
    /// Nothing answers the prompt, or the last answer called tools and nothing followed: cut off, or still running.
    pub unfinished: bool,
    /// The texts.
    pub content: RunContent,
}

/// The runs of a session, those on abandoned branches included, in order of the rows. O(n) in the rows. Rows that no model
/// wrote (slash commands, notes) make no run. A prompt without an answer makes one where it names its run.
#[must_use]
pub fn stored_runs(transcript: &Transcript<'_>) -> Vec<StoredRun> {
    let runs = all_runs(transcript);
    let is_run = |run: &Draft<'_>| run.answers > 0 || run.noted || (run.run_id.is_some() && !run.injected);
    runs.into_iter().filter(is_run).map(Draft::finish).collect()
}

/// All tool calls of a session, in order.
pub(crate) fn tools_of(transcript: &Transcript<'_>) -> Vec<ToolContent> {
    all_runs(transcript).into_iter().flat_map(|run| run.tools).collect()
}

/// Every turn, also one that has no answer yet.
fn all_runs<'t>(transcript: &'t Transcript<'_>) -> Vec<Draft<'t>> {
    let mut builder = Builder::default();
    // Branches that were left were run, too.
    let replaced: BTreeSet<usize> = transcript.tree().duplicates().iter().copied().collect();
    let entries = transcript.entries().iter().enumerate();
    let entries: Vec<_> =
        entries.filter(|(index, _)| !replaced.contains(index)).map(|(_, entry)| entry).collect();
    for entry in &entries {
        if let Some(run_id) =
            entry.message().filter(|message| message.role() == Role::Assistant).and_then(Message::run_id)
        {
            builder.answered.insert(run_id.into_owned());
        }
    }
    for entry in entries {
        builder.entry(entry);
    }
    builder.runs
}

/// Resolves texts from a transcript.
#[derive(Debug)]
pub struct TranscriptSource<'a, 't> {
    transcript: &'a Transcript<'t>,
}

impl<'a, 't> TranscriptSource<'a, 't> {
    /// A source over one session.
    #[must_use]
    pub fn new(transcript: &'a Transcript<'t>) -> Self {
        Self { transcript }
    }

    /// The texts of one run; of the last turn when no run is named and no time given.
    ///
    /// Where rows name no run, the turn that had begun at `started_ms` is taken. A run that is named but not stored, in a
    /// session that names runs, has no texts; neither has a named one where nothing tells the turns apart.
    #[must_use]
    pub fn run(&self, run_id: Option<&str>, started_ms: Option<i64>) -> Option<RunContent> {
        let runs = all_runs(self.transcript);
        let Some(run_id) = run_id else {
            return runs.into_iter().next_back().map(|run| run.finish().content);
        };
        if let Some(index) = runs.iter().position(|run| run.run_id.as_deref() == Some(run_id)) {
            return runs.into_iter().nth(index).map(|run| run.finish().content);
        }
        if runs.iter().any(|run| run.run_id.is_some()) {
            return None;
        }
        if let [_] = runs.as_slice() {
            return runs.into_iter().next().map(|run| run.finish().content);
        }
        let started = started_ms?;
        // The row of the prompt is written up to a few seconds after the run began.
        let near = |run: &Draft<'_>| run.first_ms.is_some_and(|first| first <= started.saturating_add(5_000));
        let index = runs.iter().rposition(near)?;
        runs.into_iter().nth(index).map(|run| run.finish().content)
    }
}

impl ContentSource for TranscriptSource<'_, '_> {
    fn resolve(&mut self, request: &ContentRequest) -> Option<RunContent> {
        self.run(request.run_id.as_deref(), Some(request.started_ms))
    }
}

#[derive(Default)]
struct Builder<'t> {
    runs: Vec<Draft<'t>>,
    /// Run ids that answers name.
    answered: BTreeSet<String>,
    user_keys: BTreeSet<String>,
}

/// A run while its rows are read.
#[derive(Default)]
struct Draft<'t> {
    run_id: Option<String>,
    first_entry: Option<String>,
    first_ms: Option<i64>,
    last_ms: Option<i64>,
    prompt: Option<String>,
    /// What the model was given since its last answer.
    given: Vec<ChatMessage>,
    generations: Vec<GenerationContent>,
    tools: Vec<ToolContent>,
    /// Positions in `tools` by call id, in order.
    by_call: BTreeMap<String, Vec<usize>>,
    /// Results whose call is not there, and the place of the dropped answer that made it.
    orphans: BTreeMap<String, usize>,
    posted: Vec<(usize, String)>,
    final_text: Option<Cow<'t, str>>,
    answers: usize,
    noted: bool,
    /// The gateway spoke in the model's place.
    injected: bool,
    aborted: bool,
    failed: Option<String>,
}

impl<'t> Builder<'t> {
    fn entry(&mut self, entry: &'t Entry<'_>) {
        match (entry.entry_type(), entry.message()) {
            (EntryType::Message, Some(message)) => match message.role() {
                Role::User => self.user(entry, message),
                Role::Assistant => self.assistant(entry, message),
                Role::ToolResult => self.result(entry, message),
                Role::Custom => self.nested(entry, message),
                _ => {}
            },
            (EntryType::Custom | EntryType::CustomMessage, _) => self.note(entry),
            _ => {}
        }
    }

    fn user(&mut self, entry: &'t Entry<'_>, message: Message<'t>) {
        // A retry writes the same row again under the same key.
        if message.idempotency_key().is_some_and(|key| !self.user_keys.insert(key.into_owned())) {
            return;
        }
        let stored = words_of(message);
        let provenance = message.get("provenance").map(RawJson::as_str);
        let openclaw = message.openclaw().map(RawJson::as_str);
        let input = UserInput::new(&stored).provenance(provenance).openclaw(openclaw);
        let row = classify_user(&input);
        let words = row.words();
        let prompt = if words.trim().is_empty() { stored.clone() } else { words };
        let prompt = (!prompt.is_empty()).then(|| prompt.into_owned());
        let mut draft = Draft {
            run_id: message.run_id().map(Cow::into_owned),
            first_entry: entry.id().map(Cow::into_owned),
            given: prompt.iter().map(|prompt| ChatMessage::text("user", prompt.clone())).collect(),
            prompt,
            ..Draft::default()
        };
        draft.saw(entry.timestamp());
        self.runs.push(draft);
    }

    fn assistant(&mut self, entry: &'t Entry<'_>, message: Message<'t>) {
        let (provider, model) = (message.provider(), message.model());
        let mirror = provider.is_none()
            && (message.get("openclawDeliveryMirror").is_some()
                || message.get("openclawMessageToolMirror").is_some());
        let row = AssistantInput {
            provider: provider.as_deref(),
            model: model.as_deref(),
            api: None,
            mirror_mark: mirror,
        };
        if !classify_assistant(&row).is_model() {
            if let Some(draft) = self.runs.last_mut() {
                draft.injected = true;
            }
            return;
        }
        let run_id = message.run_id().map(Cow::into_owned);
        let index = self.run_of(run_id.as_deref(), entry);
        if let Some(draft) = self.runs.get_mut(index) {
            draft.saw(entry.timestamp());
            draft.answer(entry, message);
        }
    }

    /// The draft that a row of this run belongs to.
    fn run_of(&mut self, run_id: Option<&str>, entry: &Entry<'_>) -> usize {
        let last = self.runs.len().checked_sub(1);
        if let Some(run_id) = run_id {
            if let Some(index) = self.runs.iter().rposition(|run| run.run_id.as_deref() == Some(run_id)) {
                return index;
            }
            // A prompt under another key (a cron wake, a request over HTTP) that no run of its own answers.
            let free = |run: &Draft<'_>| {
                run.answers == 0 && run.run_id.as_ref().is_none_or(|known| !self.answered.contains(known))
            };
            let free = self.runs.last().is_some_and(free);
            if let Some(index) = last.filter(|_| free) {
                if let Some(run) = self.runs.get_mut(index) {
                    run.run_id = Some(run_id.to_owned());
                }
                return index;
            }
        } else if let Some(index) = last {
            return index;
        }
        self.runs.push(Draft {
            run_id: run_id.map(str::to_owned),
            first_entry: entry.id().map(Cow::into_owned),
            ..Draft::default()
        });
        self.runs.len() - 1
    }

    fn result(&mut self, entry: &'t Entry<'_>, message: Message<'t>) {
        let run_id = message.run_id().map(Cow::into_owned);
        let index = self.run_of(run_id.as_deref(), entry);
        let Some(draft) = self.runs.get_mut(index) else { return };
        draft.saw(entry.timestamp());
        let Some(call_id) = message.tool_call_id().map(Cow::into_owned) else { return };
        let words = words_of(message);
        let output = (!words.is_empty()).then(|| words.clone().into_owned());
        draft.given.push(ChatMessage::new(
            "tool",
            vec![Part::ToolResponse { id: call_id.clone(), response: words.into_owned() }],
        ));
        let ended = message.timestamp().or_else(|| entry.timestamp());
        let result = Ended {
            name: message.tool_name().map(Cow::into_owned),
            output,
            is_error: message.is_error(),
            details: message.details(),
            at: ended,
        };
        draft.tool_ended(&call_id, result);
    }

    /// The inner call that went through a wrapper tool.
    fn nested(&mut self, entry: &'t Entry<'_>, message: Message<'t>) {
        if message.custom_type().is_none_or(|kind| kind != "openclaw.nested-tool.v1") {
            return;
        }
        let Some(details) = message.details() else { return };
        let text = |key: &str| details.get(key).and_then(RawJson::text).map(Cow::into_owned);
        let index = self.run_of(text("runId").as_deref(), entry);
        let Some(draft) = self.runs.get_mut(index) else { return };
        let (Some(call_id), name) = (text("toolCallId"), text("toolName")) else { return };
        let result = details.get("result");
        let words: Vec<String> = result
            .and_then(|result| result.get("content"))
            .map(RawJson::items)
            .unwrap_or_default()
            .into_iter()
            .filter_map(|block| block.get("text").and_then(RawJson::text).map(Cow::into_owned))
            .collect();
        let input = details.get("input");
        if name.as_deref() == Some("message") {
            draft.post(input);
        }
        draft.call_made(ToolContent {
            call_id: call_id.clone(),
            name,
            input: input.map(|input| input.as_str().to_owned()),
            started_ms: message.timestamp().or_else(|| entry.timestamp()).map(Timestamp::millis),
            ..ToolContent::default()
        });
        let ended = Ended {
            name: None,
            output: (!words.is_empty()).then(|| words.join("\n")),
            is_error: details.get("isError").and_then(RawJson::as_bool),
            details: result.and_then(|result| result.get("details")),
            at: entry.timestamp(),
        };
        draft.tool_ended(&call_id, ended);
    }

    /// A row of the program that says how a run went.
    fn note(&mut self, entry: &'t Entry<'_>) {
        let kind = entry.get("customType").and_then(RawJson::text).unwrap_or_default();
        let data = entry.get("data").or_else(|| entry.get("details"));
        let text =
            |key: &str| data.and_then(|data| data.get(key)).and_then(RawJson::text).map(Cow::into_owned);
        let error = text("error");
        let aborted = match &*kind {
            "openclaw:turn-aborted" => true,
            "openclaw:prompt-error" => error.as_ref().is_some_and(|error| error.contains("abort")),
            "run-failed-before-reply" => false,
            _ => return,
        };
        let run_id = text("runId");
        let known = run_id
            .as_deref()
            .and_then(|run_id| self.runs.iter().rposition(|run| run.run_id.as_deref() == Some(run_id)));
        let Some(index) = known.or_else(|| self.runs.len().checked_sub(1)) else { return };
        let Some(draft) = self.runs.get_mut(index) else { return };
        draft.noted = true;
        draft.aborted |= aborted;
        if !aborted {
            draft.failed = error.or_else(|| Some(kind.into_owned()));
        }
        draft.saw(entry.timestamp());
    }
}

/// The texts of a message, plain strings in its list included, joined by line feeds.
fn words_of(message: Message<'_>) -> Cow<'_, str> {
    let strings = message.blocks().any(|block| matches!(block, Block::Unknown(raw) if raw.text().is_some()));
    if !strings {
        return message.joined_text();
    }
    let texts: Vec<Cow<'_, str>> = message
        .blocks()
        .filter_map(|block| match block {
            Block::Text(text) => Some(text.text()),
            Block::Unknown(raw) => raw.text(),
            _ => None,
        })
        .filter(|text| !text.is_empty())
        .collect();
    Cow::Owned(texts.join("\n"))
}

/// How a tool call ended.
struct Ended<'t> {
    name: Option<String>,
    output: Option<String>,
    is_error: Option<bool>,
    details: Option<RawJson<'t>>,
    at: Option<Timestamp>,
}

impl<'t> Draft<'t> {
    fn saw(&mut self, at: Option<Timestamp>) {
        let Some(at) = at.map(Timestamp::millis) else { return };
        self.first_ms = Some(self.first_ms.map_or(at, |first| first.min(at)));
        self.last_ms = Some(self.last_ms.map_or(at, |last| last.max(at)));
    }

    fn answer(&mut self, entry: &'t Entry<'_>, message: Message<'t>) {
        self.answers += 1;
        let started = message.timestamp().or_else(|| entry.timestamp());
        let written = entry.timestamp().or(started);
        let mut parts = Vec::new();
        let mut calls = 0;
        let mut words: Vec<Cow<'t, str>> = Vec::new();
        for block in message.blocks() {
            match block {
                Block::Text(text) => {
                    if !text.is_commentary() {
                        words.push(text.text());
                    }
                    parts.push(Part::Text(text.text().into_owned()));
                }
                Block::Thinking(thinking) => parts.push(Part::Reasoning(thinking.text().into_owned())),
                Block::ToolCall(call) => {
                    calls += 1;
                    let arguments = call.arguments();
                    // Arguments that are text are shown as they are, anything else as JSON.
                    let input = arguments.map(|arguments| {
                        arguments.text().map_or_else(|| arguments.as_str().to_owned(), Cow::into_owned)
                    });
                    let name = call.name().into_owned();
                    if name == "message" {
                        self.post(arguments);
                    }
                    let Some(id) = call.id().map(Cow::into_owned) else { continue };
                    parts.push(Part::ToolCall {
                        id: id.clone(),
                        name: name.clone(),
                        arguments: arguments.and_then(RawJson::to_value).unwrap_or(Value::Null),
                    });
                    self.call_made(ToolContent {
                        call_id: id,
                        name: (!name.is_empty()).then_some(name),
                        input,
                        started_ms: written.map(Timestamp::millis),
                        ..ToolContent::default()
                    });
                }
                Block::Unknown(raw) => {
                    // Some writers put plain strings into the list.
                    if let Some(text) = raw.text() {
                        parts.push(Part::Text(text.clone().into_owned()));
                        words.push(text);
                    }
                }
                Block::Image(_) => parts.push(Part::Other("image".to_owned())),
                _ => {}
            }
        }
        let stop_reason = message.stop_reason_name().map(Cow::into_owned);
        let failed = matches!(stop_reason.as_deref(), Some("error" | "aborted"));
        let joined = words
            .iter()
            .map(AsRef::as_ref)
            .filter(|text: &&str| !text.is_empty())
            .collect::<Vec<&str>>()
            .join("\n");
        if calls == 0 && !failed && !joined.trim().is_empty() {
            self.final_text = Some(Cow::Owned(joined));
        }
        self.aborted |= stop_reason.as_deref() == Some("aborted");
        let usage = message.usage();
        let mut counts = usage;
        if let Some(counts) = &mut counts {
            counts.cost = None;
        }
        self.generations.push(GenerationContent {
            dropped: false,
            input: std::mem::take(&mut self.given),
            output: if parts.is_empty() { Vec::new() } else { vec![ChatMessage::new("assistant", parts)] },
            provider: message.provider().map(Cow::into_owned),
            model: message.model().map(Cow::into_owned),
            response_id: message.get("responseId").and_then(RawJson::text).map(Cow::into_owned),
            stop_reason,
            error: message.error_message().map(Cow::into_owned),
            usage: counts,
            cost_usd: usage.and_then(|usage| usage.cost_usd()),
            started_ms: started.map(Timestamp::millis),
            ended_ms: written.map(Timestamp::millis),
        });
    }

    /// A text that the agent posted with the message tool.
    fn post(&mut self, arguments: Option<RawJson<'_>>) {
        let Some(arguments) = arguments else { return };
        let text = |key: &str| arguments.get(key).and_then(RawJson::text);
        let sends = text("action").is_none_or(|action| matches!(&*action, "send" | "reply" | "thread-reply"));
        let posted = text("message").or_else(|| text("text")).or_else(|| text("content"));
        if let Some(posted) = posted.filter(|posted| sends && !posted.trim().is_empty()) {
            self.posted.push((self.tools.len(), posted.into_owned()));
        }
    }

    fn call_made(&mut self, tool: ToolContent) {
        // A result can stand before its call.
        let waiting = self.by_call.get(&tool.call_id).and_then(|indices| {
            indices.iter().copied().find(|index| {
                self.tools.get(*index).is_some_and(|known| known.input.is_none() && known.output.is_some())
            })
        });
        if let Some(known) = waiting.and_then(|index| self.tools.get_mut(index)) {
            // So its row was not dropped, it only came later.
            if let Some(at) = self.orphans.remove(&tool.call_id)
                && self.generations.get(at).is_some_and(|one| one.dropped)
                && !self.orphans.values().any(|other| *other == at)
            {
                self.generations.remove(at);
                self.orphans.values_mut().filter(|other| **other > at).for_each(|other| *other -= 1);
            }
            known.input = tool.input;
            known.name = tool.name.or(known.name.take());
            known.started_ms = tool.started_ms.map(|at| at.min(known.ended_ms.unwrap_or(at)));
            return;
        }
        self.by_call.entry(tool.call_id.clone()).or_default().push(self.tools.len());
        self.tools.push(tool);
    }

    fn tool_ended(&mut self, call_id: &str, ended: Ended<'_>) {
        let indices = self.by_call.get(call_id).cloned().unwrap_or_default();
        let unanswered = |index: &usize| {
            self.tools.get(*index).is_some_and(|tool| tool.ended_ms.is_none() && tool.output.is_none())
        };
        let found = indices.iter().copied().find(unanswered);
        // A second result of a call replaces the first.
        let index = found.or_else(|| indices.last().copied()).unwrap_or_else(|| {
            // Nothing asked for this: the row that did was dropped. Several results can answer one such row.
            if self.generations.last().is_none_or(|last| !last.dropped) {
                self.generations.push(GenerationContent { dropped: true, ..GenerationContent::default() });
            }
            self.orphans.insert(call_id.to_owned(), self.generations.len() - 1);
            self.by_call.entry(call_id.to_owned()).or_default().push(self.tools.len());
            self.tools.push(ToolContent { call_id: call_id.to_owned(), ..ToolContent::default() });
            self.tools.len() - 1
        });
        let Some(tool) = self.tools.get_mut(index) else { return };
        let text = |key: &str| {
            ended.details.and_then(|details| details.get(key)).and_then(RawJson::text).map(Cow::into_owned)
        };
        let at = ended.at.map(Timestamp::millis);
        let duration = ended.details.and_then(|details| details.get("durationMs")).and_then(RawJson::as_f64);
        #[allow(clippy::cast_possible_truncation, reason = "saturates; only used between two known times")]
        let by_duration = at.zip(duration).map(|(at, ms)| at.saturating_sub(ms.max(0.0).round() as i64));
        tool.name = tool.name.take().or(ended.name);
        tool.output = ended.output.or_else(|| tool.output.take());
        tool.is_error = ended.is_error.or(tool.is_error);
        tool.ended_ms = at.or(tool.ended_ms);
        tool.started_ms = match (tool.started_ms, by_duration) {
            (Some(made), Some(began)) => Some(made.max(began)),
            (made, began) => made.or(began).or(at),
        };
        let status =
            text("status").filter(|status| matches!(status.as_str(), "blocked" | "failed" | "error"));
        // An error that says nothing about its kind is told by its words.
        let words = || reason_line(text("error").as_deref().or(tool.output.as_deref())?);
        let known = text("deniedReason").or_else(|| text("failureKind"));
        let is_error = tool.is_error == Some(true);
        tool.status = known.or_else(|| if is_error { words() } else { None }).or(status);
    }

    fn finish(self) -> StoredRun {
        let tools = &self.tools;
        // A post that was refused reached nobody.
        let reached = |at: usize| tools.get(at).is_none_or(|tool| tool.is_error != Some(true));
        let posted: Vec<&str> =
            self.posted.iter().filter(|(at, _)| reached(*at)).map(|(_, text)| text.as_str()).collect();
        let answered = |one: &&GenerationContent| !one.dropped;
        let failed = self.generations.iter().rfind(answered).is_some_and(GenerationContent::is_failed);
        let final_text = self.final_text.as_deref().filter(|_| !failed);
        let spoken = final_text.map(spoken_reply).filter(|reply| !reply.is_silent());
        let last = self.generations.iter().rfind(answered);
        let calls_tools = last.is_some_and(|one| one.stop_reason.as_deref() == Some("toolUse"));
        let unfinished = !self.aborted && self.failed.is_none() && (last.is_none() || calls_tools);
        let content = RunContent {
            response: response(&posted, spoken.map(|reply| reply.text)),
            prompt: self.prompt,
            stop_reason: last
                .and_then(|one| one.stop_reason.clone())
                .or_else(|| self.aborted.then(|| "aborted".to_owned()))
                .or_else(|| self.failed.as_ref().map(|_| "error".to_owned())),
            error: last.and_then(|one| one.error.clone()).or(self.failed),
            generations: self.generations,
            tools: self.tools,
        };
        StoredRun {
            run_id: self.run_id,
            first_entry: self.first_entry,
            started_ms: self.first_ms,
            ended_ms: self.last_ms,
            aborted: self.aborted,
            unfinished,
            content,
        }
    }
}

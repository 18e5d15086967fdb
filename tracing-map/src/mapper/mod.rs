//! The state machine from events to spans.

mod apply;
mod build;
mod closed;
mod fields;
mod gaps;
mod index;
mod leave;
mod limits;
mod notice;
mod run;
mod slots;
mod stored;
mod verdict;

pub use limits::{Config, Limits};
pub use notice::{Counters, Notice};
pub(crate) use stored::{StoredTrace, close_stored};

use crate::content::{ContentRequest, RunContent};
use crate::evaluation::Evaluation;
use crate::event::{DiagnosticEvent, EventData};
use crate::span::Span;
use build::Reason;
use closed::Closed;
use index::{Found, Index};
use run::{Person, Run, trace_of};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How a run ended, told from outside: the status of the command line or of the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunOutcome {
    /// It succeeded.
    Succeeded,
    /// It failed.
    Failed,
    /// It took too long.
    TimedOut,
    /// A person stopped it.
    Aborted,
}

/// Turns diagnostic events into finished spans, one trace a run. No clock, no I/O: the caller hands in events and the
/// time, drains spans, answers requests for texts, and asks when to come back.
///
/// Times are milliseconds since 1970. The clock never goes back: an earlier `now` counts as the latest one seen. All
/// that is due before an event is done before the event, at its own time, so that the result does not depend on how
/// often [`handle_timeout`](Self::handle_timeout) is called.
///
/// A span leaves once. A child leaves when it has ended, events that overtook each other had time to arrive, and its
/// texts are there or given up; the root leaves last. Handling an event is O(log open runs + waiting spans of the run).
///
/// ```
/// use clawgauge_tracing_map::{Config, DiagnosticEvent, Mapper, SpanKind};
///
/// let mut mapper = Mapper::new(Config::default());
/// for line in [
///     r#"{"type":"run.started","ts":1000,"runId":"r1","sessionId":"s1","channel":"webchat"}"#,
///     r#"{"type":"tool.execution.started","ts":1100,"runId":"r1","toolCallId":"c1","toolName":"exec"}"#,
///     r#"{"type":"tool.execution.completed","ts":1400,"runId":"r1","toolCallId":"c1","toolName":"exec","durationMs":300}"#,
///     r#"{"type":"run.completed","ts":2000,"runId":"r1","outcome":"completed"}"#,
/// ] {
///     mapper.handle(&DiagnosticEvent::from_json(line)?, 2_000);
/// }
/// mapper.finish(2_000);
/// let tool = mapper.poll().expect("the tool leaves first");
/// assert_eq!((tool.kind, tool.start_ms, tool.end_ms), (SpanKind::Tool, 1100, 1400));
/// let root = mapper.poll().expect("then the run");
/// assert_eq!((root.kind, root.name.as_str()), (SpanKind::Run, "webchat"));
/// assert_eq!(tool.parent_id, Some(root.span_id));
/// assert!(mapper.poll().is_none());
/// # Ok::<(), clawgauge_tracing_map::Error>(())
/// ```
#[derive(Debug)]
pub struct Mapper {
    config: Config,
    runs: BTreeMap<u64, Box<Run>>,
    index: Index,
    /// When a run may have something to do; at most one entry a run, possibly too early.
    timers: BTreeSet<(i64, u64)>,
    closed: Closed,
    persons: BTreeMap<String, Person>,
    person_order: VecDeque<String>,
    ready: VecDeque<Span>,
    /// Empty; kept because most of its uses are short.
    leaving: Vec<Span>,
    requests: VecDeque<ContentRequest>,
    notices: VecDeque<Notice>,
    counters: Counters,
    next_token: u64,
    clock_ms: i64,
}

impl Mapper {
    /// A mapper with nothing open.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            closed: Closed::new(config.limits.max_closed_runs),
            config,
            runs: BTreeMap::new(),
            index: Index::default(),
            timers: BTreeSet::new(),
            persons: BTreeMap::new(),
            person_order: VecDeque::new(),
            ready: VecDeque::new(),
            leaving: Vec::new(),
            requests: VecDeque::new(),
            notices: VecDeque::new(),
            counters: Counters::default(),
            next_token: 1,
            clock_ms: i64::MIN,
        }
    }

    /// Takes one event. Events may come in any order, twice, or not at all.
    pub fn handle(&mut self, event: &DiagnosticEvent, now_ms: i64) {
        let now = self.advance(now_ms);
        self.counters.events += 1;
        if let EventData::DiagnosticAsyncQueueDropped(dropped) = &event.data {
            let count = dropped.dropped_events.as_ref().and_then(crate::event::Num::count).unwrap_or(0);
            self.counters.dropped_events = self.counters.dropped_events.saturating_add(count);
            for run in self.runs.values_mut() {
                run.events_dropped = run.events_dropped.saturating_add(count);
            }
            self.notice(Notice::EventsDropped { count });
            return;
        }
        let Some(role) = apply::role(event) else {
            self.counters.ignored += 1;
            return;
        };
        if let EventData::SessionState(state) = &event.data {
            self.session_state(event, state.state.as_deref(), state.reason.as_deref(), now);
            return;
        }
        let order = (event.at_ms().unwrap_or(now), event.seq.unwrap_or(0));
        let trace = trace_of(event);
        let trace = trace.as_deref();
        let limits = &self.config.limits;
        let token = match self.index.find(&self.runs, &self.closed, event, trace, order, role, limits, now) {
            Found::Run(token) => token,
            Found::Nothing | Found::Closed if !role.opens => {
                self.counters.ignored += 1;
                return;
            }
            Found::Closed => {
                self.counters.late += 1;
                self.notice(Notice::Late {
                    run_id: event.run_id.clone(),
                    event_type: event.event_type.clone(),
                });
                return;
            }
            Found::Nothing if belongs_nowhere(event) => {
                self.counters.ignored += 1;
                self.notice(Notice::Unattributed { event_type: event.event_type.clone() });
                return;
            }
            Found::Nothing => self.open(event, now),
        };
        self.apply(token, event, trace, order, role, now);
        self.reschedule(token, now);
    }

    /// The person behind the turns of a session, as the relay names them. Applies to the session's open run that has no
    /// person yet, and to those that come until it is called again.
    pub fn identify(
        &mut self,
        session_key: &str,
        user_id: Option<&str>,
        user_name: Option<&str>,
        conversation_id: Option<&str>,
    ) {
        let given = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
        let person = Person {
            user_id: given(user_id),
            user_name: given(user_name),
            conversation_id: given(conversation_id),
        };
        for token in self.index.of_session_key(session_key) {
            if let Some(run) = self.runs.get_mut(&token) {
                run.belongs_to(&person);
            }
        }
        if self.persons.insert(session_key.to_owned(), person).is_none() {
            self.person_order.push_back(session_key.to_owned());
        }
        while self.persons.len() > self.config.limits.max_persons {
            let Some(oldest) = self.person_order.pop_front() else {
                break;
            };
            self.persons.remove(&oldest);
        }
    }

    /// The texts that a request asked for. Later texts of the same run replace earlier ones.
    pub fn content(&mut self, token: u64, content: RunContent, now_ms: i64) {
        let now = self.advance(now_ms);
        if let Some(run) = self.runs.get_mut(&token) {
            run.content = Some(content);
            // A silent run waited only for this.
            if run.silent_since.is_some() {
                run.silent_since = Some(i64::MIN);
            }
            self.reschedule(token, now);
        }
    }

    /// How a run ended, as the command line or the platform says.
    pub fn outcome(&mut self, run_id: &str, outcome: RunOutcome, message: Option<&str>) {
        for token in self.index.of_run(run_id) {
            if let Some(run) = self.runs.get_mut(&token) {
                run.told_outcome = Some((outcome, message.map(str::to_owned)));
            }
        }
    }

    /// Scores of an open run; they leave with its root. Returns whether the run is open.
    pub fn evaluate(&mut self, run_id: &str, evaluations: &[Evaluation]) -> bool {
        let mut open = false;
        for token in self.index.of_run(run_id) {
            if let Some(run) = self.runs.get_mut(&token) {
                run.evaluations.extend(evaluations.iter().filter(|one| one.is_applicable()).cloned());
                open = true;
            }
        }
        open
    }

    /// Does what is due at `now`: spans leave, silent runs are closed.
    pub fn handle_timeout(&mut self, now_ms: i64) {
        self.advance(now_ms);
    }

    /// The next finished span.
    pub fn poll(&mut self) -> Option<Span> {
        self.ready.pop_front()
    }

    /// The next request for texts.
    pub fn poll_request(&mut self) -> Option<ContentRequest> {
        self.requests.pop_front()
    }

    /// The next thing worth saying.
    pub fn poll_notice(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    /// When [`handle_timeout`](Self::handle_timeout) is to be called next; `None` when nothing is open. May be early.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<i64> {
        self.timers.first().map(|(at, _)| *at)
    }

    /// Asks for the texts of every open run, as [`finish`](Self::finish) will not wait for them.
    pub fn request_all(&mut self) {
        if self.config.content {
            for run in self.runs.values() {
                self.requests.push_back(request(run));
            }
        }
    }

    /// Closes everything: no span stays open. What had no end gets the last time it reported.
    pub fn finish(&mut self, now_ms: i64) {
        self.advance(now_ms);
        let open: Vec<u64> = self.runs.keys().copied().collect();
        for token in open {
            self.close(token, Reason::Flushed);
        }
    }

    /// How many runs are open.
    #[must_use]
    pub fn open_runs(&self) -> usize {
        self.runs.len()
    }

    /// Counts since the mapper was made.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Moves the clock, doing everything that is due on the way at its own time.
    fn advance(&mut self, now_ms: i64) -> i64 {
        while let Some((at, token)) = self.timers.first().copied().filter(|(at, _)| *at <= now_ms) {
            self.timers.pop_first();
            self.clock_ms = self.clock_ms.max(at);
            if let Some(run) = self.runs.get_mut(&token) {
                run.timer_ms = i64::MAX;
                self.due(token, at);
            }
        }
        self.clock_ms = self.clock_ms.max(now_ms);
        self.clock_ms
    }

    /// Lets spans of a run leave that may leave at `at`, asks for texts, closes the run when it is over.
    fn due(&mut self, token: u64, at: i64) {
        let Some(run) = self.runs.get_mut(&token) else {
            return;
        };
        let mut spans = std::mem::take(&mut self.leaving);
        run.leave_ready(&self.config, at, &mut spans);
        spans.sort_by_key(|span| (span.start_ms, span.end_ms));
        let mut close_at = run.close_at(&self.config.limits);
        if close_at <= at && !run.is_complete() && run.silent_since.is_none() && self.config.content {
            run.silent_since = Some(at);
            run.ask_after_ms = at;
            close_at = run.close_at(&self.config.limits);
        }
        if self.config.content && run.ask_after_ms <= at && run.wants_content() && at < close_at {
            // Asked in vain, it is asked less and less often until something new happens.
            let pause = self.config.limits.content_retry_ms.max(1).saturating_mul(1 << run.asks.min(6));
            run.ask_after_ms = at.saturating_add(pause);
            run.asks = run.asks.saturating_add(1);
            let request = request(run);
            if self.requests.len() < self.config.limits.max_notices {
                self.requests.push_back(request);
            }
        }
        self.emit(spans);
        if close_at <= at {
            let complete = self.runs.get(&token).is_some_and(|run| run.is_complete());
            self.close(token, if complete { Reason::Completed } else { Reason::Reaped });
        } else {
            self.reschedule(token, at);
        }
    }

    fn reschedule(&mut self, token: u64, now: i64) {
        let Some(run) = self.runs.get_mut(&token) else {
            return;
        };
        if run.is_complete() {
            run.complete_since.get_or_insert(now);
        } else {
            run.complete_since = None;
        }
        let mut next = run.close_at(&self.config.limits);
        if let Some(leave) = run.next_leave(&self.config) {
            next = next.min(leave);
        }
        if self.config.content && run.wants_content() {
            next = next.min(run.ask_after_ms);
        }
        let next = next.max(now);
        // A later time than the registered one is found when that one comes.
        if next < run.timer_ms {
            self.timers.remove(&(run.timer_ms, token));
            run.timer_ms = next;
            self.timers.insert((next, token));
        }
    }

    fn open(&mut self, event: &DiagnosticEvent, now: i64) -> u64 {
        while self.runs.len() >= self.config.limits.max_open_runs.max(1) {
            let silent = self.runs.values().min_by_key(|run| (run.heard_ms, run.token));
            let Some((token, run_id)) = silent.map(|run| (run.token, run.run_id.clone())) else {
                break;
            };
            self.close(token, Reason::Evicted);
            self.notice(Notice::Evicted { run_id });
        }
        let token = self.next_token;
        self.next_token += 1;
        let run_id = event.run_id.clone().filter(|id| !id.is_empty());
        self.runs.insert(token, Box::new(Run::new(token, run_id, now)));
        token
    }

    fn close(&mut self, token: u64, reason: Reason) {
        let Some(mut run) = self.runs.remove(&token) else {
            return;
        };
        self.timers.remove(&(run.timer_ms, token));
        self.index.forget(token);
        self.closed.remember(&run, self.clock_ms);
        let complete = run.is_complete();
        match reason {
            Reason::Reaped if !complete => {
                self.counters.reaped += 1;
                self.notice(Notice::Reaped { run_id: run.run_id.clone() });
            }
            Reason::Evicted => self.counters.evicted += 1,
            _ => {}
        }
        self.counters.runs += 1;
        self.counters.duplicates += run.settle();
        let mut spans = std::mem::take(&mut self.leaving);
        run.close(&self.config, reason, &mut spans);
        self.emit(spans);
    }

    /// Hands spans out and keeps their container.
    fn emit(&mut self, mut spans: Vec<Span>) {
        for span in spans.drain(..) {
            if self.ready.len() < self.config.limits.max_ready {
                self.counters.spans += 1;
                self.ready.push_back(span);
            } else {
                self.counters.dropped_spans += 1;
                self.notice(Notice::SpanDropped { run_id: span.identity.run.clone() });
            }
        }
        self.leaving = spans;
    }

    fn notice(&mut self, notice: Notice) {
        if self.notices.len() < self.config.limits.max_notices {
            self.notices.push_back(notice);
        } else {
            self.counters.lost_notices += 1;
        }
    }

    /// A session that works on a run holds it open between attempts, however long they are apart.
    fn session_state(
        &mut self,
        event: &DiagnosticEvent,
        state: Option<&str>,
        reason: Option<&str>,
        now: i64,
    ) {
        let order = (event.at_ms().unwrap_or(now), event.seq.unwrap_or(0));
        let tokens = self.index.of_session(event);
        if tokens.is_empty() {
            self.counters.ignored += 1;
        }
        match (state, reason) {
            (Some("processing"), Some("run_started" | "run_replaced")) => {
                let started = tokens.into_iter().filter_map(|token| {
                    let run = self.runs.get(&token)?;
                    Some((run.started_ms.or(run.first_ms).filter(|start| *start <= order.0)?, token))
                });
                if let Some((_, token)) = started.max() {
                    if let Some(run) = self.runs.get_mut(&token) {
                        run.held = true;
                        run.heard_ms = now;
                    }
                    self.reschedule(token, now);
                }
            }
            (Some("idle"), _) => {
                for token in tokens {
                    if let Some(run) = self.runs.get_mut(&token) {
                        run.held = false;
                        run.over =
                            run.started_ms.is_none() && run.completion.is_none() && run.calls.len() > 0;
                        if run.is_complete() {
                            run.complete_since = Some(now);
                        }
                    }
                    self.reschedule(token, now);
                }
            }
            _ => {}
        }
    }
}

fn request(run: &Run) -> ContentRequest {
    ContentRequest {
        token: run.token,
        run_id: run.run_id.clone(),
        session_id: run.session_id.get().cloned(),
        session_key: run.session_key.get().cloned(),
        agent_id: run.agent_id(),
        started_ms: run.started_ms.or(run.first_ms).unwrap_or(0),
        ended: run.is_complete(),
    }
}

/// Whether an event names no run, session or trace: two of them could not be told apart, and neither could their spans.
fn belongs_nowhere(event: &DiagnosticEvent) -> bool {
    let names = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
    let trace = event.trace.as_ref().is_some_and(|trace| names(&trace.trace_id));
    !trace && !names(&event.run_id) && !names(&event.session_key) && !names(&event.session_id)
}

//! What is known of one run while it is open.

use super::limits::Config;
use super::slots::{Order, Slots};
use crate::content::RunContent;
use crate::event::DiagnosticEvent;
use crate::ids::{RunIds, SpanId, TraceId, portable_id};
use crate::span::{Identity, Link, Metadata};
use clawgauge_transcript::Usage;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The person behind a chat turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Person {
    pub(super) user_id: Option<String>,
    pub(super) user_name: Option<String>,
    pub(super) conversation_id: Option<String>,
}

/// A value that the best-placed event gives, whatever order they come in: the lowest rank, then the earliest.
#[derive(Clone, Debug)]
pub(super) struct Ranked<T> {
    best: Option<((u8, Order), T)>,
}

impl<T> Default for Ranked<T> {
    fn default() -> Self {
        Self { best: None }
    }
}

impl Ranked<String> {
    /// Offers a text; it is copied only where it is new and the better one, and an empty one says nothing. Returns
    /// whether the text that is known is another one now.
    fn offer_text(&mut self, rank: u8, order: Order, text: Option<&str>) -> bool {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return false };
        if !self.is_beaten_by(rank, order) {
            return false;
        }
        match &mut self.best {
            Some((best, known)) if known == text => {
                *best = (rank, order);
                false
            }
            _ => {
                self.best = Some(((rank, order), text.to_owned()));
                true
            }
        }
    }

    /// Whether this is the text that is known.
    fn is(&self, text: Option<&str>) -> bool {
        text.is_none_or(|text| self.get().is_some_and(|known| known == text))
    }
}

impl<T> Ranked<T> {
    pub(super) fn offer(&mut self, rank: u8, order: Order, value: Option<T>) {
        let Some(value) = value else { return };
        if self.is_beaten_by(rank, order) {
            self.best = Some(((rank, order), value));
        }
    }

    fn is_beaten_by(&self, rank: u8, order: Order) -> bool {
        self.best.as_ref().is_none_or(|(best, _)| (rank, order) < *best)
    }

    pub(super) fn get(&self) -> Option<&T> {
        self.best.as_ref().map(|(_, value)| value)
    }
}

/// The end of an attempt.
#[derive(Clone, Debug)]
pub(super) struct Completion {
    pub(super) order: Order,
    pub(super) at_ms: i64,
    pub(super) duration_ms: Option<Value>,
    pub(super) outcome: Option<String>,
    pub(super) error_category: Option<String>,
    pub(super) blocked_by: Option<String>,
}

/// A tool call: its name as the events give it.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolDetail {
    pub(super) name: Option<String>,
    pub(super) call_id: Option<String>,
}

/// A model call.
#[derive(Clone, Debug, Default)]
pub(super) struct CallDetail {
    pub(super) provider: Option<String>,
    pub(super) model: Option<String>,
    pub(super) usage: Option<Usage>,
    pub(super) cost_usd: Option<f64>,
    pub(super) first_byte_ms: Option<i64>,
    pub(super) failure_kind: Option<String>,
}

/// A context that was assembled.
#[derive(Clone, Debug)]
pub(super) struct ContextMark {
    pub(super) order: Order,
    pub(super) at_ms: i64,
    pub(super) output: Option<String>,
    pub(super) metadata: Metadata,
    pub(super) link: Option<Link>,
    pub(super) arrived_ms: i64,
}

/// A usage event.
#[derive(Clone, Debug)]
pub(super) struct UsageMark {
    pub(super) order: Order,
    pub(super) at_ms: i64,
    pub(super) duration_ms: Option<i64>,
    pub(super) provider: Option<String>,
    pub(super) model: Option<String>,
    pub(super) usage: Option<Usage>,
    pub(super) cost_usd: Option<f64>,
    pub(super) metadata: Metadata,
}

/// How many children of each kind have left, and what they covered.
#[derive(Clone, Debug, Default)]
pub(super) struct Gone {
    pub(super) answers: u32,
    pub(super) failures: u32,
    pub(super) contexts: u32,
    pub(super) tools: HashMap<String, u32>,
    pub(super) usage: Usage,
    pub(super) cost_usd: f64,
    pub(super) first_ms: Option<i64>,
    pub(super) last_ms: Option<i64>,
}

impl Gone {
    pub(super) fn cover(&mut self, start_ms: i64, end_ms: i64) {
        self.first_ms = Some(self.first_ms.map_or(start_ms, |first| first.min(start_ms)));
        self.last_ms = Some(self.last_ms.map_or(end_ms, |last| last.max(end_ms)));
    }
}

/// An open run.
#[derive(Debug)]
pub(super) struct Run {
    /// Number in the mapper, in order of creation.
    pub(super) token: u64,
    pub(super) run_id: Option<String>,
    pub(super) session_id: Ranked<String>,
    pub(super) session_key: Ranked<String>,
    pub(super) agent: Ranked<String>,
    pub(super) channel: Ranked<String>,
    pub(super) provider: Ranked<String>,
    pub(super) model: Ranked<String>,
    pub(super) trigger: Ranked<String>,
    pub(super) w3c_trace: Ranked<String>,
    pub(super) root_link: Ranked<(String, String)>,
    pub(super) person: Option<Person>,
    ids: Option<RunIds>,
    /// What the spans share, until an event says more.
    identity: Option<(Arc<Identity>, Option<String>)>,

    pub(super) first_ms: Option<i64>,
    pub(super) last_ms: Option<i64>,
    /// The earliest reported start.
    pub(super) started_ms: Option<i64>,
    last_started: Option<Order>,
    pub(super) attempts: BTreeSet<Order>,
    pub(super) completion: Option<Completion>,
    /// How the latest harness run ended.
    harness_end: Option<(Order, Option<String>)>,
    pub(super) told_outcome: Option<(crate::mapper::RunOutcome, Option<String>)>,
    /// The session said that it works on this run; it will say when it is idle.
    pub(super) held: bool,
    /// The session became idle, and the run never said that it began: a compaction, over when its calls are.
    pub(super) over: bool,
    /// The reply to the message behind the run was stopped by a person.
    pub(super) reply_aborted: bool,
    pub(super) events_dropped: u64,
    /// The run is known from a session alone, which tells of every answer.
    pub(super) of_session: bool,

    pub(super) tools: Slots<ToolDetail>,
    pub(super) calls: Slots<CallDetail>,
    pub(super) contexts: Vec<ContextMark>,
    pub(super) usages: Vec<UsageMark>,
    pub(super) gone: Gone,
    pub(super) content: Option<RunContent>,
    pub(super) seen: BTreeSet<u64>,
    pub(super) evaluations: Vec<crate::evaluation::Evaluation>,

    /// The mapper's clock when the run was last heard of.
    pub(super) heard_ms: i64,
    /// The mapper's clock when the run was found complete.
    pub(super) complete_since: Option<i64>,
    /// The mapper's clock when the run was found silent; texts get a last chance.
    pub(super) silent_since: Option<i64>,
    /// When texts may be asked for again.
    pub(super) ask_after_ms: i64,
    /// How often they were asked for since something new happened.
    pub(super) asks: u32,
    /// The entry in the mapper's timer table.
    pub(super) timer_ms: i64,
}

impl Run {
    pub(super) fn new(token: u64, run_id: Option<String>, now: i64) -> Self {
        Self {
            token,
            run_id,
            session_id: Ranked::default(),
            session_key: Ranked::default(),
            agent: Ranked::default(),
            channel: Ranked::default(),
            provider: Ranked::default(),
            model: Ranked::default(),
            trigger: Ranked::default(),
            w3c_trace: Ranked::default(),
            root_link: Ranked::default(),
            person: None,
            ids: None,
            identity: None,
            first_ms: None,
            last_ms: None,
            started_ms: None,
            last_started: None,
            attempts: BTreeSet::new(),
            completion: None,
            harness_end: None,
            told_outcome: None,
            held: false,
            over: false,
            reply_aborted: false,
            events_dropped: 0,
            of_session: false,
            tools: Slots::default(),
            calls: Slots::default(),
            contexts: Vec::new(),
            usages: Vec::new(),
            gone: Gone::default(),
            content: None,
            seen: BTreeSet::new(),
            evaluations: Vec::new(),
            heard_ms: now,
            complete_since: None,
            silent_since: None,
            ask_after_ms: now,
            asks: 0,
            timer_ms: i64::MAX,
        }
    }

    /// Whether the run was called by all the names that the event gives it.
    pub(super) fn knows_names(&self, event: &DiagnosticEvent, trace: Option<&str>) -> bool {
        let has_learned = self.first_ms.is_some();
        has_learned
            && event.run_id.as_deref().is_some_and(|id| self.run_id.as_deref() == Some(id))
            && self.session_key.is(event.session_key.as_deref())
            && self.session_id.is(event.session_id.as_deref())
            && self.w3c_trace.is(trace)
    }

    /// Takes from the envelope of an event what it says about the run.
    pub(super) fn learn(&mut self, event: &DiagnosticEvent, trace: Option<&str>, rank: u8, order: Order) {
        let by_key = event.session_key.as_deref().and_then(agent_of_key);
        // `unknown` is what gateways write where a message came through none: no name for a trace.
        let twice = rank.saturating_mul(2);
        let changed = self.session_id.offer_text(rank, order, event.session_id.as_deref())
            | self.session_key.offer_text(rank, order, event.session_key.as_deref())
            | self.agent.offer_text(twice, order, event.agent_id.as_deref())
            | self.agent.offer_text(twice.saturating_add(1), order, by_key)
            | self.channel.offer_text(
                rank,
                order,
                event.channel.as_deref().filter(|name| *name != "unknown"),
            );
        if changed {
            self.identity = None;
        }
        self.provider.offer_text(rank, order, event.provider.as_deref());
        self.model.offer_text(rank, order, event.model.as_deref());
        self.w3c_trace.offer_text(rank, order, trace);
        self.first_ms = Some(self.first_ms.map_or(order.0, |first| first.min(order.0)));
        self.last_ms = Some(self.last_ms.map_or(order.0, |last| last.max(order.0)));
    }

    /// An attempt began.
    pub(super) fn started(&mut self, order: Order) {
        self.started_ms = Some(self.started_ms.map_or(order.0, |first| first.min(order.0)));
        self.last_started = self.last_started.max(Some(order));
        self.attempts.insert(order);
    }

    /// An attempt ended; the latest end counts.
    pub(super) fn completed(&mut self, completion: Completion) {
        if self.completion.as_ref().is_none_or(|known| known.order < completion.order) {
            self.completion = Some(completion);
        }
    }

    /// A harness run ended; the latest end counts, whichever arrives last.
    pub(super) fn harness_ended(&mut self, order: Order, outcome: Option<&str>) {
        if self.harness_end.as_ref().is_none_or(|(known, _)| *known <= order) {
            self.harness_end = Some((order, outcome.map(str::to_owned)));
        }
    }

    /// How the latest harness run ended, in the gateway's words.
    pub(super) fn harness_outcome(&self) -> Option<&str> {
        self.harness_end.as_ref().and_then(|(_, outcome)| outcome.as_deref())
    }

    /// Whether the last thing that happened to the run is an end.
    pub(super) fn is_complete(&self) -> bool {
        let Some(completion) = &self.completion else {
            return self.over
                && self.last_started.is_none()
                && !self.calls.any_open()
                && !self.tools.any_open();
        };
        let end = completion.order;
        // Equal times without numbers: the end is the later one.
        self.last_started.is_none_or(|start| {
            start.0 < end.0 || (start.0 == end.0 && (start.1 == 0 || end.1 == 0 || start.1 <= end.1))
        })
    }

    /// The last time the run reported.
    pub(super) fn last_report_ms(&self) -> i64 {
        self.last_ms.unwrap_or(self.heard_ms)
    }

    pub(super) fn agent_id(&self) -> Option<String> {
        self.agent.get().cloned()
    }

    /// The session that ids are derived from.
    fn id_session(&self) -> &str {
        self.session_id.get().or(self.session_key.get()).map_or("", String::as_str)
    }

    /// The name of the run for ids and backends.
    pub(super) fn run_name(&self) -> String {
        if let Some(id) = &self.run_id {
            return id.clone();
        }
        let trace = self.w3c_trace.get().map_or("", String::as_str);
        format!("{trace}@{}", self.first_ms.unwrap_or(0))
    }

    /// The ids; fixed the first time a span leaves.
    pub(super) fn ids(&mut self) -> RunIds {
        if let Some(ids) = &self.ids {
            return ids.clone();
        }
        let ids = RunIds::new(self.id_session(), &self.run_name());
        self.ids = Some(ids.clone());
        ids
    }

    /// Names the person behind the run, unless one is named already.
    pub(super) fn belongs_to(&mut self, person: &Person) {
        if self.person.is_none() {
            self.person = Some(person.clone());
            self.identity = None;
        }
    }

    /// Names the run, unless it is named already.
    pub(super) fn is_called(&mut self, run_id: Option<&str>) {
        if self.run_id.is_none()
            && let Some(run_id) = run_id.filter(|id| !id.is_empty())
        {
            self.run_id = Some(run_id.to_owned());
            self.identity = None;
        }
    }

    /// The identity as it is known now.
    pub(super) fn identity(&mut self, config: &Config) -> (Arc<Identity>, Option<String>) {
        if let Some(known) = &self.identity {
            return known.clone();
        }
        let identity = self.build_identity(config);
        self.identity.insert(identity).clone()
    }

    fn build_identity(&self, config: &Config) -> (Arc<Identity>, Option<String>) {
        let channel = self.channel.get().cloned();
        let is_chat = channel.as_deref() == Some(config.chat_channel.as_str());
        let person = self.person.as_ref().filter(|_| is_chat);
        let agent = self.agent_id();
        let raw_session = person
            .and_then(|person| person.conversation_id.clone())
            .or_else(|| self.session_id.get().filter(|id| portable_id(id).is_some()).cloned())
            .or_else(|| self.session_key.get().filter(|key| portable_id(key).is_some()).cloned())
            .or_else(|| self.run_id.clone());
        let session = raw_session.as_deref().and_then(portable_id);
        let replaced = raw_session.filter(|raw| session.as_ref().is_some_and(|session| session != raw));
        let raw_user = person.and_then(|person| person.user_id.clone()).or_else(|| agent.clone());
        let mut tags: Vec<String> = agent.iter().map(|agent| format!("agent:{agent}")).collect();
        if is_chat {
            tags.push(config.chat_tag.clone());
        }
        let identity = Identity {
            trace_name: channel.clone().unwrap_or_else(|| "openclaw run".to_owned()),
            session,
            user: raw_user.as_deref().and_then(portable_id),
            // A name without an account names nobody.
            user_name: person
                .filter(|person| person.user_id.is_some())
                .and_then(|person| person.user_name.clone()),
            agent,
            tags,
            channel,
            run: self.run_id.clone(),
        };
        (Arc::new(identity), replaced)
    }
}

/// The agent in `agent:<id>:…`.
fn agent_of_key(key: &str) -> Option<&str> {
    let mut parts = key.split(':');
    let is_agent = parts.next().is_some_and(|part| part.eq_ignore_ascii_case("agent"));
    parts.next().filter(|id| is_agent && !id.is_empty())
}

/// The trace id of an event; see [`normal_trace`].
pub(super) fn trace_of(event: &DiagnosticEvent) -> Option<Cow<'_, str>> {
    normal_trace(event.trace.as_ref()?.trace_id.as_deref()?)
}

/// A W3C trace id in its one form, or the raw text where it is no such id.
fn normal_trace(raw: &str) -> Option<Cow<'_, str>> {
    if raw.bytes().all(|byte| matches!(byte, b'0' | b'-')) {
        return None;
    }
    if is_normal(raw, 32) {
        return Some(Cow::Borrowed(raw));
    }
    Some(TraceId::parse(raw).map_or(Cow::Borrowed(raw), |id| Cow::Owned(id.to_string())))
}

/// Whether the text is so many lower-case hex digits.
fn is_normal(raw: &str, digits: usize) -> bool {
    raw.len() == digits && raw.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A W3C span id in its one form; `None` where it is no such id.
pub(super) fn normal_span(raw: &str) -> Option<Cow<'_, str>> {
    if is_normal(raw, 16) && raw.bytes().any(|byte| byte != b'0') {
        return Some(Cow::Borrowed(raw));
    }
    SpanId::parse(raw).map(|id| Cow::Owned(id.to_string()))
}

/// The gateway's context of an event as a link, when both ids are valid.
pub(super) fn link(event: &DiagnosticEvent) -> Option<Link> {
    let trace = event.trace.as_ref()?;
    let trace_id = TraceId::parse(trace.trace_id.as_deref()?)?;
    let span_id = SpanId::parse(trace.span_id.as_deref()?)?;
    Some(Link::new(trace_id, span_id))
}

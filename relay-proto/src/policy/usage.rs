//! What each turn spent.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::frame::UsageTotals;

/// One model call's usage as the host reports it (`model.usage`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UsageEvent {
    /// Tokens sent.
    pub input: Option<f64>,
    /// Tokens produced.
    pub output: Option<f64>,
    /// Total, when the provider gave one.
    pub total: Option<f64>,
    /// Tokens read from the cache.
    pub cache_read: Option<f64>,
    /// Cost in US dollars.
    pub cost_usd: Option<f64>,
    /// Model.
    pub model: Option<String>,
}

impl UsageEvent {
    /// Reads `{usage: {input, output, total, cacheRead}, costUsd, model}`. What is no number is unknown.
    #[must_use]
    pub fn from_json(event: &Value) -> Self {
        let usage = event.get("usage");
        let number = |name: &str| usage.and_then(|usage| usage.get(name)).and_then(Value::as_f64);
        Self {
            input: number("input"),
            output: number("output"),
            total: number("total"),
            cache_read: number("cacheRead"),
            cost_usd: event.get("costUsd").and_then(Value::as_f64),
            model: event
                .get("model")
                .and_then(Value::as_str)
                .filter(|model| !model.is_empty())
                .map(str::to_owned),
        }
    }
}

impl UsageTotals {
    /// Adds one call. A total that is missing or zero is input plus output. Version 1 has no word for an unknown
    /// count: it adds nothing, and `calls` tells that there was a call.
    pub fn add(&mut self, event: &UsageEvent) {
        let (input, output) = (event.input.unwrap_or_default(), event.output.unwrap_or_default());
        self.calls += 1;
        self.input_tokens += input;
        self.output_tokens += output;
        self.total_tokens += event.total.filter(|total| *total != 0.0).unwrap_or(input + output);
        self.cache_read_tokens += event.cache_read.unwrap_or_default();
        if let Some(cost) = event.cost_usd {
            self.cost_usd = Some(self.cost_usd.unwrap_or_default() + cost);
        }
        if event.model.is_some() {
            self.model.clone_from(&event.model);
        }
    }
}

/// Usage by turn.
///
/// Hosts report usage by session, and often a moment after the turn ended. An event belongs to the turn that runs in
/// its session; when none runs, to the one that ended last and is not yet reported. So a next turn that starts while
/// the one before still settles takes nothing from it.
///
/// ```
/// use clawgauge_relay_proto::{UsageEvent, UsageLedger};
/// let mut ledger = UsageLedger::new(5_000);
/// let event = |input| UsageEvent { input: Some(input), ..UsageEvent::default() };
/// ledger.start(1, "agent:main:benchgen:direct:c1");
/// ledger.record("agent:main:benchgen:direct:c1", &event(100.0));
/// ledger.end(1);
/// ledger.start(2, "agent:main:benchgen:direct:c1");
/// ledger.record("agent:main:benchgen:direct:c1", &event(7.0));
/// assert_eq!(ledger.take(1).map(|usage| usage.input_tokens), Some(100.0));
/// assert_eq!(ledger.take(2).map(|usage| usage.input_tokens), Some(7.0));
/// ```
#[derive(Debug, Clone)]
pub struct UsageLedger {
    max_turns: usize,
    turns: BTreeMap<u64, Account>,
    by_session: BTreeMap<String, Vec<u64>>,
}

#[derive(Debug, Clone)]
struct Account {
    session_key: String,
    ended: bool,
    totals: UsageTotals,
}

impl UsageLedger {
    /// A ledger of at most `max_turns` open accounts; the oldest is closed when there are more.
    #[must_use]
    pub fn new(max_turns: usize) -> Self {
        Self { max_turns, turns: BTreeMap::new(), by_session: BTreeMap::new() }
    }

    /// Opens the account of a turn. Turn numbers grow.
    pub fn start(&mut self, turn: u64, session_key: &str) {
        while self.turns.len() >= self.max_turns.max(1) {
            let Some(oldest) = self.turns.keys().next().copied() else {
                break;
            };
            self.take(oldest);
        }
        let account =
            Account { session_key: session_key.to_owned(), ended: false, totals: UsageTotals::default() };
        self.turns.insert(turn, account);
        self.by_session.entry(session_key.to_owned()).or_default().push(turn);
    }

    /// Books an event on the turn it belongs to; `false` when no turn of that session is open.
    pub fn record(&mut self, session_key: &str, event: &UsageEvent) -> bool {
        let Some(open) = self.by_session.get(session_key) else {
            return false;
        };
        let running = open.iter().find(|turn| self.turns.get(turn).is_some_and(|account| !account.ended));
        match running.or(open.last()).copied() {
            Some(turn) => self.record_turn(turn, event),
            None => false,
        }
    }

    /// Books an event on a turn known by number; `false` when its account is closed.
    pub fn record_turn(&mut self, turn: u64, event: &UsageEvent) -> bool {
        match self.turns.get_mut(&turn) {
            Some(account) => {
                account.totals.add(event);
                true
            }
            None => false,
        }
    }

    /// The turn ended; its account stays open for late events.
    pub fn end(&mut self, turn: u64) {
        if let Some(account) = self.turns.get_mut(&turn) {
            account.ended = true;
        }
    }

    /// Closes the account.
    pub fn take(&mut self, turn: u64) -> Option<UsageTotals> {
        let account = self.turns.remove(&turn)?;
        if let Some(open) = self.by_session.get_mut(&account.session_key) {
            open.retain(|other| *other != turn);
            if open.is_empty() {
                self.by_session.remove(&account.session_key);
            }
        }
        Some(account.totals)
    }
}

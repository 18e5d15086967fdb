//! Which run does an event belong to?

use super::apply::Role;
use super::closed::Closed;
use super::limits::Limits;
use super::run::Run;
use super::slots::Order;
use crate::event::DiagnosticEvent;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Run(u64),
    /// The run has left.
    Closed,
    Nothing,
}

/// Names of open runs. Only looked up, never walked, so the order of the tables shows nowhere.
#[derive(Debug, Default)]
pub(super) struct Index {
    tables: [HashMap<String, BTreeSet<u64>>; 4],
    names: HashMap<u64, Vec<(Table, String)>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    Run = 0,
    Key = 1,
    Session = 2,
    Trace = 3,
}

impl Index {
    /// Notes the names that an event gives to a run.
    pub(super) fn learn(&mut self, token: u64, event: &DiagnosticEvent, trace: Option<&str>) {
        for (table, name) in [
            (Table::Run, event.run_id.as_deref()),
            (Table::Key, event.session_key.as_deref()),
            (Table::Session, event.session_id.as_deref()),
            (Table::Trace, trace),
        ] {
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                self.add(table, name, token);
            }
        }
        let nameless = event.session_key.is_none() && event.session_id.is_none() && trace.is_none();
        if nameless && event.run_id.is_none() {
            self.add(Table::Key, "", token);
        }
    }

    fn add(&mut self, table: Table, name: &str, token: u64) {
        let Some(map) = self.tables.get_mut(table as usize) else {
            return;
        };
        match map.get_mut(name) {
            Some(tokens) => {
                if tokens.insert(token) {
                    self.names.entry(token).or_default().push((table, name.to_owned()));
                }
            }
            None => {
                map.insert(name.to_owned(), BTreeSet::from([token]));
                self.names.entry(token).or_default().push((table, name.to_owned()));
            }
        }
    }

    pub(super) fn forget(&mut self, token: u64) {
        for (table, name) in self.names.remove(&token).unwrap_or_default() {
            let Some(map) = self.tables.get_mut(table as usize) else {
                continue;
            };
            if let Some(tokens) = map.get_mut(&name) {
                tokens.remove(&token);
                if tokens.is_empty() {
                    map.remove(&name);
                }
            }
        }
    }

    fn get(&self, table: Table, name: &str) -> Option<&BTreeSet<u64>> {
        self.tables.get(table as usize)?.get(name)
    }

    pub(super) fn of_run(&self, run_id: &str) -> Vec<u64> {
        self.get(Table::Run, run_id).into_iter().flatten().copied().collect()
    }

    pub(super) fn of_session_key(&self, key: &str) -> Vec<u64> {
        self.get(Table::Key, key).into_iter().flatten().copied().collect()
    }

    /// Open runs of the event's session: by key, else by id.
    pub(super) fn of_session(&self, event: &DiagnosticEvent) -> Vec<u64> {
        let by_key = event.session_key.as_deref().and_then(|key| self.get(Table::Key, key));
        let by_id = || event.session_id.as_deref().and_then(|id| self.get(Table::Session, id));
        by_key.or_else(by_id).into_iter().flatten().copied().collect()
    }

    /// Finds the run of an event: by its run id; else the open run of its session and trace.
    #[allow(clippy::too_many_arguments, reason = "the parts of the mapper that decide, borrowed apart")]
    pub(super) fn find(
        &self,
        runs: &BTreeMap<u64, Box<Run>>,
        closed: &Closed,
        event: &DiagnosticEvent,
        trace: Option<&str>,
        order: Order,
        role: Role,
        limits: &Limits,
        now: i64,
    ) -> Found {
        if let Some(run_id) = event.run_id.as_deref().filter(|id| !id.is_empty()) {
            if let Some(token) = self.get(Table::Run, run_id).and_then(BTreeSet::last) {
                return Found::Run(*token);
            }
            if closed.has_run(run_id) {
                return Found::Closed;
            }
            // A run that was opened by an event without a run id takes the first one that fits.
            let unnamed = self.candidates(runs, event, trace);
            let unnamed = unnamed.into_iter().filter(|token| {
                runs.get(token).is_some_and(|run| run.run_id.is_none() && !run.is_complete())
            });
            return unnamed.max().map_or(Found::Nothing, Found::Run);
        }
        let candidates = self.candidates(runs, event, trace);
        let start =
            |token: &u64| runs.get(token).and_then(|run| run.started_ms.or(run.first_ms)).unwrap_or(0);
        let unfinished = |token: &u64| runs.get(token).is_some_and(|run| !run.is_complete());
        let unnamed = |token: &u64| runs.get(token).is_some_and(|run| run.run_id.is_none());
        let fits: Vec<u64> = if role.begins {
            candidates.into_iter().filter(|token| unnamed(token) && unfinished(token)).collect()
        } else {
            candidates
        };
        let before = fits.iter().copied().filter(|token| start(token) <= order.0);
        let by_order = before.max_by_key(|token| (start(token), *token));
        let chosen = by_order.or_else(|| fits.iter().copied().min_by_key(|token| (start(token), *token)));
        if let Some(token) = chosen {
            return Found::Run(token);
        }
        let recent = closed.session_closed(event, trace);
        match recent.filter(|at| !role.begins && now.saturating_sub(*at) <= limits.idle_ms) {
            Some(_) => Found::Closed,
            None => Found::Nothing,
        }
    }

    /// Open runs that an event without a run id may mean: those of its session and trace; of its session where none
    /// shares the trace; of its trace where it names no session.
    fn candidates(
        &self,
        runs: &BTreeMap<u64, Box<Run>>,
        event: &DiagnosticEvent,
        trace: Option<&str>,
    ) -> Vec<u64> {
        let key = event.session_key.as_deref().filter(|key| !key.is_empty());
        let id = event.session_id.as_deref().filter(|id| !id.is_empty());
        let other_session = |token: &u64| {
            let Some(run) = runs.get(token) else { return true };
            match (key, run.session_key.get(), id, run.session_id.get()) {
                (Some(key), Some(known), _, _) => key != known,
                (_, _, Some(id), Some(known)) => id != known,
                _ => false,
            }
        };
        let of_trace = trace.and_then(|trace| self.get(Table::Trace, trace));
        let by_trace: Vec<u64> =
            of_trace.into_iter().flatten().copied().filter(|token| !other_session(token)).collect();
        if !by_trace.is_empty() {
            return by_trace;
        }
        let by_session = self.of_session(event);
        if !by_session.is_empty() || key.is_some() || id.is_some() || trace.is_some() {
            return by_session;
        }
        self.of_session_key("")
    }
}

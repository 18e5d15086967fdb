//! The memory of closed runs, so that no event opens a run twice.

use super::run::Run;
use crate::event::DiagnosticEvent;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Runs, sessions and traces that were closed, as hashes, bounded.
#[derive(Debug)]
pub(super) struct Closed {
    max: usize,
    /// Hash of a name to the time of the latest closing and how often it is in the queue.
    seen: HashMap<u64, (i64, u32)>,
    queue: VecDeque<u64>,
}

impl Closed {
    pub(super) fn new(max_runs: usize) -> Self {
        // A run has up to four names.
        Self { max: max_runs.saturating_mul(4), seen: HashMap::new(), queue: VecDeque::new() }
    }

    pub(super) fn remember(&mut self, run: &Run, at_ms: i64) {
        let names = [
            run.run_id.as_deref().map(|id| hash("run", id)),
            run.session_key.get().map(|key| hash("key", key)),
            run.session_id.get().map(|id| hash("session", id)),
            run.w3c_trace.get().map(|trace| hash("trace", trace)),
        ];
        for name in names.into_iter().flatten() {
            let entry = self.seen.entry(name).or_insert((at_ms, 0));
            entry.0 = entry.0.max(at_ms);
            entry.1 += 1;
            self.queue.push_back(name);
        }
        while self.queue.len() > self.max {
            let Some(name) = self.queue.pop_front() else { break };
            if let Some(entry) = self.seen.get_mut(&name) {
                entry.1 -= 1;
                if entry.1 == 0 {
                    self.seen.remove(&name);
                }
            }
        }
    }

    /// Whether the run of this id was closed.
    pub(super) fn has_run(&self, run_id: &str) -> bool {
        self.seen.contains_key(&hash("run", run_id))
    }

    /// When a run of the event's session, or of its trace where it names no session, was closed last.
    pub(super) fn session_closed(&self, event: &DiagnosticEvent, trace: Option<&str>) -> Option<i64> {
        let key = event.session_key.as_deref().filter(|key| !key.is_empty()).map(|key| hash("key", key));
        let id = event.session_id.as_deref().filter(|id| !id.is_empty()).map(|id| hash("session", id));
        let names =
            if key.is_some() || id.is_some() { [key, id] } else { [trace.map(|id| hash("trace", id)), None] };
        names.into_iter().flatten().filter_map(|name| self.seen.get(&name)).map(|entry| entry.0).max()
    }
}

fn hash(kind: &str, name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    kind.hash(&mut hasher);
    name.hash(&mut hasher);
    hasher.finish()
}

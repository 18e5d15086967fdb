//! What openclaw-edd takes from events for each case anew, taken once.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Number, Value};

use super::actions::ActionTable;
use super::check::{ATTRIBUTE, EddFault, TYPE, truthy};
use super::events::{Event, EventKind};
use crate::json::Json;
use crate::texts::{Memo, Texts};

/// A recorded run, prepared for the checks of many cases.
pub(crate) struct Recording<'e> {
    events: Cow<'e, [Event]>,
    /// The events of ended calls, by tool.
    ends: BTreeMap<String, Vec<usize>>,
    /// The names of the ended calls, as a list.
    pub(super) names: Arc<Json>,
    /// The commands of `exec`, as a list.
    pub(super) commands: Arc<Json>,
    /// The same commands in small letters.
    lowered: Texts,
    found: Memo<Found>,
    /// The final output in small letters.
    pub(super) output: Option<String>,
    plan: OnceCell<String>,
    repeats: OnceCell<Repeats>,
    actions: Memo<Result<Seen, EddFault>>,
}

/// The actions of each command.
pub(super) struct Seen {
    pub(super) commands: Vec<(String, Vec<String>)>,
    /// The same for the report.
    pub(super) details: Arc<Json>,
}

/// Where a command pattern is found.
pub(super) struct Found {
    /// Indices in the list of commands.
    pub(super) at: Vec<usize>,
    pub(super) name: Arc<str>,
    /// The first three commands.
    pub(super) first: Arc<Json>,
    /// The entry of the pattern in the details of expected commands.
    pub(super) detail: Arc<Json>,
}

/// Equal calls in a row.
pub(super) struct Repeats {
    pub(super) longest: usize,
    /// Every row of them for the report, or how the original ends there.
    pub(super) shown: Result<Arc<Json>, EddFault>,
}

impl<'e> Recording<'e> {
    /// O(size of the events).
    pub(crate) fn new(events: Cow<'e, [Event]>, final_output: Option<&str>) -> Self {
        let mut ends: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut names = Vec::new();
        let mut commands = Vec::new();
        let mut lowered = Texts::default();
        for (at, event) in events.iter().enumerate().filter(|(_, e)| e.kind == EventKind::ToolEnd) {
            ends.entry(event.tool.clone()).or_default().push(at);
            names.push(Json::from(event.tool.as_str()));
            let command = event.input.get("command").and_then(Json::as_str);
            if let Some(command) = command.filter(|c| event.tool == "exec" && !c.is_empty()) {
                commands.push(Json::from(command));
                lowered.push(&command.to_lowercase());
            }
        }
        Self {
            events,
            ends,
            names: Arc::new(Json::Array(names)),
            commands: Arc::new(Json::Array(commands)),
            lowered,
            found: Memo::default(),
            output: final_output.map(str::to_lowercase),
            plan: OnceCell::new(),
            repeats: OnceCell::new(),
            actions: Memo::default(),
        }
    }

    pub(super) fn was_called(&self, tool: &str) -> bool {
        self.ends.contains_key(tool)
    }

    /// The ended calls of a tool.
    pub(super) fn calls_of(&self, tool: &str) -> impl Iterator<Item = &Event> {
        let places = self.ends.get(tool).map(Vec::as_slice).unwrap_or_default();
        places.iter().filter_map(|&at| self.events.get(at))
    }

    pub(super) fn tool_names(&self) -> Vec<&str> {
        self.names.as_array().unwrap_or_default().iter().filter_map(Json::as_str).collect()
    }

    /// The commands that contain `pattern`, whatever its case.
    pub(super) fn commands_with(&self, pattern: &str) -> Arc<Found> {
        self.found.get(pattern, || {
            let at = self.lowered.with(&pattern.to_lowercase());
            let commands = self.commands.as_array().unwrap_or_default();
            let first: Vec<Json> = at.iter().take(3).filter_map(|&at| commands.get(at)).cloned().collect();
            let first = Json::Array(first);
            let detail = Json::object([("passed", (!at.is_empty()).into()), ("matched_in", first.clone())]);
            Found { at, name: pattern.into(), first: Arc::new(first), detail: Arc::new(detail) }
        })
    }

    /// Plan and thinking in small letters.
    pub(super) fn plan(&self) -> &str {
        self.plan.get_or_init(|| {
            let parts: Vec<&str> = self
                .events
                .iter()
                .flat_map(|e| [e.plan_text.as_str(), e.thinking.as_str()])
                .filter(|p| !p.is_empty())
                .collect();
            parts.join(" ").to_lowercase()
        })
    }

    /// The actions of the commands by a table, which `key` names; or how the original ends there.
    pub(super) fn actions(
        &self,
        key: &str,
        table: impl FnOnce() -> Result<ActionTable, EddFault>,
    ) -> Arc<Result<Seen, EddFault>> {
        self.actions.get(key, || self.classify(&table()?))
    }

    fn classify(&self, table: &ActionTable) -> Result<Seen, EddFault> {
        let mut commands = Vec::new();
        for event in self.calls_of("exec") {
            match event.input.get("command") {
                Some(Json::String(command)) if !command.is_empty() => {
                    commands.push((command.clone(), table.classify(command)));
                }
                Some(other) if truthy(other) => return Err(TYPE),
                _ => {}
            }
        }
        let details = commands
            .iter()
            .map(|(command, actions)| {
                Json::object([
                    ("command", command.as_str().into()),
                    ("actions", Json::strings(actions.iter().cloned())),
                ])
            })
            .collect();
        Ok(Seen { commands, details: Arc::new(Json::Array(details)) })
    }

    pub(super) fn repeats(&self) -> &Repeats {
        self.repeats.get_or_init(|| Repeats::of(&self.events))
    }
}

impl Repeats {
    fn of(events: &[Event]) -> Self {
        let mut longest = 1_usize;
        let mut rows: Vec<(&Event, usize)> = Vec::new();
        let mut before: Option<&Event> = None;
        let mut running = false;
        for event in events {
            let again = before.is_some_and(|b| {
                b.kind == EventKind::ToolEnd
                    && event.kind == EventKind::ToolEnd
                    && b.tool == event.tool
                    && python_equal(&b.input.to_value(), &event.input.to_value())
            });
            if again {
                if !running {
                    rows.push((event, 1));
                }
                if let Some((_, count)) = rows.last_mut() {
                    *count += 1;
                    longest = longest.max(*count);
                }
            }
            running = again;
            before = Some(event);
        }
        let shown: Result<Vec<Json>, EddFault> = rows
            .into_iter()
            .map(|(event, count)| {
                if event.input.as_object().is_none() {
                    return Err(ATTRIBUTE);
                }
                Ok(Json::object([
                    ("tool", event.tool.as_str().into()),
                    ("command", event.input.get("command").cloned().unwrap_or_else(|| "".into())),
                    ("count", count.into()),
                ]))
            })
            .collect();
        Self { longest, shown: shown.map(|rows| Arc::new(Json::Array(rows))) }
    }
}

/// Python's `==` on values read from JSON: `True == 1 == 1.0`.
fn python_equal(a: &Value, b: &Value) -> bool {
    let number = |v: &Value| match v {
        Value::Bool(flag) => Some(Number::from(u8::from(*flag))),
        Value::Number(n) => Some(n.clone()),
        _ => None,
    };
    match (a, b) {
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(p, q)| python_equal(p, q))
        }
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(k, v)| y.get(k).is_some_and(|w| python_equal(v, w)))
        }
        _ => match (number(a), number(b)) {
            (Some(x), Some(y)) => crate::value::same_number(&x, &y),
            _ => a == b,
        },
    }
}

//! Checks about actions: what commands stand for.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Checker, listed, shown};
use crate::case::Case;
use crate::detail::Part;
use crate::edd::{ActionTable, in_text_order};
use crate::json::Json;
use crate::text::quote;
use crate::verdict::{Check, Explanation};

/// The actions of each command, in order; and what is wrong with the pattern file.
pub(crate) struct Seen {
    commands: Vec<(String, Vec<String>)>,
    /// The same for a report: shared by all cases.
    details: Arc<Json>,
    known: Box<dyn Fn(&str) -> bool + Send + Sync>,
    fault: Option<String>,
}

impl Checker<'_> {
    /// What was done, by the table that the case names: classified once for all cases.
    fn seen_actions(&self, case: &Case) -> Arc<Seen> {
        let key = case.action_patterns_file.as_ref().map(|name| format!("file {name}")).unwrap_or_default();
        self.seen().get(&key, || self.classify(case))
    }

    fn classify(&self, case: &Case) -> Seen {
        let mut table = ActionTable::ours().clone();
        let mut fault = None;
        if let Some(name) = &case.action_patterns_file {
            match self.file(name).map(|text| crate::load::read_data(name, text)) {
                None => fault = Some(format!("the pattern file `{}` was not found", shown(name))),
                Some(None) => fault = Some(format!("the pattern file `{}` cannot be read", shown(name))),
                Some(Some(file)) => match table.with_file(&file, false) {
                    Ok(extended) => table = extended,
                    Err(why) => {
                        fault = Some(format!("the pattern file `{}` is not usable: {why:?}", shown(name)));
                    }
                },
            }
        }
        let commands: Vec<(String, Vec<String>)> = self
            .all_commands()
            .list
            .iter()
            .map(|command| {
                let mut actions: Vec<String> = Vec::new();
                for segment in command.segments() {
                    let text = command.folded.get(segment.start..segment.end).unwrap_or_default();
                    actions.extend(in_text_order(&table, text).into_iter().filter(|a| a != "unknown"));
                }
                // A pattern may span several simple commands.
                for action in in_text_order(&table, command.text) {
                    if action != "unknown" && !actions.contains(&action) {
                        actions.push(action);
                    }
                }
                if actions.is_empty() {
                    actions.push("unknown".to_owned());
                }
                (command.text.to_owned(), actions)
            })
            .collect();
        let details = commands
            .iter()
            .map(|(command, actions)| {
                Json::object([
                    ("command", quote(command, 400).into()),
                    ("actions", Json::strings(actions.clone())),
                ])
            })
            .collect();
        let details = Arc::new(Json::Array(details));
        Seen { commands, details, known: Box::new(move |name| table.knows(name)), fault }
    }

    fn undefined(seen: &Seen, names: &[String]) -> Vec<String> {
        let mut notes: Vec<String> = names
            .iter()
            .filter(|name| !(seen.known)(name))
            .map(|name| format!("no pattern defines an action named `{}`", shown(name)))
            .collect();
        notes.extend(seen.fault.clone());
        notes
    }

    pub(super) fn actions(&self, case: &Case, names: &[String]) -> Check {
        let seen = self.seen_actions(case);
        let observed: BTreeSet<&str> =
            seen.commands.iter().flat_map(|(_, actions)| actions).map(String::as_str).collect();
        let missing: Vec<String> = names.iter().filter(|n| !observed.contains(n.as_str())).cloned().collect();
        let passed = missing.is_empty() && seen.fault.is_none();
        let mut check = Check::new("expect_actions", "actions", passed);
        check.detail.set("expected", Json::strings(names.iter().cloned()));
        check.detail.set("observed", Json::strings(observed.iter().copied()));
        check.detail.set("missing", Json::strings(missing.clone()));
        check.detail.put("details", Part::Shared(Arc::clone(&seen.details)));
        if passed {
            return check;
        }
        let observed: Vec<String> = observed.into_iter().map(str::to_owned).collect();
        check.message = match &seen.fault {
            Some(fault) if missing.is_empty() => format!("Actions cannot be told: {fault}"),
            _ => {
                format!("Missing expected actions: {} (observed: {})", listed(&missing), observed.join(", "))
            }
        };
        let notes = Self::undefined(&seen, names);
        check.explained(Explanation { notes, ..Explanation::default() })
    }

    pub(super) fn actions_ordered(&self, case: &Case, names: &[String]) -> Check {
        let seen = self.seen_actions(case);
        let list = &self.all_commands().list;
        // Actions of parallel calls have no order among themselves; inside one call they have.
        let mut done = 0;
        let mut at = 0;
        while at < list.len() {
            let group = list.get(at).and_then(|c| self.step(c.step)).map(|s| s.message);
            let size = list
                .iter()
                .skip(at)
                .take_while(|c| self.step(c.step).map(|s| s.message) == group)
                .count()
                .max(1);
            let mut places = vec![0_usize; size];
            while let Some(name) = names.get(done) {
                // The member whose next such action comes soonest loses the least.
                let best = (0..size)
                    .filter_map(|m| {
                        let (_, actions) = seen.commands.get(at + m)?;
                        let from = *places.get(m)?;
                        let found = actions.iter().skip(from).position(|a| a == name)?;
                        Some((found, m, from + found + 1))
                    })
                    .min();
                let Some((_, member, next)) = best else { break };
                if let Some(place) = places.get_mut(member) {
                    *place = next;
                }
                done += 1;
            }
            at += size;
        }
        let passed = done == names.len() && seen.fault.is_none();
        let mut check = Check::new("expect_actions_ordered", "actions_ordered", passed);
        let sequence: Vec<String> = seen.commands.iter().flat_map(|(_, actions)| actions.clone()).collect();
        check.detail.set("matched_count", done.into());
        check.detail.set("expected_count", names.len().into());
        check.detail.set("expected", Json::strings(names.iter().cloned()));
        check.detail.set("actual_sequence", Json::strings(sequence.clone()));
        if passed {
            return check;
        }
        let next = names.get(done).map(|n| shown(n)).unwrap_or_default();
        check.message = format!(
            "Action order mismatch: {done} of {} in order; `{next}` (index {done}) does not follow (seen: {})",
            names.len(),
            listed(&sequence.into_iter().take(20).collect::<Vec<_>>())
        );
        let notes = Self::undefined(&seen, names);
        check.explained(Explanation { notes, ..Explanation::default() })
    }
}

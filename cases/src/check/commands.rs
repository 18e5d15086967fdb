//! Checks about shell commands.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::subject::{Command, Found};
use super::{Checker, listed, shown};
use crate::case::Case;
use crate::detail::Part;
use crate::json::Json;
use crate::text::fold;
use crate::verdict::{Check, Explanation, NearMiss};

/// Position vectors that are kept while commands of parallel calls are interleaved.
const MOST_STATES: usize = 1024;

impl Checker<'_> {
    pub(super) fn commands(&self, case: &Case, patterns: &[String]) -> Check {
        let mut details: Vec<(Arc<str>, Arc<Json>)> = Vec::with_capacity(patterns.len());
        let mut missing = Vec::new();
        for pattern in patterns {
            if details.iter().any(|(known, _)| **known == **pattern) {
                continue;
            }
            let found = self.all_commands().find(pattern, case.command_match);
            details.push((Arc::clone(&found.name), Arc::clone(&found.detail)));
            if found.is_empty() {
                missing.push(pattern.clone());
            }
        }
        let mut check = Check::new("expect_commands", "commands", missing.is_empty());
        check.detail.put("details", Part::Object(details));
        if missing.is_empty() {
            return check;
        }
        check.message = format!("Missing expected command keywords: {}", listed(&missing));
        let near_miss = missing.first().and_then(|pattern| self.near_command(case, pattern));
        let notes = self.command_notes();
        check.explained(Explanation { near_miss, notes, ..Explanation::default() })
    }

    fn command_notes(&self) -> Vec<String> {
        let list = &self.all_commands().list;
        if list.is_empty() {
            return vec!["no command was run".to_owned()];
        }
        // Equal commands in a row are one line.
        let rows: Vec<&[Command<'_>]> = list.chunk_by(|a, b| a.text == b.text).collect();
        let mut out: Vec<String> = rows
            .iter()
            .take(8)
            .filter_map(|row| {
                let first = row.first()?;
                let times = if row.len() == 1 { String::new() } else { format!(" x{}", row.len()) };
                Some(format!("#{} ran: {}{times}", first.step + 1, shown(first.text)))
            })
            .collect();
        let more: usize = rows.iter().skip(8).map(|row| row.len()).sum();
        if more > 0 {
            out.push(format!("… {more} more commands"));
        }
        out
    }

    /// The command that shares the most with a pattern.
    fn near_command(&self, case: &Case, pattern: &str) -> Option<NearMiss> {
        let wanted = fold(pattern);
        let words: BTreeSet<&str> = wanted.split_whitespace().collect();
        // The first of those that are most alike.
        let (likeness, command) = self
            .all_commands()
            .list
            .iter()
            .take(1000)
            .map(|command| (command.likeness(pattern), command))
            .rev()
            .max_by_key(|(likeness, _)| *likeness)?;
        // No word in common and not nearly the same text: it is no miss but another thing.
        if likeness < 800 {
            return None;
        }
        let mentioned = command.folded.contains(wanted.as_ref());
        let shell = case.command_match == crate::assertion::CommandMatch::Shell;
        let because = if mentioned && shell {
            vec!["it is only mentioned there (quoted, a comment, or an argument), not run".to_owned()]
        } else {
            let lacking: Vec<&str> = words.iter().copied().filter(|w| !command.folded.contains(*w)).collect();
            if lacking.is_empty() && shell {
                vec!["the words are there, but not as one command that is run".to_owned()]
            } else if lacking.is_empty() {
                vec!["the words are there, but not next to each other in that order".to_owned()]
            } else {
                vec![format!("it lacks: {}", shown(&lacking.join(" ")))]
            }
        };
        Some(NearMiss {
            expected: shown(pattern),
            actual: format!("#{} {}", command.step + 1, shown(command.text)),
            because,
            entry: self.entry(command.step),
        })
    }

    pub(super) fn forbidden_commands(&self, case: &Case, patterns: &[String]) -> Check {
        let mut violations: Vec<(Arc<str>, Arc<Json>)> = Vec::new();
        let mut named = Vec::new();
        let mut calls = Vec::new();
        for pattern in patterns {
            let found = self.all_commands().find(pattern, case.command_match);
            if !found.is_empty() && !named.contains(pattern) {
                violations.push((Arc::clone(&found.name), Arc::clone(&found.first)));
                named.push(pattern.clone());
                calls.extend(self.all_commands().of(&found).map(|c| c.step));
            }
        }
        let mut check = Check::new("forbidden_commands", "forbidden_commands", named.is_empty());
        check.detail.put("violations", Part::Object(violations));
        if named.is_empty() {
            return check;
        }
        check.message = format!("Forbidden command keywords found: {}", listed(&named));
        let notes = self.attempts(calls.iter().copied());
        let entries = self.entries(calls);
        check.explained(Explanation { entries, notes, ..Explanation::default() })
    }

    pub(super) fn commands_ordered(&self, case: &Case, patterns: &[String]) -> Check {
        let prepared: Vec<Arc<Found>> =
            patterns.iter().map(|p| self.all_commands().find(p, case.command_match)).collect();
        let (matched, calls) = self.match_commands(&prepared);
        let passed = matched == patterns.len();
        let mut check = Check::new("expect_commands_ordered", "commands_ordered", passed);
        check.detail.set("matched_count", matched.into());
        check.detail.set("expected_count", patterns.len().into());
        let texts = patterns.iter().map(|p| Cow::Borrowed(p.as_str()));
        check.detail.put("expected", case.listed("expect_commands_ordered", texts));
        if passed {
            return check;
        }
        let next = patterns.get(matched).map(|p| shown(p)).unwrap_or_default();
        let after = if matched == 0 { "" } else { " after that" };
        check.message = format!(
            "Command order mismatch: {matched} of {} in order; `{next}` (index {matched}) is not run{after}",
            patterns.len()
        );
        let mut notes: Vec<String> = patterns
            .iter()
            .zip(&calls)
            .map(|(pattern, call)| format!("  = `{}` at #{}", shown(pattern), call + 1))
            .collect();
        let earlier = prepared.get(matched).and_then(|p| self.all_commands().of(p).next());
        notes.push(match earlier {
            Some(command) => {
                format!("  - `{next}` was run only before: #{} {}", command.step + 1, shown(command.text))
            }
            None => format!("  - `{next}` was never run"),
        });
        let near_miss = match (earlier, patterns.get(matched)) {
            (None, Some(pattern)) => self.near_command(case, pattern),
            _ => None,
        };
        let entries = self.entries(calls.into_iter().chain(earlier.map(|c| c.step)));
        check.explained(Explanation { near_miss, entries, notes, ..Explanation::default() })
    }

    /// How many patterns are found in order, and in which calls. Each simple command satisfies one step; commands of
    /// parallel calls may interleave.
    fn match_commands(&self, patterns: &[Arc<Found>]) -> (usize, Vec<usize>) {
        let list = &self.all_commands().list;
        let mut done = 0;
        let mut calls = Vec::new();
        let mut at = 0;
        let message = |command: &Command<'_>| self.step(command.step).map(|step| step.message);
        while let Some(pattern) = patterns.get(done) {
            // The next command that has the pattern at all, and with it those that ran in parallel.
            let Some(mut next) = pattern.next(at) else { break };
            let group = list.get(next).and_then(message);
            while next > at && list.get(next - 1).and_then(message) == group {
                next -= 1;
            }
            at = next;
            let size = list.iter().skip(at).take_while(|command| message(command) == group).count().max(1);
            let members = list.get(at..at + size).unwrap_or_default();
            if let [alone] = members {
                let mut from = 0;
                while let Some(found) = patterns.get(done).and_then(|pattern| pattern.next_in(alone, from)) {
                    from = found + 1;
                    done += 1;
                    calls.push(alone.step);
                }
                at += size;
                continue;
            }
            // Each state says, for each member, which simple command comes next, and which members were used.
            let mut states: Vec<(Vec<usize>, Vec<usize>)> = vec![(vec![0; size], Vec::new())];
            while let Some(pattern) = patterns.get(done) {
                let mut next: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
                for (places, used) in &states {
                    for (m, member) in members.iter().enumerate() {
                        let from = places.get(m).copied().unwrap_or(0);
                        if let Some(found) = pattern.next_in(member, from) {
                            let mut places = places.clone();
                            if let Some(place) = places.get_mut(m) {
                                *place = found + 1;
                            }
                            if next.len() < MOST_STATES && !next.iter().any(|(p, _)| *p == places) {
                                let mut used = used.clone();
                                used.push(member.step);
                                next.push((places, used));
                            }
                        }
                    }
                }
                if next.is_empty() {
                    break;
                }
                states = next;
                done += 1;
            }
            if let Some((_, used)) = states.into_iter().next() {
                calls.extend(used);
            }
            at += size;
        }
        (done, calls)
    }
}

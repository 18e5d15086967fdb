//! The shortest part of a session on which something still holds.

use clawgauge_cases::{Case, Checker, Semantics, Trajectory};
use clawgauge_transcript::{Entry, EntryType, Transcript};

/// Bounds of minimising.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinimiseLimits {
    /// Checks made at most, each of which reads what is left of the session; one is always made. Default 500.
    pub checks: usize,
}

impl Default for MinimiseLimits {
    fn default() -> Self {
        Self { checks: 500 }
    }
}

/// What minimising gave.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Minimal {
    /// Positions in [`Transcript::entries`] of the rows that are left, in order; the header among them.
    pub entries: Vec<usize>,
    /// Checks made.
    pub checks: usize,
    /// Whether no single row more can be left out; `false` when the limit came first.
    pub is_minimal: bool,
}

impl Minimal {
    /// The rows that are left as session JSONL, as they were written. Rows continue at the row before them where their
    /// parent was left out, as OpenClaw reads them.
    #[must_use]
    pub fn to_jsonl(&self, transcript: &Transcript<'_>) -> String {
        text_of(transcript, &self.entries)
    }
}

/// Finds the shortest part of a session on which `holds` still says yes, by delta debugging over the rows of the active
/// branch: ever smaller blocks of rows are left out as long as it holds. `None` when it does not hold on the whole.
///
/// Cost: at most [`MinimiseLimits::checks`] times reading what is left.
pub fn minimise(
    transcript: &Transcript<'_>,
    limits: MinimiseLimits,
    mut holds: impl FnMut(&Transcript<'_>) -> bool,
) -> Option<Minimal> {
    let is_header = |index: &usize| {
        transcript.entries().get(*index).is_some_and(|entry| entry.entry_type() == EntryType::Session)
    };
    let header: Vec<usize> = (0..transcript.entries().len()).filter(is_header).take(1).collect();
    let mut checks = 0;
    let mut test = |rows: &[usize]| {
        let all: Vec<usize> = header.iter().chain(rows).copied().collect();
        holds(&Transcript::from_str(&text_of(transcript, &all)))
    };
    let mut rows: Vec<usize> = transcript.tree().path().to_vec();
    checks += 1;
    if !test(&rows) {
        return None;
    }
    let mut block = rows.len().div_ceil(2).max(1);
    let mut is_minimal = rows.is_empty();
    'sizes: while !rows.is_empty() {
        let mut at = 0;
        let mut shorter = false;
        while at < rows.len() {
            if checks >= limits.checks {
                break 'sizes;
            }
            let end = (at + block).min(rows.len());
            let less: Vec<usize> = rows
                .iter()
                .enumerate()
                .filter(|(place, _)| !(at..end).contains(place))
                .map(|(_, row)| *row)
                .collect();
            checks += 1;
            if test(&less) {
                rows = less;
                shorter = true;
            } else {
                at = end;
            }
        }
        if block == 1 && !shorter {
            is_minimal = true;
            break;
        }
        block = if block == 1 { 1 } else { block.div_ceil(2) };
    }
    is_minimal |= rows.is_empty();
    let entries = header.into_iter().chain(rows).collect();
    Some(Minimal { entries, checks, is_minimal })
}

/// The shortest part of a session that still passes all these cases, each checked on the turn that asks for its message.
#[must_use]
pub fn minimise_for_cases(
    transcript: &Transcript<'_>,
    cases: &[Case],
    limits: MinimiseLimits,
) -> Option<Minimal> {
    minimise(transcript, limits, |part| {
        let conversation = part.conversation();
        cases.iter().all(|case| {
            let (trajectory, found) = Trajectory::for_request(&conversation, &case.message);
            found && Checker::new(&trajectory).check(case, Semantics::Clawgauge).passed()
        })
    })
}

fn text_of(transcript: &Transcript<'_>, rows: &[usize]) -> String {
    let mut out = String::new();
    for entry in rows.iter().filter_map(|&row| transcript.entries().get(row)) {
        out.push_str(Entry::raw(entry));
        out.push('\n');
    }
    out
}

//! What the model sees of a session: the stretches between compactions and resets.

use std::ops::Range;

use hashbrown::HashMap;

use crate::entry::{Entry, EntryType};
use crate::raw::RawJson;
use crate::transcript::Transcript;

/// A stretch of the active branch that the model saw as one context: from the beginning, a compaction or a reset up to
/// the next one.
///
/// The rule is OpenClaw's: a compaction or reset row opens a window, in which rows before it are still there from
/// `firstKeptEntryId` on (`firstKeptEntryIndex`, a position in the file, in format 1). Without one, or when it names no
/// row before it on the branch, nothing is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Window<'t> {
    /// The compaction or reset that opened it; `None` for the first.
    pub opened_by: Option<&'t Entry<'t>>,
    /// The rows before it that the model still saw: a range of [`Tree::path`](crate::Tree::path).
    pub kept: Range<usize>,
    /// Its own rows, the one that opened it not among them: a range of [`Tree::path`](crate::Tree::path).
    pub rows: Range<usize>,
}

impl Window<'_> {
    /// The summary that stands for what was left out, when a compaction opened the window.
    #[must_use]
    pub fn summary(&self) -> Option<std::borrow::Cow<'_, str>> {
        self.opened_by?.get("summary")?.text()
    }

    /// How many tokens the context had before and after the compaction, where it says so.
    #[must_use]
    pub fn tokens(&self) -> (Option<i64>, Option<i64>) {
        let count = |key| self.opened_by?.get(key).and_then(RawJson::as_i64);
        (count("tokensBefore"), count("tokensAfter"))
    }
}

/// The windows of a transcript's active branch in order, at least one. `O(n)`.
pub(crate) fn windows<'t>(transcript: &'t Transcript<'t>) -> Vec<Window<'t>> {
    let path = transcript.tree().path();
    let entry = |place: usize| path.get(place).and_then(|&index| transcript.entries().get(index));
    let opens = |entry: &Entry<'_>| matches!(entry.entry_type(), EntryType::Compaction | EntryType::Reset);
    let mut windows = vec![Window { opened_by: None, kept: 0..0, rows: 0..path.len() }];
    let mut places = None;
    for place in 0..path.len() {
        let Some(opener) = entry(place).filter(|entry| opens(entry)) else { continue };
        if let Some(last) = windows.last_mut() {
            last.rows.end = place;
        }
        let places = places.get_or_insert_with(|| Places::of(transcript));
        let kept = places.first_kept(opener).filter(|&kept| kept < place).unwrap_or(place);
        windows.push(Window { opened_by: Some(opener), kept: kept..place, rows: place + 1..path.len() });
    }
    windows
}

/// Where entries stand on the branch.
struct Places<'t> {
    by_id: HashMap<std::borrow::Cow<'t, str>, usize>,
    by_index: HashMap<usize, usize>,
}

impl<'t> Places<'t> {
    fn of(transcript: &'t Transcript<'t>) -> Self {
        let path = transcript.tree().path().iter().copied().enumerate();
        let id = |index: usize| transcript.entries().get(index).and_then(Entry::id);
        let by_id = path.clone().filter_map(|(place, index)| Some((id(index)?, place))).collect();
        Self { by_id, by_index: path.map(|(place, index)| (index, place)).collect() }
    }

    fn first_kept(&self, opener: &Entry<'_>) -> Option<usize> {
        if let Some(id) = opener.get("firstKeptEntryId").and_then(RawJson::text) {
            return self.by_id.get(&*id).copied();
        }
        let index = opener.get("firstKeptEntryIndex").and_then(RawJson::as_i64)?;
        self.by_index.get(&usize::try_from(index).ok()?).copied()
    }
}

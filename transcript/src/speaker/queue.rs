//! Messages that had to wait and were handed over together.

use std::ops::Range;

use super::UserOrigin;
use super::envelope::{BlockKind, Envelope};
use super::machine::{self, Known};
use super::peel::{Peeler, begins_envelope};
use super::text::{after, find_line, first_line};

/// The title above several messages, each behind a line of dashes and `Queued #1`.
const COLLECTED: &str = "[Queued messages while agent was busy]";

/// The title above a message that got no answer, which OpenClaw (2026.3 to 2026.6) puts before the next one.
const MERGED: &str = "[Queued user message that arrived while the previous turn was still active]";

/// The messages of a row.
pub(super) struct Queued {
    /// [`UserOrigin::Queued`], or the machine that wrote all of them.
    pub(super) origin: UserOrigin,
    pub(super) parts: Vec<Range<usize>>,
    pub(super) envelope: Envelope,
}

/// Splits what `peeler` has left into queued messages and peels each.
pub(super) fn split(peeler: &Peeler<'_>, known: Known) -> Option<Queued> {
    let text = peeler.rest();
    let base = peeler.range().start;
    let items = match first_line(text).0.trim_end() {
        COLLECTED => collected(text),
        MERGED => merged(text),
        _ => return None,
    };
    let mut envelope = Envelope::default();
    let mut persons = Vec::new();
    let mut machines = Vec::new();
    for Item { mark, body } in items {
        let mut item = Peeler::new(text, body, None);
        // The mark is recorded first: an item is never alone in its row.
        item.envelope.record(BlockKind::QueueMark, mark);
        item.trim();
        let mut machine = machine::settle(&mut item, known);
        while take_title(&mut item) {
            machine = machine.or(machine::settle(&mut item, known));
        }
        let range = item.range();
        for block in &mut item.envelope.blocks {
            block.range = base + block.range.start..base + block.range.end;
        }
        if !range.is_empty() {
            let range = base + range.start..base + range.end;
            match machine {
                None => persons.push(range),
                Some(origin) => machines.push((origin, range)),
            }
        }
        envelope.merge(item.envelope);
    }
    // What a machine queued beside a person is not the person's.
    match machines.first() {
        Some((origin, _)) if persons.is_empty() => {
            let origin = *origin;
            Some(Queued { origin, parts: machines.into_iter().map(|(_, range)| range).collect(), envelope })
        }
        _ => {
            for (_, range) in machines {
                envelope.record(BlockKind::TaskWrapper, range);
            }
            Some(Queued { origin: UserOrigin::Queued, parts: persons, envelope })
        }
    }
}

/// One message: the lines that mark it, and its text.
struct Item {
    mark: Range<usize>,
    body: Range<usize>,
}

fn collected(text: &str) -> Vec<Item> {
    let mut marks: Vec<Range<usize>> = Vec::new();
    let mut from = first_line(text).1;
    while let Some((at, past)) = find_line(after(text, from), "---") {
        let (mark, more) = first_line(after(text, from + past));
        if mark.starts_with("Queued #") {
            marks.push(from + at..from + past + more);
        }
        from += past;
    }
    // The title goes with the first mark, and alone where there is none.
    match marks.first_mut() {
        Some(first) => first.start = 0,
        None => marks.push(0..text.len()),
    }
    items(text, marks)
}

/// The messages begin where an envelope does. Without envelopes their border cannot be seen, and all is one text.
fn merged(text: &str) -> Vec<Item> {
    let title = first_line(text).1;
    let mut marks: Vec<_> = std::iter::once(0..title).collect();
    let mut from = skip_envelope(text, title);
    while let Some(found) = after(text, from).find("\n\n") {
        let at = from + found + 2;
        if begins_envelope(after(text, at)) || first_line(after(text, at)).0 == MERGED {
            marks.push(at..at);
            from = skip_envelope(text, at);
        } else {
            from = at;
        }
    }
    items(text, marks)
}

/// Where the words behind the envelope at `at` begin.
fn skip_envelope(text: &str, at: usize) -> usize {
    let mut head = Peeler::new(text, at..text.len(), None);
    head.peel_heads();
    head.range().start.max(at)
}

fn items(text: &str, marks: Vec<Range<usize>>) -> Vec<Item> {
    let mut ends: Vec<usize> = marks.iter().skip(1).map(|mark| mark.start).collect();
    ends.push(text.len());
    marks.into_iter().zip(ends).map(|(mark, end)| Item { body: mark.end..end.max(mark.end), mark }).collect()
}

/// An item that waited twice carries the title of its first queue; the marks of its items were found with the others.
fn take_title(item: &mut Peeler<'_>) -> bool {
    let (line, skip) = first_line(item.rest());
    let titled = matches!(line.trim_end(), COLLECTED | MERGED) && !item.is_spent();
    if titled {
        item.take_head(skip, BlockKind::QueueMark);
    }
    titled
}

//! Reviewing records: a state machine without input or output of its own.

use std::collections::{BTreeMap, VecDeque};

use clawgauge_cases::Json;
use clawgauge_transcript::{Timestamp, one_line};

use crate::cases::to_cases;
use crate::error::{Error, ErrorKind};
use crate::file::RecordFile;
use crate::json;
use crate::record::{Record, ReviewState};

/// What the reviewer does.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Decision {
    /// `a`
    Approve,
    /// `r`
    Reject,
    /// `s`: leave it for another time.
    Skip,
    /// `b`: back to the record before, its decision undone.
    Back,
    /// `q`, or the end of input.
    Quit,
    /// `e`: replaces the record by an edited one. It stays in front of the reviewer.
    Edit(Box<Record>),
    /// Writes a note on the record. It stays in front of the reviewer.
    Note(String),
}

/// A key of the reviewer, before an editor was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Key {
    /// `a`
    Approve,
    /// `r`
    Reject,
    /// `s`
    Skip,
    /// `b`
    Back,
    /// `e`
    Edit,
    /// `q`
    Quit,
}

impl Key {
    /// The key that a line of input means: `a`, `r`, `s`, `b`, `e`, `q` (case and white space around do not matter).
    /// `None` asks again.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        match line.trim().to_ascii_lowercase().as_str() {
            "a" => Some(Self::Approve),
            "r" => Some(Self::Reject),
            "s" => Some(Self::Skip),
            "b" => Some(Self::Back),
            "e" => Some(Self::Edit),
            "q" => Some(Self::Quit),
            _ => None,
        }
    }
}

/// What the caller has to do after a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// The file changed: save it atomically before going on. Then show what is next.
    Save,
    /// Nothing changed: show what is next.
    Show,
    /// The review is over, nothing is unsaved.
    Done,
    /// There is nothing before this record.
    AtStart,
    /// The edited record cannot take the place of this one; nothing changed. [`Review::refusal`] says why.
    Refused,
}

/// Decisions of this review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// Records approved.
    pub approved: usize,
    /// Records rejected.
    pub rejected: usize,
    /// Records skipped.
    pub skipped: usize,
}

/// A review of a file: the records that wait, one after another.
///
/// ```
/// use clawgauge_golden::{Decision, RecordFile, Review, Step};
/// use clawgauge_transcript::Timestamp;
///
/// let file = RecordFile::parse(concat!(r#"{"id":"a","conversation":[]}"#, "\n", r#"{"id":"b","conversation":[]}"#));
/// let mut review = Review::new(file, Some("ada".to_owned()));
/// let now = Timestamp::parse("2026-05-04T09:00:00Z").unwrap();
/// assert_eq!(review.current().unwrap().id(), Some("a"));
/// assert_eq!(review.decide(Decision::Approve, now), Step::Save);
/// assert_eq!(review.decide(Decision::Skip, now), Step::Show);
/// assert!(review.is_done());
/// assert!(review.file().to_jsonl().starts_with(r#"{"id": "a", "conversation": [], "reviewed": true, "approved": true"#));
/// ```
#[derive(Debug, Clone)]
pub struct Review {
    file: RecordFile,
    reviewer: Option<String>,
    /// Places of the records to review, among the file's records.
    queue: Vec<usize>,
    at: usize,
    /// What each place of the queue was before its decision.
    history: Vec<(Record, Option<bool>)>,
    quit: bool,
    refusal: Option<Error>,
}

impl Review {
    /// Begins a review of all records that wait.
    #[must_use]
    pub fn new(file: RecordFile, reviewer: Option<String>) -> Self {
        let waiting = file.records().enumerate();
        let queue = waiting
            .filter(|(_, record)| record.review_state() == ReviewState::Waiting)
            .map(|(at, _)| at)
            .collect();
        Self { file, reviewer, queue, at: 0, history: Vec::new(), quit: false, refusal: None }
    }

    /// The file as it stands now.
    #[must_use]
    pub const fn file(&self) -> &RecordFile {
        &self.file
    }

    /// The number of the current record, from 1, and how many records this review is about. Past the last record the first
    /// is one more than the second.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.at + 1, self.queue.len())
    }

    /// The record in front of the reviewer.
    #[must_use]
    pub fn current(&self) -> Option<&Record> {
        if self.quit {
            return None;
        }
        let place = *self.queue.get(self.at)?;
        self.file.records().nth(place)
    }

    /// Whether there is nothing more to decide.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.current().is_none()
    }

    /// The decisions so far.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for (_, decision) in &self.history {
            match decision {
                Some(true) => tally.approved += 1,
                Some(false) => tally.rejected += 1,
                None => tally.skipped += 1,
            }
        }
        tally
    }

    /// Why the last decision, an edit, was refused: another id, no conversation, or something that a suite cannot load, such as
    /// an unknown kind of assertion. `None` after any other decision.
    #[must_use]
    pub const fn refusal(&self) -> Option<&Error> {
        self.refusal.as_ref()
    }

    /// Takes a decision on the current record at the time `now`, which is written beside it as `reviewedAt` (RFC 3339).
    /// [`Decision::Back`] takes the last decision back; what was edited or noted stays. [`Decision::Edit`] is refused if the
    /// record could not be loaded as a case ([`to_cases`]) afterwards and could before. O(size of the file) at most.
    pub fn decide(&mut self, decision: Decision, now: Timestamp) -> Step {
        self.refusal = None;
        if decision == Decision::Back {
            return self.back();
        }
        let Some(current) = self.current().cloned() else { return Step::Done };
        match decision {
            Decision::Quit => {
                self.quit = true;
                Step::Done
            }
            Decision::Skip => {
                self.history.push((current, None));
                self.at += 1;
                Step::Show
            }
            Decision::Approve | Decision::Reject => {
                let approved = decision == Decision::Approve;
                let mut changed = current.clone();
                changed.set("reviewed", true.into());
                changed.set("approved", approved.into());
                let time = Json::String(now.to_string());
                // openclaw-edd writes the time under this name; one that is there must not grow stale.
                if changed.json().get("reviewed_at").is_some() {
                    changed.set("reviewed_at", time.clone());
                }
                changed.set("reviewedAt", time);
                if let Some(reviewer) = &self.reviewer {
                    changed.set("reviewer", reviewer.as_str().into());
                }
                self.put(changed);
                self.history.push((current, Some(approved)));
                self.at += 1;
                Step::Save
            }
            Decision::Edit(edited) => {
                if let Err(why) = may_replace(&current, &edited) {
                    self.refusal = Some(why);
                    return Step::Refused;
                }
                let mut edited = *edited;
                if edited.json().get("contentHash").is_some() {
                    edited.refresh_hash();
                }
                self.put(edited);
                Step::Save
            }
            Decision::Note(note) => {
                let mut changed = current;
                changed.set_note(&note);
                self.put(changed);
                Step::Save
            }
            Decision::Back => Step::Show,
        }
    }

    fn back(&mut self) -> Step {
        let Some((before, decision)) = self.history.pop() else { return Step::AtStart };
        self.quit = false;
        self.at = self.at.saturating_sub(1);
        if decision.is_none() {
            return Step::Show;
        }
        self.put(before);
        Step::Save
    }

    fn put(&mut self, record: Record) {
        let place = self.queue.get(self.at).copied();
        if let Some(slot) = place.and_then(|place| self.file.records_mut().nth(place)) {
            *slot = record;
        }
    }

    /// What a reviewer reads of a record: every turn with its tools, answer and assertions, and why each was made.
    #[must_use]
    pub fn describe(record: &Record) -> String {
        let mut out = String::new();
        let several = record.turns().count() > 1;
        for turn in record.turns() {
            if several {
                out.push_str(&format!(
                    "  Turn    : {}\n",
                    turn.number().unwrap_or(turn.position() as u64 + 1)
                ));
            }
            let tools: Vec<&str> = turn.calls().map(|call| call.name()).collect();
            let tools = if tools.is_empty() { "(none)".to_owned() } else { tools.join(", ") };
            out.push_str(&format!("  Message : {}\n", line(turn.user().unwrap_or_default(), 400)));
            out.push_str(&format!("  Tools   : {tools}\n"));
            out.push_str(&format!("  Output  : {}\n", line(turn.golden_output().unwrap_or_default(), 400)));
            out.push_str(&format!("  Asserts : {}\n", turn.assertions().count()));
            for assertion in turn.assertions() {
                out.push_str(&format!("    - {}\n", line(&assertion_text(assertion), 400)));
            }
        }
        if out.is_empty() {
            let message = record.json().get("message").and_then(Json::as_str).unwrap_or("(no conversation)");
            out.push_str(&format!("  Message : {}\n", line(message, 400)));
        }
        out
    }
}

/// Whether an edited record may take the place of the one it was made of. A problem that both have is no reason against it.
fn may_replace(current: &Record, edited: &Record) -> Result<(), Error> {
    let fault = |message: &str| Err(Error::new(ErrorKind::Record, message));
    if edited.id() != current.id() {
        return fault("the id must stay as it is");
    }
    if edited.json().get("conversation").and_then(Json::as_array).is_none() {
        return fault("there must be a `conversation`, a list of turns");
    }
    let Err(why) = to_cases([edited]) else { return Ok(()) };
    match to_cases([current]) {
        Err(before) if before.to_string() == why.to_string() => Ok(()),
        _ => Err(why),
    }
}

/// An assertion in a line: what it asks for, and why.
fn assertion_text(assertion: &Json) -> String {
    let field = |key: &str| assertion.get(key).map(json::plain).unwrap_or_default();
    let what = match field("type").as_str() {
        "tool_args" => format!("tool_args {} {}", field("tool"), field("args")),
        kind => format!("{kind} {}", field("value")),
    };
    match assertion.get("why") {
        Some(why) => format!("{what}  ({})", json::plain(why)),
        None => what,
    }
}

/// A text on one line, at most `chars` characters.
fn line(text: &str, chars: usize) -> String {
    let clean = one_line(text);
    let mut out: String = clean.chars().take(chars + 1).collect();
    if out.chars().count() > chars {
        out = json::cut(&out, chars).to_owned();
        out.push('…');
    }
    out
}

/// Two reviewers who disagree on a record.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Conflict {
    /// The record's id.
    pub id: String,
    /// What the first file holds.
    pub ours: Record,
    /// What the second file holds.
    pub theirs: Record,
    /// What differs: `decision`, `content`.
    pub about: &'static str,
}

/// Merges the files of two reviewers: where one decided, that decision; where both decided the same, the first's. Where
/// they disagree, the record is there as the first has it, without a decision, so that it is asked again, and the
/// conflict is shown. Records that one file lacks are added. O(n log n).
#[must_use]
pub fn merge_reviews(ours: &RecordFile, theirs: &RecordFile) -> (RecordFile, Vec<Conflict>) {
    // Records of one id are paired in order; what is left of them is new.
    let mut others: BTreeMap<String, VecDeque<(usize, &Record)>> = BTreeMap::new();
    for (at, record) in theirs.records().enumerate() {
        others.entry(key_of(record)).or_default().push_back((at, record));
    }
    let mut merged = ours.clone();
    let mut conflicts = Vec::new();
    for record in merged.records_mut() {
        let Some((_, other)) = others.get_mut(&key_of(record)).and_then(VecDeque::pop_front) else {
            continue;
        };
        let (mine, yours) = (record.review_state(), other.review_state());
        let same_content = content(record) == content(other);
        let about = if mine != yours && mine != ReviewState::Waiting && yours != ReviewState::Waiting {
            "decision"
        } else if !same_content {
            "content"
        } else {
            if mine == ReviewState::Waiting && yours != ReviewState::Waiting {
                *record = other.clone();
            }
            continue;
        };
        conflicts.push(Conflict {
            id: record.id().unwrap_or_default().to_owned(),
            ours: record.clone(),
            theirs: other.clone(),
            about,
        });
        let mut open = record.json().clone();
        for field in ["reviewed", "approved", "reviewedAt", "reviewed_at", "reviewer"] {
            json::remove(&mut open, field);
        }
        *record = Record::from_json(open);
    }
    let mut rest: Vec<(usize, &Record)> = others.into_values().flatten().collect();
    rest.sort_unstable_by_key(|(at, _)| *at);
    merged.append(rest.into_iter().map(|(_, record)| record.clone()));
    (merged, conflicts)
}

fn key_of(record: &Record) -> String {
    record.id().map_or_else(|| record.content_hash(), str::to_owned)
}

/// What of a record is not its review.
fn content(record: &Record) -> Json {
    let mut json = record.json().clone();
    for field in ["reviewed", "approved", "reviewedAt", "reviewed_at", "reviewer", "note"] {
        json::remove(&mut json, field);
    }
    json
}

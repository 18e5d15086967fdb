//! One golden record.

use std::fmt;

use clawgauge_cases::Json;
use sha2::{Digest, Sha256};

use crate::error::{Error, ErrorKind};
use crate::json;

/// Version of the fields that this crate adds to openclaw-edd's record.
pub const SCHEMA_VERSION: u64 = 1;

/// A golden record: openclaw-edd's object, and whatever else its file holds.
///
/// A record is its JSON object. Known fields are read and changed by methods; unknown ones stay where they are. A
/// record that nothing changed is written back byte for byte.
///
/// ```
/// use clawgauge_golden::Record;
///
/// let line = r#"{"id": "50a359b5_1", "team": "sre", "conversation": [{"turn": 1, "user": "Any slow queries?"}]}"#;
/// let mut record = Record::parse(line)?;
/// assert_eq!(record.id(), Some("50a359b5_1"));
/// assert_eq!(record.to_line(), line);
/// record.set_note("checked by hand");
/// assert!(record.to_line().contains(r#""team": "sre""#));
/// # Ok::<(), clawgauge_golden::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Record {
    json: Json,
    /// The line as it was read, until something changes.
    line: Option<String>,
}

/// Where a record stands in its review: what openclaw-edd's flags `reviewed` and `approved` say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReviewState {
    /// Nobody decided yet.
    Waiting,
    /// A person said yes.
    Approved,
    /// A person said no.
    Rejected,
}

/// One turn of a record's conversation, an item of its list `conversation`. Copying it is cheap.
#[derive(Debug, Clone, Copy)]
pub struct RecordTurn<'r> {
    json: &'r Json,
    position: usize,
}

/// A tool call of a golden sequence, an item of a turn's list `golden_tool_sequence`. Copying it is cheap.
#[derive(Debug, Clone, Copy)]
pub struct GoldenCall<'r> {
    json: &'r Json,
    position: usize,
}

impl Record {
    /// Reads one line; white space at its ends is dropped. JSON over several lines, as an editor lays it out, is read,
    /// too, and becomes one line. O(n).
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] when the text is not one JSON object.
    pub fn parse(line: &str) -> Result<Self, Error> {
        let text = line.trim();
        let json: Json = serde_json::from_str(text).map_err(|error| {
            let full = error.to_string();
            let said = full.split(" at line ").next().unwrap_or_default();
            let line = if error.line() > 1 { format!("line {}, ", error.line()) } else { String::new() };
            Error::new(ErrorKind::Syntax, format!("not JSON at {line}column {}: {said}", error.column()))
        })?;
        if json.as_object().is_none() {
            return Err(Error::new(ErrorKind::Syntax, "a record must be a JSON object"));
        }
        // A file has a line for each record: what an editor laid out over several is written anew.
        let line = (!text.contains(['\n', '\r'])).then(|| text.to_owned());
        Ok(Self { json, line })
    }

    pub(crate) fn from_json(json: Json) -> Self {
        Self { json, line: None }
    }

    /// The object.
    #[must_use]
    pub const fn json(&self) -> &Json {
        &self.json
    }

    /// The record on one line, without the line end. O(n).
    #[must_use]
    pub fn to_line(&self) -> String {
        self.line.clone().unwrap_or_else(|| self.json.compact())
    }

    /// Sets a field, known or not: one that is there keeps its place, a new one comes last. An equal value changes
    /// nothing, and the record is still written as it was read.
    pub fn set(&mut self, key: &str, value: Json) {
        if self.json.get(key) != Some(&value) {
            self.json.set(key, value);
            self.line = None;
        }
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.json.get(key)?.as_str()
    }

    /// `id`; `None` where it is missing or no text.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.text("id")
    }

    /// `description`.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.text("description")
    }

    /// `note` of the reviewer.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.text("note")
    }

    /// Sets `note`.
    pub fn set_note(&mut self, note: &str) {
        self.set("note", note.into());
    }

    /// `reviewer`.
    #[must_use]
    pub fn reviewer(&self) -> Option<&str> {
        self.text("reviewer")
    }

    /// The turns of `conversation`, in order; none where it is missing or no list.
    pub fn turns(&self) -> impl Iterator<Item = RecordTurn<'_>> {
        let turns = self.json.get("conversation").and_then(Json::as_array).unwrap_or_default();
        turns.iter().enumerate().map(|(position, json)| RecordTurn { json, position })
    }

    /// A value of `metadata`.
    #[must_use]
    pub fn metadata(&self, key: &str) -> Option<&Json> {
        self.json.get("metadata")?.get(key)
    }

    /// `metadata.session_id`.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.metadata("session_id")?.as_str()
    }

    /// `metadata.skill_triggered`.
    #[must_use]
    pub fn skill_triggered(&self) -> Option<&str> {
        self.metadata("skill_triggered")?.as_str()
    }

    /// Sets a value of `metadata`, which is made an object where it is none. O(size of `metadata`).
    pub fn set_metadata(&mut self, key: &str, value: Json) {
        if self.metadata(key) == Some(&value) {
            return;
        }
        let mut metadata = match self.json.get("metadata") {
            Some(object @ Json::Object(_)) => object.clone(),
            _ => Json::Object(Vec::new()),
        };
        metadata.set(key, value);
        self.set("metadata", metadata);
    }

    /// What the reviewer decided. As in openclaw-edd a record that is approved and not reviewed still waits.
    #[must_use]
    pub fn review_state(&self) -> ReviewState {
        let is = |key| self.json.get(key).and_then(Json::as_bool) == Some(true);
        match (is("reviewed"), is("approved")) {
            (false, _) => ReviewState::Waiting,
            (true, true) => ReviewState::Approved,
            (true, false) => ReviewState::Rejected,
        }
    }

    /// The stored `contentHash` as it is, even where the content was edited since; of a record without one, what
    /// [`compute_hash`](Self::compute_hash) gives.
    #[must_use]
    pub fn content_hash(&self) -> String {
        self.text("contentHash").map_or_else(|| self.compute_hash(), str::to_owned)
    }

    /// SHA-256, as 32 hexadecimal digits, of what makes two records the same: of each turn the request (case, white
    /// space and marks at its ends aside) and the shape of its tool calls (names in order; calls that ran in parallel
    /// have none among themselves). Arguments, answers and assertions are not in it: mining the same request again, with
    /// the same tools, finds the record known. O(n).
    #[must_use]
    pub fn compute_hash(&self) -> String {
        let mut hasher = Sha256::new();
        for turn in self.turns() {
            hasher.update(normal_request(turn.user().unwrap_or_default()));
            hasher.update([0]);
            for group in turn.call_groups() {
                let mut names: Vec<&str> = group.iter().map(GoldenCall::name).collect();
                names.sort_unstable();
                for name in names {
                    hasher.update(name);
                    hasher.update([1]);
                }
                hasher.update([2]);
            }
            hasher.update([3]);
        }
        hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Sets `contentHash` to what the record holds now.
    pub fn refresh_hash(&mut self) {
        let hash = self.compute_hash();
        self.set("contentHash", hash.into());
    }

    /// Sets the answer of a turn, by its position.
    pub(crate) fn set_turn_field(&mut self, position: usize, key: &str, value: Json) {
        let turns = json::get_mut(&mut self.json, "conversation");
        if let Some(Json::Array(turns)) = turns
            && let Some(turn) = turns.get_mut(position)
            && turn.get(key) != Some(&value)
        {
            turn.set(key, value);
            self.line = None;
        }
    }
}

impl fmt::Debug for Record {
    /// Shows what identifies a record, not what people said in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("id", &self.id())
            .field("turns", &self.turns().count())
            .field("review", &self.review_state())
            .finish_non_exhaustive()
    }
}

impl<'r> RecordTurn<'r> {
    /// The object.
    #[must_use]
    pub const fn json(&self) -> &'r Json {
        self.json
    }

    /// Its place in the record, from 0.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.position
    }

    /// `turn`: its number among the turns of its session, from 1.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        self.json.get("turn")?.to_value().as_u64()
    }

    /// What the person asked.
    #[must_use]
    pub fn user(&self) -> Option<&'r str> {
        self.json.get("user")?.as_str()
    }

    /// The answer.
    #[must_use]
    pub fn golden_output(&self) -> Option<&'r str> {
        self.json.get("golden_output")?.as_str()
    }

    /// The tool calls, in order; none where `golden_tool_sequence` is missing or no list.
    pub fn calls(&self) -> impl Iterator<Item = GoldenCall<'r>> + use<'r> {
        let calls = self.json.get("golden_tool_sequence").and_then(Json::as_array).unwrap_or_default();
        calls.iter().enumerate().map(|(position, json)| GoldenCall { json, position })
    }

    /// The tool calls by the message that made them, in order: neighbours with the same [`step`](GoldenCall::step) are one
    /// group, a call without one is a group of its own. O(calls).
    #[must_use]
    pub fn call_groups(&self) -> Vec<Vec<GoldenCall<'r>>> {
        let mut groups: Vec<Vec<GoldenCall<'r>>> = Vec::new();
        for call in self.calls() {
            match groups.last_mut() {
                Some(group)
                    if call.step().is_some() && group.first().and_then(GoldenCall::step) == call.step() =>
                {
                    group.push(call);
                }
                _ => groups.push(vec![call]),
            }
        }
        groups
    }

    /// The items of `assert`, each an object with `type` (`tool_called`, `tool_order`, `contains`, ...), as it is written.
    pub fn assertions(&self) -> impl Iterator<Item = &'r Json> + use<'r> {
        self.json.get("assert").and_then(Json::as_array).unwrap_or_default().iter()
    }
}

impl<'r> GoldenCall<'r> {
    /// Its place in the turn, from 0.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.position
    }

    /// The tool, as the session names it; empty where it is not told.
    #[must_use]
    pub fn name(&self) -> &'r str {
        self.json.get("name").and_then(Json::as_str).unwrap_or_default()
    }

    /// The arguments.
    #[must_use]
    pub fn args(&self) -> Option<&'r Json> {
        self.json.get("args")
    }

    /// The beginning of the result: mining keeps 200 characters.
    #[must_use]
    pub fn output_summary(&self) -> Option<&'r str> {
        self.json.get("output_summary")?.as_str()
    }

    /// How it ended, where it did not simply succeed: `failed`, `non_zero_exit`, ...
    #[must_use]
    pub fn outcome(&self) -> Option<&'r str> {
        self.json.get("outcome")?.as_str()
    }

    /// Which message of the turn made the call, from 0: written for turns in which calls ran in parallel.
    #[must_use]
    pub fn step(&self) -> Option<u64> {
        self.json.get("step")?.to_value().as_u64()
    }
}

/// A request as it is compared: case folded, white space squeezed, marks at the ends gone.
pub(crate) fn normal_request(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let joined = words.join(" ").to_lowercase();
    let bare = joined.trim_matches(|c: char| matches!(c, '.' | '!' | '?' | '…' | '。' | '？' | '！' | ' '));
    if bare.is_empty() { joined } else { bare.to_owned() }
}

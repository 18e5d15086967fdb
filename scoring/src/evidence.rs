//! What a score rests on.

use std::ops::Range;

/// Where in a session something stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The entry with this id.
    Entry(Box<str>),
    /// The message at this position, counted from 0: hook payloads and version 1 files have no ids.
    Message(usize),
}

/// One finding behind a score. It holds offsets, not text: a quote is cut from the session on demand and passes the redactor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The rule that found it, such as `autonomy.correction`.
    pub rule: Box<str>,
    /// The entry or message it stands in.
    pub place: Place,
    /// The content block of that message, counted from 0 (plain string content is block 0). `None`: the message as a whole.
    pub block: Option<usize>,
    /// The bytes meant, in the decoded UTF-8 text of the block. `None`: the whole block.
    pub bytes: Option<Range<usize>>,
    /// Why it counts, in a few words and without quoting the session.
    pub reason: Box<str>,
}

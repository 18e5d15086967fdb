//! Sessions of other runtimes, read into the same model.

mod builder;
mod claude_code;
mod log_sessions;
mod openai_chat;
mod trajectory_sessions;

pub use claude_code::ClaudeCode;
pub use log_sessions::GatewayLog;
pub use openai_chat::OpenAiChat;
pub use trajectory_sessions::TrajectoryFile;

use crate::limits::Limits;
use crate::transcript::Transcript;

/// A reader of another form of stored conversation.
///
/// The seam for whatever is not OpenClaw's own session form: implement it, and everything that works on a
/// [`Transcript`] works on that form. An importer gives rows of OpenClaw's shape:
///
/// - a `session` row first, with the session's id, its folder and its time where they are known;
/// - `message` rows with the roles `user`, `assistant` and `toolResult`; calls as `toolCall` blocks, results with the
///   call's id. What one model answer was is one `assistant` row, however many lines it had;
/// - usage as the provider wrote it; [`Usage`](crate::Usage) knows the common shapes. One answer's usage once;
/// - a `custom` row for anything that is no message: nothing is dropped. The original stands in the row's `source`;
/// - a child's conversation as a session of its own, whose header names its parent in `parentSession`.
///
/// Lines and byte offsets of entries and of the report are those of the input.
pub trait Importer {
    /// A stable name, for example `claude_code`.
    fn name(&self) -> &'static str;

    /// Whether this form is what the input begins with. Looks at the first rows only.
    fn recognises(&self, head: &[u8]) -> bool;

    /// Reads the sessions of one input, parents before children. Never fails: what cannot be read is in the report of
    /// the first session; an input without any session gives an empty list.
    fn sessions(&self, bytes: &[u8], limits: Limits) -> Vec<Transcript<'static>>;
}

/// The importers of this crate.
#[must_use]
pub fn importers() -> [&'static dyn Importer; 4] {
    [&ClaudeCode, &TrajectoryFile, &GatewayLog, &OpenAiChat]
}

/// Reads sessions of any form this crate knows: OpenClaw's own, or the first importer that recognises the input. Never an
/// empty list: where an importer finds no session, the input is read as OpenClaw's, and the report says what is wrong.
///
/// ```
/// use clawgauge_transcript::{Limits, import};
///
/// let chat = br#"[{"role":"user","content":"2+2?"},{"role":"assistant","content":"4"}]"#;
/// let sessions = import(chat, Limits::default());
/// assert_eq!(sessions[0].conversation().turns.len(), 1);
/// ```
#[must_use]
pub fn import(bytes: &[u8], limits: Limits) -> Vec<Transcript<'static>> {
    // At least the whole first row, as far as it can be one.
    let row = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len()).min(limits.line_bytes());
    let head = bytes.get(..bytes.len().min(row.max(64 << 10))).unwrap_or(bytes);
    let importer = importers().into_iter().find(|importer| importer.recognises(head));
    match importer.map(|importer| importer.sessions(bytes, limits)) {
        Some(sessions) if !sessions.is_empty() => sessions,
        _ => vec![Transcript::from_slice_with(bytes, limits).into_owned()],
    }
}

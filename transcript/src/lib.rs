//! What happened in an OpenClaw session? Reads every form in which OpenClaw stores one into a lossless model.
//!
//! - [`Transcript`]: a whole session, every row as it was read ([`Entry`]), how the rows hang together, and a
//!   [`ReadReport`] of what could not be read, with line, byte offset and reason.
//! - [`Conversation`]: what was said and done in it: turns, steps, tool calls with their results and outcomes.
//! - [`LineDecoder`]: the same entries from bytes that arrive in any pieces.
//!
//! ```
//! use clawgauge_transcript::{Outcome, Transcript, TurnEnd};
//!
//! let file = br#"{"type":"session","version":3,"id":"s1","timestamp":"2026-05-04T09:00:00.000Z"}
//! {"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"How many lamps?"}}
//! {"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"exec","arguments":{"command":"ls lamps | wc -l"}}],"stopReason":"toolUse"}}
//! {"type":"message","id":"c","parentId":"b","message":{"role":"toolResult","toolCallId":"c1","toolName":"exec","content":[{"type":"text","text":"7"}],"details":{"status":"completed","exitCode":0},"isError":false}}
//! {"type":"message","id":"d","parentId":"c","message":{"role":"assistant","content":[{"type":"text","text":"Seven."}],"stopReason":"stop"}}
//! "#;
//! let transcript = Transcript::from_slice(file);
//! assert!(transcript.report().is_clean());
//!
//! let conversation = transcript.conversation();
//! let turn = &conversation.turns[0];
//! let call = turn.calls().next().unwrap();
//! assert_eq!((&*call.name, call.outcome, &*call.output()), ("exec", Outcome::Ok, "7"));
//! assert_eq!((turn.end(), turn.final_output().as_deref()), (TurnEnd::Stop, Some("Seven.")));
//! ```
//!
//! What quotes text passes the one [`Redactor`]; [`SessionKey`], [`Usage`], [`ToolTable`] and [`classify_user`] are the one place
//! for what their names say. The core opens no file; `Store` (features `store`, `sqlite`, `zstd`) is the edge that does.

mod conversation;
mod decode;
mod entry;
mod file_name;
mod import;
mod index;
mod limits;
mod log;
mod message;
mod one_line;
mod parse;
mod payload;
mod raw;
mod recover;
mod redact;
mod report;
mod rows;
mod scan;
mod session_key;
mod speaker;
#[cfg(feature = "store")]
mod store;
mod time;
mod tools;
mod trajectory;
mod transcript;
mod tree;
mod usage;
mod window;
#[cfg(feature = "zstd")]
mod zstd;

pub use conversation::{CallRef, Conversation, Outcome, Step, ToolCall, ToolResult, Turn, TurnEnd};
pub use decode::LineDecoder;
pub use entry::{Entry, EntryType, Parent};
pub use file_name::{FileKind, FileName, counted_files};
pub use import::{ClaudeCode, GatewayLog, Importer, OpenAiChat, TrajectoryFile, import, importers};
pub use index::{IndexEntry, SessionIndex};
pub use limits::Limits;
pub use log::{LogLevel, LogLine};
pub use message::{Block, ImageBlock, Message, Role, StopReason, TextBlock, ThinkingBlock, ToolCallBlock};
pub use one_line::one_line;
pub use payload::AgentEnd;
pub use raw::RawJson;
pub use redact::{
    KnownValue, Redaction, RedactionCount, RedactionError, RedactionErrorKind, RedactionLevel,
    RedactionLimits, RedactionPolicy, RedactionReport, RedactionRule, Redactor,
};
pub use report::{Problem, ProblemKind, ReadReport};
pub use rows::{Row, RowDecoder};
pub use session_key::{KeyKind, SessionKey};
pub use speaker::{
    AssistantInput, AssistantOrigin, BlockKind, CronJob, Envelope, EnvelopeBlock, HEARTBEAT_ACK_CHARS,
    NotTyped, QuotedMessage, SilentToken, SpokenReply, TypedLimits, TypedText, UserInput, UserOrigin,
    UserText, classify_assistant, classify_user, is_heartbeat_ack, spoken_reply, typed_text,
};
#[cfg(feature = "sqlite")]
pub use store::{AuditEvent, SubagentRun};
#[cfg(feature = "store")]
pub use store::{
    Coverage, Era, EraCoverage, Fresh, Lineage, Place, Reading, Readings, SessionInfo, SessionKind, Skipped,
    Store, StoreError, StoreErrorKind, Tail, TailRead, Watch,
};
pub use time::Timestamp;
pub use tools::{Effect, ShellCommand, ToolKind, ToolName, ToolTable, exit_code_answers, shell_commands};
pub use trajectory::{TrajectoryEvent, TrajectoryKind};
pub use transcript::Transcript;
pub use tree::Tree;
pub use usage::{Cost, GenAiUsage, LangfuseUsage, OpenAiUsage, OpenInferenceUsage, Usage, UsageTotals};
pub use window::Window;

//! What happened in an OpenClaw session? Reads every form in which OpenClaw stores one into a lossless model.

mod conversation;
mod decode;
mod entry;
mod file_name;
mod import;
mod index;
mod limits;
mod log;
mod message;
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
pub use tools::{Effect, ShellCommand, ToolKind, ToolName, ToolTable, shell_commands};
pub use trajectory::{TrajectoryEvent, TrajectoryKind};
pub use transcript::Transcript;
pub use tree::Tree;
pub use usage::{Cost, GenAiUsage, LangfuseUsage, OpenAiUsage, OpenInferenceUsage, Usage, UsageTotals};
pub use window::Window;

//! What happened in an OpenClaw session? Reads every form in which OpenClaw stores one into a lossless model.

mod conversation;
mod decode;
mod entry;
mod limits;
mod message;
mod parse;
mod raw;
mod recover;
mod report;
mod scan;
mod time;
mod transcript;
mod tree;

pub use conversation::{CallRef, Conversation, Outcome, Step, ToolCall, ToolResult, Turn, TurnEnd};
pub use decode::LineDecoder;
pub use entry::{Entry, EntryType, Parent};
pub use limits::Limits;
pub use message::{Block, ImageBlock, Message, Role, StopReason, TextBlock, ThinkingBlock, ToolCallBlock};
pub use raw::RawJson;
pub use report::{Problem, ProblemKind, ReadReport};
pub use time::Timestamp;
pub use transcript::Transcript;
pub use tree::Tree;

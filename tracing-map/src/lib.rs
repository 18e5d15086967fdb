//! What does a session look like as a trace? Diagnostic events or stored sessions to spans, and spans to OTLP.

mod classify;
mod content;
mod error;
mod evaluation;
mod event;
mod ids;
mod mapper;
mod span;
mod usage;

pub use classify::is_retrieval;
pub use content::{ContentRequest, ContentSource, GenerationContent, RunContent, ToolContent, response};
pub use error::{Error, ErrorKind};
pub use evaluation::{Annotator, Evaluation, langfuse_scores};
pub use event::*;
pub use ids::{RunIds, SpanId, TraceId, portable_id};
pub use mapper::{Config, Counters, Limits, Mapper, Notice, RunOutcome};
pub use span::{ChatMessage, Identity, Level, Link, ModelCall, Part, Span, SpanKind, ToolUse};

#[doc(inline)]
pub use clawgauge_transcript::Usage;

//! What does a session look like as a trace? Diagnostic events or stored sessions to spans, and spans to OTLP.

mod backfill;
mod classify;
mod content;
mod convention;
mod cut;
mod destination;
mod error;
mod evaluation;
mod event;
mod ids;
mod mapper;
mod otlp;
mod retry;
mod span;
mod stored;
mod trajectory;
mod usage;

pub use backfill::{SessionFacts, from_transcript};
pub use classify::is_retrieval;
pub use content::{ContentRequest, ContentSource, GenerationContent, RunContent, ToolContent, response};
pub use convention::{Convention, GenAiVersion, Stamp, environment_name, gen_ai_provider};
pub use cut::cut_text;
pub use destination::Destination;
pub use error::{Error, ErrorKind};
pub use evaluation::{Annotator, Evaluation, langfuse_scores};
pub use event::*;
pub use ids::{RunIds, SpanId, TraceId, portable_id};
pub use mapper::{Config, Counters, Limits, Mapper, Notice, RunOutcome};
pub use otlp::{Answer, AttributeValue, Batcher, EncodeLimits, Format, Hook, Request, read_answer};
pub use retry::{Decision, RetryPolicy, SendResult, retry};
pub use span::{ChatMessage, Identity, Level, Link, ModelCall, Part, Span, SpanKind, ToolUse};
pub use stored::{StoredRun, TranscriptSource, stored_runs};
pub use trajectory::content_from_trajectory;

#[doc(inline)]
pub use clawgauge_transcript::Usage;

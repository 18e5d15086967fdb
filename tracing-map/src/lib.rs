//! What does a session look like as a trace? Diagnostic events or stored sessions to spans, and spans to OTLP.
//!
//! - [`Mapper`] takes [`DiagnosticEvent`]s in whatever order a gateway delivers them and gives finished spans, one trace
//!   a run. It has no clock and no I/O: the caller hands in events and the time.
//! - [`Span`] is neutral. [`Convention`] says what it is called: by Langfuse, by OpenTelemetry GenAI, by OpenInference, or
//!   by several at once. The names are tables.
//! - [`Batcher`] encodes spans as OTLP (JSON or protobuf) in requests of a bounded size; [`retry`] and [`read_answer`] say
//!   what an answer means.
//!
//! [`from_transcript`] makes the same traces from a stored session with no events at all, with the same ids.
//!
//! ```
//! use clawgauge_tracing_map::{Batcher, Config, Convention, DiagnosticEvent, Format, Mapper, Stamp};
//!
//! let events = r#"
//! {"type":"run.started","ts":1796037321000,"runId":"r1","sessionKey":"agent:main:main","sessionId":"s1","channel":"webchat"}
//! {"type":"model.call.started","ts":1796037321100,"runId":"r1","callId":"r1:model:1","provider":"openai","model":"gpt"}
//! {"type":"model.call.completed","ts":1796037322100,"runId":"r1","callId":"r1:model:1","provider":"openai","model":"gpt","durationMs":1000,"usage":{"input":5,"output":7,"cacheRead":1000}}
//! {"type":"run.completed","ts":1796037322200,"runId":"r1","outcome":"completed","durationMs":1200}"#;
//!
//! let mut mapper = Mapper::new(Config::default());
//! for line in events.lines().filter(|line| !line.is_empty()) {
//!     let event = DiagnosticEvent::from_json(line)?;
//!     mapper.handle(&event, event.at_ms().unwrap_or(0));
//! }
//! mapper.finish(1_796_037_322_300);
//!
//! let mut batcher = Batcher::new(Convention::LANGFUSE | Convention::GEN_AI_V1_41, Format::Json, Stamp::new("openclaw"));
//! while let Some(span) = mapper.poll() {
//!     batcher.push(&span)?;
//! }
//! let request = batcher.flush().expect("a run and a generation");
//! let body = String::from_utf8_lossy(&request.body);
//! assert_eq!(request.spans, 2);
//! assert!(body.contains(r#"{"key":"gen_ai.usage.input_tokens","value":{"intValue":"1005"}}"#)); // includes the cache
//! assert!(body.contains(r#"\"input_cached_tokens\":1000"#)); // beside the input
//! # Ok::<(), clawgauge_tracing_map::Error>(())
//! ```
//!
//! # What a trace is
//! One trace is one *run*: the root is the run; its children are contexts, model calls (generations) and tool calls. A
//! gateway starts and completes one run id several times (attempts); that is one trace. Ids are SHA-256 of session, run and
//! part ([`RunIds`]), so exporting again changes nothing. A span leaves once, when it is complete, because backends keep the
//! first write of an id. Nothing is lost in silence: what cannot be sent any more is a [`Notice`] and a count.

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
mod mirror;
mod otlp;
mod reason;
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
pub use mirror::{MirrorOff, MirrorSettings};
pub use otlp::{Answer, Batcher, EncodeLimits, Format, Hook, Request, read_answer};
pub use retry::{Decision, RetryPolicy, SendResult, retry};
pub use span::{ChatMessage, Identity, Level, Link, Metadata, ModelCall, Part, Span, SpanKind, ToolUse};
pub use stored::{StoredRun, TranscriptSource, stored_runs};
pub use trajectory::content_from_trajectory;

#[doc(inline)]
pub use clawgauge_transcript::Usage;

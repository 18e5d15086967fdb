//! The tables: what is said, under which name, on which kinds of span.

use crate::span::SpanKind;

/// Kinds of span, as a set.
#[derive(Clone, Copy)]
pub(super) struct On(u8);

impl On {
    pub(super) const RUN: Self = Self(1);
    pub(super) const CONTEXT: Self = Self(2);
    pub(super) const CALL: Self = Self(4);
    pub(super) const TOOL: Self = Self(8);
    pub(super) const ALL: Self = Self(15);
    /// Kinds that a person or a model speaks in.
    pub(super) const SPOKEN: Self = Self(Self::RUN.0 | Self::CALL.0);
    pub(super) const AGENTIC: Self = Self(Self::RUN.0 | Self::CALL.0 | Self::TOOL.0);

    pub(super) fn has(self, kind: SpanKind) -> bool {
        let bit = match kind {
            SpanKind::Run => Self::RUN,
            SpanKind::Context => Self::CONTEXT,
            SpanKind::Generation => Self::CALL,
            SpanKind::Tool | SpanKind::Retriever => Self::TOOL,
        };
        self.0 & bit.0 != 0
    }
}

/// What a row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Say {
    TraceName,
    Session,
    User,
    UserName,
    Agent,
    Tags,
    Environment,
    Release,
    /// Langfuse's observation type.
    ObservationType,
    /// OpenInference's span kind.
    SpanKindName,
    /// GenAI's operation.
    Operation,
    Level,
    StatusMessage,
    /// The status message of a failure.
    ErrorMessage,
    /// The status message of what is no failure; OTLP's status has no place for it.
    Remark,
    ErrorType,
    Input,
    InputMime,
    Output,
    OutputMime,
    Model,
    Provider,
    GenAiProvider,
    ResponseId,
    FinishReasons,
    FirstByteTime,
    LangfuseUsage,
    LangfuseCost,
    CostTotal,
    GenAiInputTokens,
    GenAiOutputTokens,
    GenAiCacheRead,
    GenAiCacheWrite,
    GenAiReasoning,
    PromptTokens,
    CompletionTokens,
    TotalTokens,
    PromptCacheRead,
    PromptCacheWrite,
    CompletionReasoning,
    InputMessages,
    OutputMessages,
    /// One attribute a message field; the name is the beginning.
    FlatInputMessages,
    FlatOutputMessages,
    ToolName,
    ToolType,
    ToolCallId,
    ToolArguments,
    ToolResult,
    /// One attribute a key; the name is the beginning.
    Metadata,
    /// All keys as one JSON object.
    MetadataJson,
    /// One attribute a field of each score; the name is the beginning.
    Evaluations,
}

/// One row: what, under which name, where.
pub(super) struct Row(pub(super) Say, pub(super) &'static str, pub(super) On);

/// Langfuse, read from its server's ingestion in 2026.
pub(super) const LANGFUSE: &[Row] = &[
    Row(Say::TraceName, "langfuse.trace.name", On::ALL),
    Row(Say::User, "user.id", On::ALL),
    Row(Say::Session, "session.id", On::ALL),
    Row(Say::Tags, "langfuse.trace.tags", On::ALL),
    Row(Say::UserName, "langfuse.trace.metadata.user_name", On::ALL),
    Row(Say::Environment, "langfuse.environment", On::ALL),
    Row(Say::Release, "langfuse.release", On::ALL),
    Row(Say::ObservationType, "langfuse.observation.type", On::ALL),
    Row(Say::Level, "langfuse.observation.level", On::ALL),
    Row(Say::StatusMessage, "langfuse.observation.status_message", On::ALL),
    Row(Say::Input, "langfuse.trace.input", On::RUN),
    Row(Say::Output, "langfuse.trace.output", On::RUN),
    Row(Say::Input, "langfuse.observation.input", On::ALL),
    Row(Say::Output, "langfuse.observation.output", On::ALL),
    Row(Say::Model, "langfuse.observation.model.name", On::CALL),
    Row(Say::LangfuseUsage, "langfuse.observation.usage_details", On::CALL),
    Row(Say::LangfuseCost, "langfuse.observation.cost_details", On::CALL),
    Row(Say::FirstByteTime, "langfuse.observation.completion_start_time", On::CALL),
    Row(Say::Metadata, "langfuse.observation.metadata.", On::ALL),
];

/// OpenTelemetry GenAI: what both versions share.
pub(super) const GEN_AI: &[Row] = &[
    Row(Say::Operation, "gen_ai.operation.name", On::AGENTIC),
    Row(Say::GenAiProvider, "gen_ai.provider.name", On::CALL),
    Row(Say::Session, "gen_ai.conversation.id", On::AGENTIC),
    Row(Say::Agent, "gen_ai.agent.name", On::AGENTIC),
    Row(Say::Model, "gen_ai.request.model", On::CALL),
    Row(Say::Model, "gen_ai.response.model", On::CALL),
    Row(Say::ResponseId, "gen_ai.response.id", On::CALL),
    Row(Say::FinishReasons, "gen_ai.response.finish_reasons", On::CALL),
    Row(Say::GenAiInputTokens, "gen_ai.usage.input_tokens", On::CALL),
    Row(Say::GenAiOutputTokens, "gen_ai.usage.output_tokens", On::CALL),
    Row(Say::GenAiCacheRead, "gen_ai.usage.cache_read.input_tokens", On::CALL),
    Row(Say::GenAiReasoning, "gen_ai.usage.reasoning.output_tokens", On::CALL),
    Row(Say::InputMessages, "gen_ai.input.messages", On::SPOKEN),
    Row(Say::OutputMessages, "gen_ai.output.messages", On::SPOKEN),
    Row(Say::ToolName, "gen_ai.tool.name", On::TOOL),
    Row(Say::ToolType, "gen_ai.tool.type", On::TOOL),
    Row(Say::ToolCallId, "gen_ai.tool.call.id", On::TOOL),
    Row(Say::ToolArguments, "gen_ai.tool.call.arguments", On::TOOL),
    Row(Say::ToolResult, "gen_ai.tool.call.result", On::TOOL),
    Row(Say::ErrorType, "error.type", On::AGENTIC),
    Row(Say::User, "user.id", On::ALL),
    Row(Say::Session, "session.id", On::ALL),
    Row(Say::Environment, "deployment.environment.name", On::ALL),
];

/// Only in 1.41: the agent's id, the provider on the agent span, and the older name of cache writes.
pub(super) const GEN_AI_V1_41: &[Row] = &[
    Row(Say::Agent, "gen_ai.agent.id", On::AGENTIC),
    Row(Say::GenAiProvider, "gen_ai.provider.name", On::RUN),
    Row(Say::GenAiCacheWrite, "gen_ai.usage.cache_creation.input_tokens", On::CALL),
];

/// Only after 1.41.
pub(super) const GEN_AI_NEXT: &[Row] =
    &[Row(Say::GenAiCacheWrite, "gen_ai.usage.cache_write.input_tokens", On::CALL)];

/// What OpenTelemetry GenAI has no names for. Said under names of our own where no other set of names says it, so that a
/// run that was cut off, its cost and its channel show in any backend.
pub(super) const GEN_AI_ALONE: &[Row] = &[
    Row(Say::Level, "openclaw.level", On::ALL),
    Row(Say::Remark, "openclaw.status_message", On::ALL),
    Row(Say::Tags, "openclaw.tags", On::ALL),
    Row(Say::UserName, "openclaw.user_name", On::ALL),
    Row(Say::Release, "openclaw.release", On::ALL),
    Row(Say::Input, "openclaw.input", On::CONTEXT),
    Row(Say::Output, "openclaw.output", On::CONTEXT),
    Row(Say::CostTotal, "openclaw.cost_usd", On::CALL),
    Row(Say::Metadata, "openclaw.metadata.", On::ALL),
];

/// OpenInference.
pub(super) const OPENINFERENCE: &[Row] = &[
    Row(Say::SpanKindName, "openinference.span.kind", On::ALL),
    Row(Say::Session, "session.id", On::ALL),
    Row(Say::User, "user.id", On::ALL),
    Row(Say::Tags, "tag.tags", On::ALL),
    Row(Say::MetadataJson, "metadata", On::ALL),
    Row(Say::Input, "input.value", On::ALL),
    Row(Say::InputMime, "input.mime_type", On::ALL),
    Row(Say::Output, "output.value", On::ALL),
    Row(Say::OutputMime, "output.mime_type", On::ALL),
    Row(Say::Agent, "agent.name", On::RUN),
    Row(Say::Model, "llm.model_name", On::CALL),
    Row(Say::Provider, "llm.provider", On::CALL),
    Row(Say::PromptTokens, "llm.token_count.prompt", On::CALL),
    Row(Say::CompletionTokens, "llm.token_count.completion", On::CALL),
    Row(Say::TotalTokens, "llm.token_count.total", On::CALL),
    Row(Say::PromptCacheRead, "llm.token_count.prompt_details.cache_read", On::CALL),
    Row(Say::PromptCacheWrite, "llm.token_count.prompt_details.cache_write", On::CALL),
    Row(Say::CompletionReasoning, "llm.token_count.completion_details.reasoning", On::CALL),
    Row(Say::CostTotal, "llm.cost.total", On::CALL),
    Row(Say::FlatInputMessages, "llm.input_messages", On::CALL),
    Row(Say::FlatOutputMessages, "llm.output_messages", On::CALL),
    Row(Say::ToolName, "tool.name", On::TOOL),
    Row(Say::ToolArguments, "tool.parameters", On::TOOL),
    Row(Say::ToolCallId, "tool_call.id", On::TOOL),
    Row(Say::ErrorType, "exception.type", On::ALL),
    Row(Say::ErrorMessage, "exception.message", On::ALL),
    Row(Say::Evaluations, "evaluations", On::ALL),
    Row(Say::Environment, "deployment.environment.name", On::ALL),
];

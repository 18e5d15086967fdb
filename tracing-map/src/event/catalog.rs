//! Every event type of OpenClaw 2026.9 as a table: type name, then the fields beyond the envelope.
//!
//! One line is one field: its name here, its name in JSON, its type. The source is the union of event types that
//! OpenClaw 2026.9.6 declares.

use super::records::{
    Actor, CodeLocation, ContextWindow, Control, ItemLifecycle, MemoryUsage, ParamsSummary, Policy,
    PromptStats, ReportedUsage, Target, WebhookCounts,
};
use super::value::{Num, put, take};
use serde_json::{Map, Value};

/// Writes the structs of the events, the enum over them, and both directions of the conversion.
macro_rules! catalog {
    ($($(#[doc = $doc:literal])+ $name:ident = $type:literal { $($field:ident $json:literal: $ty:ty,)* })+) => {
        $(
            $(#[doc = $doc])+
            #[doc = concat!("\n\nType `", $type, "`.")]
            #[derive(Clone, Debug, Default, PartialEq, Hash)]
            #[non_exhaustive]
            pub struct $name {
                $(
                    #[doc = concat!("Field `", $json, "`.")]
                    pub $field: Option<$ty>,
                )*
            }
        )+

        /// What an event says beyond its envelope, by type.
        #[derive(Clone, Debug, PartialEq, Hash)]
        #[non_exhaustive]
        pub enum EventData {
            $(
                #[doc = concat!("Type `", $type, "`.")]
                $name(Box<$name>),
            )+
            /// A type that this version does not know; all its fields are in [`DiagnosticEvent::extra`].
            ///
            /// [`DiagnosticEvent::extra`]: crate::DiagnosticEvent::extra
            Unknown,
        }

        impl EventData {
            /// All type names of the catalog, in byte order.
            pub const TYPES: &'static [&'static str] = &[$($type),+];

            /// Takes the typed fields out of `fields`; a field of another type than declared stays there.
            pub(super) fn take(event_type: &str, fields: &mut Map<String, Value>) -> Self {
                let _ = &fields;
                match event_type {
                    $($type => Self::$name(Box::new($name { $($field: take(fields, $json),)* })),)+
                    _ => Self::Unknown,
                }
            }

            /// Puts the typed fields back under their JSON names.
            pub(super) fn put(&self, fields: &mut Map<String, Value>) {
                let _ = &fields;
                match self {
                    $(Self::$name(event) => { let _ = event; $(put(fields, $json, event.$field.as_ref());)* })+
                    Self::Unknown => {}
                }
            }
        }
    };
}

catalog! {
    /// The context of a turn was put together; sizes only, never text.
    ContextAssembled = "context.assembled" {
        trigger "trigger": String, message_count "messageCount": Num, history_text_chars "historyTextChars": Num,
        history_image_blocks "historyImageBlocks": Num, max_message_text_chars "maxMessageTextChars": Num,
        system_prompt_chars "systemPromptChars": Num, prompt_chars "promptChars": Num,
        prompt_images "promptImages": Num, context_token_budget "contextTokenBudget": Num,
        reserve_tokens "reserveTokens": Num,
    }
    /// The gateway dropped events before they were delivered: every open trace has a hole.
    DiagnosticAsyncQueueDropped = "diagnostic.async_queue.dropped" {
        dropped_events "droppedEvents": Num, dropped_trusted_events "droppedTrustedEvents": Num,
        dropped_untrusted_events "droppedUntrustedEvents": Num, dropped_priority_events "droppedPriorityEvents": Num,
        queue_length "queueLength": Num, max_queue_length "maxQueueLength": Num,
        drain_batch_size "drainBatchSize": Num,
    }
    /// Child processes were started.
    DiagnosticChildProcessSpawn = "diagnostic.child_process.spawn" {
        family "family": String, count "count": Num, interval_ms "intervalMs": Num,
    }
    /// A garbage collection of the gateway.
    DiagnosticGc = "diagnostic.gc" {
        duration_ms "durationMs": Num,
    }
    /// A sign of life with the counts of work.
    DiagnosticHeartbeat = "diagnostic.heartbeat" {
        webhooks "webhooks": WebhookCounts, active "active": Num, waiting "waiting": Num, queued "queued": Num,
    }
    /// The event loop of the gateway was late or busy.
    DiagnosticLivenessWarning = "diagnostic.liveness.warning" {
        reasons "reasons": Vec<String>, interval_ms "intervalMs": Num, degraded_since_ms "degradedSinceMs": Num,
        event_loop_delay_p99_ms "eventLoopDelayP99Ms": Num, event_loop_delay_max_ms "eventLoopDelayMaxMs": Num,
        event_loop_utilization "eventLoopUtilization": Num, cpu_user_ms "cpuUserMs": Num,
        cpu_system_ms "cpuSystemMs": Num, cpu_total_ms "cpuTotalMs": Num, cpu_core_ratio "cpuCoreRatio": Num,
        active "active": Num, waiting "waiting": Num, queued "queued": Num, phase "phase": String,
        recent_phases "recentPhases": Value, active_work_labels "activeWorkLabels": Vec<String>,
        waiting_work_labels "waitingWorkLabels": Vec<String>, queued_work_labels "queuedWorkLabels": Vec<String>,
    }
    /// Memory crossed a threshold.
    DiagnosticMemoryPressure = "diagnostic.memory.pressure" {
        level "level": String, reason "reason": String, memory "memory": MemoryUsage,
        threshold_bytes "thresholdBytes": Num, rss_growth_bytes "rssGrowthBytes": Num, window_ms "windowMs": Num,
    }
    /// A sample of memory use.
    DiagnosticMemorySample = "diagnostic.memory.sample" {
        memory "memory": MemoryUsage, uptime_ms "uptimeMs": Num,
    }
    /// A start-up or shut-down phase of the gateway ended.
    DiagnosticPhaseCompleted = "diagnostic.phase.completed" {
        name "name": String, started_at "startedAt": Num, ended_at "endedAt": Num, duration_ms "durationMs": Num,
        cpu_user_ms "cpuUserMs": Num, cpu_system_ms "cpuSystemMs": Num, cpu_total_ms "cpuTotalMs": Num,
        cpu_core_ratio "cpuCoreRatio": Num, details "details": Value,
    }
    /// The follow-up of an approval was not delivered.
    ExecApprovalFollowupSuppressed = "exec.approval.followup_suppressed" {
        approval_id "approvalId": String, reason "reason": String, phase "phase": String,
    }
    /// A process of a shell tool ended.
    ExecProcessCompleted = "exec.process.completed" {
        target "target": String, mode "mode": String, outcome "outcome": String, duration_ms "durationMs": Num,
        command_length "commandLength": Num, exit_code "exitCode": Num, exit_signal "exitSignal": String,
        timed_out "timedOut": bool, failure_kind "failureKind": String,
    }
    /// A sample of the delay of the event loop.
    GatewayEventLoopSample = "gateway.event_loop.sample" {
        interval_ms "intervalMs": Num, delay_max_ms "delayMaxMs": Num,
    }
    /// A request to the gateway passed one of its four phases.
    GatewayRpc = "gateway.rpc" {
        method "method": String, phase "phase": String, outcome "outcome": String, duration_ms "durationMs": Num,
        admission_ms "admissionMs": Num, queue_wait_ms "queueWaitMs": Num, response "response": String,
    }
    /// A harness finished one attempt of a run.
    HarnessRunCompleted = "harness.run.completed" {
        trigger "trigger": String, harness_id "harnessId": String, plugin_id "pluginId": String,
        duration_ms "durationMs": Num, outcome "outcome": String,
        result_classification "resultClassification": String, yield_detected "yieldDetected": bool,
        item_lifecycle "itemLifecycle": ItemLifecycle,
    }
    /// A harness failed.
    HarnessRunError = "harness.run.error" {
        trigger "trigger": String, harness_id "harnessId": String, plugin_id "pluginId": String,
        duration_ms "durationMs": Num, phase "phase": String, error_category "errorCategory": String,
        cleanup_failed "cleanupFailed": bool,
    }
    /// A harness began one attempt of a run.
    HarnessRunStarted = "harness.run.started" {
        trigger "trigger": String, harness_id "harnessId": String, plugin_id "pluginId": String,
    }
    /// A line of the log.
    LogRecord = "log.record" {
        level "level": String, message "message": String, logger_name "loggerName": String,
        logger_parents "loggerParents": Vec<String>, attributes "attributes": Value, code "code": CodeLocation,
    }
    /// A reply reached its channel.
    MessageDeliveryCompleted = "message.delivery.completed" {
        delivery_kind "deliveryKind": String, duration_ms "durationMs": Num, result_count "resultCount": Num,
    }
    /// A reply did not reach its channel.
    MessageDeliveryError = "message.delivery.error" {
        delivery_kind "deliveryKind": String, duration_ms "durationMs": Num, error_category "errorCategory": String,
    }
    /// A reply is being delivered.
    MessageDeliveryStarted = "message.delivery.started" {
        delivery_kind "deliveryKind": String,
    }
    /// The dispatch of an inbound message ended.
    MessageDispatchCompleted = "message.dispatch.completed" {
        source "source": String, duration_ms "durationMs": Num, outcome "outcome": String, reason "reason": String,
        error "error": String,
    }
    /// The dispatch of an inbound message began.
    MessageDispatchStarted = "message.dispatch.started" {
        source "source": String,
    }
    /// An inbound message was dealt with.
    MessageProcessed = "message.processed" {
        message_id "messageId": Value, chat_id "chatId": Value, duration_ms "durationMs": Num,
        outcome "outcome": String, reason "reason": String, error "error": String,
    }
    /// An inbound message was queued.
    MessageQueued = "message.queued" {
        source "source": String, queue_depth "queueDepth": Num,
    }
    /// An inbound message arrived.
    MessageReceived = "message.received" {
        message_id "messageId": Value, chat_id "chatId": Value, source "source": String,
    }
    /// A request to a model was answered.
    ModelCallCompleted = "model.call.completed" {
        call_id "callId": String, api "api": String, transport "transport": String,
        observation_unit "observationUnit": String, context_token_budget "contextTokenBudget": Num,
        context_window_source "contextWindowSource": String,
        context_window_reference_tokens "contextWindowReferenceTokens": Num,
        upstream_request_id_hash "upstreamRequestIdHash": String, prompt_stats "promptStats": PromptStats,
        duration_ms "durationMs": Num, request_payload_bytes "requestPayloadBytes": Num,
        response_stream_bytes "responseStreamBytes": Num, time_to_first_byte_ms "timeToFirstByteMs": Num,
        usage "usage": ReportedUsage,
    }
    /// A request to a model failed.
    ModelCallError = "model.call.error" {
        call_id "callId": String, api "api": String, transport "transport": String,
        observation_unit "observationUnit": String, context_token_budget "contextTokenBudget": Num,
        context_window_source "contextWindowSource": String,
        context_window_reference_tokens "contextWindowReferenceTokens": Num,
        upstream_request_id_hash "upstreamRequestIdHash": String, prompt_stats "promptStats": PromptStats,
        duration_ms "durationMs": Num, error_category "errorCategory": String, failure_kind "failureKind": String,
        memory "memory": MemoryUsage, request_payload_bytes "requestPayloadBytes": Num,
        response_stream_bytes "responseStreamBytes": Num, time_to_first_byte_ms "timeToFirstByteMs": Num,
        usage "usage": ReportedUsage,
    }
    /// A request to a model was sent.
    ModelCallStarted = "model.call.started" {
        call_id "callId": String, api "api": String, transport "transport": String,
        observation_unit "observationUnit": String, context_token_budget "contextTokenBudget": Num,
        context_window_source "contextWindowSource": String,
        context_window_reference_tokens "contextWindowReferenceTokens": Num,
        upstream_request_id_hash "upstreamRequestIdHash": String, prompt_stats "promptStats": PromptStats,
    }
    /// Another model took over.
    ModelFailover = "model.failover" {
        lane "lane": String, from_provider "fromProvider": String, from_model "fromModel": String,
        to_provider "toProvider": String, to_model "toModel": String, reason "reason": String,
        cascade_depth "cascadeDepth": Num, suspended "suspended": bool,
    }
    /// Tokens and cost of a whole run; comes after its completion and without a run id.
    ModelUsage = "model.usage" {
        usage "usage": ReportedUsage, last_call_usage "lastCallUsage": ReportedUsage,
        context "context": ContextWindow, cost_usd "costUsd": Num, duration_ms "durationMs": Num,
    }
    /// A payload was rejected, cut or split.
    PayloadLarge = "payload.large" {
        surface "surface": String, action "action": String, bytes "bytes": Num, limit_bytes "limitBytes": Num,
        count "count": Num, plugin_id "pluginId": String, reason "reason": String,
    }
    /// Work left a lane.
    QueueLaneDequeue = "queue.lane.dequeue" {
        lane "lane": String, queue_size "queueSize": Num, wait_ms "waitMs": Num,
    }
    /// Work entered a lane.
    QueueLaneEnqueue = "queue.lane.enqueue" {
        lane "lane": String, queue_size "queueSize": Num,
    }
    /// An attempt of a run began.
    RunAttempt = "run.attempt" {
        attempt "attempt": Num,
    }
    /// An attempt of a run ended. The outcome is `completed` even when the provider refused.
    RunCompleted = "run.completed" {
        trigger "trigger": String, duration_ms "durationMs": Num, outcome "outcome": String,
        error_category "errorCategory": String, blocked_by "blockedBy": String,
    }
    /// A run passed a phase.
    RunExecutionPhase = "run.execution_phase" {
        phase "phase": String, backend "backend": String, source "source": String, tool "tool": String,
        tool_call_id "toolCallId": String, item_id "itemId": String,
        first_model_call_started "firstModelCallStarted": bool,
    }
    /// A run is alive.
    RunProgress = "run.progress" {
        reason "reason": String,
    }
    /// An attempt of a run began.
    RunStarted = "run.started" {
        trigger "trigger": String,
    }
    /// An authentication, approval or policy decision.
    SecurityEvent = "security.event" {
        event_id "eventId": String, category "category": String, action "action": String, outcome "outcome": String,
        severity "severity": String, actor "actor": Actor, target "target": Target, policy "policy": Policy,
        control "control": Control, reason "reason": String, attributes "attributes": Value,
    }
    /// A session has worked for long.
    SessionLongRunning = "session.long_running" {
        state "state": String, age_ms "ageMs": Num, queue_depth "queueDepth": Num, reason "reason": String,
        classification "classification": String, active_work_kind "activeWorkKind": String,
        last_progress_age_ms "lastProgressAgeMs": Num, last_progress_reason "lastProgressReason": String,
        active_tool_name "activeToolName": String, active_tool_call_id "activeToolCallId": String,
        active_tool_age_ms "activeToolAgeMs": Num,
        repeated_request_no_progress_age_ms "repeatedRequestNoProgressAgeMs": Num,
        terminal_progress_stale "terminalProgressStale": bool,
    }
    /// A stuck session was recovered, or not.
    SessionRecoveryCompleted = "session.recovery.completed" {
        state "state": String, state_generation "stateGeneration": Num, age_ms "ageMs": Num,
        queue_depth "queueDepth": Num, reason "reason": String, active_work_kind "activeWorkKind": String,
        allow_active_abort "allowActiveAbort": bool, status "status": String, action "action": String,
        outcome_reason "outcomeReason": String, released "released": Num, stale "stale": bool,
    }
    /// The recovery of a stuck session was asked for.
    SessionRecoveryRequested = "session.recovery.requested" {
        state "state": String, state_generation "stateGeneration": Num, age_ms "ageMs": Num,
        queue_depth "queueDepth": Num, reason "reason": String, active_work_kind "activeWorkKind": String,
        allow_active_abort "allowActiveAbort": bool,
    }
    /// A session makes no progress.
    SessionStalled = "session.stalled" {
        state "state": String, age_ms "ageMs": Num, queue_depth "queueDepth": Num, reason "reason": String,
        classification "classification": String, active_work_kind "activeWorkKind": String,
        last_progress_age_ms "lastProgressAgeMs": Num, last_progress_reason "lastProgressReason": String,
        active_tool_name "activeToolName": String, active_tool_call_id "activeToolCallId": String,
        active_tool_age_ms "activeToolAgeMs": Num,
        repeated_request_no_progress_age_ms "repeatedRequestNoProgressAgeMs": Num,
        terminal_progress_stale "terminalProgressStale": bool,
    }
    /// A session became idle, processing or waiting.
    SessionState = "session.state" {
        prev_state "prevState": String, state "state": String, reason "reason": String, queue_depth "queueDepth": Num,
    }
    /// The state of a session is stale.
    SessionStuck = "session.stuck" {
        state "state": String, age_ms "ageMs": Num, queue_depth "queueDepth": Num, reason "reason": String,
        classification "classification": String, active_work_kind "activeWorkKind": String,
        last_progress_age_ms "lastProgressAgeMs": Num, last_progress_reason "lastProgressReason": String,
        active_tool_name "activeToolName": String, active_tool_call_id "activeToolCallId": String,
        active_tool_age_ms "activeToolAgeMs": Num,
        repeated_request_no_progress_age_ms "repeatedRequestNoProgressAgeMs": Num,
        terminal_progress_stale "terminalProgressStale": bool,
    }
    /// A turn was created from a message or a heartbeat.
    SessionTurnCreated = "session.turn.created" {
        trigger "trigger": String,
    }
    /// A skill was activated.
    SkillUsed = "skill.used" {
        skill_name "skillName": String, skill_source "skillSource": String, activation "activation": String,
        tool_name "toolName": String, tool_call_id "toolCallId": String,
    }
    /// A step of a voice conversation.
    TalkEvent = "talk.event" {
        turn_id "turnId": String, capture_id "captureId": String, talk_event_type "talkEventType": String,
        mode "mode": String, transport "transport": String, brain "brain": String, is_final "final": bool,
        duration_ms "durationMs": Num, byte_length "byteLength": Num,
    }
    /// The state of an exporter of the gateway.
    TelemetryExporter = "telemetry.exporter" {
        exporter "exporter": String, signal "signal": String, status "status": String, reason "reason": String,
        error_category "errorCategory": String,
    }
    /// A tool call was refused before it ran.
    ToolExecutionBlocked = "tool.execution.blocked" {
        source_timestamp_ms "sourceTimestampMs": Num, tool_name "toolName": String, tool_source "toolSource": String,
        tool_owner "toolOwner": String, tool_call_id "toolCallId": String,
        params_summary "paramsSummary": ParamsSummary, mutating_action "mutatingAction": bool,
        denied_reason "deniedReason": String, reason "reason": String,
    }
    /// A tool call ended; also with a non-zero exit code.
    ToolExecutionCompleted = "tool.execution.completed" {
        source_timestamp_ms "sourceTimestampMs": Num, tool_name "toolName": String, tool_source "toolSource": String,
        tool_owner "toolOwner": String, tool_call_id "toolCallId": String,
        params_summary "paramsSummary": ParamsSummary, mutating_action "mutatingAction": bool,
        duration_ms "durationMs": Num,
    }
    /// A tool call failed.
    ToolExecutionError = "tool.execution.error" {
        source_timestamp_ms "sourceTimestampMs": Num, tool_name "toolName": String, tool_source "toolSource": String,
        tool_owner "toolOwner": String, tool_call_id "toolCallId": String,
        params_summary "paramsSummary": ParamsSummary, mutating_action "mutatingAction": bool,
        duration_ms "durationMs": Num, error_category "errorCategory": String, error_code "errorCode": String,
        terminal_reason "terminalReason": String,
    }
    /// A tool call began.
    ToolExecutionStarted = "tool.execution.started" {
        source_timestamp_ms "sourceTimestampMs": Num, tool_name "toolName": String, tool_source "toolSource": String,
        tool_owner "toolOwner": String, tool_call_id "toolCallId": String,
        params_summary "paramsSummary": ParamsSummary, mutating_action "mutatingAction": bool,
    }
    /// The loop detector saw repeated calls.
    ToolLoop = "tool.loop" {
        tool_name "toolName": String, level "level": String, action "action": String, detector "detector": String,
        count "count": Num, message "message": String, paired_tool_name "pairedToolName": String,
    }
    /// A webhook failed.
    WebhookError = "webhook.error" {
        update_type "updateType": String, chat_id "chatId": Value, error "error": String,
    }
    /// A webhook was dealt with.
    WebhookProcessed = "webhook.processed" {
        update_type "updateType": String, chat_id "chatId": Value, duration_ms "durationMs": Num,
    }
    /// A webhook arrived.
    WebhookReceived = "webhook.received" {
        update_type "updateType": String, chat_id "chatId": Value,
    }
}

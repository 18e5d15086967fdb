//! The objects inside events.

use super::value::{Field, Num, put, take};
use serde_json::{Map, Value};

macro_rules! records {
    ($($(#[doc = $doc:literal])+ $name:ident { $($field:ident $json:literal: $ty:ty,)* })+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Debug, Default, PartialEq, Hash)]
            #[non_exhaustive]
            pub struct $name {
                $(
                    #[doc = concat!("Field `", $json, "`.")]
                    pub $field: Option<$ty>,
                )*
                /// Fields that are unknown here or have another type than declared.
                pub extra: Map<String, Value>,
            }

            impl Field for $name {
                fn from_json(value: Value) -> Result<Self, Value> {
                    match value {
                        Value::Object(mut extra) => Ok(Self { $($field: take(&mut extra, $json),)* extra }),
                        other => Err(other),
                    }
                }
                fn to_json(&self) -> Value {
                    let mut fields = self.extra.clone();
                    $(put(&mut fields, $json, self.$field.as_ref());)*
                    Value::Object(fields)
                }
            }
        )+
    };
}

records! {
    /// Token counts of a call or a run. `input` excludes the cache in real files; a missing count is unknown.
    ReportedUsage {
        input "input": Num, output "output": Num, cache_read "cacheRead": Num, cache_write "cacheWrite": Num,
        reasoning_tokens "reasoningTokens": Num, prompt_tokens "promptTokens": Num, total "total": Num,
        cost "cost": Value,
    }
    /// How full the context window of the last call was. Not a sum over the run.
    ContextWindow { limit "limit": Num, used "used": Num, }
    /// Sizes of the parts of a prompt, in items and characters.
    PromptStats {
        input_messages_count "inputMessagesCount": Num, input_messages_chars "inputMessagesChars": Num,
        system_prompt_chars "systemPromptChars": Num, tool_definitions_count "toolDefinitionsCount": Num,
        tool_definitions_chars "toolDefinitionsChars": Num, total_chars "totalChars": Num,
    }
    /// How many items of a harness run were started, completed and are active.
    ItemLifecycle {
        started_count "startedCount": Num, completed_count "completedCount": Num, active_count "activeCount": Num,
    }
    /// Counts of webhooks.
    WebhookCounts { received "received": Num, processed "processed": Num, errors "errors": Num, }
    /// The kind of a tool's parameters; never their content.
    ParamsSummary { kind "kind": String, length "length": Num, }
    /// Where a log line was written.
    CodeLocation { line "line": Num, function_name "functionName": String, }
    /// Memory of the gateway in bytes.
    MemoryUsage {
        rss_bytes "rssBytes": Num, heap_total_bytes "heapTotalBytes": Num, heap_used_bytes "heapUsedBytes": Num,
        external_bytes "externalBytes": Num, array_buffers_bytes "arrayBuffersBytes": Num,
        worker_count "workerCount": Num,
    }
    /// Who acted in a security event.
    Actor { kind "kind": String, id_hash "idHash": String, role "role": String, scopes "scopes": Vec<String>, }
    /// What a security event is about.
    Target { kind "kind": String, name "name": String, id_hash "idHash": String, }
    /// The policy that decided.
    Policy { id "id": String, decision "decision": String, reason "reason": String, }
    /// The control that applied the policy.
    Control { id "id": String, family "family": String, }
}

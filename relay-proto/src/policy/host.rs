//! What a gateway must offer before chat turns can run inside it.

use serde_json::Value;

/// The runtime functions that a chat bridge inside the gateway calls, in the order they are reported.
const NEEDED: [&str; 5] = [
    "channel.routing.resolveAgentRoute",
    "channel.routing.buildAgentSessionKey",
    "channel.inbound.buildContext",
    "channel.inbound.dispatch",
    "channel.reply.formatAgentEnvelope",
];

/// The functions that a host lacks. `surface` is the runtime's shape with `true` in the place of each function.
///
/// An agent before 2026.7.2 has no `channel.inbound.dispatch`: it can be traced but not chatted with.
#[must_use]
pub fn missing_host_functions(surface: &Value) -> Vec<&'static str> {
    NEEDED
        .into_iter()
        .filter(|path| {
            let found = path.split('.').try_fold(surface, |value, name| value.get(name));
            found != Some(&Value::Bool(true))
        })
        .collect()
}

//! The form in which a gateway takes an inbound message.

use serde_json::{Value, json};

use super::config::TurnStart;
use crate::policy::SessionScope;

impl TurnStart {
    /// The fields that OpenClaw's `channel.inbound.buildContext` takes, for a bridge inside the gateway. Commands are
    /// never authorised: a chat user is no operator.
    #[must_use]
    pub fn host_context(&self, scope: SessionScope) -> Value {
        let message = &self.message;
        let (sender, conversation) = (&message.sender, message.conversation_id.as_str());
        let sender_id = sender.id.as_deref().unwrap_or_default();
        let mut context = json!({
            "channel": "benchgen",
            "accountId": "default",
            "messageId": message.message_id.as_str(),
            "messageIdFull": message.message_id.as_str(),
            "from": format!("benchgen:{sender_id}"),
            "sender": {"id": sender.id, "name": sender.name},
            "conversation": {"kind": "direct", "id": conversation, "label": sender.name},
            "route": {
                "agentId": self.agent_id,
                "accountId": "default",
                "routeSessionKey": self.session_key,
                "dispatchSessionKey": self.session_key,
            },
            "reply": {
                "to": format!("benchgen:{conversation}"),
                "originatingTo": format!("benchgen:{conversation}"),
            },
            "message": {"bodyForAgent": message.text, "rawBody": message.text, "commandBody": message.text},
            "access": {"commands": {"authorized": false}},
            "extra": {"NativeDirectUserId": sender.id, "OriginatingChannel": "benchgen"},
        });
        if let (Some(timestamp), Some(fields)) = (message.timestamp, context.as_object_mut()) {
            fields.insert(String::from("timestamp"), json!(timestamp));
        }
        if let (SessionScope::Conversation, Some(Value::Object(route))) = (scope, context.get_mut("route")) {
            route.insert(String::from("dmScope"), json!("per-channel-peer"));
        }
        context
    }
}

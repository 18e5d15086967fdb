//! Who wrote an assistant row, and replies that say nothing.

use clawgauge_transcript::{
    AssistantInput, AssistantOrigin, SilentToken, classify_assistant, is_heartbeat_ack, spoken_reply,
};

use super::report;

#[test]
fn openclaw_signs_what_it_writes_itself() {
    use AssistantOrigin::{DeliveryMirror, ExternalAgent, GatewayInjected, Model, Synthetic};
    for (provider, model, api, mirror_mark, origin) in [
        // Seen in the recorded sessions.
        (Some("demo"), Some("demo-chat"), Some("openai-completions"), false, Model),
        (Some("demo"), Some("demo-chat"), Some("cli"), false, Model),
        (Some("openclaw"), Some("gateway-injected"), Some("openai-responses"), false, GatewayInjected),
        // Read in OpenClaw 2026.9.6.
        (Some("openclaw"), Some("delivery-mirror"), Some("openai-responses"), false, DeliveryMirror),
        (Some("openclaw"), Some("delivery-mirror"), Some("openclaw-transcript"), false, DeliveryMirror),
        (Some("openclaw"), Some("automation-result"), Some("openclaw-transcript"), false, Synthetic),
        (Some("openclaw"), Some("acp-runtime"), Some("openai-responses"), false, ExternalAgent),
        (Some("openclaw"), Some("session-catalog"), Some("openai-responses"), false, ExternalAgent),
        (None, None, None, true, DeliveryMirror),
        // Not seen: a name that is not known yet, and rows of other writers.
        (Some("openclaw"), Some("from-the-future"), None, false, Synthetic),
        (Some("openclaw"), None, None, false, Synthetic),
        (None, None, None, false, Model),
        (None, Some("m-alpha"), None, false, Model),
    ] {
        let row = AssistantInput { provider, model, api, mirror_mark };
        assert_eq!(classify_assistant(&row), origin, "{row:?}");
    }
}

#[test]
fn silent_tokens_come_off_where_openclaw_takes_them_off() {
    use SilentToken::{HeartbeatOk, NoReply};
    let mut failures = Vec::new();
    for (text, said, token) in [
        ("NO_REPLY", "", Some(NoReply)),
        ("  NO_REPLY\n", "", Some(NoReply)),
        ("no_reply", "", Some(NoReply)),
        ("NO_REPLY NO_REPLY", "", Some(NoReply)),
        ("**NO_REPLY**", "", Some(NoReply)),
        ("`NO_REPLY`", "", Some(NoReply)),
        ("NO_REPLY.", "", Some(NoReply)),
        ("\"NO_REPLY\"", "", Some(NoReply)),
        ("{\"action\": \"NO_REPLY\"}", "", Some(NoReply)),
        ("<think>nothing to say</think>\nNO_REPLY", "", Some(NoReply)),
        ("Done.\n\nNO_REPLY", "Done.", Some(NoReply)),
        ("Done. **NO_REPLY", "Done.", Some(NoReply)),
        ("NO_REPLY\n\nThe user asked for ferns.", "The user asked for ferns.", Some(NoReply)),
        ("NO_REPLYThe user asked", "The user asked", Some(NoReply)),
        ("HEARTBEAT_OK", "", Some(HeartbeatOk)),
        ("**HEARTBEAT_OK**", "", Some(HeartbeatOk)),
        ("HEARTBEAT_OK!", "", Some(HeartbeatOk)),
        ("All quiet. HEARTBEAT_OK.", "All quiet.", Some(HeartbeatOk)),
        ("HEARTBEAT_OK all quiet", "all quiet", Some(HeartbeatOk)),
        // Not silent
        ("", "", None),
        ("No reply needed.", "No reply needed.", None),
        ("Answer NO_REPLY when idle.", "Answer NO_REPLY when idle.", None),
        ("NO_REPLY is the token for that.", "NO_REPLY is the token for that.", None),
        ("FOO_NO_REPLY", "FOO_NO_REPLY", None),
        ("NO", "NO", None),
        ("{\"action\": \"NO_REPLY\", \"x\": 1}", "{\"action\": \"NO_REPLY\", \"x\": 1}", None),
        ("MY_HEARTBEAT_OK_FLAG", "MY_HEARTBEAT_OK_FLAG", None),
    ] {
        let reply = spoken_reply(text);
        if (reply.text, reply.token) != (said, token) {
            failures.push(format!("{text:?}: {reply:?}"));
        }
    }
    report(&failures);
}

#[test]
fn an_empty_reply_is_not_silent_on_purpose() {
    assert!(!spoken_reply("").is_silent());
    assert!(!spoken_reply(" \n").is_silent());
}

#[test]
fn a_short_note_beside_heartbeat_ok_acknowledges() {
    assert!(is_heartbeat_ack("HEARTBEAT_OK"));
    assert!(is_heartbeat_ack("NO_REPLY"));
    assert!(is_heartbeat_ack("All quiet. HEARTBEAT_OK"));
    assert!(!is_heartbeat_ack(&format!("{} HEARTBEAT_OK", "x".repeat(301))));
    assert!(!is_heartbeat_ack("The disk is full."));
}

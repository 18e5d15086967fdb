//! Frames: read and written back, whatever is in them.

use clawgauge_relay_proto::{AgentBody, AgentFrame, ErrorKind, Limits, PlatformBody, PlatformFrame, TurnRef};
use proptest::prelude::*;
use serde_json::{Value, json};

fn agent(text: &str) -> AgentFrame {
    AgentFrame::decode(text, &Limits::default()).unwrap()
}

fn platform(text: &str) -> PlatformFrame {
    PlatformFrame::decode(text, &Limits::default()).unwrap()
}

/// Every frame of version 1 with every field, in the documented order.
const AGENT_FRAMES: &[&str] = &[
    r#"{"type":"hello","protocol":1,"auth":{"publicKey":"pk","secretKey":"sk"},"plugin":{"name":"n","version":"1"},"host":{"openclawVersion":"2026.9.6"},"agents":[{"id":"main","default":true}],"capabilities":["partial","abort"],"ts":1}"#,
    r#"{"type":"turn.started","conversationId":"c1","messageId":"m1","sessionKey":"agent:main:benchgen:direct:c1","agentId":"main","ts":1}"#,
    r#"{"type":"turn.progress","conversationId":"c1","messageId":"m1","ts":1}"#,
    r#"{"type":"reply.partial","conversationId":"c1","messageId":"m1","text":"Hello","delta":"lo","ts":1}"#,
    r#"{"type":"reply.partial","conversationId":"c1","messageId":"m1","text":"Hullo","replace":true,"ts":1}"#,
    r#"{"type":"tool.start","conversationId":"c1","messageId":"m1","name":"exec","args":{"command":"ls"},"ts":1}"#,
    r#"{"type":"tool.start","conversationId":"c1","messageId":"m1","name":"read","ts":1}"#,
    r#"{"type":"choices","conversationId":"c1","messageId":"m1","questions":[{"id":"q","header":"h","question":"w?","options":[{"label":"a","description":"d"},{"label":"b"}],"multiSelect":false}],"ts":1}"#,
    r#"{"type":"reply","conversationId":"c1","messageId":"m1","text":"x","kind":"final","mediaUrls":["https://x.example/a.png"],"ts":1}"#,
    r#"{"type":"turn.done","conversationId":"c1","messageId":"m1","status":"error","error":"e","reason":"r","sessionKey":"k","agentId":"a","replies":{"tool":1,"block":2,"final":3},"ts":1}"#,
    r#"{"type":"turn.usage","conversationId":"c1","messageId":"m1","sessionKey":"k","agentId":"a","status":"aborted","sender":{"id":"u","name":"n"},"usage":{"calls":1,"inputTokens":2,"outputTokens":3,"totalTokens":5,"cacheReadTokens":0,"costUsd":0.5,"model":"m"},"toolCalls":1,"durationMs":7,"ts":1}"#,
    r#"{"type":"turn.usage","conversationId":"c1","messageId":"m1","sessionKey":"k","agentId":"a","status":"ok","sender":{},"usage":{"calls":0,"inputTokens":0,"outputTokens":0,"totalTokens":0,"cacheReadTokens":0,"costUsd":null,"model":null},"toolCalls":0,"durationMs":0,"ts":1}"#,
    r#"{"type":"pong","ts":1}"#,
    r#"{"type":"ack","received":3,"gap":true}"#,
];

const PLATFORM_FRAMES: &[&str] = &[
    r#"{"type":"message","conversationId":"c1","messageId":"m1","text":"hi","sender":{"id":"u","name":"n"},"agentId":"main","timestamp":1772359200000,"context":"c","auth":{"token":"t","apiBase":"https://a.example"}}"#,
    r#"{"type":"message","conversationId":5,"messageId":-7,"text":"hi"}"#,
    r#"{"type":"ping"}"#,
    r#"{"type":"abort","conversationId":"c1","messageId":"m1"}"#,
    r#"{"type":"hello.ack","protocol":1,"agentId":"x","chat":{"connected":true,"disabled":false}}"#,
    r#"{"type":"hello.ack","protocol":1,"resume":{"token":"t","received":4}}"#,
    r#"{"type":"chat.status","connected":false,"skipped":"why","error":"e"}"#,
    r#"{"type":"ack","received":3}"#,
];

#[test]
fn frames_of_version_1_are_written_as_they_are_read() {
    for text in AGENT_FRAMES {
        let frame = agent(text);
        assert!(!matches!(frame.body, AgentBody::Unknown(_)), "{text}");
        assert!(frame.extra.is_empty(), "{text}: {:?}", frame.extra);
        assert_eq!(frame.encode(), *text);
    }
    for text in PLATFORM_FRAMES {
        let frame = platform(text);
        assert!(!matches!(frame.body, PlatformBody::Unknown(_)), "{text}");
        assert!(frame.extra.is_empty(), "{text}: {:?}", frame.extra);
        assert_eq!(frame.encode(), *text);
    }
}

#[test]
fn unknown_frames_are_kept_byte_for_byte() {
    for text in [r#" {"type" : "fly", "n":1e2,"n":2 } "#, r#"{"type":5}"#, "[1, 2]", "null", "\"message\""] {
        assert_eq!(agent(text).encode(), text);
        assert_eq!(platform(text).encode(), text);
    }
}

#[test]
fn unknown_fields_stay_as_they_came_also_inside() {
    for text in [
        r#"{"type":"reply","text":"x","kind":"final","later":{"a":[1.50,"\ud83d"]},"ts":1}"#,
        r#"{"type":"choices","questions":[{"id":"q","header":"","question":"","options":[{"label":"a","icon":1}],"multiSelect":true,"due":2}],"ts":1}"#,
        r#"{"type":"tool.start","name":"x","args":{"command":"ls","workdir":"/"},"ts":1}"#,
        r#"{"type":"hello","protocol":1,"auth":{"publicKey":"pk","secretKey":"sk","tenant":7},"plugin":{},"agents":[],"capabilities":[],"ts":1}"#,
    ] {
        assert_eq!(agent(text).encode(), text);
    }
    for text in [
        r#"{"type":"reply","text":"","kind":"final","mediaUrls":[]}"#,
        r#"{"type":"reply.partial","text":"x","replace":false}"#,
        r#"{"type":"ack","received":1,"gap":false}"#,
    ] {
        assert_eq!(agent(text).encode(), text);
    }
    for text in [
        r#"{"type":"chat.status","connected":true,"skipped":null,"error":null}"#,
        r#"{"type":"hello.ack","resume":{"token":"t","received":1,"later":2}}"#,
    ] {
        assert_eq!(platform(text).encode(), text);
    }
    let text = r#"{"type":"message","text":"x","sender":{"id":"u","role":"admin"},"auth":{"token":"t","apiBase":"b","scope":"all"},"mood":"good"}"#;
    assert_eq!(platform(text).encode(), text);
}

#[test]
fn a_field_of_an_unusable_type_is_kept_and_not_shown() {
    let text = r#"{"type":"message","text":5,"auth":"sk-very-secret"}"#;
    let frame = platform(text);
    assert_eq!(frame.extra.get("text"), Some("5"));
    assert_eq!(frame.encode(), text);
    assert!(!format!("{frame:?}").contains("sk-very-secret"));
}

#[test]
fn half_a_character_is_no_reason_to_refuse_a_frame() {
    for text in
        [r#"{"type":"reply","text":"a\ud83d"}"#, r#"{"type":"reply","\udc4b":1}"#, r#"{"type":"\ud83d"}"#]
    {
        let frame = agent(text);
        assert_eq!(agent(&frame.encode()), frame, "{text}");
    }
    let AgentBody::Reply(reply) = agent(r#"{"type":"reply","text":"a\ud83db\ud83d\udc4b"}"#).body else {
        panic!()
    };
    assert_eq!(reply.text, "a\u{fffd}b👋");
}

#[test]
fn a_number_names_the_same_thing_as_its_text_and_is_written_back_as_a_number() {
    let PlatformBody::Abort(turn) =
        platform(r#"{"type":"abort","conversationId":5.0,"messageId":12345678901234567890}"#).body
    else {
        panic!()
    };
    assert_eq!(turn, TurnRef::new("5", "12345678901234567890"));
    let written = PlatformFrame::from(PlatformBody::Abort(turn)).encode();
    assert_eq!(written, r#"{"type":"abort","conversationId":5,"messageId":12345678901234567890}"#);
}

#[test]
fn what_is_no_json_or_too_large_is_an_error_without_the_text() {
    let error = PlatformFrame::decode("{\"type\":\"secret", &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotJson);
    assert!(!error.to_string().contains("secret"));
    let limits = Limits { frame_bytes: 10, ..Limits::default() };
    assert_eq!(
        PlatformFrame::decode("{\"type\":\"ping\"}", &limits).unwrap_err().kind(),
        ErrorKind::TooLarge
    );
}

#[test]
fn public_types_can_cross_threads() {
    fn check<T: Send + Sync>() {}
    check::<AgentFrame>();
    check::<PlatformFrame>();
    check::<clawgauge_relay_proto::Client>();
    check::<clawgauge_relay_proto::Error>();
    check::<clawgauge_relay_proto::Settings>();
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|value| Value::from(f64::from(value) / 4.0)),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(field_name(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn field_name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "type",
            "conversationId",
            "messageId",
            "text",
            "sender",
            "id",
            "name",
            "auth",
            "token",
            "apiBase",
            "agentId",
            "timestamp",
            "context",
            "questions",
            "options",
            "label",
            "replies",
            "tool",
            "usage",
            "args",
            "command",
            "ts",
            "seq",
            "resume",
            "received",
            "status",
            "kind",
            "mediaUrls",
            "capabilities",
            "agents",
            "chat",
        ])
        .prop_map(str::to_owned),
        "[a-z]{1,5}",
    ]
}

fn frame_like() -> impl Strategy<Value = Value> {
    let kinds = vec![
        "message",
        "ping",
        "abort",
        "hello.ack",
        "chat.status",
        "ack",
        "hello",
        "turn.started",
        "turn.progress",
        "reply.partial",
        "tool.start",
        "choices",
        "reply",
        "turn.done",
        "turn.usage",
        "pong",
        "fly",
    ];
    (prop::sample::select(kinds), prop::collection::btree_map(field_name(), json_value(), 0..8)).prop_map(
        |(kind, fields)| {
            let mut frame = Value::Object(fields.into_iter().collect());
            frame["type"] = json!(kind);
            frame
        },
    )
}

proptest! {
    #[test]
    fn writing_loses_no_field_and_reading_again_finds_the_same(value in frame_like()) {
        let text = value.to_string();
        let frame = agent(&text);
        prop_assert_eq!(&agent(&frame.encode()), &frame);
        keeps(&value, &serde_json::from_str(&frame.encode()).unwrap());
        let frame = platform(&text);
        prop_assert_eq!(&platform(&frame.encode()), &frame);
        keeps(&value, &serde_json::from_str(&frame.encode()).unwrap());
    }

    #[test]
    fn no_text_makes_the_codec_panic(text in ".{0,200}") {
        let limits = Limits::default();
        drop((AgentFrame::decode(&text, &limits), PlatformFrame::decode(&text, &limits)));
    }
}

/// Every field of `before` is in `after` with an equal value; ids are trimmed, numbers compare by value.
fn keeps(before: &Value, after: &Value) {
    for (name, value) in before.as_object().unwrap() {
        let written = after.get(name).unwrap_or_else(|| panic!("{name} of {before} is lost in {after}"));
        alike(value, written, before);
    }
}

fn alike(a: &Value, b: &Value, whole: &Value) {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => assert_eq!(a.as_f64(), b.as_f64(), "{whole}"),
        (Value::String(a), Value::String(b)) => assert_eq!(
            a.trim_matches(|c: char| c == '\u{feff}' || c.is_whitespace()),
            b.trim_matches(|c: char| c == '\u{feff}' || c.is_whitespace()),
            "{whole}"
        ),
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{whole}");
            a.iter().zip(b).for_each(|(a, b)| alike(a, b, whole));
        }
        (Value::Object(a), Value::Object(b)) => {
            for (name, value) in a {
                alike(value, b.get(name).unwrap_or_else(|| panic!("{name} lost in {whole}")), whole);
            }
        }
        // A person's id or name may be a number; it is read and written as its text.
        (Value::Number(number), Value::String(text)) => assert_eq!(&number.to_string(), text, "{whole}"),
        _ => assert_eq!(a, b, "{whole}"),
    }
}

/// Somebody who writes the other end goes by the document alone.
#[test]
fn the_frames_of_the_document_are_the_frames_of_the_codec() {
    let document = include_str!("../../PROTOCOL.md");
    let blocks = document.split("```json\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let mut kinds: Vec<String> = Vec::new();
    for text in blocks {
        let (agent, platform) = (agent(text), platform(text));
        let known = |unknown: bool, extra: bool| !unknown && extra;
        let of_agent = known(matches!(agent.body, AgentBody::Unknown(_)), agent.extra.is_empty());
        let of_platform = known(matches!(platform.body, PlatformBody::Unknown(_)), platform.extra.is_empty());
        assert!(of_agent || of_platform, "{text}");
        assert_eq!(if of_agent { agent.encode() } else { platform.encode() }, text);
        kinds.extend(agent.kind().map(str::to_owned));
    }
    for frame in AGENT_FRAMES.iter().map(|text| agent(text)) {
        assert!(
            kinds.iter().any(|kind| Some(kind.as_str()) == frame.kind()),
            "{frame} is not in the document"
        );
    }
    for frame in PLATFORM_FRAMES.iter().map(|text| platform(text)) {
        assert!(
            kinds.iter().any(|kind| Some(kind.as_str()) == frame.kind()),
            "{frame:?} is not in the document"
        );
    }
}

/// Figures in the document are those of the defaults.
#[test]
fn the_figures_of_the_document_are_the_defaults() {
    let document = include_str!("../../PROTOCOL.md");
    let limits = Limits::default();
    let turns = clawgauge_relay_proto::TurnLimits::default();
    let outbox = clawgauge_relay_proto::OutboxLimits::default();
    let thousands = |number: usize| match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{},{:03}", number / 1_000, number % 1_000),
        _ => format!("{},{:03},{:03}", number / 1_000_000, number / 1_000 % 1_000, number % 1_000),
    };
    for said in [
        format!("not blank, at most {}", thousands(limits.text_units)),
        format!("numbers of at most {}", thousands(limits.id_units)),
        format!("cut at {}; a message without one", thousands(limits.context_units)),
        format!("`token` at most {}", limits.token_units),
        format!("cut at {} with a", thousands(limits.command_units)),
        format!("at most {} bytes, with", thousands(limits.body_bytes)),
        format!("at most {} MiB; a longer one", limits.frame_bytes >> 20),
        format!("more than {} turns wait", turns.waiting),
        format!("or {} turns or {} MiB of texts", thousands(turns.turns), turns.bytes >> 20),
        format!("The newest {} are remembered", thousands(turns.remembered)),
        format!("above {} frames or {} MiB", outbox.soft_frames, outbox.soft_bytes >> 20),
        format!("above {} frames or {} MiB", thousands(outbox.hard_frames), outbox.hard_bytes >> 20),
    ] {
        let flat = document.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(&said), "{said}");
    }
}

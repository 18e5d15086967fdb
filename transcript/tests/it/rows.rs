//! What is in a row: fields, values of odd types, blocks, messages without rows.

use clawgauge_transcript::{
    AgentEnd, Block, EntryType, Limits, LineDecoder, Parent, RawJson, Role, Row, StopReason, TrajectoryEvent,
    Transcript, typed_text,
};
use serde_json::{Value, json};

use crate::support::{active_ids, calls, file, header, outline, problems, says, user, with};

#[test]
fn versions_may_be_written_in_odd_ways() {
    for (version, read) in [("3", 3), ("3.0", 3), ("3e0", 3), ("null", 1), ("\"3\"", 1), ("1", 1), ("4", 4)] {
        let text = format!("{{\"type\":\"session\",\"version\":{version},\"id\":\"s\"}}\n");
        let transcript = Transcript::from_str(&text);
        assert_eq!((transcript.version(), transcript.report().is_clean()), (Some(read), true), "{version}");
    }
}

#[test]
fn half_a_surrogate_pair_is_one_replaced_character() {
    let text = format!(
        "{}\n{}\n",
        header(),
        r#"{"type":"message","id":"u1","message":{"role":"user","content":[{"type":"text","text":"a\ud83d b \ude00 \ud83d\ude00"}],"x\ud83d":"\udc00"}}"#
    );
    let transcript = Transcript::from_str(&text);
    assert_eq!(problems(transcript.report()), "lone_surrogate@2");
    let message = transcript.entries()[1].message().unwrap();
    assert_eq!(message.joined_text(), "a\u{fffd} b \u{fffd} \u{1f600}");
    assert_eq!(message.get("x\u{fffd}").unwrap().to_value(), Some(json!("\u{fffd}")));
    assert_eq!(message.json().to_value().unwrap()["content"][0]["text"], "a\u{fffd} b \u{fffd} \u{1f600}");
    // A backslash before `ud83d` is text.
    let text = file(&[user("u1", Value::Null, "C:\\ud83d\\x")]);
    assert!(Transcript::from_str(&text).report().is_clean());
}

#[test]
fn of_repeated_keys_the_last_counts() {
    let row = |inside: &str| format!("{}\n{{{inside}}}\n", header());
    let read = |inside: &str| {
        let text = row(inside);
        let transcript = Transcript::from_str(&text);
        transcript.entries()[1].clone().into_owned()
    };
    let entry =
        read(r#""type":"label","id":"a","id":"b","type":"message","message":{"role":"user","content":"x"}"#);
    assert_eq!((entry.entry_type(), entry.id().as_deref()), (EntryType::Message, Some("b")));
    let entry = read(
        r#""type":"message","id":"a","message":{"role":"user","content":"old"},"message":{"role":"assistant","content":"o","content":[{"type":"text","text":"p","text":"new"}]}"#,
    );
    let message = entry.message().unwrap();
    assert_eq!((message.role(), message.joined_text().as_ref()), (Role::Assistant, "new"));
    let entry =
        read(r#""type":"message","id":"a","message":{"role":"user","content":"old"},"message":"gone""#);
    assert!(entry.message().is_none());
    let entry = read(
        r#""type":"message","id":"a","message":{"role":"user","content":[{"type":"text","text":"x"}],"content":7}"#,
    );
    assert_eq!(entry.message().unwrap().blocks().count(), 0);
    let entry = read(r#""type":"message","parentId":"p","\u0069d":"escaped","parentId":null"#);
    assert_eq!((entry.id().as_deref(), entry.parent()), (Some("escaped"), Parent::Root));
}

#[test]
fn values_of_another_type_than_expected_are_absent_not_fatal() {
    for odd in ["null", "7", "true", "[]", "{}", "\"x\"", "[null]", "-1.5e300", "[[[]]]"] {
        let mut keys = String::new();
        for key in [
            "role",
            "content",
            "timestamp",
            "stopReason",
            "provider",
            "model",
            "usage",
            "toolCallId",
            "toolName",
            "isError",
            "details",
            "idempotencyKey",
            "__openclaw",
            "customType",
            "errorMessage",
        ] {
            keys += &format!(",\"{key}\":{odd}");
        }
        let block = |kind: &str| {
            format!(
                "{{\"type\":\"{kind}\",\"text\":{odd},\"thinking\":{odd},\"id\":{odd},\"name\":{odd},\"arguments\":{odd},\"textSignature\":{odd},\"data\":{odd},\"mimeType\":{odd}}}"
            )
        };
        let blocks: Vec<String> =
            ["text", "thinking", "toolCall", "image", "?"].iter().map(|kind| block(kind)).collect();
        let rows = [
            format!(
                "{{\"type\":\"message\",\"id\":{odd},\"parentId\":{odd},\"timestamp\":{odd},\"appendMode\":{odd},\"message\":{{\"x\":1{keys}}}}}"
            ),
            format!("{{\"type\":{odd},\"id\":\"t\",\"message\":{odd}}}"),
            format!(
                "{{\"type\":\"message\",\"id\":\"b\",\"message\":{{\"role\":\"assistant\",\"content\":[{},{odd}]}}}}",
                blocks.join(",")
            ),
            format!(
                "{{\"type\":\"message\",\"id\":\"r\",\"message\":{{\"role\":\"toolResult\",\"toolCallId\":{odd},\"content\":{odd},\"details\":{odd},\"isError\":{odd}}}}}"
            ),
            format!(
                "{{\"type\":\"leaf\",\"id\":\"l\",\"parentId\":null,\"targetId\":{odd},\"appendParentId\":{odd}}}"
            ),
            format!("{{\"type\":\"custom\",\"id\":\"c\",\"customType\":{odd},\"data\":{odd}}}"),
        ];
        let text = format!("{}\n{}\n", header(), rows.join("\n"));
        let transcript = Transcript::from_str(&text);
        assert_eq!(transcript.entries().len(), 7, "{odd}");
        assert!(!transcript.report().has_loss(), "{odd}");
        drop(transcript.conversation());
        let mut written = Vec::new();
        transcript.write_to(&mut written).unwrap();
        assert_eq!(written, text.as_bytes());
    }
}

#[test]
fn roles_types_and_stop_reasons_of_all_versions() {
    let role = |name: &str| {
        let text = format!("{{\"type\":\"message\",\"message\":{{\"role\":\"{name}\"}}}}");
        Transcript::from_str(&text).entries()[0].role().unwrap()
    };
    assert_eq!(role("hookMessage"), Role::Custom);
    assert_eq!(role("bashExecution"), Role::BashExecution);
    assert_eq!(role("compactionSummary"), Role::CompactionSummary);
    assert_eq!(role("branchSummary"), Role::BranchSummary);
    assert_eq!(role("toolresult"), Role::Unknown);
    let stop = |name: &str| {
        let text = format!(
            "{{\"type\":\"message\",\"message\":{{\"role\":\"assistant\",\"stopReason\":\"{name}\"}}}}"
        );
        Transcript::from_str(&text).entries()[0].message().unwrap().stop_reason().unwrap()
    };
    assert_eq!(stop("length"), StopReason::Length);
    assert_eq!(stop("tool_calls"), StopReason::ToolUse);
    assert_eq!(stop("aborted"), StopReason::Aborted);
    assert_eq!(stop("content_filter"), StopReason::Other);
}

#[test]
fn blocks_of_all_kinds() {
    let content = json!([
        {"type": "text", "text": "a", "textSignature": "{\"v\":1,\"id\":\"c\",\"phase\":\"commentary\"}"},
        {"type": "text", "text": "b", "textSignature": "opaque"},
        {"type": "thinking", "thinking": "t", "thinkingSignature": "reasoning_content"},
        {"type": "thinking", "redacted": true},
        {"type": "toolUse", "id": "c1", "name": "read", "input": {"path": "p"}},
        {"type": "functionCall", "id": "c2", "name": "write", "args": {"path": "q"}},
        {"type": "toolCall", "id": "c3", "name": "exec", "arguments": {"command": "ls"}, "partialArgs": "{"},
        {"type": "image", "mimeType": "image/png"},
        "bare", null, 7, {"text": "no type"},
    ]);
    let text = file(&[with(says("a1", Value::Null, ""), "message.content", content)]);
    let transcript = Transcript::from_str(&text);
    let message = transcript.entries()[1].message().unwrap();
    assert_eq!(message.joined_text(), "a\nb");
    let kinds: String = message
        .blocks()
        .map(|block| match block {
            Block::Text(text) if text.is_commentary() => 'c',
            Block::Text(_) => 't',
            Block::Thinking(_) => 'h',
            Block::ToolCall(_) => 'T',
            Block::Image(image) => {
                if image.base64_len().is_none() {
                    'i'
                } else {
                    'I'
                }
            }
            _ => '?',
        })
        .collect();
    assert_eq!(kinds, "cth?TTTi????");
    let arguments: Vec<String> = message
        .blocks()
        .filter_map(|block| match block {
            Block::ToolCall(call) => Some(call.arguments().unwrap().as_str().to_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(arguments, ["{\"path\":\"p\"}", "{\"path\":\"q\"}", "{\"command\":\"ls\"}"]);
    // Ranges are places in the entry's text.
    let raw = transcript.entries()[1].raw();
    for block in message.blocks() {
        match block {
            Block::Text(text) => assert_eq!(raw.get(text.range()), Some(&*format!("\"{}\"", text.text()))),
            Block::Thinking(block) => assert_eq!(raw.get(block.range()), Some("\"t\"")),
            Block::ToolCall(call) => assert_eq!(raw.get(call.range()), Some(call.json().as_str())),
            _ => {}
        }
    }
    assert_eq!(raw.get(message.range()), Some(message.json().as_str()));
}

#[test]
fn numbers_where_integers_are_expected() {
    for (json, whole) in [
        ("3", Some(3)),
        ("3.0", Some(3)),
        ("3e0", Some(3)),
        ("30E-1", Some(3)),
        ("-0", Some(0)),
        ("3.5", None),
        ("1e400", None),
        ("9223372036854775807", Some(i64::MAX)),
        ("9223372036854775808", None),
        ("\"3\"", None),
        ("null", None),
        ("[3]", None),
    ] {
        assert_eq!(RawJson::parse(json).unwrap().as_i64(), whole, "{json}");
    }
}

#[test]
fn messages_without_rows_around_them() {
    let text = json!([
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "exec", "arguments": {}}]},
        {"role": "toolResult", "toolCallId": "c", "content": [{"type": "text", "text": "ok"}], "isError": false},
        null, "text", [1],
        {"role": "assistant", "content": [{"type": "text", "text": "done"}], "stopReason": "stop"},
    ])
    .to_string();
    let transcript = Transcript::from_messages(RawJson::parse(&text).unwrap());
    assert_eq!(problems(transcript.report()), "non_object@4 non_object@5 non_object@6");
    assert_eq!(transcript.entries().len(), 7);
    assert_eq!(outline(&transcript.conversation()), "turn  stop \"done\"\n  : exec#c=ok\n  :");
    assert_eq!(transcript.report().problems[0].offset, text.find("null").unwrap() as u64);
    for entry in transcript.entries() {
        let at = usize::try_from(entry.offset()).unwrap();
        assert_eq!(text.get(at..at + entry.raw().len()), Some(entry.raw()));
    }
    assert!(Transcript::from_messages(RawJson::parse("{}").unwrap()).entries().is_empty());
}

#[test]
fn debug_output_shows_no_content() {
    let text = file(&[user("u1", Value::Null, "a secret word"), calls("a1", "u1", &[("c1", "exec")])]);
    let transcript = Transcript::from_str(&text);
    let shown = format!("{:?} {:?}", transcript.entries(), transcript.tree());
    assert!(!shown.contains("secret"), "{shown}");
    let conversation = transcript.conversation();
    let stored = conversation.turns[0].stored_user_text();
    let speaker = conversation.turns[0].speaker(&stored, None).unwrap();
    let message = transcript.active().next().unwrap().message().unwrap();
    let typed = typed_text("a secret word");
    let mut decoder = LineDecoder::new(Limits::default());
    decoder.push(b"{\"secret\":1}\n{\"secret");
    let row = Row { json: Some(b"secret"), ..Row::default() };
    let shown = format!(
        "{conversation:?} {speaker:?} {message:?} {:?} {typed:?} {decoder:?} {row:?}",
        message.blocks().collect::<Vec<_>>()
    );
    assert!(!shown.contains("secret") && !shown.contains("115, 101, 99"), "{shown}");
    let payload = r#"{"event":{"messages":[{"role":"user","content":"secret"}]},"ctx":{"a":"secret"}}"#;
    let event = TrajectoryEvent::parse(payload).unwrap();
    let shown = format!("{:?} {event:?}", AgentEnd::parse(payload).unwrap());
    assert!(!shown.contains("secret"), "{shown}");
    assert_eq!(active_ids(&transcript), "u1 a1");
}

//! Bytes to entries: damage of every kind, and what it may cost.

use clawgauge_transcript::{
    Block, EntryType, Limits, LineDecoder, Parent, ProblemKind, RawJson, Role, StopReason, Timestamp,
    Transcript,
};
use serde_json::{Value, json};

use crate::support::{
    Check, active_ids, answers, calls, file, header, ids, outline, problems, says, user, with,
};

/// Bytes, the ids that are read from them, and what is reported.
fn expect_each(cases: &[(&str, Vec<u8>, &str, &str)]) {
    let mut check = Check::default();
    for (name, bytes, want_ids, want_problems) in cases {
        let transcript = Transcript::from_slice(bytes);
        check.case(name);
        check.eq("ids", ids(&transcript), *want_ids);
        check.eq("problems", problems(transcript.report()), *want_problems);
        for entry in transcript.entries() {
            let at = usize::try_from(entry.offset()).unwrap();
            check.eq("bytes", bytes.get(at..at + entry.bytes().len()), Some(entry.bytes()));
        }
    }
    check.done();
}

/// A short row of each kind that the cases are made of.
struct Rows {
    head: String,
    u1: String,
    a1: String,
    u2: String,
}

fn rows() -> Rows {
    Rows {
        head: header().to_string(),
        u1: user("u1", Value::Null, "one").to_string(),
        a1: says("a1", "u1", "first").to_string(),
        u2: user("u2", "a1", "two").to_string(),
    }
}

#[test]
fn a_torn_row_costs_no_complete_one() {
    let Rows { head, u1, a1, u2 } = rows();
    let torn = &a1[..a1.len() / 2];
    let case = |name: &'static str, text: String, ids: &'static str, problems: &'static str| {
        (name, text.into_bytes(), ids, problems)
    };
    expect_each(&[
        case("then appended", format!("{head}\n{u1}\n{torn}{u2}\n"), "s u1 u2", "recovered_suffix@3"),
        case(
            "then appended twice",
            format!("{head}\n{torn}{torn}{u1}\n{u2}\n"),
            "s u1 u2",
            "recovered_suffix@2",
        ),
        case(
            "torn between complete ones",
            format!("{head}\n{u1}{torn}{u2}\n"),
            "s u1 u2",
            "recovered_suffix@2",
        ),
        case(
            "appended and torn again",
            format!("{head}\n{torn}{u1}{torn}"),
            "s u1",
            "recovered_suffix@2 torn_tail@2",
        ),
        case(
            "the same with a line end",
            format!("{head}\n{torn}{u1}{torn}\n{u2}\n"),
            "s u1 u2",
            "recovered_suffix@2 malformed@2",
        ),
        case("appended without a line end", format!("{head}\n{torn}{u1}"), "s u1", "recovered_suffix@2"),
        case("a torn header", format!("{}{head}\n{u1}\n", &head[..20]), "s u1", "recovered_suffix@1"),
        case(
            "the end of a row whose beginning is lost",
            format!("{}\n{head}\n{u1}\n", &u2[30..]),
            "s u1",
            "malformed@1",
        ),
        case(
            "and a complete one after it",
            format!("{head}\n{}{u1}\n", &u2[30..]),
            "s u1",
            "recovered_suffix@2",
        ),
        case("the beginning of a word", format!("{head}\n{u1}\ntru"), "s u1", "torn_tail@3"),
        case("what may be the beginning of a number", format!("{head}\n{u1}\n12"), "s u1", "torn_tail@3"),
        case("only a brace", format!("{head}\n{u1}\n{{"), "s u1", "torn_tail@3"),
        case("only a brace in the middle", format!("{head}\n{{\n{u1}\n"), "s u1", "malformed@2"),
    ]);
}

#[test]
fn a_missing_line_end_costs_no_row() {
    let Rows { head, u1, a1, u2 } = rows();
    let case = |name: &'static str, text: String, ids: &'static str, problems: &'static str| {
        (name, text.into_bytes(), ids, problems)
    };
    expect_each(&[
        case("two rows", format!("{head}\n{u1}{a1}\n{u2}\n"), "s u1 a1 u2", "glued_rows@2"),
        case("with a blank between", format!("{head}\n{u1} {a1}\n{u2}\n"), "s u1 a1 u2", "glued_rows@2"),
        case("the header too", format!("{head}{u1}{a1}{u2}"), "s u1 a1 u2", "glued_rows@1"),
        case("carriage returns only", format!("{head}\r{u1}\r{a1}\r{u2}\r"), "s u1 a1 u2", "glued_rows@1"),
        case("and a torn tail", format!("{head}\n{u1}{}", &a1[..40]), "s u1", "torn_tail@2"),
        case(
            "an unknown type",
            format!("{head}\n{{\"type\":\"x\",\"id\":\"x1\"}}{u1}\n"),
            "s x1 u1",
            "glued_rows@2",
        ),
        // Not rows: nothing says that they are more than rubbish.
        case("objects without a type", format!("{head}\n{{}}{{\"a\":1}}\n{u1}\n"), "s u1", "malformed@2"),
        case("rows in an array", format!("{head}\n[{u1},{a1}]\n{u2}\n"), "s u2", "non_object@2"),
        case("rubbish after a row", format!("{head}\n{u1};\n{u2}\n"), "s u2", "malformed@2"),
    ]);
}

#[test]
fn rows_inside_of_rows_are_no_rows() {
    let Rows { head, u1, a1, u2 } = rows();
    // A result that quotes another session, torn.
    let quoting = with(
        answers("r1", "a1", "c1", "x"),
        "message.details",
        json!({"rows": [
        serde_json::from_str::<Value>(&u1).unwrap(),
        serde_json::from_str::<Value>(&a1).unwrap(),
    ], "after": 1}),
    )
    .to_string();
    let cut = quoting.find("\"after\"").or_else(|| quoting.find("]")).unwrap();
    expect_each(&[
        ("whole", format!("{head}\n{quoting}\n{u2}\n").into_bytes(), "s r1 u2", ""),
        ("torn", format!("{head}\n{}\n{u2}\n", &quoting[..cut]).into_bytes(), "s u2", "malformed@2"),
        (
            "torn and appended",
            format!("{head}\n{}{u2}\n", &quoting[..cut]).into_bytes(),
            "s u2",
            "recovered_suffix@2",
        ),
    ]);
}

#[test]
fn the_header_may_be_missing_or_come_again() {
    let Rows { head, u1, a1, u2 } = rows();
    let newer = with(header(), "version", json!(9)).to_string();
    let case = |name: &'static str, text: String, ids: &'static str, problems: &'static str| {
        (name, text.into_bytes(), ids, problems)
    };
    expect_each(&[
        case("missing", format!("{u1}\n{a1}\n"), "u1 a1", "missing_header@1"),
        case("late", format!("{u1}\n{head}\n{a1}\n"), "u1 s a1", "missing_header@1"),
        case("broken", format!("{}\n{u1}\n", &head[..30]), "u1", "malformed@1 missing_header@2"),
        case("twice", format!("{head}\n{u1}\n{head}\n{u2}\n"), "s u1 s u2", "extra_header@3"),
        case("newer", format!("{newer}\n{u1}\n"), "s u1", "unsupported_version@1"),
        case("only", format!("{head}\n"), "s", ""),
        case("nothing", String::new(), "", ""),
        case("blank lines", "\n\r\n \t\n\n".to_owned(), "", ""),
    ]);
    let text = format!("{u1}\n{a1}\n");
    let transcript = Transcript::from_str(&text);
    assert_eq!((transcript.session_id(), transcript.version(), transcript.cwd()), (None, None, None));
    assert_eq!(transcript.started_at(), Timestamp::parse("2026-05-04T09:00:01.000Z"));
    assert!(!transcript.report().has_loss());
}

#[test]
fn versions_may_be_written_in_odd_ways() {
    for (version, read) in [("3", 3), ("3.0", 3), ("3e0", 3), ("null", 1), ("\"3\"", 1), ("1", 1), ("4", 4)] {
        let text = format!("{{\"type\":\"session\",\"version\":{version},\"id\":\"s\"}}\n");
        let transcript = Transcript::from_str(&text);
        assert_eq!((transcript.version(), transcript.report().is_clean()), (Some(read), true), "{version}");
    }
}

#[test]
fn strange_bytes_cost_at_most_their_line() {
    let Rows { head, u1, a1, u2 } = rows();
    let bytes = |parts: &[&[u8]]| parts.concat();
    let (head, u1, a1, u2) = (head.as_bytes(), u1.as_bytes(), a1.as_bytes(), u2.as_bytes());
    let nul = [0_u8; 64];
    let mark = "\u{feff}".as_bytes();
    let torn = &a1[..40];
    expect_each(&[
        ("a block of NUL", bytes(&[head, b"\n", &nul, b"\n", u1, b"\n"]), "s u1", "malformed@2"),
        ("NUL before a row", bytes(&[head, b"\n", &nul, u1, b"\n"]), "s u1", "recovered_suffix@2"),
        ("NUL at the end", bytes(&[head, b"\n", u1, b"\n", &nul]), "s u1", "torn_tail@3"),
        ("a mark on a later line", bytes(&[head, b"\n", mark, u1, b"\n", u2]), "s u1 u2", "bom@2"),
        ("a mark on an empty line", bytes(&[mark, b"\n", head, b"\n", u1]), "s u1", "bom@1"),
        ("two marks", bytes(&[mark, mark, head, b"\n", u1]), "s u1", "bom@1"),
        ("a mark inside of a line", bytes(&[head, b"\n", u1, mark, a1, b"\n"]), "s a1", "recovered_suffix@2"),
        (
            "a row torn inside of a character",
            bytes(&[head, b"\n{\"type\":\"message\",\"id\":\"\xc3", u1, b"\n"]),
            "s u1",
            "recovered_suffix@2",
        ),
        ("UTF-16", bytes(&[head, b"\n{\0\"\0a\0\"\0:\x001\0}\0\n", u1, b"\n"]), "s u1", "malformed@2"),
        ("latin-1 in a torn tail", bytes(&[head, b"\n", u1, b"\n{\"type\":\"m\xe9"]), "s u1", "torn_tail@3"),
        ("form feed", bytes(&[head, b"\n\x0c\n", u1, b"\n"]), "s u1", "malformed@2"),
        (
            "torn with bad bytes, glued",
            bytes(&[head, b"\n", torn, b"\xff\xfe", u1, u2]),
            "s u1 u2",
            "recovered_suffix@2",
        ),
    ]);
}

#[test]
fn invalid_utf8_is_kept_beside_what_is_read() {
    let line = b"{\"type\":\"message\",\"id\":\"u1\",\"message\":{\"role\":\"user\",\"content\":\"a\xff\xfe\xe2\x82z\"}}";
    let file = [header().to_string().as_bytes(), b"\n", line, b"\r\n"].concat();
    let transcript = Transcript::from_slice(&file);
    assert_eq!(problems(transcript.report()), "invalid_utf8@2");
    let entry = &transcript.entries()[1];
    assert_eq!(entry.message().unwrap().joined_text(), "a\u{fffd}\u{fffd}\u{fffd}z");
    assert_eq!(entry.bytes(), line);
    let mut written = Vec::new();
    transcript.write_to(&mut written).unwrap();
    assert_eq!(written, file);
    // An id with bad bytes is an id all the same.
    let file = b"{\"type\":\"label\",\"id\":\"\xff\",\"parentId\":null}\n";
    assert_eq!(ids(&Transcript::from_slice(file)), "\u{fffd}");
}

#[test]
fn raw_control_characters_read_as_if_escaped() {
    let text = format!(
        "{}\n{{\"type\":\"message\",\"id\":\"u1\",\"message\":{{\"role\":\"user\",\"content\":\"tab\there \u{1}\u{0} back\\\\\tend\"}}}}\n",
        header()
    );
    let transcript = Transcript::from_str(&text);
    assert_eq!(problems(transcript.report()), "control_char@2");
    let entry = &transcript.entries()[1];
    assert_eq!(entry.message().unwrap().joined_text(), "tab\there \u{1}\0 back\\\tend");
    assert_eq!(entry.bytes(), text.lines().nth(1).unwrap().as_bytes());
    // Outside of strings a control character is no JSON.
    let text = format!("{}\n{{\u{1}\"type\":\"label\",\"id\":\"x\"}}\n", header());
    assert_eq!(problems(Transcript::from_str(&text).report()), "malformed@2");
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
fn nesting_beyond_the_limit_costs_its_line() {
    let nested = |depth: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        format!("{{\"type\":\"custom\",\"id\":\"c{depth}\",\"data\":{open}{close}}}")
    };
    let u1 = user("u1", Value::Null, "one");
    let text = format!("{}\n{}\n{}\n{}\n{u1}\n", header(), nested(119), nested(120), nested(100_000));
    let transcript = Transcript::from_str(&text);
    assert_eq!(ids(&transcript), "s c119 u1");
    assert_eq!(problems(transcript.report()), "too_deep@3 too_deep@4");
    assert!(transcript.report().has_loss());
    assert!(transcript.entries()[1].get("data").unwrap().to_value().is_some());
    let text = format!("{}\n{}\n{u1}\n", header(), "[".repeat(1_000_000));
    assert_eq!(problems(Transcript::from_str(&text).report()), "too_deep@2");
    // In a torn row too.
    let text = format!("{}\n{{\"type\":\"custom\",\"data\":{}{u1}\n", header(), "[".repeat(1000));
    assert_eq!(ids(&Transcript::from_str(&text)), "s u1");
}

#[test]
fn a_line_beyond_the_limit_costs_itself_only() {
    let long = user("long", Value::Null, &"x".repeat(5000)).to_string();
    let short = user("u1", Value::Null, "one").to_string();
    let text = format!("{}\n{long}\n{short}\r\n{long}", header());
    let limits = Limits::default().with_max_line_bytes(1000);
    let transcript = Transcript::from_slice_with(text.as_bytes(), limits);
    assert_eq!(ids(&transcript), "s u1");
    assert_eq!(problems(transcript.report()), "oversized_record@2 oversized_record@4");
    let offsets: Vec<u64> = transcript.report().problems.iter().map(|problem| problem.offset).collect();
    assert_eq!(offsets, [header().to_string().len() as u64 + 1, (text.len() - long.len()) as u64]);
    // A line of exactly the limit is read.
    let limits = Limits::default().with_max_line_bytes(long.len());
    assert_eq!(ids(&Transcript::from_slice_with(text.as_bytes(), limits)), "s long u1 long");
    // And it is never held: with pieces of 64 bytes the decoder keeps no more than the limit and one piece.
    let mut decoder = LineDecoder::new(Limits::default().with_max_line_bytes(1000));
    let mut read = Vec::new();
    for piece in text.as_bytes().chunks(64) {
        decoder.push(piece);
        read.extend(std::iter::from_fn(|| decoder.next_entry()));
    }
    read.extend(std::iter::from_fn(|| decoder.finish()));
    assert_eq!(read.len(), 2);
    assert_eq!(problems(decoder.report()), "oversized_record@2 oversized_record@4");
}

#[test]
fn rows_beyond_the_limit_are_reported_once() {
    let mut limits = Limits::default();
    limits.max_entries = 2;
    let rows: Vec<Value> = (0..5).map(|n| user(&format!("u{n}"), Value::Null, "x")).collect();
    let transcript_text = file(&rows);
    let transcript = Transcript::from_slice_with(transcript_text.as_bytes(), limits);
    assert_eq!(ids(&transcript), "s u0");
    assert_eq!(problems(transcript.report()), "too_many_entries@3");
    assert!(transcript.report().has_loss());
}

#[test]
fn problems_beyond_the_limit_are_counted() {
    let mut limits = Limits::default();
    limits.max_problems = 3;
    let text = format!("{}\n{}", header(), "oops\n".repeat(10));
    let transcript = Transcript::from_slice_with(text.as_bytes(), limits);
    assert_eq!(transcript.report().problems.len(), 3);
    assert_eq!(transcript.report().count(ProblemKind::Malformed), 10);
}

#[test]
fn searching_rows_in_a_long_broken_line_takes_linear_time() {
    // Nearly rows, nested ones, and no end: each of these would take hours if every place were tried to the end.
    let deep = "{\"a\":".repeat(100);
    for piece in [
        "{\"type\":\"message\",\"id\":\"x\",\"a\":[",
        "{\"a\":1},",
        "{",
        "{\"",
        deep.as_str(),
        "{\"a\":\"\u{e9}",
    ] {
        let text = format!("{}\n{}\n", header(), piece.repeat(2_000_000 / piece.len()));
        let transcript = Transcript::from_str(&text);
        assert_eq!(transcript.entries().len(), 1);
        assert!(transcript.report().has_loss());
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
    let text = file(&[user("u1", Value::Null, "a secret word"), calls("a1", "u1", &[("c1", "secret")])]);
    let transcript = Transcript::from_str(&text);
    let shown = format!("{:?} {:?}", transcript.entries(), transcript.tree());
    assert!(!shown.contains("secret"), "{shown}");
    assert_eq!(active_ids(&transcript), "u1 a1");
}

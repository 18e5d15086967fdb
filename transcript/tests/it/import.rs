//! Other runtimes in the same model.

use clawgauge_transcript::{
    ClaudeCode, EntryType, GatewayLog, Importer as _, Limits, LogLevel, LogLine, OpenAiChat, ProblemKind,
    Role, TrajectoryEvent, TrajectoryFile, TrajectoryKind, Transcript, Usage, import, importers,
};

const CLAUDE: &str = include_str!("../fixtures/claude-code.jsonl");
const CHAT: &str = include_str!("../fixtures/openai-chat.json");

/// Calls of the active conversation: name, whether there is a result, whether it is marked as an error.
fn calls(transcript: &Transcript<'_>) -> Vec<(String, bool, Option<bool>)> {
    let conversation = transcript.conversation();
    conversation
        .calls()
        .map(|call| {
            let error = call.result.as_ref().and_then(|result| result.is_error);
            (call.name.to_string(), call.result.is_some(), error)
        })
        .collect()
}

fn roles(transcript: &Transcript<'_>) -> Vec<Role> {
    transcript.active().filter_map(clawgauge_transcript::Entry::role).collect()
}

#[test]
fn claude_code_counts_made_by_hand() {
    let sessions = ClaudeCode.sessions(CLAUDE.as_bytes(), Limits::default());
    assert_eq!(sessions.len(), 2);
    let [main, agent] = &sessions[..] else { panic!() };
    assert_eq!(main.session_id().as_deref(), Some("7c1f0a52-0d3e-4b7e-9a11-000000000001"));
    assert_eq!(main.cwd().as_deref(), Some("/srv/garden"));
    // Two lines of the person and one of the program; three answers, however many lines they had.
    assert_eq!(roles(main).iter().filter(|role| **role == Role::User).count(), 3);
    assert_eq!(roles(main).iter().filter(|role| **role == Role::Assistant).count(), 3);
    assert_eq!(
        calls(main),
        [
            ("Bash".to_owned(), true, Some(false)),
            ("Read".to_owned(), true, Some(true)),
            ("Task".to_owned(), true, None),
        ]
    );
    // Usage once an answer, with the counts of its last line: 60 + 30 + 15.
    let outputs: Vec<_> =
        main.active().filter_map(|entry| entry.message()?.usage()).map(|usage| usage.output).collect();
    assert_eq!(outputs, [Some(60), Some(30), Some(15)]);
    // The subagent is a session of its own that names its parent.
    assert_eq!(
        agent.header().unwrap().get("parentSession").unwrap().text().as_deref(),
        main.session_id().as_deref()
    );
    assert_eq!(calls(agent), [("Glob".to_owned(), true, None)]);
    assert_eq!(roles(agent).len(), 4);
    // The summary and the duration are kept as notes; the torn last line is reported where it stands.
    assert_eq!(main.entries().iter().filter(|entry| entry.entry_type() == EntryType::Custom).count(), 2);
    assert_eq!(main.report().count(ProblemKind::TornTail), 1);
    assert_eq!(main.report().problems[0].line, CLAUDE.lines().count() as u64);
    // Nothing is dropped: every line's id is in some row.
    let all: String =
        sessions.iter().flat_map(Transcript::entries).map(|entry| entry.raw().to_owned()).collect();
    for line in CLAUDE.lines().filter(|line| line.contains("\"uuid\"")) {
        let id = line.split("\"uuid\":\"").nth(1).unwrap().split('"').next().unwrap();
        assert!(all.contains(&format!("\"uuid\":\"{id}\"")), "{id}");
    }
}

#[test]
fn openai_chat_counts_made_by_hand() {
    let sessions = OpenAiChat.sessions(CHAT.as_bytes(), Limits::default());
    let [chat] = &sessions[..] else { panic!() };
    assert_eq!(chat.session_id().as_deref(), Some("chatcmpl-77"));
    let count = |role: Role| roles(chat).iter().filter(|found| **found == role).count();
    assert_eq!((count(Role::User), count(Role::Assistant), count(Role::ToolResult)), (2, 4, 3));
    let calls = calls(chat);
    assert_eq!(
        calls.iter().map(|call| (&*call.0, call.1)).collect::<Vec<_>>(),
        [("count", true), ("weather", true), ("count", true)]
    );
    let usage: Vec<Usage> = chat.active().filter_map(|entry| entry.message()?.usage()).collect();
    assert_eq!(usage.len(), 1);
    // 120 prompt tokens, 100 of them from the cache.
    assert_eq!((usage[0].input, usage[0].cache_read, usage[0].output), (Some(20), Some(100), Some(4)));
    assert_eq!(chat.entries().iter().filter(|entry| entry.entry_type() == EntryType::Custom).count(), 1);
}

#[test]
fn openai_chat_in_its_other_layouts() {
    let array = r#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]"#;
    let lines = "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"assistant\",\"content\":\"b\"}\n";
    let rows = "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n{\"messages\":[{\"role\":\"user\",\"content\":\"c\"}]}\nnot JSON\n";
    for (text, sessions, users) in [(array, 1, 1), (lines, 1, 1), (rows, 2, 2)] {
        assert!(OpenAiChat.recognises(text.as_bytes()), "{text}");
        let read = import(text.as_bytes(), Limits::default());
        assert_eq!(read.len(), sessions, "{text}");
        assert_eq!(read.iter().flat_map(roles).filter(|role| *role == Role::User).count(), users, "{text}");
    }
    assert_eq!(import(rows.as_bytes(), Limits::default())[0].report().count(ProblemKind::Malformed), 1);
}

#[test]
fn each_form_is_recognised_as_itself() {
    let session = "{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n";
    let log = "{\"session_id\":\"s\",\"msg\":\"run start\",\"ts\":\"2026-03-01T10:00:00Z\"}\n";
    let trajectory = "{\"traceSchema\":\"openclaw-trajectory\",\"schemaVersion\":1,\"type\":\"session.started\",\"sessionId\":\"s\"}\n";
    for (text, name) in [
        (CLAUDE, Some("claude_code")),
        (CHAT, Some("openai_chat")),
        (log, Some("openclaw_log")),
        (trajectory, Some("openclaw_trajectory")),
        (session, None),
        ("", None),
        ("[1, 2]", None),
    ] {
        let found = importers().into_iter().find(|importer| importer.recognises(text.as_bytes()));
        assert_eq!(found.map(clawgauge_transcript::Importer::name), name, "{text:.60}");
    }
    assert_eq!(import(session.as_bytes(), Limits::default())[0], Transcript::from_str(session));
}

#[test]
fn a_flat_log_is_a_conversation() {
    let log = r#"{"session_id":"s-1","msg":"run start","ts":"2026-03-01T10:00:00Z","user_message":"Is the disk full?","agent":"main"}
{"session_id":"s-2","msg":"run start","ts":"2026-03-01T10:00:00Z"}
{"session_id":"s-1","msg":"tool_start","ts":"2026-03-01T10:00:01Z","tool":"exec","input":{"command":"df"}}
{"session_id":"s-1","msg":"tool_start","ts":"2026-03-01T10:00:01Z","tool":"exec","input":{"command":"du"}}
{"session_id":"s-1","msg":"tool_end","ts":"2026-03-01T10:00:02Z","tool":"exec","output":"/ 40%","duration":5}
{"session_id":"s-1","msg":"reply","ts":"2026-03-01T10:01:00Z","response":"It is fine"}
"#;
    let sessions = GatewayLog.sessions(log.as_bytes(), Limits::default());
    assert_eq!(
        sessions.iter().map(|s| s.session_id().unwrap().into_owned()).collect::<Vec<_>>(),
        ["s-1", "s-2"]
    );
    assert_eq!(calls(&sessions[0]).iter().map(|call| call.1).collect::<Vec<_>>(), [true, false]);
    assert_eq!(
        roles(&sessions[0]),
        [Role::User, Role::Assistant, Role::Assistant, Role::ToolResult, Role::Assistant]
    );
}

#[test]
fn lines_as_gateways_write_them() {
    let line = LogLine::parse(
        r#"{"0":"{\"subsystem\":\"agent/embedded\"}","1":{"runId":"r-1","sessionId":"s-1","sessionKey":"agent:main:x","agentId":"main"},"2":"read tool called without path","_meta":{"logLevelName":"WARN","date":"2026-11-30T11:15:42.929Z"},"time":"2026-11-30T11:15:42.930+00:00","message":"read tool called without path"}"#,
    )
    .unwrap();
    assert_eq!(line.subsystem.as_deref(), Some("agent/embedded"));
    assert_eq!(line.level, Some(LogLevel::Warn));
    assert_eq!(
        (line.session_id.as_deref(), line.run_id.as_deref(), line.agent_id.as_deref()),
        (Some("s-1"), Some("r-1"), Some("main"))
    );
    assert_eq!(line.time.unwrap().to_string(), "2026-11-30T11:15:42.930Z");
    let plain = LogLine::parse(r#"{"0":"Config valid: x","_meta":{"date":"2026-11-30T11:49:05.684Z"},"time":"2026-11-30T11:49:05.684+00:00"}"#).unwrap();
    assert_eq!((&*plain.message, plain.subsystem), ("Config valid: x", None));
    let two = LogLine::parse(r#"{"0":"{\"subsystem\":\"gateway\"}","1":"embedded run agent end: runId=r-9 isError=false","_meta":{}}"#).unwrap();
    assert_eq!((two.run_id.as_deref(), two.subsystem.as_deref()), (Some("r-9"), Some("gateway")));
    assert!(two.message.starts_with("embedded run"));
    assert!(LogLine::parse("not JSON").is_none());
    assert!(!format!("{two:?}").contains("embedded run"));
}

fn trajectory(events: &[(&str, &str)]) -> String {
    let event = |(kind, data): &(&str, &str)| {
        format!(
            "{{\"traceSchema\":\"openclaw-trajectory\",\"schemaVersion\":1,\"type\":\"{kind}\",\"ts\":\"2026-05-04T09:00:00.000Z\",\"sessionId\":\"s-1\",\"runId\":\"r\",\"modelId\":\"m\",\"provider\":\"p\",\"data\":{data}}}\n"
        )
    };
    events.iter().map(event).collect()
}

#[test]
fn a_trajectory_whose_snapshot_was_cut_off() {
    let text = trajectory(&[
        ("prompt.submitted", r#"{"prompt":"one"}"#),
        (
            "model.completed",
            r#"{"messagesSnapshot":[{"role":"user","content":"one"},{"role":"assistant","content":[{"type":"text","text":"first"}]}]}"#,
        ),
        ("prompt.submitted", r#"{"prompt":"two"}"#),
        ("tool.call", r#"{"toolCallId":"c1","name":"exec","args":{"command":"ls"}}"#),
        (
            "tool.result",
            r#"{"toolCallId":"c1","name":"exec","success":false,"result":{"content":[{"type":"text","text":"no"}],"details":{"exitCode":2}}}"#,
        ),
        (
            "model.completed",
            r#"{"assistantTexts":["second"],"stopReason":"stop","truncated":true,"droppedFields":["messagesSnapshot"]}"#,
        ),
    ]);
    let sessions = TrajectoryFile.sessions(text.as_bytes(), Limits::default());
    let [session] = &sessions[..] else { panic!() };
    assert_eq!(
        roles(session),
        [Role::User, Role::Assistant, Role::User, Role::Assistant, Role::ToolResult, Role::Assistant]
    );
    assert_eq!(calls(session), [("exec".to_owned(), true, Some(true))]);
    assert_eq!(session.report().count(ProblemKind::Unreadable), 1);
    let event = TrajectoryEvent::parse(text.lines().last().unwrap()).unwrap();
    assert!(event.truncated() && event.snapshot().is_none());
    assert_eq!(event.kind(), TrajectoryKind::ModelCompleted);
}

/// Every form of damage leaves what stands before it, and says what it was.
#[test]
fn damaged_chats_keep_what_can_be_read() {
    use ProblemKind::{Bom, InvalidUtf8, LoneSurrogate, Malformed, TooDeep, TornTail};
    let message = r#"{"role":"user","content":"a"}"#;
    let deep = format!(r#"{{"role":"user","content":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    let rows: [(Vec<u8>, usize, &[ProblemKind]); 9] = [
        (format!("\u{feff}[{message},{message}]").into(), 2, &[Bom]),
        (
            [b"[", message.as_bytes(), b",{\"role\":\"user\",\"content\":\"\xff\"}]"].concat(),
            2,
            &[InvalidUtf8],
        ),
        (format!(r#"[{message},{{"role":"user","content":"\ud83d"}}]"#).into(), 2, &[LoneSurrogate]),
        (format!(r#"[{message},{message},{{"role":"us"#).into(), 2, &[TornTail]),
        (format!("[\n {message},\n {message},\n").into(), 2, &[TornTail]),
        (format!("[{message} {message}]").into(), 1, &[Malformed]),
        (format!("[{message},{deep}]").into(), 1, &[TooDeep]),
        ([message.as_bytes(), b"\n{\"role\":\"user\",\"content\":\"\xff\"}\n"].concat(), 2, &[InvalidUtf8]),
        (format!("{message}\n{deep}\n{message}\n").into(), 2, &[TooDeep]),
    ];
    for (bytes, users, kinds) in rows {
        let text = String::from_utf8_lossy(&bytes);
        let sessions = import(&bytes, Limits::default());
        let [chat] = &sessions[..] else { panic!("{text}") };
        assert_eq!(roles(chat), vec![Role::User; users], "{text}");
        let found: Vec<_> = chat.report().problems.iter().map(|problem| problem.kind).collect();
        assert_eq!(found, kinds, "{text}");
    }
    assert_eq!(import(b"[", Limits::default())[0].report().count(TornTail), 1);
}

#[test]
fn a_number_beyond_all_range_costs_no_row() {
    let row = r#"{"role":"user","content":"a","x":{"n":[1e999]}}"#;
    for text in [format!("[{row}]"), format!("{row}\n{row}\n")] {
        let sessions = import(text.as_bytes(), Limits::default());
        assert!(sessions[0].report().is_clean() && sessions[0].entries().len() >= 2, "{text}");
        assert!(sessions[0].entries()[1].raw().contains("1e999"), "{text}");
    }
}

#[test]
fn a_list_of_conversations_is_as_many() {
    let chat = br#"[{"messages":[{"role":"user","content":"a"}]},{"id":"two","messages":[]},5]"#;
    let sessions = import(chat, Limits::default());
    let ids: Vec<_> = sessions.iter().map(|session| session.session_id().unwrap().into_owned()).collect();
    assert_eq!(ids, ["chat", "chat-1", "two"]);
    // What is no conversation is kept all the same.
    assert!(sessions.iter().flat_map(Transcript::entries).any(|entry| entry.raw().contains("{\"value\":5}")));
}

#[test]
fn what_a_stored_response_holds_beside_its_answer_is_a_note() {
    let stored = br#"{"messages":[{"role":"user","content":"a"}],"tools":[{"name":"lamp"}],"usage":{"prompt_tokens":5},
        "choices":[{"message":{"role":"assistant","content":"one"}},{"message":{"role":"assistant","content":"two"}}]}"#;
    let sessions = import(stored, Limits::default());
    assert_eq!(roles(&sessions[0]), [Role::User, Role::Assistant]);
    let notes: Vec<_> =
        sessions[0].entries().iter().filter(|entry| entry.entry_type() == EntryType::Custom).collect();
    assert_eq!(notes.len(), 1);
    assert!(notes[0].raw().contains("lamp") && notes[0].raw().contains("\"two\""));
}

#[test]
fn a_first_row_longer_than_the_head_is_recognised() {
    let text = "x".repeat(100_000);
    let row = format!(
        r#"{{"parentUuid":null,"sessionId":"c","type":"user","message":{{"role":"user","content":"{text}"}},"uuid":"u"}}"#
    );
    let sessions = import(row.as_bytes(), Limits::default());
    assert_eq!(sessions[0].session_id().as_deref(), Some("c"));
    assert_eq!(roles(&sessions[0]), [Role::User]);
}

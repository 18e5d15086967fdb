//! Sessions that real OpenClaw versions wrote, and what happened in them.

use clawgauge_transcript::{Outcome, Transcript, TurnEnd};
use serde_json::Value;

use crate::support::{Check, expect, fixture, fixtures_in, outline, problems};

const SESSIONS: &[(&str, &str, &str)] = &[
    // Two headers, an answer injected as a root between them, then the run that it stopped.
    (
        "2026.3.31/207d9e14",
        "extra_header@3",
        r#"
        turn 0d08d166 aborted -
          94225ce4:
          note 16d1e57d
        "#,
    ),
    // A note was injected before anybody spoke.
    (
        "2026.3.31/469c978d",
        "",
        r#"
        turn b983461a stop "17 × 23 = 391."
          c7f7b8e9:
          injected 5713194e
        "#,
    ),
    (
        "2026.3.31/95cf90a0",
        "",
        r#"
        turn d83697b6 stop "The capital of France is Paris."
          43f50785:
        turn b5e2e6bd stop "I started a subagent; it will report back."
          f6b4a3eb: sessions_list#call_2_0_sessions_list=ok@fcf50b1d
          8fc4b337: sessions_spawn#call_3_0_sessions_spawn=ok@9cf5a474
          2154c3ce:
        turn fece456f stop "The subagent finished: hello.py has 4 lines."
          21cf6b49:
        turn fb1894dc stop "The capital of France is Paris."
          f78d7a43:
        turn f5301463 stop "The capital of France is Paris."
          dfb2bf13:
        "#,
    ),
    // Approvals are on by default in this version: no command ran. Three calls of one message.
    (
        "2026.3.31/9a34ea43",
        "",
        r#"
        turn 39589c01 stop "Done. `hello.py` first printed **hi**; after the edit it prints **bye**.\n\n```python\ndef main():\n    print(\"bye\")\n```"
          327fa7cc: write#call_12_0_write=ok@eff3316f
          e496cd6c: exec#call_13_0_exec=awaiting_approval@9e19000f
          f4b39941: read#call_14_0_read=ok@f86e2e7f
          84c6f342: edit#call_15_0_edit=ok@2df02068
          94f53738: exec#call_16_0_exec=awaiting_approval@e20765c6
          a4aa7e97:
        turn 1f44b472 stop "Today's date, kernel `Linux`, and hello.py are shown above."
          1d6e5fb7: exec#call_18_0_exec=awaiting_approval@53b87b18 exec#call_18_1_exec=awaiting_approval@8f0b4ec8 read#call_18_2_read=ok@7170cdd9
          cdb69123:
        "#,
    ),
    (
        "2026.3.31/9ab768de",
        "",
        r#"
        turn 7a8fbe5d stop "Recovered after the 500."
          16875c89:
        turn bf8a9617 error -
          588300f0:
        "#,
    ),
    // The last row repeats the answer with the usage of the whole run.
    (
        "2026.6.11/05c3ae04",
        "",
        r#"
        turn 1e2bbc28 stop "The file holds OPENAI_API_KEY=sk-pro…ABCD and a password."
          7c14aec4: read#call_123_0_read=ok@f1dd89e9 exec#call_123_1_exec=ok@7034c00f
          83cdc09b:
          injected 160017e4
        "#,
    ),
    // Messages with nothing but calls of an unknown tool were not stored, only their results.
    (
        "2026.6.11/1a3f0615",
        "",
        r#"
        turn 21c87df1 unfinished "I can't use the tool \"no_such_tool\" here because it isn't available. I need to stop retrying it and answer without that tool."
          fd4d19da: exec#call_33_0_exec=exit 3@1eb408ba
          2dc69a6e: read#call_34_0_read=failed@03233308
          88594fb3: edit#call_35_0_edit=failed@50acf9c2
          fa7f5e23:
          orphan 9d8d526f
          orphan 7f7433fa
          orphan 73af2d3f
          orphan ca028794
          orphan b6656c22
          orphan 0bc5f6a6
          orphan 08d9f8a2
          orphan 30b155f3
          orphan 63c1d85f
          orphan 3e33695b
        turn 1b0adae8 stop "Command not found (127), then a timeout, then a kill."
          ffb26898: exec#call_90_0_exec=failed@e6bcc484
          0d247952: exec#call_91_0_exec=failed@6c30d1f3
          6f3d029f: exec#call_92_0_exec=failed@a357189d
          c1360f75:
        "#,
    ),
    // A poll saw the end of the command in the background.
    (
        "2026.6.11/2ff39f83",
        "",
        r#"
        turn e0467684 stop "The background job printed three ticks and exited."
          38756a95: exec#call_117_0_exec=ok@c62448e3
          d98c9d4f: process#call_118_0_process=ok@c65295f5
          ae501984: process#call_119_0_process=ok@44fdf29c
          c8b6d840: process#call_120_0_process=ok@18c35071
          079fc0a9:
        turn 33311e96 stop "The background job printed three ticks and exited."
          b9bdaa85:
        "#,
    ),
    // One user row written twice for a retry, slash commands, and the report on a subagent without a user row.
    (
        "2026.6.11/3620cb76",
        "",
        r#"
        turn 2aab03aa stop "The capital of France is Paris."
          4180e699:
        turn dcc37b8c stop "Berlin."
          d6b39e53:
        turn 10b136dd stop "You're right, sorry. Let me count again: st-r-awbe-r-r-y. There are 3."
          3279074a:
        turn ec753a5a stop -
          6be13456:
        turn dbc14ffc stop -
          64368ac4:
          410e56de:
        turn 1fe08587 stop "I started a subagent; it will report back."
          56cf04fe: sessions_list#call_7_0_sessions_list=ok@21579b6c
          9dbf8daf: sessions_spawn#call_8_0_sessions_spawn=ok@3818150f
          d1dde12a:
        turn - stop "The subagent finished: hello.py has 4 lines."
          35d46c3f:
        turn 489d521b no_reply -
          injected e5ffb30e
        turn 7f5bcd30 no_reply -
          injected 27b2190a
        turn 9e24450f stop "I started a subagent; it will report back."
          06771e0b:
        "#,
    ),
    (
        "2026.6.11/b15c4ffb",
        "",
        r#"
        turn 38cb79d2 stop "That command was blocked, so nothing was deleted."
          64be7acd: exec#call_125_0_exec=blocked@5df467f0
          d7c408e8:
        "#,
    ),
    (
        "2026.6.11/c9497f7d",
        "",
        r#"
        turn cd75b02e stop -
          deec22a5:
        turn e1da9e27 stop -
          a5e768fd:
        turn 1bcd36ca stop -
          a6cff4ce:
        turn 86536699 length "Once upon a time, in a land far away, there was a"
          fa7ae74a:
        turn 751baa83 error -
          dc5ba85b:
        turn 916d2922 error -
          bf0c5f5d:
        turn fc021fcd error -
          788a89d5:
        turn f79dba30 error -
          a7893f3e:
        turn 0c7dd933 stop "No usage was reported for this one."
          5ccef752:
        "#,
    ),
    // The message says aborted, the note behind it that the time was over.
    (
        "2026.6.11/dc3e6ad8",
        "",
        r#"
        turn a678ac74 error -
          0b89ed6d:
          note 1a172619
        "#,
    ),
    // Three attempts of one run, none with an answer.
    (
        "2026.9.6/1d497f00",
        "",
        r#"
        turn e50b47b7 stop -
          60c656d2:
          2806c370:
          b2df6c2f:
        "#,
    ),
    (
        "2026.9.6/35ac4068",
        "",
        r#"
        turn 1bd2f85b stop "The file holds OPENAI_API_KEY=*** and a password."
          7d5c14cf: read#call_126_0_read=ok@face4a79 exec#call_126_1_exec=ok@b3c68cf8
          89f22e52:
        "#,
    ),
    // A rewind, then a switch back to the branch that it had left.
    (
        "2026.9.6/4767a7e4",
        "",
        r#"
        turn 016d66da stop "There are 2 letters r in \"strawberry\"."
          620f8f20:
        turn 89e79706 stop "You're right, sorry. Let me count again: st-r-awbe-r-r-y. There are 3."
          e910b8a3:
        turn 19601ba7 stop "抱歉！“strawberry” 这个单词里一共有 3 个字母 r。🍓"
          62e8fe09:
        turn f1389ba7 stop "不客气 😊🎉 You're welcome! 👩\u{200d}💻 — naïve café, עברית, العربية"
          cbe06b22:
        turn 36525eca stop "The capital of France is Paris."
          6fd6c4e1:
        "#,
    ),
    // A reset row: the session goes on, and so does the conversation.
    (
        "2026.9.6/4df802e9",
        "",
        r#"
        turn fb7a7bd7 stop "The capital of France is Paris."
          1cf7756d:
        turn 3843bd3a no_reply -
          injected 29da8000
        turn eb6276b6 stop "Berlin."
          dda40916:
        turn c456c38c stop "The capital of France is Paris."
          736d3b81:
        "#,
    ),
    (
        "2026.9.6/54af374e",
        "",
        r#"
        turn adec3b18 aborted -
          42cf6318:
          note 88de42e3
        "#,
    ),
    (
        "2026.9.6/6b3dee0b",
        "",
        r#"
        turn 016d66da stop "There are 2 letters r in \"strawberry\"."
          620f8f20:
        turn 35150703 stop "17 × 23 = 391."
          d5cd696b:
        "#,
    ),
    // Exit code 3 with the flag unset; one call whose message was not stored; a refused argument; a kill.
    (
        "2026.9.6/96a96067",
        "",
        r#"
        turn 3ff56208 stop "All of these failed, as expected: exit code 3, missing file, no match, unknown tool, invalid arguments."
          30cd2229: exec#call_32_0_exec=exit 3@32b8ef16
          997c2f88: read#call_33_0_read=failed@f300e9c6
          5b02bdfa: edit#call_34_0_edit=failed@b5e02e85
          d528c1a7: write#call_36_0_write=failed@39da626c
          c4b039ae: read#call_37_0_read=failed@bf631ea3
          f1c5bb5c:
          orphan 2966398d
        turn 2f2af021 stop "Command not found (127), then a timeout, then a kill."
          9342e29f: exec#call_65_0_exec=failed@9ee5c731
          1d19d375: exec#call_66_0_exec=failed@69b86587
          fff7f2c2: exec#call_67_0_exec=failed@d8073273
          b2b3f26b:
        "#,
    ),
    // The inner call of a wrapper failed.
    (
        "2026.9.6/ac36630e",
        "",
        r#"
        turn b6db20ea stop "Fetching a loopback address was refused."
          0460aed7: web_fetch#tool_search_code:call_132_0_tool_call:web_fetch:1<tool_call=failed@e2401f50
          52f52036:
        "#,
    ),
    ("2026.9.6/d44a336c", "", "turn 5ef717cf no_reply -"),
    // The inner call of a wrapper, the report on the subagent in a run of its own, slash commands, a reminder.
    (
        "2026.9.6/e156fc34",
        "",
        r#"
        turn 536200c6 stop "The capital of France is Paris."
          4e418300:
        turn 04671e69 stop "Berlin."
          b830315c:
        turn bd7fb202 stop "You're right, sorry. Let me count again: st-r-awbe-r-r-y. There are 3."
          f59daf5b:
        turn 0ab7f74a stop -
          11b49c9f:
          b711ada7:
        turn 536e9af6 stop -
          7fb4c3a0:
          60972bcb:
        turn f9c21b79 stop "I started a subagent; it will report back."
          8a927046: tool_search#call_157_0_tool_search=ok@9ac96eec
          acf87ee2: sessions_spawn#tool_search_code:call_158_0_tool_call:sessions_spawn:1<tool_call=ok@d0ebe05d
          d5048f9f:
        turn - stop "The subagent finished: hello.py has 4 lines."
          204b42a3:
        turn 0bcf8691 no_reply -
          injected 8417ffa0
        turn a959c5f4 no_reply -
          injected 0a72051c
        turn a7c60f54 stop "Reminder: please water the plants 🪴"
          c3c36527:
        turn 23f5569d stop "I started a subagent; it will report back."
          9f4809bd:
        turn a5006b39 stop -
          7e368720:
        "#,
    ),
    // Nobody looked again after the command had ended.
    (
        "2026.9.6/ff634648",
        "",
        r#"
        turn ed68a52b stop "The background job printed three ticks and exited."
          74da4566: exec#call_120_0_exec=running@58800d25
          e6fe9688: process#call_121_0_process=ok@639df5c4
          3d46a48e: process#call_122_0_process=ok@7148efd6
          115870a2: process#call_123_0_process=ok@d87fa7b1
          cd07c1bc:
        turn 3b53bc5e stop "The background job printed three ticks and exited."
          1328ca8e:
        "#,
    ),
];

fn session(name: &str) -> Vec<u8> {
    fixture(&format!("recorded/{name}.jsonl"))
}

/// The first eight characters of each UUID; tools' call ids stay.
fn shortened(text: &str) -> String {
    let uuid = regex::Regex::new(r"([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").unwrap();
    uuid.replace_all(text, "$1").into_owned()
}

#[test]
fn what_happened_in_each_session() {
    let mut check = Check::default();
    for (name, want_problems, want) in SESSIONS {
        let bytes = session(name);
        let transcript = Transcript::from_slice(&bytes);
        check.case(name);
        check.eq("problems", problems(transcript.report()), *want_problems);
        let got = shortened(&outline(&transcript.conversation()));
        if got != expect(want) {
            check.fail(format!("got\n{got}\nwant\n{}", expect(want)));
        }
        let mut written = Vec::new();
        transcript.write_to(&mut written).unwrap();
        check.eq("written back", written == bytes, true);
        check.eq("version", transcript.version(), Some(if name.starts_with("2026.9") { 4 } else { 3 }));
    }
    check.done();
}

/// What the database of 2026.9.6 keeps as the active branch is what is found in the rows.
#[test]
fn the_active_branch_is_the_one_in_the_database() {
    let mut check = Check::default();
    let active: Value = serde_json::from_slice(&fixture("recorded/active.json")).unwrap();
    for (name, want) in active.as_object().unwrap() {
        let bytes = session(&format!("2026.9.6/{name}"));
        let transcript = Transcript::from_slice(&bytes);
        let got: Vec<String> = transcript.active().map(|entry| entry.id().unwrap().into_owned()).collect();
        let want: Vec<&str> = want.as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
        check.case(name);
        check.eq("branch", got, want);
    }
    check.done();
    assert_eq!(active.as_object().unwrap().len(), fixtures_in("recorded/2026.9.6").len());
}

#[test]
fn compaction_leaves_the_conversation_whole() {
    let bytes = session("2026.9.6/eb90e490");
    let transcript = Transcript::from_slice(&bytes);
    let conversation = transcript.conversation();
    // Six turns, the summary, one more turn.
    assert_eq!(conversation.turns.len(), 7);
    assert!(conversation.turns.iter().all(|turn| turn.end() == TurnEnd::Stop && turn.steps.len() == 1));
    assert_eq!(conversation.turns[6].final_output().as_deref(), Some("The capital of France is Paris."));
    // The model saw the summary, the last answer before it, and what followed.
    let windows = transcript.windows();
    assert_eq!(windows.len(), 2);
    assert_eq!(
        (windows[0].rows.clone(), windows[1].kept.clone(), windows[1].rows.clone()),
        (0..14, 13..14, 15..17)
    );
    assert_eq!(windows[1].tokens(), (Some(15827), Some(1763)));
    assert!(windows[1].summary().unwrap().starts_with("## Latest user request context"));
    let context: Vec<String> = transcript.context().map(|entry| shortened(&entry.id().unwrap())).collect();
    assert_eq!(context, ["f86d64a3", "12d58abe", "772c1f1b"]);
}

#[test]
fn a_reset_begins_a_window_and_keeps_nothing() {
    let bytes = session("2026.9.6/4df802e9");
    let transcript = Transcript::from_slice(&bytes);
    let context: Vec<String> = transcript.context().map(|entry| shortened(&entry.id().unwrap())).collect();
    assert_eq!(context, ["c456c38c", "736d3b81"]);
    assert_eq!(transcript.windows().len(), 2);
}

#[test]
fn the_run_of_a_turn_is_told_where_it_is_stored() {
    let runs = |name: &str| {
        let bytes = session(name);
        let transcript = Transcript::from_slice(&bytes);
        transcript.conversation().turns.iter().map(|turn| turn.run_id().is_some()).collect::<Vec<_>>()
    };
    assert_eq!(runs("2026.9.6/6b3dee0b"), [true, true]);
    assert_eq!(runs("2026.6.11/b15c4ffb"), [false]);
}

#[test]
fn a_background_command_ends_when_a_poll_sees_it() {
    let bytes = session("2026.6.11/2ff39f83");
    let transcript = Transcript::from_slice(&bytes);
    let conversation = transcript.conversation();
    let command = conversation.calls().next().unwrap();
    assert_eq!((command.outcome, command.exit_code()), (Outcome::Ok, Some(0)));
    // `log` prints again what `poll` had printed.
    assert!(command.output().ends_with("tick 1\ntick 2\ntick 3\n\nProcess exited with code 0."));
    assert_eq!(command.polls.len(), 2);

    let bytes = session("2026.9.6/ff634648");
    let transcript = Transcript::from_slice(&bytes);
    let conversation = transcript.conversation();
    let command = conversation.calls().next().unwrap();
    assert_eq!((command.outcome, command.exit_code()), (Outcome::Running, None));
    assert!(command.output().ends_with("tick 1\n\nProcess still running."));
}

#[test]
fn an_inner_call_has_its_own_result_and_the_wrapper_keeps_its() {
    let bytes = session("2026.9.6/e156fc34");
    let transcript = Transcript::from_slice(&bytes);
    let conversation = transcript.conversation();
    let spawn = conversation.calls().find(|call| call.name == "sessions_spawn").unwrap();
    assert_eq!(spawn.argument("label").unwrap().text().as_deref(), Some("line counter"));
    let status = spawn.result.as_ref().unwrap().details.unwrap().get("status").unwrap();
    assert_eq!(status.text().as_deref(), Some("accepted"));
    assert!(spawn.via_result.as_ref().unwrap().text().contains("openclaw:core:sessions_spawn"));
    // startedAt 1796037693907, timestamp 1796037694172.
    assert_eq!(spawn.duration_ms(), Some(265));
    assert!(conversation.calls().all(|call| call.name != "tool_call"));
}

#[test]
fn what_went_wrong_is_told() {
    let error = |name: &str, turn: usize| {
        let bytes = session(name);
        let transcript = Transcript::from_slice(&bytes);
        let conversation = transcript.conversation();
        conversation.turns[turn].error_message().map(std::borrow::Cow::into_owned)
    };
    let message = |name: &str, turn| error(name, turn).unwrap();
    assert!(message("2026.6.11/c9497f7d", 4).contains("content_filter"));
    assert!(message("2026.6.11/dc3e6ad8", 0).contains("timed out"));
    assert_eq!(error("2026.9.6/54af374e", 0), None);
    assert_eq!(error("2026.9.6/6b3dee0b", 0), None);
}

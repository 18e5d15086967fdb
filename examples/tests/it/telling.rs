//! What a terminal gets of a session.

use clawgauge_support::telling::Telling;
use clawgauge_transcript::Transcript;
use serde_json::json;

#[test]
fn nothing_in_a_session_acts_on_the_terminal() {
    let bad = "a\u{1b}[2J\u{7}b\u{9b}31m\u{202e}c\r\nd";
    let rows = [
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-11-30T10:00:00Z"}),
        json!({"type": "message", "id": "1", "message": {"role": "user", "content": bad}}),
        json!({"type": "message", "id": "2", "parentId": "1", "message": {"role": "assistant", "content": [
            {"type": "thinking", "thinking": bad},
            {"type": "toolCall", "id": "c", "name": bad, "arguments": {"command": bad}},
        ]}}),
        json!({"type": "message", "id": "3", "parentId": "2", "message": {"role": "toolResult", "toolCallId": "c",
            "toolName": bad, "content": [{"type": "text", "text": bad}]}}),
        json!({"type": "message", "id": "4", "parentId": "3", "message": {"role": "assistant",
            "content": [{"type": "text", "text": bad}], "stopReason": "stop"}}),
    ];
    let session: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let transcript = Transcript::from_slice(session.as_bytes());
    let told: String =
        transcript.conversation().turns.iter().map(|turn| Telling::new(true).turn(turn)).collect();
    let acts: Vec<char> =
        told.chars().filter(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}').collect();
    assert!(acts.is_empty(), "{told:?}");
    assert!(told.contains("a\u{fffd}[2J\u{fffd}b\u{fffd}31m\u{fffd}c d"), "{told:?}");
}

#[test]
fn a_long_line_is_cut_by_the_columns_it_takes() {
    for (text, kept) in
        [("x".repeat(101), 100), ("水".repeat(51), 50), ("🌱".repeat(60), 50), ("e\u{301}".repeat(101), 200)]
    {
        let rows = [
            json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-11-30T10:00:00Z"}),
            json!({"type": "message", "id": "1", "message": {"role": "user", "content": text}}),
        ];
        let session: String = rows.iter().map(|row| format!("{row}\n")).collect();
        let transcript = Transcript::from_slice(session.as_bytes());
        let told = Telling::new(false).request(&transcript.conversation().turns[0]);
        let shown = told.trim_end().rsplit("  ").next().unwrap();
        assert!(shown.ends_with('…'), "{told}");
        let letters = shown.chars().count() - 1;
        // A mark on the letter at the end takes no column of its own and stays with it.
        assert_eq!(letters, kept, "{told}");
    }
}

//! The plugin's numbers from a stored session are those from what its hook was given at the end of the last run.

use clawgauge_scoring::v1::{context_length, score_messages, score_session};
use clawgauge_transcript::{RawJson, Transcript};

use crate::support::report;

#[test]
fn stored_sessions_score_as_their_last_event_did() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agent_end");
    let mut outcomes = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            let session = std::fs::read(&path).unwrap();
            let messages = std::fs::read_to_string(path.with_extension("messages.json")).unwrap();
            outcomes
                .push((path.file_stem().unwrap().to_string_lossy().into_owned(), check(&session, &messages)));
        }
    }
    assert_eq!(outcomes.len(), 13);
    report(outcomes, &[]);
}

fn check(session: &[u8], messages: &str) -> Result<(), String> {
    let transcript = Transcript::from_slice(session);
    let messages = RawJson::parse(messages).ok_or("the messages are no JSON")?.items();
    let wanted = score_messages(&messages).map_err(|error| error.to_string())?;
    let got = score_session(&transcript).map_err(|error| error.to_string())?;
    if context_length(&transcript) != messages.len() {
        return Err(format!("{} messages, not {}", context_length(&transcript), messages.len()));
    }
    if got == wanted { Ok(()) } else { Err(format!("{got:?}, not {wanted:?}")) }
}

#[test]
fn a_session_without_anything_scores_as_no_messages_do() {
    let nothing = score_messages(&[]).unwrap();
    for text in [
        "",
        "{}",
        "not json",
        "{\"type\":\"session\",\"id\":\"s\"}",
        "{\"type\":\"compaction\",\"id\":\"a\"}",
    ] {
        assert_eq!(score_session(&Transcript::from_str(text)).unwrap(), nothing, "{text}");
    }
}

#[test]
fn only_the_text_that_began_the_last_run_is_seen_of_plain_texts() {
    let row = |id: &str, parent: &str, role: &str, content: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{{"role":"{role}","content":{content}}}}}"#
        )
    };
    let answer = r#"[{"type":"text","text":"fine"}]"#;
    let session = [
        row("a", "null", "user", "\"no, wrong\""),
        row("b", "\"a\"", "assistant", answer),
        row("c", "\"b\"", "user", "\"and now?\""),
        row("d", "\"c\"", "assistant", answer),
    ]
    .join("\n");
    let scores = score_session(&Transcript::from_str(&session)).unwrap();
    // The correction stands in plain text of the history: the plugin does not see it.
    assert_eq!(scores.dimensions.autonomy, 1.0);
    let corrected = session.replace("and now?", "no, wrong again");
    assert_eq!(score_session(&Transcript::from_str(&corrected)).unwrap().dimensions.autonomy, 0.0);
}

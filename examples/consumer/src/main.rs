//! Each library, used as a stranger would: this builds when their default features and public names do.

// Named so that the build fails when one of them no longer builds on its own.
use clawgauge_cases as _;
use clawgauge_golden as _;
use clawgauge_relay_proto as _;
use clawgauge_scoring as _;
use clawgauge_tracing_map as _;
use clawgauge_transcript::Transcript;

const SESSION: &[u8] = br#"{"type":"session","version":3,"id":"s1","timestamp":"2026-05-04T09:00:00.000Z"}
{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"How many lamps?"}}
{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"text","text":"Seven."}],"stopReason":"stop"}}
"#;

fn main() {
    let transcript = Transcript::from_slice(SESSION);
    let conversation = transcript.conversation();
    for turn in &conversation.turns {
        println!("{} -> {}", turn.stored_user_text(), turn.final_output().unwrap_or_default());
    }
}

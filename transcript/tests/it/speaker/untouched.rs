//! Texts that only resemble an envelope stay as they were typed.

use clawgauge_transcript::UserOrigin;

use super::{classify, report};

#[test]
fn what_a_person_typed_is_not_touched() {
    let texts = [
        "Sender of the parcel? ```json\n{\"a\":1}\n``` keep this",
        "Sender (untrusted metadata): what does this label mean?",
        "Sender (untrusted metadata):\nplain text without a fence",
        "Sender (untrusted metadata):\n```json\n{\"a\": 1}",
        "My notes (untrusted metadata):\n```json\nnot json\n```\nkeep",
        "look:\n```json\n{\"a\": 1}\n```",
        "[2026-05-04 09:01:10 UTC] ERROR disk full - what is that?",
        "[Mon] call Bob",
        "[Mon 2026-05-04 09:01 call Bob] and Eve",
        "[Tue 2026-05-04 09:01] that date is wrong, it was a Monday",
        "[Mon 2026-05-04 09:01 UTC]glued",
        "[Telegram is broken] please fix the bot",
        "[Slack +1] great idea",
        "[Discord] is down?",
        "[Server 2026-05-04 10:00 UTC] went down, why?",
        "[TODO id:5] fix the header",
        "[message_id: 77]",
        "what does [message_id: 77] mean",
        "the line\n[message_id: 77]\nstands in the middle",
        "[cron: nightly] is broken, fix it",
        "[cron:nightly] is broken, fix it",
        "why do I see [OpenClaw heartbeat poll] in the log?",
        "Why does it answer HEARTBEAT_OK when HEARTBEAT.md says otherwise?",
        "System: everything is slow today",
        "System: [draft] rename the file",
        "Task: write a test\n\nJob ID: 5",
        "A background task finished and I do not know which",
        "A new session: how do I start one via /new or /reset?",
        "The history says [Current message - respond to this], is that right?",
        "[Chat messages since your last reply - for context] is a strange title",
        "Current time: 9:01, so hurry",
        "/home/user/notes.txt is missing",
        "/tmp is full",
        "Ada: are you there?",
        "> [Mon 2026-05-04 09:01 UTC] quoted",
        "<media:image> is how it looks in the log",
        "[media attached] see above",
        "Context: the build is red",
        "NO_REPLY",
        "  two spaces before and after  ",
        "\n\nblank lines around\n\n",
        "fix this please\n[Replying to nobody]\n",
        "User text:\nis the label of the field",
        "[Forwarded from my wife] buy milk",
        "[Image] shows the error",
        "---\nQueued #1\nis what I see in the chat",
        "不对，我要的是中文回答！",
        "",
    ];
    let mut failures = Vec::new();
    for text in texts {
        let said = classify(text);
        if said.origin() != UserOrigin::Person || said.words() != text || !said.envelope().blocks.is_empty() {
            failures.push(format!("{text:?}: {} {:?}", said.origin().as_str(), said.words()));
        }
    }
    report(&failures);
}

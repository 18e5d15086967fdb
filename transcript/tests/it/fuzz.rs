//! No bytes panic: rows of real and made-up sessions, mutated, and plain noise, through the whole surface.
//!
//! 100,000 inputs by default; `CLAWGAUGE_FUZZ` says another number, `CLAWGAUGE_FUZZ_SEED` another beginning. The inputs
//! follow from the seed alone.

use std::hint::black_box;

use clawgauge_transcript::{
    AgentEnd, Block, Entry, Limits, LineDecoder, Message, RawJson, SessionIndex, Timestamp, ToolCall,
    Transcript,
};

use crate::support::{fixture, fixtures_in};

/// Rows longer than this are left to the other tests: here the number of inputs counts.
const LONGEST_ROW: usize = 900;

const JUNK: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u",
    b"\\ud83d",
    b"\\udc00",
    b"\\u0000",
    b"\0",
    b"\x1f",
    b"\t",
    b"\r",
    b"\n",
    b"\r\n",
    b"\xff",
    b"\xc3",
    b"\xe2\x80",
    b"\xe2\x80\xa8",
    b"\xef\xbb\xbf",
    b"\xf0\x9f\x98\x80",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"1e-999",
    b"9223372036854775808",
    b"0.5",
    b"\"id\":\"a1\"",
    b"\"parentId\":\"a1\"",
    b"\"parentId\":null",
    b"\"type\":\"leaf\"",
    b"\"type\":\"reset\"",
    b"\"targetId\":\"a1\"",
    b"\"type\":\"toolCall\"",
    b"\"toolCallId\":\"c1\"",
    b"\"role\":\"toolResult\"",
    b"\"role\":\"user\"",
    b"\"appendMode\":\"side\"",
    b"\"customType\":\"openclaw.nested-tool.v1\"",
    b"\"name\":\"tool_call\"",
    b"\"sessionId\":\"calm-fern\"",
    b"\"timestamp\":1e300",
    b"\"details\":[]",
    b"\"content\":\"x\"",
    b"{\"type\":\"message\",\"id\":\"",
];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap()
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let longest = (length - start).min(1 << self.below(8));
        start..start + self.below(longest + 1)
    }
}

fn rows() -> Vec<Vec<u8>> {
    let mut files: Vec<Vec<u8>> = Vec::new();
    for folder in ["field-cases", "recorded/2026.3.31", "recorded/2026.6.11", "recorded/2026.9.6"] {
        let names = fixtures_in(folder);
        let sessions = names.iter().filter(|name| name.ends_with(".jsonl"));
        files.extend(sessions.map(|name| fixture(&format!("{folder}/{name}"))));
    }
    let rows = files.iter().flat_map(|file| file.split(|&b| b == b'\n'));
    rows.filter(|row| !row.is_empty() && row.len() <= LONGEST_ROW).map(<[u8]>::to_vec).collect()
}

fn input(random: &mut Random, rows: &[Vec<u8>]) -> Vec<u8> {
    if random.below(12) == 0 {
        return (0..random.below(200)).map(|_| random.next().to_le_bytes()[0]).collect();
    }
    let mut bytes = Vec::new();
    // Rows that stand together in their file name one another.
    let start = random.below(rows.len());
    for row in rows.iter().skip(start).take(1 + random.below(3)) {
        bytes.extend_from_slice(row);
        bytes.extend_from_slice(if random.below(20) == 0 { b"" } else { b"\n" });
    }
    for _ in 0..random.below(6) {
        mutate(random, &mut bytes, rows);
    }
    bytes
}

fn mutate(random: &mut Random, bytes: &mut Vec<u8>, rows: &[Vec<u8>]) {
    let range = random.range(bytes.len());
    let at = range.start;
    match random.below(8) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 => drop(bytes.drain(range)),
        2 => bytes.truncate(at),
        3 => {
            let copy = bytes[range].to_vec();
            bytes.splice(at..at, copy);
        }
        4 => {
            let other = random.range(bytes.len());
            let copy = bytes[other].to_vec();
            bytes.splice(range, copy);
        }
        5 => {
            let row = &rows[random.below(rows.len())];
            let part = random.range(row.len());
            bytes.splice(range, row[part].iter().copied());
        }
        _ => {
            let junk = JUNK[random.below(JUNK.len())];
            bytes.splice(at..at, junk.iter().copied());
        }
    }
}

/// Calls everything there is; what must hold of every input is asserted.
fn exercise(bytes: &[u8], random: &mut Random) {
    let mut limits = Limits::default();
    if random.below(4) == 0 {
        limits = limits.with_max_line_bytes(random.below(600));
        limits.max_depth = u32::try_from(random.below(6)).unwrap();
        limits.max_entries = random.below(4);
        limits.max_problems = random.below(3);
    }
    let transcript = Transcript::from_slice_with(bytes, limits);
    for entry in transcript.entries() {
        exercise_entry(entry, bytes);
    }
    black_box((transcript.session_id(), transcript.version(), transcript.cwd(), transcript.started_at()));
    black_box((transcript.ended_at(), transcript.report().to_string_lines(), transcript.tree().leaf()));
    black_box((transcript.windows().len(), transcript.context().count()));
    exercise_conversation(&transcript);

    let mut decoder = LineDecoder::new(limits);
    let (first, second) = bytes.split_at(random.below(bytes.len() + 1));
    let mut count = 0;
    for piece in [first, second] {
        decoder.push(piece);
        count += std::iter::from_fn(|| decoder.next_entry()).count();
    }
    count += std::iter::from_fn(|| decoder.finish()).count();
    assert_eq!(count, transcript.entries().len());
    assert_eq!(decoder.consumed(), bytes.len() as u64);

    let mut written = Vec::new();
    transcript.write_to(&mut written).unwrap();
    assert!(written.len() <= bytes.len());

    if let Ok(text) = std::str::from_utf8(bytes) {
        black_box((Timestamp::parse(text), SessionIndex::parse(text).is_some()));
        black_box(AgentEnd::parse(text).map(|end| end.transcript().entries().len()));
        if let Some(json) = RawJson::parse(text) {
            black_box((json.to_value(), json.as_i64(), json.fields().len()));
            black_box(Transcript::from_messages(json).conversation().turns.len());
        }
    }
}

fn exercise_entry(entry: &Entry<'_>, bytes: &[u8]) {
    let at = usize::try_from(entry.offset()).unwrap();
    assert_eq!(bytes.get(at..at + entry.bytes().len()), Some(entry.bytes()));
    black_box((
        entry.id(),
        entry.parent(),
        entry.timestamp(),
        entry.type_name(),
        entry.is_side(),
        entry.get("x"),
    ));
    black_box((entry.role(), entry.entry_type().is_canonical(), entry.line()));
    if let Some(message) = entry.message() {
        exercise_message(message, entry.raw());
    }
}

fn exercise_message(message: Message<'_>, raw: &str) {
    assert_eq!(raw.get(message.range()), Some(message.json().as_str()));
    // The scanner and serde_json agree on what JSON is; only numbers beyond its range have no value.
    assert!(message.json().to_value().is_some() || message.json().as_str().contains(['e', 'E']));
    black_box((
        message.content(),
        message.stop_reason(),
        message.error_message(),
        message.provider(),
        message.model(),
    ));
    black_box((
        message.usage(),
        message.tool_call_id(),
        message.tool_name(),
        message.is_error(),
        message.details(),
    ));
    black_box((message.idempotency_key(), message.openclaw(), message.custom_type(), message.run_id()));
    black_box((
        message.is_excluded_from_context(),
        message.is_injected(),
        message.role_name(),
        message.timestamp(),
    ));
    black_box((message.joined_text(), message.joined_thinking()));
    for block in message.blocks() {
        match block {
            Block::Text(text) => {
                assert!(raw.get(text.range()).is_some());
                black_box((text.text(), text.is_commentary()));
            }
            Block::Thinking(thinking) => {
                assert!(raw.get(thinking.range()).is_some());
                black_box(thinking.text());
            }
            Block::ToolCall(call) => {
                assert_eq!(raw.get(call.range()), Some(call.json().as_str()));
                black_box((call.id(), call.name(), call.arguments().map(RawJson::fields)));
            }
            Block::Image(image) => {
                black_box((image.mime_type(), image.base64_len(), image.json()));
            }
            _ => {}
        }
    }
}

fn exercise_conversation(transcript: &Transcript<'_>) {
    let conversation = transcript.conversation();
    black_box((conversation.problems(), conversation.orphan_results(), conversation.steps().count()));
    for turn in &conversation.turns {
        let stored = turn.stored_user_text();
        black_box(turn.speaker(&stored, None));
        black_box((turn.end(), turn.error_message(), turn.final_output(), turn.is_silent()));
        black_box((turn.started_at(), turn.ended_at()));
        for step in &turn.steps {
            black_box((step.text(), step.commentary(), step.thinking()));
        }
        turn.calls().for_each(exercise_call);
        for result in &turn.orphan_results {
            black_box((result.text(), result.exit_code(), result.timestamp()));
        }
    }
    for (index, turn) in conversation.turns.iter().enumerate() {
        for call in turn.calls() {
            for at in call.polls.iter().chain(&call.polls_of) {
                assert!(at.turn <= index || call.polls_of.is_none());
                assert!(conversation.call(*at).is_some());
            }
        }
    }
}

fn exercise_call(call: &ToolCall<'_>) {
    assert!(call.entry.raw().get(call.range.clone()).is_some());
    black_box((
        call.output(),
        call.exit_code(),
        call.duration_ms(),
        call.outcome.name(),
        call.argument("command"),
    ));
}

#[test]
fn no_bytes_panic() {
    let number =
        |name: &str, default: u64| std::env::var(name).map_or(default, |value| value.parse().unwrap());
    let (count, seed) = (number("CLAWGAUGE_FUZZ", 100_000), number("CLAWGAUGE_FUZZ_SEED", 1));
    let rows = rows();
    assert!(rows.len() > 150, "{} rows to begin with", rows.len());
    // Each input has its own seed, so that one that fails can be made again alone.
    for index in seed..seed + count {
        let mut random = Random(index);
        let bytes = input(&mut random, &rows);
        let outcome = std::panic::catch_unwind(move || exercise(&bytes, &mut random));
        assert!(outcome.is_ok(), "run again with CLAWGAUGE_FUZZ=1 CLAWGAUGE_FUZZ_SEED={index}");
    }
}

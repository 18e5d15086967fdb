//! Generated corpora with a fixed seed, shared by the benches and by tests.
//!
//! Three kinds of sessions as OpenClaw writes them: [`Corpus::Chatty`] (short messages), [`Corpus::ToolHeavy`] (long
//! tool outputs) and [`Corpus::LongLines`] (rows of 256 KiB). The same kind and size give the same bytes everywhere.

mod baseline;
mod text;

pub use baseline::{PlainLine, plain_parse};

use std::fmt::Write as _;

use text::Words;

/// How many bytes of a corpus a bench measures on: 64 MiB, and a taste of it when it is only tested.
#[must_use]
pub fn corpus_bytes() -> usize {
    if is_measured() { 64 << 20 } else { 1 << 18 }
}

/// `many` things to measure on, and a few when the bench is only tested.
#[must_use]
pub fn many(many: usize) -> usize {
    if is_measured() { many } else { many.min(20) }
}

/// `cargo bench` says so; `cargo test --benches` does not.
fn is_measured() -> bool {
    std::env::args().any(|arg| arg == "--bench")
}

/// A kind of generated corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Corpus {
    /// Many short messages, few tool calls.
    Chatty,
    /// Coding sessions: outputs of one to sixteen kilobytes.
    ToolHeavy,
    /// Every tool output is 256 KiB.
    LongLines,
}

impl Corpus {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Chatty, Self::ToolHeavy, Self::LongLines];

    /// The name in bench reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chatty => "chatty",
            Self::ToolHeavy => "tool_heavy",
            Self::LongLines => "long_lines",
        }
    }

    /// Whole sessions of this kind, together at least `bytes` long.
    #[must_use]
    pub fn sessions(self, bytes: usize) -> Vec<String> {
        let mut words = Words::new(0x00C1_A64A_06E0 + self as u64);
        let mut sessions = Vec::new();
        let mut total = 0;
        while total < bytes {
            let session = self.session(&mut words, sessions.len());
            total += session.len();
            sessions.push(session);
        }
        sessions
    }

    fn session(self, words: &mut Words, number: usize) -> String {
        let mut session = Session::begin(number);
        let turns = match self {
            Self::Chatty => 24,
            Self::ToolHeavy => 6,
            Self::LongLines => 2,
        };
        for turn in 0..turns {
            session.user(&words.sentences(1 + turn % 3));
            let calls = match self {
                Self::Chatty => usize::from(turn % 4 == 3),
                Self::ToolHeavy => 8,
                Self::LongLines => 3,
            };
            for call in 0..calls {
                let output = match self {
                    Self::Chatty => words.log(200),
                    Self::ToolHeavy => {
                        let kilobytes = 1 + words.below(16);
                        words.log(kilobytes * 1024)
                    }
                    Self::LongLines => words.log(256 * 1024),
                };
                session.call(words, call, &output);
            }
            session.answer(&words.sentences(2));
        }
        session.text
    }
}

/// The id of a corpus's session.
#[must_use]
pub fn session_id(number: usize) -> String {
    id(number, 0)
}

fn id(number: usize, row: usize) -> String {
    format!("{number:08x}-0000-4000-8000-{row:012x}")
}

struct Session {
    text: String,
    number: usize,
    rows: usize,
}

impl Session {
    fn begin(number: usize) -> Self {
        let mut session = Self { text: String::new(), number, rows: 0 };
        let id = session.id(0);
        session.push(&format!(
            r#"{{"type":"session","version":4,"id":"{id}","timestamp":"2026-11-30T11:00:00.000Z","cwd":"/home/user"}}"#
        ));
        session
    }

    fn id(&self, row: usize) -> String {
        id(self.number, row)
    }

    fn push(&mut self, row: &str) {
        self.text.push_str(row);
        self.text.push('\n');
        self.rows += 1;
    }

    fn row(&mut self, message: &str) {
        let id = self.id(self.rows);
        let parent =
            if self.rows == 1 { "null".to_owned() } else { format!("\"{}\"", self.id(self.rows - 1)) };
        let (minute, second) = (self.rows / 60 % 60, self.rows % 60);
        self.push(&format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-11-30T11:{minute:02}:{second:02}.000Z","message":{message}}}"#
        ));
    }

    fn user(&mut self, text: &str) {
        let run = self.rows;
        self.row(&format!(
            r#"{{"role":"user","content":{},"timestamp":1796037674438,"idempotencyKey":"run-{run}:user"}}"#,
            json(text)
        ));
    }

    fn call(&mut self, words: &mut Words, call: usize, output: &str) {
        let id = format!("call_{}_{call}", self.rows);
        let (name, arguments) = match call % 4 {
            0 => ("read", format!(r#"{{"path":"src/{}.rs"}}"#, words.word())),
            1 => ("edit", format!(r#"{{"path":"src/{}.rs","oldText":"a","newText":"b"}}"#, words.word())),
            2 => ("exec", format!(r#"{{"command":"cargo test {}"}}"#, words.word())),
            _ => ("exec", format!(r#"{{"command":"rg {} src"}}"#, words.word())),
        };
        self.assistant(
            &format!(r#"{{"type":"toolCall","id":"{id}","name":"{name}","arguments":{arguments}}}"#),
            "toolUse",
        );
        self.row(&format!(
            r#"{{"role":"toolResult","toolCallId":"{id}","toolName":"{name}","content":[{{"type":"text","text":{}}}],"details":{{"status":"completed","exitCode":0,"durationMs":12}},"isError":false,"timestamp":1796037674438}}"#,
            json(output)
        ));
    }

    fn answer(&mut self, text: &str) {
        self.assistant(&format!(r#"{{"type":"text","text":{}}}"#, json(text)), "stop");
    }

    fn assistant(&mut self, block: &str, stop: &str) {
        let mut message = String::new();
        // Writing to a string cannot fail.
        write!(
            message,
            r#"{{"role":"assistant","content":[{block}],"api":"openai-completions","provider":"demo","model":"demo-chat","usage":{{"input":4467,"output":8,"cacheRead":4352,"cacheWrite":0,"totalTokens":8827,"cost":{{"input":0.0011,"output":0.000016,"cacheRead":0.0001,"cacheWrite":0,"total":0.0012}}}},"stopReason":"{stop}","timestamp":1796037674438}}"#
        )
        .unwrap_or_default();
        self.row(&message);
    }
}

fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

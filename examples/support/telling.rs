//! Turns and calls as text for a person, the same in `trace` and `watch`.

use std::fmt::Write as _;

use clawgauge_transcript::{
    Outcome, RawJson, RedactionLevel, Redactor, Step, ToolCall, Turn, TurnEnd, one_line,
};
use unicode_width::UnicodeWidthChar as _;

/// Longest line that is shown of an argument or an output, in columns of a terminal.
const LINE: usize = 100;

/// Most lines of an output that are shown.
const LINES: usize = 6;

/// How much is told.
#[derive(Debug)]
pub struct Telling {
    /// Also what the model thought and said beside its calls.
    pub plan: bool,
    redactor: Redactor,
}

impl Default for Telling {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Telling {
    /// Secrets are masked whatever is told.
    #[must_use]
    pub fn new(plan: bool) -> Self {
        Self { plan, redactor: Redactor::of_level(RedactionLevel::default()) }
    }

    /// A whole turn: what was asked, what was done, what was answered.
    #[must_use]
    pub fn turn(&self, turn: &Turn<'_>) -> String {
        let mut text = self.request(turn);
        for step in &turn.steps {
            text += &self.plan(step);
            for call in &step.calls {
                text += &self.call(call);
            }
        }
        text + &self.end(turn)
    }

    /// What was asked.
    #[must_use]
    pub fn request(&self, turn: &Turn<'_>) -> String {
        let time = turn.started_at().map(|at| at.to_string());
        let time = time.as_deref().and_then(|time| time.get(11..19)).unwrap_or("--:--:--");
        let stored = turn.stored_user_text();
        if turn.user.is_none() || stored.is_empty() {
            return format!("▶ {time}  (on its own account)\n");
        }
        let words = turn.speaker(&stored, None).map(|said| said.words().into_owned());
        let words = words.filter(|words| !words.is_empty()).unwrap_or_else(|| stored.into_owned());
        format!("▶ {time}  {}\n", self.one_line(&words))
    }

    fn plan(&self, step: &Step<'_>) -> String {
        if !self.plan {
            return String::new();
        }
        let said = if step.calls.is_empty() { step.thinking().into_owned() } else { both(step) };
        if said.trim().is_empty() { String::new() } else { format!("  💭 {}\n", self.one_line(&said)) }
    }

    /// One call: how it went, what it was, what came out.
    #[must_use]
    pub fn call(&self, call: &ToolCall<'_>) -> String {
        let mut text = format!("  {} {}", mark(call.outcome), cut(&call.name));
        if let Some(via) = &call.via {
            let _written = write!(text, " (through {})", cut(via));
        }
        let _written = write!(text, "  {}", call.outcome.name());
        if let Some(ms) = call.duration_ms() {
            let _written = write!(text, "  {ms} ms");
        }
        if let Some(code) = call.exit_code() {
            let _written = write!(text, "  exit {code}");
        }
        text.push('\n');
        let arguments = match call.argument("command").and_then(RawJson::text) {
            Some(command) => format!("$ {command}"),
            None => call.arguments.map(|arguments| arguments.as_str().to_owned()).unwrap_or_default(),
        };
        if !arguments.is_empty() && arguments != "{}" {
            let _written = writeln!(text, "     {}", self.one_line(&arguments));
        }
        let output = call.output();
        let masked = self.redactor.text(&output);
        let mut lines = masked.lines().filter(|line| !line.trim().is_empty());
        for (at, line) in lines.by_ref().take(LINES).enumerate() {
            let _written = writeln!(text, "     {} {}", if at == 0 { "→" } else { " " }, cut(line));
        }
        match lines.count() {
            0 => {}
            more => {
                let _written = writeln!(text, "       … {more} more lines");
            }
        }
        text
    }

    /// What was answered, and how the turn ended when that is not simply an answer.
    #[must_use]
    pub fn end(&self, turn: &Turn<'_>) -> String {
        let mut text = String::new();
        if let Some(answer) = turn.final_output().filter(|answer| !answer.trim().is_empty()) {
            let _written = writeln!(text, "  ◀ {}", self.one_line(&answer));
        }
        match turn.end() {
            TurnEnd::Stop => {}
            end => {
                let reason = turn.error_message().map(|message| format!(": {}", self.one_line(&message)));
                let _written = writeln!(text, "  ■ {}{}", end.name(), reason.unwrap_or_default());
            }
        }
        text
    }

    fn one_line(&self, text: &str) -> String {
        let masked = self.redactor.text(text);
        let words: Vec<&str> = masked.split_whitespace().collect();
        cut(&words.join(" "))
    }
}

fn both(step: &Step<'_>) -> String {
    [step.thinking(), step.commentary(), step.text()].join(" ")
}

const fn mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "✓",
        Outcome::Failed => "✗",
        Outcome::NonZeroExit(_) => "!",
        Outcome::Running => "⏳",
        Outcome::Blocked | Outcome::AwaitingApproval => "⛔",
        _ => "?",
    }
}

fn cut(text: &str) -> String {
    let text = &*one_line(text);
    let mut width = 0;
    let beyond = text.char_indices().find(|(_, c)| {
        width += c.width().unwrap_or(0);
        width > LINE
    });
    match beyond {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or(text)),
        None => text.to_owned(),
    }
}

//! Is a result an error?

use clawgauge_transcript::{Outcome, RawJson, ToolCall, ToolResult, exit_code_answers};

use crate::rules::Matchers;

/// What a result says about its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// It is an error, as told by this.
    Error(Basis),
    /// It is none, as told by this.
    Ok(Basis),
    /// The tool never ran: blocked, denied, waiting for approval.
    NotRun,
    /// There is no result, or only one that a repair put in.
    Missing,
    /// A command runs in the background, and its end was not seen.
    Running,
}

/// What told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Basis {
    /// Error flag and status of the result's own fields.
    Outcome,
    /// The exit code: of the result's own fields, of a JSON object in its text, or near the ends of the text.
    ExitCode(i64),
    /// A JSON object in the result's text.
    Json,
    /// The text's first words.
    Text,
    /// Nothing: a result that says nothing else counts as no error.
    Silence,
}

impl Reading {
    pub(crate) const fn is_error(self) -> bool {
        matches!(self, Self::Error(_))
    }

    pub(crate) const fn is_ok(self) -> bool {
        matches!(self, Self::Ok(_))
    }

    /// Reads the result of a call.
    ///
    /// The flag when it is true, else status and exit code in the details; else a JSON object in the text (in a text wrapper
    /// or not) with an `error` that is not empty, a status of error or failure, `success` or `ok` false, or an exit code
    /// that is not zero; else a text that begins like an error, or `exit code N` near its ends. `flags_are_set`: whether this
    /// session ever sets the flag; where it never does, `isError: false` says nothing.
    pub(crate) fn of(matchers: &Matchers, call: &ToolCall<'_>, flags_are_set: bool) -> Self {
        match &call.result {
            Some(result) => Self::of_result(matchers, result, call.outcome, flags_are_set),
            None => Self::Missing,
        }
    }

    /// The same of a result whose call is not known, or with what became of its call. A command that went to the background has
    /// another outcome than its result says.
    pub(crate) fn of_result(
        matchers: &Matchers,
        result: &ToolResult<'_>,
        outcome: Outcome,
        flags_are_set: bool,
    ) -> Self {
        match outcome {
            Outcome::Failed => return Self::Error(Basis::Outcome),
            Outcome::NonZeroExit(code) => return Self::Error(Basis::ExitCode(code)),
            Outcome::Blocked | Outcome::AwaitingApproval => return Self::NotRun,
            Outcome::Running => return Self::Running,
            Outcome::Repaired | Outcome::NoResult => return Self::Missing,
            _ => {}
        }
        if outcome == Outcome::Ok
            && (flags_are_set && result.is_error == Some(false) || result.details_tell())
        {
            return Self::Ok(Basis::Outcome);
        }
        Self::of_text(matchers, &result.text())
    }

    /// Reads a result's text, when nothing else tells.
    pub(crate) fn of_text(matchers: &Matchers, text: &str) -> Self {
        let text = text.trim();
        if let Some(verdict) = json_verdict(text, 0) {
            return verdict;
        }
        let limit = matchers.limits.error_chars;
        let head_end = text.char_indices().nth(limit).map_or(text.len(), |(at, _)| at);
        let tail_start = text.char_indices().nth_back(limit).map_or(0, |(at, _)| at);
        let head = text.get(..head_end).unwrap_or_default();
        let tail = text.get(tail_start..).unwrap_or_default();
        let first = head.lines().next().unwrap_or_default();
        if matchers.error_beginnings.is_match(first) {
            return Self::Error(Basis::Text);
        }
        match exit_code(head).or_else(|| exit_code(tail)) {
            Some(code) => Self::of_exit_code(code),
            None => Self::Ok(Basis::Silence),
        }
    }

    const fn of_exit_code(code: i64) -> Self {
        if code == 0 { Self::Ok(Basis::ExitCode(0)) } else { Self::Error(Basis::ExitCode(code)) }
    }

    /// The same, knowing the command line: an exit code that answers a question with "no" (`grep` without a match) is no error.
    pub(crate) fn of_command(self, line: &str) -> Self {
        match self {
            Self::Error(Basis::ExitCode(code)) if exit_code_answers(line, code) => {
                Self::Ok(Basis::ExitCode(code))
            }
            other => other,
        }
    }
}

/// What a JSON object says of itself; `None` when the text is none, or does not say.
fn json_verdict(text: &str, depth: u8) -> Option<Reading> {
    if !text.starts_with('{') {
        return None;
    }
    let object = RawJson::parse(text)?;
    if let Some(inner) = object.get("text").or_else(|| object.get("content")).and_then(RawJson::text)
        && depth < 2
        && let Some(verdict) = json_verdict(inner.trim(), depth + 1)
    {
        return Some(verdict);
    }
    let says = |key: &str| object.get(key);
    if let Some(error) = says("error") {
        let empty = error.is_null()
            || matches!(error.as_str(), "false" | "{}" | "[]" | "0")
            || error.text().is_some_and(|text| text.trim().is_empty());
        if !empty {
            return Some(Reading::Error(Basis::Json));
        }
    }
    let status = says("status").and_then(RawJson::text).map(|status| status.to_ascii_lowercase());
    match status.as_deref() {
        Some("error" | "failed" | "failure") => return Some(Reading::Error(Basis::Json)),
        Some("ok" | "success" | "completed" | "done") => return Some(Reading::Ok(Basis::Json)),
        _ => {}
    }
    for key in ["success", "ok"] {
        if let Some(good) = says(key).and_then(RawJson::as_bool) {
            return Some(if good { Reading::Ok(Basis::Json) } else { Reading::Error(Basis::Json) });
        }
    }
    for key in ["exit_code", "exitCode", "returncode", "return_code", "exit_status"] {
        if let Some(code) = says(key).and_then(RawJson::as_i64) {
            return Some(Reading::of_exit_code(code));
        }
    }
    None
}

/// The number in `exit code N`, `exited with code N`, `exit status N`, `returncode N`.
fn exit_code(text: &str) -> Option<i64> {
    let lower = text.to_ascii_lowercase();
    ["exit code", "exited with code", "exit status", "returncode", "return code", "exit_code"]
        .iter()
        .find_map(|words| {
            // The last one that a number follows: of `<returncode>1</returncode>` the second one names none.
            lower.rmatch_indices(words).find_map(|(at, _)| {
                let after = lower.get(at + words.len()..)?;
                let after = after
                    .trim_start_matches([' ', ':', '=', '"', '\'', '>', '(', '['])
                    .trim_start_matches("of ");
                let end = after.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(after.len());
                after.get(..end)?.parse().ok()
            })
        })
}

#[cfg(test)]
mod tests {
    use clawgauge_transcript::Transcript;

    use super::*;
    use crate::rules::Rules;

    #[test]
    fn texts_that_are_errors_and_texts_that_only_speak_of_them() {
        let (matchers, _) = Matchers::new(&Rules::default());
        for text in [
            "Error: user not found",
            "error: pathspec 'x' did not match",
            "Traceback (most recent call last):\n  File",
            "ValueError: bad",
            "java.lang.NullPointerException: x",
            "{\"error\":\"no such order\"}",
            "{\"success\": false}",
            "{\"type\":\"text\",\"text\":\"{\\\"status\\\":\\\"error\\\"}\"}",
            "{\"exit_code\": 2, \"stdout\": \"\"}",
            "bash: foo: command not found",
            "cat: /etc/x: Permission denied",
            "Permission denied",
            "HTTP 404 Not Found",
            "Request failed with status code 503",
            "some output\n\n(Command exited with code 3)",
            "timed out after 30 s",
            "<returncode>1</returncode>\n<output>\nexit code of the last step\n</output>",
            "Tool no_such_tool not found",
            "2 validation errors for send_mailArguments\nto\n  Field required [type=missing]",
            "Input validation error: 'to' is a required property",
            "错误：文件不存在",
        ] {
            assert!(Reading::of_text(&matchers, text).is_error(), "{text}");
        }
        for text in [
            "",
            "ok",
            "0 errors, 0 warnings",
            "error handling is described below",
            "{\"error\": null, \"items\": []}",
            "{\"status\":\"ok\",\"errors\":[]}",
            "{\"exit_code\": 0, \"stdout\": \"Error: none\"}",
            "done\nexit code: 0",
            "<returncode>0</returncode>\n<output>\nhello\n</output>",
            "fn main() { panic!() }",
            "The invalid rows were dropped",
            "12 validation errors were found in the sheet and marked",
            "200 OK",
        ] {
            assert!(Reading::of_text(&matchers, text).is_ok(), "{text}");
        }
    }

    /// What the text alone says, counted against what is known otherwise.
    #[derive(Debug, Default)]
    struct Counts {
        errors: usize,
        found: usize,
        results: usize,
        wrong: usize,
    }

    impl Counts {
        fn add(&mut self, matchers: &Matchers, text: &str, is_error: bool) {
            let says = Reading::of_text(matchers, text).is_error();
            self.results += 1;
            self.errors += usize::from(is_error);
            self.found += usize::from(is_error && says);
            self.wrong += usize::from(!is_error && says);
        }
    }

    /// Counts the results of a session whose own fields say whether they are errors.
    fn count(matchers: &Matchers, transcript: &Transcript<'_>, counts: &mut Counts) {
        let conversation = transcript.conversation();
        let flags_are_set = conversation.calls().any(|call| call.outcome == Outcome::Failed);
        for call in conversation.calls() {
            let Some(result) = &call.result else { continue };
            let told = result.details.is_some_and(|details| {
                ["status", "exitCode"]
                    .iter()
                    .any(|key| details.get(key).is_some_and(|value| !value.is_null()))
            });
            match call.outcome {
                Outcome::Failed | Outcome::NonZeroExit(_) => counts.add(matchers, &result.text(), true),
                Outcome::Ok if told || flags_are_set && result.is_error == Some(false) => {
                    counts.add(matchers, &result.text(), false);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn the_text_alone_finds_most_errors_of_recorded_sessions_and_no_others() {
        let (matchers, _) = Matchers::new(&Rules::default());
        let mut counts = Counts::default();
        for folder in ["sessions", "agent_end"] {
            let folder = format!("{}/tests/fixtures/{folder}", env!("CARGO_MANIFEST_DIR"));
            for file in std::fs::read_dir(folder).unwrap() {
                let path = file.unwrap().path();
                if path.extension().is_some_and(|end| end == "jsonl") {
                    count(
                        &matchers,
                        &Transcript::from_str(&std::fs::read_to_string(path).unwrap()),
                        &mut counts,
                    );
                }
            }
        }
        assert!(counts.errors >= 10, "{counts:?}");
        assert_eq!(counts.wrong, 0, "{counts:?}");
        assert!(counts.found * 4 >= counts.errors * 3, "{counts:?}");
    }

    /// `READING_DATA=a.jsonl:b.jsonl cargo test -p clawgauge-scoring --lib reading_of_errors -- --ignored --nocapture`. Of sessions
    /// the fields of a result are the truth; of runs with `messages` the flag; of results that carry an exit code in their text
    /// (`<returncode>`, `"exit_code"`) the code, and what is read is the output without it.
    #[test]
    #[ignore = "measures on data that is no part of the project"]
    fn reading_of_errors_measured() {
        let (matchers, _) = Matchers::new(&Rules::default());
        for path in
            std::env::var("READING_DATA").unwrap_or_default().split(':').filter(|path| !path.is_empty())
        {
            let (mut flags, mut shell) = (Counts::default(), Counts::default());
            let text = std::fs::read_to_string(path).unwrap();
            if RawJson::parse(text.lines().next().unwrap_or_default())
                .is_some_and(|json| json.get("messages").is_some())
            {
                for line in text.lines() {
                    let messages = RawJson::parse(line).and_then(|json| json.get("messages")).unwrap();
                    let transcript = Transcript::from_messages(messages);
                    for call in transcript.conversation().calls() {
                        let Some(result) = &call.result else { continue };
                        let text = result.text();
                        if let Some((code, output)) = shell_result(&text) {
                            shell.add(&matchers, &output, code != 0);
                        }
                    }
                    count(&matchers, &transcript, &mut flags);
                }
            } else {
                count(&matchers, &Transcript::from_str(&text), &mut flags);
            }
            eprintln!("{path}: by flags {flags:?}; shell text {shell:?}");
        }
    }

    /// The exit code that a result's text carries, and the output beside it.
    fn shell_result(text: &str) -> Option<(i64, String)> {
        if let Some((code, output)) =
            text.trim().strip_prefix("<returncode>").and_then(|rest| rest.split_once("</returncode>"))
        {
            let output = output.replace("<output>", "").replace("</output>", "");
            return Some((code.parse().ok()?, output));
        }
        let json = RawJson::parse(text.trim())?;
        Some((json.get("exit_code")?.as_i64()?, json.get("output")?.text()?.into_owned()))
    }
}

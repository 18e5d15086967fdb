//! Exit codes that answer a question.

use super::effect::{git_words, program_name, program_words};
use super::shell::{ShellCommand, shell_commands};

/// Whether a command line that ended with this exit code answered a question with "no", rather than failed.
///
/// `grep` without a match, `diff` of files that differ, `test` of what is not so: these and their like end with 1 then, and with
/// 2 or more when something went wrong (POSIX, "Exit status" of each; `xargs` makes 123 of it). The code is that of the last
/// command of the line; behind `&&` only when what stands before it merely prepares (`cd`, `export`), since the code may be of
/// any of them.
///
/// ```
/// use clawgauge_transcript::exit_code_answers;
///
/// assert!(exit_code_answers("cd src && grep -rn 'fn lost' .", 1));
/// assert!(exit_code_answers("cat a.txt | grep b", 1));
/// assert!(!exit_code_answers("grep b missing.txt", 2));
/// assert!(!exit_code_answers("make && grep b log.txt", 1));
/// ```
///
/// O(n); allocates the words of the line.
#[must_use]
pub fn exit_code_answers(line: &str, exit_code: i64) -> bool {
    if !matches!(exit_code, 1 | XARGS_NO) {
        return false;
    }
    let commands = shell_commands(line);
    let Some(last) = commands.last() else { return false };
    if !asks(last, exit_code) {
        return false;
    }
    // Back through what must have run for the last command to run.
    for pair in commands.windows(2).rev() {
        let [before, after] = pair else { continue };
        match Joint::between(line, before, after) {
            Joint::Pipe => {}
            Joint::And if only_prepares(before) => {}
            Joint::And => return false,
            Joint::Other => break,
        }
    }
    true
}

/// What `xargs` ends with when a command that it ran ended with 1 to 125.
const XARGS_NO: i64 = 123;

/// What stands between two commands.
enum Joint {
    Pipe,
    And,
    Other,
}

impl Joint {
    fn between(line: &str, before: &ShellCommand, after: &ShellCommand) -> Self {
        let text = line.get(before.range.end..after.range.start).unwrap_or_default();
        if text.contains("&&") {
            Self::And
        } else if text.contains('|') && !text.contains("||") {
            Self::Pipe
        } else {
            Self::Other
        }
    }
}

/// Whether the command asks something whose "no" is this exit code.
fn asks(command: &ShellCommand, exit_code: i64) -> bool {
    let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
    let runs_xargs = words.first().is_some_and(|first| program_name(first) == "xargs");
    if runs_xargs != (exit_code == XARGS_NO) {
        return false;
    }
    if let ["command", "-v" | "-V", ..] = words.as_slice() {
        return true;
    }
    let Some((first, rest)) = program_words(&words).split_first() else { return false };
    match &*program_name(first) {
        "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack" | "diff" | "colordiff" | "cmp"
        | "test" | "[" | "[[" | "expr" | "which" | "type" | "pgrep" | "pidof" => true,
        "git" => matches!(git_words(rest), ["grep" | "diff", ..]),
        _ => false,
    }
}

/// A command that only prepares or prints: it fails with a message if at all.
fn only_prepares(command: &ShellCommand) -> bool {
    let prints = |first: &String| matches!(&*program_name(first), "echo" | "printf" | "pwd");
    command.effect().is_none() || command.words.first().is_some_and(prints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_no_is_no_error() {
        for (line, code) in [
            ("grep x a.txt", 1),
            ("LC_ALL=C sudo /usr/bin/grep -q x a.txt", 1),
            ("timeout 5 rg lost", 1),
            ("make 2>&1 | grep -i warning", 1),
            ("cd /repo && export A=1 && cat b | grep c", 1),
            ("cd /repo && echo '== b ==' && grep b c", 1),
            ("make; diff a b", 1),
            ("cat a || test -f b", 1),
            ("[ -d build ]", 1),
            ("git -P grep lost", 1),
            ("git diff --exit-code", 1),
            ("which cargo", 1),
            ("command -v node", 1),
            ("find . -name '*.rs' | xargs -0 grep lost", 123),
        ] {
            assert!(exit_code_answers(line, code), "{line}: {code}");
        }
    }

    #[test]
    fn an_error_stays_one() {
        for (line, code) in [
            ("grep x a.txt", 2),
            ("grep x a.txt", 123),
            ("python a.py", 1),
            ("python a.py && grep x a.txt", 1),
            ("python a.py | tee log && grep x log", 1),
            ("grep x a.txt | python count.py", 1),
            ("grep x a.txt; python a.py", 1),
            ("git commit -m grep", 1),
            ("xargs rm", 123),
            ("xargs grep x", 1),
            ("", 1),
        ] {
            assert!(!exit_code_answers(line, code), "{line}: {code}");
        }
    }
}

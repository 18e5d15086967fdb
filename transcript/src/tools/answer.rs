//! Exit codes that answer a question.

use super::Effect;
use super::program;
use super::shell::{Joint, ShellCommand, shell_commands};

/// Whether a command line that ended with this exit code answered a question with "no", rather than failed.
///
/// `grep` without a match, `diff` of files that differ, `test` of what is not so: these and their like end with 1 then, and with
/// 2 or more when something went wrong (POSIX, "Exit status" of each; `xargs` makes 123 of it). The code is that of the last
/// command of the line. In a chain of `&&` it may be of any command, so there all of them must ask, prepare (`cd`, `export`)
/// or print (`echo`), and one must ask; the same holds for whatever came before under `set -e`, and for all of a pipe under
/// `set -o pipefail`, where what reads from the pipe may be anything that only looks (`sort`, `head`). Scripts that the line
/// gives to a shell (`bash -c '…'`) are looked into.
///
/// ```
/// use clawgauge_transcript::exit_code_answers;
///
/// assert!(exit_code_answers("cd src && grep -rn 'fn lost' .", 1));
/// assert!(exit_code_answers("cat a.txt | grep b", 1));
/// assert!(exit_code_answers("test -f a.txt && echo there", 1));
/// assert!(!exit_code_answers("grep b missing.txt", 2));
/// assert!(!exit_code_answers("make && grep b log.txt", 1));
/// ```
///
/// O(n); allocates the words of the line.
#[must_use]
pub fn exit_code_answers(line: &str, exit_code: i64) -> bool {
    matches!(exit_code, NO | XARGS_NO) && line_answers(line, exit_code, Options::default(), 0)
}

const NO: i64 = 1;

/// What `xargs` ends with when a command that it ran ended with 1 to 125.
const XARGS_NO: i64 = 123;

/// How deep `bash -c '…'` is followed.
const MAX_NESTING: usize = 4;

/// What a shell was told to do about errors.
#[derive(Debug, Clone, Copy, Default)]
struct Options {
    /// `-e`: a command that fails ends the script.
    stops: bool,
    /// `-o pipefail`: a pipe fails with any of its commands.
    pipes_fail: bool,
}

impl Options {
    /// Takes note of `set -euo pipefail`, or of the same words before `-c`.
    fn read(&mut self, words: &[&str]) {
        for word in words {
            self.stops |= *word == "errexit" || is_flag(word, 'e');
            self.pipes_fail |= *word == "pipefail";
        }
    }
}

fn is_letters(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn line_answers(line: &str, exit_code: i64, mut options: Options, depth: usize) -> bool {
    let mut commands = shell_commands(line);
    // The ends of loops and conditions have the code of what stands in them.
    commands
        .retain(|command| !matches!(command.words.first().map(String::as_str), Some("done" | "fi" | "esac")));
    for command in &commands {
        if let ["set", flags @ ..] = words_of(command).as_slice() {
            options.read(flags);
        }
    }
    let mut asked = false;
    // Whether the command at hand writes into a pipe: its own code is lost then.
    let mut is_piped = false;
    for command in commands.iter().rev() {
        let reads_pipe = command.joint == Joint::Pipe;
        if !is_piped || options.pipes_fail {
            let filters = options.pipes_fail && reads_pipe && command.effect() == Some(Effect::Read);
            if asks(command, exit_code, options, depth) {
                asked = true;
            } else if !(filters || says_nothing(command)) {
                return false;
            }
        }
        is_piped = reads_pipe;
        if matches!(command.joint, Joint::Next | Joint::Or) && !options.stops {
            break;
        }
    }
    asked
}

fn words_of(command: &ShellCommand) -> Vec<&str> {
    command.words.iter().map(String::as_str).collect()
}

/// Whether the command asks something whose "no" is this exit code.
fn asks(command: &ShellCommand, exit_code: i64, mut options: Options, depth: usize) -> bool {
    let words = words_of(command);
    if let ["command", "-v" | "-V", ..] = words.as_slice() {
        return exit_code == NO;
    }
    let (behind, _) = program::behind_runners(&words);
    if let Some((script, _)) = program::script(behind) {
        let flags = behind.iter().position(|word| *word == script).and_then(|at| behind.get(1..at));
        options.read(flags.unwrap_or_default());
        return depth < MAX_NESTING && line_answers(&script, exit_code, options, depth + 1);
    }
    let runs_xargs = words.first().is_some_and(|first| program::name(first) == "xargs");
    runs_xargs == (exit_code == XARGS_NO) && program_asks(behind)
}

fn program_asks(words: &[&str]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    match &*program::name(first) {
        "grep" | "egrep" | "fgrep" | "zgrep" | "bzgrep" | "xzgrep" | "zstdgrep" | "pcregrep"
        | "pcre2grep" | "ugrep" | "rg" | "ag" | "ack" | "findstr" | "diff" | "colordiff" | "zdiff"
        | "diff3" | "sdiff" | "cmp" | "test" | "[" | "[[" | "expr" | "which" | "where" | "type" | "pgrep"
        | "pidof" | "lsof" | "fuser" => true,
        name if name.starts_with("((") => true,
        "git" => git_asks(program::git_words(rest)),
        "jq" => rest.iter().any(|word| *word == "--exit-status" || is_flag(word, 'e')),
        "npm" | "pnpm" | "yarn" => rest.first() == Some(&"outdated"),
        // With `+` the code is that of the programs it ran; with `;` it never is.
        "find" if rest.last() == Some(&"+") => {
            let at = rest.iter().position(|word| matches!(*word, "-exec" | "-execdir"));
            let inner = at.and_then(|at| rest.get(at + 1..)).unwrap_or_default();
            inner.first().is_some_and(|word| program::name(word) != "find") && program_asks(inner)
        }
        _ => false,
    }
}

fn git_asks(words: &[&str]) -> bool {
    let has = |any_of: &[&str]| words.iter().any(|word| any_of.contains(word));
    match words.first().copied().unwrap_or_default() {
        "grep" | "diff" | "diff-index" | "diff-files" | "diff-tree" | "check-ignore" | "show-ref" => true,
        "merge-base" => has(&["--is-ancestor"]),
        "config" => has(&["--get", "--get-all", "--get-regexp", "get"]),
        "rev-parse" | "symbolic-ref" => has(&["-q", "--quiet"]),
        _ => false,
    }
}

/// Whether the letter is among those of a flag (`-re`).
fn is_flag(word: &str, letter: char) -> bool {
    word.strip_prefix('-').is_some_and(|letters| letters.contains(letter) && is_letters(letters))
}

/// A command that only prepares or prints: it fails with a message if at all.
fn says_nothing(command: &ShellCommand) -> bool {
    match command.words.first().map(|first| program::name(first)).as_deref() {
        // These say what the code shall be.
        Some("exit" | "false") => false,
        Some("echo" | "printf" | "pwd") => true,
        _ => command.effect().is_none(),
    }
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
            ("make |& grep -i warning", 1),
            ("cd /repo && export A=1 && cat b | grep c", 1),
            ("cd /repo && echo '== b ==' && grep b c", 1),
            ("cd /repo &&\n  grep b c", 1),
            ("make; diff a b", 1),
            ("cat a || test -f b", 1),
            ("[ -d build ]", 1),
            ("[[ -d build && $x > 3 ]]", 1),
            ("(( count > 3 ))", 1),
            ("git -P grep lost", 1),
            ("git diff --exit-code", 1),
            ("git merge-base --is-ancestor a b", 1),
            ("git config --get user.name", 1),
            ("which cargo", 1),
            ("command -v node", 1),
            ("jq -e .ok a.json", 1),
            ("find . -name '*.rs' | xargs -0 grep lost", 123),
            ("find . -name '*.rs' -exec grep -l lost {} +", 1),
            ("diff <(sort a) <(sort b)", 1),
            // The question comes first, and nothing behind it can fail.
            ("grep -q x a.txt && echo found", 1),
            ("test -f a && test -f b && printf 'both\\n'", 1),
            // Loops, conditions, brackets.
            ("for f in *.txt; do grep x $f; done", 1),
            ("if [ -f a ]; then grep x a; fi", 1),
            ("while read f; do grep x \"$f\"; done < list", 1),
            ("{ cd a; grep x b; }", 1),
            ("(cd a && grep x b)", 1),
            ("! grep x a.txt", 1),
            // Text that is no operator.
            ("cat > a <<'EOF'\nmake && x | y\nEOF\ngrep x a", 1),
            ("make # && x\ngrep x a", 1),
            ("grep x <<EOF\nmake && y\nEOF", 1),
            ("git commit -m \"$(cat <<'EOF'\nit's \"so\"; make && x\nEOF\n)\"; grep x a", 1),
            // Scripts.
            ("bash -c 'grep foo bar'", 1),
            ("bash -lc \"cd a && grep 'foo' bar\"", 1),
            ("sudo sh -c 'timeout 5 grep foo bar'", 1),
            ("bash -c \"bash -c 'grep foo bar'\"", 1),
            ("cmd /c findstr foo bar.txt", 1),
            ("powershell -NoProfile -Command \"findstr foo bar.txt\"", 1),
            ("findstr /i foo bar.txt", 1),
            // Options of the shell.
            ("set -e; cd a; grep x b", 1),
            ("set -o pipefail; grep x a | sort | head -5", 1),
            ("set -euo pipefail\ncd a\ngrep x b | wc -l", 1),
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
            ("python a.py &&\n grep x a.txt", 1),
            ("python a.py | tee log && grep x log", 1),
            ("grep x a.txt && python a.py", 1),
            ("grep x a.txt | python count.py", 1),
            ("grep x a.txt; python a.py", 1),
            ("grep -q x a.txt || exit 1", 1),
            ("grep -q x a.txt && exit 1", 1),
            ("grep x a.txt | head", 1),
            ("git commit -m grep", 1),
            ("git push", 1),
            ("git config user.name x", 1),
            ("xargs rm", 123),
            ("xargs grep x", 1),
            ("find . -exec rm {} +", 1),
            ("jq .ok a.json", 1),
            ("for f in *; do python $f; done", 1),
            ("if grep -q x a; then python a.py; fi", 1),
            ("bash -c 'python a.py'", 1),
            ("bash -c 'python a.py && grep x a'", 1),
            ("bash grep.sh", 1),
            ("bash -ec 'python a.py; grep x a'", 1),
            ("bash -e -o pipefail -c 'python a.py; grep x a'", 1),
            ("set -e; python a.py; grep x a", 1),
            ("set -o pipefail; python a.py | grep x", 1),
            ("set -o pipefail; cat a.txt | grep x", 1),
            ("cd /repo", 1),
            ("echo grep", 1),
            ("", 1),
            ("fi", 1),
            ("cat <<'EOF'\ngrep x a\nEOF", 1),
            ("python -c \"$(echo 'a'; grep b c)\"", 1),
        ] {
            assert!(!exit_code_answers(line, code), "{line}: {code}");
        }
    }
}

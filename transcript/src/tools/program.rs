//! Which program of a simple command does the work, and which script it runs.

use std::borrow::Cow;

/// The program that a word names: no folder, lower case, no `.exe`.
pub(super) fn name(word: &str) -> Cow<'_, str> {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        let lower = name.to_ascii_lowercase();
        Cow::Owned(lower.strip_suffix(".exe").map(str::to_owned).unwrap_or(lower))
    } else {
        Cow::Borrowed(name.strip_suffix(".exe").unwrap_or(name))
    }
}

/// The words from the program that does the work on: without assignments, `sudo`, `timeout 5` and the like before it.
/// Also whether something like `sudo` was among them. O(n).
pub(super) fn behind_runners<'a, 'w>(mut words: &'a [&'w str]) -> (&'a [&'w str], bool) {
    let mut is_run = false;
    while let Some((first, rest)) = words.split_first() {
        let program = name(first);
        words = if is_assignment(first) {
            rest
        } else if is_runner(&program) {
            is_run = true;
            behind(&program, rest)
        } else {
            break;
        };
    }
    (words, is_run)
}

/// The command line that these words give to a shell (`bash -lc '…'`, `powershell -Command …`, `cmd /c …`), and the
/// words behind it.
pub(super) fn script<'a, 'w>(words: &'a [&'w str]) -> Option<(Cow<'w, str>, &'a [&'w str])> {
    let (program, mut rest) = words.split_first()?;
    match &*name(program) {
        "sh" | "bash" | "zsh" | "dash" | "ash" | "ksh" | "fish" => loop {
            let (flag, tail) = rest.split_first()?;
            let letters = flag.strip_prefix(['-', '+'])?;
            rest = match letters {
                letters if letters.starts_with('-') => tail,
                letters if letters.ends_with('c') => {
                    let (script, behind) = tail.split_first()?;
                    return Some((Cow::Borrowed(script), behind));
                }
                // The name of an option is a word of its own: `-euo pipefail`.
                letters if letters.ends_with(['o', 'O']) => tail.get(1..)?,
                _ => tail,
            };
        },
        // All that follows is the script.
        "powershell" | "pwsh" => rest_from(rest, &["-c", "-command", "/c", "/command"]),
        "cmd" => rest_from(rest, &["/c", "/k"]),
        _ => None,
    }
}

fn rest_from<'a, 'w>(words: &'a [&'w str], flags: &[&str]) -> Option<(Cow<'w, str>, &'a [&'w str])> {
    let is_flag = |word: &&str| flags.iter().any(|flag| word.eq_ignore_ascii_case(flag));
    let at = words.iter().position(is_flag)?;
    match words.get(at + 1..)? {
        [] => None,
        [script] => Some((Cow::Borrowed(script), &[])),
        words => Some((Cow::Owned(words.join(" ")), &[])),
    }
}

/// Programs that run the program behind them; their own options are stepped over.
fn is_runner(program: &str) -> bool {
    matches!(
        program,
        "sudo"
            | "doas"
            | "env"
            | "time"
            | "nohup"
            | "nice"
            | "ionice"
            | "stdbuf"
            | "xargs"
            | "timeout"
            | "command"
            | "exec"
            | "builtin"
            | "unbuffer"
            | "npx"
            | "bunx"
            | "pnpx"
            | "uvx"
            | "setsid"
            | "busybox"
    )
}

/// `NAME=value` in front of a program.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// The words of the program that a runner runs.
pub(super) fn behind<'a, 'w>(runner: &str, mut rest: &'a [&'w str]) -> &'a [&'w str] {
    let takes_value: &[&str] = match runner {
        "sudo" | "doas" => &["-u", "-g", "-h", "-C"],
        "nice" | "ionice" => &["-n", "-c"],
        "xargs" => &["-n", "-I", "-P", "-L", "-d", "-a"],
        "timeout" => &["-k", "-s", "--signal", "--kill-after"],
        "env" => &["-u", "-C"],
        "npx" | "bunx" | "pnpx" | "uvx" => &["-p", "--package", "--from"],
        _ => &[],
    };
    loop {
        rest = match rest {
            [flag, _, tail @ ..] if takes_value.contains(flag) => tail,
            [flag, tail @ ..] if flag.starts_with('-') => tail,
            [word, tail @ ..] if is_assignment(word) => tail,
            _ => break,
        };
    }
    match rest {
        [_, tail @ ..] if runner == "timeout" => tail,
        rest => rest,
    }
}

/// From the verb of a git command on: `git -C dir -c key=value verb`.
pub(super) fn git_words<'a, 'w>(mut words: &'a [&'w str]) -> &'a [&'w str] {
    while let [flag, tail @ ..] = words {
        words = match (*flag, tail) {
            ("-C" | "-c" | "--git-dir" | "--work-tree", [_, tail @ ..]) => tail,
            (flag, tail) if flag.starts_with('-') => tail,
            _ => break,
        };
    }
    words
}

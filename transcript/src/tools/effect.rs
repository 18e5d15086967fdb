//! What one call does: by the tool's kind, and for shell calls by the command.

use std::borrow::Cow;

use serde_json::Value;

use super::shell::{ShellCommand, runs_script, shell_commands};
use super::{Effect, ToolKind, ToolName, ToolTable, names};

/// How deep `bash -c '…'` is followed.
const MAX_NESTING: usize = 4;

impl ToolTable {
    /// What a call of this tool with these arguments does.
    ///
    /// Shell calls are judged by their command ([`command_effect`](Self::command_effect)); tools with an `action` (or
    /// an editor's `command`) by the words of that; the others by their kind.
    #[must_use]
    pub fn effect(&self, name: &str, arguments: &Value) -> Effect {
        match self.kind(name) {
            ToolKind::Shell => {
                self.command(arguments).map_or(Effect::Run, |command| self.command_effect(&command))
            }
            kind => kind.effect(name, arguments),
        }
    }

    /// What a command line does: the first of test, change, read and run that one of its commands does. An empty one
    /// does nothing that can be told. O(n).
    ///
    /// ```
    /// # use clawgauge_transcript::{Effect, ToolTable};
    /// let tools = ToolTable::standard();
    /// assert_eq!(tools.command_effect("sed -i s/a/b/ x && cargo test"), Effect::Test);
    /// assert_eq!(tools.command_effect("cat a | grep b > c"), Effect::Change);
    /// assert_eq!(tools.command_effect("git log | head"), Effect::Read);
    /// assert_eq!(tools.command_effect("./start.sh"), Effect::Run);
    /// ```
    #[must_use]
    pub fn command_effect(&self, command: &str) -> Effect {
        line_effect(command, 0)
    }
}

impl ToolKind {
    /// What a call of a tool of this kind, with this name and these arguments, does: [`ToolTable::effect`] for callers that know
    /// the kind. A shell call runs something; what, [`ShellCommand::effect`] tells of each of its commands.
    #[must_use]
    pub fn effect(self, name: &str, arguments: &Value) -> Effect {
        match self {
            Self::Edit => match sub_verb(arguments).as_deref() {
                Some("view" | "read" | "show" | "list" | "open") => Effect::Read,
                _ => Effect::Change,
            },
            Self::Write | Self::Change | Self::Message => Effect::Change,
            Self::Process => match sub_verb(arguments).as_deref() {
                Some("write" | "send" | "submit" | "paste" | "kill" | "remove" | "clear") => Effect::Run,
                _ => Effect::Read,
            },
            Self::Browser | Self::Other => by_sub_verb(arguments).unwrap_or_else(|| {
                let tests = ["test", "tests", "pytest", "lint", "typecheck"];
                let words = ToolName::parse(name);
                if words.words().iter().any(|word| tests.contains(&word.as_str())) {
                    Effect::Test
                } else {
                    Effect::Other
                }
            }),
            Self::Read | Self::Search | Self::Fetch => Effect::Read,
            Self::Shell | Self::Code | Self::Spawn => Effect::Run,
            Self::Ask | Self::Plan | Self::Meta => Effect::Other,
        }
    }
}

impl ShellCommand {
    /// What this command does; `None` for what only prepares another (`cd`, assignments). O(n).
    #[must_use]
    pub fn effect(&self) -> Option<Effect> {
        simple_effect(self, 0)
    }
}

/// The value of the argument that says what a tool with many actions shall do.
fn sub_verb(arguments: &Value) -> Option<String> {
    let map = arguments.as_object()?;
    let verb =
        ["action", "command", "operation", "op", "method"].iter().find_map(|key| map.get(*key)?.as_str())?;
    names::words_of(verb).into_iter().next()
}

fn by_sub_verb(arguments: &Value) -> Option<Effect> {
    let map = arguments.as_object()?;
    let verb = ["action", "operation", "op", "method"].iter().find_map(|key| map.get(*key)?.as_str())?;
    let words = names::words_of(verb);
    let looks = ["snapshot", "screenshot", "tabs", "navigate", "goto", "scroll", "wait", "status"];
    let acts = ["click", "type", "fill", "press", "select", "drag", "act"];
    if words.iter().any(|word| looks.contains(&word.as_str())) {
        return Some(Effect::Read);
    }
    if words.iter().any(|word| acts.contains(&word.as_str())) {
        return Some(Effect::Change);
    }
    match names::kind_by_words(&words) {
        kind if kind.is_changing() => Some(Effect::Change),
        kind if kind.is_reading() => Some(Effect::Read),
        _ => (words.first()? == "run").then_some(Effect::Run),
    }
}

fn line_effect(line: &str, depth: usize) -> Effect {
    shell_commands(line)
        .iter()
        .filter_map(|command| simple_effect(command, depth))
        .min()
        .unwrap_or(Effect::Other)
}

/// What one simple command does; `None` for what only prepares (`cd`, assignments).
fn simple_effect(command: &ShellCommand, depth: usize) -> Option<Effect> {
    let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
    let writes = command.writes_to.iter().any(|target| !target.starts_with("/dev/"));
    let effect = program_effect(&words, depth);
    if writes && effect != Some(Effect::Test) { Some(Effect::Change) } else { effect }
}

fn program_effect(words: &[&str], depth: usize) -> Option<Effect> {
    let (first, rest) = words.split_first()?;
    let program = program_name(first);
    let program = &*program;
    if is_assignment(first) {
        return program_effect(rest, depth);
    }
    if let [flag, script, ..] = rest
        && runs_script(program, flag)
    {
        return if depth < MAX_NESTING { Some(line_effect(script, depth + 1)) } else { Some(Effect::Run) };
    }
    let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(word));
    let verb = rest.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
    let effect = match program {
        "cd" | "export" | "set" | "source" | "." | "true" | "false" | ":" | "sleep" | "wait" | "exit"
        | "pushd" | "popd" | "unset" | "alias" | "ulimit" | "umask" | "trap" | "fi" | "done" | "for"
        | "case" | "esac" | "shift" => {
            return None;
        }
        runner if is_runner(runner) => {
            return program_effect(behind(runner, rest), depth).or(Some(Effect::Run));
        }
        "pytest" | "py.test" | "jest" | "vitest" | "mocha" | "ava" | "tox" | "nox" | "rspec" | "phpunit"
        | "ctest" | "nosetests" | "nose2" | "test" | "[" | "[[" | "tsc" | "mypy" | "pyright" | "flake8"
        | "pylint" | "shellcheck" | "golangci-lint" | "clippy-driver" | "cypress" | "bats" | "playwright" => {
            Effect::Test
        }
        "eslint" | "ruff" | "biome" | "stylelint" | "rubocop" | "black" | "prettier" | "isort" => {
            if has(&["--fix", "--write", "-w", "-a", "--autocorrect", "-A"])
                || verb == "format" && !has(&["--check"])
            {
                Effect::Change
            } else if matches!(program, "black" | "isort" | "prettier")
                && !has(&["--check", "-c", "--diff", "-l"])
            {
                if program == "prettier" { Effect::Read } else { Effect::Change }
            } else {
                Effect::Test
            }
        }
        "python" | "python3" | "python2" | "pypy" | "py" => match rest {
            ["-m", module, rest @ ..] => match *module {
                "pytest" | "unittest" | "doctest" | "nose" | "tox" | "mypy" | "flake8" | "pylint"
                | "py_compile" | "compileall" => Effect::Test,
                "pip" => return program_effect(&[&["pip"], rest].concat(), depth),
                "venv" | "virtualenv" => Effect::Change,
                _ => Effect::Run,
            },
            [script, ..] if is_test_script(script) => Effect::Test,
            _ => Effect::Run,
        },
        "node" | "deno" | "bun" if verb == "test" || has(&["--test", "--check"]) => Effect::Test,
        "cargo" => match verb {
            "test" | "nextest" | "check" | "clippy" | "miri" | "audit" | "deny" => Effect::Test,
            "fmt" if has(&["--check"]) => Effect::Test,
            "fmt" | "add" | "remove" | "rm" | "fix" | "install" | "uninstall" | "new" | "init"
            | "publish" | "update" | "clean" => Effect::Change,
            "tree" | "metadata" | "search" | "doc" => Effect::Read,
            _ => Effect::Run,
        },
        "npm" | "yarn" | "pnpm" | "bun" => npm_effect(verb, rest),
        "go" => match verb {
            "test" | "vet" => Effect::Test,
            "get" | "install" | "mod" | "fmt" | "generate" | "clean" => Effect::Change,
            "list" | "doc" | "env" | "version" => Effect::Read,
            _ => Effect::Run,
        },
        "make" | "just" | "ninja" | "rake" | "gradle" | "gradlew" | "mvn" | "mvnw" | "bazel" | "meson"
        | "dotnet" | "mix" | "sbt" | "swift" | "composer" | "bundle" | "poetry" | "uv" | "pipenv"
        | "hatch" => build_effect(rest, depth),
        "git" => git_effect(rest),
        "gh" | "glab" => {
            match rest.iter().filter(|word| !word.starts_with('-')).nth(1).copied().unwrap_or_default() {
                "list" | "view" | "status" | "diff" | "checks" => Effect::Read,
                _ if verb == "api" && !has(&["-X", "-f", "-F", "--method", "--input"]) => Effect::Read,
                _ => Effect::Change,
            }
        }
        "rm" | "rmdir" | "mv" | "cp" | "mkdir" | "touch" | "ln" | "chmod" | "chown" | "chgrp" | "tee"
        | "truncate" | "dd" | "install" | "patch" | "unlink" | "shred" | "rsync" | "scp" | "unzip"
        | "zip" | "gzip" | "gunzip" | "crontab" | "kill" | "pkill" | "killall" | "shutdown" | "reboot"
        | "mount" | "umount" | "useradd" | "userdel" | "mkfifo" | "sponge" | "ed" | "ex" | "new-item"
        | "remove-item" | "set-content" | "del" | "copy" | "move" => Effect::Change,
        "tar" => {
            let first = verb.trim_start_matches('-');
            let flags = rest.first().copied().unwrap_or_default();
            if flags.contains('t') && !flags.contains('x') || first == "t" {
                Effect::Read
            } else {
                Effect::Change
            }
        }
        "sed" | "perl" if rest.iter().any(|word| in_place(word)) => Effect::Change,
        "find" | "fd" if has(&["-delete", "-exec", "-execdir", "-x"]) => {
            let at = rest.iter().position(|word| matches!(*word, "-exec" | "-execdir" | "-x"));
            let inner = at.and_then(|at| rest.get(at + 1..)).and_then(|inner| program_effect(inner, depth));
            if has(&["-delete"]) { Effect::Change } else { inner.unwrap_or(Effect::Run) }
        }
        "curl" | "http" | "https" | "xh" => {
            let writes = rest.iter().any(|word| matches!(*word, "POST" | "PUT" | "DELETE" | "PATCH"))
                || has(&[
                    "-d",
                    "--data",
                    "--data-raw",
                    "--data-binary",
                    "--data-urlencode",
                    "-F",
                    "--form",
                    "-T",
                    "--upload-file",
                    "--json",
                ])
                || rest.iter().any(|word| {
                    ["-XPOST", "-XPUT", "-XDELETE", "-XPATCH", "--data="]
                        .iter()
                        .any(|flag| word.starts_with(flag))
                });
            if writes { Effect::Change } else { Effect::Read }
        }
        "apt" | "apt-get" | "yum" | "dnf" | "apk" | "brew" | "pacman" | "pip" | "pip3" | "pipx" | "gem"
        | "conda" | "snap" => match verb {
            "list" | "show" | "search" | "info" | "freeze" | "check" | "policy" | "outdated" => Effect::Read,
            "" => Effect::Run,
            _ => Effect::Change,
        },
        "docker" | "podman" | "kubectl" | "helm" | "systemctl" | "service" | "launchctl" | "terraform"
        | "aws" | "gcloud" | "az" | "nerdctl" | "openclaw" => admin_effect(rest),
        "sed" | "awk" | "cat" | "head" | "tail" | "less" | "more" | "grep" | "egrep" | "fgrep" | "rg"
        | "ag" | "ack" | "ls" | "ll" | "dir" | "tree" | "find" | "fd" | "wc" | "stat" | "file" | "du"
        | "df" | "pwd" | "whoami" | "id" | "date" | "which" | "whereis" | "type" | "echo" | "printf"
        | "printenv" | "ps" | "top" | "free" | "uptime" | "uname" | "hostname" | "diff" | "cmp" | "sort"
        | "uniq" | "cut" | "tr" | "column" | "jq" | "yq" | "xxd" | "od" | "hexdump" | "strings" | "nl"
        | "tac" | "rev" | "basename" | "dirname" | "realpath" | "readlink" | "md5sum" | "sha1sum"
        | "sha256sum" | "lsof" | "netstat" | "ss" | "ping" | "dig" | "nslookup" | "host" | "wget" | "man"
        | "history" | "journalctl" | "dmesg" | "nproc" | "lscpu" | "locate" | "zcat" | "zgrep" | "bat"
        | "get-content" | "get-childitem" | "seq" | "expr" | "bc" | "paste" | "join" | "comm" | "fold"
        | "fmt" | "look" | "cal" => Effect::Read,
        _ if is_test_script(program) => Effect::Test,
        _ => Effect::Run,
    };
    Some(effect)
}

/// The program that a word names: no folder, lower case, no `.exe`.
pub(super) fn program_name(word: &str) -> Cow<'_, str> {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        let lower = name.to_ascii_lowercase();
        Cow::Owned(lower.strip_suffix(".exe").map(str::to_owned).unwrap_or(lower))
    } else {
        Cow::Borrowed(name.strip_suffix(".exe").unwrap_or(name))
    }
}

/// The words from the program that does the work: without assignments, `sudo`, `timeout 5` and the like before it.
pub(super) fn program_words<'a, 'w>(mut words: &'a [&'w str]) -> &'a [&'w str] {
    while let Some((first, rest)) = words.split_first() {
        let program = program_name(first);
        words = if is_assignment(first) {
            rest
        } else if is_runner(&program) {
            behind(&program, rest)
        } else {
            break;
        };
    }
    words
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
fn behind<'a, 'w>(runner: &str, mut rest: &'a [&'w str]) -> &'a [&'w str] {
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

/// `-i`, `-i.bak`, `-pi`, `--in-place`.
fn in_place(word: &str) -> bool {
    let flags = word.strip_prefix('-').unwrap_or_default();
    word.starts_with("--in-place")
        || (!flags.starts_with('-')
            && flags.split('.').next().is_some_and(|flags| flags.len() <= 4 && flags.contains('i')))
}

/// Scripts that are tests by their name or folder: `run_tests.sh`, `test_api.py`, `tests/all.js`.
fn is_test_script(word: &str) -> bool {
    let is_test = |word: &String| matches!(word.as_str(), "test" | "tests" | "spec" | "lint" | "runtests");
    names::words_of(word).iter().any(is_test)
}

fn is_check_word(word: &str) -> bool {
    names::words_of(word).iter().any(|word| {
        matches!(
            word.as_str(),
            "test"
                | "tests"
                | "check"
                | "lint"
                | "verify"
                | "typecheck"
                | "spec"
                | "e2e"
                | "ci"
                | "vitest"
                | "jest"
                | "pytest"
        )
    })
}

fn npm_effect(verb: &str, rest: &[&str]) -> Effect {
    let script = rest.iter().filter(|word| !word.starts_with('-')).nth(1).copied().unwrap_or_default();
    match verb {
        "test" | "t" | "tst" | "audit" => Effect::Test,
        "run" | "run-script" | "exec" | "x" | "dlx" => {
            if is_check_word(script) {
                Effect::Test
            } else {
                Effect::Run
            }
        }
        "install" | "i" | "ci" | "add" | "remove" | "rm" | "uninstall" | "update" | "upgrade" | "publish"
        | "link" | "init" | "create" => Effect::Change,
        "ls" | "list" | "view" | "info" | "outdated" | "why" | "search" | "config" | "root" | "bin" => {
            Effect::Read
        }
        script if is_check_word(script) => Effect::Test,
        _ => Effect::Run,
    }
}

/// Build tools, whose targets are words of their own.
fn build_effect(rest: &[&str], depth: usize) -> Effect {
    let mut targets = rest.iter().filter(|word| !word.starts_with('-'));
    if targets.clone().any(|target| is_check_word(target)) {
        return Effect::Test;
    }
    match targets.next().copied() {
        Some(
            "clean" | "install" | "add" | "remove" | "update" | "deploy" | "publish" | "uninstall" | "lock"
            | "sync" | "pip",
        ) => Effect::Change,
        Some("run" | "exec") if depth < MAX_NESTING => {
            let at = rest.iter().position(|word| matches!(*word, "run" | "exec"));
            let inner = at.and_then(|at| rest.get(at + 1..)).unwrap_or_default();
            program_effect(behind("", inner), depth + 1).unwrap_or(Effect::Run)
        }
        _ => Effect::Run,
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

fn git_effect(rest: &[&str]) -> Effect {
    let words = git_words(rest);
    let (verb, rest) = words.split_first().map_or(("", words), |(verb, rest)| (*verb, rest));
    let plain = |list: &[&str]| !rest.iter().any(|word| !word.starts_with('-') && !list.contains(word));
    match verb {
        "status" | "log" | "diff" | "show" | "blame" | "grep" | "ls-files" | "ls-tree" | "ls-remote"
        | "rev-parse" | "rev-list" | "describe" | "shortlog" | "reflog" | "cat-file" | "fetch" | "help"
        | "version" | "whatchanged" | "merge-base" | "name-rev" | "for-each-ref" | "check-ignore"
        | "count-objects" => Effect::Read,
        "branch" | "tag" | "remote" | "stash" | "worktree" | "config" | "submodule" | "notes"
            if plain(&["list", "show", "show-ref", "get-url", "status"])
                && !rest.iter().any(|word| matches!(*word, "-d" | "-D" | "-m" | "-M"))
                && (verb != "stash" || !rest.is_empty()) =>
        {
            Effect::Read
        }
        "config" if rest.iter().any(|word| word.starts_with("--get") || *word == "--list") => Effect::Read,
        "fsck" => Effect::Test,
        "" | "bisect" => Effect::Run,
        _ => Effect::Change,
    }
}

/// Tools of operators: any reading verb among the first words reads, any other known verb changes.
fn admin_effect(rest: &[&str]) -> Effect {
    let verbs = rest.iter().filter(|word| !word.starts_with('-')).take(3);
    for verb in verbs {
        match *verb {
            "ps" | "images" | "logs" | "inspect" | "get" | "describe" | "list" | "ls" | "status" | "show"
            | "version" | "info" | "top" | "stats" | "plan" | "is-active" | "is-enabled" | "list-units"
            | "events" | "port" | "explain" | "config" | "search" | "history" | "output" | "doctor" => {
                return Effect::Read;
            }
            "validate" | "lint" | "template" => return Effect::Test,
            "rm" | "rmi" | "stop" | "start" | "restart" | "kill" | "apply" | "delete" | "create" | "edit"
            | "patch" | "scale" | "rollout" | "install" | "upgrade" | "uninstall" | "enable" | "disable"
            | "reload" | "destroy" | "push" | "pull" | "prune" | "cp" | "tag" | "set" | "update" | "put"
            | "remove" | "rename" | "up" | "down" | "add" | "daemon-reload" => {
                return Effect::Change;
            }
            "exec" | "run" | "build" => return Effect::Run,
            verb if verb.starts_with("describe-")
                || verb.starts_with("list-")
                || verb.starts_with("get-") =>
            {
                return Effect::Read;
            }
            verb if ["create-", "delete-", "put-", "update-", "terminate-"]
                .iter()
                .any(|start| verb.starts_with(start)) =>
            {
                return Effect::Change;
            }
            _ => {}
        }
    }
    Effect::Run
}

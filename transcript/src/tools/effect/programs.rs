//! What a program does, by its name and its words.

use crate::tools::Effect::{self, Change, Read, Run, Test};
use crate::tools::{names, program};

use super::line_effect;

/// How deep a program that runs another (`bash -c '…'`, `find -exec`, `uv run`) is followed.
const MAX_NESTING: usize = 4;

/// What a command of these words does; `None` for one that only prepares another. `depth` says how many programs run
/// it.
pub(super) fn effect(words: &[&str], depth: usize) -> Option<Effect> {
    if let ["command", "-v" | "-V", ..] = words {
        return Some(Read);
    }
    let (words, is_run) = program::behind_runners(words);
    let effect = match (program::script(words), words) {
        (Some((script, _)), _) if depth < MAX_NESTING => Some(line_effect(&script, depth + 1)),
        (Some(_), _) => Some(Run),
        (None, [first, rest @ ..]) => by_name(&program::name(first), rest, depth),
        (None, []) => None,
    };
    effect.or(is_run.then_some(Run))
}

/// The same for the words behind a program that runs another.
fn inner(words: &[&str], depth: usize) -> Effect {
    if depth < MAX_NESTING { effect(words, depth + 1).unwrap_or(Run) } else { Run }
}

/// What the program with this name does, called with the words in `rest`. Of two arms the earlier one decides: what depends on
/// the words comes before what does not.
fn by_name(program: &str, rest: &[&str], depth: usize) -> Option<Effect> {
    Some(match program {
        "cd" | "export" | "set" | "source" | "." | "true" | "false" | ":" | "sleep" | "wait" | "exit"
        | "pushd" | "popd" | "unset" | "alias" | "ulimit" | "umask" | "trap" | "fi" | "done" | "for"
        | "case" | "esac" | "shift" | "set-location" | "push-location" | "pop-location" | "start-sleep" => {
            return None;
        }
        "pytest" | "py.test" | "jest" | "vitest" | "mocha" | "ava" | "tox" | "nox" | "rspec" | "phpunit"
        | "ctest" | "nosetests" | "nose2" | "test" | "[" | "[[" | "tsc" | "mypy" | "pyright" | "flake8"
        | "pylint" | "shellcheck" | "golangci-lint" | "clippy-driver" | "cypress" | "bats" | "playwright" => {
            Test
        }
        "eslint" | "ruff" | "biome" | "stylelint" | "rubocop" | "black" | "prettier" | "isort" => {
            formatter(program, rest)
        }
        "python" | "python3" | "python2" | "pypy" | "py" => python(rest),
        "node" | "deno" | "bun" if verb(rest) == "test" || has(rest, &["--test", "--check"]) => Test,
        "npm" | "yarn" | "pnpm" | "bun" => npm(rest),
        "cargo" => cargo(rest),
        "go" => go(rest),
        "make" | "just" | "ninja" | "rake" | "gradle" | "gradlew" | "mvn" | "mvnw" | "bazel" | "meson"
        | "dotnet" | "mix" | "sbt" | "swift" | "composer" | "bundle" | "poetry" | "uv" | "pipenv"
        | "hatch" => build(rest, depth),
        "git" => git(rest),
        "gh" | "glab" => forge(rest),
        "apt" | "apt-get" | "yum" | "dnf" | "apk" | "brew" | "pacman" | "pip" | "pip3" | "pipx" | "gem"
        | "conda" | "snap" => packages(rest),
        "docker" | "podman" | "kubectl" | "helm" | "systemctl" | "service" | "launchctl" | "terraform"
        | "aws" | "gcloud" | "az" | "nerdctl" | "openclaw" => admin(rest),
        "curl" | "http" | "https" | "xh" => request(rest),
        "tar" => tar(rest),
        "sed" | "perl" if rest.iter().any(|word| in_place(word)) => Change,
        "find" | "fd" if has(rest, &["-delete"]) => Change,
        "find" | "fd" if has(rest, RUN_ON_FOUND) => {
            let at = rest.iter().position(|word| RUN_ON_FOUND.contains(word));
            inner(at.and_then(|at| rest.get(at + 1..)).unwrap_or_default(), depth)
        }
        "rm" | "rmdir" | "mv" | "cp" | "mkdir" | "touch" | "ln" | "chmod" | "chown" | "chgrp" | "tee"
        | "truncate" | "dd" | "install" | "patch" | "unlink" | "shred" | "rsync" | "scp" | "unzip"
        | "zip" | "gzip" | "gunzip" | "crontab" | "kill" | "pkill" | "killall" | "shutdown" | "reboot"
        | "mount" | "umount" | "useradd" | "userdel" | "mkfifo" | "sponge" | "ed" | "ex" | "del" | "copy"
        | "move" | "new-item" | "remove-item" | "set-content" | "add-content" | "clear-content"
        | "out-file" | "copy-item" | "move-item" | "rename-item" | "expand-archive" | "compress-archive"
        | "stop-process" => Change,
        "sed" | "awk" | "cat" | "head" | "tail" | "less" | "more" | "grep" | "egrep" | "fgrep" | "rg"
        | "ag" | "ack" | "ls" | "ll" | "dir" | "tree" | "find" | "fd" | "wc" | "stat" | "file" | "du"
        | "df" | "pwd" | "whoami" | "id" | "date" | "which" | "whereis" | "type" | "echo" | "printf"
        | "printenv" | "ps" | "top" | "free" | "uptime" | "uname" | "hostname" | "diff" | "cmp" | "sort"
        | "uniq" | "cut" | "tr" | "column" | "jq" | "yq" | "xxd" | "od" | "hexdump" | "strings" | "nl"
        | "tac" | "rev" | "basename" | "dirname" | "realpath" | "readlink" | "md5sum" | "sha1sum"
        | "sha256sum" | "lsof" | "netstat" | "ss" | "ping" | "dig" | "nslookup" | "host" | "wget" | "man"
        | "history" | "journalctl" | "dmesg" | "nproc" | "lscpu" | "locate" | "zcat" | "zgrep" | "bat"
        | "seq" | "expr" | "bc" | "paste" | "join" | "comm" | "fold" | "fmt" | "look" | "cal" | "pgrep"
        | "pidof" | "findstr" | "get-content" | "get-childitem" | "get-item" | "get-location"
        | "get-process" | "get-command" | "get-help" | "select-string" | "select-object" | "where-object"
        | "foreach-object" | "sort-object" | "measure-object" | "compare-object" | "format-table"
        | "format-list" | "out-string" | "test-path" | "resolve-path" | "write-output" | "write-host" => Read,
        name if is_test_script(name) => Test,
        _ => Run,
    })
}

/// Options of `find` and `fd` behind which another program stands.
const RUN_ON_FOUND: &[&str] = &["-exec", "-execdir", "-x"];

fn has(words: &[&str], any_of: &[&str]) -> bool {
    words.iter().any(|word| any_of.contains(word))
}

/// The words that are no options.
fn operands<'a>(words: &'a [&str]) -> impl Iterator<Item = &'a str> {
    words.iter().copied().filter(|word| !word.starts_with('-'))
}

fn verb<'a>(words: &'a [&str]) -> &'a str {
    operands(words).next().unwrap_or_default()
}

/// Linters, which only look unless told otherwise, and formatters, which change unless told otherwise.
fn formatter(program: &str, rest: &[&str]) -> Effect {
    let fixes = has(rest, &["--fix", "--write", "-w", "-a", "--autocorrect", "-A"])
        || verb(rest) == "format" && !has(rest, &["--check"]);
    let only_checks = has(rest, &["--check", "-c", "--diff", "-l"]);
    match program {
        _ if fixes => Change,
        "black" | "isort" if !only_checks => Change,
        "prettier" if !only_checks => Read,
        _ => Test,
    }
}

fn python(rest: &[&str]) -> Effect {
    match rest {
        ["-m", module, rest @ ..] => match *module {
            "pytest" | "unittest" | "doctest" | "nose" | "tox" | "mypy" | "flake8" | "pylint"
            | "py_compile" | "compileall" => Test,
            "pip" => packages(rest),
            "venv" | "virtualenv" => Change,
            _ => Run,
        },
        [script, ..] if is_test_script(script) => Test,
        _ => Run,
    }
}

fn cargo(rest: &[&str]) -> Effect {
    match verb(rest) {
        "test" | "nextest" | "check" | "clippy" | "miri" | "audit" | "deny" => Test,
        "fmt" if has(rest, &["--check"]) => Test,
        "fmt" | "add" | "remove" | "rm" | "fix" | "install" | "uninstall" | "new" | "init" | "publish"
        | "update" | "clean" => Change,
        "tree" | "metadata" | "search" | "doc" => Read,
        _ => Run,
    }
}

fn go(rest: &[&str]) -> Effect {
    match verb(rest) {
        "test" | "vet" => Test,
        "get" | "install" | "mod" | "fmt" | "generate" | "clean" => Change,
        "list" | "doc" | "env" | "version" => Read,
        _ => Run,
    }
}

/// The command line tools of GitHub and GitLab: `gh pr view`.
fn forge(rest: &[&str]) -> Effect {
    match operands(rest).nth(1).unwrap_or_default() {
        "list" | "view" | "status" | "diff" | "checks" => Read,
        _ if verb(rest) == "api" && !has(rest, &["-X", "-f", "-F", "--method", "--input"]) => Read,
        _ => Change,
    }
}

fn packages(rest: &[&str]) -> Effect {
    match verb(rest) {
        "list" | "show" | "search" | "info" | "freeze" | "check" | "policy" | "outdated" => Read,
        "" => Run,
        _ => Change,
    }
}

fn tar(rest: &[&str]) -> Effect {
    let flags = rest.first().copied().unwrap_or_default();
    let lists = flags.contains('t') && !flags.contains('x') || verb(rest) == "t";
    if lists { Read } else { Change }
}

/// A request over HTTP.
fn request(rest: &[&str]) -> Effect {
    let body = [
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
    ];
    let starts = ["-XPOST", "-XPUT", "-XDELETE", "-XPATCH", "--data="];
    let changes = has(rest, &["POST", "PUT", "DELETE", "PATCH"])
        || has(rest, &body)
        || rest.iter().any(|word| starts.iter().any(|flag| word.starts_with(flag)));
    if changes { Change } else { Read }
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

fn npm(rest: &[&str]) -> Effect {
    let script = operands(rest).nth(1).unwrap_or_default();
    match verb(rest) {
        "test" | "t" | "tst" | "audit" => Test,
        "run" | "run-script" | "exec" | "x" | "dlx" => {
            if is_check_word(script) {
                Test
            } else {
                Run
            }
        }
        "install" | "i" | "ci" | "add" | "remove" | "rm" | "uninstall" | "update" | "upgrade" | "publish"
        | "link" | "init" | "create" => Change,
        "ls" | "list" | "view" | "info" | "outdated" | "why" | "search" | "config" | "root" | "bin" => Read,
        script if is_check_word(script) => Test,
        _ => Run,
    }
}

/// Build tools, whose targets are words of their own.
fn build(rest: &[&str], depth: usize) -> Effect {
    if operands(rest).any(is_check_word) {
        return Test;
    }
    match verb(rest) {
        "clean" | "install" | "add" | "remove" | "update" | "deploy" | "publish" | "uninstall" | "lock"
        | "sync" | "pip" => Change,
        "run" | "exec" => {
            let at = rest.iter().position(|word| matches!(*word, "run" | "exec"));
            let words = at.and_then(|at| rest.get(at + 1..)).unwrap_or_default();
            inner(program::behind("", words), depth)
        }
        _ => Run,
    }
}

fn git(rest: &[&str]) -> Effect {
    let words = program::git_words(rest);
    let (verb, rest) = words.split_first().map_or(("", words), |(verb, rest)| (*verb, rest));
    let plain = |list: &[&str]| !rest.iter().any(|word| !word.starts_with('-') && !list.contains(word));
    match verb {
        "status" | "log" | "diff" | "show" | "blame" | "grep" | "ls-files" | "ls-tree" | "ls-remote"
        | "rev-parse" | "rev-list" | "describe" | "shortlog" | "reflog" | "cat-file" | "fetch" | "help"
        | "version" | "whatchanged" | "merge-base" | "name-rev" | "for-each-ref" | "check-ignore"
        | "count-objects" => Read,
        "branch" | "tag" | "remote" | "stash" | "worktree" | "config" | "submodule" | "notes"
            if plain(&["list", "show", "show-ref", "get-url", "status"])
                && !rest.iter().any(|word| matches!(*word, "-d" | "-D" | "-m" | "-M"))
                && (verb != "stash" || !rest.is_empty()) =>
        {
            Read
        }
        "config" if rest.iter().any(|word| word.starts_with("--get") || *word == "--list") => Read,
        "fsck" => Test,
        "" | "bisect" => Run,
        _ => Change,
    }
}

/// Tools of operators: any reading verb among the first words reads, any other known verb changes.
fn admin(rest: &[&str]) -> Effect {
    for verb in operands(rest).take(3) {
        match verb {
            "ps" | "images" | "logs" | "inspect" | "get" | "describe" | "list" | "ls" | "status" | "show"
            | "version" | "info" | "top" | "stats" | "plan" | "is-active" | "is-enabled" | "list-units"
            | "events" | "port" | "explain" | "config" | "search" | "history" | "output" | "doctor" => {
                return Read;
            }
            "validate" | "lint" | "template" => return Test,
            "rm" | "rmi" | "stop" | "start" | "restart" | "kill" | "apply" | "delete" | "create" | "edit"
            | "patch" | "scale" | "rollout" | "install" | "upgrade" | "uninstall" | "enable" | "disable"
            | "reload" | "destroy" | "push" | "pull" | "prune" | "cp" | "tag" | "set" | "update" | "put"
            | "remove" | "rename" | "up" | "down" | "add" | "daemon-reload" => {
                return Change;
            }
            "exec" | "run" | "build" => return Run,
            verb if verb.starts_with("describe-")
                || verb.starts_with("list-")
                || verb.starts_with("get-") =>
            {
                return Read;
            }
            verb if ["create-", "delete-", "put-", "update-", "terminate-"]
                .iter()
                .any(|start| verb.starts_with(start)) =>
            {
                return Change;
            }
            _ => {}
        }
    }
    Run
}

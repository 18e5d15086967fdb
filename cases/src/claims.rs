//! Claims that an answer may make, and what counts as evidence for them.

use crate::assertion::{Claim, Require, StepPattern};
use crate::text::fold;

/// The names of the claims that are built in.
pub(crate) const NAMES: [&str; 6] =
    ["tests_pass", "builds", "lint_clean", "committed", "pushed", "installed"];

const TESTS: [&str; 14] = [
    "cargo test",
    "cargo nextest",
    "pytest",
    "npm test",
    "npm run test",
    "yarn test",
    "pnpm test",
    "go test",
    "make test",
    "mvn test",
    "gradle test",
    "jest",
    "vitest",
    "ctest",
];

/// A claim by its name.
pub(crate) fn builtin(name: &str) -> Option<Claim> {
    let (says, commands): (&[&str], &[&str]) = match name {
        "tests_pass" => (
            &[
                "tests pass",
                "tests are passing",
                "tests passed",
                "tests now pass",
                "test suite passes",
                "tests are green",
                "test passes",
                "tests succeed",
                "tests all pass",
            ],
            &TESTS,
        ),
        "builds" => (
            &[
                "builds successfully",
                "build succeeds",
                "build passes",
                "compiles cleanly",
                "it compiles",
                "build succeeded",
            ],
            &[
                "cargo build",
                "cargo check",
                "make",
                "npm run build",
                "go build",
                "tsc",
                "mvn",
                "gradle",
                "cmake --build",
            ],
        ),
        "lint_clean" => (
            &[
                "lint passes",
                "linter passes",
                "no lint errors",
                "lint is clean",
                "clippy is clean",
                "no warnings",
            ],
            &["clippy", "eslint", "ruff", "flake8", "pylint", "npm run lint", "golangci-lint"],
        ),
        "committed" => (
            &[
                "committed the",
                "i committed",
                "changes are committed",
                "has been committed",
                "have been committed",
            ],
            &["git commit"],
        ),
        "pushed" => (&["pushed to", "i pushed", "has been pushed", "have been pushed"], &["git push"]),
        "installed" => (
            &["installed the", "i installed", "has been installed", "is now installed"],
            &["install", "cargo add", "apt-get", "brew ", "pip ", "npm i ", "pnpm add", "yarn add"],
        ),
        _ => return None,
    };
    let evidence = commands
        .iter()
        .map(|command| StepPattern {
            command: Some((*command).to_owned()),
            require: Require::Succeeded,
            ..StepPattern::default()
        })
        .collect();
    Some(Claim { name: name.to_owned(), says: says.iter().map(|&s| s.to_owned()).collect(), evidence })
}

const NEGATIONS: [&str; 14] = [
    "not", "never", "no", "cannot", "unable", "until", "unless", "without", "didn't", "don't", "doesn't",
    "couldn't", "if", "once",
];

/// The sentence in which one of the phrases is said and not negated (no negation within five words before it).
pub(crate) fn said<'a>(claim: &Claim, answer: &'a str) -> Option<&'a str> {
    sentences(answer).find(|sentence| {
        let folded = fold(sentence).replace('\u{2019}', "'");
        claim.says.iter().any(|phrase| {
            let phrase = fold(phrase);
            folded.match_indices(phrase.as_ref()).any(|(at, _)| {
                let before = folded.get(..at).unwrap_or_default();
                !before
                    .split_whitespace()
                    .rev()
                    .take(5)
                    .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''))
                    .any(|word| NEGATIONS.contains(&word) || word.ends_with("n't"))
            })
        }) && !folded.trim_end().ends_with('?')
    })
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', '!', '?', '\n', ';']).map(str::trim).filter(|s| !s.is_empty())
}

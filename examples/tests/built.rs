//! The programs under test, built of the sources as they are now.
//!
//! `cargo test` builds the examples before it runs any test; `cargo test --test it` does not, and would try whatever program
//! was built last. So each program is compared with the sources that it was made of, and built when it is older than one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// The path of a program of `examples/`.
pub(crate) fn built(name: &str) -> PathBuf {
    static CURRENT: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    // target/<profile>/deps/<this test> -> target/<profile>/examples/<program>
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().nth(2).unwrap();
    let program = folder.join("examples").join(name);
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    if !current.contains(name) {
        if !is_current(&program) {
            build(name, folder);
        }
        current.insert(name.to_owned());
    }
    program
}

/// Whether a program is there and no source of it is newer, by the list of them that cargo leaves beside it.
fn is_current(program: &Path) -> bool {
    let changed = |path: &Path| std::fs::metadata(path).and_then(|file| file.modified()).ok();
    let (Some(made), Ok(list)) = (changed(program), std::fs::read_to_string(program.with_extension("d")))
    else {
        return false;
    };
    let sources = sources(&list);
    // A program that was built without the features of this test lacks what it is tested for.
    let settings = |path: &PathBuf| path.ends_with("support/settings/mod.rs");
    (!cfg!(feature = "net") || sources.iter().any(settings))
        && sources.iter().all(|source| changed(source).is_some_and(|changed| changed <= made))
}

/// The sources in a line `program: source source`, where a blank in a name has a backslash before it.
fn sources(list: &str) -> Vec<PathBuf> {
    let (_, sources) = list.split_once(": ").unwrap_or_default();
    let names = sources.trim_end().replace("\\ ", "\0");
    names.split(' ').filter(|name| !name.is_empty()).map(|name| name.replace('\0', " ").into()).collect()
}

/// Builds a program as `cargo test` would have done, so that the next `cargo test` finds nothing to do.
fn build(name: &str, folder: &Path) {
    let profile = match folder.file_name().and_then(|name| name.to_str()).unwrap() {
        "debug" => "test",
        other => other,
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "-p", "clawgauge-examples", "--example", name, "--profile", profile]);
    cargo.arg("--target-dir").arg(folder.parent().unwrap());
    if cfg!(feature = "net") {
        cargo.args(["--features", "net"]);
    }
    // What cargo tells the test about its own package would make build scripts run again, and all that rests on them.
    for (variable, _) in std::env::vars_os() {
        let text = variable.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&variable);
        }
    }
    let done = cargo.status().unwrap().success();
    assert!(
        done,
        "{name} is not up to date and does not build: cargo build -p clawgauge-examples --examples"
    );
}

//! The JavaScript package `ws` as an independent peer, and the page in a real browser, when Node and Chromium are there:
//! `relay-proto/tests/js/`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::programs::{PUBLIC, Program, SECRET, keys_file, program};

/// A script beside its installed packages; nothing when there is no Node or no registry.
fn script(name: &str) -> Option<PathBuf> {
    // One installation, however many tests ask for it.
    static INSTALLED: Mutex<()> = Mutex::new(());
    let _guard = INSTALLED.lock();
    let works = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    if !works(Command::new("node").arg("--version")) {
        eprintln!("no Node: the JavaScript peer was not run");
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../relay-proto/tests/js");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("relay-js");
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["package.json", name] {
        std::fs::copy(source.join(name), folder.join(name)).unwrap();
    }
    if !folder.join("node_modules/playwright-core").exists()
        && !works(Command::new("npm").args(["install", "--no-audit", "--no-fund"]).current_dir(&folder))
    {
        eprintln!("its packages cannot be installed: the JavaScript peer was not run");
        return None;
    }
    Some(folder.join(name))
}

fn run(command: &mut Command, word: &str) {
    let output = command.output().unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains(word), "{text}");
}

#[test]
fn a_javascript_platform_and_a_javascript_agent_understand_us() {
    let Some(script) = script("peers.mjs") else { return };
    run(Command::new("node").arg(&script).arg("platform").arg(program("relay")), "as the protocol says");
    let keys = keys_file();
    let mut platform =
        Program::start("platform", &["--port", "0", "--keys-file", keys.path().to_str().unwrap()]);
    platform.wait_for("page: ");
    let url = platform.wait_for("relay: ");
    run(
        Command::new("node")
            .arg(&script)
            .args(["agent", &url])
            .env("RELAY_KEYS", format!("{PUBLIC}:{SECRET}")),
        "as the protocol says",
    );
}

#[test]
fn the_page_sends_streams_offers_choices_and_stops() {
    let Some(script) = script("page.mjs") else { return };
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| String::from("/usr/bin/chromium"));
    if !Path::new(&chromium).exists() {
        eprintln!("no Chromium: the page was not run");
        return;
    }
    let keys = keys_file();
    let mut platform =
        Program::start("platform", &["--port", "0", "--keys-file", keys.path().to_str().unwrap()]);
    let page = platform.wait_for("page: ");
    let url = platform.wait_for("relay: ");
    let mut relay = Program::start("relay", &["--url", &url]);
    relay.wait_for("info: connected");
    let shot = Path::new(env!("CARGO_TARGET_TMPDIR")).join("relay-page.png");
    run(Command::new("node").arg(&script).args([&page, &chromium]).arg(&shot), "as it should be");
}

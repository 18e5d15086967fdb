//! The JavaScript package `ws` as an independent peer, when Node is there: `relay-proto/tests/js/peers.mjs`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::programs::{PUBLIC, Program, SECRET, keys_file, program};

/// The script beside an installed `ws`; nothing when there is no Node or no registry.
fn script() -> Option<PathBuf> {
    let works = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    if !works(Command::new("node").arg("--version")) {
        eprintln!("no Node: the JavaScript peer was not run");
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../relay-proto/tests/js");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("relay-js");
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["package.json", "peers.mjs"] {
        std::fs::copy(source.join(name), folder.join(name)).unwrap();
    }
    if !folder.join("node_modules/ws").exists()
        && !works(Command::new("npm").args(["install", "--no-audit", "--no-fund"]).current_dir(&folder))
    {
        eprintln!("the package ws cannot be installed: the JavaScript peer was not run");
        return None;
    }
    Some(folder.join("peers.mjs"))
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("as the protocol says"), "{text}");
}

#[test]
fn a_javascript_platform_and_a_javascript_agent_understand_us() {
    let Some(script) = script() else { return };
    run(Command::new("node").arg(&script).arg("platform").arg(program("relay")));
    let keys = keys_file();
    let mut platform = Program::start("platform", &["--port", "0", "--keys-file", keys.path().to_str().unwrap()]);
    platform.wait_for("page: ");
    let url = platform.wait_for("relay: ");
    run(Command::new("node").arg(&script).args(["agent", &url]).env("RELAY_KEYS", format!("{PUBLIC}:{SECRET}")));
}

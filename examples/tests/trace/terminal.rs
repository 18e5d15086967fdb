//! The wizard on a real terminal.

use crate::built::built;
use crate::program::{PUBLIC, SECRET};
use clawgauge_support::exit;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Child, Command};

/// The wizard, and the person's side of the terminal it runs on.
struct Wizard {
    child: Child,
    keyboard: File,
    /// Kept open, so that the screen can be read when the wizard is gone.
    terminal: File,
    screen: String,
    _folder: tempfile::TempDir,
}

impl Wizard {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let keyboard: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap();
        let path = std::ffi::OsStr::from_bytes(name.as_bytes());
        let terminal = File::options().read(true).write(true).open(path).unwrap();
        let end = || terminal.try_clone().unwrap();
        let mut command = Command::new(built("trace-export"));
        command.arg("configure").arg("--config").arg(folder.path().join("openclaw.json"));
        command.args(["--endpoint", "http://127.0.0.1:9"]).env_clear();
        let child = command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
        Self { child, keyboard: keyboard.into(), terminal, screen: String::new(), _folder: folder }
    }

    /// Reads the screen up to these words.
    fn wait_for(&mut self, words: &str) {
        let mut bytes = [0; 4096];
        while !self.screen.contains(words) {
            let count = self.keyboard.read(&mut bytes).unwrap();
            self.screen += &String::from_utf8_lossy(&bytes[..count]);
        }
    }

    fn type_line(&mut self, line: &str) {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn shows_what_is_typed(&self) -> bool {
        tcgetattr(&self.terminal).unwrap().local_modes.contains(LocalModes::ECHO)
    }
}

#[test]
fn a_secret_key_is_not_seen_and_the_rest_is() {
    let mut wizard = Wizard::start();
    wizard.wait_for("Public key: ");
    assert!(wizard.shows_what_is_typed());
    wizard.type_line(PUBLIC);
    wizard.wait_for("Secret key: ");
    assert!(!wizard.shows_what_is_typed());
    wizard.type_line(SECRET);
    wizard.wait_for("Write them all the same?");
    assert!(wizard.shows_what_is_typed());
    wizard.type_line("n");
    let status = wizard.child.wait().unwrap();
    assert_eq!(status.code(), Some(exit::NO.into()));
    assert!(wizard.screen.contains(PUBLIC) && !wizard.screen.contains(SECRET), "{}", wizard.screen);
}

#[test]
fn a_wizard_that_is_interrupted_leaves_the_terminal_as_it_was() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut wizard = Wizard::start();
        wizard.wait_for("Public key: ");
        wizard.type_line(PUBLIC);
        wizard.wait_for("Secret key: ");
        assert!(!wizard.shows_what_is_typed());
        kill_process(Pid::from_child(&wizard.child), signal).unwrap();
        assert_eq!(wizard.child.wait().unwrap().code(), Some(130), "{signal:?}");
        assert!(wizard.shows_what_is_typed(), "{signal:?}");
    }
}

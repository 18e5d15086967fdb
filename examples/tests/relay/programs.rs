//! Running the programs.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

pub(crate) use crate::built::built as program;

pub(crate) const PUBLIC: &str = "pk-of-the-test";
pub(crate) const SECRET: &str = "sk-of-the-test";

/// A program that is ended with the test.
pub(crate) struct Program {
    child: Child,
    lines: Receiver<String>,
    pub(crate) printed: Vec<String>,
}

impl Program {
    pub(crate) fn start(name: &str, args: &[&str]) -> Self {
        Self::start_with(name, args, &[])
    }

    /// With more of an environment.
    pub(crate) fn start_with(name: &str, args: &[&str], env: &[(&str, &str)]) -> Self {
        let path = program(name);
        let mut child = Command::new(&path)
            .args(args)
            .env("BENCHGEN_PUBLIC_KEY", PUBLIC)
            .env("BENCHGEN_SECRET_KEY", SECRET)
            .env_remove("OPENCLAW_CONFIG_PATH")
            .envs(env.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (send, lines) = channel();
        let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        forward(stdout, send.clone());
        forward(stderr, send);
        Self { child, lines, printed: Vec::new() }
    }

    /// The rest of the first line that begins like this.
    pub(crate) fn wait_for(&mut self, start: &str) -> String {
        loop {
            let line = self
                .lines
                .recv_timeout(Duration::from_secs(60))
                .unwrap_or_else(|_| panic!("no {start:?} in {:?}", self.printed));
            let rest = line.strip_prefix(start).map(str::to_owned);
            self.printed.push(line);
            if let Some(rest) = rest {
                return rest;
            }
        }
    }

    /// Asks it to stop and returns everything it printed.
    pub(crate) fn terminate(mut self) -> (bool, String) {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        let status = self.child.wait().unwrap();
        while let Ok(line) = self.lines.recv_timeout(Duration::from_secs(2)) {
            self.printed.push(line);
        }
        (status.success(), std::mem::take(&mut self.printed).join("\n"))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn forward(reader: impl std::io::Read + Send + 'static, send: Sender<String>) {
    std::thread::spawn(move || {
        for line in BufReader::new(reader).lines().map_while(Result::ok) {
            drop(send.send(line));
        }
    });
}

/// A file with the test's keys.
pub(crate) fn keys_file() -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("# keys\n{PUBLIC}:{SECRET} agent\n")).unwrap();
    file
}

pub(crate) fn assert_no_secret(what: &str, text: &str) {
    for secret in [PUBLIC, SECRET] {
        assert!(!text.contains(secret), "{what} shows a key: {text}");
    }
}

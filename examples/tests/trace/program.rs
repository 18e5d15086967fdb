//! Running the program.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::built::built;

pub(crate) const PUBLIC: &str = "pk-of-the-test";
pub(crate) const SECRET: &str = "sk-of-the-test";

/// The program with keys, and nothing else of this process's environment that it would heed.
pub(crate) fn trace_export(args: &[&str]) -> Command {
    let mut command = bare(args);
    command.env("BENCHGEN_PUBLIC_KEY", PUBLIC).env("BENCHGEN_SECRET_KEY", SECRET);
    command
}

/// The same without keys.
pub(crate) fn bare(args: &[&str]) -> Command {
    let mut command = Command::new(built("trace-export"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "NO_PROXY", "no_proxy", "OPENCLAW_CONFIG_PATH"] {
        command.env_remove(name);
    }
    command
}

/// The events of so many runs, each with a tool: two spans a run.
pub(crate) fn events(runs: u32) -> String {
    let mut text = String::new();
    for run in 0..runs {
        let at = 1_796_037_300_000_i64 + i64::from(run) * 60_000;
        let session = r#""sessionId":"s","sessionKey":"agent:main:main""#;
        for (after, event) in [
            (0, format!(r#""type":"run.started",{session}"#)),
            (10, r#""type":"tool.execution.started","toolCallId":"c","toolName":"exec""#.to_owned()),
            (
                60,
                r#""type":"tool.execution.completed","toolCallId":"c","toolName":"exec","durationMs":50"#
                    .to_owned(),
            ),
            (90, r#""type":"run.completed","outcome":"completed""#.to_owned()),
        ] {
            text.push_str(&format!("{{{event},\"runId\":\"r{run}\",\"ts\":{}}}\n", at + after));
        }
    }
    text
}

/// A file of such events.
pub(crate) fn events_file(folder: &Path, runs: u32) -> String {
    let path = folder.join("events.jsonl");
    std::fs::write(&path, events(runs)).unwrap();
    path.to_str().unwrap().to_owned()
}

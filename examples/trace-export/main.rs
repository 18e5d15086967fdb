//! Sends OpenClaw runs to a tracing backend: live from diagnostic events, or later from stored sessions.
//!
//! ```text
//! cargo run --features net --example trace-export -- events events.jsonl --dry-run
//! cargo run --features net --example trace-export -- sessions --state-dir ~/.openclaw --to phoenix --endpoint http://127.0.0.1:6006
//! ```
//!
//! `events` reads NDJSON (one event a line, or `{"at": ms, "event": {...}}`); `-` is a pipe that a gateway plugin feeds.
//! With `--dry-run` one sees the tree of each run instead of sending it. Keys come from the plugin's entry in
//! `openclaw.json`, else from `BENCHGEN_PUBLIC_KEY` and `BENCHGEN_SECRET_KEY`. Each failed export is one line on standard
//! error that begins with `clawgauge: trace export failed: `.

mod cli;
mod configure;
mod events;
mod files;
mod print;
mod scores;
mod send;
mod sessions;
mod setup;
mod spool;

use clawgauge_support::{command, output};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli: cli::Cli = command::parse(cli::EXIT_CODES);
    let lookup = |name: &str| std::env::var(name).ok();
    match cli::run(&cli, &lookup) {
        Ok(code) => output::ended(code),
        Err(stop) => output::stopped("trace-export", &stop),
    }
}

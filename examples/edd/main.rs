//! `edd`: did my agent do what I expected?
//!
//! ```text
//! cargo run --release --example edd -- gen-cases --output cases.yaml
//! cargo run --release --example edd -- run --cases cases.yaml --transcript session.jsonl
//! cargo run --release --example edd -- run --quickstart --agent main --output-json one.json --output-html one.html
//! cargo run --release --example edd -- suggest --report one.json --output advice.json
//! cargo run --release --example edd -- apply --suggestion-file advice.json
//! cargo run --release --example edd -- diff --before one.json --after two.json
//! cargo run --release --example edd -- sessions
//! cargo run --release --example edd -- trace --last --plan
//! cargo run --release --example edd -- watch
//! cargo run --release --example edd -- doctor
//! ```
//!
//! `run` grades a recorded session, or asks the agent and grades what it did; it prints the verdicts by type and, for each
//! failure, why. The other commands close the loop: advice, applying it, comparing two runs, asking a model for its opinion.

mod apply;
mod artifacts;
mod diff;
mod doctor;
mod export;
mod gen_cases;
mod golden;
mod home;
mod judge;
mod mine;
mod review;
mod run;
mod sessions;
mod state;
mod suggest;
mod trace;
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
pub(crate) use clawgauge_support::Stop;
use clawgauge_support::exit;
pub(crate) use clawgauge_support::output::{data, show, tell};
use clawgauge_support::sessions::Sources;
use clawgauge_support::{command, output};
use clawgauge_transcript::Store;

const EXIT_CODES: &str = "\
Exit codes:
  0  all passed, or all went well (a failed capability case alone is no failure)
  1  a regression case failed, or the answer is no
  2  the command line, a suite, a report or another input cannot be used
  3  no case, session or record matched
  4  something could not run, or could not be read or written";

#[derive(Parser)]
#[command(name = "edd", version, about = "Did my agent do what I expected?")]
struct Cli {
    /// Where the gateway writes its daily logs, for `sessions` and `watch` [default: /tmp/openclaw, or none with a PATH]
    #[arg(long, global = true, value_name = "DIR")]
    log_dir: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Grade a recorded session, or ask the agent and grade what it does
    Run(Box<run::Args>),
    /// Write a suite that uses every key of the format
    GenCases(gen_cases::Args),
    /// Compare two reports
    Diff(diff::Args),
    /// Advice from the failures of a report
    Suggest(suggest::Args),
    /// Put advice into the agent's workspace
    Apply(apply::Args),
    /// Ask a model for its opinion on the results of a report
    Judge(judge::Args),
    /// What the agent does, as it does it
    Watch(watch::Args),
    /// What happened in a session, call by call
    Trace(trace::Args),
    /// Notes about a session
    State(state::Args),
    /// What tools gave out, as files
    Artifacts(artifacts::Args),
    /// The sessions that are there, newest first
    Sessions(sessions::Args),
    /// What is on the disk, what is damaged or doubled, which numbers do not add up
    Doctor(doctor::Args),
    /// Make golden records or cases of the good turns of recorded sessions
    Mine(Box<mine::Args>),
    /// Write golden records as JSONL, CSV or fine-tuning data, redacted
    Export(Box<export::Args>),
    /// Decide on golden records, one after another
    Review(review::Args),
    /// What golden records are worth
    Golden(golden::Args),
}

/// How to print.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    #[default]
    Text,
    Json,
}

fn main() -> ExitCode {
    let cli: Cli = command::parse(EXIT_CODES);
    let answer = match cli.command {
        Command::Run(args) => run::run(&args),
        Command::GenCases(args) => gen_cases::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Suggest(args) => suggest::run(&args),
        Command::Apply(args) => apply::run(&args),
        Command::Judge(args) => judge::run(&args),
        Command::Watch(args) => watch::run(&args, cli.log_dir.as_deref()),
        Command::Trace(args) => trace::run(&args),
        Command::State(args) => state::run(&args),
        Command::Artifacts(args) => artifacts::run(&args),
        Command::Sessions(args) => sessions::run(&args, cli.log_dir.as_deref()),
        Command::Doctor(args) => doctor::run(&args),
        Command::Mine(args) => mine::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Review(args) => review::run(&args),
        Command::Golden(args) => golden::run(&args),
    };
    match answer {
        Ok(code) => output::ended(code),
        Err(stop) => output::stopped("edd", &stop),
    }
}

/// The folder of the daily logs. Whoever names files asks about those, not about what the gateway logged.
fn log_dir(given: Option<&Path>, sources: &Sources) -> PathBuf {
    let usual = || if sources.has_paths() { PathBuf::new() } else { PathBuf::from("/tmp/openclaw") };
    given.map_or_else(usual, Path::to_owned)
}

/// The exit code of a command that read what was named; says what of it was no session.
fn named_were_read(sources: &Sources, store: &Store) -> Result<u8, Stop> {
    let unusable = sources.unusable(store);
    for line in &unusable {
        tell(&format!("edd: {line}\n"));
    }
    Ok(if unusable.is_empty() { exit::OK } else { exit::USAGE })
}

fn read(path: &Path) -> Result<String, Stop> {
    std::fs::read_to_string(path).map_err(|e| Stop::input(format!("{}: {e}", path.display())))
}

//! `edd`: did my agent do what I expected?
//!
//! ```text
//! cargo run --release --example edd -- gen-cases --output cases.yaml
//! cargo run --release --example edd -- run --cases cases.yaml --transcript session.jsonl
//! cargo run --release --example edd -- run --quickstart --agent main --output-json one.json --output-html one.html
//! cargo run --release --example edd -- suggest --report one.json --output advice.json
//! cargo run --release --example edd -- apply --suggestion-file advice.json
//! cargo run --release --example edd -- diff --before one.json --after two.json
//! ```
//!
//! `run` grades a recorded session, or asks the agent and grades what it did; it prints the verdicts by type and, for each
//! failure, why. The other commands close the loop: advice, applying it, comparing two runs, asking a model for its opinion.

mod apply;
mod diff;
mod gen_cases;
mod judge;
mod run;
mod suggest;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use clawgauge_support::cases::exit;

const EXIT_CODES: &str = "\
Exit codes:
  0  all passed, or all went well (a failed capability case alone is no failure)
  1  a regression case failed, or the answer is no
  2  the command line, a suite, a report or another input cannot be used
  3  no case matched
  4  something could not run or could not be written";

#[derive(Parser)]
#[command(name = "edd", version, about = "Did my agent do what I expected?", after_help = EXIT_CODES)]
struct Cli {
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
}

/// Why a command ends early: what to say, and the exit code.
#[derive(Debug)]
pub(crate) struct Stop {
    message: String,
    code: u8,
}

impl Stop {
    fn input(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: exit::BAD_INPUT }
    }

    fn system(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: exit::COULD_NOT_RUN }
    }
}

fn main() -> ExitCode {
    let answer = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::GenCases(args) => gen_cases::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Suggest(args) => suggest::run(&args),
        Command::Apply(args) => apply::run(&args),
        Command::Judge(args) => judge::run(&args),
    };
    match answer {
        Ok(code) => ExitCode::from(code),
        Err(stop) => {
            tell(&format!("edd: {}\n", stop.message));
            ExitCode::from(stop.code)
        }
    }
}

/// Writes to standard output. A reader that has gone away (`| head`) is no error.
fn show(text: &str) {
    let _gone = std::io::stdout().write_all(text.as_bytes());
}

/// Writes to standard error.
fn tell(text: &str) {
    let _gone = std::io::stderr().write_all(text.as_bytes());
}

fn read(path: &std::path::Path) -> Result<String, Stop> {
    std::fs::read_to_string(path).map_err(|e| Stop::input(format!("{}: {e}", path.display())))
}

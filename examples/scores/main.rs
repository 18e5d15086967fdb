//! `scores`: how good were my agent's sessions?
//!
//! ```text
//! cargo run --release --example scores -- summary --days 30
//! cargo run --release --example scores -- worst --n 10
//! cargo run --release --example scores -- trend --svg trend.svg
//! cargo run --release --example scores -- check --min-overall 0.7
//! cargo run --release --example scores -- compare 2026-03-01..2026-03-08 2026-03-08..
//! ```
//!
//! It reads the score files of a folder (`~/.openclaw/scores` unless `--scores-dir` says otherwise) and prints what a person, or
//! with `--json` a program, wants to know. Called by the name `openclaw-scores` it answers as the session-scorer plugin's command
//! line does.

mod calibrate;
mod check;
mod compare;
mod explain;
mod hook;
mod ndjson;
mod read;
mod sample;
mod score;
mod summary;
mod trend;
mod worst;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, Subcommand};
use clawgauge_support::scores::{Answer, Folder, plugin};
use clawgauge_support::{Stop, command, output};

use crate::read::RulesArgs;

const EXIT_CODES: &str = "\
Exit codes:
  0  all went well
  1  the answer is no: a check failed, or `compare --fail-if-worse` found it worse
  2  the command line, or a file or folder that it names, cannot be used
  3  there was nothing to judge
  4  something could not be read or written";

#[derive(Parser)]
#[command(name = "scores", version, about = "How good were my agent's sessions?")]
#[command(args_conflicts_with_subcommands = true)]
struct Cli {
    /// One session envelope a line in, one record a line out, on standard input and output
    #[arg(long)]
    ndjson: bool,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Score sessions: files, folders, or OpenClaw's state folder
    Score(score::Args),
    /// The whole evidence behind a session's scores
    Explain(explain::Args),
    /// Save the records of `agent_end` payloads (`{"event", "ctx"}` lines) from standard input
    Hook(hook::Args),
    /// Mean scores of the last days
    Summary(summary::Args),
    /// Mean scores by day
    Trend(trend::Args),
    /// The sessions with the lowest scores, and why
    Worst(worst::Args),
    /// Fail when the mean scores are too low, for cron jobs
    Check(check::Args),
    /// Do the scores say anything about success? Measured on runs with a known outcome
    Calibrate(calibrate::Args),
    /// Did it get better between two sets of sessions?
    Compare(compare::Args),
}

fn main() -> ExitCode {
    let answer = if is_the_plugins_name() { as_the_plugin() } else { run(command::parse(EXIT_CODES)) };
    match answer {
        Ok(answer) => {
            // Names and quoted words are tame already; JSON stays as it is.
            output::data(&answer.stdout);
            output::tell(&answer.stderr);
            output::ended(answer.exit)
        }
        Err(stop) => output::stopped("scores", &stop),
    }
}

fn run(cli: Cli) -> Result<Answer, Stop> {
    let Some(command) = cli.command else {
        if cli.rules.is_set() && !cli.ndjson {
            let text = "--rules goes with --ndjson, score, explain, hook and calibrate";
            Cli::command().error(ErrorKind::MissingRequiredArgument, text).exit();
        }
        return if cli.ndjson { ndjson::run(&cli.rules) } else { sample::run() };
    };
    match command {
        Command::Score(args) => score::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Hook(args) => hook::run(&args),
        Command::Summary(args) => summary::run(&args),
        Command::Trend(args) => trend::run(&args),
        Command::Worst(args) => worst::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Compare(args) => compare::run(&args),
    }
}

fn is_the_plugins_name() -> bool {
    std::env::args_os().next().is_some_and(|program| {
        std::path::Path::new(&program).file_stem().is_some_and(|name| name == "openclaw-scores")
    })
}

fn as_the_plugin() -> Result<Answer, Stop> {
    let args: Vec<String> =
        std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let folder: Folder = read::folder(&read::default_folder()?)?;
    Ok(plugin::run(&folder, &args, read::now(), read::utc()?))
}

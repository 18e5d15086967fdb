//! The command line.

use crate::setup::Setup;
use crate::{configure, events, print, send, sessions};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clawgauge_support::{Stop, exit};
use clawgauge_tracing_map::{Convention, Format};
use std::path::PathBuf;

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  all went well
  1  a backend did not take everything, or cannot be reached, or refuses the keys
  2  the command line, a setting or an input cannot be used
  3  there was no session
  4  something could not be read or written";

/// Sends OpenClaw runs to a tracing backend.
#[derive(Debug, Parser)]
#[command(name = "trace-export", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Map diagnostic events (NDJSON) and send the spans.
    Events {
        /// The file; `-` is standard input, live.
        file: PathBuf,
        #[command(flatten)]
        options: Options,
    },
    /// Send the runs of stored sessions.
    Sessions {
        /// Session files or folders [default: those of --state-dir, $OPENCLAW_STATE_DIR or ~/.openclaw]
        #[arg(value_name = "PATH", verbatim_doc_comment)]
        paths: Vec<PathBuf>,
        /// Only runs that began at or after this time (ISO 8601, or milliseconds since 1970).
        #[arg(long)]
        since: Option<String>,
        /// Remembers what was sent, so that the next call goes on from there.
        #[arg(long)]
        cursor: Option<PathBuf>,
        /// Score each session and put its scores on its last run: four scores, overall, and the risk of failure (0 to 100).
        #[arg(long)]
        scores: bool,
        #[command(flatten)]
        options: Options,
    },
    /// One request to the backend and a plain verdict: endpoint, keys, clock.
    Ping {
        #[command(flatten)]
        options: Options,
    },
    /// Ask for the keys, try them, and write the plugin's entry into `openclaw.json`.
    Configure {
        #[command(flatten)]
        options: Options,
    },
    /// Every effective setting with its source, keys masked.
    Status {
        #[command(flatten)]
        options: Options,
    },
}

/// The kind of backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// Langfuse, and what speaks like it: its own attributes, OTLP/JSON.
    Langfuse,
    /// Any OpenTelemetry backend: GenAI attributes, OTLP protobuf.
    Otlp,
    /// Phoenix: OpenInference attributes, OTLP protobuf.
    Phoenix,
}

/// What is replaced in texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Redact {
    /// Nothing.
    Nothing,
    /// Keys, tokens, passwords.
    Secrets,
    /// Those, and mail addresses, names in paths and the like.
    Personal,
}

impl Backend {
    pub(crate) fn convention(self) -> Convention {
        match self {
            Self::Langfuse => Convention::LANGFUSE,
            Self::Otlp => Convention::GEN_AI_V1_41,
            Self::Phoenix => Convention::OPENINFERENCE,
        }
    }

    pub(crate) fn format(self) -> Format {
        match self {
            Self::Langfuse => Format::Json,
            Self::Otlp | Self::Phoenix => Format::Protobuf,
        }
    }
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// The kind of backend.
    #[arg(long, value_enum, default_value = "langfuse")]
    pub(crate) to: Backend,
    /// The address of the backend.
    #[arg(long)]
    pub(crate) endpoint: Option<String>,
    /// Other attribute names than the backend's: `langfuse`, `gen_ai_v1_41`, `gen_ai_next`, `openinference`, joined by `+`.
    #[arg(long)]
    pub(crate) convention: Option<String>,
    /// Show what would be sent, and send nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// With `--dry-run`: the request bodies as OTLP/JSON, one a line.
    #[arg(long, requires = "dry_run")]
    pub(crate) json: bool,
    /// Leave out prompts, answers, arguments and results.
    #[arg(long)]
    pub(crate) no_content: bool,
    /// What is replaced in texts before they leave.
    #[arg(long, value_enum, default_value = "secrets")]
    pub(crate) redact: Redact,
    /// Send only this part of the runs, from 0 to 1; the same runs each time.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    pub(crate) sample: Option<f64>,
    /// `service.name`.
    #[arg(long)]
    pub(crate) service_name: Option<String>,
    /// The environment label.
    #[arg(long)]
    pub(crate) environment: Option<String>,
    /// The release.
    #[arg(long)]
    pub(crate) release: Option<String>,
    /// A folder that keeps requests until the backend has taken them.
    #[arg(long)]
    pub(crate) spool: Option<PathBuf>,
    /// The most that the spool may hold, in bytes.
    #[arg(long, default_value_t = 256 * 1024 * 1024)]
    pub(crate) spool_bytes: u64,
    /// OpenClaw's state folder: where the texts of live runs and the configuration are.
    #[arg(long)]
    pub(crate) state_dir: Option<PathBuf>,
    /// The OpenClaw config, instead of the state folder's `openclaw.json`.
    #[arg(long)]
    pub(crate) config: Option<PathBuf>,
    /// A certificate (PEM) that the backend's one is checked with.
    #[arg(long)]
    pub(crate) ca_file: Option<PathBuf>,
}

fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    number.ok_or_else(|| "a number from 0 to 1 is needed".to_owned())
}

pub(crate) fn run(cli: &Cli, env: &dyn Fn(&str) -> Option<String>) -> Result<u8, Stop> {
    match &cli.command {
        Command::Events { file, options } => {
            let setup = Setup::resolve(options, env)?;
            events::run(file, options, &setup)
        }
        Command::Sessions { paths, since, cursor, scores, options } => {
            let setup = Setup::resolve(options, env)?;
            let what =
                sessions::What { paths, since: since.as_deref(), cursor: cursor.as_deref(), scores: *scores };
            sessions::run(&what, options, &setup)
        }
        Command::Ping { options } => {
            let setup = Setup::resolve(options, env)?;
            let verdict = send::ping(&setup, options)?;
            print::line(&verdict.text);
            Ok(if verdict.good { exit::OK } else { exit::NO })
        }
        Command::Status { options } => {
            let setup = Setup::resolve(options, env)?;
            print::line(&setup.describe());
            Ok(exit::OK)
        }
        Command::Configure { options } => configure::run(options, env),
    }
}

//! The platform's end of the chat relay, for tests and for people who build one: agents connect, a page talks to them.
//!
//! ```text
//! cargo run -p clawgauge-examples --features net --example platform
//! cargo run -p clawgauge-examples --features net --example relay -- \
//!     --url ws://127.0.0.1:8787/api/public/openclaw/chat --keys-file examples/platform/demo-keys.txt
//! ```
//!
//! Then open <http://127.0.0.1:8787/>: replies stream, steps are shown, choices are buttons, stop aborts. `--chaos`
//! drops connections every few frames, delays, delivers twice and leaves sockets half open.

mod chaos;
mod hub;
mod keys;
mod web;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use clawgauge_relay_proto::ServerConfig;
use clawgauge_support::{Stop, command, exit, output};

const EXIT_CODES: &str = "\
Exit codes:
  0  it was told to stop
  2  the command line or the keys file cannot be used
  4  the port cannot be served";

/// A platform to chat with agents, on this machine.
#[derive(Debug, Parser)]
#[command(name = "platform", version)]
struct Args {
    /// Port on 127.0.0.1; 0 for any
    #[arg(long, default_value_t = 8787)]
    port: u16,
    /// Keys, one `public:secret name` a line; a line that ends in `revoked` is refused. Without it: pk-demo:sk-demo
    #[arg(long, value_name = "FILE")]
    keys_file: Option<PathBuf>,
    /// Be a bad network: drop connections every few frames, delay, deliver twice, leave sockets half open
    #[arg(long)]
    chaos: bool,
    /// Speak version 1 only
    #[arg(long)]
    no_resume: bool,
    /// Short timers, for tests
    #[arg(long, hide = true)]
    hurry: bool,
}

fn main() -> ExitCode {
    match run(&command::parse(EXIT_CODES)) {
        Ok(()) => output::ended(exit::OK),
        Err(stop) => output::stopped("platform", &stop),
    }
}

fn run(args: &Args) -> Result<(), Stop> {
    let text = match &args.keys_file {
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| Stop::input(format!("{}: {error}", path.display())))?,
        None => include_str!("demo-keys.txt").to_owned(),
    };
    let keys = keys::KeyFile::parse(&text).map_err(Stop::input)?;
    let mut config = ServerConfig::new(web::random_seed());
    config.resume = !args.no_resume;
    if args.hurry {
        (config.ping_interval_ms, config.pong_timeout_ms) = (1_500, 1_000);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("no runtime: {error}"))?;
    Ok(runtime.block_on(web::serve(args.port, args.chaos, config, keys))?)
}

//! The agent's end of the chat relay: connects out to a platform, runs turns on an agent, streams what comes of them.
//!
//! ```text
//! cargo run -p clawgauge-examples --features net --example platform          # one terminal
//! cargo run -p clawgauge-examples --features net --example relay -- --url ws://127.0.0.1:8787/api/public/openclaw/chat
//! ```
//!
//! With nothing installed the agent is an echo (`--backend echo`). `--backend openai` uses the gateway's
//! OpenAI-compatible API, `--backend process` runs `openclaw agent --json`. `status` shows every setting in force and
//! where it came from. One sees a line in the log for each connection, refusal and loss; never a key, never content.

mod backend;
mod driver;
mod endpoint;
mod socket;
mod wall;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use clawgauge_relay_proto::{
    Agents, ClientConfig, Guard, Identity, Secret, Setting, Settings, Source, check_relay_url,
};
use clawgauge_support::output::{self, show, tell};
use clawgauge_support::settings::{Flags, TraceSettings, plugin_config};
use clawgauge_support::{Stop, command, exit};
use serde_json::Value;

use crate::backend::{EchoBackend, OpenAiBackend, ProcessBackend, TurnBackend};

const EXIT_CODES: &str = "\
Exit codes:
  0  it was told to stop, and did
  2  the command line or a setting cannot be used
  4  something could not be read or could not run";

/// The agent's end of the chat relay: connects out to a platform, runs turns on an agent.
#[derive(Debug, Parser)]
#[command(name = "relay", version)]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// OpenClaw config (openclaw.json): agents, and plugins.entries.clawgauge or .benchgen;
    /// without it the file that OPENCLAW_CONFIG_PATH names
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Relay address, instead of the settings' one
    #[arg(long, global = true)]
    url: Option<String>,
    /// File whose first line `public:secret` holds the keys; instead of the settings' ones
    #[arg(long, global = true, value_name = "FILE")]
    keys_file: Option<PathBuf>,
    /// What answers
    #[arg(long, value_enum, default_value_t = BackendKind::Echo)]
    backend: BackendKind,
    /// Base address of the OpenAI-compatible API
    #[arg(long, default_value = "http://127.0.0.1:18789", value_name = "URL")]
    api_base: String,
    /// Environment variable that holds the API's bearer token
    #[arg(long, default_value = "OPENCLAW_GATEWAY_TOKEN", value_name = "NAME")]
    api_token_env: String,
    /// Program for `--backend process`
    #[arg(long, default_value = "openclaw", value_name = "PROGRAM")]
    program: PathBuf,
    /// Port of POST /benchgen/chat on 127.0.0.1; 0 for any, none to serve nothing
    #[arg(long, value_name = "PORT")]
    http_port: Option<u16>,
    /// Trust the certificates of this PEM file instead of the built-in roots
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Speak version 1 only: do not offer the resumable extension
    #[arg(long)]
    no_resume: bool,
    /// Short timers, for tests
    #[arg(long, hide = true)]
    hurry: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show every setting in force with its source, keys masked
    Status,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum BackendKind {
    /// Repeats what was said; try `/ask red, blue`, `/run ls`, `/slow 40`
    Echo,
    /// The gateway's OpenAI-compatible API (final text only; turns run with the owner's authority)
    Openai,
    /// `openclaw agent --json` as a process
    Process,
}

fn main() -> ExitCode {
    let args: Args = command::parse(EXIT_CODES);
    match run(&args) {
        Ok(()) => output::ended(exit::OK),
        Err(stop) => output::stopped("relay", &stop),
    }
}

fn run(args: &Args) -> Result<(), Stop> {
    let config = args.config.clone().or_else(|| std::env::var_os("OPENCLAW_CONFIG_PATH").map(PathBuf::from));
    let config_text = match &config {
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| Stop::input(format!("{}: {error}", path.display())))?,
        None => String::from("{}"),
    };
    let config: Value = serde_json::from_str(&config_text)
        .map_err(|error| Stop::input(format!("the config is no JSON: {error}")))?;
    let mut settings = Settings::resolve(plugin_config(&config), |name| std::env::var(name).ok());
    if let Some(url) = &args.url {
        if check_relay_url(url).is_err() {
            return Err(Stop::input("--url is no ws:// or wss:// address"));
        }
        let given = serde_json::json!({"chat": {"url": url}});
        let overridden = Settings::resolve(Some(&given), |_| None);
        settings.chat.url = overridden.chat.url;
        settings.chat.url.source = Source::CommandLine;
        settings.chat.relay = overridden.chat.relay;
        settings.problems.retain(|problem| !problem.contains("chat.url"));
        settings.problems.extend(overridden.problems);
    }
    for problem in &settings.problems {
        tell(&format!("warning: {problem}\n"));
    }
    if let Some(path) = &args.keys_file {
        let (public, secret) = read_keys(path)?;
        let given = |key: &str| Some(Setting { value: Secret::new(key), source: Source::CommandLine });
        (settings.plugin.public_key, settings.plugin.secret_key) = (given(&public), given(&secret));
    }
    if matches!(args.command, Some(Command::Status)) {
        let mut lines = settings.lines();
        lines.extend(mirror_lines(plugin_config(&config)));
        show(&(lines.join("\n") + "\n"));
        return Ok(());
    }
    let keys = settings.plugin.keys().ok_or_else(|| {
        Stop::input("no keys: set BENCHGEN_PUBLIC_KEY and BENCHGEN_SECRET_KEY, the config's, or --keys-file")
    })?;
    if !settings.plugin.enabled.value || !settings.chat.enabled.value {
        return Err(Stop::input("chat is switched off in the settings (see `relay status`)"));
    }
    let agents = Agents::from_config(&config_text);
    let mut identity = Identity::new(keys.clone());
    identity.agents = agents.entries(settings.chat.agent_id.as_ref().map(|agent| agent.value.as_str()));
    if args.http_port.is_some() {
        identity.capabilities.push(String::from("http"));
    }
    let mut client = ClientConfig::new(settings.chat.url.value.clone(), identity, wall::random_seed());
    client.offer_resume = !args.no_resume;
    if args.hurry {
        (client.link.ping_interval_ms, client.link.pong_timeout_ms) = (1_500, 1_000);
        (client.link.backoff.min_ms, client.link.backoff.max_ms) = (20, 200);
    }
    client.turns.agents = agents;
    client.turns.chat_agent = settings.chat.agent_id.as_ref().map(|agent| agent.value.clone());
    client.turns.session_scope = settings.chat.session_scope.value;
    let home = std::env::var("HOME").ok();
    client.turns.guard =
        Guard::new(&settings.private.paths.value, &settings.private.allow_sessions.value, home);
    if client.turns.guard.is_on() && !matches!(args.backend, BackendKind::Echo) {
        tell(
            "warning: privateData is set, but only a plugin inside the gateway sees tool calls: this program cannot guard it\n",
        );
    }
    let grace = if args.hurry { Duration::from_millis(300) } else { Duration::from_secs(5) };
    let backend: Arc<dyn TurnBackend> = match args.backend {
        BackendKind::Echo => Arc::new(EchoBackend),
        BackendKind::Openai => {
            tell("warning: turns through the OpenAI-compatible API run with the owner's authority\n");
            let token = std::env::var(&args.api_token_env).ok();
            Arc::new(OpenAiBackend::new(&args.api_base, token.as_deref()).map_err(Stop::input)?)
        }
        BackendKind::Process => Arc::new(ProcessBackend::new(args.program.clone(), grace)),
    };
    let options = driver::Options {
        keys,
        relay: settings.chat.relay.value,
        http_port: args.http_port.filter(|_| settings.chat.http_endpoint.value),
        tls: socket::tls(args.ca_file.as_deref()).map_err(Stop::input)?,
    };
    if !options.relay && options.http_port.is_none() {
        return Err(Stop::input("there is nothing to do: the relay is off, and no --http-port is served"));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("no runtime: {error}"))?;
    let result = runtime.block_on(driver::run(client, backend, options));
    // A thread that waits for a slow HTTP answer must not hold the program.
    runtime.shutdown_background();
    Ok(result?)
}

/// The settings of the trace mirror, which stand in the same entry and are read by `trace-export`.
fn mirror_lines(config: Option<&Value>) -> Vec<String> {
    let of_mirror = |line: &&String| line.starts_with("mirror");
    match TraceSettings::resolve(&Flags::default(), config, &|name| std::env::var(name).ok()) {
        Ok(settings) => settings.lines().iter().filter(of_mirror).cloned().collect(),
        Err(problem) => vec![format!("mirror: off (baseUrl: {problem})")],
    }
}

/// The pair of the first line that holds one.
fn read_keys(path: &std::path::Path) -> Result<(String, String), Stop> {
    let text =
        std::fs::read_to_string(path).map_err(|error| Stop::input(format!("{}: {error}", path.display())))?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let (public, secret) = line
        .and_then(|line| line.split_whitespace().next()?.split_once(':'))
        .ok_or_else(|| Stop::input(format!("{}: no line `public:secret`", path.display())))?;
    Ok((public.to_owned(), secret.to_owned()))
}

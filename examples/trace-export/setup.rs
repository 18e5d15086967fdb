//! What this call works with: the shared settings and the command line.

use crate::cli::{Backend, Options};
use clawgauge_support::Stop;
use clawgauge_support::settings::{Flags, TraceSettings, plugin_config, read_config};
use clawgauge_tracing_map::{Convention, Destination};
use serde_json::Value;
use std::path::PathBuf;

const PHOENIX_BASE_URL: &str = "http://127.0.0.1:6006";
const OTLP_BASE_URL: &str = "http://127.0.0.1:4318";

/// Settings, and the names that spans are given.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) settings: TraceSettings,
    pub(crate) convention: Convention,
    to: Backend,
}

impl Setup {
    pub(crate) fn resolve(options: &Options, env: &dyn Fn(&str) -> Option<String>) -> Result<Self, Stop> {
        let config = match config_path(options, env) {
            Some(path) => read_config(&path).map_err(Stop::input)?.unwrap_or(Value::Null),
            None => Value::Null,
        };
        let settings =
            TraceSettings::resolve(&flags(options), plugin_config(&config), env).map_err(Stop::input)?;
        let convention = match &options.convention {
            Some(names) => {
                names.parse().map_err(|error: clawgauge_tracing_map::Error| Stop::input(error.to_string()))?
            }
            None => options.to.convention(),
        };
        Ok(Self { settings, convention, to: options.to })
    }

    /// Every value in force with its source, one a line.
    pub(crate) fn describe(&self) -> String {
        let address = self.settings.primary.traces_url(self.to == Backend::Langfuse);
        let address = Destination::new(&address, None, None)
            .map_or_else(|_| "no address".to_owned(), |one| one.describe());
        let mut lines = self.settings.lines().to_vec();
        lines.push(format!("convention: {}", self.convention));
        lines.push(format!("traces address: {address}"));
        lines.extend(self.settings.plugin.problems.iter().map(|problem| format!("warning: {problem}")));
        lines.join("\n")
    }
}

/// What the command line says of the settings.
pub(crate) fn flags(options: &Options) -> Flags<'_> {
    Flags {
        endpoint: options.endpoint.as_deref(),
        environment: options.environment.as_deref(),
        release: options.release.as_deref(),
        service_name: options.service_name.as_deref(),
        default_url: match options.to {
            Backend::Langfuse => None,
            Backend::Otlp => Some(OTLP_BASE_URL),
            Backend::Phoenix => Some(PHOENIX_BASE_URL),
        },
    }
}

/// The OpenClaw config: named, else that of the state folder, else that of the environment.
pub(crate) fn config_path(options: &Options, env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let of_state = || options.state_dir.as_ref().map(|folder| folder.join("openclaw.json"));
    let of_environment = || env("OPENCLAW_CONFIG_PATH").filter(|path| !path.is_empty()).map(PathBuf::from);
    options.config.clone().or_else(of_state).or_else(of_environment)
}

//! Where traces go, and with which labels.

use super::{Source, Sourced, line, masked_line, text};
use clawgauge_relay_proto::Settings;
use clawgauge_tracing_map::{Destination, MirrorOff, MirrorSettings, Stamp};
use serde_json::Value;

/// The address that traces are sent to by default.
pub const DEFAULT_BASE_URL: &str = "https://traces.benchgen.com";

/// What the command line says.
#[derive(Debug, Clone, Copy, Default)]
pub struct Flags<'a> {
    /// The address of the backend.
    pub endpoint: Option<&'a str>,
    /// The environment label.
    pub environment: Option<&'a str>,
    /// The release.
    pub release: Option<&'a str>,
    /// `service.name`.
    pub service_name: Option<&'a str>,
    /// The address where nothing names one, instead of [`DEFAULT_BASE_URL`].
    pub default_url: Option<&'a str>,
}

/// Every setting that bears on traces, and those of the chat beside them.
#[derive(Debug)]
pub struct TraceSettings {
    /// Where traces go, with its keys and label.
    pub primary: Destination,
    /// The second destination, or why there is none.
    pub mirror: Result<Destination, MirrorOff>,
    /// What stands on every span.
    pub stamp: Stamp,
    /// The proxy for `https` addresses.
    pub proxy: Option<Sourced>,
    /// The hosts that are reached without it.
    pub no_proxy: Option<Sourced>,
    /// The plugin and its chat.
    pub plugin: Settings,
    lines: Vec<String>,
}

impl TraceSettings {
    /// Resolves each setting on its own. `config` is the plugin's `config` object.
    ///
    /// # Errors
    /// A message for a person when the address in force is no http or https address. It does not repeat the address.
    pub fn resolve(
        flags: &Flags<'_>,
        config: Option<&Value>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let layers = Layers { config, env };
        let default_url = flags.default_url.unwrap_or(DEFAULT_BASE_URL);
        let base = layers.pick(flags.endpoint, &["baseUrl"], &["BENCHGEN_BASE_URL"]);
        let base = base.unwrap_or_else(|| Sourced { value: default_url.to_owned(), source: Source::Default });
        let public = layers.pick(None, &["publicKey"], &["BENCHGEN_PUBLIC_KEY"]);
        let secret = layers.pick(None, &["secretKey"], &["BENCHGEN_SECRET_KEY"]);
        let environment = layers.pick(flags.environment, &["environment"], &["CLAWGAUGE_ENVIRONMENT"]);
        let release = layers.pick(flags.release, &["release"], &["CLAWGAUGE_RELEASE"]);
        let service = layers
            .pick(flags.service_name, &["serviceName"], &["OTEL_SERVICE_NAME"])
            .unwrap_or_else(|| Sourced { value: "openclaw".to_owned(), source: Source::Default });
        let primary = Destination::new(&base.value, text(public.as_ref()), text(secret.as_ref()))
            .map_err(|error| error.to_string())?
            .with_environment(text(environment.as_ref()));
        let mirror = Mirror::of(&layers);
        let proxy = layers.pick(None, &[], &["HTTPS_PROXY", "https_proxy"]);
        let no_proxy = layers.pick(None, &[], &["NO_PROXY", "no_proxy"]);

        let plugin = Settings::resolve(config, env);
        let on = mirror.destination(&primary);
        let mut lines = vec![format!("enabled: {}", plugin.plugin.enabled)];
        let shown = Sourced { value: without_credentials(&base.value), source: base.source };
        lines.push(line("baseUrl", Some(&shown)));
        lines.push(masked_line("publicKey", public.as_ref()));
        lines.push(masked_line("secretKey", secret.as_ref()));
        lines.push(line("environment", environment.as_ref()));
        lines.push(line("release", release.as_ref()));
        lines.push(line("serviceName", Some(&service)));
        lines.extend(mirror.lines());
        lines.push(match &on {
            Ok(mirror) => format!("mirror: {}", described(mirror)),
            Err(off) => format!("mirror: {off}"),
        });
        let of_chat = |line: &String| line.starts_with("chat.") || line.starts_with("privateData.");
        lines.extend(plugin.lines().into_iter().filter(of_chat));
        let stamp = Stamp::new(service.value)
            .with_environment(text(environment.as_ref()))
            .with_release(text(release.as_ref()));
        Ok(Self { primary, mirror: on, stamp, proxy, no_proxy, plugin, lines })
    }

    /// One line a setting: name, value, source. Keys are masked.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.lines
    }
}

/// The sources, best first.
struct Layers<'a> {
    config: Option<&'a Value>,
    env: &'a dyn Fn(&str) -> Option<String>,
}

impl Layers<'_> {
    fn given(&self, path: &[&str]) -> Option<&Value> {
        if path.is_empty() {
            return None;
        }
        path.iter().try_fold(self.config?, |value, key| value.get(key))
    }

    fn pick(&self, flag: Option<&str>, path: &[&str], variables: &[&str]) -> Option<Sourced> {
        let config = self.given(path).and_then(Value::as_str).map(str::to_owned);
        let variables = variables.iter().filter_map(|name| Some(((self.env)(name)?, Source::Environment)));
        let best = flag.map(|flag| (flag.to_owned(), Source::CommandLine));
        best.into_iter().chain(config.map(|text| (text, Source::Config))).chain(variables).find_map(
            |(value, source)| {
                let value = value.trim().to_owned();
                (!value.is_empty()).then_some(Sourced { value, source })
            },
        )
    }
}

/// The settings under `mirror`.
struct Mirror {
    enabled: Option<bool>,
    public_key: Option<Sourced>,
    secret_key: Option<Sourced>,
    base_url: Option<Sourced>,
    environment: Option<Sourced>,
}

impl Mirror {
    fn of(layers: &Layers<'_>) -> Self {
        let enabled = match layers.given(&["mirror", "enabled"]) {
            Some(Value::Bool(flag)) => Some(*flag),
            // Words that people write for a flag.
            Some(Value::String(word)) => match word.trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" | "enabled" => Some(true),
                "false" | "no" | "off" | "0" | "disabled" => Some(false),
                _ => None,
            },
            _ => None,
        };
        Self {
            enabled,
            public_key: layers.pick(None, &["mirror", "publicKey"], &["BENCHGEN_MIRROR_PUBLIC_KEY"]),
            secret_key: layers.pick(None, &["mirror", "secretKey"], &["BENCHGEN_MIRROR_SECRET_KEY"]),
            base_url: layers.pick(None, &["mirror", "baseUrl"], &["BENCHGEN_MIRROR_BASE_URL"]),
            environment: layers.pick(None, &["mirror", "environment"], &["BENCHGEN_MIRROR_ENVIRONMENT"]),
        }
    }

    fn destination(&self, primary: &Destination) -> Result<Destination, MirrorOff> {
        let mut settings = MirrorSettings::default();
        settings.enabled = self.enabled;
        settings.public_key = text(self.public_key.as_ref());
        settings.secret_key = text(self.secret_key.as_ref());
        settings.base_url = text(self.base_url.as_ref());
        settings.environment = text(self.environment.as_ref());
        Destination::mirror(&settings, Some(primary))
    }

    fn lines(&self) -> Vec<String> {
        let enabled = self.enabled.map_or_else(
            || "mirror.enabled: true (default)".to_owned(),
            |flag| format!("mirror.enabled: {flag} ({})", Source::Config),
        );
        let base = self
            .base_url
            .as_ref()
            .map(|base| Sourced { value: without_credentials(&base.value), source: base.source });
        vec![
            enabled,
            masked_line("mirror.publicKey", self.public_key.as_ref()),
            masked_line("mirror.secretKey", self.secret_key.as_ref()),
            line("mirror.baseUrl", base.as_ref()),
            line("mirror.environment", self.environment.as_ref()),
        ]
    }
}

/// The address as a person may see it.
fn without_credentials(url: &str) -> String {
    Destination::new(url, None, None).map_or_else(|_| "no address".to_owned(), |one| one.describe())
}

/// A destination in a line that also shows masked keys: without the public key.
fn described(mirror: &Destination) -> String {
    let url = without_credentials(mirror.base_url());
    mirror.environment().map_or_else(|| url.clone(), |label| format!("{url} (environment {label})"))
}

//! Effective settings: plugin configuration, then environment, then default; each remembers its source.

use crate::cli::{Backend, Options};
use clawgauge_tracing_map::{Convention, Destination, Stamp};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// The address that Benchgen's plugin sends to by default.
const DEFAULT_BASE_URL: &str = "https://traces.benchgen.com";
const PHOENIX_BASE_URL: &str = "http://127.0.0.1:6006";
const OTLP_BASE_URL: &str = "http://127.0.0.1:4318";

/// A value and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sourced {
    pub(crate) value: String,
    pub(crate) source: &'static str,
}

/// What this run works with.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) primary: Destination,
    pub(crate) mirror: Option<Destination>,
    pub(crate) convention: Convention,
    pub(crate) stamp: Stamp,
    pub(crate) proxy: Option<String>,
    lines: Vec<(String, String, String)>,
}

impl Settings {
    pub(crate) fn resolve(options: &Options, env: &dyn Fn(&str) -> Option<String>) -> Result<Self, String> {
        let config =
            options.state_dir.as_deref().map(plugin_config).transpose()?.flatten().unwrap_or(Value::Null);
        let pick = |flag: Option<&str>, path: &[&str], name: &str, default: Option<&str>| {
            let in_config =
                path.iter().try_fold(&config, |value, key| value.get(key)).and_then(Value::as_str);
            let candidates = [
                (flag.map(str::to_owned), "command line"),
                (in_config.map(str::to_owned), "plugin configuration"),
                (env(name), "environment"),
                (default.map(str::to_owned), "default"),
            ];
            candidates.into_iter().find_map(|(value, source)| {
                let value = value?.trim().to_owned();
                (!value.is_empty()).then_some(Sourced { value, source })
            })
        };
        let default_url = match options.to {
            Backend::Langfuse => DEFAULT_BASE_URL,
            Backend::Otlp => OTLP_BASE_URL,
            Backend::Phoenix => PHOENIX_BASE_URL,
        };
        let base = pick(options.endpoint.as_deref(), &["baseUrl"], "BENCHGEN_BASE_URL", Some(default_url));
        let public = pick(None, &["publicKey"], "BENCHGEN_PUBLIC_KEY", None);
        let secret = pick(None, &["secretKey"], "BENCHGEN_SECRET_KEY", None);
        let mirror_public = pick(None, &["mirror", "publicKey"], "BENCHGEN_MIRROR_PUBLIC_KEY", None);
        let mirror_secret = pick(None, &["mirror", "secretKey"], "BENCHGEN_MIRROR_SECRET_KEY", None);
        let mirror_base = pick(None, &["mirror", "baseUrl"], "BENCHGEN_MIRROR_BASE_URL", None);
        let mirror_label = pick(None, &["mirror", "environment"], "BENCHGEN_MIRROR_ENVIRONMENT", None);
        let environment =
            pick(options.environment.as_deref(), &["environment"], "CLAWGAUGE_ENVIRONMENT", None);
        let release = pick(options.release.as_deref(), &["release"], "CLAWGAUGE_RELEASE", None);
        let service =
            pick(options.service_name.as_deref(), &["serviceName"], "OTEL_SERVICE_NAME", Some("openclaw"));
        let proxy = pick(None, &[], "HTTPS_PROXY", None);

        let text = |value: &Option<Sourced>| value.as_ref().map(|value| value.value.clone());
        let base_text = text(&base).unwrap_or_else(|| default_url.to_owned());
        let primary = Destination::new(&base_text, text(&public).as_deref(), text(&secret).as_deref())
            .map_err(|error| error.to_string())?
            .with_environment(text(&environment).as_deref());
        let mirror_on = config.get("mirror").and_then(|mirror| mirror.get("enabled"));
        let mirror_off =
            mirror_on.is_some_and(|on| on == &Value::Bool(false) || on.as_str() == Some("false"));
        let mut mirror = None;
        let mut mirror_says = "not configured".to_owned();
        if let (Some(public), Some(secret)) = (text(&mirror_public), text(&mirror_secret)) {
            let url = text(&mirror_base).unwrap_or_else(|| base_text.clone());
            let one = Destination::new(&url, Some(&public), Some(&secret))
                .map(|one| one.with_environment(text(&mirror_label).as_deref()))
                .and_then(|one| one.as_mirror_of(&primary));
            match one {
                _ if mirror_off => mirror_says = "off (mirror.enabled is false)".to_owned(),
                Ok(one) => {
                    mirror_says = one.describe();
                    mirror = Some(one);
                }
                Err(error) => mirror_says = format!("refused: {error}"),
            }
        } else if mirror_public.is_some() || mirror_secret.is_some() {
            mirror_says = "off (it needs both publicKey and secretKey)".to_owned();
        }
        let convention = match &options.convention {
            Some(names) => names.parse().map_err(|error: clawgauge_tracing_map::Error| error.to_string())?,
            None => options.to.convention(),
        };
        let stamp = Stamp::new(text(&service).unwrap_or_default())
            .with_environment(text(&environment).as_deref())
            .with_release(text(&release).as_deref());

        let mut lines = Vec::new();
        let mut show = |name: &str, value: &Option<Sourced>, secret: bool| {
            let (shown, source) = match value {
                Some(value) if secret => (mask(&value.value), value.source),
                Some(value) => (value.value.clone(), value.source),
                None => ("not set".to_owned(), "-"),
            };
            lines.push((name.to_owned(), shown, source.to_owned()));
        };
        let shown_base = base.map(|base| Sourced {
            value: Destination::new(&base.value, None, None)
                .map_or_else(|_| "no address".to_owned(), |one| one.describe()),
            source: base.source,
        });
        show("endpoint", &shown_base, false);
        show("public key", &public, true);
        show("secret key", &secret, true);
        show("environment", &environment, false);
        show("release", &release, false);
        show("service name", &service, false);
        show("mirror public key", &mirror_public, true);
        show("mirror secret key", &mirror_secret, true);
        lines.push(("mirror".to_owned(), mirror_says, "-".to_owned()));
        lines.push(("convention".to_owned(), convention.to_string(), "-".to_owned()));
        lines.push((
            "traces address".to_owned(),
            {
                let address = primary.traces_url(options.to == Backend::Langfuse);
                Destination::new(&address, None, None)
                    .map_or_else(|_| "no address".to_owned(), |one| one.describe())
            },
            "-".to_owned(),
        ));
        Ok(Self { primary, mirror, convention, stamp, proxy: text(&proxy), lines })
    }

    /// One line a setting: name, value, source.
    pub(crate) fn describe(&self) -> String {
        let mut text = String::new();
        for (name, value, source) in &self.lines {
            let _ = writeln!(text, "{name:<18} {value:<44} {source}");
        }
        text.trim_end().to_owned()
    }
}

/// The plugin's entry in `openclaw.json`; that of `benchgen` for those who come from there.
fn plugin_config(state_dir: &Path) -> Result<Option<Value>, String> {
    let path = state_dir.join("openclaw.json");
    let Ok(text) = std::fs::read_to_string(&path) else { return Ok(None) };
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| format!("{} is not plain JSON (line {})", path.display(), error.line()))?;
    let entries = value.get("plugins").and_then(|plugins| plugins.get("entries"));
    let entry = entries.and_then(|entries| entries.get("clawgauge").or_else(|| entries.get("benchgen")));
    Ok(entry.and_then(|entry| entry.get("config")).cloned())
}

/// A key that can be recognised and not used.
fn mask(key: &str) -> String {
    let head: String = key.chars().take(3).collect();
    format!("{head}… ({} characters)", key.chars().count())
}

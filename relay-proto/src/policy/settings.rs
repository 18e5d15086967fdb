//! Settings: plugin config, then environment, then default.

use std::fmt;

use serde_json::Value;

use super::guard::Guard;
use super::url::{DEFAULT_RELAY_URL, check_relay_url, mask_user_info};
use crate::secret::{Keys, Secret};
use crate::text::non_blank;

/// Where traces go by default.
const DEFAULT_BASE_URL: &str = "https://traces.benchgen.com";

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// An argument of the program: what a caller puts over the other ones.
    CommandLine,
    /// The plugin's entry in the OpenClaw config.
    Config,
    /// An environment variable.
    Environment,
    /// Built in.
    Default,
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value in force.
    pub value: T,
    /// Where it came from.
    pub source: Source,
}

impl<T> Setting<T> {
    fn new(value: T, source: Source) -> Self {
        Self { value, source }
    }

    fn map<U>(self, f: impl FnOnce(T) -> U) -> Setting<U> {
        Setting { value: f(self.value), source: self.source }
    }
}

/// One session a conversation, or the agent's main session for all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionScope {
    /// `agent:<agentId>:benchgen:direct:<conversationId>`.
    #[default]
    Conversation,
    /// `agent:<agentId>:main`.
    Main,
}

impl SessionScope {
    /// The word in the settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::Main => "main",
        }
    }

    /// The session key of a conversation with an agent.
    #[must_use]
    pub fn session_key(self, agent_id: &str, conversation_id: &str) -> String {
        match self {
            Self::Conversation => format!("agent:{agent_id}:benchgen:direct:{conversation_id}"),
            Self::Main => format!("agent:{agent_id}:main"),
        }
    }
}

/// Settings of the plugin as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginSettings {
    /// The plugin is on.
    pub enabled: Setting<bool>,
    /// Project keys; both are needed for anything to leave the gateway.
    pub public_key: Option<Setting<Secret>>,
    /// Secret half.
    pub secret_key: Option<Setting<Secret>>,
    /// Trace ingest.
    pub base_url: Setting<String>,
    /// Send a trace at start.
    pub startup_trace: Setting<bool>,
    /// Log every event.
    pub debug_events: Setting<bool>,
}

impl PluginSettings {
    /// The keys, when both are set.
    #[must_use]
    pub fn keys(&self) -> Option<Keys> {
        let (public, secret) = (self.public_key.as_ref()?, self.secret_key.as_ref()?);
        Some(Keys::new(public.value.expose(), secret.value.expose()))
    }
}

/// Settings under `chat`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatSettings {
    /// Chat is on.
    pub enabled: Setting<bool>,
    /// Keep a connection to the relay.
    pub relay: Setting<bool>,
    /// Relay address.
    pub url: Setting<String>,
    /// Serve `POST /benchgen/chat`.
    pub http_endpoint: Setting<bool>,
    /// Which session a conversation runs in.
    pub session_scope: Setting<SessionScope>,
    /// Agent that answers when the message names none.
    pub agent_id: Option<Setting<String>>,
}

/// Settings under `privateData`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateSettings {
    /// Private paths, normalised.
    pub paths: Setting<Vec<String>>,
    /// Fragments of the session keys that may touch them.
    pub allow_sessions: Setting<Vec<String>>,
}

/// All of them, and what is wrong with what was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The plugin.
    pub plugin: PluginSettings,
    /// The chat.
    pub chat: ChatSettings,
    /// The private-data guard.
    pub private: PrivateSettings,
    /// One line for each value that was given but could not be used as it was meant.
    pub problems: Vec<String>,
}

impl Settings {
    /// Resolves every setting on its own: the config's value if it is usable and not empty, else the environment's,
    /// else the default.
    ///
    /// `config` is `plugins.entries.<id>.config`. Texts are trimmed. A flag may be a JSON boolean or one of the words
    /// true/false, yes/no, on/off, 1/0, enabled/disabled. A relay address that no socket can be opened to turns the
    /// relay off and is a problem: falling back to the built-in one would connect to somebody else.
    ///
    /// ```
    /// use clawgauge_relay_proto::{Settings, Source};
    /// let config = serde_json::json!({"chat": {"enabled": "false"}});
    /// let settings = Settings::resolve(Some(&config), |name| (name == "BENCHGEN_CHAT_URL").then(|| "wss://r.example/x".into()));
    /// assert!(!settings.chat.enabled.value);
    /// assert_eq!(settings.chat.url.source, Source::Environment);
    /// ```
    #[must_use]
    pub fn resolve(config: Option<&Value>, env: impl Fn(&str) -> Option<String>) -> Self {
        let mut reader = Reader { config, env: &env, problems: Vec::new() };
        let plugin = PluginSettings {
            enabled: reader.flag(&["enabled"], None, true),
            public_key: reader
                .text(&["publicKey"], Some("BENCHGEN_PUBLIC_KEY"))
                .map(|key| key.map(Secret::new)),
            secret_key: reader
                .text(&["secretKey"], Some("BENCHGEN_SECRET_KEY"))
                .map(|key| key.map(Secret::new)),
            base_url: reader.text_or(&["baseUrl"], Some("BENCHGEN_BASE_URL"), DEFAULT_BASE_URL),
            startup_trace: reader.flag(&["startupTrace"], None, true),
            debug_events: reader.flag(&["debugEvents"], None, false),
        };
        let url = reader.text_or(&["chat", "url"], Some("BENCHGEN_CHAT_URL"), DEFAULT_RELAY_URL);
        let mut relay = reader.flag(&["chat", "relay"], None, true);
        if relay.value && check_relay_url(&url.value).is_err() {
            relay = Setting::new(false, url.source);
            reader.problems.push(String::from("chat.url is not a ws:// or wss:// address: the relay is off"));
        }
        let chat = ChatSettings {
            enabled: reader.flag(&["chat", "enabled"], Some("BENCHGEN_CHAT_ENABLED"), true),
            relay,
            url,
            http_endpoint: reader.flag(&["chat", "httpEndpoint"], None, true),
            session_scope: reader.scope(),
            agent_id: reader.text(&["chat", "agentId"], None),
        };
        let private = PrivateSettings {
            paths: reader
                .list(&["privateData", "paths"], "BENCHGEN_PRIVATE_PATHS")
                .map(|paths| paths.iter().filter_map(|path| Guard::normalise(path)).collect()),
            allow_sessions: reader.list(&["privateData", "allowSessions"], "BENCHGEN_PRIVATE_ALLOW_SESSIONS"),
        };
        Self { plugin, chat, private, problems: reader.problems }
    }

    /// Every value in force with its source, keys masked: the lines of a status command.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let key = |key: &Option<Setting<Secret>>| {
            key.as_ref().map_or_else(
                || String::from("not set"),
                |key| format!("{} ({})", key.value.masked(), key.source),
            )
        };
        let Self { plugin, chat, private, .. } = self;
        vec![
            format!("enabled: {}", plugin.enabled),
            format!("publicKey: {}", key(&plugin.public_key)),
            format!("secretKey: {}", key(&plugin.secret_key)),
            format!("baseUrl: {}", plugin.base_url),
            format!("chat.enabled: {}", chat.enabled),
            format!("chat.relay: {}", chat.relay),
            format!(
                "chat.url: {}",
                format_args!("{} ({})", mask_user_info(&chat.url.value), chat.url.source)
            ),
            format!("chat.httpEndpoint: {}", chat.http_endpoint),
            format!(
                "chat.sessionScope: {} ({})",
                chat.session_scope.value.as_str(),
                chat.session_scope.source
            ),
            format!(
                "chat.agentId: {}",
                chat.agent_id.as_ref().map_or_else(|| String::from("not set"), ToString::to_string)
            ),
            format!("privateData.paths: {} ({})", join(&private.paths.value), private.paths.source),
            format!(
                "privateData.allowSessions: {} ({})",
                join(&private.allow_sessions.value),
                private.allow_sessions.source
            ),
        ]
    }
}

fn join(values: &[String]) -> String {
    if values.is_empty() { String::from("none") } else { values.join(", ") }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CommandLine => "command line",
            Self::Config => "config",
            Self::Environment => "environment",
            Self::Default => "default",
        })
    }
}

impl<T: fmt::Display> fmt::Display for Setting<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.value, self.source)
    }
}

struct Reader<'a, E> {
    config: Option<&'a Value>,
    env: &'a E,
    problems: Vec<String>,
}

impl<E: Fn(&str) -> Option<String>> Reader<'_, E> {
    fn given(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(self.config?, |value, name| value.get(name))
    }

    fn variable(&self, name: Option<&str>) -> Option<String> {
        (self.env)(name?).as_deref().and_then(non_blank).map(str::to_owned)
    }

    fn text(&self, path: &[&str], variable: Option<&str>) -> Option<Setting<String>> {
        let given = self.given(path).and_then(Value::as_str).and_then(non_blank);
        given
            .map(|text| Setting::new(text.to_owned(), Source::Config))
            .or_else(|| self.variable(variable).map(|text| Setting::new(text, Source::Environment)))
    }

    fn text_or(&self, path: &[&str], variable: Option<&str>, default: &str) -> Setting<String> {
        self.text(path, variable).unwrap_or_else(|| Setting::new(default.to_owned(), Source::Default))
    }

    fn flag(&mut self, path: &[&str], variable: Option<&str>, default: bool) -> Setting<bool> {
        let (value, problem) = match self.given(path) {
            Some(Value::Bool(value)) => (Some(*value), false),
            Some(Value::String(text)) if non_blank(text).is_some() => (word(text), word(text).is_none()),
            Some(Value::Null | Value::String(_)) | None => (None, false),
            Some(_) => (None, true),
        };
        if problem {
            self.problems.push(format!("{} is neither true nor false: ignored", path.join(".")));
        }
        if let Some(value) = value {
            return Setting::new(value, Source::Config);
        }
        if let Some(text) = self.variable(variable) {
            if let Some(value) = word(&text) {
                return Setting::new(value, Source::Environment);
            }
            self.problems
                .push(format!("{} is neither true nor false: ignored", variable.unwrap_or_default()));
        }
        Setting::new(default, Source::Default)
    }

    fn scope(&mut self) -> Setting<SessionScope> {
        match self.text(&["chat", "sessionScope"], None).map(|scope| scope.value) {
            Some(word) if word == "main" => Setting::new(SessionScope::Main, Source::Config),
            Some(word) if word == "conversation" => Setting::new(SessionScope::Conversation, Source::Config),
            Some(_) => {
                self.problems
                    .push(String::from("chat.sessionScope is neither conversation nor main: conversation"));
                Setting::new(SessionScope::Conversation, Source::Default)
            }
            None => Setting::new(SessionScope::Conversation, Source::Default),
        }
    }

    fn list(&self, path: &[&str], variable: &str) -> Setting<Vec<String>> {
        let split = |text: &str| text.split(',').filter_map(non_blank).map(str::to_owned).collect::<Vec<_>>();
        let given = match self.given(path) {
            Some(Value::String(text)) => split(text),
            Some(Value::Array(items)) => {
                items.iter().filter_map(Value::as_str).filter_map(non_blank).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        if !given.is_empty() {
            return Setting::new(given, Source::Config);
        }
        match self.variable(Some(variable)) {
            Some(text) => Setting::new(split(&text), Source::Environment),
            None => Setting::new(Vec::new(), Source::Default),
        }
    }
}

fn word(text: &str) -> Option<bool> {
    Some(match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" | "enabled" => true,
        "false" | "no" | "off" | "0" | "disabled" => false,
        _ => return None,
    })
}

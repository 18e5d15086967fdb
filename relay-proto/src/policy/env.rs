//! The user's credential as environment of shell tools, and nowhere else.

use std::fmt;

use serde_json::{Map, Value};

use super::message::{Credential, Message};
use crate::secret::Secret;

/// Tools that run a command in a shell and take an `env` parameter.
///
/// OpenClaw's own names only, not the aliases of other harnesses: a credential goes nowhere else.
pub const SHELL_TOOLS: [&str; 2] = ["exec", "bash"];

const API_URL: &str = "BENCHGEN_API_URL";
const API_TOKEN: &str = "BENCHGEN_API_TOKEN";
const USER_ID: &str = "BENCHGEN_USER_ID";
const USER_NAME: &str = "BENCHGEN_USER_NAME";

/// Whether the tool of this name is a shell tool. Exact, as the host's names are.
#[must_use]
pub fn is_shell_tool(name: &str) -> bool {
    SHELL_TOOLS.contains(&name)
}

/// Environment variables of one chat turn.
///
/// They go into a shell tool's parameters at the moment of the call, so no transcript, trace or model request
/// carries them. `Debug` shows names only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ExecEnv {
    vars: Vec<(&'static str, Secret)>,
}

impl ExecEnv {
    /// What a turn's shell tools get to know: the API and its token when the platform sent both, and who is asking
    /// when the platform said so.
    #[must_use]
    pub fn of(message: &Message) -> Self {
        let mut vars = Vec::new();
        if let Some(Credential { token, api_base }) = &message.credential {
            vars.push((API_URL, Secret::new(api_base.clone())));
            vars.push((API_TOKEN, token.clone()));
        }
        if message.sender_known {
            for (name, value) in [(USER_ID, &message.sender.id), (USER_NAME, &message.sender.name)] {
                if let Some(value) = value {
                    vars.push((name, Secret::new(value.clone())));
                }
            }
        }
        Self { vars }
    }

    /// Names and values, for a backend that starts processes itself.
    pub fn vars(&self) -> impl Iterator<Item = (&'static str, &Secret)> {
        self.vars.iter().map(|(name, value)| (*name, value))
    }

    /// Whether there is nothing to add.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vars.is_empty()
    }

    /// The parameters of a shell tool with this environment.
    ///
    /// What a model put under one of the four names is overridden, and removed when this turn has no value for it:
    /// a prompt cannot name another caller. Parameters that are no object become one; an `env` that is no object is
    /// replaced. Everything else is kept.
    #[must_use]
    pub fn apply(&self, params: Option<&Value>) -> Value {
        let mut params = match params {
            Some(Value::Object(map)) => map.clone(),
            _ => Map::new(),
        };
        let mut env = match params.remove("env") {
            Some(Value::Object(map)) => map,
            _ => Map::new(),
        };
        // Variables differ by case on Unix but not on Windows.
        env.retain(|name, _| {
            ![API_URL, API_TOKEN, USER_ID, USER_NAME].iter().any(|own| own.eq_ignore_ascii_case(name))
        });
        for (name, value) in &self.vars {
            env.insert((*name).to_owned(), Value::String(value.expose().to_owned()));
        }
        if !env.is_empty() {
            params.insert(String::from("env"), Value::Object(env));
        }
        Value::Object(params)
    }
}

impl fmt::Debug for ExecEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.vars.iter().map(|(name, _)| name)).finish()
    }
}

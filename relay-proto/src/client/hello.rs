//! What is said when a connection opens.

use crate::frame::{AgentBody, AgentEntry, AgentFrame, Hello, PluginInfo, Resume};
use crate::json::Extra;
use crate::resume::RESUME_CAPABILITY;
use crate::secret::{Keys, Secret};

/// Protocol version that this crate speaks.
pub const PROTOCOL: u64 = 1;

/// Who this end is, for the upgrade headers and `hello`.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// The project keys; without them the platform will not accept the connection.
    pub keys: Option<Keys>,
    /// Package name, perhaps with a scope.
    pub plugin_name: String,
    /// Package version.
    pub plugin_version: Option<String>,
    /// Version of the gateway.
    pub openclaw_version: Option<String>,
    /// The agents that can be asked.
    pub agents: Vec<AgentEntry>,
    /// Extra words in `capabilities`; those of the protocol are `partial`, `tools`, `sessions`, `http`, `abort`.
    pub capabilities: Vec<String>,
}

impl Identity {
    /// This crate, with the capabilities it always has.
    #[must_use]
    pub fn new(keys: Keys) -> Self {
        Self {
            keys: Some(keys),
            plugin_name: String::from("clawgauge-relay"),
            plugin_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            openclaw_version: None,
            agents: vec![AgentEntry::new("main", true)],
            capabilities: ["partial", "tools", "sessions", "abort"].map(String::from).to_vec(),
        }
    }

    /// The headers of the WebSocket upgrade. The plugin's scope (`@scope/`) is left out, a missing version is
    /// `unknown`.
    #[must_use]
    pub fn headers(&self) -> Vec<(&'static str, Secret)> {
        let name = self.plugin_name.rsplit('/').next().unwrap_or_default();
        let version = self.plugin_version.as_deref().unwrap_or("unknown");
        let mut headers = Vec::new();
        if let Some(keys) = &self.keys {
            headers.push(("authorization", keys.basic()));
        }
        headers.push(("x-benchgen-plugin", Secret::new(format!("{name}/{version}"))));
        headers.push(("x-benchgen-protocol", Secret::new(PROTOCOL.to_string())));
        headers
    }

    /// The first frame of a connection.
    #[must_use]
    pub fn hello(&self, offer_resume: bool, resume: Option<Resume>) -> AgentFrame {
        let mut capabilities = self.capabilities.clone();
        if offer_resume {
            capabilities.push(RESUME_CAPABILITY.to_owned());
        }
        AgentBody::Hello(Box::new(Hello {
            protocol: PROTOCOL,
            auth: self.keys.clone().map(Into::into),
            plugin: PluginInfo {
                name: Some(self.plugin_name.clone()),
                version: self.plugin_version.clone(),
                extra: Extra::new(),
            },
            openclaw_version: self.openclaw_version.clone(),
            agents: self.agents.clone(),
            capabilities,
            resume,
        }))
        .into()
    }
}

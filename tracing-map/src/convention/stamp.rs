//! What a program says about itself.

/// What the program says about itself and where it runs, on every span or on the resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stamp {
    /// `service.name`.
    pub service_name: String,
    /// `service.version`.
    pub service_version: Option<String>,
    /// The environment (`dev`, `production`); see [`environment_name`].
    pub environment: Option<String>,
    /// The release.
    pub release: Option<String>,
}

impl Stamp {
    /// A stamp with a service name.
    #[must_use]
    pub fn new(service_name: impl Into<String>) -> Self {
        Self { service_name: service_name.into(), ..Self::default() }
    }

    /// The same with an environment, in the form that Langfuse takes.
    #[must_use]
    pub fn with_environment(mut self, environment: Option<&str>) -> Self {
        self.environment = environment.and_then(environment_name);
        self
    }

    /// The same with a release.
    #[must_use]
    pub fn with_release(mut self, release: Option<&str>) -> Self {
        self.release = release.map(str::to_owned).filter(|release| !release.is_empty());
        self
    }
}

/// An environment name in the form that Langfuse takes: lower case, only `a-z0-9-_`, at most 40 characters, without a
/// leading `langfuse`. Other characters become `-`; `None` when nothing is left.
#[must_use]
pub fn environment_name(raw: &str) -> Option<String> {
    let mut name: String = raw
        .trim()
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' })
        .collect();
    while let Some(rest) = name.strip_prefix("langfuse") {
        name = rest.trim_start_matches(['-', '_']).to_owned();
    }
    let name = name.trim_matches('-');
    let name: String = name.chars().take(40).collect();
    (!name.is_empty()).then_some(name)
}

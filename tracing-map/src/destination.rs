//! Where spans are sent: addresses, keys that never show, and mirrors that differ from the primary.

use crate::error::{Error, ErrorKind};
use std::fmt;

/// A destination: an address, the keys for it, and the environment label of its copy.
#[derive(Clone, PartialEq, Eq)]
pub struct Destination {
    base_url: String,
    public_key: Option<String>,
    secret_key: Option<String>,
    environment: Option<String>,
}

impl Destination {
    /// A destination. The address must be `http://` or `https://` with a host; blanks around the values are cut.
    ///
    /// # Errors
    /// [`ErrorKind::Destination`] for another address. The message does not repeat it: it may hold credentials.
    pub fn new(base_url: &str, public_key: Option<&str>, secret_key: Option<&str>) -> Result<Self, Error> {
        let base_url = base_url.trim();
        if Address::parse(base_url).is_none() {
            return Err(Error::new(
                ErrorKind::Destination,
                "the address is no http or https address with a host",
            ));
        }
        let given =
            |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        Ok(Self {
            base_url: base_url.to_owned(),
            public_key: given(public_key),
            secret_key: given(secret_key),
            environment: None,
        })
    }

    /// The same with an environment label, in the form that Langfuse takes.
    #[must_use]
    pub fn with_environment(mut self, environment: Option<&str>) -> Self {
        self.environment = environment.and_then(crate::convention::environment_name);
        self
    }

    /// Whether both are the same project: the same public key at the same address. Letter case of the host, slashes at the
    /// end, and a port that is the default make no difference.
    #[must_use]
    pub fn is_same_project(&self, other: &Self) -> bool {
        self.public_key == other.public_key
            && Address::parse(&self.base_url) == Address::parse(&other.base_url)
    }

    /// The address as given.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The address of the OTLP traces endpoint: Langfuse's below the base, or `/v1/traces`. An address that already ends
    /// in `/v1/traces` is kept.
    #[must_use]
    pub fn traces_url(&self, langfuse: bool) -> String {
        let base = self.base_url.trim_end_matches('/');
        if base.ends_with("/v1/traces") {
            return base.to_owned();
        }
        if langfuse { format!("{base}/api/public/otel/v1/traces") } else { format!("{base}/v1/traces") }
    }

    /// The address of Langfuse's scores endpoint.
    #[must_use]
    pub fn scores_url(&self) -> String {
        let mut base = self.base_url.trim_end_matches('/');
        for end in ["/v1/traces", "/api/public/otel"] {
            base = base.strip_suffix(end).unwrap_or(base);
        }
        format!("{base}/api/public/scores")
    }

    /// The public key.
    #[must_use]
    pub fn public_key(&self) -> Option<&str> {
        self.public_key.as_deref()
    }

    /// The secret key. Only for the request itself.
    #[must_use]
    pub fn secret_key(&self) -> Option<&str> {
        self.secret_key.as_deref()
    }

    /// The environment label.
    #[must_use]
    pub fn environment(&self) -> Option<&str> {
        self.environment.as_deref()
    }

    /// A line for a person: address without credentials and query, public key, environment. Never the secret key.
    ///
    /// ```
    /// use clawgauge_tracing_map::Destination;
    ///
    /// let mirror = Destination::new("https://u:p@m.example", Some("pk-2"), Some("sk-2"))?.with_environment(Some("dev"));
    /// assert_eq!(mirror.describe(), "https://m.example (pk-2, environment dev)");
    /// # Ok::<(), clawgauge_tracing_map::Error>(())
    /// ```
    #[must_use]
    pub fn describe(&self) -> String {
        let mut url = self.base_url.clone();
        if let Some((scheme, rest)) = self.base_url.split_once("://") {
            // A query can hold a token, with or without a path before it.
            let shown = rest.split(['?', '#']).next().unwrap_or("");
            let (authority, path) = shown.split_at(shown.find('/').unwrap_or(shown.len()));
            let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
            url = format!("{scheme}://{host}{path}");
        }
        let environment = self.environment.as_ref().map(|environment| format!("environment {environment}"));
        let notes: Vec<String> = self.public_key.iter().cloned().chain(environment).collect();
        if notes.is_empty() { url } else { format!("{url} ({})", notes.join(", ")) }
    }
}

impl fmt::Debug for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Destination({})", self.describe())
    }
}

/// An address in the form in which two can be compared.
#[derive(PartialEq, Eq)]
struct Address {
    scheme: String,
    host: String,
    port: u16,
    path: String,
}

impl Address {
    fn parse(url: &str) -> Option<Self> {
        let (scheme, rest) = url.trim().split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        let default_port = match scheme.as_str() {
            "http" => 80,
            "https" => 443,
            _ => return None,
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end)?;
        let host_port = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        // The colon of a port stands behind the brackets of an IPv6 address.
        let port_at =
            host_port.rfind(':').filter(|at| host_port.rfind(']').is_none_or(|bracket| bracket < *at));
        let (host, port) = match port_at {
            Some(at) => {
                let port = host_port.get(at + 1..)?;
                (host_port.get(..at)?, if port.is_empty() { default_port } else { port.parse().ok()? })
            }
            None => (host_port, default_port),
        };
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        if host.is_empty() {
            return None;
        }
        let path = path.split(['?', '#']).next().unwrap_or("").trim_end_matches('/').to_owned();
        Some(Self { scheme, host, port, path })
    }
}

//! The relay's address.

use ::url::Url;

use crate::error::{Error, ErrorKind};

/// The production relay.
pub const DEFAULT_RELAY_URL: &str = "wss://benchgen.com/api/public/openclaw/chat";

const RELAY_PATH: &str = "/api/public/openclaw/chat";

/// The relay that belongs to an API base: same host and port, `wss` for `https` and `ws` for `http`, the protocol's
/// path.
///
/// ```
/// use clawgauge_relay_proto::relay_url_from_base;
/// assert_eq!(relay_url_from_base("http://localhost:3000/x?y"), Ok("ws://localhost:3000/api/public/openclaw/chat".into()));
/// assert!(relay_url_from_base("localhost").is_err());
/// ```
///
/// # Errors
/// `BadUrl` for anything but an `http`, `https`, `ws` or `wss` address with a host.
pub fn relay_url_from_base(base: &str) -> Result<String, Error> {
    let bad = || Error::new(ErrorKind::BadUrl);
    let mut url = Url::parse(base.trim()).map_err(|_| bad())?;
    let scheme = match url.scheme() {
        "https" | "wss" => "wss",
        "http" | "ws" => "ws",
        _ => return Err(bad()),
    };
    if !url.has_host() {
        return Err(bad());
    }
    url.set_scheme(scheme).map_err(|()| bad())?;
    url.set_path(RELAY_PATH);
    url.set_query(None);
    url.set_fragment(None);
    Ok(url.into())
}

/// Whether a socket can be opened to this address.
///
/// # Errors
/// `BadUrl` for anything but a `ws` or `wss` address with a host and without a fragment.
pub fn check_relay_url(address: &str) -> Result<(), Error> {
    let url = Url::parse(address).map_err(|_| Error::new(ErrorKind::BadUrl))?;
    if matches!(url.scheme(), "ws" | "wss") && url.has_host() && url.fragment().is_none() {
        Ok(())
    } else {
        Err(Error::new(ErrorKind::BadUrl))
    }
}

/// An address may carry a user and a password in front of its host: for everything that is shown.
pub(crate) fn mask_user_info(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else {
        return address.to_owned();
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://***@{host}{path}"),
        None => address.to_owned(),
    }
}

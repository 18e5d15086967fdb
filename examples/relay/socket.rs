//! One WebSocket to the relay: directly or through a proxy, with TLS or without.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clawgauge_relay_proto::{Secret, SocketId};
use futures_util::{SinkExt as _, StreamExt as _};
use percent_encoding::percent_decode_str;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Message};
use tokio_tungstenite::{Connector, MaybeTlsStream, WebSocketStream, client_async_tls_with_config};
use url::Url;

use crate::driver::Event;

/// Longer frames than the protocol has are not worth the memory.
const MAX_FRAME: usize = 4 << 20;
const SEND_PATIENCE: Duration = Duration::from_secs(5);

/// The writing half of an open connection.
pub(crate) type Writer = futures_util::stream::SplitSink<WebSocketStream<MaybeTlsStream<TcpStream>>, Message>;

/// TLS with the built-in roots, or with those of a PEM file only.
pub(crate) fn tls(ca_file: Option<&Path>) -> Result<Arc<rustls::ClientConfig>, String> {
    let mut roots = rustls::RootCertStore::empty();
    match ca_file {
        Some(path) => {
            let certificates = CertificateDer::pem_file_iter(path)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            for certificate in certificates {
                let certificate = certificate.map_err(|error| format!("{}: {error}", path.display()))?;
                roots.add(certificate).map_err(|error| format!("{}: {error}", path.display()))?;
            }
            if roots.is_empty() {
                return Err(format!("{}: no certificate", path.display()));
            }
        }
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS: {error}"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Opens a connection and reads from it until it ends; everything is told to the driver.
pub(crate) async fn run(
    socket: SocketId,
    url: String,
    headers: Vec<(&'static str, Secret)>,
    tls: Arc<rustls::ClientConfig>,
    events: mpsc::Sender<Event>,
) {
    let stream = match connect(&url, headers, tls).await {
        Ok(stream) => stream,
        Err(reason) => {
            drop(events.send(Event::Closed(socket, None, reason)).await);
            return;
        }
    };
    let (writer, mut reader) = stream.split();
    if events.send(Event::Opened(socket, Box::new(writer))).await.is_err() {
        return;
    }
    let (code, reason) = loop {
        match reader.next().await {
            Some(Ok(Message::Text(text))) => {
                if events.send(Event::Text(socket, text.as_str().to_owned())).await.is_err() {
                    return;
                }
            }
            Some(Ok(Message::Pong(payload))) => {
                let number = payload.as_ref().try_into().map_or(0, u64::from_be_bytes);
                drop(events.send(Event::Pong(socket, number)).await);
            }
            Some(Ok(Message::Close(frame))) => {
                break frame.map_or((None, String::new()), |frame| {
                    (Some(frame.code.into()), frame.reason.to_string())
                });
            }
            Some(Ok(_)) => {}
            // The error may repeat a part of the address; its kind is enough.
            Some(Err(error)) => break (None, short(&error)),
            None => break (None, String::new()),
        }
    };
    drop(events.send(Event::Closed(socket, code, reason)).await);
}

/// Sends one message; a peer that takes nothing for five seconds has failed.
pub(crate) async fn send(writer: &mut Writer, message: Message) -> bool {
    matches!(tokio::time::timeout(SEND_PATIENCE, writer.send(message)).await, Ok(Ok(())))
}

/// A ping that can be told from others.
pub(crate) fn ping(payload: u64) -> Message {
    Message::Ping(Bytes::copy_from_slice(&payload.to_be_bytes()))
}

async fn connect(
    url: &str,
    headers: Vec<(&'static str, Secret)>,
    tls: Arc<rustls::ClientConfig>,
) -> Result<WebSocketStream<MaybeTlsStream<TcpStream>>, String> {
    let address = Url::parse(url).map_err(|error| error.to_string())?;
    let host = address.host_str().ok_or("no host")?.to_owned();
    let port = address.port_or_known_default().ok_or("no port")?;
    let mut request = url.into_client_request().map_err(|error| short(&error))?;
    for (name, value) in headers {
        let mut value =
            HeaderValue::from_str(value.expose()).map_err(|_| format!("{name} cannot be sent"))?;
        value.set_sensitive(name == "authorization");
        request.headers_mut().insert(HeaderName::from_static(name), value);
    }
    let secure = address.scheme() == "wss";
    let stream = match proxy(secure, &host) {
        Some(proxy) => through_proxy(&proxy, &host, port).await?,
        None => {
            let plain = host.trim_start_matches('[').trim_end_matches(']').to_owned();
            TcpStream::connect((plain.as_str(), port)).await.map_err(|error| error.to_string())?
        }
    };
    drop(stream.set_nodelay(true));
    let connector = if secure { Connector::Rustls(tls) } else { Connector::Plain };
    let config = WebSocketConfig::default().max_message_size(Some(MAX_FRAME)).max_frame_size(Some(MAX_FRAME));
    let (stream, _) = client_async_tls_with_config(request, stream, Some(config), Some(connector))
        .await
        .map_err(|error| short(&error))?;
    Ok(stream)
}

/// The proxy for this host from the usual variables; `NO_PROXY` names hosts and domains that need none.
fn proxy(secure: bool, host: &str) -> Option<Url> {
    let names: &[&str] = if secure {
        &["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
    } else {
        &["ALL_PROXY", "all_proxy"]
    };
    let value =
        names.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))?;
    let none = std::env::var("NO_PROXY").or_else(|_| std::env::var("no_proxy")).unwrap_or_default();
    let excluded = none.split(',').map(str::trim).filter(|name| !name.is_empty()).any(|name| {
        let domain = name.trim_start_matches("*.").trim_start_matches('.');
        name == "*"
            || host.eq_ignore_ascii_case(domain)
            || host.to_ascii_lowercase().ends_with(&format!(".{}", domain.to_ascii_lowercase()))
    });
    if excluded { None } else { Url::parse(value.trim()).ok() }
}

async fn through_proxy(proxy: &Url, host: &str, port: u16) -> Result<TcpStream, String> {
    let proxy_host = proxy.host_str().ok_or("the proxy has no host")?;
    let proxy_port = proxy.port_or_known_default().unwrap_or(3128);
    let mut stream =
        TcpStream::connect((proxy_host, proxy_port)).await.map_err(|error| format!("proxy: {error}"))?;
    let mut request = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n");
    if !proxy.username().is_empty() {
        let plain = |part| percent_decode_str(part).decode_utf8_lossy();
        let pair = format!("{}:{}", plain(proxy.username()), plain(proxy.password().unwrap_or_default()));
        request += &format!("Proxy-Authorization: Basic {}\r\n", STANDARD.encode(pair));
    }
    request += "\r\n";
    stream.write_all(request.as_bytes()).await.map_err(|error| format!("proxy: {error}"))?;
    // Byte by byte: what follows the head belongs to the connection itself.
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() > 16_384 {
            return Err(String::from("proxy: its answer is too long"));
        }
        head.push(stream.read_u8().await.map_err(|error| format!("proxy: {error}"))?);
    }
    let head = String::from_utf8_lossy(&head);
    let status = head.split(' ').nth(1).unwrap_or_default();
    if status == "200" { Ok(stream) } else { Err(format!("proxy: status {status}")) }
}

/// An error without what it quotes.
fn short(error: &tokio_tungstenite::tungstenite::Error) -> String {
    use tokio_tungstenite::tungstenite::Error;
    match error {
        Error::Http(response) => format!("the relay answered with status {}", response.status().as_u16()),
        Error::Io(error) => error.to_string(),
        Error::Tls(_) => String::from("TLS failed"),
        Error::Capacity(_) => String::from("a frame is too large"),
        Error::Protocol(error) => error.to_string(),
        _ => String::from("the connection failed"),
    }
}

//! A loopback backend that takes OTLP/JSON and remembers the span ids, plain or over TLS.

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// What arrived.
#[derive(Default)]
pub(crate) struct Seen {
    /// Span ids, in order of arrival.
    pub(crate) spans: Vec<String>,
    /// Trace ids.
    pub(crate) traces: Vec<String>,
    /// Bodies that came to the scores endpoint.
    pub(crate) scores: Vec<Vec<u8>>,
    /// First lines of requests with their headers, in lower case.
    pub(crate) heads: Vec<String>,
}

/// How the server answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// 200.
    Takes,
    /// 401.
    RefusesKeys,
    /// Not at all: the client waits.
    Hangs,
}

pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) seen: Arc<Shared>,
}

/// What arrived, and the news of it.
#[derive(Default)]
pub(crate) struct Shared {
    seen: Mutex<Seen>,
    news: Condvar,
}

impl Shared {
    pub(crate) fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }

    /// Waits until what arrived is enough.
    pub(crate) fn wait_until(&self, what: &str, enough: impl Fn(&Seen) -> bool) {
        let waited = self.news.wait_timeout_while(self.lock(), Duration::from_secs(60), |seen| !enough(seen));
        assert!(!waited.unwrap().1.timed_out(), "{what}");
    }
}

impl Server {
    pub(crate) fn start(manner: Manner) -> Self {
        Self::listen(move |stream, seen| serve(stream, seen, manner))
    }

    /// With the certificate of the fixtures, which is good for `localhost`.
    pub(crate) fn start_tls() -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let chain = vec![CertificateDer::from_pem_file(tls_file("server.pem")).unwrap()];
        let key = PrivateKeyDer::from_pem_file(tls_file("server-key.pem")).unwrap();
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let config = Arc::new(config);
        Self::listen(move |stream, seen| {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            serve(rustls::StreamOwned::new(connection, stream), seen, Manner::Takes);
        })
    }

    fn listen(each: impl Fn(TcpStream, &Shared) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen: Arc<Shared> = Arc::default();
        let (shared, each) = (Arc::clone(&seen), Arc::new(each));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (shared, each) = (Arc::clone(&shared), Arc::clone(&each));
                std::thread::spawn(move || each(stream, &shared));
            }
        });
        Self { port, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// All span ids, in order of arrival.
    pub(crate) fn spans(&self) -> Vec<String> {
        self.seen.lock().spans.clone()
    }
}

pub(crate) fn tls_file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tls").join(name)
}

fn serve(stream: impl Read + Write, shared: &Shared, manner: Manner) {
    let mut stream = BufReader::new(stream);
    let Some((head, body)) = request(&mut stream) else { return };
    let mut seen = shared.lock();
    let is_score = head.starts_with("post /api/public/scores ");
    seen.heads.push(head);
    shared.news.notify_all();
    let status = match manner {
        Manner::Takes => 200,
        Manner::RefusesKeys => 401,
        Manner::Hangs => {
            drop(seen);
            // Until the client is gone.
            drop(stream.read_to_end(&mut Vec::new()));
            return;
        }
    };
    seen.spans.extend(ids(&body, "spanId"));
    seen.traces.extend(ids(&body, "traceId"));
    if is_score {
        seen.scores.push(body);
    }
    let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}");
    drop(stream.get_mut().write_all(answer.as_bytes()));
    drop(stream.get_mut().flush());
}

/// The head in lower case, and the body; `None` when the client went away.
fn request(stream: &mut BufReader<impl Read>) -> Option<(String, Vec<u8>)> {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        let line = line.to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((head, body))
}

fn ids(body: &[u8], key: &str) -> Vec<String> {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let lists = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let scopes = lists(&body, "resourceSpans").into_iter().flat_map(|one| lists(&one, "scopeSpans"));
    let spans = scopes.flat_map(|one| lists(&one, "spans"));
    spans.map(|span| span[key].as_str().unwrap().to_owned()).collect()
}

/// An HTTP proxy that opens tunnels and remembers to where.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    pub(crate) tunnels: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let tunnels: Arc<Mutex<Vec<String>>> = Arc::default();
        let shared = Arc::clone(&tunnels);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || tunnel(stream, &shared));
            }
        });
        Self { port, tunnels }
    }
}

fn tunnel(mut client: TcpStream, tunnels: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(client.try_clone().unwrap());
    let Some((head, _)) = request(&mut reader) else { return };
    let target = head.split_whitespace().nth(1).unwrap().to_owned();
    let port: u16 = target.rsplit_once(':').unwrap().1.parse().unwrap();
    tunnels.lock().unwrap().push(head);
    let mut server = TcpStream::connect(("127.0.0.1", port)).unwrap();
    client.write_all(b"HTTP/1.1 200 established\r\n\r\n").unwrap();
    let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    std::thread::spawn(move || drop(std::io::copy(&mut from_client, &mut to_server)));
    drop(std::io::copy(&mut server, &mut client));
}

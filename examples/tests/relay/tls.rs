//! `wss://` with an authority of one's own, and through a proxy.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use clawgauge_relay_proto::Keys;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::{Message, WebSocket, accept_hdr};

use crate::programs::{PUBLIC, Program, SECRET, assert_no_secret};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tls").join(name)
}

/// A relay of version 1 with TLS that asks one question and tells what it saw: the authorization of the upgrade, and
/// the kinds of the frames up to `turn.done`.
fn secure_relay() -> (u16, Receiver<(String, Vec<String>)>) {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let certificates: Vec<_> =
        CertificateDer::pem_file_iter(fixture("server.pem")).unwrap().map(Result::unwrap).collect();
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificates, PrivateKeyDer::from_pem_file(fixture("server-key.pem")).unwrap())
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (send, seen) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            // A client that does not trust us ends the handshake; the next one may.
            if let Some(turn) = one_turn(rustls::StreamOwned::new(connection, stream)) {
                send.send(turn).unwrap();
                return;
            }
        }
    });
    (port, seen)
}

fn one_turn(
    stream: rustls::StreamOwned<rustls::ServerConnection, TcpStream>,
) -> Option<(String, Vec<String>)> {
    let mut authorization = String::new();
    #[allow(clippy::result_large_err, reason = "the signature is tungstenite's")]
    let look = |request: &Request, response: Response| {
        authorization = request.headers()["authorization"].to_str().unwrap().to_owned();
        Ok(response)
    };
    let mut socket = accept_hdr(stream, look).ok()?;
    let mut kinds = vec![next_kind(&mut socket)?];
    let ask = json!({"type": "message", "conversationId": "c1", "messageId": "m1", "text": "hello"});
    for frame in [json!({"type": "hello.ack", "protocol": 1}), ask] {
        socket.send(Message::text(frame.to_string())).ok()?;
    }
    while kinds.last().is_none_or(|kind| kind != "turn.done") {
        kinds.push(next_kind(&mut socket)?);
    }
    Some((authorization, kinds))
}

fn next_kind(socket: &mut WebSocket<impl std::io::Read + std::io::Write>) -> Option<String> {
    loop {
        if let Message::Text(text) = socket.read().ok()? {
            let frame: Value = serde_json::from_str(&text).unwrap();
            return frame["type"].as_str().map(str::to_owned);
        }
    }
}

/// A proxy that lets one connection through to the port, whatever host was asked for, and tells the head it got.
fn proxy_to(port: u16) -> (u16, Receiver<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    let (send, heads) = channel();
    thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(client.try_clone().unwrap());
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if line.trim().is_empty() {
                break;
            }
            head.push(line.trim().to_owned());
        }
        send.send(head).unwrap();
        let mut server = TcpStream::connect(("127.0.0.1", port)).unwrap();
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
        let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        thread::spawn(move || std::io::copy(&mut from, &mut to));
        drop(std::io::copy(&mut reader, &mut server));
    });
    (own, heads)
}

#[test]
fn a_relay_with_an_authority_of_its_own_is_trusted_only_when_told() {
    let (port, seen) = secure_relay();
    let url = format!("wss://localhost:{port}/chat");
    let mut distrustful = Program::start("relay", &["--url", &url, "--hurry"]);
    let line = distrustful.wait_for("info: could not connect: ");
    assert!(line.contains("certificate"), "{line}");
    assert_no_secret("the relay", &distrustful.terminate().1);
    let authority = fixture("authority.pem");
    let mut relay =
        Program::start("relay", &["--url", &url, "--hurry", "--ca-file", authority.to_str().unwrap()]);
    let (authorization, kinds) = seen.recv().unwrap();
    assert_eq!(authorization, Keys::new(PUBLIC, SECRET).basic().expose());
    assert_eq!(
        (kinds.first().unwrap().as_str(), kinds.last().unwrap().as_str()),
        ("hello", "turn.done"),
        "{kinds:?}"
    );
    assert!(kinds.iter().any(|kind| kind == "reply"), "{kinds:?}");
    relay.wait_for("info: connected");
    assert_no_secret("the relay", &relay.terminate().1);
}

#[test]
fn the_proxy_is_asked_for_the_host_and_gets_its_own_credential() {
    let (port, seen) = secure_relay();
    let (proxy, heads) = proxy_to(port);
    let authority = fixture("authority.pem");
    // The name exists for the proxy alone.
    let relay = Program::start_with(
        "relay",
        &["--url", "wss://relay.test:4443/chat", "--ca-file", authority.to_str().unwrap()],
        &[
            ("HTTPS_PROXY", &format!("http://us%40er:p%3Aw@127.0.0.1:{proxy}")),
            ("NO_PROXY", "example.com,.other.test"),
        ],
    );
    let head = heads.recv().unwrap();
    assert_eq!(head.first().unwrap(), "CONNECT relay.test:4443 HTTP/1.1");
    // base64 of `us@er:p:w`
    assert!(head.iter().any(|line| line == "Proxy-Authorization: Basic dXNAZXI6cDp3"), "{head:?}");
    assert!(!head.iter().any(|line| line.contains(SECRET)), "{head:?}");
    let (_, kinds) = seen.recv().unwrap();
    assert_eq!(kinds.last().unwrap(), "turn.done");
    let (_, printed) = relay.terminate();
    assert!(!printed.contains("p%3Aw") && !printed.contains("p:w"), "{printed}");
    assert_no_secret("the relay", &printed);
}

#[test]
fn a_file_without_a_certificate_is_refused_by_name() {
    for name in ["server-key.pem", "missing.pem"] {
        let file = fixture(name);
        let mut relay = Program::start("relay", &["--ca-file", file.to_str().unwrap()]);
        let line = relay.wait_for("relay: ");
        assert!(line.contains(name), "{line}");
    }
}

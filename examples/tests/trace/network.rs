//! Certificates and proxies.

use crate::program::{events_file, trace_export};
use crate::server::{Proxy, Server, tls_file};
use clawgauge_support::exit;

fn code(command: &mut std::process::Command) -> u8 {
    u8::try_from(command.output().unwrap().status.code().unwrap()).unwrap()
}

#[test]
fn a_certificate_file_is_what_the_backend_is_checked_with() {
    let folder = tempfile::tempdir().unwrap();
    let file = events_file(folder.path(), 3);
    let server = Server::start_tls();
    let endpoint = format!("https://localhost:{}", server.port);
    let arguments = ["events", &file, "--endpoint", &endpoint];
    let ca_file = tls_file("authority.pem");
    let trusting = [&arguments[..], &["--ca-file", ca_file.to_str().unwrap()]].concat();
    assert_eq!(code(&mut trace_export(&trusting)), exit::OK);
    assert_eq!(server.spans().len(), 6);
    // An authority that is nobody's is not trusted by itself.
    let output = trace_export(&["ping", "--endpoint", &endpoint]).output().unwrap();
    assert_eq!(output.status.code(), Some(exit::NO.into()));
    assert_eq!(server.spans().len(), 6);
    assert_eq!(code(&mut trace_export(&[&arguments[..], &["--ca-file", &file]].concat())), exit::USAGE);
}

#[test]
fn a_proxy_is_used_but_for_the_hosts_that_need_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = events_file(folder.path(), 1);
    let (server, proxy) = (Server::start_tls(), Proxy::start());
    let endpoint = format!("https://localhost:{}", server.port);
    let ca_file = tls_file("authority.pem");
    let arguments = ["events", &file, "--endpoint", &endpoint, "--ca-file", ca_file.to_str().unwrap()];
    let address = format!("http://user:word@127.0.0.1:{}", proxy.port);
    assert_eq!(code(trace_export(&arguments).env("HTTPS_PROXY", &address)), exit::OK);
    assert_eq!(server.spans().len(), 2);
    {
        let tunnels = proxy.tunnels.lock().unwrap();
        assert_eq!(tunnels.len(), 1);
        assert!(tunnels[0].starts_with(&format!("connect localhost:{} ", server.port)), "{}", tunnels[0]);
        assert!(tunnels[0].contains("proxy-authorization: basic "), "{}", tunnels[0]);
    }
    for list in ["localhost", "example.com, localhost", "*"] {
        let mut command = trace_export(&arguments);
        assert_eq!(code(command.env("HTTPS_PROXY", &address).env("NO_PROXY", list)), exit::OK);
    }
    assert_eq!(proxy.tunnels.lock().unwrap().len(), 1, "no tunnel to a host that needs none");
    assert_eq!(server.spans().len(), 8);
    // Plain addresses do not go through the proxy for secure ones.
    let plain = Server::start(crate::server::Manner::Takes);
    let arguments = ["events", &file, "--endpoint", &plain.url()];
    assert_eq!(code(trace_export(&arguments).env("HTTPS_PROXY", &address)), exit::OK);
    assert_eq!((plain.spans().len(), proxy.tunnels.lock().unwrap().len()), (2, 1));
}

#[test]
fn what_is_wrong_is_said_in_words() {
    let server = Server::start_tls();
    let endpoint = format!("https://user:word@localhost:{}", server.port);
    let output = trace_export(&["ping", "--endpoint", &endpoint]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(exit::NO.into()), "{said}");
    assert!(said.contains("certificate") && !said.contains("word@"), "{said}");
}

//! The sockets: agents at one path, the page at another.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use clawgauge_relay_proto::{ConnId, ServerConfig};
use clawgauge_support::output::show;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::mpsc;

use crate::chaos::{Chaos, Mishap};
use crate::hub::{self, Event, ToAgent};
use crate::keys::KeyFile;

/// Where agents connect.
const RELAY_PATH: &str = "/api/public/openclaw/chat";

#[derive(Clone)]
struct Web {
    events: mpsc::Sender<Event>,
    sockets: Arc<AtomicU64>,
    chaos: bool,
}

/// A seed that differs between two runs: the standard library seeds its hash maps from the system's randomness.
pub(crate) fn random_seed() -> u128 {
    use std::hash::{BuildHasher as _, Hasher as _, RandomState};
    let word = || u128::from(RandomState::new().build_hasher().finish());
    (word() << 64) | word()
}

/// Serves until the program is stopped.
pub(crate) async fn serve(port: u16, chaos: bool, config: ServerConfig, keys: KeyFile) -> Result<(), String> {
    let (events, inbox) = mpsc::channel(256);
    let web = Web { events, sockets: Arc::new(AtomicU64::new(1)), chaos };
    let router = Router::new()
        .route("/", get(|| async { Html(include_str!("page.html")) }))
        .route(RELAY_PATH, get(agent))
        .route("/ui", get(page))
        .with_state(web);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port))
        .await
        .map_err(|error| format!("port {port}: {error}"))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
        .map_err(|error| format!("signals: {error}"))?;
    show(&format!("page: http://{address}/\nrelay: ws://{address}{RELAY_PATH}\n"));
    let hub = tokio::spawn(hub::run(config, keys, inbox));
    tokio::select! {
        served = async { axum::serve(listener, router).await } => served.map_err(|error| error.to_string()),
        _ = hub => Err(String::from("the hub ended")),
        _ = tokio::signal::ctrl_c() => Ok(()),
        _ = terminate.recv() => Ok(()),
    }
}

async fn agent(State(web): State<Web>, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    let authorization =
        headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
    upgrade.max_message_size(4 << 20).on_upgrade(move |socket| agent_socket(web, authorization, socket))
}

async fn agent_socket(web: Web, authorization: Option<String>, socket: WebSocket) {
    let number = web.sockets.fetch_add(1, Ordering::Relaxed);
    let conn = ConnId(number);
    let mut chaos = Chaos::new(web.chaos, number);
    let (to_agent, mut outbox) = mpsc::unbounded_channel();
    if web.events.send(Event::AgentOpened(conn, authorization, to_agent)).await.is_err() {
        return;
    }
    let (mut writer, mut reader) = socket.split();
    loop {
        let mishap = tokio::select! {
            out = outbox.recv() => {
                let (message, last) = match out {
                    Some(ToAgent::Text(text)) => (Message::text(text), false),
                    Some(ToAgent::Close(code, reason)) => {
                        let frame = axum::extract::ws::CloseFrame { code, reason: reason.into() };
                        (Message::Close(Some(frame)), true)
                    }
                    None => break,
                };
                let mishap = chaos.next();
                if let Mishap::Delay(time) = mishap {
                    tokio::time::sleep(time).await;
                }
                if matches!(mishap, Mishap::None | Mishap::Delay(_)) {
                    let twice = matches!(&message, Message::Text(text) if text.contains("\"type\":\"message\"")) && chaos.twice();
                    if twice && writer.send(message.clone()).await.is_err() {
                        break;
                    }
                    if writer.send(message).await.is_err() || last {
                        break;
                    }
                }
                mishap
            }
            read = reader.next() => {
                let text = match read {
                    Some(Ok(Message::Text(text))) => text,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                    Some(Ok(_)) => {
                        // A ping is answered by the socket; it is a sign of life all the same.
                        drop(web.events.send(Event::AgentAlive(conn)).await);
                        continue;
                    }
                };
                let mishap = chaos.next();
                if let Mishap::Delay(time) = mishap {
                    tokio::time::sleep(time).await;
                }
                if matches!(mishap, Mishap::None | Mishap::Delay(_)) {
                    drop(web.events.send(Event::AgentText(conn, text.as_str().to_owned())).await);
                }
                mishap
            }
        };
        match mishap {
            // Dropped without a closing handshake.
            Mishap::Drop => break,
            Mishap::HalfOpen => {
                // Open, deaf and mute, until the hub has had enough of it.
                while let Some(out) = outbox.recv().await {
                    if matches!(out, ToAgent::Close(..)) {
                        break;
                    }
                }
                break;
            }
            Mishap::None | Mishap::Delay(_) => {}
        }
    }
    drop(web.events.send(Event::AgentClosed(conn)).await);
}

async fn page(State(web): State<Web>, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    // Any page in the browser may open a socket to this machine; only our own may use it.
    let text = |name| headers.get(name).and_then(|value: &header::HeaderValue| value.to_str().ok());
    let own = match (text(header::ORIGIN), text(header::HOST)) {
        (Some(origin), Some(host)) => origin.split_once("://").is_some_and(|(_, from)| from == host),
        _ => true,
    };
    if !own {
        return StatusCode::FORBIDDEN.into_response();
    }
    upgrade.on_upgrade(move |socket| page_socket(web, socket))
}

async fn page_socket(web: Web, socket: WebSocket) {
    let number = web.sockets.fetch_add(1, Ordering::Relaxed);
    let (to_page, mut outbox) = mpsc::unbounded_channel::<String>();
    if web.events.send(Event::PageOpened(number, to_page)).await.is_err() {
        return;
    }
    let (mut writer, mut reader) = socket.split();
    loop {
        tokio::select! {
            out = outbox.recv() => match out {
                Some(text) => if writer.send(Message::text(text)).await.is_err() { break },
                None => break,
            },
            read = reader.next() => match read {
                Some(Ok(Message::Text(text))) => {
                    drop(web.events.send(Event::PageText(number, text.as_str().to_owned())).await);
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(_)) => {}
            },
        }
    }
    drop(web.events.send(Event::PageClosed(number)).await);
}

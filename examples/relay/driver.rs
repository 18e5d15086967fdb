//! The loop between the client and the world.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use clawgauge_relay_proto::{
    AgentFrame, Client, ClientConfig, ClientOutput, Happening, HttpStatus, Keys, Limits, LogLine,
    MessageFrame, SocketId, TurnEnd,
};
use clawgauge_support::output::tell;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_tungstenite::tungstenite::Message;

use crate::backend::{Report, TurnBackend};
use crate::endpoint;
use crate::socket::{self, Writer};
use crate::wall::Wall;

/// How long running turns and waiting frames get when the program is told to stop.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// What the program was started with.
pub(crate) struct Options {
    pub(crate) keys: Keys,
    pub(crate) relay: bool,
    pub(crate) http_port: Option<u16>,
    pub(crate) tls: Arc<rustls::ClientConfig>,
}

/// What happened.
pub(crate) enum Event {
    Opened(SocketId, Box<Writer>),
    Closed(SocketId, Option<u16>, String),
    Text(SocketId, String),
    Pong(SocketId, u64),
    Happened(u64, Happening),
    HttpMessage(Box<MessageFrame>, mpsc::UnboundedSender<AgentFrame>),
    HttpStatus(oneshot::Sender<HttpStatus>),
    Stop(&'static str),
}

struct Driver {
    client: Client,
    wall: Wall,
    options: Options,
    backend: Arc<dyn TurnBackend>,
    events: mpsc::Sender<Event>,
    writer: Option<(SocketId, Writer)>,
    reader: Option<tokio::task::AbortHandle>,
    stops: BTreeMap<u64, watch::Sender<bool>>,
    requests: BTreeMap<u64, mpsc::UnboundedSender<AgentFrame>>,
    next_request: u64,
    status: HttpStatus,
}

/// Runs until told to stop (SIGINT, SIGTERM), then ends gracefully.
pub(crate) async fn run(
    config: ClientConfig,
    backend: Arc<dyn TurnBackend>,
    options: Options,
) -> Result<(), String> {
    let (events, mut inbox) = mpsc::channel(256);
    let status = HttpStatus {
        relay_enabled: options.relay,
        relay_url: config.url.clone(),
        connected: false,
        queued_frames: 0,
        session_scope: config.turns.session_scope,
        active_conversations: 0,
    };
    log_text(&format!("info: agent backend: {}", backend.name()));
    if let Some(port) = options.http_port {
        let address = endpoint::serve(port, options.keys.clone(), Limits::default(), events.clone()).await?;
        log_text(&format!("info: listening on http://{address}{}", clawgauge_relay_proto::HTTP_PATH));
    }
    tokio::spawn(signals(events.clone()));
    let mut driver = Driver {
        client: Client::new(config),
        wall: Wall::new(),
        options,
        backend,
        events,
        writer: None,
        reader: None,
        stops: BTreeMap::new(),
        requests: BTreeMap::new(),
        next_request: 1,
        status,
    };
    if driver.options.relay {
        driver.client.start(driver.wall.now());
    }
    let mut stop_by = None;
    loop {
        driver.drain().await;
        if let Some(by) = stop_by {
            let done = driver.client.is_drained()
                || (!driver.client.is_connected() && driver.client.active_conversations() == 0);
            if done || tokio::time::Instant::now() >= by {
                break;
            }
        }
        let wake =
            driver.client.poll_timeout().map(|due| tokio::time::Instant::from_std(driver.wall.instant(due)));
        let wake = wake.into_iter().chain(stop_by).min();
        let sleep = async {
            match wake {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            event = inbox.recv() => match event {
                Some(Event::Stop(why)) => {
                    log_text(&format!("info: stopping: {why}"));
                    driver.client.shut_down("the relay was stopped", driver.wall.now());
                    stop_by = stop_by.or(Some(tokio::time::Instant::now() + LAST_WORDS));
                }
                Some(event) => driver.event(event),
                None => break,
            },
            () = sleep => driver.client.handle_timeout(driver.wall.now()),
        }
    }
    driver.client.stop(driver.wall.now());
    driver.drain().await;
    let report = driver.client.report();
    if report.outbox.total() > 0 || report.unconfirmed_total > 0 {
        log_text(&format!(
            "info: {} frames replaced, {} dropped, {} perhaps not arrived, {} unsent",
            report.outbox.coalesced,
            report.outbox.dropped.values().sum::<u64>(),
            report.unconfirmed_total,
            driver.client.queued_frames(),
        ));
    }
    Ok(())
}

async fn signals(events: mpsc::Sender<Event>) {
    let Ok(mut terminate) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) else {
        return;
    };
    let why = tokio::select! {
        _ = tokio::signal::ctrl_c() => "interrupted",
        _ = terminate.recv() => "terminated",
    };
    drop(events.send(Event::Stop(why)).await);
}

impl Driver {
    fn event(&mut self, event: Event) {
        let now = self.wall.now();
        match event {
            Event::Opened(socket, writer) => {
                log_text("info: connected");
                self.writer = Some((socket, *writer));
                self.client.opened(socket, now);
            }
            Event::Closed(socket, code, reason) => self.client.closed(socket, code, &reason, now),
            Event::Text(socket, text) => self.client.received(socket, &text, now),
            Event::Pong(socket, payload) => self.client.pong(socket, payload, now),
            Event::Happened(turn, happening) => {
                if matches!(happening, Happening::Done(_)) {
                    self.stops.remove(&turn);
                }
                self.client.happened(turn, happening, now);
            }
            Event::HttpMessage(message, frames) => {
                let request = self.next_request;
                self.next_request += 1;
                self.requests.insert(request, frames);
                self.client.http_message(request, *message, now);
            }
            Event::HttpStatus(answer) => {
                let mut status = self.status.clone();
                status.connected = self.client.is_connected();
                status.queued_frames = self.client.queued_frames();
                status.active_conversations = self.client.active_conversations();
                drop(answer.send(status));
            }
            Event::Stop(_) => {}
        }
    }

    async fn drain(&mut self) {
        while let Some(output) = self.client.poll_output() {
            match output {
                ClientOutput::Connect { socket, url, headers } => {
                    let task = tokio::spawn(socket::run(
                        socket,
                        url,
                        headers,
                        self.options.tls.clone(),
                        self.events.clone(),
                    ));
                    self.reader = Some(task.abort_handle());
                }
                ClientOutput::Send { socket, text } => {
                    let sent = self.write(socket, Message::text(text.into_string())).await;
                    if !sent {
                        self.client.send_failed(socket, self.wall.now());
                        self.client.closed(socket, None, "a frame could not be sent", self.wall.now());
                    }
                }
                ClientOutput::Ping { socket, payload } => {
                    self.write(socket, socket::ping(payload)).await;
                }
                ClientOutput::Close { socket, hard } => self.close(socket, hard).await,
                ClientOutput::StartTurn(start) => self.start_turn(*start),
                ClientOutput::AbortTurn(turn) => {
                    if let Some(stop) = self.stops.get(&turn) {
                        // The turn may have ended by itself.
                        let _ = stop.send(true);
                    }
                }
                ClientOutput::Http { request, frame } => {
                    let over = matches!(frame.body, clawgauge_relay_proto::AgentBody::TurnDone(_));
                    if let Some(frames) = self.requests.get(&request) {
                        drop(frames.send(*frame));
                    }
                    if over {
                        self.requests.remove(&request);
                    }
                }
                ClientOutput::Log(line) => log(&line),
                _ => {}
            }
        }
    }

    async fn write(&mut self, socket: SocketId, message: Message) -> bool {
        match &mut self.writer {
            Some((own, writer)) if *own == socket => socket::send(writer, message).await,
            _ => false,
        }
    }

    async fn close(&mut self, socket: SocketId, hard: bool) {
        if !hard {
            self.write(socket, Message::Close(None)).await;
        }
        if let Some(reader) = self.reader.take() {
            reader.abort();
        }
        self.writer = None;
    }

    fn start_turn(&mut self, start: clawgauge_relay_proto::TurnStart) {
        let (turn, events) = (start.turn, self.events.clone());
        let (stop, stopped) = watch::channel(false);
        self.stops.insert(turn, stop);
        let report = Report::new(turn, events.clone());
        let running = tokio::spawn(self.backend.run(start, report, stopped));
        tokio::spawn(async move {
            // A backend that panics is a turn that failed, not a relay that is gone.
            let end = running.await.unwrap_or_else(|_| TurnEnd::Error(String::from("the turn died")));
            drop(events.send(Event::Happened(turn, Happening::Done(end))).await);
        });
    }
}

fn log(line: &LogLine) {
    log_text(&line.to_string());
}

fn log_text(text: &str) {
    tell(&format!("{text}\n"));
}

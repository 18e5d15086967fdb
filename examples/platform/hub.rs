//! The loop between the server's state machine, the agents and the pages.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use clawgauge_relay_proto::{
    ConnId, Id, MessageFrame, Sender, Server, ServerConfig, ServerOutput, TurnFate, TurnRef,
};
use clawgauge_support::output::tell;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::keys::KeyFile;

/// What an agent's socket is to do.
pub(crate) enum ToAgent {
    Text(String),
    Close(u16, &'static str),
}

/// What happened.
pub(crate) enum Event {
    AgentOpened(ConnId, Option<String>, mpsc::UnboundedSender<ToAgent>),
    AgentText(ConnId, String),
    AgentAlive(ConnId),
    AgentClosed(ConnId),
    PageOpened(u64, mpsc::UnboundedSender<String>),
    PageText(u64, String),
    PageClosed(u64),
}

struct Hub {
    server: Server<KeyFile>,
    start: Instant,
    agents: BTreeMap<ConnId, mpsc::UnboundedSender<ToAgent>>,
    pages: BTreeMap<u64, mpsc::UnboundedSender<String>>,
}

pub(crate) async fn run(config: ServerConfig, keys: KeyFile, mut inbox: mpsc::Receiver<Event>) {
    let server = Server::new(config, keys);
    let mut hub = Hub { server, start: Instant::now(), agents: BTreeMap::new(), pages: BTreeMap::new() };
    loop {
        hub.drain();
        let due = hub.server.poll_timeout().map(|due| hub.start + Duration::from_millis(due));
        let sleep = async {
            match due {
                Some(at) => tokio::time::sleep_until(at.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            event = inbox.recv() => match event {
                Some(event) => hub.event(event),
                None => return,
            },
            () = sleep => {
                let now = hub.now();
                hub.server.handle_timeout(now);
            }
        }
    }
}

impl Hub {
    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn event(&mut self, event: Event) {
        let now = self.now();
        match event {
            Event::AgentOpened(conn, authorization, sender) => {
                self.agents.insert(conn, sender);
                self.server.accepted(conn, authorization.as_deref(), now);
            }
            Event::AgentText(conn, text) => self.server.received(conn, &text, now),
            Event::AgentAlive(conn) => self.server.alive(conn),
            Event::AgentClosed(conn) => {
                self.agents.remove(&conn);
                self.server.closed(conn);
            }
            Event::PageOpened(page, sender) => {
                self.pages.insert(page, sender);
                self.tell_agents();
            }
            Event::PageText(page, text) => self.page_says(page, &text, now),
            Event::PageClosed(page) => {
                self.pages.remove(&page);
            }
        }
    }

    fn page_says(&mut self, page: u64, text: &str, now: u64) {
        let Ok(said) = serde_json::from_str::<Value>(text) else { return };
        let word = |name: &str| said.get(name).and_then(Value::as_str).map(str::to_owned);
        let agent = word("agent").unwrap_or_default();
        let turn = TurnRef {
            conversation_id: word("conversationId").map(Id::new),
            message_id: word("messageId").map(Id::new),
        };
        match word("do").as_deref() {
            Some("send") => {
                let message = MessageFrame {
                    turn,
                    text: word("text"),
                    sender: Some(Sender::new("page", "Someone at the page")),
                    agent_id: word("agentId"),
                    ..MessageFrame::default()
                };
                let said = message.text.clone();
                match self.server.send_message(&agent, message, now) {
                    Ok(turn) => self.tell_all(&json!({
                        "kind": "sent", "agent": agent, "text": said,
                        "conversationId": turn.conversation_id.map(|id| id.to_string()),
                        "messageId": turn.message_id.map(|id| id.to_string()),
                    })),
                    Err(refused) => {
                        self.tell(page, &json!({"kind": "refused", "reason": refused.to_string()}));
                    }
                }
            }
            Some("abort") => {
                let taken = self.server.abort(&agent, &turn);
                if !taken {
                    self.tell(page, &json!({"kind": "refused", "reason": "nothing to stop"}));
                }
            }
            _ => {}
        }
    }

    fn drain(&mut self) {
        while let Some(output) = self.server.poll_output() {
            match output {
                ServerOutput::Send { conn, text } => self.to_agent(conn, ToAgent::Text(text.into_string())),
                ServerOutput::Close { conn, code, reason } => {
                    self.to_agent(conn, ToAgent::Close(code, reason));
                    self.agents.remove(&conn);
                }
                ServerOutput::Connected { .. } | ServerOutput::Disconnected { .. } => self.tell_agents(),
                ServerOutput::Frame { agent, frame } => {
                    let frame: Value = serde_json::from_str(&frame.encode()).unwrap_or_default();
                    self.tell_all(&json!({"kind": "frame", "agent": agent, "frame": frame}));
                }
                ServerOutput::TurnOver { agent, record } => {
                    let fate = match &record.fate {
                        TurnFate::Done(done) => done.status.to_string(),
                        TurnFate::Quiet => String::from("the agent went quiet"),
                        TurnFate::TooLong => String::from("the turn took too long"),
                        _ => String::from("over"),
                    };
                    let id = |id: &Option<Id>| id.as_ref().map(ToString::to_string);
                    self.tell_all(&json!({
                        "kind": "over", "agent": agent, "fate": fate, "text": record.text(),
                        "conversationId": id(&record.turn.conversation_id), "messageId": id(&record.turn.message_id),
                    }));
                }
                ServerOutput::Log(line) => tell(&format!("{line}\n")),
                _ => {}
            }
        }
    }

    fn to_agent(&self, conn: ConnId, message: ToAgent) {
        if let Some(agent) = self.agents.get(&conn) {
            drop(agent.send(message));
        }
    }

    fn tell(&self, page: u64, what: &Value) {
        if let Some(page) = self.pages.get(&page) {
            drop(page.send(what.to_string()));
        }
    }

    fn tell_all(&self, what: &Value) {
        let text = what.to_string();
        for page in self.pages.values() {
            drop(page.send(text.clone()));
        }
    }

    fn tell_agents(&self) {
        let agents: Vec<Value> = self
            .server
            .agents()
            .map(|(name, offers)| {
                let offers: Vec<&str> = offers.iter().map(|agent| agent.id.as_str()).collect();
                json!({"name": name, "connected": self.server.is_connected(name), "offers": offers})
            })
            .collect();
        self.tell_all(&json!({"kind": "agents", "agents": agents}));
    }
}

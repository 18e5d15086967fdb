//! A gateway in a box: a client, a script for each turn, a virtual clock.

use std::collections::BTreeMap;

use clawgauge_relay_proto::{
    Client, ClientConfig, ClientOutput, Happening, Identity, Keys, LogLine, Now, Randomness, SocketId,
    TurnEnd, TurnStart, UsageEvent,
};
use serde_json::Value;

pub(crate) const EPOCH: i64 = 1_772_359_200_000;

/// A configuration without the extension and with fixed chance.
pub(crate) fn plain_config() -> ClientConfig {
    let mut config = ClientConfig::new("wss://relay.example/x", Identity::new(Keys::new("pk-1", "sk-1")), 7);
    config.offer_resume = false;
    config.link.randomness = Randomness::Fixed(0.5);
    config
}

enum Action {
    Happen(u64, Happening),
    SessionUsage(String, UsageEvent),
}

pub(crate) struct Gateway {
    pub(crate) client: Client,
    pub(crate) time: u64,
    pub(crate) socket: Option<SocketId>,
    /// Frames on the wire, after `hello`, with their time.
    pub(crate) sent: Vec<(u64, Value)>,
    pub(crate) http: Vec<clawgauge_relay_proto::AgentFrame>,
    pub(crate) started: Vec<TurnStart>,
    pub(crate) aborted: Vec<u64>,
    pub(crate) logs: Vec<LogLine>,
    pub(crate) scripts: Vec<Vec<Value>>,
    pending: BTreeMap<(u64, u64), Action>,
    actions: u64,
}

impl Gateway {
    /// A connected gateway.
    pub(crate) fn connected(config: ClientConfig) -> Self {
        let mut gateway = Self::new(config);
        gateway.client.start(gateway.now());
        gateway.settle();
        let socket = gateway.socket.unwrap();
        gateway.client.opened(socket, gateway.now());
        gateway.settle();
        gateway.sent.clear();
        gateway
    }

    pub(crate) fn new(config: ClientConfig) -> Self {
        Self {
            client: Client::new(config),
            time: 0,
            socket: None,
            sent: Vec::new(),
            http: Vec::new(),
            started: Vec::new(),
            aborted: Vec::new(),
            logs: Vec::new(),
            scripts: Vec::new(),
            pending: BTreeMap::new(),
            actions: 0,
        }
    }

    pub(crate) fn now(&self) -> Now {
        Now::new(self.time, EPOCH + i64::try_from(self.time).unwrap())
    }

    pub(crate) fn receive(&mut self, text: &str) {
        let (socket, now) = (self.socket.unwrap(), self.now());
        self.client.received(socket, text, now);
        self.settle();
    }

    pub(crate) fn usage_at(&mut self, at: u64, session_key: &str, event: UsageEvent) {
        self.schedule(at, Action::SessionUsage(session_key.to_owned(), event));
    }

    /// Does everything that is due now.
    pub(crate) fn settle(&mut self) {
        loop {
            while let Some(output) = self.client.poll_output() {
                self.output(output);
            }
            let Some((&key, _)) = self.pending.first_key_value() else {
                return;
            };
            if key.0 > self.time {
                return;
            }
            let now = self.now();
            match self.pending.remove(&key).unwrap() {
                Action::Happen(turn, happening) => self.client.happened(turn, happening, now),
                Action::SessionUsage(session_key, event) => {
                    self.client.turns().usage(&session_key, &event);
                }
            }
        }
    }

    /// Lets the time pass.
    pub(crate) fn run_until(&mut self, end: u64) {
        loop {
            let next = self.pending.first_key_value().map(|((at, _), _)| *at);
            let next = [next, self.client.poll_timeout()].into_iter().flatten().min().unwrap_or(u64::MAX);
            if next > end {
                self.time = end;
                return;
            }
            self.time = self.time.max(next);
            self.client.handle_timeout(self.now());
            self.settle();
        }
    }

    fn schedule(&mut self, at: u64, action: Action) {
        self.actions += 1;
        self.pending.insert((at, self.actions), action);
    }

    fn output(&mut self, output: ClientOutput) {
        match output {
            ClientOutput::Connect { socket, .. } => self.socket = Some(socket),
            ClientOutput::Send { text, .. } => {
                let mut frame: Value = serde_json::from_str(text.as_str()).unwrap();
                let ts = frame.as_object_mut().unwrap().remove("ts");
                assert_eq!(
                    ts.and_then(|ts| ts.as_i64()),
                    Some(self.now().epoch_ms),
                    "every frame carries ts"
                );
                self.sent.push((self.time, frame));
            }
            ClientOutput::StartTurn(start) => self.start_turn(*start),
            ClientOutput::AbortTurn(turn) => self.aborted.push(turn),
            ClientOutput::Http { frame, .. } => self.http.push(*frame),
            ClientOutput::Log(line) => self.logs.push(line),
            ClientOutput::Ping { socket, payload } => self.client.pong(socket, payload, self.now()),
            _ => {}
        }
    }

    fn start_turn(&mut self, start: TurnStart) {
        let turn = start.turn;
        let script = self.scripts.get(self.started.len()).or(self.scripts.last()).cloned();
        self.started.push(start);
        let Some(script) = script else { return };
        let mut at = self.time;
        let mut end = TurnEnd::Ok;
        for step in &script {
            let text = |name: &str| step.get(name).and_then(Value::as_str).map(str::to_owned);
            let happening = if let Some(wait) = step.get("wait_ms") {
                at += wait.as_u64().unwrap();
                None
            } else if let Some(partial) = step.get("partial") {
                Some(Happening::partial(partial))
            } else if let Some(tool) = step.get("tool") {
                Happening::tool_start(tool)
            } else if let Some(payload) = step.get("deliver") {
                Happening::reply(payload, step.get("info"))
            } else if let Some(event) = step.get("usage") {
                Some(Happening::Usage(UsageEvent::from_json(event)))
            } else if let Some(error) = text("throws").or(text("throws_text")) {
                end = TurnEnd::Error(error);
                None
            } else if let Some(error) = text("record_error") {
                end = TurnEnd::Error(format!("benchgen chat session record failed: {error}"));
                None
            } else if let Some(result) = step.get("result") {
                if result.get("dispatched") == Some(&Value::Bool(false)) {
                    let reason = result.pointer("/admission/reason").and_then(Value::as_str);
                    end = TurnEnd::Dropped(reason.map(str::to_owned));
                }
                None
            } else {
                assert!(step.get("deliver_error").is_some(), "unknown step {step}");
                None
            };
            if let Some(happening) = happening {
                self.schedule(at, Action::Happen(turn, happening));
            }
        }
        self.schedule(at, Action::Happen(turn, Happening::Done(end)));
    }
}

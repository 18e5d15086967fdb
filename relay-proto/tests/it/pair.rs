//! A client and a server over a link that loses, delays, doubles and dies, under one virtual clock.
//!
//! `PROPTEST_CASES` raises the number of random scripts.

use std::collections::BTreeMap;

use clawgauge_relay_proto::{
    AgentBody, Client, ClientConfig, ClientOutput, ConnId, Happening, Identity, KeyVerdict, Keys,
    MessageFrame, Now, Presented, Randomness, Server, ServerConfig, ServerOutput, SocketId, TurnEnd,
    TurnFate, TurnRef, TurnStatus, UsageEvent,
};
use proptest::prelude::*;
use serde_json::json;

/// One thing that a script does to the pair.
#[derive(Debug, Clone)]
enum Op {
    Wait(u64),
    /// A user says something in one of a few conversations; the turn's shape comes from the number.
    Message {
        conversation: u8,
        shape: u64,
    },
    /// The user stops one of the messages sent so far.
    Abort(u8),
    /// The link dies; each end learns of it now or finds out by itself.
    Cut {
        client_told: bool,
        server_told: bool,
    },
    /// For so long no connection can be made.
    Outage(u64),
    /// The next frames from the platform arrive twice.
    Double(u8),
    /// Numbered frames vanish one by one (only with the extension, which notices).
    Vanish(u8),
    /// The next sends of the client fail.
    FailSends(u8),
    /// The client's machine slept: its timers are late, its clock is ahead.
    Sleep(u64),
    /// Someone set the client's wall clock.
    SetClock(i64),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (1..40_000_u64).prop_map(Op::Wait),
        4 => (1..300_u64).prop_map(Op::Wait),
        8 => (0..4_u8, any::<u64>()).prop_map(|(conversation, shape)| Op::Message { conversation, shape }),
        2 => any::<u8>().prop_map(Op::Abort),
        4 => any::<(bool, bool)>().prop_map(|(client_told, server_told)| Op::Cut { client_told, server_told }),
        1 => (1..120_000_u64).prop_map(Op::Outage),
        1 => (1..5_u8).prop_map(Op::Double),
        1 => (1..3_u8).prop_map(Op::Vanish),
        1 => (1..4_u8).prop_map(Op::FailSends),
        1 => (1..7_200_000_u64).prop_map(Op::Sleep),
        1 => (-90_000_000..90_000_000_i64).prop_map(Op::SetClock),
    ]
}

enum Event {
    Opened(SocketId),
    OpenFailed(SocketId),
    ToServer(ConnId, String),
    ToClient(SocketId, String),
    PingToServer(ConnId, u64),
    PongToClient(SocketId, u64),
    ClientClosed(SocketId, Option<u16>),
    ServerClosed(ConnId),
    Happen(u64, Happening),
}

#[derive(Default)]
struct Wire {
    alive: bool,
    last_to_server: u64,
    last_to_client: u64,
}

/// What the backend did in a turn, up to the turn's end.
#[derive(Default)]
struct Did {
    turn: TurnRef,
    replies: Vec<String>,
    steps: Vec<String>,
    over: bool,
}

/// What the platform saw of a turn.
#[derive(Default)]
struct Saw {
    kinds: Vec<&'static str>,
    replies: Vec<String>,
    steps: Vec<String>,
    partial: String,
}

type Lookup = fn(&Presented) -> KeyVerdict;

fn look_up(presented: &Presented) -> KeyVerdict {
    if presented.matches(&Keys::new("pk-1", "sk-1")) {
        KeyVerdict::Known("a".into())
    } else {
        KeyVerdict::Unknown
    }
}

const LOOK_UP: Lookup = look_up;

struct World {
    extension: bool,
    time: u64,
    client_ahead: u64,
    client_wall: i64,
    random: u64,
    client: Client,
    server: Server<Lookup>,
    wires: BTreeMap<u64, Wire>,
    no_connection_before: u64,
    double: u8,
    vanish: u8,
    fail_sends: u8,
    events: BTreeMap<(u64, u64), Event>,
    scheduled: u64,
    messages: Vec<TurnRef>,
    shapes: BTreeMap<TurnRef, u64>,
    did: BTreeMap<u64, Did>,
    saw: BTreeMap<TurnRef, Saw>,
}

impl World {
    fn new(extension: bool) -> Self {
        let mut config = ClientConfig::new("wss://x", Identity::new(Keys::new("pk-1", "sk-1")), 1);
        config.offer_resume = extension;
        config.link.randomness = Randomness::Seed(3);
        // An aborted backend that takes its time must not be overtaken in this simulation.
        config.turns.abort_grace_ms = 30_000;
        let mut server = ServerConfig::new(2);
        // Giving up is another test's matter.
        (server.quiet_turn_ms, server.longest_turn_ms) = (u64::MAX / 4, u64::MAX / 4);
        let mut world = Self {
            extension,
            time: 0,
            client_ahead: 0,
            client_wall: 1_772_359_200_000,
            random: 9,
            client: Client::new(config),
            server: Server::new(server, LOOK_UP),
            wires: BTreeMap::new(),
            no_connection_before: 0,
            double: 0,
            vanish: 0,
            fail_sends: 0,
            events: BTreeMap::new(),
            scheduled: 0,
            messages: Vec::new(),
            shapes: BTreeMap::new(),
            did: BTreeMap::new(),
            saw: BTreeMap::new(),
        };
        world.client.start(world.now());
        world.settle();
        // The platform takes messages for agents that it knows.
        world.run_until(2_000);
        assert!(world.server.is_connected("a"));
        world
    }

    fn now(&self) -> Now {
        Now::new(self.time + self.client_ahead, self.client_wall + i64::try_from(self.time).unwrap())
    }

    fn chance(&mut self, below: u64) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % below.max(1)
    }

    fn schedule(&mut self, at: u64, event: Event) {
        self.scheduled += 1;
        self.events.insert((at, self.scheduled), event);
    }

    /// Puts something on a wire; what is sent first arrives first.
    fn wire_to_server(&mut self, conn: ConnId, event: Event) {
        let delay = 1 + self.chance(60);
        let Some(wire) = self.wires.get_mut(&conn.0) else {
            return;
        };
        wire.last_to_server = wire.last_to_server.max(self.time + delay);
        let at = wire.last_to_server;
        self.schedule(at, event);
    }

    fn wire_to_client(&mut self, socket: SocketId, event: Event) {
        let delay = 1 + self.chance(60);
        let Some(wire) = self.wires.get_mut(&socket.0) else {
            return;
        };
        wire.last_to_client = wire.last_to_client.max(self.time + delay);
        let at = wire.last_to_client;
        self.schedule(at, event);
    }

    fn vanishes(&mut self, text: &str) -> bool {
        let gone = self.extension && self.vanish > 0 && text.contains("\"seq\":") && self.chance(2) == 0;
        if gone {
            self.vanish -= 1;
        }
        gone
    }

    fn settle(&mut self) {
        loop {
            if let Some(output) = self.client.poll_output() {
                self.client_output(output);
            } else if let Some(output) = self.server.poll_output() {
                self.server_output(output);
            } else {
                return;
            }
        }
    }

    fn client_output(&mut self, output: ClientOutput) {
        match output {
            ClientOutput::Connect { socket, .. } => {
                let at = self.time + 5 + self.chance(90);
                let refused = self.time < self.no_connection_before || self.chance(8) == 0;
                self.schedule(at, if refused { Event::OpenFailed(socket) } else { Event::Opened(socket) });
            }
            ClientOutput::Send { socket, text } => {
                if self.fail_sends > 0 {
                    self.fail_sends -= 1;
                    self.client.send_failed(socket, self.now());
                } else if !self.vanishes(text.as_str()) {
                    self.wire_to_server(
                        ConnId(socket.0),
                        Event::ToServer(ConnId(socket.0), text.into_string()),
                    );
                }
            }
            ClientOutput::Ping { socket, payload } => {
                self.wire_to_server(ConnId(socket.0), Event::PingToServer(ConnId(socket.0), payload));
            }
            ClientOutput::Close { socket, hard } if !hard || self.chance(2) == 0 => {
                self.wire_to_server(ConnId(socket.0), Event::ServerClosed(ConnId(socket.0)));
            }
            ClientOutput::StartTurn(start) => self.start_turn(start.turn, &start.message.turn()),
            ClientOutput::AbortTurn(turn) => {
                self.did.get_mut(&turn).unwrap().over = true;
                let at = self.time + self.chance(12_000);
                self.schedule(at, Event::Happen(turn, Happening::Done(TurnEnd::Aborted)));
            }
            _ => {}
        }
    }

    fn start_turn(&mut self, number: u64, turn: &TurnRef) {
        let twice = self.did.values().any(|did| did.turn == *turn);
        assert!(!twice, "{turn} runs twice");
        self.did.insert(number, Did { turn: turn.clone(), ..Did::default() });
        let mut shape = self.shapes[turn];
        let mut draw = |below: u64| {
            shape = shape.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (shape >> 33) % below
        };
        let mut at = self.time;
        let mut text = String::new();
        let mut script = Vec::new();
        for part in 0..draw(12) {
            at += [0, 1, 400, 20_000][usize::try_from(draw(4)).unwrap()];
            let happening = match draw(5) {
                0 => Happening::tool_start(&json!({"name": format!("step{part}")})).unwrap(),
                1 => Happening::reply(
                    &json!({"text": format!("reply{part}")}),
                    Some(&json!({"kind": "block"})),
                )
                .unwrap(),
                2 => Happening::Usage(UsageEvent { input: Some(1.0), ..UsageEvent::default() }),
                _ => {
                    text += &format!("word{part} ");
                    Happening::partial(&json!({"text": text}))
                }
            };
            script.push((at, happening));
        }
        let end = if draw(5) == 0 { TurnEnd::Error(String::from("x")) } else { TurnEnd::Ok };
        script.push((at + draw(1_000), Happening::Done(end)));
        for (at, happening) in script {
            self.schedule(at, Event::Happen(number, happening));
        }
    }

    fn server_output(&mut self, output: ServerOutput) {
        match output {
            ServerOutput::Send { conn, text } => {
                let copies = if self.double > 0 && (self.extension || text.as_str().contains("\"message\"")) {
                    self.double -= 1;
                    2
                } else {
                    1
                };
                for _ in 0..copies {
                    if !self.vanishes(text.as_str()) {
                        self.wire_to_client(
                            SocketId(conn.0),
                            Event::ToClient(SocketId(conn.0), text.as_str().to_owned()),
                        );
                    }
                }
            }
            ServerOutput::Close { conn, code, .. } => {
                self.wire_to_client(SocketId(conn.0), Event::ClientClosed(SocketId(conn.0), Some(code)));
            }
            ServerOutput::Frame { frame, .. } => self.saw_frame(&frame.body),
            _ => {}
        }
    }

    fn saw_frame(&mut self, body: &AgentBody) {
        let Some(turn) = body.turn() else { return };
        let saw = self.saw.entry(turn.clone()).or_default();
        let done = saw.kinds.contains(&"turn.done");
        let kind = match body {
            AgentBody::TurnStarted(_) => "turn.started",
            AgentBody::TurnDone(_) => "turn.done",
            AgentBody::TurnUsage(_) => "turn.usage",
            AgentBody::Reply(reply) => {
                saw.replies.push(reply.text.clone());
                "reply"
            }
            AgentBody::ToolStart(step) => {
                saw.steps.push(step.name.clone());
                "tool.start"
            }
            AgentBody::ReplyPartial(partial) => {
                let text = partial.text.clone().expect("partials reach the owner whole");
                assert!(text.starts_with(&saw.partial), "{turn}: {text:?} after {:?}", saw.partial);
                saw.partial = text;
                "reply.partial"
            }
            _ => "other",
        };
        assert!(!done || kind == "turn.usage", "{turn}: {kind} after turn.done");
        saw.kinds.push(kind);
    }

    fn event(&mut self, event: Event) {
        let now = self.now();
        match event {
            Event::Opened(socket) => {
                self.wires.insert(socket.0, Wire { alive: true, ..Wire::default() });
                let header = Keys::new("pk-1", "sk-1").basic();
                self.server.accepted(ConnId(socket.0), Some(header.expose()), self.time);
                self.client.opened(socket, now);
            }
            Event::OpenFailed(socket) => self.client.closed(socket, None, "refused", now),
            Event::ToServer(conn, text) if self.alive(conn.0) => self.server.received(conn, &text, self.time),
            Event::ToClient(socket, text) if self.alive(socket.0) => self.client.received(socket, &text, now),
            Event::PingToServer(conn, payload) if self.alive(conn.0) => {
                self.server.alive(conn);
                self.wire_to_client(SocketId(conn.0), Event::PongToClient(SocketId(conn.0), payload));
            }
            Event::PongToClient(socket, payload) if self.alive(socket.0) => {
                self.client.pong(socket, payload, now);
            }
            Event::ClientClosed(socket, code) => {
                if let Some(wire) = self.wires.get_mut(&socket.0) {
                    wire.alive = false;
                }
                self.client.closed(socket, code, "", now);
            }
            Event::ServerClosed(conn) => self.server.closed(conn),
            Event::Happen(number, happening) => {
                let did = self.did.get_mut(&number).unwrap();
                if !did.over {
                    match &happening {
                        Happening::Reply { text, .. } => did.replies.push(text.clone()),
                        Happening::ToolStart { name, .. } => did.steps.push(name.clone()),
                        Happening::Done(_) => did.over = true,
                        _ => {}
                    }
                }
                self.client.happened(number, happening, now);
            }
            // On a dead wire nothing arrives.
            _ => {}
        }
    }

    fn alive(&self, wire: u64) -> bool {
        self.wires.get(&wire).is_some_and(|wire| wire.alive)
    }

    fn run_until(&mut self, end: u64) {
        loop {
            let event = self.events.first_key_value().map(|((at, _), _)| *at);
            let client = self.client.poll_timeout().map(|due| due.saturating_sub(self.client_ahead));
            let next = [event, client, self.server.poll_timeout()].into_iter().flatten().min();
            let Some(next) = next.filter(|next| *next <= end) else {
                self.time = end.max(self.time);
                return;
            };
            self.time = self.time.max(next);
            if event.is_some_and(|at| at <= self.time) {
                let (_, event) = self.events.pop_first().unwrap();
                self.event(event);
            } else {
                self.client.handle_timeout(self.now());
                self.server.handle_timeout(self.time);
            }
            self.settle();
        }
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Wait(ms) => self.run_until(self.time + ms),
            Op::Message { conversation, shape } => {
                let turn = TurnRef::new(
                    format!("c{conversation}").as_str(),
                    format!("m{}", self.messages.len()).as_str(),
                );
                self.shapes.insert(turn.clone(), *shape);
                self.messages.push(turn.clone());
                let frame = MessageFrame { turn, text: Some("x".into()), ..MessageFrame::default() };
                self.server.send_message("a", frame, self.time).unwrap();
            }
            Op::Abort(which) => {
                if let Some(turn) =
                    self.messages.get(usize::from(*which) % self.messages.len().max(1)).cloned()
                {
                    self.server.abort("a", &turn);
                }
            }
            Op::Cut { client_told, server_told } => {
                let last = self.wires.iter_mut().next_back();
                if let Some((&id, wire)) = last.filter(|(_, wire)| wire.alive) {
                    wire.alive = false;
                    if *client_told {
                        self.schedule(self.time, Event::ClientClosed(SocketId(id), Some(1006)));
                    }
                    if *server_told {
                        self.schedule(self.time, Event::ServerClosed(ConnId(id)));
                    }
                }
            }
            Op::Outage(ms) => self.no_connection_before = self.time + ms,
            Op::Double(count) => self.double = *count,
            Op::Vanish(count) => self.vanish = *count,
            Op::FailSends(count) => self.fail_sends = *count,
            Op::Sleep(ms) => self.client_ahead += ms,
            Op::SetClock(ms) => self.client_wall += ms,
        }
        self.settle();
    }

    /// Peace: everything that can still arrive arrives.
    fn come_to_rest(&mut self) {
        (self.double, self.vanish, self.fail_sends) = (0, 0, 0);
        self.run_until(self.time + 1_800_000);
    }
}

/// In order, none twice, none made up.
fn is_subsequence(part: &[String], whole: &[String]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|item| rest.any(|other| other == item))
}

fn simulate(extension: bool, ops: &[Op]) {
    let mut world = World::new(extension);
    for op in ops {
        world.op(op);
    }
    world.come_to_rest();
    let report = world.client.report();
    assert_eq!(report.outbox.dropped, BTreeMap::new(), "nothing here is too much for the outbox");
    for did in world.did.values() {
        let turn = &did.turn;
        let nothing = Saw::default();
        let saw = world.saw.get(turn).unwrap_or(&nothing);
        assert!(did.over, "{turn} still runs");
        let count = |kind: &str| saw.kinds.iter().filter(|other| **other == kind).count();
        for kind in ["turn.started", "turn.done", "turn.usage"] {
            assert!(count(kind) <= 1, "{turn}: {:?}", saw.kinds);
        }
        if count("turn.started") == 1 {
            assert_eq!(saw.kinds[0], "turn.started", "{turn}: {:?}", saw.kinds);
        }
        if extension {
            assert_eq!(saw.replies, did.replies, "{turn}");
            assert_eq!(saw.steps, did.steps, "{turn}");
            let ends = [count("turn.started"), count("turn.done"), count("turn.usage")];
            assert_eq!(ends, [1, 1, 1], "{turn}: {:?}", saw.kinds);
        } else {
            assert!(
                is_subsequence(&saw.replies, &did.replies),
                "{turn}: {:?} of {:?}",
                saw.replies,
                did.replies
            );
            assert!(is_subsequence(&saw.steps, &did.steps), "{turn}: {:?} of {:?}", saw.steps, did.steps);
            let reported = report.unconfirmed.iter().any(|(lost, kind)| lost == turn && kind == "turn.done");
            assert!(
                count("turn.done") == 1 || reported,
                "{turn}: no turn.done and no word of it: {:?}",
                saw.kinds
            );
        }
    }
    if extension {
        assert_eq!(report.unconfirmed_total, 0);
        for turn in &world.messages {
            let record = world.server.turn("a", turn).unwrap();
            let TurnFate::Done(done) = &record.fate else { panic!("{turn}: {:?}", record.fate) };
            let ran = world.did.values().any(|did| did.turn == *turn);
            assert!(ran || done.status == TurnStatus::Aborted, "{turn} never ran");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn with_the_extension_everything_arrives_once_and_in_order(ops in prop::collection::vec(op(), 1..40)) {
        simulate(true, &ops);
    }

    #[test]
    fn without_it_nothing_is_doubled_or_reordered_and_losses_are_reported(ops in prop::collection::vec(op(), 1..40)) {
        simulate(false, &ops);
    }
}

/// About a second by default; each property runs this many scripts.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(200)
}

#[test]
fn a_silent_turn_is_given_up_after_five_minutes_and_any_after_fifteen() {
    for (frame, expected, at) in [
        (None, TurnFate::Quiet, 300_000),
        (
            Some(r#"{"type":"turn.progress","conversationId":"c","messageId":"m"}"#),
            TurnFate::TooLong,
            900_000,
        ),
    ] {
        let mut server = Server::new(ServerConfig::new(1), LOOK_UP);
        let conn = ConnId(1);
        server.accepted(conn, None, 0);
        server.received(conn, r#"{"type":"hello","auth":{"publicKey":"pk-1","secretKey":"sk-1"}}"#, 0);
        let frame_in =
            MessageFrame { turn: TurnRef::new("c", "m"), text: Some("x".into()), ..MessageFrame::default() };
        let turn = server.send_message("a", frame_in, 0).unwrap();
        let mut over = None;
        for now in (0..=1_000_000).step_by(10_000) {
            server.received(conn, frame.unwrap_or(r#"{"type":"pong"}"#), now);
            server.handle_timeout(now);
            while let Some(output) = server.poll_output() {
                if let ServerOutput::TurnOver { record, .. } = output {
                    over = Some((record.fate, now));
                }
            }
        }
        assert_eq!(over, Some((expected, at)), "{turn}");
    }
}

#[test]
fn the_server_closes_with_the_code_that_says_why() {
    let closes = |hello: Option<&str>, header: Option<&str>| {
        let mut server =
            Server::new(ServerConfig::new(1), |presented: &Presented| match presented.public_hint() {
                "pk-old" => KeyVerdict::Revoked,
                _ => look_up(presented),
            });
        server.accepted(ConnId(1), header, 0);
        for frame in
            [r#"{"type":"turn.started","conversationId":"c","messageId":"m"}"#, hello.unwrap_or("{}")]
        {
            server.received(ConnId(1), frame, 5);
        }
        server.handle_timeout(10_000);
        let outputs: Vec<ServerOutput> = std::iter::from_fn(|| server.poll_output()).collect();
        assert!(
            !outputs.iter().any(|output| matches!(output, ServerOutput::Frame { .. })),
            "nothing counts before hello"
        );
        outputs.into_iter().find_map(|output| match output {
            ServerOutput::Close { code, .. } => Some(code),
            _ => None,
        })
    };
    let hello = |public: &str, secret: &str| {
        json!({"type": "hello", "protocol": 1, "auth": {"publicKey": public, "secretKey": secret}})
            .to_string()
    };
    assert_eq!(closes(None, None), Some(4408));
    assert_eq!(closes(Some(&hello("pk-1", "sk-2")), None), Some(4401));
    assert_eq!(closes(Some(&hello("pk-old", "sk-1")), None), Some(4403));
    assert_eq!(closes(Some(&hello("pk-1", "sk-1")), None), None);
    // Keys in the upgrade header only.
    let header = Keys::new("pk-1", "sk-1").basic();
    assert_eq!(closes(Some(r#"{"type":"hello"}"#), Some(header.expose())), None);
    assert_eq!(closes(None, Some(header.expose())), Some(4408));
}

#[test]
fn a_newer_connection_takes_over() {
    let mut server = Server::new(ServerConfig::new(1), LOOK_UP);
    let hello = r#"{"type":"hello","auth":{"publicKey":"pk-1","secretKey":"sk-1"}}"#;
    for conn in [ConnId(1), ConnId(2)] {
        server.accepted(conn, None, 0);
        server.received(conn, hello, 0);
    }
    let closed: Vec<(ConnId, u16)> = std::iter::from_fn(|| server.poll_output())
        .filter_map(|output| match output {
            ServerOutput::Close { conn, code, .. } => Some((conn, code)),
            _ => None,
        })
        .collect();
    assert_eq!(closed, [(ConnId(1), 4409)]);
    server.closed(ConnId(1));
    assert!(server.is_connected("a"));
}

//! Faults that relays of this kind were reported to have, each with its right answer.

use clawgauge_relay_proto::{
    AgentBody, AgentFrame, Client, ClientOutput, Happening, Limits, Message, MessageOrigin, Now,
    PlatformBody, PlatformFrame, Randomness, SocketId, TurnEnd,
};
use serde_json::{Value, json};

use crate::sim::plain_config;

/// A client driven by a script of steps.
struct Run {
    client: Client,
    time: u64,
    socket: SocketId,
    /// What each connection carried.
    wires: Vec<Vec<Value>>,
    /// Turn numbers by message id, in order of their start.
    started: Vec<(String, u64)>,
    pings: Vec<u64>,
    hard_closed: Vec<u64>,
    connects: u64,
}

impl Run {
    fn new(config: clawgauge_relay_proto::ClientConfig) -> Self {
        let mut client = Client::new(config);
        client.start(Now::default());
        let mut run = Self {
            client,
            time: 0,
            socket: SocketId(0),
            wires: Vec::new(),
            started: Vec::new(),
            pings: Vec::new(),
            hard_closed: Vec::new(),
            connects: 0,
        };
        run.drain();
        run
    }

    fn now(&self) -> Now {
        Now::new(self.time, 0)
    }

    fn drain(&mut self) {
        while let Some(output) = self.client.poll_output() {
            match output {
                ClientOutput::Connect { socket, .. } => {
                    self.socket = socket;
                    self.connects += 1;
                }
                ClientOutput::Send { text, .. } => {
                    self.wires.last_mut().expect("open").push(serde_json::from_str(text.as_str()).unwrap());
                }
                ClientOutput::StartTurn(start) => {
                    self.started.push((start.message.message_id.to_string(), start.turn));
                }
                ClientOutput::Ping { .. } => self.pings.push(self.time),
                ClientOutput::Close { hard: true, .. } => self.hard_closed.push(self.time),
                _ => {}
            }
        }
    }

    fn until(&mut self, end: u64) {
        while let Some(next) = self.client.poll_timeout().filter(|next| *next <= end) {
            self.time = next.max(self.time);
            self.client.handle_timeout(self.now());
            self.drain();
        }
        self.time = end;
    }

    /// Opens the connection that is being made, waiting for it if need be.
    fn connect(&mut self) {
        while self.connects == self.wires.len() as u64 {
            let next = self.client.poll_timeout().unwrap();
            self.until(next);
        }
        self.wires.push(Vec::new());
        self.client.opened(self.socket, self.now());
        self.drain();
    }

    fn disconnect(&mut self) {
        self.client.closed(self.socket, Some(1006), "", self.now());
        self.drain();
    }

    fn receive(&mut self, frame: &Value) {
        self.client.received(self.socket, &frame.to_string(), self.now());
        self.drain();
    }

    fn send(&mut self, frame: &Value) {
        let frame = AgentFrame::decode(&frame.to_string(), &Limits::default()).unwrap();
        self.client.send(frame.body, self.now());
        self.drain();
    }

    fn happened(&mut self, message: &str, happening: Happening) {
        let turn = self.started.iter().find(|(id, _)| id == message).unwrap().1;
        self.client.happened(turn, happening, self.now());
        self.drain();
    }

    /// Types, with text or status where there is one.
    fn wire(&self, connection: usize) -> Vec<String> {
        self.wires[connection]
            .iter()
            .map(|frame| {
                let detail = frame.get("text").or(frame.get("status")).and_then(Value::as_str);
                let kind = frame["type"].as_str().unwrap();
                detail.map_or_else(|| kind.to_owned(), |detail| format!("{kind} {detail}"))
            })
            .collect()
    }
}

fn steps(text: &str) -> (Value, Vec<Value>) {
    let case: Value = serde_json::from_str(text).unwrap();
    let steps = case["steps"].as_array().unwrap().clone();
    (case, steps)
}

#[test]
fn case_85_hello_then_the_backlog_in_order() {
    let (_, steps) = steps(include_str!("../fixtures/field-cases/85-hello-then-fifo.json"));
    let mut run = Run::new(plain_config());
    for step in steps {
        match step["do"].as_str().unwrap() {
            "connect" => run.connect(),
            "disconnect" => run.disconnect(),
            _ => run.send(&step["frame"]),
        }
    }
    assert_eq!(run.wire(0), ["hello"]);
    assert_eq!(run.wire(1), ["hello", "reply 1", "reply 2", "turn.done ok"]);
}

#[test]
fn case_85_a_hello_that_fails_is_not_queued() {
    let mut client = Client::new(plain_config());
    client.start(Now::default());
    client.send(AgentBody::TurnProgress(Default::default()), Now::default());
    client.opened(SocketId(1), Now::default());
    client.poll_output(); // Connect
    let hello = client.poll_output();
    assert!(matches!(hello, Some(ClientOutput::Send { .. })));
    client.send_failed(SocketId(1), Now::new(5, 0));
    let outputs: Vec<ClientOutput> = std::iter::from_fn(|| client.poll_output()).collect();
    assert!(
        outputs.iter().any(|output| matches!(output, ClientOutput::Close { hard: true, .. })),
        "{outputs:?}"
    );
    assert!(!outputs.iter().any(|output| matches!(output, ClientOutput::Send { .. })), "{outputs:?}");
    let next = Now::new(client.poll_timeout().unwrap(), 0);
    client.handle_timeout(next);
    client.opened(SocketId(2), next);
    let texts: Vec<String> = std::iter::from_fn(|| client.poll_output())
        .filter_map(|output| match output {
            ClientOutput::Send { text, .. } => Some(text.into_string()),
            _ => None,
        })
        .collect();
    let hellos = texts.iter().filter(|text| text.contains(r#""type":"hello""#)).count();
    assert_eq!((hellos, texts.len()), (1, 2));
}

#[test]
fn case_86_partials_give_way_and_ends_stay() {
    let (case, steps) = steps(include_str!("../fixtures/field-cases/86-eviction-keeps-terminals.json"));
    let mut config = plain_config();
    config.outbox.soft_frames = usize::try_from(case["outbox_max"].as_u64().unwrap()).unwrap();
    let mut run = Run::new(config);
    for step in steps {
        match step["do"].as_str().unwrap() {
            "send_n" => {
                for i in 1..=step["n"].as_u64().unwrap() {
                    let mut frame = step["frame"].clone();
                    frame["text"] = json!(frame["text"].as_str().unwrap().replace("{i}", &i.to_string()));
                    run.send(&frame);
                }
            }
            "send" => run.send(&step["frame"]),
            "connect" => run.connect(),
            _ => {}
        }
    }
    assert_eq!(run.wire(0), ["hello", "turn.started", "reply final", "turn.done ok", "reply.partial 600"]);
    let report = run.client.report().outbox;
    assert!((1198..=1199).contains(&report.total()), "{report:?}");
    assert!(report.missing.is_empty());
}

#[test]
fn case_88_a_message_delivered_twice_runs_once() {
    let (_, steps) = steps(include_str!("../fixtures/field-cases/88-duplicate-message-once.json"));
    let mut run = Run::new(plain_config());
    run.connect();
    for step in steps {
        match step["do"].as_str().unwrap() {
            "recv" => run.receive(&step["frame"]),
            "turn_finishes" => run.happened("m1", Happening::Done(TurnEnd::Ok)),
            "disconnect" => run.disconnect(),
            _ => run.connect(),
        }
    }
    assert_eq!(run.started.iter().filter(|(id, _)| id == "m1").count(), 1);
    // Both messages without an id are new ones; the second waits for the first.
    assert_eq!(run.started.len(), 2);
    let first_without_id = run.started[1].0.clone();
    run.happened(&first_without_id, Happening::Done(TurnEnd::Ok));
    assert_eq!(run.started.len(), 3);
    let done: Vec<&Value> = run.wires[1].iter().filter(|frame| frame["messageId"] == "m1").collect();
    assert_eq!(done.len(), 2, "{done:?}");
    assert_eq!((&done[0]["status"], &done[0]["reason"]), (&json!("ok"), &json!("duplicate")));
    assert_eq!((&done[1]["status"], &done[1]["error"]), (&json!("error"), &json!("messageId reused")));
}

#[test]
fn case_88_a_message_delivered_again_while_it_runs_is_ignored() {
    let mut run = Run::new(plain_config());
    run.connect();
    let message = json!({"type": "message", "conversationId": "k", "messageId": "m1", "text": "x"});
    run.receive(&message);
    run.receive(&message);
    assert_eq!(run.started.len(), 1);
    assert_eq!(run.wire(0), ["hello", "turn.started"]);
}

#[test]
fn case_89_backoff_does_not_shrink_on_a_connection_that_is_refused() {
    let (case, _) = steps(include_str!("../fixtures/field-cases/89-backoff-reset-needs-stability.json"));
    let repeat = &case["steps"][0];
    let code = repeat["steps"][1]["code"].as_u64().unwrap().try_into().unwrap();
    for (code, expected) in
        [(code, [60_000; 8]), (1006, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])]
    {
        let mut config = plain_config();
        config.link.randomness = Randomness::Fixed(case["random"].as_f64().unwrap());
        let mut run = Run::new(config);
        let mut delays = Vec::new();
        for _ in 0..repeat["n"].as_u64().unwrap() {
            run.connect();
            run.until(run.time + 20);
            run.client.closed(run.socket, Some(code), "", run.now());
            run.drain();
            delays.push(run.client.poll_timeout().unwrap() - run.time);
        }
        assert_eq!(delays, expected, "code {code}");
    }
}

#[test]
fn case_89_refused_keys_are_reported_once_and_loudly() {
    let mut client = Client::new(plain_config());
    let mut now = 0;
    client.start(Now::new(now, 0));
    let mut loud = 0;
    for socket in 1..=4 {
        client.opened(SocketId(socket), Now::new(now, 0));
        client.closed(SocketId(socket), Some(4403), "revoked", Now::new(now + 5, 0));
        now = client.poll_timeout().unwrap();
        client.handle_timeout(Now::new(now, 0));
        let logs = std::iter::from_fn(|| client.poll_output());
        loud += logs.filter(|output| matches!(output, ClientOutput::Log(line) if line.level == clawgauge_relay_proto::Level::Error)).count();
    }
    assert_eq!(loud, 1);
}

#[test]
fn case_91_any_inbound_frame_is_life_and_silence_is_death() {
    let (_, steps) = steps(include_str!("../fixtures/field-cases/91-half-open-watchdog.json"));
    let mut run = Run::new(plain_config());
    for step in steps {
        run.until(step["at"].as_u64().unwrap());
        match (step["do"].as_str(), step["expect"].as_str()) {
            (Some("connect"), _) => run.connect(),
            (Some(_), _) => run.receive(&step["frame"]),
            (_, Some("ping sent")) => assert_eq!(run.pings.last(), Some(&run.time)),
            (_, Some(expect)) if expect.starts_with("still connected") => {
                assert!(run.client.is_connected());
                assert_eq!(run.wire(0).last().unwrap(), "pong");
            }
            _ => {
                assert_eq!(run.hard_closed, [run.time]);
                assert!(!run.client.is_connected() && run.client.poll_timeout().is_some());
            }
        }
    }
}

#[test]
fn case_91_overlapping_pings_give_no_more_time() {
    let mut config = plain_config();
    config.link.pong_timeout_ms = 70_000;
    let mut run = Run::new(config);
    run.connect();
    run.until(99_999);
    assert_eq!(run.pings, [30_000, 60_000, 90_000]);
    assert!(run.client.is_connected());
    run.until(100_000);
    assert!(!run.client.is_connected());
}

#[test]
fn case_92_an_old_connection_has_no_say() {
    let (_, steps) = steps(include_str!("../fixtures/field-cases/92-stale-socket-events.json"));
    let mut run = Run::new(plain_config());
    let old = SocketId(1);
    for step in steps {
        match (step["do"].as_str().unwrap(), step["event"].as_str()) {
            ("connect", _) => run.connect(),
            ("client_drop", _) => run.disconnect(),
            (_, Some("message")) => run.client.received(old, &step["frame"].to_string(), run.now()),
            (_, Some("close")) => run.client.closed(old, Some(1006), "", run.now()),
            _ => run.client.pong(old, 1, run.now()),
        }
        run.drain();
    }
    assert_ne!(run.socket, old);
    assert!(run.client.is_connected());
    assert_eq!((run.connects, run.started.len()), (2, 0));
    // A pong of the old connection does not keep the new one alive.
    let opened = run.time;
    run.until(opened + 30_000);
    run.client.pong(old, 1, run.now());
    run.until(opened + 40_000);
    assert!(!run.client.is_connected());
}

#[test]
fn case_94_turn_done_is_the_last_and_there_is_exactly_one() {
    let (_, steps) = steps(include_str!("../fixtures/field-cases/94-turn-done-is-last.json"));
    let mut run = Run::new(plain_config());
    run.connect();
    for step in &steps {
        match step["do"].as_str().unwrap() {
            "recv" => run.receive(&step["frame"]),
            "turn_emits" => {
                for frame in step["frames"].as_array().unwrap() {
                    let happening = match frame.as_str().unwrap() {
                        "reply.partial" => Happening::partial(&json!({"text": "a"})),
                        "tool.start" => Happening::tool_start(&json!({"name": "read"})).unwrap(),
                        "turn.done" => Happening::Done(TurnEnd::Ok),
                        // The queue's own.
                        _ => continue,
                    };
                    run.happened("m1", happening);
                }
                run.until(run.time + 2_000);
            }
            // A backend that dies is its owner's to report.
            "turn_panics" => {
                run.happened("m2", Happening::Done(TurnEnd::Error(String::from("the turn died"))));
            }
            _ => {
                run.client.shut_down("the gateway stops", run.now());
                run.drain();
            }
        }
    }
    let of = |id: &str| -> Vec<String> {
        let frames = run.wires[0].iter().filter(|frame| frame["messageId"] == id);
        frames.map(|frame| frame["type"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(of("m1"), ["turn.started", "reply.partial", "turn.done", "turn.usage"]);
    assert_eq!(of("m2"), ["turn.started", "turn.done"]);
}

#[test]
fn case_94_a_stop_ends_what_runs_and_what_waits() {
    let mut run = Run::new(plain_config());
    run.connect();
    for id in ["m1", "m2"] {
        run.receive(&json!({"type": "message", "conversationId": "k", "messageId": id, "text": "x"}));
    }
    run.client.shut_down("the gateway stops", run.now());
    run.drain();
    assert!(!run.client.is_drained());
    run.happened("m1", Happening::Done(TurnEnd::Aborted));
    run.until(run.time + 1_500);
    assert!(run.client.is_drained());
    let done: Vec<&Value> = run.wires[0].iter().filter(|frame| frame["type"] == "turn.done").collect();
    assert_eq!(done.len(), 2);
    assert!(
        done.iter().all(|frame| frame["status"] == "error" && frame["error"] == "the gateway stops"),
        "{done:?}"
    );
    run.receive(&json!({"type": "message", "conversationId": "k", "messageId": "m3", "text": "x"}));
    assert_eq!(run.wire(0).last().unwrap(), "turn.done error");
}

#[test]
fn case_95_nothing_stale_is_sent() {
    let (_, steps) = steps(include_str!("../fixtures/field-cases/95-stale-outbox-content.json"));
    let mut run = Run::new(plain_config());
    for step in steps {
        match step["do"].as_str().unwrap() {
            "connect" => run.connect(),
            "disconnect_silently" => run.disconnect(),
            "recv_late" => run.receive(&step["frame"]),
            _ => run.send(&step["frame"]),
        }
    }
    assert_eq!(run.wire(1), ["hello", "reply ab", "turn.done ok"]);
}

#[test]
fn case_97_limits_count_utf16_units_and_cuts_keep_characters() {
    let case: Value =
        serde_json::from_str(include_str!("../fixtures/field-cases/97-text-limit-units.json")).unwrap();
    let read = |text: String, context: Option<String>| {
        let frame = json!({"type": "message", "text": text, "context": context}).to_string();
        let PlatformBody::Message(frame) = PlatformFrame::decode(&frame, &Limits::default()).unwrap().body
        else {
            panic!()
        };
        Message::from_frame(*frame, MessageOrigin::Relay, &Limits::default(), || "x".into())
    };
    for row in case["text_units"].as_array().unwrap() {
        let text = row[0].as_str().unwrap().repeat(usize::try_from(row[1].as_u64().unwrap()).unwrap());
        let accepted = row[2].as_str().unwrap().starts_with("accept");
        assert_eq!(read(text, None).is_ok(), accepted, "{row}");
    }
    let context = &case["context"];
    let count = usize::try_from(context["repeat"][1].as_u64().unwrap()).unwrap();
    let text = context["prefix"].as_str().unwrap().to_owned()
        + &context["repeat"][0].as_str().unwrap().repeat(count);
    let cut = read(String::from("hi"), Some(text)).unwrap().context.unwrap();
    assert_eq!(cut, format!("a{}", "😀".repeat(3_999)));
    assert_eq!(cut.encode_utf16().count(), 7_999);
}

#[test]
fn case_98_one_turn_a_conversation_and_conversations_side_by_side() {
    let (_, steps) = steps(include_str!("../fixtures/field-cases/98-turn-serialisation.json"));
    let mut run = Run::new(plain_config());
    run.connect();
    let mut running = Vec::new();
    for step in steps {
        match step["do"].as_str().unwrap() {
            "recv" => run.receive(&step["frame"]),
            name => {
                let end = if name == "turn_fails" { TurnEnd::Error(String::from("x")) } else { TurnEnd::Ok };
                run.happened(step["messageId"].as_str().unwrap(), Happening::Done(end));
            }
        }
        let ids: Vec<&str> = run.started.iter().map(|(id, _)| id.as_str()).collect();
        running.push((ids.join(" "), run.client.active_conversations()));
    }
    let expected = [("m1", 1), ("m1", 1), ("m1 m3", 2), ("m1 m3 m2", 2), ("m1 m3 m2", 1), ("m1 m3 m2", 0)];
    let running: Vec<(&str, usize)> = running.iter().map(|(ids, active)| (ids.as_str(), *active)).collect();
    assert_eq!(running, expected);
}

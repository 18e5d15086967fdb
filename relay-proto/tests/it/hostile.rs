//! Peers that mean no good, or only do not know better: state stays bounded, secrets stay in, no word is lost.

use clawgauge_relay_proto::{
    AgentBody, AuthFrame, Choice, Client, ClientConfig, ClientOutput, ConnId, Extra, Happening, Identity,
    KeyVerdict, Keys, Level, LogLine, MessageFrame, MessageOrigin, Now, Outbox, OutboxLimits, Presented,
    Question, ReplyKind, ReplyPartial, Secret, Server, ServerConfig, ServerOutput, TurnConfig, TurnEnd,
    TurnLimits, TurnOutput, TurnQueue, TurnRef,
};
use serde_json::{Value, json};

const TOKEN: &str = "tok-1234567890abcdef";

fn server() -> Server<impl Fn(&Presented) -> KeyVerdict> {
    let known = Keys::new("pk", "sk");
    let mut server = Server::new(ServerConfig::new(7), move |presented: &Presented| {
        if presented.matches(&known) { KeyVerdict::Known("a".into()) } else { KeyVerdict::Unknown }
    });
    server.accepted(ConnId(1), None, 0);
    let hello = json!({"type": "hello", "protocol": 1, "auth": {"publicKey": "pk", "secretKey": "sk"},
        "capabilities": ["abort", "clawgauge.resume.1"]});
    server.received(ConnId(1), &hello.to_string(), 0);
    server
}

fn outputs(server: &mut Server<impl Fn(&Presented) -> KeyVerdict>) -> Vec<ServerOutput> {
    std::iter::from_fn(|| server.poll_output()).collect()
}

fn say(server: &mut Server<impl Fn(&Presented) -> KeyVerdict>, message: &str) -> TurnRef {
    let frame =
        MessageFrame { turn: TurnRef::new("c", message), text: Some("hi".into()), ..MessageFrame::default() };
    server.send_message("a", frame, 0).unwrap()
}

/// The partials that the platform shows.
fn partials(outputs: &[ServerOutput]) -> Vec<String> {
    let text = |output: &ServerOutput| match output {
        ServerOutput::Frame { frame, .. } => match &frame.body {
            AgentBody::ReplyPartial(partial) => partial.text.clone(),
            _ => None,
        },
        _ => None,
    };
    outputs.iter().filter_map(text).collect()
}

#[test]
fn a_user_who_keeps_pressing_stop_fills_no_queue() {
    let mut server = server();
    let turn = say(&mut server, "m");
    outputs(&mut server);
    server.closed(ConnId(1));
    for _ in 0..10_000 {
        assert!(server.abort("a", &turn));
    }
    server.accepted(ConnId(2), None, 5);
    let hello = json!({"type": "hello", "protocol": 1, "auth": {"publicKey": "pk", "secretKey": "sk"},
        "capabilities": ["abort"]});
    server.received(ConnId(2), &hello.to_string(), 5);
    let aborts = |outputs: &[ServerOutput]| {
        outputs
            .iter()
            .filter(
                |one| matches!(one, ServerOutput::Send { text, .. } if text.as_str().contains("\"abort\"")),
            )
            .count()
    };
    assert_eq!(aborts(&outputs(&mut server)), 1);
    // That one is sent and may be lost with the connection: pressing again says it again.
    assert!(server.abort("a", &turn));
    assert_eq!(aborts(&outputs(&mut server)), 1);
}

#[test]
fn a_partial_that_never_ends_is_cut_off_and_a_whole_text_begins_again() {
    let mut server = server();
    say(&mut server, "m");
    outputs(&mut server);
    let limit = clawgauge_relay_proto::Limits::default().frame_bytes;
    let piece = "x".repeat(1 << 20);
    let (mut seq, mut from, mut longest) = (1, 0, 0);
    let mut send = |server: &mut Server<_>, mut frame: Value| {
        frame["type"] = "reply.partial".into();
        (frame["conversationId"], frame["messageId"]) = ("c".into(), "m".into());
        frame["seq"] = seq.into();
        seq += 1;
        server.received(ConnId(1), &frame.to_string(), 10);
        partials(&outputs(server))
    };
    assert_eq!(send(&mut server, json!({"text": ""})), [""]);
    for _ in 0..32 {
        for text in send(&mut server, json!({"delta": piece, "from": from})) {
            longest = longest.max(text.len());
        }
        from += piece.len();
    }
    assert!(longest > limit / 2 && longest <= limit, "{longest}");
    assert_eq!(send(&mut server, json!({"text": "again"})), ["again"]);
    assert_eq!(send(&mut server, json!({"delta": "!", "from": 5})), ["again!"]);
}

#[test]
fn partials_of_a_turn_that_is_over_are_not_kept() {
    let mut server = server();
    say(&mut server, "m");
    outputs(&mut server);
    let frame = |seq: u64, kind: &str, fields: &str| {
        format!(r#"{{"type":"{kind}","conversationId":"c","messageId":"m","seq":{seq}{fields}}}"#)
    };
    server.received(ConnId(1), &frame(1, "turn.done", r#","status":"ok""#), 1);
    server.received(ConnId(1), &frame(2, "reply.partial", r#","text":"late""#), 2);
    server.received(ConnId(1), &frame(3, "reply.partial", r#","delta":"r","from":99"#), 3);
    let all = outputs(&mut server);
    assert_eq!(partials(&all), [""; 0]);
    let logs: Vec<String> = all
        .iter()
        .filter_map(|one| if let ServerOutput::Log(line) = one { Some(line.to_string()) } else { None })
        .collect();
    assert_eq!(logs.len(), 2, "{logs:?}");
    assert!(logs.iter().all(|line| line.contains("came after the end of its turn")), "{logs:?}");
}

#[test]
fn a_record_holds_so_much_and_says_what_it_left_out() {
    let mut server = server();
    let turn = say(&mut server, "m");
    outputs(&mut server);
    let text = "x".repeat(1 << 20);
    let mut shown = 0;
    for seq in 1..=20_u64 {
        let frame = json!({"type": "reply", "conversationId": "c", "messageId": "m", "text": text,
            "kind": "block", "seq": seq});
        server.received(ConnId(1), &frame.to_string(), seq);
        let frames = outputs(&mut server);
        shown += frames.iter().filter(|one| matches!(one, ServerOutput::Frame { .. })).count();
    }
    let record = server.turn("a", &turn).unwrap();
    assert_eq!(
        (record.replies.len(), record.left_out, shown),
        (8, 12, 20),
        "every reply went out as a frame"
    );
}

fn partial(text: &str, delta: &str) -> ReplyPartial {
    let (text, delta) = (Some(text.into()), Some(delta.into()));
    ReplyPartial { turn: TurnRef::new("c", "m"), text, delta, ..ReplyPartial::default() }
}

/// What somebody has who only goes by the deltas, and starts over where there is none.
fn read_deltas(frames: impl IntoIterator<Item = AgentBody>) -> String {
    let mut text = String::new();
    for body in frames {
        let AgentBody::ReplyPartial(partial) = body else { continue };
        match partial.delta {
            Some(delta) => text.push_str(&delta),
            None => text = partial.text.unwrap(),
        }
    }
    text
}

#[test]
fn deltas_still_continue_each_other_after_a_failed_send() {
    let mut outbox = Outbox::new(OutboxLimits::default());
    outbox.push(AgentBody::ReplyPartial(partial("a", "a")).into());
    let first = outbox.pop().unwrap();
    outbox.push(AgentBody::ReplyPartial(partial("ab", "b")).into());
    outbox.put_back(first);
    let frames: Vec<AgentBody> = std::iter::from_fn(|| outbox.pop()).map(|frame| frame.body).collect();
    assert_eq!(frames.len(), 1);
    assert_eq!(read_deltas(frames), "ab");
}

#[test]
fn deltas_still_continue_each_other_after_one_was_dropped_for_want_of_room() {
    let limits = OutboxLimits { soft_frames: 1, ..OutboxLimits::default() };
    let mut outbox = Outbox::new(limits);
    outbox.push(AgentBody::ReplyPartial(partial("a", "a")).into());
    let mut frames = vec![outbox.pop().unwrap().body];
    let reply = |text: &str| {
        let reply = clawgauge_relay_proto::Reply { text: text.into(), ..Default::default() };
        AgentBody::Reply(reply)
    };
    outbox.push(reply("1").into());
    let rewritten = ReplyPartial { replace: true, ..partial("b", "b") };
    outbox.push(AgentBody::ReplyPartial(rewritten).into());
    assert_eq!(outbox.report().dropped.get("reply.partial"), Some(&1));
    outbox.pop();
    outbox.push(AgentBody::ReplyPartial(partial("bc", "c")).into());
    let last = outbox.pop().unwrap().body;
    assert!(
        matches!(&last, AgentBody::ReplyPartial(partial) if partial.replace),
        "the rewriting is still told"
    );
    frames.push(last);
    assert_eq!(read_deltas(frames), "bc");
}

#[test]
fn a_platform_that_answers_no_ping_makes_no_list_grow() {
    let mut config = ClientConfig::new("wss://relay.example/x", Identity::new(Keys::new("pk", "sk")), 7);
    config.offer_resume = false;
    let mut client = Client::new(config);
    let now = Now::new(0, 0);
    client.start(now);
    let Some(ClientOutput::Connect { socket, .. }) = client.poll_output() else { panic!() };
    client.opened(socket, now);
    for index in 0..12_000 {
        let body = AgentBody::Reply(clawgauge_relay_proto::Reply {
            turn: TurnRef::new("c", index.to_string().as_str()),
            text: "x".into(),
            ..Default::default()
        });
        client.send(body, now);
        while client.poll_output().is_some() {}
    }
    let report = client.report();
    assert_eq!(
        (report.unconfirmed_total, report.unconfirmed.len()),
        (2_000, 1_000),
        "the oldest are reported"
    );
    client.closed(socket, None, "", now);
    assert_eq!(client.report().unconfirmed_total, 12_000, "each once");
}

#[test]
fn texts_that_wait_are_bounded_in_bytes() {
    let mut config = TurnConfig::new(1);
    config.limits = TurnLimits { bytes: 1_000, ..TurnLimits::default() };
    let mut queue = TurnQueue::new(config);
    let submit = |queue: &mut TurnQueue, id: usize, bytes: usize| {
        let id = id.to_string();
        let turn = TurnRef::new(id.as_str(), id.as_str());
        let frame = MessageFrame { turn, text: Some("x".repeat(bytes)), ..MessageFrame::default() };
        queue.submit(frame, MessageOrigin::Relay, 0);
        let mut started = None;
        while let Some(output) = queue.poll_output() {
            if let TurnOutput::Start(start) = output {
                started = Some(start.turn);
            }
        }
        started
    };
    let first = submit(&mut queue, 1, 5_000).expect("alone, even the largest runs");
    assert_eq!(submit(&mut queue, 2, 10), None, "queue full");
    queue.happened(first, Happening::Done(TurnEnd::Ok), 1);
    queue.handle_timeout(10_000);
    while queue.poll_output().is_some() {}
    assert!(submit(&mut queue, 3, 600).is_some() && submit(&mut queue, 4, 400).is_some());
    assert_eq!(submit(&mut queue, 5, 1), None, "queue full");
    assert!(submit(&mut queue, 2, 10).is_none());
}

#[test]
fn a_log_line_is_bounded_whatever_an_id_is() {
    let line = LogLine::new(Level::Info, &"é\n".repeat(1_000_000));
    assert!(line.text.chars().count() <= 2_001 && line.text.ends_with('…') && !line.text.contains('\n'));
    assert_eq!(LogLine::new(Level::Info, "a\tb").text, "a b");
}

/// A queue with one running turn of a user who has a token.
fn with_token(config: TurnConfig) -> (TurnQueue, u64) {
    let mut queue = TurnQueue::new(config);
    let auth =
        AuthFrame { token: Secret::new(TOKEN), api_base: "https://api.example".into(), extra: Extra::new() };
    let (turn, text) = (TurnRef::new("c", "m"), Some("x".into()));
    queue.submit(
        MessageFrame { turn, text, auth: Some(auth), ..MessageFrame::default() },
        MessageOrigin::Relay,
        0,
    );
    let started = std::iter::from_fn(|| queue.poll_output()).find_map(|output| match output {
        TurnOutput::Start(start) => Some(start.turn),
        _ => None,
    });
    (queue, started.unwrap())
}

fn frames(queue: &mut TurnQueue) -> Vec<AgentBody> {
    let frame = |output| if let TurnOutput::Frame(_, body) = output { Some(body) } else { None };
    std::iter::from_fn(|| queue.poll_output()).filter_map(frame).collect()
}

#[test]
fn a_token_that_is_written_letter_by_letter_never_shows() {
    let (mut queue, turn) = with_token(TurnConfig::new(1));
    let whole = format!("The token is {TOKEN}, as you see. Is it tok-nothing?");
    let mut read = Vec::new();
    for (at, letter) in whole.char_indices() {
        let text = whole[..=at].to_owned();
        queue.happened(turn, Happening::Partial { text, delta: Some(letter.to_string()), replace: false }, 1);
        for frame in frames(&mut queue) {
            let AgentBody::ReplyPartial(partial) = &frame else { panic!("{frame:?}") };
            let text = partial.text.as_deref().unwrap();
            assert!(!(5..=TOKEN.len()).any(|length| text.contains(&TOKEN[..length])), "{text}");
            read.push(frame);
            assert_eq!(
                read_deltas(read.clone()),
                text_of(read.last().unwrap()),
                "deltas say the same as the text"
            );
        }
    }
    assert_eq!(text_of(read.last().unwrap()), whole.replace(TOKEN, "***"));
}

fn text_of(body: &AgentBody) -> String {
    let AgentBody::ReplyPartial(partial) = body else { panic!("{body:?}") };
    partial.text.clone().unwrap()
}

#[test]
fn a_token_shows_in_no_kind_of_frame() {
    let mut config = TurnConfig::new(1);
    config.message_limits.command_units = 30;
    let (mut queue, turn) = with_token(config);
    let said = || format!("see {TOKEN}!");
    let option = Choice { label: said(), description: Some(said()), extra: Extra::new() };
    let question = Question {
        id: "q1".into(),
        header: said(),
        question: said(),
        options: vec![option],
        multi_select: false,
        extra: Extra::new(),
    };
    for happening in [
        Happening::Choices(vec![question]),
        Happening::Reply {
            text: said(),
            kind: ReplyKind::Final,
            media_urls: vec![format!("https://h/?t={TOKEN}")],
        },
        // The cut falls into the token.
        Happening::ToolStart {
            name: "exec".into(),
            params: Some(json!({"command": format!("curl -H 1234567 {TOKEN}")})),
        },
        Happening::Done(TurnEnd::Dropped(Some(said()))),
    ] {
        queue.happened(turn, happening, 1);
        let frames = frames(&mut queue);
        assert_eq!(frames.len(), 1);
        let text = clawgauge_relay_proto::AgentFrame::from(frames[0].clone()).encode();
        assert!(!text.contains(&TOKEN[..8]), "{text}");
    }
}

#[test]
fn no_close_code_is_one_that_may_stand_in_no_frame() {
    let mut server = server();
    for stranger in 2..1_500 {
        server.accepted(ConnId(stranger), None, 0);
    }
    // Strangers say nothing, and the agent stops to answer.
    let mut codes = std::collections::BTreeSet::new();
    for now in [10_000, 30_000, 40_000] {
        server.handle_timeout(now);
        for output in outputs(&mut server) {
            if let ServerOutput::Close { code, .. } = output {
                codes.insert(code);
            }
        }
    }
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), [1001, 1013, 4408]);
}

//! How fast frames are read and written, against plain `serde_json` of the same structs; what deltas save; how many
//! conversations a turn queue carries.
//!
//! `cargo bench -p clawgauge-benches --bench relay`
#![allow(clippy::print_stderr, reason = "bytes on the wire are a count, not a time: they are told once")]

use clawgauge_relay_proto::{
    AgentFrame, Client, ClientConfig, ClientOutput, Happening, Identity, Keys, Limits, MessageFrame,
    MessageOrigin, Now, PlatformFrame, ReplyKind, SocketId, TurnConfig, TurnEnd, TurnOutput, TurnQueue,
    TurnRef,
};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use serde::{Deserialize, Serialize};

/// The frames of version 1 as one would write them down with derives: no unknown types, no unknown fields, no ids that
/// are numbers, duplicate keys refused.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
enum Plain {
    #[serde(rename = "turn.started")]
    TurnStarted {
        conversation_id: String,
        message_id: String,
        session_key: String,
        agent_id: String,
        ts: i64,
    },
    #[serde(rename = "reply.partial")]
    ReplyPartial { conversation_id: String, message_id: String, text: String, delta: Option<String>, ts: i64 },
    #[serde(rename = "tool.start")]
    ToolStart { conversation_id: String, message_id: String, name: String, args: Option<Args>, ts: i64 },
    #[serde(rename = "reply")]
    Reply { conversation_id: String, message_id: String, text: String, kind: String, ts: i64 },
    #[serde(rename = "turn.done")]
    TurnDone {
        conversation_id: String,
        message_id: String,
        status: String,
        session_key: String,
        agent_id: String,
        replies: Replies,
        ts: i64,
    },
}

#[derive(Debug, Serialize, Deserialize)]
struct Args {
    command: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Replies {
    tool: u64,
    block: u64,
    #[serde(rename = "final")]
    final_: u64,
}

/// Turns of ten frames: a start, six partials, a step, a reply of 2 KB, an end.
fn frames(turns: usize) -> Vec<String> {
    let mut out = Vec::new();
    for turn in 0..turns {
        let ids = format!(r#""conversationId":"conversation-{}","messageId":"message-{turn}""#, turn % 50);
        let session = r#""sessionKey":"agent:main:benchgen:direct:conversation","agentId":"main","#;
        let ts = r#""ts":1772359200000}"#;
        out.push(format!(r#"{{"type":"turn.started",{ids},{session}{ts}"#));
        let mut text = String::new();
        for part in 0..6 {
            let delta = format!("Words that the model said, part {part}; \\\"quoted\\\" and größer. ");
            text += &delta;
            out.push(format!(r#"{{"type":"reply.partial",{ids},"text":"{text}","delta":"{delta}",{ts}"#));
        }
        out.push(format!(
            r#"{{"type":"tool.start",{ids},"name":"exec","args":{{"command":"cargo test --workspace"}},{ts}"#
        ));
        let long = "A sentence of the answer, with a line break.\\n".repeat(45);
        out.push(format!(r#"{{"type":"reply",{ids},"text":"{long}","kind":"final",{ts}"#));
        out.push(format!(
            r#"{{"type":"turn.done",{ids},"status":"ok",{session}"replies":{{"tool":0,"block":0,"final":1}},{ts}"#
        ));
    }
    out
}

fn codec(c: &mut Criterion) {
    let texts = frames(200);
    let bytes: usize = texts.iter().map(String::len).sum();
    let limits = Limits::default();
    let ours: Vec<AgentFrame> =
        texts.iter().filter_map(|text| AgentFrame::decode(text, &limits).ok()).collect();
    let plain: Vec<Plain> = texts.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
    assert_eq!((ours.len(), plain.len()), (texts.len(), texts.len()), "both read every frame");
    for (name, throughput) in
        [("frames", Throughput::Elements(texts.len() as u64)), ("bytes", Throughput::Bytes(bytes as u64))]
    {
        let mut group = c.benchmark_group(format!("relay/codec/{name}"));
        group.throughput(throughput);
        group.bench_function("decode", |b| {
            b.iter(|| texts.iter().filter_map(|text| AgentFrame::decode(text, &limits).ok()).count());
        });
        group.bench_function("decode_plain_serde_json", |b| {
            b.iter(|| texts.iter().filter_map(|text| serde_json::from_str::<Plain>(text).ok()).count());
        });
        group.bench_function("encode", |b| {
            b.iter(|| ours.iter().map(|frame| frame.encode().len()).sum::<usize>());
        });
        group.bench_function("encode_plain_serde_json", |b| {
            b.iter(|| {
                plain
                    .iter()
                    .filter_map(|frame| serde_json::to_string(frame).ok())
                    .map(|text| text.len())
                    .sum::<usize>()
            });
        });
        group.finish();
    }
}

const PARTIALS: usize = 2_000;
const REPLY_BYTES: usize = 100_000;

/// Sends a reply of 100 KB in 2,000 partials; the bytes that went over the wire.
fn stream(resumable: bool) -> usize {
    let mut config = ClientConfig::new("wss://relay.example/x", Identity::new(Keys::new("pk", "sk")), 1);
    config.offer_resume = resumable;
    let (mut client, now, socket) = (Client::new(config), Now::default(), SocketId(1));
    client.start(now);
    client.opened(socket, now);
    if resumable {
        client.received(
            socket,
            r#"{"type":"hello.ack","protocol":1,"resume":{"token":"t","received":0}}"#,
            now,
        );
    }
    client.received(socket, r#"{"type":"message","conversationId":"c","messageId":"m","text":"x"}"#, now);
    let (mut bytes, mut turn) = (0, None);
    let mut drain = |client: &mut Client| {
        while let Some(output) = client.poll_output() {
            match output {
                ClientOutput::Send { text, .. } => bytes += text.as_str().len(),
                ClientOutput::StartTurn(start) => turn = Some(start.turn),
                _ => {}
            }
        }
        turn
    };
    let Some(turn) = drain(&mut client) else { return 0 };
    let word = "x".repeat(REPLY_BYTES / PARTIALS);
    let mut text = String::new();
    for part in 1..=PARTIALS {
        text += &word;
        client.happened(turn, Happening::Partial { text: text.clone(), delta: None, replace: false }, now);
        drain(&mut client);
        if resumable && part % 16 == 0 {
            client.received(socket, &format!(r#"{{"type":"ack","received":{part}}}"#), now);
        }
    }
    client.happened(turn, Happening::Reply { text, kind: ReplyKind::Final, media_urls: Vec::new() }, now);
    client.happened(turn, Happening::Done(TurnEnd::Ok), now);
    drain(&mut client);
    bytes
}

fn partials(c: &mut Criterion) {
    let mut group = c.benchmark_group("relay/reply_of_100_kb_in_2000_partials");
    for (name, resumable) in [("cumulative", false), ("delta", true)] {
        eprintln!("relay/reply_of_100_kb_in_2000_partials/{name}: {} bytes sent", stream(resumable));
        group.sample_size(10).bench_function(name, |b| b.iter(|| stream(resumable)));
    }
    group.finish();
}

const CONVERSATIONS: usize = 10_000;

fn queue(c: &mut Criterion) {
    let messages: Vec<MessageFrame> = (0..CONVERSATIONS)
        .map(|n| MessageFrame {
            turn: TurnRef::new(format!("conversation-{n}").as_str(), "message"),
            text: Some(String::from("What is the weather like?")),
            ..MessageFrame::default()
        })
        .collect();
    let mut group = c.benchmark_group("relay/turn_queue");
    group.throughput(Throughput::Elements(CONVERSATIONS as u64)).sample_size(10);
    group.bench_function("10000_parallel_conversations", |b| {
        b.iter_batched(|| messages.clone(), run_all, BatchSize::LargeInput);
    });
    group.finish();
}

/// All start, all report twice, all end, all settle; the frames that came of it.
fn run_all(messages: Vec<MessageFrame>) -> usize {
    let mut queue = TurnQueue::new(TurnConfig::new(1));
    for message in messages {
        queue.submit(message, MessageOrigin::Relay, 0);
    }
    let (mut started, mut frames) = (Vec::new(), 0);
    let mut drain = |queue: &mut TurnQueue, started: &mut Vec<u64>| {
        while let Some(output) = queue.poll_output() {
            match output {
                TurnOutput::Start(start) => started.push(start.turn),
                TurnOutput::Frame(..) => frames += 1,
                _ => {}
            }
        }
        frames
    };
    drain(&mut queue, &mut started);
    for turn in &started {
        queue.happened(
            *turn,
            Happening::Partial { text: String::from("Sunny"), delta: None, replace: false },
            10,
        );
        let reply =
            Happening::Reply { text: String::from("Sunny."), kind: ReplyKind::Final, media_urls: Vec::new() };
        queue.happened(*turn, reply, 20);
        queue.happened(*turn, Happening::Done(TurnEnd::Ok), 30);
    }
    queue.handle_timeout(2_000);
    drain(&mut queue, &mut started)
}

fn inbound(c: &mut Criterion) {
    let texts: Vec<String> = (0..1_000)
        .map(|n| format!(r#"{{"type":"message","conversationId":"c{n}","messageId":{n},"text":"What is the weather like in Berlin?","sender":{{"id":"u{n}","name":"Sam"}}}}"#))
        .collect();
    let limits = Limits::default();
    let mut group = c.benchmark_group("relay/codec/messages");
    group.throughput(Throughput::Elements(texts.len() as u64));
    group.bench_function("decode", |b| {
        b.iter(|| texts.iter().filter_map(|text| PlatformFrame::decode(text, &limits).ok()).count());
    });
    group.finish();
}

criterion_group!(benches, codec, inbound, partials, queue);
criterion_main!(benches);

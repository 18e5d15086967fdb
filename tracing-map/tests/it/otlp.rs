//! Encodings: OpenTelemetry's own types read what we write.

use crate::recorded::scenarios;
use crate::support::map_with;
use clawgauge_tracing_map::{
    Batcher, ChatMessage, Config, Convention, Decision, Destination, EncodeLimits, Evaluation, Format, Link,
    MirrorSettings, Part, Request, RetryPolicy, SendResult, Span, SpanKind, Stamp, langfuse_scores,
    read_answer, retry,
};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span as Read;
use prost::Message as _;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const CONVENTIONS: [&str; 5] =
    ["langfuse", "gen_ai_v1_41", "gen_ai_next", "openinference", "langfuse+gen_ai_v1_41+openinference"];

fn stamp() -> Stamp {
    Stamp::new("openclaw-test").with_environment(Some("Staging EU")).with_release(Some("r-7"))
}

fn encode(spans: &[Span], convention: &str, format: Format, limits: EncodeLimits) -> Vec<Request> {
    let mut batcher = Batcher::with_limits(convention.parse().unwrap(), format, stamp(), limits);
    let mut requests = Vec::new();
    for span in spans {
        requests.extend(batcher.push(span).unwrap());
    }
    requests.extend(batcher.flush());
    requests
}

fn read(request: &Request, format: Format) -> ExportTraceServiceRequest {
    match format {
        Format::Json => serde_json::from_slice(&request.body).unwrap(),
        _ => ExportTraceServiceRequest::decode(request.body.as_slice()).unwrap(),
    }
}

fn read_spans(requests: &[Request], format: Format) -> Vec<Read> {
    let mut spans = Vec::new();
    for request in requests {
        let before = spans.len();
        for resource in read(request, format).resource_spans {
            assert!(resource.resource.unwrap().attributes.iter().any(|one| one.key == "service.name"));
            for scope in resource.scope_spans {
                spans.extend(scope.spans);
            }
        }
        assert_eq!(spans.len() - before, request.spans);
    }
    spans
}

fn one(span: &Span, convention: &str) -> BTreeMap<String, Value> {
    let requests = encode(std::slice::from_ref(span), convention, Format::Protobuf, EncodeLimits::default());
    let spans = read_spans(&requests, Format::Protobuf);
    attributes(&spans[0])
}

fn attributes(span: &Read) -> BTreeMap<String, Value> {
    let mut map = BTreeMap::new();
    for attribute in &span.attributes {
        let value = match attribute.value.clone().unwrap().value.unwrap() {
            Any::StringValue(text) => json!(text),
            Any::IntValue(int) => json!(int),
            Any::DoubleValue(float) => json!(float),
            Any::BoolValue(flag) => json!(flag),
            Any::ArrayValue(list) => {
                let texts = list.values.into_iter().map(|one| match one.value.unwrap() {
                    Any::StringValue(text) => json!(text),
                    other => panic!("{other:?}"),
                });
                Value::Array(texts.collect())
            }
            other => panic!("{other:?}"),
        };
        assert!(map.insert(attribute.key.clone(), value).is_none(), "key twice: {}", attribute.key);
    }
    map
}

/// All spans of all recorded scenarios.
fn recorded() -> Vec<Span> {
    scenarios().into_iter().flat_map(|(_, _, list)| map_with(&list, Config::without_content()).0).collect()
}

fn generation(messages: Vec<ChatMessage>) -> Span {
    let list = [
        json!({"type": "run.started", "ts": 1_000, "runId": "r", "sessionId": "s", "sessionKey": "agent:main:x"}),
        json!({"type": "model.call.completed", "ts": 3_000, "runId": "r", "callId": "r:model:1", "provider": "google",
            "model": "m", "durationMs": 1_500, "timeToFirstByteMs": 200, "usage": {"input": 100, "output": 50,
            "cacheRead": 1_000, "cacheWrite": 30, "reasoningTokens": 20, "total": 1_180, "cost": {"total": 0.25}}}),
        json!({"type": "run.completed", "ts": 4_000, "runId": "r"}),
    ];
    let mut span = map_with(&list, Config::without_content()).0.remove(0);
    assert_eq!(span.kind, SpanKind::Generation);
    span.model_call.as_mut().unwrap().input = messages;
    span
}

#[test]
fn json_and_protobuf_read_back_the_same() {
    let spans = recorded();
    assert!(spans.len() > 300);
    for convention in CONVENTIONS {
        let limits = EncodeLimits::default();
        let by_json = read_spans(&encode(&spans, convention, Format::Json, limits), Format::Json);
        let by_proto = read_spans(&encode(&spans, convention, Format::Protobuf, limits), Format::Protobuf);
        assert_eq!(by_json, by_proto, "{convention}");
        for (span, read) in spans.iter().zip(&by_proto) {
            assert_eq!(read.trace_id, span.trace_id.bytes());
            assert_eq!(read.span_id, span.span_id.bytes());
            assert_eq!(read.start_time_unix_nano, u64::try_from(span.start_ms).unwrap() * 1_000_000);
            assert_eq!(read.end_time_unix_nano, u64::try_from(span.end_ms).unwrap() * 1_000_000);
            attributes(read);
        }
    }
}

#[test]
fn langfuse_takes_every_recorded_span() {
    let spans = recorded();
    for request in encode(&spans, "langfuse", Format::Json, EncodeLimits::default()) {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        langfuse_rules(&body).unwrap();
    }
}

/// The rules of Langfuse's ingestion, as far as they are known: one malformed span refuses the whole batch.
pub(crate) fn langfuse_rules(body: &Value) -> Result<usize, String> {
    let mut count = 0;
    let is_hex = |value: &Value, length: usize| {
        value.as_str().is_some_and(|id| {
            id.len() == length && id.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        })
    };
    for resource in body["resourceSpans"].as_array().ok_or("no resourceSpans")? {
        for scope in resource["scopeSpans"].as_array().ok_or("no scopeSpans")? {
            for span in scope["spans"].as_array().ok_or("no spans")? {
                count += 1;
                if !is_hex(&span["traceId"], 32) || !is_hex(&span["spanId"], 16) {
                    return Err(format!("ids: {span}"));
                }
                if !span["parentSpanId"].is_null() && !is_hex(&span["parentSpanId"], 16) {
                    return Err(format!("parent: {span}"));
                }
                let list = span["attributes"].as_array().ok_or("attributes are no list")?;
                let keys: BTreeSet<_> = list.iter().map(|one| one["key"].as_str().unwrap_or("")).collect();
                if keys.len() != list.len() {
                    return Err(format!("a key comes twice: {span}"));
                }
                let text = |key: &str| {
                    list.iter()
                        .find(|one| one["key"] == key)
                        .and_then(|one| one["value"]["stringValue"].as_str())
                };
                for needed in ["langfuse.trace.name", "langfuse.observation.type"] {
                    text(needed).ok_or(format!("no {needed}"))?;
                }
                if let Some(usage) = text("langfuse.observation.usage_details") {
                    let usage: BTreeMap<String, u64> =
                        serde_json::from_str(usage).map_err(|e| format!("usage: {e}"))?;
                    let priced = [
                        "input",
                        "output",
                        "input_cached_tokens",
                        "input_cache_creation",
                        "output_reasoning_tokens",
                    ];
                    let sum: u64 = priced.iter().filter_map(|key| usage.get(*key)).sum();
                    let known = usage.keys().all(|key| key == "total" || priced.contains(&key.as_str()));
                    if !known || usage.get("total").is_some_and(|total| sum > *total) {
                        return Err(format!("usage: {usage:?}"));
                    }
                }
                if let Some(cost) = text("langfuse.observation.cost_details") {
                    let cost: BTreeMap<String, f64> =
                        serde_json::from_str(cost).map_err(|e| format!("cost: {e}"))?;
                    if cost.keys().ne(["total"]) {
                        return Err(format!("cost: {cost:?}"));
                    }
                }
                if let Some(environment) = text("langfuse.environment") {
                    let good = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
                    if environment.len() > 40
                        || !environment.bytes().all(good)
                        || environment.starts_with("langfuse")
                    {
                        return Err(format!("environment: {environment}"));
                    }
                }
                for time in ["startTimeUnixNano", "endTimeUnixNano"] {
                    let time = span[time].as_str().ok_or("times are texts")?;
                    time.parse::<u64>().map_err(|e| e.to_string())?;
                }
            }
        }
    }
    if count == 0 { Err("an empty envelope".into()) } else { Ok(count) }
}

#[test]
fn the_names_of_a_generation() {
    let span = generation(vec![ChatMessage::text("user", "hi")]);
    let langfuse = one(&span, "langfuse");
    assert_eq!(langfuse["langfuse.observation.type"], "generation");
    assert_eq!(langfuse["langfuse.observation.input"], "hi");
    let usage: Value =
        serde_json::from_str(langfuse["langfuse.observation.usage_details"].as_str().unwrap()).unwrap();
    assert_eq!(
        usage,
        json!({"input": 100, "output": 30, "input_cached_tokens": 1000, "input_cache_creation": 30,
            "output_reasoning_tokens": 20, "total": 1180})
    );
    assert_eq!(langfuse["langfuse.observation.cost_details"], "{\"total\":0.25}");
    assert_eq!(langfuse["langfuse.observation.completion_start_time"], "1970-01-01T00:00:01.700Z");
    assert_eq!(langfuse["langfuse.environment"], "staging-eu");
    assert_eq!(langfuse["langfuse.release"], "r-7");
    assert!(!langfuse.contains_key("gen_ai.tool.name"));

    let gen_ai = one(&span, "gen_ai_v1_41");
    assert_eq!(gen_ai["gen_ai.operation.name"], "chat");
    assert_eq!(gen_ai["gen_ai.provider.name"], "gcp.gemini");
    assert_eq!(gen_ai["gen_ai.usage.input_tokens"], 1130, "input includes the cache");
    assert_eq!(gen_ai["gen_ai.usage.output_tokens"], 50);
    assert_eq!(gen_ai["gen_ai.usage.cache_read.input_tokens"], 1000);
    assert_eq!(gen_ai["gen_ai.usage.cache_creation.input_tokens"], 30);
    assert_eq!(gen_ai["gen_ai.agent.id"], "main");
    assert_eq!(
        gen_ai["gen_ai.input.messages"],
        r#"[{"parts":[{"content":"hi","type":"text"}],"role":"user"}]"#
    );

    let next = one(&span, "gen_ai_next");
    assert_eq!(next["gen_ai.usage.cache_write.input_tokens"], 30);
    assert!(!next.contains_key("gen_ai.usage.cache_creation.input_tokens"));
    assert!(!next.contains_key("gen_ai.agent.id"));

    let openinference = one(&span, "openinference");
    assert_eq!(openinference["openinference.span.kind"], "LLM");
    assert_eq!(openinference["llm.token_count.prompt"], 1130);
    assert_eq!(openinference["llm.token_count.total"], 1180);
    assert_eq!(openinference["llm.cost.total"], 0.25);
    assert_eq!(openinference["llm.input_messages.0.message.content"], "hi");
    assert_eq!(openinference["input.mime_type"], "text/plain");
}

#[test]
fn identity_stands_on_every_span() {
    for span in recorded() {
        let attributes = one(&span, "langfuse+gen_ai_v1_41+openinference");
        for key in [
            "langfuse.trace.name",
            "session.id",
            "user.id",
            "langfuse.trace.tags",
            "langfuse.environment",
            "langfuse.release",
            "openinference.span.kind",
            "tag.tags",
        ] {
            assert!(attributes.contains_key(key), "{key} is missing on {:?}", span.kind);
        }
        // Tokens count once: on the calls.
        let has_tokens = attributes.contains_key("gen_ai.usage.input_tokens");
        assert!(!has_tokens || span.kind == SpanKind::Generation);
        assert_eq!(attributes.contains_key("gen_ai.tool.name"), span.tool.is_some());
    }
}

#[test]
fn unknown_is_left_out_not_zero() {
    let mut span = generation(Vec::new());
    let call = span.model_call.as_mut().unwrap();
    (call.usage, call.cost_usd) = (None, None);
    let attributes = one(&span, "langfuse+gen_ai_v1_41+openinference");
    for key in attributes.keys() {
        assert!(!key.contains("usage_details") && !key.contains("cost") && !key.contains("token"), "{key}");
    }
}

#[test]
fn tool_messages_keep_the_names_that_backends_read() {
    let call = Part::ToolCall { id: "c1".into(), name: "exec".into(), arguments: json!({"command": "ls"}) };
    let answer = Part::ToolResponse { id: "c1".into(), response: "a.txt".into() };
    let span = generation(vec![
        ChatMessage::new("assistant", vec![Part::Text("looking".into()), call]),
        ChatMessage::new("tool", vec![answer]),
    ]);
    let attributes = one(&span, "gen_ai_v1_41+openinference");
    let messages: Value =
        serde_json::from_str(attributes["gen_ai.input.messages"].as_str().unwrap()).unwrap();
    assert_eq!(
        messages[1]["parts"][0],
        json!({"type": "tool_call_response", "id": "c1", "response": "a.txt"})
    );
    assert_eq!(
        messages[0]["parts"][1],
        json!({"type": "tool_call", "id": "c1", "name": "exec", "arguments": {"command": "ls"}})
    );
    let key = "llm.input_messages.0.message.tool_calls.0.tool_call.function.arguments";
    assert_eq!(attributes[key], "{\"command\":\"ls\"}");
    assert_eq!(attributes["llm.input_messages.1.message.content"], "a.txt");
}

#[test]
fn case_82_big_attributes() {
    let case: Value =
        serde_json::from_str(include_str!("../fixtures/field-cases/82-big-attributes.json")).unwrap();
    let limits = EncodeLimits::default();
    assert_eq!(case["max_attribute_bytes"], limits.max_value_bytes);
    assert_eq!(case["max_batch_bytes"], limits.max_request_bytes);
    let list = [
        json!({"type": "run.started", "ts": 1_000, "runId": "r", "sessionId": "s"}),
        json!({"type": "run.completed", "ts": 4_000, "runId": "r"}),
    ];
    let template = map_with(&list, Config::without_content()).0.remove(0);
    let spans: Vec<Span> = case["spans"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let mut span = template.clone();
            span.name = one["name"].as_str().unwrap().into();
            span.output = Some(match one["output"].as_str() {
                Some(text) => text.to_owned(),
                None => one["output_repeat"][0].as_str().unwrap().repeat(900_000),
            });
            span
        })
        .collect();
    for format in [Format::Json, Format::Protobuf] {
        let requests = encode(&spans, "langfuse", format, limits);
        assert!(requests.iter().all(|request| request.body.len() <= limits.max_request_bytes));
        let read = read_spans(&requests, format);
        assert_eq!(read.iter().map(|span| span.name.as_str()).collect::<Vec<_>>(), ["tiny", "huge", "tiny2"]);
        let output = attributes(&read[1])["langfuse.observation.output"].as_str().unwrap().to_owned();
        assert!(output.len() <= 65_536 && output.len() > 60_000);
        assert!(output.ends_with("… [cut, 1800000 characters in all]"), "{}", &output[output.len() - 60..]);
        assert_eq!(attributes(&read[0])["langfuse.observation.output"], "ok");
    }
}

#[test]
fn requests_are_split_and_an_oversized_span_takes_no_other_along() {
    let spans = recorded();
    for format in [Format::Json, Format::Protobuf] {
        let limits = {
            let mut limits = EncodeLimits::default();
            limits.max_request_bytes = 20_000;
            limits
        };
        let requests = encode(&spans, "langfuse", format, limits);
        assert!(requests.len() > 10);
        assert!(requests.iter().all(|request| request.body.len() <= 20_000 && request.spans > 0));
        assert_eq!(read_spans(&requests, format).len(), spans.len());

        let mut batcher = Batcher::with_limits(Convention::LANGFUSE, format, stamp(), {
            let mut l = limits;
            l.max_request_bytes = 2_500;
            l
        });
        let small = spans.iter().find(|span| span.kind == SpanKind::Context).unwrap();
        let mut big = small.clone();
        // Texts are cut until they fit; links are not.
        big.output = Some("x".repeat(4_000));
        let mut cut = Batcher::with_limits(Convention::LANGFUSE, format, stamp(), {
            let mut l = limits;
            l.max_request_bytes = 2_500;
            l
        });
        assert!(cut.push(&big).is_ok());
        big.links = vec![Link::new(small.trace_id, small.span_id); 100];
        assert!(batcher.push(small).unwrap().is_none());
        assert!(batcher.push(&big).is_err());
        assert_eq!(batcher.flush().unwrap().spans, 1);
        assert!(batcher.flush().is_none(), "never an empty envelope");
    }
}

#[test]
fn long_prompts_stay_json() {
    let messages: Vec<_> =
        (0..2_000).map(|index| ChatMessage::text("user", format!("{index} {}", "é".repeat(900)))).collect();
    let span = generation(messages);
    let attributes = one(&span, "langfuse+gen_ai_v1_41+openinference");
    let total: usize = attributes.values().map(|value| value.as_str().map_or(8, str::len)).sum();
    assert!(total <= EncodeLimits::default().max_span_bytes, "{total}");
    for key in ["gen_ai.input.messages", "langfuse.observation.input", "input.value"] {
        let list: Value = serde_json::from_str(attributes[key].as_str().unwrap()).unwrap();
        assert!(list.as_array().unwrap().len() > 2);
    }
}

#[test]
fn the_hook_sees_everything_before_it_leaves() {
    let secret = "sk-EXAMPLE-NOT-A-REAL-KEY";
    let mut span = generation(vec![ChatMessage::text("user", format!("my key is {secret}"))]);
    span.status_message = Some(secret.into());
    span.metadata.insert("deep".into(), json!({"list": [secret]}));
    span.evaluations.push(Evaluation::new("risk", 0.5).with_explanation(secret));
    for convention in CONVENTIONS {
        for format in [Format::Json, Format::Protobuf] {
            let mut batcher =
                Batcher::new(convention.parse().unwrap(), format, stamp()).with_hook(Box::new(move |span| {
                    span.map_texts(|text| text.replace("sk-EXAMPLE-NOT-A-REAL-KEY", "***"));
                }));
            batcher.push(&span).unwrap();
            let body = batcher.flush().unwrap().body;
            assert!(!String::from_utf8_lossy(&body).contains(secret), "{convention}");
        }
    }
    span.remove_content();
    assert!(!one(&span, "gen_ai_v1_41").contains_key("gen_ai.input.messages"));
}

#[test]
fn scores_stand_on_the_trace_in_three_forms() {
    let mut span = generation(Vec::new());
    span.parent_id = None;
    span.evaluations = vec![
        Evaluation::new("accuracy", 0.75).with_label("fair").with_explanation("one write was not verified"),
        Evaluation::new("not applicable", f64::NAN),
        Evaluation::new("risk", 0.1),
    ];
    let requests = encode(
        std::slice::from_ref(&span),
        "gen_ai_v1_41+openinference",
        Format::Protobuf,
        EncodeLimits::default(),
    );
    let read = &read_spans(&requests, Format::Protobuf)[0];
    assert_eq!(read.events.len(), 2);
    assert!(read.events.iter().all(|event| event.name == "gen_ai.evaluation.result"));
    let attributes = attributes(read);
    assert_eq!(attributes["evaluations.0.evaluation.score"], 0.75);
    assert_eq!(attributes["evaluations.1.evaluation.name"], "risk");
    assert_eq!(attributes["evaluations.0.evaluation.annotator_kind"], "CODE");
    let scores = langfuse_scores(&span, Some("dev"));
    assert_eq!(scores.len(), 2);
    assert_eq!(scores[0]["traceId"], span.trace_id.to_string());
    assert_eq!((&scores[0]["value"], &scores[0]["dataType"]), (&json!(0.75), &json!("NUMERIC")));
    assert_eq!(scores[0]["comment"], "fair: one write was not verified");
    assert!(scores[0].get("observationId").is_none());
    assert_eq!(scores, langfuse_scores(&span, Some("dev")), "ids are stable");
}

#[test]
fn answers_are_read_in_both_forms() {
    let json = br#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#;
    let answer = read_answer(Format::Json, json).unwrap();
    assert_eq!(
        (answer.rejected_spans, answer.message.as_deref(), answer.is_partial()),
        (3, Some("too old"), true)
    );
    let proto = opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceResponse {
        partial_success: Some(opentelemetry_proto::tonic::collector::trace::v1::ExportTracePartialSuccess {
            rejected_spans: 3,
            error_message: "too old".into(),
        }),
    };
    assert_eq!(read_answer(Format::Protobuf, &proto.encode_to_vec()).unwrap(), answer);
    for empty in [&b""[..], b"{}", b"OK"] {
        assert!(!read_answer(Format::Json, empty).unwrap().is_partial());
    }
    assert!(read_answer(Format::Protobuf, b"").is_ok());
    assert!(read_answer(Format::Protobuf, b"\xff\xff").is_err());
    assert!(read_answer(Format::Json, &vec![b' '; 4 * 1024 * 1024 + 1]).is_err());
}

#[test]
fn only_what_may_succeed_is_sent_again() {
    let policy = RetryPolicy::default();
    let status = |status, retry_after| SendResult::Status { status, retry_after };
    for code in [429, 502, 503, 504] {
        assert_eq!(retry(status(code, None), 1, 0.0, 0, policy), Decision::Retry { after_ms: 500 });
    }
    for code in [301, 400, 401, 403, 404, 408, 413, 415, 500, 501] {
        assert_eq!(retry(status(code, Some("1")), 1, 0.0, 0, policy), Decision::GiveUp, "{code}");
    }
    for code in [200, 202, 204] {
        assert_eq!(retry(status(code, None), 1, 0.0, 0, policy), Decision::Done);
    }
    assert_eq!(retry(SendResult::NoAnswer, 5, 0.0, 0, policy), Decision::Keep);
    // Waits grow, stay within their bounds, and never overflow.
    for attempt in 1..5 {
        for random in [0.0, 0.3, 0.999, -1.0, f64::NAN, 7.0] {
            let Decision::Retry { after_ms } = retry(SendResult::NoAnswer, attempt, random, 0, policy) else {
                panic!()
            };
            let full = 1_000 << (attempt - 1);
            assert!((full / 2..=full).contains(&after_ms), "{attempt} {random} {after_ms}");
        }
    }
    let date = "Mon, 30 Nov 2026 12:00:05 GMT";
    let now = 1_796_040_000_000;
    assert_eq!(retry(status(503, Some(date)), 1, 0.0, now, policy), Decision::Retry { after_ms: 5_000 });
    assert_eq!(
        retry(status(503, Some("999999999999999999999")), 1, 0.0, 0, policy),
        Decision::Retry { after_ms: 500 }
    );
    assert_eq!(retry(status(503, Some("86400")), 1, 0.0, 0, policy), Decision::Retry { after_ms: 60_000 });
}

#[test]
fn a_mirror_equal_to_the_primary_is_refused() {
    let primary = Destination::new("https://t.example", Some("pk-1"), Some("sk-1")).unwrap();
    let mirror = |url: &str, key: &str| {
        let mut settings = MirrorSettings::default();
        settings.public_key = Some(key);
        settings.secret_key = Some("sk-other");
        settings.base_url = Some(url);
        Destination::mirror(&settings, Some(&primary))
    };
    for same in [
        "https://t.example",
        "https://t.example/",
        "https://t.example//",
        "https://T.Example",
        "HTTPS://t.example",
        "https://t.example:443",
        "https://T.example:443/",
        "https://t.example.",
        "https://user@t.example",
    ] {
        assert!(mirror(same, "pk-1").is_err(), "{same}");
        assert!(mirror(same, " pk-1 ").is_err(), "{same}");
        assert!(mirror(same, "pk-2").is_ok(), "{same}");
    }
    for other in [
        "http://t.example",
        "https://t.example:444",
        "https://m.example",
        "https://t.example/sub",
        "http://t.example:443",
    ] {
        assert!(mirror(other, "pk-1").is_ok(), "{other}");
    }
    for bad in ["", "t.example", "ftp://t.example", "https://", "https:///x", "https://t.example:port"] {
        assert!(Destination::new(bad, None, None).is_err(), "{bad}");
    }
}

#[test]
fn no_secret_in_any_text() {
    let destination =
        Destination::new("https://u:hunter2@m.example/base?key=abc", Some("pk-2"), Some("sk-very-secret"))
            .unwrap()
            .with_environment(Some("My Env!"));
    assert_eq!(destination.describe(), "https://m.example/base (pk-2, environment my-env)");
    let texts = [format!("{destination:?}"), destination.describe()];
    for text in texts {
        for secret in ["sk-very-secret", "hunter2", "abc"] {
            assert!(!text.contains(secret), "{text}");
        }
    }
    assert_eq!(destination.secret_key(), Some("sk-very-secret"));
    let error = Destination::new("nonsense hunter2", None, None).unwrap_err();
    assert!(!error.to_string().contains("hunter2"));
}

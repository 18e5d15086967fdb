//! What a person sees of a run in each kind of backend, read back by OpenTelemetry's own types.

use crate::support::map_with;
use clawgauge_tracing_map::{
    Batcher, ChatMessage, Config, Destination, Evaluation, Format, MirrorSettings, Part, SessionFacts, Span,
    SpanKind, Stamp, from_transcript, langfuse_scores,
};
use clawgauge_transcript::Transcript;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span as Read;
use prost::Message as _;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const CONVENTIONS: [&str; 5] =
    ["langfuse", "gen_ai_v1_41", "gen_ai_next", "openinference", "langfuse+gen_ai_v1_41+openinference"];

/// Sends spans and gives what arrived. Every span has to arrive.
fn sent(spans: &[Span], convention: &str, format: Format) -> Vec<Read> {
    let stamp = Stamp::new("openclaw-test").with_release(Some("r-7"));
    let mut batcher = Batcher::new(convention.parse().unwrap(), format, stamp);
    let mut requests = Vec::new();
    for span in spans {
        requests.extend(batcher.push(span).unwrap());
    }
    requests.extend(batcher.flush());
    let mut read = Vec::new();
    for request in requests {
        assert!(request.body.len() <= 1_048_576, "{convention}: {} bytes", request.body.len());
        let body: ExportTraceServiceRequest = match format {
            Format::Json => serde_json::from_slice(&request.body).unwrap(),
            _ => ExportTraceServiceRequest::decode(request.body.as_slice()).unwrap(),
        };
        let scopes = body.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
        read.extend(scopes.flat_map(|scope| scope.spans));
    }
    assert_eq!(read.len(), spans.len(), "{convention}");
    read
}

/// The attributes of one span as a backend gets them, texts and numbers.
fn seen(span: &Span, convention: &str) -> BTreeMap<String, Value> {
    let read = sent(std::slice::from_ref(span), convention, Format::Protobuf).remove(0);
    let value = |value: Any| match value {
        Any::StringValue(text) => json!(text),
        Any::IntValue(int) => json!(int),
        Any::DoubleValue(float) => json!(float),
        other => json!(format!("{other:?}")),
    };
    read.attributes.into_iter().map(|one| (one.key, value(one.value.unwrap().value.unwrap()))).collect()
}

/// A run with one model call and one tool call that the last event leaves as it wants.
fn run(last: Value) -> Vec<Span> {
    let event = |kind: &str, ts: i64, fields: Value| {
        let mut event = json!({"type": kind, "ts": ts, "runId": "r", "sessionId": "s",
            "sessionKey": "agent:main:main", "channel": "webchat"});
        event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        event
    };
    let mut list = vec![
        event("run.started", 1_000, json!({})),
        event(
            "model.call.completed",
            2_000,
            json!({"callId": "r:model:1", "model": "m", "durationMs": 500,
            "usage": {"input": 5, "output": 7, "cost": {"total": 0.25}}}),
        ),
        event("tool.execution.started", 2_100, json!({"toolCallId": "c", "toolName": "exec"})),
    ];
    if !last.is_null() {
        list.push(last);
    }
    let mut spans = map_with(&list, Config::without_content()).0;
    let root = spans.last_mut().unwrap();
    assert_eq!(root.kind, SpanKind::Run);
    root.input = Some("What is new?".to_owned());
    root.output = Some("Nothing.".to_owned());
    spans
}

fn of_kind(spans: &[Span], kind: SpanKind) -> &Span {
    spans.iter().find(|span| span.kind == kind).unwrap()
}

fn completed(fields: &Value) -> Value {
    let mut event = json!({"type": "run.completed", "ts": 3_000, "runId": "r", "outcome": "completed"});
    event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    event
}

#[test]
fn question_and_answer_of_a_run_show_everywhere() {
    let spans = run(completed(&json!({})));
    let root = spans.last().unwrap();
    for convention in CONVENTIONS {
        let seen = seen(root, convention);
        let shown =
            |text: &str| seen.values().any(|value| value.as_str().is_some_and(|one| one.contains(text)));
        assert!(shown("What is new?") && shown("Nothing."), "{convention}: {seen:?}");
    }
    let seen = seen(root, "gen_ai_v1_41");
    let messages = |key: &str| serde_json::from_str::<Value>(seen[key].as_str().unwrap()).unwrap();
    assert_eq!(
        messages("gen_ai.input.messages"),
        json!([{"role": "user", "parts": [{"type": "text", "content": "What is new?"}]}])
    );
    assert_eq!(
        messages("gen_ai.output.messages"),
        json!([{"role": "assistant", "parts": [{"type": "text", "content": "Nothing."}], "finish_reason": "stop"}])
    );
}

#[test]
fn an_answer_says_why_the_model_stopped() {
    let spans = run(completed(&json!({})));
    let mut call = of_kind(&spans, SpanKind::Generation).clone();
    let inner = call.model_call.as_mut().unwrap();
    inner.input = vec![ChatMessage::text("user", "hi")];
    inner.output = vec![ChatMessage::text("assistant", "…")];
    for (stop_reason, expected) in
        [(Some("length"), json!("length")), (Some("toolUse"), json!("tool_call")), (None, Value::Null)]
    {
        call.model_call.as_mut().unwrap().stop_reason = stop_reason.map(str::to_owned);
        let seen = seen(&call, "gen_ai_next");
        let of = |key: &str| {
            serde_json::from_str::<Value>(seen[key].as_str().unwrap()).unwrap()[0]["finish_reason"].clone()
        };
        assert_eq!(of("gen_ai.output.messages"), expected);
        assert_eq!(of("gen_ai.input.messages"), Value::Null);
    }
}

#[test]
fn a_run_that_was_cut_off_shows_everywhere() {
    let spans = run(Value::Null);
    let root = spans.last().unwrap();
    assert!(root.is_incomplete());
    for convention in CONVENTIONS {
        let seen = seen(root, convention);
        let shown =
            |text: &str| seen.values().any(|value| value.as_str().is_some_and(|one| one.contains(text)));
        assert!(shown("WARNING"), "{convention}: {seen:?}");
        assert!(shown("incomplete: closed before its end"), "{convention}: {seen:?}");
    }
}

#[test]
fn cost_and_metadata_show_where_genai_stands_alone_and_once_where_it_does_not() {
    let spans = run(completed(&json!({})));
    let alone = seen(of_kind(&spans, SpanKind::Generation), "gen_ai_v1_41");
    assert_eq!(alone["openclaw.cost_usd"], 0.25);
    assert_eq!(alone["openclaw.metadata.callId"], "r:model:1");
    assert_eq!(alone["openclaw.release"], "r-7");
    let root = seen(spans.last().unwrap(), "gen_ai_next");
    assert_eq!(root["openclaw.metadata.channel"], "webchat");
    for convention in ["langfuse+gen_ai_v1_41", "gen_ai_next+openinference"] {
        let both = seen(spans.last().unwrap(), convention);
        assert!(!both.keys().any(|key| key.starts_with("openclaw.")), "{convention}: {both:?}");
    }
}

#[test]
fn only_a_failure_is_an_exception() {
    let failed = run(completed(&json!({"outcome": "error", "errorCategory": "boom"})));
    let seen_failed = seen(failed.last().unwrap(), "openinference");
    assert_eq!(seen_failed["exception.message"], "boom");
    assert_eq!(seen_failed["exception.type"], "boom");
    for last in [completed(&json!({"outcome": "aborted"})), Value::Null] {
        for span in run(last) {
            let seen = seen(&span, "openinference");
            assert!(!seen.keys().any(|key| key.starts_with("exception.")), "{seen:?}");
        }
    }
    let aborted = run(completed(&json!({"outcome": "aborted"})));
    let metadata = seen(aborted.last().unwrap(), "openinference")["metadata"].clone();
    let metadata: Value = serde_json::from_str(metadata.as_str().unwrap()).unwrap();
    assert_eq!(metadata["status_message"], "aborted");
}

#[test]
fn a_span_of_any_size_arrives() {
    let spans = run(completed(&json!({})));
    let mut crowded = of_kind(&spans, SpanKind::Generation).clone();
    let call = |index: usize| Part::ToolCall {
        id: format!("call_{index}"),
        name: "exec".to_owned(),
        arguments: json!({"command": format!("echo {index}")}),
    };
    let message = ChatMessage::new("assistant", (0..20_000).map(call).collect());
    crowded.model_call.as_mut().unwrap().output = vec![message];
    // As JSON a control character takes six bytes.
    let noise = "\u{1b}".repeat(60_000);
    let mut noisy = spans.last().unwrap().clone();
    (noisy.input, noisy.output) = (Some(noise.clone()), Some(noise.clone()));
    for index in 0..40 {
        noisy.metadata.insert(format!("note{index}").into(), noise.clone().into());
    }
    for convention in CONVENTIONS {
        for format in [Format::Json, Format::Protobuf] {
            let read = sent(&[crowded.clone(), noisy.clone()], convention, format);
            for read in &read {
                let text = format!("{:?}", read.attributes);
                let told =
                    read.dropped_attributes_count > 0 || text.contains("left out") || text.contains("[cut, ");
                assert!(told, "{convention} {format:?}: cut in silence");
                assert!(read.attributes.iter().any(|one| one.key == "session.id"), "{convention} {format:?}");
            }
        }
    }
}

#[test]
fn no_backend_is_sent_a_score_that_is_no_number() {
    let mut spans = run(completed(&json!({})));
    let root = spans.last_mut().unwrap();
    let mut labelled = Evaluation::new("risk", 0.5).with_label("high");
    labelled.score = Some(f64::NAN);
    let mut bare = Evaluation::new("accuracy", 0.5);
    bare.score = Some(f64::INFINITY);
    root.evaluations = vec![labelled, bare];
    let scores = langfuse_scores(root, None);
    assert_eq!(scores.len(), 1, "{scores:?}");
    assert_eq!((&scores[0]["dataType"], &scores[0]["value"]), (&json!("CATEGORICAL"), &json!("high")));
    let seen = seen(root, "openinference");
    assert_eq!(seen["evaluations.0.evaluation.label"], "high");
    assert!(
        !seen.contains_key("evaluations.0.evaluation.score")
            && !seen.contains_key("evaluations.1.evaluation.name")
    );
}

#[test]
fn addresses_and_keys_are_shown_without_their_secrets() {
    for (address, shown) in [
        ("https://u:hunter2@m.example?key=hunter2", "https://m.example"),
        ("https://m.example/path?key=hunter2#hunter2", "https://m.example/path"),
        ("https://m.example#hunter2", "https://m.example"),
        ("https://m.example/", "https://m.example/"),
    ] {
        assert_eq!(Destination::new(address, None, Some("hunter2")).unwrap().describe(), shown);
    }
    let mut settings = MirrorSettings::default();
    (settings.public_key, settings.secret_key) = (Some("pk-hunter2"), Some("hunter2"));
    settings.base_url = Some("https://u:hunter2@m.example");
    let text = format!("{settings:?}");
    assert!(!text.contains("hunter2") && text.contains("has_secret_key: true"), "{text}");
}

#[test]
fn the_latest_harness_run_decides_whichever_arrives_last() {
    let harness = |ts: i64, outcome: &str| json!({"type": "harness.run.completed", "ts": ts, "runId": "r", "sessionId": "s", "outcome": outcome});
    let started = json!({"type": "run.started", "ts": 1_000, "runId": "r", "sessionId": "s"});
    let (first, second) = (harness(2_000, "timed_out"), harness(2_500, "completed"));
    let level = |list: &[&Value]| {
        let list: Vec<Value> = list.iter().copied().cloned().chain([completed(&json!({}))]).collect();
        map_with(&list, Config::without_content()).0.pop().unwrap().level
    };
    assert_eq!(level(&[&started, &second, &first]), level(&[&started, &first, &second]));
    assert_eq!(level(&[&started, &first, &second]), clawgauge_tracing_map::Level::Default);
    assert_eq!(level(&[&started, &first]), clawgauge_tracing_map::Level::Error);
}

/// Every recorded session, back-filled.
fn stored() -> Vec<Span> {
    let base = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sessions/main");
    let mut files: Vec<_> = std::fs::read_dir(base).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let of_file = |file: std::path::PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let facts = SessionFacts::of_key("agent:main:main");
        from_transcript(&Transcript::from_str(&text), &facts, &Config::default())
    };
    files.into_iter().flat_map(of_file).collect()
}

#[test]
fn without_content_no_line_of_a_prompt_an_answer_or_a_result_leaves() {
    let mut lines = 0;
    for span in stored() {
        let texts = span.input.iter().chain(&span.output).flat_map(|text| text.lines()).map(str::trim);
        let said: Vec<String> = texts.filter(|line| line.len() >= 12).map(str::to_owned).collect();
        lines += said.len();
        let mut bare = span.clone();
        bare.remove_content();
        for convention in CONVENTIONS {
            let seen = seen(&bare, convention);
            let read = sent(std::slice::from_ref(&bare), convention, Format::Protobuf).remove(0);
            let status = read.status.unwrap_or_default().message;
            let values = seen.values().filter_map(Value::as_str).chain([status.as_str()]);
            for value in values {
                let leak = said.iter().find(|line| value.contains(line.as_str()));
                assert!(leak.is_none(), "{convention} {:?} {}: {value}", span.kind, span.name);
            }
        }
    }
    assert!(lines > 300, "{lines}");
}

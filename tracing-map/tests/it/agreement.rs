//! Live mapping and back-fill of the same runs: equal ids, and equal fields where both know them.

use crate::recorded::scenarios;
use crate::support::check_tree;
use clawgauge_tracing_map::{
    Config, DiagnosticEvent, Mapper, SessionFacts, Span, SpanId, SpanKind, TranscriptSource, from_transcript,
};
use clawgauge_transcript::Transcript;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// Stored sessions by id.
fn sessions() -> BTreeMap<String, Vec<u8>> {
    let base = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sessions");
    let mut found = BTreeMap::new();
    for agent in ["main", "ops"] {
        for entry in fs::read_dir(base.join(agent)).unwrap() {
            let path = entry.unwrap().path();
            found.insert(path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap());
        }
    }
    found
}

/// Live mapping, texts from the stored sessions.
fn live(list: &[Value], sessions: &BTreeMap<String, Transcript<'_>>) -> Vec<Span> {
    let mut mapper = Mapper::new(Config::default());
    let mut spans = Vec::new();
    let mut clock = 0;
    let answer = |mapper: &mut Mapper, at: i64| {
        while let Some(request) = mapper.poll_request() {
            let transcript = request.session_id.as_ref().and_then(|id| sessions.get(id));
            let content = transcript.and_then(|transcript| {
                TranscriptSource::new(transcript).run(request.run_id.as_deref(), Some(request.started_ms))
            });
            if let Some(content) = content {
                mapper.content(request.token, content, at);
            }
        }
    };
    for record in list {
        let event = DiagnosticEvent::from_value(record.clone()).unwrap();
        clock = record["at"].as_i64().unwrap().max(clock);
        while let Some(at) = mapper.poll_timeout().filter(|at| *at < clock) {
            mapper.handle_timeout(at);
            answer(&mut mapper, at);
        }
        mapper.handle(&event, clock);
        answer(&mut mapper, clock);
    }
    mapper.request_all();
    answer(&mut mapper, clock);
    mapper.finish(clock);
    while let Some(span) = mapper.poll() {
        spans.push(span);
    }
    spans
}

/// What is compared, and how far times may be apart: rows are written a little after what they tell of.
const NEAR_MS: i64 = 1_000;

fn differing_fields(live: &Span, stored: &Span) -> Vec<&'static str> {
    let mut fields = Vec::new();
    let call = |span: &Span| span.model_call.clone().unwrap_or_default();
    let (a, b) = (call(live), call(stored));
    let checks: [(&'static str, bool); 14] = [
        ("kind", live.kind == stored.kind),
        ("name", live.name == stored.name || live.kind == SpanKind::Run),
        ("parent", live.parent_id == stored.parent_id),
        ("level", live.level == stored.level),
        ("session", live.identity.session == stored.identity.session),
        ("user", live.identity.user == stored.identity.user),
        ("input", live.input == stored.input),
        ("output", live.output == stored.output),
        ("messages", a.input == b.input && a.output == b.output),
        ("model", (&a.model, &a.provider, &a.stop_reason) == (&b.model, &b.provider, &b.stop_reason)),
        ("usage", a.usage == b.usage),
        ("cost", a.cost_usd.zip(b.cost_usd).is_none_or(|(a, b)| (a - b).abs() < 1e-12)),
        ("start", (live.start_ms - stored.start_ms).abs() <= NEAR_MS),
        ("end", (live.end_ms - stored.end_ms).abs() <= NEAR_MS),
    ];
    fields.extend(checks.iter().filter(|(_, same)| !same).map(|(name, _)| *name));
    fields
}

/// What the differences are.
const NAMED: &str = "\
context: sizes of a context are not stored.
failed generation: a call that failed before another attempt is not stored; the last failure is.
abort: of an aborted run only the prompt is stored, neither its call nor its end.
delete: the session is gone from the store.
compact: calls of a compaction are not stored.
branchswitch, err500once, errcut: a background review has events and no session.
toolerrors: the session drops the row of an answer that called only an unknown tool.
background (level): the recording stops before the run ends.
timeout (level): the row of a run that took too long says aborted.
start: a run starts up to seconds before the row of its prompt is written.";

#[test]
fn live_and_backfill_agree_on_what_both_know() {
    let bytes = sessions();
    let transcripts: BTreeMap<String, Transcript<'_>> =
        bytes.iter().map(|(id, bytes)| (id.clone(), Transcript::from_slice(bytes))).collect();
    let mut table = String::from(
        "scenario        runs  live  stored  same id  live only                    stored only  differing fields\n",
    );
    for (version, name, list) in scenarios() {
        if version != "2026.9.6" {
            continue;
        }
        let live = live(&list, &transcripts);
        check_tree(&live).unwrap_or_else(|error| panic!("{name}: {error}"));
        // The session of each run, as the events name it.
        let mut keys: BTreeMap<String, String> = BTreeMap::new();
        let mut runs = BTreeSet::new();
        for one in &list {
            let event = &one["event"];
            if let (Some(id), Some(key)) = (event["sessionId"].as_str(), event["sessionKey"].as_str()) {
                keys.entry(id.to_owned()).or_insert_with(|| key.to_owned());
            }
            if let Some(run) = event["runId"].as_str() {
                runs.insert(run.to_owned());
            }
        }
        let mut stored: Vec<Span> = Vec::new();
        for (id, key) in &keys {
            let Some(transcript) = transcripts.get(id) else { continue };
            let spans = from_transcript(transcript, &SessionFacts::of_key(key), &Config::default());
            check_tree(&spans).unwrap_or_else(|error| panic!("{name}: {error}"));
            stored.extend(
                spans
                    .into_iter()
                    .filter(|span| span.identity.run.as_ref().is_some_and(|run| runs.contains(run))),
            );
        }
        let by_id = |spans: &[Span]| {
            spans.iter().map(|span| (span.span_id, span.clone())).collect::<BTreeMap<SpanId, Span>>()
        };
        let (a, b) = (by_id(&live), by_id(&stored));
        let mut only_live: BTreeMap<String, usize> = BTreeMap::new();
        for span in a.values().filter(|span| !b.contains_key(&span.span_id)) {
            let failed = if span.level == clawgauge_tracing_map::Level::Error { "failed " } else { "" };
            *only_live.entry(format!("{failed}{:?}", span.kind).to_lowercase()).or_default() += 1;
        }
        let mut only_stored: BTreeMap<String, usize> = BTreeMap::new();
        for span in b.values().filter(|span| !a.contains_key(&span.span_id)) {
            *only_stored.entry(format!("{:?}", span.kind).to_lowercase()).or_default() += 1;
        }
        let mut fields: BTreeMap<&'static str, usize> = BTreeMap::new();
        let same = a.values().filter_map(|span| Some((span, b.get(&span.span_id)?)));
        let mut count = 0;
        for (live, stored) in same {
            count += 1;
            assert_eq!(live.trace_id, stored.trace_id);
            for field in differing_fields(live, stored) {
                if std::env::var("SHOW_AGREEMENT").is_ok() && field != "start" {
                    println!("{name} {field}: {live:#?}\n{stored:#?}");
                }
                *fields.entry(field).or_default() += 1;
            }
        }
        let list = |map: &BTreeMap<String, usize>| {
            map.iter().map(|(what, count)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
        };
        let fields =
            fields.iter().map(|(what, count)| format!("{count} {what}")).collect::<Vec<_>>().join(", ");
        let roots = live.iter().filter(|span| span.kind == SpanKind::Run).count();
        writeln!(
            table,
            "{name:<15} {roots:>4} {:>5} {:>7} {count:>8}  {:<28} {:<12} {fields}",
            live.len(),
            stored.len(),
            list(&only_live),
            list(&only_stored),
        )
        .unwrap();
    }
    let table: Vec<&str> = table.lines().map(str::trim_end).collect();
    insta::assert_snapshot!(format!("{}\n\n{NAMED}", table.join("\n")));
}
